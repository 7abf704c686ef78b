"""The port of extractors: who is asked for values, at what price, and what comes back.

A class that is named by an entry point of the group `citation_pipeline.extractors` is found by
`--extractor NAME` (`adapters/installed_readers.py`; docs/how-to/own-provider.md walks through one).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from citation_pipeline.core.answers.replies import StoredReply
from citation_pipeline.core.claims import Claim
from citation_pipeline.core.documents.parsed import ParsedDocument
from citation_pipeline.core.extraction import Extraction
from citation_pipeline.core.failures import PipelineError
from citation_pipeline.core.planning.nights import PredictedCost
from citation_pipeline.core.planning.workloads import Workload
from citation_pipeline.core.prompts.sources import SourceText
from citation_pipeline.core.schemas import Schema


class Extractor(Protocol):
    """Someone who reads a claim's documents and answers a schema.

    `ask` returns the replies byte for byte and may cost money; `read` turns stored replies into fields and
    never calls anyone. `fingerprint` changes with anything that may change a reply. The four attributes are
    read from the class, before anything is built: an extractor with `is_paid` is never built in a re-match.
    """

    name: str
    is_paid: bool
    """Whether `ask` calls somebody: for money, or on a machine that must be asked for it."""
    pool: str
    """Whose limit of runs at once it shares; "" where it has none of its own."""
    sends: str
    """What leaves this machine and to whom, as a sentence's end; "" where nothing does."""

    def fingerprint(self, claim: Claim, schema: Schema) -> str:
        """Return what identifies this extractor's behaviour on this claim."""
        ...

    def price(self, work: Workload, schema: Schema | None) -> PredictedCost:
        """Return what asking is likely to take; needs no key and makes no external call.

        Only asked of a paid one. `schema` is None where it follows from documents that nobody has parsed yet.
        """
        ...

    def ask(self, claim: Claim, documents: Sequence[ParsedDocument], schema: Schema) -> list[StoredReply]:
        """Return the replies; raises a PipelineError."""
        ...

    def read(
        self, replies: Sequence[StoredReply], documents: Sequence[ParsedDocument], schema: Schema
    ) -> Extraction:
        """Return the validated fields, and an issue for everything that could not be taken."""
        ...


@dataclass(frozen=True, slots=True)
class WrittenForm:
    """How an answer in words is asked for: instructions, the JSON Schema of the reply, its most tokens."""

    instructions: str
    reply_schema: Mapping[str, Any]
    answer_tokens: int


class UnwrittenAnswerError(PipelineError):
    """An answer that did not come whole, or not in the agreed form; the question can be asked again."""


class WritingExtractor(Protocol):
    """An extractor whose class says `writes_answers`: its provider also answers questions in the viewer.

    What it writes is checked by the caller: a sentence counts with the snippets that our matcher finds.
    """

    name: str

    @property
    def model(self) -> str:
        """The model that is asked."""
        ...

    def write(self, question: str, sources: Sequence[SourceText], form: WrittenForm, *, claim_id: str) -> str:
        """Return the reply's text, JSON of the form's schema; raises a PipelineError."""
        ...


@dataclass(frozen=True, slots=True)
class CollectedBatch:
    """A batch that ended: claims with a reply to each request, and claims with requests to ask again."""

    batch_id: str
    complete_claims: tuple[str, ...]
    incomplete_claims: tuple[str, ...]
    outcomes: Mapping[str, int]


class SubmittedBatches(Protocol):
    """What a provider answers within a day, at a lower price: submitted by one run, collected by another."""

    def submit(
        self, claims: Sequence[tuple[Claim, Sequence[ParsedDocument]]], schema: Schema
    ) -> Sequence[Any]:
        """Submit what these claims would ask first and nobody has answered yet; raises a PipelineError."""
        ...

    def collect(self) -> Sequence[CollectedBatch]:
        """Collect the batches that have ended, and leave the others; raises a PipelineError."""
        ...


class BatchingExtractor(Protocol):
    """An extractor whose class says `has_batches`."""

    def batches(self) -> SubmittedBatches:
        """Return its batches."""
        ...
