"""Transcripts: each question that was put to somebody, with the answer to it."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from citation_pipeline.core.rules.pages.layout import Row
from citation_pipeline.core.rules.pages.passages import Passage, join


@dataclass(frozen=True)
class Answer:
    """A question of a transcript and the answer to it."""

    question: Passage
    answer: Passage
    page: int


_QUESTION = re.compile(r"^Q(?:\.|:)?\s+(?=\S)|^Q(?:UESTION)?[.:]\s*", re.IGNORECASE)
_ANSWER = re.compile(r"^A(?:\.|:)?\s+(?=\S)|^A(?:NSWER)?[.:]\s*")


def read_answers(rows: Sequence[Row]) -> Iterator[Answer]:
    """Return the questions and answers of a transcript."""
    question: list[Passage] = []
    answer: list[Passage] = []
    page = 0
    for row in rows:
        whole = row.passage
        asked, answered = _QUESTION.match(whole.text), _ANSWER.match(whole.text)
        if asked:
            if question and answer:
                yield Answer(join(question), join(answer), page)
            question, answer, page = [whole.part(asked.end(), len(whole.text))], [], row.page
        elif answered and question:
            answer = [whole.part(answered.end(), len(whole.text))]
            page = row.page
        elif answer and row.page == page and row.segments[0].box.bottom < 0.92:
            answer.append(whole)
        elif question and not answer:
            question.append(whole)
    if question and answer:
        yield Answer(join(question), join(answer), page)
