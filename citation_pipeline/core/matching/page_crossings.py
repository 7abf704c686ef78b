"""Where a text of a script without spaces goes on from one page to the next: its last words on the one, and
the first on the other behind foot and head.

In scripts with spaces `chains` does it: there a page's end parts no word.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator

from citation_pipeline.core.matching.folding import spell
from citation_pipeline.core.matching.index import DocumentIndex
from citation_pipeline.core.matching.snippets import PreparedSnippet
from citation_pipeline.core.matching.written_words import SENTENCE_ENDS

_LEAST_HALF, _MOST_HALVES = 5, 20  # characters of the longer part, and places of it that are looked at
_MOST_BETWEEN = 10  # words of a foot, and of a head


def words_over_pages(index: DocumentIndex, snippet: PreparedSnippet) -> Iterator[tuple[int, ...]]:
    """Yield the words that have a text on two pages, the first and the last one perhaps in part."""
    half = len(snippet.key) // 2
    if half < _LEAST_HALF or not index.has_unspaced_lines:
        return
    wanted = spell(snippet.text)
    for first in _breaks(index, snippet.key, half):
        yield from _joined(index, first, wanted)


def _breaks(index: DocumentIndex, key: bytes, half: int) -> list[int]:
    """Return the first words of the pages that begin behind one half of a key, or end before the other."""
    found: dict[int, None] = {}
    pages, stream = index.words.page.data, index.reading
    for part, behind in ((key[:half], True), (key[-half:], False)):
        for place in stream.find_anywhere(part, limit=_MOST_HALVES):
            page = pages[stream.word_of(stream.position_at(place))]
            first = bisect_right(pages, page) if behind else bisect_left(pages, page)
            if 0 < first < len(pages):
                found[first] = None
    return list(found)


def _joined(index: DocumentIndex, first: int, wanted: str) -> Iterator[tuple[int, ...]]:
    """Yield the words before and behind a page's first that together have a text, without foot and head."""
    blocks, texts = index.words.block, index.words.texts
    for last in range(first - 1, max(0, first - 1 - _MOST_BETWEEN), -1):
        if last + 1 < first and (
            texts[last + 1].endswith(SENTENCE_ENDS) or blocks.item(last) == blocks.item(first - 1)
        ):
            continue
        before = _stretch(index, last, -1, len(wanted))
        held = spell("".join(texts[word] for word in reversed(before)))
        for start in range(first, min(len(texts), first + _MOST_BETWEEN)):
            if start > first and blocks.item(start) == blocks.item(first):
                continue
            behind = _stretch(index, start, 1, len(wanted))
            goes_on = spell("".join(texts[word] for word in behind))
            at = next(
                (
                    cut
                    for cut in range(len(wanted) - 1, 0, -1)
                    if held.endswith(wanted[:cut]) and goes_on.startswith(wanted[cut:])
                ),
                0,
            )
            if at:
                yield (
                    *reversed(_stretch(index, last, -1, at)),
                    *_stretch(index, start, 1, len(wanted) - at),
                )


def _stretch(index: DocumentIndex, word: int, step: int, length: int) -> list[int]:
    """Return the words from one on, of its page, that have so many letters and digits together."""
    texts, page = index.words.texts, index.words.page
    found: list[int] = []
    own = page.item(word)
    while length > 0 and 0 <= word < len(texts) and page.item(word) == own:
        found.append(word)
        length -= len(spell(texts[word]))
        word += step
    return found
