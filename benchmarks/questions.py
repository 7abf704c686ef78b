"""Measure question answering without a key on the labelled questions.

    python -m benchmarks.questions [--store DIR] [--claim CLAIM]… [--show] [--fit]

Reads `citation_pipeline_tests/questions/labelled.jsonl`: 150 questions over the sample claim and the two
shared
claims, 50 of them with no answer in the documents. Without --store the claims are run into a temporary store.

An answer is right when its typed value equals the label (dates, sums, numbers, yes or no) or its text
contains
the label's words; a label names every page that states the answer. The AUROC is of the confidence against
whether what would be answered without a threshold is right, unanswerable questions counting as wrong. The
confidence was fitted on the sample claim alone (--fit prints weights for it).
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from citation_pipeline.adapters.read_model.model import ReadModel
from citation_pipeline.adapters.read_model.questions import retrieve
from citation_pipeline.adapters.schema_files import load_schema
from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.adapters.verifications.store import VerificationStore, default_url
from citation_pipeline.core.retrieval.answering import Answer, answer_from
from citation_pipeline.core.retrieval.confidence import confidence_of
from citation_pipeline.core.retrieval.terms import fold_text
from citation_pipeline.core.values.dates import find_dates
from citation_pipeline.core.values.numbers import find_numbers

PROJECT = Path(__file__).resolve().parent.parent
LABELS = PROJECT / "citation_pipeline_tests" / "questions" / "labelled.jsonl"
FOLDERS = {
    "sample_claim": PROJECT / "data" / "samples" / "sample_claim",
    "claim_05": PROJECT.parent / "shared" / "claims" / "claim_05",
    "claim_06": PROJECT.parent / "shared" / "claims" / "claim_06",
}
FITTED_ON = "sample_claim"


def read_labels() -> list[dict[str, Any]]:
    return [json.loads(line) for line in LABELS.read_text(encoding="utf-8").split("\n") if line]


def is_right(answer: Answer, labels: Sequence[str]) -> bool:
    """Tell whether an answer says one of the labels; a refusal says none."""
    return answer.is_found and any(_says(answer, label) for label in labels)


def _says(answer: Answer, label: str) -> bool:
    if label in ("yes", "no"):
        return isinstance(answer.value, bool) and answer.value == (label == "yes")
    number = _number(label)
    if number is not None:
        if isinstance(answer.value, int | float) and not isinstance(answer.value, bool):
            return abs(answer.value - number) < 0.005
        return any(abs(float(span.value) - number) < 0.005 for span in find_numbers(answer.text))
    if answer.value == label or any(span.value == label for span in find_dates(answer.text)):
        return True
    return fold_text(label) in fold_text(f"{answer.text} {answer.value}")


def _number(label: str) -> float | None:
    try:
        return float(label)
    except ValueError:
        return None


def auroc(scores: Sequence[float], right: Sequence[bool]) -> float:
    """The share of pairs of a right and a wrong one that the score orders."""
    good = [s for s, r in zip(scores, right, strict=True) if r]
    bad = [s for s, r in zip(scores, right, strict=True) if not r]
    won = sum((g > b) + 0.5 * (g == b) for g in good for b in bad)
    return won / (len(good) * len(bad)) if good and bad else float("nan")


def measure(model: ReadModel, labels: Sequence[Mapping[str, Any]], *, show: bool = False) -> dict[str, Any]:
    """Return the figures of one claim's questions, and the rows that a fit needs."""
    rows, answered, paged, refused, ours = [], 0, 0, 0, 0
    for label in labels:
        retrieved = retrieve(model, label["question"], claim_id=label["claim"])
        answer = answer_from(retrieved.question, retrieved.ranked)
        blind = answer_from(retrieved.question, retrieved.ranked, threshold=-1.0)
        right_blind = is_right(blind, label["answers"])
        rows.append((blind.breakdown, right_blind))
        if not label["answers"]:
            ours += 1
            refused += not answer.is_found
            if show and answer.is_found:
                _show("ANSWERED", label, answer, retrieved.ranked)
            continue
        places = {tuple(place) for place in label["places"]}
        found = any(
            (e.statement.source_id, e.statement.page) in places for e in (*answer.support, *answer.misses)
        )
        right = is_right(answer, label["answers"])
        answered, paged = answered + right, paged + found
        if show and not (right and found):
            _show("right" if right else "WRONG", label, answer, retrieved.ranked)
    answerable = len(labels) - ours
    scores = [confidence_of(parts) for parts, _ in rows]
    return {
        "questions": len(labels),
        "answerable": answerable,
        "answered_right": answered / answerable,
        "page_in_top_3": paged / answerable,
        "unanswerable_refused": refused / ours,
        "auroc": auroc(scores, [right for _, right in rows]),
        "rows": rows,
    }


