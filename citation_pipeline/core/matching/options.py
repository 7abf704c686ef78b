"""Options with boxes, quoted without their boxes: `Overtime? Yes` of `Overtime? ☐ Yes ☒ No` names the other
answer, `Overtime? No` leaves out what is not ticked.

What a quotation shows of boxes itself is compared by `marks`. A list quoted whole says nothing of its boxes.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from citation_pipeline.core.matching.box_signs import BOX
from citation_pipeline.core.matching.folding import fold
from citation_pipeline.core.matching.index import DocumentIndex

_AHEAD = 40  # words behind the quotation among which the other options are looked for
_MOST_BOX = 2  # words that a box is drawn with
_MOST_LABEL = 12  # words of an option
_BESIDE = 1.5  # times as far from the word on the other side, and a box belongs to the nearer one
_SAME_EDGE = 0.01  # of the page's width: boxes in one column


@dataclass(frozen=True, slots=True)
class OptionReading:
    """What the boxes say: whether the option named is not the ticked one, the words of options that may be
    left out, whether the only box quoted is the ticked one of the option named, and whether an option
    is quoted without its own box, which is empty beside a ticked one."""

    is_contradicted: bool = False
    left_out: frozenset[int] = frozenset()
    is_confirmed: bool = False
    is_unticked: bool = False


@dataclass(frozen=True, slots=True)
class _Option:
    """The ids of the words of a box and of its label, and whether it is ticked."""

    box: tuple[int, ...]
    label: tuple[int, ...]
    is_ticked: bool


_NOTHING = OptionReading()


def read_options(index: DocumentIndex, quoted: str, words: Sequence[int]) -> OptionReading:
    """Read the boxes around the words of a quotation that shows none, or a ticked one beside its last option.

    It is contradicted where it ends in an option that is not ticked while another is. Of two options of one
    word each none need be ticked: then the page gives neither answer.
    """
    boxed = index.boxed_texts
    if not boxed or not words:
        return _NOTHING
    begin = min(words)
    # `☐ The house was empty` of which the box is left out
    lead = next(
        (n for n in range(1, _MOST_BOX + 1) if n <= begin and index.words.texts[begin - n] in boxed), 0
    )
    same = (
        np.flatnonzero(index.words.page[max(0, begin - _AHEAD) : begin] == index.words.page[begin])
        if lead
        else ()
    )
    stretch = _stretch(index, begin - len(same), max(words))
    if boxed.isdisjoint(index.words.texts[stretch.start : stretch.stop]):
        return _NOTHING
    shown = list(BOX.finditer(quoted))
    if len(shown) > 1 or any(box.group("empty") for box in shown):
        return _NOTHING
    options = _options(index, stretch)
    kept = {word for word in words if index.keys[word]}
    named = next((option for option in options if max(kept) in option.label), None)
    # the question must be quoted too: an option alone is a text like any other
    if named is None or (min(kept) >= min(named.label) and not lead):
        return _NOTHING
    if min(kept) >= min(named.label):
        return OptionReading(is_unticked=not shown and _is_empty_beside_ticked(index, options, named, kept))
    # an option is named by its first words at least, and by no words of others: else a list is quoted
    if not kept.issuperset(word for word in named.label if word <= max(kept)):
        return _NOTHING
    others = [option for option in options if option is not named and option.label]
    if any(kept & set(option.label) for option in others):
        return _NOTHING
    if shown and not _is_beside_last(quoted, shown[0], len(named.label)):
        return _NOTHING
    rivals = [option for option in others if _are_rivals(index, option, named)]
    if named.is_ticked:
        left = [o for o in rivals if not o.is_ticked]
        taken = frozenset(word for option in (*left, named) for word in (*option.box, *option.label))
        return OptionReading(left_out=taken - kept, is_confirmed=bool(shown))
    is_choice = any(
        len(rival.label) == len(named.label) == 1 and _are_level(index, (rival.label[0], named.label[0]))
        for rival in rivals
    )
    is_other = bool(shown) or is_choice or any(rival.is_ticked for rival in rivals)
    return OptionReading(is_contradicted=is_other)


def _is_empty_beside_ticked(
    index: DocumentIndex, options: Sequence[_Option], named: _Option, kept: set[int]
) -> bool:
    """Tell whether words are all that is quoted of an option that is not ticked, beside one that is."""
    if named.is_ticked or min(kept) != min(named.label):
        return False
    return max(named.box) < min(kept) and any(
        option.is_ticked and _are_rivals(index, option, named) for option in options
    )


def _is_beside_last(quoted: str, box: re.Match[str], count: int) -> bool:
    """Tell whether a quoted box is right before the last words, at most so many, or behind all of them."""
    return 0 <= len(quoted[box.end() :].split()) <= count


def _are_rivals(index: DocumentIndex, option: _Option, named: _Option) -> bool:
    """Tell whether two options may be of one question: in one row, or their boxes one above the other."""
    boxes = index.words.boxes
    edges = abs(float(boxes[option.box[0], 0] - boxes[named.box[0], 0]))
    return edges <= _SAME_EDGE or _are_level(index, (option.box[0], named.box[0]))


def _stretch(index: DocumentIndex, low: int, end: int) -> range:
    """Return the words from one on to some words behind a quotation's last, of its last page."""
    page = index.words.page
    same = np.flatnonzero(page[end + 1 : end + 1 + _AHEAD] == page[end])
    return range(low, end + 2 + int(same[-1]) if len(same) else end + 1)


