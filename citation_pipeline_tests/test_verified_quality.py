"""The quality asset judges the pipeline by what people signed, and by nothing else."""

import json
from pathlib import Path

import dagster as dg
import pytest

from citation_pipeline.adapters.verifications.database import default_url
from citation_pipeline.adapters.verifications.store import NewVerification, VerificationStore
from citation_pipeline.core.review.verifications import Action
from citation_pipeline.defs.definitions import build_definitions
from citation_pipeline_tests.killed_runs import run_claim
from citation_pipeline_tests.scenario import write_claim


def _sign(store: VerificationStore, field_key: str, action: Action, **said: object) -> None:
    store.append(
        NewVerification(
            claim_id="tiny",
            field_key=field_key,
            action=action,
            reviewer="ann",
            follows_id=0,
            request_id=f"{field_key}-{action}",
            **said,  # type: ignore[arg-type]
        )
    )


def test_confirmed_corrected_and_absent_fields_are_judged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = tmp_path / "store"
    run_claim(write_claim(tmp_path / "tiny"), store)
    monkeypatch.delenv("CITATION_PIPELINE_VERIFICATIONS_URL", raising=False)
    signed = VerificationStore(default_url(store))
    _sign(signed, "metadata.claim_number", Action.CONFIRM, seen_value="ZX-2025-000417")
    _sign(signed, "mmi_status.mmi_date", Action.CORRECT, value="2025-03-02", seen_value="2025-03-12")
    _sign(signed, "treating_physician.facility", Action.ABSENT, seen_value="Ludlow Street Clinic")
    _sign(signed, "temporary_disability.weekly_rate", Action.COMMENT, comment="looks right")
    signed.close()

    with dg.DagsterInstance.ephemeral() as instance:
        result = (
            build_definitions(store=str(store))
            .resolve_job_def("judge_quality")
            .execute_in_process(
                instance=instance, run_config={"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}
            )
        )
    metadata = result.asset_materializations_for_node("verified_quality")[0].metadata
    assert (metadata["claims"].value, metadata["fields"].value, metadata["fields_right"].value) == (1, 3, 1)
    report = json.loads((store / "verified_quality" / "tiny.json").read_text())
    by_field = {row["field_key"]: (row["right"], row["wrong"]) for row in report["fields"]}
    assert by_field["metadata.claim_number"] == (1, 0)
    assert by_field["mmi_status.mmi_date"] == (0, 1)
    assert by_field["treating_physician.facility"] == (0, 1)
