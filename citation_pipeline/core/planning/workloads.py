"""How much there is to read of a claim: what a parser or an extractor tells its price from."""

from collections.abc import Sequence
from dataclasses import dataclass

from citation_pipeline.core.documents.parsed import ParsedDocument


@dataclass(frozen=True, slots=True)
class Workload:
    """Files and pages, and the documents themselves once they are parsed (None: not yet).

    Pages are counted where the claim was parsed, else estimated by the files' sizes.
    """

    files: int = 0
    pages: int = 0
    documents: Sequence[ParsedDocument] | None = None
