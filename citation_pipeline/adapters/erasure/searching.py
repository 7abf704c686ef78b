"""The proof of an erasure: every file is opened, unpacked, and searched for what the claim said."""

import gzip
import json
import re
import tempfile
import zlib
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path, PurePath, PurePosixPath

import duckdb
import pyarrow.parquet as pq

from citation_pipeline.adapters.object_storage.objects import ObjectFiles
from citation_pipeline.adapters.tables.stored_files import StoredFiles

_OTHERS_FOLDERS = ("viewer_dataset",)  # named by a claim one level down, as tables are by their files


@dataclass(frozen=True, slots=True)
class Found:
    """What a search found: in how many files it looked, and which of them still hold something."""

    files: int
    strings: int
    remains: Sequence[str] = ()  # paths below the roots, never what was found
    unreadable: Sequence[str] = ()


def pattern_of(claim_id: str, others: Collection[str]) -> re.Pattern[str]:
    """Return what finds a claim's id, and not another claim's that begins with it."""
    longer = [re.escape(other[len(claim_id) :]) for other in others if other.startswith(claim_id)]
    but_not = f"(?!(?:{'|'.join(longer)})(?![A-Za-z0-9_-]))" if longer else ""
    return re.compile(rf"(?<![A-Za-z0-9_.-]){re.escape(claim_id)}{but_not}(?![A-Za-z0-9_-])")


def search_files(
    roots: Iterable[Path],
    *,
    claim: re.Pattern[str],
    strings: Sequence[str],
    others: Collection[str],
    store: StoredFiles | None = None,
) -> Found:
    """Look for a claim's id and strings in all files below the roots, inside compressed ones too.

    `store` is one in object storage, whose objects are fetched one after another. `others` are the names of
    other claims' files: their ids, and the hashes of their documents. What one of those files holds as well
    is not this claim's alone, and left out everywhere.
    """
    held: dict[str, set[str]] = {}
    shared: set[str] = set()
    unreadable = []
    count = 0
    for shown, path, opened in (*_local_files(roots), *_objects(store)):
        count += 1
        try:
            with opened as file:
                content = "\n".join(_contents(file))
        except (OSError, ValueError, duckdb.Error) as error:
            unreadable.append(f"{shown}: {type(error).__name__}")
            continue
        found = {string for string in strings if _holds(content, string)}
        if claim.search(content) or claim.search(path.name):
            found.add(claim.pattern)
        if _owner(path) in others:
            shared |= found
        elif found:
            held[shown] = found
    remains = tuple(shown for shown, found in held.items() if found - shared)
    return Found(count, len({claim.pattern, *strings} - shared), remains, tuple(unreadable))


def _local_files(roots: Iterable[Path]) -> Iterator[tuple[str, PurePath, AbstractContextManager[Path]]]:
    for path in sorted({path for root in roots for path in _files(root)}):
        yield str(path), path, nullcontext(path)


def _objects(store: StoredFiles | None) -> Iterator[tuple[str, PurePath, AbstractContextManager[Path]]]:
    if store is None or not isinstance(store.place, ObjectFiles):
        return
    for path, _ in store.place.all_files():
        yield store.path(path), PurePosixPath(path), _fetched(store.place, path)


@contextmanager
def _fetched(place: ObjectFiles, path: str) -> Iterator[Path]:
    """Give an object as a file of its name that is gone after the block."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / PurePosixPath(path).name
        place.fetch(path, file)
        yield file


def _owner(path: PurePath) -> str:
    """Return the id, or the hash of the content, by which a file is named."""
    if path.parent.parent.name in _OTHERS_FOLDERS:
        return path.parent.name
    return path.name[:64] if re.match(r"[0-9a-f]{64}", path.name) else path.stem


def _holds(content: str, string: str) -> bool:
    return string in content or (not string.isascii() and json.dumps(string)[1:-1] in content)


def _files(root: Path) -> Iterator[Path]:
    if root.is_file():
        yield root
    elif root.is_dir():
        yield from (path for path in root.rglob("*") if path.is_file() and not path.is_symlink())


def _contents(path: Path) -> Iterator[str]:
    """Yield a file's text, as it is and unpacked."""
    if path.suffix == ".duckdb":
        yield from _duckdb_texts(path)
        return
    data = path.read_bytes()
    yield data.decode("utf-8", "replace")
    if path.suffix == ".parquet":
        yield json.dumps(pq.read_table(path).to_pylist(), ensure_ascii=False, default=str)
    elif path.suffix == ".gz":
        yield gzip.decompress(data).decode("utf-8", "replace")
    elif path.suffix == ".parse":
        head = data.index(b"\n") + 1 + 16  # magic and digest, see `local_parser.encoding`
        yield zlib.decompress(data[head:]).decode("utf-8", "replace")


def _duckdb_texts(path: Path) -> Iterator[str]:
    with duckdb.connect() as connection:
        quoted = str(path).replace("'", "''")
        connection.execute(f"ATTACH '{quoted}' AS searched (READ_ONLY)")
        tables = connection.execute(
            "SELECT schema_name, table_name FROM duckdb_tables() WHERE database_name = 'searched'"
        ).fetchall()
        for schema, table in tables:
            rows = connection.execute(f'SELECT t::VARCHAR FROM searched."{schema}"."{table}" t').fetchall()
            yield "\n".join(str(row[0]) for row in rows)
