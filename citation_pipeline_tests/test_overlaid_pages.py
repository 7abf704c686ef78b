"""Signed words in a scan whose columns were read in another order: they are compared where they stand."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from citation_pipeline.core.documents.followed_words import follow_words
from citation_pipeline.core.documents.overlaid_pages import overlay_pages
from citation_pipeline.core.documents.parsed import Words
from citation_pipeline_tests.drawn_pdfs import Sheet, parse_drawn

Rows = Sequence[tuple[int, int, str]]
FORM: Rows = (
    (60, 60, "Inquiry screen of the finance desk"),
    (60, 90, "Claimant"),
    (200, 90, "Rosa Maldonado"),
    (60, 120, "Coverage"),
    (200, 120, "Billed"),
    (320, 120, "Paid"),
    (440, 120, "Reserved"),
    (60, 140, "Indemnity"),
    (200, 140, "14,100.00"),
    (320, 140, "12,300.00"),
    (440, 140, "8,700.00"),
    (60, 160, "Medical treatment"),
    (200, 160, "6,020.75"),
    (320, 160, "5,410.25"),
    (440, 160, "2,000.00"),
    (60, 180, "Expenses"),
    (200, 180, "1,077.31"),
    (320, 180, "981.40"),
    (440, 180, "350.00"),
    (60, 220, "Modified duty offered"),
    (200, 220, "[X] Yes [ ] No"),
    (60, 260, "Screens are kept for seven years by the office on Harbor Street."),
)


def page_of(rows: Rows) -> Words:
    def page(sheet: Sheet) -> None:
        for x, y, text in rows:
            sheet.text(x, y, text)

    return parse_drawn(page).words


def scanned(rows: Rows, *, sure: float = 0.97, **seconds: str) -> Words:
    """The page as a scan: askew, stretched, read column by column; `seconds` by the word that was read."""
    words = page_of(rows)
    order = np.lexsort((words.boxes[:, 1], np.round(words.boxes[:, 0], 1)))
    left, top, width, height = words.boxes[order].T
    boxes = np.column_stack(
        [0.03 + 0.96 * left - 0.01 * top, 0.02 + 0.97 * top + 0.012 * left, 0.96 * width, 0.97 * height]
    )
    texts = [words.texts[at] for at in order]
    return replace(
        words,
        texts=texts,
        boxes=boxes,
        line=np.arange(len(words), dtype=np.int32),
        confidence=np.full(len(words), sure, np.float32),
        second_readings={texts.index(read): other for read, other in seconds.items()},
    )


def changed(*changes: tuple[str, str], more: Rows = ()) -> Rows:
    exchanged = dict(changes)
    return [*((x, y, exchanged.get(text, text)) for x, y, text in FORM), *more]


def follow(after: Words, *signed: str) -> str:
    before = page_of(FORM)
    found = follow_words(before, [list(before.texts).index(text) for text in signed], after)
    return " ".join(after.texts[word] for word in found)


@pytest.mark.parametrize("text", ["5,410.25", "Maldonado", "981.40", "Indemnity", "Yes"])
def test_words_are_followed_where_columns_are_read_one_after_the_other(text: str) -> None:
    assert follow(scanned(FORM), text) == text


@pytest.mark.parametrize(
    ("text", "changes"),
    [
        ("5,410.25", [("5,410.25", "5,470.25")]),
        ("5,410.25", [("5,410.25", "(5,410.25)")]),
        ("5,410.25", [("5,410.25", "981.40"), ("981.40", "5,410.25")]),
        ("5,410.25", [("6,020.75", "6,020.15")]),
        ("5,410.25", [("Medical treatment", "Dental treatment")]),
        ("5,410.25", [("Paid", "Refused")]),
        ("5,410.25", [("Billed", "Paid"), ("Paid", "Billed")]),
        ("5,410.25", [("Rosa Maldonado", "Pedro Maldonado")]),
        ("5,410.25", [("Rosa Maldonado", "Rosa Maldonada")]),
        ("5,410.25", [("Claimant", "Claimant's cousin")]),
        ("Maldonado", [("Rosa Maldonado", "Rosa Maldonada")]),
        ("Indemnity", [("Indemnity", "Indemnitg")]),
        ("Yes", [("[X] Yes [ ] No", "[ ] Yes [X] No")]),
        ("Yes", [("[X] Yes [ ] No", "[ ] Yes [ ] No")]),
        ("981.40", [("Expenses", "Expenses not")]),
        ("981.40", [(FORM[-1][2], "Everything above is void.")]),
    ],
)  # fmt: skip
@pytest.mark.parametrize("sure", [0.7, 0.97])
def test_a_page_that_says_something_else_at_one_place_gets_no_signature(
    text: str, changes: list[tuple[str, str]], sure: float
) -> None:
    assert follow(scanned(changed(*changes), sure=sure), text) == ""


@pytest.mark.parametrize(
    "more",
    [
        (380, 160, "disputed"),
        (20, 160, "Not"),
        (320, 150, "Refused"),
        (345, 120, "demands"),
        (320, 172, "not confirmed"),
        (60, 40, "SUPERSEDED"),
    ],
)
def test_what_was_written_beside_signed_words_takes_the_signature_away(more: tuple[int, int, str]) -> None:
    assert follow(scanned(changed(more=[more])), "5,410.25") == ""


def test_a_note_far_from_signed_words_takes_no_signature_away() -> None:
    assert follow(scanned(changed(more=[(60, 600, "Received by mail in March")])), "5,410.25") == "5,410.25"


@pytest.mark.parametrize(
    ("signed", "changes", "found"),
    [
        (["Medical", "treatment"], [("Medical treatment", "Medical treatrnent")], "Medical treatrnent"),
        (["treatment"], [("Medical treatment", "Medical treatmenl")], "treatmenl"),
        (["5,410.25"], [("Medical treatment", "Medicaltreatment")], "5,410.25"),
        (["5,410.25"], [("Reserved", "Reservcd")], "5,410.25"),
        (["Indemnity"], [("Indemnity", "lndemnity")], "lndemnity"),
    ],
)
def test_what_a_scan_misreads_beside_or_in_signed_words_is_the_same_print(
    signed: list[str], changes: list[tuple[str, str]], found: str
) -> None:
    assert follow(scanned(changed(*changes), sure=0.8), *signed) == found


@pytest.mark.parametrize(
    ("now", "misread", "is_same"),
    [("treatment", "treatrnent", True), ("treatment", "treatmemt", True), ("Maldonado", "Maldomado", False)],
)
def test_a_word_that_the_first_scan_misread_is_the_same_print_and_a_name_is_another(
    now: str, misread: str, is_same: bool
) -> None:
    fax = page_of([(x, y, text.replace(now, misread)) for x, y, text in FORM])
    found = follow_words(fax, [list(fax.texts).index(misread)], scanned(FORM))
    assert bool(found) == is_same


def test_a_number_read_otherwise_beside_signed_words_is_the_same_where_a_second_reading_says_so() -> None:
    rows = changed(("6,020.75", "6,020.15"))
    assert follow(scanned(rows, sure=0.5, **{"6,020.15": "6,020.75"}), "5,410.25") == "5,410.25"
    assert follow(scanned(rows, sure=0.9, **{"6,020.15": "6,020.75"}), "5,410.25") == ""
    assert follow(scanned(rows, sure=0.5), "5,410.25") == ""


def test_pages_that_are_set_otherwise_do_not_lie_over_each_other() -> None:
    before = page_of(FORM)
    turned = page_of([(x, 320 - y, text) if x > 60 else (x, y, text) for x, y, text in FORM])  # noqa: PLR2004
    ids = range(len(before))
    assert overlay_pages(before, ids, turned, range(len(turned))) is None
    assert overlay_pages(before, ids, before, ids) is not None
