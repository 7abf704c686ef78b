"""Fit the confidence model on the development queries, cross-validated over documents, and print its
constants.

    python -m benchmarks.quotations draw --split dev --out QUOTATIONS
    python benchmarks/fit_confidence.py [--bench DIR] [--quotations DIR] [--diagram docs/confidence.svg]

Both collections count alike, whatever their sizes. A place is right when the query's truth has it (90 % of
the words by F1) and the text is the one quoted, which no altered quotation's is. Logistic regression by
Newton's method with a small ridge, one for resolved and one for flagged places: the evidence means different
things in the two. The diagram shows held-out documents.
"""

import argparse
import hashlib
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

PROJECT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(PROJECT))

from benchmarks.quotations.scoring import ENOUGH, outcome_of, read_lines  # noqa: E402
from citation_pipeline.core.citations import CitationStatus  # noqa: E402
from citation_pipeline.core.matching.index import DocumentIndex  # noqa: E402
from citation_pipeline.core.resolution.confidence import (  # noqa: E402
    CEILINGS,
    DOUBTFUL_CEILING,
    features_of,
)
from citation_pipeline.core.resolution.places import search_places  # noqa: E402
from citation_pipeline.core.resolution.queries import hints_of, predict, read_words  # noqa: E402

RIDGE = 1.0
BLEMISHES = frozenset(
    {"unmatched", "noise", "slips", "word_misread", "words_skipped", "word_dropped", "several_changes"}
)
DOUBTS = ("word_misread", "word_dropped")
FOLDS = 5
EDGES = (0.0, 0.1, 0.2, 0.4, 0.6, 0.8, 0.9, 0.95, 0.98, 0.99, 1.0001)

Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Places:
    """The places found: features, whether right, whether flagged, each one's weight and fold."""

    names: tuple[str, ...]
    x: Numbers
    y: Numbers
    flagged: NDArray[np.bool_]
    weight: Numbers
    fold: NDArray[np.int64]
    collection: NDArray[np.int64]


def gather(folders: Sequence[Path]) -> Places:
    names: tuple[str, ...] = ()
    rows: list[list[float]] = []
    right: list[float] = []
    flagged: list[bool] = []
    fold: list[int] = []
    collection: list[int] = []
    for number, folder in enumerate(folders):
        truth = {line["query_id"]: line for line in read_lines(folder / "truth.jsonl")}
        records: dict[str, dict[str, object]] = {}
        indexes: dict[str, DocumentIndex] = {}
        for query in read_lines(folder / "queries.jsonl"):
            name = query["doc_id"]
            if name not in indexes:
                records[name] = json.loads((folder / "documents" / f"{name}.json").read_text())
                indexes[name] = DocumentIndex(read_words(records[name]))
            search = search_places(indexes[name], query["text_snippet"], hints_of(indexes[name], query))
            best = search.best
            if best is None or best.judgement.status is CitationStatus.UNRESOLVED:
                continue
            features = features_of(best.match)
            names = tuple(features)
            words = records[name]["words"]
            outcome = outcome_of(
                truth[query["query_id"]],
                predict(indexes[name], query, search),
                words,  # type: ignore[arg-type]
            )
            rows.append([1.0, *features.values()])
            right.append(float(outcome.honest and outcome.overlap >= ENOUGH))
            flagged.append(best.judgement.status is CitationStatus.FLAGGED)
            fold.append(hashlib.sha256(name.encode()).digest()[0] % FOLDS)
            collection.append(number)
    where = np.asarray(collection)
    weight = 1.0 / np.bincount(where)[where]
    return Places(
        names,
        np.asarray(rows),
        np.asarray(right),
        np.asarray(flagged),
        weight * len(where) / len(folders),
        np.asarray(fold),
        where,
    )


