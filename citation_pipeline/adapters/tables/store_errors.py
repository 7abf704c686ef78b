"""What a store cannot give or take; each error says what, and what to do.

StoreError
├── ChangedMeanwhileError   another writer was first: nothing of this one was kept
├── DamagedTableError       a table whose file is not whole any more
├── MissingTableError       a table that no run has written yet
├── OutdatedTableError      a table with an older version's columns
├── StoreAddressError       a URL that names no store
├── TornStageError          tables of one stage that come from two runs
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


class MissingTableError(StoreError):
    """A table that no run has written yet for this claim."""

    def __init__(self, table: str, claim_id: str) -> None:
        super().__init__(f"{claim_id} has no {table} yet: run the claim first")
        self.table, self.claim_id = table, claim_id


class OutdatedTableError(StoreError):
    """A table that an older version wrote, with other columns."""

    def __init__(self, table: str, claim_id: str) -> None:
        super().__init__(f"{claim_id}: {table} has the columns of an older version: run the claim again")
        self.table, self.claim_id = table, claim_id


class DamagedTableError(StoreError):
    """A table whose file is not whole any more: a disk, or a copy that was cut short."""

    def __init__(self, table: str, claim_id: str) -> None:
        super().__init__(
            f"{claim_id}: the file of {table} is damaged: put it back from a backup, or delete it and run "
            "the claim again"
        )
        self.table, self.claim_id = table, claim_id


class TornStageError(StoreError):
    """Tables of one stage that come from two runs: the process that wrote them was killed in between."""

    def __init__(self, stage: str, claim_id: str) -> None:
        super().__init__(f"{claim_id}: the tables of {stage} come from two runs: run the claim again")
        self.stage, self.claim_id = stage, claim_id
