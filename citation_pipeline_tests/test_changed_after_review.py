"""Somebody confirmed 2,450; the document was exchanged and says 2,540: no surface calls either verified."""

import io
import json
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import pytest
from mcp.client.client import Client
from openpyxl import load_workbook
from starlette.testclient import TestClient

from citation_pipeline.core.viewer.contract import list_breaches
from citation_pipeline.serving.settings import ServingSettings
from citation_pipeline_tests.commands import command
from citation_pipeline_tests.test_mcp_tools import over_http
from citation_pipeline_tests.viewer_claim.serving import client_of, decide, running

CLAIM = "LOAD-1"
KEY = "rate.total_rate"
STABLE = "rate.carrier"
SCHEMA = {
    "type": "object",
    "title": "Rates",
    "properties": {
        "rate": {
            "type": "object",
            "properties": {"total_rate": {"type": "number"}, "carrier": {"type": "string"}},
        }
    },
}


@dataclass(frozen=True)
class Scene:
    """The claim's folder, its store, and the dataset that the pipeline wrote last."""

    folder: Path
    store: Path

    def run(self, rate: str, value: float) -> None:
        (self.folder / "documents" / "Rate.txt").write_text(
            f"RATE CONFIRMATION\n\nCarrier: Blue Mesa Freight\n\nTotal Rate: ${rate}\n", encoding="utf-8"
        )
        records = [
            (KEY, value, f"Total Rate: ${rate}"),
            (STABLE, "Blue Mesa Freight", "Carrier: Blue Mesa Freight"),
        ]
        answer = [
            {"field_key": key, "value": v, "citations": [{"source_id": "rate", "text_snippet": text}]}
            for key, v, text in records
        ]
        raw = json.dumps({"extractions": answer})
        (self.folder / "extraction_raw.json").write_text(raw, encoding="utf-8")
        arguments = ["run", str(self.folder), "--store", str(self.store), "--extractor", "replay"]
        result = command(*arguments, "--schema", str(self.folder.parent / "rates.json"))
        assert result.exit_code == 0, result.output

    @property
    def settings(self) -> ServingSettings:
        return ServingSettings(str(self.store), render_workers=1)

    def dataset(self) -> dict[str, Any]:
        path = self.store / "viewer_dataset" / CLAIM / "data.json"
        return json.loads(path.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def before(tmp_path_factory: pytest.TempPathFactory) -> Scene:
    root = tmp_path_factory.mktemp("changed")
    folder = root / "inbox" / CLAIM
    (folder / "documents").mkdir(parents=True)
    (root / "inbox" / "rates.json").write_text(json.dumps(SCHEMA), encoding="utf-8")
    scene = Scene(folder, root / "store")
    scene.run("2,450.00", 2450)
    with client_of(scene.settings) as client:
        confirmed = decide(client, CLAIM, KEY, "confirm").json()["field"]
        assert (confirmed["review"]["state"], confirmed["value"]) == ("confirmed", "2450")
        assert _operands(client)["operands"][0]["verified"] is True
    return scene


@pytest.fixture(scope="module")
def scene(before: Scene) -> Scene:
    before.run("2,540.00", 2540)
    return before


@pytest.fixture(scope="module")
def client(scene: Scene) -> Iterator[TestClient]:
    with client_of(scene.settings) as client:
        yield client


def _operands(client: TestClient) -> dict[str, Any]:
    asked = client.post("/api/aggregates", json={"operation": "sum", "field": KEY})
    assert asked.status_code == 200, asked.text
    group: dict[str, Any] = asked.json()["groups"][0]
    return group


def _field(fields: list[dict[str, Any]], key: str = KEY) -> dict[str, Any]:
    return next(field for field in fields if field["fieldKey"] == key)


def test_data_json_says_that_it_needs_review_with_both_values(scene: Scene) -> None:
    dataset = scene.dataset()
    field = _field(dataset["fields"])
    assert (field["value"], field["review"]["state"], field["review"]["verdict"]) == (
        "2540",
        "needs_review",
        "confirmed",
    )
    changed = next(conflict for conflict in field["conflicts"] if conflict["code"] == "value_changed")
    assert (changed["personValue"], changed["pipelineValue"]) == (2450, 2540)
    assert "document_changed" in {conflict["code"] for conflict in field["conflicts"]}
    assert list_breaches(dataset) == []


def test_the_viewer_is_given_both_values_and_does_not_count_it_as_reviewed(client: TestClient) -> None:
    field = _field(client.get(f"/api/claims/{CLAIM}").json()["fields"])
    assert field["review"]["state"] == "needs_review"
    shown = next(conflict for conflict in field["conflicts"] if conflict["code"] == "value_changed")
    assert (shown["person"], shown["pipeline"]) == ("2450", "2540")
    assert not any(citation.get("pinned") for citation in field["citations"])
    line = client.get("/api/claims").json()["claims"][0]
    assert (line["reviewed"], line["needsReview"], line["conflicts"]) == (0, 1, 1)
    queue = client.get(f"/api/claims/{CLAIM}/queue").json()
    assert queue["queue"][0]["fieldKey"] == KEY


def test_rest_calls_neither_value_verified(client: TestClient) -> None:
    answer = client.get(f"/api/claims/{CLAIM}/fields/{KEY}").json()
    for citation in answer["citations"]:
        told = citation["extraction"]
        assert (told["verified"], told["verified_at"], told["review_state"]) == (False, None, "needs_review")
        assert (told["verified_value"], told["current_value"]) == (2450, 2540)
        assert "not verified" in citation["citation"]["academic"]


def test_mcp_tools_call_neither_value_verified(scene: Scene) -> None:
    async def talk(client: Client) -> tuple[Any, Any, Any]:
        claim = await client.call_tool("get_claim", {"claim_id": CLAIM})
        traced = await client.call_tool("get_field_provenance", {"claim_id": CLAIM, "field": KEY})
        summed = await client.call_tool("aggregate_with_citations", {"operation": "sum", "field": KEY})
        return claim.structured_content, traced.structured_content, summed.structured_content

    with running(scene.settings) as address:
        claim, traced, summed = over_http(address, talk, secret="")
    field = next(field for field in claim["fields"] if field["name"] == KEY)
    assert (field["verified"], field["review_state"]) == (False, "needs_review")
    assert (field["verified_value"], field["current_value"]) == (2450, 2540)
    assert not any(citation["extraction"]["verified"] for citation in traced["citations"])
    (group,) = summed["groups"]
    assert (group["value"], group["excluded"]) == (None, 1)
    assert group["needs_review"] == [{"claim_id": CLAIM, "verified_value": 2450, "current_value": 2540}]


def test_aggregates_leave_it_out_and_show_both_values(client: TestClient) -> None:
    group = _operands(client)
    assert (group["value"], group["operands"]) == (None, [])
    (left_out,) = group["excluded"]
    assert (left_out["verified"], left_out["needs_review"]) == (False, True)
    assert (left_out["verified_value"], left_out["current_value"]) == (2450, 2540)


def test_the_warehouse_counts_it_as_needing_review(scene: Scene) -> None:
    with duckdb.connect(str(scene.store / "warehouse.duckdb"), read_only=True) as connection:
        review = connection.execute(
            "SELECT state, verdict, verified_value, pipeline_value, agrees FROM verified_fields "
            "WHERE field_key = ?",
            [KEY],
        ).fetchall()
        counts = connection.execute("SELECT fields_reviewed, fields_needing_review FROM claims").fetchall()
    assert review == [("needs_review", "confirmed", "2450", "2540", False)]
    assert counts == [(0, 1)]


def test_the_evidence_pack_shows_both_values_and_nobodys_signature(client: TestClient) -> None:
    answer = client.get(f"/api/claims/{CLAIM}/evidence.zip")
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        manifest = json.loads(archive.read("manifest.json"))
        field = _field(json.loads(archive.read("data.json"))["fields"])
        sheet = load_workbook(io.BytesIO(archive.read("data.xlsx")))["Fields"]
    assert manifest["needsReview"] == [KEY]
    assert field["review"]["state"] == "needs_review"
    heads, *rows = [[cell.value for cell in row] for row in sheet.iter_rows()]
    row = next(dict(zip(heads, row, strict=True)) for row in rows if row[-1] == KEY)
    assert (row["Review"], row["Verified value"], row["Value read now"]) == ("needs_review", "2450", "2540")


def test_what_did_not_change_keeps_its_verdict_and_a_new_verdict_holds(scene: Scene) -> None:
    with client_of(scene.settings) as client:
        decide(client, CLAIM, STABLE, "confirm")
        taken = decide(client, CLAIM, KEY, "confirm", acceptPipeline=True).json()["field"]
        assert (taken["value"], taken["review"]["state"], taken["conflicts"]) == ("2540", "confirmed", [])
        group = _operands(client)
    assert (group["value"], group["operands"][0]["verified"]) == (2540, True)
    scene.run("2,540.00", 2540)
    states = {field["fieldKey"]: field["review"]["state"] for field in scene.dataset()["fields"]}
    assert states == {KEY: "confirmed", STABLE: "confirmed"}
