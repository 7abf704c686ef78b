"""Breaking a text into lines of a column: where words go, not what becomes of them."""

from citation_pipeline.adapters.office.font_metrics import width
from citation_pipeline.adapters.office.struck_text import STRUCK, unmarked
from citation_pipeline.core.documents.shown_letters import as_displayed


def break_line(
    text: str, column: float, *, font: str, size: float, spaces: bool
) -> list[list[tuple[str, float]]]:
    """Break a text into lines of (word, offset from the left); an empty text is one empty line.

    With `spaces` the words keep their distance; a word wider than the column is cut. A word of which a
    letter is struck out begins with the mark.
    """
    space = width(" ", font=font, size=size)
    lines: list[list[tuple[str, float]]] = [[]]
    x = 0.0
    for word, gap in _words(as_displayed(text)):
        before = (gap if spaces else min(gap, 1)) * space if lines[-1] or spaces else 0.0
        mark = STRUCK if STRUCK in word else ""
        for part in _cut(unmarked(word), column, font, size):
            long = width(part, font=font, size=size)
            if x + before + long > column and (lines[-1] or before):
                if lines[-1]:
                    lines.append([])
                x, before = 0.0, 0.0
            lines[-1].append((mark + part, x + before))
            x, before = x + before + long, 0.0
    return lines


def _words(text: str) -> list[tuple[str, int]]:
    """Return the words, each with the number of spaces before it (a tab counts to the next eighth column)."""
    words: list[tuple[str, int]] = []
    word, gap = "", 0
    for letter in text.expandtabs(8):
        if letter.isspace():
            if word:
                words.append((word, gap))
                word, gap = "", 0
            gap += 1
        elif letter.isprintable() or letter == STRUCK:
            word += letter
    return [*words, (word, gap)] if word else words


def _cut(word: str, column: float, font: str, size: float) -> list[str]:
    if width(word, font=font, size=size) <= column:
        return [word]
    parts, part = [], ""
    for letter in word:
        if part and width(part + letter, font=font, size=size) > column:
            parts.append(part)
            part = ""
        part += letter
    return [*parts, part]
