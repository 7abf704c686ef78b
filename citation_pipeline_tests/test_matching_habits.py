"""How models quote lists, notes, forms and tables: found where nothing else is said, flagged where it is."""

import pytest

from citation_pipeline.core.citations import CitationStatus
from citation_pipeline.core.matching.index import DocumentIndex
from citation_pipeline.core.resolution.queries import read_words
from citation_pipeline_tests.drawn_documents import text_document
from citation_pipeline_tests.matches import best_place

Cell = tuple[float, str]


def page_of(*lines: str | list[Cell]) -> DocumentIndex:
    """Return a page of lines, each a text or cells with their left edges; ^ raises a word."""
    words: list[list[object]] = []
    starts: list[int] = []
    blocks: list[dict[str, object]] = []
    for number, line in enumerate(lines):
        for left, text in [(0.06, line)] if isinstance(line, str) else line:
            first, at = len(words), left
            starts.append(first)
            for word in text.split():
                raised = word.startswith("^")
                word = word.lstrip("^")
                size, top = (0.008, -0.003) if raised else (0.014, 0.0)
                at -= 0.006 if raised else 0.0
                width = size / 2 * len(word)
                words.append([word, 1, at, 0.05 + 0.025 * number + top, width, size])
                at += width + 0.006
            blocks.append({"id": len(blocks), "type": "Text", "page": 1, "words": [first, len(words)]})
    return DocumentIndex(read_words({"words": words, "line_starts": starts, "blocks": blocks}))


def status_of(index: DocumentIndex, snippet: str) -> CitationStatus:
    return best_place(index, snippet).judgement.status


LIST = page_of(
    "Findings at the second visit:",
    "1. Sprain of the left ankle, healed.",
    "2. Bruise of the left shin, healed.",
    "3. Stiffness of the right hip, older than the fall.",
)


@pytest.mark.parametrize(
    "snippet",
    [
        "- Sprain of the left ankle, healed.\n- Bruise of the left shin, healed.",
        "Bruise of the left shin, healed; Stiffness of the right hip, older than the fall.",
        "1) Sprain of the left ankle, healed. 2) Bruise of the left shin, healed.",
    ],
)
def test_items_of_a_list_are_found_without_or_with_their_numbers(snippet: str) -> None:
    assert status_of(LIST, snippet) is CitationStatus.RESOLVED


def test_another_number_of_an_item_and_another_item_are_flagged() -> None:
    assert status_of(LIST, "2. Sprain of the left ankle, healed. 3. Bruise of the left shin") is (
        CitationStatus.FLAGGED
    )
    assert status_of(LIST, "- Sprain of the left ankle, healed. - Bruise of the right shin, healed.") is (
        CitationStatus.FLAGGED
    )


NOTES = page_of(
    "The carrier paid the award ^6 within the month and asked",
    "the board for a credit of 40 hours.² The tank holds 12 m ^3 of",
    "water and the pump lifts 10 ^2 liters in an hour.",
)


@pytest.mark.parametrize(
    "snippet",
    [
        "The carrier paid the award within the month",
        "paid the award⁶ within the month and asked the board for a credit of 40 hours.",
        "The carrier paid the award[^6] within the month",
        "asked the board for a credit of 40 hours. The tank holds",
    ],
)
def test_the_mark_of_a_footnote_may_be_left_out(snippet: str) -> None:
    assert status_of(NOTES, snippet) is CitationStatus.RESOLVED


@pytest.mark.parametrize("snippet", ["The tank holds 12 m of water", "the pump lifts 10 liters in an hour"])
def test_an_exponent_is_no_footnote(snippet: str) -> None:
    assert status_of(NOTES, snippet) is not CitationStatus.RESOLVED


SIGNS = page_of(
    "The lens magnifies 10× and the dose is 4 µg of the vaccine.",
    "The fee (filing $18.75, copies $0.00) was waived and interest is 13 % a year.",
    "Results of the inal test were signiicant in the second group.",
    "A balance of (18.75) is owed.",
)


@pytest.mark.parametrize(
    "snippet",
    [
        "The lens magnifies 10x and the dose is 4 ug of the vaccine.",
        "(filing $18.75, copies $0.00) was waived",
        "interest is 13% a year",
        "Results of the final test were significant in the second group.",
    ],
)
def test_signs_written_otherwise_are_no_difference(snippet: str) -> None:
    assert status_of(SIGNS, snippet) is CitationStatus.RESOLVED


@pytest.mark.parametrize(
    "snippet",
    [
        "The lens magnifies 100x and the dose",
        "the dose is 4 mg of the vaccine",
        "interest is 13‰ a year",
        "A balance of 18.75 is owed.",
        "Results of the final test were insignificant in the second group.",
    ],
)
def test_signs_that_say_something_else_are_flagged(snippet: str) -> None:
    assert status_of(SIGNS, snippet) is not CitationStatus.RESOLVED


