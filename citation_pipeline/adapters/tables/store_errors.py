"""What a store cannot give or take; each error says what, and what to do.

StoreError
├── ChangedMeanwhileError   another writer was first: nothing of this one was kept
├── StoreAddressError       a URL that names no store
└── UnreachableStoreError   object storage that does not answer, or refuses
"""

from citation_pipeline.core.failures import PipelineError


class StoreError(PipelineError):
    """Something the store cannot give or take; says what, and what to do."""


class ChangedMeanwhileError(StoreError):
    """A file that another writer exchanged since it was looked at: nothing was written over it."""

    transient = True

    def __init__(self, name: str) -> None:
        super().__init__(
            f"{name} was written by another process meanwhile: theirs stays and nothing was written over it; "
            "run the claim again"
        )
        self.name = name


class StoreAddressError(StoreError, ValueError):
    """A URL that names no store; never quotes what may be a secret."""


class UnreachableStoreError(StoreError):
    """Object storage that does not answer or refuses; `store` is its address without secrets."""

    def __init__(self, store: str, *, reason: str, remedy: str, transient: bool) -> None:
        super().__init__(f"the store {store} {reason}: {remedy}")
        self.store = store
        self.transient = transient
