"""The port of extractors: who is asked for values, and what comes back."""

from collections.abc import Sequence
from typing import Protocol

from citation_pipeline.core.answers.replies import StoredReply
from citation_pipeline.core.claims import Claim
from citation_pipeline.core.documents.parsed import ParsedDocument
from citation_pipeline.core.extraction import Extraction
from citation_pipeline.core.schemas import Schema


class Extractor(Protocol):
    """Someone who reads a claim's documents and answers a schema.

    `ask` returns the replies byte for byte and may cost money; `read` turns stored replies into fields and
    never calls anyone. `fingerprint` changes with anything that may change a reply.
    """

    name: str
    is_paid: bool

    def fingerprint(self, claim: Claim, schema: Schema) -> str:
        """Return what identifies this extractor's behaviour on this claim."""
        ...

    def ask(self, claim: Claim, documents: Sequence[ParsedDocument], schema: Schema) -> list[StoredReply]:
        """Return the replies; raises a PipelineError."""
        ...

    def read(
        self, replies: Sequence[StoredReply], documents: Sequence[ParsedDocument], schema: Schema
    ) -> Extraction:
        """Return the validated fields, and an issue for everything that could not be taken."""
        ...
