"""Struck-out text of office files on its way to pages: a mark that no file prints goes before each word.

The typesetter takes the mark off, draws the line, and says where it is. What does not know of it drops it.
"""

import re

STRUCK = "\ufdd0"  # Unicode keeps it for uses like this one
_WORD = re.compile(r"\S+")


def struck(text: str) -> str:
    """Return a text each of whose words is marked as struck out."""
    return _WORD.sub(lambda word: STRUCK + word[0], text)


def unmarked(text: str) -> str:
    """Return a text without the marks."""
    return text.replace(STRUCK, "")
