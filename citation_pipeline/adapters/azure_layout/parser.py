"""The parser `azure-layout`: PDFs and pictures by Azure Document Intelligence, each content paid once."""

import contextlib
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from citation_pipeline.adapters import file_types
from citation_pipeline.adapters.azure_layout.analyses import Analyses
from citation_pipeline.adapters.azure_layout.client import API_VERSION, AzureLayoutClient
from citation_pipeline.adapters.azure_layout.conversion import LayoutResultError, convert
from citation_pipeline.adapters.azure_layout.errors import (
    AzureAccessError,
    AzureDocumentError,
    AzureLayoutError,
    AzureResultGoneError,
    AzureUnavailableError,
    document_error,
)
from citation_pipeline.adapters.coordination.database import Coordination
from citation_pipeline.adapters.coordination.objects import KeptBytes
from citation_pipeline.adapters.local_parser.parser import LocalParser
from citation_pipeline.adapters.local_parser.refusals import RefusedDocumentError
from citation_pipeline.adapters.office.attached_files import read_document
from citation_pipeline.adapters.page_prices import page_prices
from citation_pipeline.adapters.reader_settings import ReaderSettings
from citation_pipeline.adapters.readers import OnParsed
from citation_pipeline.core.code_fingerprints import code_fingerprint
from citation_pipeline.core.documents.parsed import (
    DocumentError,
    DocumentStatus,
    ParsedDocument,
    SourceDocument,
    unread_document,
)
from citation_pipeline.core.planning.nights import PredictedCost
from citation_pipeline.core.planning.workloads import Workload

_SENT = (file_types.PDF, *file_types.IMAGES)
_POLL_S, _DEADLINE_S = 2.0, 1800.0
_MOST_TRIES = 3  # of a claim, in which a document alone fails
_CALLS_PER_DOCUMENT = 4  # analyze, two looks at the result, its deletion
_SECONDS_PER_PAGE = 1.5


