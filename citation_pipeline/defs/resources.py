"""What the assets are given, and the only place of the pipeline that reads the environment.

`docs/configuration.md` lists the variables.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import dagster as dg

from citation_pipeline.adapters.extractors.port import Extractor
from citation_pipeline.adapters.readers import DocumentParser, Readers
from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.core.resolution.changes import PromotionRules
from citation_pipeline.defs.automation.jobs import REMATCH_TAG
from citation_pipeline.defs.automation.night_settings import read_night_settings
from citation_pipeline.defs.readers import extractors, parsers
from citation_pipeline.defs.runs.claim_workers import ClaimWorkers, open_claim_workers
from citation_pipeline.defs.runs.progress import Progress, Watcher
from citation_pipeline.defs.settings import Settings, settings_over

DEFAULT_STORE = "data/store"

_SHARES = ("verbatim_share", "located_share", "value_share", "error_share")

# what the processes of a run work with: imported once, not by each of them
_SPREAD = ("citation_pipeline.defs.assets.checks", "citation_pipeline.defs.assets.search_index")


def read_settings(store: str = "") -> Settings:
    """Return the deployment's settings; `store` beats the environment's."""
    env = os.environ.get
    return settings_over(
        store or env("CITATION_PIPELINE_STORE") or DEFAULT_STORE,
        work_dir=env("CITATION_PIPELINE_WORK_DIR"),
        parse_cache=env("CITATION_PIPELINE_PARSE_CACHE"),
        verifications_url=env("CITATION_PIPELINE_VERIFICATIONS_URL"),
        workers=int(env("CITATION_PIPELINE_WORKERS") or 0) or os.cpu_count() or 1,
        pdf_passwords=tuple(
            line for line in (env("CITATION_PIPELINE_PDF_PASSWORDS") or "").splitlines() if line
        ),
        anthropic_key=env("ANTHROPIC_API_KEY"),
        anthropic_url=env("ANTHROPIC_BASE_URL"),
        model=env("CITATION_PIPELINE_MODEL"),
        reducto_key=env("REDUCTO_API_KEY") or "",
        reducto_url=env("REDUCTO_BASE_URL"),
        reducto_results=_folder(env("CITATION_PIPELINE_REDUCTO_RESULTS")),
        reducto_requests_per_second=float(env("CITATION_PIPELINE_REDUCTO_RATE") or 1.0),
        promotion=PromotionRules(lost_share=float(env("CITATION_PIPELINE_LOST_SHARE") or 0.05)),
        night=read_night_settings(os.environ),
        **{name: float(share) for name in _SHARES if (share := env(f"CITATION_PIPELINE_{name.upper()}"))},
    )


def _folder(value: str | None) -> Path | None:
    return Path(value) if value else None


def store_root() -> str:
    """Return where the store is, from the environment."""
    return read_settings().store


def dagster_home(store: str) -> Path:
    """Return where Dagster keeps runs and events: `DAGSTER_HOME`, else beside the store's tables."""
    return Path(os.environ.get("DAGSTER_HOME") or settings_over(store).work_dir / "dagster_home").resolve()


def is_rematch(context: dg.InitResourceContext) -> bool:
    """Tell whether the run is a re-match, which must never call anybody."""
    return context.run is not None and context.run.tags.get(REMATCH_TAG) == "true"


def child_environment(store: str) -> dict[str, str]:
    """Return the environment for a process of Dagster's own that works on a store."""
    root = read_settings(store).store
    return {
        **os.environ,
        "CITATION_PIPELINE_STORE": root if "://" in root else str(Path(root).resolve()),
        "DAGSTER_HOME": str(dagster_home(root)),
    }


class StoreResource(dg.ConfigurableResource[ClaimStore]):
    """The store; an empty root means what the environment says."""

    root: str = ""

    def create_resource(self, context: dg.InitResourceContext) -> ClaimStore:
        """Return the store."""
        return ClaimStore(read_settings(self.root).store)


class SettingsResource(dg.ConfigurableResource[Settings]):
    """The deployment's settings."""

    store: str = ""

    def create_resource(self, context: dg.InitResourceContext) -> Settings:
        """Return the settings."""
        return read_settings(self.store)


class ParsersResource(dg.ConfigurableResource[Readers[DocumentParser]]):
    """Who parses documents, by name."""

    store: str = ""

    def create_resource(self, context: dg.InitResourceContext) -> Readers[DocumentParser]:
        """Return the parsers, none of them built yet."""
        found = parsers(read_settings(self.store))
        return found.without_paid() if is_rematch(context) else found


class ExtractorsResource(dg.ConfigurableResource[Readers[Extractor]]):
    """Who answers the schema, by name."""

    store: str = ""

    def create_resource(self, context: dg.InitResourceContext) -> Readers[Extractor]:
        """Return the extractors, none of them built yet."""
        found = extractors(read_settings(self.store))
        return found.without_paid() if is_rematch(context) else found


class ClaimWorkersResource(dg.ConfigurableResource[ClaimWorkers]):
    """The processes that a run's assets and checks spread their claims over, ended with the run."""

    store: str = ""

    @contextmanager
    def yield_for_execution(self, context: dg.InitResourceContext) -> Iterator[ClaimWorkers]:
        """Yield the workers, none of them started yet."""
        with open_claim_workers(read_settings(self.store).workers, preload=_SPREAD) as workers:
            yield workers


class ProgressResource(dg.ConfigurableResource[Progress]):
    """Progress into the run's log."""

    def create_resource(self, context: dg.InitResourceContext) -> Progress:
        """Return a progress that nobody watches."""
        return Progress()


def resources(*, store: str = "", watcher: Watcher | None = None) -> dict[str, Any]:
    """Return what the assets are given; `watcher` sees progress instead of the run's log."""
    return {
        "store": StoreResource(root=store),
        "settings": SettingsResource(store=store),
        "workers": ClaimWorkersResource(store=store),
        "parsers": ParsersResource(store=store),
        "extractors": ExtractorsResource(store=store),
        "progress": Progress(watcher) if watcher else ProgressResource(),
    }
