"""The reading view: a document as numbered lines of numbered tokens, for a model that cites by span.

A token is a word; its number is its place in the view, which may show some pages only, and the view keeps the
word id behind each. A view is printed for a model (`text`) or, with every number, for a program
(`text_with_words`). What is answered with these numbers is resolved by `resolution.spans`.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from citation_pipeline.core.documents.parsed import ParsedDocument
from citation_pipeline.core.resolution.spans import TokenSpan


@dataclass(frozen=True, slots=True)
class ReadingLine:
    """One printed line: its number in the view, its page, and the half-open range of its tokens.

    `document_line` is the document's own number of it (`words.line`), the same whatever part is shown.
    """

    number: int
    document_line: int
    page: int
    token_start: int
    token_end: int


@dataclass(frozen=True)
class ReadingView:
    """A document's lines; `tokens` holds the word id behind each token."""

    source_id: str
    lines: Sequence[ReadingLine]
    tokens: Sequence[int]
    texts: Sequence[str]

    @property
    def text(self) -> str:
        """The view as a model reads it: `L3 p1 [12] Date of injury: [16] 03/14/2023`, a number every four
        tokens."""
        rows = []
        for line in self.lines:
            parts = []
            for token in range(line.token_start, line.token_end):
                if (token - line.token_start) % _MARKED == 0:
                    parts.append(f"[{token}]")
                parts.append(self.texts[token])
            rows.append(f"L{line.number} p{line.page} {' '.join(parts)}")
        return "\n".join(rows)

    @property
    def text_with_words(self) -> str:
        """Every token with its word id under the document's own lines: `2<tab>[0:4]second [1:5]page`."""
        return "\n".join(
            f"{line.document_line}\t"
            + " ".join(
                f"[{token}:{self.tokens[token]}]{self.texts[token]}"
                for token in range(line.token_start, line.token_end)
            )
            for line in self.lines
        )

    def as_dict(self) -> dict[str, Any]:
        """Return the view as plain data: each token as [token, word id, text]."""
        return {
            "source_id": self.source_id,
            "lines": [
                {
                    "line": line.number,
                    "page": line.page,
                    "tokens": [
                        [token, self.tokens[token], self.texts[token]]
                        for token in range(line.token_start, line.token_end)
                    ],
                }
                for line in self.lines
            ],
        }


_MARKED = 4  # a number before every word costs three times the tokens and helps no model to count


def read_view(
    document: ParsedDocument, *, pages: Collection[int] | None = None, first_line: int = 1
) -> ReadingView:
    """Return the view of a document or some of its pages; `first_line` lets several documents count on."""
    words = document.words
    shown = [w for w in range(len(words)) if pages is None or int(words.page[w]) in pages]
    lines: list[ReadingLine] = []
    start = 0
    for token in range(1, len(shown) + 1):
        ends = token == len(shown) or words.line[shown[token]] != words.line[shown[start]]
        if ends:
            first = shown[start]
            line = int(words.line[first])
            lines.append(ReadingLine(first_line + len(lines), line, int(words.page[first]), start, token))
            start = token
    return ReadingView(document.source.source_id, lines, shown, [words.texts[word] for word in shown])


def span_of(answer: Mapping[str, Any], *, source_id: str) -> TokenSpan:
    """Read one span of a model's answer; raises ValueError when its tokens are not whole numbers."""
    start, end = answer.get("start_token"), answer.get("end_token")
    if (
        not isinstance(start, int)
        or not isinstance(end, int)
        or isinstance(start, bool)
        or isinstance(end, bool)
    ):
        raise ValueError("start_token and end_token must be whole numbers")
    return TokenSpan(
        source_id,
        start,
        end,
        start_text=str(answer.get("start_text") or answer.get("start_guard") or ""),
        end_text=str(answer.get("end_text") or answer.get("end_guard") or ""),
        substr=str(answer.get("substr") or ""),
    )
