"""Labels inside a line of text: where they begin, where their values begin, and what parts the two.

Where on the page a value is belongs to `pairs`.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from citation_pipeline.core.rules.lexicons.label_trees import LabelTree, label_word
from citation_pipeline.core.rules.pages.layout import Segment
from citation_pipeline.core.values.spans import fold_words

# What may be before a label: a box's number, a letter in brackets, a bullet, the word "re".
PREFIX = re.compile(
    r"^(?:(?:\(?[0-9]{1,2}(?:-[0-9]{1,2})?[a-z]?[.)]|\(?[a-zA-Z][.)]|[\u2022*\u2013-]|RE:?|Re:|\d{1,2})\s+)+"
)
DECORATION = re.compile(
    r"^\s*(?:\([^)]*\)|(?:please )?(?:describe|explain|specify)\b[^:?.]{0,60}[.:?]$|"
    r"if known|if applicable|if any|please type|"
    r"(?:paid )?(?:to|thru|through|as of|at)\s+(?:date\b|today\b|\d[\w/.-]{5,12}(?=\s|$|:)))\s*",
    re.IGNORECASE,
)
_SEPARATOR = re.compile(r"^\s*(?:[:?=]|\.+(?=[\s:]|$)|#|\u2013(?=\s)|-(?=\s)|\u2014)+\s*")
_COLON = re.compile(r"^\s*(?:\([^)]*\)\s*)?[:?]")
_BREAK_BEFORE = re.compile(r"(?:[.;:|\u2022,)]|\u2013|-|\s/)\s*$")


# `not admitted: neck` is no label `admitted`, `prior examiner` none of today's.
# `estimated return to work` is none of the day of a return.
_DENIALS = frozenset(
    [
        "not",
        "non",
        "never",
        "un",
        "prior",
        "previous",
        "previously",
        "former",
        "old",
        "ex",
        "last",
        "initial",
        "est",
        "estimated",
        "anticipated",
        "projected",
        "proposed",
        "planned",
        "tentative",
        "expected",
        "requested",
        "original",
        "originally",
        "alternate",
        "alternative",
        "second",
        "secondary",
        "concurrent",
        "other",
        "excess",
        "umbrella",
        "health",
        "auto",
        "state",
        "statewide",
        "maximum",
        "minimum",
        "max",
        "min",
    ]
)


_ABBREVIATED = 3


@dataclass(frozen=True)
class LabelHit:
    """A label found in a text: its fields, its folded words, its range, where its value begins."""

    keys: frozenset[str]
    name: tuple[str, ...]
    start: int
    end: int
    value_start: int
    has_separator: bool
    is_first: bool


def find_labels(segment: Segment, labels: LabelTree) -> list[LabelHit]:
    """Return the labels inside one segment, left to right, none overlapping."""
    text = segment.text
    spots = words_with_places(text)
    words = [word for word, _, _ in spots]
    prefix = PREFIX.match(text)
    first = prefix.end() if prefix else 0
    found: list[LabelHit] = []
    place = 0
    while place < len(spots):
        start = spots[place][1]
        match = labels.longest(words, place)
        is_denied = place > 0 and (
            words[place - 1] in _DENIALS or _is_of_phrase(text, start) or _ends_label(text, start)
        )
        if match is None or is_denied or not (start in (0, first) or _may_begin(text, start)):
            # what belongs to a denied label is none by itself: `former claims examiner`
            place += match[0] if match is not None and is_denied else 1
            continue
        length, keys = match
        end = spots[place + length - 1][2]
        tail = text[end:]
        is_first = start in (0, first)
        value_start, separated = _value_start(text, end)
        alone = value_start >= len(text)
        if is_first or (separated and _COLON.match(tail)):
            if separated or alone or is_first:
                name = tuple(words[place : place + length])
                found.append(LabelHit(keys, name, start, end, value_start, separated, is_first))
            place += length
        else:
            place += 1
    meant = _meant(text, spots, first, labels)
    if meant is not None and not any(hit.is_first and hit.end >= meant.end for hit in found):
        return [meant, *(hit for hit in found if hit.start >= meant.value_start)]
    if segment.is_recognized and (not found or _is_partial(found, text)):
        return list(_misread(segment, spots, first, labels)) or found
    return found


_HEAD = re.compile(r"[^:?]{3,60}[:?](?=\s|$)|[^:?]{3,60}$")


def _meant(
    text: str, spots: Sequence[tuple[str, int, int]], first: int, labels: LabelTree
) -> LabelHit | None:
    """Return the label that a text, or what is before its colon, is by the meaning of its words."""
    head = _HEAD.match(text, first)
    if head is None:
        return None
    own = [spot for spot in spots if first <= spot[1] < head.end()]
    meant = labels.meant([word for word, _, _ in own])
    if meant is None:
        return None
    end = own[-1][2]
    value_start, separated = _value_start(text, end)
    return LabelHit(meant[1], meant[0], first, end, value_start, separated, True)


def _is_partial(found: Sequence[LabelHit], text: str) -> bool:
    """Tell whether only the bare beginning of a longer text was found: `date` of `date emplayer knew`."""
    return len(found) == 1 and not found[0].has_separator and found[0].end < 0.7 * len(text)


def _misread(
    segment: Segment, spots: Sequence[tuple[str, int, int]], first: int, labels: LabelTree
) -> Iterator[LabelHit]:
    """Return the label that a whole recognized line is but for a few letters."""
    own = [word for word, start, _ in spots if start >= first]
    meant = labels.misread(own)
    if meant is not None:
        end = len(segment.text)
        yield LabelHit(meant[1], meant[0], first, end, end, False, True)


def words_with_places(text: str) -> list[tuple[str, int, int]]:
    """Return the folded words of a text with their ranges."""
    spots: list[tuple[str, int, int]] = []
    for match in re.finditer(r"\S+", text):
        piece = match[0]
        if "#" in piece:
            piece = piece.replace("#", " number ")
        parts = fold_words(piece)
        # a word such as "name/address" folds to several: they share the outer edges
        for number, part in enumerate(parts):
            at = match[0].casefold().find(part)
            begin = match.start() + (at if at >= 0 and number else 0)
            stop = match.start() + at + len(part) if at >= 0 and number + 1 < len(parts) else match.end()
            spots.append((part, begin, stop))
    return [(label_word(word), start, _trim(text, start, end)) for word, start, end in spots]


def _trim(text: str, start: int, end: int) -> int:
    while end > start + 1 and text[end - 1] in ":?.,;=":
        end -= 1
    return end


def _may_begin(text: str, start: int) -> bool:
    # four characters hold any mark with its spaces; a whole line before each label would cost its square
    return bool(_BREAK_BEFORE.search(text[max(0, start - 4) : start])) or text[start - 1 : start] == " "


# `Rate of pay on the day of the accident: $24.10`: what a longer label ends with labels nothing by itself.
_LEADS_ON = re.compile(
    r"\w\s+(?:of|at|on|in|for|to|per|by|with|from|since|before|after|until|during)\s+"
    r"(?:(?:the|this|that|an?|his|her|your|my|our|their|its)\s+)?$",
    re.IGNORECASE,
)


def _ends_label(text: str, start: int) -> bool:
    return bool(_LEADS_ON.search(text[max(0, start - 24) : start]))


def _is_of_phrase(text: str, start: int) -> bool:
    """Tell whether a word before a label belongs to it: the `paid:` of `Award paid:` is no total."""
    before = text[:start].split()
    first = re.match(r"[^\s:]*", text[start:])
    if not before or first is None or len(first[0].rstrip(".")) <= _ABBREVIATED:
        return False
    return text[start].islower() and before[-1][0].isupper() and before[-1][-1].isalpha()


def _value_start(text: str, end: int) -> tuple[int, bool]:
    """Return where the value begins after a label, and whether a mark parts the two."""
    at, separated = end, False
    while True:
        mark = _SEPARATOR.match(text[at:])
        note = DECORATION.match(text[at:])
        if mark:
            at += mark.end()
            separated = True
        elif note and not (separated and re.match(r"\s*\((?!if|please)", text[at:])):
            at += note.end()
        else:
            break
    while at < len(text) and text[at] == " ":
        at += 1
    return at, separated


def opens_with_label(hits: Sequence[LabelHit], segment: Segment) -> bool:
    """Tell whether a segment opens with a label and not with a value that reads like one."""
    return (
        bool(hits)
        and hits[0].is_first
        and (hits[0].has_separator or hits[0].value_start >= len(segment.text))
    )
