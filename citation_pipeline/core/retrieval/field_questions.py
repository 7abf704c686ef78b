"""Which field of a schema a question asks for, by how people ask: phrasings, queries, labels, descriptions.

The phrasings are data beside the schema (`schemas/questions/<schema>.json`); "field#property" asks for a
property of a list's items. What the field says is not looked at here.
"""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from citation_pipeline.core.retrieval.field_words import FieldWords
from citation_pipeline.core.retrieval.questions import Question, read_question
from citation_pipeline.core.retrieval.terms import fold_text, light_terms, stem, term_set, words_of
from citation_pipeline.core.retrieval.word_kin import alike_terms
from citation_pipeline.core.schemas import Field, Schema

OTHER = ""
"""The key of questions that no field answers."""

_ALIKE = {
    frozenset(("person", "firm")): 0.85,
    frozenset(("money", "number")): 0.8,
    frozenset(("percent", "number")): 0.85,
    frozenset(("money", "percent")): 0.6,
    frozenset(("place", "firm")): 0.75,
    frozenset(("text", "boolean")): 0.6,
    frozenset(("text", "date")): 0.6,
}
_TEXT_LIKE = 0.8  # a question of no plain kind may ask for a name, a sum, a code
_UNLIKE = 0.4
_WORD, _PAIR = 0.6, 0.5  # beside a term: the word as it stands, and with the one after it
_MOST_WORDS = 24  # of a field's terms: rarer ones are of one phrasing
_KIN = 0.5  # a word of like meaning beside the word itself
_NEAREST = 0.5  # the nearest phrasing beside the fitted words of all phrasings
_KIND_MARK = 0.35
_ENOUGH_ASKED = 2  # telling terms of a clause that is compared by itself
_FLOOR = 0.3  # the weight of a term that every phrasing has


@dataclass(frozen=True, slots=True)
class FieldMatch:
    """How near a question is to a field's phrasings, in 0-1; `item_property` where an item's is asked for.

    `similarity` is made of `nearest`, the likeness to the nearest phrasing, and of `share`, how probable the
    fitted words make the field.
    """

    field_key: str
    item_property: str
    similarity: float
    nearest: float = 0.0
    share: float = 0.0


@dataclass(frozen=True, slots=True)
class _Phrasing:
    key: str
    kind: str


