"""Files of this machine that are there whole or not at all, whatever ends the process that writes them.

A file is written as a draft beside its place, flushed to the disk and moved over what was there: a reader
sees the old file or the new one. An error (a full disk) leaves the old file and no draft; a killed process
leaves a draft, whose name says what it would have become.
"""

import os
import re
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

PUBLIC = 0o666
"""Read by whom the process's umask allows; what a provider answered is kept for its owner alone."""
PRIVATE = 0o600
_DRAFT = re.compile(r"\.(.+)\.[0-9a-f]{12}\.tmp", re.DOTALL)


@contextmanager
def replacing(path: Path, *, is_durable: bool = True, mode: int = PUBLIC) -> Iterator[BinaryIO]:
    """Give a stream whose bytes become the file when the block ends without an error.

    A cache's file need not be durable: nothing is lost with it, and the disk is not waited for. Raises
    OSError; the folder has to exist.
    """
    draft = draft_of(path)
    try:
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as stream:
            yield stream
            if is_durable:
                stream.flush()
                os.fsync(stream.fileno())
        draft.replace(path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


def write_whole(path: Path, data: bytes | memoryview, *, is_durable: bool = True, mode: int = PUBLIC) -> None:
    """Write a file's bytes; as `replacing`."""
    with replacing(path, is_durable=is_durable, mode=mode) as stream:
        stream.write(data)


def draft_of(path: Path) -> Path:
    """Return a new name for a draft of a file."""
    return path.with_name(f".{path.name}.{uuid.uuid4().hex[:12]}.tmp")


def name_of_draft(name: str) -> str:
    """Return what a draft that a killed process left would have become; "" for another file's name."""
    found = _DRAFT.fullmatch(name)
    return found[1] if found else ""
