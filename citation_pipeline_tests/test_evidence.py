"""The evidence check: does a value stand where its citations say?"""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from citation_pipeline.core.answers.evidence import check_evidence, with_warnings
from citation_pipeline.core.answers.reading import read_answer
from citation_pipeline.core.extraction import ExtractedField, Extraction, Snippet
from citation_pipeline.core.json_schemas.flattening import flatten
from citation_pipeline.core.schemas import Schema
from citation_pipeline_tests.claude_scenes import claim_documents, pdf_documents, workers_comp

SCHEMA = flatten(
    {
        "type": "object",
        "properties": {
            "name": {"type": "string"},
            "story": {"type": "string"},
            "born": {"type": "string", "format": "date"},
            "rate": {"type": "number"},
            "wpi_percent": {"type": "number"},
            "litigated": {"type": "boolean"},
            "status": {"type": "string", "enum": ["modified_duty", "off_work"]},
            "liens": {
                "type": "array",
                "items": {"type": "object", "properties": {"holder": {"type": "string"}}},
            },
        },
    },
    name="small",
)


def extraction_of(key: str, value: Any, *snippets: str, schema: Schema = SCHEMA) -> Extraction:
    citations = [{"source_id": "letter", "text_snippet": text} for text in snippets]
    answer = {"extractions": [{"field_key": key, "value": value, "citations": citations}]}
    return read_answer(answer, schema, ["letter"])


def codes(key: str, value: Any, *snippets: str, text: str | None = None) -> list[tuple[str, int | None]]:
    extraction = extraction_of(key, value, *snippets)
    texts = {"letter": " ".join(snippets) if text is None else text}
    return [(f.code, f.citation_index) for f in check_evidence(extraction, SCHEMA, texts)]


@pytest.mark.parametrize(
    ("key", "value", "snippet"),
    [
        ("born", "1998-01-09", "Birth date: 09-Jan-1998"),
        ("rate", 23490, "settled for $23,490.00"),
        ("rate", 905.2, "AWW verified at $905.20"),
        ("name", "Omar Benhamou, M.D.", "Physician: BENHAMOU, OMAR MD of Omar Benhamou M.D."),
        ("litigated", False, "Litigated: No - not litigated"),
        ("litigated", False, "Attorney on file; litigated\nNo"),
        ("litigated", True, "Claim is now litigated; application filed"),
        ("litigated", True, "No job within his limits; the claim is litigated."),
        ("litigated", True, "ON PREMISES? [X] Yes [ ] No"),
        ("litigated", False, "ON PREMISES? [ ] Yes [X] No"),
        ("status", "modified_duty", "Work status: modified duty."),
        ("status", "modified_duty", "released to modified work"),
        ("liens", [], "No liens filed per EAMS."),
        ("liens", [{"holder": "Kaiser Foundation"}], "Lien of Kaiser Foundation"),
        (
            "story",
            "she was lifting a heavy resident from bed to chair alone",
            "lifting a heavy resident from bed to chair",
        ),
    ],
)
def test_a_value_in_any_written_form_is_borne_out(key: str, value: Any, snippet: str):
    assert codes(key, value, snippet) == []


@pytest.mark.parametrize(
    ("key", "value", "snippet", "code"),
    [
        ("born", "1998-01-09", "Birth date: 09-Jan-1989", "value_not_in_snippet"),
        ("rate", 905.2, "AWW verified at $950.20", "value_not_in_snippet"),
        ("name", "Omar Benhamou", "Physician: Jorge Alcaraz", "value_not_in_snippet"),
        ("litigated", True, "The claim is not litigated", "negation_in_snippet"),
        ("litigated", True, "PREMISES? [ ] Yes [X] No", "negation_in_snippet"),
        ("litigated", False, "PREMISES? [X] Yes [ ] No", "no_negation_in_snippet"),
        ("litigated", False, "Application filed in Stockton", "no_negation_in_snippet"),
        ("litigated", False, "Nothing was paid; litigated since May", "no_negation_in_snippet"),
        ("litigated", False, "Does she work there: no; litigated since May", "no_negation_in_snippet"),
        ("litigated", True, "Attended: yes; the claim is not litigated", "negation_in_snippet"),
        ("litigated", True, "The claim is not litigated; benefits were paid", "negation_in_snippet"),
        ("liens", [{"holder": "Kaiser"}], "Lien of EDD", "value_not_in_snippet"),
        ("status", "off_work", "released to full duty", "enum_not_in_snippet"),
    ],
)
def test_a_value_that_the_snippet_does_not_state_is_found(key: str, value: Any, snippet: str, code: str):
    assert codes(key, value, snippet) == [(code, 0)]


@pytest.mark.parametrize(
    ("key", "value", "code"),
    [
        ("born", "2098-10-14", "implausible_date"),
        ("rate", 5_551_234_567, "implausible_amount"),
    ],
)
def test_a_value_that_cannot_be_is_found_although_it_stands_there(key: str, value: Any, code: str):
    assert (code, None) in codes(key, value, f"it says {value}")


