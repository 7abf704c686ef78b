"""What the assets are given, and the only place of the pipeline that reads the environment.

| variable | default | means |
| --- | --- | --- |
| `CITATION_PIPELINE_STORE` | `data/store` | the store's root: a path or an object-storage URL |
| `CITATION_PIPELINE_WORKERS` | cores | processes that parse |
| `CITATION_PIPELINE_PARSE_CACHE` | `<store>/parse_cache` | where parses are kept by content hash |
| `CITATION_PIPELINE_PDF_PASSWORDS` | none | passwords to try on encrypted files, one a line |
| `ANTHROPIC_API_KEY`, `ANTHROPIC_BASE_URL`, `CITATION_PIPELINE_MODEL` | | the claude extractor |
| `REDUCTO_API_KEY`, `REDUCTO_BASE_URL` | | the reducto parser |
"""

import os
from pathlib import Path

import dagster as dg

from citation_pipeline.adapters.extractors.port import Extractor
from citation_pipeline.adapters.extractors.replay import ReplayExtractor
from citation_pipeline.adapters.extractors.rules import RulesExtractor
from citation_pipeline.adapters.local_parser.parser import LocalParser
from citation_pipeline.adapters.readers import DocumentParser, Readers
from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.defs.progress import Progress, Watcher

DEFAULT_STORE = "data/store"


def store_root() -> str:
    """Return where the store is, from the environment."""
    return os.environ.get("CITATION_PIPELINE_STORE") or DEFAULT_STORE


def dagster_home(store: str) -> Path:
    """Return where Dagster keeps runs and events: `DAGSTER_HOME`, else beside the store's tables."""
    return Path(os.environ.get("DAGSTER_HOME") or Path(store) / "dagster_home").resolve()


class StoreResource(dg.ConfigurableResource[ClaimStore]):
    """The store; an empty root means what the environment says."""

    root: str = ""

    def create_resource(self, context: dg.InitResourceContext) -> ClaimStore:
        """Return the store."""
        return ClaimStore(self.root or store_root())


class ParsersResource(dg.ConfigurableResource[Readers[DocumentParser]]):
    """Who parses documents, by name."""

    store: str = ""

    def create_resource(self, context: dg.InitResourceContext) -> Readers[DocumentParser]:
        """Return the parsers, none of them built yet."""
        return parsers(store=self.store)


class ExtractorsResource(dg.ConfigurableResource[Readers[Extractor]]):
    """Who answers the schema, by name."""

    store: str = ""

    def create_resource(self, context: dg.InitResourceContext) -> Readers[Extractor]:
        """Return the extractors, none of them built yet."""
        return extractors(store=self.store)


def parsers(*, store: str = "") -> Readers[DocumentParser]:
    """Return the parsers by name; each is built when a claim first names it."""
    root = store or store_root()
    return Readers("parser", {"local": lambda: _local_parser(root)})


def extractors(*, store: str = "") -> Readers[Extractor]:
    """Return the extractors by name; each is built when a claim first names it."""
    return Readers("extractor", {"rules": RulesExtractor, "replay": ReplayExtractor})


def _local_parser(root: str) -> DocumentParser:
    cache = os.environ.get("CITATION_PIPELINE_PARSE_CACHE")
    passwords = os.environ.get("CITATION_PIPELINE_PDF_PASSWORDS", "")
    return LocalParser(
        Path(cache) if cache else Path(root) / "parse_cache",
        workers=int(os.environ.get("CITATION_PIPELINE_WORKERS") or 0) or os.cpu_count() or 1,
        passwords=tuple(line for line in passwords.splitlines() if line),
    )


class ProgressResource(dg.ConfigurableResource[Progress]):
    """Progress into the run's log."""

    def create_resource(self, context: dg.InitResourceContext) -> Progress:
        """Return a progress that nobody watches."""
        return Progress()


def resources(*, store: str = "", watcher: Watcher | None = None) -> dict[str, object]:
    """Return what the assets are given; `watcher` sees progress instead of the run's log."""
    return {
        "store": StoreResource(root=store),
        "parsers": ParsersResource(store=store),
        "extractors": ExtractorsResource(store=store),
        "progress": Progress(watcher) if watcher else ProgressResource(),
    }
