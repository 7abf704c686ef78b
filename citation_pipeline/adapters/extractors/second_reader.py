"""The embedded rules as the second reader of what another extractor answered: local, free, no call."""

import hashlib
from collections.abc import Sequence
from functools import lru_cache

from citation_pipeline.adapters.schema_files import lexicon_of
from citation_pipeline.core.documents.parsed import ParsedDocument
from citation_pipeline.core.extraction import Extraction
from citation_pipeline.core.rules.belief import changes
from citation_pipeline.core.rules.extraction import extract, rules_fingerprint
from citation_pipeline.core.rules.lexicons.lexicon_files import read_lexicon
from citation_pipeline.core.schemas import Schema


def second_reading(documents: Sequence[ParsedDocument], schema: Schema) -> Extraction:
    """Return what the rules read of the documents; a claim of 25 documents takes some two CPU seconds."""
    return extract(documents, schema, lexicon_of(schema))


def changing_fields(schema: Schema) -> frozenset[str]:
    """Return the fields that ask for what is so now, as the schema's lexicon knows."""
    lexicon = read_lexicon(lexicon_of(schema), schema=schema)
    return frozenset(key for key, rules in lexicon.fields.items() if changes(rules))


# a plan asks for it once for each claim
@lru_cache(maxsize=64)
def second_reader_fingerprint(schema: Schema) -> str:
    """Return what a second reading depends on besides the documents."""
    schemas = [part.schema for part in schema.parts] or [schema]
    parts = [rules_fingerprint(one, lexicon_of(one)) for one in schemas]
    return hashlib.sha256(":".join(parts).encode()).hexdigest()[:16]
