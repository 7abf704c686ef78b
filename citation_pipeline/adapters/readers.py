"""Who reads documents: the parsers' port, and parsers and extractors by name, built when first asked for.

A claim names its parser and extractor; a run builds only what its claims name, so a re-match builds none.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from citation_pipeline.core.documents import ParsedDocument, SourceDocument
from citation_pipeline.core.failures import PipelineError

Reader = TypeVar("Reader")

OnParsed = Callable[[ParsedDocument, bool], None]
"""Called with each document as it is parsed, and whether its parse came from the cache."""


class DocumentParser(Protocol):
    """Someone who turns files into words with boxes; a file that cannot be read comes back as a row too."""

    name: str

    @property
    def fingerprint(self) -> str:
        """What identifies the output: version, engine versions and every option that changes a word."""
        ...

    def parse_many(
        self,
        sources: Sequence[tuple[SourceDocument, Path]],
        *,
        on_parsed: OnParsed | None = None,
        claim_id: str = "",
    ) -> list[ParsedDocument]:
        """Return one parsed document per source, in the order given; raises a PipelineError."""
        ...


class UnknownReaderError(PipelineError):
    """A parser or extractor that nobody configured."""


class Readers(Generic[Reader]):
    """Parsers or extractors by name."""

    def __init__(self, kind: str, factories: Mapping[str, Callable[[], Reader]]) -> None:
        self._kind, self._factories = kind, factories
        self._built: dict[str, Reader] = {}

    def get(self, name: str) -> Reader:
        """Return the reader of that name, built on first use; raises UnknownReaderError."""
        if name not in self._factories:
            known = ", ".join(sorted(self._factories))
            raise UnknownReaderError(f"there is no {self._kind} {name!r}: choose one of {known}")
        if name not in self._built:
            self._built[name] = self._factories[name]()
        return self._built[name]
