"""What a quoter may add or set otherwise, and what looks like it and says something else."""

import pytest

from citation_pipeline.core.citations import CitationStatus
from citation_pipeline.core.matching.index import DocumentIndex
from citation_pipeline.core.resolution.confidence import confidence_of
from citation_pipeline.core.resolution.hints import Hints
from citation_pipeline.core.resolution.places import search_places
from citation_pipeline_tests.drawn_documents import block_of, document_of, text_document
from citation_pipeline_tests.matches import best_place

BEFORE = "The broker sent the binder to the owner of the mill in spring."
BEHIND = "Nothing else was put to the file before the autumn audit."
RESOLVED, FLAGGED = CitationStatus.RESOLVED, CitationStatus.FLAGGED


def status_of(snippet: str, *printed: str) -> CitationStatus:
    best = best_place(DocumentIndex(text_document("a", BEFORE, *printed, BEHIND)), snippet)
    return best.judgement.status


@pytest.mark.parametrize(
    ("printed", "snippet", "status"),
    [
        ("Spindle speed needs 8 mW of input.", "Spindle speed needs 8 MW of input.", FLAGGED),
        ("Spindle speed needs 8 mW of input.", "SPINDLE SPEED NEEDS 8 MW OF INPUT.", FLAGGED),
        ("Spindle speed needs 8 mW of input.", "Spindle speed needs 8 mw of input.", RESOLVED),
        ("A pole of 9′ fell on the fence.", "A pole of 9″ fell on the fence.", FLAGGED),
        ("A pole of 9′ fell on the fence.", "A pole of 9' fell on the fence.", RESOLVED),
        ("Crates on hand: 740 at the dock.", "Crates on hand: $740 at the dock.", FLAGGED),
        ("Carting of crates 740.00 to date.", "Carting of crates $740.00 to date.", RESOLVED),
        ("Ledger 48 215 of the mill branch.", "Ledger 482 15 of the mill branch.", FLAGGED),
        ("Ledger 48 215 of the mill branch.", "Ledger 48215 of the mill branch.", RESOLVED),
        ("The miller maybe left by the gate.", "The miller may be left by the gate.", FLAGGED),
        ("He re-covered the barn roof in May.", "He recovered the barn roof in May.", FLAGGED),
        ("He re-opened the barn door in May.", "He reopened the barn door in May.", RESOLVED),
        ("Sell, if asked, the mill to them, now.", "Sell if, asked, the mill to them", FLAGGED),
        ("Ask o.quill@granary.example for it.", "Ask o.quil@granary.example for it.", FLAGGED),
        ("Salve for the horse q.i.d. in May.", "Salve for the horse tid in May.", FLAGGED),
        ("Salve for the horse q.i.d. in May.", "Salve for the horse qid in May.", RESOLVED),
        ("The brine held K⁺ at 41 in May.", "The brine held K+ at 41 in May.", RESOLVED),
        ("Silt 3.3 × 10³/µL in the race.", r"Silt $3.3 \times 10^{3}/\mu L$ in the race.", RESOLVED),
        ("Sell, if asked, the mill to them.", "Sell if, asked, the mill to them.", FLAGGED),
        ("Sell, if asked, the mill to them.", "Sell, if asked the mill to them.", RESOLVED),
    ],
)
def test_small_marks_and_blanks_count_where_they_change_what_is_said(
    printed: str, snippet: str, status: CitationStatus
) -> None:
    assert status_of(snippet, printed) is status


def test_a_word_parted_at_a_lines_end_is_the_word_joined() -> None:
    assert (
        status_of("the foreman recovered the roof", "In May the foreman re-", "covered the roof.") is RESOLVED
    )


@pytest.mark.parametrize(
    ("snippet", "status"),
    [
        ("[The miller] locked the sluice that night", RESOLVED),
        ("He locked the sluice that night and [the apprentices] slept", RESOLVED),
        ("He [the miller] locked the sluice that night", RESOLVED),
        ("[The miller] never locked the sluice that night", FLAGGED),
        ("He [never] locked the sluice that night", FLAGGED),
        ("He [opened] the sluice that night", FLAGGED),
    ],
)
def test_words_in_brackets_may_stand_for_a_pronoun_only(snippet: str, status: CitationStatus) -> None:
    assert status_of(snippet, "He locked the sluice that night and they slept.") is status


def test_whom_a_pronoun_means_is_never_sure() -> None:
    index = DocumentIndex(text_document("a", BEFORE, "He locked the sluice that night.", BEHIND))
    for snippet in (
        "[The miller] locked the sluice that night",
        "He [the miller] locked the sluice that night",
    ):
        best = search_places(index, snippet, Hints()).best
        assert best is not None
        assert best.judgement.status is RESOLVED
        assert "words_bracketed" in best.judgement.warnings
        assert confidence_of(best.match, best.judgement) <= 0.5


@pytest.mark.parametrize(
    ("snippet", "joins"),
    [
        ("80% is due to … later wear", True),
        ("agreed to the split … of the mill stayed", True),
        ("The tenant was seen by the nurse … and sent home on foot", False),
        ("the storm of May … The insurer accepts liability", False),
    ],
)
def test_an_ellipsis_that_joins_two_clauses_or_figures_is_never_sure(snippet: str, *, joins: bool) -> None:
    printed = (
        "Of the present loss, 80% is due to the storm of May and 20% to rot and later wear.",
        "The insurer accepts liability for the roof only; liability for the barn is open.",
        "Mr. Holt agreed to the split; Mr. Holm of the mill stayed silent on it.",
        "The tenant was seen by the nurse, given rest and salve, and sent home on foot.",
    )
    best = best_place(DocumentIndex(text_document("a", BEFORE, *printed, BEHIND)), snippet)
    assert best.judgement.status is RESOLVED
    assert ("ellipsis_joins" in best.judgement.warnings) == joins
    assert (confidence_of(best.match, best.judgement) <= 0.5) == joins


