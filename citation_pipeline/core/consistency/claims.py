"""A claim's consistency: the schema's rules, documents of others, and tables, in one list."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from citation_pipeline.core.code_fingerprints import code_fingerprint
from citation_pipeline.core.consistency.documents import judge_documents
from citation_pipeline.core.consistency.judging import BROKEN_RULE, judge_rules
from citation_pipeline.core.consistency.rules import fingerprint_rules
from citation_pipeline.core.consistency.tables import Heads, judge_tables
from citation_pipeline.core.consistency.violations import Violation
from citation_pipeline.core.document_schemas import composed_key, main_schema
from citation_pipeline.core.documents.parsed import ParsedDocument
from citation_pipeline.core.extraction import ExtractedField
from citation_pipeline.core.rules.lexicons.lexicon_files import read_lexicon
from citation_pipeline.core.schemas import Schema, SchemaPart


def consistency_fingerprint(schema: Schema) -> str:
    """Return what the violations depend on beside fields and documents."""
    rules = (*schema.rules, *(rule for part in _own_schemas(schema) for rule in part.schema.rules))
    return f"{code_fingerprint('consistency')}-{fingerprint_rules(rules)}"


def find_violations(
    schema: Schema,
    fields: Sequence[ExtractedField],
    documents: Sequence[ParsedDocument],
    lexicon: Mapping[str, Any],
) -> list[Violation]:
    """Return all that does not agree; `lexicon` is the content of the schema's lexicon file or `{}`."""
    found = judge_rules(schema.rules, fields, tuple(schema.by_key))
    found += [violation for part in _own_schemas(schema) for violation in _judge_part(part, fields)]
    if any(rule.document_key for rule in schema.rules):
        main = schema.parts[0] if schema.parts else SchemaPart(schema, ())
        own = [d for d in documents if not schema.parts or d.source.source_id in main.source_ids]
        found += judge_documents(schema.rules, fields, own, read_lexicon(lexicon, schema=main.schema))
    return found + judge_tables(schema, fields, documents, _heads(schema, lexicon))


def doubt_disagreeing(
    fields: Sequence[ExtractedField], violations: Sequence[Violation]
) -> tuple[ExtractedField, ...]:
    """Return the fields, those that a broken rule names with a warning: one of them is wrong, or more are."""
    named = {key for one in violations if one.code == BROKEN_RULE for key in one.field_keys}
    return tuple(
        replace(field, warnings=(*field.warnings, BROKEN_RULE)) if field.field_key in named else field
        for field in fields
    )


def _heads(schema: Schema, lexicon: Mapping[str, Any]) -> Heads:
    """Return the columns by which the lexicon knows a list's table in a document of any kind.

    A table that is known in some kinds of documents only, or by part of its members, heads other things too.
    """
    main = main_schema(schema)
    if not lexicon:
        return {}
    known = read_lexicon(lexicon, schema=main).fields
    return {
        field.key: [
            rule.members
            for rule in known[field.key].tables
            if not rule.documents and rule.weight == 1.0 and field.items[0].name in rule.members
        ]
        for field in main.fields
        if field.items and field.key in known
    }


def _own_schemas(schema: Schema) -> list[SchemaPart]:
    """Return the parts of a claim whose documents have schemas of their own."""
    return [part for part in schema.parts if part.document]


def _judge_part(part: SchemaPart, fields: Sequence[ExtractedField]) -> list[Violation]:
    """Return what breaks a document's own rules, under the keys that its fields have in the claim."""
    keys = {composed_key(part.document, key): key for key in part.schema.by_key}
    own = [replace(field, field_key=keys[field.field_key]) for field in fields if field.field_key in keys]
    found = judge_rules(part.schema.rules, own, tuple(part.schema.by_key))
    return [
        replace(
            violation,
            field_keys=tuple(composed_key(part.document, key) for key in violation.field_keys),
            statements=tuple(
                replace(one, field_key=composed_key(part.document, one.field_key))
                for one in violation.statements
            ),
        )
        for violation in found
    ]
