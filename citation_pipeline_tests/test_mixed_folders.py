"""`--schema auto`: what a document is decides what is read of it; one word decides nothing."""

import json
from pathlib import Path
from typing import Any

import pytest

from citation_pipeline.core.viewer.contract import list_breaches
from citation_pipeline_tests.closed_parsers import built_parsers, closed_parsers  # noqa: F401 - fixtures
from citation_pipeline_tests.commands import command

INVOICE = (
    "INVOICE\nInvoice Number: {number}\nInvoice Date: {date}\nBill to: Harbor Mart LLC\n"
    "Description: Quarterly rent of cold store 4\nPayment terms: net 30\nAmount due: $1,250.00\n"
)
FREIGHT_MAIL = (
    "From: Dana Kolbe\nSubject: pickup Thursday\n\nHi team, this email is about the order for Gdansk:\n"
    "please pick up 14 pallets\nat the dock on Thursday, container 40' HC, booking no. BK-7781.\n"
    "The forwarder needs the cargo before the cut-off. ETA is the 14th.\n"
)
TV_ORDER = (
    "KQXZ-TV\nORDER\nAdvertiser: Neighbors for Parks\nAgency: Bluebird Media\nOrder number: 55120\n"
    "Flight dates: 09/01/2024 - 09/14/2024\nSpots: 48 at :30\nAccount Exec: R. Solis\n"
    "Gross amount: $9,600.00\n"
)
NDA = (
    "MUTUAL NON-DISCLOSURE AGREEMENT\n\nThis agreement is made as of March 3, 2021 by and between "
    "Otter Labs, Inc. and Quay Systems LLC.\nEach receiving party shall not disclose Confidential "
    "Information of the disclosing party.\nThis agreement is governed by the laws of the State of Oregon.\n"
)
CLAIM = (
    "CLAIM STATUS REPORT\nWorkers' compensation claim number: ZQ-4471\nInjured worker: Ines Valdour\n"
    "Date of injury: 03/10/2022\nClaims examiner: Teo Brandis\n"
    "Reserves: indemnity $9,000; TTD paid through 02/28/2023\n"
)
POEM = "The fog comes on little cat feet. It sits looking over harbor and city and then moves on.\n"
ORDINARY_MAIL = "From: Ann\nSubject: lunch order\n\nPlease email me your lunch order for Friday. Thank you!\n"


pytestmark = pytest.mark.usefixtures("closed_parsers")


def run(tmp_path: Path, files: dict[str, str], *options: str) -> dict[str, Any]:
    folder = tmp_path / "case"
    (folder / "documents").mkdir(parents=True)
    for name, text in files.items():
        (folder / "documents" / name).write_text(text)
    result = command("run", str(folder), "--schema", "auto", "--store", "store", *options)
    assert result.exit_code == 0, result.output
    dataset: dict[str, Any] = json.loads(Path("store/viewer_dataset/case/data.json").read_text())
    assert list_breaches(dataset) == []
    return dataset


@pytest.mark.parametrize(
    ("text", "schema"),
    [
        (FREIGHT_MAIL, "shipment_instructions"),
        (TV_ORDER, "broadcast_order"),
        (NDA, "non_disclosure_agreement"),
        (INVOICE.format(number="4411", date="03/04/2024"), "invoice"),
        (CLAIM, "workers_comp"),
        (ORDINARY_MAIL, "generic"),
    ],
)
def test_a_lone_document_is_read_by_the_schema_of_its_kind(tmp_path: Path, text: str, schema: str):
    dataset = run(tmp_path, {"paper.txt": text})
    assert dataset["schema"]["name"] == schema
    assert not any("document" in field for field in dataset["fields"])


def test_documents_of_several_kinds_have_fields_of_their_own(tmp_path: Path):
    dataset = run(
        tmp_path,
        {
            "inv-1.txt": INVOICE.format(number="4411", date="03/04/2024"),
            "inv-2.txt": INVOICE.format(number="5822", date="04/04/2024"),
            "tv.txt": TV_ORDER,
            "poem.txt": POEM,
        },
    )
    by_document: dict[str, dict[str, Any]] = {}
    for field in dataset["fields"]:
        own = by_document.setdefault(field["document"], {"schema": field["schema"]})
        own[field["fieldKey"].partition(":")[2]] = field["rawValue"]
        assert {citation["sourceId"] for citation in field["citations"]} == {field["document"]}
    assert by_document["inv-1"]["schema"] == by_document["inv-2"]["schema"] == "invoice"
    numbers = {name: set(map(str, own.values())) for name, own in by_document.items()}
    assert "4411" in numbers["inv-1"]
    assert "5822" in numbers["inv-2"]
    assert "5822" not in numbers["inv-1"]
    assert by_document["tv"]["schema"] == "broadcast_order"
    assert by_document["tv"]["advertiser"] == "Neighbors for Parks"
    assert dataset["status"] == "complete"
    # what was looked for in one document is absent from that one, and says so
    searched = {entry["document"]: entry["searched"] for entry in dataset["absentFields"]}
    assert {place["sourceId"] for place in searched["tv"]} == {"tv"}


def test_a_compensation_claim_stays_one_claim_with_a_strange_invoice_beside_it(tmp_path: Path):
    dataset = run(
        tmp_path,
        {
            "status.txt": CLAIM,
            "again.txt": CLAIM.replace("STATUS REPORT", "NOTES").replace("03/10/2022", "3/10/22"),
            "strange.txt": INVOICE.format(number="4411", date="03/04/2024"),
        },
    )
    assert dataset["schema"]["name"] == "workers_comp"
    own = {field["fieldKey"]: field for field in dataset["fields"] if "document" not in field}
    assert own["metadata.claim_number"]["rawValue"] == "ZQ-4471"
    assert {f["document"] for f in dataset["fields"] if "document" in f} == {"strange"}
    # the second run finds the same, and nothing to do
    again = command("run", "case", "--schema", "auto", "--store", "store", "--json")
    assert json.loads(again.stdout)["status"] == "unchanged"
