"""What a document states, cut into the smallest pieces that answer something: pairs, sentences, rows.

A statement knows its words, so whatever is answered from it can be cited.
"""

from collections.abc import Sequence
from dataclasses import replace

from citation_pipeline.core.documents.parsed import ParsedDocument
from citation_pipeline.core.retrieval.statements.exchanges import read_exchange_statements
from citation_pipeline.core.retrieval.statements.laid_out import heads_of_boxes, read_laid_out_statements
from citation_pipeline.core.retrieval.statements.pairs import read_pair_statements
from citation_pipeline.core.retrieval.statements.printed_documents import read_printed
from citation_pipeline.core.retrieval.statements.rows import read_row_statements
from citation_pipeline.core.retrieval.statements.sentences import read_sentence_statements
from citation_pipeline.core.retrieval.statements.signatures import read_signature_statements
from citation_pipeline.core.retrieval.statements.statement import Statement
from citation_pipeline.core.retrieval.statements.sums import read_sum_statements
from citation_pipeline.core.values.dates import find_dates

_SHORT_FIELD = 20  # words; a longer value has sentences of its own


def read_statements(document: ParsedDocument) -> list[Statement]:
    """Return everything that a document states, in the order of its pages."""
    printed = read_printed(document)
    laid_out = list(read_laid_out_statements(printed))
    beside = _Layout(document, laid_out)
    found = [
        *laid_out,
        *(s for s in read_pair_statements(printed) if beside.may_pair(s)),
        *(s for s in read_row_statements(printed) if beside.may_pair(s) and beside.says_more(s)),
        *(s for s in read_sentence_statements(printed) if beside.says_more(s)),
        *read_exchange_statements(printed),
        *read_signature_statements(printed),
        *read_sum_statements(printed),
    ]
    found.sort(key=lambda statement: (statement.page, min(statement.words)))
    return [replace(s, dated=dated) if (dated := _date_of(s)) else s for s in found]


class _Layout:
    """What the layout has joined already: rows and sentences of the same words say nothing more."""

    def __init__(self, document: ParsedDocument, laid_out: Sequence[Statement]) -> None:
        pairs = [s for s in laid_out if s.kind == "pair"]
        values = {word for s in laid_out for word in s.value_words}
        labels = {word for s in pairs for word in s.words}.difference(*(s.value_words for s in pairs))
        self._labels = labels
        self._names = labels | (set(heads_of_boxes(document)) - values)
        self._taken = self._names.union(*(s.words for s in pairs))
        short = [s for s in pairs if len(s.words) <= _SHORT_FIELD]
        self._field_of = {word: set(pair.words) for pair in short for word in pair.words}

    def may_pair(self, guess: Statement) -> bool:
        """Tell whether the rows of the text may be right that a label has a value.

        A label that has its value in the layout, and a value that has its label, have no other one.
        """
        if guess.kind not in ("pair", "cell"):
            return True
        label = set(guess.words).difference(guess.value_words)
        return self._taken.isdisjoint(guess.value_words) and not self._labels.issuperset(label)

    def says_more(self, statement: Statement) -> bool:
        """Tell whether a row or sentence is more than labels, or than one label with its short value."""
        field = self._field_of.get(statement.words[0], set())
        return not field.issuperset(statement.words) and not self._names.issuperset(statement.words)


def _date_of(statement: Statement) -> str:
    if any(c.isdigit() for c in statement.context) and (found := find_dates(statement.context)):
        return str(found[-1].value)
    if statement.kind == "row" and statement.text[:1].isdigit():
        return next((str(d.value) for d in find_dates(statement.text[:24]) if d.start == 0), "")
    return ""
