"""The rules that schemas declare: each is broken by its own fault, a sound claim breaks none."""

from typing import Any

import pytest

from citation_pipeline.adapters.schema_files import load_schema
from citation_pipeline.core.consistency.judging import judge_rules
from citation_pipeline.core.consistency.rules import read_rules
from citation_pipeline.core.extraction import ExtractedField, Snippet
from citation_pipeline.core.json_schemas.errors import SchemaError
from citation_pipeline.core.json_schemas.flattening import flatten

INJURY, DISABILITY, RATING = "claimed_injury_description", "temporary_disability", "permanent_disability"

SOUND: dict[str, Any] = {
    "metadata.date": "2024-11-01",
    "metadata.claim_number": "ZQ-4471",
    "metadata.claim_status": "open",
    "claimant.full_name": "Ines Valdour",
    "claimant.date_of_birth": "1984-05-06",
    "claimant.date_of_hire": "2015-02-01",
    f"{INJURY}.date_of_injury": "2022-03-10",
    f"{INJURY}.injury_type": "specific",
    f"{INJURY}.date_reported": "2022-03-11",
    "body_parts.accepted_body_parts": [{"body_part": "Lumbar spine"}],
    "body_parts.disputed_body_parts": [{"body_part": "Left hip", "reason": "not claimed"}],
    "compensability.decision": "accepted",
    "compensability.decision_date": "2022-04-01",
    "litigation.is_litigated": True,
    "litigation.adj_number": "ADJ1234567",
    "litigation.next_hearing_date": "2025-01-20",
    "metadata.examiner_name": "Ines Korhola",
    "coverage.claims_administrator": "Lathe Claims Services",
    "coverage.policy_number": "LC-118-20",
    "attorneys.applicant_attorney_name": "Teo Brandis",
    "attorneys.applicant_attorney_firm": "Brandis & Loe",
    "attorneys.defense_attorney_name": "Signe Marat",
    "treating_physician.name": "Ugo Feld, M.D.",
    "medical_evaluators.evaluator_name": "Pia Soames, M.D.",
    "mmi_status.declared_by": "Pia Soames, M.D.",
    "subrogation.has_subrogation_potential": True,
    "subrogation.third_party_name": "Osier Hoists, Inc.",
    "liens.filed_liens": [
        {"lienholder": "Bay Imaging", "amount": 1200.5, "date_filed": "2023-02-01"},
        {"lienholder": "Oak Clinic", "amount": 300},
    ],
    "liens.total_lien_amount": 1500.5,
    "mmi_status.is_mmi": True,
    "mmi_status.mmi_date": "2023-09-05",
    "medical_evaluators.evaluation_date": "2023-10-02",
    "diagnoses.diagnosis_list": [{"description": "Low back strain", "icd10": "S39.012A"}],
    "diagnoses.primary_icd10_code": "S39.012A",
    "treatment.surgeries": [{"procedure": "Microdiscectomy", "date": "2022-11-30"}],
    "treatment.next_appointment_date": "2024-12-01",
    "utilization_review.decision_date": "2022-10-01",
    "work_status.current_status": "full_duty",
    "work_status.return_to_work_date": "2023-03-01",
    f"{DISABILITY}.weekly_rate": 800.0,
    f"{DISABILITY}.start_date": "2022-03-14",
    f"{DISABILITY}.end_date": "2023-02-28",
    "wages.average_weekly_wage": 1200.0,
    "wages.hourly_rate": 30,
    f"{RATING}.wpi_percent": 12,
    f"{RATING}.pd_rating_percent": 17,
    f"{RATING}.apportionment_percent": 20,
    "payments.indemnity_paid": 40000.0,
    "payments.medical_paid": 25000.0,
    "payments.total_paid": 67500.0,
    "reserves.indemnity_reserve": 9000.0,
    "reserves.medical_reserve": 4000.0,
    "reserves.total_incurred": 81000.0,
    "settlement.settlement_type": "stipulations_with_award",
    "settlement.amount": 30000.0,
    "settlement.approval_date": "2024-06-03",
    "medicare.msa_amount": 0.0,
}

