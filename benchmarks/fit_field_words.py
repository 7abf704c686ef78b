"""Fit how strongly each word of a question speaks for each field, on the schema's own phrasings.

    python -m benchmarks.fit_field_words [SCHEMA]

Writes `schemas/questions/<schema>_words.txt.gz`, which `core/retrieval/field_words.py` reads. Labelled
questions are not looked at: only `schemas/questions/<schema>.json` and the schema itself. To be run again
after phrasings were added; about a minute.
"""

import gzip
import sys
from pathlib import Path

import numpy as np

from citation_pipeline.adapters.schema_files import load_phrasings, load_schema, printed_names
from citation_pipeline.core.retrieval.field_questions import FieldPhrasings
from citation_pipeline.core.retrieval.field_words import SHARPNESS

FOLDER = Path(__file__).resolve().parent.parent / "citation_pipeline" / "schemas" / "questions"
STEPS, RATE, PENALTY = 100, 0.05, 0.1
LEAST = 0.04  # smaller weights are not written


def fit(schema_name: str) -> str:
    """Return the fitted weights as `FieldWords.parse` reads them."""
    schema = load_schema(schema_name)
    phrasings = FieldPhrasings(schema, load_phrasings(schema_name), printed=printed_names(schema_name))
    examples = list(phrasings.examples())
    keys = ["", *(field.key for field in schema.fields)]
    marks = sorted({mark for _, found in examples for mark in found})
    number, place = {key: n for n, key in enumerate(keys)}, {mark: n for n, mark in enumerate(marks)}
    table = np.zeros((len(examples), len(marks) + 1), np.float32)
    table[:, -1] = 1.0 / SHARPNESS  # the bias
    for row, (_, found) in enumerate(examples):
        for mark, weight in found.items():
            table[row, place[mark]] = weight
    wanted = np.eye(len(keys), dtype=np.float32)[[number[key] for key, _ in examples]]
    weights = _descend(table, wanted)
    lines = ["\t".join(keys)]
    for mark, row in zip([*marks, ""], weights, strict=True):
        pairs = [f"{n}:{round(100 * w)}" for n, w in enumerate(row) if abs(w) >= LEAST or not mark]
        if pairs:
            lines.append(f"{mark}\t{' '.join(pairs)}")
    return "\n".join(lines) + "\n"


def _descend(table: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Return softmax weights, by Adam with a little decay."""
    weights = np.zeros((table.shape[1], wanted.shape[1]), np.float32)
    speed, size = np.zeros_like(weights), np.zeros_like(weights)
    for step in range(1, STEPS + 1):
        scores = SHARPNESS * (table @ weights)
        scores = np.exp(scores - scores.max(1, keepdims=True))
        scores /= scores.sum(1, keepdims=True)
        gradient = (SHARPNESS * (table.T @ (scores - wanted)) + PENALTY * weights) / len(table)
        speed, size = 0.9 * speed + 0.1 * gradient, 0.99 * size + 0.01 * gradient**2
        weights -= RATE * (speed / (1 - 0.9**step)) / (np.sqrt(size / (1 - 0.99**step)) + 1e-7)
    return weights


def main() -> None:
    schema_name = sys.argv[1] if len(sys.argv) > 1 else "workers_comp"
    written = gzip.compress(fit(schema_name).encode(), mtime=0)
    (FOLDER / f"{schema_name}_words.txt.gz").write_bytes(written)
    print(f"{len(written)} bytes")


if __name__ == "__main__":
    main()
