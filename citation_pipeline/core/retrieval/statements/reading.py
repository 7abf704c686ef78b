"""What a document states, cut into the smallest pieces that answer something: pairs, sentences, rows.

A statement knows its words, so whatever is answered from it can be cited.
"""

from dataclasses import replace

from citation_pipeline.core.documents.parsed import ParsedDocument
from citation_pipeline.core.retrieval.statements.exchanges import read_exchange_statements
from citation_pipeline.core.retrieval.statements.pairs import read_pair_statements
from citation_pipeline.core.retrieval.statements.printed_documents import read_printed
from citation_pipeline.core.retrieval.statements.rows import read_row_statements
from citation_pipeline.core.retrieval.statements.sentences import read_sentence_statements
from citation_pipeline.core.retrieval.statements.signatures import read_signature_statements
from citation_pipeline.core.retrieval.statements.statement import Statement
from citation_pipeline.core.retrieval.statements.sums import read_sum_statements
from citation_pipeline.core.values.dates import find_dates


def read_statements(document: ParsedDocument) -> list[Statement]:
    """Return everything that a document states, in the order of its pages."""
    printed = read_printed(document)
    found = [
        *read_pair_statements(printed),
        *read_row_statements(printed),
        *read_sentence_statements(printed),
        *read_exchange_statements(printed),
        *read_signature_statements(printed),
        *read_sum_statements(printed),
    ]
    found.sort(key=lambda statement: (statement.page, min(statement.words)))
    return [replace(s, dated=dated) if (dated := _date_of(s)) else s for s in found]


def _date_of(statement: Statement) -> str:
    if any(c.isdigit() for c in statement.context) and (found := find_dates(statement.context)):
        return str(found[-1].value)
    if statement.kind == "row" and statement.text[:1].isdigit():
        return next((str(d.value) for d in find_dates(statement.text[:24]) if d.start == 0), "")
    return ""
