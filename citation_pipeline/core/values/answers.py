"""Yes and no, and the members of an enumeration, as words on a page."""

import re
from collections.abc import Sequence

from citation_pipeline.core.values.spans import ValueSpan, find_folded, fold_words

_TICKED = r"\[\s?[xX\u2713\u2714]\s?\]|\(\s?[xX]\s?\)|[\u2611\u2612\u2713\u2714\u25a0\u25cf]"
_UNTICKED = r"\[\s{0,2}\]|\(\s{1,2}\)|[\u2610\u25a1\u25cb]"
_BOX = re.compile(f"(?P<on>{_TICKED})|(?P<off>{_UNTICKED})")
_TRUE = re.compile(r"\b(?:yes|true|y|checked|affirmative)\b", re.IGNORECASE)
_FALSE = re.compile(
    r"\b(?:no|not|none|false|n|never|without|denies|denied|unchecked|negative|n't)\b", re.IGNORECASE
)


def find_booleans(text: str) -> list[ValueSpan]:
    """Return each yes or no; of a group of boxes with answers only the ticked one speaks."""
    boxes = list(_BOX.finditer(text))
    if any(box["on"] for box in boxes):
        return [answer for n, box in enumerate(boxes) if box["on"] for answer in _answers_of(text, boxes, n)]
    if boxes:
        return []
    found = [ValueSpan(m.start(), m.end(), True) for m in _TRUE.finditer(text)]
    found += [ValueSpan(m.start(), m.end(), False) for m in _FALSE.finditer(text)]
    return sorted(found, key=lambda span: span.start)


def _answers_of(text: str, boxes: Sequence[re.Match[str]], number: int) -> list[ValueSpan]:
    """Return the answer that a ticked box is before; a ticked box alone says yes."""
    box = boxes[number]
    end = boxes[number + 1].start() if number + 1 < len(boxes) else len(text)
    for pattern, value in ((_TRUE, True), (_FALSE, False)):
        match = pattern.match(text, box.end() + (1 if text[box.end() : box.end() + 1] == " " else 0), end)
        if match:
            return [ValueSpan(box.start(), match.end(), value)]
    return [ValueSpan(box.start(), box.end(), True)]


def normal_enum(value: str) -> str:
    """Return an enumeration's member as its folded words: `Modified Duty` and `modified_duty` agree."""
    return " ".join(fold_words(value.replace("_", " ")))


def find_enum_members(text: str, enum: Sequence[str]) -> list[ValueSpan]:
    """Return each place where a member's words are; a longer member hides the shorter inside it."""
    found = [
        ValueSpan(start, end, member)
        for member in enum
        for start, end in find_folded(text, member.replace("_", " "))
    ]
    found.sort(key=lambda span: (span.start, span.start - span.end))
    kept: list[ValueSpan] = []
    for span in found:
        if not kept or span.start >= kept[-1].end:
            kept.append(span)
    return kept
