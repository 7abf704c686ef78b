"""Candidates of fields with the places they were read at: resolved as any snippets are, kept apart."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from citation_pipeline.core.citations import Citation
from citation_pipeline.core.documents.parsed import ParsedDocument
from citation_pipeline.core.extraction import ExtractedField, ValueCandidate
from citation_pipeline.core.resolution.claims import resolve_claim
from citation_pipeline.core.schemas import Schema


@dataclass(frozen=True, slots=True)
class PlacedCandidate:
    """A candidate with the citations of its snippets."""

    candidate: ValueCandidate
    citations: Sequence[Citation]


def place_candidates(
    documents: Sequence[ParsedDocument], fields: Iterable[ExtractedField], *, schema: Schema
) -> Mapping[str, Sequence[PlacedCandidate]]:
    """Return the candidates of every field that has some, by field key."""
    standing = [
        (
            field,
            candidate,
            ExtractedField(field.field_key, candidate.value, field.value_type, candidate.snippets),
        )
        for field in fields
        for candidate in field.candidates
    ]
    placed: dict[str, list[PlacedCandidate]] = {}
    if standing:
        citations = resolve_claim(documents, [alone for _, _, alone in standing], schema=schema)
        for field, candidate, _ in standing:
            own, citations = citations[: len(candidate.snippets)], citations[len(candidate.snippets) :]
            placed.setdefault(field.field_key, []).append(PlacedCandidate(candidate, tuple(own)))
    return placed
