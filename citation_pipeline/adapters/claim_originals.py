"""A claim's files in the store, so that any host can run and show it: no registration names a folder.

Contents lie in `originals/<SHA-256>`, the registration lists which file has which. `bring_files` lays them
out as a folder of this machine again, for whoever reads folders.
"""

import hashlib
import json
import os
import shutil
from collections.abc import Collection, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from citation_pipeline.adapters.claim_folders import (
    RECORDED_ANSWER,
    TRUTH,
    ClaimFolderError,
    hash_once,
    list_files,
    printable,
)
from citation_pipeline.adapters.tables.stored_files import StoredFiles
from citation_pipeline.adapters.whole_files import draft_of, write_whole
from citation_pipeline.core.claims import Claim, ClaimFile

ORIGINALS = "originals"
FOLDERS = "folders"
_SCHEMA = ".schema"  # hidden: no document
_DOCUMENTS = "documents"


def origin_of(folder: str) -> str:
    """Return what tells a folder or URL from another without saying where it is."""
    return hashlib.sha256(folder.encode(errors="surrogateescape")).hexdigest()[:16]


def is_from(claim: Claim, folder: str) -> bool:
    """Tell whether a registered claim came from that folder."""
    return claim.origin == origin_of(folder) if claim.files else claim.folder == folder


def take_in(store: StoredFiles, claim: Claim, *, known: Collection[ClaimFile] = ()) -> Claim:
    """Put a claim's files into the store and return its registration, which names no folder.

    `known` are files that the store has already. Raises ClaimFolderError when the folder is gone.
    """
    folder = Path(claim.folder)
    there = {file.sha256 for file in known}
    files = list(claim.files) or [
        _taken(store, path, name, there, is_document=is_document)
        for path, name, is_document in _files_of(claim)
    ]
    schema = claim.schema
    if Path(schema).is_absolute():
        place = Path(schema)
        schema = f"{_SCHEMA}/{place.name}"
        if not (claim.files and place.is_relative_to(folder / _SCHEMA)):
            files = [file for file in files if file.path != schema]
            files.append(_taken(store, place, schema, there, is_document=False))
    return replace(
        claim,
        folder="",
        documents_dir=_DOCUMENTS if Path(claim.documents_dir).name == _DOCUMENTS else "",
        schema=schema,
        origin=claim.origin or origin_of(claim.folder),
        files=tuple(sorted(files, key=lambda file: file.path)),
    )


def _files_of(claim: Claim) -> Iterator[tuple[Path, str, bool]]:
    """Yield each file with its path below the claim's folder, and whether it is a document."""
    documents = Path(claim.documents_dir)
    below = f"{_DOCUMENTS}/" if documents.name == _DOCUMENTS else ""
    for path in list_files(claim):
        yield path, below + path.relative_to(documents).as_posix(), True
    for name in (RECORDED_ANSWER, TRUTH):
        path = (documents.parent if below else documents) / name
        if path.is_file():
            yield path, name, False


def _taken(store: StoredFiles, path: Path, name: str, there: set[str], *, is_document: bool) -> ClaimFile:
    try:
        sha256, size = hash_once(path), path.stat().st_size
        if sha256 not in there and not store.has(ORIGINALS, sha256):
            store.place.write_file(f"{ORIGINALS}/{sha256}", path)
    except FileNotFoundError as error:
        raise ClaimFolderError(
            f"a file left the folder while it was read: run {path.parent} again"
        ) from error
    there.add(sha256)
    return ClaimFile(name, sha256, size, is_document)


def placed(store: StoredFiles, claim: Claim) -> Claim:
    """Return a registered claim with the paths that its folder has on this machine.

    Files beside its documents are brought at once: what is planned depends on them.
    """
    folder = store.host_path(FOLDERS, claim.claim_id)
    found = replace(
        claim,
        folder=str(folder),
        documents_dir=str(folder / claim.documents_dir) if claim.documents_dir else str(folder),
        schema=str(folder / claim.schema) if claim.schema.startswith(f"{_SCHEMA}/") else claim.schema,
    )
    _bring(store, found, [file for file in claim.files if not file.is_document])
    return found


def bring_files(store: StoredFiles, claim: Claim) -> None:
    """Lay out a claim's files on this machine as they were taken in; nothing for a claim of a folder.

    Raises ClaimFolderError for a file that the store has lost.
    """
    if not claim.files:
        return
    _bring(store, claim, claim.files)
    folder = Path(claim.folder)
    brought = _read_note(_note(claim))
    # other files than these are on their way into the store
    for left in brought.keys() - {file.path for file in claim.files}:
        (folder / left).unlink(missing_ok=True)
        del brought[left]
        write_whole(_note(claim), json.dumps(brought).encode(), is_durable=False)


def _bring(store: StoredFiles, claim: Claim, files: Collection[ClaimFile]) -> None:
    if not files:
        return
    folder = Path(claim.folder)
    note = _note(claim)
    brought = _read_note(note)
    for file in files:
        place = folder / file.path
        if brought.get(file.path) == [file.sha256, *_state_of(place)]:
            continue
        place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        draft = draft_of(place)
        try:
            _copy(store.place.local_copy(f"{ORIGINALS}/{file.sha256}", is_final=True), draft)
        except FileNotFoundError as error:
            raise ClaimFolderError(
                f"{claim.claim_id}: the store has lost a file of the claim: run its folder again where it is"
            ) from error
        draft.replace(place)
        draft.unlink(missing_ok=True)  # it stays where both names are one file already
        brought[file.path] = [file.sha256, *_state_of(place)]
        write_whole(note, json.dumps(brought).encode(), is_durable=False)


def _note(claim: Claim) -> Path:
    folder = Path(claim.folder)
    return folder.parent / f"{claim.claim_id}.json"


def _copy(source: Path, target: Path) -> None:
    try:
        os.link(source, target)
    except FileNotFoundError:
        raise
    except OSError:  # another file system
        shutil.copyfile(source, target)


def _state_of(path: Path) -> list[int]:
    with suppress(OSError):
        status = path.stat()
        return [status.st_size, status.st_mtime_ns]
    return []


def _read_note(note: Path) -> dict[str, list[object]]:
    try:
        return dict(json.loads(note.read_bytes()))
    except (FileNotFoundError, ValueError, TypeError):
        return {}


def original_path(store: StoredFiles, claim: Claim, file: str) -> Path:
    """Return where a document's bytes are on this machine, by its path as the tables have it.

    The path of an attachment goes on below its file's. Raises FileNotFoundError.
    """
    if not claim.files:
        return Path(claim.documents_dir, file)
    below = f"{_DOCUMENTS}/" if Path(claim.documents_dir).name == _DOCUMENTS else ""
    for known in claim.files:
        name = printable(known.path.removeprefix(below))
        if known.is_document and (name == file or file.startswith(f"{name}/")):
            copy = store.place.local_copy(f"{ORIGINALS}/{known.sha256}", is_final=True)
            return copy if name == file else copy / file[len(name) + 1 :]
    raise FileNotFoundError(file)
