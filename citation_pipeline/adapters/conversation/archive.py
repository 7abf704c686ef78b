"""Every reply on disk as it arrived, under its request's fingerprint, so that none is paid for twice.

A file is one line of JSON (what the reply is) and then the provider's bytes. It is written to a temporary
name, synced and renamed; a reply either is there whole or not at all, whenever the process dies. A lock
per fingerprint lets two processes ask for the same thing, and only one pay.
"""

import fcntl
import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from citation_pipeline.adapters.conversation.errors import StoredReplyError
from citation_pipeline.adapters.whole_files import PRIVATE, write_whole
from citation_pipeline.core.answers.replies import StoredReply


class ReplyArchive:
    """A folder of replies; readable by its owner alone, since replies quote health records."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def find(self, fingerprint: str) -> StoredReply | None:
        """Return the stored reply to a request, or None; raises StoredReplyError when it is damaged."""
        path = self._path(fingerprint, "reply")
        try:
            stored = path.read_bytes()
        except FileNotFoundError:
            return None
        head, _, body = stored.partition(b"\n")
        try:
            facts = json.loads(head)
            digest = facts.pop("sha256")
            reply = StoredReply(**facts, body=body)
        except (ValueError, KeyError, TypeError):
            raise _damaged(path) from None
        if hashlib.sha256(body).hexdigest() != digest:
            raise _damaged(path)
        return reply

    def keep(self, reply: StoredReply) -> None:
        """Write a reply durably; it is there for good when this returns."""
        facts = asdict(reply)
        body = facts.pop("body")
        facts["sha256"] = hashlib.sha256(body).hexdigest()
        head = json.dumps(facts, sort_keys=True).encode()
        self._write(self._path(reply.request_fingerprint, "reply"), head + b"\n" + body)
        for note in ("sent", "batched"):
            self._path(reply.request_fingerprint, note).unlink(missing_ok=True)

    @contextmanager
    def claim(self, fingerprint: str) -> Iterator[None]:
        """Hold the right to ask for this fingerprint; others wait, and a dead holder's right is free."""
        path = self._path(fingerprint, "lock")
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        while True:
            handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX)
                # whoever held it before has unlinked it: that lock guards nothing any more
                if not _is_same_file(handle, path):
                    continue
                try:
                    yield
                finally:
                    path.unlink(missing_ok=True)
                return
            finally:
                os.close(handle)

    def note_sent(self, fingerprint: str, facts: dict[str, Any]) -> None:
        """Remember, before a request goes out, that it does: a process that dies leaves this behind."""
        self._write(self._path(fingerprint, "sent"), json.dumps(facts).encode())

    def forget_sent(self, fingerprint: str) -> None:
        """Forget that a request went out: its outcome is known, and there is no reply to keep."""
        self._path(fingerprint, "sent").unlink(missing_ok=True)

    def find_sent(self, fingerprint: str) -> dict[str, Any] | None:
        """Return what `note_sent` remembered of a request whose outcome nobody knows, or None."""
        try:
            facts = json.loads(self._path(fingerprint, "sent").read_bytes())
        except (FileNotFoundError, ValueError):
            return None
        return facts if isinstance(facts, dict) else None

    def note_batched(self, fingerprint: str) -> None:
        """Remember that a request went out in a batch; its reply comes with the batch's results."""
        self._write(self._path(fingerprint, "batched"), b"{}")

    def forget_batched(self, fingerprint: str) -> None:
        """Forget it: the batch ended without a reply to this request."""
        self._path(fingerprint, "batched").unlink(missing_ok=True)

    def is_batched(self, fingerprint: str) -> bool:
        """Tell whether a batch that holds this request has not been collected yet."""
        return self._path(fingerprint, "batched").exists()

    def find_count(self, fingerprint: str) -> int | None:
        """Return the token count that was stored for a request, or None."""
        try:
            return int(self._path(fingerprint, "count").read_bytes())
        except (FileNotFoundError, ValueError):
            return None

    def keep_count(self, fingerprint: str, tokens: int) -> None:
        """Store a request's token count."""
        self._write(self._path(fingerprint, "count"), str(tokens).encode())

    def _path(self, fingerprint: str, kind: str) -> Path:
        return self.root / fingerprint[:2] / f"{fingerprint}.{kind}"

    def _write(self, path: Path, data: bytes) -> None:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_whole(path, data, mode=PRIVATE)
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)  # without it the name may be lost although the bytes are not
        finally:
            os.close(folder)


def _is_same_file(handle: int, path: Path) -> bool:
    try:
        there = path.stat()
    except FileNotFoundError:
        return False
    here = os.fstat(handle)
    return (here.st_ino, here.st_dev) == (there.st_ino, there.st_dev)


def _damaged(path: Path) -> StoredReplyError:
    return StoredReplyError(
        f"the stored reply {path.name} is damaged: restore it from a copy, or delete it to pay for it again",
        code="damaged_reply",
    )
