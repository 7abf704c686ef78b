"""The one read model behind REST, MCP, the viewer's questions and the command line.

It holds what is needed to answer; each kind of answer has its own module. Reading never changes a claim.
"""

import threading
import time
from collections.abc import Sequence
from pathlib import Path

from citation_pipeline.adapters.read_model.claims import Claims
from citation_pipeline.adapters.search_index.embeddings import EmbeddingProvider
from citation_pipeline.adapters.search_index.files import FILE_NAME, SearchFile
from citation_pipeline.adapters.search_index.filling import Filling, fill
from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.adapters.verifications.store import VerificationStore
from citation_pipeline.core.retrieval.query_grammar import SearchableField
from citation_pipeline.core.schemas import Schema

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
        refresh_seconds: float = REFRESH_SECONDS,
    ) -> None:
        self.claims = Claims(store, verifications)
        self.file = SearchFile(index_path or store.local_path(FILE_NAME))
        self.embeddings = embeddings
        self.root_url = root_url
        self._schemas = tuple(schemas)
        self._refresh_seconds = refresh_seconds
        self._looked_at = float("-inf")
        self._fields: tuple[SearchableField, ...] = ()
        self._refreshing = threading.Lock()

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
            if filling.written or filling.removed or not self._fields:
                self._fields = self._read_fields()
            self._looked_at = time.monotonic()
            return filling

    def searchable_fields(self) -> tuple[SearchableField, ...]:
        """Return the fields that a condition may name: those that any claim has, with the schemas' names."""
        self.refresh()
        return self._fields

    def _read_fields(self) -> tuple[SearchableField, ...]:
        known = {field.key: field for schema in self._schemas for field in schema.fields}
        with self.file.reading() as connection:
            rows = connection.execute(
                "SELECT DISTINCT field_key, label, category, value_type FROM field_values WHERE "
                "item_path = '' "
                "ORDER BY field_key"
            ).fetchall()
        found = {}
        for key, label, category, value_type in rows:
            field = known.get(key)
            names = (f"{category} {label}", *(field.hints if field else ()))
            found[key] = SearchableField(key, label, value_type, names, field.enum if field else ())
        for key, field in known.items():
            if key not in found:
                names = (f"{field.category} {field.label}", *field.hints)
                found[key] = SearchableField(key, field.label, field.value_type, names, field.enum)
        return tuple(found.values())
