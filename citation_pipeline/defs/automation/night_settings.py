"""What a deployment chooses about its nights: the inbox, the limits, who is notified of failures."""

from dataclasses import dataclass, field

from citation_pipeline.adapters.deployment.deployment import Deployment
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
    """How many runs work at once: in all, spread over the cores, parsing, extracting, per paid provider."""

    runs: int = 4  # most of a claim's night is waiting for a provider
    spread: int = 2  # each keeps every core busy; the second one starts while the first works
    parsing: int = 1  # one claim's parsing keeps every core busy
    extraction: int = 4
    paid_parser: int = 2
    paid_extractor: int = 4


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
    alert_urls: tuple[str, ...] = field(default=(), repr=False)  # they hold tokens and passwords
    batches_allowed: bool = False
    keep_runs_days: int = 90  # 0: for ever


def night_settings_of(deployment: Deployment) -> NightSettings:
    """Return what a deployment chooses about its nights."""
    return NightSettings(
        cron=deployment.night_cron,
        timezone=deployment.night_timezone,
        warehouse_cron=deployment.warehouse_cron,
        inbox=InboxSettings(
            root=deployment.inbox or "",
            settle_s=deployment.inbox_settle_s,
            needs_marker=deployment.inbox_marker,
            schema=deployment.inbox_schema,
            parser=deployment.inbox_parser,
            extractor=deployment.inbox_extractor,
        ),
        limits=NightLimits(
            claims=deployment.night_claims,
            calls=deployment.night_calls,
            dollars=deployment.night_dollars,
            minutes=deployment.night_minutes,
        ),
        slack_minutes=deployment.night_slack_minutes,
        nights_waited=deployment.nights_waited,
        runs=RunLimits(
            runs=deployment.runs,
            spread=deployment.runs_spread,
            parsing=deployment.runs_parsing,
            extraction=deployment.runs_extraction,
            paid_parser=deployment.runs_reducto,
            paid_extractor=deployment.runs_claude,
        ),
        retries=RetryRules(
            tries=deployment.tries,
            first_wait_s=deployment.retry_wait_s,
            longest_wait_s=deployment.longest_wait_s,
        ),
        webhook_url=deployment.webhook_url,
        alert_urls=tuple(deployment.alert_urls.split()),
        batches_allowed=deployment.claude_batches,
        keep_runs_days=deployment.keep_runs_days,
    )
