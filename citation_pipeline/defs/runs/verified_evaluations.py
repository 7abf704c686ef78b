"""What the pipeline finds on its own against what people signed for: values, and places without pins."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from citation_pipeline.adapters.sql_engines import is_unused
from citation_pipeline.adapters.tables.answer_rows import read_extraction
from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.adapters.tables.document_rows import read_documents
from citation_pipeline.adapters.tables.source_ids import read_former_documents
from citation_pipeline.adapters.verifications.store import VerificationStore, read_reviews
from citation_pipeline.core.documents.followed_words import follow_words
from citation_pipeline.core.documents.parsed import ParsedDocument
from citation_pipeline.core.documents.replacements import FormerDocument, successor_of
from citation_pipeline.core.evaluation.evaluation import Evaluation, evaluate
from citation_pipeline.core.evaluation.verified_truth import truth_of_reviews
from citation_pipeline.core.resolution.claims import resolve_claim
from citation_pipeline.core.resolution.pins import words_in_boxes
from citation_pipeline.core.review.verifications import FieldReview, Place
from citation_pipeline.defs.runs.claim_schemas import schema_of
from citation_pipeline.defs.settings import Settings


def evaluate_verified(store: ClaimStore, settings: Settings, claim_id: str) -> tuple[Evaluation, list[str]]:
    """Return a claim's evaluation against its verifications, and the fields that were marked absent.

    Raises StoreError for a claim that was never run.
    """
    return evaluate_reviews(store, claim_id, read_reviews(settings.verifications_url, claim_id))


def evaluate_reviews(
    store: ClaimStore, claim_id: str, reviews: Mapping[str, FieldReview]
) -> tuple[Evaluation, list[str]]:
    """Return a claim against its reviews; the snippets are resolved anew without the places that people
    pinned: a pin would find itself."""
    schema = schema_of(store.claim(claim_id), store)
    documents = read_documents(store, claim_id)
    shas = {document.source.source_id: document.source.sha256 for document in documents}
    followed = _followed(reviews, documents, read_former_documents(store, claim_id))
    truth = truth_of_reviews(claim_id, schema, followed, shas=shas)
    fields = read_extraction(store, claim_id).fields
    citations = resolve_claim(documents, fields, schema=schema)
    return evaluate(truth, fields, citations, documents), list(truth["absent_fields"])


def _followed(
    reviews: Mapping[str, FieldReview],
    documents: Sequence[ParsedDocument],
    former: Mapping[str, FormerDocument],
) -> dict[str, FieldReview]:
    """Return the reviews with signed places where the same words are in what took a document's place."""
    by_id = {document.source.source_id: document for document in documents}
    return {
        key: replace(
            review, places={index: _at_now(place, by_id, former) for index, place in review.places.items()}
        )
        for key, review in reviews.items()
    }


def _at_now(place: Place, by_id: Mapping[str, ParsedDocument], former: Mapping[str, FormerDocument]) -> Place:
    before, sha256 = successor_of(place.sha256, former)
    document = next((one for one in by_id.values() if one.source.sha256 == sha256), None)
    if before is None or document is None:
        return place
    signed = words_in_boxes(before.words, place.page, place.boxes)
    words = follow_words(before.words, signed, document.words)
    if not words:
        return place
    return replace(
        place,
        source_id=document.source.source_id,
        sha256=sha256,
        page=int(document.words.page[words[0]]),
        boxes=tuple(document.words.box(word) for word in words),
    )


def reviewed_claims(settings: Settings) -> list[str]:
    """Return the claims that anybody has reviewed, sorted."""
    if is_unused(settings.verifications_url):
        return []
    verifications = VerificationStore(settings.verifications_url)
    try:
        return sorted(verifications.last_ids())
    finally:
        verifications.close()
