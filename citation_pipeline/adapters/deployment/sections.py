"""The settings of the pipeline, one class per section: variable, default, what it decides.

Here: where things are kept, reading and judging. `Deployment` joins them with those of what runs by itself
(`automation_sections`) and of the viewer (`viewer_sections`); `docs/configuration.md` is generated.
"""

from pathlib import Path
from typing import Literal

from pydantic import BaseModel

from citation_pipeline.adapters.deployment.setting import setting
from citation_pipeline.adapters.object_storage.mirror import MIRROR_BYTES

OLDER_REVIEWS_NAME = "CITATION_VIEWER_DATABASE_URL"
DEFAULT_STORE = "data/store"


class Places(BaseModel):
    """Where things are kept."""

    store: str = setting(
        "CITATION_PIPELINE_STORE",
        DEFAULT_STORE,
        "the store's root: a path or an object-storage URL; `--store` beats it",
    )
    chosen_work_dir: Path | None = setting(
        "CITATION_PIPELINE_WORK_DIR",
        None,
        "a folder on this machine for the parse cache, archived replies, journals, the outbound ledger, "
        "reviews and Dagster's home; default: the store, or `data/work` for a URL",
    )
    originals: Literal["auto", "store", "folder"] = setting(
        "CITATION_PIPELINE_ORIGINALS",
        "auto",
        "where claims' files are read from after their registration: `store` (copied into it, so that any "
        "host has them), `folder` (where they lie), or `auto`: the store where it is in object storage",
    )
    chosen_mirror: Path | None = setting(
        "CITATION_PIPELINE_MIRROR",
        None,
        "a folder on this machine for copies of what a store in object storage holds, and for this host's "
        "search index; default: `mirror` in the work dir",
    )
    mirror_bytes: int = setting(
        "CITATION_PIPELINE_MIRROR_BYTES",
        MIRROR_BYTES,
        "how much of a store in object storage is kept there; unused longest goes first",
        ge=0,
    )
    chosen_parse_cache: Path | None = setting(
        "CITATION_PIPELINE_PARSE_CACHE",
        None,
        "parses by content hash; default: `parse_cache` in the work dir",
    )
    chosen_verifications_url: str | None = setting(
        "CITATION_PIPELINE_VERIFICATIONS_URL",
        None,
        "the reviews' database as SQLAlchemy URL, for pipeline and viewer alike; default: "
        "`verifications.sqlite` in the work dir",
        secret=True,  # it may hold a password
    )
    older_verifications_url: str | None = setting(
        OLDER_REVIEWS_NAME,
        None,
        "the former name of CITATION_PIPELINE_VERIFICATIONS_URL; the two must not differ",
        secret=True,
    )
    chosen_coordination_url: str | None = setting(
        "CITATION_PIPELINE_COORDINATION_URL",
        None,
        "the database of what is decided once (leases, requests under way, pauses, the outbound ledger) as "
        "SQLAlchemy URL: PostgreSQL for several hosts; default: `coordination.sqlite` in the store, or in "
        "the work dir for a URL",
        secret=True,  # it may hold a password
    )
    audit_key: Path | None = setting(
        "CITATION_PIPELINE_AUDIT_KEY",
        None,
        "a file with an Ed25519 private key (PEM) that signs the audit chain of decisions; default: unsigned",
    )
    chosen_dagster_home: Path | None = setting(
        "DAGSTER_HOME", None, "Dagster's runs and events; default: `dagster_home` in the work dir"
    )


