"""What other projects import: `citation_pipeline.ClaimPipeline`, the Dagster component.

Loaded when it is asked for, so that serving and the core start without Dagster.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from citation_pipeline.defs.components import ClaimPipeline

__all__ = ["ClaimPipeline"]


def __getattr__(name: str) -> Any:
    if name == "ClaimPipeline":
        from citation_pipeline.defs.components import ClaimPipeline

        return ClaimPipeline
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
