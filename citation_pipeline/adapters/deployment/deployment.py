"""Everything that a deployment chooses, read from the environment in one place and checked before use.

`defs` and `serving` make their own plain settings of it; nothing else of the package reads the environment.
"""

import difflib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError, field_validator, model_validator
from pydantic.fields import FieldInfo
from pydantic_settings import (
    BaseSettings,
    InitSettingsSource,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
)

from citation_pipeline.adapters.coordination.database import default_url as coordination_default
from citation_pipeline.adapters.deployment.automation_sections import Limits, Nights, Watching
from citation_pipeline.adapters.deployment.fleet_section import Fleet
from citation_pipeline.adapters.deployment.sections import OLDER_REVIEWS_NAME, Judging, Places, Reading
from citation_pipeline.adapters.deployment.viewer_sections import Agents, Viewer
from citation_pipeline.adapters.object_storage.addresses import REMOTE_WORK_DIR
from citation_pipeline.adapters.page_prices import page_prices
from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.adapters.tables.stored_files import Copies
from citation_pipeline.adapters.verifications.database import DATABASE_FILE, default_url
from citation_pipeline.core.failures import PipelineError

SECTIONS: tuple[type[BaseModel], ...] = (
    Places,
    Reading,
    Judging,
    Nights,
    Limits,
    Fleet,
    Watching,
    Viewer,
    Agents,
)

_DERIVED = {  # places that follow from others where they are not chosen
    "chosen_work_dir": "work_dir",
    "chosen_mirror": "copies_folder",
    "chosen_parse_cache": "parse_cache",
    "chosen_verifications_url": "verifications_url",
    "chosen_coordination_url": "coordination_url",
    "chosen_dagster_home": "dagster_home",
}


class DeploymentError(PipelineError, ValueError):
    """Settings that cannot be used; names the variable and what it takes, never its value."""


