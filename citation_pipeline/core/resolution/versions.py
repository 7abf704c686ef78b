"""The version of what decides where a citation is: stored beside results and compared before reuse."""

from citation_pipeline.core.code_fingerprints import code_fingerprint


def matcher_fingerprint() -> str:
    """Return a string that changes when results may: with the code, its word lists or its libraries."""
    return code_fingerprint("matcher")
