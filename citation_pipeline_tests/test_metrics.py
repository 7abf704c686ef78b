"""The deployment in numbers: what /metrics and the command say is what the store holds, and names nobody."""

import json
import re
import time
from collections.abc import Iterator
from pathlib import Path

import dagster as dg
import pytest
import yaml
from dagster._core.remote_origin import (
    RegisteredCodeLocationOrigin,
    RemoteJobOrigin,
    RemoteRepositoryOrigin,
)
from prometheus_client.parser import text_string_to_metric_families

from citation_pipeline.adapters.claim_folders import claim_of_folder
from citation_pipeline.adapters.coordination.database import Coordination, open_at
from citation_pipeline.adapters.observability.exposition import metrics_text
from citation_pipeline.adapters.observability.figures import FigureReader
from citation_pipeline.adapters.observability.stage_counters import (
    FILE_NAME,
    note_shared_step,
    note_step,
    read_counts,
    read_shared_counts,
)
from citation_pipeline.adapters.tables.change_rows import Promotion, read_promotion, write_promotion
from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.adapters.tables.stored_files import Copies
from citation_pipeline.adapters.verifications.database import default_url
from citation_pipeline.adapters.verifications.store import NewVerification, VerificationStore
from citation_pipeline.core.review.verifications import Action
from citation_pipeline.defs.instances import open_instance
from citation_pipeline.serving.settings import (
    AccessToken,
    Role,
    ServingSettings,
    ServingSettingsError,
)
from citation_pipeline_tests.commands import command
from citation_pipeline_tests.postgres import PostgresServer
from citation_pipeline_tests.scenario import write_claim
from citation_pipeline_tests.viewer_claim.serving import client_of

CLAIMS = ("okafor-whole", "okafor-torn", "okafor-held", "okafor-failed", "okafor-new", "okafor-closed")
METRICS_TOKEN, ALL, SOME = "metrics-secret-0001", "reader-secret-0001", "limited-secret-001"
PREFIX = "citation_pipeline_"


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A store with one claim in every state, two reviewed fields and a ledger."""
    root = tmp_path_factory.mktemp("figures")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DAGSTER_HOME", str(root / "home"))
        patch.setenv("CITATION_PIPELINE_WORKERS", "1")
        store = ClaimStore(root / "store")
        for name in CLAIMS:
            folder = write_claim(root / "inbox" / name)
            if name == "okafor-torn":
                (folder / "documents" / "torn.pdf").write_bytes(b"%PDF-1.4 and nothing else")
            if name == "okafor-failed":
                (folder / "extraction_raw.json").unlink()
            if name == "okafor-new":
                store.register(
                    claim_of_folder(folder, schema="workers_comp", parser="local", extractor="replay")
                )
            else:
                command("run", folder, "--extractor", "replay", "--store", store.root)
        assert command("archive", "okafor-closed", "--store", store.root).exit_code == 0
        made = read_promotion(store, "okafor-held")
        assert made is not None
        write_promotion(store, "okafor-held", Promotion(made.version, ["3 of 4 would be lost"]))
        _review(store)
        _spend(root / "store" / "ledger")
        yield root


def _review(store: ClaimStore) -> None:
    kept = VerificationStore(default_url(store.root))
    for number, (action, seen) in enumerate(
        [(Action.CONFIRM, "ZX"), (Action.CORRECT, "no"), (Action.ABSENT, None), (Action.ABSENT, "x")]
    ):
        kept.append(
            NewVerification(
                "okafor-whole", f"field-{number}", action, "Quillfeather", 0, f"r{number}", "yes", seen
            )
        )
    kept.close()


def _spend(folder: Path) -> None:
    rows = [
        {"vendor": "anthropic", "code": "ok", "cost_usd": 1.25, "input_tokens": 900, "output_tokens": 100},
        {"vendor": "anthropic", "code": "rate_limited", "cost_usd": 0.0},
        {"vendor": "anthropic", "code": "ok", "cost_usd": 0.5, "purpose": "question"},
        {"vendor": "reducto", "code": "ok", "page_count": 10},
        {"vendor": "their-parser", "code": "ok", "page_count": 4},
        {"vendor": "their-model", "code": "ok", "page_count": 9, "model": "m", "cost_usd": 0.2},
    ]
    folder.mkdir(exist_ok=True)
    lines = [json.dumps({"claim_id": "okafor-whole", "at": "2026-11-22"} | row) for row in rows]
    (folder / "2026-11-22.jsonl").write_text("\n".join(lines) + '\n{"vendor": "reduc')


def reader(root: Path) -> FigureReader:
    store = ClaimStore(root / "store")
    return FigureReader(
        store,
        work_dir=root / "store",
        verifications_url=default_url(store.root),
        page_dollars={"reducto": 0.03, "their-parser": 0.5},
    )


def samples(text: str) -> dict[str, dict[tuple[str, ...], float]]:
    """Every sample by name without the prefix, then by its labels' values."""
    found: dict[str, dict[tuple[str, ...], float]] = {}
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            labels = tuple(value for _, value in sorted(sample.labels.items()))
            found.setdefault(sample.name.removeprefix(PREFIX), {})[labels] = sample.value
    return found


