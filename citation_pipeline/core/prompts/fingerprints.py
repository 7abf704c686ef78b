"""The prompt's fingerprint: it changes when anything changes that the model is told beside the documents."""

import hashlib

from citation_pipeline.core.code_fingerprints import code_fingerprint
from citation_pipeline.core.schemas import Schema


def prompt_fingerprint(schema: Schema) -> str:
    """Return 16 hexadecimal digits over the code that writes requests, their texts, and the schema.

    A request that comes out as before is not paid for again: replies are kept by the request's own content.
    """
    return hashlib.sha256(f"{code_fingerprint('prompts')}:{schema.fingerprint}".encode()).hexdigest()[:16]
