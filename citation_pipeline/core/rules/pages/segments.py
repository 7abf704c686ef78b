"""Segments beside and below one another: which is under, which larger, which goes on."""

from dataclasses import replace

from citation_pipeline.core.rules.pages.layout import Segment


def cut_at(segment: Segment, start: int) -> Segment:
    """Return the segment from a place of its text on."""
    kept = [n for n, at in enumerate(segment.passage.starts) if at >= start] or [len(segment.words) - 1]
    left = segment.lefts[kept[0]] if segment.lefts else segment.box.left
    return replace(
        segment,
        words=tuple(segment.words[n] for n in kept),
        texts=tuple(segment.texts[n] for n in kept),
        lefts=segment.lefts[kept[0] :],
        box=replace(segment.box, left=left, width=segment.box.right - left),
    )


def is_larger(segment: Segment, label: Segment) -> bool:
    """Tell whether a segment is set larger than a label: values are, small print is not."""
    return segment.height > 1.06 * label.height


def shared_width(one: Segment, other: Segment) -> float:
    """Return how much of the page's width two segments have in common; below 0 it is the gap between them."""
    return min(one.box.right, other.box.right) - max(one.box.left, other.box.left)


def is_under(segment: Segment, label: Segment) -> bool:
    """Tell whether a segment begins below a label's left edge."""
    step = label.height / label.aspect
    return label.box.left - 1.0 * step <= segment.box.left <= label.box.left + 2.5 * step


def continues_label(segment: Segment, label: Segment) -> bool:
    """Tell whether small print goes on: the same height, capitals, and no value by its look."""
    if abs(segment.height - label.height) > 0.04 * label.height:
        return False
    return segment.text.isupper() and label.text.isupper() and not any(c.isdigit() for c in segment.text)
