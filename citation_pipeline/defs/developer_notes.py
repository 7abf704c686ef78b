"""Leaves out what Dagster tells the authors of definitions: thirty lines at each start that hide others.

Importing it does so, as Dagster's decorators speak while the modules of the assets are imported. Only
processes of our own import it; who takes the assets into definitions of their own hears everything.
"""

import warnings

SUPERSEDED = "ignore:Function `dev_command` is superseded"
"""For `PYTHONWARNINGS`: what `dagster dev` says of itself. It takes a workspace that names its location."""

# the parts in beta are pinned to one patch, and the smallest policy of backfills is the one that is meant
warnings.filterwarnings("ignore", message=".*is currently in (beta|preview).*")
warnings.filterwarnings("ignore", message=".*varying BackfillPolicies.*", category=UserWarning)
