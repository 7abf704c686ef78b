"""Values that stand near words which name them, in the same clause: `came to work for us ... on 4/4/2019`.

All fields are read at once: a value belongs to the words that are nearest to it, whichever field they
name, so that of two days in a sentence each goes to its own event. Expressions with holes belong to
`sentence_readers`.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from citation_pipeline.core.rules.document_sentences import Sentence
from citation_pipeline.core.rules.documents import DocumentReading
from citation_pipeline.core.rules.lexicons.lexicon import Cue, FieldRules, Lexicon
from citation_pipeline.core.rules.readers.candidates import Candidate, affinity_of, candidate_of
from citation_pipeline.core.rules.readers.kinds import take
from citation_pipeline.core.values.dates import find_dates
from citation_pipeline.core.values.foreign import find_day_first_dates
from citation_pipeline.core.values.names import FIRM, PERSON, PHYSICIAN, TITLED, is_person_like
from citation_pipeline.core.values.numbers import find_number_spans
from citation_pipeline.core.values.polarity import Polarity, clause_around, polarity_at
from citation_pipeline.core.values.reality import is_no_fact, lies_ahead

_GROUPS: Mapping[str, str] = {
    "date": "date",
    "last_date": "date",
    "money": "money",
    "percent": "percent",
    "person": "person",
    "physician": "person",
    "firm": "firm",
}
# A value before its words is the exception: `04/04/2019 was the day he was hired`.
_BEFORE = 1.5
# Another statement begins between the words and the value.
_PARTED = re.compile(
    r"[;:?!]\s|(?<=[a-z0-9)]{2})\.\s+(?=[A-Z])|\b(?:but|however|although|though|whereas|while|because|when|who|which|"
    r"after|before|since|until|unless|if)\b",
    re.IGNORECASE,
)
_NAMES = re.compile(rf"{PHYSICIAN}|{PERSON}|{TITLED}")
_FIRMS = re.compile(FIRM)


@dataclass(frozen=True, slots=True)
class _Mark:
    start: int
    end: int
    cue: Cue


@dataclass(frozen=True, slots=True)
class _Span:
    start: int
    end: int


def read_near(reading: DocumentReading, lexicon: Lexicon) -> Iterator[Candidate]:
    """Return the values of all fields that stand near their words in the document's sentences."""
    affinities = {
        key: affinity
        for key, rules in lexicon.fields.items()
        if rules.near and rules.kind in _GROUPS and (affinity := affinity_of(rules, reading)) > 0
    }
    by_group: dict[str, list[Cue]] = {}
    for rules in lexicon.fields.values():
        # a field that this kind of document says nothing of still owns what stands near its words
        by_group.setdefault(_GROUPS.get(rules.kind, ""), []).extend(rules.near)
    is_day_first = any(rules.day_first for rules in lexicon.fields.values())
    for sentence, text in reading.statements:
        for group, find in _FINDERS.items():
            cues = (*by_group.get(group, ()), *lexicon.near_others.get(group, ()))
            spans = find(text, is_day_first=is_day_first) if cues else []
            if not spans:
                continue
            for mark, span in _assigned(text, _marks(text, cues), spans):
                if mark.cue.key in affinities:
                    rules = lexicon.fields[mark.cue.key]
                    if not mark.cue.documents or reading.type in mark.cue.documents:
                        yield from _of_mark(
                            reading, rules, sentence, text, mark, span, affinities[rules.field.key]
                        )


def _marks(text: str, cues: Sequence[Cue]) -> list[_Mark]:
    """Return where cues are; of two at one place the longer one."""
    found = [
        _Mark(match.start(), match.end(), cue)
        for cue in cues
        for match in cue.expression.finditer(text)
        if match.end() > match.start()
    ]
    return [
        mark
        for mark in found
        if not any(
            other.start <= mark.start
            and mark.end <= other.end
            and other.end - other.start > mark.end - mark.start
            for other in found
        )
    ]


