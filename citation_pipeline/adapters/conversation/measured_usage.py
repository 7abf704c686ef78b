"""What a model's requests took so far, from the ledger: the measure of what the next ones will take.

How many tokens a model makes of a text depends on the model, how long an answer is on the schema and on the
documents: nobody tells either beforehand. Once a model has answered, its own figures beat any constant.
Tokens are told by the model's own rates (`token_rates`). First questions and windows of long lists are
measured by their size; what else was asked (again, second looks, other quotations) by the size of a claim's
first questions.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from citation_pipeline.adapters.conversation.asks import ASKED_AGAIN, REQUOTE, SECOND_LOOK
from citation_pipeline.adapters.conversation.profiles import ModelProfile
from citation_pipeline.adapters.conversation.token_rates import TokenRates, token_rates
from citation_pipeline.adapters.outbound_ledger import SentRequests, sent_requests

_LATEST_DAYS, _LATEST_ROWS = 30, 200  # prices, schemas and documents change
_FIT_FROM = 8  # fewer answers than this have a mean, and no slope that one could believe
_REACH = 1.5  # times the most and the least that any request had
_FAR = 4.0  # times the median deviation: a request that filled the cache, or was cut
_CHARACTERS_PER_LIKELY = 3.6
_COUNTS = ("input_tokens", "output_tokens", "character_count", "cost_usd", "document_count")


@dataclass(frozen=True, slots=True)
class Size:
    """What is known of requests before they are sent: the tokens of their prompts by the model's rates, how
    many documents they show, and how many they are."""

    tokens: float
    documents: float
    requests: float = 1.0


@dataclass(frozen=True, slots=True)
class Measure:
    """A figure that grows with the size of requests: what is the same for all of a claim's together (values
    are found once, however many parts look for them), a base for each, and slopes by tokens and documents."""

    once: float
    base: float
    by_token: float
    by_document: float
    least: float
    most: float

    def at(self, size: Size) -> float:
        """Return the likely figure, and nothing far from what any request has had yet."""
        each = max(size.requests, 1.0)
        found = self.once + self.base * each + self.by_token * size.tokens + self.by_document * size.documents
        return min(max(found, self.least / _REACH * each), self.most * _REACH * each)


@dataclass(frozen=True, slots=True)
class RequestMeasures:
    """A kind of request's figures, of one or of all of a claim's: how many they are, tokens read and written,
    and dollars."""

    calls: Measure
    input_tokens: Measure
    output_tokens: Measure
    dollars: Measure


@dataclass(frozen=True, slots=True)
class MeasuredUsage:
    """A model's measured figures; None where it was asked for nothing of the kind yet.

    Of second looks and other quotations, None where no claim was asked by settings that have them: a model
    that was, and needed none, has figures of nothing.
    """

    rates: TokenRates
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
    rates = token_rates(answered[-_LATEST_ROWS:])
    for row in answered:
        row["tokens"] = rates.of_row(row)
    claims = _by_claim(questions)

    def later(purpose: str, *, is_optional: bool = False) -> RequestMeasures | None:
        """Measure requests of a purpose; what `is_optional` only of claims whose settings had it."""
        of_claims = _by_claim([row for row in answered if row.get("purpose") == purpose])
        allowed = {str(row.get("claim_id")) for row in questions if purpose in (row.get("may_follow") or ())}
        allowed |= of_claims.keys()  # rows of earlier versions do not tell
        kept = {claim: row for claim, row in claims.items() if not is_optional or claim in allowed}
        found = [{**_NOTHING, **of_claims.get(claim, {})} for claim in kept]
        return _measures(list(kept.values()), found) if kept else None

    return MeasuredUsage(
        rates=rates,
        questions=_measures(list(claims.values()), list(claims.values())),
        windows=_measures(windows, windows) if windows else None,
        again=later(ASKED_AGAIN),
        looks=later(SECOND_LOOK, is_optional=True),
        requotes=later(REQUOTE, is_optional=True),
    )


_OF_SENDING = ("likely_tokens", "text_shape", "may_follow", "document_count", "character_count", "purpose")
_SUMMED = ("tokens", "document_count", "input_tokens", "output_tokens", "cost_usd", "requests")
_NOTHING: dict[str, Any] = dict.fromkeys(_SUMMED, 0)


def _by_claim(rows: Sequence[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return the sums of each claim's rows."""
    claims: dict[str, dict[str, Any]] = {}
    for row in rows:
        known = claims.setdefault(str(row.get("claim_id")), dict(_NOTHING))
        for name in _SUMMED:
            known[name] += row[name]
    return claims


def _measures(questions: Sequence[dict[str, Any]], rows: Sequence[dict[str, Any]]) -> RequestMeasures:
    """Measure rows by the size of the questions that they are, or that they followed."""
    sizes = [Size(row["tokens"], row["document_count"], row["requests"]) for row in questions]

    def measure(name: str) -> Measure:
        of_one = [max(float(row[name]), 1e-9) for row in questions]
        return _measure(sizes, [row[name] for row in rows], shares_of=of_one)

    return RequestMeasures(
        calls=measure("requests"),
        input_tokens=measure("input_tokens"),
        output_tokens=measure("output_tokens"),
        dollars=measure("cost_usd"),
    )


def _measure(sizes: Sequence[Size], figures: Sequence[float], *, shares_of: Sequence[float]) -> Measure:
    """Return the plane of least squares, without what lies far from it; no slope goes down.

    How far a figure lies is told as a share of another: a small claim's price is to be as near as a large
    one's. A mean would follow the one request that filled the provider's cache. Where there are few, half of
    a figure is taken to be the same for all, and half to grow with the tokens.
    """
    each = [figure / max(one.requests, 1.0) for one, figure in zip(sizes, figures, strict=True)]
    least, most = min(each), max(each)
    if len(sizes) < _FIT_FROM:
        tokens, requests = (sum(getattr(one, of) for one in sizes) for of in ("tokens", "requests"))
        return Measure(0.0, sum(figures) / 2 / requests, sum(figures) / 2 / tokens, 0.0, 0.0, np.inf)
    whole = np.array(shares_of, dtype=float)
    columns = np.array([[1.0, one.requests, one.tokens, one.documents] for one in sizes]) / whole[:, None]
    wanted = np.array(figures, dtype=float) / whole
    weights = _fit(columns, wanted)
    off = np.abs(columns @ weights - wanted)
    near = off <= _FAR * max(float(np.median(off)), 1e-9)
    if near.sum() >= _FIT_FROM:
        weights = _fit(columns[near], wanted[near])
    once, base, by_token, by_document = map(float, weights)
    return Measure(once, base, by_token, by_document, least, most)


def _fit(columns: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Return the weights of least squares; a slope that would go down, or cannot be told, is none."""
    varies = [at for at in (1, 2, 3) if np.ptp(columns[:, at] / columns[:, 0]) > 0]
    # where all claims are as many requests, what is the same for all is so for each request
    free = 0 if 1 in varies else 1
    used = [free, *varies]
    while True:
        weights = np.zeros(columns.shape[1])
        weights[used] = np.linalg.lstsq(columns[:, used], wanted, rcond=None)[0]
        down = [at for at in used if at != free and weights[at] < 0]
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
    told = {name: size[name] for name in _OF_SENDING if name in size}
    return {**row, "character_count": 0, **told, "cost_usd": row["cost_usd"] * 2}
