"""A schema of one's own through `run`: read to the dataset, or refused before any document is parsed."""

import json
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Literal

import dagster as dg
import pytest
from pydantic import BaseModel, Field

from citation_pipeline.cli.requested_runs import make_extract
from citation_pipeline.defs.definitions import build_definitions
from citation_pipeline_tests.closed_parsers import built_parsers, closed_parsers  # noqa: F401 - fixtures
from citation_pipeline_tests.commands import command

TEXT = (
    "BILL 4411\nDate: March 4, 2024 at 2:30 PM\nDue 04/03/2024\nStatus: open\n"
    "Flour 2 x 10.25 USD 20.50\nSalt 1 x 4.00 USD 4.00\nTotal: USD 24.50\nShip to: Quay 1, Hull\n"
)


class Place(BaseModel):
    street: str
    town: str | None = None


class Line(BaseModel):
    what: str
    amount: Decimal
    codes: list[str] = []


class Bill(BaseModel):
    number: str = Field(title="Number of the bill")
    issued: datetime
    due: date | None = None
    status: Literal["open", "paid"]
    total: Decimal = Field(ge=0)
    ship_to: Place
    lines: list[Line]


ANSWER = {
    "number": ("4411", "BILL 4411"),
    "issued": ("2024-03-04T14:30:00", "Date: March 4, 2024 at 2:30 PM"),
    "due": ("2024-04-03", "Due 04/03/2024"),
    "status": ("open", "Status: open"),
    "total": ("24.50", "Total: USD 24.50"),
    "ship_to.street": ("Quay 1", "Ship to: Quay 1, Hull"),
    "ship_to.town": ("Hull", "Ship to: Quay 1, Hull"),
    "lines": (
        [{"what": "Flour", "amount": 20.5}, {"what": "Salt", "amount": 4}],
        "Flour 2 x 10.25 USD 20.50",
    ),
}
BROKEN = {"type": "object", "properties": {"a": {"anyOf": [{"type": "integer"}, {"type": "string"}]}}}


pytestmark = pytest.mark.usefixtures("closed_parsers")


@pytest.fixture
def claim(tmp_path: Path) -> Path:
    folder = tmp_path / "bill"
    (folder / "documents").mkdir(parents=True)
    (folder / "documents" / "bill.txt").write_text(TEXT)
    records = [
        {"field_key": key, "value": value, "citations": [{"source_id": "bill", "text_snippet": snippet}]}
        for key, (value, snippet) in ANSWER.items()
    ]
    (folder / "extraction_raw.json").write_text(json.dumps({"extractions": records}))
    return folder


def test_a_pydantic_models_schema_is_filled_from_a_replayed_answer(claim: Path, tmp_path: Path):
    (tmp_path / "invoice.json").write_text(json.dumps(Bill.model_json_schema()))  # a shipped schema's name
    result = command("run", claim, "--schema", "invoice.json", "--extractor", "replay", "--store", "store")
    assert result.exit_code == 0, result.output
    dataset = json.loads(Path("store/viewer_dataset/bill/data.json").read_text())
    fields = {field["fieldKey"]: field for field in dataset["fields"]}
    assert {key: field["rawValue"] for key, field in fields.items()} == {
        "number": "4411",
        "issued": "2024-03-04T14:30:00",
        "due": "2024-04-03",
        "status": "open",
        "total": 24.5,
        "ship_to.street": "Quay 1",
        "ship_to.town": "Hull",
        "lines": [{"what": "Flour", "amount": 20.5}, {"what": "Salt", "amount": 4}],
    }
    assert fields["number"]["label"] == "Number of the bill"
    assert fields["ship_to.town"]["category"] == "Ship To"
    assert fields["lines"]["value"] == "Flour (amount: 20.5); Salt (amount: 4)"
    assert {field["status"] for field in fields.values()} == {"resolved"}
    issued = fields["issued"]["citations"][0]
    assert len(issued["regions"]["value"]) == 1
    # the schema is found again from another folder
    (tmp_path / "elsewhere").mkdir()
    (claim / "documents" / "note.txt").write_text("A note.")
    again = command(
        "run", claim, "--schema", tmp_path / "invoice.json", "--extractor", "replay", "--store", "store"
    )
    assert again.exit_code == 0, again.output


def test_a_schema_that_cannot_be_read_stops_the_command_before_anything_is_kept(claim: Path, tmp_path: Path):
    (tmp_path / "own.json").write_text(json.dumps(BROKEN))
    result = command("run", claim, "--schema", "own.json", "--store", "store")
    assert result.exit_code == 2
    assert "/properties/a/anyOf" in result.stderr
    assert "name one type" in result.stderr
    assert not list(Path("store").rglob("bill*"))


def test_a_schema_that_broke_since_is_named_by_plan_extract_and_dagster_before_parsing(
    claim: Path, tmp_path: Path, request: pytest.FixtureRequest
):
    file = tmp_path / "own.json"
    file.write_text(json.dumps(Bill.model_json_schema()))
    assert (
        command("run", claim, "--schema", "own.json", "--extractor", "replay", "--store", "store").exit_code
        == 0
    )
    file.write_text(json.dumps(BROKEN))
    (claim / "documents" / "more.txt").write_text("Another page.")
    request.getfixturevalue("closed_parsers").clear()
    planned = command("plan", "--store", "store", "--json")
    assert "/properties/a/anyOf" in planned.output
    outcome = make_extract("store")("bill", False)
    assert not outcome.ok
    assert "/properties/a/anyOf" in outcome.error
    for stage in ("source_documents", "parsed_documents"):
        with dg.DagsterInstance.ephemeral() as instance:
            instance.add_dynamic_partitions("claims", ["bill"])
            run = (
                build_definitions(store="store")
                .resolve_job_def("process_claims")
                .execute_in_process(
                    instance=instance,
                    partition_key="bill",
                    asset_selection=[dg.AssetKey(stage)],
                    raise_on_error=False,
                )
            )
            assert not run.success
            (failed,) = [event for event in run.all_events if event.is_step_failure]
            assert "/properties/a/anyOf" in str(failed.step_failure_data.user_failure_data)
    assert not (tmp_path / "store" / "cache").exists() or not any(
        "more" in path.name for path in (tmp_path / "store").rglob("*")
    )


def test_a_new_claim_of_the_inbox_is_extracted_with_the_inboxs_schema(
    claim: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / "own.json").write_text(json.dumps(Bill.model_json_schema()))
    monkeypatch.setenv("CITATION_PIPELINE_INBOX", str(claim.parent))
    monkeypatch.setenv("CITATION_PIPELINE_INBOX_SCHEMA", str(tmp_path / "own.json"))
    monkeypatch.setenv("CITATION_PIPELINE_INBOX_EXTRACTOR", "replay")
    outcome = make_extract("store")("bill", False)
    assert outcome.ok, outcome.error
    dataset = json.loads(Path("store/viewer_dataset/bill/data.json").read_text())
    assert dataset["schema"]["name"] == "own"
