from citation_pipeline.core.resolution.claims import resolve_claim
from citation_pipeline.core.resolution.pins import Pin
from citation_pipeline.core.resolution.queries import resolve_queries
from citation_pipeline.core.resolution.versions import MATCHER_VERSION, matcher_fingerprint

__all__ = ["MATCHER_VERSION", "Pin", "matcher_fingerprint", "resolve_claim", "resolve_queries"]
