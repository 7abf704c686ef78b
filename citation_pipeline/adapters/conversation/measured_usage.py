"""What a model's requests took so far, from the ledger: the measure of what the next ones will take.

How many tokens a model makes of a text depends on the model, how long an answer is on the schema and on the
documents: nobody tells either beforehand. Once a model has answered, its own figures beat any constant. First
questions and windows of long lists are measured by their size; what else was asked (again, second looks,
other quotations) by the size of a claim's first questions.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from citation_pipeline.adapters.conversation.asks import ASKED_AGAIN, REQUOTE, SECOND_LOOK
from citation_pipeline.adapters.conversation.profiles import ModelProfile
from citation_pipeline.adapters.outbound_ledger import SentRequests, sent_requests

_LATEST_DAYS, _LATEST_ROWS = 30, 200  # prices, schemas and documents change
_FIT_FROM = 8  # fewer answers than this have a mean, and no slope that one could believe
_REACH = 1.5  # times the most and the least that any request had
_FAR = 4.0  # times the median deviation: a request that filled the cache, or was cut
_CHARACTERS_PER_LIKELY = 3.6
_COUNTS = ("input_tokens", "output_tokens", "character_count", "cost_usd", "document_count")


@dataclass(frozen=True, slots=True)
class Size:
    """What is known of requests before they are sent: their likely tokens, how many documents they show, and
    how many they are."""

    likely_tokens: float
    documents: float
    requests: float = 1.0


@dataclass(frozen=True, slots=True)
class Measure:
    """A figure that grows with the size of requests: a base for each, and slopes by tokens and documents."""

    base: float
    by_token: float
    by_document: float
    least: float
    most: float

    def at(self, size: Size) -> float:
        """Return the likely figure, and nothing far from what any request has had yet."""
        each = max(size.requests, 1.0)
        return min(max(self.beyond(size), self.least / _REACH * each), self.most * _REACH * each)

    def beyond(self, size: Size) -> float:
        """Return the figure however far it is: of a prompt that is going to be cut."""
        each = max(size.requests, 1.0)
        return self.base * each + self.by_token * size.likely_tokens + self.by_document * size.documents


@dataclass(frozen=True, slots=True)
class RequestMeasures:
    """A kind of request's figures, of one or of all of a claim's: tokens read and written, and dollars."""

    input_tokens: Measure
    output_tokens: Measure
    dollars: Measure


@dataclass(frozen=True, slots=True)
class MeasuredUsage:
    """A model's measured figures; None where it was asked for nothing of the kind yet."""

    questions: RequestMeasures
    """All first questions of a claim together: their prompts share a cache, and their answers the fields."""
    windows: RequestMeasures | None = None
    """Each window of a long list."""
    again: RequestMeasures | None = None
    """All that a claim was asked again, by the size of its first questions."""
    looks: RequestMeasures | None = None
    requotes: RequestMeasures | None = None


def measured_usage(ledger: SentRequests | Path, profile: ModelProfile) -> MeasuredUsage | None:
    """Return what the ledger says of a model, None before its first answer."""
    answered = [row for row in _rows(ledger) if row.get("model") == profile.model]
    questions = [row for row in answered if not row.get("purpose")][-_LATEST_ROWS:]
    if not questions:
        return None
    windows = [row for row in answered if row.get("purpose") == "list_rows"][-_LATEST_ROWS:]
    claims = _by_claim(questions)

    def later(purpose: str, *, is_optional: bool = False) -> RequestMeasures | None:
        """Measure requests of a purpose; what `is_optional` may have been switched on lately."""
        first = next((at for at, row in enumerate(answered) if row.get("purpose") == purpose), None)
        if first is None:
            return None
        since = answered[max(0, first - 1) :] if is_optional else answered  # its first question is before it
        names = {str(row.get("claim_id")) for row in since}
        of_claims = _by_claim([row for row in answered if row.get("purpose") == purpose])
        kept = {claim: row for claim, row in claims.items() if claim in names}
        found = [{**_NOTHING, **of_claims.get(claim, {})} for claim in kept]
        return _measures([_size(row) for row in kept.values()], found) if kept else None

    return MeasuredUsage(
        questions=_measures([_size(row) for row in claims.values()], list(claims.values())),
        windows=_measures([_size(row) for row in windows], windows) if windows else None,
        again=later(ASKED_AGAIN),
        looks=later(SECOND_LOOK),
        requotes=later(REQUOTE, is_optional=True),
    )


