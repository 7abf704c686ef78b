"""The words that a scan brings along, each compared with what was recognized at its place.

A layer that agrees with most of a page may still say something else in one word: another recognizer's misread
figure, or a figure that somebody put there. A word is sure where both read the same; else never.
"""

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from citation_pipeline.core.boxes import Box
from citation_pipeline.core.layout.content import RecognizedWord

KnownWord = tuple[str, Box]

_AGREED = 0.98  # two readings of the same ink, with the same letters
_DISPUTED = 0.89  # the most for a word that another reading spells otherwise: below what counts as sure
_ALONE = 0.5  # ink that only the layer says is a word: a stamp, handwriting, a smear
_SURE = 0.9
_DRIFT, _LEVEL = 4.0, 0.7  # of the height: layers set as whole lines are off by some letters, never by a line
_SHARED = 0.3  # of the narrower box
_INK = 40  # grey values between print and paper


def compare_words(
    known: Sequence[KnownWord], found: Sequence[RecognizedWord], grey: NDArray[np.uint8]
) -> list[RecognizedWord]:
    """Return the page's words: the known ones that `found` confirms, of disputed ones the surer reading.

    A known word where the picture `grey` shows nothing is left out; what only `found` has is added.
    """
    words: list[RecognizedWord] = []
    mine, theirs = list(range(len(known))), list(range(len(found)))
    for one, other in _same_words(known, found):
        mine.remove(one)
        theirs.remove(other)
        box = known[one][1] if _overlap(known[one][1], found[other][1]) else found[other][1]
        words.append((known[one][0], box, max(_AGREED, found[other][2]), *found[other][3:4]))
    for group, others in _groups(known, found, mine, theirs):
        words.extend(_judged([known[at] for at in group], [found[at] for at in others], grey))
    return words


def _judged(
    known: Sequence[KnownWord], found: Sequence[RecognizedWord], grey: NDArray[np.uint8]
) -> list[RecognizedWord]:
    """Return the words of one place, of which each side has some, or one side none."""
    if not found:
        return [(text, box, _ALONE) for text, box in known if _has_ink(box, grey)]
    if not known:
        return list(found)
    turns = found[0][3:4]
    layer = " ".join(text for text, _ in known)
    if _key("".join(layer.split())) == _key("".join(word[0] for word in found)):
        return [(text, box, _AGREED, *turns) for text, box in known]
    read = " ".join(word[0] for word in found)
    if min(word[2] for word in found) >= _SURE:
        return [(word[0], word[1], _DISPUTED, turns[0] if turns else 0, layer) for word in found]
    least = min(_DISPUTED, *(word[2] for word in found))
    return [(text, box, least, turns[0] if turns else 0, read) for text, box in known]


def _same_words(known: Sequence[KnownWord], found: Sequence[RecognizedWord]) -> list[tuple[int, int]]:
    """Return pairs of known and found words that are one word: the same letters, near each other."""
    places: dict[str, list[int]] = {}
    for at, word in enumerate(found):
        places.setdefault(_key(word[0]), []).append(at)
    near: list[tuple[float, int, int]] = []
    for one, (text, box) in enumerate(known):
        for other in places.get(_key(text), ()):
            against = found[other][1]
            high = max(box.height, against.height)
            down = abs(box.top + box.bottom - against.top - against.bottom) / 2
            across = abs(box.left + box.right - against.left - against.right) / 2
            if down <= _LEVEL * high and across <= max(_DRIFT * high, box.width / 2):
                near.append((down + across, one, other))
    pairs: list[tuple[int, int]] = []
    taken: tuple[set[int], set[int]] = set(), set()
    for _, one, other in sorted(near):
        if one not in taken[0] and other not in taken[1]:
            taken[0].add(one)
            taken[1].add(other)
            pairs.append((one, other))
    return pairs


def _groups(
    known: Sequence[KnownWord], found: Sequence[RecognizedWord], mine: list[int], theirs: list[int]
) -> list[tuple[list[int], list[int]]]:
    """Return known and found words that lie on one another, each in one group, ordered from the left."""
    groups: list[tuple[list[int], list[int]]] = []
    for one in mine:
        touched = [at for at in theirs if _overlap(known[one][1], found[at][1])]
        members, others = [one], touched
        rest = []
        for group in groups:
            if set(group[1]) & set(touched):
                members, others = [*members, *group[0]], [*others, *group[1]]
            else:
                rest.append(group)
        groups = [*rest, (members, sorted(set(others)))]
    held = {at for _, others in groups for at in others}
    groups.extend(([], [at]) for at in theirs if at not in held)
    return [
        (
            sorted(members, key=lambda at: known[at][1].left),
            sorted(others, key=lambda at: found[at][1].left),
        )
        for members, others in groups
    ]


def _overlap(one: Box, other: Box) -> bool:
    across = min(one.right, other.right) - max(one.left, other.left)
    down = min(one.bottom, other.bottom) - max(one.top, other.top)
    return across > _SHARED * min(one.width, other.width) and down > _SHARED * min(one.height, other.height)


def _has_ink(box: Box, grey: NDArray[np.uint8]) -> bool:
    height, width = grey.shape
    part = grey[
        max(0, round(box.top * height)) : max(1, round(box.bottom * height)),
        max(0, round(box.left * width)) : max(1, round(box.right * width)),
    ]
    return part.size > 0 and int(part.max()) - int(part.min()) >= _INK


def _key(text: str) -> str:
    """Return what two readings must share: letters without case, and of figures the signs between too."""
    if any(map(str.isdigit, text)):
        return re.sub(r"^[^\w$-]+|[^\w%]+$", "", text).casefold()
    return re.sub(r"[\W_]+", "", text).casefold()
