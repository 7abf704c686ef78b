"""A clause quoted without what turns it in its sentence or list, and honest cuts (`cut_statements.txt`).

The sentences were written before the rules were tuned on half of them.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from citation_pipeline.core.matching.index import DocumentIndex
from citation_pipeline.core.resolution.confidence import confidence_of
from citation_pipeline_tests.drawn_documents import text_document
from citation_pipeline_tests.matches import best_place

BEFORE = "The minutes of the guild were kept in a chest."
BEHIND = "The rest was written down a year later."
LEAST_DOUBTED, LEAST_SURE = 0.94, 0.97


def statements() -> Iterator[tuple[str, str, list[str], str]]:
    """Yield the language, what turns it, the printed lines and the quotation of each line of the table."""
    for line in Path(__file__).with_name("cut_statements.txt").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            language, kind, text = line.split(" ", 2)
            quoted = text[text.index("[[") + 2 : text.index("]]")]
            printed = text.replace("[[", "").replace("]]", "").split(" | ")
            yield language, kind, printed, quoted


def doubt_of(quoted: str, *printed: str) -> tuple[bool, float]:
    """Return whether a quotation is doubted for what it leaves out, and its confidence."""
    best = best_place(DocumentIndex(text_document("a", BEFORE, *printed, BEHIND)), quoted)
    return "turn_left_out" in best.judgement.warnings, confidence_of(best.match, best.judgement)


def test_clauses_without_what_turns_them_are_doubted_and_honest_ones_are_sure() -> None:
    told = [
        (kind != "sure", confidence)
        for _, kind, printed, quoted in statements()
        for _, confidence in [doubt_of(quoted, *printed)]
    ]
    doubted = [confidence <= 0.5 for is_turned, confidence in told if is_turned]
    sure = [confidence >= 0.99 for is_turned, confidence in told if not is_turned]
    assert len(doubted) > 200
    assert sum(doubted) >= LEAST_DOUBTED * len(doubted)
    assert sum(sure) >= LEAST_SURE * len(sure)


@pytest.mark.parametrize(
    ("printed", "quoted"),
    [
        ("If the weir is open, the salmon may pass.", "the salmon may pass"),
        ("The miller disputes that the sluice leaks.", "the sluice leaks"),
        ("The lease was renewed for the upper meadow only.", "The lease was renewed"),
        ("Was the mare shod?", "the mare shod"),
        ("It was alleged last evening that the mare is lame.", "the mare is lame"),
        ("The tax was waived, which was later reversed.", "The tax was waived"),
        ("The carter took the mule instead of the mare.", "the mare"),
        ("The carter told the miller that the mare was lame.", "the miller … the mare was lame"),
    ],
)
def test_a_clause_whose_sentence_turns_it_is_never_sure(printed: str, quoted: str) -> None:
    assert doubt_of(quoted, printed)[1] <= 0.5


@pytest.mark.parametrize(
    ("printed", "quoted"),
    [
        ("If the weir is open, ask Ms. Alder.", "Ms. Alder"),
        ("The miller noted that the sluice leaks.", "the sluice leaks"),
        ("I believe that the sluice leaks.", "the sluice leaks"),
        ("The miller denied the debt, but the sluice was mended.", "the sluice was mended"),
        ("Although he says that it is dry, the meadow was flooded.", "the meadow was flooded"),
        ("Tools used to measure the weir were sold.", "measure the weir"),
        ("Was the mare shod?", "the mare shod?"),
        ("Reason refused: sluice out of order", "sluice out of order"),
        ("The claims clerk confirmed that the sluice leaks.", "the sluice leaks"),
        ("When asked, the miller opened the sluice.", "the miller opened the sluice"),
    ],
)
def test_what_asserts_or_names_something_stays_sure(printed: str, quoted: str) -> None:
    assert doubt_of(quoted, printed) == (False, pytest.approx(1.0, abs=0.01))


def test_only_the_list_under_its_own_heading_is_denied() -> None:
    lines = ("Not for sale:", "- copper kettles", "For sale:", "- tin kettles")
    assert doubt_of("copper kettles", *lines)[0]
    assert not doubt_of("tin kettles", *lines)[0]


def test_another_cell_of_a_row_turns_nothing() -> None:
    assert not doubt_of("the mare was shod", "paid if\tthe mare was shod")[0]


@pytest.mark.parametrize(
    ("printed", "quoted"),
    [
        (
            ("1. 職人は夏の間に樽を洗う。", "2. 商人は毎年冬に酒を売る。"),
            "職人は夏の間に……毎年冬に酒を売る。",
        ),
        (("木匠应当在五月修理旧船。船主应当在六月支付工钱。",), "木匠应当在五月……支付工钱"),
    ],
)
def test_an_ellipsis_over_two_sentences_of_a_script_without_spaces_is_never_sure(
    printed: tuple[str, ...], quoted: str
) -> None:
    assert doubt_of(quoted, *printed)[1] <= 0.5


def test_an_ellipsis_inside_a_sentence_of_a_script_without_spaces_stays_sure() -> None:
    assert (
        doubt_of("職人は毎年夏の間に……古い樽を全部洗う。", "職人は毎年夏の間に川で古い樽を全部洗う。")[1]
        > 0.9
    )


@pytest.mark.parametrize(("printed", "quoted"), [("QV-219-B", "QV-219-8"), ("QV-219-8", "QV-219-B")])
def test_a_figure_for_the_letter_at_a_codes_end_is_another_code(printed: str, quoted: str) -> None:
    page = f"The barrel with the mark {printed} was sold."
    best = best_place(DocumentIndex(text_document("a", BEFORE, page, BEHIND)), f"the mark {quoted} was sold")
    assert "code_differs" in best.judgement.warnings
