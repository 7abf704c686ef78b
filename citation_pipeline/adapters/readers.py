"""Who reads documents: the parsers' port, and parsers and extractors by name, built when first asked for.

A claim names its parser and extractor; a run builds only what its claims name, so a re-match builds none.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from citation_pipeline.core.documents.parsed import ParsedDocument, SourceDocument
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


class PaidReaderError(PipelineError):
    """A paid provider's client that a run asked for although it may call nobody."""


class Readers(Generic[Reader]):
    """Parsers or extractors by name; `paid` are those whose clients call somebody for money."""

    def __init__(
        self,
        kind: str,
        factories: Mapping[str, Callable[[], Reader]],
        *,
        paid: Collection[str] = (),
        paid_allowed: bool = True,
    ) -> None:
        self._kind, self._factories = kind, factories
        self._paid, self._paid_allowed = frozenset(paid), paid_allowed
        self._built: dict[str, Reader] = {}

    @property
    def names(self) -> list[str]:
        """Every name that can be asked for."""
        return sorted(self._factories)

    def without_paid(self) -> "Readers[Reader]":
        """Return the same readers, of which none that costs money can be had: for a re-match."""
        return Readers(self._kind, self._factories, paid=self._paid, paid_allowed=False)

    def get(self, name: str) -> Reader:
        """Return the reader of that name, built on first use; raises UnknownReaderError, PaidReaderError."""
        if name not in self._factories:
            known = ", ".join(sorted(self._factories))
            raise UnknownReaderError(f"there is no {self._kind} {name!r}: choose one of {known}")
        if name in self._paid and not self._paid_allowed:
            raise PaidReaderError(
                f"a re-match makes no external call, but this run uses the {self._kind} {name!r}: run the "
                "claim with process_claims instead"
            )
        if name not in self._built:
            self._built[name] = self._factories[name]()
        return self._built[name]

    def close(self) -> None:
        """End the worker processes and connections of every reader that was built; they open again on use."""
        for reader in self._built.values():
            close = getattr(reader, "close", None)
            if close is not None:
                close()
