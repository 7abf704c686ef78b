"""The one read model behind REST, MCP, the viewer's questions and the command line.

It holds what is needed to answer; each kind of answer has its own module. Reading never changes a claim.
"""

import sqlite3
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from citation_pipeline.adapters.read_model.callers import CALLER, seen_among
from citation_pipeline.adapters.read_model.claims import Claims
from citation_pipeline.adapters.read_model.published_confidence import ConfidenceRules
from citation_pipeline.adapters.schema_files import available_schemas, load_schema, read_phrasings
from citation_pipeline.adapters.search_index.embeddings import EmbeddingProvider
from citation_pipeline.adapters.search_index.files import FILE_NAME, SearchFile
from citation_pipeline.adapters.search_index.filling import Filling, fill
from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.adapters.verifications.store import VerificationStore
from citation_pipeline.core.retrieval.conditions.condition import SearchableField
from citation_pipeline.core.retrieval.field_questions import FieldPhrasings
from citation_pipeline.core.retrieval.thresholds import EVIDENCE_THRESHOLD
from citation_pipeline.core.schemas import Schema, label_of

REFRESH_SECONDS = 2.0
"""How old the index may be: looking whether anything changed costs some 30 ms over a thousand claims."""


class ReadModel:
    """Answers from one store; safe to share between threads."""

    def __init__(
        self,
        store: ClaimStore,
        verifications: VerificationStore,
        *,
        index_path: Path | None = None,
        schemas: Sequence[Schema] = (),
        embeddings: EmbeddingProvider | None = None,
        root_url: str = "",
        min_similarity: float = EVIDENCE_THRESHOLD,
        confidence_rules: ConfidenceRules | None = None,
        refresh_seconds: float = REFRESH_SECONDS,
    ) -> None:
        self.claims = Claims(store, verifications)
        self.file = SearchFile(index_path or store.host_path(FILE_NAME))
        self.embeddings = embeddings
        self._root_url = root_url
        self.min_similarity = min_similarity
        self.confidence_rules = confidence_rules or ConfidenceRules()
        self._schemas = tuple(schemas)
        self._refresh_seconds = refresh_seconds
        self._looked_at = float("-inf")
        self._fields: tuple[SearchableField, ...] = ()
        self._phrasings: dict[str, FieldPhrasings | None] = {}
        self._refreshing = threading.Lock()

    @property
    def root_url(self) -> str:
        """What is put before links: the caller's address of the server, or the configured one."""
        return CALLER.get().root_url or self._root_url

    def seen(self, claim_ids: Sequence[str] | None) -> Sequence[str] | None:
        """Return the claims of these that the caller may see, None for all of the store."""
        return seen_among(claim_ids, self.claims.ids())

    @property
    def store(self) -> ClaimStore:
        """The store that is read."""
        return self.claims.store

    def refresh(self, *, force: bool = False) -> Filling | None:
        """Bring the index up to the store, unless that was looked at a moment ago."""
        if not force and time.monotonic() - self._looked_at < self._refresh_seconds:
            return None
        with self._refreshing:
            if not force and time.monotonic() - self._looked_at < self._refresh_seconds:
                return None
            filling = fill(
                self.file,
                self.store,
                dataset_marks=self.claims.marks(),
                read_dataset=self.claims.dataset,
                embeddings=self.embeddings,
            )
            if filling.removed and not self.store.is_local:  # erased, perhaps by another host
                self.store.forget_vanished()
                with suppress(sqlite3.OperationalError):  # others write it: the next claim's erasure packs it
                    self.file.pack()
            if filling.written or filling.removed or not self._fields:
                self._fields = self._read_fields()
            self._looked_at = time.monotonic()
            return filling

    def hear(self, schema_name: str, phrasings: FieldPhrasings) -> None:
        """Compare questions with these phrasings from now on, instead of the schema's shipped ones."""
        self._phrasings[schema_name] = phrasings

    def phrasings(self, schema_name: str) -> FieldPhrasings | None:
        """Return how people ask for a schema's fields; None for a schema that this server does not know."""
        if schema_name not in self._phrasings:
            schema = next((schema for schema in self._schemas if schema.name == schema_name), None)
            if schema is None and schema_name in available_schemas():
                schema = load_schema(schema_name)
            self._phrasings[schema_name] = None if schema is None else read_phrasings(schema)
        return self._phrasings[schema_name]

    def searchable_fields(self) -> tuple[SearchableField, ...]:
        """Return the fields that a condition may name: those that any claim has, with the schemas' names."""
        self.refresh()
        return self._fields

    def _read_fields(self) -> tuple[SearchableField, ...]:
        known = {field.key: field for schema in self._schemas for field in schema.fields}
        schema_of = {field.key: schema.name for schema in self._schemas for field in schema.fields}
        with self.file.reading() as connection:
            rows = connection.execute(
                "SELECT DISTINCT field_key, label, category, value_type FROM field_values "
                "WHERE item_path = '' ORDER BY field_key"
            ).fetchall()
            members = connection.execute(
                "SELECT field_key, substr(item_path, instr(item_path, '].') + 2) AS member, "
                "max(number IS NOT NULL), max(day IS NOT NULL) FROM field_values "
                "WHERE instr(item_path, '].') > 0 GROUP BY 1, 2"
            ).fetchall()
        found: dict[str, SearchableField] = {}
        for key, label, category, value_type in rows:
            field = known.get(key)
            names = (f"{category} {label}", *(field.hints if field else ()))
            found[key] = SearchableField(key, label, value_type, names, field.enum if field else ())
        for key, member, is_number, is_day in members:
            kind = "number" if is_number else "date" if is_day else "string"
            made = _member(found[key].label, key, member, kind, category=key.split(".")[0])
            found[made.path] = made
        for key, field in known.items():
            names = (f"{field.category} {field.label}", *field.hints)
            if key not in found:
                found[key] = SearchableField(
                    key, field.label, field.value_type, names, field.enum, has_values=False
                )
            for item in field.items:
                made = _member(field.label, key, item.name, item.value_type, category=field.category)
                has_values = made.path in found
                found[made.path] = replace(made, enum=item.enum, has_values=has_values)
        return tuple(replace(field, schema=schema_of.get(field.key, "")) for field in found.values())


def _member(label: str, key: str, member: str, value_type: str, *, category: str) -> SearchableField:
    """Return a member of a list's items as a field of its own."""
    own = label_of(member)
    names = (f"{label} {own}", f"{category} {own}")
    return SearchableField(key, f"{label}: {own}", value_type, names, (), member)
