"""What was asked and found out: the statement transcript and the AOE/COE report."""

from citation_pipeline_tests.sample_claim.drawing import Style
from citation_pipeline_tests.sample_claim.flow import Paper

_EXCHANGES = (
    (
        "This is Kiyomi Albright with Palisade, it is October 3, 2024. Please say and spell your name.",
        "{full_name|Leocadia Barragán}, L-E-O-C-A-D-I-A, B-A-R-R-A-G-A-N.",
    ),
    ("Do I have your permission to record this?", "Yes."),
    ("When were you born?", "{date_of_birth|June 23, 1979}."),
    (
        "Where do you work and since when?",
        "{employer.name|Harbor Loaf}, the bakery on Anaheim Street. Since {date_of_hire|March 4, 2013}.",
    ),
    ("What do you do there?", "I am the {occupation|bakery production lead} on second shift."),
    ("What are you paid?", "{hourly_rate|$27.40} an hour, and there is overtime nearly every week."),
    (
        "The clinic wrote that this happened on September 11. Is that right?",
        "No. The 11th was my day off. It was Thursday, {date_of_injury|September 12, 2024}.",
    ),
    ("About what time?", "Around 7:15 in the evening, right before the second break."),
    ("Which room were you in?", "{injury_location|Proofing room 2 in Plant B}."),
    (
        "Tell me what happened, step by step.",
        "{mechanism_of_injury|I was pushing a full dough rack and one of the casters locked. The rack tipped "
        "and it pulled my right arm down with it, and I landed on my right knee.}",
    ),
    ("How heavy is a full rack?", "They say three hundred pounds. It takes two people to lift one end."),
    ("Did anybody see it?", "Efraín and Tamsin. They got the rack off me."),
    (
        "Whom did you tell?",
        "Nobody from the office was there at night. I told Mr. Haskell first thing the next morning, "
        "{date_reported|September 13}.",
    ),
    ("Had you hurt that shoulder or that knee before?", "No, never."),
    ("Any earlier workers' compensation claims?", "One burn on my hand, 2016. I did not miss work."),
    ("Any other job now, or sports?", "No other job. I sing in a choir, that is all."),
    ("Which hand were you holding the rack with?", "Both at first, then only the right one."),
    ("Did you fall flat or on one knee?", "On the right knee, on the tile. The floor is hard there."),
    ("Were there dough or water on the floor?", "A little flour. It was not slippery."),
    ("What shoes did you wear?", "The black non-slip ones they give us."),
    (
        "What happened after they got the rack off?",
        "I sat on a flour bin. My shoulder was burning. They brought ice from the walk-in.",
    ),
    ("Did you finish the shift?", "No. I clocked out at 7:50, and my sister picked me up."),
    (
        "When did you first see a doctor?",
        "The next day. Mr. Haskell sent me to the clinic on Santa Fe Avenue.",
    ),
    ("What did the doctor give you?", "A sling, a sleeve for the knee, and pills, six hundred milligrams."),
    ("Have you worked since?", "Not one day."),
    (
        "Were the casters reported before?",
        "There is a tag on that rack since July. Everybody knows it pulls left.",
    ),
    ("Who owns the racks?", "The bakery. Maintenance welds them in house."),
    ("Do you have any pain in your back?", "No. Shoulder and knee."),
    ("Do you have a lawyer?", "{is_litigated=false|No, I do not.}"),
    ("Are you on Medicare or Social Security disability?", "{is_medicare_beneficiary|No, neither one.}"),
    ("Is there anything you want to add?", "I would like to go back to my job."),
    ("Thank you. Was everything you said true to the best of your knowledge?", "Yes."),
)


def transcript(new) -> Paper:
    """Pleading paper with numbered lines, two speakers named in full."""
    style = Style("Courier", 10.2, leading=2.05)

    def furniture(paper: Paper) -> None:
        small = Style("Courier", 8)
        paper.rule(84, 40, 84, paper.height - 40)
        for number in range(1, 33):
            y = paper.top + (number - 1) * style.step
            paper.stamp(str(number), x=52, y=y, width=24, style=small, align="right")
        foot = f"Barragán statement - {paper.page}"
        paper.stamp(foot, x=84, y=paper.height - 34, width=paper.width - 150, style=small, align="center")

    paper = new(style=style, margin=(96, 54, 60, 50), furniture=furniture)
    paper.line(
        "TRANSCRIPT OF RECORDED TELEPHONE STATEMENT", style=style.bold(), align="center", layout="title"
    )
    for question, answer in _EXCHANGES:
        paper.line(f"ALBRIGHT: {question}", layout="qa")
        paper.line(f"BARRAGÁN: {answer}", layout="qa")
    paper.line("(End of recording, 14 minutes.)")
    return paper


