"""Office files, forms and letters whose content is not what a reader sees: read as it looks, or in doubt."""

import io
import zipfile

import docx
import openpyxl
import pytest
from docx.oxml import parse_xml
from openpyxl.styles import Font, PatternFill

from citation_pipeline.adapters.office.number_formats import shown_value
from citation_pipeline.adapters.office.stale_results import is_stale
from citation_pipeline.core.documents.shown_letters import as_displayed, shown_word
from citation_pipeline.core.resolution.doubted_pages import doubts_about
from citation_pipeline_tests.drawn_pdfs import parse
from citation_pipeline_tests.parser_files import source_of
from citation_pipeline_tests.test_hidden_text import _pdf, _stream
from citation_pipeline_tests.test_misleading_print import drawn as drawn_by_pen
from citation_pipeline_tests.test_misleading_print import said_otherwise, slash, stamped, unsure

WHITE, BLUE = "FFFFFFFF", "FF1F3864"
NAMESPACE = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'


def workbook(change) -> bytes:
    book = openpyxl.Workbook()
    book.active.append(["Oars", 310.25])
    book.active.append(["Sails", 86.5])
    change(book.active)
    buffer = io.BytesIO()
    book.save(buffer)
    return buffer.getvalue()


def white(sheet):
    sheet["B2"].font = Font(color=WHITE)


def yellow(sheet):
    sheet["B2"].font = Font(color="FFFFFF00")
    sheet["B2"].fill = PatternFill("solid", fgColor="FFFFFF00")


def too_narrow(sheet):
    sheet["B2"].number_format = "#,##0.00"
    sheet.column_dimensions["B"].width = 3


@pytest.mark.parametrize("change", [white, yellow, too_narrow])
def test_cells_that_no_screen_shows_are_read_on_a_page_that_says_so(parser, change):
    data = workbook(change)
    document = parser.parse(source_of(data, "boats.xlsx"), data)
    assert document.warnings == ("page 2: hidden_cells",)
    at = [number for number, text in enumerate(document.words.texts) if text.startswith("86.5")]
    assert [(int(document.words.page[one]), float(document.words.confidence[one])) for one in at] == [
        (2, 0.5)
    ]
    assert doubts_about(document, at) == ("hidden_cells", "unsure_words")


def white_on_blue(sheet):
    white(sheet)
    sheet["B2"].fill = PatternFill("solid", fgColor=BLUE)


def wide_enough(sheet):
    sheet["B2"].number_format = "#,##0.00"
    sheet.column_dimensions["B"].width = 6


@pytest.mark.parametrize("change", [white_on_blue, wide_enough])
def test_white_letters_on_a_colour_and_numbers_that_fit_are_shown(parser, change):
    data = workbook(change)
    assert parser.parse(source_of(data, "boats.xlsx"), data).warnings == ()


@pytest.mark.parametrize(
    ("value", "pattern", "shown"),
    [
        (4_812_345.0, "#,##0,", "4,812"),
        (4_812_345.0, "0.0,,", "4.8"),
        (-71.5, "0.00;[Red]0.00", "-71.50"),
        (-71.5, "0.00;[Red](0.00)", "(71.50)"),
        (640, '[>500]"plenty";0', "plenty"),
        (320, '[>500]"plenty";0', "320"),
        (1234.5, "#,##0.00", "1,234.50"),
    ],
)
def test_numbers_are_read_as_their_formats_show_them(value, pattern, shown):
    assert shown_value(value, pattern) == shown


@pytest.mark.parametrize(
    ("formula", "result", "is_old"),
    [
        ("=SUM(A1:A3)", 60, False),
        ("=SUM(A1:A3)", 61, True),
        ("=A1*2+(A2-$A$3)/5", 18, False),
        ("=A1*2+(A2-A3)/5", 30, True),
        ("=-A1", -10, False),
        ("=VLOOKUP(A1,B1:C9,2)", 5, False),
        ("=A1/0", 5, False),
        ("=SUM(A1:ZZ1048576)", 5, False),
        ("=A1&A2", "1020", False),
        ("=(A1", 7, False),
    ],
)
def test_a_stored_result_is_old_where_its_formula_gives_another(formula, result, is_old):
    assert is_stale(formula, result, {(1, 1): 10, (2, 1): 20, (3, 1): 30}) is is_old


def with_result(result: bytes) -> bytes:
    data = workbook(lambda sheet: sheet.append(["All", "=SUM(B1:B2)"]))
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(buffer, "w") as new:
        for name in old.namelist():
            content = old.read(name)
            for empty in (b"<v></v>", b"<v/>", b"<v />"):
                content = content.replace(b"</f>" + empty, b"</f><v>%s</v>" % result)
            new.writestr(name, content)
    return buffer.getvalue()


@pytest.mark.parametrize(("result", "warnings"), [(b"396.75", ()), (b"412", ("page 1: stale_results",))])
def test_a_sheet_with_a_result_that_is_not_its_formulas_is_warned_of(parser, result, warnings):
    data = with_result(result)
    assert parser.parse(source_of(data, "boats.xlsx"), data).warnings == warnings


def word_file(runs: str, *, watermark: str = "") -> bytes:
    document = docx.Document()
    document.add_paragraph("What was agreed stands below.")
    document.element.body.insert(1, parse_xml(f"<w:p {NAMESPACE}>{runs}</w:p>"))
    if watermark:
        shape = (
            f'<v:shape xmlns:v="urn:schemas-microsoft-com:vml"><v:textpath string="{watermark}"/></v:shape>'
        )
        paragraph = document.sections[0].header.paragraphs[0]._p
        paragraph.append(parse_xml(f"<w:r {NAMESPACE}><w:pict>{shape}</w:pict></w:r>"))
    buffer = io.BytesIO()
    document.save(buffer)
    return buffer.getvalue()


