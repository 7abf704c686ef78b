"""What an office file, a mail or a web page does not display is not cited as if it were printed."""

import io

import docx
import openpyxl
import pytest
from docx.enum.style import WD_STYLE_TYPE
from docx.shared import Pt, RGBColor

from citation_pipeline.adapters.office.html_text import text_of_html
from citation_pipeline.core.resolution.doubted_pages import doubts_about
from citation_pipeline_tests.parser_files import package, source_of


def text(parser, data: bytes, file: str) -> str:
    return parser.parse(source_of(data, file), data).text


def word_file(build) -> bytes:
    document = docx.Document()
    document.add_paragraph("Paid to Maria Lopez")
    build(document)
    buffer = io.BytesIO()
    document.save(buffer)
    return buffer.getvalue()


def by_style(document):
    style = document.styles.add_style("Secret", WD_STYLE_TYPE.PARAGRAPH)
    style.font.hidden = True
    based = document.styles.add_style("More Secret", WD_STYLE_TYPE.PARAGRAPH)
    based.base_style = style
    document.add_paragraph("99,999.99", style="More Secret")


def white(document):
    document.add_paragraph("of ").add_run("99,999.99").font.color.rgb = RGBColor(255, 255, 255)


def tiny(document):
    document.add_paragraph("of ").add_run("99,999.99").font.size = Pt(1)


@pytest.mark.parametrize("build", [by_style, white, tiny])
def test_hidden_white_and_tiny_runs_of_a_word_file_are_left_out(parser, build):
    found = text(parser, word_file(build), "letter.docx")
    assert "Paid to Maria Lopez" in found
    assert "99,999.99" not in found


def shown_again(document):
    by_style(document)
    document.paragraphs[-1].runs[0].font.hidden = False


def white_on_a_table(document):
    run = document.add_table(1, 1).cell(0, 0).paragraphs[0].add_run("99,999.99")
    run.font.color.rgb = RGBColor(255, 255, 255)  # the table's style may shade the cell


@pytest.mark.parametrize("build", [shown_again, white_on_a_table])
def test_runs_that_may_be_seen_stay(parser, build):
    assert "99,999.99" in text(parser, word_file(build), "letter.docx")


PAGE = (
    "<html><head><style>/* x */ .gone, p.off {display : none} #low{font-size:0} .seen{color:red}"
    "@media print {.seen{display:none}}</style></head><body>"
    "<p class='seen'>Paid to Lopez</p>{}</body></html>"
)


@pytest.mark.parametrize(
    "part",
    [
        "<p class='more gone'>99,999.99</p>",
        "<p class=off>99,999.99</p>",
        "<div id=low><p>99,999.99</p></div>",
        "<span style='font-size: 0px'>99,999.99</span>",
        "<p style='opacity:0;'>99,999.99</p>",
        "<p style='position:absolute;left:-9999px'>99,999.99</p>",
        "<div style='max-height:0;overflow:hidden'>99,999.99</div>",
        "<select><option>12.00<option>99,999.99</select>",
    ],
)
def test_what_a_page_or_a_mail_does_not_display_is_left_out(parser, part):
    page = PAGE.replace("{}", part)
    for found in (text(parser, page.encode(), "notice.html"), text_of_html(page)):
        assert "Paid to Lopez" in found
        assert "99,999.99" not in found


@pytest.mark.parametrize(
    "part",
    [
        "<div class=off>99,999.99</div>",
        "<p style='font-size:0.9em'>99,999.99</p>",
        "<p class=gone style='display:block'>99,999.99</p>",
        "<p style='opacity:0.5'>99,999.99</p>",
        "<select><option>12.00<option selected>99,999.99</select>",
        "<select multiple><option>99,999.99</select>",
        "<p style='text-indent:-9px'>99,999.99</p>",
    ],
)
def test_what_a_page_displays_stays(parser, part):
    page = PAGE.replace("{}", part)
    for found in (text(parser, page.encode(), "notice.html"), text_of_html(page)):
        assert "Paid to Lopez" in found
        assert "99,999.99" in found


def test_a_forms_lists_and_fields_are_words_of_their_own(parser):
    page = b"<html><body><p>State<textarea>open</textarea><select><option>won</select></p></body></html>"
    assert text(parser, page, "form.html").split() == ["State", "open", "won"]


def workbook(build) -> bytes:
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Payments"
    for row in (["Payee", "Amount", "Note"], ["Lopez", "12.00", "paid"], ["Garcia", "99.00", "void"]):
        sheet.append(row)
    build(book, sheet)
    buffer = io.BytesIO()
    book.save(buffer)
    return buffer.getvalue()


def test_hidden_rows_and_columns_of_a_sheet_are_apart_from_it_and_named_so(parser):
    def build(book, sheet):
        sheet.row_dimensions[3].hidden = True
        sheet.column_dimensions["C"].hidden = True

    data = workbook(build)
    document = parser.parse(source_of(data, "book.xlsx"), data)
    pages = [
        {text for text, page in zip(document.words.texts, document.words.page, strict=True) if page == number}
        for number in (1, 2)
    ]
    assert {"Lopez", "12.00", "Amount"} <= pages[0]
    assert not {"Garcia", "99.00", "void", "paid"} & pages[0]
    assert {"Garcia", "99.00", "void", "paid", "(hidden"} <= pages[1]


def test_a_hidden_sheet_is_named_so_and_a_format_that_shows_nothing_shows_nothing(parser):
    def build(book, sheet):
        book.create_sheet("Old").append(["Reserve", 25000])
        book["Old"].sheet_state = "hidden"
        sheet["D2"] = 99999
        sheet["D2"].number_format = ";;;"

    found = text(parser, workbook(build), "book.xlsx")
    assert "Old (hidden sheet)" in found
    assert "99999" not in found