def _options(index: DocumentIndex, stretch: range) -> list[_Option]:
    """Return the boxes of a stretch of words with their labels."""
    boxes = _boxes([index.words.texts[word] for word in stretch], stretch.start)
    if not boxes:
        return []
    before = _are_before(index, boxes)
    found: list[_Option] = []
    for number, (first, last, is_ticked) in enumerate(boxes):
        is_joined = _is_joined(index, last, before=before)
        if before:
            stop = boxes[number + 1][0] if number + 1 < len(boxes) else stretch.stop
            inside = range(last if is_joined else last + 1, stop)
        else:
            start = boxes[number - 1][1] + 1 if number else stretch.start
            inside = range(first if is_joined else first - 1, start - 1, -1)
        label = _label(index, inside, first)
        if not before and (not number or not _are_level(index, (boxes[number - 1][1], first))):
            label = label[:1]  # where the question ends and its first option begins is not told
        found.append(_Option(tuple(range(first, last + 1)), tuple(sorted(label)), is_ticked))
    return found


def _is_joined(index: DocumentIndex, word: int, *, before: bool) -> bool:
    """Tell whether a box is set in one word with its label, which is behind it or before it."""
    text = index.words.texts[word]
    box = BOX.search(text)
    return (
        bool(index.keys[word])
        and box is not None
        and bool(fold(text[box.end() :] if before else text[: box.start()]))
    )


def _boxes(texts: Sequence[str], low: int) -> list[tuple[int, int, bool]]:
    """Return the first and the last word of every box among written words, and whether it is ticked.

    A box may be drawn with several words.
    """
    starts: list[int] = []
    length = 0
    for text in texts:
        starts.append(length)
        length += len(text) + 1
    found: list[tuple[int, int, bool]] = []
    at = 0
    for box in BOX.finditer(" ".join(texts)):
        while at + 1 < len(starts) and starts[at + 1] <= box.start():
            at += 1
        last = at
        while last + 1 < len(starts) and starts[last + 1] < box.end():
            last += 1
        found.append((low + at, low + last, box.group("ticked") is not None))
    return found


def _are_before(index: DocumentIndex, boxes: Sequence[tuple[int, int, bool]]) -> bool:
    """Tell whether boxes are before their labels: they are nearer to them, or the last one has words behind
    it."""
    geometry = index.words.boxes
    votes = 0
    for first, last, _ in boxes:
        beside = (first - 1, first, last, last + 1)
        if first == 0 or last + 1 == len(geometry) or not _are_level(index, beside):
            continue
        left = geometry[first, 0] - geometry[first - 1, 0] - geometry[first - 1, 2]
        right = geometry[last + 1, 0] - geometry[last, 0] - geometry[last, 2]
        votes += int(left > _BESIDE * max(0.0, right)) - int(right > _BESIDE * max(0.0, left))
    if votes:
        return votes > 0
    _, last, _ = [box for box in boxes if _are_level(index, (boxes[0][0], box[0]))][-1]
    if index.keys[last] and BOX.fullmatch(index.words.texts[last]) is None:
        return _is_joined(index, last, before=True)
    return last + 1 < len(geometry) and bool(index.keys[last + 1]) and _are_level(index, (last, last + 1))


def _are_level(index: DocumentIndex, words: Iterable[int]) -> bool:
    """Tell whether words are in one visual row."""
    row = index.rows.row
    return len({int(row[word]) for word in words}) == 1


def _label(index: DocumentIndex, inside: Iterable[int], box: int) -> list[int]:
    """Return the words with a key that go on in a box's row."""
    found: list[int] = []
    for word in inside:
        if len(found) == _MOST_LABEL or not _are_level(index, (word, box)):
            break
        if index.keys[word]:
            found.append(word)
    return found
