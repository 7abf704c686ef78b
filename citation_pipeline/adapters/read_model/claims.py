"""Claims as they are now, kept ready: datasets with people's reviews over them, documents with their words.

One object per process; safe to share between threads. Everything the other modules answer is read here.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

from citation_pipeline.adapters.read_model.callers import CALLER
from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.adapters.tables.document_rows import read_documents
from citation_pipeline.adapters.tables.store_errors import MissingTableError
from citation_pipeline.adapters.verifications.store import VerificationStore
from citation_pipeline.core.claims import CLAIM_ID_PATTERN
from citation_pipeline.core.documents.parsed import DocumentStatus, ParsedDocument
from citation_pipeline.core.failures import PipelineError
from citation_pipeline.core.matching.index import DocumentIndex
from citation_pipeline.core.retrieval.candidates import KeptFields
from citation_pipeline.core.retrieval.statements.reading import read_statements
from citation_pipeline.core.retrieval.statements.statement import Statement, order_by_date
from citation_pipeline.core.review.overlay import with_reviews
from citation_pipeline.core.review.verifications import FieldReview

Kept = TypeVar("Kept")

_KEPT_CLAIMS = 64  # datasets; some 2 MB each as objects
_KEPT_DOCUMENTS = 6  # claims whose words are held; a claim of 300 pages takes some 60 MB with its index


class UnknownClaimError(PipelineError):
    """There is no finished claim of that id, or no such document or field in it."""


@dataclass(frozen=True)
class ClaimState:
    """One claim's dataset, reviews laid over it."""

    claim_id: str
    dataset: Mapping[str, Any]
    reviews: Mapping[str, FieldReview]
    mark: str

    @property
    def schema_name(self) -> str:
        """The schema that the claim was read with."""
        return str(self.dataset.get("schema", {}).get("name", ""))

    @cached_property
    def sources(self) -> Mapping[str, Mapping[str, Any]]:
        """The source documents by id."""
        return {source["id"]: source for source in self.dataset["sources"]}

    @cached_property
    def fields(self) -> Mapping[str, Mapping[str, Any]]:
        """The fields that have a value, by key."""
        return {f["fieldKey"]: f for f in self.dataset["fields"] if not f.get("markedAbsent")}

    def source(self, source_id: str) -> Mapping[str, Any]:
        """Return a source document; raises UnknownClaimError."""
        if source_id not in self.sources:
            raise UnknownClaimError(
                f"{self.claim_id} has no such document: list its documents with get_claim"
            )
        return self.sources[source_id]

    def page_size(self, source_id: str, page: int) -> tuple[float, float]:
        """Return a displayed page's width and height in points; letter size where nothing is known."""
        pages = self.sources.get(source_id, {}).get("pages") or ()
        for known in pages:
            if known["page"] == page:
                return float(known["width"]), float(known["height"])
        return 612.0, 792.0

    def part_title(self, source_id: str, page: int) -> str:
        """Return the title of the document that a page belongs to in a file of several, "" in any other."""
        for part in self.sources.get(source_id, {}).get("parts") or ():
            first, last = part["pages"]
            if first <= page <= last:
                return str(part["title"])
        return ""


class ClaimDocuments:
    """A claim's documents with what is computed from them once."""

    def __init__(self, documents: list[ParsedDocument]) -> None:
        self.by_id = {document.source.source_id: document for document in documents}
        self.readable = [d for d in documents if d.is_readable and d.status is not DocumentStatus.DUPLICATE]
        self._indexes: dict[str, DocumentIndex] = {}
        self._statements: dict[str, list[Statement]] = {}
        self._ordered: tuple[Mapping[str, str], dict[str, list[Statement]]] | None = None
        self._fields: tuple[object, KeptFields] | None = None

    def index(self, source_id: str) -> DocumentIndex:
        """Return the matcher's index of a document."""
        if source_id not in self._indexes:
            self._indexes[source_id] = DocumentIndex(self.by_id[source_id])
        return self._indexes[source_id]

    def ordered_statements(self, dates: Mapping[str, str]) -> Mapping[str, list[Statement]]:
        """Return what all readable documents state, by document, each with its recency.

        `dates` are the documents' by source id. Kept until they change: a statement keeps its terms, and
        counting them again for every question costs a second.
        """
        if self._ordered is None or self._ordered[0] != dates:
            names = [document.source.source_id for document in self.readable]
            ordered = order_by_date((s for name in names for s in self.statements(name)), dates)
            found: dict[str, list[Statement]] = {name: [] for name in names}
            for statement in ordered:
                found[statement.source_id].append(statement)
            self._ordered = (dict(dates), found)
        return self._ordered[1]

    def kept_fields(self, mark: object, read: Callable[[], KeptFields]) -> KeptFields:
        """Return the claim's fields as they answer questions, read again when `mark` changes."""
        if self._fields is None or self._fields[0] != mark:
            self._fields = (mark, read())
        return self._fields[1]

    def statements(self, source_id: str) -> list[Statement]:
        """Return what a document states."""
        if source_id not in self._statements:
            self._statements[source_id] = read_statements(self.by_id[source_id])
        return self._statements[source_id]


