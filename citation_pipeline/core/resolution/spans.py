"""Citations given as spans of tokens of the reading view.

Models miscount. A span is believed when its guard texts are at its ends; else it is moved to where they are
nearby, else its text is looked for; what cannot be believed is flagged or unresolved, never drawn as if it
were sure. Every span ends as whole words, in the same `Citation` as a snippet.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from citation_pipeline.core.citations import Citation, CitationStatus
from citation_pipeline.core.documents.parsed import ParsedDocument
from citation_pipeline.core.extraction import ExtractedField, Snippet
from citation_pipeline.core.matching.folding import fold
from citation_pipeline.core.matching.index import DocumentIndex
from citation_pipeline.core.resolution.drafts import Source, placed, unresolved, with_words
from citation_pipeline.core.resolution.hints import Hints
from citation_pipeline.core.resolution.places import search_places
from citation_pipeline.core.resolution.regions import regions_of

NEARBY = 12
"""Tokens to either side within which guard texts are looked for: models miscount by a few."""

_LONGEST = 400  # tokens of one span: a page; more is an answer gone wrong
_UNGUARDED_SCORE, _GUARDED_SCORE, _MOVED_SCORE = 0.8, 1.0, 0.9


@dataclass(frozen=True, slots=True)
class TokenSpan:
    """Tokens `start_token` to `end_token`, both included, of a reading view of one source.

    `start_text` and `end_text` repeat the first and the last token as a guard against miscounting;
    `substr` is the part of the span that states the value. Each may be empty.
    """

    source_id: str
    start_token: int
    end_token: int
    start_text: str = ""
    end_text: str = ""
    substr: str = ""


def resolve_token_span(
    document: ParsedDocument,
    span: TokenSpan,
    *,
    field_key: str,
    citation_index: int = 0,
    value: Any = None,
    value_type: str = "string",
    tokens: Sequence[int] | None = None,
    index: DocumentIndex | None = None,
) -> Citation:
    """Return the citation of a token span; `tokens` are the word ids behind the view's tokens, all by
    default."""
    source = Source(document, index or DocumentIndex(document))
    shown = tokens if tokens is not None else range(len(document.words))
    blank = _blank(span.source_id, field_key, citation_index)
    if not len(shown):
        return replace(blank, reason="nothing_shown")
    first, last, warnings = _clamp(span.start_token, span.end_token, len(shown))
    guards = _Guards(document, shown, fold(span.start_text), fold(span.end_text))
    # the model counted wrong: its guard texts say where it meant to be
    if not guards.hold(first, last):
        moved = guards.move(first, last)
        if moved is None:
            return _by_text(source, blank, span.substr, warnings, value=value, value_type=value_type)
        first, last = moved
        warnings.append("span_moved")
    words = [int(shown[token]) for token in range(first, last + 1)]
    score = _MOVED_SCORE if warnings else _GUARDED_SCORE if guards.are_given else _UNGUARDED_SCORE
    answer = narrow(document, words, span.substr)
    if span.substr.strip() and not answer:
        warnings.append("substr_not_in_span")
    flagged = "substr_not_in_span" in warnings or "span_too_long" in warnings or "span_clamped" in warnings
    cited = _placed(
        source, blank, words, score=score, flagged=flagged, method="token_span", warnings=warnings
    )
    cited = with_words(cited, source, words, value=value, value_type=value_type)
    return replace(cited, value=regions_of(document.words, answer)) if answer else cited


def narrow(document: ParsedDocument, words: Sequence[int], substr: str) -> list[int]:
    """Return the words, among those of a span, that make up a part of its text; empty when it is not in
    it."""
    key = fold(substr)
    if not key:
        return []
    keys = [fold(document.words.texts[word]) for word in words]
    stream = b"".join(keys)
    place = stream.find(key)
    found: list[int] = []
    at = 0
    for word, own in zip(words, keys, strict=True):
        if place >= 0 and at < place + len(key) and at + len(own) > place:
            found.append(word)
        at += len(own)
    return found


class _Guards:
    """The texts that must be at a span's ends."""

    def __init__(self, document: ParsedDocument, shown: Sequence[int], start: bytes, end: bytes) -> None:
        self.texts, self.shown = document.words.texts, shown
        self.start, self.end = start, end

    @property
    def are_given(self) -> bool:
        return bool(self.start or self.end)

    def _is_at(self, guard: bytes, token: int, *, at_end: bool) -> bool:
        """Tell whether a guard text is at a token: the guard may be a part of it, or several tokens."""
        if not guard:
            return True
        own = fold(self.texts[self.shown[token]])
        if not own:
            return False
        step = -1 if at_end else 1
        # one word of the model may be several tokens here, and one token here several words of the model
        read = own
        while len(read) < len(guard) and 0 <= token + step < len(self.shown):
            token += step
            more = fold(self.texts[self.shown[token]])
            read = more + read if at_end else read + more
        return read.endswith(guard) if at_end else read.startswith(guard)

    def hold(self, first: int, last: int) -> bool:
        return self._is_at(self.start, first, at_end=False) and self._is_at(self.end, last, at_end=True)

    def move(self, first: int, last: int) -> tuple[int, int] | None:
        """Return the nearest span at whose ends the guards are, its length kept as well as can be."""
        options = [
            # nearest first; of equally near ones the span of the counted length
            (abs(a - first) + abs(b - last), abs((b - a) - (last - first)), a, b)
            for a in self._near(self.start, first, at_end=False)
            for b in self._near(self.end, last, at_end=True)
            if a <= b
        ]
        return min(options)[2:] if options else None

    def _near(self, guard: bytes, token: int, *, at_end: bool) -> list[int]:
        near = range(max(0, token - NEARBY), min(len(self.shown), token + NEARBY + 1))
        return [other for other in near if self._is_at(guard, other, at_end=at_end)] if guard else [token]


def _clamp(first: int, last: int, count: int) -> tuple[int, int, list[str]]:
    warnings: list[str] = []
    if first > last:
        first, last = last, first
        warnings.append("span_reversed")
    inside = min(max(first, 0), count - 1), min(max(last, 0), count - 1)
    if inside != (first, last):
        warnings.append("span_clamped")
    first, last = inside
    if last - first >= _LONGEST:
        warnings.append("span_too_long")
    return first, last, warnings


def _blank(source_id: str, field_key: str, citation_index: int) -> Citation:
    field = ExtractedField(field_key, None, "string")
    return unresolved(field, Snippet(source_id, "", citation_index), reason="guards_not_found")


def _by_text(
    source: Source,
    blank: Citation,
    text: str,
    warnings: Sequence[str],
    *,
    value: Any,
    value_type: str,
) -> Citation:
    """Fall back to the text that the model gave; found or not, the span itself was wrong."""
    warned = (*warnings, "span_not_believed")
    blank = replace(blank, snippet_text=text, warnings=warned)
    if not text.strip():
        return blank
    search = search_places(source.index, text, Hints())
    return placed(blank, source, search, value=value, value_type=value_type, warnings=warned)


def _placed(
    source: Source,
    blank: Citation,
    words: Sequence[int],
    *,
    score: float,
    flagged: bool,
    method: str,
    warnings: Sequence[str],
) -> Citation:
    texts = source.document.words.texts
    return replace(
        blank,
        snippet_text=" ".join(texts[word] for word in words[:_LONGEST]),
        status=CitationStatus.FLAGGED if flagged else CitationStatus.RESOLVED,
        method=method,
        score=score / 2 if flagged else score,
        confidence=score / 2 if flagged else score,
        reason=method,
        warnings=tuple(warnings),
    )
