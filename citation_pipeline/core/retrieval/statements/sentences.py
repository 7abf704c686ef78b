"""The sentences of running text, each with the heading and, after a question, what was asked."""

from collections.abc import Iterator

from citation_pipeline.core.retrieval.statements.printed_documents import LETTER, QUOTE_WORDS, PrintedDocument
from citation_pipeline.core.retrieval.statements.statement import Statement
from citation_pipeline.core.rules.pages.paragraphs import read_paragraphs
from citation_pipeline.core.rules.pages.sentences import cut_sentences


def read_sentence_statements(printed: PrintedDocument) -> Iterator[Statement]:
    """Return the sentences that are long enough to say something and short enough to be quoted."""
    row_of = {word: row.number for row in printed.rows for word in row.words}
    before = ""
    for paragraph in read_paragraphs(printed.document):
        for sentence in cut_sentences(paragraph):
            if not 3 <= len(sentence.words) <= QUOTE_WORDS or not LETTER.search(sentence.text):
                before = sentence.text
                continue
            page = int(printed.document.words.page[sentence.words[0]])
            heading = printed.headings.get(row_of.get(sentence.words[0], -1), "")
            # a question in a transcript is the context of its answer
            context = f"{heading} {before if len(before) < 200 else ''}".strip()
            yield printed.state("sentence", page=page, value=sentence, context=context)
            before = sentence.text
