"""Reducto's blocks as pieces of pages, and words given to them: places decide, to the point."""

from collections import Counter
from typing import Any

import numpy as np
import pytest

from citation_pipeline.adapters.reducto.alignment import (
    UNPLACED,
    LocalWords,
    assign_words,
    cited_words,
    words_of_block,
)
from citation_pipeline.adapters.reducto.parse_results import ParseResult
from citation_pipeline.adapters.reducto.pieces import Piece, pieces_of
from citation_pipeline.core.boxes import Box


def at(left: float, top: float, width: float, height: float, page: int = 1) -> dict[str, Any]:
    return {"left": left, "top": top, "width": width, "height": height, "page": page}


def pieces(*blocks: dict[str, Any]) -> tuple[list[Piece], Counter[str]]:
    warnings: Counter[str] = Counter()
    result = ParseResult.model_validate({"chunks": [{"blocks": list(blocks)}]})
    return pieces_of(result, warnings), warnings


def test_a_block_beyond_the_pages_edge_is_cut_to_it_and_counted_beyond_rounding() -> None:
    ((piece,), warnings) = pieces({"type": "Text", "content": "a", "bbox": at(0.9, 0.5, 0.3, 0.1)})
    assert (piece.box.left, piece.box.top) == pytest.approx((0.9, 0.5))
    assert (piece.box.right, piece.box.bottom) == pytest.approx((1.0, 0.6))
    assert warnings == {"boxes_cut_to_page": 1}
    _, warnings = pieces({"type": "Text", "content": "a", "bbox": at(0.9, 0.5, 0.1001, 0.1)})
    assert warnings == {}


@pytest.mark.parametrize(
    ("said", "confidence"),
    [
        ({"confidence": "low"}, 0.5),
        ({"confidence": "high"}, None),
        ({}, None),
        ({"confidence": "low", "granular_confidence": {"parse_confidence": 0.83}}, 0.83),
        ({"granular_confidence": {"parse_confidence": 1.7}}, 1.0),
        ({"granular_confidence": {"parse_confidence": -0.2}}, 0.0),
    ],
)
def test_a_number_of_confidence_goes_before_a_word_and_stays_within_bounds(
    said: dict[str, Any], confidence: float | None
) -> None:
    ((piece,), _) = pieces({"type": "Text", "content": "a", "bbox": at(0.1, 0.1, 0.2, 0.1), **said})
    assert piece.confidence == confidence


def test_a_merged_table_is_a_piece_per_page_and_its_own_place_is_not_listed_twice() -> None:
    own, next_page = at(0.1, 0.7, 0.8, 0.2), at(0.1, 0.1, 0.8, 0.3, page=2)
    shares = [{"bbox": own, "content": "first"}, {"bbox": next_page, "content": "second"}]
    found, warnings = pieces({"type": "Table", "content": "all", "bbox": own, "merged_tables": shares})
    assert [(piece.page, *piece.tokens) for piece in found] == [(1, "first"), (2, "second")]
    assert warnings == {"merged_tables_split": 1}


@pytest.mark.parametrize(
    "first",
    [at(0.1, 0.1, 0.8, 0.3, page=2), at(0.1, 0.35, 0.8, 0.3)],  # elsewhere; overlapping by less than a half
    ids=["another page", "another place"],
)
def test_a_merged_tables_own_place_is_kept_when_no_share_is_there(first: dict[str, Any]) -> None:
    share = {"bbox": first, "content": "rest"}
    block = {"type": "Table", "content": "own", "bbox": at(0.1, 0.2, 0.8, 0.3), "merged_tables": [share]}
    found, _ = pieces(block)
    assert [piece.tokens for piece in found] == [["own"], ["rest"]]


def test_words_of_page_markers_are_no_cited_words_and_those_right_beside_them_are() -> None:
    marker = "[[START OF PAGE 1]]"
    cited = [
        {"text": "[[START", "bbox": at(0, 0, 0.1, 0.1), "char_start": 0},
        {"text": "1]]", "bbox": at(0, 0, 0.1, 0.1), "char_start": len(marker) - 3},
        {"text": "Claim", "bbox": at(0.2, 0.2, 0.1, 0.01), "char_start": len(marker) + 1},
        {"text": "open", "char_start": len(marker) + 7},
        {"text": " ", "bbox": at(0, 0, 0.1, 0.1)},
    ]
    block = {"type": "Text", "content": f"{marker}\nClaim open", "bbox": at(0.1, 0.1, 0.5, 0.5)}
    ((piece,), _) = pieces(block | {"extra": {"word_citations": cited}})
    assert [text for text, _ in piece.cited] == ["Claim", "open"]
    assert piece.cited[1][1] is None


