"""How wide letters are: Adobe's published widths of Helvetica and Helvetica-Bold, and Courier's single one.

Written down rather than asked of a font library: a word keeps its box whatever version draws it.
"""

import unicodedata

REGULAR, BOLD, MONO = "regular", "bold", "mono"

ASCENT, DESCENT = 0.76, 0.21  # of the size: what a word's box spans above and below its baseline

_UNKNOWN = 556  # a letter that WinAnsi lacks; as wide as most of its letters
_WIDE = 1000  # Chinese, Japanese, Korean
_COURIER = 600

# cp1252 codes 32 to 255, in thousandths of the size
_HELVETICA = """
    278 278 355 556 556 889 667 191 333 333 389 584 278 333 278 278 556 556 556 556 556 556 556 556
    556 556 278 278 584 584 584 556 1015 667 667 722 722 667 611 778 722 278 500 667 556 833 722 778
    667 778 722 667 611 722 667 944 667 667 611 278 278 278 469 556 333 556 556 500 556 556 278 556
    556 222 222 500 222 833 556 556 556 556 333 500 278 556 500 722 500 500 500 334 260 334 584 350
    556 556 222 556 333 1000 556 556 333 1000 667 333 1000 556 611 556 556 222 222 333 333 350 556
    1000 333 1000 500 333 944 556 500 667 278 333 556 556 556 556 260 556 333 737 370 556 584 333
    737 333 400 584 333 333 333 556 537 278 333 333 365 556 834 834 834 611 667 667 667 667 667 667
    1000 722 667 667 667 667 278 278 278 278 722 722 778 778 778 778 778 584 778 722 722 722 722 667
    667 611 556 556 556 556 556 556 889 500 556 556 556 556 278 278 278 278 556 556 556 556 556 556
    556 584 611 556 556 556 556 500 556 500
"""
_HELVETICA_BOLD = """
    278 333 474 556 556 889 722 238 333 333 389 584 278 333 278 278 556 556 556 556 556 556 556 556
    556 556 333 333 584 584 584 611 975 722 722 722 722 667 611 778 722 278 556 722 611 833 722 778
    667 778 722 667 611 722 667 944 667 667 611 333 278 333 584 556 333 556 611 556 611 556 333 611
    611 278 278 556 278 889 611 611 611 611 389 556 333 611 556 778 556 556 500 389 280 389 584 350
    556 556 278 556 500 1000 556 556 333 1000 667 333 1000 556 611 556 556 278 278 500 500 350 556
    1000 333 1000 556 333 944 556 500 667 278 333 556 556 556 556 280 556 333 737 370 556 584 333
    737 333 400 584 333 333 333 611 556 278 333 333 365 556 834 834 834 611 722 722 722 722 722 722
    1000 722 667 667 667 667 278 278 278 278 722 722 778 778 778 778 778 584 778 722 722 722 722 667
    667 611 556 556 556 556 556 556 889 556 556 556 556 556 278 278 278 278 611 611 611 611 611 611
    611 584 611 611 611 611 611 556 611 556
"""


_WIDTHS = {
    REGULAR: tuple(int(width) for width in _HELVETICA.split()),
    BOLD: tuple(int(width) for width in _HELVETICA_BOLD.split()),
}


def is_standard(text: str) -> bool:
    """Tell whether the standard fonts have every letter of a text."""
    try:
        text.encode("cp1252")
    except UnicodeEncodeError:
        return False
    return True


def width(text: str, *, font: str, size: float) -> float:
    """Return how wide a text is, in the unit of `size`."""
    if font == MONO:
        return sum(2 if _is_wide(letter) else 1 for letter in text) * _COURIER * size / 1000
    table = _WIDTHS[font]
    total = 0
    for letter in text:
        if _is_wide(letter):
            total += _WIDE
            continue
        code = _code(letter)
        total += table[code - 32] if code is not None and code >= 32 else _UNKNOWN
    return total * size / 1000


def _code(letter: str) -> int | None:
    """Return a letter's code, without its accent where only that is missing (ễ is as wide as e)."""
    for candidate in (letter, unicodedata.normalize("NFKD", letter)[:1]):
        if is_standard(candidate):
            return candidate.encode("cp1252")[0]
    return None


def _is_wide(letter: str) -> bool:
    return letter > "\u1100" and unicodedata.east_asian_width(letter) in "WF"
