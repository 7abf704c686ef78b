"""What a model's requests took so far, from the ledger: the measure of what the next ones will take.

How many characters make a token depends on the model and on the documents, how long an answer is on the
schema: nobody tells either beforehand. Once a model has answered, its own figures beat any constant.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from statistics import median
from typing import Any

from citation_pipeline.adapters.conversation.asks import REQUOTE, SECOND_LOOK
from citation_pipeline.adapters.conversation.profiles import ModelProfile
from citation_pipeline.adapters.outbound_ledger import SentRequests, sent_requests

_LATEST_DAYS, _LATEST_ROWS = 30, 200  # prices, schemas and documents change
_FIT_FROM = 5  # fewer answers than this have a mean, and no slope that one could believe


@dataclass(frozen=True, slots=True)
class Line:
    """A figure that grows with a request's characters: `base` and `slope` times them, in what was seen."""

    base: float
    slope: float
    least: float
    most: float

    def at(self, characters: float) -> float:
        """Return the likely figure of a request of so many characters."""
        return max(0.0, self.base + self.slope * characters)

    def within(self, characters: float) -> float:
        """Return the same, and nothing that no request has had yet."""
        return min(max(self.at(characters), self.least), self.most)


@dataclass(frozen=True, slots=True)
class MeasuredUsage:
    """A model's measured figures: a prompt's tokens, its dollars (what its cache saved included), and the
    tokens of its answer, each by the characters of the request."""

    prompt_tokens: Line
    prompt_dollars: Line
    answer_tokens: Line
    looks: "Repeats | None" = None
    requotes: "Repeats | None" = None
    """Second looks and requests for other quotations; None where the model was asked for none yet."""


@dataclass(frozen=True, slots=True)
class Repeats:
    """Later requests about what was asked: their number, tokens and dollars for each first question."""

    calls: float
    input_tokens: float
    output_tokens: float
    dollars: float


def measured_usage(ledger: SentRequests | Path, profile: ModelProfile) -> MeasuredUsage | None:
    """Return what the ledger says of a model, None before its first answer."""
    answered = [row for row in _rows(ledger) if row.get("model") == profile.model]
    rows = [row for row in answered if not row.get("purpose")][-_LATEST_ROWS:]
    if not rows:
        return None
    sizes = [row["character_count"] for row in rows]
    dollars = [
        max(0.0, row["cost_usd"] - row["output_tokens"] * profile.price_of(row["input_tokens"]).output / 1e6)
        for row in rows
    ]
    return MeasuredUsage(
        prompt_tokens=_line(sizes, [row["input_tokens"] for row in rows], proportional=True),
        prompt_dollars=_line(sizes, dollars, proportional=True),
        answer_tokens=_line(sizes, [row["output_tokens"] for row in rows]),
        looks=_repeats(answered, SECOND_LOOK),
        requotes=_repeats(answered, REQUOTE, is_optional=True),
    )


def _repeats(
    answered: Sequence[dict[str, Any]], purpose: str, *, is_optional: bool = False
) -> Repeats | None:
    """Return what requests of a purpose took for each first question, None where there was none.

    What `is_optional` may have been switched on lately: first questions count since the first such request.
    """
    since = next((at for at, row in enumerate(answered) if row.get("purpose") == purpose), None)
    if since is None:
        return None
    latest = answered[max(0, since - 1) :] if is_optional else answered  # its first question comes before it
    firsts = max(1, sum(not row.get("purpose") for row in latest))
    rows = [row for row in latest if row.get("purpose") == purpose]
    return Repeats(
        calls=len(rows) / firsts,
        input_tokens=sum(row["input_tokens"] for row in rows) / firsts,
        output_tokens=sum(row["output_tokens"] for row in rows) / firsts,
        dollars=sum(row["cost_usd"] for row in rows) / firsts,
    )


def _line(sizes: Sequence[float], figures: Sequence[float], *, proportional: bool = False) -> Line:
    """Return the line of the median slope between two points, and the median height.

    A mean would follow the one request that filled the provider's cache. Where there are few points, a figure
    is `proportional` to the size, or the same for all.
    """
    least, most = min(figures), max(figures)
    slopes = [
        (figures[b] - figures[a]) / (sizes[b] - sizes[a])
        for a, b in combinations(range(len(sizes)), 2)
        if sizes[a] != sizes[b]
    ]
    if len(sizes) < _FIT_FROM or not slopes:
        if proportional:
            return Line(0.0, sum(figures) / sum(sizes), least, most)
        return Line(sum(figures) / len(figures), 0.0, least, most)
    slope = max(0.0, median(slopes))
    base = median(figure - slope * size for size, figure in zip(sizes, figures, strict=True))
    return Line(base, slope, least, most)


def _rows(ledger: SentRequests | Path) -> Iterator[dict[str, Any]]:
    """Yield the answered requests of extractions of the last days, oldest first."""
    sent = sent_requests(ledger)
    counts = ("input_tokens", "output_tokens", "character_count", "cost_usd")
    for name in list(sent.marks())[-_LATEST_DAYS:]:
        for row in sent.lines(name):
            is_ours = row.get("code") == "ok" and row.get("purpose") != "question"
            if is_ours and all(row.get(count) for count in counts):
                yield row
