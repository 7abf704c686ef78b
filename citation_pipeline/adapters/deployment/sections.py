"""The settings of the pipeline, one class per section: variable, default, what it decides.

`Deployment` joins them with those of the viewer (`viewer_sections`); `docs/configuration.md` is generated.
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


class Nights(BaseModel):
    """Inbox, nightly schedule, notifications."""

    inbox: str | None = setting(
        "CITATION_PIPELINE_INBOX",
        None,
        "where new claims arrive: a folder or a URL; uploads go to `<store>/inbox` without it",
    )
    inbox_settle_s: float = setting(
        "CITATION_PIPELINE_INBOX_SETTLE_S",
        120.0,
        "seconds without a change after which a folder is taken",
        ge=0,
    )
    inbox_marker: bool = setting(
        "CITATION_PIPELINE_INBOX_MARKER", False, "take a folder only once it holds `_READY`"
    )
    inbox_schema: str = setting(
        "CITATION_PIPELINE_INBOX_SCHEMA",
        "workers_comp",
        "the schema of claims from the inbox, `auto` for what their documents call for; a claim's own "
        "`claim.toml` says otherwise",
    )
    inbox_parser: str = setting("CITATION_PIPELINE_INBOX_PARSER", "local", "their parser, likewise")
    inbox_extractor: str = setting("CITATION_PIPELINE_INBOX_EXTRACTOR", "rules", "their extractor, likewise")
    night_cron: str = setting("CITATION_PIPELINE_NIGHT_CRON", "0 1 * * *", "when a night starts")
    night_timezone: str = setting("CITATION_PIPELINE_NIGHT_TIMEZONE", "UTC", "the time zone of both crons")
    warehouse_cron: str = setting(
        "CITATION_PIPELINE_WAREHOUSE_CRON",
        "0 6 * * *",
        "when the morning ends it: warehouse, claims left behind",
    )
    night_slack_minutes: float = setting(
        "CITATION_PIPELINE_NIGHT_SLACK_MINUTES",
        60.0,
        "how late either may be before its asset is red as overdue; 0 never",
        ge=0,
    )
    nights_waited: int = setting(
        "CITATION_PIPELINE_NIGHTS_WAITED",
        2,
        "so many nights in a row found a claim with something to do and did not make it: left behind",
        ge=1,
    )
    owners: str = setting(
        "CITATION_PIPELINE_OWNERS",
        "team:claims-data",
        "who answers for the assets in the Dagster UI: addresses or `team:name`, parted by commas",
    )
    asset_tags: str = setting(
        "CITATION_PIPELINE_ASSET_TAGS",
        "",
        "tags of every asset in the Dagster UI: `name=value`, parted by commas",
    )
    keep_runs_days: int = setting(
        "CITATION_PIPELINE_KEEP_RUNS_DAYS",
        90,
        "days after which a run is deleted with its events, unless it made or tried a claim last; 0 never",
        ge=0,
    )
    webhook_url: str = setting(
        "CITATION_PIPELINE_WEBHOOK_URL",
        "",
        "https address that receives failed runs, assigned and held claims, and values for a second reviewer",
        secret=True,
    )
    claude_batches: bool = setting(
        "CITATION_PIPELINE_CLAUDE_BATCHES",
        False,
        "submit parsed claims as message batches: says that the data is no protected health information",
    )


class Limits(BaseModel):
    """What a night and its runs may use, and how they retry."""

    night_claims: int = setting("CITATION_PIPELINE_NIGHT_CLAIMS", 500, "claims that one night starts", ge=0)
    night_calls: int | None = setting(
        "CITATION_PIPELINE_NIGHT_CALLS", None, "predicted calls that one night starts", ge=0
    )
    night_dollars: float | None = setting(
        "CITATION_PIPELINE_NIGHT_DOLLARS", None, "predicted dollars that one night starts", ge=0
    )
    night_minutes: float | None = setting(
        "CITATION_PIPELINE_NIGHT_MINUTES", None, "predicted minutes that one night starts", ge=0
    )
    runs: int = setting(
        "CITATION_PIPELINE_RUNS", 4, "runs at once; written on the instance's first use", ge=1
    )
    runs_spread: int = setting(
        "CITATION_PIPELINE_RUNS_SPREAD",
        2,
        "runs at once that match, build or index many claims, each on every core; likewise",
        ge=1,
    )
    runs_parsing: int = setting(
        "CITATION_PIPELINE_RUNS_PARSING", 1, "steps at once in the pool `parsing`", ge=1
    )
    runs_extraction: int = setting(
        "CITATION_PIPELINE_RUNS_EXTRACTION", 4, "steps at once in the pool `extraction`", ge=1
    )
    runs_reducto: int = setting(
        "CITATION_PIPELINE_RUNS_REDUCTO", 2, "a night's runs at once that share one paid parser", ge=1
    )
    runs_claude: int = setting("CITATION_PIPELINE_RUNS_CLAUDE", 4, "likewise, one paid extractor", ge=1)
    tries: int = setting("CITATION_PIPELINE_TRIES", 3, "tries of a stage inside a run", ge=1)
    retry_wait_s: float = setting(
        "CITATION_PIPELINE_RETRY_WAIT_S", 20.0, "the first wait, doubling with jitter", ge=0
    )
    longest_wait_s: float = setting(
        "CITATION_PIPELINE_LONGEST_WAIT_S",
        600.0,
        "the longest `Retry-After` that a run waits for",
        ge=0,
    )
    parsers_page_dollars: str = setting(
        "CITATION_PIPELINE_PAGE_DOLLARS",
        "",
        "what parsers charge for a page, in plans and metrics: `reducto=0.02,azure-layout=0.01`",
    )
    reducto_page_dollars: float = setting(
        "CITATION_PIPELINE_REDUCTO_PAGE_DOLLARS",
        0.03,
        "the former name of one price of CITATION_PIPELINE_PAGE_DOLLARS, which comes first",
        ge=0,
    )


class Watching(BaseModel):
    """Alerts, metrics, traces."""

    alert_urls: str = setting(
        "CITATION_PIPELINE_ALERT_URLS",
        "",
        "addresses of apprise (`slack://…`, `workflows://…` for Teams, `mailtos://…`) that receive every "
        "failed run, separated by white space; needs the extra `alerts`",
        secret=True,
    )
    metrics_token: str = setting(
        "CITATION_VIEWER_METRICS_TOKEN",
        "",
        "a token that reads the viewer's `/metrics` and nothing else, 16 characters or more",
        secret=True,
    )
    otlp_endpoint: str = setting(
        "CITATION_PIPELINE_OTLP_ENDPOINT",
        "",
        "an OpenTelemetry collector's HTTP address, such as `http://localhost:4318`; needs the extra "
        "`traces`",
    )
    otlp_headers: str = setting(
        "CITATION_PIPELINE_OTLP_HEADERS",
        "",
        "headers for the collector: `name=value`, separated by commas",
        secret=True,
    )
