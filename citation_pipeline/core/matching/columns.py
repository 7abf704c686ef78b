"""Figures of one column quoted one below the other: `138 5.1 118`, too short for a search by letters."""

from citation_pipeline.core.matching.index import DocumentIndex
from citation_pipeline.core.matching.jumps import Jump
from citation_pipeline.core.matching.matches import Match, build_match
from citation_pipeline.core.matching.pairing import Pair, PairKind
from citation_pipeline.core.matching.snippets import PreparedSnippet

_LEAST_CELLS, _MOST_CELLS = 3, 40
_MOST_STARTS = 50  # places of the first cell that are tried
_MOST_AHEAD = 60  # words that are looked at for the cell below
_MOST_GAP = 5.0  # heights of a word between a cell and the one below it


def find_column(index: DocumentIndex, snippet: PreparedSnippet) -> list[Match]:
    """Return the first column of a table that has the snippet's tokens, each right below the one before.

    Every cell must be as it is quoted: nothing else tells such a column from any other figures.
    """
    tokens = [number for number, token in enumerate(snippet.tokens) if token.end > token.start]
    if not _LEAST_CELLS <= len(tokens) <= _MOST_CELLS or not snippet.has_numbers:
        return []
    keys = [snippet.key[snippet.tokens[t].start : snippet.tokens[t].end] for t in tokens]
    if any(key not in index.vocabulary for key in keys):
        return []
    for place in index.reading.find_all(keys[0])[:_MOST_STARTS].tolist():
        first, last = index.reading.positions_of(place, place + len(keys[0]))
        words = _read_down(index, first, keys) if last == first + 1 else []
        if words:
            pairs = [Pair(PairKind.SAME, (t, t + 1), (w,), 0) for t, w in zip(tokens, words, strict=True)]
            jumps = (Jump.BELOW,) * (len(words) - 1)
            return [build_match(index, snippet, pairs, "chained", jumps=jumps)]
    return []


def _read_down(index: DocumentIndex, word: int, keys: list[bytes]) -> list[int]:
    """Return the words of a column from its first cell on; none where it goes on with another cell."""
    found = [word]
    for key in keys[1:]:
        below = _below(index, found[-1])
        if below is None or index.keys[below] != key:
            return []
        found.append(below)
    return found


def _below(index: DocumentIndex, word: int) -> int | None:
    """Return the nearest word below another one on its page that shares some of its width."""
    words = index.words
    low, high = max(0, word - _MOST_AHEAD), min(len(index.keys), word + _MOST_AHEAD + 1)
    boxes = words.boxes[low:high]
    left, top, width, height = words.boxes[word].tolist()
    is_below = (boxes[:, 1] >= top + height / 2) & (boxes[:, 1] <= top + height * (1 + _MOST_GAP))
    is_in_column = (boxes[:, 0] < left + width) & (boxes[:, 0] + boxes[:, 2] > left)
    near = (is_below & is_in_column & (words.page[low:high] == words.page[word])).nonzero()[0]
    keyed = [at for at in near.tolist() if index.keys[low + at]]
    return low + min(keyed, key=lambda at: float(boxes[at, 1])) if keyed else None
