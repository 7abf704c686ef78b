"""Three stored claims and questions to their warehouse, for the tests of the warehouse."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.adapters.warehouse.places import FILE_NAME
from citation_pipeline.adapters.warehouse.publishing import open_warehouse
from citation_pipeline_tests.scenario import write_claim
from citation_pipeline_tests.stored_claims import store_claim

CLAIMS = ("claim-a", "claim-b", "claim-c")


@pytest.fixture
def three_claims(tmp_path: Path) -> ClaimStore:
    store = ClaimStore(tmp_path / "store")
    for claim_id in CLAIMS:
        store_claim(store, write_claim(tmp_path / "inbox" / claim_id))
    return store


def query(store: ClaimStore, sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
    with open_warehouse(store.local_path(FILE_NAME)) as warehouse:
        return warehouse.execute(sql, list(parameters)).fetchall()


def left_overs(store: ClaimStore) -> list[str]:
    """Return the files beside the warehouse that no refresh should leave."""
    return [path.name for path in Path(store.root).glob(".warehouse*") if not path.name.endswith(".lock")]
