"""The clause of its document that a snippet is cut from: `identified as such` of `was not identified so`.

A quotation may begin behind the word that denies it. What the clause says is for `vetoes` to judge.
"""

import re
from functools import cached_property

from citation_pipeline.core.values.spans import fold, fold_with_places

_MOST_OCCURRENCES = 20
_REACH = 240  # characters of a clause on either side that are looked at: some forty words
# Where the words around a snippet are another statement: a sentence, a label, a cell, a box, a block.
_BREAK = re.compile(r"[.;!?•|](?=\s|$)|•|\n\s*\n|[:\t☐☑☒□■]|\[\s?[xX]?\s?\]|\s[-–—]\s|\)\s")
# A line that begins with a capital, a figure or a bullet is a line of its own, a wrapped one seldom.
_LINE = re.compile(r"\n(?=\s*[^\sa-z])")
_CONTINUES = re.compile(r"\s*[,a-z]")


class QuotedDocument:
    """One document's text, folded once, in which snippets are found by their letters and digits."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def _folded(self) -> tuple[str, list[int]]:
        return fold_with_places(self.text)

    def clauses_of(self, snippet: str, *, with_heading: bool = False) -> list[str]:
        """Return a snippet with what precedes and follows it in its clause, once for each place of it.

        With its heading, a list's member is read behind the label before it, and no further. Empty where
        the document does not have the snippet in a row.
        """
        key = fold(snippet)
        if not key:
            return []
        stream, places = self._folded
        found: list[str] = []
        at = stream.find(key)
        while at >= 0 and len(found) < _MOST_OCCURRENCES:
            start, end = places[at], places[at + len(key) - 1] + 1
            if self._is_edge(start) and self._is_edge(end):
                found.append(self._clause(start, end, snippet, with_heading=with_heading))
            at = stream.find(key, at + 1)
        return list(dict.fromkeys(found))

    def _is_edge(self, place: int) -> bool:
        around = self.text[max(0, place - 1) : place + 1]
        return len(around) < 2 or not around.isalnum()

    def _clause(self, start: int, end: int, snippet: str, *, with_heading: bool) -> str:
        before = self.text[max(0, start - _REACH) : start]
        breaks = [m for m in _BREAK.finditer(before) if not (with_heading and m[0] == ":")]
        begin = max((m.end() for m in breaks), default=0)
        head = self.text[start : start + 1]
        # the snippet's own line is one of its own where it begins with a capital
        lines = [m.end() for m in _LINE.finditer(before + head)]
        begin = max([begin, *lines])
        behind = self.text[end : end + _REACH]
        if with_heading or not _CONTINUES.match(behind):
            behind = ""
        stops = [m.start() for m in (_BREAK.search(behind), _LINE.search(behind)) if m is not None]
        text = f"{before[begin:]} {snippet} {behind[: min(stops, default=len(behind))]}"
        return " ".join(text.split())