def test_deleted_and_hidden_text_of_rich_text_is_left_out(parser):
    found = text(parser, rb"{\rtf1\ansi Paid to Lopez {\v 99,999.99}{\deleted 99,999.99}\par}", "a.rtf")
    assert "Paid to Lopez" in found
    assert "99,999.99" not in found


@pytest.mark.parametrize(
    "part",
    [
        '<text:p>of <text:hidden-text text:is-hidden="true">99,999.99</text:hidden-text> dollars</text:p>',
        '<text:p><text:hidden-paragraph text:is-hidden="true"/>99,999.99</text:p>',
        '<text:section text:name="s" text:display="none"><text:p>99,999.99</text:p></text:section>',
        '<text:p>of <text:span text:style-name="T1">99,999.99</text:span></text:p>',
    ],
)
def test_what_an_open_document_does_not_display_is_left_out(parser, part):
    names = "".join(
        f' xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
        for name in ("office", "text", "style")
    )
    content = (
        f"<office:document-content{names}><office:automatic-styles><style:style style:name='T1'>"
        "<style:text-properties text:display='none'/></style:style></office:automatic-styles>"
        f"<office:body><office:text><text:p>Paid to Lopez</text:p>{part}</office:text></office:body>"
        "</office:document-content>"
    )
    data = package({"mimetype": "application/vnd.oasis.opendocument.text", "content.xml": content})
    found = text(parser, data, "letter.odt")
    assert "Paid to Lopez" in found
    assert "99,999.99" not in found


@pytest.mark.parametrize(
    "order", ['<bdo dir="rtl">', '<bdo style="direction:rtl;unicode-bidi:bidi-override">']
)
def test_what_a_web_page_orders_to_run_backwards_is_read_as_it_is_displayed(parser, order):
    page = f"<!DOCTYPE html><html><body><p>Berth {order}71<b>94</b></bdo> is free</p></body></html>"
    assert "4917" in text(parser, page.encode(), "berth.html")
    assert "7194" not in text(parser, page.encode(), "berth.html")


def test_rows_and_cells_that_a_web_page_hides_are_not_read_and_text_of_its_styles_is(parser):
    page = (
        "<!DOCTYPE html><html><head><style>.due::before{content:'owed: '}"
        ' #e:after{content:" in gold"}</style></head><body><table>'
        "<tr><td>May</td><td class=due>17</td></tr>"
        "<tr style='visibility: hidden'><td>June</td><td>18</td></tr>"
        "<tr><td>July</td><td id=e>19</td></tr><tr><td>All</td><td hidden>54</td></tr>"
        "</table></body></html>"
    )
    words = text(parser, page.encode(), "dues.html").split()
    assert words == ["May", "owed:", "17", "July", "19", "in", "gold", "All"]


def presentation(*slides: str) -> bytes:
    names = (
        'xmlns:p="p" xmlns:a="a" '
        'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
    )
    ids = "".join(f"<p:sldId id='{256 + at}' r:id='s{at}'/>" for at in range(len(slides)))
    ties = "".join(f'<r Id="s{at}" Type="x/s" Target="slides/s{at}.xml"/>' for at in range(len(slides)))
    return package(
        {
            "[Content_Types].xml": "<Types/>",
            "_rels/.rels": "<R><r Id='1' Type='x/officeDocument' Target='ppt/presentation.xml'/></R>",
            "ppt/presentation.xml": f"<p:presentation {names}><p:sldSz cx='9000' cy='6000'/>"
            f"<p:sldIdLst>{ids}</p:sldIdLst></p:presentation>",
            "ppt/_rels/presentation.xml.rels": f"<R>{ties}</R>",
            **{
                f"ppt/slides/s{at}.xml": slide.replace("<p:sld", f"<p:sld {names}", 1)
                for at, slide in enumerate(slides)
            },
        }
    )


def shape(words: str, left: int, top: int) -> str:
    return (
        f"<p:sp><p:spPr><a:xfrm><a:off x='{left}' y='{top}'/><a:ext cx='2000' cy='800'/></a:xfrm></p:spPr>"
        f"<p:txBody><a:p><a:r><a:t>{words}</a:t></a:r></a:p></p:txBody></p:sp>"
    )


def test_what_stands_beside_a_slide_is_left_out_with_a_warning(parser):
    shapes = shape("The sloop", 500, 500) + shape("at the edge", 8500, 900) + shape("only mine", 9100, 500)
    data = presentation(f"<p:sld><p:cSld><p:spTree>{shapes}</p:spTree></p:cSld></p:sld>")
    document = parser.parse(source_of(data, "sloop.pptx"), data)
    assert (document.text.split(), document.warnings) == (
        ["The", "sloop", "at", "the", "edge"],
        ("page 1: hidden_text",),
    )


def test_a_slide_that_is_not_shown_is_read_and_nothing_on_it_is_sure(parser):
    slides = [
        f"<p:sld{show}><p:cSld><p:spTree>{shape(words, 500, 500)}</p:spTree></p:cSld></p:sld>"
        for words, show in (("Shown", ""), ("Skipped", " show='0'"))
    ]
    data = presentation(*slides)
    document = parser.parse(source_of(data, "two.pptx"), data)
    assert document.warnings == ("page 2: hidden_slide",)
    assert [
        text
        for text, sure in zip(document.words.texts, document.words.confidence, strict=True)
        if sure == 0.5
    ] == ["Skipped"]
    assert "hidden_slide" in doubts_about(document, [document.words.texts.index("Skipped")])