FAULTS: dict[str, dict[str, Any]] = {
    "declared_means_mmi": {"mmi_status.is_mmi": False},
    "third_party_means_potential": {"subrogation.has_subrogation_potential": False},
    "examiner_is_no_defense_attorney": {"metadata.examiner_name": "S. Marat"},
    "examiner_is_no_applicant_attorney": {"metadata.examiner_name": "Teo Brandis"},
    "examiner_is_not_the_worker": {"metadata.examiner_name": "Ines Valdour"},
    "attorneys_of_both_sides": {"attorneys.defense_attorney_name": "Teo Brandis"},
    "evaluator_does_not_treat": {"treating_physician.name": "Pia Soames"},
    "physician_is_not_the_worker": {"treating_physician.name": "Ines Valdour"},
    "administrator_is_no_law_firm": {"coverage.claims_administrator": "Brandis & Loe"},
    "policy_is_not_the_claim": {"coverage.policy_number": "ZQ-4471"},
    "birth_before_injury": {"claimant.date_of_birth": "2012-01-01"},
    "age_at_injury": {"claimant.date_of_birth": "1912-01-01"},
    "birth_before_hire": {"claimant.date_of_hire": "1990-01-01"},
    "hire_before_injury": {"claimant.date_of_hire": "2022-06-01"},
    "report_after_injury": {f"{INJURY}.date_reported": "2022-03-09"},
    "report_within_a_year": {f"{INJURY}.date_reported": "2023-05-01"},
    "snapshot_after_injury": {"metadata.date": "2021-12-01"},
    "decision_after_injury": {"compensability.decision_date": "2021-04-01"},
    "decision_after_report": {"compensability.decision_date": "2022-03-10"},
    "denial_within_90_days": {
        "compensability.decision": "denied",
        "compensability.decision_date": "2022-08-01",
    },
    "accepted_with_body_parts": {"body_parts.accepted_body_parts": []},
    "denied_without_accepted_parts": {"compensability.decision": "denied"},
    "part_accepted_or_disputed": {"body_parts.disputed_body_parts": [{"body_part": "lumbar  SPINE"}]},
    "status_agrees_with_decision": {"metadata.claim_status": "denied"},
    "closed_without_reserves": {"metadata.claim_status": "closed"},
    "settled_has_settlement": {
        "metadata.claim_status": "settled_open_medical",
        "settlement.settlement_type": "none",
    },
    "case_number_means_litigation": {"litigation.is_litigated": False},
    "hearing_means_litigation": {"litigation.is_litigated": False},
    "attorney_means_litigation": {"litigation.is_litigated": False},
    "case_number_form": {"litigation.adj_number": "ADJ12"},
    "hearing_after_injury": {"litigation.next_hearing_date": "2021-01-20"},
    "liens_after_injury": {"liens.filed_liens": [{"lienholder": "B", "date_filed": "2020-01-01"}]},
    "lien_total_is_sum": {"liens.total_lien_amount": 1600.5},
    "liens_not_negative": {"liens.filed_liens": [{"lienholder": "B", "amount": -5}]},
    "no_liens_no_total": {"liens.filed_liens": []},
    "mmi_after_injury": {"mmi_status.mmi_date": "2022-01-01"},
    "mmi_within_ten_years": {"mmi_status.mmi_date": "2033-01-01"},
    "mmi_date_means_mmi": {"mmi_status.is_mmi": False},
    "evaluation_after_injury": {"medical_evaluators.evaluation_date": "2021-10-02"},
    "surgeries_after_injury": {"treatment.surgeries": [{"procedure": "Fusion", "date": "2019-01-01"}]},
    "appointment_after_injury": {"treatment.next_appointment_date": "2020-01-01"},
    "review_after_injury": {"utilization_review.decision_date": "2020-01-01"},
    "primary_code_is_listed": {"diagnoses.primary_icd10_code": "M54.16"},
    "primary_code_form": {"diagnoses.primary_icd10_code": "39.012"},
    "return_after_injury": {"work_status.return_to_work_date": "2021-03-01"},
    "no_disability_in_full_duty": {f"{DISABILITY}.end_date": "2023-06-01"},
    "disability_after_injury": {f"{DISABILITY}.start_date": "2022-01-01"},
    "disability_end_after_start": {f"{DISABILITY}.end_date": "2022-03-01"},
    "disability_within_five_years": {f"{DISABILITY}.end_date": "2028-01-01"},
    "disability_rate_of_wage": {f"{DISABILITY}.weekly_rate": 500.0},
    "disability_rate_below_wage": {f"{DISABILITY}.weekly_rate": 1300.0},
    "disability_rate_range": {f"{DISABILITY}.weekly_rate": 8.0},
    "weekly_wage_range": {"wages.average_weekly_wage": 62400.0},
    "weekly_wage_of_hourly": {"wages.hourly_rate": 1200},
    "impairment_range": {f"{RATING}.wpi_percent": 120},
    "rating_range": {f"{RATING}.pd_rating_percent": -3},
    "apportionment_range": {f"{RATING}.apportionment_percent": 250},
    "rating_of_impairment": {f"{RATING}.pd_rating_percent": 70},
    "apportioned_rating": {f"{RATING}.apportionment_percent": 100},
    "paid_not_negative": {"payments.medical_paid": -25.0},
    "reserves_not_negative": {"reserves.medical_reserve": -1.0},
    "total_paid_holds_its_parts": {"payments.total_paid": 60000.0},
    "incurred_is_paid_and_outstanding": {"reserves.total_incurred": 70000.0},
    "incurred_holds_paid": {"reserves.total_incurred": 50000.0},
    "settlement_after_injury": {"settlement.approval_date": "2021-01-01"},
    "settlement_amount_has_form": {"settlement.settlement_type": "none"},
    "approval_has_settlement": {"settlement.settlement_type": "none"},
    "settlement_positive": {"settlement.amount": 0.0},
    "stipulations_after_mmi": {"mmi_status.is_mmi": False},
    "set_aside_not_negative": {"medicare.msa_amount": -100.0},
    "birth_before_report": {"metadata.date": "1979-05-06"},
    "birth_before_notice": {"claimed_injury_description.date_reported": "1979-05-06"},
    "birth_before_decision": {"compensability.decision_date": "1979-05-06"},
    "birth_before_hearing": {"litigation.next_hearing_date": "1979-05-06"},
    "birth_before_mmi": {"mmi_status.mmi_date": "1979-05-06"},
    "birth_before_evaluation": {"medical_evaluators.evaluation_date": "1979-05-06"},
    "birth_before_return": {"work_status.return_to_work_date": "1979-05-06"},
    "birth_before_disability": {"temporary_disability.start_date": "1979-05-06"},
    "birth_before_appointment": {"treatment.next_appointment_date": "1979-05-06"},
    "birth_before_review": {"utilization_review.decision_date": "1979-05-06"},
    "birth_before_disability_end": {"temporary_disability.end_date": "1979-05-06"},
    "birth_before_settlement": {"settlement.approval_date": "1979-05-06"},
}


