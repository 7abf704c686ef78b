"""The inbox: a folder or object-storage URL in which each claim arrives as a folder of its own.

Here: what lies there, and bringing remote documents to this machine. Not here: whether it is still changing
(`inbox_sightings`), what becomes of a settled folder (`defs/automation/intake`), and which of its files are
documents (`claim_folders`). Names from outside are never trusted as paths.
"""

import hashlib
import json
import os
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

import pyarrow.fs

from citation_pipeline.adapters.claim_folders import CLAIM_SETTINGS, ClaimFolderError, list_files
from citation_pipeline.adapters.claim_settings import (
    ReaderNames,
    choose_settings,
    read_settings_file,
    settings_mark,
)
from citation_pipeline.adapters.object_storage.addresses import below
from citation_pipeline.adapters.whole_files import replacing, write_whole
from citation_pipeline.core.claims import Claim, ClaimIdError, check_claim_id

MARKER = "_READY"
_NO_DOCUMENTS = (MARKER, CLAIM_SETTINGS)


@dataclass(frozen=True, slots=True)
class InboxFile:
    """One file: its path below the claim's folder, bytes, and modification time in nanoseconds."""

    path: str
    size: int
    mtime_ns: int


@dataclass(frozen=True, slots=True)
class InboxFolder:
    """One claim's folder as it lies there now."""

    name: str
    files: tuple[InboxFile, ...]

    @property
    def signature(self) -> str:
        """What changes whenever a file is added, taken away, grows or is written again."""
        listing = sorted((file.path, file.size, file.mtime_ns) for file in self.files)
        return hashlib.sha256(repr(listing).encode(errors="surrogateescape")).hexdigest()[:16]

    @property
    def has_marker(self) -> bool:
        """Whether its `_READY` file was written last: after a later file it must be written again."""
        marker = next((file for file in self.files if file.path == MARKER), None)
        return marker is not None and all(file.mtime_ns <= marker.mtime_ns for file in self.files)

    @property
    def is_empty(self) -> bool:
        """Whether no document has arrived."""
        return all(file.path in _NO_DOCUMENTS for file in self.files)

    @property
    def settings_mark(self) -> str:
        """What changes when its `claim.toml` is written again, "" without one."""
        found = next((file for file in self.files if file.path == CLAIM_SETTINGS), None)
        return settings_mark(found.size, found.mtime_ns) if found is not None else ""


@dataclass(frozen=True, slots=True)
class InboxListing:
    """Everything in the inbox: claims' folders, and names that cannot be taken with the reason."""

    folders: tuple[InboxFolder, ...]
    problems: Mapping[str, str] = field(default_factory=dict)


def list_inbox(root: str) -> InboxListing:
    """Return what lies in the inbox; raises ClaimFolderError when it cannot be reached."""
    problems: dict[str, str] = {}
    names: dict[str, list[InboxFile]] = {}
    try:
        for name, file in _remote_files(root) if is_remote(root) else _local_files(Path(root), problems):
            names.setdefault(name, [])
            if file is None:
                continue
            if not _is_plain(file.path):
                problems[name] = "holds a file whose name leads out of its folder: rename it"
            names[name].append(file)
    except OSError as error:
        raise ClaimFolderError(
            f"the inbox cannot be read ({type(error).__name__}): check that it exists and may be read"
        ) from error
    for name in names:
        try:
            check_claim_id(name)
        except ClaimIdError as error:
            problems[name] = str(error)
    folders = (InboxFolder(name, tuple(files)) for name, files in names.items() if name not in problems)
    return InboxListing(tuple(sorted(folders, key=lambda folder: folder.name)), problems)


# --- documents in object storage -----------------------------------------------------------------


def is_remote(folder: str) -> bool:
    """Tell whether a folder is a URL and not a path on this machine."""
    return "://" in folder


def claim_of_inbox(
    root: str, folder: InboxFolder, *, mirrors: Path, schema: str, parser: str, extractor: str
) -> Claim:
    """Return the claim that a folder of the inbox is, before `read_inbox_settings` reads its `claim.toml`.

    A remote one's documents will lie below `mirrors`.
    """
    within = any(file.path.startswith("documents/") for file in folder.files)
    place = below(root, folder.name)
    here = mirrors.resolve() / folder.name if is_remote(root) else Path(place).resolve()
    return Claim(
        claim_id=check_claim_id(folder.name),
        folder=place if is_remote(root) else str(here),
        documents_dir=str(here / "documents" if within else here),
        schema=schema,
        parser=parser,
        extractor=extractor,
    )


