"""Papers of a compensation claim set in type, and what the rules read of them."""

from citation_pipeline.adapters.schema_files import load_lexicon, load_schema
from citation_pipeline.core.documents.parsed import ParsedDocument
from citation_pipeline.core.extraction import ExtractedField
from citation_pipeline.core.rules.extraction import extract
from citation_pipeline_tests.typeset import column, typeset

SCHEMA, LEXICON = load_schema("workers_comp"), load_lexicon("workers_comp")


def read(*documents: ParsedDocument) -> dict[str, ExtractedField]:
    """Return the fields that the rules read, by key."""
    return {field.field_key: field for field in extract(documents, SCHEMA, LEXICON).fields}


def paper(*lines: str, name: str = "paper") -> ParsedDocument:
    """Return a page of lines, one below the other."""
    return typeset(name, column(lines))
