"""Who reads documents: the parsers' port, and parsers and extractors by name, built when first asked for.

A claim names its parser and extractor; a run builds only what its claims name, so a re-match builds none.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from citation_pipeline.core.documents.parsed import ParsedDocument, SourceDocument
from citation_pipeline.core.failures import PipelineError
from citation_pipeline.core.planning.nights import PredictedCost
from citation_pipeline.core.planning.workloads import Workload

Reader = TypeVar("Reader")

OnParsed = Callable[[ParsedDocument, bool], None]
"""Called with each document as it is parsed, and whether its parse came from the cache."""


class DocumentParser(Protocol):
    """Someone who turns files into words with boxes; a file that cannot be read comes back as a row too.

    A class that is named by an entry point of the group `citation_pipeline.parsers` is found by
    `--parser NAME`. The attributes are read from the class, before anything is built: a parser with `is_paid`
    is never built in a re-match.
    """

    name: str
    is_paid: bool
    """Whether `parse_many` calls somebody: for money, or on a machine that must be asked for it."""
    pool: str
    """Whose limit of runs at once it shares; "" where it has none of its own."""
    sends: str
    """What leaves this machine and to whom, as a sentence's end; "" where nothing does."""

    @property
    def fingerprint(self) -> str:
        """What identifies the output: version, engine versions and every option that changes a word."""
        ...

    def price(self, work: Workload) -> PredictedCost:
        """Return what parsing is likely to take; needs no key and makes no external call (of a paid one)."""
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


class ReaderError(PipelineError):
    """A parser or extractor that cannot be used as it is installed or set up."""


class UnknownReaderError(ReaderError):
    """A parser or extractor that nobody installed or configured."""


class PaidReaderError(ReaderError):
    """A paid provider's client that a run asked for although it may call nobody."""


class Readers(Generic[Reader]):
    """Parsers or extractors by name; of those that are paid (or in `paid`), a re-match gets none."""

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

    def trait(self, name: str, attribute: str, default: Any = "") -> Any:
        """Return a class's attribute (`pool`, `sends`, …) without building it; raises UnknownReaderError."""
        return getattr(self._factory(name), attribute, default)

    def is_paid(self, name: str) -> bool:
        """Tell whether a reader calls somebody for money, without building it; raises UnknownReaderError."""
        return name in self._paid or bool(self.trait(name, "is_paid", False))

    def get(self, name: str) -> Reader:
        """Return the reader of that name, built on first use; raises a ReaderError."""
        factory = self._factory(name)
        if not self._paid_allowed and self.is_paid(name):
            raise PaidReaderError(
                f"a re-match makes no external call, but this run uses the {self._kind} {name!r}: run the "
                "claim with process_claims instead"
            )
        if name not in self._built:
            built = factory()
            if getattr(built, "is_paid", False) and not callable(getattr(built, "price", None)):
                raise ReaderError(f"the {self._kind} {name!r} is paid and tells no price: give it a `price`")
            self._built[name] = built
        return self._built[name]

    def close(self) -> None:
        """End the worker processes and connections of every reader that was built; they open again on use."""
        for reader in self._built.values():
            close = getattr(reader, "close", None)
            if close is not None:
                close()

    def _factory(self, name: str) -> Callable[[], Reader]:
        try:
            return self._factories[name]
        except KeyError:
            known = ", ".join(self.names)
            raise UnknownReaderError(f"there is no {self._kind} {name!r}: choose one of {known}") from None


def is_paid(reader: Any) -> bool:
    """Tell whether a built reader calls somebody for money; one that does not say so does not."""
    return bool(getattr(reader, "is_paid", False))