class Reading(BaseModel):
    """Parsing and extraction."""

    workers: int | None = setting(
        "CITATION_PIPELINE_WORKERS",
        None,
        "processes that parse and re-match; default: one per core",
        ge=1,
    )
    pdf_passwords: str = setting(
        "CITATION_PIPELINE_PDF_PASSWORDS",
        "",
        "passwords for encrypted files, one a line, for pipeline and viewer",
        secret=True,
    )
    anthropic_key: str | None = setting(
        "ANTHROPIC_API_KEY", None, "the `claude` extractor, and model-written answers", secret=True
    )
    anthropic_url: str | None = setting("ANTHROPIC_BASE_URL", None, "another address of the Claude API")
    model: str | None = setting(
        "CITATION_PIPELINE_MODEL",
        None,
        "the model that is asked; default `claude-sonnet-5-5` of Claude, `gpt-5.4` of OpenAI itself. "
        "`CITATION_PIPELINE_MODEL_<EXTRACTOR>` names one for a single extractor",
    )
    models: Path | None = setting(
        "CITATION_PIPELINE_MODELS",
        None,
        "a TOML file of model profiles (context, answer, prices, effort, structured answers) beside the "
        "shipped ones",
    )
    prompts: Path | None = setting(
        "CITATION_PIPELINE_PROMPTS",
        None,
        "a folder of `<schema>.toml` files: rules, notes, hints and examples beside the shipped prompt, and "
        "what `tune --apply` chose; default: `prompts/` of the work dir",
    )
    requotes: bool = setting(
        "CITATION_PIPELINE_REQUOTES",
        False,
        "ask a model once more, one request a document, for the words behind dates and numbers whose "
        "quotation is on no page",
    )
    page_images: bool = setting(
        "CITATION_PIPELINE_PAGE_IMAGES",
        False,
        "show models that see pictures of scanned pages and of tables beside their text: health data leaves "
        "as pictures",
    )
    page_images_most: int = setting(
        "CITATION_PIPELINE_PAGE_IMAGES_MOST", 40, "how many such pages of one claim at most", ge=0
    )
    openai_key: str | None = setting(
        "OPENAI_API_KEY", None, "the `openai` extractor; a server without keys needs none", secret=True
    )
    openai_url: str | None = setting(
        "OPENAI_BASE_URL", None, "a gateway or a model server of your own that speaks OpenAI's API (`…/v1`)"
    )
    azure_openai_key: str | None = setting(
        "AZURE_OPENAI_API_KEY", None, "the `azure-openai` extractor", secret=True
    )
    azure_openai_url: str | None = setting(
        "AZURE_OPENAI_ENDPOINT", None, "the resource that `azure-openai` asks; the model is the deployment"
    )
    reducto_key: str = setting("REDUCTO_API_KEY", "", "the `reducto` parser", secret=True)
    reducto_url: str | None = setting("REDUCTO_BASE_URL", None, "another address of the Reducto API")
    reducto_results: Path | None = setting(
        "CITATION_PIPELINE_REDUCTO_RESULTS",
        None,
        "a folder of `<source_id>.reducto.json` files that `--parser reducto-import` reads, with no call",
    )
    reducto_rate: float = setting(
        "CITATION_PIPELINE_REDUCTO_RATE", 1.0, "requests a second that your plan allows", gt=0
    )


class Judging(BaseModel):
    """Promotion and asset checks."""

    lost_share: float = setting(
        "CITATION_PIPELINE_LOST_SHARE",
        0.05,
        "how many of the located citations a re-match may lose and still be shown",
        ge=0,
        le=1,
    )
    moved_share: float = setting(
        "CITATION_PIPELINE_MOVED_SHARE", 0.1, "how many may be found elsewhere", ge=0, le=1
    )
    downgraded_share: float = setting(
        "CITATION_PIPELINE_DOWNGRADED_SHARE", 0.1, "how many may be flagged that were not", ge=0, le=1
    )
    misplaced_share: float = setting(
        "CITATION_PIPELINE_MISPLACED_SHARE",
        0.02,
        "how many of the located citations may have boxes that hold other words than they quote",
        ge=0,
        le=1,
    )
    changed_values_share: float = setting(
        "CITATION_PIPELINE_CHANGED_VALUES_SHARE",
        0.25,
        "how many of the shown values a new extraction of the same documents may change",
        ge=0,
        le=1,
    )
    swapped_values_share: float = setting(
        "CITATION_PIPELINE_SWAPPED_VALUES_SHARE",
        0.05,
        "how many of the shown values another model or extractor may change",
        ge=0,
        le=1,
    )
    verbatim_share: float = setting(
        "CITATION_PIPELINE_VERBATIM_SHARE",
        0.8,
        "asset check: wanted share of a claim's citations that are quoted as printed",
        ge=0,
        le=1,
    )
    located_share: float = setting(
        "CITATION_PIPELINE_LOCATED_SHARE",
        0.9,
        "asset check: wanted share found without a warning",
        ge=0,
        le=1,
    )
    value_share: float = setting(
        "CITATION_PIPELINE_VALUE_SHARE",
        0.7,
        "asset check: wanted share with the value inside the region",
        ge=0,
        le=1,
    )
    error_share: float = setting(
        "CITATION_PIPELINE_ERROR_SHARE",
        0.5,
        "below this, each of the three is an error and not a warning",
        ge=0,
        le=1,
    )
