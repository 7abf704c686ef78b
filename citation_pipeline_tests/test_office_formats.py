"""Spreadsheets, slides, web pages, old Office files, archives: all their text has its place on a page."""

import io
import struct
from datetime import date

import numpy as np
import openpyxl
import pytest
from openpyxl.comments import Comment
from PIL import Image

from citation_pipeline.adapters import file_types
from citation_pipeline.adapters.office.drawing import draw_page
from citation_pipeline.adapters.office.number_formats import shown_value
from citation_pipeline.core.documents.parsed import DocumentStatus
from citation_pipeline_tests.parser_files import (
    image_bytes,
    letter_pdf,
    package,
    picture_of,
    source_of,
)


def read(parser, data, file):
    document = parser.parse(source_of(data, file), data)
    assert document.status == DocumentStatus.PARSED, document.error
    return document


def contents(document):
    return [block.content for block in document.blocks]


def ledger():
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Payments"
    sheet.append(["Check", "Paid on", "Amount"])
    sheet.append(["100045", date(2023, 3, 14), 1234.5])
    sheet["B2"].number_format = "mm/dd/yyyy"
    sheet["C2"].number_format = '"$"#,##0.00'
    sheet["A2"].comment = Comment("Reissued", "Examiner")
    sheet["A1000000"] = "a line at the very end"
    book.create_sheet("Reserves").append(["Medical", 25000])
    buffer = io.BytesIO()
    book.save(buffer)
    return buffer.getvalue()


def test_a_spreadsheet_shows_values_as_its_formats_say_and_each_sheet_begins_a_page(parser):
    document = read(parser, ledger(), "ledger.xlsx")
    assert "$1,234.50" in document.words.texts
    assert "03/14/2023" in document.words.texts
    assert "Examiner: Reissued" in contents(document)
    assert "a line at the very end" in document.text  # and no page for each empty row before it
    assert [document.text[page.text_start :].split()[0] for page in document.pages] == [
        "Payments",
        "Reserves",
    ]
    (table,) = [block for block in document.blocks if "100045" in block.content]
    assert "<td>100045</td><td>03/14/2023</td><td>$1,234.50</td>" in table.content


@pytest.mark.parametrize(
    ("value", "number_format", "shown"),
    [
        (1234.5, "General", "1234.5"),
        (7.0, "General", "7"),
        (-1234.5, "#,##0.00;(#,##0.00)", "(1,234.50)"),
        (-3, "0.0", "-3.0"),
        (0.11, "0%", "11%"),
        (12, '[$€-407]#,##0.00_);"x"', "€12.00"),
        (True, "General", "TRUE"),
        (date(2023, 3, 4), "d-mmm-yy", "4-Mar-23"),
        (date(2023, 3, 4), "General", "2023-03-04"),
        (0.125, "# ?/?", "0.125"),
    ],
)
def test_a_number_format_is_applied_or_the_value_shown_as_it_is(value, number_format, shown):
    assert shown_value(value, number_format) == shown


def test_rich_text_keeps_running_lines_notes_tables_and_letters_of_any_kind(parser):
    data = (
        rb"{\rtf1\ansi\ansicpg1252{\fonttbl{\f0 Arial;}{\f1\fcharset204 Arial Cyr;}}{\info{\title Hidden}}"
        rb"{\header Claim WC-7}Dear Ms. N\'fa\'f1ez,\par {\f1 \'c8\'e2\'e0\'ed} \u26446?\par "
        rb"{\v not shown}Paid{\footnote See the ledger} in full\par "
        rb"\trowd Check\cell Amount\cell\row \trowd 100045\cell $586.67\cell\row \pard After\page Next}"
    )
    document = read(parser, data, "letter.rtf")
    found = contents(document)
    assert found[:3] == ["Claim WC-7", "Dear Ms. Núñez,", "Иван 李"]
    assert (
        "<table><tr><td>Check</td><td>Amount</td></tr><tr><td>100045</td><td>$586.67</td></tr></table>"
        in found
    )
    assert "See the ledger" in found
    assert "Paid in full" in found
    assert "Hidden" not in document.text
    assert "not shown" not in document.text
    assert len(document.pages) == 2


