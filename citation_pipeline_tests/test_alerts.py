"""Alerts reach people by Slack, mail and the rest, whatever one of them does, and say ids and counts only."""

import json
import sys
import time
from pathlib import Path

import dagster as dg
import pytest
from apprise.plugins.slack import NotifySlack

from citation_pipeline.adapters.clocks import Clock
from citation_pipeline.adapters.observability.alerts import Alert, AlertError, check_addresses, send_alert
from citation_pipeline.defs.automation.night_settings import NightSettings
from citation_pipeline.defs.automation.notifications import build_failure_sensor, failure_alert
from citation_pipeline_tests.chosen_settings import settings_over
from citation_pipeline_tests.hooks import Hook, running_hook, running_mailbox

ALERT = Alert("citation_pipeline: 1 claim failed", "Run r of process_claims failed.")
CLOCK = Clock(sleep=lambda _: None, chance=lambda: 0.0)


def _json(hook: Hook, options: str = "") -> str:
    return f"json://user:very-secret@127.0.0.1:{hook.port}/hook{options}"


def test_slack_and_mail_and_any_json_hook_get_the_alert(monkeypatch: pytest.MonkeyPatch) -> None:
    with running_hook() as hook, running_mailbox() as mailbox:
        monkeypatch.setattr(NotifySlack, "webhook_url", f"http://127.0.0.1:{hook.port}/services")
        slack = "slack://T1JJ3T3L2/A1BRTD4JD/TIiajkdnlazkcOXrIdevi7FQ/#claims"
        mail = f"mailto://127.0.0.1:{mailbox.port}?from=pipeline@claims.example&to=team@claims.example"
        send_alert([slack, mail, _json(hook)], ALERT, clock=CLOCK)
        (slack_path, _, slack_body), (_, _, json_body) = hook.taken
    assert slack_path.startswith("/services/T1JJ3T3L2/")
    assert ALERT.title in slack_body.decode()
    assert ALERT.body in slack_body.decode()
    assert json.loads(json_body)["message"] == ALERT.body
    (message,) = mailbox.messages
    assert "To: team@claims.example" in message
    assert f"Subject: {ALERT.title}" in message
    assert "Run r of process_claims failed." in message


def test_one_that_stumbles_is_asked_again_and_one_that_refuses_keeps_it_from_nobody_else() -> None:
    with running_hook() as hook, running_hook() as other, running_mailbox() as mailbox:
        hook.statuses = [503]
        send_alert([_json(hook)], ALERT, clock=CLOCK)
        assert len(hook.taken) == 2
        hook.statuses = [403, 403]
        mailbox.refusals = 9
        mail = f"mailto://127.0.0.1:{mailbox.port}?from=a@claims.example&to=team@claims.example"
        with pytest.raises(AlertError) as refused:
            send_alert([_json(hook), mail, _json(other)], ALERT, clock=CLOCK)
        assert len(other.taken) == 1
    said = str(refused.value)
    assert "address 1 in CITATION_PIPELINE_ALERT_URLS (JSON) did not take" in said
    assert "address 2" in said
    assert "address 3" not in said
    assert "secret" not in said
    assert "127.0.0.1" not in said


def test_a_redirect_is_not_followed_and_a_server_that_stalls_or_is_gone_is_not_waited_for() -> None:
    with running_hook() as hook:
        hook.statuses = [302, 302]
        with pytest.raises(AlertError):
            send_alert([_json(hook)], ALERT, clock=CLOCK)
        assert {path for path, *_ in hook.taken} == {"/hook"}
        hook.stall_s = 120.0
        began = time.monotonic()
        with pytest.raises(AlertError):
            send_alert([_json(hook, "?rto=0.2")], ALERT, clock=CLOCK)
        assert time.monotonic() - began < 60
    with pytest.raises(AlertError, match="did not take"):
        send_alert([_json(hook)], ALERT, clock=CLOCK)  # nobody listens there any more


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("json://claims.example/hook", "not encrypted"),
        ("mailto://user:secret@claims.example", "not encrypted"),
        ("nothing-known://secret", "not one that apprise knows"),
        ("secret", "not one that apprise knows"),
    ],
)
def test_an_address_that_would_show_ids_in_the_clear_or_is_none_is_refused_unsent(
    url: str, told: str
) -> None:
    with pytest.raises(AlertError, match=told) as refused:
        check_addresses([url])
    assert "secret" not in str(refused.value)


@pytest.mark.parametrize(
    "url",
    [
        "jsons://claims.example/hook",
        "mailtos://u:p@claims.example",
        "slack://T1JJ3T3L2/A1BRTD4JD/TIiajkdnlazkcOXrIdevi7FQ",
    ],
)
def test_addresses_that_encrypt_are_taken(url: str) -> None:
    check_addresses([url])


def test_without_the_extra_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "apprise", None)
    with pytest.raises(AlertError, match=r"pip install 'citation-pipeline\[alerts\]'"):
        send_alert(["slack://a/b/c"], ALERT)


def test_a_failed_run_alerts_beside_the_webhook_with_no_word_of_a_document(tmp_path: Path) -> None:
    @dg.op
    def parsed_documents() -> None:
        raise dg.Failure(
            "1 of 1 claims failed: claim-1: RuntimeError",
            metadata={"failed_claims": dg.MetadataValue.json(["claim-1"]), "transient": False},
        ) from RuntimeError("Okafor says 03/12/2025")

    @dg.job(executor_def=dg.in_process_executor)
    def process() -> None:
        parsed_documents()

    with running_hook() as hook, running_hook() as webhook, dg.DagsterInstance.ephemeral() as instance:
        night = NightSettings(webhook_url=f"http://127.0.0.1:{webhook.port}/x", alert_urls=(_json(hook),))
        assert "very-secret" not in repr(night)
        result = process.execute_in_process(instance=instance, raise_on_error=False)
        context = dg.build_run_status_sensor_context(
            sensor_name="failed_runs",
            dagster_event=next(event for event in result.all_events if event.is_job_failure),
            dagster_instance=instance,
            dagster_run=result.dagster_run,
            resources={"settings": settings_over(str(tmp_path), night=night)},
        ).for_run_failure()
        build_failure_sensor(night)(context)
        ((_, _, body),) = hook.taken
    assert len(webhook.taken) == 1
    told = json.loads(body)
    assert told["title"] == "citation_pipeline: 1 claim failed"
    assert told["message"].splitlines() == [
        f"Run {result.run_id} of process failed at parsed_documents.",
        "Claims: claim-1",
        "Waiting does not help: look at the run, mend, then run the job retry_failed.",
    ]
    assert "Okafor" not in body.decode()


def test_many_claims_are_counted_and_some_named() -> None:
    message = {
        "run_id": "r",
        "job": "j",
        "stages": [],
        "claims": [f"claim-{number}" for number in range(50)],
        "claim_count": 900,
        "claims_in_run": 1000,
        "transient": None,
    }
    alert = failure_alert(message)
    assert alert.title == "citation_pipeline: 900 claims failed"
    assert alert.body.endswith("claim-9 and 890 more")
