"""The Reducto parser behind the parsers' port: one document, or a claim's at the configured concurrency.

A document that cannot be parsed comes back as a row. What concerns the account or the service is raised:
credentials and refused options at once, what may pass later after all other documents are done, whose
results are kept, so that the next run asks only for the rest.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from citation_pipeline.adapters.coordination.database import Coordination
from citation_pipeline.adapters.local_parser.parser import LocalParser
from citation_pipeline.adapters.local_parser.refusals import RefusedDocumentError
from citation_pipeline.adapters.office.attached_files import read_document
from citation_pipeline.adapters.page_prices import page_prices
from citation_pipeline.adapters.reader_settings import ReaderSettings
from citation_pipeline.adapters.readers import OnParsed
from citation_pipeline.adapters.reducto.clients import ReductoClient
from citation_pipeline.adapters.reducto.conversion import convert_result
from citation_pipeline.adapters.reducto.document_steps import FinishedJob
from citation_pipeline.adapters.reducto.errors import (
    ReductoCredentialsError,
    ReductoDocumentError,
    ReductoError,
    ReductoJobCancelledError,
    ReductoRateLimitError,
    ReductoRequestError,
    ReductoResultError,
    ReductoUnfinishedClaimError,
    ReductoUnreachableError,
)
from citation_pipeline.adapters.reducto.journals import Failures, Journal
from citation_pipeline.adapters.reducto.options import ADAPTER_VERSION, Connection, ParseOptions
from citation_pipeline.adapters.reducto.paid_jobs import PaidJobs
from citation_pipeline.adapters.reducto.rows import (
    SENT_TYPES,
    row_of_error,
    row_of_missing_file,
    row_of_refusal,
)
from citation_pipeline.adapters.reducto.stored_results import KeptResults
from citation_pipeline.adapters.reducto.webhooks import WebhookHints
from citation_pipeline.core.claims import check_claim_id
from citation_pipeline.core.documents.parsed import ParsedDocument, SourceDocument, unread_document
from citation_pipeline.core.planning.nights import PredictedCost
from citation_pipeline.core.planning.workloads import Workload

_CALLS_PER_DOCUMENT = 5  # upload, job, polls, result
_SECONDS_PER_PAGE = 2.0
_MOST_TRIES = 3  # of a claim, in which a document alone fails: as many as a run has

LocalWordsOf = Callable[[SourceDocument, bytes], ParsedDocument | None]
"""The local parser, for words with boxes; called from several threads at once."""


@dataclass(frozen=True, slots=True)
class ParseReceipt:
    """What one document cost: `credits` may be None for good on newer accounts.

    `resumed`: an earlier run's job was picked up. `reused`: its result was already stored, nothing was asked.
    """

    claim_id: str
    source_id: str
    job_id: str | None
    page_count: int | None
    credits: float | None
    parse_model: str | None
    resumed: bool
    reused: bool


class ReductoParser:
    """Parses PDFs and images with Reducto; other types go to the local parser whole.

    Raw results are kept under `results_folder/<claim_id>/`, and packed in the store, where other hosts find
    them. The journal lies in the `coordination`, which every process that shares the account should share;
    without one, in a file in `journal_folder`. `passwords` are tried, in order, on encrypted documents;
    they are sent to the service.
    """

    name = "reducto"
    is_paid = True
    pool = "reducto"
    sends = "every PDF and image as it is, to Reducto (REDUCTO_BASE_URL), deleted there once it is parsed"

    @classmethod
    def build(cls, settings: ReaderSettings) -> ReductoParser:
        """Return the parser of a deployment; without a key it tells its price and parses nothing."""
        key, url = settings.variable("REDUCTO_API_KEY"), settings.variable("REDUCTO_BASE_URL")
        rate = float(settings.variable("CITATION_PIPELINE_REDUCTO_RATE") or 1.0)
        client = None
        if key:
            connection = Connection(api_key=key, requests_per_second=rate)
            client = ReductoClient(
                replace(connection, base_url=url) if url else connection, ledger=settings.ledger
            )
        local = LocalParser.build(settings)
        return cls(
            client,
            results_folder=settings.work_dir / "reducto",
            journal_folder=settings.work_dir / "reducto_jobs",
            coordination=settings.coordination,
            kept=KeptResults(settings.kept_bytes("reducto_results")),
            local_words=local.parse,
            local_fingerprint=local.fingerprint,
            passwords=settings.pdf_passwords,
            page_dollars=page_prices(settings.variables)[cls.name],
            requests_per_second=rate,
        )

    def __init__(
        self,
        client: ReductoClient | None,
        *,
        results_folder: Path,
        journal_folder: Path,
        options: ParseOptions | None = None,
        local_words: LocalWordsOf | None = None,
        local_fingerprint: str = "none",
        on_receipt: Callable[[ParseReceipt], None] | None = None,
        passwords: Sequence[str] = (),
        page_dollars: float = 0.0,
        requests_per_second: float = 1.0,
        coordination: Coordination | None = None,
        kept: KeptResults | None = None,
    ) -> None:
        self.options = options or ParseOptions()
        self.fingerprint = self.options.fingerprint(local_fingerprint=local_fingerprint)
        self.parser_version = f"{ADAPTER_VERSION}+{self.options.profile}"
        self._given_client = client
        self._page_dollars, self._requests_per_second = page_dollars, requests_per_second
        self._results_folder = results_folder
        self._local_words = local_words
        self._on_receipt = on_receipt
        self._hints = WebhookHints()
        self._journal, self._kept = Journal(journal_folder, coordination=coordination), kept
        self._failures = Failures(coordination or journal_folder)
        self._passwords = tuple(passwords)
        # A result does not depend on what we make of it: a new version of ours, or of the local parser,
        # converts it again and pays nothing.
        self._job_fingerprint = self.options.job_fingerprint()

    @property
    def _client(self) -> ReductoClient:
        if self._given_client is None:
            raise ReductoCredentialsError(
                "there is no key",
                remedy="The parser 'reducto' needs REDUCTO_API_KEY: set it, or choose 'local'.",
                operation="parse",
                code="no_api_key",
            )
        return self._given_client

    @cached_property
    def _jobs(self) -> PaidJobs:
        return PaidJobs(
            self._client,
            options=self.options,
            journal=self._journal,
            hints=self._hints,
            passwords=self._passwords,
            kept=self._kept,
        )

    def price(self, work: Workload) -> PredictedCost:
        """Return the likely calls, minutes and dollars, by the plan's price of a page."""
        calls = work.files * _CALLS_PER_DOCUMENT
        seconds = max(work.pages * _SECONDS_PER_PAGE, calls / self._requests_per_second)
        return PredictedCost(
            calls=calls,
            pages=work.pages,
            dollars=round(work.pages * self._page_dollars, 4),
            minutes=round(seconds / 60, 4),
        )

    def accept_webhook(self, payload: bytes | str | dict[str, Any]) -> bool:
        """Take a webhook's payload as a hint to ask about its job now; its status is not believed."""
        return self._hints.accept(payload)

    def close(self) -> None:
        """Close the connections to the service."""
        if self._given_client is not None:
            self._given_client.close()

    def delete_leftovers(self) -> int:
        """Delete at the service what earlier runs could not; return how many documents that were."""
        return self._jobs.delete_leftovers()

    def parse(self, source: SourceDocument, data: bytes, *, claim_id: str) -> ParsedDocument:
        """Parse one document; raises a `ReductoError` for what is not this document's own fault."""
        return self._parse(source, data, claim_id)[0]

    def _parse(self, source: SourceDocument, data: bytes, claim_id: str) -> tuple[ParsedDocument, bool]:
        if data and source.media_type not in SENT_TYPES and self._local_words is not None:
            document = self._local_words(source, data)
            if document is not None:
                return document, False
        named = {"parser": self.name, "parser_version": self.parser_version}
        refused = row_of_refusal(source, data, **named)
        if refused is not None:
            return refused, False
        if hashlib.sha256(data).hexdigest() != source.sha256:
            raise ReductoRequestError(
                "the file has changed since it was listed",
                remedy="List the claim's source documents again.",
                operation="parse",
                code="bytes_changed",
                source_id=source.source_id,
            )
        folder = self._results_folder / check_claim_id(claim_id)
        try:
            job = self._jobs.finish(
                source, data, claim_id=claim_id, fingerprint=self._job_fingerprint, folder=folder
            )
            document = self._convert(source, data, job, claim_id)
        except (ReductoDocumentError, ReductoJobCancelledError, ReductoResultError) as error:
            return row_of_error(source, error, **named), False
        return replace(document, warnings=(*document.warnings, *job.warnings)), job.reused

    def _convert(
        self, source: SourceDocument, data: bytes, job: FinishedJob, claim_id: str
    ) -> ParsedDocument:
        result = job.raw.read(name=job.path.name)
        if self._on_receipt is not None:
            usage = result.usage
            self._on_receipt(
                ParseReceipt(
                    claim_id=claim_id,
                    source_id=source.source_id,
                    job_id=job.job_id,
                    page_count=usage.num_pages,
                    credits=usage.credits,
                    parse_model=usage.parse_model,
                    resumed=job.resumed,
                    reused=job.reused,
                )
            )
        document = convert_result(
            source,
            result,
            local=self._local_words(source, data) if self._local_words is not None else None,
            parser=self.name,
            parser_version=self.parser_version,
        )
        if result.blocks_left_out:
            return replace(document, warnings=(*document.warnings, "blocks_left_out"))
        return document

    def parse_many(
        self,
        sources: Sequence[tuple[SourceDocument, Path]],
        *,
        on_parsed: OnParsed | None = None,
        claim_id: str = "",
    ) -> list[ParsedDocument]:
        """Parse a claim's documents, `concurrency` at a time; return them in the order given.

        `on_parsed` is called in this thread, in the order in which documents are done. Raises
        `ReductoUnfinishedClaimError` when some could not be parsed now, after the others are.
        """
        documents, errors = self._parse_all(sources, on_parsed, claim_id)
        for place, row in self._given_up(sources, documents, errors).items():
            documents[place] = row
            del errors[place]
            if on_parsed is not None:
                on_parsed(row, False)
        if errors:
            first = next(iter(errors.values()))
            if len(errors) == len(sources) and isinstance(first, ReductoRequestError):
                raise first  # the options are refused, whatever the document
            raise ReductoUnfinishedClaimError.over(
                list(errors.values()), total=len(sources), claim_id=claim_id
            )
        return [documents[place] for place in range(len(sources))]

    def _parse_all(
        self, sources: Sequence[tuple[SourceDocument, Path]], on_parsed: OnParsed | None, claim_id: str
    ) -> tuple[dict[int, ParsedDocument], dict[int, ReductoError]]:
        """Return the documents that were parsed and the errors of the others, each by its place."""
        documents: dict[int, ParsedDocument] = {}
        errors: dict[int, ReductoError] = {}
        stop = threading.Event()
        self._hints.resume()

        def work(source: SourceDocument, path: Path) -> tuple[ParsedDocument, bool] | None:
            return None if stop.is_set() else self._read_and_parse(source, path, claim_id)

        with ThreadPoolExecutor(self._client.connection.concurrency, "reducto") as pool:
            places: dict[Future[tuple[ParsedDocument, bool] | None], int] = {
                pool.submit(work, source, path): place for place, (source, path) in enumerate(sources)
            }
            try:
                for future in as_completed(places):
                    try:
                        done = future.result()
                    except ReductoError as error:
                        if isinstance(error, ReductoCredentialsError) or error.code == "bytes_changed":
                            raise  # every other document would be told the same
                        errors[places[future]] = error
                        continue
                    if done is not None:
                        documents[places[future]] = done[0]
                        self._failures.forget(done[0].source.sha256)
                        if on_parsed is not None:
                            on_parsed(*done)
            except BaseException:
                stop.set()
                self._hints.interrupt()
                pool.shutdown(wait=False, cancel_futures=True)
                raise
        return documents, errors

    def _read_and_parse(
        self, source: SourceDocument, path: Path, claim_id: str
    ) -> tuple[ParsedDocument, bool]:
        """Parse a file; one that cannot be read is a row."""
        named = {"parser": self.name, "parser_version": self.parser_version}
        try:
            data = read_document(path)
        except RefusedDocumentError as refusal:
            return unread_document(source, refusal.status, refusal.error, **named), False
        except OSError as error:
            return row_of_missing_file(source, error, **named), False
        return self._parse(source, data, claim_id)

    def _given_up(
        self,
        sources: Sequence[tuple[SourceDocument, Path]],
        documents: Mapping[int, ParsedDocument],
        errors: Mapping[int, ReductoError],
    ) -> dict[int, ParsedDocument]:
        """Return rows for documents that fail again and again by themselves: the claim goes on without them.

        A service that cannot be reached, or that refuses every document alike, is no document's fault.
        """
        named = {"parser": self.name, "parser_version": self.parser_version}
        alone = {
            place: error
            for place, error in errors.items()
            if documents or not isinstance(error, ReductoRequestError)
            if not isinstance(error, ReductoUnreachableError | ReductoRateLimitError)
        }
        rows = {}
        for place, error in alone.items():
            source = sources[place][0]
            tries = self._failures.count(source.sha256)
            if not error.transient or tries >= _MOST_TRIES:
                rows[place] = row_of_error(source, error, **named)
        return rows
