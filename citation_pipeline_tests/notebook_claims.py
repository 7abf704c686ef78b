"""A few claims for the notebooks: run, reviewed, one document exchanged for a better scan, and run again."""

from collections.abc import Sequence
from pathlib import Path

from citation_pipeline.serving.settings import ServingSettings
from citation_pipeline_tests.commands import command
from citation_pipeline_tests.drawn_pdfs import Sheet, draw
from citation_pipeline_tests.viewer_claim.serving import client_of, decide

REPORT = (
    "Claim Status Report",
    "Claim Number: WC-2025-0{number}",
    "Date of Injury: 02/1{number}/2025",
    "Employer: Bright Harbor Cannery",
    "Average weekly wage: $1,21{number}.70",
    "The injured worker slipped on a wet floor beside the loading ramp and hurt the left knee.",
    "Treatment began the same day at the clinic on the corner and goes on twice a week.",
)
CLAIMS = tuple(f"WC-0{number}" for number in range(1, 5))
CONFIRMED = ("metadata.claim_number", "claimed_injury_description.date_of_injury")
CORRECTED = "wages.average_weekly_wage"


def report(
    number: int, *, left: int = 60, top: int = 60, step: int = 24, lines: Sequence[str] = REPORT
) -> bytes:
    def page(sheet: Sheet) -> None:
        for at, line in enumerate(lines):
            sheet.text(left, top + step * at, line.format(number=number))

    return draw(page)


def make_store(folder: Path) -> Path:
    """Run the claims into `folder/store` and return it."""
    store = folder / "store"
    for number, claim_id in enumerate(CLAIMS, start=1):
        documents = folder / "inbox" / claim_id / "documents"
        documents.mkdir(parents=True)
        (documents / "report.pdf").write_bytes(report(number))
    (folder / "inbox" / CLAIMS[3] / "documents" / "broken.pdf").write_bytes(b"%PDF-1.7 nothing")
    folders = [folder / "inbox" / claim_id for claim_id in CLAIMS]
    command("run", *folders, "--store", store)
    with client_of(ServingSettings(str(store), render_workers=1)) as client:
        for claim_id in CLAIMS[:3]:
            for key in CONFIRMED:
                assert decide(client, claim_id, key, "confirm").status_code == 201
        corrected = decide(client, CLAIMS[0], CORRECTED, "correct", value="1,300.00")
        assert corrected.status_code == 201
    documents = folder / "inbox" / CLAIMS[1] / "documents"
    (documents / "report.pdf").unlink()
    (documents / "report, scanned again.pdf").write_bytes(report(2, left=90, top=120, step=30))
    command("run", *folders, "--store", store)
    return store
