"""How boxes beside options are written: as signs of their own, in brackets, or as a line to be marked."""

import re

_EMPTY, _TICKED = "☐□▢◻⬜❏❑○◯", "☑☒■▣◼⬛✓✔🗹●◉✗✘🗷"

BOX = re.compile(
    rf"(?P<empty>[{_EMPTY}]|\[\s?\]|\(\s?\)|(?<![\w_])_{{2,}}(?![\w_]))"
    rf"|(?P<ticked>[{_TICKED}]|\[\s?[xX✓✔]\s?\]|\(\s?[xX✓✔]\s?\)|(?<![\w_])_+[xX✓✔]_+(?![\w_]))"
)
"""A box, `empty` or `ticked`."""

_PART = re.compile(rf"[{_EMPTY}{_TICKED}]|^[\[(]$|[\[(][xX✓✔]?[\])]|__|_[xX✓✔]_")


def drawn_alike(text: str) -> str:
    """Return a text with one sign for every empty box, and one for every ticked one."""
    return BOX.sub(lambda box: _TICKED[1] if box.group("ticked") else _EMPTY[0], text)


def may_hold_box(text: str) -> bool:
    """Tell whether a written word may be a box or a part of one."""
    return _PART.search(text) is not None
