"""When the nightly batch counts as overdue: deadlines that follow from the crons of the schedules.

Dagster's freshness daemon judges them. A claim's own assets bear no policy, since a claim that did not change
is not stale however old it is; `nightly_batches` has the check that says which claims were left behind.
"""

from datetime import UTC, datetime, timedelta

import dagster as dg

from citation_pipeline.defs.automation.night_settings import NightSettings
from citation_pipeline.defs.dagster_internals.crons import cron_string_iterator, get_smallest_cron_interval

_TICKS_LOOKED_AT = 10_100  # a week of minutes: what comes so often has no longer rhythm


def keep_fresh(asset: dg.AssetsDefinition, night: NightSettings) -> dg.AssetsDefinition:
    """Return the warehouse's asset, overdue when the morning did not refresh it in time."""
    policy = freshness_after(night.warehouse_cron, night=night)
    return asset.map_asset_specs(lambda spec: spec.replace_attributes(freshness_policy=policy))


def freshness_after(cron: str, *, night: NightSettings) -> dg.FreshnessPolicy | None:
    """Return the policy that something happens within the night's slack after each tick; None without slack.

    A cron whose deadlines are no cron themselves, such as `30 23 * * 1-5` and an hour, is judged by its
    longest pause instead.
    """
    if night.slack_minutes <= 0:
        return None
    shortest = get_smallest_cron_interval(cron)
    slack = min(timedelta(minutes=night.slack_minutes), shortest)
    deadline = shift_cron(cron, minutes=int(slack.total_seconds() // 60))
    if deadline is None:
        return dg.FreshnessPolicy.time_window(fail_window=_longest_pause(cron, night.timezone) + slack)
    return dg.FreshnessPolicy.cron(
        deadline_cron=deadline,
        # an hour more: in the night when clocks are set back, tick and deadline lie so much further apart
        lower_bound_delta=min(slack + timedelta(hours=1), shortest),
        timezone=night.timezone,
    )


def shift_cron(cron: str, *, minutes: int) -> str | None:
    """Return the cron of the moments so many minutes after each tick; None when no cron says them."""
    fields = cron.split()
    if len(fields) != 5 or not fields[0].isdigit():
        return None
    hours_later, minute = divmod(int(fields[0]) + minutes, 60)
    hours, is_daily = fields[1], fields[2:] == ["*", "*", "*"]
    if hours_later and not (hours == "*" and is_daily):
        if not all(hour.isdigit() for hour in hours.split(",")):
            return None
        later = [int(hour) + hours_later for hour in hours.split(",")]
        if max(later) >= 24 and not is_daily:
            return None
        hours = ",".join(str(hour) for hour in sorted({hour % 24 for hour in later}))
    return " ".join([str(minute), hours, *fields[2:]])


def _longest_pause(cron: str, timezone: str) -> timedelta:
    """Return the longest time between two ticks of a year; which year does not matter."""
    first = datetime(2026, 1, 1, tzinfo=UTC)
    longest, last = timedelta(0), None
    for count, tick in enumerate(cron_string_iterator(first.timestamp(), cron, timezone)):
        longest = max(longest, tick - last) if last else longest
        if last and (tick - first > timedelta(days=366) or count > _TICKS_LOOKED_AT):
            break
        last = tick
    return longest
