"""One Parquet file: written, read by columns, its footer's marks read alone; damage told from absence.

A file is damaged by a disk, or by a copy that was cut short: what the pipeline itself writes is in place
whole or not at all.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
import pyarrow.fs
import pyarrow.parquet as pq

# the viewer reads one document's words of a claim that may have millions: groups of some 60 pages let it skip
_ROWS_PER_GROUP = 32_768
_FEW_ROWS = 1_000
_SMALL_BYTES = 200_000
_HERE = pyarrow.fs.LocalFileSystem()


class DamagedFileError(Exception):
    """A file that is there and is not, or no longer, a whole Parquet file."""


def encode(table: pa.Table, *, marks: Mapping[bytes, bytes]) -> pa.Buffer:
    """Return the bytes of a table's file, with marks in its footer."""
    sink = pa.BufferOutputStream()
    pq.write_table(
        table.replace_schema_metadata(dict(marks)),
        sink,
        # zstd is set up for each column anew: for a small table that takes longer than all the rest
        compression="zstd" if table.nbytes > _SMALL_BYTES else "lz4",
        # a dictionary for each of many columns takes longer than it saves on a few rows
        use_dictionary=len(table) > _FEW_ROWS,
        row_group_size=_ROWS_PER_GROUP,
    )
    return sink.getvalue()


def read_columns(path: Path, columns: list[str] | None, *, repeated: Sequence[str] = ()) -> pa.Table:
    """Return a file's columns, all without names; raises FileNotFoundError or DamagedFileError.

    Texts that are `repeated` come as numbers of the different ones (a dictionary of Arrow's).
    """
    with (
        told_from_absence(path),
        pq.ParquetFile(str(path), filesystem=_HERE, read_dictionary=list(repeated)) as file,
    ):
        # handing a small table to threads takes longer than reading it
        return file.read(columns, use_threads=file.metadata.num_row_groups > 1)


def read_footer(file: pa.NativeFile, *, name: str) -> pa.Schema:
    """Return a file's columns and marks without its rows; the end of the file is enough.

    Raises DamagedFileError; `name` is the file's.
    """
    with told_from_absence(name):
        return pq.read_schema(file)


@contextmanager
def told_from_absence(path: Path | str) -> Iterator[None]:
    """Raise DamagedFileError for what Arrow cannot read, unless the system itself refused the file."""
    try:
        yield
    except (pa.ArrowInvalid, OSError) as error:
        # the system's own refusals (no such file, no permission, too many open ones) have a number, Arrow's
        # none; they are raised as they are: an error that names itself as its cause holds what its callers
        # had read
        if isinstance(error, OSError) and error.errno is not None:
            raise
        raise DamagedFileError(f"{path} is no whole Parquet file") from error
