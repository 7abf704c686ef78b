"""Dotted leaders of forms and tables of contents: equal dots at one pitch, to the right of a label.

The detector ends a line where the dots begin and the recognizer reads one or three of forty; so where a line
ends in full stops, the ink tells how many there are.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from citation_pipeline.adapters.ocr.recognition import Character

_LEAST_DOTS = 6  # an ellipsis has three, a careless one five
_DOTS = ".…·_-"  # what the recognizer makes of a leader's dots
# shares of the line picture's height, which is about 1.4 times the letters' own
_LARGEST_DOT = 0.2
_WIDEST_PITCH = 0.7
_NEAR = 0.8  # how far from the full stop that was read the first dot may be


@dataclass(frozen=True, slots=True)
class Leader:
    """A run of dots: its edges in pixels of the page and how many there are."""

    left: float
    top: float
    right: float
    bottom: float
    dots: int

    def covers(self, x: float) -> bool:
        """Tell whether a place on the same line is among the dots, give or take one."""
        pitch = (self.right - self.left) / self.dots
        return self.left - pitch <= x <= self.right + pitch


def find_leaders(
    characters: Sequence[Character], ink: NDArray[np.bool_], *, left: int, top: int, bottom: int
) -> list[Leader]:
    """Return the leaders that begin at full stops of a line; `left`, `top`, `bottom` place it on the page."""
    leaders: list[Leader] = []
    for place in _full_stops(characters):
        if not any(leader.covers(left + place) for leader in leaders):
            leader = _leader_at(ink, left + place, top, bottom)
            if leader is not None:
                leaders.append(leader)
    return leaders


def without_dots(characters: Sequence[Character], leaders: Sequence[Leader], left: int) -> list[Character]:
    """Return the characters that were not read off a leader."""
    return [
        one
        for one in characters
        if one.text not in _DOTS
        or not any(leader.covers(left + (one.left + one.right) / 2) for leader in leaders)
    ]


def _full_stops(characters: Sequence[Character]) -> list[float]:
    """Return where a line's last character is a full stop, and where two follow one another."""
    letters = [character for character in characters if character.text != " "]
    places = []
    for at, character in enumerate(letters):
        doubled = at + 1 < len(letters) and letters[at + 1].text in _DOTS
        if character.text in _DOTS and (doubled or at + 1 == len(letters)):
            places.append((character.left + character.right) / 2)
    return places


def _leader_at(ink: NDArray[np.bool_], x: float, top: int, bottom: int) -> Leader | None:
    height = bottom - top
    near = int(max(0, x - _NEAR * height))
    strip = ink[top:bottom, near:]
    low = strip[height // 2 : round(0.92 * height)]
    change = np.diff(np.concatenate([[0], low.any(axis=0).astype(np.int8), [0]]))
    starts, ends = np.flatnonzero(change == 1), np.flatnonzero(change == -1)
    chain: list[tuple[int, int]] = []
    for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
        is_dot = end - start <= _LARGEST_DOT * height and _is_low(strip[:, start:end], height)
        if chain and (not is_dot or not _keeps_pitch(chain, start, height)):
            if len(chain) >= _LEAST_DOTS:
                break
            chain.clear()
        if is_dot:
            chain.append((start, end))
        elif start > 2 * _NEAR * height:
            break
    if len(chain) < _LEAST_DOTS or chain[0][0] > 2 * _NEAR * height:
        return None
    steps = np.diff([start for start, _ in chain])
    dots = 1 + sum(max(1, round(step / float(np.median(steps)))) for step in steps.tolist())
    rows = np.flatnonzero(low[:, chain[0][0] : chain[-1][1]].any(axis=1)) + height // 2
    return Leader(
        float(near + chain[0][0]),
        float(top + rows[0]),
        float(near + chain[-1][1]),
        float(top + rows[-1] + 1),
        dots,
    )


def _is_low(part: NDArray[np.bool_], height: int) -> bool:
    """Tell whether columns hold one low spot and nothing above it."""
    rows = np.flatnonzero(part[height // 6 : round(0.92 * height)].any(axis=1)) + height // 6
    return bool(rows[0] > 0.45 * height and rows[-1] - rows[0] < _LARGEST_DOT * height)


def _keeps_pitch(chain: Sequence[tuple[int, int]], start: int, height: int) -> bool:
    step = start - chain[-1][0]
    if step > 2 * _WIDEST_PITCH * height:
        return False
    if len(chain) < 2:
        return step <= _WIDEST_PITCH * height
    pitch = float(np.median(np.diff([one for one, _ in chain])))
    missed = max(1, round(step / pitch))  # a faint dot may be missing
    return missed <= 2 and abs(step - missed * pitch) <= max(1.6, 0.25 * pitch)