class AzureLayoutParser:
    """Sends PDFs and pictures to a resource of one's own; other files go to the local parser whole.

    Results are kept by content: what was analyzed once is read again, by any claim, for nothing. Without an
    endpoint and a key it tells its price and parses nothing.
    """

    name = "azure-layout"
    is_paid = True
    pool = "azure-layout"
    sends = (
        "every PDF and picture as it is, to AZURE_DOCUMENT_INTELLIGENCE_ENDPOINT, whose result is deleted "
        "there once it is kept here"
    )
    parser_version = f"1+{API_VERSION}"

    @classmethod
    def build(cls, settings: ReaderSettings) -> "AzureLayoutParser":
        """Return the parser of a deployment."""
        endpoint = settings.variable("AZURE_DOCUMENT_INTELLIGENCE_ENDPOINT")
        key = settings.variable("AZURE_DOCUMENT_INTELLIGENCE_KEY")
        client = AzureLayoutClient(endpoint, key, ledger=settings.ledger) if endpoint and key else None
        return cls(
            client,
            folder=settings.work_dir / "azure_layout",
            coordination=settings.coordination,
            kept=settings.kept_bytes("azure_results"),
            local=LocalParser.build(settings),
            page_dollars=page_prices(settings.variables)[cls.name],
        )

    def __init__(
        self,
        client: AzureLayoutClient | None,
        *,
        folder: Path,
        local: LocalParser | None = None,
        page_dollars: float = 0.0,
        coordination: Coordination | None = None,
        kept: KeptBytes | None = None,
    ) -> None:
        self._client, self._local = client, local
        self._analyses = Analyses(folder, coordination=coordination, kept=kept)
        self._page_dollars = page_dollars

    @property
    def fingerprint(self) -> str:
        """What identifies the output: the service's version, our reading of it, and the local parser."""
        parts = [
            API_VERSION,
            code_fingerprint("azure_layout"),
            self._local.fingerprint if self._local else "",
        ]
        return f"azure-layout-{hashlib.sha256(' '.join(parts).encode()).hexdigest()[:16]}"

    def price(self, work: Workload) -> PredictedCost:
        """Return the likely calls, minutes and dollars."""
        return PredictedCost(
            calls=work.files * _CALLS_PER_DOCUMENT,
            pages=work.pages,
            dollars=round(work.pages * self._page_dollars, 4),
            minutes=round(work.pages * _SECONDS_PER_PAGE / 60, 4),
        )

    def close(self) -> None:
        """Close the connections, and the local parser's workers."""
        for one in (self._client, self._local):
            if one is not None:
                one.close()

    def parse_many(
        self,
        sources: Sequence[tuple[SourceDocument, Path]],
        *,
        on_parsed: OnParsed | None = None,
        claim_id: str = "",
    ) -> list[ParsedDocument]:
        """Return one document per source; raises AzureUnavailableError where some may be analyzed later.

        The others are kept by then: the next run asks only for these. A document that fails by itself three
        times is a row, and its claim goes on.
        """
        documents: dict[int, ParsedDocument] = {}
        failures: dict[int, AzureUnavailableError] = {}
        for place, (source, path) in enumerate(sources):
            try:
                document, was_kept = self._parse(source, path, claim_id)
            except AzureUnavailableError as error:
                failures[place] = error
                continue
            documents[place] = document
            if on_parsed is not None:
                on_parsed(document, was_kept)
        for place, failure in list(failures.items()):
            # a service that answers nobody is no document's fault
            if documents and self._count(sources[place][0]) >= _MOST_TRIES:
                documents[place] = self._row(sources[place][0], failure, DocumentStatus.PROVIDER_FAILED)
                del failures[place]
        if failures:
            raise next(iter(failures.values()))
        return [documents[place] for place in range(len(sources))]

    def _parse(self, source: SourceDocument, path: Path, claim_id: str) -> tuple[ParsedDocument, bool]:
        if source.media_type not in _SENT and self._local is not None:
            (document,) = self._local.parse_many([(source, path)])
            return document, False
        try:
            data = read_document(path)
        except RefusedDocumentError as refusal:
            return self._unread(source, refusal.status, refusal.error), False
        except OSError as error:
            said = DocumentError(
                "file_unreadable",
                f"The file cannot be read ({type(error).__name__}).",
                "Check that it is still there and readable, then run the claim again.",
                transient=True,
            )
            return self._unread(source, DocumentStatus.CORRUPT, said), False
        if not data:
            said = DocumentError("empty", "The file has no bytes.", "Ask for it again.")
            return self._unread(source, DocumentStatus.EMPTY, said), False
        digest = hashlib.sha256(data).hexdigest()
        try:
            with self._analyses.hold(digest):  # another claim may have the same document
                kept = self._analyses.result(digest)
                result = kept if kept is not None else self._analyzed(source, data, digest, claim_id)
            document = convert(source, result, parser=self.name, parser_version=self.parser_version)
        except AzureDocumentError as error:
            return self._row(source, error, error.document_status), False
        except LayoutResultError:
            said = DocumentError(
                "result_malformed", "Azure's result cannot be read.", "Parse it with another parser."
            )
            return self._unread(source, DocumentStatus.PROVIDER_FAILED, said), False
        if self._analyses.read(digest, "tries") is not None:
            self._analyses.forget(digest, "tries")
        if self._analyses.read(digest, "doubt") is not None:
            document = replace(document, warnings=(*document.warnings, "possible_second_job"))
        return document, kept is not None

    def _analyzed(self, source: SourceDocument, data: bytes, digest: str, claim_id: str) -> Mapping[str, Any]:
        """Return the result of an analysis that is under way, or of a new one; it is on disk by then."""
        client = self._connected()
        asked = {"claim_id": claim_id, "source_id": source.source_id}
        for is_second in (False, True):
            running = self._analyses.read(digest, "running")
            if running is None:
                if self._analyses.read(digest, "starting") is not None:
                    self._doubt(digest)  # a process died before it knew whether an analysis had begun
                self._analyses.write(digest, "starting", {})
                try:
                    result_id = client.analyze(data, **asked, may_repeat=partial(self._doubt, digest))
                except (AzureDocumentError, AzureAccessError):
                    self._analyses.forget(digest, "starting")
                    raise
                running = {"result_id": result_id}
                self._analyses.write(digest, "running", running)
                self._analyses.forget(digest, "starting")
            try:
                return self._finished(client, str(running["result_id"]), digest, asked)
            except AzureResultGoneError as error:
                self._analyses.forget(digest, "running")
                if is_second:  # a result that goes twice would go a third time, and each is paid for
                    raise AzureDocumentError(
                        str(error), code=error.code, document_status=DocumentStatus.PROVIDER_FAILED
                    ) from None
        raise AssertionError("one of the two returns or raises")

    def _finished(
        self, client: AzureLayoutClient, result_id: str, digest: str, asked: Mapping[str, str]
    ) -> Mapping[str, Any]:
        until = client.clock.monotonic() + _DEADLINE_S
        while True:
            answer = client.result(result_id, **asked)
            if answer["status"] == "succeeded" and isinstance(answer.get("analyzeResult"), dict):
                result: Mapping[str, Any] = answer["analyzeResult"]
                self._analyses.keep_result(digest, result)
                with contextlib.suppress(AzureLayoutError):  # it expires there within a day in any case
                    client.delete(result_id, **asked)
                return result
            if answer["status"] in ("failed", "canceled", "skipped"):
                self._analyses.forget(digest, "running")
                raise document_error(answer.get("error"))
            if client.clock.monotonic() > until:
                raise AzureUnavailableError(
                    "the analysis did not end in time. Run the claim again: the same analysis is waited for.",
                    code="deadline",
                )
            client.clock.wait(_POLL_S)

    def _doubt(self, digest: str) -> None:
        """Remember that a second analysis of this content may have been paid for."""
        self._analyses.write(digest, "doubt", {})

    def _connected(self) -> AzureLayoutClient:
        if self._client is None:
            raise AzureAccessError(
                f"the parser {self.name!r} needs AZURE_DOCUMENT_INTELLIGENCE_ENDPOINT and "
                "AZURE_DOCUMENT_INTELLIGENCE_KEY: set them, or choose 'local'",
                code="not_set_up",
            )
        return self._client

    def _row(self, source: SourceDocument, error: AzureLayoutError, status: DocumentStatus) -> ParsedDocument:
        said = DocumentError(
            error.code, str(error), "Parse it with another parser, or ask for it again.", error.transient
        )
        return self._unread(source, status, said)

    def _unread(self, source: SourceDocument, status: DocumentStatus, said: DocumentError) -> ParsedDocument:
        return unread_document(source, status, said, parser=self.name, parser_version=self.parser_version)

    def _count(self, source: SourceDocument) -> int:
        known = self._analyses.read(source.sha256, "tries") or {}
        tries = int(known.get("tries", 0)) + 1
        self._analyses.write(source.sha256, "tries", {"tries": tries})
        return tries
