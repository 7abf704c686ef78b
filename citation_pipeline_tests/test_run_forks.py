"""A worker's runs are forked from a process that has loaded what each run would load again."""

import json
import subprocess
import sys

from citation_pipeline.defs.fleet.workers import LOADED_AHEAD

# what a fork finds: the code location's jobs, the rules compiled, no thread that a fork would lose
_LOADED = """
import json, sys, threading
from citation_pipeline.defs.dagster_internals import run_forks
run_forks._load(sys.argv[1], sys.argv[2])
from citation_pipeline.adapters.schema_files import lexicon_of, load_schema
from citation_pipeline.adapters.extractors.rules import RulesExtractor
from citation_pipeline.core.claims import Claim
from citation_pipeline.core.rules.lexicons import lexicon_files
before = lexicon_files._compiled.cache_info().misses
schema = load_schema("workers_comp")
RulesExtractor().fingerprint(Claim("c", folder="/x", documents_dir="/x", schema="workers_comp"), schema)
lexicon_files.read_lexicon(lexicon_of(schema), schema=schema)
print(json.dumps({
    "compiled": before,
    "compiled_by_the_run": lexicon_files._compiled.cache_info().misses - before,
    "threads": threading.active_count(),
    "dagster_postgres": "dagster_postgres" in sys.modules,
}))
"""


def _load(module: str, ahead: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-W", "ignore", "-c", _LOADED, module, ahead],
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    )


def test_a_fork_finds_the_code_location_loaded_and_the_rules_compiled() -> None:
    ended = _load("citation_pipeline.defs.definitions", LOADED_AHEAD)
    assert "Traceback" not in ended.stderr
    found = json.loads(ended.stdout.splitlines()[-1])
    assert found["compiled"] >= 1
    assert found["compiled_by_the_run"] == 0
    assert found["threads"] == 1
    assert found["dagster_postgres"]


def test_a_code_location_that_cannot_be_loaded_says_so_and_leaves_it_to_the_runs() -> None:
    ended = _load("no_such_code_location", LOADED_AHEAD)
    assert "no_such_code_location" in ended.stderr
    assert json.loads(ended.stdout.splitlines()[-1])["compiled"] == 0
