"""The prompt's fingerprint: it changes when anything changes that the model is told beside the documents."""

import hashlib

from citation_pipeline.core.code_fingerprints import code_fingerprint
from citation_pipeline.core.prompts.guides import NO_GUIDE, Guide
from citation_pipeline.core.schemas import Schema


def prompt_fingerprint(schema: Schema, guide: Guide = NO_GUIDE) -> str:
    """Return 16 hexadecimal digits over the code that writes requests, their texts, the schema and its guide.

    A request that comes out as before is not paid for again: replies are kept by the request's own content.
    """
    said = f"{code_fingerprint('prompts')}:{schema.fingerprint}{guide.fingerprint}"
    return hashlib.sha256(said.encode()).hexdigest()[:16]
