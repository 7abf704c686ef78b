"""Papers about somebody else that lie in a claim: another name, another number, nothing of the claim's.

A schema's rules name the fields that all documents of a claim share (`same_in_documents`).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property

from citation_pipeline.core.consistency.functions import name_words, same_person
from citation_pipeline.core.rules.documents import DocumentReading
from citation_pipeline.core.rules.lexicons.lexicon import Lexicon
from citation_pipeline.core.rules.readers.candidates import Candidate
from citation_pipeline.core.values.spans import fold, fold_words

_STATED = 0.7  # what a label states outright; less is a name in passing
_LEAST = 2  # fields that have to differ: one alone may be another spelling, or another office's number
_PEOPLE = frozenset({"person", "physician"})
_LEAST_LETTERS = 3  # of a part of a name that tells people apart
_ALIKE = 0.7  # of the letters of two names: one of them is misread

_Stated = Mapping[str, Sequence[str]]


@dataclass(frozen=True)
class _Paper:
    """A document with what it states; each is compared with every other, so its text is folded once."""

    stated: _Stated
    text: str

    @cached_property
    def folded(self) -> str:
        return fold(self.text)

    @cached_property
    def words(self) -> frozenset[str]:
        return frozenset(fold_words(self.text))


def papers_of_strangers(
    found: Mapping[str, Sequence[Candidate]], readings: Sequence[DocumentReading], lexicon: Lexicon
) -> frozenset[int]:
    """Return the numbers of the documents that are about another one than most; of as many each, of both."""
    keys = [rule.document_key for rule in lexicon.schema.rules if rule.document_key in lexicon.fields]
    stated: dict[int, dict[str, list[str]]] = {}
    for key in keys:
        for candidate in found.get(key, ()):
            if candidate.weight >= _STATED and candidate.value is not None:
                stated.setdefault(candidate.source, {}).setdefault(key, []).append(str(candidate.value))
    texts = {reading.number: reading.document.text for reading in readings}
    named = {number: _Paper(said, texts[number]) for number, said in stated.items() if number in texts}
    papers = {number: paper for number, paper in named.items() if len(paper.stated) >= _LEAST}
    numbers = list(papers)
    apart = [
        (one, other)
        for at, one in enumerate(numbers)
        for other in numbers[at + 1 :]
        if _are_apart(papers[one], papers[other], lexicon)
    ]
    with_each = {one: sum(_share(stated[one], stated[other], lexicon) for other in papers) for one in papers}
    strangers = set(_of_another_name(named, lexicon))
    for one, other in apart:
        strangers.update(n for n in (one, other) if with_each[n] <= min(with_each[one], with_each[other]))
    return frozenset(strangers)


def _of_another_name(papers: Mapping[int, _Paper], lexicon: Lexicon) -> Iterator[int]:
    """Yield the papers that name somebody else and hold nothing that the claim's other papers state.

    One name may be misread; a paper without a word of the claim's own name and number is not of it.
    """
    for key in (key for key in lexicon.fields if lexicon.fields[key].kind in _PEOPLE):
        told = {number: paper.stated[key] for number, paper in papers.items() if key in paper.stated}
        for number, names in told.items():
            others = [n for n in told if not _share_names(names, told[n])]
            agreeing = [n for n in others if any(_share_names(told[n], told[m]) for m in others if m != n)]
            is_outvoted = len(agreeing) >= _LEAST and len(agreeing) > len(told) - len(others)
            if is_outvoted and not _holds_any(papers[number], papers, agreeing, lexicon):
                yield number


def _share_names(one: Sequence[str], other: Sequence[str]) -> bool:
    """Tell whether two papers name one person, or two whose names are alike: a scan misreads letters."""
    return any(
        same_person(first, second) or SequenceMatcher(None, fold(first), fold(second)).ratio() > _ALIKE
        for first in one
        for second in other
    )


def _holds_any(paper: _Paper, papers: Mapping[int, _Paper], others: Sequence[int], lexicon: Lexicon) -> bool:
    """Tell whether a paper holds a name, number or day that any of the others states."""
    return any(
        _names(paper, key, value, lexicon)
        for number in others
        for key, values in papers[number].stated.items()
        for value in values
    )


def _are_apart(one: _Paper, other: _Paper, lexicon: Lexicon) -> bool:
    """Tell whether two papers differ in all that both state, and neither names what is the other's."""
    both = [key for key in one.stated if key in other.stated]
    if len(both) < _LEAST:
        return False
    return not any(
        _same(key, first, second, lexicon)
        or _names(other, key, first, lexicon)
        or _names(one, key, second, lexicon)
        for key in both
        for first in one.stated[key]
        for second in other.stated[key]
    )


def _share(one: _Stated, other: _Stated, lexicon: Lexicon) -> bool:
    return any(
        _same(key, first, second, lexicon)
        for key in one
        if key in other
        for first in one[key]
        for second in other[key]
    )


def _same(key: str, one: str, other: str, lexicon: Lexicon) -> bool:
    return same_person(one, other) if lexicon.fields[key].kind in _PEOPLE else fold(one) == fold(other)


def _names(paper: _Paper, key: str, value: str, lexicon: Lexicon) -> bool:
    if lexicon.fields[key].kind not in _PEOPLE:
        return fold(value) in paper.folded
    return any(len(word) >= _LEAST_LETTERS and word in paper.words for word in name_words(value))
