"""What is printed letter by letter and still says something else: cuts inside words, cells of two columns."""

import pytest

from citation_pipeline.core.citations import CitationStatus
from citation_pipeline.core.matching.index import DocumentIndex
from citation_pipeline.core.resolution.hints import Hints
from citation_pipeline.core.resolution.places import PlaceSearch, search_places
from citation_pipeline.core.resolution.queries import read_words


def search_line(page: str, snippet: str) -> PlaceSearch:
    words = [
        [word, 1, 0.05 + 0.09 * (at % 9), 0.1 + 0.02 * (at // 9), 0.08, 0.012]
        for at, word in enumerate(page.split())
    ]
    index = DocumentIndex(read_words({"words": words, "blocks": [{"words": [0, len(words)]}]}))
    return search_places(index, snippet, Hints())


@pytest.mark.parametrize(
    ("page", "snippet", "code"),
    [
        ("被申请人应当支付医疗费用。", "申请人应当支付医疗费用", "word_replaced"),
        ("公司副总裁王强作证。", "总裁王强作证", "word_replaced"),
        ("前雇主承担全部费用。", "雇主承担全部费用", "word_replaced"),
        ("法院认定该协议无效。", "该协议无", "word_replaced"),
        ("该伤害被认定为非工伤事故。", "工伤事故", "negation_differs"),
        ("检查没有骨折迹象。", "骨折迹象", "negation_differs"),
        ("赔偿金额为二十三万元。", "三万元", "digits_differ"),
        ("赔偿金额为23,500元。", "500元", "digits_differ"),
        ("賃金の支払う必要はない。", "支払う必要は", "negation_differs"),
        ("피신청인은 비용을 부담한다.", "신청인은 비용을", "word_replaced"),
        ("비업무상 재해로 판정되었다.", "업무상 재해로", "word_replaced"),
        ("จำเลยไม่ต้องรับผิด", "ต้องรับผิด", "negation_differs"),
        ("仓租为31,705.20元，按月支付。", "仓租为3,170.520元", "number_differs"),
        ("仓租为31,705.20元，按月支付。", "3,170.520", "number_differs"),
        ("仓租为31,705.20元，按月支付。", "1,705.20", "digits_differ"),
        ("比例為12-3，餘額不計。", "比例為123", "range_differs"),
    ],
)
def test_a_quotation_cut_inside_a_word_that_it_turns_round_is_flagged(page: str, snippet: str, code: str):
    found = search_line(page, snippet)
    assert found.status is not CitationStatus.RESOLVED
    assert code in found.places[0].match.findings.codes


@pytest.mark.parametrize(
    ("page", "snippet"),
    [
        ("被申请人应当支付医疗费用。", "支付医疗费用"),
        ("被申请人应当支付医疗费用。", "被申请人应当支付"),
        ("仓租为31,705.20元，按月支付。", "31,705.20"),
        ("仓租为31,705.20元，按月支付。", "仓租为31705.20元"),
        ("目前王强已返回工作岗位。", "王强已返回工作岗位"),
        ("检查没有异常，骨折迹象明显。", "骨折迹象明显"),
        ("赔偿金额为二十三万元。", "二十三万元"),
        ("피신청인은 비용을 부담한다.", "비용을 부담한다"),
    ],
)
def test_a_part_of_a_line_that_says_what_the_line_says_is_resolved(page: str, snippet: str):
    assert search_line(page, snippet).status is CitationStatus.RESOLVED


def search_columns(snippet: str, *columns: tuple[str, ...]) -> PlaceSearch:
    """Look for a text in a table that the parser reads column by column."""
    words = []
    for number, column in enumerate(columns):
        for row, cell in enumerate(column):
            for at, word in enumerate(cell.split()):
                words.append([word, 1, 0.05 + 0.3 * number + 0.06 * at, 0.1 + 0.025 * row, 0.05, 0.012])
    index = DocumentIndex(read_words({"words": words, "blocks": [{"words": [0, len(words)]}]}))
    return search_places(index, snippet, Hints())


PARTS, RATINGS = ("Part", "Neck", "Back", "Hip"), ("Rating", "10%", "15%", "20%")


@pytest.mark.parametrize("snippet", ["Hip Rating 10%", "Back Hip Rating", "Neck Back Hip Rating 10%"])
def test_cells_of_two_rows_that_were_read_behind_each_other_are_no_row(snippet: str):
    found = search_columns(snippet, PARTS, RATINGS)
    assert found.status is CitationStatus.FLAGGED
    assert found.places[0].match.findings.codes == ("row_differs",)


def test_without_heads_the_last_label_is_not_read_with_the_first_value():
    assert search_columns("Hip 10%", PARTS[1:], RATINGS[1:]).status is CitationStatus.FLAGGED


@pytest.mark.parametrize(
    "snippet", ["Neck 10%", "Hip 20%", "Part Neck Back Hip", "Part Neck Back Hip Rating 10% 15% 20%"]
)
def test_rows_and_whole_columns_of_such_a_table_are_resolved(snippet: str):
    assert search_columns(snippet, PARTS, RATINGS).status is CitationStatus.RESOLVED


def test_a_row_that_is_printed_elsewhere_is_found_there():
    found = search_columns("Hip 10%", (*PARTS[1:], "Hip"), (*RATINGS[1:], "10%"))
    assert found.status is CitationStatus.RESOLVED
    assert len(found.places[0].match.words) == 2


NOISY = "The panel physician found that the applicaut had reachcd {} with regard to the cervica1 spine"


@pytest.mark.parametrize("other", ["MNL", "MRI", "QME"])
def test_another_abbreviation_among_misread_words_is_flagged(other: str):
    page = "The panel physician found that the applicant had reached MMI with regard to the cervical spine"
    found = search_line(page, NOISY.format(other))
    assert found.status is CitationStatus.FLAGGED
    assert "word_replaced" in found.places[0].match.findings.codes
    assert search_line(page, NOISY.format("MMI")).status is CitationStatus.RESOLVED


def test_a_capital_that_looks_like_the_pages_is_never_sure():
    page = "The panel physician found that the applicant had reached QME with regard to the cervical spine"
    found = search_line(page, NOISY.format("OME"))
    assert "word_misread" in found.places[0].match.findings.codes
