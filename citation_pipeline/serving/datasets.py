"""Claims as readers see them: the pipeline's dataset with people's reviews over it, kept ready to send."""

import gzip
import hashlib
import json
import threading
import time
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

from pydantic.alias_generators import to_camel

from citation_pipeline.adapters.read_model.callers import CALLER
from citation_pipeline.adapters.read_model.held_sets import held_promotion
from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.adapters.tables.page_words import PageWord, read_second_words
from citation_pipeline.adapters.tables.part_boundaries import FOLDER as BOUNDARIES
from citation_pipeline.adapters.tables.part_boundaries import PartBoundaries, read_boundaries
from citation_pipeline.adapters.tables.store_errors import DamagedTableError
from citation_pipeline.adapters.verifications.store import VerificationStore
from citation_pipeline.core.claims import CLAIM_ID_PATTERN
from citation_pipeline.core.planning.stages import STAGES
from citation_pipeline.core.review.overlay import with_reviews
from citation_pipeline.core.review.seen import with_digests
from citation_pipeline.core.review.verifications import FieldReview
from citation_pipeline.core.viewer.summaries import summarize
from citation_pipeline.serving.errors import NotFoundError
from citation_pipeline.serving.kept_words import KeptWords

_OPENED_S = 1.0  # one opening of a claim asks for several things at once
_KEPT_BYTES = 120_000_000  # of packed datasets and their objects' estimate
_OBJECT_FACTOR = 30  # a parsed dataset takes some thirty times its packed text
_KEPT_SOURCES = 64  # claims whose pages are turned at once


@dataclass(frozen=True)
class ReviewedClaim:
    """One claim's dataset, reviews included; `etag` changes with either."""

    claim_id: str
    dataset: Mapping[str, Any]
    published: Mapping[str, Any]
    reviews: Mapping[str, FieldReview]
    etag: str
    packed: bytes

    @cached_property
    def sources(self) -> Mapping[str, Mapping[str, Any]]:
        """The source documents by id."""
        return {source["id"]: source for source in self.dataset["sources"]}

    @cached_property
    def fields(self) -> Mapping[str, Mapping[str, Any]]:
        """Fields by key, the absent ones too."""
        return {
            field["fieldKey"]: field
            for name in ("absentFields", "unreadFields", "fields")
            for field in self.dataset.get(name, ())
        }

    def source(self, source_id: str) -> Mapping[str, Any]:
        """Return a source document; raises NotFoundError."""
        try:
            return self.sources[source_id]
        except KeyError:
            raise NotFoundError("no_such_document", "The claim has no such document.") from None

    def field(self, field_key: str) -> Mapping[str, Any]:
        """Return a field; raises NotFoundError."""
        try:
            return self.fields[field_key]
        except KeyError:
            raise NotFoundError("no_such_field", "The claim's schema has no such field.") from None


