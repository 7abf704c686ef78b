"""A folder of Reducto results that somebody already has, imported instead of calling anyone.

The folder holds `<source_id>.reducto.json` files in any of the forms in which results are kept (see
`parse_results`). Behind the parsers' port, so that a claim is imported as it is parsed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

from citation_pipeline.adapters.local_parser.parser import LocalParser
from citation_pipeline.adapters.reader_settings import ReaderSettings
from citation_pipeline.adapters.readers import OnParsed, UnknownReaderError
from citation_pipeline.adapters.reducto.conversion import convert_result
from citation_pipeline.adapters.reducto.errors import ReductoResultError
from citation_pipeline.adapters.reducto.options import ADAPTER_VERSION
from citation_pipeline.adapters.reducto.parsers import LocalWordsOf
from citation_pipeline.adapters.reducto.rows import row_of_error
from citation_pipeline.adapters.reducto.stored_results import RESULT_SUFFIX, load_result
from citation_pipeline.core.code_fingerprints import code_fingerprint
from citation_pipeline.core.documents.parsed import ParsedDocument, SourceDocument
from citation_pipeline.core.planning.nights import PredictedCost
from citation_pipeline.core.planning.workloads import Workload


class ImportedReductoParser:
    """Reads results from a folder; raises `ReductoResultError` when there is no such folder."""

    name = "reducto-import"
    is_paid = False
    pool = ""
    sends = ""
    parser_version = f"{ADAPTER_VERSION}+import"

    @classmethod
    def build(cls, settings: ReaderSettings) -> ImportedReductoParser:
        """Return the parser over a folder of results; raises UnknownReaderError without one."""
        folder = settings.variable("CITATION_PIPELINE_REDUCTO_RESULTS")
        if not folder:
            raise UnknownReaderError(
                f"the parser {cls.name!r} needs CITATION_PIPELINE_REDUCTO_RESULTS: set it to the folder of "
                "the .reducto.json files"
            )
        local = LocalParser.build(settings)
        return cls(Path(folder), local_words=local.parse, local_fingerprint=local.fingerprint)

    def __init__(
        self, folder: Path, *, local_words: LocalWordsOf | None = None, local_fingerprint: str = "none"
    ) -> None:
        if not folder.is_dir():
            raise _missing(f"there is no folder {folder.name}", "Name the folder of the .reducto.json files.")
        self._folder = folder
        self._local_words = local_words
        self._local_fingerprint = local_fingerprint

    @property
    def fingerprint(self) -> str:
        """Changes with every file of the folder, so that a new result is never hidden by a cached parse."""
        digest = hashlib.sha256(f"{code_fingerprint('reducto')} {self._local_fingerprint}".encode())
        for path in self._results():
            digest.update(path.name.encode() + hashlib.sha256(path.read_bytes()).digest())
        return f"reducto-import-{digest.hexdigest()[:16]}"

    def price(self, work: Workload) -> PredictedCost:
        """Return the pages: their results are there already."""
        return PredictedCost(pages=work.pages)

    def _results(self) -> list[Path]:
        return sorted(self._folder.glob(f"*{RESULT_SUFFIX}"))

    def parse(self, source: SourceDocument, data: bytes, *, claim_id: str = "") -> ParsedDocument:
        """Return the document; one whose result is missing or unusable is a row that says so."""
        path = self._folder / f"{source.source_id}{RESULT_SUFFIX}"
        try:
            if not path.is_file():
                raise _missing(
                    f"{path.name} is not in the import folder",
                    "Put it there, or parse the file with Reducto.",
                )
            return convert_result(
                source,
                load_result(path).read(name=path.name),
                local=self._local_words(source, data) if self._local_words is not None else None,
                parser=self.name,
                parser_version=self.parser_version,
            )
        except ReductoResultError as error:
            return row_of_error(source, error, parser=self.name, parser_version=self.parser_version)

    def parse_many(
        self,
        sources: Sequence[tuple[SourceDocument, Path]],
        *,
        on_parsed: OnParsed | None = None,
        claim_id: str = "",
    ) -> list[ParsedDocument]:
        """Return one document per source, in the order given."""
        documents = []
        for source, path in sources:
            document = self.parse(source, path.read_bytes(), claim_id=claim_id)
            documents.append(document)
            if on_parsed is not None:
                on_parsed(document, False)
        return documents


def _missing(message: str, remedy: str) -> ReductoResultError:
    return ReductoResultError(message, remedy=remedy, operation="import", code="reducto_result_missing")