def words(*places: tuple[str, float, float], from_ocr: bool = False) -> LocalWords:
    return LocalWords(
        texts=[text for text, _, _ in places],
        boxes=np.array([(left, top, 0.04, 0.01) for _, left, top in places]).reshape(-1, 4),
        lines=[0] * len(places),
        blocks=[0] * len(places),
        confidences=[0.9] * len(places),
        from_ocr=from_ocr,
    )


def test_a_word_belongs_to_the_block_that_holds_its_centre_with_a_margin_of_three_points() -> None:
    box = Box(0.2, 0.2, 0.2, 0.1)
    # centres: 0.004 beyond the left edge, twice that, inside, beyond the bottom
    local = words(("edge", 0.1762, 0.25), ("out", 0.172, 0.25), ("in", 0.3, 0.25), ("below", 0.3, 0.305))
    assert assign_words(local, [box], [[]]) == ([[0, 2]], [1, 3])
    near = words(("above", 0.3, 0.192), ("below", 0.3, 0.298), ("right", 0.383, 0.25))  # 0.003 outside
    assert assign_words(near, [box], [[]]) == ([[0, 1, 2]], [])


def test_in_overlapping_blocks_a_word_goes_to_the_text_that_has_it_and_else_to_the_smaller() -> None:
    large, small = Box(0.1, 0.1, 0.8, 0.8), Box(0.2, 0.2, 0.3, 0.3)
    local = words(("Total", 0.3, 0.3), ("due", 0.36, 0.3))
    assert assign_words(local, [large, small], [["Total"], []]) == ([[0], [1]], [])
    assert assign_words(local, [small, large], [[], []]) == ([[0, 1], []], [])


def test_an_ocr_word_takes_the_services_reading_only_when_it_is_another_reading_of_it() -> None:
    local = words(("Medica1", 0.2, 0.2), ("paid", 0.3, 0.2), from_ocr=True)
    box = Box(0.1, 0.1, 0.5, 0.5)

    def read(content: list[str], **more: Any) -> list[tuple[str, float]]:
        found = words_of_block(local, [0, 1], content, box=box, on_page="medica1paid", **more)
        return [(word.text, word.confidence) for word in found]

    assert read(["Medical", "paid"]) == [("Medical", 0.9), ("paid", 0.9)]
    assert read(["Zz", "paid"]) == [("Medica1", 0.9), ("paid", 0.9)]
    assert read(["Medica1", "paid", "stamp"])[-1] == ("stamp", UNPLACED)


def test_a_cited_run_of_words_is_cut_by_its_characters_and_lines_part_where_places_do() -> None:
    box = Box(0.1, 0.1, 0.5, 0.5)
    cited = [("ab cdef", Box(0.1, 0.2, 0.7, 0.01)), ("below", Box(0.1, 0.3, 0.1, 0.01))]
    found = cited_words(cited, local=None, indices=[], box=box, confidence=0.8)
    assert [(word.text, word.line) for word in found] == [("ab", 0), ("cdef", 0), ("below", 1)]
    assert [word.box.left for word in found] == pytest.approx([0.1, 0.4, 0.1])
    assert [word.box.right for word in found] == pytest.approx([0.3, 0.8, 0.2])
    assert found[0].box.top == pytest.approx(0.2)
    assert found[0].box.bottom == pytest.approx(0.21)


def test_a_cited_word_without_a_box_takes_its_local_words_and_else_the_blocks() -> None:
    box = Box(0.1, 0.1, 0.5, 0.5)
    local = words(("Claim", 0.2, 0.2), ("left", 0.3, 0.4))
    cited: list[tuple[str, Box | None]] = [("Claim", None), ("seal", None)]
    found = cited_words(cited, local=local, indices=[0, 1], box=box, confidence=0.8)
    assert [(word.text, word.confidence) for word in found] == [
        ("Claim", 0.8),
        ("seal", UNPLACED),
        ("left", 0.9),  # on the page, and no citation names or covers it
    ]
    assert (found[0].box.left, found[0].box.top) == pytest.approx((0.2, 0.2))
    assert found[1].box == box
    covering = cited_words([("other", box)], local=local, indices=[0, 1], box=box, confidence=0.8)
    assert [word.text for word in covering] == ["other"]
