"""Where the truth about claims is: files beside the claims, or what people signed."""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from citation_pipeline.adapters.tables.answer_rows import read_extraction
from citation_pipeline.adapters.tables.citation_rows import read_citations
from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.adapters.tables.document_rows import read_documents
from citation_pipeline.core.evaluation.evaluation import Evaluation, evaluate
from citation_pipeline.core.review.verifications import FieldReview


def evaluate_against(
    store: ClaimStore, claim_ids: Sequence[str], truth: "str | Path | Mapping[str, Any]"
) -> list[Evaluation]:
    """Return the claims that have a truth, against it; raises OSError or ValueError for one that is none."""
    return [
        evaluate(
            found,
            read_extraction(store, claim_id).fields,
            read_citations(store, claim_id),
            read_documents(store, claim_id),
        )
        for claim_id, found in _truths(claim_ids, truth)
    ]


def evaluate_signed(
    store: ClaimStore, reviews_of: Mapping[str, Mapping[str, FieldReview]]
) -> list[Evaluation]:
    """Return the reviewed claims against what people signed, places without what they pinned."""
    from citation_pipeline.defs.runs.verified_evaluations import evaluate_reviews

    return [evaluate_reviews(store, claim_id, reviews)[0] for claim_id, reviews in reviews_of.items()]


def _truths(
    claim_ids: Sequence[str], truth: "str | Path | Mapping[str, Any]"
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    if isinstance(truth, Mapping):
        yield str(truth["claim_id"]), truth
        return
    place = Path(truth)
    if place.is_file():
        found = json.loads(place.read_text(encoding="utf-8"))
        yield str(found.get("claim_id") or claim_ids[0]), found
        return
    for claim_id in claim_ids:
        path = place / claim_id / "truth.json"
        if path.is_file():
            yield claim_id, json.loads(path.read_text(encoding="utf-8"))
