"""Where words of a replaced document are in the new one, and whether they still say the same there.

A signature follows only a statement that is unchanged: the same words, in a line that reads the same below a
line that reads the same, on a page on which nothing was added or removed that denies or limits. What may
differ is what a scan misreads: a word of which one reading is no word.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from rapidfuzz.distance import Levenshtein

from citation_pipeline.core.documents.parsed import Words
from citation_pipeline.core.matching.folding import fold
from citation_pipeline.core.matching.vocabulary import NEGATIONS, is_listed
from citation_pipeline.core.values.polarity import holds_negation

_NEIGHBOURS = 2  # words on either side that have to agree: a lone "Yes" is at many places
_LINES_ABOVE = 1  # a label or heading above the signed words is part of the statement
_REACH = (6, 4)  # lines above and below in which a word that denies speaks of the signed words
_LEAST_ALIKE = 0.6  # of the letters of a word and its misreading
# What makes a statement another one without denying it: its time, its standing, its certainty.
_LIMITS = re.compile(
    r"(?:dispute|disputed|former|formerly|prior|previous|previously|alleged|allegedly|estimate|estimated|expected|"
    r"proposed|projected|tentative|draft|void|voided|superseded|supersedes|replaced|replaces|amended|corrected|"
    r"correction|revised|withdrawn|cancelled|canceled|rescinded|revoked|expired|incorrect|incorrectly|erroneous|"
    r"erroneously|error|wrong|invalid|obsolete|pending|conditional|provisional|unverified|unconfirmed|if|sample|"
    r"example|template)",
    re.IGNORECASE,
)


def follow_words(before: Words, at: Sequence[int], after: Words) -> tuple[int, ...]:
    """Return where words of a replaced document are in the new one; () unless the statement is the same.

    The pages are aligned word by word. All the words have to be there side by side with a neighbour, so that
    of many equal words the right one is found; their lines and the line above may differ in misread words
    only; nothing that denies or limits may have been added to the page or left it.
    """
    if not at or len({int(before.page[word]) for word in at}) != 1:
        return ()
    signed = sorted(at)
    pages = _align(before, int(before.page[signed[0]]), after)
    if pages is None:
        return ()
    places = tuple(pages.same[word] for word in signed if word in pages.same)
    if len(places) != len(signed) or not _side_by_side(signed, places):
        return ()
    if not all(_reads_alike(before.texts[a], after.texts[b]) for a, b in zip(signed, places, strict=True)):
        return ()
    if not _has_neighbour(signed, pages) or not _reads_the_same_around(signed, pages):
        return ()
    return () if _says_otherwise(signed, pages) else places


@dataclass(frozen=True)
class _AlignedPages:
    """A page of the old document beside the page of the new one, by word ids.

    `same` and `kept` lead from old words to new ones, `kept` with the misread ones too; `arrived` are the new
    page's words that the old one has not.
    """

    before: Words
    after: Words
    old: Sequence[int]
    new: Sequence[int]
    same: Mapping[int, int]
    kept: Mapping[int, int]
    arrived: frozenset[int]


def _align(before: Words, page: int, after: Words) -> _AlignedPages | None:
    old = np.flatnonzero(before.page == page).tolist()
    old_keys = [fold(before.texts[word]) for word in old]
    best_page = _page_like(old_keys, after)
    if best_page is None:
        return None
    new = np.flatnonzero(after.page == best_page).tolist()
    new_keys = [fold(after.texts[word]) for word in new]
    same: dict[int, int] = {}
    misread: dict[int, int] = {}
    for block in Levenshtein.opcodes(old_keys, new_keys):
        if block.tag not in ("equal", "replace"):
            continue
        pairs = zip(old[block.src_start : block.src_end], new[block.dest_start : block.dest_end], strict=True)
        if block.tag == "equal":
            same |= pairs
        else:
            misread |= {a: b for a, b in pairs if _is_misreading(before.texts[a], after.texts[b])}
    kept = {**misread, **same}
    return _AlignedPages(before, after, old, new, same, kept, frozenset(new).difference(kept.values()))


def _is_misreading(ours: str, theirs: str) -> bool:
    """Tell whether two readings may be of one printed word: nearly alike, and one of them no word."""
    if any(letter.isdigit() for letter in ours + theirs):
        return False
    a, b = fold(ours), fold(theirs)
    if is_listed(a) and is_listed(b):
        return False
    return Levenshtein.normalized_similarity(a, b) >= _LEAST_ALIKE


def _reads_alike(before: str, after: str) -> bool:
    """Tell whether a word is the same: a number to the last sign, any other word but for case and marks."""
    if before == after:
        return True
    has_digit = any(letter.isdigit() for letter in before + after)
    return not has_digit and bool(fold(before)) and fold(before) == fold(after)


def _side_by_side(at: Sequence[int], places: Sequence[int]) -> bool:
    """Tell whether the words keep their distances: nothing was put between or taken out."""
    return all(b - a == d - c for a, b, c, d in zip(at, at[1:], places, places[1:], strict=False))


def _has_neighbour(at: Sequence[int], pages: _AlignedPages) -> bool:
    first, last = at[0], at[-1]
    near = [
        word for word in pages.old if first - _NEIGHBOURS <= word < first or last < word <= last + _NEIGHBOURS
    ]
    if not near:
        return True  # the page holds nothing else
    anchors = ((word, first if word < first else last) for word in near)
    return any(
        word in pages.same and pages.same[word] - pages.same[anchor] == word - anchor
        for word, anchor in anchors
    )


def _reads_the_same_around(at: Sequence[int], pages: _AlignedPages) -> bool:
    """Tell whether the words' own lines and the line above read the same on both pages, from end to end.

    Both ways: what the new lines hold beyond the old ones' words was put beside the signed words.
    """
    ours = _statement(pages.before, pages.old, at)
    theirs = _statement(pages.after, pages.new, [pages.kept[word] for word in at])
    return all(
        word in pages.kept and _numbers_agree(pages.before.texts[word], pages.after.texts[pages.kept[word]])
        for word in ours
        if fold(pages.before.texts[word])
    ) and not any(word in pages.arrived for word in theirs if fold(pages.after.texts[word]))


def _numbers_agree(ours: str, theirs: str) -> bool:
    return ours == theirs or not any(letter.isdigit() for letter in ours + theirs)


def _statement(words: Words, page: Sequence[int], at: Sequence[int]) -> list[int]:
    """Return the page's words in the lines of the given ones and in the line above."""
    first, last = int(words.line[min(at)]), int(words.line[max(at)])
    return [word for word in page if first - _LINES_ABOVE <= int(words.line[word]) <= last]


