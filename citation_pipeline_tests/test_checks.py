"""Asset checks: each fails when what it guards is broken, and a claim's failure is its own."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import dagster as dg
import pytest
from dagster._core.definitions.asset_checks.asset_check_evaluation import AssetCheckEvaluationPlanned
from dagster._core.definitions.partitions.subset import DefaultPartitionsSubset
from dagster._core.events import DagsterEvent
from sqlalchemy import text

from citation_pipeline.adapters.claim_folders import claim_of_folder
from citation_pipeline.adapters.extractors.replay import ReplayExtractor
from citation_pipeline.adapters.readers import Readers
from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.adapters.tables.document_rows import document_tables
from citation_pipeline.core.planning.stages import STAGES
from citation_pipeline.core.viewer.contract import list_breaches
from citation_pipeline.defs.assets import checks
from citation_pipeline.defs.assets.citation_judges import CITATION_JUDGES
from citation_pipeline.defs.definitions import build_definitions
from citation_pipeline.defs.instances import open_instance
from citation_pipeline.defs.resources import read_settings
from citation_pipeline_tests.scenario import ANSWER, LineParser, write_claim
from citation_pipeline_tests.stored_claims import store_claim

CLAIMS = {"claim-0", "claim-1", "claim-2"}
QUIET = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}


@pytest.fixture(params=["ours", "dagsters"])
def instance(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[dg.DagsterInstance]:
    """An instance with the project's event storage, and one as Dagster makes it."""
    if request.param == "ours":
        instance = open_instance(tmp_path / "home")
        yield instance
        instance.dispose()
        return
    (tmp_path / "home").mkdir()
    with dg.DagsterInstance.local_temp(str(tmp_path / "home")) as instance:
        yield instance


def run(instance: dg.DagsterInstance, tmp_path: Path, claims: dict[str, Any]) -> dict[str, Any]:
    """Run claims given by their answers in one shared run; return each check's evaluations by partition."""
    store = ClaimStore(tmp_path / "store")
    for claim_id, answer in claims.items():
        folder = write_claim(tmp_path / "inbox" / claim_id, answer=answer)
        store.register(claim_of_folder(folder, schema="workers_comp", parser="local", extractor="replay"))
    instance.add_dynamic_partitions("claims", list(claims))
    definitions = build_definitions(
        store=store.root,
        readers={
            "parsers": Readers("parser", {"local": LineParser}),
            "extractors": Readers("extractor", {"replay": ReplayExtractor}),
        },
    )
    keys = list(claims)
    result = definitions.resolve_job_def("process_claims").execute_in_process(
        instance=instance,
        asset_selection=[dg.AssetKey(stage) for stage in STAGES],
        tags={"dagster/asset_partition_range_start": keys[0], "dagster/asset_partition_range_end": keys[-1]},
        run_config=QUIET,
    )
    found: dict[str, Any] = {}
    for entry in instance.all_logs(result.run_id, of_type=dg.DagsterEventType.ASSET_CHECK_EVALUATION):
        assert entry.dagster_event is not None
        event = entry.dagster_event.asset_check_evaluation_data
        found.setdefault(event.check_name, {})[event.partition] = event
    return found


def shown(instance: dg.DagsterInstance, asset: str, check: str) -> dict[str | None, tuple[str, bool]]:
    """Return what the UI shows of a check: by claim its status, and whether it judged what is there now."""
    key = dg.AssetCheckKey(dg.AssetKey(asset), check)
    return {
        info.partition_key: (info.latest_execution_status.value, info.is_current)
        for info in instance.event_log_storage.get_asset_check_partition_info([key])
    }


def test_a_shared_run_judges_every_claim_and_reddens_only_those_that_fail(
    instance: dg.DagsterInstance, tmp_path: Path
) -> None:
    partial = {"extractions": ANSWER["extractions"][:1]}
    invented = {
        "extractions": [
            {
                "field_key": "treating_physician.name",
                "value": "Dr. Nobody",
                "citations": [{"source_id": "older-letter", "text_snippet": "seen by Dr. Nobody on Sunday"}],
            }
        ]
    }
    found = run(instance, tmp_path, {"a-good": ANSWER, "b-partial": partial, "c-invented": invented})

    assert found["every_field_was_answered"][None].passed is False  # 84 fields, and few were answered
    assert found["every_field_was_answered"]["b-partial"].passed is False
    located = found["citations_are_located"]
    assert located["b-partial"].passed is True
    assert located["c-invented"].metadata["resolved"].value == 0
    # two of three are fewer than wanted, none of one is as good as nothing
    assert located["a-good"].severity is dg.AssetCheckSeverity.WARN
    assert located["c-invented"].severity is located[None].severity is dg.AssetCheckSeverity.ERROR
    assert located[None].metadata["claims"].value == 3
    read = found["every_document_was_read"]
    assert read["a-good"].metadata["code/empty"].value == 1
    assert read["a-good"].severity is dg.AssetCheckSeverity.WARN
    assert found["the_dataset_is_valid"][None].passed is True
    assert found["citations_may_be_shown"][None].passed is True
    assert "Nobody" not in json.dumps([str(event.metadata) for c in found.values() for event in c.values()])
    statuses = shown(instance, "resolved_citations", "citations_are_located")
    assert statuses.pop("c-invented") == ("FAILED", True)
    assert statuses.pop("b-partial") == ("SUCCEEDED", True)
    assert set(statuses) == {"a-good", None}  # the last is the run as a whole


