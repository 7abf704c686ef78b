"""Whether the sentence behind what is quoted takes it back: `The toll was paid. This is not correct.`

Such a sentence begins with a word that points back (`this`, `the above`) and says that it is not so, or is a
short one of somebody who disagrees.
"""

from bisect import bisect_left
from collections.abc import Iterator
from functools import cache

from citation_pipeline.core.matching.clauses import articles_of
from citation_pipeline.core.matching.index import DocumentIndex
from citation_pipeline.core.matching.turn_places import last_before, turn_places
from citation_pipeline.core.matching.turns import Turns, stands_at, turns, words_of
from citation_pipeline.core.matching.vocabulary import NEGATIONS

_LONGEST, _SHORT = 14, 9  # words of a sentence that takes back, and of one that disagrees
_POINTING, _SAID_EARLY = 2, 6  # words of its begin among which is what points back, or who disagrees
_BEHIND_DISAGREED = 3  # words behind it to the end, or to what points back
_FAR = 60  # words of a sentence that is corrected
_KINDS = ("untrue", "undone")


@cache
def _telling() -> frozenset[bytes]:
    """Return the words of which one is in every sentence that takes another back."""
    return frozenset(
        phrase[-1]
        for each in turns().values()
        for kind in (*_KINDS, "true", "disagree")
        for phrase in each.kinds.get(kind, ())
    )


@cache
def _pointing() -> frozenset[bytes]:
    return frozenset(phrase[0] for each in turns().values() for phrase in each.kinds.get("pointer", ()))


def is_taken_back(index: DocumentIndex, last: int) -> bool:
    """Tell whether the sentence behind the one that a word is in takes that back."""
    taken, ends = _taken_back(index), turn_places(index).ends
    if not taken:
        return False
    at = bisect_left(ends, last)
    return at < len(ends) and ends[at] in taken


def _taken_back(index: DocumentIndex) -> frozenset[int]:
    """Return the last words of the sentences that the next one takes back; found once."""
    if index.taken_back is None:
        ends = turn_places(index).ends
        found = set()
        for word in index.keyed(_telling()):
            end = last_before(ends, word, _LONGEST)
            if end >= 0 and end not in found and _takes_back(index, end + 1, word, ends):
                found.add(end)
        found.update(_corrected(index))
        index.taken_back = frozenset(found)
    return index.taken_back


def _corrected(index: DocumentIndex) -> Iterator[int]:
    """Yield the last words of the sentences behind which a correction is printed: `Erratum: ...`."""
    words, ends = index.words, turn_places(index).ends
    for word in index.keyed(words_of("marker")):
        if not word or last_before(ends, word, 1) < 0 or words.block.item(word) != words.block.item(word - 1):
            continue
        begun = {index.keys[max(0, last_before(ends, word - 1, _FAR) + 1)]}
        for known in turns().values():
            for phrase, kind in known.starts.get(index.keys[word], ()):
                last = min(word + len(phrase), len(index.keys)) - 1
                is_label = words.texts[last].endswith(":") or words.texts[last + 1 : last + 2] == [":"]
                is_marked = (
                    kind == "marker" and stands_at(index, word, phrase) and (is_label or len(phrase) > 1)
                )
                # `Assuming that it rained, ... In truth it was dry` is no correction of what is only supposed
                if is_marked and not (begun & words_of("condition") | begun & words_of("opening")):
                    yield word - 1


def _takes_back(index: DocumentIndex, first: int, word: int, ends: list[int]) -> bool:
    """Tell whether a sentence takes the one before it back, by a word of its own."""
    at = bisect_left(ends, word)
    last = ends[at] if at < len(ends) else len(index.keys) - 1
    if last - first >= _LONGEST or index.words.texts[last].endswith(":"):
        return False
    if index.words.page.item(first) != index.words.page.item(first - 1):
        return False
    begin = _pointing_words(index, first)
    return any(_says_so(index, each, first, word, last, points=bool(begin)) for each in turns())


def _pointing_words(index: DocumentIndex, first: int) -> set[bytes]:
    """Return those of a sentence's first words that may point back, or deny."""
    most = _POINTING + index.words.texts[first].endswith("-")  # a word that the line's end parts
    return {key for key in index.keys[first : first + most] if key in _pointing() or key in NEGATIONS}


def _says_so(index: DocumentIndex, language: str, first: int, word: int, last: int, *, points: bool) -> bool:
    keys, known = index.keys, turns()[language]
    rest = keys[word + 1 : last + 1]
    # `It is wrong that the lamp broke` speaks of what it says itself
    if any(known.has(kind, key) for key in rest[:-1] for kind in ("that", "asked", "condition")):
        return False
    # so does `It would be wrong to say that the lamp broke and was withdrawn`
    if any(known.has("that", key) for key in keys[first + _POINTING : word]):
        return False
    kinds = {
        kind
        for phrase, kind in known.ends.get(keys[word], ())
        if stands_at(index, word - len(phrase) + 1, phrase) and word - len(phrase) + 1 >= first
    }
    near = range(word + 1, min(last, word + _BEHIND_DISAGREED) + 1)
    is_own = len(rest) <= 1 or any(_points(known, index, each) for each in near)
    if "disagree" in kinds and is_own and word - first < _SAID_EARLY and last - first < _SHORT:
        return True
    if not points:
        return False
    # `Is that accurate?` leaves it open
    is_asked = index.words.texts[last].endswith(("?", "؟"))
    # `un` denies nothing where it is an article
    denials = NEGATIONS - articles_of(language)
    is_denied = is_asked or any(key in denials for key in keys[first : last + 1])
    if "true" in kinds and is_denied:
        return _begins_with(known, index, first) or keys[first] in NEGATIONS
    return not is_denied and any(kind in kinds for kind in _KINDS) and _begins_with(known, index, first)


def _points(known: Turns, index: DocumentIndex, word: int) -> bool:
    return any(
        kind == "pointer" and stands_at(index, word, phrase)
        for phrase, kind in known.starts.get(index.keys[word], ())
    )


def begins_pointing(index: DocumentIndex, first: int) -> bool:
    """Tell whether one of a sentence's first words points back, in whatever language."""
    return bool(_pointing_words(index, first)) and any(
        _begins_with(known, index, first) for known in turns().values()
    )


def _begins_with(known: Turns, index: DocumentIndex, first: int) -> bool:
    """Tell whether one of a sentence's first words points back, in its language."""
    most = _POINTING + index.words.texts[first].endswith("-")  # a word that the line's end parts
    return any(_points(known, index, word) for word in range(first, min(first + most, len(index.keys))))