class Deployment(Places, Reading, Judging, Nights, Limits, Fleet, Watching, Viewer, Agents, BaseSettings):
    """What the environment says, with a default for everything; an empty variable counts as not set."""

    model_config = SettingsConfigDict(
        env_ignore_empty=True,
        extra="ignore",
        frozen=True,
        hide_input_in_errors=True,  # an input may be a secret
        populate_by_name=True,
    )

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Return where values come from: no file, and none is looked for."""
        return (init_settings, cls._beside_given(env_settings))

    @classmethod
    def _beside_given(cls, environment: PydanticBaseSettingsSource) -> PydanticBaseSettingsSource:
        """Return where values come from that nobody gave."""
        return environment

    @field_validator("*", mode="before")
    @classmethod
    def _strip(cls, value: Any) -> Any:
        return value.strip() if isinstance(value, str) else value

    @model_validator(mode="after")
    def _one_database_of_reviews(self) -> "Deployment":
        newer, older = self.chosen_verifications_url, self.older_verifications_url
        if newer and older and newer != older:
            raise ValueError(
                f"CITATION_PIPELINE_VERIFICATIONS_URL and {OLDER_REVIEWS_NAME} name different databases: "
                "pipeline and viewer must read the same reviews; unset the second"
            )
        return self

    @model_validator(mode="after")
    def _prices_are_prices(self) -> "Deployment":
        page_prices(self.variables)
        return self

    @property
    def variables(self) -> dict[str, str]:
        """Every setting by its variable, and the rest of the environment, for providers."""
        fields = type(self).model_fields
        ours = {str(field.validation_alias): getattr(self, name) for name, field in fields.items()}
        others = {name: value for name, value in os.environ.items() if name not in ours}
        return others | {name: str(value) for name, value in ours.items() if value is not None}

    @property
    def page_dollars(self) -> dict[str, float]:
        """What parsers charge for a page, by name."""
        return page_prices(self.variables)

    @property
    def work_dir(self) -> Path:
        """The folder on this machine for what must be local."""
        return self.chosen_work_dir or Path(REMOTE_WORK_DIR if "://" in self.store else self.store)

    def open_store(self) -> ClaimStore:
        """Return the store."""
        return ClaimStore(
            self.store,
            copies=self.copies,
            coordination_url=self.coordination_url,
            originals=self.originals,
        )

    @property
    def copies(self) -> Copies:
        """Where this machine keeps copies of a store in object storage."""
        return Copies(self.chosen_mirror or self.work_dir / "mirror", self.mirror_bytes)

    @property
    def parse_cache(self) -> Path:
        """Where parses are kept by content hash."""
        return self.chosen_parse_cache or self.work_dir / "parse_cache"

    @property
    def verifications_url(self) -> str:
        """The one database of reviews, for pipeline and viewer.

        Raises DeploymentError where an earlier version left reviews beside the store that nothing would read.
        """
        chosen = self.chosen_verifications_url or self.older_verifications_url
        if chosen:
            return chosen
        if "://" not in self.store and self.work_dir.resolve() != Path(self.store).resolve():
            left, found = (Path(folder) / DATABASE_FILE for folder in (self.store, self.work_dir))
            if left.exists() and not found.exists():
                raise DeploymentError(
                    f"reviews lie in {left}, but CITATION_PIPELINE_WORK_DIR asks for {found}: move the file "
                    "there, or name it in CITATION_PIPELINE_VERIFICATIONS_URL"
                )
        return default_url(self.work_dir)

    @property
    def coordination_url(self) -> str:
        """The one database of what is decided once."""
        return self.chosen_coordination_url or coordination_default(self.store, self.work_dir)

    @property
    def copies_folder(self) -> Path:
        """The folder of those copies."""
        return self.copies.folder

    @property
    def dagster_home(self) -> Path:
        """Where Dagster keeps runs and events."""
        return (self.chosen_dagster_home or self.work_dir / "dagster_home").resolve()

    @property
    def ledger_dir(self) -> Path:
        """Where the outbound ledger is kept."""
        return self.work_dir / "ledger"


class GivenDeployment(Deployment):
    """What somebody gave by name; of the environment only secrets, which nobody writes into a file."""

    @classmethod
    def _beside_given(cls, environment: PydanticBaseSettingsSource) -> PydanticBaseSettingsSource:
        secrets = {str(SECRET_FIELDS[name].validation_alias): name for name in SECRET_FIELDS}
        found = {name: os.environ[variable] for variable, name in secrets.items() if os.environ.get(variable)}
        return InitSettingsSource(cls, init_kwargs=found)


SECRET_FIELDS = {
    name: field
    for section in SECTIONS
    for name, field in section.model_fields.items()
    if isinstance(field.json_schema_extra, dict) and field.json_schema_extra.get("secret")
}


def check_given(given: Mapping[str, Any]) -> None:
    """Raise DeploymentError for a setting that there is not, and for a secret in plain sight."""
    for name in given:
        if name not in Deployment.model_fields:
            near = difflib.get_close_matches(name, Deployment.model_fields, n=3)
            hint = f": did you mean {', '.join(near)}?" if near else "; `citation-pipeline config` lists them"
            raise DeploymentError(f"there is no setting {name!r}{hint}")
        if name in SECRET_FIELDS:
            raise DeploymentError(
                f"{name} is a secret: set {SECRET_FIELDS[name].validation_alias} in the environment of the "
                "code location instead"
            )


def read_deployment(store: str = "", given: Mapping[str, Any] | None = None) -> Deployment:
    """Return what the environment says; `store` beats its variable.

    `given` values, by field name, take the environment's place but for secrets. Raises DeploymentError
    naming each variable that cannot be used.
    """
    try:
        if given is not None:
            check_given(given)
            return GivenDeployment(store=store, **given)
        return Deployment(store=store) if store else Deployment()
    except ValidationError as error:
        faults = (
            f"{'.'.join(map(str, fault['loc'])) or 'settings'}: {fault['msg']}" for fault in error.errors()
        )
        raise DeploymentError("; ".join(faults)) from None


def describe(deployment: Deployment) -> list[dict[str, str]]:
    """Return every setting in force: section, variable, value, origin ("environment" or "default"), meaning.

    A secret is only said to be set or not.
    """
    rows = []
    for section in SECTIONS:
        for name, field in section.model_fields.items():
            variable = str(field.validation_alias)
            is_set = bool(os.environ.get(variable, "").strip())
            rows.append(
                {
                    "section": str(section.__doc__).rstrip("."),
                    "variable": variable,
                    "value": _shown(deployment, name, field),
                    "origin": "environment" if is_set else "default",
                    "means": str(field.description),
                }
            )
    return rows


def _shown(deployment: Deployment, name: str, field: FieldInfo) -> str:
    value = getattr(deployment, name)
    if value is None and name in _DERIVED:
        return str(getattr(deployment, _DERIVED[name]))
    if isinstance(field.json_schema_extra, dict) and field.json_schema_extra.get("secret"):
        return "(set)" if value else ""
    return "" if value is None else str(value)


def markdown() -> str:
    """Return the page of documentation: a table per section with variable, default and meaning."""
    parts = []
    for section in SECTIONS:
        rows = ["| variable | default | means |", "| --- | --- | --- |"]
        for field in section.model_fields.values():
            default = "" if field.default in (None, "") else f"`{field.default}`"
            rows.append(f"| `{field.validation_alias}` | {default} | {_cell(str(field.description))} |")
        parts.append(f"## {str(section.__doc__).rstrip('.')}\n\n" + "\n".join(rows))
    return "\n\n".join(parts) + "\n"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
