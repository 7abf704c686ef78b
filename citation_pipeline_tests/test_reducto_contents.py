"""Contents of blocks: tables are cleaned, markers are dropped, hostile input stays harmless."""

import json
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citation_pipeline.adapters.reducto.alignment import LocalWords, assign_words, plain, words_of_block
from citation_pipeline.adapters.reducto.block_contents import clean_table, tokens, without_page_markers
from citation_pipeline.adapters.reducto.errors import ReductoResultError
from citation_pipeline.adapters.reducto.parse_results import read_parse_result
from citation_pipeline.core.boxes import Box
from citation_pipeline_tests.fake_reducto.drawn_documents import draw

ALLOWED = {"table", "thead", "tbody", "tfoot", "tr", "td", "th", "caption"}
BOX = {"left": 0.1, "top": 0.1, "width": 0.1, "height": 0.1, "page": 1}


class Tags(HTMLParser):
    def __init__(self, markup: str) -> None:
        super().__init__()
        self.seen: list[tuple[str, dict[str, str | None]]] = []
        self.feed(markup)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))


def test_a_table_keeps_structure_and_spans_and_loses_everything_else() -> None:
    hostile = (
        '<table onclick="x()"><tr><td rowspan="2" style="a">A &amp; B</td><td colspan="99999">'
        "<script>alert(1)</script><b>1</b><br/>2<img src=x onerror=y></td></tr></table>"
    )
    assert clean_table(hostile) == ('<table><tr><td rowspan="2">A &amp; B</td><td>1 2</td></tr></table>')


@pytest.mark.parametrize(
    ("span", "kept"), [(1, ""), (2, ' colspan="2"'), (1000, ' colspan="1000"'), (1001, "")]
)
def test_a_span_is_kept_up_to_a_thousand_cells(span: int, kept: str) -> None:
    table = f'<table><tr><td colspan="{span}">A</td></tr></table>'
    assert clean_table(table) == f"<table><tr><td{kept}>A</td></tr></table>"


@given(st.text(alphabet=st.sampled_from('<>/="&tablerdhscipo 019-\n'), max_size=200) | st.text(max_size=200))
def test_no_input_gets_another_tag_or_attribute_through(content: str) -> None:
    for tag, attributes in Tags(clean_table("<table>" + content)).seen:
        assert tag in ALLOWED
        assert set(attributes) <= {"rowspan", "colspan"}


def test_a_markdown_table_becomes_html() -> None:
    markdown = "| Date | Paid |\n|:---|---:|\n| 03/14 | 5 < 6 \\| 7 |\n"
    assert clean_table(markdown) == (
        "<table><tr><td>Date</td><td>Paid</td></tr><tr><td>03/14</td><td>5 &lt; 6 | 7</td></tr></table>"
    )


def test_tokens_are_what_a_reader_sees() -> None:
    assert tokens("<table><tr><td>a&amp;b</td><td>c<br>d</td></tr></table>") == ["a&b", "c", "d"]
    assert tokens("plain text") == ["plain", "text"]


@pytest.mark.parametrize(
    "marker",
    ["[[START OF PAGE 3]]", "[[END OF PAGE 12]]", "[[PAGE 1 BEGINS HERE]]", "[[PAGE 1 ENDS HERE]]"],
)
def test_markers_go_and_what_only_looks_like_one_stays(marker: str) -> None:
    assert without_page_markers(f"{marker}\n{marker}\n\nText\n{marker}") == "Text"
    assert without_page_markers(f"see {marker}") == f"see {marker}"


@given(st.lists(st.sampled_from(["alpha", "beta", "gamma", "delta", "12/03", "$5.00", "Smith"]), max_size=12))
def test_a_block_has_each_of_its_local_words_once_and_in_order(content: list[str]) -> None:
    drawn = draw((((72, 100, "alpha beta gamma delta"),),))
    local = LocalWords(
        texts=list(drawn.local.words.texts),
        boxes=drawn.local.words.boxes,
        lines=[0] * 4,
        blocks=[0] * 4,
        confidences=[1.0] * 4,
        from_ocr=False,
    )
    box = Box(0.1, 0.1, 0.8, 0.1)
    [indices], outside = assign_words(local, [box], [content])
    words = words_of_block(local, indices, content, box=box, on_page="".join(map(plain, local.texts)))
    assert outside == []
    assert [word.text for word in words if word.line >= 0] == ["alpha", "beta", "gamma", "delta"]
    assert {word.text for word in words if word.line < 0} <= set(content)


def one_block(**changes: object) -> bytes:
    block = {"type": "Text", "content": "PRIVATE", "bbox": BOX} | changes
    return json.dumps({"type": "full", "chunks": [{"blocks": [block]}]}).encode()


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "result_not_json"),
        (b"<html>", "result_not_json"),
        (b"[" * 100_000, "result_not_json"),
        (b"[]", "result_missing"),
        (b"{}", "result_missing"),
        (b'{"status":"Pending","result":null}', "result_missing"),
        (b'{"type":"url","url":"https://x.invalid/SECRET"}', "result_is_a_link"),
        (b'{"type":"full","chunks":null}', "result_malformed"),
        (one_block(bbox=None), "result_malformed"),
        (one_block(bbox=BOX | {"left": "PRIVATE"}), "result_malformed"),
        (one_block(bbox=BOX | {"page": 10**9}), "result_malformed"),
        (one_block(content=["PRIVATE"]), "result_malformed"),
    ],
)
def test_a_result_that_cannot_be_used_is_named_and_never_quoted(data: bytes, code: str) -> None:
    with pytest.raises(ReductoResultError, match=r"notice\.reducto\.json") as caught:
        read_parse_result(data, name="notice.reducto.json")
    assert caught.value.code == code
    shown = str(caught.value) + str(caught.value.__cause__)
    assert "PRIVATE" not in shown
    assert "SECRET" not in shown


KEYS = st.sampled_from(["result", "chunks", "blocks", "type", "usage", "status", "bbox"])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=12,
)


@given(JSON)
def test_no_json_brings_the_reader_down(value: object) -> None:
    try:
        blocks = read_parse_result(json.dumps(value).encode(), name="n").blocks
    except ReductoResultError:
        return
    assert all(block.bbox.page >= 1 for block in blocks)