def read_inbox_settings(claim: Claim, folder: InboxFolder, *, names: ReaderNames) -> Claim:
    """Return the inbox's claim as its own `claim.toml` says; raises ClaimSettingsError."""
    if not is_remote(claim.folder):
        return choose_settings(claim, names=names)
    if not folder.settings_mark:
        return claim
    files, root = pyarrow.fs.FileSystem.from_uri(claim.folder)
    try:
        with files.open_input_stream(f"{root}/{CLAIM_SETTINGS}") as stream:
            data: bytes = stream.read()
    except OSError as error:
        raise ClaimFolderError(
            f"{claim.claim_id}: its {CLAIM_SETTINGS} cannot be read ({type(error).__name__}): check the "
            "storage's address and credentials"
        ) from error
    stated = read_settings_file(data, claim_id=claim.claim_id, names=names)
    return replace(claim.read_by(stated), settings_mark=folder.settings_mark)


def bring_documents(claim: Claim) -> int:
    """Copy what changed of a remote claim to its folder on this machine; return how many files came."""
    files, root = pyarrow.fs.FileSystem.from_uri(claim.folder)
    here = _mirror(claim)
    there = {file.path: file for file in _remote_folder(claim)}
    kept = _manifest(claim)
    came = 0
    for path, file in there.items():
        place = here / path
        if kept.get(path) == file and place.is_file():
            continue
        place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with files.open_input_stream(f"{root}/{path}") as source, replacing(place) as target:
            shutil.copyfileobj(source, target)
        came += 1
    for path in kept.keys() - there.keys():
        (here / path).unlink(missing_ok=True)
    write_whole(_note(claim), json.dumps([asdict(file) for file in there.values()]).encode())
    return came


def remote_change(claim: Claim) -> str | None:
    """Return a fingerprint of a remote folder that differs from what was brought, None when it does not."""
    there = _remote_folder(claim)
    if {file.path: file for file in there} == _manifest(claim):
        return None
    return f"remote-{InboxFolder(claim.claim_id, tuple(there)).signature}"


def document_sizes(claim: Claim) -> list[int]:
    """Return the bytes of each of a claim's files, wherever they lie; raises ClaimFolderError."""
    if claim.files:
        return [file.byte_count for file in claim.files if file.is_document]
    if is_remote(claim.folder) and remote_change(claim) is not None:
        return [file.size for file in _remote_folder(claim) if file.path not in _NO_DOCUMENTS]
    return [path.stat().st_size for path in list_files(claim)]


def _mirror(claim: Claim) -> Path:
    place = Path(claim.documents_dir)
    return place.parent if place.name == "documents" and place.parent.name == claim.claim_id else place


def _note(claim: Claim) -> Path:
    return _mirror(claim).parent / f".{claim.claim_id}.json"


def _manifest(claim: Claim) -> dict[str, InboxFile]:
    try:
        return {row["path"]: InboxFile(**row) for row in json.loads(_note(claim).read_bytes())}
    except (FileNotFoundError, ValueError, TypeError):
        return {}


def _remote_folder(claim: Claim) -> list[InboxFile]:
    try:
        found = [file for _, file in _remote_files(claim.folder, is_claim=True) if file is not None]
    except OSError as error:
        raise ClaimFolderError(
            f"{claim.claim_id}: its folder cannot be read ({type(error).__name__}): check the storage's "
            "address and credentials"
        ) from error
    if not all(_is_plain(file.path) for file in found):
        raise ClaimFolderError(f"{claim.claim_id}: a file's name leads out of the folder: rename it")
    return sorted(found, key=lambda file: file.path)


def _is_plain(path: str) -> bool:
    """Tell whether a path stays below its folder on any file system."""
    parts = path.split("/")
    return "\\" not in path and "\0" not in path and not any(part in ("", ".", "..") for part in parts)


def _remote_files(root: str, *, is_claim: bool = False) -> Iterator[tuple[str, InboxFile | None]]:
    """Yield each object with its claim's name; with `is_claim`, `root` is itself one claim's folder."""
    files, base = pyarrow.fs.FileSystem.from_uri(root)
    base = base.rstrip("/")
    for info in files.get_file_info(pyarrow.fs.FileSelector(base, recursive=True)):
        path = info.path[len(base) :].lstrip("/")
        name, _, rest = path.partition("/")
        if name.startswith(".") or info.type != pyarrow.fs.FileType.File:
            continue
        if is_claim:
            yield "", InboxFile(path, info.size, info.mtime_ns or 0)
        elif rest:
            yield name, InboxFile(rest, info.size, info.mtime_ns or 0)


def _local_files(root: Path, problems: dict[str, str]) -> Iterator[tuple[str, InboxFile | None]]:
    with os.scandir(root) as entries:
        found = sorted(entries, key=lambda entry: entry.name)
    for entry in found:
        if entry.name.startswith("."):
            continue
        if entry.is_symlink() or not entry.is_dir(follow_symlinks=False):
            problems[entry.name] = "is not a folder: put each claim's documents into a folder of its own"
            continue
        yield entry.name, None
        for folder, _, names in os.walk(entry.path):
            for name in names:
                path = Path(folder) / name
                try:
                    stat = path.lstat()
                except FileNotFoundError:  # moved away meanwhile: the next look sees it
                    continue
                relative = path.relative_to(entry.path).as_posix()
                yield entry.name, InboxFile(relative, stat.st_size, stat.st_mtime_ns)