class FieldPhrasings:
    """The phrasings of one schema, ready to be compared with questions."""

    def __init__(
        self,
        schema: Schema,
        phrasings: Mapping[str, Any],
        *,
        printed: Mapping[str, Sequence[str]] | None = None,
        words: FieldWords | None = None,
        heard: Iterable[str] = (),
    ) -> None:
        """Prepare phrasings; `heard` are marks that only the fitted words know, from frames of questions."""
        self._words = words
        printed = printed or {}
        self._states = {
            key: {value: re.compile(_any_of(words)) for value, words in states.items()}
            for key, states in phrasings.get("states", {}).items()
        }
        listed = [(key, text) for key, texts in phrasings.get("fields", {}).items() for text in texts]
        listed += [(OTHER, text) for text in phrasings.get("other", ())]
        self._named_by: Mapping[str, Sequence[str]] = phrasings.get("named_by", {})
        # without the names that documents print: who asks for a trial is not told of a conference
        self._terms: dict[str, set[str]] = defaultdict(set)
        self._counts: dict[str, Counter[str]] = defaultdict(Counter)
        for key, text in listed:
            self._terms[key.partition("#")[0]] |= term_set(text)
            self._counts[key.partition("#")[0]].update(term_set(text))
        for field in schema.fields:
            named = f"{field.category} {field.label} {field.description}"
            self._terms[field.key] |= term_set(named)
            for text in (named, *field.hints, *printed.get(field.key, ())):
                self._counts[field.key].update(term_set(text))
        listed += [(field.key, text) for field in schema.fields for text in _names_of(field)]
        self._listed = listed
        kinds = self._kinds = {field.key: _kind_of(field) for field in schema.fields}
        marks = [marks_of(text) for _, text in listed]
        counts = Counter(mark for found in marks for mark in found)
        self._weights = {
            mark: math.log((1 + len(marks)) / (1 + count)) + _FLOOR for mark, count in counts.items()
        }
        rarest = max(self._weights.values(), default=_FLOOR)
        known = words.marks() if words is not None else heard
        self._heard = dict.fromkeys((m for m in known if not m.startswith("k:")), rarest) | self._weights
        self._names = {field.key: (*field.hints, *printed.get(field.key, ())) for field in schema.fields}
        self._phrasings: list[_Phrasing] = []
        self._places: dict[str, list[tuple[int, float]]] = defaultdict(list)
        for number, ((key, text), found) in enumerate(zip(listed, marks, strict=True)):
            kind = read_question(text).kind
            self._phrasings.append(_Phrasing(key, kinds.get(key, "text") if kind == "text" else kind))
            for mark, weight in _scaled(found, self._weights).items():
                self._places[mark].append((number, weight))

    def match(self, question: Question) -> list[FieldMatch]:
        """Return the fields that a question may ask for, the nearest first; OTHER stands for none."""
        wordings = dict.fromkeys((question.text, question.plain or question.text))
        if len(term_set(question.clause) - light_terms()) >= _ENOUGH_ASKED:
            wordings[question.clause] = None  # what is told around it makes it like no phrasing
        found: dict[str, tuple[float, float, float]] = {}
        for wording in wordings:
            for key, told in self._match_wording(question, marks_of(wording)).items():
                found[key] = max(told, found.get(key, told))
        ordered = sorted(found.items(), key=lambda entry: -entry[1][0])
        return [FieldMatch(key.partition("#")[0], key.partition("#")[2], *told) for key, told in ordered]

    def _match_wording(
        self, question: Question, marks: Mapping[str, float]
    ) -> dict[str, tuple[float, float, float]]:
        """Return how near one wording of a question is to each field."""
        sums: dict[int, float] = defaultdict(float)
        for mark, weight in _scaled(_with_kin(marks, self._weights), self._weights).items():
            for number, share in self._places[mark]:
                sums[number] += weight * share
        best: dict[str, float] = {}
        for number, similarity in sums.items():
            phrasing = self._phrasings[number]
            alike = similarity * _alike(question.kind, phrasing.kind)
            if alike > best.get(phrasing.key, 0.0):
                best[phrasing.key] = alike
        if self._words is None:
            return {key: (near, near, near) for key, near in best.items()}
        heard = _scaled(_with_kin(marks, self._heard), self._heard)
        return self._with_words(best, self._words.shares(heard | _kind_mark(question)))

    def examples(self, drawn: Iterable[tuple[str, str]] = ()) -> Iterator[tuple[str, dict[str, float]]]:
        """Return the phrasings, and `drawn` ones, as a fit takes them: the field's key and the marks."""
        for key, text in (*self._listed, *drawn):
            marks = _scaled(marks_of(text), self._heard)
            yield key.partition("#")[0], marks | _kind_mark(read_question(text))

    def _with_words(
        self, best: Mapping[str, float], shares: Mapping[str, float]
    ) -> dict[str, tuple[float, float, float]]:
        """Weigh each field's nearest phrasing and its fitted words alike; a property goes with its field."""
        mixed = {key: (_NEAREST * near, near, 0.0) for key, near in best.items()}
        for key, share in shares.items():
            if key != OTHER and key not in self._kinds:
                continue  # a field that this reading of the schema does not have
            same = [known for known in best if known.partition("#")[0] == key]
            place = max(same, key=lambda known: best[known], default=key)
            near = best.get(place, 0.0)
            mixed[place] = (_NEAREST * near + (1 - _NEAREST) * share, near, share)
        return mixed

    def names_of_field(self, field_key: str) -> tuple[str, ...]:
        """Return the names under which documents print a field."""
        return self._names.get(field_key, ())

    def naming_fields(self, field_key: str) -> frozenset[str]:
        """Return the fields whose names may be used in a question for this one."""
        return frozenset(
            name for prefix, names in self._named_by.items() if field_key.startswith(prefix) for name in names
        )

    def kind_of_field(self, field_key: str) -> str:
        """Return the kind of question that asks for a field's value; "text" where any form may answer."""
        return self._kinds.get(field_key, "text")

    def states_named(self, field_key: str, text: str) -> frozenset[str]:
        """Return the values of an enum field that a text names: "C&R" is `compromise_and_release`."""
        folded = fold_text(text)
        return frozenset(v for v, words in self._states.get(field_key, {}).items() if words.search(folded))

    def words_of_field(self, field_key: str) -> dict[str, float]:
        """Return the telling terms by which a field is asked for and printed, the commonest weighing most."""
        counts = self._counts.get(field_key, Counter())
        return {
            term: math.sqrt(count)
            for term, count in counts.most_common(_MOST_WORDS)
            if term not in light_terms()
        }

    def terms_of_field(self, field_key: str) -> frozenset[str]:
        """Return the terms of a field's phrasings."""
        return frozenset(self._terms.get(field_key, ()))


