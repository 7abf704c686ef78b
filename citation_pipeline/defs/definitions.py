"""The project's own code location, over the store that the environment names."""

from collections.abc import Mapping
from typing import Any

import dagster as dg

import citation_pipeline.defs.developer_notes  # noqa: F401  first: decorators speak when imported
from citation_pipeline.adapters.tables.light_arrow import leave_pandas_out
from citation_pipeline.defs.namespaces import Namespace
from citation_pipeline.defs.pipelines import define
from citation_pipeline.defs.resources import read_settings, resources
from citation_pipeline.defs.runs.progress import Watcher


def build_definitions(
    *, store: str = "", watcher: Watcher | None = None, readers: Mapping[str, Any] | None = None
) -> dg.Definitions:
    """Return the code location over a store; an empty one means what the environment says.

    `readers` replaces the parsers or extractors by others, under their resource names.
    """
    settings = read_settings(store)
    place = Namespace(owners=settings.owners, tags=settings.asset_tags)
    given = resources(store=store, watcher=watcher) | dict(readers or {})
    return define(place, settings, given, executor=settings.placement.executor_definition())


leave_pandas_out()
defs = build_definitions()
