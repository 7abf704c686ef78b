"""Plant and find: every way in which models quote, planted at a known place of a drawn document."""

import random

import pytest

from citation_pipeline.core.citations import CitationStatus
from citation_pipeline.core.documents.parsed import ParsedDocument
from citation_pipeline.core.matching.index import DocumentIndex
from citation_pipeline.core.resolution.hints import Hints
from citation_pipeline.core.resolution.places import PlaceSearch, search_places
from citation_pipeline_tests.drawn_documents import block_of, document_of

LEFT_COLUMN = (
    "Notice of delay of benefits was",
    "sent to the applicant on a Monday",
    "after the hearing in Fresno; the",
)
RIGHT_COLUMN = (
    "carrier reserved its rights under",
    "the policy and asked for records",
    "from Valley Orthopedic Group.",
)
TABLE = (
    "Coverage\tPaid\tReserve\tIncurred",
    "Indemnity\t$80,604.33\t$12,000.00\t$92,604.33",
    "Medical\t$1,872.09\t$8,128.00\t$10,000.09",
)
FORM = ("Date of injury\tEmployer", "08/05/2026\tMagnolia Terrace")


@pytest.fixture(scope="module")
def document() -> ParsedDocument:
    header = [block_of(["Claim 2026-004417 confidential"], page=p, top=0.02, kind="Header") for p in (1, 2)]
    footer = [block_of([f"Page {p} of 2"], page=p, top=0.95, kind="Footer") for p in (1, 2)]
    return document_of(
        "a",
        [
            header[0],
            block_of(LEFT_COLUMN, top=0.1),
            block_of(RIGHT_COLUMN, left=0.55, top=0.1),
            block_of(TABLE, top=0.3, kind="Table"),
            block_of(FORM, top=0.5, kind="Key Value"),
            block_of(
                [
                    "The treating physician requested an MRI",
                    "of the lumbar spine be-",
                    "cause pain had not improved with",
                ],
                top=0.7,
            ),
            footer[0],
            header[1],
            block_of(["six weeks of supervised therapy."], page=2, top=0.1),
            block_of(["The applicant is a 41-year-old certified", "nursing assistant."], page=2, top=0.3),
            footer[1],
        ],
    )


def search(document: ParsedDocument, snippet: str) -> PlaceSearch:
    return search_places(DocumentIndex(document), snippet, Hints())


def text_at(document: ParsedDocument, found: PlaceSearch) -> str:
    assert found.best is not None
    return " ".join(document.words.texts[word] for word in found.best.match.words)


@pytest.mark.parametrize(
    ("snippet", "there"),
    [
        ("The treating physician requested an MRI", "The treating physician requested an MRI"),
        ("the  treating\nPHYSICIAN requested an mri", "The treating physician requested an MRI"),
        ("of the lumbar spine because pain", "of the lumbar spine be- cause pain"),
        ("**Medical** | $1,872.09 | $8,128.00", "Medical $1,872.09 $8,128.00"),
        ("<td>Medical</td><td>$1,872.09</td>", "Medical $1,872.09"),
        ("Indemnity, $80,604.33, $12,000.00", "Indemnity $80,604.33 $12,000.00"),
        ("“The applicant is a 41–year–old certified”", "The applicant is a 41-year-old certified"),
        ("The treat1ng physicisn requestod an MR1", "The treating physician requested an MRI"),
        ("The treating physician … the lumbar spine", "The treating physician the lumbar spine"),
        ("in Fresno; the carrier reserved its rights", "in Fresno; the carrier reserved its rights"),
        ("had not improved with six weeks of supervised", "had not improved with six weeks of supervised"),
        ("Medical $10,000.09", "Medical $10,000.09"),
        ("Date of injury: 08/05/2026", "Date of injury 08/05/2026"),
        ("Thetreating physicianrequested an MRI", "The treating physician requested an MRI"),
        ("- [x] nursing assistant.", "nursing assistant."),
        ("1. The applicant is a 41-year-old", "The applicant is a 41-year-old"),
    ],
)
def test_a_quoted_text_is_resolved_where_it_was_planted(
    document: ParsedDocument, snippet: str, there: str
) -> None:
    found = search(document, snippet)
    assert found.status is CitationStatus.RESOLVED
    assert text_at(document, found) == there


@pytest.mark.parametrize(
    ("snippet", "page"),
    [
        ("The treating physician refused an MRI of the lumbar spine", 1),
        ("The treating physician requested a CT of the lumbar spine", 1),
        ("pain had improved with six weeks of supervised therapy.", 1),
        ("The applicant is a 14-year-old certified nursing assistant.", 2),
        ("Medical $1,827.09 $8,128.00 $10,000.09", 1),
    ],
)
def test_an_altered_quotation_keeps_its_place_but_is_not_resolved(
    document: ParsedDocument, snippet: str, page: int
) -> None:
    found = search(document, snippet)
    assert found.status is CitationStatus.FLAGGED
    assert found.best is not None
    assert document.words.page[found.best.match.words[0]] == page


@pytest.mark.parametrize(
    "snippet",
    [
        "The vocational expert found no loss of future earning capacity.",
        "Kaiser Foundation Hospital has asserted a lien",
        "$99,999.99",
        "zzz",
        "…",
        "| | |",
    ],
)
def test_an_invented_text_is_unresolved(document: ParsedDocument, snippet: str) -> None:
    assert search(document, snippet).status is CitationStatus.UNRESOLVED


def test_random_noise_of_a_scanner_never_moves_a_sentence() -> None:
    numbers = random.Random(3)
    words = ["".join(numbers.choices("bcdfghjklmnpqrstvwz", k=7)) for _ in range(400)]
    lines = [" ".join(words[i : i + 8]) for i in range(0, 400, 8)]
    drawn = document_of("a", [block_of(lines[n : n + 10], page=n // 10 + 1) for n in range(0, 50, 10)])
    for first in range(0, 380, 37):
        quoted = " ".join(words[first : first + 12])
        noisy = "".join(
            numbers.choice("aeiouy") if c != " " and numbers.random() < 0.06 else c for c in quoted
        )
        found = search(drawn, noisy)
        assert found.status is not CitationStatus.UNRESOLVED  # a lone slip in a word of no list is named
        assert text_at(drawn, found) == quoted
