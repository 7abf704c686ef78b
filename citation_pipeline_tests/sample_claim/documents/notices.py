"""Benefit notices of the claims administrator to the worker."""

from citation_pipeline_tests.sample_claim.drawing import Style
from citation_pipeline_tests.sample_claim.flow import Column, Paper, table

_RIGHTS = (
    "You have a right to disagree with decisions affecting your claim. If you do, call the claims adjuster "
    "named in this letter first.",
    "For free help with a workers' compensation problem you may call a state Information and Assistance "
    "(I&A) officer at the Long Beach district office, or hear recorded information at 1-800-736-7401.",
    "You can consult an attorney. Most attorneys offer one free consultation, and their fee is taken out of "
    "the benefits that a judge awards.",
)


def _foot(paper: Paper) -> None:
    small = Style("Helvetica", 7.5, grey=0.3)
    post, phone = "P.O. Box 30771, Long Beach, CA 90853", "tel 562 555 0170 · fax 562 555 0171"
    text = f"Palisade Claims Alliance · {post} · {phone}"
    paper.stamp(text, x=paper.left, y=paper.height - 40, width=paper.span, style=small, align="center")
    if paper.page > 1:
        paper.stamp(f"Page {paper.page}", x=paper.left, y=34, width=paper.span, style=small, align="right")


def _letter(new, *, day: str, subject: str, size: float = 11.0) -> Paper:
    style = Style("Helvetica", size - 0.5, leading=1.36)
    paper = new(style=style, margin=(78, 62, 78, 62), furniture=_foot)
    paper.frame(paper.left, paper.y, 5, 34, weight=0, fill=0.25)
    paper.line(
        "{claims_administrator|Palisade Claims Alliance}",
        style=style.bold().sized(15),
        x=paper.left + 13,
        layout="letterhead",
    )
    paper.line(
        "for Cordillera Pacific Insurance Company", style=style.sized(8.5), x=paper.left + 13, after=18
    )
    paper.line(day, align="right", after=10)
    paper.lines("Leocadia Barragán", "614 Obispo Avenue", "Long Beach, CA 90804", layout="address")
    paper.gap(14)
    x = paper.left + 40
    for label, value in (
        ("RE:", subject),
        ("Employee", "{full_name|Leocadia Barragán}"),
        ("Employer", "{employer.name|Harbor Loaf Baking Company, Inc.}"),
        ("Injured on", "{date_of_injury|September 12, 2024}"),
        ("Claim", "{claim_number|PCA-24-0091827}"),
    ):
        paper.y += paper.pair(label, value, x=x, gutter=76)
    paper.gap(12)
    paper.para("Dear Ms. Barragán,")
    return paper


def _rights(paper: Paper) -> None:
    paper.section("YOUR RIGHTS")
    for text in _RIGHTS:
        paper.para(text, style=paper.style.sized(9.2), after=5)


def _close(paper: Paper, name: str) -> None:
    paper.gap(4)
    paper.para("Very truly yours,")
    paper.signature(name, "Claims adjuster")
    paper.gap(8)


def delay(new) -> Paper:
    paper = _letter(
        new, day="September 27, 2024", subject="Why a decision about your injury will take longer"
    )
    paper.para(
        "We have your claim form, which your employer received on September 16, 2024.",
        "We cannot say yet whether your injury is covered: on "
        "{compensability.decision_date=2024-09-27|September 27, 2024} we "
        "{compensability.decision=delayed|placed the claim on delay}.",
    )
    paper.para(
        "We still need a statement from you, the names of the people who saw what happened, and the records "
        "of the Dockside Occupational Clinic.",
        "You should hear from us by December 15, 2024.",
        "If we have not denied the claim within 90 days of the date your employer received the form, your "
        "injury is presumed covered (Labor Code section 5402).",
    )
    paper.para(
        "Until then we will pay for treatment that follows the medical treatment utilization schedule, up to "
        "$10,000.",
        "Temporary disability is not being paid while the claim is on delay.",
    )
    _rights(paper)
    _close(paper, "{examiner_name=Kiyomi Albright|Kiyomi Albright}")
    paper.turn()
    paper.section("WHAT TO SEND US", ruled=True)
    paper.items(
        [
            "the signed medical release enclosed with this letter",
            "names and telephone numbers of anyone who saw the event",
            "a list of doctors who treated your right shoulder or right knee in the last ten years",
        ],
        bullet="1.",
        spacing=3,
    )
    paper.section("IF YOU RECEIVE STATE DISABILITY", ruled=True)
    paper.para(
        "Because we are not paying temporary disability yet, you may apply to the Employment Development "
        "Department (EDD) for state disability insurance.",
        "If we accept the claim later, EDD may ask us to pay it back.",
    )
    return paper


