"""What a claim has left in a store: names that find its files, strings that must be gone afterwards."""

import hashlib
import json
import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from citation_pipeline.adapters.outbound_ledger import SentRequests
from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.adapters.tables.store_errors import StoreError
from citation_pipeline.core.claims import check_claim_id
from citation_pipeline.core.failures import PipelineError

_MOST_STRINGS = 400  # searched for in every file: more make the proof longer, not better
_OF_NOTHING = hashlib.sha256(
    b""
).hexdigest()  # an empty file's, and what Dagster calls the version of nothing
_LISTS = ("documents", "source_documents")
_CODE = re.compile(
    r"(?=.*\d)(?=.*[^\d\s.,:/$%-]).{6,}"
)  # a number of a file or a person, no date and no amount


class UnknownClaimError(PipelineError):
    """A claim of which the store holds nothing."""

    def __init__(self, claim_id: str) -> None:
        super().__init__(f"{claim_id} is not in the store: nothing was erased; look at `plan` for its claims")


@dataclass(frozen=True, slots=True)
class Traces:
    """What identifies a claim's remains.

    `hashes` are of its documents, `fingerprints` of the requests that were sent for it, `strings` what its
    documents, answers and reviews say and nothing else should.
    """

    claim_id: str
    hashes: frozenset[str]
    fingerprints: frozenset[str]
    strings: tuple[str, ...]


def read_traces(
    store: ClaimStore,
    claim_id: str,
    *,
    ledger: SentRequests,
    fingerprints: Collection[str],
    said: Iterable[str],
) -> Traces:
    """Return what the claim has left.

    `fingerprints` are of requests that are known already, `said` further texts of the claim, such as
    reviewers' remarks.
    """
    check_claim_id(claim_id)
    documents = _rows(store, "documents", claim_id) or _rows(store, "source_documents", claim_id)
    hashes = {str(row["sha256"]) for row in documents} | _taken_in(store, claim_id)
    found = set(fingerprints)
    found |= {
        str(row["request_fingerprint"])
        for row in _rows(store, "raw_extraction", claim_id)
        if row.get("request_fingerprint")
    }
    for name in ledger.marks():
        for row in ledger.lines(name):
            if row.get("claim_id") == claim_id and row.get("request_fingerprint"):
                found.add(str(row["request_fingerprint"]))
    strings = dict.fromkeys([claim_id, *sorted(hashes - {_OF_NOTHING})])
    strings |= dict.fromkeys(text for text in _texts(store, claim_id, documents, said) if _is_telling(text))
    return Traces(claim_id, frozenset(hashes), frozenset(found), tuple(strings)[:_MOST_STRINGS])


def hashes_of_others(store: ClaimStore, claim_id: str) -> frozenset[str]:
    """Return the hashes of all documents that other claims hold: what is kept by content is theirs too."""
    return frozenset(
        sha256
        for other in store.claim_ids()
        if other != claim_id
        for sha256 in (
            *(str(row["sha256"]) for table in _LISTS for row in _rows(store, table, other)),
            *_taken_in(store, other),
        )
    )


def _taken_in(store: ClaimStore, claim_id: str) -> set[str]:
    """Return the hashes of the files that the store keeps for a claim."""
    try:
        return {file.sha256 for file in store.claim(claim_id).files}
    except StoreError:
        return set()


def _rows(store: ClaimStore, table: str, claim_id: str) -> list[dict[str, Any]]:
    try:
        return store.read_rows(table, claim_id)
    except (
        StoreError,
        OSError,
    ):  # never made, or of an older shape: what it is called is enough to remove it
        return []


def _texts(
    store: ClaimStore, claim_id: str, documents: list[dict[str, Any]], said: Iterable[str]
) -> Iterator[str]:
    for row in documents:
        yield str(row.get("file", "")).rpartition("/")[2]
    yield from said
    for row in _rows(store, "citations", claim_id):
        yield str(row["snippet"])
    for row in _rows(store, "fields", claim_id):
        yield from _leaves(json.loads(row["value"]))
    words = {str(row["text"]) for row in _rows(store, "words", claim_id)}
    yield from sorted((word for word in words if _CODE.fullmatch(word)), key=lambda word: (-len(word), word))


def _leaves(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from _leaves(item)
    elif isinstance(value, str):
        yield value


def _is_telling(text: str) -> bool:
    """Tell whether a text would be found nowhere else by chance: several words, or a code."""
    return 6 <= len(text) <= 300 and (len(text.split()) >= 3 or bool(_CODE.fullmatch(text)))
