"""What is told of a night: a webhook gets ids only, log lines are JSON without a word of a document."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import dagster as dg
import pytest

from citation_pipeline.adapters.clocks import Clock
from citation_pipeline.adapters.webhooks import WebhookError, post_json
from citation_pipeline.defs.automation.night_settings import NightSettings
from citation_pipeline.defs.automation.notifications import build_failure_sensor
from citation_pipeline.defs.instances import LOG_NAME, open_instance
from citation_pipeline.defs.settings import Settings
from citation_pipeline_tests.chosen_settings import settings_over


class Hook:
    """A loopback webhook that answers as scripted and remembers what it was told."""

    def __init__(self) -> None:
        self.statuses: list[int] = []
        self.told: list[dict[str, Any]] = []
        hook = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:  # noqa: N802 - the library's name
                body = self.rfile.read(int(self.headers["content-length"]))
                hook.told.append(json.loads(body))
                self.send_response(hook.statuses.pop(0) if hook.statuses else 204)
                self.send_header("location", "http://127.0.0.1:1/elsewhere")
                self.send_header("content-length", "0")
                self.end_headers()

            def log_message(self, *_: object) -> None:
                """Say nothing."""

        self.server = HTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/hook?token=secret"


@pytest.fixture
def hook() -> Iterator[Hook]:
    hook = Hook()
    threading.Thread(target=hook.server.serve_forever, args=(0.05,), daemon=True).start()
    yield hook
    hook.server.shutdown()
    hook.server.server_close()


def test_a_webhook_that_stumbles_is_told_again_and_one_that_refuses_is_not(hook: Hook) -> None:
    waits: list[float] = []
    clock = Clock(sleep=waits.append, chance=lambda: 0.0)
    hook.statuses = [503, 429, 204]
    post_json(hook.url, {"n": 1}, clock=clock)
    assert (len(hook.told), waits) == (3, [1.0, 2.0])
    hook.statuses = [403]
    with pytest.raises(WebhookError, match="status 403") as refused:
        post_json(hook.url, {"n": 2}, clock=clock)
    assert "secret" not in str(refused.value)
    assert len(hook.told) == 4


def test_a_webhook_that_points_elsewhere_is_not_followed(hook: Hook) -> None:
    hook.statuses = [302]
    with pytest.raises(WebhookError, match="status 302"):
        post_json(hook.url, {})


@pytest.mark.parametrize("url", ["http://example.com/hook", "ftp://127.0.0.1/", "file:///etc/passwd"])
def test_an_address_that_would_show_ids_in_the_clear_is_refused(url: str) -> None:
    with pytest.raises(WebhookError, match="https"):
        post_json(url, {})


def _settings(store: Path, url: str) -> Settings:
    return settings_over(str(store), night=NightSettings(webhook_url=url))


def test_a_failed_run_is_told_with_ids_and_counts_and_no_word_of_a_document(
    hook: Hook, tmp_path: Path
) -> None:
    @dg.op
    def parsed_documents() -> None:
        raise dg.Failure(
            "2 of 3 claims failed: claim-1: RuntimeError",
            metadata={"failed_claims": dg.MetadataValue.json(["claim-1", "claim-2"]), "transient": True},
        ) from RuntimeError("Okafor says 03/12/2025")

    @dg.job(executor_def=dg.in_process_executor)
    def process() -> None:
        parsed_documents()

    settings = _settings(tmp_path, hook.url)
    with dg.DagsterInstance.ephemeral() as instance:
        instance.add_dynamic_partitions("claims", ["claim-1", "claim-2", "claim-3"])
        tags = {
            "dagster/asset_partition_range_start": "claim-1",
            "dagster/asset_partition_range_end": "claim-3",
        }
        result = process.execute_in_process(instance=instance, raise_on_error=False, tags=tags)
        failure = next(event for event in result.all_events if event.is_job_failure)
        context = dg.build_run_status_sensor_context(
            sensor_name="failed_runs",
            dagster_event=failure,
            dagster_instance=instance,
            dagster_run=result.dagster_run,
            resources={"settings": settings},
        ).for_run_failure()
        build_failure_sensor(settings.night)(context)
    (told,) = hook.told
    assert told == {
        "event": "run_failed",
        "run_id": result.run_id,
        "job": "process",
        "stages": ["parsed_documents"],
        "claims": ["claim-1", "claim-2"],
        "claim_count": 2,
        "claims_in_run": 3,
        "transient": True,
    }


def test_log_lines_are_json_with_ids_and_tell_an_error_by_its_type_only(tmp_path: Path) -> None:
    @dg.asset
    def raw_extraction(context: dg.AssetExecutionContext) -> None:
        context.log.info("claim claim-1: 3 of 4 documents parsed")
        raise RuntimeError("Okafor says 03/12/2025")

    job = dg.Definitions(
        assets=[raw_extraction],
        jobs=[dg.define_asset_job("process", selection=[raw_extraction])],
    ).resolve_job_def("process")
    with open_instance(tmp_path) as instance:
        run = job.execute_in_process(
            instance=instance, raise_on_error=False, tags={"dagster/partition": "claim-1"}
        )
    text = (tmp_path / LOG_NAME).read_text()
    records = [json.loads(line) for line in text.splitlines()]
    assert {record["run_id"] for record in records} == {run.run_id}
    told = next(record for record in records if "message" in record and "3 of 4" in record["message"])
    assert (told["stage"], told["claim"], told["level"]) == ("raw_extraction", "claim-1", "INFO")
    failed = next(record for record in records if record.get("event") == "STEP_FAILURE")
    assert failed["error"] == "RuntimeError"
    assert "Okafor" not in text