@pytest.mark.parametrize(("value", "is_plausible"), [(0, True), (100, True), (100.1, False), (-0.1, False)])
def test_a_percentage_is_plausible_from_nothing_to_the_whole(value: float, is_plausible: bool):
    # answers are refused beyond these bounds when they are read; evidence trusts no extractor
    field = ExtractedField("wpi_percent", value, "number", snippets=(Snippet("letter", f"WPI {value}%"),))
    found = check_evidence(Extraction("small", (field,)), SCHEMA, {"letter": f"WPI {value}%"})
    assert ("implausible_percent" not in {finding.code for finding in found}) == is_plausible


def test_a_snippet_that_its_document_does_not_contain_is_found_by_its_index():
    found = codes("name", "Ann Lee", "Name: Ann Lee", "Ms. Ann Lee", text="NAME:  Ann  Lee.")
    assert found == [("snippet_not_in_source", 1)]


def test_a_value_without_a_citation_is_uncited_and_silence_needs_none():
    assert codes("name", "Ann Lee") == [("uncited", None)]
    assert codes("name", None) == []


def test_another_order_of_the_words_is_still_the_document_and_another_number_is_not():
    text = "CLAIMANT EXAMINER\nLEE, ANN ROE, JO\nRATE $22.63"
    assert codes("name", "Ann Lee", "CLAIMANT LEE, ANN", text=text) == []
    assert codes("rate", 22.36, "RATE $22.36", text=text) == [("snippet_not_in_source", 0)]


def test_of_many_words_one_may_be_missing_and_none_that_has_a_digit():
    text = "Ann Lee lives in the house on the corner of Main Street"
    assert codes("name", "Ann Lee", f"{text} upstairs", text=text) == []
    assert codes("name", "Ann Lee", f"{text} 12B", text=text) == [("snippet_not_in_source", 0)]


def test_a_part_of_a_name_is_evidence_beside_the_whole_of_it_only():
    full, part = "Physician: Thuy-Linh Nguyen, M.D.", "PTP Dr. Nguyen"
    assert codes("name", "Thuy-Linh Nguyen, M.D.", full, part) == []
    assert codes("name", "Thuy-Linh Nguyen, M.D.", part) == [("value_not_in_snippet", 0)]


def test_findings_become_warnings_of_their_fields_once():
    extraction = extraction_of("rate", 5, "none", "nothing")
    findings = check_evidence(extraction, SCHEMA, {"letter": "none nothing"})
    warned = with_warnings(with_warnings(extraction, findings), findings)
    assert warned.fields[0].warnings == ("value_not_in_snippet",)


def test_the_sample_claims_answer_is_supported_and_a_damaged_one_is_caught(project: Path):
    schema, folder = workers_comp(), project / "data" / "samples" / "sample_claim"
    texts = {document.source.source_id: document.text for document in pdf_documents(folder / "documents")}
    answer = json.loads((folder / "extraction_raw.json").read_text(encoding="utf-8"))
    # the fax scan has no text layer here, so nothing that cites it can be judged
    read = [id_ for id_, text in texts.items() if text.strip()]
    answer["extractions"] = [
        record for record in answer["extractions"] if {c["source_id"] for c in record["citations"]} <= {*read}
    ]
    assert len(answer["extractions"]) > 60
    findings = check_evidence(read_answer(answer, schema, read), schema, texts)
    assert not {finding.code for finding in findings} & {"snippet_not_in_source", "value_not_in_snippet"}
    for record in answer["extractions"][::4]:
        for citation in record["citations"]:
            citation["text_snippet"] += " 98765"  # a number that its document does not have
    findings = check_evidence(read_answer(answer, schema, read), schema, texts)
    damaged = {record["field_key"] for record in answer["extractions"][::4] if record["citations"]}
    caught = {finding.field_key for finding in findings if finding.code == "snippet_not_in_source"}
    assert caught == damaged


@pytest.mark.parametrize("claim", ["claim_05", "claim_06"])
def test_a_perfect_answer_is_borne_out_and_a_sloppy_one_is_caught(claims: Path, claim: str):
    schema = workers_comp()
    texts = {d.source.source_id: d.text for d in claim_documents(claims / claim)}
    found = {}
    for kind in ("perfect", "sloppy"):
        answer = json.loads((claims / claim / f"{kind}_extraction.json").read_text(encoding="utf-8"))
        extraction = read_answer(answer, schema, list(texts))
        found[kind] = Counter(finding.code for finding in check_evidence(extraction, schema, texts))
    assert found["perfect"] == {}
    assert found["sloppy"]["snippet_not_in_source"] >= 5
    assert found["sloppy"]["value_not_in_snippet"] >= 3