@pytest.fixture(scope="module")
def printed(root: Path) -> str:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DAGSTER_HOME", str(root / "home"))
        result = command("metrics", "--store", root / "store")
    assert result.exit_code == 0, result.output
    return result.stdout


def test_every_claim_counts_in_the_one_state_that_somebody_has_to_know(printed: str) -> None:
    told = samples(printed)
    states = {labels[0]: number for labels, number in told["claims"].items()}
    assert states == {
        "complete": 1,
        "partial": 1,
        "held": 1,
        "failed": 1,
        "waiting": 1,
        "archived": 1,
    }
    assert told["failed_stages"] == {("raw_extraction",): 1}
    assert told["queue_claims"] == {(): 1}
    assert 0 < told["queue_oldest_seconds"][()] < 600


def test_rates_times_and_dollars_are_those_of_tables_and_journals(printed: str, root: Path) -> None:
    told = samples(printed)
    shown = [
        json.loads(line)
        for name in CLAIMS
        for line in command("show", name, "--citations", "--store", root / "store").stdout.splitlines()
    ]
    located = sum(line["status"] != "unresolved" for line in shown)
    assert len(shown) > 10
    assert told["locate_ratio"][()] == pytest.approx(located / len(shown))
    assert told["reviewed_fields"] == {("agreed",): 2, ("disagreed",): 2}
    assert told["disagreement_ratio"] == {(): 0.5}
    assert told["dollars_total"] == {
        ("raw_extraction", "anthropic"): 1.25,
        ("questions", "anthropic"): 0.5,
        ("parsed_documents", "reducto"): pytest.approx(0.3),
        ("parsed_documents", "their-parser"): 0.0,  # nobody named its price
        ("raw_extraction", "their-model"): 0.2,
    }
    assert told["failed_requests_total"]["raw_extraction", "anthropic"] == 1
    assert told["tokens_total"]["raw_extraction", "anthropic"] == 1000
    assert told["stage_seconds_count"]["made", "parsed_documents"] == 5
    assert told["stage_seconds_count"]["failed", "raw_extraction"] == 1
    assert told["stage_seconds_sum"]["made", "viewer_dataset"] > 0
    assert sum(told["gate_decisions_total"].values()) == 4
    assert "unreadable_sources" not in told


def test_nobody_and_no_word_of_a_document_is_named(printed: str) -> None:
    for said in (*CLAIMS, "okafor", "Ludlow", "ZX-2025", "Quillfeather", "older-letter"):
        assert said.lower() not in printed.lower()


def test_a_figure_follows_what_changed_since_the_last_look(root: Path) -> None:
    watching, store = reader(root), ClaimStore(root / "store")
    assert watching.read().claims["held"] == 1
    made = read_promotion(store, "okafor-held")
    assert made is not None
    write_promotion(store, "okafor-held", Promotion(made.version))
    try:
        assert watching.read(max_age_s=60).claims["held"] == 1  # as it was a moment ago
        assert watching.read().claims["held"] == 0
    finally:
        write_promotion(store, "okafor-held", made)