def test_a_mark_of_mail_is_no_comparator() -> None:
    index = page_of(
        "> The adjuster released the file as of", "> 4/19/2024 and will not reopen it.", "Regards"
    )
    assert status_of(index, "released the file as of 4/19/2024 and will not reopen it") is (
        CitationStatus.RESOLVED
    )
    assert status_of(page_of("Treat pressure > 140 at once."), "Treat pressure 140 at once") is (
        CitationStatus.FLAGGED
    )


@pytest.mark.parametrize(
    "snippet",
    [
        "The file was closed in spring. [emphasis added]",
        "The file was closed in spring. (emphasis added)",
        "The file was closed in spring (citations omitted)",
        "Page 4: The file was closed in spring.",
        "p. 4 - The file was closed in spring.",
    ],
)
def test_what_the_quoter_says_of_the_quotation_is_taken_off(snippet: str) -> None:
    assert status_of(page_of("The file was closed in spring."), snippet) is CitationStatus.RESOLVED


def test_a_number_put_before_a_word_is_no_slip() -> None:
    index = page_of("A 1 - year warranty period starts on delivery.", "The year warranty period is short.")
    assert status_of(index, "3-year warranty period starts on delivery") is not CitationStatus.RESOLVED


FORM = page_of(
    [(0.06, "EMPLOYER"), (0.5, "ADDRESS")],
    [(0.06, "Tolland Freight Lines, Inc."), (0.5, "44 Quarry Street, Dover")],
    [(0.06, "INSURER"), (0.5, "POLICY")],
    [(0.06, "Marlow & Pike Indemnity Company"), (0.5, "WC 22-0917")],
    [(0.06, "First notice."), (0.3, "8/13/24"), (0.5, "Form returned by employee."), (0.8, "8/19/24")],
)


@pytest.mark.parametrize(
    "snippet",
    [
        "EMPLOYER: Tolland Freight Lines, Inc.",
        "INSURER: Marlow & Pike Indemnity Company",
        "First notice: 8/13/24",
        "Form returned by employee: 8/19/24",
    ],
)
def test_a_label_is_found_with_the_value_below_or_beside_it(snippet: str) -> None:
    assert status_of(FORM, snippet) is CitationStatus.RESOLVED


@pytest.mark.parametrize(
    "snippet",
    ["EMPLOYER: Marlow & Pike Indemnity Company", "First notice: 8/19/24", "ADDRESS: WC 22-0917"],
)
def test_a_label_with_the_value_of_another_is_flagged(snippet: str) -> None:
    assert status_of(FORM, snippet) is not CitationStatus.RESOLVED


def test_a_speaker_put_before_the_words_of_another_is_flagged() -> None:
    index = page_of(
        "MR. ALDER: We offer the exhibit.",
        "THE COURT: Any objection to it being marked for today?",
        "MS. BRANDT: Objection, foundation and privilege.",
        "THE COURT: I will reserve until the witness is here.",
    )
    assert status_of(index, "MS. BRANDT: Objection, foundation and privilege.") is CitationStatus.RESOLVED
    assert status_of(index, "MR. ALDER: Objection, foundation and privilege.") is not CitationStatus.RESOLVED


TABLE = page_of(
    [(0.06, "Phase"), (0.3, "First"), (0.45, "Billed"), (0.6, "Still to"), (0.75, "New")],
    [(0.3, "budget"), (0.6, "come"), (0.75, "total")],
    [(0.06, "Pleadings"), (0.3, "3,200"), (0.45, "2,715"), (0.6, "1,900"), (0.75, "4,615")],
    [(0.06, "Hearing"), (0.3, "4,800"), (0.45, "0"), (0.6, "5,450"), (0.75, "5,450")],
)


@pytest.mark.parametrize(
    "snippet",
    [
        "Hearing: First budget 4,800, Billed 0, Still to come 5,450, New total 5,450",
        "Phase: Pleadings; Billed: 2,715; New total: 4,615",
        "New total: 4,615 | Billed: 2,715 | Phase: Pleadings",
        "| Phase | Billed | New total |\n|---|---|---|\n| Pleadings | 2,715 | 4,615 |",
    ],
)
def test_a_row_is_found_by_headers_of_two_lines_in_any_order(snippet: str) -> None:
    assert status_of(TABLE, snippet) is CitationStatus.RESOLVED


