"""The words that questions and documents share: concepts, synonyms, weaker relations, parts of the body.

They are data, `schemas/questions/vocabulary.json`, folded: lower case, no accents. How they are applied is
`terms`' and `subjects`' work.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The lists as the file has them; of `synonyms` the first word names the group."""

    concepts: Mapping[str, Sequence[str]]
    synonyms: Sequence[Sequence[str]]
    related: Sequence[Sequence[str]]
    body_parts: Sequence[Sequence[str]]
    procedures: Sequence[Sequence[str]]
    proceedings: Sequence[Sequence[str]]
    stop_words: frozenset[str]
    light_words: frozenset[str]


@cache
def vocabulary() -> Vocabulary:
    """Return the vocabulary; read from the package once."""
    path = resources.files("citation_pipeline.schemas") / "questions" / "vocabulary.json"
    read = json.loads(path.read_text(encoding="utf-8"))
    return Vocabulary(
        concepts=read["concepts"],
        synonyms=read["synonyms"],
        related=read["related"],
        body_parts=read["body_parts"],
        procedures=read["procedures"],
        proceedings=read["proceedings"],
        stop_words=frozenset(read["stop_words"]),
        light_words=frozenset(read["light_words"]),
    )