def report(new) -> Paper:
    def furniture(paper: Paper) -> None:
        small = Style("Times", 8.5, weight=2)
        paper.stamp("Brightwater Investigations, Lic. PI 99417", x=paper.left, y=34, style=small)
        paper.stamp(
            f"{paper.page}", x=paper.left, y=paper.height - 44, width=paper.span, style=small, align="center"
        )

    style = Style("Times", 11.5, leading=1.32)
    paper = new(style=style, margin=(84, 64, 84, 64), furniture=furniture)
    paper.title("Report of Investigation: AOE/COE", size=17, after=10)
    rows = [
        (
            "Client",
            "{claims_administrator|Palisade Claims Alliance}, attention {examiner_name=Kiyomi "
            "Albright|Kiyomi Albright}",
        ),
        ("Client's file", "{claim_number|PCA-24-0091827}"),
        ("Subject", "{full_name|Leocadia Barragán}"),
        ("Date of loss", "{date_of_injury|September 12, 2024}"),
        ("Reported", "November 18, 2024"),
    ]
    paper.pairs(rows, gutter=110, leader=".", label_style=style)
    paper.section("Assignment")
    paper.para(
        "We were asked to establish whether the subject was hurt at work and to look for other parties at "
        "fault.",
        "We visited the bakery on November 6, 2024 and spoke to four people.",
    )
    paper.section("Employer")
    paper.para(
        "{employer.name|Harbor Loaf Baking Company, Inc.} bakes bread for restaurants at "
        "{employer.address|2275 W. Anaheim Street, Long Beach, CA 90813}.",
        "The subject was hired on {date_of_hire|March 4, 2013} and has been {occupation|bakery production "
        "lead} since 2019.",
        "She has no discipline on file.",
    )
    paper.section("Efraín Castellan, mixer operator")
    paper.para(
        "Mr. Castellan was ten feet away.",
        "He says a front caster jammed on the floor drain, the rack went over to the right, and the subject "
        "held on to it and went down with it.",
        "He puts the time at a little after seven.",
    )
    paper.section("Tamsin Oakes, packer")
    paper.para(
        "Ms. Oakes heard the crash and saw the rack on its side with the subject on her right knee.",
        "She helped to lift it.",
    )
    paper.section("Royce Haskell, plant manager")
    paper.para(
        "Mr. Haskell learned of the event at 6:40 a.m. on {date_reported|September 13, 2024}, when the "
        "subject came to his office.",
        "The floor belongs to the employer: {on_employer_premises|the event took place inside Plant B}.",
        "The rack was welded in house, so {has_subrogation_potential|there is no third party to pursue}.",
    )
    paper.section("Odalys Trent, human resources")
    paper.para(
        "Ms. Trent gave the claim form to the subject on the day the plant manager learned of the event and "
        "received it back on September 16, 2024.",
        "She wrote September 12, 2024 on the employer's report after reading the time clock: the subject "
        "punched in at 2:58 p.m. and out at 7:50 p.m. that day, and was off on September 11.",
        "She confirmed the hourly rate of {hourly_rate|$27.40} and will send payroll for the year before.",
    )
    paper.section("The room")
    paper.para(
        "Proofing room 2 is twelve feet wide with a tiled floor and a trench drain across the doorway.",
        "The grate of the drain stands three eighths of an inch above the tile on its left side.",
        'The rack, no. 14, was still tagged "pulls left" when we saw it, and one front caster did not turn.',
        "Six photographs are kept in our file.",
    )
    paper.section("Index search")
    paper.para(
        "One earlier claim was found, a burn of the hand in 2016, closed without indemnity.",
        "We saw {siu_referral|no reason to refer the file to a special investigations unit}.",
    )
    paper.section("Conclusion")
    paper.para(
        "{aoe_coe_findings|The injury arose out of and occurred in the course of employment; two co-workers "
        "saw the rack tip.}",
        "We recommend no further work.",
    )
    paper.signature("Judith Ekström", "Field investigator")
    return paper