@pytest.mark.parametrize(
    ("value", "snippet", "is_evidence"),
    [
        ("modified_duty", "back to modif. work", True),  # four letters of a word
        ("modified_duty", "back to mod work", True),  # three letters that the member has
        ("modified_duty", "back to mo work", False),
        ("off_work", "temporarily totally disabled", False),
        ("off_work", "O.W. until Monday", False),
    ],
)
def test_a_member_of_a_list_may_be_paraphrased_by_a_part_of_its_words(
    value: str, snippet: str, is_evidence: bool
):
    assert codes("status", value, snippet) == ([] if is_evidence else [("enum_not_in_snippet", 0)])


ROLES = flatten(
    {"type": "object", "properties": {"role": {"type": "string", "enum": ["pqme", "ame", "ptp_dr"]}}},
    name="roles",
)


@pytest.mark.parametrize(
    ("value", "snippet", "is_evidence"),
    [
        ("pqme", "the panel qualified medical evaluator", True),
        ("pqme", "the qualified medical evaluator", False),
        ("ame", "an agreed medical evaluator", True),
        ("ptp_dr", "primary treating physician, doctor Roe", False),  # six letters are no acronym
    ],
)
def test_the_first_letters_of_words_are_evidence_for_an_acronym(value: str, snippet: str, is_evidence: bool):
    extraction = extraction_of("role", value, snippet, schema=ROLES)
    found = check_evidence(extraction, ROLES, {"letter": snippet})
    assert [f.code for f in found] == ([] if is_evidence else ["enum_not_in_snippet"])


@pytest.mark.parametrize(
    ("value", "code"),
    [
        ("1900-01-01", None),
        ("2079-12-31", None),
        ("2080-01-01", "implausible_date"),
        ("1700-01-02", "invalid_date"),  # no date of a claim is written so
    ],
)
def test_a_date_is_plausible_in_a_claims_time(value: str, code: str | None):
    field = ExtractedField("born", value, "date", (Snippet("letter", f"Born {value}"),))
    found = check_evidence(Extraction("small", (field,)), SCHEMA, {"letter": f"Born {value}"})
    assert [f.code for f in found if f.code.endswith("_date")] == ([code] if code else [])


@pytest.mark.parametrize(
    ("value", "is_plausible"), [(999_999_999, True), (1_000_000_000, False), (-1e9, False)]
)
def test_a_sum_is_plausible_below_a_billion(value: float, is_plausible: bool):
    assert ("implausible_amount" in [c for c, _ in codes("rate", value, f"Rate {value:f}")]) != is_plausible


@pytest.mark.parametrize(
    ("key", "value", "code"),
    [
        ("name", 5, "wrong_type"),
        ("name", "  ", "wrong_type"),
        ("rate", True, "invalid_number"),
        ("rate", "5", "invalid_number"),
        ("born", 5, "invalid_date"),
        ("born", "2026-02-30", "invalid_date"),
        ("litigated", "yes", "wrong_type"),
        ("status", "asleep", "not_in_enum"),
        ("liens", "none", "wrong_type"),
    ],
)
def test_a_value_of_another_type_than_its_field_is_found(key: str, value: Any, code: str):
    field = ExtractedField(key, value, SCHEMA.by_key[key].value_type, (Snippet("letter", "words"),))
    found = check_evidence(Extraction("small", (field,)), SCHEMA, {"letter": "words"})
    assert code in [f.code for f in found]


ITEMS = flatten(
    {
        "type": "object",
        "properties": {
            "awards": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "held": {"type": "string", "format": "date"},
                        "rating_percent": {"type": "number"},
                        "parts": {"type": "array", "items": {"type": "string"}},
                    },
                },
            }
        },
    },
    name="items",
)


def test_the_members_of_a_lists_items_are_checked_by_their_own_types_and_each_finding_once():
    good = {"held": "2025-01-02", "rating_percent": 0, "parts": ["knee"], "another": 5}
    bad = {"held": "2090-01-02", "rating_percent": 101}

    def found(*items: Any) -> list[str]:
        field = ExtractedField("awards", list(items), "array", (Snippet("letter", "January 2, 2025"),))
        extraction = Extraction("items", (field,))
        return [f.code for f in check_evidence(extraction, ITEMS, {"letter": "January 2, 2025"})]

    assert found(good, "no object") == []
    assert [code for code in found(good, bad, bad) if "plausible" in code] == [
        "implausible_date",
        "implausible_percent",
    ]


def test_a_snippet_with_one_word_in_ten_missing_is_still_the_document_and_with_two_is_not():
    page = "the applicant was seen in our office on one day last May"
    words = page.split()
    for missing, is_there in ((1, True), (2, False)):
        quoted = " ".join(["elsewhere", "entirely"][:missing] + words[missing:])
        found = codes("story", quoted, quoted, text=page)
        assert (("snippet_not_in_source", 0) not in found) == is_there
    assert ("snippet_not_in_source", 0) in codes("name", "Roe", "Roe 17", text="Roe was here")
