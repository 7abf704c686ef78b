"""Questions that the truth of claims answers: a schema's own phrasings, asked of claims by other hands.

Some hundred labelled questions do not tell for each of a hundred features what it weighs. A claim's truth
says what each field's value is and which fields its documents do not have, so that every phrasing becomes a
labelled question. The phrasings that lie near to those that are asked are taken out while they are asked.
"""

import json
import random
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.question_files import Asked
from benchmarks.question_runs import SCHEMA, Row, ask_all
from benchmarks.unheard import unheard_phrasings
from citation_pipeline.adapters.read_model.model import ReadModel
from citation_pipeline.adapters.schema_files import load_phrasings, load_schema
from citation_pipeline.core.retrieval.questions import read_question

PHRASINGS = 2
"""Phrasings of a field that are asked of a claim."""
FOLDS = 4
_LONGEST = 60  # characters of a value: of a longer one every extractor has its own wording


def ask_truths(model: ReadModel, folders: Sequence[Path]) -> list[Row]:
    """Ask phrasings of those claims that the store has and whose folder holds a truth."""
    known = set(model.claims.ids())
    truths = {folder.name: folder / "truth.json" for folder in folders}
    claims = sorted(name for name, truth in truths.items() if name in known and truth.exists())
    rows: list[Row] = []
    for fold in range(FOLDS):
        asked = _phrasings(fold)
        model.hear(SCHEMA, unheard_phrasings(SCHEMA, [text for _, text in asked]))
        for claim in claims[fold::FOLDS]:
            truth = json.loads(truths[claim].read_text(encoding="utf-8"))
            rows += ask_all(model, _questions(claim, truth, asked))
    return rows


def _phrasings(fold: int) -> list[tuple[str, str]]:
    """Return a fold's phrasings with their fields, always the same."""
    found = []
    for key, texts in load_phrasings(SCHEMA)["fields"].items():
        drawn = sorted(texts, key=lambda text: random.Random(text).random())
        found += [(key, text) for text in drawn[fold * PHRASINGS : (fold + 1) * PHRASINGS]]
    return found


def _questions(claim: str, truth: Mapping[str, Any], asked: Sequence[tuple[str, str]]) -> Iterator[Asked]:
    types = {field.key: field.value_type for field in load_schema(SCHEMA).fields}
    for key, text in asked:
        field, _, item = key.partition("#")
        is_boolean = types.get(field) == "boolean"
        if field in truth.get("absent_fields", ()):
            if not is_boolean:  # where nothing says so, "no" is as right as a refusal
                yield _asked(claim, field, text, ())
            continue
        fits = is_boolean == (read_question(text).kind == "boolean") and types.get(field) != "enum"
        if item or not fits or field not in truth["fields"] or field in truth.get("unjudged_fields", {}):
            continue
        if answers := _answers(truth["fields"][field]["value"]):
            yield _asked(claim, field, text, answers)


def _asked(claim: str, field: str, text: str, answers: tuple[str, ...]) -> Asked:
    kind = "field" if answers else "none"
    return Asked(f"truth/{claim}", claim, kind, text, answers, field, (), (), "")


def _answers(value: Any) -> tuple[str, ...]:
    """Return what counts as said: a figure, a day, a short text, or one item of a list."""
    if isinstance(value, bool):
        return ("yes" if value else "no",)
    values = value if isinstance(value, list) else [value]
    return tuple(
        str(one) for one in values if isinstance(one, str | int | float) and len(str(one)) <= _LONGEST
    )
