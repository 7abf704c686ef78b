"""Tuning a prompt on what people signed: proposed, measured on claims held back, applied by a person.

A proposal is a file beside the one that is in force; nothing reads it until it is applied. What it takes the
place of is kept, so that it can be taken back.
"""

import json
import shutil
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from citation_pipeline.adapters.claim_originals import bring_files
from citation_pipeline.adapters.conversation.choices import prompts_dir
from citation_pipeline.adapters.conversation.guide_files import VARIABLE, read_tuned, tuned_path, write_tuned
from citation_pipeline.adapters.extractors.by_document import ask_by_document, read_and_check
from citation_pipeline.adapters.provider_pauses import respecting_pause
from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.adapters.tables.document_rows import read_documents
from citation_pipeline.adapters.tables.store_errors import StoreError
from citation_pipeline.adapters.verifications.store import read_reviews
from citation_pipeline.adapters.whole_files import PRIVATE, write_whole
from citation_pipeline.core.documents.kinds import classify, shipped_kinds
from citation_pipeline.core.documents.parsed import DocumentStatus, ParsedDocument
from citation_pipeline.core.evaluation.evaluation import evaluate
from citation_pipeline.core.evaluation.verified_baseline import Outcome, outcomes_of
from citation_pipeline.core.evaluation.verified_truth import truth_of_reviews
from citation_pipeline.core.failures import PipelineError
from citation_pipeline.core.planning.nights import PredictedCost
from citation_pipeline.core.planning.workloads import Workload
from citation_pipeline.core.prompts.guides import Guide
from citation_pipeline.core.resolution.claims import resolve_claim
from citation_pipeline.core.review.verifications import ReviewState
from citation_pipeline.core.schemas import Schema
from citation_pipeline.core.tuning.examples import VerifiedField, hold_out, propose
from citation_pipeline.defs.readers import extractors
from citation_pipeline.defs.runs.verified_evaluations import reviewed_claims
from citation_pipeline.defs.settings import Settings

_SIGNED = (ReviewState.CONFIRMED, ReviewState.CORRECTED)


class TuningError(PipelineError):
    """What cannot be tuned, applied or taken back; says why and what to do."""


@dataclass(frozen=True, slots=True)
class Measured:
    """Held-out claims read without and with a proposal: verified fields right each time, and what changed.

    Figures and field keys alone. `mended` and `broken` are (claim, field) pairs.
    """

    schema: str
    extractor: str
    claims: Sequence[str]
    fields: int
    right_before: int
    right_after: int
    examples: int
    hints: int
    dollars: float = 0.0
    mended: Sequence[Sequence[str]] = field(default_factory=tuple)
    broken: Sequence[Sequence[str]] = field(default_factory=tuple)

    @property
    def is_better(self) -> bool:
        """Tell whether more is right with the proposal than without."""
        return self.right_after > self.right_before


