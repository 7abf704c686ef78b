"""What a worker loads before its first run, beside the code location: what every run would compile again.

Nothing is connected to and no thread is started: processes are forked from the one that loads.
"""

import importlib
import os

from citation_pipeline.adapters.schema_files import lexicon_of, load_schema
from citation_pipeline.core.claims import Claim
from citation_pipeline.core.rules.lexicons.lexicon_files import read_lexicon
from citation_pipeline.defs.readers import extractors
from citation_pipeline.defs.resources import read_settings

# imported by a run's first steps: Dagster's instance, its storage, the store's client
_OF_RUNS = (
    "dagster._core.instance.factory",
    "dagster._core.execution.api",
    "dagster._core.execution.run_cancellation_thread",
    "dagster_aws.s3.compute_log_manager",
    "citation_pipeline.defs.dagster_internals.postgres_storage",
    "citation_pipeline.defs.dagster_internals.worker_launcher",
    "citation_pipeline.defs.logs",
    "psycopg2.extras",
    "obstore.store",
)


def load_ahead() -> None:
    """Import what runs import, and compile rules and fingerprints for claims as they come in the inbox."""
    for module in _OF_RUNS:
        importlib.import_module(module)
    settings = read_settings()
    name = settings.night.inbox.schema
    name = name if name != "auto" else "workers_comp"
    claim = Claim("none", folder=os.devnull, documents_dir=os.devnull, schema=name)
    # what parses is left to its own processes, its libraries have threads
    schema = load_schema(name)
    read_lexicon(lexicon_of(schema), schema=schema)
    assert extractors(settings).get("rules").fingerprint(claim, schema)
