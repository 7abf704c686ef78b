"""What a document states, cut into the smallest pieces that answer something: pairs, sentences, rows.

A statement knows its words, so whatever is answered from it can be cited.
"""

from collections.abc import Iterable, Sequence
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
    guessed = [*read_pair_statements(printed), *read_row_statements(printed)]
    found = [
        *laid_out,
        *_without_fields(laid_out, _beside_layout(document, laid_out, guessed)),
        *_without_fields(laid_out, read_sentence_statements(printed)),
        *read_exchange_statements(printed),
        *read_signature_statements(printed),
        *read_sum_statements(printed),
    ]
    found.sort(key=lambda statement: (statement.page, min(statement.words)))
    return [replace(s, dated=dated) if (dated := _date_of(s)) else s for s in found]


def _beside_layout(
    document: ParsedDocument, laid_out: Sequence[Statement], guessed: Iterable[Statement]
) -> list[Statement]:
    """Return the labels and cells that rows of text suggest, but where the layout says otherwise.

    A label that has its value there, and a value that has its label, are not paired with their neighbours.
    """
    taken = {word for statement in laid_out if statement.kind == "pair" for word in statement.words}
    labels = {word for s in laid_out if s.kind == "pair" for word in s.words if word not in s.value_words}
    heads = frozenset(heads_of_boxes(document))
    taken |= heads
    return [
        s
        for s in guessed
        if (s.kind not in ("pair", "cell") and not heads.issuperset(s.words))
        or (taken.isdisjoint(s.value_words) and not labels.issuperset(set(s.words) - set(s.value_words)))
    ]


def _without_fields(laid_out: Sequence[Statement], others: Iterable[Statement]) -> list[Statement]:
    """Return the sentences and rows but those that are a label with its short value, or part of one."""
    pairs = [s for s in laid_out if s.kind == "pair" and len(s.words) <= _SHORT_FIELD]
    field_of = {word: set(pair.words) for pair in pairs for word in pair.words}
    return [s for s in others if not field_of.get(s.words[0], set()).issuperset(s.words)]


def _date_of(statement: Statement) -> str:
    if any(c.isdigit() for c in statement.context) and (found := find_dates(statement.context)):
        return str(found[-1].value)
    if statement.kind == "row" and statement.text[:1].isdigit():
        return next((str(d.value) for d in find_dates(statement.text[:24]) if d.start == 0), "")
    return ""