@pytest.mark.parametrize(
    "snippet",
    [
        "Hearing: First budget 5,450, Billed 0, Still to come 4,800, New total 5,450",
        "Phase: Pleadings; Billed: 4,615; New total: 2,715",
        "Phase: Hearing; Billed: 2,715; New total: 4,615",
        "| Phase | New total | Billed |\n|---|---|---|\n| Pleadings | 2,715 | 4,615 |",
    ],
)
def test_a_row_with_its_values_under_other_headers_is_flagged(snippet: str) -> None:
    assert status_of(TABLE, snippet) is not CitationStatus.RESOLVED


def test_a_plain_text_without_columns_is_no_table() -> None:
    index = DocumentIndex(
        text_document("a", "Date and Amount are below.", "On 4/2/24 he paid 18.50 to the clerk.")
    )
    assert status_of(index, "Date: 4/2/24; Amount: 18.50") is not CitationStatus.RESOLVED


DENIALS = page_of(
    "No fever or chills were reported at triage.",
    "She could not recall any earlier fall. Surgery: NO",
    "NO PENSION WAS PAID. DATE OF INJURY 4/2/24",
)


@pytest.mark.parametrize(
    "snippet",
    [
        "Fever or chills were reported at triage.",
        "Recall any earlier fall.",
        "recall any earlier fall",
        "fever or chills were reported at triage",
        "Pension was paid. Date of injury",
    ],
)
def test_a_sentence_made_to_begin_behind_its_denial_is_flagged(snippet: str) -> None:
    best = best_place(DENIALS, snippet)
    assert best.judgement.status is CitationStatus.FLAGGED
    assert "negation_differs" in best.judgement.warnings


@pytest.mark.parametrize(
    "snippet",
    [
        "fever or chills",
        "any earlier fall",
        "No fever or chills were reported",
        "Fever Or Chills Were Reported",
        "PENSION WAS PAID",
        "Date of injury 4/2/24",
    ],
)
def test_what_is_cut_out_of_a_sentence_keeps_its_small_letter(snippet: str) -> None:
    assert status_of(DENIALS, snippet) is CitationStatus.RESOLVED


def test_a_long_code_may_be_written_in_groups() -> None:
    index = page_of("Vehicle 1C4RJFBG2NC123456 was towed.")
    assert status_of(index, "Vehicle 1C4R JFBG 2NC1 23456 was towed.") is CitationStatus.RESOLVED
    assert status_of(index, "Vehicle 1C4R JFBG 2NC1 23465 was towed.") is not CitationStatus.RESOLVED


def test_a_bracket_read_as_a_letter_is_one() -> None:
    index = page_of("Straight party: Harbor Union CHUN) 149 votes")
    assert status_of(index, "Harbor Union (HUN) 149 votes") is CitationStatus.RESOLVED
    assert status_of(index, "Harbor Union (RUN) 149 votes") is CitationStatus.FLAGGED


def test_a_word_parted_at_the_end_of_a_column_is_one_word() -> None:
    index = page_of(
        [(0.06, "Neither side is liable for con-")],
        [(0.06, "Master agreement of the parties, page 7 of 19, draft")],
        [(0.5, "sequential losses of the other.")],
    )
    assert status_of(index, "Neither side is liable for consequential losses of the other.") is (
        CitationStatus.RESOLVED
    )


def test_of_a_page_in_another_language_no_letter_is_a_slip() -> None:
    index = page_of(
        "Isci depoda yalniz calisiyordu ve baret takmiyordu.",
        "Kaza saat onda pres makinesinin yaninda meydana gelmistir.",
        "Uc parmagi kirilmis ve hastaneye goturulmustur.",
    )
    assert status_of(index, "yalniz calisiyordu ve baret takmiyordu") is CitationStatus.RESOLVED
    assert status_of(index, "ve baret takiyordu") is not CitationStatus.RESOLVED


def test_what_is_denied_is_not_joined_to_another_sentence() -> None:
    index = page_of(
        "He may not return to driving a coach with the straps in place.",
        "The analyses for dispatcher and clerk were reviewed and approved on Monday.",
    )
    assert (
        status_of(index, "return to driving a coach ... were reviewed and approved") is CitationStatus.FLAGGED
    )
    assert status_of(index, "return to driving ... with the straps in place") is CitationStatus.RESOLVED


def test_much_less_is_not_much_more() -> None:
    index = page_of("The gain was << the loss in the second year.")
    assert status_of(index, "The gain was << the loss in the second year.") is CitationStatus.RESOLVED
    assert status_of(index, "The gain was >> the loss in the second year.") is CitationStatus.FLAGGED


def test_another_letter_of_a_code_is_another_code() -> None:
    index = page_of("The docket Q-77 was heard on Monday by the second panel of the board.")
    assert status_of(index, "The docket O-77 was heard on Monday") is CitationStatus.FLAGGED
