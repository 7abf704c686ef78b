"""Telling people that a run failed: ids, counts and whether waiting may help, nothing else.

A sensor and not a hook inside the run: it also sees runs whose process was killed, and backfills' runs.
"""

from collections.abc import Mapping
from typing import Any

import dagster as dg

from citation_pipeline.adapters.observability.alerts import VARIABLE as ALERTS_VARIABLE
from citation_pipeline.adapters.observability.alerts import Alert, AlertError, send_alert
from citation_pipeline.adapters.webhooks import VARIABLE as WEBHOOK_VARIABLE
from citation_pipeline.adapters.webhooks import WebhookError, post_json
from citation_pipeline.core.failures import describe_failure
from citation_pipeline.defs.automation.busy_claims import claims_of_run
from citation_pipeline.defs.automation.night_settings import NightSettings
from citation_pipeline.defs.dagster_internals.placing import renamed
from citation_pipeline.defs.namespaces import HERE, Namespace
from citation_pipeline.defs.settings import Settings

ALERTED_CLAIMS = 10  # people look the rest up
NAMED_CLAIMS = 50  # some webhooks refuse messages of more than a few kB


def build_failure_sensor(night: NightSettings, place: Namespace = HERE) -> dg.SensorDefinition:
    """Return the sensor; it runs by default where a webhook is configured."""
    is_wanted = bool(night.webhook_url or night.alert_urls)
    status = dg.DefaultSensorStatus.RUNNING if is_wanted else dg.DefaultSensorStatus.STOPPED

    def failed_runs(
        context: dg.RunFailureSensorContext, settings: dg.ResourceParam[Settings]
    ) -> dg.SkipReason | None:
        """Tells the configured addresses of each failed run: run, job, stage, claims; never what they say."""
        url, alert_urls = settings.night.webhook_url, settings.night.alert_urls
        if not url and not alert_urls:
            return dg.SkipReason(f"nobody is to be told: set {WEBHOOK_VARIABLE} or {ALERTS_VARIABLE}")
        if not place.owns(context.dagster_run):
            return dg.SkipReason("a run of other assets of this code location")
        known = context.instance.get_dynamic_partitions(place.claims_name)
        failures = [event.event_specific_data for event in context.get_step_failure_events()]
        message = failure_message(
            context.dagster_run,
            claim_ids=claims_of_run(context.dagster_run.tags, known),
            failed=[_failed_claims(data) for data in failures],
            stages=[event.step_key or "" for event in context.get_step_failure_events()],
        )
        try:
            if url:
                post_json(url, message)
        except WebhookError as error:
            context.log.error(describe_failure(error))
        try:
            send_alert(alert_urls, failure_alert(message))
        except AlertError as error:
            context.log.error(describe_failure(error))
        return None

    return dg.run_failure_sensor(
        name=place.name("failed_runs"),
        default_status=status,
        description="Tells whoever is configured of each failed run: run, job, stages, claims, and whether "
        "waiting may help; never what documents say.",
    )(renamed(failed_runs, place))


def failure_alert(message: Mapping[str, Any]) -> Alert:
    """Return what people are told: the webhook's message in words."""
    stages, claims = ", ".join(message["stages"]), message["claims"]
    count = message["claim_count"]
    more = count - len(claims[:ALERTED_CLAIMS])
    lines = [
        f"Run {message['run_id']} of {message['job']} failed" + (f" at {stages}." if stages else "."),
        f"Claims: {', '.join(claims[:ALERTED_CLAIMS])}" + (f" and {more} more" if more else "")
        if claims
        else "",
        {
            True: "Waiting may help: the next nights try again.",
            False: "Waiting does not help: look at the run, mend, then run the job retry_failed.",
            None: "",
        }[message["transient"]],
    ]
    named = f"{count} claim{'' if count == 1 else 's'} failed" if count else "a run failed"
    return Alert(f"citation_pipeline: {named}", "\n".join(filter(None, lines)))


def failure_message(
    run: dg.DagsterRun,
    *,
    claim_ids: list[str],
    failed: list[tuple[list[str], bool | None]],
    stages: list[str],
) -> dict[str, Any]:
    """Return what a webhook is told: ids, counts and whether waiting may help."""
    named = sorted({claim_id for ids, _ in failed for claim_id in ids}) or claim_ids
    transient = [is_transient for _, is_transient in failed if is_transient is not None]
    return {
        "event": "run_failed",
        "run_id": run.run_id,
        "job": run.job_name,
        "stages": stages,
        "claims": named[:NAMED_CLAIMS],
        "claim_count": len(named),
        "claims_in_run": len(claim_ids),
        "transient": all(transient) if transient else None,
    }


def _failed_claims(data: Any) -> tuple[list[str], bool | None]:
    """Return the claims that a failed step named, and whether their failures may pass."""
    user_data = getattr(data, "user_failure_data", None)
    metadata: Mapping[str, Any] = (user_data.metadata if user_data else None) or {}
    named, transient = metadata.get("failed_claims"), metadata.get("transient")
    ids = named.value if named is not None else []
    return [str(claim_id) for claim_id in ids], bool(transient.value) if transient is not None else None