def broken(values: dict[str, Any], schema: Any = None) -> dict[str, Any]:
    schema = schema or load_schema("workers_comp")
    fields = [
        ExtractedField(key, value, schema.by_key[key].value_type, (Snippet("paper", key, page=1),))
        for key, value in values.items()
    ]
    return {found.rule_id: found for found in judge_rules(schema.rules, fields, tuple(schema.by_key))}


def test_a_sound_claim_breaks_no_rule_and_neither_does_an_empty_one():
    assert broken(SOUND) == {}
    assert broken({}) == {}
    assert broken(dict.fromkeys(SOUND)) == {}


def test_at_least_forty_rules_judge_a_compensation_claim_and_each_has_a_planted_fault():
    between_fields = {rule.rule_id for rule in load_schema("workers_comp").rules if rule.check}
    assert len(between_fields) >= 40
    assert between_fields == set(FAULTS)


@pytest.mark.parametrize("rule_id", FAULTS)
def test_a_planted_fault_breaks_its_rule_and_names_the_fields_with_their_citations(rule_id: str):
    found = broken(SOUND | FAULTS[rule_id])
    assert rule_id in found
    violation = found[rule_id]
    assert set(violation.field_keys) & set(FAULTS[rule_id])
    assert {one.field_key for one in violation.statements} == set(violation.field_keys)
    assert all(
        (one.source_id, one.citation_index, one.page) == ("paper", 0, 1) for one in violation.statements
    )


@pytest.mark.parametrize("key", sorted(SOUND))
def test_what_is_not_stated_breaks_nothing(key: str):
    assert broken({k: v for k, v in SOUND.items() if k != key}) == {}


def test_a_cumulative_trauma_may_be_reported_before_the_end_that_dates_it():
    assert (
        broken(SOUND | {f"{INJURY}.injury_type": "cumulative_trauma", **FAULTS["report_after_injury"]}) == {}
    )


def test_a_part_is_the_same_whether_its_side_stands_in_a_member_of_its_own():
    values = SOUND | {
        "body_parts.accepted_body_parts": [{"body_part": "Knee", "side": "left"}],
        "body_parts.disputed_body_parts": [{"body_part": "left knee"}],
    }
    assert "part_accepted_or_disputed" in broken(values)
    values["body_parts.disputed_body_parts"] = [{"body_part": "right knee"}]
    assert "part_accepted_or_disputed" not in broken(values)


