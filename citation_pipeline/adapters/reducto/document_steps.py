"""One document through Reducto: upload, job, poll, result, deletion, with every step in the journal.

The rule: before a request that costs money or leaves something behind, the journal says that it is about
to happen; after it, what came of it. So whoever comes next, after a crash anywhere, knows what to look for.
Not here: HTTP (`clients`), waiting (`job_polling`), the files (`stored_results`), words (`conversion`).
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, replace
from pathlib import Path

from citation_pipeline.adapters.reducto.clients import ReductoClient
from citation_pipeline.adapters.reducto.errors import (
    ReductoCredentialsError,
    ReductoDocumentError,
    ReductoError,
    ReductoJobCancelledError,
    ReductoJobGoneError,
    ReductoRequestError,
    ReductoTransientError,
    ReductoUnavailableError,
)
from citation_pipeline.adapters.reducto.failures import (
    RETRY_ONCE,
)
from citation_pipeline.adapters.reducto.job_polling import await_result
from citation_pipeline.adapters.reducto.journals import Journal, JournalEntry
from citation_pipeline.adapters.reducto.options import ParseOptions
from citation_pipeline.adapters.reducto.stored_results import (
    RESULT_SUFFIX,
    KeptResults,
    RawResult,
    load_result,
    store_result,
)
from citation_pipeline.adapters.reducto.transport import Errand
from citation_pipeline.adapters.reducto.uploads import upload_document
from citation_pipeline.adapters.reducto.webhooks import WebhookHints
from citation_pipeline.adapters.repeating import repeat
from citation_pipeline.core.documents.parsed import DocumentStatus, SourceDocument
from citation_pipeline.core.planning.retries import RetryRules


@dataclass(frozen=True, slots=True)
class FinishedJob:
    """A stored result and how it came about."""

    raw: RawResult
    path: Path
    job_id: str | None
    resumed: bool  # a job or upload of an earlier run was picked up
    reused: bool  # the result was already here: nothing was asked of the service
    warnings: tuple[str, ...] = ()


class DocumentSteps:
    """The steps for one document; the caller holds its lock.

    `password` goes into a new job, not into one that is under way.
    """

    def __init__(
        self,
        client: ReductoClient,
        source: SourceDocument,
        data: bytes,
        *,
        claim_id: str,
        options: ParseOptions,
        password: str | None,
        journal: Journal,
        fingerprint: str,
        folder: Path,
        hints: WebhookHints,
        kept: KeptResults | None = None,
    ) -> None:
        self._client, self._source, self._data = client, source, data
        self._errand = Errand(claim_id, source.source_id)
        self._options, self._password = options, password
        self._journal, self._fingerprint = journal, fingerprint
        self._folder, self._hints, self._in_store = folder, hints, kept
        self._warnings: list[str] = []

    def finish(self) -> FinishedJob:
        """Return the result; raises a `ReductoError`."""
        entry = self._journal.read(self._source.sha256, self._fingerprint)
        if entry is not None and entry.state in ("stored", "done"):
            kept = self._kept(entry)
            if kept is not None:
                return kept
            entry = None
        if entry is None and (raw := self._loaded(None)) is not None:
            return self._found(raw)
        resumed = entry is not None
        connection = self._client.connection
        is_second = False
        for attempt in range(connection.job_tries):
            entry = self._with_job(entry)
            try:
                raw = await_result(self._client, entry.job_id or "", errand=self._errand, hints=self._hints)
                break
            except ReductoJobGoneError:
                # It expired, or was deleted, since the earlier run; the upload went with it. One new job is
                # paid for; when that goes too, something deletes them, and would delete the next.
                self._journal.forget(entry.sha256, entry.fingerprint)
                entry, resumed = None, False
                if is_second or attempt + 1 == connection.job_tries:
                    raise
                is_second = True
            except ReductoUnavailableError as error:
                if error.http_status is not None:
                    raise  # the poll failed, not the job: the job is still there for the next run
                entry = self._after_failed_job(entry, error, attempt)
            except (ReductoDocumentError, ReductoJobCancelledError, ReductoRequestError):
                self._give_up(entry)
                raise
        else:
            raise AssertionError("job_tries is at least 1")
        return self._store(entry, raw, resumed=resumed)

    def _kept(self, entry: JournalEntry) -> FinishedJob | None:
        """Return the result of an earlier run if it still is what was stored, copied to this claim."""
        own = self._folder / f"{self._source.source_id}{RESULT_SUFFIX}"
        for path in (own, Path(entry.stored_path or ""), None):
            raw = self._loaded(path)
            if raw is None or raw.sha256 != entry.result_sha256:
                continue
            if path != own:
                store_result(raw, folder=self._folder, source_id=self._source.source_id)
            if entry.state == "stored":
                self._delete(entry)
            return FinishedJob(
                raw, own, entry.job_id, resumed=False, reused=True, warnings=tuple(self._warnings)
            )
        return None

    def _found(self, raw: RawResult) -> FinishedJob:
        """Return a result that lies in the store although no entry says so: it was paid for."""
        path = store_result(raw, folder=self._folder, source_id=self._source.source_id)
        return FinishedJob(raw, path, None, resumed=False, reused=True, warnings=tuple(self._warnings))

    def _loaded(self, path: Path | None) -> RawResult | None:
        """Return a result from this machine, or without a path from the store."""
        if path is None:
            found = self._in_store
            return found.find(self._source.sha256, self._fingerprint) if found is not None else None
        try:
            return load_result(path)
        except OSError:
            return None

    def _with_job(self, entry: JournalEntry | None) -> JournalEntry:
        """Return the entry with a job: that of an earlier run, or a new one."""
        if entry is None:
            entry = self._upload()
        elif entry.state == "promised":
            self._give_up(entry)  # nobody knows how much of the file is there
            entry = self._upload()
        elif entry.state == "running":
            return entry
        elif entry.state == "submitting":
            job_id = self._look_up(entry)
            if job_id is not None:
                return self._journal.write(replace(entry, state="running", job_id=job_id))
        try:
            return self._start(entry)
        except ReductoRequestError as error:
            if error.http_status != 404:
                raise
            # The upload of an earlier run has expired: the input is unknown to the service.
            return self._start(self._upload())

    def _upload(self) -> JournalEntry:
        entry = JournalEntry(
            sha256=self._source.sha256,
            fingerprint=self._fingerprint,
            state="promised",
            started_at=self._client.clock.now().isoformat(),
            file_id="",
        )
        file_id = upload_document(
            self._client,
            self._source,
            self._data,
            errand=self._errand,
            on_promised=lambda promised: self._journal.write(replace(entry, file_id=promised)),
        )
        return self._journal.write(replace(entry, state="uploaded", file_id=file_id))

    def _start(self, entry: JournalEntry) -> JournalEntry:
        """Start a job exactly once: a lost answer is looked up before anything is sent again."""
        connection = self._client.connection
        body = self._options.request_body(
            entry.file_id, webhook_url=connection.webhook_url, password=self._password
        )
        entry = self._journal.write(replace(entry, state="submitting", job_id=None))
        is_first = True

        def start_once() -> str:
            nonlocal is_first
            if not is_first and (found := self._look_up(entry)) is not None:
                return found
            is_first = False
            try:
                return self._client.start_job(body, errand=self._errand)
            except ReductoTransientError:
                raise
            except ReductoError as error:
                self._journal.write(replace(entry, state="uploaded"))  # refused: no job to look for
                if error.http_status != 404 and not isinstance(error, ReductoCredentialsError):
                    self._give_up(entry)
                raise

        job_id = repeat(
            start_once,
            rules=connection.retries,
            may_pass=lambda error: isinstance(error, ReductoTransientError) and error.may_have_happened,
            clock=self._client.clock,
        )
        return self._journal.write(replace(entry, state="running", job_id=job_id))

    def _look_up(self, entry: JournalEntry) -> str | None:
        job_id, telling = self._client.find_job(entry.file_id, errand=self._errand)
        if job_id is None and not telling:
            self._warnings.append("possible_second_job")  # the service does not say what its jobs parse
        return job_id

    def _after_failed_job(
        self, entry: JournalEntry, error: ReductoUnavailableError, attempt: int
    ) -> JournalEntry:
        """Forget a failed job, keep the upload, and wait; give up by raising."""
        connection = self._client.connection
        with contextlib.suppress(ReductoError):
            self._client.delete_job(entry.job_id or "", errand=self._errand)
        entry = self._journal.write(replace(entry, state="uploaded", job_id=None))
        if error.code in RETRY_ONCE and attempt >= 1:
            self._give_up(entry)
            raise ReductoDocumentError.with_status(DocumentStatus.PROVIDER_FAILED, error) from error
        rules = RetryRules(connection.job_tries, connection.poll_first_s, connection.longest_wait_s)
        clock = self._client.clock
        wait = rules.wait_before_retry(
            tries_done=attempt + 1, retry_after_s=error.retry_after_s, chance=clock.chance()
        )
        if wait is None:
            raise error
        clock.wait(wait)
        return entry

    def _store(self, entry: JournalEntry, raw: RawResult, *, resumed: bool) -> FinishedJob:
        if self._in_store is not None:
            self._in_store.keep(raw, entry.sha256, entry.fingerprint)
        path = store_result(raw, folder=self._folder, source_id=self._source.source_id)
        entry = self._journal.write(
            replace(entry, state="stored", stored_path=str(path.resolve()), result_sha256=raw.sha256)
        )
        self._delete(entry)
        return FinishedJob(
            raw, path, entry.job_id, resumed=resumed, reused=False, warnings=tuple(self._warnings)
        )

    def _delete(self, entry: JournalEntry) -> None:
        """Delete job and upload; what fails is kept in the journal for `delete_leftovers`."""
        try:
            self._client.delete_job(entry.job_id or "", errand=self._errand)
            self._client.delete_upload(entry.file_id, errand=self._errand)
        except ReductoError:
            self._warnings.append("not_deleted_yet")
            return
        self._journal.write(replace(entry, state="done"))

    def _give_up(self, entry: JournalEntry) -> None:
        """Leave nothing behind after a failure for good; the failure itself is what gets reported."""
        with contextlib.suppress(ReductoError):
            if entry.job_id is not None:
                self._client.delete_job(entry.job_id, errand=self._errand)
            self._client.delete_upload(entry.file_id, errand=self._errand)
        self._journal.forget(entry.sha256, entry.fingerprint)