def test_a_web_page_has_its_headings_lists_and_tables_and_not_its_scripts(parser):
    data = (
        "<!DOCTYPE html><html><head><title>no</title><style>p{}</style></head><body><h1>Work status</h1>"
        "<p>Seen on<br>03/14/2023 by Dr. Núñez</p><ol><li>Rest<li>Ice</ol><script>alert(1)</script>"
        "<p style='display:none'>secret</p><input type=checkbox checked> Released"
        "<table><tr><th>From<th>To<tr><td>01/18/2020<td>10/22/2020</table></body></html>"
    ).encode()
    document = read(parser, data, "status.html")
    assert contents(document) == [
        "Work status",
        "Seen on\n03/14/2023 by Dr. Núñez",
        "1. Rest",
        "2. Ice",
        "☒ Released",
        "<table><tr><td>From</td><td>To</td></tr><tr><td>01/18/2020</td><td>10/22/2020</td></tr></table>",
    ]
    assert document.blocks[0].type == "Title"


def test_slides_are_pages_in_their_order_with_tables_notes_and_pasted_scans(parser):
    relation = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    names = f'xmlns:p="p" xmlns:a="a" xmlns:r="{relation}"'

    def relations(**targets):
        return (
            "<R>" + "".join(f'<r Id="{k}" Type="x/{k}" Target="{v}"/>' for k, v in targets.items()) + "</R>"
        )

    def slide(inner):
        return f"<p:sld {names}><p:cSld><p:spTree>{inner}</p:spTree></p:cSld></p:sld>"

    def text(words):
        return f"<p:sp><p:txBody><a:p><a:r><a:t>{words}</a:t></a:r></a:p></p:txBody></p:sp>"

    scan = image_bytes(picture_of(letter_pdf(("On a pasted scan",), size=30)), "PNG", dpi=(200, 200))
    cells = "".join(
        f"<a:tc><a:txBody><a:p><a:r><a:t>{one}</a:t></a:r></a:p></a:txBody></a:tc>" for one in "AB"
    )
    data = package(
        {
            "[Content_Types].xml": "<Types/>",
            "_rels/.rels": "<R><r Id='1' Type='x/officeDocument' Target='ppt/presentation.xml'/></R>",
            "ppt/presentation.xml": f"<p:presentation {names}><p:sldIdLst><p:sldId id='256' r:id='b'/>"
            "<p:sldId id='257' r:id='a'/></p:sldIdLst></p:presentation>",
            "ppt/_rels/presentation.xml.rels": relations(a="slides/slide1.xml", b="slides/slide2.xml"),
            "ppt/slides/slide1.xml": slide(text("Second shown") + "<p:pic><a:blip r:embed='i'/></p:pic>"),
            "ppt/slides/_rels/slide1.xml.rels": relations(i="../media/scan.png", n="../notesSlides/n.xml"),
            "ppt/notesSlides/n.xml": slide(text("Say it slowly")),
            "ppt/slides/slide2.xml": slide(
                text("First shown") + f"<p:graphicFrame><a:tbl><a:tr>{cells}</a:tr></a:tbl></p:graphicFrame>"
            ),
            "ppt/media/scan.png": scan,
        }
    )
    document = read(parser, data, "talk.pptx")
    pages = [document.text[page.text_start : page.text_end].split("\n\n") for page in document.pages]
    assert pages[:2] == [["First shown", "A\nB"], ["Second shown", "On a pasted scan"]]
    assert pages[2] == ["Notes", "Say it slowly"]  # the picture fills its slide
    assert np.isnan(document.words.confidence[0])
    scanned = document.words.texts.index("pasted")
    assert document.words.confidence[scanned] > 0.5
    assert_ink(draw_page(data, file_types.PPTX, 2, 2.0), document.words.box(scanned))


def assert_ink(drawn, box):
    pixels = np.asarray(drawn.convert("L"))
    height, width = pixels.shape
    part = pixels[
        int(box.top * height) : int(box.bottom * height), int(box.left * width) : int(box.right * width)
    ]
    assert (part < 128).mean() > 0.05


