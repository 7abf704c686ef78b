"""Whatever blocks the service sends, no word of the page is lost, doubled or moved."""

import math

from hypothesis import example, given
from hypothesis import strategies as st

from citation_pipeline.adapters.reducto.alignment import UNPLACED
from citation_pipeline.adapters.reducto.conversion import convert_result
from citation_pipeline.adapters.reducto.parse_results import ParseResult
from citation_pipeline.core.documents.parsed import BLOCK_TYPES
from citation_pipeline_tests.fake_reducto.drawn_documents import DrawnDocument, draw

TEXT_LAYER = draw()
SCAN = draw(words_from="ocr")
FRACTIONS = st.floats(min_value=-0.1, max_value=1.1)
PARTS = st.sampled_from(
    [*TEXT_LAYER.local.words.texts, "handwritten", "<td>", "&amp;", "|", "\n", "[[START OF PAGE 1]]"]
)
CONTENTS = st.lists(PARTS, max_size=15).map(" ".join)


@st.composite
def blocks(draw_from: st.DrawFn) -> dict[str, object]:
    page = draw_from(st.integers(min_value=1, max_value=2))
    left, top, width, height = (draw_from(FRACTIONS) for _ in range(4))
    box = {"left": left, "top": top, "width": width, "height": height, "page": page}
    block = {
        "type": draw_from(st.sampled_from([*BLOCK_TYPES, "Watermark"])),
        "content": draw_from(CONTENTS),
        "bbox": box,
    }
    if draw_from(st.booleans()):
        block["merged_tables"] = [{"bbox": box | {"page": 2}, "content": draw_from(CONTENTS)}]
    return block


@given(st.lists(blocks(), max_size=6), st.sampled_from([TEXT_LAYER, SCAN]))
def test_every_word_of_the_page_is_kept_once_at_its_place(found: list[object], drawn: DrawnDocument) -> None:
    result = ParseResult.model_validate({"chunks": [{"blocks": found}]})
    parsed = convert_result(drawn.source, result, local=drawn.local, parser="reducto", parser_version="t")
    words, truth = parsed.words, drawn.local.words
    placed = sorted(
        (int(words.page[i]), words.box(i).left, words.box(i).top)
        for i in range(len(words))
        if words.confidence[i] != UNPLACED
    )
    known = sorted((int(truth.page[i]), truth.box(i).left, truth.box(i).top) for i in range(len(truth)))
    assert placed == known
    offsets = zip(words.text_start, words.text_end, strict=True)
    assert [parsed.text[start:end] for start, end in offsets] == list(words.texts)
    assert all(0 <= edge <= 1 for block in parsed.blocks for edge in (block.box.left, block.box.bottom))


def test_words_that_a_block_with_citations_does_not_cite_are_kept_after_them() -> None:
    known = TEXT_LAYER.local.words
    at = known.texts.index("Claimant:")
    box = known.box(at)
    place = {"left": box.left, "top": box.top, "width": box.width, "height": box.height, "page": 1}
    block = {"type": "Key Value", "content": "Claimant: …", "bbox": place | {"width": 0.6}}
    block["extra"] = {"word_citations": [{"text": "Claimant:", "bbox": place}]}
    result = ParseResult.model_validate({"chunks": [{"blocks": [block]}]})
    parsed = convert_result(
        TEXT_LAYER.source, result, local=TEXT_LAYER.local, parser="reducto", parser_version="t"
    )
    [kept] = [block for block in parsed.blocks if block.type == "Key Value"]
    assert kept.text.split() == ["Claimant:", "Ignatius", "Okwuosa-Lindqvist"]
    assert sorted(parsed.words.texts) == sorted(known.texts)


@given(st.lists(st.tuples(PARTS, FRACTIONS | st.none(), FRACTIONS), max_size=12))
@example([("\n", 0.0, 0.0)])
def test_cited_words_are_kept_in_order_whatever_their_boxes(
    cited: list[tuple[str, float | None, float]],
) -> None:
    words = [
        {
            "text": text,
            "bbox": None
            if left is None
            else {"left": left, "top": top, "width": 0.1, "height": 0.01, "page": 1},
        }
        for text, left, top in cited
    ]
    block = {"type": "Text", "content": "x", "extra": {"word_citations": words}}
    block["bbox"] = {"left": 0.1, "top": 0.1, "width": 0.5, "height": 0.5, "page": 1}
    result = ParseResult.model_validate({"chunks": [{"blocks": [block]}]})
    parsed = convert_result(TEXT_LAYER.source, result, local=None, parser="reducto", parser_version="t")
    said = " ".join(text for text, _, _ in cited).split()
    is_located = any(left is not None for _, left, _ in cited)
    # citations that say nothing lose nothing: then, as without any, the block's content stands
    assert list(parsed.words.texts) == (said if is_located and said else ["x"])
    assert not any(math.isnan(edge) for row in parsed.words.boxes for edge in row)
