"""Whether a sentence that a model wrote says no more than the words that it quotes.

A quotation that is found proves that its words are there, not that they say what the sentence says. Refused
is what can be seen without understanding: figures and names that nothing quoted has, words of which none is
quoted, a denial made an assertion or the reverse, a condition made a fact.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from citation_pipeline.core.matching.folding import fold
from citation_pipeline.core.matching.vocabulary import is_name, known_words
from citation_pipeline.core.values.dates import find_dates
from citation_pipeline.core.values.numbers import find_numbers
from citation_pipeline.core.values.polarity import clause_around, holds_negation, is_conditional
from citation_pipeline.core.values.spans import fold_words

_STEM = 4  # letters that two forms of a word share: employer, employed
_NAME = re.compile(r"(?<![\w'’])[A-Z][\w'’-]+")
_START = re.compile(r"(?:^|[a-z0-9)]{4}[.!?:;]\s+)[\"'“(]*$")  # of a sentence: not behind "Dr." or "J."
_TITLES = frozenset({"dr", "mr", "mrs", "ms", "md", "i", "the"})
_ASKS_WHAT = re.compile(r"\W*(?:who|whom|whose|when|where|which|what|why|how)\b", re.I)
_SUPPOSES = re.compile(
    r"\b(?:if|unless|whether|should|would|may|might|could|possibl[ey]|potential\w*)\b", re.I
)


@dataclass(frozen=True, slots=True)
class QuotedPlace:
    """A quotation as it was found: its words, and the clause of the document that they are cut from."""

    text: str
    clause: str
    is_supposed: bool = False
    """Whether the document says it as a condition or a question."""


def quoted_place(text: str, start: int, end: int) -> QuotedPlace:
    """Return the quotation that is a range of a document's text."""
    begin, stop = clause_around(text, start, end)
    return QuotedPlace(text[start:end], text[begin:stop], is_conditional(text, start, end))


def says_more(sentence: str, quoted: Sequence[QuotedPlace], *, question: str) -> bool:
    """Tell whether a sentence says what its quotations do not.

    Of a question that names its subject ("when was Ana Ruiz born?") the sentence may repeat names and
    figures; one that asks for a yes ("was she born in 1985?") proposes them, and then they have to be quoted.
    """
    words = " ".join(place.text for place in quoted)
    known = f"{words} {question}" if _ASKS_WHAT.match(question) else words
    return (
        adds_figures(sentence, known)
        or _adds_names(sentence, known)
        or not _shares_words(sentence, words)
        or _turns_round(sentence, quoted)
    )


def adds_figures(sentence: str, quoted: str) -> bool:
    """Tell whether a sentence has a date or a number that its quotations do not have."""
    dates = {span.value for span in find_dates(sentence)}
    if not dates <= {span.value for span in find_dates(quoted)}:
        return True
    printed = find_dates(sentence)
    numbers = {
        span.value
        for span in find_numbers(sentence)
        if not any(date.start <= span.start < date.end for date in printed)
    }
    return not numbers <= {span.value for span in find_numbers(quoted)}


def _adds_names(sentence: str, known: str) -> bool:
    """Tell whether a sentence has a capitalized word that nothing quoted has; its first is none alone."""
    dates = find_dates(sentence)
    told = set(fold_words(known))
    for match in _NAME.finditer(sentence):
        begins = _START.search(sentence[: match.start()]) and not re.match(r" [A-Z]", sentence[match.end() :])
        if begins and not _is_name_only(match[0]):
            continue
        if any(date.start <= match.start() < date.end for date in dates):
            continue
        words = fold_words(re.sub(r"['’]s$", "", match[0]))
        if any(word not in told and word not in _TITLES for word in words):
            return True
    return False


def _is_name_only(word: str) -> bool:
    key = fold(word)
    return is_name(key) and key not in known_words()


def _shares_words(sentence: str, quoted: str) -> bool:
    if find_dates(sentence) or find_numbers(sentence):
        return True  # which the quotations have
    stems = {word[:_STEM] for word in fold_words(quoted) if len(word) >= _STEM}
    said = {word[:_STEM] for word in fold_words(sentence) if len(word) >= _STEM}
    return bool(said & stems) or not said


def _turns_round(sentence: str, quoted: Sequence[QuotedPlace]) -> bool:
    denies = [holds_negation(place.clause) for place in quoted]
    if holds_negation(sentence):
        return not any(denies)
    if all(denies):
        return True
    return all(place.is_supposed for place in quoted) and not _SUPPOSES.search(sentence)
