"""The figures in Prometheus' text format, for `/metrics` of the viewer and `citation-pipeline metrics`.

`docs/observability.md` and the dashboard in `deploy/` name the metrics that are made here.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    Metric,
)
from prometheus_client.registry import Collector

from citation_pipeline.adapters.observability.figures import Figures
from citation_pipeline.adapters.observability.stage_counters import BUCKETS_S

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_PREFIX = "citation_pipeline_"
_LOCATED = ("resolved", "flagged")


@dataclass(frozen=True, slots=True)
class RunFigures:
    """Dagster's runs: how many by state, and how long the oldest queued one waits."""

    by_status: Mapping[str, int] = field(default_factory=dict)
    oldest_queued_s: float = 0.0


def metrics_text(figures: Figures, *, runs: RunFigures | None = None) -> bytes:
    """Return the figures as Prometheus reads them; Dagster's runs only where they are known."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_Once([*_metrics(figures), *(_run_metrics(runs) if runs is not None else ())]))
    return generate_latest(registry)


class _Once(Collector):
    """Gives the registry metrics that are made already."""

    def __init__(self, metrics: list[Metric]) -> None:
        self._metrics = metrics

    def collect(self) -> Iterator[Metric]:
        yield from self._metrics


def _metrics(figures: Figures) -> Iterator[Metric]:
    yield _gauges("claims", "Registered claims, each in one state.", "state", figures.claims)
    yield _gauges("failed_stages", "Stages whose last try failed, of open claims.", "stage", figures.failures)
    yield _gauges("documents", "Documents by what became of their parse.", "status", figures.documents)
    yield _gauges("citations", "Citations by what was found of their snippet.", "status", figures.citations)
    every = sum(figures.citations.values())
    if every:
        located = sum(figures.citations.get(status, 0) for status in _LOCATED) / every
        yield _gauge("locate_ratio", "Share of citations whose snippet was found on a page.", located)
    yield _gauges("reviewed_fields", "Fields that people decided on.", "verdict", figures.reviews)
    decided = sum(figures.reviews.values())
    if decided:
        disagreed = figures.reviews.get("disagreed", 0) / decided
        yield _gauge("disagreement_ratio", "Share of the decided fields that people corrected.", disagreed)
    yield _gauge("queue_claims", "Claims that are registered and not made yet.", figures.waiting_claims)
    yield _gauge("queue_oldest_seconds", "How long the oldest of them has waited.", figures.oldest_wait_s)
    yield _gauge(
        "nights_waited",
        "Most nights in a row that left one claim with something to do.",
        figures.nights_waited,
    )
    yield from _stage_metrics(figures)
    yield from _spend_metrics(figures)
    unreadable = {name: 1.0 for name in figures.unreadable}
    yield _gauges("unreadable_sources", "Sources that could not be read: figures miss.", "source", unreadable)
    yield _gauge("read_timestamp_seconds", "When these figures were read.", figures.read_at)


def _stage_metrics(figures: Figures) -> Iterator[Metric]:
    seconds = HistogramMetricFamily(
        f"{_PREFIX}stage_seconds",
        "Seconds that a stage took for one claim, by how it ended.",
        labels=["stage", "outcome"],
    )
    for stage in figures.counts.stages:
        buckets, sum_so_far = [], 0
        for bound in BUCKETS_S:
            sum_so_far += stage.claims.get(bound, 0)
            buckets.append(("+Inf" if bound == BUCKETS_S[-1] else str(bound), float(sum_so_far)))
        seconds.add_metric([stage.stage, stage.outcome], buckets, stage.seconds)
    yield seconds
    gate = CounterMetricFamily(
        f"{_PREFIX}gate_decisions",
        "Resolutions that the promotion gate judged, by its verdict.",
        labels=["verdict"],
    )
    for verdict in ("held", "passed"):
        gate.add_metric([verdict], figures.counts.events.get(f"gate_{verdict}", 0))
    yield gate


def _spend_metrics(figures: Figures) -> Iterator[Metric]:
    for name, attribute, means in (
        ("dollars", "dollars", "Dollars of paid requests; Reducto's by pages and the configured price."),
        ("requests", "requests", "Requests that left the machine."),
        ("failed_requests", "failed", "Requests that did not end well."),
        ("tokens", "tokens", "Tokens in and out."),
        ("paid_pages", "pages", "Pages that Reducto billed."),
    ):
        counter = CounterMetricFamily(f"{_PREFIX}{name}", means, labels=["stage", "vendor"])
        for spend in figures.spends:
            counter.add_metric([spend.stage, spend.vendor], getattr(spend, attribute))
        yield counter


def _run_metrics(runs: RunFigures) -> Iterator[Metric]:
    yield _gauges("runs", "Dagster's runs that are not over, by state.", "status", runs.by_status)
    yield _gauge("run_queue_oldest_seconds", "How long the oldest queued run waits.", runs.oldest_queued_s)


def _gauge(name: str, means: str, value: float) -> Metric:
    return GaugeMetricFamily(f"{_PREFIX}{name}", means, value=value)


def _gauges(name: str, means: str, label: str, values: Mapping[str, float]) -> Metric:
    metric = GaugeMetricFamily(f"{_PREFIX}{name}", means, labels=[label])
    for value, number in sorted(values.items()):
        metric.add_metric([value], number)
    return metric
