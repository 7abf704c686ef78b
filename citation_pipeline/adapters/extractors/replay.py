"""The replay extractor: a recorded answer beside the documents is the reply."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from citation_pipeline.adapters.claim_folders import RECORDED_ANSWER
from citation_pipeline.adapters.reader_settings import ReaderSettings
from citation_pipeline.core.answers.coverage import read_whole
from citation_pipeline.core.answers.reading import read_answer
from citation_pipeline.core.answers.replies import StoredReply
from citation_pipeline.core.claims import Claim
from citation_pipeline.core.documents.parsed import ParsedDocument
from citation_pipeline.core.extraction import Extraction
from citation_pipeline.core.failures import PipelineError
from citation_pipeline.core.planning.nights import PredictedCost
from citation_pipeline.core.planning.workloads import Workload
from citation_pipeline.core.schemas import Schema


class ReplayError(PipelineError):
    """A recorded answer that is missing."""


class ReplayExtractor:
    """Answers with the folder's `extraction_raw.json`."""

    name = "replay"
    is_paid = False
    pool = ""
    sends = ""
    answers_whole = True  # one reply to the whole claim, whose keys are those of the composed schema

    @classmethod
    def build(cls, settings: ReaderSettings) -> "ReplayExtractor":
        """Return the extractor; it takes no settings."""
        return cls()

    def fingerprint(self, claim: Claim, schema: Schema) -> str:
        """Return the recorded answer's fingerprint; a missing one gives "missing"."""
        try:
            return f"replay-{hashlib.sha256(_path(claim).read_bytes()).hexdigest()[:16]}"
        except FileNotFoundError:
            return "replay-missing"

    def price(self, work: Workload, schema: Schema | None) -> PredictedCost:
        """Return nothing: the answer lies beside the documents."""
        return PredictedCost()

    def ask(self, claim: Claim, documents: Sequence[ParsedDocument], schema: Schema) -> list[StoredReply]:
        """Return the recorded answer as the one reply; raises ReplayError."""
        try:
            body = _path(claim).read_bytes()
        except FileNotFoundError as error:
            raise ReplayError(
                f"{claim.claim_id}: replay needs {RECORDED_ANSWER} in the claim's folder: "
                "put it there or choose another extractor"
            ) from error
        fingerprint = hashlib.sha256(body).hexdigest()[:16]
        return [StoredReply(request_fingerprint=fingerprint, provider="replay", model="replay", body=body)]

    def read(
        self, replies: Sequence[StoredReply], documents: Sequence[ParsedDocument], schema: Schema
    ) -> Extraction:
        """Read the recorded answer; it stands for the documents that it says it read, else for all."""
        text = replies[0].body.decode("utf-8", errors="replace")
        extraction = read_answer(text, schema, [document.source.source_id for document in documents])
        named = _documents_read(text)
        shown = [d for d in documents if named is None or d.source.source_id in named]
        return replace(extraction, pages_read=read_whole(shown, extraction, tuple(schema.by_key)))


def _path(claim: Claim) -> Path:
    return Path(claim.folder) / RECORDED_ANSWER


def _documents_read(text: str) -> frozenset[str] | None:
    """Return the source ids under `documents_read`; None where the answer does not say what it read."""
    try:
        answer = json.loads(text)
    except ValueError:
        return None
    named = answer.get("documents_read") if isinstance(answer, dict) else None
    return frozenset(map(str, named)) if isinstance(named, list) else None
