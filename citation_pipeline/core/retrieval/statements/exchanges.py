"""Transcripts: each question that was put to somebody, with what was answered to it.

Works on a page's rows; a line opens a turn when it begins with `Q`, `A` or a speaker's name and a colon.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from citation_pipeline.core.retrieval.statements.printed_documents import PrintedDocument
from citation_pipeline.core.retrieval.statements.statement import Statement
from citation_pipeline.core.rules.pages.layout import Row

_SPEAKER = re.compile(r"^(?:\d{1,3}\s+)?(?:[QA](?=[.:]?\s)[.:]?|[A-ZÀ-Þ'’ .-]{2,25}:)\s+")
_MOST_LINES = 6  # of a question or an answer; longer turns are speeches, and quoted whole they say too much

_Line = tuple[tuple[int, ...], str]


@dataclass(frozen=True, slots=True)
class Exchange:
    """A question and its answer without the speakers' names; `page` is the question's, words are ids."""

    page: int
    asked: str
    asked_words: tuple[int, ...]
    answer: str
    answer_words: tuple[int, ...]


def read_exchange_statements(printed: PrintedDocument) -> Iterator[Statement]:
    """Return each answer as a statement, the question its label."""
    for exchange in read_exchanges(printed.rows):
        yield Statement(
            source_id=printed.document.source.source_id,
            page=exchange.page,
            kind="exchange",
            words=exchange.asked_words + exchange.answer_words,
            value_words=exchange.answer_words,
            label=exchange.asked,
            text=exchange.answer,
            title=printed.title,
        )


def read_exchanges(rows: Sequence[Row]) -> Iterator[Exchange]:
    """Return the exchanges in the order of the rows."""
    spoken = [(row.page, line) for row in rows if (line := _without_number(row))[1]]
    at = 0
    while at < len(spoken):
        page, first = spoken[at]
        if not _SPEAKER.match(first[1]):
            at += 1
            continue
        asked = [first]
        end = at + 1
        while end < len(spoken) and not asked[-1][1].endswith("?") and not _opens(spoken[end][1]):
            asked.append(spoken[end][1])
            end += 1
        is_question = asked[-1][1].endswith("?") and len(asked) <= _MOST_LINES
        if not is_question or end >= len(spoken):
            at += 1
            continue
        if _opens(spoken[end][1]):
            answered = [spoken[end][1]]
            for _, line in spoken[end + 1 : end + _MOST_LINES]:
                if _opens(line):
                    break
                answered.append(line)
            yield Exchange(page, _text(asked), _words(asked), _text(answered), _words(answered))
        at = end


def _opens(line: _Line) -> bool:
    return bool(_SPEAKER.match(line[1]))


def _text(lines: Sequence[_Line]) -> str:
    return _SPEAKER.sub("", " ".join(text for _, text in lines))


def _words(lines: Sequence[_Line]) -> tuple[int, ...]:
    return tuple(word for words, _ in lines for word in words)


def _without_number(row: Row) -> _Line:
    """Return a transcript line without the number in its margin."""
    words, texts = row.passage.words, row.passage.texts
    if len(texts) > 1 and texts[0].isdecimal():
        words, texts = words[1:], texts[1:]
    return words, " ".join(texts)
