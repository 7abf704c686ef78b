"""Phrasings of fields as somebody hears them who never saw the labelled questions.

Phrasings were written while labelled questions were looked at, so these lie nearer to them than to the
questions of a stranger: 0.75 beside 0.45, median cosine to the nearest phrasing of the own field. Whatever is
fitted on such nearness believes strangers too little. Here the phrasings that lie near to questions are taken
out, and the words are fitted again without them.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from benchmarks.fit_field_words import FRAMES, draw_questions, fit_examples
from citation_pipeline.adapters.schema_files import load_phrasings, load_schema, printed_names
from citation_pipeline.core.retrieval.field_questions import FieldPhrasings, marks_of
from citation_pipeline.core.retrieval.field_words import FieldWords

NEAR = 0.62
"""A phrasing that is nearer to a question than this was written for it, or might have been."""


def unheard_phrasings(schema_name: str, questions: Sequence[str]) -> FieldPhrasings:
    """Return a schema's phrasings without those near to questions, the words fitted without them too."""
    schema, phrasings = load_schema(schema_name), load_phrasings(schema_name)
    heard = _Nearness(questions, [text for _, text in _listed(phrasings)])
    kept: dict[str, Any] = {
        **phrasings,
        "fields": {
            key: [text for text in texts if not heard.is_near(text)]
            for key, texts in phrasings["fields"].items()
        },
        "other": [text for text in phrasings["other"] if not heard.is_near(text)],
    }
    drawn = [
        (key, text)
        for key, text in draw_questions(FRAMES.read_text(encoding="utf-8"))
        if not heard.is_near(text)
    ]
    printed = printed_names(schema_name)
    words = FieldWords.parse(fit_examples(schema, kept, printed, drawn))
    return FieldPhrasings(schema, kept, printed=printed, words=words)


def _listed(phrasings: Mapping[str, Any]) -> Iterable[tuple[str, str]]:
    for key, texts in phrasings["fields"].items():
        yield from ((key, text) for text in texts)
    yield from (("", text) for text in phrasings["other"])


class _Nearness:
    """Which texts share most of what is telling in them with one of some questions."""

    def __init__(self, questions: Sequence[str], known: Sequence[str]) -> None:
        counts: dict[str, int] = {}
        for text in known:
            for mark in marks_of(text):
                counts[mark] = counts.get(mark, 0) + 1
        self._weights = {mark: math.log((1 + len(known)) / (1 + n)) + 0.3 for mark, n in counts.items()}
        self._rarest = max(self._weights.values(), default=1.0)
        self._questions: dict[str, list[tuple[int, float]]] = {}
        for number, text in enumerate(questions):
            for mark, share in self._scaled(text).items():
                self._questions.setdefault(mark, []).append((number, share))

    def _scaled(self, text: str) -> dict[str, float]:
        weighted = {
            mark: weight * self._weights.get(mark, self._rarest) for mark, weight in marks_of(text).items()
        }
        # a word that no phrasing has counts nothing when questions are compared, so it must not here
        weighted = {mark: weight for mark, weight in weighted.items() if mark in self._weights}
        length = math.sqrt(math.fsum(w * w for w in weighted.values())) or 1.0
        return {mark: weight / length for mark, weight in weighted.items()}

    def is_near(self, text: str) -> bool:
        sums: dict[int, float] = {}
        for mark, share in self._scaled(text).items():
            for number, other in self._questions.get(mark, ()):
                sums[number] = sums.get(number, 0.0) + share * other
        return max(sums.values(), default=0.0) >= NEAR
