"""Outcomes that were read and approved: a change of one is a test that fails with the lines that changed.

`pytest --approve FILE…` writes those of a test file anew; read their diff before it is committed.
"""

import difflib
from collections.abc import Callable, Sequence
from pathlib import Path

FOLDER = Path(__file__).with_name("approved")
MOST_SHOWN = 30

Approve = Callable[[str, Sequence[str]], None]


def write(name: str, lines: Sequence[str]) -> None:
    """Write what is approved from now on."""
    path = FOLDER / f"{name}.txt"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def read(name: str) -> list[str]:
    """Return the approved lines."""
    return (FOLDER / f"{name}.txt").read_text(encoding="utf-8").splitlines()


def compare(name: str, lines: Sequence[str]) -> None:
    """Fail with the lines that are not as approved."""
    changed = [line for line in difflib.ndiff(read(name), list(lines)) if line[0] in "+-"]
    remedy = "If that is right: pytest --approve with this test file, and read the diff."
    assert not changed, "\n".join([f"{name}: {len(changed)} lines changed. {remedy}", *changed[:MOST_SHOWN]])
