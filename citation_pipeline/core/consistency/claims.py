"""A claim's consistency: the schema's rules, documents of others, and tables, in one list."""

from collections.abc import Mapping, Sequence
from typing import Any

from citation_pipeline.core.code_fingerprints import code_fingerprint
from citation_pipeline.core.consistency.documents import judge_documents
from citation_pipeline.core.consistency.judging import judge_rules
from citation_pipeline.core.consistency.rules import fingerprint_rules
from citation_pipeline.core.consistency.tables import judge_tables
from citation_pipeline.core.consistency.violations import Violation
from citation_pipeline.core.documents.parsed import ParsedDocument
from citation_pipeline.core.extraction import ExtractedField
from citation_pipeline.core.rules.lexicons.lexicon_files import read_lexicon
from citation_pipeline.core.schemas import Schema, SchemaPart


def consistency_fingerprint(schema: Schema) -> str:
    """Return what the violations depend on beside fields and documents."""
    return f"{code_fingerprint('consistency')}-{fingerprint_rules(schema.rules)}"


def find_violations(
    schema: Schema,
    fields: Sequence[ExtractedField],
    documents: Sequence[ParsedDocument],
    lexicon: Mapping[str, Any],
) -> list[Violation]:
    """Return all that does not agree; `lexicon` is the content of the schema's lexicon file or `{}`."""
    found = judge_rules(schema.rules, fields, tuple(schema.by_key))
    if any(rule.document_key for rule in schema.rules):
        main = schema.parts[0] if schema.parts else SchemaPart(schema, ())
        own = [d for d in documents if not schema.parts or d.source.source_id in main.source_ids]
        found += judge_documents(schema.rules, fields, own, read_lexicon(lexicon, schema=main.schema))
    return found + judge_tables(schema, fields, documents)
