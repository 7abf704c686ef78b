"""Which tables a claim's viewer dataset was made from: not those of a set that is held back or refused."""

from collections.abc import Sequence

import pandas as pd

from citation_pipeline.adapters.tables.citation_rows import is_newer_than_shown
from citation_pipeline.adapters.tables.claim_store import ClaimStore

_SHOWN = {"fields": "shown_fields", "citations": "shown_citations"}


def shown_table(store: ClaimStore, name: str, claim_id: str) -> str:
    """Return the table to read in place of `name`: itself, unless the viewer shows other rows."""
    kept = _SHOWN.get(name, name)
    return kept if kept != name and is_newer_than_shown(store, claim_id, name) else name


def shown_confidences(store: ClaimStore, claim_ids: Sequence[str], found: pd.DataFrame) -> pd.DataFrame:
    """Return confidences by claim and field, those of claims that show an earlier set from their dataset."""
    earlier = [one for one in claim_ids if shown_table(store, "fields", one) != "fields"]
    if not earlier:
        return found
    rows = [
        (claim_id, field["fieldKey"], field["fieldConfidence"]["value"])
        for claim_id in earlier
        for field in store.read_viewer_dataset(claim_id)["fields"]
        if "fieldConfidence" in field
    ]
    kept = found[~found["claim_id"].isin(earlier)].astype({"claim_id": "string", "field_key": "string"})
    told = pd.DataFrame(rows, columns=["claim_id", "field_key", "confidence"]).astype(
        {"claim_id": "string", "field_key": "string", "confidence": "Float64"}
    )
    return pd.concat([kept, told], ignore_index=True)
