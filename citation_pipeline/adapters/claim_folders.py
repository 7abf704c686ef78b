"""Claim folders on this machine: which files are a claim's documents, and what they are.

Documents lie in the folder or in its `documents/`. Hidden files, links that lead out of the folder and the
pipeline's own side files are not documents. What a file contains is determined by its bytes (`file_types`).
Attachments of mails, members of archives and files that a PDF carries are documents too; their paths go on
below their file's.
"""

import hashlib
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from citation_pipeline.adapters.file_types import sniff
from citation_pipeline.adapters.office.attached_files import (
    AttachedFile,
    list_attached_files,
    may_hold_files_at,
)
from citation_pipeline.core.claims import Claim, check_claim_id
from citation_pipeline.core.documents.identities import KnownContent, ListedFile, assign_source_ids
from citation_pipeline.core.documents.parsed import SourceDocument
from citation_pipeline.core.failures import PipelineError

RECORDED_ANSWER = "extraction_raw.json"
CLAIM_SETTINGS = "claim.toml"
TRUTH = "truth.json"
_HEAD_BYTES = 1 << 16  # where signatures are, and enough text to tell text from bytes
_OF_NOTHING = hashlib.sha256(b"").hexdigest()
SIDE_FILES = frozenset({RECORDED_ANSWER, CLAIM_SETTINGS, TRUTH, "_READY"})
"""Files of a claim's folder that are no documents."""


class ClaimFolderError(PipelineError):
    """A folder that cannot be read as a claim; says which and what to do."""


def claim_of_folder(
    folder: Path, *, schema: str = "workers_comp", parser: str = "local", extractor: str = "rules"
) -> Claim:
    """Return the claim that a folder holds, before its `claim.toml` (`claim_settings`) is read.

    Raises ClaimIdError or ClaimFolderError.
    """
    place = folder.resolve()
    if not place.is_dir():
        raise ClaimFolderError(f"{folder} is not a folder: give the folder that holds one claim's documents")
    documents = place / "documents"
    return Claim(
        claim_id=check_claim_id(place.name),
        folder=str(place),
        documents_dir=str(documents.resolve() if documents.is_dir() else place),
        schema=schema,
        parser=parser,
        extractor=extractor,
    )


def list_files(claim: Claim) -> list[Path]:
    """Return the claim's document files, sorted by their path; raises ClaimFolderError."""
    root = Path(claim.documents_dir)
    if not root.is_dir():
        raise ClaimFolderError(
            f"{claim.claim_id}: its folder {root} is gone: restore it or run it from elsewhere"
        )
    if claim.files:  # what the store keeps, whatever else lies there: an upload that is not taken in yet
        listed = (root / name for name, _ in sorted(_taken_names(claim)))
        return [path for path in listed if path.is_file()]
    # a schema of the claim's own may lie beside its documents
    files = [path for path in root.rglob("*") if _is_document(path, root) and str(path) != claim.schema]
    return sorted(files, key=lambda path: path.relative_to(root).as_posix())


def fingerprint_files(claim: Claim) -> str:
    """Return a fingerprint of the documents' names and contents."""
    digest = hashlib.sha256()
    for name, sha256 in sorted(_taken_names(claim)) if claim.files else _names_of_folder(claim):
        digest.update(name.encode(errors="surrogateescape"))
        digest.update(sha256.encode())
    return digest.hexdigest()[:16]


def _taken_names(claim: Claim) -> Iterator[tuple[str, str]]:
    below = "documents/" if Path(claim.documents_dir).name == "documents" else ""
    for file in claim.files:
        if file.is_document:
            yield file.path.removeprefix(below), file.sha256


def _names_of_folder(claim: Claim) -> Iterator[tuple[str, str]]:
    root = Path(claim.documents_dir)
    for path in list_files(claim):
        yield path.relative_to(root).as_posix(), hash_once(path)


def hash_once(path: Path) -> str:
    """Return a file's SHA-256, computed once until the file changes."""
    stat = path.stat()
    return _sha256_once(path, stat.st_size, stat.st_mtime_ns, stat.st_ino)