class Tuning:
    """One schema's tuning in one store."""

    def __init__(self, schema: Schema, located: str, *, store: ClaimStore, settings: Settings) -> None:
        self._schema, self._located = schema, located
        self._store, self._settings = store, settings
        folder = prompts_dir(settings.readers)
        self._own = folder / f"{schema.name}.toml"
        self._tuned = tuned_path(folder, schema.name)
        self._before = tuned_path(folder / "before", schema.name)
        self._proposed = folder / "proposed"

    def propose(self, *, share: float, per_field: int) -> tuple[Guide, list[str]]:
        """Write a proposal made of all but the held-out claims; returns it and those claims."""
        claims = self._reviewed()
        if len(claims) < 2:
            raise TuningError(
                f"{self._schema.name}: {len(claims)} claim(s) with verified fields; examples are measured on "
                "claims that they are not from: verify fields of two claims or more"
            )
        chosen, held = hold_out(sorted(claims), share=share)
        guide = propose([one for name in chosen for one in claims[name]], per_field=per_field)
        if not guide.examples and not guide.hints:
            raise TuningError(
                f"{self._schema.name}: no verified field outside the held-out claims has a place with its "
                "words: confirm or correct fields at their places"
            )
        write_tuned(tuned_path(self._proposed, self._schema.name), guide)
        self._measured_path.unlink(missing_ok=True)
        if self._own.is_file():
            shutil.copyfile(self._own, self._proposed / self._own.name)
        return guide, held

    def price(self, held: Sequence[str], extractor: str) -> PredictedCost:
        """Return what measuring may cost at most, before anybody is asked."""
        found = PredictedCost()
        for settings in self._sides():
            readers = extractors(settings)
            if readers.is_paid(extractor):
                reader = readers.get(extractor)
                for name in held:
                    read = self._documents(name)
                    work = Workload(len(read), sum(len(one.pages) for one in read), read)
                    found += reader.price(work, self._schema)
            readers.close()
        return found

    def measure(self, guide: Guide, held: Sequence[str], extractor: str) -> Measured:
        """Read the held-out claims without and with the proposal, and keep how both went."""
        (before, _), (after, dollars) = (self._outcomes(side, held, extractor) for side in self._sides())
        keys = [(claim, key) for claim, found in after.items() for key in found]
        was = {pair: before.get(pair[0], {}).get(pair[1]) is Outcome.RIGHT for pair in keys}
        now = {pair: after[pair[0]][pair[1]] is Outcome.RIGHT for pair in keys}
        measured = Measured(
            schema=self._schema.name,
            extractor=extractor,
            claims=tuple(held),
            fields=len(keys),
            right_before=sum(was.values()),
            right_after=sum(now.values()),
            examples=len(guide.examples),
            hints=len(guide.hints),
            dollars=round(dollars, 6),
            mended=tuple(pair for pair in keys if now[pair] and not was[pair]),
            broken=tuple(pair for pair in keys if was[pair] and not now[pair]),
        )
        write_whole(self._measured_path, json.dumps(asdict(measured)).encode(), mode=PRIVATE)
        return measured

    def apply(self, *, anyway: bool = False) -> Guide:
        """Put the proposal in force; raises TuningError for one that was not measured to be better."""
        proposal = tuned_path(self._proposed, self._schema.name)
        if not proposal.is_file():
            raise TuningError(
                f"{self._schema.name}: there is no proposal: run citation-pipeline tune {self._schema.name}"
            )
        guide = read_tuned(proposal)
        try:
            said = json.loads(self._measured_path.read_text(encoding="utf-8"))
            better = said["right_after"] > said["right_before"]
        except (OSError, ValueError, KeyError):
            better = False
        if not better and not anyway:
            raise TuningError(
                f"{self._schema.name}: the proposal was not measured to be better on the held-out claims: "
                "tune again, or apply it with --anyway"
            )
        # what is taken back by `undo` is what was in force before, be it nothing
        write_tuned(self._before, read_tuned(self._tuned) if self._tuned.is_file() else Guide())
        write_tuned(self._tuned, guide)
        proposal.unlink()
        self._measured_path.unlink(missing_ok=True)
        return guide

    def undo(self) -> Guide:
        """Put back what was in force before the last `apply`; raises TuningError where nothing was."""
        if not self._before.is_file():
            raise TuningError(f"{self._schema.name}: nothing was applied that could be taken back")
        guide = read_tuned(self._before)
        if guide.fingerprint:
            write_tuned(self._tuned, guide)
        else:
            self._tuned.unlink(missing_ok=True)
        self._before.unlink()
        return guide

    @property
    def _measured_path(self) -> Path:
        return self._proposed / f"{self._schema.name}.measured.json"

    def _sides(self) -> list[Settings]:
        """Return the settings as they are, and with the proposal in the place of what is in force."""
        variables = {**self._settings.variables, VARIABLE: str(self._proposed)}
        return [self._settings, replace(self._settings, variables=variables)]

    def _documents(self, claim_id: str) -> list[ParsedDocument]:
        found = read_documents(self._store, claim_id)
        return [one for one in found if one.status is DocumentStatus.PARSED]

    def _outcomes(
        self, settings: Settings, held: Sequence[str], extractor: str
    ) -> tuple[dict[str, dict[str, Outcome]], float]:
        evaluations, absent, dollars = [], {}, 0.0
        readers = extractors(settings)
        try:
            reader = readers.get(extractor)
            for name in held:
                claim = replace(self._store.claim(name), extractor=extractor)
                documents = self._documents(name)
                shas = {one.source.source_id: one.source.sha256 for one in documents}
                reviews = read_reviews(self._settings.verifications_url, name)
                truth = truth_of_reviews(name, self._schema, reviews, shas=shas)
                if getattr(reader, "needs_files", False):
                    bring_files(self._store, claim)
                with respecting_pause(settings.coordination, extractor):
                    replies = ask_by_document(reader, claim, documents, self._schema)
                _, read = read_and_check(reader, replies, documents, self._schema)
                citations = resolve_claim(documents, read.fields, schema=self._schema)
                evaluations.append(evaluate(truth, read.fields, citations, documents))
                absent[name] = list(truth["absent_fields"])
                dollars += sum(reply.cost_usd for reply in replies)
        finally:
            readers.close()
        return outcomes_of(evaluations, absent), dollars

    def _reviewed(self) -> dict[str, list[VerifiedField]]:
        """Return the verified fields of the claims that this schema reads, by claim."""
        found: dict[str, list[VerifiedField]] = {}
        for name in reviewed_claims(self._settings):
            try:
                if self._store.claim(name).schema != self._located:
                    continue
                fields = self._verified(name)
            except StoreError:
                continue  # reviewed once, and not in this store any more
            if fields:
                found[name] = fields
        return found

    def _verified(self, claim_id: str) -> list[VerifiedField]:
        documents = {one.source.source_id: one for one in self._documents(claim_id)}
        fields = []
        for key, review in read_reviews(self._settings.verifications_url, claim_id).items():
            target = self._schema.by_key.get(key)
            place = next((one for _, one in sorted(review.places.items())), None)
            if target is None or place is None or review.state not in _SIGNED or review.awaits_second:
                continue
            document = documents.get(place.source_id)
            if document is None or document.source.sha256 != place.sha256 or review.value is None:
                continue  # signed of a document that has been exchanged since
            fields.append(
                VerifiedField(
                    claim_id=claim_id,
                    field_key=key,
                    value_type=target.value_type,
                    value=review.value,
                    snippet=place.text,
                    kind=classify(document, shipped_kinds()).kind,
                    sha256=place.sha256,
                    corrected=review.state is ReviewState.CORRECTED,
                )
            )
        return fields
