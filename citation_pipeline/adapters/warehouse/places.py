"""Where the warehouse is published: a file of the store, or an object that a small pointer names.

An object is never exchanged while somebody reads it: each refresh puts a new one, named by its content, and
then moves the pointer, which only succeeds over the pointer that the refresh began with. The object before is
kept for those who are still fetching it.
"""

import hashlib
import json
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from citation_pipeline.adapters.object_storage.objects import ObjectFiles
from citation_pipeline.adapters.tables.stored_files import StoredFiles

FILE_NAME = "warehouse.duckdb"
POINTER = "warehouse.json"
FOLDER = "warehouse"
_UPLOAD_S = 6 * 3600  # longer than one is on its way before its pointer moves


@dataclass(frozen=True, slots=True)
class Published:
    """The published warehouse on this machine, which may not be there yet.

    Of a remote store: `mark` is the pointer's, `name` the object's, `before` the one before.
    """

    file: Path
    mark: str | None = None
    name: str = ""
    before: str = ""


def warehouse_file(store: StoredFiles) -> Path:
    """Return the published warehouse as a file of this machine, which is missing before the first refresh."""
    return published_warehouse(store).file


def published_warehouse(store: StoredFiles) -> Published:
    """Return what is published now, fetched to this machine where it lies in object storage."""
    if store.is_local:
        return Published(store.local_path(FILE_NAME))
    store = store.current()
    missing = store.host_path(FOLDER, "none")
    for _ in range(2):  # the object may be superseded twice while it is looked for
        mark = store.file_mark(POINTER)
        if mark is None:
            return Published(missing)
        try:
            pointer = json.loads(store.read_bytes(POINTER))
            found = Published(missing, mark, str(pointer["name"]), str(pointer.get("before", "")))
            file = store.place.local_copy(f"{FOLDER}/{found.name}", is_final=True)
        except FileNotFoundError:
            continue
        except (ValueError, KeyError, TypeError):  # no pointer: the next refresh writes one over it
            return Published(missing, mark)
        _forget_copies(store, but=(found.name, found.before))
        return Published(file, mark, found.name, found.before)
    return Published(missing, mark)


def publish(store: StoredFiles, file: Path, *, over: Published) -> None:
    """Publish a refreshed file in place of what the refresh began with; raises ChangedMeanwhileError."""
    if store.is_local:  # it was moved over the old one already
        return
    with file.open("rb") as stream:
        name = f"{hashlib.file_digest(stream, 'sha256').hexdigest()[:32]}.duckdb"
    store.place.write_file(f"{FOLDER}/{name}", file)
    pointer = json.dumps({"name": name, "before": over.name}).encode()
    store.write_bytes(pointer, POINTER, expected=over.mark)
    _remove_former(store, kept={name, over.name}, surely={over.before})
    file.unlink(missing_ok=True)


def _remove_former(store: StoredFiles, *, kept: set[str], surely: set[str]) -> None:
    """Remove former warehouses, and old ones that another machine put and did not get to publish."""
    latest = datetime.now(UTC) - timedelta(seconds=_UPLOAD_S)
    for name, info in store.current().place.files(FOLDER).items():
        if name not in kept and (name in surely or info.modified_at < latest):
            store.remove(FOLDER, name)


def remove_warehouse(store: StoredFiles) -> None:
    """Remove the published warehouse with every former one that is left."""
    if store.is_local:
        store.local_path(FILE_NAME).unlink(missing_ok=True)
        return
    store.remove(POINTER)
    for name in store.current().place.files(FOLDER):
        store.remove(FOLDER, name)
    _forget_copies(store, but=())


def _forget_copies(store: StoredFiles, *, but: tuple[str, ...]) -> None:
    """Remove this machine's copies of warehouses that nobody opens any more."""
    if not isinstance(store.place, ObjectFiles):
        return
    mirror = store.place.mirror
    copies = mirror.folder / FOLDER
    for copied in copies.iterdir() if copies.is_dir() else ():
        if copied.name not in but:
            mirror.forget(f"{FOLDER}/{copied.name}")