def describe_documents(
    claim: Claim, *, known: Sequence[KnownContent] = (), replaced: Mapping[str, str] | None = None
) -> list[SourceDocument]:
    """Return one row per file, then one per file inside a mail, an archive or a PDF.

    `known` are the contents that the claim has had, `replaced` ids by the SHA-256 of what took their place:
    an id stays with its content (`identities`). Of files with the same bytes, all name the shortest-named as
    `duplicate_of`, an attachment only where no file of the folder is the same: copies get longer names
    ("letter (1).pdf" beside "letter.pdf").
    Raises ClaimFolderError when the folder is gone or holds no document.
    """
    root = Path(claim.documents_dir)
    files = list_files(claim)
    if not files:
        raise ClaimFolderError(
            f"{claim.claim_id}: its folder {root} holds no document: put its files there (hidden files and "
            "links that lead out of the folder do not count), then run it again"
        )
    found = [
        AttachedFile(
            printable(path.relative_to(root).as_posix()),
            _sha256(path),
            _media_type(path),
            path.stat().st_size,
        )
        for path in files
    ]
    attached = list(_attached(list(zip(files, found, strict=True))))
    # the slug is made of the name as the file system spells it: recorded answers name documents that way;
    # a file's own slug does not depend on what is attached to another
    spelled = [path.relative_to(root).as_posix() for path in files]
    listed = [
        ListedFile(one.file, name, one.sha256)
        for one, name in zip([*found, *attached], [*spelled, *(one.file for one in attached)], strict=True)
    ]
    contents = [one for one in known if one.sha256 != _OF_NOTHING]  # empty files are not one content
    source_ids = assign_source_ids(listed, contents, replaced=replaced)
    rows = list(zip([*found, *attached], source_ids, strict=True))
    originals: dict[str, str] = {}
    for _, (one, source_id) in sorted(
        enumerate(rows), key=lambda row: (row[0] >= len(found), len(row[1][0].file), row[1][0].file)
    ):
        originals.setdefault(one.sha256, source_id)
    return [
        SourceDocument(
            source_id=source_id,
            name=_title_of(one.file),
            file=one.file,
            sha256=one.sha256,
            media_type=one.media_type,
            byte_count=one.byte_count,
            duplicate_of=_other(originals[one.sha256], source_id) if one.byte_count else None,
        )
        for one, source_id in rows
    ]


def _attached(files: Sequence[tuple[Path, AttachedFile]]) -> Iterator[AttachedFile]:
    """Yield what mails, archives and PDFs hold, those with the same bytes once."""
    holders = {
        one.sha256: (path, one) for path, one in reversed(files) if may_hold_files_at(path, one.media_type)
    }
    known = set(holders)
    for path, one in sorted(holders.values(), key=lambda held: held[1].file):
        for inside in list_attached_files(path.read_bytes(), known=known):
            yield replace(inside, file=f"{one.file}/{inside.file}")


def file_of(claim: Claim, source: SourceDocument) -> Path:
    """Return where a source document lies; raises ClaimFolderError when it left the folder.

    The path of an attachment goes on below its file's: `read_document` reads either.
    """
    root = Path(claim.documents_dir)
    path = root / source.file
    if path.is_file():
        return path
    for candidate in list_files(claim):  # the stored name is NFC; the file system's may not be
        name = printable(candidate.relative_to(root).as_posix())
        if name == source.file:
            return candidate
        if source.file.startswith(f"{name}/"):
            return candidate / source.file[len(name) + 1 :]
    raise ClaimFolderError(f"{claim.claim_id}: {source.source_id} left its folder: run the claim again")


def _is_document(path: Path, root: Path) -> bool:
    relative = path.relative_to(root)
    if any(part.startswith((".", "~$")) for part in relative.parts):
        return False
    if len(relative.parts) == 1 and relative.name in SIDE_FILES:
        return False
    return path.is_file() and path.resolve().is_relative_to(root)


def _other(original: str, source_id: str) -> str | None:
    return None if original == source_id else original


def printable(name: str) -> str:
    """Return a file name as it is kept and shown."""
    return unicodedata.normalize("NFC", name.encode(errors="surrogateescape").decode(errors="replace"))


def _title_of(name: str) -> str:
    return Path(name).stem.replace("_", " ").strip() or name


def _sha256(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


@lru_cache(maxsize=200_000)  # a night's plan asks again after every document of every claim
def _sha256_once(path: Path, size: int, mtime_ns: int, inode: int) -> str:
    return _sha256(path)


def _media_type(path: Path) -> str:
    with path.open("rb") as stream:
        head = stream.read(_HEAD_BYTES)
        # what packages and old Office files hold is listed at their end, or anywhere
        return sniff(head + stream.read() if head.startswith((b"PK", b"\xd0\xcf\x11\xe0")) else head)
