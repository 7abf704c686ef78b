"""Every reply as it arrived, under its request's fingerprint, so that none is paid for twice by any host.

The bytes lie in the store: one line of JSON (what the reply is), then the provider's bytes, whole or not
there at all. What is under way is noted beside the leases, where all hosts look. The order: the request is
noted as sent, the reply's bytes are kept, the note is removed. So a note without bytes tells of a request
whose end nobody knows, and bytes are found whatever died after them.
"""

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from citation_pipeline.adapters.conversation.errors import StoredReplyError
from citation_pipeline.adapters.coordination.database import Coordination, coordination_of
from citation_pipeline.adapters.coordination.leases import holding
from citation_pipeline.adapters.coordination.notes import Kind, Notes, remove
from citation_pipeline.adapters.coordination.objects import KeptBytes
from citation_pipeline.adapters.outbound_ledger import SentRequests
from citation_pipeline.adapters.reader_settings import ReaderSettings
from citation_pipeline.adapters.tables.stored_files import StoredFiles
from citation_pipeline.core.answers.replies import StoredReply

FOLDER = "replies"


class ReplyArchive:
    """The replies of a deployment; readable by its owner alone, since replies quote health records."""

    @classmethod
    def of(cls, settings: ReaderSettings) -> "ReplyArchive":
        """Return a deployment's archive: bytes in its store, notes in its coordination."""
        return cls(
            settings.work_dir / FOLDER,
            coordination=settings.coordination,
            kept=settings.kept_bytes(FOLDER),
        )

    def __init__(
        self, root: Path, *, coordination: Coordination | None = None, kept: KeptBytes | None = None
    ) -> None:
        """Open an archive; without more than a folder of this machine everything lies in that folder.

        Earlier versions kept all in `root`: what lies there is found.
        """
        self.root, self._given = root, coordination
        self.coordination = coordination_of(coordination or root)
        self._kept = kept or KeptBytes(StoredFiles(root.parent), root.name)
        self._notes = {kind: Notes(self.coordination, kind) for kind in Kind}

    @property
    def sent_requests(self) -> SentRequests:
        """The ledger of the same deployment."""
        return SentRequests(self.root.parent / "ledger", self._given)

    def find(self, fingerprint: str) -> StoredReply | None:
        """Return the stored reply to a request, or None; raises StoredReplyError when it is damaged."""
        name = f"{fingerprint}.reply"
        stored = self._kept.find(name)
        if stored is None:
            stored = _older_bytes(self._older(fingerprint, "reply"))
        if stored is None:
            return None
        head, _, body = stored.partition(b"\n")
        try:
            facts = json.loads(head)
            digest = facts.pop("sha256")
            reply = StoredReply(**facts, body=body)
        except (ValueError, KeyError, TypeError):
            raise _damaged(name) from None
        if hashlib.sha256(body).hexdigest() != digest:
            raise _damaged(name)
        return reply

    def keep(self, reply: StoredReply) -> None:
        """Write a reply durably; it is there for good when this returns."""
        facts = asdict(reply)
        body = facts.pop("body")
        facts["sha256"] = hashlib.sha256(body).hexdigest()
        head = json.dumps(facts, sort_keys=True).encode()
        fingerprint = reply.request_fingerprint
        self._kept.keep(f"{fingerprint}.reply", head + b"\n" + body)

        self.coordination.write(lambda connection: remove(connection, (Kind.SENT, Kind.BATCHED), fingerprint))
        for note in ("sent", "batched"):
            self._older(fingerprint, note).unlink(missing_ok=True)

    @contextmanager
    def claim(self, fingerprint: str) -> Iterator[None]:
        """Hold the right to ask for this fingerprint; others wait, and a dead holder's right is free."""
        with holding(self.coordination, f"request/{fingerprint}"):
            yield
        self._older(fingerprint, "lock").unlink(missing_ok=True)

    def note_sent(self, fingerprint: str, facts: dict[str, Any]) -> None:
        """Remember, before a request goes out, that it does: a process that dies leaves this behind."""
        self._notes[Kind.SENT].write(fingerprint, facts, claim_id=str(facts.get("claim_id", "")))

    def forget_sent(self, fingerprint: str) -> None:
        """Forget that a request went out: its outcome is known, and there is no reply to keep."""
        self._forget(Kind.SENT, fingerprint)

    def find_sent(self, fingerprint: str) -> dict[str, Any] | None:
        """Return what `note_sent` remembered of a request whose outcome nobody knows, or None."""
        return self._read(Kind.SENT, fingerprint)

    def note_batched(self, fingerprint: str, *, claim_id: str = "") -> None:
        """Remember that a request went out in a batch; its reply comes with the batch's results."""
        self._notes[Kind.BATCHED].write(fingerprint, {}, claim_id=claim_id)

    def forget_batched(self, fingerprint: str) -> None:
        """Forget it: the batch ended without a reply to this request."""
        self._forget(Kind.BATCHED, fingerprint)

    def is_batched(self, fingerprint: str) -> bool:
        """Tell whether a batch that holds this request has not been collected yet."""
        return self._read(Kind.BATCHED, fingerprint) is not None

    def find_count(self, fingerprint: str) -> int | None:
        """Return the token count that was stored for a request, or None."""
        found = self._notes[Kind.COUNT].read(fingerprint)
        if found is not None:
            return int(found["tokens"])
        try:
            return int(self._older(fingerprint, "count").read_bytes())
        except (FileNotFoundError, ValueError):
            return None

    def keep_count(self, fingerprint: str, tokens: int, *, claim_id: str = "") -> None:
        """Store a request's token count."""
        self._notes[Kind.COUNT].write(fingerprint, {"tokens": tokens}, claim_id=claim_id)

    def _read(self, kind: Kind, fingerprint: str) -> dict[str, Any] | None:
        found = self._notes[kind].read(fingerprint)
        if found is None:
            older = _older_bytes(self._older(fingerprint, kind.value))
            try:
                found = json.loads(older) if older is not None else None
            except ValueError:
                return None
        return found if isinstance(found, dict) else None

    def _forget(self, kind: Kind, fingerprint: str) -> None:
        self._notes[kind].forget(fingerprint)
        self._older(fingerprint, kind.value).unlink(missing_ok=True)

    def _older(self, fingerprint: str, kind: str) -> Path:
        """Return where an earlier version has the same."""
        return self.root / fingerprint[:2] / f"{fingerprint}.{kind}"


def _older_bytes(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None


def _damaged(name: str) -> StoredReplyError:
    return StoredReplyError(
        f"the stored reply {name} is damaged: restore it from a copy, or delete it to pay for it again",
        code="damaged_reply",
    )