def acceptance(new) -> Paper:
    paper = _letter(new, day="December 6, 2024", subject="We accept your claim")
    paper.para(
        "After our investigation we {compensability.decision|accept} liability for your injury as of "
        "{compensability.decision_date|December 6, 2024}.",
        "The parts of the body we accept are your {accepted_body_parts#0|right shoulder} and your "
        "{accepted_body_parts#1|right knee}.",
    )
    paper.para(
        "Temporary total disability is owed from {start_date|September 16, 2024}, after the three-day "
        "waiting period.",
        "A first check of $8,768.04 covers September 16 through December 8, 2024.",
        "Your weekly rate is {weekly_rate=730.67|$730.67}, two thirds of average weekly earnings of "
        "{average_weekly_wage=1096.00|$1,096.00} as your employer reported them.",
    )
    paper.para(
        "If you believe the earnings are wrong, send us your pay stubs for the year before the injury.",
        "Further checks follow every two weeks for as long as your physician keeps you off work, up to 104 "
        "weeks within five years.",
    )
    paper.para(
        "Your treating physician in our medical provider network is {treating_physician.name|Thuy-Linh "
        "Nguyen, M.D.}, {facility|Signal Hill Orthopaedic Associates}.",
        "Mileage to medical visits is paid at 67 cents a mile.",
    )
    _rights(paper)
    _close(paper, "{examiner_name=Kiyomi Albright|Kiyomi Albright}")
    paper.line("Copy: Odalys Trent, Harbor Loaf Baking Company, Inc.", style=paper.style.sized(9))
    paper.turn()
    paper.section("HOW WE FIGURED YOUR FIRST CHECK", ruled=True)
    columns = [Column("Step", 50), Column("Amount", 18, "right")]
    rows = [
        ["Weekly earnings reported by your employer", "$1,096.00"],
        ["Two thirds of that", "$730.67"],
        ["Weeks from September 16 to December 8, 2024", "12"],
        ["Twelve weeks at that rate", "$8,768.04"],
    ]
    table(paper, columns, rows, width=360, padding=3.5)
    paper.gap(12)
    paper.section("TREATMENT AND CHOICE OF PHYSICIAN", ruled=True)
    paper.para(
        "You may change to another physician of the network at any time after your first visit.",
        "If you disagree with a diagnosis or a treatment plan you may ask for a second and a third opinion "
        "in the network.",
        "Requests for treatment go through utilization review, and a refusal may be taken to independent "
        "medical review.",
    )
    paper.section("GOING BACK TO WORK", ruled=True)
    paper.para(
        "Tell us at once if you return to any work, also part time.",
        "Your employer may offer you work within the limits your physician sets.",
        "If a permanent disability keeps you from your job and your employer has no other work for you, you "
        "may be entitled to a supplemental job displacement benefit.",
    )
    return paper


def temporary_disability(new) -> Paper:
    paper = _letter(new, day="January 24, 2025", subject="Your temporary disability rate has changed")
    paper.para(
        "Your employer sent us 52 weeks of payroll, and your overtime counts.",
        "Your average weekly earnings are {average_weekly_wage|$1,214.70} and not $1,096.00.",
        "Your temporary disability rate is therefore {weekly_rate|$809.80} per week, beginning with the "
        "first day we owed you, {start_date|September 16, 2024}.",
    )
    paper.para(
        "We have paid you for 18 weeks at the old rate.",
        "The difference of $79.13 for each of those weeks, $1,424.34 in all, is being mailed today.",
    )
    _rights(paper)
    _close(paper, "{examiner_name=Kiyomi Albright|Kiyomi Albright}")
    return paper
