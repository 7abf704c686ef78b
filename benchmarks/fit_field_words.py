"""Fit how strongly each word of a question speaks for each field, on the schema's own phrasings.

    python -m benchmarks.fit_field_words [SCHEMA]

Writes `schemas/questions/<schema>_words.txt.gz`, which `core/retrieval/field_words.py` reads. Labelled
questions are not looked at: only `schemas/questions/<schema>.json`, the schema itself, and questions drawn
from the frames of `field_frames.txt`. To be run again after phrasings were added; about a minute.
"""

import gzip
import random
import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from citation_pipeline.adapters.schema_files import load_phrasings, load_schema, printed_names
from citation_pipeline.core.retrieval.field_questions import FieldPhrasings, marks_of
from citation_pipeline.core.retrieval.field_words import SHARPNESS
from citation_pipeline.core.schemas import Schema

FOLDER = Path(__file__).resolve().parent.parent / "citation_pipeline" / "schemas" / "questions"
FRAMES = Path(__file__).with_name("field_frames.txt")
STEPS, RATE, PENALTY = 100, 0.05, 0.1
LEAST = 0.04  # smaller weights are not written
DRAWN = 12  # questions drawn from a frame
DRAWN_WEIGHT = 0.5  # of a drawn question beside a phrasing: those of one frame are alike
RARE = 3  # drawn questions that have to share a pair of words for it to count

_CHOICE = re.compile(r"\(([^()]*)\)")
_SLOT = re.compile(r"\{(\w+)\}")


def draw_questions(text: str) -> Iterator[tuple[str, str]]:
    """Return questions drawn from frames with the key of the field that each asks for, always the same."""
    slots: dict[str, str] = {}
    key = ""
    for line in text.splitlines():
        if line.startswith("= "):
            name, _, listed = line[2:].partition(": ")
            slots[name] = f"({listed})"
        elif line.startswith("["):
            key = line.strip("[]")
        elif line and not line.startswith("#"):
            yield from ((key, question) for question in _drawn(line, slots))


def _drawn(frame: str, slots: Mapping[str, str]) -> list[str]:
    chance = random.Random(frame)
    while _SLOT.search(frame):
        frame = _SLOT.sub(lambda match: slots[match[1]], frame)
    found: dict[str, None] = {}
    for _ in range(DRAWN):
        question = frame
        while _CHOICE.search(question):
            question = _CHOICE.sub(lambda match: chance.choice(match[1].split("|")), question)
        found[" ".join(question.split())] = None
    return list(found)


def _heard(drawn: Sequence[tuple[str, str]]) -> list[str]:
    """Return the marks of drawn questions, without rare pairs of words."""
    counts = Counter(mark for _, question in drawn for mark in marks_of(question))
    return [mark for mark, count in counts.items() if count >= RARE or not mark.startswith("b:")]


def fit(schema_name: str, frames: str = "") -> str:
    """Return the weights fitted on a shipped schema's phrasings as `FieldWords.parse` reads them."""
    schema, phrasings = load_schema(schema_name), load_phrasings(schema_name)
    return fit_examples(schema, phrasings, printed_names(schema_name), list(draw_questions(frames)))


def fit_examples(
    schema: Schema,
    listed: Mapping[str, Any],
    printed: Mapping[str, Sequence[str]],
    drawn: Sequence[tuple[str, str]],
) -> str:
    """Return the weights fitted on phrasings and drawn questions as `FieldWords.parse` reads them."""
    phrasings = FieldPhrasings(schema, listed, printed=printed, heard=_heard(drawn))
    keys = ["", *(field.key for field in schema.fields)]
    examples = list(phrasings.examples(drawn))
    marks = sorted({mark for _, found in examples for mark in found})
    number = {key: n for n, key in enumerate(keys)}
    if unknown := {key for key, _ in examples} - set(number):
        raise SystemExit(f"frames name fields that the schema does not have: {sorted(unknown)}")
    wanted = np.eye(len(keys), dtype=np.float32)[[number[key] for key, _ in examples]]
    shares = np.ones(len(examples), np.float32)
    shares[len(examples) - len(drawn) :] = DRAWN_WEIGHT
    weights = _descend(_Table([found for _, found in examples], marks), wanted, shares)
    lines = ["\t".join(keys)]
    for mark, row in zip([*marks, ""], weights, strict=True):
        pairs = [f"{n}:{round(100 * w)}" for n, w in enumerate(row) if abs(w) >= LEAST or not mark]
        if pairs:
            lines.append(f"{mark}\t{' '.join(pairs)}")
    return "\n".join(lines) + "\n"


class _Table:
    """The examples' marks as the places that are not zero: a row of some twenty among thousands."""

    def __init__(self, found: Sequence[Mapping[str, float]], marks: Sequence[str]) -> None:
        place = {mark: n for n, mark in enumerate(marks)}
        bias = len(marks)
        entries = [
            (row, column, value)
            for row, own in enumerate(found)
            for column, value in (*((place[m], w) for m, w in own.items()), (bias, 1.0 / SHARPNESS))
        ]
        rows, columns, values = zip(*entries, strict=True)
        self.shape = (len(found), bias + 1)
        self._rows, self._columns = np.array(rows), np.array(columns)
        self._values = np.array(values, np.float32)[:, None]
        self._starts = np.searchsorted(self._rows, np.arange(len(found)))
        self._order = np.argsort(self._columns, kind="stable")
        self._column_starts = np.searchsorted(self._columns[self._order], np.arange(bias + 1))

    def times(self, weights: np.ndarray) -> np.ndarray:
        """Return rows by fields."""
        return np.add.reduceat(weights[self._columns] * self._values, self._starts)

    def transposed_times(self, errors: np.ndarray) -> np.ndarray:
        """Return marks by fields."""
        ordered = errors[self._rows[self._order]] * self._values[self._order]
        return np.add.reduceat(ordered, self._column_starts)


def _descend(table: _Table, wanted: np.ndarray, shares: np.ndarray) -> np.ndarray:
    """Return softmax weights, by Adam with a little decay."""
    weights = np.zeros((table.shape[1], wanted.shape[1]), np.float32)
    speed, size = np.zeros_like(weights), np.zeros_like(weights)
    for step in range(1, STEPS + 1):
        scores = SHARPNESS * table.times(weights)
        scores = np.exp(scores - scores.max(1, keepdims=True))
        scores /= scores.sum(1, keepdims=True)
        errors = (scores - wanted) * shares[:, None]
        gradient = (SHARPNESS * table.transposed_times(errors) + PENALTY * weights) / shares.sum()
        speed, size = 0.9 * speed + 0.1 * gradient, 0.99 * size + 0.01 * gradient**2
        weights -= RATE * (speed / (1 - 0.9**step)) / (np.sqrt(size / (1 - 0.99**step)) + 1e-7)
    return weights


def main() -> None:
    schema_name = sys.argv[1] if len(sys.argv) > 1 else "workers_comp"
    frames = FRAMES.read_text(encoding="utf-8") if schema_name == "workers_comp" else ""
    written = gzip.compress(fit(schema_name, frames).encode(), mtime=0)
    (FOLDER / f"{schema_name}_words.txt.gz").write_bytes(written)
    print(f"{len(written)} bytes")


if __name__ == "__main__":
    main()
