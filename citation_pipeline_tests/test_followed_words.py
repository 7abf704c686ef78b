"""Which words of a replaced scan are followed into the new one: noise may differ, what is said may not."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from citation_pipeline.core.documents.followed_words import follow_words
from citation_pipeline.core.documents.parsed import Words
from citation_pipeline_tests.drawn_pdfs import Sheet, parse_drawn

WAGE = "Average weekly wage: $1,214.70 before taxes"

LETTER = (
    (60, 60, "Bright Harbor Cannery, status report"),
    (60, 90, "Claimant: Rosa Maldonado"),
    (60, 110, "Claim Number: WC-2025-0417"),
    (60, 150, "WAGES"),
    (60, 170, WAGE),
    (60, 190, "Temporary disability rate: $809.80 per week"),
    (60, 230, "The injured worker slipped on a wet floor beside the loading ramp and hurt the left knee."),
    (60, 250, "Treatment goes on twice a week at the clinic on the corner."),
)
LEDGER = (
    (60, 60, "Payment ledger of the claim of Rosa Maldonado"),
    (60, 120, "Coverage"),
    (220, 120, "Paid"),
    (320, 120, "Reserved"),
    (60, 140, "Indemnity"),
    (220, 140, "12,300.00"),
    (320, 140, "8,700.00"),
    (60, 160, "Medical"),
    (220, 160, "5,410.25"),
    (320, 160, "2,000.00"),
    (60, 220, "All amounts are in dollars and were prepared for the file by the finance desk."),
)
Rows = Sequence[tuple[int, int, str]]


def words_of(rows: Rows, *changes: tuple[str, str], more: Rows = (), sure: float = np.nan) -> Words:
    """The words of a drawn page in which each first text is replaced by the second, surely read or not."""
    exchanged = dict(changes)
    drawn = [(x, y, exchanged.get(text, text)) for x, y, text in rows]

    def page(sheet: Sheet) -> None:
        for x, y, text in (*drawn, *more):
            sheet.text(x, y, text)

    words = parse_drawn(page).words
    return replace(words, confidence=np.full(len(words), sure, np.float32))


def follow(before: Words, after: Words, text: str) -> str:
    found = follow_words(before, [list(before.texts).index(text)], after)
    return " ".join(after.texts[word] for word in found)


@pytest.mark.parametrize(
    ("text", "changes", "more"),
    [
        pytest.param(
            "$1,214.70", [], [(60, 14, "03/15/2025 16:12 FAX 312 555 0148 P. 002")], id="a fax's line"
        ),
        pytest.param("$1,214.70", [("WAGES", "WAGE5")], [], id="a letter that looks like a figure"),
        pytest.param(
            "$809.80",
            [(WAGE, "Average weekly wage: $1.214.70 before taxes")],
            [],
            id="a comma read as a point in the line above",
        ),
        pytest.param(
            "$809.80",
            [(WAGE, "Average weekly wage: $1,214.70 beforetaxes")],
            [],
            id="words run together in the line above",
        ),
        pytest.param(
            "$1,214.70", [("Claimant: Rosa Maldonado", "Claimant: Rosa Ma1donado")], [], id="a name"
        ),
        pytest.param("5,410.25", [], [], id="nothing"),
    ],
)
def test_what_a_scan_misreads_loses_no_signature(
    text: str, changes: list[tuple[str, str]], more: list[tuple[int, int, str]]
) -> None:
    rows = LEDGER if text == "5,410.25" else LETTER
    clean, noisy = words_of(rows), words_of(rows, *changes, more=more, sure=0.8)
    assert follow(clean, noisy, text) == text
    assert follow(noisy, clean, text) == text


def test_a_number_whose_comma_was_read_as_a_point_is_the_same_number_where_its_groups_tell() -> None:
    misread = (WAGE, "Average weekly wage: $1.214.70 before taxes")
    assert follow(words_of(LETTER), words_of(LETTER, misread, sure=0.9), "$1,214.70") == "$1.214.70"
    short = (WAGE, "Average weekly wage: $1,214 before taxes")
    point = (short[0], "Average weekly wage: $1.214 before taxes")
    assert follow(words_of(LETTER, short), words_of(LETTER, point), "$1,214") == ""


def test_lines_read_in_another_order_are_the_same_page() -> None:
    letter = words_of(LETTER)
    lower = letter.line >= letter.line.max() - 1  # the last two lines come first
    order = np.concatenate([np.flatnonzero(lower), np.flatnonzero(~lower)])
    lines = np.unique(letter.line[order], return_inverse=True)[1]
    moved = replace(
        letter,
        texts=[letter.texts[at] for at in order],
        boxes=letter.boxes[order],
        line=np.cumsum(np.diff(lines, prepend=lines[0]) != 0).astype(np.int32),
        confidence=np.full(len(letter), 0.97, np.float32),
    )
    assert follow(letter, moved, "$809.80") == "$809.80"


@pytest.mark.parametrize("sure", [np.nan, 0.97])
@pytest.mark.parametrize(
    ("text", "changes"),
    [
        ("$1,214.70", [(WAGE, "Average weekly wage: $1,214.70 after taxes")]),
        ("$1,214.70", [(WAGE, "Alleged weekly wage: $1,214.70 before taxes")]),
        ("$1,214.70", [("WAGES", "WAGES OF THE FOREMAN")]),
        ("$1,214.70", [("Claimant: Rosa Maldonado", "Claimant: Pedro Maldonado")]),
        ("$1,214.70", [("Claimant: Rosa Maldonado", "Claimant: Rosa Maldonada")]),
        ("$1,214.70", [("Claim Number: WC-2025-0417", "Claim Number: WC-2025-0471")]),
        ("$809.80", [(WAGE, "Average weekly wage: $1,241.70 before taxes")]),
        ("$809.80", [(LETTER[6][2], "This rate is not confirmed by anybody in the office of the carrier.")]),
        ("5,410.25", [("Paid", "Billed")]),
        ("5,410.25", [("Paid", "Reserved"), ("Reserved", "Paid")]),
        ("5,410.25", [("Medical", "Dental")]),
        ("5,410.25", [(LEDGER[0][2], "Reserve ledger of the claim of Rosa Maldonado")]),
        ("5,410.25", [(LEDGER[-1][2], LEDGER[-1][2].replace("dollars", "pesos"))]),
    ],
)
def test_a_page_that_says_something_else_gets_no_signature(
    text: str, changes: list[tuple[str, str]], sure: float
) -> None:
    rows = LEDGER if text == "5,410.25" else LETTER
    assert follow(words_of(rows), words_of(rows, *changes, sure=sure), text) == ""


def test_what_changed_below_without_denying_anything_takes_no_signature_away() -> None:
    again = (LETTER[6][2], LETTER[6][2].replace("loading", "unloading"))
    assert follow(words_of(LETTER), words_of(LETTER, again), "$1,214.70") == "$1,214.70"