class Claims:
    """Reads claims of one store, and keeps the recent ones."""

    def __init__(self, store: ClaimStore, verifications: VerificationStore) -> None:
        self.store, self.verifications = store, verifications
        self._states: OrderedDict[str, ClaimState] = OrderedDict()
        self._documents: OrderedDict[str, tuple[str, ClaimDocuments]] = OrderedDict()
        self._with_events: frozenset[str] = frozenset()
        self._lock = threading.Lock()

    def ids(self) -> list[str]:
        """Return the store's claims, sorted."""
        return self.store.claim_ids()

    def marks(self) -> dict[str, str]:
        """Return, for every claim with a dataset, a mark that changes with the dataset and with its
        reviews."""
        last = self.verifications.last_ids()
        self._with_events = frozenset(last)
        store = self.store.listed("viewer_dataset")
        return {
            claim_id: f"{mark}-{last.get(claim_id, 0)}"
            for claim_id in self.ids()
            if (mark := store.file_mark("viewer_dataset", claim_id, "data.json")) is not None
        }

    def state(self, claim_id: str, *, last_ids: Mapping[str, int] | None = None) -> ClaimState:
        """Return a claim as it is now; raises UnknownClaimError.

        `last_ids` are the claims' newest review events, when the caller has just asked for those of all
        claims.
        """
        if not CLAIM_ID_PATTERN.fullmatch(claim_id):
            raise UnknownClaimError("a claim id is 1 to 100 letters, digits, '_', '.' or '-'")
        mark = self._dataset_mark(claim_id) if CALLER.get().may_see(claim_id) else None
        if mark is None:
            raise UnknownClaimError("there is no finished claim of that id: list the claims first")
        last = self.verifications.last_id(claim_id) if last_ids is None else last_ids.get(claim_id, 0)
        mark = f"{mark}-{last}"
        with self._lock:
            known = self._states.get(claim_id)
            if known is not None and known.mark == mark:
                self._states.move_to_end(claim_id)
                return known
        reviews = self.verifications.reviews(claim_id) if last else {}
        try:
            made = ClaimState(
                claim_id, with_reviews(self.store.read_viewer_dataset(claim_id), reviews), reviews, mark
            )
        except MissingTableError as error:
            raise UnknownClaimError("there is no finished claim of that id: list the claims first") from error
        with self._lock:
            self._states[claim_id] = made
            _trim(self._states, _KEPT_CLAIMS)
        return made

    def _dataset_mark(self, claim_id: str) -> str | None:
        return self.store.file_mark("viewer_dataset", claim_id, "data.json")

    def dataset(self, claim_id: str) -> Mapping[str, Any]:
        """Return a claim's reviewed dataset without keeping it: for a pass over all claims, after `marks`."""
        reviews = self.verifications.reviews(claim_id) if claim_id in self._with_events else {}
        return with_reviews(self.store.read_viewer_dataset(claim_id), reviews)

    def documents(self, claim_id: str) -> ClaimDocuments:
        """Return a claim's documents with their words; raises MissingTableError."""
        mark = self.store.file_mark("documents", f"{claim_id}.parquet") or ""
        with self._lock:
            known = self._documents.get(claim_id)
            if known is not None and known[0] == mark:
                self._documents.move_to_end(claim_id)
                return known[1]
        made = ClaimDocuments(read_documents(self.store, claim_id))
        with self._lock:
            self._documents[claim_id] = (mark, made)
            _trim(self._documents, _KEPT_DOCUMENTS)
        return made


def _trim(kept: OrderedDict[str, Kept], most: int) -> None:
    while len(kept) > most:
        kept.popitem(last=False)
