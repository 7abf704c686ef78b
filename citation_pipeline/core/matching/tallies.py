"""Counting many whole numbers at once: how often each occurs, and which counts are the largest."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

_MOST_COUNTED = 1 << 17  # beyond it a table of every number up to the largest is dearer than sorting

Numbers = NDArray[np.int64]


def count_distinct(numbers: Numbers) -> tuple[Numbers, Numbers]:
    """Return the different numbers, ascending, and how often each occurs; none may be negative."""
    if not len(numbers) or int(numbers.max()) >= _MOST_COUNTED:
        return np.unique(numbers, return_counts=True)
    counts = np.bincount(numbers)
    values = np.flatnonzero(counts)
    return values, counts[values]


def first_largest(numbers: NDArray[Any], count: int) -> Numbers:
    """Return the positions of the `count` largest numbers, the largest first, of equals the first; cheaper
    than sorting all of them."""
    if len(numbers) > 4 * count:
        least = np.partition(numbers, len(numbers) - count)[len(numbers) - count]
        above, level = np.flatnonzero(numbers > least), np.flatnonzero(numbers == least)
        held = np.sort(np.concatenate((above, level[: count - len(above)])))
    else:
        held = np.arange(len(numbers))
    return held[np.argsort(-numbers[held], kind="stable")][:count]
