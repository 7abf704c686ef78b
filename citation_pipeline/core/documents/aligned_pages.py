"""A page of a replaced document beside the page of the new one, aligned word by word.

For pages that say the same but do not lie over each other (`overlaid_pages`): set anew, or short.
Two readings differ in misread words and in words that are parted otherwise; what is left unpaired was added
or taken out.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from rapidfuzz.distance import Levenshtein

from citation_pipeline.core.documents.parsed import Words
from citation_pipeline.core.documents.readings import is_misreading, is_one_print
from citation_pipeline.core.matching.folding import fold


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


def align_pages(before: Words, old: Sequence[int], after: Words, new: Sequence[int]) -> AlignedPages:
    """Return a page of the old document beside a page of the new one, both by their words' ids."""
    old_keys = [fold(before.texts[word]) for word in old]
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
        kept.update((a, b) for a, b in pairs if is_misreading(before.texts[a], after.texts[b]))
    elif is_one_print("".join(before.texts[a] for a in ours), "".join(after.texts[b] for b in theirs)):
        last = len(theirs) - 1
        kept.update((a, theirs[min(number, last)]) for number, a in enumerate(ours))
        explained.update(theirs)


def page_like(keys: Sequence[bytes], words: Words) -> int | None:
    """Return the page that shares the most words with a page of these keys; None where there are no words."""
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
