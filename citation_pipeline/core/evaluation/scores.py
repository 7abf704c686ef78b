"""Counts of right, wrong and missing answers, and what follows from them: precision, recall, F1, AUROC.

Which answer is right is decided in `matching` and `places`.
"""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Counts:
    """Right answers, answers that are not true, true values not answered."""

    right: int = 0
    wrong: int = 0
    missing: int = 0

    def __add__(self, other: "Counts") -> "Counts":
        """Return both together."""
        return Counts(self.right + other.right, self.wrong + other.wrong, self.missing + other.missing)

    @property
    def precision(self) -> float | None:
        """Right among the answered; None when nothing was answered."""
        return _share(self.right, self.right + self.wrong)

    @property
    def recall(self) -> float | None:
        """Right among the true; None when there was nothing to find."""
        return _share(self.right, self.right + self.missing)

    @property
    def f1(self) -> float | None:
        """The harmonic mean of precision and recall; None when nothing was answered or to be found."""
        if self.precision is None and self.recall is None:
            return None
        return harmonic_mean(self.precision or 0.0, self.recall or 0.0)


@dataclass(frozen=True, slots=True)
class Bin:
    """Answers of about the same confidence: how many, how sure on average, how many of them right (0-1)."""

    low: float
    high: float
    count: int
    mean_confidence: float
    share_right: float


def harmonic_mean(a: float, b: float) -> float:
    """Return the harmonic mean; 0 when either is 0."""
    return 2 * a * b / (a + b) if a and b else 0.0


def auroc(scores: Sequence[float], are_right: Sequence[bool]) -> float | None:
    """Return how often a right answer has the higher score than a wrong one; ties count half.

    None when all are right or all are wrong: then there is no order to judge.
    """
    right = [score for score, good in zip(scores, are_right, strict=True) if good]
    wrong = [score for score, good in zip(scores, are_right, strict=True) if not good]
    if not right or not wrong:
        return None
    ranked = sorted(right + wrong)
    ranks: dict[float, float] = {}
    at = 0
    while at < len(ranked):
        end = at
        while end + 1 < len(ranked) and ranked[end + 1] == ranked[at]:
            end += 1
        ranks[ranked[at]] = (at + end) / 2 + 1
        at = end + 1
    total = sum(ranks[score] for score in right)
    return (total - len(right) * (len(right) + 1) / 2) / (len(right) * len(wrong))


def calibration(scores: Sequence[float], are_right: Sequence[bool], *, bins: int = 10) -> list[Bin]:
    """Return the answers in bins of equal width over 0-1; empty bins are left out."""
    table: list[Bin] = []
    for number in range(bins):
        low, high = number / bins, (number + 1) / bins
        inside = [
            (score, good)
            for score, good in zip(scores, are_right, strict=True)
            if low <= score < high or (number == bins - 1 and score == 1.0)
        ]
        if inside:
            table.append(
                Bin(
                    low=low,
                    high=high,
                    count=len(inside),
                    # a mean of equal numbers may be less than each of them by a last digit
                    mean_confidence=min(max(sum(score for score, _ in inside) / len(inside), low), high),
                    share_right=sum(good for _, good in inside) / len(inside),
                )
            )
    return table


def share_text(share: float | None) -> str:
    """Write a share with three digits; "n/a" where there is nothing to judge."""
    return "n/a" if share is None else f"{share:.3f}"


def rounded(share: float | None) -> float | None:
    """Return a share with four digits; None where there is nothing to judge."""
    return None if share is None else round(share, 4)


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None
