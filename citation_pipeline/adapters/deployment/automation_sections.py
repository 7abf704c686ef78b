"""The settings of what runs by itself: nights, limits and what is watched."""

from pydantic import BaseModel

from citation_pipeline.adapters.deployment.setting import setting


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
