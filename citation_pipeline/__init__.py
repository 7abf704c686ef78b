"""What other projects import: `open_store` and `open_comparison` for analysts, `ClaimPipeline`, the Dagster
component.

Everything else is reached by the commands, the Dagster definitions and the REST and MCP interfaces. All are
loaded when they are asked for, so that serving and the core start without Dagster and pandas.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    from citation_pipeline.analysis.comparisons import ComparisonFrames
    from citation_pipeline.defs.components import ClaimPipeline
    from citation_pipeline.frames import StoreFrames

__all__ = ["ClaimPipeline", "open_comparison", "open_store"]


def open_store(url: str, *, verifications_url: str = "") -> "StoreFrames":
    """Return a store's tables as pandas data frames; `url` is its folder or an object-storage URL.

    `verifications_url` is the database of what people signed, the one beside the store by default. Raises
    StoreError when there is no store.
    """
    from citation_pipeline.adapters.tables.claim_store import ClaimStore
    from citation_pipeline.adapters.tables.store_errors import StoreError
    from citation_pipeline.frames import StoreFrames

    store = ClaimStore(url)
    if not store.claim_ids():
        raise StoreError(f"{url} holds no claims: give the folder that `run --store` was given")
    return StoreFrames(store, verifications_url=verifications_url)


def open_comparison(path: "str | Path") -> "ComparisonFrames":
    """Return what `citation-pipeline compare … --json > FILE` wrote as pandas data frames.

    Raises OSError, or ValueError for a file that is no comparison.
    """
    from citation_pipeline.analysis.comparisons import read_comparison

    return read_comparison(path)


def __getattr__(name: str) -> Any:
    if name == "ClaimPipeline":
        from citation_pipeline.defs.components import ClaimPipeline

        return ClaimPipeline
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
