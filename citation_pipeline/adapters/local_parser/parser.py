"""The embedded parser: files in, parsed documents out, through worker processes and the parse cache.

It makes no network call. What a content goes to is `reading.py`'s; plain picklable inputs only, so
an asset, the command line and a test use it alike.
"""

import threading
import weakref
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Self

from citation_pipeline.adapters import file_types
from citation_pipeline.adapters.coordination.objects import KeptBytes
from citation_pipeline.adapters.local_parser.cache import DEFAULT_BYTES, ParseCache
from citation_pipeline.adapters.local_parser.limits import ParseLimits
from citation_pipeline.adapters.local_parser.parser_versions import PARSER_NAME, parser_fingerprint
from citation_pipeline.adapters.local_parser.reading import refused_document
from citation_pipeline.adapters.local_parser.refusals import CACHEABLE_STATUSES
from citation_pipeline.adapters.local_parser.worker_pool import WorkerPool
from citation_pipeline.adapters.local_parser.worker_processes import Job, Outcome, WorkerProcess
from citation_pipeline.adapters.reader_settings import ReaderSettings
from citation_pipeline.core.documents.parsed import DocumentError, ParsedDocument, SourceDocument
from citation_pipeline.core.planning.nights import PredictedCost
from citation_pipeline.core.planning.workloads import Workload

_SECONDS_PER_PAGE = 1.0
_LEAST_MINUTES = 0.02  # about a second, whatever there is to parse

WRONGLY_NAMED = "wrongly_named"
"""Warning of a document whose name promises another type than its content is."""

OnParsed = Callable[[ParsedDocument, bool], None]
"""Called as each document is done, with whether it came from the cache; any order."""

_WORKER_MODULE = "citation_pipeline.adapters.local_parser.worker"


class LocalParser:
    """Parses files in at most `workers` processes; calls from several threads take turns.

    `cache_dir` None means no cache; `shared_parses` are those of all hosts, behind it. Close it, or use it as
    a context manager, to end the idle workers.
    """

    name = PARSER_NAME
    is_paid = False
    pool = ""
    sends = ""

    @classmethod
    def build(cls, settings: ReaderSettings) -> "LocalParser":
        """Return the parser of a deployment: its cache, its number of workers, its passwords."""
        return cls(
            settings.parse_cache,
            workers=settings.workers,
            passwords=settings.pdf_passwords,
            shared_parses=settings.shared_parses,
        )

    def __init__(
        self,
        cache_dir: Path | None,
        *,
        workers: int,
        passwords: Sequence[str] = (),
        limits: ParseLimits | None = None,
        ocr: bool = True,
        cache_bytes: int = DEFAULT_BYTES,
        worker_module: str = _WORKER_MODULE,
        shared_parses: KeptBytes | None = None,
    ) -> None:
        self.fingerprint = parser_fingerprint(ocr=ocr)
        self._cache = (
            None
            if cache_dir is None
            else ParseCache(
                Path(cache_dir), fingerprint=self.fingerprint, max_bytes=cache_bytes, shared=shared_parses
            )
        )
        start = partial(
            WorkerProcess,
            passwords=tuple(passwords),
            limits=limits or ParseLimits(),
            ocr=ocr,
            module=worker_module,
        )
        self._workers = workers
        self._pool = WorkerPool(workers=workers, start=start)
        self._turn = threading.Lock()
        self._finalizer = weakref.finalize(self, self._pool.close)

    def price(self, work: Workload) -> PredictedCost:
        """Return the likely minutes; pages between a text layer (milliseconds) and recognition (some 3 s)."""
        return PredictedCost(
            pages=work.pages,
            minutes=round(work.pages * _SECONDS_PER_PAGE / self._workers / 60 + _LEAST_MINUTES, 4),
        )

    def parse(self, source: SourceDocument, data: bytes) -> ParsedDocument:
        """Parse one document from memory; a failure is its status, never an exception."""
        parsed: list[ParsedDocument] = []
        self._run([Job(source, data=data)], lambda _position, document, _cached: parsed.append(document))
        return parsed[0]

    def parse_many(
        self,
        sources: Sequence[tuple[SourceDocument, Path]],
        *,
        on_parsed: OnParsed | None = None,
        claim_id: str = "",
    ) -> list[ParsedDocument]:
        """Parse files, in the order given; the same content is parsed once (`claim_id` is not needed here).

        An exception from `on_parsed` ends the run and its workers; what was parsed by then is in the cache.
        """
        parsed: dict[int, ParsedDocument] = {}

        def keep(position: int, document: ParsedDocument, cached: bool) -> None:
            parsed[position] = document
            if on_parsed is not None:
                on_parsed(document, cached)

        self._run([Job(source, path=Path(path)) for source, path in sources], keep)
        return [parsed[position] for position in range(len(sources))]

    def parse_each(self, sources: Sequence[tuple[SourceDocument, Path]], *, on_parsed: OnParsed) -> None:
        """Parse files and hand each over as it is done, in any order; none is kept."""
        self._run(
            [Job(source, path=Path(path)) for source, path in sources],
            lambda _position, document, cached: on_parsed(document, cached),
        )

    def forget(self, source: SourceDocument) -> None:
        """Forget a document's parse, so that it is parsed anew."""
        if self._cache is not None:
            self._cache.forget(source.sha256)

    @property
    def worker_pids(self) -> list[int]:
        """The process ids of the workers that wait for their next document."""
        return self._pool.idle_pids

    def close(self) -> None:
        """End the worker processes; the parser may be used again and starts new ones."""
        with self._turn:
            self._pool.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _run(self, jobs: Sequence[Job], on_done: Callable[[int, ParsedDocument, bool], None]) -> None:
        waiting: dict[str, list[int]] = {}

        def hand_over(position: int, document: ParsedDocument, *, cached: bool) -> None:
            named = _with_name_checked(replace(document, source=jobs[position].source))
            on_done(position, named, cached)

        for position, job in enumerate(jobs):
            found = self._cache.load(job.source) if self._cache else None
            if found is not None:
                hand_over(position, found, cached=True)
            else:
                waiting.setdefault(job.source.sha256, []).append(position)

        def on_outcome(outcome: Outcome) -> None:
            document = self._settle(outcome)
            for position in waiting[outcome.job.source.sha256]:
                hand_over(position, document, cached=False)

        if waiting:
            with self._turn:
                self._pool.run(_first_of_each(jobs, waiting.values()), on_outcome=on_outcome)

    def _settle(self, outcome: Outcome) -> ParsedDocument:
        document = outcome.document
        if document is None:
            assert outcome.refusal is not None
            return refused_document(outcome.job.source, outcome.refusal)
        if self._cache and document.status in CACHEABLE_STATUSES and not _is_transient(document.error):
            self._cache.store(outcome.job.source.sha256, outcome.encoded)
        return document


def _first_of_each(jobs: Sequence[Job], groups: Iterable[list[int]]) -> list[Job]:
    return [jobs[positions[0]] for positions in groups]


def _is_transient(error: DocumentError | None) -> bool:
    return error is not None and error.transient


def _with_name_checked(document: ParsedDocument) -> ParsedDocument:
    """Add the warning about the name here: the cache knows contents, not names."""
    source = document.source
    if not file_types.is_wrongly_named(source.file, source.media_type):
        return document
    return replace(document, warnings=(*document.warnings, WRONGLY_NAMED))