def test_what_cannot_be_read_is_named_and_the_rest_is_counted(root: Path) -> None:
    place = root / "store" / "citations" / "okafor-torn.parquet"
    kept = place.read_bytes()
    place.write_bytes(b"PAR1 torn")
    try:
        told = samples(metrics_text(reader(root).read()).decode())
    finally:
        place.write_bytes(kept)
    assert told["unreadable_sources"] == {("citations",): 1}
    assert sum(told["claims"].values()) == len(CLAIMS)
    assert sum(told["citations"].values()) > 0


def _queued(run_id: str) -> dg.DagsterRun:
    location = RegisteredCodeLocationOrigin("citation_pipeline")
    return dg.DagsterRun(
        job_name="process_claims",
        run_id=run_id,
        status=dg.DagsterRunStatus.QUEUED,
        remote_job_origin=RemoteJobOrigin(
            RemoteRepositoryOrigin(location, "__repository__"), "process_claims"
        ),
    )


def test_the_file_of_the_command_is_whole_and_tells_of_queued_runs(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DAGSTER_HOME", str(tmp_path / "home"))
    with open_instance(tmp_path / "home") as instance:
        for number in range(2):
            instance.add_run(_queued(f"r{number}"))
    time.sleep(0.2)
    target = tmp_path / "textfile" / "citation_pipeline.prom"
    result = command("metrics", "--store", root / "store", "--textfile", target)
    assert (result.exit_code, result.stdout) == (0, "")
    told = samples(target.read_text())
    assert told["runs"]["queued",] == 2
    assert told["run_queue_oldest_seconds"][()] > 0.1
    assert [path.name for path in target.parent.iterdir()] == [target.name]


def test_only_the_metrics_token_and_readers_of_all_claims_see_the_figures(root: Path) -> None:
    settings = ServingSettings(
        str(root / "store"),
        host="0.0.0.0",
        hosts=("claims.test",),
        tokens=(
            AccessToken.of(ALL, name="Rea", role=Role.VIEWER),
            AccessToken.of(SOME, name="Sam", role=Role.VIEWER, claims=["okafor-w*"]),
        ),
        metrics_token=METRICS_TOKEN,
    )

    def ask(path: str, secret: str) -> tuple[int, str]:
        answer = client.get(path, headers={"Authorization": f"Bearer {secret}"} if secret else {})
        return answer.status_code, answer.text

    with client_of(settings, host="claims.test") as client:
        assert [ask("/metrics", secret)[0] for secret in ("", "wrong-secret-000000", SOME)] == [401, 401, 403]
        assert ask("/metrics", ALL)[0] == 200
        status, text = ask("/metrics", METRICS_TOKEN)
        assert (status, samples(text)["claims"]["held",]) == (200, 1)
        assert ask("/api/claims", METRICS_TOKEN)[0] == 401  # the scraper reads nothing else
        assert {ask("/metrics", f"guessed-{n:020}")[0] for n in range(60)} == {401, 429}


def test_a_metrics_token_that_can_be_guessed_is_refused_before_anything_listens(root: Path) -> None:
    with pytest.raises(ServingSettingsError, match="CITATION_VIEWER_METRICS_TOKEN"):
        ServingSettings(str(root / "store"), metrics_token="short").check()


def test_counters_of_several_hosts_add_up_in_the_database_that_they_share(
    root: Path, postgres: PostgresServer, tmp_path: Path
) -> None:
    url = postgres.new_database()
    for host in ("one", "two"):  # each with a work dir, and a connection, of its own
        note_shared_step(
            Coordination(url),
            "parsed_documents",
            seconds=[("made", 0.2), ("made", 5000.0), ("failed", 0.2)],
            events={"gate_held": 1, f"of_{host}": 2},
        )
    counts = read_shared_counts(open_at(url))
    failed, made = counts.stages
    assert dict(made.claims) == {0.3: 2, float("inf"): 2}
    assert made.seconds == pytest.approx(10000.4)
    assert dict(failed.claims) == {0.3: 2}
    assert counts.events == {"gate_held": 2, "of_one": 2, "of_two": 2}
    seen = FigureReader(
        ClaimStore(root / "store"),
        work_dir=tmp_path / "viewer",
        verifications_url=default_url(tmp_path),
        coordination_url=url,
    ).read()
    assert seen.counts == counts


def test_a_claim_that_waits_in_object_storage_is_counted_with_its_wait(tmp_path: Path) -> None:
    store = ClaimStore(f"memory://{tmp_path.name}/store", copies=Copies(tmp_path / "mirror"))
    store.write_json({"claim_id": "C-1"}, "claims", "C-1.json")
    seen = FigureReader(store, work_dir=tmp_path, verifications_url=default_url(tmp_path)).read()
    assert seen.waiting_claims == 1
    assert 0 <= seen.oldest_wait_s < 600


def test_counters_of_several_processes_add_up_and_a_bad_file_is_no_figure(tmp_path: Path) -> None:
    path = tmp_path / FILE_NAME
    for _ in range(2):
        note_step(
            path, "parsed_documents", seconds=[("made", 0.2), ("made", 5000.0)], events={"gate_held": 1}
        )
    (stage,) = read_counts(path).stages
    assert dict(stage.claims) == {0.3: 2, float("inf"): 2}
    assert stage.seconds == pytest.approx(10000.4)
    assert read_counts(path).events == {"gate_held": 2}
    (tmp_path / "store").mkdir()
    path.rename(tmp_path / "store" / FILE_NAME).write_bytes(b"no database at all, whatever its name says" * 9)
    told = samples(metrics_text(reader(tmp_path).read()).decode())
    assert told["unreadable_sources"] == {("counters",): 1}


def _queries(project: Path) -> Iterator[str]:
    dashboard = json.loads((project / "deploy" / "grafana-dashboard.json").read_text())
    for panel in dashboard["panels"]:
        yield from (target["expr"] for target in panel["targets"])
    rules = yaml.safe_load((project / "deploy" / "citation_pipeline.rules.yml").read_text())
    yield from (rule["expr"] for group in rules["groups"] for rule in group["rules"])


def test_the_dashboard_and_the_alert_rules_ask_for_metrics_and_labels_that_exist(
    project: Path, printed: str, root: Path
) -> None:
    labels: dict[str, set[str]] = {}
    values: dict[tuple[str, str], set[str]] = {}
    for family in text_string_to_metric_families(printed):
        labels.setdefault(family.name, set())  # one without a sample has no labels to check
        for sample in family.samples:
            labels.setdefault(sample.name, set()).update(sample.labels)
            for name, value in sample.labels.items():
                values.setdefault((sample.name, name), set()).add(value)
    labels[f"{PREFIX}unreadable_sources"] = {"source"}  # nothing is unreadable here
    queries = list(_queries(project))
    assert len(queries) > 20
    for query in queries:
        named = re.findall(rf"({PREFIX}[a-z_]+)(?:\{{([^}}]*)\}})?", query)
        assert named, query
        for name, matchers in named:
            assert name in labels, f"{query} asks for {name}, which is not exposed"
            for label, value in re.findall(r'(\w+)="([^"]*)"', matchers):
                assert value in values[name, label], f"{query}: no {name} has {label}={value}"
            for by in re.findall(r"by \(([^)]*)\)", query):
                asked = {one.strip() for one in by.split(",")}
                assert asked <= labels[name], f"{query}: {name} has no {asked - labels[name]}"
    exposed = {name for name in labels if name.startswith(PREFIX)}
    shown = {name for query in queries for name in re.findall(rf"{PREFIX}[a-z_]+", query)}
    unseen = {
        name
        for name in exposed
        if not any(query.startswith(re.sub(r"_(total|bucket|count|sum)$", "", name)) for query in shown)
    }
    assert unseen == set(), "metrics that no panel shows"


def test_every_metric_is_documented(project: Path, printed: str) -> None:
    page = (project / "docs" / "observability.md").read_text()
    for family in text_string_to_metric_families(printed):
        assert f"`{family.name}" in page, f"docs/observability.md does not name {family.name}"