def _assigned(text: str, marks: Sequence[_Mark], spans: Sequence[_Span]) -> Iterator[tuple[_Mark, _Span]]:
    """Pair each value with the nearest words and each words with the nearest value, the closest pair
    first."""
    pairs = sorted(
        (
            (cost, number, mark, span)
            for number, mark in enumerate(marks)
            for span in spans
            if (cost := _cost(text, mark, span, spans)) is not None
        ),
        key=lambda pair: pair[:2],
    )
    owners: dict[_Span, _Mark] = {}
    served: set[tuple[int, int, str]] = set()
    for _, _, mark, span in pairs:
        own = (mark.start, mark.end, mark.cue.key)
        owner = owners.get(span)
        if own in served or (owner is not None and (owner.start, owner.end) != (mark.start, mark.end)):
            continue
        served.add(own)
        owners[span] = mark
        yield mark, span


def _cost(text: str, mark: _Mark, span: _Span, spans: Sequence[_Span]) -> float | None:
    """Return how far a value is from the words, in words; None where another statement is between them."""
    is_after = span.start >= mark.end
    if not is_after and span.end > mark.start:
        return None
    if mark.cue.side and (mark.cue.side == "after") != is_after:
        return None
    begin, end = (mark.end, span.start) if is_after else (span.end, mark.start)
    between = text[begin:end]
    words = len(between.split())
    if words > mark.cue.gap or (_PARTED.search(between) and not (is_after and between.strip() == ":")):
        return None
    if any(begin <= other.start < end for other in spans):
        return None
    return words + (0.0 if is_after else _BEFORE)


def _of_mark(
    reading: DocumentReading,
    rules: FieldRules,
    sentence: Sentence,
    text: str,
    mark: _Mark,
    span: _Span,
    affinity: float,
) -> Iterator[Candidate]:
    cue, key = mark.cue, rules.field.key
    begin, stop = min(mark.start, span.start), max(mark.end, span.end)
    clause = text[slice(*clause_around(text, begin, stop))]
    if any(guard is not None and guard.search(clause) for guard in (cue.unless, rules.unless)):
        return
    polarity = polarity_at(text, mark.start, mark.end)
    if polarity is Polarity.NEGATED or (polarity is Polarity.OPEN and not lies_ahead(key)):
        return
    if is_no_fact(key, text, begin, stop):
        return
    taken = take(text[span.start : span.end], rules)
    if taken:
        yield candidate_of(
            reading, rules, taken[0].value, sentence.unit, sentence.as_of, affinity * cue.weight, "near"
        )


def _find_dates(text: str, *, is_day_first: bool) -> list[_Span]:
    found = list(find_day_first_dates(text)) if is_day_first else []
    return [_Span(span.start, span.end) for span in found or find_dates(text)]


def _find_sums(text: str, *, is_day_first: bool) -> list[_Span]:
    return [_Span(n.start, n.end) for n in find_number_spans(text) if n.is_money and not n.is_percent]


def _find_shares(text: str, *, is_day_first: bool) -> list[_Span]:
    return [_Span(n.start, n.end) for n in find_number_spans(text) if n.is_percent]


def _find_names(text: str, *, is_day_first: bool) -> list[_Span]:
    return [
        _Span(m.start(), m.end())
        for m in _NAMES.finditer(text)
        if is_person_like(m[0]) or m[0].startswith(("Dr", "Mr", "Ms"))
    ]


def _find_firms(text: str, *, is_day_first: bool) -> list[_Span]:
    return [_Span(m.start(), m.end()) for m in _FIRMS.finditer(text) if len(m[0].split()) > 1]


_FINDERS: Mapping[str, Callable[..., list[_Span]]] = {
    "date": _find_dates,
    "money": _find_sums,
    "percent": _find_shares,
    "person": _find_names,
    "firm": _find_firms,
}