class Datasets:
    """Reads claims for the viewer and keeps the recent ones; safe to share between threads."""

    def __init__(self, store: ClaimStore, verifications: VerificationStore) -> None:
        self._store, self._verifications = store, verifications
        self._now = store.current()
        self._looked: dict[str, tuple[float, str]] = {}  # of a remote store: when, and what was found
        self._claims: OrderedDict[str, ReviewedClaim] = OrderedDict()
        self._summaries: dict[str, tuple[str, dict[str, Any]]] = {}
        self._words = KeptWords(store)
        self._sources: OrderedDict[str, tuple[str, Mapping[str, Mapping[str, Any]]]] = OrderedDict()
        self._held: dict[str, tuple[str, bool]] = {}
        self._lock = threading.Lock()

    def claim_ids(self) -> list[str]:
        """Return the claims of the store that the caller may see, sorted."""
        return [claim_id for claim_id in self._store.claim_ids() if CALLER.get().may_see(claim_id)]

    def claim(self, claim_id: str, *, is_decided: bool = False) -> ReviewedClaim:
        """Return a claim as it is now; raises NotFoundError when it has no dataset yet.

        In object storage it is not looked up twice within a second, unless somebody decides on it.
        """
        if not CLAIM_ID_PATTERN.fullmatch(claim_id) or not CALLER.get().may_see(claim_id):
            raise NotFoundError("no_such_claim", "There is no claim of that id.")
        try:
            age = 0.0 if is_decided else _OPENED_S
            version = f"{self._version(claim_id, age=age)}-{self._verifications.last_id(claim_id)}"
        except FileNotFoundError:
            raise NotFoundError(
                "no_dataset", "There is no finished claim of that id.", "Run the claim to its viewer dataset."
            ) from None
        etag = hashlib.sha256(version.encode()).hexdigest()[:20]
        with self._lock:
            known = self._claims.get(claim_id)
            if known is not None and known.etag == etag:
                self._claims.move_to_end(claim_id)
                return known
        made = self._read(claim_id, etag)
        with self._lock:
            self._claims[claim_id] = made
            self._claims.move_to_end(claim_id)
            while len(self._claims) > 1 and self._kept_bytes() > _KEPT_BYTES:
                self._claims.popitem(last=False)
        return made

    def known_source(self, claim_id: str, source_id: str) -> Mapping[str, Any] | None:
        """Return a source document of a claim that was read before and has not changed since, else None.

        Asks neither the database nor reads a file: what a reader of pages needs thousands of times.
        """
        known = self._sources.get(claim_id)
        if known is None or not CALLER.get().may_see(claim_id):
            return None
        if not self._store.is_local:  # a question to the storage is not for the thread that serves all
            looked_at, version = self._looked.get(claim_id, (float("-inf"), ""))
            is_current = version == known[0] and time.monotonic() - looked_at < self._store.max_age
            return known[1].get(source_id) if is_current else None
        try:
            is_current = _version(self._store, claim_id) == known[0]
        except FileNotFoundError:
            return None
        return known[1].get(source_id) if is_current else None

    def _version(self, claim_id: str, *, age: float) -> str:
        """Return the dataset's version, of a remote store as it was at most so many seconds ago."""
        if self._store.is_local:
            return _version(self._store, claim_id)
        looked_at, version = self._looked.get(claim_id, (float("-inf"), ""))
        if time.monotonic() - looked_at < age:
            return version
        now = time.monotonic()
        version = _version(self._now, claim_id)
        self._looked[claim_id] = (now, version)
        return version

    def dataset_version(self, claim_id: str) -> str:
        """Return what changes when the pipeline writes the claim's dataset; empty while there is none."""
        try:
            return _version(self._store, claim_id)
        except FileNotFoundError:
            return ""

    def forget(self, claim_id: str) -> None:
        """Keep nothing of a claim in memory any more: it was erased."""
        with self._lock:
            self._claims.pop(claim_id, None)
            self._summaries.pop(claim_id, None)
            self._sources.pop(claim_id, None)
            self._held.pop(claim_id, None)
            self._looked.pop(claim_id, None)
        self._words.forget(claim_id)

    def stored_version(self, claim_id: str) -> str:
        """Return what changes when the claim's dataset is exchanged, wherever it lies; empty without one."""
        return self._now.file_mark("viewer_dataset", claim_id, "data.json") or ""

    def arrived_at(self, claim_id: str) -> float:
        """Return when documents last came to a claim, in seconds since 1970; 0 where that is not known."""
        store = self._store.listed("source_documents")
        info = store.file_info("source_documents", f"{claim_id}.parquet")
        return info.modified_at.timestamp() if info is not None else 0.0

    def summaries(self) -> list[dict[str, Any]]:
        """Return the line of every claim that the caller may see, asking the database once."""
        last_ids = self._verifications.last_ids()
        store = self._store.listed("viewer_dataset", BOUNDARIES, "promotions")
        return [
            self.summary(claim_id, last_id=last_ids.get(claim_id, 0), store=store)
            for claim_id in self.claim_ids()
        ]

    def summary(
        self, claim_id: str, *, last_id: int | None = None, store: ClaimStore | None = None
    ) -> dict[str, Any]:
        """Return a claim's line in the list: its state and counts, no document text.

        `last_id` is the claim's newest event, where the caller has asked for it already; `store` the store as
        it was listed.
        """
        try:
            last_id = self._verifications.last_id(claim_id) if last_id is None else last_id
            version = f"{_version(store or self._store, claim_id)}-{last_id}"
        except FileNotFoundError:
            return {"claimId": claim_id, "state": self._last_stage(claim_id)}
        known = self._summaries.get(claim_id)
        if known is None or known[0] != version:
            try:
                known = (version, _summary_of(self.claim(claim_id).dataset))
            except DamagedTableError:  # one claim's damage is not to hide the other claims
                return {"claimId": claim_id, "state": "damaged"}
            self._summaries[claim_id] = known
        return {**known[1], "isHeld": self._is_held(claim_id, store or self._store)}

    def _is_held(self, claim_id: str, store: ClaimStore) -> bool:
        """Tell whether a set of the claim waits for a decision; asked again while one does."""
        mark = store.file_mark("promotions", f"{claim_id}.parquet")
        if mark is None:
            return False
        known = self._held.get(claim_id)
        if known is None or known[0] != mark or known[1]:
            url = self._verifications.url
            known = (mark, held_promotion(self._store, url, claim_id) is not None)
            self._held[claim_id] = known
        return known[1]

    def words(self, claim: ReviewedClaim, source_id: str) -> list[PageWord]:
        """Return a source document's words in reading order; none before it was parsed.

        Of a long document that is a lot of memory: for a page of it use `page_words`.
        """
        return self._words.of_document(claim.claim_id, claim.source(source_id))

    def second_words(self, claim: ReviewedClaim, source_id: str) -> list[PageWord]:
        """Return a document's words as a second reading of its scans had them; none where none differs."""
        sources = {source_id, claim.source(source_id).get("duplicateOf") or source_id}
        return read_second_words(self._store, claim.claim_id, sources, self.words(claim, source_id))

    def page_words(self, claim: ReviewedClaim, source_id: str, page: int) -> list[PageWord]:
        """Return a page's words in reading order."""
        return self._words.of_page(claim.claim_id, claim.source(source_id), page)

    def _read(self, claim_id: str, etag: str) -> ReviewedClaim:
        version = _version(self._now, claim_id)
        published = _divided(self._now.read_viewer_dataset(claim_id), read_boundaries(self._now, claim_id))
        reviews = self._verifications.reviews(claim_id)
        dataset = with_digests(with_reviews(published, reviews))
        packed = gzip.compress(json.dumps(dataset, ensure_ascii=False).encode("utf-8", "replace"), 3)
        made = ReviewedClaim(claim_id, dataset, published, reviews, etag, packed)
        with self._lock:
            self._sources[claim_id] = (version, made.sources)
            self._sources.move_to_end(claim_id)
            while len(self._sources) > _KEPT_SOURCES:
                self._sources.popitem(last=False)
        return made

    def _kept_bytes(self) -> int:
        return sum(len(claim.packed) * _OBJECT_FACTOR for claim in self._claims.values())

    def _last_stage(self, claim_id: str) -> str:
        done = [stage for stage in STAGES if self._store.stage_state(stage, claim_id) is not None]
        return done[-1] if done else "registered"


