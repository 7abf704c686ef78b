"""Results of documents, each paid once, whoever asks and how often.

Not here: the steps of one document (`document_steps`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from citation_pipeline.adapters.reducto.clients import ReductoClient
from citation_pipeline.adapters.reducto.document_steps import DocumentSteps, FinishedJob
from citation_pipeline.adapters.reducto.errors import ReductoDocumentError
from citation_pipeline.adapters.reducto.journals import Journal
from citation_pipeline.adapters.reducto.options import ParseOptions
from citation_pipeline.adapters.reducto.stored_results import KeptResults
from citation_pipeline.adapters.reducto.transport import Errand
from citation_pipeline.adapters.reducto.webhooks import WebhookHints
from citation_pipeline.core.documents.parsed import DocumentStatus, SourceDocument


class PaidJobs:
    """Gets results of documents, each paid once; safe to share between threads."""

    def __init__(
        self,
        client: ReductoClient,
        *,
        options: ParseOptions,
        journal: Journal,
        hints: WebhookHints,
        passwords: Sequence[str] = (),
        kept: KeptResults | None = None,
    ) -> None:
        self._client = client
        self._passwords = tuple(passwords)
        self._options = options
        self._journal = journal
        self._hints = hints
        self._kept = kept

    def finish(
        self, source: SourceDocument, data: bytes, *, claim_id: str, fingerprint: str, folder: Path
    ) -> FinishedJob:
        """Return the document's result, from disk, from a job that is under way, or from a new one.

        The result lies in `folder` when this returns. Raises a `ReductoError`; a `ReductoDocumentError` is
        about this document alone.
        """
        with self._journal.hold(source.sha256, fingerprint):
            for password in (None, *self._passwords):
                steps = DocumentSteps(
                    self._client,
                    source,
                    data,
                    claim_id=claim_id,
                    options=self._options,
                    password=password,
                    journal=self._journal,
                    fingerprint=fingerprint,
                    folder=folder,
                    hints=self._hints,
                    kept=self._kept,
                )
                try:
                    return steps.finish()
                except ReductoDocumentError as error:
                    if error.status is not DocumentStatus.ENCRYPTED:
                        raise
                    locked = error
            raise locked

    def delete_leftovers(self, *, claim_id: str = "") -> int:
        """Delete what earlier runs left at the service although its result is stored; return how many."""
        deleted = 0
        for found in [entry for entry in self._journal.unfinished() if entry.state == "stored"]:
            with self._journal.hold(found.sha256, found.fingerprint):
                entry = self._journal.read(found.sha256, found.fingerprint)  # as it is under the lock
                if entry is not None and entry.state == "stored":
                    self._client.delete_job(entry.job_id or "", errand=Errand(claim_id, ""))
                    self._client.delete_upload(entry.file_id, errand=Errand(claim_id, ""))
                    self._journal.write(replace(entry, state="done"))
                    deleted += 1
        return deleted
