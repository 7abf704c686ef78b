"""Options quoted without their boxes: only the ticked one is what the page says."""

import pytest

from citation_pipeline.core.citations import CitationStatus
from citation_pipeline.core.matching.folding import fold
from citation_pipeline.core.matching.index import DocumentIndex
from citation_pipeline.core.resolution.hints import Hints
from citation_pipeline.core.resolution.places import PlaceSearch, search_places
from citation_pipeline_tests.drawn_documents import block_of, document_of, text_document

LEADING = (
    "14. Was overtime worked that week? ☐ Yes ☒ No",
    "15. Was the machine guarded? [X] Yes [ ] No",
    "Work status after this visit:",
    "[ ] Full duty",
    "[X] Modified duty from Monday",
    "[ ] Off work",
    "Raucher: __ ja _X_ nein",
    "Sprache: ○ Deutsch ◉ Polnisch ○ Andere",
    "Union member? ☐ yes ☐ no",
    "Bring to the visit: ☐ Photo card ☐ Insurance card",
    "申請人戴眼鏡：☐ 有 ☒ 無",
    "家属同意：☐是☒否",
)
TRAILING = ("14. Was overtime worked that week? Yes ☐ No ☒", "15. Was the machine guarded? Yes ☒ No ☐")


def search(snippet: str, *lines: str) -> PlaceSearch:
    return search_places(DocumentIndex(text_document("a", *lines)), snippet, Hints())


@pytest.mark.parametrize(
    ("lines", "snippet"),
    [
        (LEADING, "Was overtime worked that week?: Yes"),
        (LEADING, "15. Was the machine guarded? No"),
        (LEADING, "Work status after this visit: Full duty"),
        (LEADING, "Work status after this visit: Off work"),
        (LEADING, "Raucher: ja"),
        (LEADING, "Sprache: Deutsch"),
        (LEADING, "Union member? yes"),
        (LEADING, "Union member? no"),
        (LEADING, "申請人戴眼鏡：有"),
        (LEADING, "家属同意：是"),
        (LEADING, "Was overtime worked that week? [X] Yes"),
        (TRAILING, "Was overtime worked that week? Yes"),
        (TRAILING, "Was overtime worked that week? ☒ Yes"),
        (TRAILING, "Was the machine guarded? No"),
    ],
)
def test_an_option_that_is_not_ticked_is_no_answer(lines: tuple[str, ...], snippet: str) -> None:
    found = search(snippet, *lines)
    assert found.status is CitationStatus.FLAGGED
    assert found.best is not None
    assert "mark_differs" in found.best.judgement.warnings


@pytest.mark.parametrize(
    ("lines", "snippet", "answer"),
    [
        (LEADING, "Was overtime worked that week? No", "No"),
        (LEADING, "Was the machine guarded?: Yes", "Yes"),
        (LEADING, "Work status after this visit: Modified duty from Monday", "Monday"),
        (LEADING, "Raucher: nein", "nein"),
        (LEADING, "Was overtime worked that week? [X] No", "No"),
        (LEADING, "Was overtime worked that week? ☒ No", "No"),
        (LEADING, "Sprache: Polnisch", "Polnisch"),
        (TRAILING, "Was overtime worked that week? No", "No"),
        (TRAILING, "Was the machine guarded? Yes", "Yes"),
    ],
)
def test_the_ticked_option_is_found_without_those_before_it(
    lines: tuple[str, ...], snippet: str, answer: str
) -> None:
    index = DocumentIndex(text_document("a", *lines))
    best = search_places(index, snippet, Hints()).best
    assert best is not None
    assert best.judgement.status is CitationStatus.RESOLVED
    assert best.judgement.warnings == ()
    printed = [index.words.texts[word] for word in best.match.words if index.keys[word]]
    assert len(printed) == sum(bool(fold(word)) for word in snippet.split())
    assert printed[-1] == answer


@pytest.mark.parametrize(
    "snippet",
    [
        "Was overtime worked that week? Yes No",
        "Work status after this visit: Full duty Modified duty from Monday Off work",
        "Bring to the visit: Photo card",
        "Bring to the visit: Photo card Insurance card",
    ],
)
def test_options_listed_together_say_nothing_of_their_boxes(snippet: str) -> None:
    found = search(snippet, *LEADING)
    assert found.status is CitationStatus.RESOLVED
    assert found.best is not None
    assert found.best.judgement.warnings == ()


def test_items_under_a_bullet_are_no_options_beside_it() -> None:
    blocks = [
        block_of(["● Care at home:"]),
        block_of(["○ Rest the leg", "○ Cool it"], left=0.1, top=0.12),
        block_of(["● Care at work: none"], top=0.16),
    ]
    found = search_places(DocumentIndex(document_of("a", blocks)), "Care at home: Rest the leg", Hints())
    assert found.status is CitationStatus.RESOLVED


STATEMENTS = (
    "☒ The barn is heated in winter",
    "☐ The barn is empty in summer",
    "☐ Stove swept",
    "[ ] Chimney lined",
    "[x] Ladder stored",
)


@pytest.mark.parametrize("quoted", ["The barn is empty in summer", "The barn is empty"])
def test_an_option_without_its_empty_box_is_doubted_where_the_one_beside_it_is_ticked(quoted: str) -> None:
    found = search(quoted, *STATEMENTS)
    assert found.best is not None
    assert found.best.judgement.warnings == ("turn_left_out",)


@pytest.mark.parametrize("quoted", ["Full duty", "Off work"])
def test_a_short_option_is_doubted_without_its_empty_box_too(quoted: str) -> None:
    found = search(quoted, *LEADING)
    assert found.best is not None
    assert found.best.judgement.warnings == ("turn_left_out",)


@pytest.mark.parametrize(
    "quoted",
    ["The barn is heated in winter", "☐ The barn is empty in summer", "[ ] The barn is empty in summer"],
)
def test_a_statement_whose_box_is_ticked_or_quoted_is_sure(quoted: str) -> None:
    best = search(quoted, *STATEMENTS).best
    assert best is not None
    assert best.judgement.warnings == ()


@pytest.mark.parametrize(
    ("quoted", "printed"),
    [
        ("[ ] Stove swept", ["☐", "Stove", "swept"]),
        ("- [ ] Stove swept", ["☐", "Stove", "swept"]),
        ("☒ Ladder stored", ["[x]", "Ladder", "stored"]),
    ],
)
def test_a_box_that_is_quoted_is_of_the_place_however_it_is_drawn(quoted: str, printed: list[str]) -> None:
    index = DocumentIndex(text_document("a", *STATEMENTS))
    best = search_places(index, quoted, Hints()).best
    assert best is not None
    assert [index.words.texts[word] for word in best.match.words] == printed


@pytest.mark.parametrize("quoted", ["[x] Stove swept", "- [x] Chimney lined", "[ ] Ladder stored"])
def test_a_task_quoted_with_another_box_than_is_printed_is_flagged(quoted: str) -> None:
    found = search(quoted, *STATEMENTS)
    assert found.status is CitationStatus.FLAGGED
    assert found.best is not None
    assert "mark_differs" in found.best.judgement.warnings
