"""The sentences of running text, each with the heading and, after a question, what was asked."""

import re
from collections.abc import Iterator, Sequence

from citation_pipeline.core.retrieval.statements.printed_documents import LETTER, QUOTE_WORDS, PrintedDocument
from citation_pipeline.core.retrieval.statements.statement import Statement
from citation_pipeline.core.rules.pages.paragraphs import read_paragraphs
from citation_pipeline.core.rules.pages.passages import Passage, join
from citation_pipeline.core.rules.pages.sentences import cut_sentences

_OPENING_WORDS = 14  # of a long sentence: who does what, which each of its clauses is about
_PARAGRAPH_WORDS = 6  # "Liens. There are two": what the later sentences are about too
_CLAUSE_WORDS = 30  # a clause is cut once it has so many
_LONGEST = 400  # words; more is no sentence but a page without full stops
# a line that ends so goes on, even with a capital: "under the laws of / Iowa."
_GOES_ON = re.compile(
    r"(?:,|\b(?:of|the|and|or|to|by|in|for|with|at|on|from|that|a|an|between|under|per|than|is|are|was|"
    r"were|be|shall|will|its|his|her|their|this|any|such|as|not|Dr\.|Mr\.|Ms\.|Mrs\.))$"
)
_BOUNDARY = re.compile(r"[;:]$|,$")


def read_sentence_statements(printed: PrintedDocument) -> Iterator[Statement]:
    """Return the sentences that are long enough to say something, long ones in clauses that can be quoted."""
    row_of = {word: row.number for row in printed.rows for word in row.words}
    before = ""
    for paragraph in _joined(read_paragraphs(printed.document)):
        opens = " ".join(paragraph.texts[:_PARAGRAPH_WORDS])
        for sentence in cut_sentences(paragraph):
            if not 3 <= len(sentence.words) <= _LONGEST or not LETTER.search(sentence.text):
                before = sentence.text
                continue
            heading = printed.headings.get(row_of.get(sentence.words[0], -1), "")
            # a question in a transcript is the context of its answer
            is_first = sentence.words[0] == paragraph.words[0]
            said = before if len(before) < 200 else ""
            context = f"{heading} {'' if is_first or said.startswith(opens) else opens} {said}".strip()
            for opening, clause in _clauses(sentence):
                page = int(printed.document.words.page[clause.words[0]])
                around = f"{context} {opening}".strip()
                yield printed.state("sentence", page=page, value=clause, context=around)
            before = sentence.text


def _joined(paragraphs: Sequence[Passage]) -> Iterator[Passage]:
    """Put paragraphs together where a line's last word shows that the sentence goes on."""
    held: Passage | None = None
    for paragraph in paragraphs:
        if held is not None and len(held.words) > 6 and _GOES_ON.search(held.text):
            held = join((held, paragraph))
            continue
        if held is not None:
            yield held
        held = paragraph
    if held is not None:
        yield held


def _clauses(sentence: Passage) -> Iterator[tuple[str, Passage]]:
    """Cut a sentence that is too long to be quoted at its marks, each clause with how the sentence opens."""
    if len(sentence.words) <= QUOTE_WORDS:
        yield "", sentence
        return
    opening = " ".join(sentence.texts[:_OPENING_WORDS])
    begin, count = 0, len(sentence.words)
    while begin < count:
        end = _end_of_clause(sentence.texts, begin)
        if count - end < _CLAUSE_WORDS // 3:
            end = count
        yield opening if begin else "", Passage(sentence.words[begin:end], sentence.texts[begin:end])
        begin = end


def _end_of_clause(texts: Sequence[str], begin: int) -> int:
    """Return where a clause ends: at the first mark after enough words, or where it becomes too long."""
    last = min(len(texts), begin + QUOTE_WORDS)
    for place in range(min(begin + _CLAUSE_WORDS, last), last):
        if _BOUNDARY.search(texts[place - 1]):
            return place
    return last
