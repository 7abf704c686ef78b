"""The component `citation_pipeline.ClaimPipeline`: the whole pipeline as a part of another Dagster project.

Several stand beside each other and beside the project's own assets: each has a key prefix, which also begins
the names of its jobs, sensors, schedules, pools, resources and partitions. It brings no executor for others'
runs and reads no environment while definitions are loaded; `{{ env.NAME }}` asks for a value from there.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import dagster as dg
from pydantic import Field

from citation_pipeline.adapters.deployment.deployment import DeploymentError, check_given
from citation_pipeline.adapters.schema_files import locate_schema
from citation_pipeline.core.json_schemas.errors import SchemaError
from citation_pipeline.defs.namespaces import Namespace
from citation_pipeline.defs.pipelines import define
from citation_pipeline.defs.readers import extractors, parsers
from citation_pipeline.defs.resources import read_settings, resources
from citation_pipeline.defs.settings import Settings


class _Scaffolder(dg.Scaffolder[dg.Model]):
    """Writes a `defs.yaml` that runs as it is: a store of its own, no paid provider."""

    def scaffold(self, request: dg.ScaffoldRequest[dg.Model]) -> None:
        name = request.target_path.name
        dg.scaffold_component(
            request,
            {"key_prefix": name, "store": f"data/{name}", "parser": "local", "extractor": "rules"},
        )


@dg.scaffold_with(_Scaffolder)
class ClaimPipeline(dg.Component, dg.Model, dg.Resolvable):
    """Claim documents to a viewer dataset with pixel-precise citations, as partitioned assets."""

    store: str = Field(description="The store's root: a path or an object-storage URL.")
    key_prefix: str | list[str] = Field(
        default="", description="What its asset keys begin with, and all its other names."
    )
    inbox: str | None = Field(default=None, description="Where new claims arrive: a folder or a URL.")
    schema_: str = Field(
        default="workers_comp",
        alias="schema",
        description="What claims of the inbox are read for: a shipped schema, a JSON Schema file, or `auto`.",
    )
    parser: str = Field(default="local", description="Who parses their documents.")
    extractor: str = Field(default="rules", description="Who answers the schema.")
    owners: list[str] = Field(default=["team:claims-data"], description="Who answers for its assets.")
    tags: dict[str, str] = Field(default={}, description="Tags of all its assets.")
    nights: bool = Field(default=True, description="Whether it has schedules and sensors.")
    settings: dict[str, Any] = Field(
        default={},
        description="Any other setting by name, such as `night_cron` or `workers` "
        "(`citation-pipeline config --json`). Secrets stay in the environment.",
    )

    def build_defs(self, context: dg.ComponentLoadContext) -> dg.Definitions:
        """Return the definitions of its namespace."""
        given = self._given(context.path)
        settings = self._checked(given)
        place = Namespace(_path_of(self.key_prefix), tuple(self.owners), dict(self.tags))
        return define(
            place,
            settings,
            resources(store=settings.store, given=given),
            nights=self.nights,
        )

    def _given(self, folder: Path) -> dict[str, Any]:
        names = {"inbox": self.inbox, "inbox_parser": self.parser, "inbox_extractor": self.extractor}
        return {
            **{name: value for name, value in names.items() if value is not None},
            "inbox_schema": _schema_of(self.schema_, folder),
            **self.settings,
        }

    def _checked(self, given: Mapping[str, Any]) -> Settings:
        """Return the settings; raises DeploymentError naming a value that nothing can be done with."""
        check_given(given)
        settings = read_settings(self.store, given)
        for what, value, known in (
            ("parser", self.parser, parsers(settings).names),
            ("extractor", self.extractor, extractors(settings).names),
        ):
            if value not in known:
                raise DeploymentError(f"there is no {what} {value!r}: choose one of {', '.join(known)}")
        return settings


def _path_of(prefix: str | list[str]) -> tuple[str, ...]:
    parts = prefix.split("/") if isinstance(prefix, str) else prefix
    return tuple(part for part in parts if part)


def _schema_of(name: str, folder: Path) -> str:
    """Return a schema's name, or the path of a file beside the component's own."""
    beside = (folder if folder.is_dir() else folder.parent) / name
    try:
        return locate_schema(str(beside) if beside.is_file() else name)
    except SchemaError as error:
        raise DeploymentError(f"schema: {error}") from error
