"""Imported by a fork server alone: runs a claim once, so that the processes it forks find everything loaded.

A fork server's preload has nothing but imports to work with. What is loaded and compiled on the first run
(expressions, database dialects, revisions) is half of what a run of so small a claim costs.
"""

import tempfile
from pathlib import Path

from citation_pipeline_tests.killed_runs import run_claim
from citation_pipeline_tests.scenario import write_claim

with tempfile.TemporaryDirectory() as _folder:
    run_claim(write_claim(Path(_folder) / "tiny"), Path(_folder) / "store")
