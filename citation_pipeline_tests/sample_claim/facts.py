"""The invented claim: each field's value once the whole file is read. Wording lives in `documents/`."""

from citation_pipeline_tests.sample_claim.payments import OUTSTANDING, incurred, paid

CLAIM_ID = "sample_claim"
ENUMS = {
    "metadata.claim_status",
    "claimed_injury_description.injury_type",
    "compensability.decision",
    "medical_evaluators.evaluator_type",
    "utilization_review.decision",
    "work_status.current_status",
    "settlement.settlement_type",
}
FACTS: dict[str, object] = {
    "metadata.date": "2025-12-05",
    "metadata.claim_number": "PCA-24-0091827",
    "metadata.claim_status": "open",
    "metadata.examiner_name": "Desmond Farrow",
    "claimant.full_name": "Leocadia Barragán",
    "claimant.date_of_birth": "1979-06-23",
    "claimant.occupation": "Bakery production lead",
    "claimant.date_of_hire": "2013-03-04",
    "employer.name": "Harbor Loaf Baking Company, Inc.",
    "employer.address": "2275 W. Anaheim Street, Long Beach, CA 90813",
    "coverage.insurance_carrier": "Cordillera Pacific Insurance Company",
    "coverage.claims_administrator": "Palisade Claims Alliance",
    "coverage.policy_number": "CPI-WC-5530217-03",
    "claimed_injury_description.date_of_injury": "2024-09-12",
    "claimed_injury_description.injury_type": "specific",
    "claimed_injury_description.mechanism_of_injury": (
        "a caster of the loaded dough rack she was pushing locked, the rack tipped and dragged her right arm "
        "down, and she fell onto her right knee"
    ),
    "claimed_injury_description.date_reported": "2024-09-13",
    "claimed_injury_description.injury_location": "Plant B, proofing room 2",
    "claimed_injury_description.on_employer_premises": True,
    "body_parts.accepted_body_parts": [
        {"body_part": "Shoulder", "side": "right"},
        {"body_part": "Knee", "side": "right"},
    ],
    "body_parts.disputed_body_parts": [
        {"body_part": "Lumbar spine", "reason": "no complaint recorded before February 2025"},
        {
            "body_part": "Psyche",
            "reason": "barred as a compensable consequence by Labor Code section 4660.1(c)",
        },
    ],
    "compensability.decision": "accepted",
    "compensability.decision_date": "2024-12-06",
    "compensability.aoe_coe_findings": (
        "The injury arose out of and occurred in the course of employment; two co-workers saw the rack tip"
    ),
    "litigation.is_litigated": True,
    "litigation.adj_number": "ADJ20418836",
    "litigation.wcab_venue": "Long Beach",
    "litigation.next_hearing_date": "2026-01-27",
    "attorneys.applicant_attorney_name": "Philippa Oyelaran",
    "attorneys.applicant_attorney_firm": "Oyelaran & Stroud, APC",
    "attorneys.defense_attorney_name": "Gideon Matsunaga",
    "liens.filed_liens": [
        {
            "lienholder": "Los Cerritos Surgical Pavilion",
            "lien_type": "medical",
            "amount": 18940.50,
            "date_filed": "2025-08-18",
            "status": "open",
        },
        {
            "lienholder": "Employment Development Department",
            "lien_type": "EDD",
            "amount": 6412.00,
            "date_filed": "2025-02-07",
            "status": "open",
        },
        {
            "lienholder": "Quill & Lantern Records Copy",
            "lien_type": "copy service",
            "amount": 1286.35,
            "date_filed": "2025-09-30",
            "status": "open",
        },
    ],
    "liens.total_lien_amount": 26638.85,
    "liens.expected_liens": [{"lienholder": "Ocean Boulevard Interpreting", "estimated_amount": 900.00}],
    "mmi_status.is_mmi": True,
    "mmi_status.mmi_date": "2025-04-10",
    "mmi_status.declared_by": "Thuy-Linh Nguyen, M.D.",
    "treating_physician.name": "Thuy-Linh Nguyen, M.D.",
    "treating_physician.specialty": "Orthopaedic Surgery",
    "treating_physician.facility": "Signal Hill Orthopaedic Associates",
    "medical_evaluators.evaluator_name": "Winston Achterberg, M.D.",
    "medical_evaluators.evaluator_type": "PQME",
    "medical_evaluators.specialty": "Orthopaedic Surgery",
    "medical_evaluators.evaluation_date": "2025-07-22",
    "diagnoses.diagnosis_list": [
        {"description": "Strain of right rotator cuff, status post repair", "icd10": "S46.011D"},
        {"description": "Medial meniscus tear of right knee, status post meniscectomy", "icd10": "S83.241D"},
        {"description": "Adhesive capsulitis of right shoulder", "icd10": "M75.01"},
    ],
    "diagnoses.primary_icd10_code": "S46.011D",
    "treatment.treatment_summary": (
        "arthroscopic surgery of the right knee and of the right shoulder, 34 visits of physical therapy, "
        "one corticosteroid injection and anti-inflammatory medication"
    ),
    "treatment.surgeries": [
        {
            "procedure": "Arthroscopic partial medial meniscectomy, right knee",
            "date": "2024-12-17",
            "surgeon": "Bertrand Salazar-Imai, M.D.",
        },
        {
            "procedure": "Arthroscopic rotator cuff repair, right shoulder",
            "date": "2025-01-14",
            "surgeon": "Thuy-Linh Nguyen, M.D.",
        },
    ],
    "treatment.medications": [
        {"name": "Meloxicam", "dosage": "15 mg once a day with food"},
        {"name": "Cyclobenzaprine", "dosage": "5 mg at bedtime as needed"},
    ],
    "treatment.next_appointment_date": "2026-01-15",
    "utilization_review.requested_treatment": "Hyaluronic acid injections, right knee, series of three",
    "utilization_review.decision": "denied",
    "utilization_review.decision_date": "2025-11-17",
    "work_status.current_status": "permanently_restricted",
    "work_status.work_restrictions": (
        "no lifting over 20 pounds with the right arm, no repetitive work above shoulder level, and no "
        "kneeling or squatting"
    ),
    "work_status.sjdb_voucher_issued": True,
    "temporary_disability.weekly_rate": 809.80,
    "temporary_disability.start_date": "2024-09-16",
    "temporary_disability.end_date": "2025-04-09",
    "permanent_disability.wpi_percent": 14,
    "permanent_disability.pd_rating_percent": 20,
    "permanent_disability.apportionment_percent": 15,
    "future_medical.is_recommended": True,
    "future_medical.description": (
        "orthopaedic visits three times a year, anti-inflammatory medication, eight visits of therapy for "
        "each flare-up, and a possible revision arthroscopy of the right knee"
    ),
    "wages.average_weekly_wage": 1214.70,
    "wages.hourly_rate": 27.40,
    "payments.indemnity_paid": paid("IND") / 100,
    "payments.medical_paid": paid("MED") / 100,
    "payments.total_paid": paid("IND", "MED", "EXP") / 100,
    "reserves.indemnity_reserve": OUTSTANDING["IND"] / 100,
    "reserves.medical_reserve": OUTSTANDING["MED"] / 100,
    "reserves.total_incurred": incurred("IND", "MED", "EXP") / 100,
    "settlement.settlement_type": "compromise_and_release",
    "settlement.amount": 68500.00,
    "subrogation.has_subrogation_potential": False,
    "medicare.is_medicare_beneficiary": False,
    "fraud_siu.siu_referral": False,
    "next_actions.next_diary_date": "2026-01-05",
    "next_actions.action_items": [
        {"action": "Send the revised C&R to applicant's counsel", "due_date": "2025-12-19"},
        {"action": "Negotiate the Los Cerritos lien", "due_date": "2026-01-12"},
        {"action": "Prepare the MSC statement with defense counsel", "due_date": "2026-01-20"},
    ],
}
ABSENT_FIELDS = (
    "work_status.return_to_work_date",
    "settlement.approval_date",
    "subrogation.third_party_name",
    "medicare.msa_amount",
    "fraud_siu.indicators",
)


def value_type(key: str) -> str:
    """The scorer's word for a field's type: enum, date, boolean, number, array or string."""
    value = FACTS[key]
    if key in ENUMS:
        return "enum"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float):
        return "number"
    if isinstance(value, list):
        return "array"
    return "date" if key.rpartition(".")[2].startswith("date") or key.endswith("_date") else "string"
