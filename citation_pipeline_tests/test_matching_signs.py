"""Signs beside and between the words of a place: quoted with them, joined over them, or another one."""

import pytest

from citation_pipeline.core.boxes import Box
from citation_pipeline.core.citations import CitationStatus
from citation_pipeline.core.documents.composition import BlockDraft
from citation_pipeline.core.matching.formulas import draw_formulas
from citation_pipeline.core.matching.index import DocumentIndex
from citation_pipeline.core.matching.snippets import unescape
from citation_pipeline.core.resolution.hints import Hints
from citation_pipeline.core.resolution.places import JudgedPlace, search_places
from citation_pipeline_tests.drawn_documents import block_of, document_of, line_of

PAGE = (
    "The adjuster wrote to the parties about the schedule of the next meeting in the autumn.",
    "• Total due : 56,02 €",
    "Blood loss of 1.38 - 1.48 was seen in Ward 1.52 - 1.60 on that day.",
    "Counts are rare (≥ 1/10,000 to < 1/1,000) in the group.",
    "He takes the tablet twice daily with food and water.",
    "She has the tube flushed every other day at home.",
    "The award of 2 million dollars was paid in May.",
    "The scope is defined (p. 5) and binds all of them.",
    "The Plan was written by Nickolaus Schulz of Harborview.",
    "DRY CLEANERS AND LAUNDRIES",
    "Some dry cleaners and laundries were seen there.",
    "1.1: Keep the doors of the stair closed at night",
    "1.2: Keep the lights of the stair on at night",
)


def best_of(snippet: str, *blocks: BlockDraft) -> JudgedPlace:
    best = search_places(DocumentIndex(document_of("a", blocks or [block_of(PAGE)])), snippet, Hints()).best
    assert best is not None
    return best


def words_of(snippet: str) -> str:
    index = DocumentIndex(document_of("a", [block_of(PAGE)]))
    best = search_places(index, snippet, Hints()).best
    assert best is not None
    return " ".join(index.words.texts[word] for word in best.match.words)


@pytest.mark.parametrize(
    "snippet",
    [
        r"rare ($\geq$ 1/10,000 to $<$ 1/1,000)",
        r"rare (\(\geq\) 1/10,000 to \(\lt\) 1/1,000)",
        "loss of 1.38–1.48; was seen in Ward: 1.52–1.60",
        "The adjuster wrote to the parties * * * in the autumn",
        "The adjuster wrote to the parties [snip] in the autumn",
        "The adjuster wrote to the parties (text omitted) in the autumn",
        r"The adjuster wrote to the parties \ldots in the autumn",
        "The adjuster wrote to the parties ⋯ in the autumn",
        "Keep the doors of the stair closed at night; Keep the lights of the stair on at night",
        "The award of 2 million dollars was paid in May (see Order, at 1)",
        "The award of 2 million dollars was paid in May (Ruiz Decl. ¶ 4)",
    ],
)
def test_signs_gaps_and_references_written_otherwise_are_as_printed(snippet: str) -> None:
    best = best_of(snippet)
    assert (best.judgement.status, best.judgement.warnings) == (CitationStatus.RESOLVED, ())


@pytest.mark.parametrize(
    ("snippet", "code"),
    [
        (r"rare ($\leq$ 1/10,000 to $<$ 1/1,000)", "comparator_differs"),
        ("rare (≤ 1/10,000 to < 1/1,000)", "comparator_differs"),
        ("Total due : 56,02 $", "unit_sign_differs"),
        ("Total due : $56,02", "unit_sign_differs"),
        ("loss of 1.38, 1.48 was seen", "range_differs"),
        ("loss of -1.38 - 1.48 was seen", "sign_differs"),
        ("He takes the tablet daily with food", "number_skipped"),
        ("She has the tube flushed every day at home", "number_skipped"),
        ("The award of 2 ... dollars was paid", "ellipsis_hides"),
        ("flushed every [snip] day at home", "ellipsis_hides"),
        ("The scope is defined (p. 6)", "digits_differ"),
        ("written by Nicholas Schulz of Harborview", "word_replaced"),
    ],
)
def test_another_sign_number_or_name_is_flagged(snippet: str, code: str) -> None:
    best = best_of(snippet)
    assert best.judgement.status is not CitationStatus.RESOLVED
    assert code in best.match.findings.codes


def test_signs_that_are_quoted_belong_to_the_place() -> None:
    assert words_of("• Total due : 56,02 €") == "• Total due : 56,02 €"
    assert words_of("Total due : 56,02") == "Total due : 56,02"


def test_the_place_that_is_spelt_as_quoted_is_meant_whatever_is_around_the_quotation() -> None:
    printed = "DRY CLEANERS AND LAUNDRIES"
    for around in ('"{}"', '["{}"]', "... {} ...", "{} (p. 3)", 'Page 2: "{}"'):
        assert words_of(around.format(printed)) == printed


def figures_beside(*cells: tuple[str, float, float, float]) -> BlockDraft:
    """A line of words, each with its left edge, top and height."""
    drawn = [(text, Box(left, top, 0.008 * len(text), height)) for text, left, top, height in cells]
    return BlockDraft(1, "Text", [drawn])


