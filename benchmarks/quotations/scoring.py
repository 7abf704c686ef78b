"""Predictions held against the truth: a quotation is right when it counts as found where it stands, an
altered one when it does not count as found."""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ENOUGH = 0.9
"""Word F1 from which a place is the right one."""


@dataclass(frozen=True)
class Outcome:
    """One prediction with what was wanted."""

    kind: str
    variant: str
    honest: bool
    status: str
    overlap: float
    score: float
    right: bool


def read_lines(path: Path) -> list[dict[str, Any]]:
    """Read JSON lines; a separator of another kind may stand inside a string."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line.strip()]


def judge(folder: Path, predictions: Iterable[Mapping[str, Any]]) -> list[Outcome]:
    given = {prediction["query_id"]: prediction for prediction in predictions}
    words: dict[str, list[list[Any]]] = {}
    outcomes = []
    for line in read_lines(folder / "truth.jsonl"):
        document = line["doc_id"]
        if document not in words:
            words[document] = json.loads((folder / "documents" / f"{document}.json").read_text())["words"]
        outcomes.append(outcome_of(line, given.get(line["query_id"], {}), words[document]))
    return outcomes


def outcome_of(
    truth: Mapping[str, Any], prediction: Mapping[str, Any], words: Sequence[Sequence[Any]]
) -> Outcome:
    boxes = prediction.get("boxes") or []
    status = prediction.get("status", "unresolved") if boxes else "unresolved"
    covered = covered_words(words, boxes)
    overlap = max((word_f1(place, covered) for place in truth["alts"]), default=0.0)
    honest = truth["expect"] == "resolve"
    counts = status == "resolved" or (status == "flagged" and truth["flag_ok"])
    right = counts and overlap >= ENOUGH if honest else status != "resolved"
    score = float(prediction.get("score", 0.0)) if status != "unresolved" else 0.0
    return Outcome(truth["class"], truth["sub"], honest, status, overlap, score, right)


def covered_words(words: Sequence[Sequence[Any]], boxes: Sequence[Mapping[str, float]]) -> set[int]:
    """Return the words whose centre lies in a box."""
    slack = 1e-4
    found = set()
    for at, (_, page, left, top, width, height) in enumerate(words):
        x, y = left + width / 2, top + height / 2
        for box in boxes:
            if (
                box["page"] == page
                and box["left"] - slack <= x <= box["left"] + box["width"] + slack
                and box["top"] - slack <= y <= box["top"] + box["height"] + slack
            ):
                found.add(at)
    return found


def word_f1(place: Mapping[str, Any], covered: set[int]) -> float:
    wanted = {at for first, last in place["words"] for at in range(first, last)}
    ignored = {at for first, last in place["optional"] for at in range(first, last)} - wanted
    common = len(wanted & covered)
    return 2 * common / (len(wanted) + len(covered - ignored)) if common else 0.0


def summary(outcomes: Sequence[Outcome]) -> str:
    """Return each kind with its share right, then the means over kinds and how confidence ranks."""
    by_kind: dict[str, list[Outcome]] = defaultdict(list)
    for outcome in outcomes:
        by_kind[outcome.kind].append(outcome)
    lines = []
    for honest, title in ((True, "honest quotations"), (False, "altered quotations (right: not found)")):
        kinds = {k: v for k, v in sorted(by_kind.items()) if v[0].honest is honest}
        shares = [share(held) for held in kinds.values()]
        lines += [title, *(row(kind, held) for kind, held in kinds.items())]
        lines.append(f"{'macro over kinds':24s} {sum(shares) / max(1, len(shares)):.3f}")
    lines.append(f"AUROC of the score {ranking(outcomes):.4f}")
    sure = [o for o in outcomes if o.score >= 0.99]
    rightly = sum(o.honest and o.overlap >= ENOUGH for o in sure)
    lines.append(f"score 0.99 or more: {len(sure)}, right {rightly / max(1, len(sure)):.3f}")
    return "\n".join(lines)


def share(held: Sequence[Outcome]) -> float:
    return sum(outcome.right for outcome in held) / len(held)


def row(kind: str, held: Sequence[Outcome]) -> str:
    counts = "/".join(
        str(sum(o.status == status for o in held)) for status in ("resolved", "flagged", "unresolved")
    )
    overlap = sum(o.overlap for o in held) / len(held)
    return f"{kind:24s} {len(held):5d}  right {share(held):.3f}  place F1 {overlap:.3f}  r/f/u {counts}"


def ranking(outcomes: Sequence[Outcome]) -> float:
    """Return how often an honest quotation scores above an altered one (ties count half)."""
    honest = sorted(o.score for o in outcomes if o.honest)
    altered = sorted(o.score for o in outcomes if not o.honest)
    if not honest or not altered:
        return float("nan")
    won, below, level = 0.0, 0, 0
    for score in honest:
        while below < len(altered) and altered[below] < score:
            below += 1
        level = max(level, below)
        while level < len(altered) and altered[level] == score:
            level += 1
        won += below + (level - below) / 2
    return won / (len(honest) * len(altered))
