"""Checks take the verdicts that their run found on the way, and only of what that very run made."""

from pathlib import Path
from typing import Any

import dagster as dg
import pytest

from citation_pipeline.adapters.claim_folders import claim_of_folder
from citation_pipeline.adapters.extractors.replay import ReplayExtractor
from citation_pipeline.adapters.readers import Readers
from citation_pipeline.adapters.schema_files import load_schema
from citation_pipeline.adapters.tables.answer_rows import read_values
from citation_pipeline.adapters.tables.citation_rows import citation_table, read_citations
from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.adapters.tables.document_rows import read_documents
from citation_pipeline.core.planning.stages import REMATCH_STAGES, STAGES
from citation_pipeline.defs.assets import checks, resolved_citations, viewer_dataset
from citation_pipeline.defs.assets.citation_judges import CITATION_JUDGES, CitedClaim, Resolution
from citation_pipeline.defs.dagster_internals.claim_events import judged_materializations
from citation_pipeline.defs.definitions import build_definitions
from citation_pipeline.defs.instances import open_instance
from citation_pipeline.defs.resources import read_settings
from citation_pipeline.defs.runs import claim_checks
from citation_pipeline.defs.runs.verdicts import KeptVerdicts, Verdict, judged_now
from citation_pipeline_tests.scenario import ANSWER, LineParser, write_claim
from citation_pipeline_tests.stored_claims import store_claim

QUIET = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}
KEYS = ["a-good", "b-good"]


def definitions_over(store: ClaimStore) -> dg.Definitions:
    return build_definitions(
        store=store.root,
        readers={
            "parsers": Readers("parser", {"local": LineParser}),
            "extractors": Readers("extractor", {"replay": ReplayExtractor}),
        },
    )


def run(instance: dg.DagsterInstance, store: ClaimStore, stages: Any, keys: list[str]) -> dict[str, Any]:
    """Run stages of some claims in one run; return each check's verdicts by claim."""
    result = (
        definitions_over(store)
        .resolve_job_def("process_claims")
        .execute_in_process(
            instance=instance,
            asset_selection=[dg.AssetKey(stage) for stage in stages],
            tags={
                "dagster/asset_partition_range_start": keys[0],
                "dagster/asset_partition_range_end": keys[-1],
            },
            run_config=QUIET,
        )
    )
    found: dict[str, Any] = {}
    for entry in instance.all_logs(result.run_id, of_type=dg.DagsterEventType.ASSET_CHECK_EVALUATION):
        assert entry.dagster_event is not None
        event = entry.dagster_event.asset_check_evaluation_data
        found.setdefault(event.check_name, {})[event.partition] = (event.passed, event.metadata)
    return found


@pytest.fixture
def store(tmp_path: Path) -> ClaimStore:
    store = ClaimStore(tmp_path / "store")
    for key in KEYS:
        folder = write_claim(tmp_path / "inbox" / key, answer=ANSWER)
        store.register(claim_of_folder(folder, schema="workers_comp", parser="local", extractor="replay"))
    return store


def test_what_is_judged_on_the_way_is_what_the_checks_find_in_the_store(tmp_path: Path) -> None:
    store = ClaimStore(tmp_path / "store")
    store_claim(store, write_claim(tmp_path / "claim_900"))
    settings = read_settings(str(store.root))
    resolved = resolved_citations._resolve(store, settings, "claim_900", checks=frozenset(CITATION_JUDGES))
    shown = viewer_dataset.build(store, settings, "claim_900", is_judged=True)
    again = viewer_dataset.build(store, settings, "claim_900", is_judged=True)
    assert dict(resolved.verdicts) == {
        name: getattr(checks, name)(store, settings, "claim_900") for name in CITATION_JUDGES
    }
    assert resolved.verdicts["boxes_hold_what_is_quoted"].metadata["located"] > 0
    assert resolved.verdicts["values_stand_in_their_regions"].metadata["with_value"] > 0
    assert again.metadata["unchanged"]
    assert (
        shown.verdicts
        == again.verdicts
        == {"the_dataset_is_valid": checks.the_dataset_is_valid(store, settings, "claim_900")}
    )


