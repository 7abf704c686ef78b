"""Fit the confidence model on the development queries, cross-validated over documents, and print its
constants.

    python benchmarks/fit_confidence.py [--bench DIR]

A place is right when the query's truth has it (page, and 90 % of the words by F1) and the text is the one
quoted, which no negative class's is. Logistic regression by Newton's method with a small ridge.
"""

import argparse
import hashlib
import json
import sys
from pathlib import Path

import numpy as np

PROJECT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(PROJECT))

from benchmarks.resolver import load_lines, load_scorer  # noqa: E402
from citation_pipeline.core.citations import CitationStatus  # noqa: E402
from citation_pipeline.core.matching.index import DocumentIndex  # noqa: E402
from citation_pipeline.core.resolution.confidence import features_of  # noqa: E402
from citation_pipeline.core.resolution.places import search_places  # noqa: E402
from citation_pipeline.core.resolution.queries import hints_of, predict, read_words  # noqa: E402

RIDGE = 1.0
FOLDS = 2


def fit(x: np.ndarray, y: np.ndarray, trust: np.ndarray | None = None) -> np.ndarray:
    """Return the weights; `trust` weighs the rows, 1 each by default."""
    weights = np.zeros(x.shape[1])
    rows = np.ones(len(y)) if trust is None else trust
    penalty = np.eye(x.shape[1]) * RIDGE
    penalty[0, 0] = 1e-3
    for _ in range(100):
        p = 1 / (1 + np.exp(-np.clip(x @ weights, -30, 30)))
        gradient = x.T @ (rows * (y - p)) - penalty @ weights
        step = np.linalg.solve((x * (rows * p * (1 - p))[:, None]).T @ x + penalty, gradient)
        weights += step
        if np.abs(step).max() < 1e-9:
            break
    return weights


def auroc(score: np.ndarray, y: np.ndarray) -> float:
    values, inverse, counts = np.unique(score, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    ranks = (ends - (counts - 1) / 2)[inverse]
    positive = int(y.sum())
    return float((ranks[y == 1].sum() - positive * (positive + 1) / 2) / (positive * (len(y) - positive)))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--bench", type=Path, default=PROJECT.parent / "shared" / "bench")
    bench: Path = parser.parse_args().bench
    scorer = load_scorer(bench)
    queries, truth = load_lines(bench / "queries.jsonl"), load_lines(bench / "truth.jsonl")
    indexes: dict[str, DocumentIndex] = {}
    names: list[str] = []
    rows: dict[str, list[float]] = {}
    predictions = []
    for query in queries:
        name = query["doc_id"]
        if name not in indexes:
            document = json.loads((bench / "documents" / f"{name}.json").read_text())
            indexes[name] = DocumentIndex(read_words(document))
        search = search_places(indexes[name], query["text_snippet"], hints_of(indexes[name], query))
        best = search.best
        if best is None or best.judgement.status is CitationStatus.UNRESOLVED:
            continue
        features = features_of(best.match, best.judgement)
        names = list(features)
        rows[query["query_id"]] = [1.0, *features.values()]
        predictions.append(predict(indexes[name], query, search))
    records = {r["q"]: r for r in scorer.score(predictions, truth)}
    ids = [query["query_id"] for query in queries if query["query_id"] in rows]
    x = np.asarray([rows[i] for i in ids])
    y = np.asarray(
        [
            float(records[i]["expect"] == "resolve" and records[i]["pg"] and records[i]["f1"] >= 0.9)
            for i in ids
        ]
    )
    documents = {query["query_id"]: query["doc_id"] for query in queries}
    fold = np.asarray([hashlib.sha256(documents[i].encode()).digest()[0] % FOLDS for i in ids])
    held_out = np.zeros(len(y))
    for number in range(FOLDS):
        weights = fit(x[fold != number], y[fold != number])
        held_out[fold == number] = 1 / (1 + np.exp(-x[fold == number] @ weights))
    print(f"{len(y)} places, {int(y.sum())} right; AUROC on held-out documents {auroc(held_out, y):.4f}")
    edges = np.quantile(held_out, np.linspace(0, 1, 11))
    error = 0.0
    for low, high in zip(edges, edges[1:], strict=False):
        inside = (held_out >= low) & ((held_out < high) | (high == edges[-1]))
        if inside.any():
            error += abs(held_out[inside].mean() - y[inside].mean()) * inside.mean()
    print(f"expected calibration error on held-out documents {error:.4f}")
    weights = fit(x, y)
    print("COEFFICIENTS: Mapping[str, float] = {")
    for label, weight in zip(["intercept", *names], weights, strict=True):
        print(f'    "{label}": {weight:.4f},')
    print("}")


if __name__ == "__main__":
    main()
