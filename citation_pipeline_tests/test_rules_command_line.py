"""What rules must not make of a document, from the command to `data.json`: each case was seen once."""

import json
from pathlib import Path
from typing import Any

import pytest

from citation_pipeline_tests.closed_parsers import built_parsers  # noqa: F401 - fixtures
from citation_pipeline_tests.commands import command

pytestmark = pytest.mark.usefixtures("built_parsers")


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DAGSTER_HOME", raising=False)
    monkeypatch.setenv("CITATION_PIPELINE_WORKERS", "1")


def run(
    tmp_path: Path,
    documents: dict[str, str],
    *,
    schema: str = "workers_comp",
    answer: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """Run a claim of text files through the command; returns its `data.json` entries by field key."""
    folder = tmp_path / "claim-1"
    (folder / "documents").mkdir(parents=True)
    for name, text in documents.items():
        (folder / "documents" / name).write_text(text)
    extractor = "rules"
    if answer is not None:
        extractor = "replay"
        (folder / "extraction_raw.json").write_text(json.dumps(answer))
    store = tmp_path / "store"
    arguments = ["run", str(folder), "--store", str(store), "--schema", schema, "--extractor", extractor]
    result = command(*arguments)
    assert result.exit_code in (0, 1), result.output
    dataset = json.loads((store / "viewer_dataset" / "claim-1" / "data.json").read_text())
    return {
        entry["fieldKey"]: entry
        for name in ("fields", "absentFields", "unreadFields")
        for entry in dataset.get(name, ())
    }


def status(*lines: str) -> str:
    return "\n\n".join(["CLAIM STATUS REPORT", "Report date: 05/06/2024", *lines]) + "\n"


def value_of(entry: dict[str, Any]) -> Any:
    return entry.get("rawValue")


def test_what_a_sentence_denies_is_no_yes(tmp_path: Path) -> None:
    found = run(
        tmp_path,
        {
            "status.txt": status(
                "She was not identified as a Medicare beneficiary.",
                "The file was not sent to SIU.",
                "Parts of body not admitted: neck",
            )
        },
    )
    assert value_of(found["medicare.is_medicare_beneficiary"]) is False
    assert value_of(found["fraud_siu.siu_referral"]) is False
    assert not value_of(found["body_parts.accepted_body_parts"])


def test_the_end_of_payments_is_not_their_start(tmp_path: Path) -> None:
    found = run(tmp_path, {"status.txt": status("TD ended 11/24/2024.")})
    assert value_of(found["temporary_disability.start_date"]) is None
    assert value_of(found["temporary_disability.end_date"]) == "2024-11-24"


def test_who_a_file_is_assigned_to_defends_nobody(tmp_path: Path) -> None:
    found = run(tmp_path, {"status.txt": status("File assigned to Deirdre Solheim.")})
    assert value_of(found["attorneys.defense_attorney_name"]) is None


def test_the_city_where_a_worker_lives_is_no_venue(tmp_path: Path) -> None:
    letter = "\n\n".join(
        [
            "May 6, 2024",
            "Lucinda Farrow",
            "418 Cayuga Terrace",
            "Salinas, CA 93905",
            "NOTICE REGARDING TEMPORARY DISABILITY BENEFITS",
            "Dear Ms. Farrow:",
            "You may ask the Workers' Compensation Appeals Board to decide.",
        ]
    )
    found = run(tmp_path, {"letter.txt": letter})
    assert value_of(found["litigation.wcab_venue"]) is None


def test_a_code_is_no_diagnosis(tmp_path: Path) -> None:
    found = run(tmp_path, {"status.txt": status("Dx: M54.16")})
    assert not value_of(found["diagnoses.diagnosis_list"])


def test_a_list_is_not_parted_inside_one_part(tmp_path: Path) -> None:
    found = run(tmp_path, {"status.txt": status("Accepted body parts: left shoulder; low back")})
    parts = [item["body_part"] for item in value_of(found["body_parts.accepted_body_parts"])]
    assert parts == ["left shoulder", "low back"]


def test_a_range_gives_each_end_its_own_date(tmp_path: Path) -> None:
    schema = tmp_path / "flights.json"
    fields = {
        name: {
            "type": "string",
            "format": "date",
            "title": title,
            "x_extraction": {"query": ["flight dates"]},
        }
        for name, title in (("flight_from", "Flight Start Date"), ("flight_to", "Flight End Date"))
    }
    schema.write_text(json.dumps({"type": "object", "properties": fields}))
    found = run(tmp_path, {"order.txt": "ORDER\n\nFlight Dates: 05/25/20 - 06/07/20\n"}, schema=str(schema))
    assert value_of(found["flight_from"]) == "2020-05-25"
    assert value_of(found["flight_to"]) == "2020-06-07"


def test_a_superseded_value_is_a_candidate_with_its_day(tmp_path: Path) -> None:
    found = run(
        tmp_path,
        {
            "old.txt": "CLAIM STATUS REPORT\n\nReport date: 02/05/2024\n\nAverage weekly wage: $720.00\n",
            "new.txt": "CLAIM STATUS REPORT\n\nReport date: 05/06/2024\n\nAverage weekly wage: $811.40\n",
        },
    )["wages.average_weekly_wage"]
    assert value_of(found) == 811.4
    (candidate,) = found["candidates"]
    assert (candidate["rawValue"], candidate["reason"], candidate["date"]) == (
        720,
        "superseded",
        "2024-02-05",
    )
    assert candidate["citations"][0]["sourceId"] == "old"


def test_two_values_of_one_day_are_candidates_and_no_value(tmp_path: Path) -> None:
    found = run(
        tmp_path,
        {"a.txt": status("Date of hire: 03/06/2017"), "b.txt": status("Date of hire: 03/06/2019")},
    )["claimant.date_of_hire"]
    assert value_of(found) is None
    assert {candidate["reason"] for candidate in found["candidates"]} == {"conflicting"}
    assert {candidate["rawValue"] for candidate in found["candidates"]} == {"2017-03-06", "2019-03-06"}


def test_a_recorded_answer_that_its_citation_denies_is_a_candidate(tmp_path: Path) -> None:
    sentence = "The file was not sent to SIU."
    record = {
        "field_key": "fraud_siu.siu_referral",
        "value": True,
        "citations": [{"source_id": "status", "text_snippet": sentence}],
    }
    found = run(tmp_path, {"status.txt": status(sentence)}, answer={"extractions": [record]})
    entry = found["fraud_siu.siu_referral"]
    assert value_of(entry) is None
    (candidate,) = entry["candidates"]
    assert (candidate["rawValue"], candidate["reason"]) == (True, "negated")
    assert candidate["citations"][0]["page"] == 1


@pytest.mark.parametrize(
    ("text", "number", "day", "total"),
    [
        (
            "Invoice\n\nInvoice number: A-1077\n\nInvoice date: 03/28/2022\n\nTotal due: $1,234.50\n",
            "A-1077",
            "2022-03-28",
            1234.5,
        ),
        (
            "Rechnung\n\nRechnungsnummer: 2022-1077\n\nRechnungsdatum: 7. Mai 2022\n\n"
            "Gesamtbetrag: 1.234,50 EUR\n",
            "2022-1077",
            "2022-05-07",
            1234.5,
        ),
        (
            "Facture\n\nFacture n\u00b0 20221077\n\nDate de facture : 05/04/2022\n\n"
            "Montant HT : 1 028,75 \u20ac\n\n"
            "Total TTC : 1 234,50 \u20ac\n",
            "20221077",
            "2022-04-05",
            1234.5,
        ),
        (
            "Factura\n\nN\u00famero de factura: F-1077\n\n"
            "Fecha de factura: 5 de abril de 2022\n\n"
            "Total factura: 1.234,50 \u20ac\n\nIVA incluido\n",
            "F-1077",
            "2022-04-05",
            1234.5,
        ),
        (
            "Faktura VAT\n\nNumer faktury: FV/1077/2022\n\nData wystawienia: 05.04.2022\n\n"
            "Nabywca: Jan Nowak\n\n"
            "Do zap\u0142aty: 1 234,50 z\u0142\n",
            "FV/1077/2022",
            "2022-04-05",
            1234.5,
        ),
    ],
    ids=["English", "German", "French", "Spanish", "Polish"],
)
def test_an_invoice_is_read_in_its_own_language(
    tmp_path: Path, text: str, number: str, day: str, total: float
) -> None:
    found = run(tmp_path, {"invoice.txt": text}, schema="invoice")
    assert value_of(found["document.invoice_number"]) == number
    assert value_of(found["document.invoice_date"]) == day
    assert value_of(found["amounts.total"]) == total
