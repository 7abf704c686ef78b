"""Whether two pages that say nearly the same are copies, or versions: one bears what the other has not.

A signature, a stamp, a note by hand or a printed line that one page alone has makes it another document: the
signed letter is not its unsigned draft. What a fax or a scanner adds is no such thing: misread words, specks,
and the line of day, sender and page that a fax machine prints on the edge.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from rapidfuzz.distance import Indel, Levenshtein

from citation_pipeline.core.documents.edge_lines import is_edge_line
from citation_pipeline.core.documents.parsed import ParsedDocument, Words
from citation_pipeline.core.matching.folding import fold

_MARKS = frozenset({"Signature", "Figure", "Comment"})
_SAME_PLACE = 0.12  # of the page, between the middles of a mark on both: a scan is moved and cropped a little
_ALIKE = 0.5  # of the letters of a stretch and its misreading
_SURE = 0.6  # recognition is no surer of what is not print
_LEAST_LETTERS = 3  # a sure word of fewer is a speck as well
_PEN_HEIGHT = 1.4  # of the page's words: strokes of a pen are read as letters higher than print
_FEWEST_SPARED = 2  # words of one line that a poor scan lost; more is a line that it never had


def are_versions(first: ParsedDocument, first_page: int, second: ParsedDocument, second_page: int) -> bool:
    """Tell whether one of two pages that resemble each other bears a mark or words that the other has not."""
    if not _same_marks(_marks(first, first_page), _marks(second, second_page)):
        return True
    before, after = _PrintedPage.of(first.words, first_page), _PrintedPage.of(second.words, second_page)
    return any(
        side.is_mark(stretch) or side.is_print(stretch)
        for ours, theirs in _changed_stretches(before, after)
        if not _is_misreading(before.key_of(ours), after.key_of(theirs))
        for side, stretch in ((before, ours), (after, theirs))
    )


@dataclass(frozen=True, eq=False)
class _PrintedPage:
    """A page's words that have a letter or a digit, in reading order, by their ids in the document."""

    words: Words
    ids: Sequence[int]
    keys: Sequence[bytes]
    usual_height: float

    @classmethod
    def of(cls, words: Words, page: int) -> "_PrintedPage":
        ids = [word for word in np.flatnonzero(words.page == page).tolist() if fold(words.texts[word])]
        heights = words.boxes[ids, 3] if ids else np.zeros(1)
        return cls(words, ids, [fold(words.texts[word]) for word in ids], float(np.median(heights)))

    def key_of(self, stretch: Sequence[int]) -> bytes:
        return b"".join(self.keys[at] for at in stretch)

    def is_mark(self, stretch: Sequence[int]) -> bool:
        """Tell whether strokes that are no print were read as one of these words."""
        return any(
            not self._is_sure(at) and self.words.boxes[self.ids[at]][3] > _PEN_HEIGHT * self.usual_height
            for at in stretch
        )

    def is_print(self, stretch: Sequence[int]) -> bool:
        """Tell whether these words are printed for people: surely read, and not on an edge.

        Of a line of print that both pages have, a poor scan may lose a word or two.
        """
        sure = [at for at in stretch if self._is_sure(at) and len(self.keys[at]) >= _LEAST_LETTERS]
        lines = {int(self.words.line[self.ids[at]]) for at in sure} - set(self._edge_lines(sure))
        return any(
            self._is_whole(line, stretch)
            or sum(int(self.words.line[self.ids[at]]) == line for at in sure) > _FEWEST_SPARED
            for line in lines
        )

    def _is_sure(self, at: int) -> bool:
        confidence = float(self.words.confidence[self.ids[at]])
        return bool(np.isnan(confidence)) or confidence >= _SURE

    def _is_whole(self, line: int, stretch: Sequence[int]) -> bool:
        own = {at for at, word in enumerate(self.ids) if int(self.words.line[word]) == line}
        return own <= set(stretch)

    def _edge_lines(self, stretch: Sequence[int]) -> Iterator[int]:
        for line in {int(self.words.line[self.ids[at]]) for at in stretch}:
            own = [word for word in self.ids if int(self.words.line[word]) == line]
            if is_edge_line(self.words, own):
                yield line


def _changed_stretches(
    before: _PrintedPage, after: _PrintedPage
) -> Iterator[tuple[Sequence[int], Sequence[int]]]:
    """Yield the stretches between words that agree, by their positions on either page."""
    ours: list[int] = []
    theirs: list[int] = []
    for code in Levenshtein.opcodes(before.keys, after.keys):
        if code.tag != "equal":
            ours.extend(range(code.src_start, code.src_end))
            theirs.extend(range(code.dest_start, code.dest_end))
        elif ours or theirs:
            yield ours, theirs
            ours, theirs = [], []
    if ours or theirs:
        yield ours, theirs


def _is_misreading(ours: bytes, theirs: bytes) -> bool:
    return bool(ours and theirs) and Indel.normalized_similarity(ours, theirs) >= _ALIKE


def _marks(document: ParsedDocument, page: int) -> list[tuple[float, float]]:
    """Return the middles of what is drawn on a page for people."""
    return [
        (block.box.left + block.box.width / 2, block.box.top + block.box.height / 2)
        for block in document.blocks
        if block.page == page and block.type in _MARKS
    ]


def _same_marks(first: Sequence[tuple[float, float]], second: Sequence[tuple[float, float]]) -> bool:
    """Tell whether each mark of either page is near one of the other: one signature may be two strokes."""
    return all(
        any(abs(x - a) <= _SAME_PLACE and abs(y - b) <= _SAME_PLACE for a, b in others)
        for marks, others in ((first, second), (second, first))
        for x, y in marks
    )