def test_an_open_document_has_headings_lists_notes_and_spaces(parser):
    names = 'xmlns:office="o" xmlns:text="t" xmlns:table="b"'
    body = (
        "<text:h text:outline-level='1'>History</text:h><text:p>Paid<text:s text:c='2'/>on<text:tab/>time"
        "<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>See file</text:p>"
        "</text:note-body></text:note></text:p><text:list><text:list-item><text:p>Rest</text:p>"
        "</text:list-item></text:list><table:table><table:table-row><table:table-cell><text:p>A</text:p>"
        "</table:table-cell><table:table-cell table:number-columns-repeated='9999'/></table:table-row>"
        "<table:table-row table:number-rows-repeated='1048000'><table:table-cell/></table:table-row>"
        "</table:table>"
    )
    data = package(
        {
            "mimetype": "application/vnd.oasis.opendocument.text",
            "content.xml": f"<office:d {names}><office:body><office:text>{body}</office:text>"
            "</office:body></office:d>",
        }
    )
    document = read(parser, data, "report.odt")
    assert contents(document) == [
        "History",
        "Paid on time [1]",
        "[1] See file",
        "• Rest",
        "<table><tr><td>A</td></tr></table>",
    ]


def old_word_file(text):
    """Build the two streams of a DOC whose text is one piece, in an OLE container of one sector size."""
    letters = text.encode("utf-16-le")
    header = bytearray(1024)
    struct.pack_into("<HH", header, 0, 0xA5EC, 0xC1)
    struct.pack_into("<H", header, 0x0A, 0x0200)
    struct.pack_into("<i", header, 0x4C, len(text))
    pieces = struct.pack("<II", 0, len(text)) + struct.pack("<HIH", 0, 1024, 0)
    table = b"\x02" + struct.pack("<I", len(pieces)) + pieces
    struct.pack_into("<II", header, 0x01A2, 0, len(table))
    return ole_file({"WordDocument": bytes(header) + letters, "1Table": table})


