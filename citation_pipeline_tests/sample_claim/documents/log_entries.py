"""The entries of the adjuster activity log, newest first, in an adjuster's shorthand."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True)
class Entry:
    """One dated note."""

    entered: str
    by: str
    topic: str
    note: str

    @property
    def moment(self) -> datetime:
        return datetime.strptime(self.entered, "%m/%d/%Y %H:%M")

    @property
    def date(self) -> str:
        return self.moment.date().isoformat()


_WRITTEN = (
    Entry(
        "12/04/2025 16:12",
        "DF",
        "Plan",
        "Next diary {next_diary_date|01/05/2026}. To do: {action_items#0|Send the revised C&R to applicant's "
        "counsel} by {action_items#0.due_date|12/19/2025}; {action_items#1|negotiate the Los Cerritos lien} "
        "by {action_items#1.due_date|01/12/2026}; {action_items#2|prepare the MSC statement with defense "
        "counsel} by {action_items#2.due_date|01/20/2026}.",
    ),
    Entry(
        "12/04/2025 15:40",
        "DF",
        "Reserves",
        "Raised O/S indemnity to {indemnity_reserve|$38,500.00} and O/S medical to "
        "{medical_reserve|$27,250.00} after panel report. Supv approved.",
    ),
    Entry(
        "12/01/2025 09:25",
        "DF",
        "Liens",
        "EAMS lien check: three filed, total {total_lien_amount|$26,638.85}. {expected_liens#0|Ocean "
        "Boulevard Interpreting} expected to file, est. {expected_liens#0.estimated_amount|$900.00}.",
    ),
    Entry(
        "11/28/2025 11:03",
        "DF",
        "Medicare",
        "S111 query back: IW is {is_medicare_beneficiary|not a Medicare beneficiary}. No SSDI application "
        "per AA.",
    ),
    Entry(
        "11/18/2025 14:31",
        "DF",
        "Legal",
        "MSC of {next_hearing_date=2025-11-18|11/18/2025} continued at joint request, new date "
        "{next_hearing_date|01/27/2026}, Judge Abernathy-Cho.",
    ),
    Entry(
        "11/17/2025 17:20",
        "UR",
        "UR",
        "HA inj R knee x3 {utilization_review.decision|non-certified} "
        "{utilization_review.decision_date|11/17/2025}. IMR form to IW and AA with letter.",
    ),
    Entry(
        "11/12/2025 10:08",
        "KB",
        "Billing",
        "EOR mailed to Signal Hill for DOS 10/30. Fee schedule reduction only.",
    ),
    Entry(
        "10/31/2025 13:55",
        "DF",
        "Medical",
        "PR-2 of 10/30 in. Meds unchanged. Next OV {next_appointment_date|01/15/2026}. Dr. asks HA series, "
        "told office to send RFA.",
    ),
    Entry(
        "11/05/2025 09:12",
        "DF",
        "Contact",
        "TC from AA office, wants status of knee inj. Told them RFA not in yet.",
    ),
    Entry(
        "10/20/2025 15:37", "DF", "Payments", "Q3 audit of PD advances done: 14 checks, no gaps, no late pay."
    ),
    Entry("10/14/2025 08:47", "DF", "Contact", "LM for AA re demand. IW vm box full."),
    Entry(
        "09/30/2025 12:10",
        "DF",
        "Liens",
        "Served w/ lien of {filed_liens#2|Quill & Lantern Records Copy} ({filed_liens#2.lien_type|copy "
        "service}), {filed_liens#2.amount|$1,286.35}, filed {filed_liens#2.date_filed|09/30/2025}. Objection "
        "out.",
    ),
    Entry(
        "08/26/2025 15:02",
        "DF",
        "Med-legal",
        "PQME {evaluator_name|Achterberg} rpt rec'd, exam {evaluation_date|07/22/2025}: {wpi_percent|14%} "
        "WPI, {apportionment_percent|15%} non-ind. Sent to DA for rating.",
    ),
    Entry(
        "08/18/2025 09:31",
        "DF",
        "Liens",
        "Lien {filed_liens#0|Los Cerritos Surgical Pavilion} {filed_liens#0.amount|$18,940.50} for balance "
        "of 12/17/24 facility bill.",
    ),
    Entry(
        "08/05/2025 10:26",
        "DF",
        "Billing",
        "Los Cerritos bills again for 12/17/24. Already paid per OMFS, sent EOR copy.",
    ),
    Entry(
        "07/21/2025 08:58",
        "DF",
        "Med-legal",
        "Confirmed w/ Dr. Achterberg's office: IW appt tomorrow 9:30 Downey, records delivered 06/30. "
        "Mileage check out.",
    ),
    Entry(
        "07/09/2025 16:44", "DF", "Settlement", "AA demand $92,000.00 open 30 days. DA says too high w/o QME."
    ),
    Entry(
        "06/12/2025 10:20",
        "DF",
        "SJDB",
        "ER confirms no perm mod job. {sjdb_voucher_issued|SJDB voucher $6,000 issued} today w/ DWC-AD "
        "10133.32.",
    ),
    Entry(
        "06/10/2025 13:09",
        "DF",
        "Contact",
        "TC w/ Odalys Trent, HR. No job within 20 lb limit on any shift, oven line needs kneeling. Will put "
        "in writing.",
    ),
    Entry(
        "06/03/2025 11:30",
        "DF",
        "Review",
        "New to file. Read back to set-up. Diary set {next_diary_date=2025-07-21|07/21/2025}. Need: QME "
        "date, SJDB, lien list.",
    ),
    Entry(
        "06/02/2025 08:05",
        "SYS",
        "Assignment",
        "File transferred from {examiner_name=Kiyomi Albright|Kiyomi Albright} to {examiner_name|Desmond "
        "Farrow}.",
    ),
    Entry(
        "04/22/2025 11:37",
        "KA",
        "PD",
        "PD advances start at $290.00/wk from 04/10/2025. PTP says {wpi_percent=11|11%} WPI, "
        "{apportionment_percent=0|0%} apportionment.",
    ),
    Entry(
        "04/17/2025 09:14",
        "KA",
        "Medical",
        "PTP {declared_by+treating_physician.name|Dr. Nguyen} {is_mmi|declares P&S/MMI} as of "
        "{mmi_date|04/10/2025} for all accepted conditions.",
    ),
    Entry(
        "04/14/2025 14:20",
        "KA",
        "Indemnity",
        "Final TTD check out. TTD {start_date|09/16/2024} thru {end_date|04/09/2025}, 206 days.",
    ),
    Entry(
        "03/06/2025 10:52",
        "KA",
        "Medical",
        "OV today, still {current_status=off_work|TTD}. Tramadol d/c'd. Expects P&S "
        "{mmi_date=2025-05-30|05/30/2025}.",
    ),
    Entry(
        "03/18/2025 16:33",
        "KA",
        "Reserves",
        "O/S set: indemnity {indemnity_reserve=21000.00|$21,000.00}, medical "
        "{medical_reserve=15000.00|$15,000.00}, expense $5,000.00.",
    ),
    Entry(
        "03/14/2025 10:07",
        "KA",
        "Legal",
        "Application served, {adj_number|ADJ20418836}, venue {wcab_venue|Long Beach}. Claim is now "
        "{is_litigated|litigated}. Referred to {defense_attorney_name|Gideon Matsunaga}.",
    ),
    Entry(
        "02/20/2025 13:18",
        "KA",
        "Compensability",
        "IW now claims low back and stress. {disputed_body_parts#0|Lumbar spine} and "
        "{disputed_body_parts#1|psyche} not accepted, objection to AA. SJ.",
    ),
    Entry(
        "02/10/2025 08:33",
        "KA",
        "Liens",
        "{filed_liens#1.lien_type|EDD} lien {filed_liens#1.amount|$6,412.00} filed "
        "{filed_liens#1.date_filed|02/07/2025}, SDI paid 09/20-12/08/2024.",
    ),
    Entry("02/05/2025 09:40", "KA", "Medical", "PT 2x6 approved, Tidewater. Sling off next week per Dr. N."),
    Entry(
        "01/24/2025 15:49",
        "KA",
        "Indemnity",
        "AWW now {average_weekly_wage|$1,214.70} w/ OT from 52 wks payroll. TD rate {weekly_rate|$809.80}, "
        "was {weekly_rate=730.67|$730.67}. Adj check $1,424.34 issued.",
    ),
    Entry(
        "01/15/2025 11:11",
        "KA",
        "Medical",
        "Surg yesterday: {surgeries#1|arthroscopic rotator cuff repair, right shoulder}, no complications. "
        "{filed_liens=[]|No liens on EAMS to date.}",
    ),
    Entry(
        "01/02/2025 14:14",
        "KA",
        "UR",
        "Shoulder surgery certified 12/30. Scheduled Los Cerritos, 01/14, 7:30 am.",
    ),
    Entry(
        "12/18/2024 08:50",
        "KA",
        "Medical",
        "Knee scope done yesterday by {surgeries#0.surgeon|Dr. Salazar-Imai}, home same day. Crutches 10 "
        "days.",
    ),
    Entry(
        "12/06/2024 16:05",
        "KA",
        "Compensability",
        "Claim {compensability.decision|accepted} today {compensability.decision_date|12/06/2024}: "
        "{accepted_body_parts#0|right shoulder}, {accepted_body_parts#1|right knee}. "
        "{siu_referral|No SIU referral}. {has_subrogation_potential|No subro}, rack is ER's own.",
    ),
    Entry(
        "11/20/2024 09:58",
        "KA",
        "Investigation",
        "Brightwater rpt in. {aoe_coe_findings|Injury AOE/COE, two co-workers saw the rack tip.} Rec accept.",
    ),
    Entry(
        "10/22/2024 10:40",
        "KA",
        "Medical",
        "PTP changed from {treating_physician.name=Aldo Ferreira, D.O.|Dr. Ferreira} to Dr. Nguyen within "
        "MPN eff 10/21/2024.",
    ),
    Entry(
        "10/15/2024 16:48",
        "KA",
        "Medical",
        "MRI both authorized under LC 5402(c). Running total of the $10,000 cap: $641.20.",
    ),
    Entry(
        "10/08/2024 10:31",
        "KA",
        "Contact",
        "Called E. Castellan and T. Oakes x2 each, no answer. Assign to Brightwater.",
    ),
    Entry(
        "10/03/2024 14:26",
        "KA",
        "Contact",
        "RS taken. IW corrects first MD report: {date_of_injury=2024-09-11|09/11/2024} is wrong, it was "
        "{date_of_injury|09/12/2024} at about 19:15.",
    ),
    Entry(
        "09/27/2024 11:22",
        "KA",
        "Compensability",
        "{compensability.decision=delayed|Delay} notice sent "
        "{compensability.decision_date=2024-09-27|09/27/2024}. 90th day is 12/15/2024.",
    ),
    Entry(
        "09/17/2024 08:15",
        "KA",
        "Set-up",
        "New claim. ER knew {date_reported|09/13/2024}. {is_litigated=false|Not litigated.} AWW per 5020 "
        "{average_weekly_wage=1096.00|$1,096.00}.",
    ),
)
ENTRIES = tuple(sorted(_WRITTEN, key=lambda entry: entry.moment, reverse=True))
