"""The 26 papers of the claim: file names, kinds and dates, and which function draws each."""

from collections.abc import Callable
from dataclasses import dataclass

from citation_pipeline_tests.sample_claim.documents import administrator as adm
from citation_pipeline_tests.sample_claim.documents import authorization as auth
from citation_pipeline_tests.sample_claim.documents import (
    board,
    employer,
    evaluation,
    investigation,
    ledger,
    medical,
    notices,
    payroll,
    progress,
    reserves,
    settlement,
)
from citation_pipeline_tests.sample_claim.flow import Paper

LETTER, LANDSCAPE = (612.0, 792.0), (792.0, 612.0)


@dataclass(frozen=True)
class PaperSpec:
    """One file of the claim: `kind` is text, scanned or encrypted_readable, `rotate` the pages' /Rotate."""

    file: str
    doc_type: str
    date: str
    draw: Callable[..., Paper]
    kind: str = "text"
    size: tuple[float, float] = LETTER
    rotate: int = 0


PAPERS = (
    PaperSpec(
        "scan0017.pdf", "Workers' Compensation Claim Form (DWC 1)", "2024-09-16", employer.dwc1, "scanned"
    ),
    PaperSpec("5020 Harbor Loaf.pdf", "Employer's Report (Form 5020)", "2024-09-17", employer.form_5020),
    PaperSpec("DFR Dockside 091324.pdf", "Doctor's First Report (5021)", "2024-09-13", medical.first_report),
    PaperSpec("Barragan payroll 52 wks.pdf", "Wage Statement", "2025-01-21", payroll.wage_statement),
    PaperSpec("BN delay 9-27-24.pdf", "Benefit Notice - delay", "2024-09-27", notices.delay),
    PaperSpec(
        "Stmt_transcript_LB.pdf", "Recorded Statement Transcript", "2024-10-03", investigation.transcript
    ),
    PaperSpec("Brightwater rpt.pdf", "AOE/COE Investigation Report", "2024-11-18", investigation.report),
    PaperSpec("BN accept 12-6-24.pdf", "Benefit Notice - acceptance", "2024-12-06", notices.acceptance),
    PaperSpec("Op note R shoulder.pdf", "Operative Report", "2025-01-14", medical.operative_report),
    PaperSpec("BN TD change.pdf", "Benefit Notice - TD rate", "2025-01-24", notices.temporary_disability),
    PaperSpec("App for Adjudication.pdf", "Application for Adjudication", "2025-03-11", board.application),
    PaperSpec("Nguyen PR-4.pdf", "PTP's Permanent and Stationary Report (PR-4)", "2025-04-10", progress.pr4),
    PaperSpec("Achterberg PQME.pdf", "Panel QME Report", "2025-08-19", evaluation.qme_report),
    PaperSpec(
        "Lien - Los Cerritos.pdf", "Notice and Request for Allowance of Lien", "2025-08-18", settlement.lien
    ),
    PaperSpec("PR2 2025-10-30.pdf", "PTP's Progress Report (PR-2)", "2025-10-30", progress.pr2),
    PaperSpec("RFA_HA_knee.pdf", "Request for Authorization", "2025-11-10", auth.request),
    PaperSpec("EOR 11122025.pdf", "Explanation of Review", "2025-11-12", auth.review, "text", LANDSCAPE, 90),
    PaperSpec(
        "Clearline UR 11.17.25.pdf", "Utilization Review Determination", "2025-11-17", auth.determination
    ),
    PaperSpec("NOH contd MSC.pdf", "Notice of Hearing", "2025-11-19", board.notice_of_hearing),
    PaperSpec(
        "FW_ liens and draft.pdf",
        "E-mail correspondence",
        "2025-12-02",
        settlement.email,
        "encrypted_readable",
    ),
    PaperSpec(
        "C&R draft v2.pdf", "Compromise and Release (draft)", "2025-12-03", settlement.compromise_and_release
    ),
    PaperSpec("Reserves Dec.pdf", "Reserve Worksheet", "2025-12-04", reserves.reserve_worksheet),
    PaperSpec("PAYHIST.pdf", "Payment Ledger", "2025-12-05", ledger.payment_history, "text", LANDSCAPE),
    PaperSpec("Adjuster Activity Log.pdf", "Claim Notes", "2025-12-05", adm.activity_log),
    PaperSpec(
        "Medical Status and Treating Physician Snapshot.pdf",
        "Claim Status Report",
        "2025-12-05",
        adm.medical_status_snapshot,
    ),
    PaperSpec(
        "Claim Metadata Snapshot.pdf", "Claim Status Report", "2025-12-05", adm.claim_metadata_snapshot
    ),
)