def fit(x: Numbers, y: Numbers, weight: Numbers) -> Numbers:
    weights = np.zeros(x.shape[1])
    penalty = np.eye(x.shape[1]) * RIDGE
    penalty[0, 0] = 1e-3
    for _ in range(100):
        p = 1 / (1 + np.exp(-np.clip(x @ weights, -30, 30)))
        gradient = x.T @ (weight * (y - p)) - penalty @ weights
        hessian = (x * (weight * p * (1 - p))[:, None]).T @ x + penalty
        step = np.linalg.solve(hessian, gradient)
        weights += step
        if np.abs(step).max() < 1e-9:
            break
    return weights


def fit_believable(places: Places, chosen: NDArray[np.bool_]) -> Numbers:
    """Fit the weights; a blemish never speaks for a place, whatever a small sample says."""
    x = places.x[chosen].copy()
    blemishes = [n for n, name in enumerate(places.names, start=1) if name in BLEMISHES]
    while True:
        weights = fit(x, places.y[chosen], places.weight[chosen])
        against = [n for n in blemishes if weights[n] > 1e-9]
        if not against:
            return weights
        x[:, against] = 0.0


def predicted(places: Places, chosen: NDArray[np.bool_], weights: dict[bool, Numbers]) -> Numbers:
    found = np.zeros(int(chosen.sum()))
    flagged = places.flagged[chosen]
    for kind, status in ((False, CitationStatus.RESOLVED), (True, CitationStatus.FLAGGED)):
        own = flagged == kind
        found[own] = 1 / (1 + np.exp(-(places.x[chosen][own] @ weights[kind])))
        found[own] = np.minimum(found[own], CEILINGS[status])
    doubts = [places.names.index(name) + 1 for name in DOUBTS]
    doubted = (places.x[chosen][:, doubts] > 0).any(axis=1)
    found[doubted] = np.minimum(found[doubted], DOUBTFUL_CEILING)
    return found


def fit_both(places: Places, chosen: NDArray[np.bool_]) -> dict[bool, Numbers]:
    both = {}
    for kind in (False, True):
        own = chosen & (places.flagged == kind)
        # of a flagged place noise may speak for it: a scanner's slip was taken for another word
        fitted = fit(places.x[own], places.y[own], places.weight[own])
        both[kind] = fitted if kind else fit_believable(places, own)
    return both


