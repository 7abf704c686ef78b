"""Everything that can go wrong between us and Reducto, sorted by what to do about it.

PipelineError (core)
└── ReductoError
    ├── ReductoTransientError            try again; `retry_after_s` says when
    │   ├── ReductoUnreachableError      no connection, a broken one, or no answer in time
    │   ├── ReductoRateLimitError        429
    │   ├── ReductoUnavailableError      408, 5xx, or a job that failed for lack of capacity
    │   ├── ReductoGarbledAnswerError    2xx whose body is not what the contract says, e.g. a proxy's page
    │   ├── ReductoAddressExpiredError   a presigned address no longer opens
    │   ├── ReductoUnfinishedClaimError  some documents of a claim met one of these; the others are kept
    │   └── ReductoDeadlineError         the job is still running; its id is kept, the next run picks it up
    └── ReductoPermanentError            the same request will fail again
        ├── ReductoCredentialsError      401, 403: nothing will work until the key is right
        ├── ReductoRequestError          our request is wrong: options, or an input that does not exist
        ├── ReductoDocumentError         this document cannot be parsed; carries the row's status
        ├── ReductoJobGoneError          404, 409, 410: the job was deleted or has expired
        ├── ReductoJobCancelledError     somebody cancelled the job
        ├── ReductoResultError           a stored or received result that cannot be used
        └── ReductoJournalError          our own record of a job cannot be read

Messages name ids, codes and remedies. They never hold document text, presigned addresses or the key.
Here: the classes. Not here: which answer becomes which error (`failures`).
"""

from __future__ import annotations

from collections.abc import Sequence

from citation_pipeline.core.documents.parsed import DocumentStatus
from citation_pipeline.core.failures import PipelineError

RETRY_AFTER_CAP_S = 3600.0
"""Advice to wait longer than this is cut: an hour is already the next night-batch retry, not this run's."""


class ReductoError(PipelineError):
    """Something failed; `str()` says what and what to do.

    `operation` is the call (`upload`, `parse_async`, `job`, …), `code` a stable word for machines,
    `http_status`, `job_id` and `source_id` are None where they do not apply.
    """

    transient = False

    def __init__(
        self,
        message: str,
        *,
        remedy: str,
        operation: str,
        code: str,
        http_status: int | None = None,
        job_id: str | None = None,
        source_id: str | None = None,
        retry_after_s: float | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy
        self.operation = operation
        self.code = code
        self.http_status = http_status
        self.job_id = job_id
        self.source_id = source_id
        self.retry_after_s = (
            None if retry_after_s is None else min(max(retry_after_s, 0.0), RETRY_AFTER_CAP_S)
        )

    def __str__(self) -> str:
        """Return the message, the ids that are known, and the remedy."""
        ids = [
            f"{name}={value}"
            for name, value in (
                ("source_id", self.source_id),
                ("job_id", self.job_id),
                ("http_status", self.http_status),
                ("retry_after_s", self.retry_after_s),
            )
            if value is not None
        ]
        where = f" ({', '.join([self.operation, *ids])})"
        return f"{self.code}: {self.message}{where}. {self.remedy}"


class ReductoTransientError(ReductoError):
    """It may work later.

    `may_have_happened` tells that the request may have reached the service although no answer came back.
    """

    transient = True
    may_have_happened = True


class ReductoUnreachableError(ReductoTransientError):
    """No connection, a broken one, or no answer in time."""


class ReductoRateLimitError(ReductoTransientError):
    """The service asked us to slow down; the request was not carried out."""

    may_have_happened = False


class ReductoUnavailableError(ReductoTransientError):
    """The service could not do it now."""


class ReductoGarbledAnswerError(ReductoTransientError):
    """A success status with a body that is not the contract's."""


class ReductoAddressExpiredError(ReductoTransientError):
    """A presigned address was refused; asking the service again gives a fresh one."""


class ReductoDeadlineError(ReductoTransientError):
    """The job had not ended by the deadline; it goes on, and the next call waits for the same job."""


class ReductoUnfinishedClaimError(ReductoTransientError):
    """Some documents of a claim could not be parsed now; `errors` are theirs.

    The results of all others are stored: the next run asks only for these.
    """

    errors: tuple[ReductoError, ...] = ()

    @classmethod
    def over(
        cls, errors: Sequence[ReductoError], *, total: int, claim_id: str
    ) -> ReductoUnfinishedClaimError:
        """Sum up the errors of a claim of `total` documents; the longest advice to wait is kept."""
        first, advice = errors[0], [e.retry_after_s for e in errors if e.retry_after_s is not None]
        made = cls(
            f"{len(errors)} of {total} documents of claim {claim_id} could not be parsed now, first: {first}",
            remedy="Run the claim again: only these are asked for.",
            operation=first.operation,
            code=first.code,
            retry_after_s=max(advice, default=None),
        )
        made.errors = tuple(errors)
        made.transient = all(error.transient for error in errors)
        return made


class ReductoPermanentError(ReductoError):
    """The same request will fail again."""


class ReductoCredentialsError(ReductoPermanentError):
    """The key is missing, wrong or not allowed to do this."""


class ReductoRequestError(ReductoPermanentError):
    """The request itself is wrong."""


class ReductoDocumentError(ReductoPermanentError):
    """This one document cannot be parsed; `status` is what its row says."""

    status = DocumentStatus.PROVIDER_FAILED

    @classmethod
    def with_status(cls, status: DocumentStatus, error: ReductoError) -> ReductoDocumentError:
        """Return the same failure as a document's, with the row's status."""
        made = cls(
            error.message,
            remedy=error.remedy,
            operation=error.operation,
            code=error.code,
            http_status=error.http_status,
            job_id=error.job_id,
            source_id=error.source_id,
        )
        made.status = status
        return made


class ReductoJobGoneError(ReductoPermanentError):
    """The job does not exist any more; a new one has to be started."""


class ReductoJobCancelledError(ReductoPermanentError):
    """The job was cancelled."""


class ReductoResultError(ReductoPermanentError):
    """A result that is missing, is not JSON, or is not a parse result."""


class ReductoJournalError(ReductoPermanentError):
    """The record of a job in the journal folder is not readable."""
