"""An extractor over a claim whose documents are read by several schemas: asked once a part, read together.

With a plain schema each function does what the extractor itself does. A reply's part is kept in its scope, so
that stored replies are read without looking at the documents again.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import replace

from citation_pipeline.adapters.extractors.port import Extractor
from citation_pipeline.adapters.extractors.rules import RULES
from citation_pipeline.adapters.extractors.second_reader import changing_fields, second_reading
from citation_pipeline.core.answers.conflicts import settle_conflicts
from citation_pipeline.core.answers.evidence import check_evidence, with_warnings
from citation_pipeline.core.answers.labels import doubt_labels
from citation_pipeline.core.answers.replies import StoredReply
from citation_pipeline.core.answers.second_reading import compare_readings, doubt_older
from citation_pipeline.core.answers.vetoes import veto_denied
from citation_pipeline.core.claims import Claim
from citation_pipeline.core.document_schemas import composed_key
from citation_pipeline.core.documents.parsed import ParsedDocument
from citation_pipeline.core.documents.part_documents import dates_by_part
from citation_pipeline.core.extraction import Extraction, PagesRead
from citation_pipeline.core.rules.belief import newest_day
from citation_pipeline.core.schemas import Schema, SchemaPart


def fingerprint_by_document(extractor: Extractor, claim: Claim, schema: Schema) -> str:
    """Return what identifies the extractor's behaviour on all parts of the schema."""
    if not _is_parted(extractor, schema):
        return extractor.fingerprint(claim, schema)
    parts = [f"{part.document}={extractor.fingerprint(claim, part.schema)}" for part in schema.parts]
    return f"{extractor.name}-{hashlib.sha256('|'.join(parts).encode()).hexdigest()[:16]}"


def ask_by_document(
    extractor: Extractor, claim: Claim, documents: Sequence[ParsedDocument], schema: Schema
) -> list[StoredReply]:
    """Return the replies of all parts, each with its part in its scope; raises a PipelineError."""
    if not _is_parted(extractor, schema):
        return extractor.ask(claim, documents, schema)
    return [
        replace(reply, scope=json.dumps({"part": part.document, "scope": reply.scope}))
        for part in schema.parts
        for reply in extractor.ask(claim, _documents_of(part, documents), part.schema)
    ]


def parts_to_ask(
    schema: Schema, documents: Sequence[ParsedDocument]
) -> list[tuple[Schema, Sequence[ParsedDocument]]]:
    """Return each schema of a claim with the documents that it reads; a plain one reads all."""
    if not schema.parts:
        return [(schema, documents)]
    return [(part.schema, _documents_of(part, documents)) for part in schema.parts]


def read_by_document(
    extractor: Extractor, replies: Sequence[StoredReply], documents: Sequence[ParsedDocument], schema: Schema
) -> Extraction:
    """Return the fields of all parts under their keys in the claim; makes no external call."""
    if not _is_parted(extractor, schema):
        return extractor.read(replies, documents, schema)
    by_part: dict[str, list[StoredReply]] = {}
    for reply in replies:
        scope = json.loads(reply.scope)
        by_part.setdefault(scope["part"], []).append(replace(reply, scope=scope["scope"]))
    return _together(
        schema,
        [
            _under_keys_of(
                part,
                extractor.read(by_part.get(part.document, []), _documents_of(part, documents), part.schema),
            )
            for part in schema.parts
        ],
    )


def _together(schema: Schema, found: Sequence[Extraction]) -> Extraction:
    return Extraction(
        schema_name=schema.name,
        fields=tuple(field for one in found for field in one.fields),
        issues=tuple(issue for one in found for issue in one.issues),
        model=next((one.model for one in found if one.model), ""),
        prompt_fingerprint=next((one.prompt_fingerprint for one in found if one.prompt_fingerprint), ""),
        conflicts=tuple(conflict for one in found for conflict in one.conflicts),
        pages_read=tuple(pages for one in found for pages in one.pages_read),
    )


def read_and_check(
    extractor: Extractor, replies: Sequence[StoredReply], documents: Sequence[ParsedDocument], schema: Schema
) -> tuple[Extraction, Extraction]:
    """Return what the replies say as it came, and with each value checked against what the documents say.

    Makes no external call. The check does not trust the extractor: a value whose words do not carry it is
    warned of, one that they deny is taken away, and one that the rules read otherwise is doubted.
    """
    said = read_by_document(extractor, replies, documents, schema)
    settled = settle_conflicts(said, dates_by_part(documents)) if said.conflicts else said
    texts = {document.source.source_id: document.text for document in documents}
    checked = with_warnings(settled, check_evidence(settled, schema, texts))
    allowed = veto_denied(checked, schema, texts)
    if replies and all(reply.provider == RULES for reply in replies):
        # they have chosen by the label and obey nobody; read again, they would only repeat themselves
        return said, allowed
    doubted = doubt_labels(allowed, schema, texts)
    dates = dates_by_part(documents)
    compared = compare_readings(doubted, _second_reading(documents, schema), dates)
    newest = newest_day([dates.get(document.source.source_id, "") for document in documents])
    return said, doubt_older(compared, _changing_fields(schema), dates, newest)


def _second_reading(documents: Sequence[ParsedDocument], schema: Schema) -> Extraction:
    if not schema.parts:
        return second_reading(documents, schema)
    parts = [
        _under_keys_of(part, second_reading(_documents_of(part, documents), part.schema))
        for part in schema.parts
    ]
    return _together(schema, parts)


def _changing_fields(schema: Schema) -> frozenset[str]:
    if not schema.parts:
        return changing_fields(schema)
    return frozenset(
        composed_key(part.document, key) for part in schema.parts for key in changing_fields(part.schema)
    )


def _is_parted(extractor: Extractor, schema: Schema) -> bool:
    return bool(schema.parts) and not getattr(extractor, "answers_whole", False)


def _documents_of(part: SchemaPart, documents: Sequence[ParsedDocument]) -> list[ParsedDocument]:
    return [document for document in documents if document.source.source_id in part.source_ids]


def _under_keys_of(part: SchemaPart, read: Extraction) -> Extraction:
    def keyed(key: str) -> str:
        return composed_key(part.document, key)

    def keyed_pages(pages: PagesRead) -> PagesRead:
        keys = tuple(part.schema.by_key) if pages.field_keys is None else pages.field_keys
        return replace(pages, field_keys=tuple(keyed(key) for key in keys))

    return replace(
        read,
        fields=tuple(replace(field, field_key=keyed(field.field_key)) for field in read.fields),
        issues=tuple(
            replace(issue, field_key=keyed(issue.field_key)) if issue.field_key else issue
            for issue in read.issues
        ),
        conflicts=tuple(replace(one, field_key=keyed(one.field_key)) for one in read.conflicts),
        pages_read=tuple(keyed_pages(pages) for pages in read.pages_read),
    )
