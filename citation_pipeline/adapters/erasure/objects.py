"""Removing a claim from a store in object storage: what has its name or content, and its lines in lists."""

import json
from collections.abc import Collection
from datetime import UTC, datetime, timedelta
from typing import Any

from citation_pipeline.adapters.claim_originals import FOLDERS
from citation_pipeline.adapters.erasure.files import SHA256, SUFFIXES, remove_named, without_claim
from citation_pipeline.adapters.erasure.traces import Traces
from citation_pipeline.adapters.object_storage.objects import ObjectFiles
from citation_pipeline.adapters.tables.claim_store import ClaimStore

_TAKEN_IN_S = 3600  # an original is in the store before the registration that lists it


def is_named_in(store: ClaimStore, claim_id: str) -> bool:
    """Tell whether an object bears the claim's name."""
    names = {claim_id + suffix for suffix in SUFFIXES}
    return any(_bears(path, names) for path, _ in _place(store).all_files())


def erase_objects(
    store: ClaimStore, traces: Traces, *, others: Collection[str], their_hashes: Collection[str]
) -> int:
    """Remove the claim's objects and take it out of those that list claims; return how many were removed.

    `others` are the other claims, `their_hashes` the hashes of their files. This machine's copies go too.
    """
    names = {traces.claim_id + suffix for suffix in SUFFIXES}
    own = {*traces.hashes, *traces.fingerprints} - set(their_hashes)
    latest = datetime.now(UTC) - timedelta(seconds=_TAKEN_IN_S)
    count = 0
    place = _place(store)
    for path, info in list(place.all_files()):
        name = path.rpartition("/")[2]
        known = SHA256.match(name)
        # of a file that was exchanged since, too: what is kept by content and is nobody else's is made again
        is_orphan = known and known[0] not in their_hashes and info.modified_at < latest
        if _bears(path, names) or is_orphan or (known and known[0] in own) or name.partition(".")[0] in own:
            count += store.remove(path)
        elif name.endswith(".json") and name.removesuffix(".json") not in others and not _is_of(path, others):
            _take_out(store, path, traces.claim_id)
    place.mirror.forget_all_but({})
    remove_named(store.host_path(FOLDERS), traces.claim_id)
    return count


def versions_left(store: ClaimStore) -> tuple[str, ...]:
    """Return what a search cannot open: former versions, where the bucket keeps them."""
    place = _place(store)
    # objects from before versions were kept have none: the last one tells what the bucket does now
    last = max(place.all_files(), key=lambda found: found[1].modified_at, default=None)
    if last is None or not place.keeps_versions(last[0]):
        return ()
    return (f"{store.shown_root}: the bucket keeps former versions: have its lifecycle rules expire them",)


def _place(store: ClaimStore) -> ObjectFiles:
    assert isinstance(store.place, ObjectFiles)  # asked for remote stores alone
    return store.place


def _bears(path: str, names: Collection[str]) -> bool:
    return any(part in names for part in path.split("/"))


def _is_of(path: str, others: Collection[str]) -> bool:
    return any(part in others for part in path.split("/")[:-1])


def _take_out(store: ClaimStore, path: str, claim_id: str) -> None:
    try:
        text = store.current().read_bytes(path)
    except FileNotFoundError:
        return
    if json.dumps(claim_id).encode() not in text:
        return

    def change(before: bytes | None) -> bytes:
        kept: Any = json.loads(before or b"null")
        return json.dumps(without_claim(kept, claim_id)).encode()

    store.change_bytes(change, path)
