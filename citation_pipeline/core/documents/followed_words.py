"""Where words of a replaced document are in the new one, and whether they still say the same there.

A signature follows only a statement that is unchanged. Two prints of one page lie over each other, so they
are compared place by place (`overlaid_statements`), in whatever order they were read. Where they do not, as
when a letter was set anew, the words are compared in reading order: the same words, in a line that reads the
same below a line that reads the same, on a page on which nothing was added or removed that denies or limits.
What may differ is what a scan misreads: a word of which one reading is no word.
"""

from collections.abc import Iterable, Sequence

import numpy as np

from citation_pipeline.core.documents.aligned_pages import AlignedPages, align_pages, page_like
from citation_pipeline.core.documents.edge_lines import is_edge_line
from citation_pipeline.core.documents.overlaid_pages import middles_of, overlay_pages
from citation_pipeline.core.documents.overlaid_statements import places_over
from citation_pipeline.core.documents.parsed import Words
from citation_pipeline.core.documents.readings import denies, is_one_print, is_sure, limits, reads_alike
from citation_pipeline.core.matching.folding import fold

_NEIGHBOURS = 2  # words on either side that have to agree: a lone "Yes" is at many places
_LINES_ABOVE = 1  # a label or heading above the signed words is part of the statement
_REACH = (6, 4)  # lines above and below in which a word that denies speaks of the signed words


def follow_words(before: Words, at: Sequence[int], after: Words) -> tuple[int, ...]:
    """Return where words of a replaced document are in the new one; () unless the statement is the same."""
    if not at or len({int(before.page[word]) for word in at}) != 1:
        return ()
    signed = sorted(at)
    old = np.flatnonzero(before.page == before.page[signed[0]]).tolist()
    page = page_like([fold(before.texts[word]) for word in old], after)
    if page is None:
        return ()
    new = np.flatnonzero(after.page == page).tolist()
    laid = overlay_pages(before, old, after, new)
    if laid is not None:
        return places_over(laid, signed)
    return _places_in_order(signed, align_pages(before, old, after, new))


def _places_in_order(signed: Sequence[int], pages: AlignedPages) -> tuple[int, ...]:
    """Return where signed words are on a page that is set otherwise; () unless the statement is the same.

    All the words have to be there side by side with a neighbour, so that of many equal words the right one is
    found.
    """
    places = tuple(pages.same[word] for word in signed if word in pages.same)
    if len(places) != len(signed) or not _side_by_side(signed, places):
        return ()
    before, after = pages.before, pages.after
    if not all(reads_alike(before.texts[a], after.texts[b]) for a, b in zip(signed, places, strict=True)):
        return ()
    if not _has_neighbour(signed, pages) or not _reads_the_same_around(signed, pages):
        return ()
    if _is_of_another(signed, pages):
        return ()
    return () if _says_otherwise(signed, pages) else places


def _side_by_side(at: Sequence[int], places: Sequence[int]) -> bool:
    """Tell whether the words keep their distances: nothing was put between or taken out."""
    return all(b - a == d - c for a, b, c, d in zip(at, at[1:], places, places[1:], strict=False))


def _has_neighbour(at: Sequence[int], pages: AlignedPages) -> bool:
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


def _reads_the_same_around(at: Sequence[int], pages: AlignedPages) -> bool:
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


def _is_of_another(at: Sequence[int], pages: AlignedPages) -> bool:
    """Tell whether the page speaks of somebody or something else above the words: a name, a number, a column.

    What is printed above governs what is below. Where both pages were read surely and say different things,
    that is no noise; where either was not sure, or has nothing, a scan lost it.
    """
    low_before = float(middles_of(pages.before.boxes[list(at)])[:, 1].max())
    low_after = float(middles_of(pages.after.boxes[[pages.kept[word] for word in at]])[:, 1].max())
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
    return [word for word in ids if is_sure(words, word) and middles_of(words.boxes[[word]])[0, 1] <= low]


def _misread(ours: Sequence[int], pages: AlignedPages) -> set[int]:
    """Return the new words of a stretch that pass as misreadings of old ones."""
    return {pages.kept[word] for word in ours if word in pages.kept and not _is_same_print(word, pages)}


def _is_same_print(word: int, pages: AlignedPages) -> bool:
    other = pages.kept.get(word)
    if other is None:
        return False
    ours, theirs = pages.before.texts[word], pages.after.texts[other]
    return is_one_print(ours, theirs) or fold(ours) in fold(theirs) or fold(theirs) in fold(ours)


def _says_otherwise(at: Sequence[int], pages: AlignedPages) -> bool:
    """Tell whether a word that limits is on one of the pages only, or one that denies near the words."""
    sides = (
        (pages.before, at, [word for word in pages.old if word not in pages.kept]),
        (pages.after, [pages.kept[word] for word in at], sorted(pages.arrived)),
    )
    return any(
        limits(words.texts[word]) or (denies(words.texts[word]) and _is_near(words, word, own))
        for words, own, changed in sides
        for word in changed
    )


def _is_near(words: Words, word: int, at: Sequence[int]) -> bool:
    above, below = _REACH
    first, last = int(words.line[min(at)]), int(words.line[max(at)])
    return first - above <= int(words.line[word]) <= last + below
