"""Where a document has words that may turn a clause beside them: most quotations have none near, and are
settled by one look. What such a word does to a quotation is `cut_clauses`' to tell.
"""

from bisect import bisect_left, bisect_right
from dataclasses import dataclass

from citation_pipeline.core.matching.index import DocumentIndex
from citation_pipeline.core.matching.turns import phrases_told, stands_at, triggers
from citation_pipeline.core.matching.written_words import CLAUSE_ENDS, OPENING

FAR, ASKED = 32, 20
"""Words before a clause, and behind it to a question mark, that may be of its sentence."""
CLOSING = "\"'”’)]»“‘«"
"""Marks behind the stop of a sentence; the last three close in German."""
SAYING = 5
"""Words before a `that` among which is who says it."""
_TAG_ENDS = frozenset((".", ",", ";"))
_STOPS = (*CLAUSE_ENDS, "？", "！", ":")
_LAST_MARKS = frozenset((*(stop[-1] for stop in _STOPS), *CLOSING))
TITLES = frozenset(
    b"dr mr mrs ms prof st no vs hon sgt rev jr sr inc co ltd hr fr bzw ca nr art sra dra mme al".split()
)
"""Abbreviations whose stop ends no sentence."""


def last_before(words: list[int], first: int, reach: int) -> int:
    """Return the last of some words that is within reach before another one, or -1."""
    at = bisect_left(words, first) - 1
    return words[at] if at >= 0 and words[at] >= first - reach else -1


def first_behind(words: list[int], last: int, reach: int) -> int:
    """Return the first of some words that is within reach behind another one, or -1."""
    at = bisect_right(words, last)
    return words[at] if at < len(words) and words[at] <= last + reach else -1


@dataclass(frozen=True, slots=True)
class TurnPlaces:
    """The words of a document that may turn a clause far or right behind them, or before them, those that end
    a question, and those that end any sentence."""

    far: list[int]
    near: list[int]
    behind: list[int]
    asked: list[int]
    ends: list[int]


def turn_places(index: DocumentIndex) -> TurnPlaces:
    """Return where a document has words that turn; found once for all quotations."""
    known = index.turn_places
    if not isinstance(known, TurnPlaces):
        known = index.turn_places = _find(index)
    return known


def _find(index: DocumentIndex) -> TurnPlaces:
    keys, texts, known = index.keys, index.words.texts, triggers()
    found = TurnPlaces([], [], [], [], _sentence_ends(index))
    for word in index.keyed(known.every):
        key = keys[word]
        if key in known.that:
            said = keys[max(0, word - SAYING) : word]
            if not (known.tellers.isdisjoint(said) and known.parties.isdisjoint(said)):
                found.far.append(word)
        if key in known.inverted:
            is_led = texts[word][:1].isupper()
            (found.far if is_led else found.behind).append(word)
        if _is_phrase(index, word):
            for kind, places in (
                (known.far, found.far),
                (known.near, found.near),
                (known.behind, found.behind),
            ):
                if key in kind:
                    places.append(word)
        if key in known.tellers and word and texts[word][-1:] in _TAG_ENDS:
            found.behind.append(word)
    asking = {text for text in index.key_of if "?" in text or "؟" in text}
    found.asked.extend(index.written(asking) if asking else ())
    return found


def _is_phrase(index: DocumentIndex, word: int) -> bool:
    """Tell whether a word stands in a phrase that turns, and not by itself: `case` in `in case`."""
    return any(
        len(phrase) == 1 or stands_at(index, word - at, phrase)
        for at, phrase in phrases_told().get(index.keys[word], ())
    )


def _sentence_ends(index: DocumentIndex) -> list[int]:
    """Return the words that end a sentence or a label."""
    marked = {text for text in index.key_of if text[-1:] in _LAST_MARKS}
    return [word for word in index.written(marked) if _ends_sentence(index, word)]


def _ends_sentence(index: DocumentIndex, word: int) -> bool:
    bared = index.words.texts[word].rstrip(CLOSING)
    if not bared.endswith(_STOPS):
        return False
    if not bared.endswith(".") or word + 1 >= len(index.keys):
        return True
    # `Dr. Kemp`, `J. Kemp`, `approx. two`
    is_short = index.keys[word] in TITLES or len(index.keys[word]) == 1
    return not is_short and not index.words.texts[word + 1].lstrip(OPENING)[:1].islower()
