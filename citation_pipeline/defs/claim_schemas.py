"""Which schema a claim is read with: the one it names, or the one its documents call for."""

from citation_pipeline.adapters.schema_files import load_schema
from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.core.claims import Claim
from citation_pipeline.core.schemas import Schema


def schema_of(claim: Claim, store: ClaimStore) -> Schema:
    """Return the claim's schema; "auto" looks at its parsed documents. Raises SchemaError, StoreError."""
    return load_schema(claim.schema)