def fit(rows: Sequence[tuple[Any, bool]]) -> list[float]:
    """Return logistic weights: intercept, top match, agreement, coverage, keyword signal."""
    x = np.array([[1, p.top_match, p.agreement, p.coverage, p.keyword_signal] for p, _ in rows])
    y = np.array([float(right) for _, right in rows])
    weights = np.zeros(5)
    penalty = np.array([0, 1, 1, 1, 1]) * 0.002  # some forty questions: weights are to stay small
    for _ in range(20_000):
        weights += 0.5 * (x.T @ (y - 1 / (1 + np.exp(-x @ weights))) / len(y) - penalty * weights)
        weights[1:] = np.maximum(weights[1:], 0.0)  # more evidence never makes an answer less sure
    return [round(float(weight), 2) for weight in weights]


def sweep(rows: Sequence[tuple[Any, bool]]) -> list[tuple[float, float, float]]:
    """Return thresholds with the share of right answers kept and of wrong ones refused."""
    scores = [(confidence_of(parts), right) for parts, right in rows]
    good, bad = [s for s, right in scores if right], [s for s, right in scores if not right]
    return [
        (
            t / 20,
            round(sum(s >= t / 20 for s in good) / len(good), 2),
            round(sum(s < t / 20 for s in bad) / len(bad), 2),
        )
        for t in range(4, 14)
    ]


def open_model(store: Path) -> ReadModel:
    """Return the read model of a store, as the server builds it."""
    return ReadModel(
        ClaimStore(store), VerificationStore(default_url(store)), schemas=[load_schema("workers_comp")]
    )


def _show(verdict: str, label: Mapping[str, Any], answer: Answer, ranked: Sequence[Any]) -> None:
    print(
        f"{verdict}: {label['question']} {label['answers']} -> {answer.confidence:.2f} {answer.text[:90]!r}"
    )
    for e in ranked[:3]:
        s = e.statement
        print(
            f"    {e.score:.2f} cov {e.coverage:.2f} quoted {e.quoted:.2f} missed {e.missed:.2f} "
            f"focus {e.focus:.2f} "
            f"{s.kind} {s.source_id} p{s.page} | {s.quote[:110]} | {e.typed.value if e.typed else None}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--store", type=Path)
    parser.add_argument("--claim", action="append", choices=sorted(FOLDERS))
    parser.add_argument("--show", action="store_true")
    parser.add_argument("--fit", action="store_true")
    options = parser.parse_args()
    claims = options.claim or list(FOLDERS)
    with tempfile.TemporaryDirectory() as scratch:
        store = options.store or Path(scratch) / "store"
        if options.store is None:
            command = [sys.executable, "-m", "citation_pipeline.cli", "run"]
            subprocess.run(
                [*command, *(str(FOLDERS[c]) for c in claims), "--store", str(store)],
                check=False,
                stdout=subprocess.DEVNULL,
            )
        model = open_model(store)
        labels = read_labels()
        everything = []
        for claim in claims:
            figures = measure(model, [row for row in labels if row["claim"] == claim], show=options.show)
            rows = figures.pop("rows")
            everything += rows
            if options.fit and claim == FITTED_ON:
                print("fit:", fit(rows), "thresholds:", sweep(rows))
            print(claim, {name: round(value, 3) for name, value in figures.items()})
        scores = [confidence_of(parts) for parts, _ in everything]
        print("all claims: auroc", round(auroc(scores, [right for _, right in everything]), 3))


if __name__ == "__main__":
    main()