def auroc(score: Numbers, y: Numbers) -> float:
    _, inverse, counts = np.unique(score, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    ranks = (ends - (counts - 1) / 2)[inverse]
    positive = int(y.sum())
    return float((ranks[y == 1].sum() - positive * (positive + 1) / 2) / (positive * (len(y) - positive)))


def bins_of(score: Numbers, y: Numbers) -> list[tuple[float, float, int, float, float]]:
    found = []
    for low, high in zip(EDGES, EDGES[1:], strict=False):
        inside = (score >= low) & (score < high)
        if inside.any():
            found.append(
                (low, min(1.0, high), int(inside.sum()), float(score[inside].mean()), float(y[inside].mean()))
            )
    return found


def report(label: str, score: Numbers, y: Numbers) -> None:
    bins = bins_of(score, y)
    error = sum(abs(mean - right) * count for _, _, count, mean, right in bins) / len(y)
    sure = score >= 0.99
    print(f"{label}: {len(y)} places, {int(y.sum())} right, AUROC {auroc(score, y):.4f},")
    print(f"  expected calibration error {error:.4f}; at 0.99 or more {int(sure.sum())}, right", end=" ")
    print(f"{y[sure].mean():.4f}" if sure.any() else "none")
    for low, high, count, mean, right in bins:
        print(f"  {low:.2f}-{high:.2f} {count:6d}  mean {mean:.3f}  right {right:.3f}")


def draw_diagram(path: Path, labels: Sequence[str], curves: Sequence[tuple[Numbers, Numbers]]) -> None:
    """Write a reliability diagram: confidence against the share that is right, one line a collection."""
    size, margin = 360, 48
    colours, shapes = ("#1b6ca8", "#b8541a", "#3b7d3b"), ("", "6 3", "2 3")

    def at(x: float, y: float) -> tuple[float, float]:
        return margin + x * size, margin / 2 + (1 - y) * size

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size + 2 * margin + 170} {size + 2 * margin}"'
        ' font-family="sans-serif" font-size="12" role="img"><title>Confidence of citations against the share'
        " that is right, on held-out documents</title>",
        f'<rect x="{margin}" y="{margin / 2}" width="{size}" height="{size}" fill="none" stroke="#888"/>',
        '<line x1="{}" y1="{}" x2="{}" y2="{}" stroke="#bbb" stroke-dasharray="4 4"/>'.format(
            *at(0, 0), *at(1, 1)
        ),
    ]
    for tick in (0.0, 0.2, 0.4, 0.6, 0.8, 1.0):
        x, y = at(tick, tick)
        bottom = margin / 2 + size
        parts.append(f'<text x="{x}" y="{bottom + 18}" text-anchor="middle">{tick:.1f}</text>')
        parts.append(f'<text x="{margin - 8}" y="{y + 4}" text-anchor="end">{tick:.1f}</text>')
    parts.append(
        f'<text x="{margin + size / 2}" y="{size + margin / 2 + 38}" text-anchor="middle">confidence</text>'
    )
    parts.append(
        f'<text transform="translate(12 {margin / 2 + size / 2}) rotate(-90)" text-anchor="middle">'
        "share right</text>"
    )
    for number, (label, (score, y)) in enumerate(zip(labels, curves, strict=True)):
        colour, dash = colours[number], shapes[number]
        points = [(*at(mean, right), count) for _, _, count, mean, right in bins_of(score, y)]
        line = " ".join(f"{x:.1f},{y:.1f}" for x, y, _ in points)
        parts.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-dasharray="{dash}"/>')
        parts += [
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{2 + min(8.0, count**0.5 / 8):.1f}" fill="{colour}"'
            f' fill-opacity="0.7"><title>{count} places</title></circle>'
            for x, y, count in points
        ]
        top = margin + 20 * number
        parts.append(f'<rect x="{size + margin + 14}" y="{top - 9}" width="10" height="10" fill="{colour}"/>')
        parts.append(f'<text x="{size + margin + 30}" y="{top}">{label} ({len(y)})</text>')
    path.write_text("\n".join([*parts, "</svg>"]) + "\n", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--bench", type=Path, default=PROJECT.parent / "shared" / "bench")
    parser.add_argument("--quotations", type=Path, required=True, help="drawn by benchmarks.quotations")
    parser.add_argument("--diagram", type=Path, help="write the reliability diagram here")
    arguments = parser.parse_args()
    places = gather([arguments.bench, arguments.quotations])
    held_out = np.zeros(len(places.y))
    for number in range(FOLDS):
        inside = places.fold == number
        held_out[inside] = predicted(places, inside, fit_both(places, ~inside))
    labels = ("spans of documents", "quotations")
    report("held-out documents, both", held_out, places.y)
    curves = []
    for number, label in enumerate(labels):
        own = places.collection == number
        report(f"held-out documents, {label}", held_out[own], places.y[own])
        curves.append((held_out[own], places.y[own]))
    if arguments.diagram:
        draw_diagram(arguments.diagram, labels, curves)
    both = fit_both(places, np.ones(len(places.y), np.bool_))
    print("COEFFICIENTS: Mapping[CitationStatus, Mapping[str, float]] = {")
    for kind, status in ((False, "RESOLVED"), (True, "FLAGGED")):
        print(f"    CitationStatus.{status}: {{")
        for name, weight in zip(("intercept", *places.names), both[kind], strict=True):
            print(f'        "{name}": {weight:.4f},')
        print("    },")
    print("}")


if __name__ == "__main__":
    main()
