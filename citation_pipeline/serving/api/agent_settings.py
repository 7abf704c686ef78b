"""What a deployment can choose about search, questions, uploads and extraction on request.

Values and callables only: who serves decides what may run, so that serving itself needs no pipeline.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from citation_pipeline.adapters.claim_settings import ReaderNames
from citation_pipeline.adapters.read_model.grounded_answers import Answerer
from citation_pipeline.adapters.read_model.published_confidence import ConfidenceRules
from citation_pipeline.adapters.search_index.embeddings import EmbeddingProvider
from citation_pipeline.core.retrieval.thresholds import EVIDENCE_THRESHOLD


@dataclass(frozen=True, slots=True)
class ExtractOutcome:
    """How a requested extraction ended; `ran` names the stages that ran, none when all was current."""

    claim_id: str
    ok: bool
    ran: tuple[str, ...] = ()
    error: str = ""


Extract = Callable[..., ExtractOutcome]
"""Runs one claim (its id, and whether stages that are current run again) and waits for the end.

With `schema`, `parser` or `extractor` by name, the claim is read by these from now on; with `documents` by
source id these are parsed again, alone, and then what depends on them.
"""


DecideHeld = Callable[..., None]
"""Carries out a decision on a claim's held set: its id, "accept" or "refuse", `by` and `why`."""


class ErasedClaim(Protocol):
    """How an erasure ended; `remains` names what still holds something of the claim."""

    @property
    def is_complete(self) -> bool: ...
    @property
    def files(self) -> int: ...
    @property
    def remains(self) -> Sequence[str]: ...


Erase = Callable[..., ErasedClaim]
"""Erases a claim: its id, `by` and `why`."""


@dataclass(frozen=True, slots=True)
class AgentSettings:
    """How agents are served.

    `inbox` is the folder that the intake watches (default `<store>/inbox`): uploads become
    `<inbox>/<claim_id>/documents/<name>`. `reader_names` are the parsers and extractors that a request may
    name. Without `extract` an extraction cannot be asked for, without `decide_held` held sets are only
    compared, without `erase` nothing is erased on request, without `answerer` questions are answered
    extractively. `public_url` is put before links, such as `https://claims.example`. `index_path` moves the
    search index away from the store. An extractive answer below `min_similarity` is refused.
    `confidence_rules` are of the published confidence.
    """

    inbox: str | None = None
    upload_bytes: int = 64_000_000  # a scanned file of 300 pages takes some 40 MB
    uploads_at_once: int = 50
    extract: Extract | None = None
    reader_names: ReaderNames = ReaderNames()
    decide_held: DecideHeld | None = None
    erase: Erase | None = None
    answerer: Answerer | None = None
    embeddings: EmbeddingProvider | None = None
    index_path: str | None = None
    public_url: str = ""
    schemas: tuple[str, ...] = ("workers_comp",)
    min_similarity: float = EVIDENCE_THRESHOLD
    confidence_rules: ConfidenceRules = ConfidenceRules()
    asks_per_second: float = 2.0  # a question costs some 50 ms of one core, or a model's price
    ask_burst: int = 20

    def inbox_of(self, store: str) -> Path:
        """Return the folder that uploads go to."""
        return Path(self.inbox) if self.inbox else Path(store) / "inbox"
