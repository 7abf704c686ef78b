"""From a result to a parsed document: the words that were drawn are found where they were drawn."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from citation_pipeline.adapters.reducto.conversion import convert_result
from citation_pipeline.adapters.reducto.errors import ReductoResultError
from citation_pipeline.adapters.reducto.options import ParseOptions
from citation_pipeline.adapters.reducto.parse_results import ParseResult
from citation_pipeline.core.boxes import Box, iou
from citation_pipeline.core.documents.parsed import BLOCK_TYPES, DocumentStatus, ParsedDocument
from citation_pipeline_tests.fake_reducto.desk import Desk
from citation_pipeline_tests.fake_reducto.drawn_documents import DrawnDocument, boxes_of, draw
from citation_pipeline_tests.fake_reducto.oddities import ODDITIES

pytest_plugins = ["citation_pipeline_tests.fake_reducto.fixtures"]

R1 = ParseOptions(profile="r-1")


def boxes_found(document: ParsedDocument, text: str) -> list[tuple[int, Box]]:
    words = document.words
    return [(int(words.page[i]), words.box(i)) for i, word in enumerate(words.texts) if word == text]


def wire_block(
    kind: str, content: str, box: tuple[float, float, float, float], **more: Any
) -> dict[str, Any]:
    left, top, width, height = box
    page = more.pop("page", 1)
    bbox = {"left": left, "top": top, "width": width, "height": height, "page": page}
    return {"type": kind, "content": content, "bbox": bbox, **more}


def convert(drawn: DrawnDocument, blocks: list[dict[str, Any]], *, local: bool = True) -> ParsedDocument:
    result = ParseResult.model_validate({"chunks": [{"content": "", "blocks": blocks}]})
    return convert_result(
        drawn.source,
        result,
        local=drawn.local if local else None,
        parser="reducto",
        parser_version="t",
    )


@pytest.mark.parametrize("options", [ParseOptions(), R1], ids=["local words", "cited words"])
def test_every_drawn_word_is_found_once_at_its_place(desk: Desk, options: ParseOptions) -> None:
    parsed, truth = desk.parse(options=options), desk.document.local
    assert sorted(parsed.words.texts) == sorted(truth.words.texts)
    for index, text in enumerate(truth.words.texts):
        page, box = int(truth.words.page[index]), truth.words.box(index)
        best = max(iou(box, found) for on, found in boxes_found(parsed, text) if on == page)
        assert best > (0.99 if options.profile == "agentic" else 0.5), text  # its glyph boxes are its own


def test_blocks_have_the_twelve_types_and_tables_are_html(desk: Desk) -> None:
    parsed = desk.parse()
    by_type = {block.type: block for block in parsed.blocks}
    assert set(by_type) <= set(BLOCK_TYPES)
    assert {"Header", "Key Value", "Table", "Signature", "Page Number", "Section Header"} <= set(by_type)
    assert by_type["Table"].content.startswith("<table><tr><td>Check 1003</td>")
    assert "Claimant: Ignatius" in by_type["Key Value"].text
    assert parsed.parser == "reducto"


def test_the_text_the_words_and_the_pages_agree(desk: Desk) -> None:
    parsed = desk.parse(options=R1)
    words = parsed.words
    assert all(
        parsed.text[words.text_start[i] : words.text_end[i]] == words.texts[i] for i in range(len(words))
    )
    assert [page.page for page in parsed.pages] == [1, 2]
    assert np.all(np.diff(words.page) >= 0)


def test_cited_words_stand_on_the_lines_they_were_drawn_on(desk: Desk) -> None:
    parsed = desk.parse(options=R1)
    [paragraph] = [block for block in parsed.blocks if block.text.startswith("Your claim")]
    assert paragraph.text.splitlines() == [
        "Your claim is delayed while we obtain medical records from the clinic.",
        "A decision follows within ninety days of the claim form.",
    ]


def test_a_cited_word_without_a_box_takes_its_local_words(desk: Desk) -> None:
    desk.fake.configure(oddities=["text_words_null_boxes"])
    parsed = desk.parse(options=R1)
    assert sorted(parsed.words.texts) == sorted(desk.document.local.words.texts)
    assert all(parsed.words.box(i).area < 0.01 for i in range(len(parsed.words)))


def test_a_table_merged_over_pages_is_one_block_per_page_and_its_words_stay_on_theirs(desk: Desk) -> None:
    desk.fake.configure(oddities=["merged_tables"])
    parsed = desk.parse()
    tables = [block for block in parsed.blocks if block.type == "Table"]
    assert [table.page for table in tables] == [1, 2]
    assert "1002" in tables[0].text
    assert "1002" in tables[0].content
    assert "1003" in tables[1].text
    assert "1003" not in tables[0].content
    assert "merged_tables_split: 1" in parsed.warnings


def test_row_spans_are_kept(desk: Desk) -> None:
    desk.fake.configure(oddities=["rowspan"])
    contents = [block.content for block in desk.parse().blocks if block.type == "Table"]
    assert any('<td rowspan="2">Check 1001</td>' in content for content in contents)


def test_doubled_page_markers_leave_no_trace(desk: Desk) -> None:
    plain = desk.parse()
    for options in (ParseOptions(add_page_markers=True), ParseOptions(profile="r-1", add_page_markers=True)):
        marked = desk.parse(options=options)
        assert marked.text.split() == plain.text.split()
        assert [block.type for block in marked.blocks] == [block.type for block in plain.blocks]
        assert not any("[[" in block.content for block in marked.blocks)
        assert "[[" not in desk.stored(".md").read_text()


def test_an_unknown_block_type_becomes_text_with_a_warning(desk: Desk) -> None:
    desk.fake.configure(oddities=["unknown_type"])
    parsed = desk.parse()
    assert {block.type for block in parsed.blocks} <= set(BLOCK_TYPES)
    assert "unknown_block_types: 1" in parsed.warnings


def test_a_missing_original_page_falls_back_to_the_page(desk: Desk) -> None:
    plain = desk.parse()
    desk.folder = desk.folder / "again"
    desk.fake.reset(oddities=["missing_original_page"])
    assert [b.page for b in desk.parse().blocks] == [b.page for b in plain.blocks]


def test_the_original_page_wins_over_the_page() -> None:
    drawn = draw()
    block = wire_block("Text", "totals above", (0.1, 0.16, 0.5, 0.03))
    block["bbox"] |= {"page": 1, "original_page": 2}
    assert convert(drawn, [block]).blocks[-1].page == 2


def test_confidence_is_the_number_or_low_or_unknown(desk: Desk) -> None:
    desk.fake.configure(oddities=["low_confidence", "null_confidence"])
    found = {block.confidence for block in desk.parse().blocks}
    assert found == {0.97, 0.5, None}


def test_missing_credits_stay_unknown(desk: Desk) -> None:
    desk.fake.configure(oddities=["null_credits", "no_response_type"])
    assert desk.parse().status is DocumentStatus.PARSED
    assert (desk.receipts[0].credits, desk.receipts[0].page_count) == (None, 2)


def test_a_figures_summary_never_becomes_words(desk: Desk) -> None:
    desk.fake.configure(oddities=["figure_summary"])
    parsed = desk.parse()
    figures = [block for block in parsed.blocks if block.type == "Figure"]
    assert all(figure.content.startswith("Summary:") for figure in figures)
    assert "illustrative" not in parsed.text
    assert sorted(parsed.words.texts) == sorted(desk.document.local.words.texts)


def test_all_oddities_at_once_still_give_every_word(desk: Desk) -> None:
    desk.fake.configure(oddities=list(ODDITIES))
    for options in (ParseOptions(), R1):
        parsed = desk.parse(options=options)
        assert sorted(parsed.words.texts) == sorted(desk.document.local.words.texts)


def test_on_an_ocr_page_the_service_corrects_a_misread_word_and_its_box_stays(
    desk_for: Callable[[DrawnDocument], Desk],
) -> None:
    drawn = draw(words_from="ocr", misread={"Okwuosa-Lindqvist": "0kwuosa-Lindqvlst"})
    parsed = desk_for(drawn).parse()
    [(_, box)] = boxes_found(parsed, "Okwuosa-Lindqvist")
    [(_, truth)] = boxes_found(drawn.local, "0kwuosa-Lindqvlst")
    assert box == truth


def test_on_a_text_page_the_text_layer_is_believed(desk_for: Callable[[DrawnDocument], Desk]) -> None:
    drawn = draw(misread={"$1,204.50": "$1,204.58"})
    parsed = desk_for(drawn).parse()
    assert boxes_found(parsed, "$1,204.58")


def test_what_only_the_service_could_read_is_a_word_placed_by_its_block(
    desk_for: Callable[[DrawnDocument], Desk],
) -> None:
    parsed = desk_for(draw(unseen=frozenset({"Ignatius", "Okwuosa-Lindqvist"}))).parse()
    [block] = [b for b in parsed.blocks if "Ignatius" in b.text]
    [(_, box)] = boxes_found(parsed, "Ignatius")
    assert box == block.box
    index = parsed.words.texts.index("Ignatius")
    assert parsed.words.confidence[index] == 0.0
    assert "words_placed_by_block: 2" in parsed.warnings
    assert "Claimant:\nIgnatius Okwuosa-Lindqvist" in block.text


def test_words_that_no_block_holds_are_kept_as_blocks_in_their_place() -> None:
    drawn = draw()
    signature = wire_block("Signature", "Signature ____________", (0.11, 0.36, 0.3, 0.03), page=2)
    parsed = convert(drawn, [signature])
    assert sorted(parsed.words.texts) == sorted(drawn.local.words.texts)
    types = [block.type for block in parsed.blocks if block.page == 2]
    assert types.count("Signature") == 1
    assert 0 < types.index("Signature") < len(types) - 1
    assert [block.type for block in parsed.blocks if block.page == 1][
        0
    ] == "Header"  # as the local parser has it


def test_a_word_in_two_blocks_goes_to_the_one_whose_text_has_it() -> None:
    drawn = draw((((72, 100, "alpha beta"),),))
    around = wire_block("Text", "alpha", (0.1, 0.1, 0.8, 0.1))
    inside = wire_block("Key Value", "beta", (0.11, 0.11, 0.4, 0.05))
    parsed = convert(drawn, [around, inside])
    assert [(block.type, block.text) for block in parsed.blocks] == [("Text", "alpha"), ("Key Value", "beta")]


def test_a_result_with_pages_that_the_file_has_not_is_refused() -> None:
    with pytest.raises(ReductoResultError, match="page 3, the file has 2 pages"):
        convert(draw(), [wire_block("Text", "x", (0, 0, 1, 1), page=3)])


def test_boxes_beyond_the_page_are_cut_to_it() -> None:
    parsed = convert(draw(), [wire_block("Text", "x", (-0.2, 0.9, 2.0, 0.5))])
    block = next(b for b in parsed.blocks if b.box.width == 1.0)
    assert (block.box.left, round(block.box.bottom, 6)) == (0.0, 1.0)
    assert "boxes_cut_to_page: 1" in parsed.warnings


def test_without_any_local_words_the_text_is_kept_and_placed_by_block() -> None:
    drawn = draw()
    parsed = convert(drawn, [wire_block("Text", "only here\nand there", (0.1, 0.1, 0.2, 0.1))], local=False)
    assert parsed.text == "only here\nand there"
    assert [(page.has_text_layer, page.words_from) for page in parsed.pages] == [(False, "ocr")]
    assert parsed.words.box(0) == parsed.blocks[0].box


def test_glyph_boxes_match_what_was_drawn() -> None:
    [(_, box), _] = boxes_of(72, 100, "alpha beta")
    assert box.left == pytest.approx(72 / 612)
    assert 0 < box.height < 0.02
