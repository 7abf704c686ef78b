"""What the pipeline finds on its own against what people signed for: values, and places without pins."""

from collections.abc import Mapping

from citation_pipeline.adapters.tables.answer_rows import read_extraction
from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.adapters.tables.document_rows import read_documents
from citation_pipeline.adapters.verifications.database import is_unused
from citation_pipeline.adapters.verifications.store import VerificationStore, read_reviews
from citation_pipeline.core.evaluation.evaluation import Evaluation, evaluate
from citation_pipeline.core.evaluation.verified_truth import truth_of_reviews
from citation_pipeline.core.resolution.claims import resolve_claim
from citation_pipeline.core.review.verifications import FieldReview
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
    truth = truth_of_reviews(claim_id, schema, reviews, shas=shas)
    fields = read_extraction(store, claim_id).fields
    citations = resolve_claim(documents, fields, schema=schema)
    return evaluate(truth, fields, citations, documents), list(truth["absent_fields"])


def reviewed_claims(settings: Settings) -> list[str]:
    """Return the claims that anybody has reviewed, sorted."""
    if is_unused(settings.verifications_url):
        return []
    verifications = VerificationStore(settings.verifications_url)
    try:
        return sorted(verifications.last_ids())
    finally:
        verifications.close()
