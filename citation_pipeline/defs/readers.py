"""The parsers and extractors of a deployment, by name; each is built when a claim first names it."""

from collections.abc import Callable
from dataclasses import replace

from citation_pipeline.adapters.claim_settings import ReaderNames
from citation_pipeline.adapters.claude.archive import ReplyArchive
from citation_pipeline.adapters.claude.extractor import ClaudeExtractor
from citation_pipeline.adapters.claude.settings import ClaudeSettings
from citation_pipeline.adapters.extractors.port import Extractor
from citation_pipeline.adapters.extractors.replay import ReplayExtractor
from citation_pipeline.adapters.extractors.rules import RulesExtractor
from citation_pipeline.adapters.local_parser.parser import LocalParser
from citation_pipeline.adapters.outbound_ledger import append_to
from citation_pipeline.adapters.readers import DocumentParser, Readers, UnknownReaderError
from citation_pipeline.adapters.reducto.clients import ReductoClient
from citation_pipeline.adapters.reducto.imports import ImportedReductoParser
from citation_pipeline.adapters.reducto.options import Connection
from citation_pipeline.adapters.reducto.parsers import ReductoParser
from citation_pipeline.defs.settings import Settings


def parsers(settings: Settings) -> Readers[DocumentParser]:
    """Return the parsers by name."""
    factories: dict[str, Callable[[], DocumentParser]] = {
        "local": lambda: _local_parser(settings),
        "reducto": lambda: _reducto_parser(settings),
        "reducto-import": lambda: _imported_parser(settings),
    }
    return Readers("parser", factories, paid=("reducto",))


def extractors(settings: Settings) -> Readers[Extractor]:
    """Return the extractors by name."""
    factories: dict[str, Callable[[], Extractor]] = {
        "rules": RulesExtractor,
        "replay": ReplayExtractor,
        "claude": lambda: _claude_extractor(settings),
    }
    return Readers("extractor", factories, paid=("claude",))


def reader_names(settings: Settings) -> ReaderNames:
    """Return which parsers and extractors a claim may name."""
    return ReaderNames(parsers(settings).names, extractors(settings).names)


def _local_parser(settings: Settings) -> LocalParser:
    return LocalParser(settings.parse_cache, workers=settings.workers, passwords=settings.pdf_passwords)


def _reducto_parser(settings: Settings) -> ReductoParser:
    if not settings.reducto_key:
        raise UnknownReaderError("the parser 'reducto' needs REDUCTO_API_KEY: set it, or choose 'local'")
    connection = Connection(
        api_key=settings.reducto_key, requests_per_second=settings.reducto_requests_per_second
    )
    if settings.reducto_url:
        connection = replace(connection, base_url=settings.reducto_url)
    local = _local_parser(settings)
    return ReductoParser(
        ReductoClient(connection, ledger=append_to(settings.ledger_dir)),
        results_folder=settings.work_dir / "reducto",
        journal_folder=settings.work_dir / "reducto_jobs",
        local_words=local.parse,
        local_fingerprint=local.fingerprint,
        passwords=settings.pdf_passwords,
    )


def _imported_parser(settings: Settings) -> ImportedReductoParser:
    if settings.reducto_results is None:
        raise UnknownReaderError(
            "the parser 'reducto-import' needs CITATION_PIPELINE_REDUCTO_RESULTS: set it to the folder "
            "of the .reducto.json files"
        )
    local = _local_parser(settings)
    return ImportedReductoParser(
        settings.reducto_results, local_words=local.parse, local_fingerprint=local.fingerprint
    )


def _claude_extractor(settings: Settings) -> ClaudeExtractor:
    claude = ClaudeSettings()
    if settings.anthropic_url:
        claude = replace(claude, base_url=settings.anthropic_url)
    if settings.model:
        claude = replace(claude, model=settings.model)
    if settings.night.batches_allowed:
        claude = replace(claude, batches_allowed=True)
    return ClaudeExtractor(
        claude,
        archive=ReplyArchive(settings.work_dir / "replies"),
        api_key=settings.anthropic_key,
        ledger=append_to(settings.ledger_dir),
    )