def _scaled(marks: Mapping[str, float], weights: Mapping[str, float]) -> dict[str, float]:
    """Weigh the marks that are known, the rarer the heavier; their squares add up to 1."""
    weighted = {m: w * weights[m] for m, w in marks.items() if m in weights}
    length = math.sqrt(math.fsum(w * w for w in weighted.values())) or 1.0
    return {mark: weight / length for mark, weight in weighted.items()}


def _with_kin(marks: Mapping[str, float], known: Mapping[str, float]) -> dict[str, float]:
    """Add to a word that is not known those that mean nearly the same: `boss` for `supervisor`."""
    found = dict(marks)
    for mark, weight in marks.items():
        if mark.startswith("t:") and mark not in known:
            for term, near in alike_terms(mark[2:]).items():
                if f"t:{term}" in known:
                    found[f"t:{term}"] = max(found.get(f"t:{term}", 0.0), _KIN * near * weight)
    return found


def _any_of(words: Sequence[str]) -> str:
    listed = "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))
    return rf"(?<![\w-])(?:{listed})(?![\w-])"


def marks_of(text: str) -> dict[str, float]:
    """Return what a text is compared by: terms, words, neighbouring words, and whether it denies."""
    words = [stem(word) for word in words_of(text)]
    marks = {f"t:{term}": 1.0 for term in term_set(text)}
    marks |= {f"w:{word}": _WORD for word in words}
    marks |= {f"b:{one} {other}": _PAIR for one, other in zip(words, words[1:], strict=False)}
    if {"not", "non", "no", "isnt", "havent"} & set(words):
        marks["denies"] = 1.0
    return marks


def _kind_mark(question: Question) -> dict[str, float]:
    return {f"k:{question.kind}": _KIND_MARK}


def _alike(asked: str, phrased: str) -> float:
    if asked == phrased:
        return 1.0
    known = _ALIKE.get(frozenset((asked, phrased)))
    if known is not None:
        return known
    return _TEXT_LIKE if "text" in (asked, phrased) else _UNLIKE


def _names_of(field: Field) -> Iterator[str]:
    yield f"{field.category} {field.label}"
    yield field.label
    yield from field.hints


def _kind_of(field: Field) -> str:
    """Return the kind of question that a field's own names ask."""
    if field.value_type in ("date", "boolean"):
        return field.value_type
    if field.value_type in ("number", "integer"):
        about = f"{field.key} {field.description}".lower()
        return "percent" if "percent" in about else "money" if "usd" in about else "number"
    return "text"
