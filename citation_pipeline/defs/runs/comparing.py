"""Several extractors asked for the same claim, and their answers laid beside each other.

Nothing of it becomes the claim's: no table is written. Replies are archived as in a run, so a later run with
one of these extractors pays for none of them again, and a comparison pays for nothing that a run has paid.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from time import monotonic
from typing import Any

from citation_pipeline.adapters.claim_folders import describe_documents, file_of
from citation_pipeline.adapters.claim_originals import bring_files
from citation_pipeline.adapters.extractors.by_document import ask_by_document, read_and_check
from citation_pipeline.adapters.extractors.port import Extractor
from citation_pipeline.adapters.provider_pauses import respecting_pause
from citation_pipeline.adapters.readers import DocumentParser, ReaderError, Readers
from citation_pipeline.adapters.schema_files import AUTO, load_schema, pick_schema
from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.adapters.tables.document_rows import read_documents
from citation_pipeline.adapters.tables.store_errors import StoreError
from citation_pipeline.core.answers.replies import StoredReply
from citation_pipeline.core.claims import Claim
from citation_pipeline.core.comparison.comparing import compare_sides
from citation_pipeline.core.comparison.sides import ClaimComparison, Side, Usage
from citation_pipeline.core.documents.parsed import DocumentStatus, ParsedDocument
from citation_pipeline.core.evaluation.evaluation import evaluate
from citation_pipeline.core.extraction import READ, Extraction
from citation_pipeline.core.failures import describe_failure
from citation_pipeline.core.planning.nights import PredictedCost
from citation_pipeline.core.planning.workloads import Workload
from citation_pipeline.core.resolution.claims import resolve_claim
from citation_pipeline.core.resolution.field_confidence import confidences_of
from citation_pipeline.core.schemas import Schema
from citation_pipeline.defs.readers import extractors
from citation_pipeline.defs.settings import Settings

MODEL = "CITATION_PIPELINE_MODEL"
_SEPARATOR = ":"

Truth = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Contender:
    """An extractor under the name that was asked for: `claude`, or `claude:MODEL` for one of its models."""

    label: str
    name: str
    model: str = ""


def contenders_of(labels: Sequence[str], names: Sequence[str]) -> list[Contender]:
    """Return what is compared; raises ReaderError for fewer than two, one twice, or an unknown name."""
    found = []
    for label in labels:
        name, _, model = label.partition(_SEPARATOR)
        if name not in names:
            raise ReaderError(f"there is no extractor {name[:60]!r}: choose of {', '.join(names)}")
        found.append(Contender(label, name, model))
    if len(found) < 2 or len({one.label for one in found}) < len(found):
        raise ReaderError("a comparison needs two or more different extractors: --extractors rules,claude")
    return found


class Comparing:
    """The extractors of a comparison, each built once, over one store."""

    def __init__(
        self,
        contenders: Sequence[Contender],
        *,
        store: ClaimStore,
        settings: Settings,
        parsers: Readers[DocumentParser],
        readers: Callable[[Settings], Readers[Extractor]] = extractors,
    ) -> None:
        self._store, self._settings, self._parsers = store, settings, parsers
        self._contenders = contenders
        self._readers = {one.label: readers(_with_model(settings, one.model)) for one in contenders}

    def close(self) -> None:
        """End what was built."""
        for readers in self._readers.values():
            readers.close()

    def extractor(self, contender: Contender) -> Extractor:
        """Return the extractor of a contender; raises ReaderError where it does not ask the wanted model."""
        found = self._readers[contender.label].get(contender.name)
        if contender.model and getattr(found, "model", None) != contender.model:
            raise ReaderError(
                f"the extractor {contender.name!r} takes no model by {MODEL}: leave "
                f"{_SEPARATOR}{contender.model} out"
            )
        return found

    def documents_of(self, claim: Claim) -> list[ParsedDocument]:
        """Return a claim's documents: of the store, or parsed now; raises a PipelineError."""
        with suppress(StoreError):
            return read_documents(self._store, claim.claim_id)
        bring_files(self._store, claim)
        found = [one for one in describe_documents(claim) if one.duplicate_of is None]
        parser = self._parsers.get(claim.parser)
        files = [(source, file_of(claim, source)) for source in found]
        return parser.parse_many(files, claim_id=claim.claim_id)

    def price(self, documents: Sequence[ParsedDocument], schema: Schema) -> PredictedCost:
        """Return what all paid contenders are likely to cost for these documents, before any is asked."""
        read = [document for document in documents if _is_read(document)]
        work = Workload(len(read), sum(len(one.pages) for one in read), read)
        prices = [
            extractor.price(work, schema)
            for contender in self._contenders
            if self._readers[contender.label].is_paid(contender.name)
            for extractor in [self.extractor(contender)]
        ]
        return sum(prices, PredictedCost())

    def compare(
        self,
        claim: Claim,
        documents: Sequence[ParsedDocument],
        schema: Schema,
        *,
        truth: Truth | None = None,
    ) -> ClaimComparison:
        """Ask every contender and lay the answers side by side; one that fails says why."""
        sides = [self._ask(one, claim, documents, schema, truth) for one in self._contenders]
        return compare_sides(claim.claim_id, sides, schema=schema, documents=documents, truth=truth)

    def _ask(
        self,
        contender: Contender,
        claim: Claim,
        documents: Sequence[ParsedDocument],
        schema: Schema,
        truth: Truth | None,
    ) -> Side:
        asked = replace(claim, extractor=contender.name)
        began, since = monotonic(), datetime.now(UTC).isoformat()
        try:
            extractor = self.extractor(contender)
            read = [document for document in documents if _is_read(document)]
            if getattr(extractor, "needs_files", False):
                bring_files(self._store, claim)
            with respecting_pause(self._settings.coordination, extractor.name):
                replies = ask_by_document(extractor, asked, read, schema)
            _, extraction = read_and_check(extractor, replies, read, schema)
        except Exception as error:  # noqa: BLE001 - one extractor's failure is a finding, not the end
            return Side(contender.label, contender.model, failure=describe_failure(error))
        citations = resolve_claim(documents, extraction.fields, schema=schema)
        sure = {key: one.confidence for key, one in confidences_of(extraction.fields, citations).items()}
        return Side(
            extractor=contender.label,
            model=", ".join(sorted({reply.model for reply in replies})),
            extraction=extraction,
            citations=citations,
            confidences=sure,
            unread=_unread(extraction),
            usage=_usage(replies, since=since, seconds=monotonic() - began),
            evaluation=evaluate(truth, extraction.fields, citations, documents) if truth else None,
        )


