"""What a deployment chooses about its nights: the inbox, the limits, who is told of failures.

`resources` hands in the environment; `docs/operations.md` lists the variables.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from citation_pipeline.core.planning.nights import NightLimits
from citation_pipeline.core.planning.retries import RetryRules


@dataclass(frozen=True, slots=True)
class InboxSettings:
    """Where new claims arrive and how they are read; an empty `root` switches intake off.

    A folder is taken once nothing in it changed for `settle_s` seconds; with `needs_marker`, once it holds
    a `_READY` file as well.
    """

    root: str = ""
    settle_s: float = 120.0  # a copy over a slow line pauses for less between two files
    needs_marker: bool = False
    schema: str = "workers_comp"
    parser: str = "local"
    extractor: str = "rules"


@dataclass(frozen=True, slots=True)
class RunLimits:
    """How many runs work at once: in all, while parsing, while extracting, and per paid provider."""

    runs: int = 4  # most of a claim's night is waiting for a provider
    parsing: int = 1  # one claim's parsing keeps every core busy
    extraction: int = 4
    reducto: int = 2
    claude: int = 4


@dataclass(frozen=True, slots=True)
class NightSettings:
    """When the night starts (cron and time zone), its limits, its inbox, and where failures are told.

    Night and morning are overdue `slack_minutes` after their time; 0 leaves that unwatched. A claim that
    `nights_waited` nights in a row found with something to do, and that was not made, is left behind.
    """

    cron: str = "0 1 * * *"
    timezone: str = "UTC"
    warehouse_cron: str = "0 6 * * *"
    inbox: InboxSettings = InboxSettings()
    limits: NightLimits = NightLimits()
    slack_minutes: float = 60.0  # planning ten thousand claims takes minutes
    nights_waited: int = 2  # a provider's bad night is no cause for alarm
    runs: RunLimits = RunLimits()
    retries: RetryRules = RetryRules()
    webhook_url: str = field(default="", repr=False)  # it may hold a token
    batches_allowed: bool = False
    reducto_dollars_per_page: float = 0.03  # two credits a page at the pay-as-you-go price


_DEFAULTS = NightSettings()


def read_night_settings(env: Mapping[str, str]) -> NightSettings:
    """Return the settings that the environment's `CITATION_PIPELINE_…` variables say."""

    def text(name: str, default: str) -> str:
        return env.get(f"CITATION_PIPELINE_{name}") or default

    def number(name: str) -> float | None:
        said = env.get(f"CITATION_PIPELINE_{name}")
        return float(said) if said else None

    def count(name: str, default: int) -> int:
        return int(text(name, str(default)))

    def switch(name: str) -> bool:
        return text(name, "").lower() in ("1", "true", "yes", "on")

    calls = number("NIGHT_CALLS")
    return NightSettings(
        cron=text("NIGHT_CRON", _DEFAULTS.cron),
        timezone=text("NIGHT_TIMEZONE", _DEFAULTS.timezone),
        warehouse_cron=text("WAREHOUSE_CRON", _DEFAULTS.warehouse_cron),
        inbox=InboxSettings(
            root=text("INBOX", ""),
            settle_s=float(text("INBOX_SETTLE_S", str(_DEFAULTS.inbox.settle_s))),
            needs_marker=switch("INBOX_MARKER"),
            schema=text("INBOX_SCHEMA", _DEFAULTS.inbox.schema),
            parser=text("INBOX_PARSER", _DEFAULTS.inbox.parser),
            extractor=text("INBOX_EXTRACTOR", _DEFAULTS.inbox.extractor),
        ),
        limits=NightLimits(
            claims=count("NIGHT_CLAIMS", 500),
            calls=int(calls) if calls is not None else None,
            dollars=number("NIGHT_DOLLARS"),
            minutes=number("NIGHT_MINUTES"),
        ),
        slack_minutes=float(text("NIGHT_SLACK_MINUTES", str(_DEFAULTS.slack_minutes))),
        nights_waited=count("NIGHTS_WAITED", _DEFAULTS.nights_waited),
        runs=RunLimits(
            runs=count("RUNS", _DEFAULTS.runs.runs),
            parsing=count("RUNS_PARSING", _DEFAULTS.runs.parsing),
            extraction=count("RUNS_EXTRACTION", _DEFAULTS.runs.extraction),
            reducto=count("RUNS_REDUCTO", _DEFAULTS.runs.reducto),
            claude=count("RUNS_CLAUDE", _DEFAULTS.runs.claude),
        ),
        retries=RetryRules(
            tries=count("TRIES", _DEFAULTS.retries.tries),
            first_wait_s=float(text("RETRY_WAIT_S", str(_DEFAULTS.retries.first_wait_s))),
            longest_wait_s=float(text("LONGEST_WAIT_S", str(_DEFAULTS.retries.longest_wait_s))),
        ),
        webhook_url=text("WEBHOOK_URL", ""),
        batches_allowed=switch("CLAUDE_BATCHES"),
        reducto_dollars_per_page=float(text("REDUCTO_PAGE_DOLLARS", str(_DEFAULTS.reducto_dollars_per_page))),
    )