@pytest.mark.parametrize("is_stored_whole", [True, False])
def test_what_was_resolved_is_judged_only_where_its_very_rows_are_stored(
    tmp_path: Path, is_stored_whole: bool
) -> None:
    store = ClaimStore(tmp_path / "store")
    store_claim(store, write_claim(tmp_path / "claim_900"))
    documents, citations = read_documents(store, "claim_900"), read_citations(store, "claim_900")
    kept = citation_table("claim_900", citations if is_stored_whole else citations[1:])
    store.write_stage("resolved_citations", "claim_900", tables={"citations": kept}, inputs={})
    claim = CitedClaim(
        store,
        "claim_900",
        resolution=Resolution(
            words={document.source.source_id: document.words for document in documents},
            fields=read_values(store, "claim_900"),
            schema=load_schema("workers_comp"),
            citations=citations,
            table=citation_table("claim_900", citations),
            misplaced=["as the step found"],
        ),
    )
    assert len(claim.citations) == len(kept)
    assert list(claim.misplaced) == (["as the step found"] if is_stored_whole else [])


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The checks that judged a claim in their own step, one name for each claim."""
    found: list[str] = []
    for name in ("boxes", "dataset"):
        own = getattr(checks, f"judge_{name}")

        def counted(*given: Any, name: str = name, judge: Any = own) -> Verdict:
            found.append(name)
            verdict: Verdict = judge(*given)
            return verdict

        monkeypatch.setattr(checks, f"judge_{name}", counted)
    return found


def test_checks_judge_nothing_twice_of_many_claims_and_one_claim_in_their_own_step(
    tmp_path: Path, store: ClaimStore, asked: list[str]
) -> None:
    instance = open_instance(tmp_path / "home")
    instance.add_dynamic_partitions("claims", KEYS)
    together = run(instance, store, STAGES, KEYS)
    assert asked == []
    alone = run(instance, store, REMATCH_STAGES, KEYS[:1])
    instance.dispose()
    assert asked == ["boxes", "dataset"]
    for check in ("boxes_hold_what_is_quoted", "the_dataset_is_valid"):
        assert set(together[check]) == {*KEYS, None}
        (judged,) = alone[check].values()
        assert judged == together[check]["a-good"]


def test_a_verdict_on_what_another_run_has_made_again_since_does_not_count(
    tmp_path: Path, store: ClaimStore, asked: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def made_again(*given: Any) -> Any:
        latest = dict(judged_materializations(*given))
        ours = latest["b-good"]
        latest["b-good"] = type(ours)(storage_id=ours.storage_id, run_id="another", timestamp=ours.timestamp)
        return latest

    monkeypatch.setattr(claim_checks, "judged_materializations", made_again)
    instance = open_instance(tmp_path / "home")
    instance.add_dynamic_partitions("claims", KEYS)
    found = run(instance, store, STAGES, KEYS)
    instance.dispose()
    assert asked == ["boxes", "dataset"]
    assert set(found["boxes_hold_what_is_quoted"]) == {*KEYS, None}


def test_a_claim_that_cannot_be_judged_on_the_way_is_made_all_the_same() -> None:
    def fail() -> dict[str, Verdict]:
        raise LookupError

    assert judged_now(fail) == {}


def test_kept_verdicts_are_taken_once() -> None:
    kept, check = KeptVerdicts(), dg.AssetCheckKey(dg.AssetKey(["ours", "a"]), "c")
    kept.keep(check.asset_key, "one", {"c": Verdict(True, {}), "d": Verdict(False, {})})
    assert kept.take(check) == {"one": Verdict(True, {})}
    assert kept.take(check) == {}
