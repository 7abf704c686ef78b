"""The one error of a target schema."""

from citation_pipeline.core.failures import PipelineError


class SchemaError(PipelineError, ValueError):
    """A target schema that cannot be used; `path` is the JSON pointer of the fault."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"schema at {path or '/'}: {reason}")
        self.path = path
        self.reason = reason
