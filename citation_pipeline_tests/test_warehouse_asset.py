"""The asset `claims_warehouse`: what a refresh tells in the UI and in the log."""

from datetime import UTC, datetime
from pathlib import Path

import dagster as dg

from citation_pipeline.adapters.outbound_ledger import append_to
from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.defs.assets.claims_warehouse import claims_warehouse
from citation_pipeline_tests.chosen_settings import settings_over
from citation_pipeline_tests.test_warehouse import Sent
from citation_pipeline_tests.warehouses import query, three_claims

store = three_claims


def materialize(store: ClaimStore, instance: dg.DagsterInstance) -> dict[str, object]:
    settings = settings_over(store.root)
    result = dg.materialize(
        [claims_warehouse], instance=instance, resources={"store": store, "settings": settings}
    )
    (made,) = result.asset_materializations_for_node("claims_warehouse")
    return {name: value.value for name, value in made.metadata.items()}


def test_a_refresh_tells_what_it_did_and_what_the_nights_cost(store: ClaimStore) -> None:
    sent = Sent(at=datetime(2026, 3, 2, 2, tzinfo=UTC), claim_id="claim-a", cost_usd=0.25)
    append_to(settings_over(store.root).ledger_dir)(sent)
    with dg.DagsterInstance.ephemeral() as instance:
        first = materialize(store, instance)
        assert (first["claims_refreshed"], first["unreadable_tables"], first["is_published"]) == (3, 0, True)
        assert (first["last_night"], first["last_night/cost_usd"]) == ("2026-03-01", 0.25)
        assert first["rows/citations"] == 12
        assert not materialize(store, instance)["is_published"]  # its own run is no news
        (Path(store.root) / "fields" / "claim-b.parquet").write_bytes(b"PAR1")
        torn = materialize(store, instance)
        assert (torn["claims_refreshed"], torn["unreadable_tables"]) == (0, 1)
        warnings = [
            entry.user_message
            for entry in instance.all_logs(instance.get_runs(limit=1)[0].run_id)
            if entry.level >= 30
        ]
        assert [text for text in warnings if text.startswith("fields/claim-b cannot be read")] != []
    assert query(store, "SELECT fields_found FROM claims WHERE claim_id = 'claim-b'") == [(4,)]