def test_a_check_that_had_nothing_to_look_at_does_not_pass(tmp_path: Path) -> None:
    store = ClaimStore(tmp_path / "store")
    store_claim(store, write_claim(tmp_path / "silent", answer={"extractions": []}))
    settings = read_settings(str(store.root))
    for name in CITATION_JUDGES:
        verdict = getattr(checks, name)(store, settings, "silent")
        assert (verdict.passed, verdict.is_error, verdict.metadata["share"]) == (False, False, "n/a"), name

    no_files = document_tables("silent", [])
    store.write_stage("parsed_documents", "silent", tables=no_files, inputs={})
    assert not checks.every_document_was_read(store, settings, "silent").passed


def test_thresholds_come_from_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CITATION_PIPELINE_LOCATED_SHARE", "0.5")
    monkeypatch.setenv("CITATION_PIPELINE_ERROR_SHARE", "0")
    instance = open_instance(tmp_path / "home")
    located = run(instance, tmp_path, {"a-good": ANSWER, "b-good": ANSWER})["citations_are_located"]
    instance.dispose()
    assert located["a-good"].passed is True
    assert located["a-good"].metadata["wanted"].value == 0.5


def test_planning_checks_of_many_claims_does_not_repeat_their_ids_for_each(tmp_path: Path) -> None:
    """Dagster's storage writes the whole run's claims into each claim's row: a hundred megabytes a night."""
    planned = AssetCheckEvaluationPlanned(
        asset_key=dg.AssetKey("a"), check_name="c", partitions_subset=DefaultPartitionsSubset(CLAIMS)
    )
    event = DagsterEvent("ASSET_CHECK_EVALUATION_PLANNED", "job", event_specific_data=planned)
    entry = dg.EventLogEntry(None, 10, "", "run", 1.0, dagster_event=event)
    instance = open_instance(tmp_path / "home")
    instance.store_event(entry)
    with instance.event_log_storage.index_connection() as connection:  # type: ignore[attr-defined]
        rows = connection.execute(text("SELECT partition, evaluation_event FROM asset_check_executions"))
        events = {row[0]: row[1] for row in rows}
    (kept,) = instance.event_log_storage.get_latest_asset_check_execution_by_key(
        [dg.AssetCheckKey(dg.AssetKey("a"), "c")]
    ).values()
    instance.dispose()
    assert set(events) == CLAIMS
    assert not [claim for claim in CLAIMS for told in events.values() if claim in told]
    assert kept.event is not None
    assert kept.event.run_id == "run"


@pytest.mark.parametrize(
    ("damage", "breach"),
    [
        (lambda d: d.pop("sources"), "no_sources_or_fields"),
        (lambda d: d["fields"][0].pop("label"), "field f1: label is not a str"),
        (
            lambda d: d["fields"][0]["citations"][0].update(sourceId="gone"),
            "cites a source that is not there",
        ),
        (lambda d: d["fields"][0]["citations"][0].update(page=3), "cites a page that is not there"),
        (lambda d: d["fields"][0]["citations"][0]["bbox"].update(left=0.9), "bbox leaves the page"),
        (lambda d: d["fields"][0]["citations"][0]["bbox"].pop("top"), "bbox lacks an edge"),
        (lambda d: d["fields"].append(dict(d["fields"][0])), "field_ids_repeat"),
        (lambda d: d.update(status="Jane Roe"), "schema: /status breaks enum at /properties/status/enum"),
        (lambda d: d["fields"][0].update(label=7), "schema: /fields/0/label breaks type at /"),
    ],
)
def test_each_breach_of_the_viewer_contract_is_named(damage: Any, breach: str) -> None:
    dataset = {
        "sources": [{"id": "letter", "name": "Letter", "file": "letter.pdf", "pageCount": 2}],
        "fields": [
            {
                "id": "f1",
                "label": "Mmi Date",
                "value": "2025-03-12",
                "category": "MMI Status",
                "citations": [
                    {
                        "sourceId": "letter",
                        "page": 2,
                        "bbox": {"left": 0.5, "top": 0.1, "width": 0.2, "height": 0.1},
                    }
                ],
            }
        ],
    }
    assert list_breaches(dataset) == []
    damage(dataset)
    breaches = list_breaches(dataset)
    assert any(breach in found for found in breaches)
    assert not any("Jane Roe" in found for found in breaches)
