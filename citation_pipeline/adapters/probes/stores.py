"""Whether a store can be used: written, read, deleted, and whether a conditional write is honoured."""

import tempfile
import uuid
from pathlib import Path
from typing import Any

from citation_pipeline.adapters.object_storage.addresses import is_remote
from citation_pipeline.adapters.object_storage.bucket import Bucket
from citation_pipeline.adapters.probes.findings import Finding, State, failed, looked, not_run, ok
from citation_pipeline.adapters.tables.store_errors import UnreachableStoreError

STORE, CONDITIONS = "store", "conditional writes"
_REACH = "check CITATION_PIPELINE_STORE, the bucket's name, the credentials and the network"
_HONOUR = (
    "use a storage that refuses a write under If-None-Match and If-Match (S3, MinIO since 2024, GCS, Azure): "
    "without it two hosts may write one claim over each other"
)


def look_at_store(root: str) -> list[Finding]:
    """Return what was found of a store."""
    if not is_remote(root):
        return [
            looked(
                STORE, lambda: _look_at_folder(Path(root)), f"make {root} a folder that this user may write"
            )
        ]
    reached = looked(STORE, lambda: _look_at_objects(root), _REACH)
    if reached.state is not State.OK:
        return [reached, not_run(CONDITIONS, STORE)]
    return [reached, looked(CONDITIONS, lambda: _look_at_conditions(root), _HONOUR)]


def _look_at_folder(root: Path) -> Finding:
    if not root.is_dir():  # looking makes none
        return failed(
            STORE, f"{root} is not there", "name another with --store, or run a claim first, which makes it"
        )
    with tempfile.TemporaryDirectory(dir=root, prefix=".doctor-") as folder:
        draft, place = Path(folder) / "draft", Path(folder) / "place"
        for text in ("one", "two"):  # as every file of the store is written
            draft.write_text(text)
            draft.replace(place)
        if place.read_text() != "two":
            return failed(STORE, "what was written is not what is read", _REACH)
    return ok(STORE, f"{root} can be written")


def _look_at_objects(url: str) -> Finding:
    import obstore

    bucket, name = _open(url)
    try:
        bucket.ask(lambda client: obstore.put(client, name, b"probe"))
        read = bytes(bucket.ask(lambda client: obstore.get(client, name)).bytes())
        bucket.ask(lambda client: obstore.delete(client, name))
    except UnreachableStoreError as error:  # it says what to do
        return failed(STORE, str(error), _REACH)
    if read != b"probe":
        return failed(STORE, "what was written is not what is read", _REACH)
    return ok(STORE, f"{bucket.address.shown} is written, read and deleted")


def _look_at_conditions(url: str) -> Finding:
    import obstore
    from obstore.exceptions import AlreadyExistsError, PreconditionError

    bucket, name = _open(url)
    wrongs = []

    def put(data: bytes, **chosen: Any) -> Any:
        return bucket.ask(lambda client: obstore.put(client, name, data, **chosen))

    try:
        first = put(b"one", mode="create")
        try:
            put(b"two", mode="create")
            wrongs.append("a second creation is not refused")
        except AlreadyExistsError:
            pass
        put(b"three")
        try:
            put(b"four", mode={"e_tag": first["e_tag"]})
            wrongs.append("a write over an older version is not refused")
        except PreconditionError:
            pass
    finally:
        bucket.ask(lambda client: obstore.delete(client, name))
    if wrongs:
        return failed(CONDITIONS, "; ".join(wrongs), _HONOUR)
    return ok(CONDITIONS, "a second creation and a write over another version are refused")


def _open(url: str) -> tuple[Bucket, str]:
    """Return a store's bucket, and the name of an object in it that nobody else has."""
    bucket = Bucket(url)
    return bucket, "/".join(filter(None, (bucket.address.prefix, f".doctor-{uuid.uuid4().hex}")))