def schema_for(claim: Claim, documents: Sequence[ParsedDocument]) -> Schema:
    """Return the schema that a claim is compared by; raises SchemaError."""
    return pick_schema(documents)[0] if claim.schema == AUTO else load_schema(claim.schema)


def _with_model(settings: Settings, model: str) -> Settings:
    if not model:
        return settings
    return replace(settings, variables={**settings.variables, MODEL: model})


def _is_read(document: ParsedDocument) -> bool:
    return document.status is DocumentStatus.PARSED


def _unread(extraction: Extraction) -> dict[str, int]:
    """Return how many pages were left unread for some field, by why."""
    pages = {
        (one.source_id, page, one.outcome)
        for one in extraction.pages_read
        if one.outcome != READ
        for page in range(one.first_page, one.last_page + 1)
    }
    return dict(sorted(Counter(outcome for _, _, outcome in pages).items()))


def _usage(replies: Sequence[StoredReply], *, since: str, seconds: float) -> Usage:
    """Return what the replies took; `seconds` is the time of an extractor that waits for nobody."""
    asked = [reply for reply in replies if reply.asked_at]
    return Usage(
        calls=len(asked),
        input_tokens=sum(reply.input_tokens for reply in replies),
        output_tokens=sum(reply.output_tokens for reply in replies),
        dollars=round(sum(reply.cost_usd for reply in replies), 6),
        seconds=round(sum(reply.latency_s for reply in asked) if asked else seconds, 3),
        paid_now=round(sum(reply.cost_usd for reply in asked if reply.asked_at >= since), 6),
    )