def _version(store: ClaimStore, claim_id: str) -> str:
    """Return what changes with the claim's dataset and people's boundaries; raises FileNotFoundError."""
    mark = store.file_mark("viewer_dataset", claim_id, "data.json")
    if mark is None:
        raise FileNotFoundError(claim_id)
    return mark + (store.file_mark(BOUNDARIES, f"{claim_id}.json") or "")


def _divided(dataset: dict[str, Any], boundaries: Mapping[str, PartBoundaries]) -> dict[str, Any]:
    """Show people's boundaries at once; title, kind and date of a part that is new come with the next run."""
    for source in dataset["sources"]:
        known = boundaries.get(source["id"])
        if known is None or known.sha256 != source.get("sha256"):
            continue
        before = {part["pages"][0]: part for part in source.pop("parts", ())}
        ends = [*(page - 1 for page in known.starts[1:]), source["pageCount"]]
        parts = [
            {**before.get(first, {"title": ""}), "pages": [first, last]}
            for first, last in zip(known.starts, ends, strict=True)
        ]
        source["partsBy"] = known.made_by
        if len(parts) > 1:
            source["parts"] = parts
    return dataset


def _summary_of(dataset: Mapping[str, Any]) -> dict[str, Any]:
    counts = asdict(summarize(dataset))
    return {"claimId": dataset["claimId"], "state": "ready"} | {
        to_camel(name): count for name, count in counts.items()
    }
