"""A page of a replaced document beside the page of the new one, aligned word by word.

Two readings of one page differ in misread words, in words that are parted otherwise, and in the order of
columns; what is left unpaired was added or taken out.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import Levenshtein

from citation_pipeline.core.documents.parsed import Words
from citation_pipeline.core.matching.folding import fold
from citation_pipeline.core.matching.vocabulary import is_listed

_LEAST_ALIKE = 0.6  # of the letters of a word and its misreading
_OUTER = ".,;:()[]"  # what may be around a number without being part of it
_LOOKS = bytes.maketrans(b"i1!|05", b"llllos")  # letters and figures that look alike
_FEWEST_ANCHORS = 8  # paired words that tell how two pages lie over each other
_WIDE_ENOUGH = 0.1  # of the page, between the words that tell how it is stretched
_NEAR_BY = 1.0  # of a word's height: how far off its line a word of the same print may be
_ASIDE = 2.0  # of the same reach, along the line
_LOOKED_AT = 4  # nearest words of the other page


@dataclass(frozen=True)
class AlignedPages:
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


def align_pages(before: Words, page: int, after: Words) -> AlignedPages | None:
    """Return a page of the old document beside the page of the new one most like it; None without pages."""
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
    return AlignedPages(before, after, old, new, same, kept, fresh, stretches)


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
    elif is_one_print("".join(before.texts[a] for a in ours), "".join(after.texts[b] for b in theirs)):
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
    middles = middles_of(before, [a for a, _ in pairs]), middles_of(after, [b for _, b in pairs])
    moved = middles_of(before, left)
    for axis in (0, 1):
        slope, shift = _straight_line(middles[0][:, axis], middles[1][:, axis])
        moved[:, axis] = slope * moved[:, axis] + shift
    there = middles_of(after, free)
    reach = _NEAR_BY * float(np.median(after.boxes[new, 3]))
    found: dict[int, int] = {}
    for word, (x, y) in zip(left, moved.tolist(), strict=True):
        for number in np.argsort(np.abs(there[:, 0] - x) + np.abs(there[:, 1] - y)).tolist()[:_LOOKED_AT]:
            other = free[number]
            if other in found.values() or abs(there[number][1] - y) > reach:
                continue
            if abs(there[number][0] - x) > _ASIDE * reach:
                continue
            if is_one_print(before.texts[word], after.texts[other]):
                found[word] = other
                break
    return found


def middles_of(words: Words, ids: Sequence[int]) -> NDArray[np.float64]:
    """Return the middles of words' boxes, (n, 2) in the page frame."""
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
    if is_one_print(ours, theirs):
        return True
    if any(letter.isdigit() for letter in ours + theirs):
        return False
    a, b = fold(ours), fold(theirs)
    if is_listed(a) and is_listed(b):
        return False
    return Levenshtein.normalized_similarity(a, b) >= _LEAST_ALIKE


def is_one_print(ours: str, theirs: str) -> bool:
    """Tell whether two readings are of the same print: the same number, or letters that look the same."""
    if any(letter.isdigit() for letter in ours) and any(letter.isdigit() for letter in theirs):
        return is_same_number(ours, theirs)
    return fold(ours).translate(_LOOKS) == fold(theirs).translate(_LOOKS)


def is_same_number(ours: str, theirs: str) -> bool:
    """Tell whether two readings have the same figures in the same groups.

    A comma and a point are one dot on a scan. With one of them alone it may change what is said (1,500 and
    1.500), with two it cannot.
    """
    a, b = ours.strip(_OUTER), theirs.strip(_OUTER)
    if a == b:
        return True
    return a.replace(",", ".") == b.replace(",", ".") and a.count(".") + a.count(",") >= 2  # noqa: PLR2004


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
