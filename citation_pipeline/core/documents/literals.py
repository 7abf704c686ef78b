"""Strings that a regular expression cannot match without: a cheap look before a dear search.

Both sides are brought to one form first: case folded, and each character that is no part of a word a space.
So a word's boundary is a space too, and `\\bTD\\b` is not looked for in every "started".
"""

import re
from collections.abc import Sequence
from re import _constants, _parser  # type: ignore[attr-defined]  # the only reader of expressions there is
from typing import Any

_NO_WORD = re.compile(r"\W")


def plain_form(text: str) -> str:
    """Return a text as literals are looked for in it."""
    return " " + _NO_WORD.sub(" ", text.casefold().replace("ı", "i")) + " "


def required_literals(pattern: str) -> frozenset[str]:
    """Return strings one of which is in the plain form of all that the pattern matches; empty: not known.

    Of a sequence the part that says most, of alternatives all of them. The pattern ignores case.
    """
    try:
        return _of_sequence(_parser.parse(pattern, re.IGNORECASE), begins=False, ends=False)
    except (AttributeError, TypeError, ValueError):  # another Python may keep its expressions otherwise
        return frozenset()


def _of_sequence(parts: Sequence[tuple[Any, Any]], *, begins: bool, ends: bool) -> frozenset[str]:
    """Return the literals of parts in a row, which begin or end at a word's boundary."""
    best: frozenset[str] = frozenset()
    run, boundary = "", begins
    for at, (kind, given) in enumerate(parts):
        if kind is _constants.AT:
            boundary = given is _constants.AT_BOUNDARY
        elif kind is _constants.LITERAL:
            run = _joined(run, chr(given), boundary)
            boundary = False
        else:
            follows = (
                ends if at + 1 == len(parts) else parts[at + 1] == (_constants.AT, _constants.AT_BOUNDARY)
            )
            best = _better(best, _of_run(run, closed=boundary))
            best = _better(best, _of_part(kind, given, begins=boundary, ends=follows))
            run, boundary = "", False
    return _better(best, _of_run(run, closed=boundary or ends))


def _joined(run: str, letter: str, boundary: bool) -> str:
    plain = plain_form(letter)[1:-1]
    return f" {plain}" if boundary and not run and plain != " " else run + plain


def _of_run(run: str, *, closed: bool) -> frozenset[str]:
    return frozenset([f"{run} " if closed and not run.endswith(" ") else run] if run.strip() else ())


def _of_part(kind: Any, given: Any, *, begins: bool, ends: bool) -> frozenset[str]:
    if kind is _constants.SUBPATTERN:
        return _of_sequence(given[-1], begins=begins, ends=ends)
    if kind is _constants.BRANCH:
        branches = [_of_sequence(branch, begins=begins, ends=ends) for branch in given[1]]
        return frozenset().union(*branches) if all(branches) else frozenset()
    if kind in (_constants.MAX_REPEAT, _constants.MIN_REPEAT) and given[0] > 0:
        # the first of several begins where the whole does, and only the last ends there
        return _of_sequence(given[2], begins=begins and given[1] == 1, ends=ends and given[1] == 1)
    return frozenset()


def _better(one: frozenset[str], other: frozenset[str]) -> frozenset[str]:
    """Return what says more: longer at its shortest, then fewer."""
    return max(filter(None, (one, other)), key=lambda found: (min(map(len, found)), -len(found)), default=one)
