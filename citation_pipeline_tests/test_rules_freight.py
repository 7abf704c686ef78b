"""The other shipped schemas on papers of their kind: freight and study protocols."""

import pytest

from citation_pipeline.adapters.schema_files import load_lexicon, load_schema
from citation_pipeline.core.rules.extraction import extract
from citation_pipeline_tests.typeset import Line, column, typeset


def read(schema_name, *lines):
    schema = load_schema(schema_name)
    document = typeset("paper", lines)
    return {f.field_key: f.value for f in extract([document], schema, load_lexicon(schema_name)).fields}


def test_a_rate_confirmation():
    found = read(
        "rate_confirmation",
        *column(
            [
                "RATE CONFIRMATION",
                "Load #: 8812345",
                "Date: 03/14/2025",
                "Broker: Keystone Freight Partners LLC",
                "Carrier: Blue Ox Trucking LLC",
                "MC #: 1123456",
                "USDOT: 3344556",
                "Equipment: 53' Dry Van",
                "Pickup date: 03/15/2025 08:00",
                "Delivery date: 03/17/2025 14:00",
                "Line haul: $2,100.00",
                "Fuel surcharge: $310.50",
                "Total carrier pay: $2,410.50",
            ]
        ),
    )
    assert found["load.load_number"] == "8812345"
    assert found["parties.broker_name"] == "Keystone Freight Partners LLC"
    assert found["parties.carrier_name"] == "Blue Ox Trucking LLC"
    assert found["parties.carrier_mc_number"] == "1123456"
    assert found["parties.carrier_dot_number"] == "3344556"
    assert (found["stops.pickup_date"], found["stops.delivery_date"]) == ("2025-03-15", "2025-03-17")
    assert (found["rate.line_haul"], found["rate.fuel_surcharge"]) == (2100, 310.5)
    assert found["rate.total_rate"] == 2410.5


def test_an_invoice_with_its_lines():
    rows = [("Description", "Qty", "Unit price", "Amount"), ("Oak boards", "10", "$12.50", "$125.00")]
    rows += [("Brass hinges", "4", "$3.00", "$12.00"), ("Total", "", "", "$137.00")]
    table = [
        Line(left, 220 + 14 * n, text)
        for n, row in enumerate(rows)
        for left, text in zip((72, 250, 320, 420), row, strict=True)
        if text
    ]
    head = column(
        ["INVOICE", "Invoice no: INV-2044", "Invoice date: 2 April 2025", "Bill to: Harbor Mart Inc"]
    )
    found = read("invoice", *head, *table)
    assert found["document.invoice_number"] == "INV-2044"
    assert found["document.invoice_date"] == "2025-04-02"
    assert found["parties.buyer_name"] == "Harbor Mart Inc"
    assert found["amounts.total"] == 137
    assert found["amounts.line_items"] == [
        {"description": "Oak boards", "quantity": 10, "unit_price": 12.5, "amount": 125},
        {"description": "Brass hinges", "quantity": 4, "unit_price": 3, "amount": 12},
    ]


def test_a_bill_of_lading():
    found = read(
        "bill_of_lading",
        *column(
            [
                "BILL OF LADING",
                "B/L No.: HLCU-445566",
                "Vessel / Voyage: Ever Bright 021E",
                "Port of loading: Oakland",
                "Port of discharge: Busan",
                "Container no: MSKU 123456-7",
                "Freight: Prepaid",
                "Gross weight: 18,400 kg",
            ]
        ),
    )
    assert found["document.bol_number"] == "HLCU-445566"
    assert found["transport.port_of_discharge"] == "Busan"
    assert found["transport.container_number"] == "MSKU 123456-7"
    assert found["document.freight_terms"] == "prepaid"
    assert found["goods.total_weight"] == 18400


@pytest.mark.parametrize(
    ("sentence", "interventional", "cancer"),
    [
        (
            "This is a randomized, double-blind, placebo-controlled phase 2 study in patients with melanoma.",
            True,
            True,
        ),
        ("This is a retrospective observational cohort study of adults with asthma.", False, None),
    ],
)
def test_a_study_protocol(sentence, interventional, cancer):
    found = read(
        "study_protocol",
        *column(
            [
                "CLINICAL STUDY PROTOCOL",
                "Protocol title: Oral lumatinib after resection",
                "Sponsor: Aldine Biopharma Inc",
            ]
        ),
        Line(72, 200, sentence),
        *column(
            ["Participating sites", "- Lakeside University Hospital", "- Institut Moreau"], top=240, step=13
        ),
    )
    assert found["title"] == "Oral lumatinib after resection"
    assert found["sponsor"] == "Aldine Biopharma Inc"
    assert found["interventional"] is interventional
    assert found["cancer_related"] is cancer
    assert found["participating_orgs"] == ["Lakeside University Hospital", "Institut Moreau"]
