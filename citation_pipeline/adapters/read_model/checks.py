"""Whether a quoted text still is where a citation says it does."""

from rapidfuzz import fuzz

from citation_pipeline.adapters.read_model.citing import cite_words, words_in_box
from citation_pipeline.adapters.read_model.claims import ClaimState, UnknownClaimError
from citation_pipeline.adapters.read_model.model import ReadModel
from citation_pipeline.adapters.read_model.shapes import CitationCheck, VerificationStatus
from citation_pipeline.core.boxes import Box
from citation_pipeline.core.citations import CitationStatus
from citation_pipeline.core.documents.parsed import ParsedDocument
from citation_pipeline.core.matching.index import DocumentIndex
from citation_pipeline.core.resolution.hints import Hints
from citation_pipeline.core.resolution.places import JudgedPlace, search_places
from citation_pipeline.core.viewer.citation_objects import CitationObject, split_document_id

_NEARLY = 85.0  # per cent: a line with one figure changed scores above 90, another sentence below 70
_TELLING = 12  # characters; shorter texts are nearly everywhere
_SHARED = 0.5  # of the found words that must lie in the given box: a box may be a little off, not elsewhere


def check_citation(
    model: ReadModel,
    document_id: str,
    text: str,
    *,
    page: int | None = None,
    bbox: tuple[float, float, float, float] | None = None,
    sha256: str | None = None,
) -> CitationCheck:
    """Compare a quotation and its place with the document as it is now."""
    try:
        claim_id, source_id = split_document_id(document_id)
        state = model.claims.state(claim_id)
        source = state.source(source_id)
    except (ValueError, UnknownClaimError):
        return CitationCheck("unknown", "no_such_document", document_id, None, 0.0)
    documents = model.claims.documents(claim_id)
    document = documents.by_id.get(source_id)
    if document is None or not document.is_readable:
        return CitationCheck("unknown", "unreadable_document", document_id, None, 0.0)
    if sha256 is not None and sha256 != source.get("sha256"):
        return CitationCheck("stale", "document_changed", document_id, None, 0.0)
    return _compare(model, state, document, documents.index(source_id), document_id, text, page, bbox)


def _compare(
    model: ReadModel,
    state: ClaimState,
    document: ParsedDocument,
    index: DocumentIndex,
    document_id: str,
    text: str,
    page: int | None,
    bbox: tuple[float, float, float, float] | None,
) -> CitationCheck:
    search = search_places(index, text, Hints(page=page))
    resolved = [p for p in search.places if p.judgement.status is CitationStatus.RESOLVED]
    if resolved:
        here = [place for place in resolved if _is_at(document, place, page, bbox)]
        chosen = here[0] if here else resolved[0]
        status: VerificationStatus = "verified" if here else "drifted"
        reason = "as_quoted" if here else "stands_elsewhere"
        return CitationCheck(
            status, reason, document_id, _cited(model, state, document, chosen), chosen.judgement.score
        )
    flagged = [p for p in search.places if p.judgement.status is CitationStatus.FLAGGED]
    if flagged:
        chosen = flagged[0]
        return CitationCheck(
            "stale",
            chosen.judgement.reason,
            document_id,
            _cited(model, state, document, chosen),
            chosen.judgement.score,
        )
    return _nearly(model, state, document, document_id, text, page)


def _nearly(
    model: ReadModel,
    state: ClaimState,
    document: ParsedDocument,
    document_id: str,
    text: str,
    page: int | None,
) -> CitationCheck:
    """Look for a line that says nearly the same: the quotation's place, saying something else now."""
    shown = next((p for p in document.pages if p.page == page), None)
    start, end = (shown.text_start, shown.text_end) if shown is not None else (0, len(document.text))
    near = fuzz.partial_ratio_alignment(
        text.casefold(), document.text[start:end].casefold(), score_cutoff=_NEARLY
    )
    words = list(document.words_between(start + near.dest_start, start + near.dest_end)) if near else []
    if near is None or not words or len(text) < _TELLING:
        return CitationCheck("unknown", "not_in_document", document_id, None, 0.0)
    made, _ = cite_words(
        state,
        document,
        words,
        name="quotation",
        value=None,
        method="nearly",
        confidence=0.0,
        root=model.root_url,
    )
    return CitationCheck("stale", "says_something_else", document_id, made, round(near.score / 100, 4))


def _is_at(
    document: ParsedDocument,
    place: JudgedPlace,
    page: int | None,
    bbox: tuple[float, float, float, float] | None,
) -> bool:
    words = set(place.match.words)
    pages = {int(document.words.page[word]) for word in words}
    if page is None:
        return True
    if page not in pages:
        return False
    if bbox is None:
        return True
    inside = set(words_in_box(document, page, Box(*bbox)))
    return len(inside & words) >= _SHARED * len(words)


def _cited(
    model: ReadModel, state: ClaimState, document: ParsedDocument, place: JudgedPlace
) -> CitationObject:
    made, _ = cite_words(
        state,
        document,
        place.match.words,
        name="quotation",
        value=None,
        method=place.match.method,
        confidence=place.judgement.score,
        root=model.root_url,
    )
    return made
