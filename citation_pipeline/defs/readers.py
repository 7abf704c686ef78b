"""The parsers and extractors of a deployment, by name; each is built when a claim first names it."""

from citation_pipeline.adapters.claim_settings import ReaderNames
from citation_pipeline.adapters.extractors.port import Extractor
from citation_pipeline.adapters.installed_readers import EXTRACTORS, PARSERS, InstalledReaders
from citation_pipeline.adapters.readers import DocumentParser, Readers
from citation_pipeline.defs.settings import Settings


def parsers(settings: Settings) -> Readers[DocumentParser]:
    """Return the parsers by name."""
    return Readers("parser", InstalledReaders(PARSERS, settings.readers))


def extractors(settings: Settings) -> Readers[Extractor]:
    """Return the extractors by name."""
    return Readers("extractor", InstalledReaders(EXTRACTORS, settings.readers))


def reader_names(settings: Settings) -> ReaderNames:
    """Return which parsers and extractors a claim may name."""
    return ReaderNames(parsers(settings).names, extractors(settings).names)
