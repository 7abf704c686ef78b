"""The reading view: a document's lines with every token numbered, for a model that answers in spans.

One line of print a line: `<line>\\t[<token>:<word_id>]Token [<token>:<word_id>]Token …`. Line numbers and
word ids are the document's own (`words.line`, word position), so they hold whatever part of the document
is shown; tokens count from 0 over what is shown. How answers are snapped to words is not decided here.
"""

from collections.abc import Collection, Iterator

from citation_pipeline.core.documents import ParsedDocument


def write_reading_view(document: ParsedDocument, *, pages: Collection[int] | None = None) -> str:
    """Return the reading view of a document, or of some of its pages (1-based), lines parted by newlines."""
    words = document.words
    shown: list[str] = []
    current = -1
    parts: list[str] = []
    for token, word_id in enumerate(shown_words(document, pages=pages)):
        line = int(words.line[word_id])
        if line != current:
            if parts:
                shown.append(f"{current}\t{' '.join(parts)}")
            current, parts = line, []
        parts.append(f"[{token}:{word_id}]{words.texts[word_id]}")
    if parts:
        shown.append(f"{current}\t{' '.join(parts)}")
    return "\n".join(shown)


def shown_words(document: ParsedDocument, *, pages: Collection[int] | None = None) -> Iterator[int]:
    """Yield the word ids behind the tokens of a reading view, token 0 first."""
    if pages is None:
        yield from range(len(document.words))
        return
    for word_id, page in enumerate(document.words.page.tolist()):
        if page in pages:
            yield word_id
