"""What kind of document a page is, and the day it speaks for."""

import pytest

from citation_pipeline.adapters.schema_files import shipped_lexicons
from citation_pipeline.core.documents.types import choose_schema
from citation_pipeline.core.rules.documents import read_document
from citation_pipeline_tests.typeset import Line, column, typeset


@pytest.fixture(scope="module")
def lexicon():
    return shipped_lexicons()["workers_comp"]


@pytest.mark.parametrize(
    ("lines", "kind", "date"),
    [
        (
            ["CLAIM STATUS REPORT", "Report date: 31-Aug-2026", "Claim status: Open"],
            "status_report",
            "2026-08-31",
        ),
        (
            ["EMPLOYER'S REPORT OF OCCUPATIONAL INJURY OR ILLNESS", "OSHA CASE NO. 5", "Date: 08/14/2026"],
            "form_5020",
            "2026-08-14",
        ),
        (
            ["Prairie Claims", "August 24, 2026", "NOTICE REGARDING DELAY OF BENEFITS", "Dear Ms. Ruiz:"],
            "benefit_notice",
            "2026-08-24",
        ),
        (
            ["OPERATIVE REPORT", "DATE OF SURGERY: 02/11/2025", "ANESTHESIA: General"],
            "operative_report",
            "2025-02-11",
        ),
        (
            ["NOTICE OF HEARING", "DATE: Thursday, February 5, 2026", "Served on 10/20/2025 on all parties"],
            "noh",
            "2025-10-20",
        ),
        (
            ["COMPROMISE AND RELEASE", "The gross amount is $5,000.00.", "Dated June 12, 2025"],
            "compromise",
            "2025-06-12",
        ),
    ],
)
def test_a_document_is_known_by_its_title_and_dated_by_its_own_day(lexicon, lines, kind, date):
    reading = read_document(typeset("doc", column(lines)), number=0, lexicon=lexicon)
    assert (reading.type, reading.date) == (kind, date)
    assert 0.3 <= reading.recognition.score <= 1


def test_words_of_a_title_inside_a_sentence_make_no_title(lexicon):
    lines = [
        "Dear Counsel",
        "Enclosed please find our Notice of Hearing and an Operative Report in this matter.",
    ]
    assert read_document(typeset("doc", column(lines)), number=0, lexicon=lexicon).type == ""


def test_event_dates_ahead_do_not_date_a_document(lexicon):
    lines = [
        "WORK STATUS REPORT",
        "Seen in the clinic 08/13/2026 for follow-up",
        "Next appointment 10/20/2026",
    ]
    assert read_document(typeset("slip", column(lines)), number=0, lexicon=lexicon).date == "2026-08-13"


def test_a_packet_of_visits_speaks_for_its_last_one(lexicon):
    lines = [
        Line(72, 72, "Physical Therapy Daily Note", 14),
        Line(72, 110, "Visit date: 03/23/2025"),
        Line(72, 72, "Physical Therapy Daily Note", 14, page=2),
        Line(72, 110, "Visit date: 04/20/2025", page=2),
    ]
    reading = read_document(typeset("packet", lines), number=0, lexicon=lexicon)
    assert (reading.type, reading.date) == ("pt_notes", "2025-04-20")


def test_a_folder_of_freight_papers_tells_each_paper_apart():
    papers = {
        "rate": [
            "RATE CONFIRMATION",
            "Load #: 88123",
            "Carrier: Blue Ox Trucking LLC",
            "MC #: 123456",
            "Pickup",
            "Delivery",
        ],
        "bol": [
            "STRAIGHT BILL OF LADING",
            "Shipper: Acme Foods Inc",
            "Consignee: Harbor Mart",
            "Carrier: Blue Ox",
        ],
        "list": ["PACKING LIST", "Total cartons: 40", "Gross weight: 900", "Net weight: 850"],
    }
    documents = [typeset(name, column(lines)) for name, lines in papers.items()]
    choice = choose_schema(documents, shipped_lexicons())
    assert {name: found.type for name, found in choice.types.items()} == {
        "rate": "rate_confirmation",
        "bol": "bill_of_lading",
        "list": "packing_list",
    }
    assert choice.schema_name in ("rate_confirmation", "bill_of_lading", "packing_list")
