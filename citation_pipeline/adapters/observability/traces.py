"""Traces by OpenTelemetry (extra `traces`): a span per step of a run, and one per claim below it.

A trace is a run: its id is the run's. Spans hold ids, counts and kinds of failure. They are sent at the end
of each step in one request; a collector that does not take them costs that request's time, then nothing for
a while.
"""

import hashlib
import logging
import time
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from citation_pipeline.core.failures import PipelineError

ENDPOINT_VARIABLE = "CITATION_PIPELINE_OTLP_ENDPOINT"
MOST_CLAIM_SPANS = 200  # of one step: a re-match of a thousand claims is told by its step's counts
_TIMEOUT_S = 3.0
_PAUSE_S = 60.0

_paused_until = 0.0


class TraceError(PipelineError):
    """Spans that cannot be sent: the endpoint is not usable, or the extra is missing."""


@dataclass(frozen=True, slots=True)
class Collector:
    """Where spans go: the OTLP endpoint (HTTP, protobuf), and headers for it, which may hold a key."""

    endpoint: str
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, slots=True)
class Span:
    """Something that took time, from `began` to `ended` (seconds since 1970)."""

    name: str
    began: float
    ended: float
    attributes: Mapping[str, str | int | float | bool] = field(default_factory=dict)
    failed: bool = False


def send_step(collector: Collector, run_id: str, step: Span, claims: Sequence[Span]) -> bool:
    """Send a step's span with its claims' below it; tell whether the collector took them.

    Raises TraceError where that could never work.
    """
    global _paused_until
    if time.monotonic() < _paused_until:
        return False
    taken = _send(collector, run_id, step, claims)
    if not taken:
        _paused_until = time.monotonic() + _PAUSE_S
    return taken


def _send(collector: Collector, run_id: str, step: Span, claims: Sequence[Span]) -> bool:
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.trace.export import SpanExportResult
    except ImportError as error:
        raise TraceError(
            f"{ENDPOINT_VARIABLE} is set, but traces need OpenTelemetry: "
            "pip install 'citation-pipeline[traces]'"
        ) from error
    # its messages quote the endpoint's answers; ours say that nothing was taken
    logging.getLogger("opentelemetry.exporter.otlp.proto.http.trace_exporter").setLevel(logging.CRITICAL)
    exporter = OTLPSpanExporter(
        endpoint=collector.endpoint.rstrip("/") + "/v1/traces",
        headers=dict(collector.headers),
        timeout=_TIMEOUT_S,
    )
    try:
        result = exporter.export(_finished_spans(run_id, step, claims[:MOST_CLAIM_SPANS]))
    except Exception:  # noqa: BLE001 - a span that is lost stops nobody's work
        return False
    finally:
        exporter.shutdown()  # type: ignore[no-untyped-call]
    return bool(result is SpanExportResult.SUCCESS)


def _finished_spans(run_id: str, step: Span, claims: Sequence[Span]) -> list[Any]:
    trace_id = uuid.UUID(run_id).int if _is_uuid(run_id) else _number(run_id, 16)
    # a step that is tried again is a span of its own
    step_id = _number(f"{run_id}/{step.name}/{step.began}", 8)
    top = _readable(step, trace_id, step_id, parent_id=None)
    below = [
        _readable(claim, trace_id, _number(f"{step_id}/{number}", 8), parent_id=step_id)
        for number, claim in enumerate(claims)
    ]
    return [top, *below]


def _readable(span: Span, trace_id: int, span_id: int, *, parent_id: int | None) -> Any:
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import ReadableSpan
    from opentelemetry.sdk.util.instrumentation import InstrumentationScope
    from opentelemetry.trace import SpanContext, SpanKind, TraceFlags
    from opentelemetry.trace.status import Status, StatusCode

    def place(identity: int) -> SpanContext:
        return SpanContext(trace_id, identity, is_remote=False, trace_flags=TraceFlags(TraceFlags.SAMPLED))

    return ReadableSpan(
        name=span.name,
        context=place(span_id),
        parent=place(parent_id) if parent_id is not None else None,
        resource=Resource({"service.name": "citation_pipeline"}),  # asks no environment, unlike its `create`
        attributes=dict(span.attributes),
        kind=SpanKind.INTERNAL,
        status=Status(StatusCode.ERROR if span.failed else StatusCode.OK),
        start_time=int(span.began * 1e9),
        end_time=int(span.ended * 1e9),
        instrumentation_scope=InstrumentationScope("citation_pipeline"),
    )


def _is_uuid(text: str) -> bool:
    try:
        uuid.UUID(text)
    except ValueError:
        return False
    return True


def _number(text: str, size: int) -> int:
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:size], "big") or 1
