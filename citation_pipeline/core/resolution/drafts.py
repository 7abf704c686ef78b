"""Citations put together: a judged place, its regions, offsets, value and candidates in the stored shape."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from citation_pipeline.core.boxes import Box, clamp
from citation_pipeline.core.citations import Candidate, Citation, CitationStatus, Region
from citation_pipeline.core.documents.parsed import ParsedDocument
from citation_pipeline.core.extraction import ExtractedField, Snippet
from citation_pipeline.core.matching.index import DocumentIndex
from citation_pipeline.core.resolution.confidence import CEILINGS, confidence_at
from citation_pipeline.core.resolution.pins import FOLLOWED, Pin, PinnedPlace
from citation_pipeline.core.resolution.places import JudgedPlace, PlaceSearch
from citation_pipeline.core.resolution.regions import block_regions, group_runs, regions_of
from citation_pipeline.core.resolution.value_places import ValuePlaces, find_value_words

MOST_CANDIDATES = 10
"""Candidates kept per citation; `margin` and `reason` speak for the rest."""


_BY_CHANCE = ("first", "section")  # reasons that do not tell which of several equal places is meant


@dataclass(frozen=True)
class Source:
    """One readable document with its index."""

    document: ParsedDocument
    index: DocumentIndex

    @cached_property
    def values(self) -> ValuePlaces:
        """Where typed values are in the document."""
        return ValuePlaces(self.document, self.index)

    @property
    def source_id(self) -> str:
        """The document's id within the claim."""
        return self.document.source.source_id


def citation_id_of(field_key: str, citation_index: int) -> str:
    """Return the citation's id: the same for the same position in an answer."""
    return f"{field_key}#{citation_index}"


def unresolved(
    field: ExtractedField, snippet: Snippet, *, reason: str, warnings: Sequence[str] = ()
) -> Citation:
    """Return the citation that stands for a snippet nobody could find."""
    return Citation(
        citation_id=citation_id_of(field.field_key, snippet.citation_index),
        field_key=field.field_key,
        citation_index=snippet.citation_index,
        item_path=snippet.item_path,
        cited_source_id=snippet.source_id,
        source_id=snippet.source_id,
        snippet_text=snippet.text,
        status=CitationStatus.UNRESOLVED,
        method="none",
        score=0.0,
        confidence=0.0,
        reason=reason,
        warnings=tuple(warnings),
    )


def with_words(
    citation: Citation, source: Source, words: Sequence[int], *, value: Any = None, value_type: str = "string"
) -> Citation:
    """Lay a citation on words of a source: regions, page, offsets, and the value among them."""
    return replace(citation, **_lay(source, words, value=value, value_type=value_type))


def _lay(source: Source, words: Sequence[int], *, value: Any, value_type: str) -> dict[str, Any]:
    """Return what words of a source say about a citation's place; nothing when they have no region."""
    document, columns = source.document, source.document.words
    snippet = regions_of(columns, words)
    if not snippet:
        return {}
    return {
        "source_id": source.source_id,
        "page": int(columns.page[words[0]]),
        "block": block_regions(document, words),
        "snippet": snippet,
        "value": regions_of(columns, find_value_words(source.index, words, value, value_type)),
        "text_start": int(columns.text_start[min(words)]),
        "text_end": int(columns.text_end[max(words)]),
        "word_ranges": tuple(group_runs(words)),
    }


def placed(
    citation: Citation,
    source: Source,
    search: PlaceSearch,
    *,
    value: Any,
    value_type: str,
    warnings: Sequence[str] = (),
    status: CitationStatus | None = None,
) -> Citation:
    """Turn a search's best place into a citation; a place too weak to show stays a candidate."""
    best = search.best
    if best is None:
        return citation
    judgement = best.judgement
    if search.ties > 1 and best.reason in _BY_CHANCE:
        warnings = (*warnings, "several_places")
    is_shown = judgement.status is not CitationStatus.UNRESOLVED
    laid = _lay(source, best.match.words, value=value, value_type=value_type) if is_shown else {}
    known = {best.match.words: laid["snippet"]} if laid else {}
    return replace(
        citation,
        status=status or judgement.status,
        method=best.match.method if is_shown else "none",
        score=round(judgement.score, 6),
        confidence=min(
            confidence_at(source.index, best.match, judgement), CEILINGS[status or judgement.status]
        ),
        margin=search.margin,
        equal_places=search.ties,
        reason=best.reason if judgement.status is CitationStatus.RESOLVED else judgement.reason,
        warnings=tuple(dict.fromkeys((*judgement.warnings, *warnings))),
        candidates=tuple(candidate_of(source, place, known) for place in search.places[:MOST_CANDIDATES]),
        **({"source_id": source.source_id if is_shown else citation.cited_source_id} | laid),
    )


def candidate_of(
    source: Source, place: JudgedPlace, known: Mapping[tuple[int, ...], Sequence[Region]]
) -> Candidate:
    """Return a place in its short form; `known` are regions that were drawn before, by their words."""
    columns, words = source.document.words, place.match.words
    regions = known.get(words) or regions_of(columns, words)
    return Candidate(
        source_id=source.source_id,
        page=int(columns.page[words[0]]),
        word_ranges=tuple(group_runs(words)),
        score=round(place.judgement.score, 6),
        reason=place.reason,
        boxes=tuple(box for region in regions if region.page == regions[0].page for box in region.boxes),
    )


def pinned(
    citation: Citation, pin: Pin, place: PinnedPlace, source: Source | None, *, value: Any, value_type: str
) -> Citation:
    """Override a citation with a person's place; what the matcher says otherwise stays visible."""
    agrees = bool(place.words) and _covers(citation, place)
    warnings = list(place.warnings)
    if citation.status is CitationStatus.RESOLVED and not agrees and place.words:
        warnings.append("verification_disagrees")
    drafted = replace(
        citation,
        source_id=place.source_id,
        status=CitationStatus.FLAGGED if place.method == "verified_lost" else CitationStatus.RESOLVED,
        method=place.method,
        score=1.0,
        confidence=place.confidence,
        margin=None,
        reason="verified",
        warnings=tuple(dict.fromkeys(warnings)),
        block=(),
        value=(),
        text_start=None,
        text_end=None,
        word_ranges=(),
    )
    if source is not None and place.words:
        drafted = with_words(drafted, source, place.words, value=value, value_type=value_type)
    if place.method in ("verified_moved", FOLLOWED):
        return drafted
    region = Region(pin.page, tuple(box if _is_on_page(box) else clamp(box) for box in pin.boxes))
    return replace(drafted, page=pin.page, snippet=(region,), block=drafted.block or (region,))


def _is_on_page(box: Box) -> bool:
    return box.left >= 0 and box.top >= 0 and box.right <= 1 and box.bottom <= 1


def _covers(citation: Citation, place: PinnedPlace) -> bool:
    """Tell whether the matcher's place shares a word with the person's."""
    if citation.source_id != place.source_id:
        return False
    return any(first <= word < last for first, last in citation.word_ranges for word in place.words)
