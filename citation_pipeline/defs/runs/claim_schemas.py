"""Which schema a claim is read with: the one it names, or the one its documents call for."""

from citation_pipeline.adapters.schema_files import AUTO, load_schema, pick_schema
from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.adapters.tables.document_rows import read_documents
from citation_pipeline.core.claims import Claim
from citation_pipeline.core.schemas import Schema


def check_schema(claim: Claim) -> None:
    """Raise SchemaError when the claim's schema cannot be used: before its documents are parsed."""
    if claim.schema != AUTO:
        load_schema(claim.schema)


def schema_of(claim: Claim, store: ClaimStore) -> Schema:
    """Return the claim's schema; "auto" looks at its parsed documents. Raises SchemaError, StoreError."""
    if claim.schema != AUTO:
        return load_schema(claim.schema)
    return pick_schema(read_documents(store, claim.claim_id))[0]
