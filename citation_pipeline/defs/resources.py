"""What the assets are given: the store, the deployment's settings, parsers, extractors, workers."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import dagster as dg

from citation_pipeline.adapters.deployment.deployment import read_deployment
from citation_pipeline.adapters.extractors.port import Extractor
from citation_pipeline.adapters.readers import DocumentParser, Readers
from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.defs.automation.jobs import REMATCH_TAG
from citation_pipeline.defs.readers import extractors, parsers
from citation_pipeline.defs.runs.claim_workers import ClaimWorkers, open_claim_workers
from citation_pipeline.defs.runs.progress import Progress, Watcher
from citation_pipeline.defs.settings import Settings, settings_of

# what the processes of a run work with: imported once, not by each of them
_SPREAD = ("citation_pipeline.defs.assets.checks", "citation_pipeline.defs.assets.search_index")


def read_settings(store: str = "", given: Mapping[str, Any] | None = None) -> Settings:
    """Return the deployment's settings; `store` beats the environment's. Raises DeploymentError.

    `given` settings, by name, take the environment's place.
    """
    return settings_of(read_deployment(store, given))


def store_root() -> str:
    """Return where the store is, from the environment."""
    return read_deployment().store


def open_store(store: str = "") -> ClaimStore:
    """Return the store, `store` beating the environment's."""
    return read_settings(store).open_store()


def dagster_home(store: str) -> Path:
    """Return where Dagster keeps runs and events: `DAGSTER_HOME`, else in the work dir."""
    return read_deployment(store).dagster_home


def is_rematch(context: dg.InitResourceContext) -> bool:
    """Tell whether the run is a re-match, which must never call anybody."""
    return context.run is not None and context.run.tags.get(REMATCH_TAG) == "true"


PATIENCE = {
    "DAGSTER_SCHEDULE_GRPC_TIMEOUT_SECONDS": "3600",
    "DAGSTER_SENSOR_GRPC_TIMEOUT_SECONDS": "3600",
}
"""How long the daemon waits for a plan of all claims and a look at the inbox.

Dagster gives up after a minute, which is some thousands of claims. It asks its environment and nothing else.
"""


def child_environment(store: str) -> dict[str, str]:
    """Return the environment for a process of Dagster's own that works on a store."""
    deployment = read_deployment(store)
    root = deployment.store
    return {
        **PATIENCE,
        **os.environ,
        "CITATION_PIPELINE_STORE": root if "://" in root else str(Path(root).resolve()),
        "DAGSTER_HOME": str(deployment.dagster_home),
    }


class StoreResource(dg.ConfigurableResource[ClaimStore]):
    """The store; an empty root means what the environment says."""

    root: str = ""
    given: dict[str, Any] | None = None  # settings by name, in place of the environment

    def create_resource(self, context: dg.InitResourceContext) -> ClaimStore:
        """Return the store, for as long as a run or a tick lasts."""
        return read_settings(self.root, self.given).open_store().within_run()


class SettingsResource(dg.ConfigurableResource[Settings]):
    """The deployment's settings."""

    store: str = ""
    given: dict[str, Any] | None = None  # settings by name, in place of the environment

    def create_resource(self, context: dg.InitResourceContext) -> Settings:
        """Return the settings."""
        return read_settings(self.store, self.given)


class ParsersResource(dg.ConfigurableResource[Readers[DocumentParser]]):
    """Who parses documents, by name."""

    store: str = ""
    given: dict[str, Any] | None = None  # settings by name, in place of the environment

    def create_resource(self, context: dg.InitResourceContext) -> Readers[DocumentParser]:
        """Return the parsers, none of them built yet."""
        found = parsers(read_settings(self.store, self.given))
        return found.without_paid() if is_rematch(context) else found


class ExtractorsResource(dg.ConfigurableResource[Readers[Extractor]]):
    """Who answers the schema, by name."""

    store: str = ""
    given: dict[str, Any] | None = None  # settings by name, in place of the environment

    def create_resource(self, context: dg.InitResourceContext) -> Readers[Extractor]:
        """Return the extractors, none of them built yet."""
        found = extractors(read_settings(self.store, self.given))
        return found.without_paid() if is_rematch(context) else found


class ClaimWorkersResource(dg.ConfigurableResource[ClaimWorkers]):
    """The processes that a run's assets and checks spread their claims over, ended with the run."""

    store: str = ""
    given: dict[str, Any] | None = None  # settings by name, in place of the environment

    @contextmanager
    def yield_for_execution(self, context: dg.InitResourceContext) -> Iterator[ClaimWorkers]:
        """Yield the workers, none of them started yet."""
        with open_claim_workers(read_settings(self.store, self.given).workers, preload=_SPREAD) as workers:
            yield workers


class ProgressResource(dg.ConfigurableResource[Progress]):
    """Progress into the run's log."""

    def create_resource(self, context: dg.InitResourceContext) -> Progress:
        """Return a progress that nobody watches."""
        return Progress()


def resources(
    *, store: str = "", watcher: Watcher | None = None, given: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Return what the assets are given; `watcher` sees progress instead of the run's log."""
    told = dict(given) if given is not None else None
    return {
        "store": StoreResource(root=store, given=told),
        "settings": SettingsResource(store=store, given=told),
        "workers": ClaimWorkersResource(store=store, given=told),
        "parsers": ParsersResource(store=store, given=told),
        "extractors": ExtractorsResource(store=store, given=told),
        "progress": Progress(watcher) if watcher else ProgressResource(),
    }
