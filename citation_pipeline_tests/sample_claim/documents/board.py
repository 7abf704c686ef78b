"""Papers of the appeals board: application, hearing notice, and the caption that pleadings share."""

from citation_pipeline_tests.sample_claim.drawing import Style
from citation_pipeline_tests.sample_claim.flow import Paper


def caption(paper: Paper, title: str) -> None:
    """Pleading caption: parties left of a bracket, case number and title on the right."""
    style = paper.style
    paper.line("WORKERS' COMPENSATION APPEALS BOARD", style=style.bold(), align="center")
    paper.line("STATE OF CALIFORNIA", style=style.bold(), align="center", after=14)
    top, left, right = paper.y, paper.left, paper.right
    middle = left + paper.span * 0.52
    paper.right = middle - 12
    paper.line("{full_name|LEOCADIA BARRAGÁN},", layout="caption")
    paper.line("Applicant,", x=left + 90, after=8)
    paper.line("vs.", x=left + 30, after=8)
    paper.line("{employer.name|HARBOR LOAF BAKING COMPANY, INC.};", layout="caption")
    paper.line(
        "{insurance_carrier|CORDILLERA PACIFIC INSURANCE COMPANY}, administered by "
        "{claims_administrator|PALISADE CLAIMS ALLIANCE},",
        layout="caption",
    )
    paper.line("Defendants.", x=left + 90, after=6)
    bottom = paper.y
    paper.rule(middle, top, middle, bottom)
    paper.rule(left, bottom, middle, bottom)
    paper.left, paper.right, paper.y = middle + 14, right, top
    paper.line("Case No. {adj_number|ADJ20418836}", style=style.bold(), layout="caption", after=10)
    paper.line(title, style=style.bold(), layout="title", after=10)
    paper.line("District office: {wcab_venue|Long Beach}", layout="caption")
    paper.left, paper.y = left, max(bottom, paper.y) + 16


def line_foot(text: str):
    def furniture(paper: Paper) -> None:
        small = Style("Times", 8.5)
        paper.rule(paper.left, paper.height - 48, paper.right, paper.height - 48, weight=0.4)
        paper.stamp(
            f"{text} - {paper.page}",
            x=paper.left,
            y=paper.height - 44,
            style=small,
            width=paper.span,
            align="center",
        )

    return furniture


def application(new) -> Paper:
    style = Style("Times", 11.5, leading=1.42)
    paper = new(
        style=style, margin=(76, 60, 76, 66), furniture=line_foot("APPLICATION FOR ADJUDICATION OF CLAIM")
    )
    paper.line("{applicant_attorney_name|Philippa Oyelaran} (SBN 287714)", layout="letterhead")
    paper.line("{applicant_attorney_firm|Oyelaran & Stroud, APC}", layout="letterhead")
    paper.line("4401 Atlantic Avenue, Suite 210, Long Beach, California 90807", layout="letterhead")
    paper.line("Attorneys for applicant", layout="letterhead", after=16)
    caption(paper, "APPLICATION FOR ADJUDICATION OF CLAIM")
    paper.items(
        [
            "Applicant, born {date_of_birth|06/23/1979}, while employed as a {occupation|bakery production "
            "lead} at {wcab_venue|Long Beach}, California, claims injury arising out of and in the course of "
            "employment.",
            "The injury is a {injury_type|specific injury} of {date_of_injury|09/12/2024}.",
            "Parts of body claimed: {accepted_body_parts#0|right shoulder}, {accepted_body_parts#1|right "
            "knee}, {disputed_body_parts#0|lumbar spine}, {disputed_body_parts#1|psyche}.",
            "The injury occurred as follows: {mechanism_of_injury|a caster of the loaded dough rack she was "
            "pushing locked, the rack tipped and dragged her right arm down, and she fell onto her right "
            "knee}.",
            "Actual earnings at the time of injury were {average_weekly_wage|$1,214.70} per week, at an "
            "hourly rate of {hourly_rate|$27.40}.",
            "Compensation was paid at the weekly rate of {weekly_rate|$809.80}.",
            "Unemployment or disability benefits have been received from EDD since the injury.",
            "This application is filed because of a disagreement about permanent disability, further medical "
            "treatment, and the lumbar spine and psyche.",
        ],
        bullet="1.",
        indent=0,
        spacing=6,
    )
    paper.para("Dated: {is_litigated|March 11, 2025, filed} at the Long Beach district office.")
    paper.signature("Philippa Oyelaran", "Attorney for Applicant")
    paper.gap(14)
    paper.section("PROOF OF SERVICE", ruled=True)
    paper.para(
        "I am over eighteen and not a party.",
        "On March 11, 2025 I served this application by mail on Palisade Claims Alliance and on Harbor Loaf "
        "Baking Company, Inc.",
    )
    paper.signature("Marguerite Toll")
    return paper


def notice_of_hearing(new) -> Paper:
    style = Style("Courier", 10, leading=1.4)
    paper = new(style=style, margin=(66, 60, 66, 60))
    caption(paper, "NOTICE OF HEARING (CONTINUED)")
    paper.para("YOU ARE NOTIFIED that the above case is set for hearing as follows:")
    paper.pairs(
        [
            ("TYPE", "Mandatory settlement conference"),
            ("DATE", "{next_hearing_date|January 27, 2026}"),
            ("TIME", "8:30 a.m."),
            ("JUDGE", "Hon. Rosalind Abernathy-Cho"),
            ("PLACE", "{wcab_venue|Long Beach} district office, 1500 Hughes Way, Suite C203"),
            ("PRIOR DATE", "{next_hearing_date=2025-11-18|November 18, 2025}, continued on joint request"),
        ],
        gutter=96,
    )
    paper.para(
        "Parties shall meet and confer before the conference and shall bring a completed pre-trial "
        "conference statement.",
        "Failure to appear may result in dismissal or in an order made on the record.",
    )
    paper.para("Served November 19, 2025 on all parties of the official address record:")
    paper.items(
        [
            "{applicant_attorney_name|Philippa Oyelaran}, {applicant_attorney_firm|Oyelaran & Stroud, APC}",
            "{defense_attorney_name|Gideon Matsunaga}, Matsunaga Fell LLP",
            "{filed_liens#0|Los Cerritos Surgical Pavilion}",
            "{filed_liens#1|Employment Development Department}",
        ],
        bullet="*",
    )
    return paper