def ole_file(streams):
    """Write an OLE container with 512-byte sectors; every stream is padded beyond the small ones' limit."""
    sectors, entries, fat = [], [], []
    for name, content in streams.items():
        content = content.ljust(4096, b"\0")
        first = len(sectors)
        count = -(-len(content) // 512)
        sectors += [content[at : at + 512].ljust(512, b"\0") for at in range(0, count * 512, 512)]
        fat += [*range(first + 1, first + count), 0xFFFFFFFE]
        entries.append((name, 2, first, len(content)))
    entries.insert(0, ("Root Entry", 5, 0xFFFFFFFE, 0))
    directory = b""
    for number, (name, kind, first, size) in enumerate(entries):
        spelled = name.encode("utf-16-le") + b"\0\0"
        child = 1 if number == 0 else 0xFFFFFFFF
        right = number + 1 if 0 < number < len(entries) - 1 else 0xFFFFFFFF
        directory += spelled.ljust(64, b"\0") + struct.pack(
            "<HBBIII16sIQQIQ", len(spelled), kind, 1, 0xFFFFFFFF, right, child, b"", 0, 0, 0, first, size
        )
    place = len(sectors)
    count = -(-len(directory) // 512)
    sectors += [directory[at : at + 512].ljust(512, b"\0") for at in range(0, count * 512, 512)]
    fat += [*range(place + 1, place + count), 0xFFFFFFFE, 0xFFFFFFFD]
    table = b"".join(struct.pack("<I", one) for one in fat).ljust(512, b"\xff")
    head = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(16)
    head += struct.pack(
        "<HHHHHHIIIIIIIIII", 0x3E, 3, 0xFFFE, 9, 6, 0, 0, 0, 1, place, 0, 4096, 0xFFFFFFFE, 0, 0xFFFFFFFE, 0
    )
    head += struct.pack("<I", len(sectors)) + b"\xff" * (436 - 4)
    return head + b"".join(sectors) + table


def test_the_text_of_an_old_word_file_is_read_without_its_field_codes(parser):
    data = old_word_file('Dear Ms. Núñez,\rsee \x13 HYPERLINK "x" \x14the file\x15.\rCheck\x07Paid\x07\x07')
    document = read(parser, data, "letter.doc")
    assert contents(document) == [
        "Dear Ms. Núñez,",
        "see the file.",
        "<table><tr><td>Check</td><td>Paid</td></tr></table>",
    ]


def wide(text):
    return text.encode("utf-16-le")


def test_an_outlook_message_is_read_as_a_mail(parser):
    data = ole_file(
        {
            "__properties_version1.0": bytes(32),
            "__substg1.0_0037001F": wide("Work status – Núñez"),
            "__substg1.0_0C1A001F": wide("Ana Examiner"),
            "__substg1.0_0C1F001F": wide("ana@example.com"),
            "__substg1.0_0E04001F": wide("Ben"),
            "__substg1.0_1000001F": wide("He may return to work."),
        }
    )
    found = contents(read(parser, data, "mail.msg"))
    assert found == [
        "From: Ana Examiner <ana@example.com>",
        "To: Ben",
        "Subject: Work status – Núñez",
        "He may return to work.",
    ]


@pytest.mark.parametrize("kind", ["WEBP", "BMP"])
def test_pictures_of_other_kinds_are_read(parser, kind):
    data = image_bytes(picture_of(letter_pdf(("On a picture",), size=24)), kind)
    document = read(parser, data, f"scan.{kind.lower()}")
    assert " ".join(document.words.texts) == "On a picture"
    assert draw_page(data, document.source.media_type, 1, 1.0).width > 100


def test_every_page_of_a_fax_in_one_file_is_read(parser):
    pages = [picture_of(letter_pdf((f"Sheet number {n}",), size=24), bilevel=True) for n in (1, 2, 3)]
    buffer = io.BytesIO()
    pages[0].save(
        buffer, "TIFF", save_all=True, append_images=pages[1:], compression="group4", dpi=(200, 200)
    )
    document = read(parser, buffer.getvalue(), "fax.tif")
    assert [document.text[page.text_start : page.text_end] for page in document.pages] == [
        "Sheet number 1",
        "Sheet number 2",
        "Sheet number 3",
    ]


def test_a_photograph_of_a_phone_is_opened(parser):
    import pi_heif

    pi_heif.register_heif_opener()
    heic = bytes.fromhex("000000186674797068656963000000006d69663168656963")  # its header alone
    assert file_types.sniff(heic) == file_types.HEIC
    document = parser.parse(source_of(heic, "photo.heic"), heic)
    assert document.error.code == "corrupt"


@pytest.mark.parametrize(
    ("data", "media_type"),
    [
        ("Paid on 03/14/2023.\r\nTomás Núñez".encode("utf-16-le"), file_types.TEXT),
        ("Оплачено по счету\r\nИван Петров".encode("utf-16-be"), file_types.TEXT),
        (b"\0\1\2\3" * 100, file_types.UNKNOWN),
        (
            b"From ana@x.com Tue Mar 14 10:00:00 2023\nFrom: Ana <ana@x.com>\nTo: b@x.com\n\nHi",
            file_types.MAIL,
        ),
        (b"From: Ana <ana@x.com>\nSubject: Status\n\nHi", file_types.MAIL),
        (b"From: Ana Examiner\nTo: File\nDate: March 14\n\nHe called.", file_types.TEXT),
        (b"<p>Only a piece</p>", file_types.HTML),
        (b"{\\rtf1 x}", file_types.RTF),
    ],
)
def test_a_files_type_is_told_by_its_content(data, media_type):
    assert file_types.sniff(data) == media_type


def test_texts_and_mails_in_two_byte_letters_are_read_without_a_mark(parser):
    text = "Paid on 03/14/2023.\r\nTomás Núñez".encode("utf-16-le")
    assert read(parser, text, "note.txt").text == "Paid on 03/14/2023.\nTomás Núñez"
    mail = 'From: Ana <ana@x.com>\nTo: b@x.com\nContent-Type: text/plain; charset="utf-16"\n\nNúñez called.'
    assert "Núñez called." in contents(read(parser, mail.encode("utf-16-be"), "mail.eml"))


def test_a_picture_that_cannot_be_opened_is_a_warning_not_a_silence(parser):
    data = b"{\\rtf1 Before {\\pict\\wmetafile8 0100090000} after}"
    document = read(parser, data, "letter.rtf")
    assert document.text == "Before after"
    assert document.warnings == ("page 1: unread_picture",)


def test_a_moving_picture_is_one_page(parser):
    frames = [Image.new("L", (200, 200), shade) for shade in (255, 200)]
    buffer = io.BytesIO()
    frames[0].save(buffer, "WEBP", save_all=True, append_images=frames[1:])
    assert len(read(parser, buffer.getvalue(), "moving.webp").pages) == 1
