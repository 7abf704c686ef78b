"""Traces: a run is a trace at the collector, with ids and counts only, and a bad collector stops no run."""

import sys
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span as WireSpan

from citation_pipeline.adapters.deployment.deployment import DeploymentError
from citation_pipeline.adapters.observability import traces
from citation_pipeline.adapters.observability.traces import (
    MOST_CLAIM_SPANS,
    Collector,
    Span,
    TraceError,
    send_step,
)
from citation_pipeline.defs.resources import read_settings
from citation_pipeline_tests.commands import command
from citation_pipeline_tests.hooks import Hook, running_hook
from citation_pipeline_tests.scenario import write_claim

STEP = Span("parsed_documents", 100.0, 102.5, {"citation_pipeline.claims": 2})


@pytest.fixture
def hook(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hook]:
    monkeypatch.setattr(traces, "_paused_until", 0.0)
    with running_hook() as hook:
        yield hook


def spans(hook: Hook) -> list[WireSpan]:
    found = []
    for path, headers, body in hook.taken:
        assert (path, headers["content-type"]) == ("/v1/traces", "application/x-protobuf")
        request = ExportTraceServiceRequest.FromString(body)
        for resource in request.resource_spans:
            assert {a.key: a.value.string_value for a in resource.resource.attributes} == {
                "service.name": "citation_pipeline"
            }
            found += [span for scope in resource.scope_spans for span in scope.spans]
    return found


def attributes(span: WireSpan) -> dict[str, object]:
    return {a.key: getattr(a.value, a.value.WhichOneof("value")) for a in span.attributes}


def test_a_claim_that_runs_is_one_trace_with_a_span_per_step_and_no_word_of_a_document(
    hook: Hook, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DAGSTER_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("CITATION_PIPELINE_WORKERS", "1")
    monkeypatch.setenv("CITATION_PIPELINE_OTLP_ENDPOINT", f"http://127.0.0.1:{hook.port}/")
    monkeypatch.setenv("CITATION_PIPELINE_OTLP_HEADERS", "x-key=very-secret")
    folder = write_claim(tmp_path / "tiny")
    result = command("run", folder, "--extractor", "replay", "--store", tmp_path / "store")
    assert result.exit_code == 0, result.output
    found = spans(hook)
    assert {headers["x-key"] for _, headers, _ in hook.taken} == {"very-secret"}
    steps = [span for span in found if not span.parent_span_id]
    assert [step.name for step in steps][:2] == ["source_documents", "parsed_documents"]
    assert {step.name for step in steps} >= {"resolved_citations", "viewer_dataset", "search_index"}
    assert len({span.trace_id for span in found}) == 1
    assert uuid.UUID(bytes=found[0].trace_id) == uuid.UUID(str(attributes(steps[0])["dagster.run_id"]))
    claim = next(span for span in found if span.parent_span_id == steps[1].span_id)
    assert attributes(claim) == {"citation_pipeline.claim_id": "tiny", "citation_pipeline.outcome": "made"}
    assert 0 < claim.end_time_unix_nano - claim.start_time_unix_nano < 600e9
    for _, _, body in hook.taken:
        for said in (b"Okafor", b"ZX-2025", b"Ludlow", b"older-letter", b"very-secret"):
            assert said not in body


def test_a_failed_claim_is_a_failed_span_that_quotes_no_error(
    hook: Hook, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DAGSTER_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("CITATION_PIPELINE_OTLP_ENDPOINT", f"http://127.0.0.1:{hook.port}")
    folder = write_claim(tmp_path / "tiny")
    (folder / "extraction_raw.json").unlink()
    assert command("run", folder, "--extractor", "replay", "--store", tmp_path / "store").exit_code == 1
    failed = [span for span in spans(hook) if span.status.code == 2]
    assert [span.name for span in failed] == ["raw_extraction", "raw_extraction of a claim"]
    assert not failed[0].events
    assert failed[0].status.message == ""


@pytest.mark.parametrize("fault", ["refuses", "stalls", "is gone"])
def test_a_collector_that_does_not_take_spans_costs_seconds_once_and_then_nothing(
    hook: Hook, fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    hook.statuses = [400] * 9 if fault == "refuses" else []
    hook.stall_s = 120.0 if fault == "stalls" else 0.0
    port = hook.port if fault != "is gone" else 1
    collector = Collector(f"http://127.0.0.1:{port}")
    began = time.monotonic()
    assert not send_step(collector, str(uuid.uuid4()), STEP, [])
    assert time.monotonic() - began < 60
    asked = len(hook.taken)
    monkeypatch.setattr(traces, "_TIMEOUT_S", 100.0)
    began = time.monotonic()
    assert not send_step(collector, str(uuid.uuid4()), STEP, [])
    assert time.monotonic() - began < 60  # less than one try of a collector that stalls
    assert len(hook.taken) == asked


def test_a_run_goes_on_without_its_collector_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, hook: Hook
) -> None:
    hook.statuses = [403] * 99
    monkeypatch.setenv("DAGSTER_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("CITATION_PIPELINE_OTLP_ENDPOINT", f"http://127.0.0.1:{hook.port}")
    folder = write_claim(tmp_path / "tiny")
    assert command("run", folder, "--extractor", "replay", "--store", tmp_path / "store").exit_code == 0
    assert "did not take the step's spans" in (tmp_path / "home" / "pipeline.jsonl").read_text()


def test_a_step_of_very_many_claims_sends_some_of_them_only(hook: Hook) -> None:
    many = [Span("one", 1.0, 2.0) for _ in range(MOST_CLAIM_SPANS + 50)]
    assert send_step(Collector(f"http://127.0.0.1:{hook.port}"), str(uuid.uuid4()), STEP, many)
    assert len(spans(hook)) == MOST_CLAIM_SPANS + 1


def test_an_endpoint_in_the_clear_is_refused_and_names_its_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CITATION_PIPELINE_OTLP_ENDPOINT", "http://collector.example:4318")
    with pytest.raises(DeploymentError, match="CITATION_PIPELINE_OTLP_ENDPOINT"):
        read_settings()


def test_without_the_extra_the_error_says_what_to_install(
    hook: Hook, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry.exporter.otlp.proto.http.trace_exporter", None)
    with pytest.raises(TraceError, match=r"pip install 'citation-pipeline\[traces\]'"):
        send_step(Collector(f"http://127.0.0.1:{hook.port}"), "r", STEP, [])