def run(text: str, kind: str = "t") -> str:
    return f'<w:r><w:{kind} xml:space="preserve">{text}</w:{kind}></w:r>'


def test_changes_that_nobody_accepted_are_warned_of(parser):
    taken_out = f'<w:del w:id="1" w:author="A">{run("45,000", "delText")}</w:del>'
    data = word_file(f'{taken_out}<w:ins w:id="2" w:author="A">{run("54,000")}</w:ins>')
    assert parser.parse(source_of(data, "deed.docx"), data).warnings == ("page 1: tracked_changes",)


@pytest.mark.parametrize(
    ("watermark", "warnings"), [("DRAFT", ("page 1: marked_void",)), ("CONFIDENTIAL", ())]
)
def test_a_watermark_that_takes_a_word_file_back_is_warned_of(parser, watermark, warnings):
    data = word_file(run("54,000"), watermark=watermark)
    assert parser.parse(source_of(data, "deed.docx"), data).warnings == warnings


def test_letters_of_a_word_file_are_read_as_they_look(parser):
    text = "Nguye\u0302\u0303n paid 1\u200b2,3\u206045 \u202e00.71\u202c to M\u0430rin\u0430"
    data = word_file(run(text))
    document = parser.parse(source_of(data, "deed.docx"), data)
    assert "Nguy\u1ec5n paid 12,345 17.00 to Marina" in document.text
    assert unsure(document) == {"Marina"}
    assert document.warnings == ("page 1: look_alike_letters",)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\u041fетров", ("\u041fетров", False)),
        ("5\u03bcg", ("5\u03bcg", False)),
        ("\u0394t", ("\u0394t", False)),
        ("\u0441\u0430sh", ("cash", True)),
        ("\u0645\u06cc\u200c\u0631\u0648\u062f", ("\u0645\u06cc\u200c\u0631\u0648\u062f", False)),
        ("re\u0301sume\u0301", ("r\u00e9sum\u00e9", False)),
    ],
)
def test_a_word_of_two_scripts_that_look_alike_is_read_as_it_looks(text, shown):
    assert shown_word(text) == shown


def test_text_that_is_ordered_to_turn_round_is_read_as_it_is_displayed():
    assert as_displayed("for \u202e05.321\u202c only, \u202ecba") == "for 123.50 only, abc"


def test_a_mark_that_is_printed_apart_from_its_letter_is_one_letter_with_it():
    page = said_otherwise(b"Helvetica", b"Paid to Tra`n and Lu^ at noon")
    page = page.replace(b"<60> <0060>", b"<60> <0300>").replace(b"<5E> <005E>", b"<5E> <0302>")
    assert "Paid to Tr\u00e0n and L\u00fb at noon" in parse(page).text


def form(value: bytes, shown: bytes) -> bytes:
    return _pdf(
        b"BT /F1 12 Tf 1 0 0 1 72 400 Tm (Oars ordered:) Tj ET\n",
        b"<</Type/Annot/Subtype/Widget/FT/Tx/T(oars)/V(%s)/F 4/Rect[200 395 320 415]/DA(/F1 12 Tf 0 g)"
        b"/AP<</N 7 0 R>>>>" % value,
        _stream(
            b"/Tx BMC q BT /F1 12 Tf 1 0 0 1 2 5 Tm (%s) Tj ET Q EMC" % shown,
            b"/Type/XObject/Subtype/Form/BBox[0 0 120 20]/Resources<</Font<</F1 5 0 R>>>>",
        ),
        page=b"/Annots[6 0 R]",
        catalog=b"/AcroForm<</Fields[6 0 R]/DR<</Font<</F1 5 0 R>>>>>>",
    )


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (b"1500", b"$1,500.00"),
        (b"2025-03-04", b"Mar 4, 2025"),
        (b"Ann Lee", b"Ann Lee"),
        (b"secret", b"******"),
    ],
)
def test_a_field_that_shows_its_value_in_another_form_is_sure(value, shown):
    document = parse(form(value, shown))
    assert (unsure(document), document.warnings) == (set(), ())


@pytest.mark.parametrize(
    ("value", "shown", "doubted"), [(b"15.00", b"75.00", {"75.00"}), (b"15.00", b"", set())]
)
def test_a_field_that_shows_another_value_is_warned_of(value, shown, doubted):
    document = parse(form(value, shown))
    assert (unsure(document), document.warnings) == (doubted, ("page 1: field_differs",))


def test_a_stamp_that_only_reader_programs_draw_is_warned_of():
    note = b"<</Type/Annot/Subtype/Stamp/Name/Void/F 4/Rect[100 380 300 430]>>"
    assert parse(_pdf(b"", note, page=b"/Annots[6 0 R]")).warnings == ("page 1: unread_notes",)


def test_words_that_are_found_again_name_what_speaks_against_them():
    void = parse(stamped("VOID", 40))
    assert doubts_about(void, [0]) == ("marked_void",)
    struck = drawn_by_pen(slash)
    at = struck.words.texts.index("5,417.20")
    assert (doubts_about(struck, [at]), doubts_about(struck, [0])) == (("struck_out",), ())
