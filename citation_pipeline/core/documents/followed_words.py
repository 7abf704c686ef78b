"""Where words of a replaced document are in the new one, and whether they still say the same there.

A signature follows only a statement that is unchanged: the same words, in a line that reads the same below a
line that reads the same, on a page on which nothing was added or removed that denies or limits. What may
differ is what a scan misreads: a word of which one reading is no word.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import Levenshtein

from citation_pipeline.core.documents.edge_lines import is_edge_line
from citation_pipeline.core.documents.parsed import Words
from citation_pipeline.core.matching.folding import fold
from citation_pipeline.core.matching.vocabulary import NEGATIONS, is_listed
from citation_pipeline.core.values.polarity import holds_negation

_NEIGHBOURS = 2  # words on either side that have to agree: a lone "Yes" is at many places
_LINES_ABOVE = 1  # a label or heading above the signed words is part of the statement
_REACH = (6, 4)  # lines above and below in which a word that denies speaks of the signed words
_LEAST_LETTERS = 3  # of a word that tells one subject from another
_SURE = 0.95  # recognition that is so sure misreads one word in a hundred
_LEAST_ALIKE = 0.6  # of the letters of a word and its misreading
_OUTER = ".,;:()[]"  # what may be around a number without being part of it
_LOOKS = bytes.maketrans(b"i1!|05", b"llllos")  # letters and figures that look alike
_FEWEST_ANCHORS = 8  # paired words that tell how two pages lie over each other
_WIDE_ENOUGH = 0.1  # of the page, between the words that tell how it is stretched
_NEAR_BY = 1.0  # of a word's height: how far off its line a word of the same print may be
_ASIDE = 2.0  # of the same reach, along the line
_LOOKED_AT = 4  # nearest words of the other page
# What makes a statement another one without denying it: its time, its standing, its certainty, its unit.
_LIMITS = re.compile(
    r"(?:dispute|disputed|former|formerly|prior|previous|previously|alleged|allegedly|estimate|estimated|expected|"
    r"proposed|projected|tentative|draft|void|voided|superseded|supersedes|replaced|replaces|amended|corrected|"
    r"correction|revised|withdrawn|cancelled|canceled|rescinded|revoked|expired|incorrect|incorrectly|erroneous|"
    r"erroneously|error|wrong|invalid|obsolete|pending|conditional|provisional|unverified|unconfirmed|if|sample|"
    r"example|template|dollars|pesos|euros?|cents|thousands|millions|hourly|daily|weekly|biweekly|monthly|yearly|"
    r"annual|annually|gross|net)",
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
    if _is_of_another(signed, pages):
        return ()
    return () if _says_otherwise(signed, pages) else places


@dataclass(frozen=True)
class _AlignedPages:
    """A page of the old document beside the page of the new one, by word ids.

    `same` and `kept` lead from old words to new ones, `kept` with the misread ones too; `arrived` are the new
    page's words that the old one has not. `stretches` are the words of either page between words that agree.
    """

    before: Words
    after: Words
    old: Sequence[int]
    new: Sequence[int]
    same: Mapping[int, int]
    kept: Mapping[int, int]
    arrived: frozenset[int]
    stretches: Sequence[tuple[Sequence[int], Sequence[int]]]


def _align(before: Words, page: int, after: Words) -> _AlignedPages | None:
    old = np.flatnonzero(before.page == page).tolist()
    old_keys = [fold(before.texts[word]) for word in old]
    best_page = _page_like(old_keys, after)
    if best_page is None:
        return None
    new = np.flatnonzero(after.page == best_page).tolist()
    new_keys = [fold(after.texts[word]) for word in new]
    same: dict[int, int] = {}
    kept: dict[int, int] = {}
    explained: set[int] = set()
    stretches: list[tuple[list[int], list[int]]] = []
    lost: list[int] = []
    arrived: list[int] = []
    for code in Levenshtein.opcodes(old_keys, new_keys):
        ours, theirs = old[code.src_start : code.src_end], new[code.dest_start : code.dest_end]
        if code.tag == "equal":
            same |= zip(ours, theirs, strict=True)
            stretches.append((lost, arrived))
            lost, arrived = [], []
        else:
            lost.extend(ours)
            arrived.extend(theirs)
    stretches.append((lost, arrived))
    for ours, theirs in stretches:
        _pair_stretch(before, ours, after, theirs, kept=kept, explained=explained)
    kept |= same
    by_place = _pair_by_place(before, old, after, new, kept)
    kept |= by_place
    same |= {a: b for a, b in by_place.items() if fold(before.texts[a]) == fold(after.texts[b])}
    fresh = frozenset(new).difference(kept.values(), explained)
    return _AlignedPages(before, after, old, new, same, kept, fresh, stretches)


def _pair_stretch(
    before: Words,
    ours: Sequence[int],
    after: Words,
    theirs: Sequence[int],
    *,
    kept: dict[int, int],
    explained: set[int],
) -> None:
    """Pair the words between words that agree: one by one, or all where they are parted otherwise.

    "Not.yet" is "Not yet": of words that are one on the other page, the first is paired, the rest explained.
    """
    if not ours or not theirs:
        return
    if len(ours) == len(theirs):
        pairs = zip(ours, theirs, strict=True)
        kept.update((a, b) for a, b in pairs if _is_misreading(before.texts[a], after.texts[b]))
    elif _is_one_print("".join(before.texts[a] for a in ours), "".join(after.texts[b] for b in theirs)):
        last = len(theirs) - 1
        kept.update((a, theirs[min(number, last)]) for number, a in enumerate(ours))
        explained.update(theirs)


def _pair_by_place(
    before: Words, old: Sequence[int], after: Words, new: Sequence[int], kept: Mapping[int, int]
) -> dict[int, int]:
    """Pair what is left by where it is printed: a scan's columns may be read in another order.

    The pages are laid over each other by the words that are paired, each direction stretched and moved.
    """
    taken = set(kept.values())
    left = [word for word in old if word not in kept]
    free = [word for word in new if word not in taken]
    if not left or not free or len(kept) < _FEWEST_ANCHORS:
        return {}
    pairs = sorted(kept.items())
    middles = _middles(before, [a for a, _ in pairs]), _middles(after, [b for _, b in pairs])
    moved = _middles(before, left)
    for axis in (0, 1):
        slope, shift = _straight_line(middles[0][:, axis], middles[1][:, axis])
        moved[:, axis] = slope * moved[:, axis] + shift
    there = _middles(after, free)
    reach = _NEAR_BY * float(np.median(after.boxes[new, 3]))
    found: dict[int, int] = {}
    for word, (x, y) in zip(left, moved.tolist(), strict=True):
        for number in np.argsort(np.abs(there[:, 0] - x) + np.abs(there[:, 1] - y)).tolist()[:_LOOKED_AT]:
            other = free[number]
            if other in found.values() or abs(there[number][1] - y) > reach:
                continue
            if abs(there[number][0] - x) > _ASIDE * reach:
                continue
            if _is_one_print(before.texts[word], after.texts[other]):
                found[word] = other
                break
    return found


def _middles(words: Words, ids: Sequence[int]) -> NDArray[np.float64]:
    boxes = words.boxes[list(ids)].astype(np.float64)
    middles: NDArray[np.float64] = boxes[:, :2] + boxes[:, 2:] / 2
    return middles


def _straight_line(a: NDArray[np.float64], b: NDArray[np.float64]) -> tuple[float, float]:
    """Return slope and shift of b over a, from the outer thirds' medians: a few wrong pairs move neither."""
    order = np.argsort(a)
    third = max(len(order) // 3, 1)
    low, high = order[:third], order[-third:]
    width = float(np.median(a[high]) - np.median(a[low]))
    slope = float(np.median(b[high]) - np.median(b[low])) / width if width > _WIDE_ENOUGH else 1.0
    return slope, float(np.median(b - slope * a))


def _is_misreading(ours: str, theirs: str) -> bool:
    """Tell whether two readings may be of one printed word: nearly alike, and one of them no word."""
    if _is_one_print(ours, theirs):
        return True
    if any(letter.isdigit() for letter in ours + theirs):
        return False
    a, b = fold(ours), fold(theirs)
    if is_listed(a) and is_listed(b):
        return False
    return Levenshtein.normalized_similarity(a, b) >= _LEAST_ALIKE


def _is_one_print(ours: str, theirs: str) -> bool:
    """Tell whether two readings are of the same print: the same number, or letters that look the same."""
    if any(letter.isdigit() for letter in ours) and any(letter.isdigit() for letter in theirs):
        return _is_same_number(ours, theirs)
    return fold(ours).translate(_LOOKS) == fold(theirs).translate(_LOOKS)


def _is_same_number(ours: str, theirs: str) -> bool:
    """Tell whether two readings have the same figures in the same groups.

    A comma and a point are one dot on a scan. With one of them alone it may change what is said (1,500 and
    1.500), with two it cannot.
    """
    a, b = ours.strip(_OUTER), theirs.strip(_OUTER)
    if a == b:
        return True
    return a.replace(",", ".") == b.replace(",", ".") and a.count(".") + a.count(",") >= 2  # noqa: PLR2004


def _reads_alike(before: str, after: str) -> bool:
    """Tell whether a word is the same: a number to the last figure, any other word but for case and marks."""
    if before == after:
        return True
    if any(letter.isdigit() for letter in before + after):
        return _is_same_number(before, after)
    return bool(fold(before)) and fold(before) == fold(after)


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
    return all(word in pages.kept for word in ours if fold(pages.before.texts[word])) and not any(
        word in pages.arrived for word in theirs if fold(pages.after.texts[word])
    )


def _statement(words: Words, page: Sequence[int], at: Sequence[int]) -> list[int]:
    """Return the page's words in the lines of the given ones and in the line above."""
    first, last = int(words.line[min(at)]), int(words.line[max(at)])
    own = [word for word in page if first - _LINES_ABOVE <= int(words.line[word]) <= last]
    above = [word for word in own if int(words.line[word]) < first]
    return [word for word in own if word not in above] if above and is_edge_line(words, above) else own


def _is_of_another(at: Sequence[int], pages: _AlignedPages) -> bool:
    """Tell whether the page speaks of somebody or something else above the words: a name, a number, a column.

    What is printed above governs what is below. Where both pages were read surely and say different things,
    that is no noise; where either was not sure, or has nothing, a scan lost it.
    """
    low_before = float(_middles(pages.before, at)[:, 1].max())
    low_after = float(_middles(pages.after, [pages.kept[word] for word in at])[:, 1].max())
    moved_from: set[bytes] = set()
    moved_to: set[bytes] = set()
    for ours, others in pages.stretches:
        fresh = pages.arrived.union(_misread(ours, pages))
        gone = _sure_above(pages.before, (w for w in ours if not _is_same_print(w, pages)), low_before)
        came = _sure_above(pages.after, (w for w in others if w in fresh), low_after)
        if gone and came:
            return True
        moved_from.update(fold(pages.before.texts[word]) for word in gone)
        moved_to.update(fold(pages.after.texts[word]) for word in came)
    return bool(moved_from & moved_to)  # two columns' heads were exchanged


def _sure_above(words: Words, ids: Iterable[int], low: float) -> list[int]:
    """Return the words of these that are surely read and not below `low` (of the page)."""
    return [word for word in ids if _is_sure(words, word) and _middles(words, [word])[0, 1] <= low]


def _misread(ours: Sequence[int], pages: _AlignedPages) -> set[int]:
    """Return the new words of a stretch that pass as misreadings of old ones."""
    return {pages.kept[word] for word in ours if word in pages.kept and not _is_same_print(word, pages)}


def _is_same_print(word: int, pages: _AlignedPages) -> bool:
    other = pages.kept.get(word)
    if other is None:
        return False
    ours, theirs = pages.before.texts[word], pages.after.texts[other]
    return _is_one_print(ours, theirs) or fold(ours) in fold(theirs) or fold(theirs) in fold(ours)


def _is_sure(words: Words, word: int) -> bool:
    """Tell whether a word is one to go by: long enough, and from a text layer or surely recognized."""
    confidence = float(words.confidence[word])
    return len(fold(words.texts[word])) >= _LEAST_LETTERS and (np.isnan(confidence) or confidence >= _SURE)


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