def _says_otherwise(at: Sequence[int], pages: _AlignedPages) -> bool:
    """Tell whether a word that limits is on one of the pages only, or one that denies near the words."""
    sides = (
        (pages.before, at, [word for word in pages.old if word not in pages.kept]),
        (pages.after, [pages.kept[word] for word in at], sorted(pages.arrived)),
    )
    return any(
        _limits(words.texts[word]) or (_denies(words.texts[word]) and _is_near(words, word, own))
        for words, own, changed in sides
        for word in changed
    )


def _is_near(words: Words, word: int, at: Sequence[int]) -> bool:
    above, below = _REACH
    first, last = int(words.line[min(at)]), int(words.line[max(at)])
    return first - above <= int(words.line[word]) <= last + below


def _denies(text: str) -> bool:
    return fold(text) in NEGATIONS or holds_negation(text)


def _limits(text: str) -> bool:
    return _LIMITS.fullmatch(text.strip(".,;:!?()[]*\"'")) is not None


def _page_like(keys: Sequence[bytes], words: Words) -> int | None:
    """Return the page of the new document that shares the most words with a page of the old one."""
    wanted = Counter(keys)
    shared = {
        int(page): sum(
            (
                wanted & Counter(fold(words.texts[w]) for w in np.flatnonzero(words.page == page).tolist())
            ).values()
        )
        for page in np.unique(words.page)
    }
    return max(shared, key=lambda page: (shared[page], -page)) if shared else None
