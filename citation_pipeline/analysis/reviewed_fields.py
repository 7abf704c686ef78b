"""What people's verdicts on fields are worth today, as a frame to join with the pipeline's values."""

import json
from collections.abc import Mapping

import pandas as pd

from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.adapters.tables.store_errors import MissingTableError
from citation_pipeline.core.review.overlay import mark_reviews
from citation_pipeline.core.review.standing import is_verified
from citation_pipeline.core.review.verifications import FieldReview

_COLUMNS = ("claim_id", "field_key", "review", "verified_value")


def reviewed_fields(store: ClaimStore, reviews: Mapping[str, Mapping[str, FieldReview]]) -> pd.DataFrame:
    """Return a row per field that somebody decided on: the state of its review, and the verified value.

    The state is that of every other surface: a verdict on another value or place than today's needs
    review, and then nothing is verified.
    """
    rows = []
    for claim_id, found in reviews.items():
        try:
            marked = mark_reviews(store.read_viewer_dataset(claim_id), found)
        except MissingTableError:
            continue
        for name in ("fields", "absentFields", "unreadFields"):
            for field in marked.get(name, ()):
                if "review" not in field:
                    continue
                value = found[field["fieldKey"]].value if is_verified(field) else None
                rows.append((claim_id, field["fieldKey"], field["review"]["state"], _text(value)))
    return pd.DataFrame(rows, columns=list(_COLUMNS)).astype("string")


def _text(value: object) -> str | None:
    return value if value is None or isinstance(value, str) else json.dumps(value, ensure_ascii=False)