def test_an_item_that_lacks_a_member_leaves_a_sum_unjudged():
    liens = [{"lienholder": "Bay Imaging", "amount": 10.0}, {"lienholder": "Oak Clinic"}]
    assert broken(SOUND | {"liens.filed_liens": liens}) == {}


OWN = {
    "type": "object",
    "properties": {
        "total": {"type": "number"},
        "paid on": {"type": "string", "format": "date"},
        "kind": {"enum": ["bill", "credit"]},
        "lines": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"amount": {"type": "number"}, "n": {"type": "integer"}},
            },
        },
    },
}


def own_rules(*rules: Any) -> Any:
    schema = flatten(OWN, name="own")
    return read_rules(list(rules), schema.fields)


def rule(check: Any, **more: Any) -> dict[str, Any]:
    return {"id": "one", "check": check, "says": "Something is off.", **more}


@pytest.mark.parametrize(
    ("entry", "path", "remedy"),
    [
        (rule("total >"), "/x_rules/0/check", "no CEL"),
        (rule("totals > 1.0"), "/x_rules/0/check", "names no field"),
        (rule('fields["paid"] > "a"'), "/x_rules/0/check", "names paid"),
        (rule("total > open('x')"), "/x_rules/0/check", "calls open"),
        (rule("total + 1 > 2.0"), "/x_rules/0/check", "cannot be evaluated"),
        (rule("total"), "/x_rules/0/check", "true or false"),
        (rule("lines.all(l, l.price > 1.0)"), "/x_rules/0/check", "cannot be evaluated"),
        (rule("total > 1.0", when="kind"), "/x_rules/0/when", "true or false"),
        (rule("total > 1.0", if_="x"), "/x_rules/0/if_", "not understood"),
        (rule("total > 1.0", optional=["kind"]), "/x_rules/0/optional", "does not use"),
        (rule("total > 1.0", severity="fatal"), "/x_rules/0/severity", "warning or error"),
        ({"id": "one", "says": "x"}, "/x_rules/0", "needs check"),
        ({"id": "One", "check": "total > 1.0", "says": "x"}, "/x_rules/0/id", "small letters"),
        ({"id": "one", "check": "total > 1.0"}, "/x_rules/0/says", "sentence"),
        (
            {"id": "one", "same_in_documents": "nobody", "says": "x"},
            "/x_rules/0/same_in_documents",
            "no field",
        ),
        ("total > 1.0", "/x_rules/0", "object"),
    ],
)
def test_a_rule_that_is_not_understood_is_refused_with_its_pointer(entry: Any, path: str, remedy: str):
    with pytest.raises(SchemaError) as caught:
        own_rules(entry)
    assert caught.value.path == path
    assert remedy in caught.value.reason


def test_two_rules_may_not_share_an_id():
    with pytest.raises(SchemaError, match="/x_rules/1/id"):
        own_rules(rule("total > 1.0"), rule("total > 2.0"))


def test_rules_reach_items_odd_names_and_optional_fields():
    rules = own_rules(
        rule("near(total(lines.map(l, l.amount)), fields['total'], 0.0)", id="sum"),
        rule('kind == null || kind != "credit" || fields["total"] < 0.0', id="credit", optional=["kind"]),
        rule('days(fields["paid on"], "2024-12-31") >= 0.0', id="year", when="kind == 'bill'"),
    )
    schema = flatten(OWN, name="own")

    def judge(values: dict[str, Any]) -> set[str]:
        fields = [ExtractedField(k, v, schema.by_key[k].value_type) for k, v in values.items()]
        return {found.rule_id for found in judge_rules(rules, fields, tuple(schema.by_key))}

    assert judge({"total": 30, "lines": [{"amount": 10}, {"amount": 20.0}], "kind": "bill"}) == set()
    assert judge({"total": 31, "lines": [{"amount": 10}, {"amount": 20.0}]}) == {"sum"}
    assert judge({"total": 30, "kind": "credit"}) == {"credit"}
    assert judge({"paid on": "2025-01-02", "kind": "bill"}) == {"year"}
    assert judge({"paid on": "2025-01-02", "kind": "credit"}) == set()


@pytest.mark.parametrize("key", [key for key in sorted(SOUND) if "date" in key and "birth" not in key])
def test_a_date_before_birth_is_an_error_whether_or_not_the_injury_is_dated(key: str):
    (violation,) = broken({"claimant.date_of_birth": "1984-05-06", key: "1979-05-06"}).values()
    assert violation.severity == "error"
    assert set(violation.field_keys) == {"claimant.date_of_birth", key}