LABEL = (("Platelets", 0.05, 0.1, 0.012), ("counted", 0.13, 0.1, 0.012))
RAISED = figures_beside(
    *LABEL, ("10", 0.2, 0.1, 0.012), ("9", 0.217, 0.098, 0.008), ("/L", 0.227, 0.1, 0.012)
)
CELLS = figures_beside(*LABEL, ("97", 0.2, 0.1, 0.012), ("932", 0.4, 0.1, 0.012))
NOTED = figures_beside(
    *LABEL, ("twice", 0.2, 0.1, 0.012), ("1", 0.242, 0.098, 0.008), ("1,969", 0.4, 0.1, 0.012)
)

NOTE_BEHIND = figures_beside(
    *LABEL, ("on", 0.2, 0.1, 0.012), ("page", 0.226, 0.1, 0.012), ("37.", 0.266, 0.1, 0.012),
    ("1", 0.291, 0.098, 0.008), ("Then", 0.31, 0.1, 0.012), ("nothing", 0.35, 0.1, 0.012),
)  # fmt: skip


@pytest.mark.parametrize(
    ("block", "snippet"),
    [
        (RAISED, "Platelets counted 10⁹/L"),
        (RAISED, "Platelets counted 10^9/L"),
        (RAISED, r"Platelets counted 10$^{9}$/L"),
        (RAISED, "Platelets counted 10 9 /L"),
        (CELLS, "Platelets counted 97, 932"),
        (CELLS, "Platelets counted | 97 | 932 |"),
        (NOTED, "Platelets counted twice 1,969"),
        (NOTED, "Platelets counted twice¹: 1,969"),
        (NOTE_BEHIND, "counted on page 37.[^1] Then nothing"),
    ],
)
def test_figures_that_stand_apart_are_quoted_as_they_stand(block: BlockDraft, snippet: str) -> None:
    best = best_of(snippet, block)
    assert (best.judgement.status, best.judgement.warnings) == (CitationStatus.RESOLVED, ())


@pytest.mark.parametrize(
    ("block", "snippet"),
    [
        (RAISED, "Platelets counted 109/L"),
        (CELLS, "Platelets counted 97932"),
        (CELLS, "Platelets counted 97,932"),
        (NOTED, "Platelets counted twice 11,969"),
    ],
)
def test_figures_that_stand_apart_make_no_other_number(block: BlockDraft, snippet: str) -> None:
    assert "number_differs" in best_of(snippet, block).match.findings.codes


ROWS = (
    ("Sodium", "138", "mmol"),
    ("Potassium", "5.1", "mmol"),
    ("Creatinine", "118", "umol"),
    ("Urea", "9.7", "mol"),
)


def test_a_column_of_short_figures_is_found_and_only_as_it_is_printed() -> None:
    lines = [
        [
            word
            for cell, text in enumerate(row)
            for word in line_of(text, left=0.05 + 0.3 * cell, top=0.1 + 0.02 * n)
        ]
        for n, row in enumerate(ROWS)
    ]
    index = DocumentIndex(document_of("a", [BlockDraft(1, "Table", lines)]))

    def status_of(snippet: str) -> CitationStatus | None:
        best = search_places(index, snippet, Hints()).best
        return best.judgement.status if best is not None else None

    assert status_of("138\n5.1\n118\n9.7") is CitationStatus.RESOLVED
    for other in ("138\n5.1\n188\n9.7", "138\n118\n9.7", "9.7\n118\n5.1"):
        assert status_of(other) is not CitationStatus.RESOLVED


def test_a_font_that_loses_ligatures_may_have_made_a_word_of_a_word() -> None:
    torn = ("a signiicant rise in the ield", "curtailing the low of goods")
    lost = best_of("curtailing the flow of goods", block_of(torn))
    assert (lost.judgement.status, lost.match.findings.codes) == (CitationStatus.RESOLVED, ("word_misread",))
    for sound in (torn[1:], (*torn, "the flood came")):
        assert (
            best_of("curtailing the flow of goods", block_of(sound)).judgement.status
            is CitationStatus.FLAGGED
        )


@pytest.mark.parametrize(
    ("text", "drawn"),
    [
        (r"37.5$^\circ$C", "37.5°C"),
        (r"2$\frac{1}{2}$ tablets", "2 1/2 tablets"),
        (r"N$_{zero}$ \times 1{,}000", "Nzero × 1,000"),
        ("$5 and $6", "$5 and $6"),
        (r"costs $5 \geq 4", "costs $5 ≥ 4"),
        (r"\notin \textbf{a}", r"\notin \textbf{a}"),
    ],
)
def test_formulas_are_drawn_and_money_is_left(text: str, drawn: str) -> None:
    assert draw_formulas(text) == drawn


def test_a_formula_without_a_command_is_no_money() -> None:
    assert unescape("a count of $14{,}250$ at rest") == "a count of 14,250 at rest"
    assert unescape("{due: $14,250}") == "{due: $14,250}"
