"""Statements in many words that are no facts: of relatives, undone, only thought of, denied twice, of others.

Each names the field, the value that a careless reader would take, and the sentence. `is_role` marks those
whose words deny nothing: a recorded answer cannot be told from a right one by them.
"""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Trap:
    """One sentence with the value that it must not become."""

    field_key: str
    wrong: Any
    sentence: str
    is_role: bool = False

    def is_in(self, value: Any) -> bool:
        """Tell whether a value is, or holds, the wrong one."""
        if isinstance(self.wrong, str):
            return self.wrong.casefold() in str(value).casefold()
        return bool(value == self.wrong) and type(value) is not str


TRAPS = (
    Trap("fraud_siu.siu_referral", True, "After the supervisor's review the matter was not sent to SIU."),
    Trap("body_parts.accepted_body_parts", "neck", "Parts of body not admitted: neck"),
    Trap("temporary_disability.start_date", "2024-03-14", "TD ended 03/14/2024."),
    Trap("attorneys.defense_attorney_name", "Basil Quorn", "File assigned to Basil Quorn.", is_role=True),
    Trap(
        "litigation.wcab_venue",
        "Modesto",
        "The injured worker lives at 14 Alder Way, Modesto, CA 95350.",
        is_role=True,
    ),
    Trap("diagnoses.diagnosis_list", "S39.012A", "ICD-10 codes: S39.012A, M54.16", is_role=True),
    Trap("body_parts.accepted_body_parts", "wrists", "We do not accept the wrists and hands."),
    Trap(
        "fraud_siu.siu_referral",
        True,
        "There is nothing that would have called for a referral to SIU, and none was made.",
    ),
    Trap(
        "fraud_siu.siu_referral",
        True,
        "Referral to the Special Investigations Unit was considered and declined.",
    ),
    Trap("fraud_siu.siu_referral", True, "The adjuster withdrew her request for an SIU referral."),
    Trap("fraud_siu.siu_referral", True, "An SIU referral would be premature."),
    Trap("fraud_siu.siu_referral", True, "If the wage records do not match, refer to SIU."),
    Trap("fraud_siu.siu_referral", True, "The brother's claim of 2018 was referred to SIU."),
    Trap("fraud_siu.siu_referral", True, "The carrier failed to refer the claim to SIU."),
    Trap("fraud_siu.siu_referral", True, "No one denied that the claim was never referred to SIU."),
    Trap(
        "fraud_siu.siu_referral",
        True,
        "Hypothetically, had the video shown lifting, the file would have been sent to SIU.",
    ),
    Trap(
        "medicare.is_medicare_beneficiary",
        True,
        "Section 111 query found no evidence of Medicare entitlement.",
    ),
    Trap("medicare.is_medicare_beneficiary", True, "His wife is a Medicare beneficiary."),
    Trap(
        "medicare.is_medicare_beneficiary",
        True,
        "The claimant's mother has been enrolled in Medicare since 2015.",
    ),
    Trap(
        "medicare.is_medicare_beneficiary", True, "He will become a Medicare beneficiary if SSDI is awarded."
    ),
    Trap("medicare.is_medicare_beneficiary", True, "The claimant denied that he was a Medicare beneficiary."),
    Trap("medicare.is_medicare_beneficiary", True, "Rule out Medicare beneficiary status before settlement."),
    Trap("medicare.is_medicare_beneficiary", True, "She has yet to be identified as a Medicare beneficiary."),
    Trap("mmi_status.is_mmi", True, "The patient has failed to reach maximum medical improvement."),
    Trap("mmi_status.is_mmi", True, "Prior to reaching MMI he will need four more weeks."),
    Trap("mmi_status.is_mmi", True, "I would expect her to be permanent and stationary by June."),
    Trap("mmi_status.is_mmi", True, "He is far from permanent and stationary."),
    Trap(
        "mmi_status.is_mmi",
        True,
        "Dr. Ode's finding that she was permanent and stationary has been withdrawn.",
    ),
    Trap("mmi_status.is_mmi", True, "It would be wrong to call him permanent and stationary."),
    Trap("mmi_status.is_mmi", True, "It is too early to declare maximum medical improvement."),
    Trap("subrogation.has_subrogation_potential", True, "Subrogation was ruled out."),
    Trap("subrogation.has_subrogation_potential", True, "No evidence of third-party liability was found."),
    Trap("subrogation.has_subrogation_potential", True, "Subrogation potential: none that we can see"),
    Trap(
        "subrogation.has_subrogation_potential",
        True,
        "We looked into subrogation and closed the issue without recovery potential.",
    ),
    Trap("litigation.is_litigated", True, "The application for adjudication was withdrawn before filing."),
    Trap("litigation.is_litigated", True, "Her prior claim of 2011 was litigated."),
    Trap("litigation.is_litigated", True, "He never retained an attorney and no application was filed."),
    Trap("litigation.is_litigated", True, "Should he hire counsel, the claim would be litigated."),
    Trap("future_medical.is_recommended", True, "Future medical care is not anticipated."),
    Trap("future_medical.is_recommended", True, "The doctor saw no need for future medical treatment."),
    Trap("future_medical.is_recommended", True, "He declined to recommend future medical care."),
    Trap("work_status.sjdb_voucher_issued", True, "The voucher has not gone out."),
    Trap("work_status.sjdb_voucher_issued", True, "The SJDB voucher was withheld."),
    Trap(
        "work_status.sjdb_voucher_issued", True, "A voucher would issue only if no modified work is offered."
    ),
    Trap(
        "claimed_injury_description.on_employer_premises",
        True,
        "The accident did not happen on the employer's premises.",
    ),
    Trap(
        "claimed_injury_description.on_employer_premises",
        True,
        "It happened far from the employer's premises.",
    ),
    Trap(
        "utilization_review.decision", "certified", "The request was withdrawn before it could be certified."
    ),
    Trap("utilization_review.decision", "certified", "The reviewer declined to certify the requested MRI."),
    Trap("utilization_review.decision", "certified", "The request for surgery cannot be approved."),
    Trap("utilization_review.decision", "denied", "The request for therapy was never denied."),
    Trap("utilization_review.decision", "denied", "The earlier denial of the MRI was overturned."),
    Trap("compensability.decision", "accepted", "We have declined to accept liability for this claim."),
    Trap("compensability.decision", "accepted", "We have not yet decided whether the claim is accepted."),
    Trap(
        "compensability.decision", "accepted", "The claim would be accepted if the witness confirms the fall."
    ),
    Trap("compensability.decision", "denied", "The denial of March 3 was withdrawn."),
    Trap("compensability.decision", "denied", "We would have denied the claim but for the video."),
    Trap("body_parts.accepted_body_parts", "left hip", "We never agreed to cover the left hip."),
    Trap("body_parts.accepted_body_parts", "psyche", "Accepted body parts do not include the psyche."),
    Trap("body_parts.accepted_body_parts", "right knee", "The claim for the right knee was withdrawn."),
    Trap(
        "body_parts.accepted_body_parts",
        "cervical spine",
        "The request that the cervical spine be accepted was refused.",
    ),
    Trap("diagnoses.diagnosis_list", "lumbar radiculopathy", "Diagnosis: rule out lumbar radiculopathy."),
    Trap("diagnoses.diagnosis_list", "rotator cuff tear", "There is no evidence of a rotator cuff tear."),
    Trap("diagnoses.diagnosis_list", "diabetes", "Family history: father with diabetes."),
    Trap("diagnoses.diagnosis_list", "fracture", "X-rays ruled out a fracture (S62.101A)."),
    Trap("treatment.medications", "Norco", "He declined Norco 5/325 mg."),
    Trap("treatment.medications", "tramadol", "Tramadol 50 mg was discontinued."),
    Trap("treatment.medications", "Lipitor", "His wife takes Lipitor 20 mg daily."),
    Trap("treatment.medications", "Celebrex", "If pain persists I would start Celebrex 200 mg daily."),
    Trap("treatment.surgeries", "fusion", "The lumbar fusion set for 03/05/2024 was cancelled."),
    Trap(
        "treatment.surgeries",
        "arthroscopy",
        "He never underwent the knee arthroscopy that was authorized on 02/01/2024.",
    ),
    Trap("treatment.surgeries", "appendectomy", "His brother underwent appendectomy on 04/02/2020."),
    Trap("liens.filed_liens", "Corbel Imaging", "Corbel Imaging withdrew its lien for $900.00."),
    Trap("liens.filed_liens", "Delta Copy", "Delta Copy threatened to file a lien for $450.00 but did not."),
    Trap("work_status.return_to_work_date", "2024-05-06", "He failed to return to work on 05/06/2024."),
    Trap(
        "work_status.return_to_work_date",
        "2024-05-06",
        "She would have returned to work on 05/06/2024 had the office been open.",
    ),
    Trap(
        "settlement.settlement_type",
        "compromise_and_release",
        "The parties discussed a C&R, which the applicant declined.",
    ),
    Trap("settlement.amount", 48000, "A C&R at $48,000.00 was offered and refused."),
    Trap(
        "treating_physician.name", "Ola Brandt", "Dr. Ola Brandt is no longer the primary treating physician."
    ),
    Trap(
        "attorneys.applicant_attorney_name",
        "Teo Brandis",
        "Teo Brandis, Esq. was relieved as applicant attorney on 02/02/2024.",
    ),
    Trap("metadata.examiner_name", "Ines Korhola", "Former claims examiner: Ines Korhola"),
    Trap("mmi_status.mmi_date", "2024-09-01", "I expect MMI on 09/01/2024."),
    Trap("permanent_disability.wpi_percent", 12, "His brother was rated at 12% WPI."),
    Trap("litigation.next_hearing_date", "2024-08-20", "The hearing of 08/20/2024 is vacated."),
    Trap(
        "compensability.decision",
        "denied",
        "The inquiry goes on and we cannot accept or deny your claim today.",
    ),
    Trap("mmi_status.mmi_date", "2024-09-01", "If all goes well, expect MMI 09/01/2024 without impairment."),
    Trap(
        "wages.average_weekly_wage",
        980.5,
        "AWW: the first sheet gave $980.50; the corrected sheet shows $1,044.25.",
        is_role=True,
    ),
    Trap("body_parts.accepted_body_parts", "only", "We have accepted the left hip only.", is_role=True),
)