_SUMMED = ("likely_tokens", "document_count", "input_tokens", "output_tokens", "cost_usd", "requests")
_NOTHING: dict[str, Any] = dict.fromkeys(_SUMMED, 0)


def _by_claim(rows: Sequence[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return the sums of each claim's rows."""
    claims: dict[str, dict[str, Any]] = {}
    for row in rows:
        known = claims.setdefault(str(row.get("claim_id")), dict(_NOTHING))
        for name in _SUMMED:
            known[name] += row[name]
    return claims


def _size(row: dict[str, Any]) -> Size:
    return Size(row["likely_tokens"], row["document_count"], row["requests"])


def _measures(sizes: Sequence[Size], rows: Sequence[dict[str, Any]]) -> RequestMeasures:
    return RequestMeasures(
        input_tokens=_measure(sizes, [row["input_tokens"] for row in rows]),
        output_tokens=_measure(sizes, [row["output_tokens"] for row in rows]),
        dollars=_measure(sizes, [row["cost_usd"] for row in rows]),
    )


def _measure(sizes: Sequence[Size], figures: Sequence[float]) -> Measure:
    """Return the plane of least squares, without what lies far from it; no slope goes down.

    A mean would follow the one request that filled the provider's cache. Where there are few, half of a
    figure is taken to be the same for all, and half to grow with the tokens.
    """
    each = [figure / max(one.requests, 1.0) for one, figure in zip(sizes, figures, strict=True)]
    least, most = min(each), max(each)
    if len(sizes) < _FIT_FROM:
        tokens, requests = (sum(getattr(one, of) for one in sizes) for of in ("likely_tokens", "requests"))
        return Measure(sum(figures) / 2 / requests, sum(figures) / 2 / tokens, 0.0, 0.0, np.inf)
    columns = np.array([[one.requests, one.likely_tokens, one.documents] for one in sizes])
    wanted = np.array(figures, dtype=float)
    weights = _fit(columns, wanted)
    off = np.abs(columns @ weights - wanted)
    near = off <= _FAR * max(float(np.median(off)), 1e-9)
    if near.sum() >= _FIT_FROM:
        weights = _fit(columns[near], wanted[near])
    base, by_token, by_document = map(float, weights)
    return Measure(base, by_token, by_document, least, most)


def _fit(columns: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Return the weights of least squares; a slope that would go down, or cannot be told, is none."""
    used = [0, *(at for at in (1, 2) if np.ptp(columns[:, at]) > 0)]
    while True:
        weights = np.zeros(columns.shape[1])
        weights[used] = np.linalg.lstsq(columns[:, used], wanted, rcond=None)[0]
        down = [at for at in used if at and weights[at] < 0]
        if not down:
            return weights
        used.remove(min(down, key=lambda at: weights[at] * float(np.mean(columns[:, at]))))


def _rows(ledger: SentRequests | Path) -> Iterator[dict[str, Any]]:
    """Yield the answered requests of extractions of the last days, oldest first.

    What a batch answered has its size in the row of its request, and its tokens in that of the result.
    """
    said = sent_requests(ledger)
    batched: dict[str, dict[str, Any]] = {}
    for name in list(said.marks())[-_LATEST_DAYS:]:
        for one in said.lines(name):
            if one.get("code") != "ok" or one.get("purpose") == "question":
                continue
            row = _joined(one, batched) if "batch" in str(one.get("endpoint")) else one
            if all(row.get(count) for count in _COUNTS):
                # rows of earlier versions have no measure of the text
                likely = row["character_count"] / _CHARACTERS_PER_LIKELY
                yield {"likely_tokens": likely, "requests": 1, **row}


def _joined(row: dict[str, Any], sent: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """Return a batched request's row at the full price, with its size; a row of a sending is kept for it."""
    fingerprint = str(row.get("request_fingerprint"))
    if not row.get("cost_usd"):
        sent[fingerprint] = row
        return row
    size = sent.get(fingerprint, {})
    names = ("likely_tokens", "document_count", "character_count", "purpose")
    return {**row, **{name: size.get(name) for name in names}, "cost_usd": row["cost_usd"] * 2}
