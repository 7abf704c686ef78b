"""The real `dagster-daemon`, looking for work every few seconds instead of every thirty: for tests only."""

import os

import dagster._daemon.controller
from dagster._daemon.cli import main

dagster._daemon.controller.DEFAULT_DAEMON_INTERVAL_SECONDS = int(os.environ.get("QUICK_DAEMON_SECONDS", "1"))

if __name__ == "__main__":
    main()