def test_brackets_of_the_page_are_no_words_of_the_quoter() -> None:
    assert status_of("Wheel [idle] since the flood", "Wheel [turning] since the flood") is not RESOLVED


def test_the_number_of_a_file_denies_nothing_that_an_ellipsis_leaves_out() -> None:
    printed = "The mill was sold, file No. 8812 of the town, to the brothers."
    assert status_of("The mill was sold ... to the brothers", printed) is RESOLVED
    printed = "The mill was sold, by no 8812 act of law, to the brothers."
    assert status_of("The mill was sold ... to the brothers", printed) is FLAGGED


def test_the_stamp_at_a_pages_edge_is_beside_the_text() -> None:
    blocks = [
        block_of(["The wheel had stopped and the owner was", "told of it by the"], top=0.5),
        block_of(["MILLROAD-00417"], page=2, top=0.03),
        block_of(["apprentice on the next day, in writing."], page=2, top=0.2),
    ]
    index = DocumentIndex(document_of("a", blocks))
    best = best_place(index, "told of it by the apprentice on the next day")
    assert best.judgement.status is RESOLVED


@pytest.mark.parametrize(
    ("printed", "snippet"),
    [
        ("Flow 4.1 × 10⁶ litres a day then.", "Flow 4.1 x 10^6 litres a day then."),
        ("12/03/91\t70142\tNew paddles\t3", "12/03/91 / 70142 / New paddles / 3"),
        ("Was the sluice shut? ☒ Yes ☐ No", r"Was the sluice shut? $\boxtimes$ Yes $\square$ No"),
        ("قال الطحان إن الهاتف معطل منذ الأمس", "قال الطحان إن الهـــاتف معطل منذ الأمس"),
        (
            "磨坊主人昨夜锁好闸门，他的徒弟早已睡下，今晨发现水轮停转。",
            "磨坊主人昨夜锁好闸门……今晨发现水轮停转",
        ),
    ],
)
def test_signs_set_otherwise_are_the_same(printed: str, snippet: str) -> None:
    assert status_of(snippet, printed) is RESOLVED


def test_an_ellipsis_inside_a_line_without_spaces_may_hide_no_denial() -> None:
    printed = "磨坊主人昨夜锁好闸门，他没有看见徒弟，今晨发现水轮停转。"
    assert status_of("磨坊主人昨夜锁好闸门……今晨发现水轮停转", printed) is FLAGGED
    assert status_of("今晨发现水轮停转……磨坊主人昨夜锁好闸门", printed) is FLAGGED


def test_an_ellipsis_joins_no_cells_of_two_rows() -> None:
    rows = ["Oak beam\t12\t340.10", "Elm plank\t15\t275.60", "Ash wedge\t40\t118.20"]
    index = DocumentIndex(document_of("a", [block_of(rows)]))
    best = best_place(index, "Oak beam ... 275.60")
    assert best.judgement.status is FLAGGED
    best = best_place(index, "Oak beam ... 340.10")
    assert best.judgement.status is RESOLVED


@pytest.mark.parametrize(
    ("printed", "snippet", "status"),
    [
        ("Was the sluice shut? ☒ Yes ☐ No", "Was the sluice shut? Yes ☒", RESOLVED),
        ("Was the sluice shut? ☒ Yes ☐ No", "Was the sluice shut? Yes [x] No [ ]", RESOLVED),
        ("Was the sluice shut? ☒ Yes ☐ No", "Was the sluice shut? Yes ☐", FLAGGED),
        ("Was the sluice shut? ☒ Yes ☐ No", "Was the sluice shut? Yes ☐ No ☒", FLAGGED),
        ("Was the sluice shut? Yes ☒ No ☐", "Was the sluice shut? Yes ☒ No ☐", RESOLVED),
        ("Was the sluice shut? Yes ☒ No ☐", "Was the sluice shut? Yes ☒", RESOLVED),
        ("Was the sluice shut? Yes ☒ No ☐", "Was the sluice shut? Yes ☐ No ☒", FLAGGED),
    ],
)
def test_a_box_behind_its_option_is_not_the_next_ones(
    printed: str, snippet: str, status: CitationStatus
) -> None:
    assert status_of(snippet, printed) is status


@pytest.mark.parametrize(
    ("between", "status"),
    [
        ("Nobody had greased the axle since the last harvest.", FLAGGED),
        ("The axle had not been greased since harvest time.", RESOLVED),
        ("The report was later withdrawn by the same expert.", FLAGGED),
        ("That is not so.", FLAGGED),
        ("and the axle had not been greased at all.", FLAGGED),
    ],
)
def test_an_ellipsis_over_a_sentence_of_its_own_hides_its_denial_only_as_an_answer(
    between: str, status: CitationStatus
) -> None:
    printed = ("The wheel stood for nine days.", between, "Grain was carted to the next town.")
    assert (
        status_of("The wheel stood for nine days. ... Grain was carted to the next town.", *printed) is status
    )


def test_an_answer_behind_its_letter_is_seen_by_an_ellipsis() -> None:
    printed = ("Q. Did you shut the sluice?", "A. No, sir. Only when the water had come over the wall.")
    assert (
        status_of("Did you shut the sluice? ... when the water had come over the wall", *printed) is FLAGGED
    )


@pytest.mark.parametrize(
    "snippet",
    [
        'quote="The wheel stood for nine days."',
        "The wheel stood [page break] for nine days.",
    ],
)
def test_more_marks_of_a_source_are_taken_off(snippet: str) -> None:
    assert status_of(snippet, "The wheel stood for nine days.") is RESOLVED
