"""Files that open, files that do not, and pages that need another pair of eyes."""

from io import BytesIO

import numpy as np
import pytest
from PIL import Image
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from citation_pipeline.adapters.pdfium.documents import parse_pdf, read_pdf_words
from citation_pipeline.core.boxes import Box
from citation_pipeline.core.documents.parsed import DocumentStatus
from citation_pipeline.core.layout.content import PagePicture
from citation_pipeline_tests.drawn_pdfs import HEIGHT, WIDTH, draw, parse, source


def test_an_empty_file_says_so_and_what_to_do():
    document = parse(b"")
    assert document.status is DocumentStatus.EMPTY
    assert document.error.code == "empty_file"
    assert document.error.remedy


@pytest.mark.parametrize(
    ("damage", "code"),
    [
        (lambda data: b"MZ\x90\x00 this is a program" * 50, "not_a_pdf"),
        (lambda data: data[:40], "damaged_pdf"),
        (lambda data: b"%PDF-1.7\n" + b"\x00" * 4000, "damaged_pdf"),
    ],
)
def test_a_damaged_file_is_corrupt_and_never_an_exception(damage, code):
    document = parse(damage(draw(lambda s: s.text(60, 100, "whole"))))
    assert document.status is DocumentStatus.CORRUPT
    assert document.error.code == code
    assert not document.pages


def test_a_file_cut_off_at_its_end_is_rebuilt():
    data = draw(lambda s: s.text(60, 100, "rebuilt"))
    assert "rebuilt" in parse(data[: data.index(b"startxref")]).words.texts


def encrypted(user: str) -> bytes:
    lock = StandardEncryption(user, ownerPassword="owner", strength=128)
    return draw(lambda s: s.text(60, 100, "sealed"), encrypt=lock)


def test_an_empty_user_password_opens_without_asking():
    assert list(parse(encrypted("")).words.texts) == ["sealed"]


def test_configured_passwords_are_tried_in_turn():
    assert list(parse(encrypted("spring"), passwords=("winter", "spring")).words.texts) == ["sealed"]


def test_without_the_password_the_document_is_encrypted_and_the_list_is_not_shown():
    document = parse(encrypted("spring"), passwords=("winter",))
    assert document.status is DocumentStatus.ENCRYPTED
    assert document.error.code == "password_needed"
    assert "winter" not in str(document.error)


def test_more_pages_than_the_limit_make_it_oversized():
    data = draw(*[lambda s: s.text(60, 100, "page")] * 4)
    assert parse(data, page_limit=3).status is DocumentStatus.OVERSIZED
    assert parse(data, page_limit=4).status is DocumentStatus.PARSED


def scanned(*, layer: str | None = None, visible: str | None = None) -> bytes:
    """A page that is a picture, with an invisible or a visible text over it."""
    picture = np.full((400, 300), 255, np.uint8)
    picture[100:110, 50:200] = 0
    out = BytesIO()
    canvas = Canvas(out, pagesize=(WIDTH, HEIGHT), invariant=1)
    canvas.drawImage(ImageReader(Image.fromarray(picture)), 0, 0, WIDTH, HEIGHT)
    if layer:
        text = canvas.beginText(100, 580)
        text.setTextRenderMode(3)
        text.textOut(layer)
        canvas.drawText(text)
    if visible:
        canvas.drawString(400, 20, visible)
    canvas.showPage()
    canvas.save()
    return out.getvalue()


class Reader:
    """A recognizer that sees one word, and remembers what it was shown."""

    def __init__(self):
        self.pictures: list[PagePicture] = []
        self.known: list = []

    def __call__(self, picture, *, known):
        self.pictures.append(picture)
        self.known.append(list(known))
        return [("Recognized", Box(0.2, 0.6, 0.2, 0.02), 0.9), ("text", Box(0.41, 0.6, 0.1, 0.02), 0.8)]


def test_a_page_without_text_goes_to_the_recognizer_as_an_upright_grey_picture():
    reader = Reader()
    document = parse(scanned(), recognize_page=reader)
    picture = reader.pictures[0]
    assert picture.grey.dtype == np.uint8
    assert picture.grey.shape == (round(HEIGHT / 72 * picture.dpi), round(WIDTH / 72 * picture.dpi))
    assert picture.grey[int(0.26 * picture.grey.shape[0]), int(0.4 * picture.grey.shape[1])] < 100
    assert document.text == "Recognized text"
    assert document.pages[0].words_from == "ocr"
    assert not document.pages[0].has_text_layer
    assert document.words.confidence.tolist() == pytest.approx([0.9, 0.8])


def test_without_a_recognizer_such_a_page_is_named_in_the_warnings():
    document = parse(scanned())
    assert document.status is DocumentStatus.PARSED
    assert document.warnings == ("page 1: no_text_layer",)
    assert len(document.words) == 0


def test_a_hidden_layer_over_a_picture_is_handed_over_to_be_judged():
    reader = Reader()
    parse(scanned(layer="old words"), recognize_page=reader)
    assert [text for text, _ in reader.known[0]] == ["old", "words"]
    assert list(parse(scanned(layer="old words")).words.texts) == ["old", "words"]


def test_a_stamp_on_a_scan_stays_text_and_the_scan_is_recognized():
    document = parse(scanned(visible="BATES-0001"), recognize_page=Reader())
    assert set(document.words.texts) == {"BATES-0001", "Recognized", "text"}
    assert document.pages[0].words_from == "mixed"


def test_a_page_of_text_never_reaches_the_recognizer():
    reader = Reader()
    parse(draw(lambda s: s.text(60, 100, "plain text")), recognize_page=reader)
    assert reader.pictures == []


def page_with_font(text: bytes, *font: bytes) -> bytes:
    """A page of these drawing commands; the font's objects count from 5."""
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>",
        b"<</Length %d>>stream\n%s\nendstream" % (len(text), text),
        *font,
    ]
    body = b"".join(b"%d 0 obj\n%s\nendobj\n" % (number, one) for number, one in enumerate(objects, start=1))
    return b"%PDF-1.7\n" + body + b"trailer<</Root 1 0 R/Size 8>>\n"


def nameless_glyphs() -> bytes:
    """A page whose only font numbers its glyphs and says of none which character it is."""
    text = b"BT /F 12 Tf 60 600 Td <" + b"".join(b"%04x" % code for code in range(600, 640)) + b"> Tj ET"
    return page_with_font(
        text,
        b"<</Type/Font/Subtype/Type0/BaseFont/Signs/Encoding/Identity-H/DescendantFonts[6 0 R]>>",
        b"<</Type/Font/Subtype/CIDFontType2/BaseFont/Signs/FontDescriptor 7 0 R/DW 600"
        b"/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>>>",
        b"<</Type/FontDescriptor/FontName/Signs/Flags 4/FontBBox[0 -200 1000 900]/ItalicAngle 0"
        b"/Ascent 900/Descent -200/CapHeight 700/StemV 80>>",
    )


def test_glyphs_without_a_unicode_value_are_recognized_instead():
    reader = Reader()
    document = parse(nameless_glyphs(), recognize_page=reader)
    assert list(document.words.texts) == ["Recognized", "text"]
    assert parse(nameless_glyphs()).warnings == ("page 1: unreadable_glyphs",)


def absent_font(pieces: int) -> bytes:
    """A page with its text in a Japanese font that is not inside, written glyph by glyph."""
    text = b"".join(
        b"BT /F 12 Tf %d %d Td <%04x> Tj ET\n" % (60 + 14 * (at % 20), 600 - 20 * (at // 20), 1200 + at)
        for at in range(pieces)
    )
    return page_with_font(
        text,
        b"<</Type/Font/Subtype/Type0/BaseFont/Ryumin-Light-V/Encoding/V/DescendantFonts[6 0 R]>>",
        b"<</Type/Font/Subtype/CIDFontType0/BaseFont/Ryumin-Light/FontDescriptor 7 0 R/DW 1000"
        b"/CIDSystemInfo<</Registry(Adobe)/Ordering(Japan1)/Supplement 2>>>>",
        b"<</Type/FontDescriptor/FontName/Ryumin-Light/Flags 4/FontBBox[0 -200 1000 900]/ItalicAngle 0"
        b"/Ascent 900/Descent -200/CapHeight 700/StemV 80>>",
    )


def test_text_in_a_font_that_shows_nothing_is_warned_of():
    assert "page 1: unreadable_glyphs" in parse(absent_font(60)).warnings


def test_glyphs_of_an_outside_file_without_a_unicode_value_are_recognized_instead(shared):
    file = shared / "corpus/pdfs/mozilla__pdf.js/issue5874.pdf"
    reader = Reader()
    document = parse(file.read_bytes(), recognize_page=reader)
    assert list(document.words.texts) == ["Recognized", "text"]
    assert parse(file.read_bytes()).warnings == ("page 1: unreadable_glyphs",)


def test_every_file_of_the_corpus_is_parsed_or_named_with_a_reason(shared):
    files = sorted((shared / "corpus/pdfs").rglob("*.pdf"))[::4]
    assert len(files) > 30
    for file in files:
        document = parse_pdf(source(name=file.stem), file.read_bytes())
        assert document.is_readable or (document.error.code and document.error.remedy), file.name
        boxes = document.words.boxes
        assert (boxes >= 0).all(), file.name
        assert (boxes[:, :2] + boxes[:, 2:] <= 1 + 1e-9).all(), file.name
        assert all(text and not text.isspace() for text in document.words.texts), file.name


def test_words_alone_are_those_of_the_whole_parse():
    data = draw(lambda s: s.text(60, 100, "alone or not"), lambda s: s.text(60, 100, "second page"))
    assert [list(page.texts) for page in read_pdf_words(data)] == [["alone", "or", "not"], ["second", "page"]]
    assert read_pdf_words(b"nonsense") == []


@pytest.mark.parametrize(
    ("drawing", "is_looked_at"),
    [
        (lambda s: None, False),
        (lambda s: s.box(20, 20, 560, 760), False),  # a frame around an empty page
        (lambda s: [s.canvas.wedge(100 + 20 * n, 500, 114 + 20 * n, 514, 20, 300) for n in range(6)], True),
    ],
)
def test_a_page_that_shows_ink_and_no_words_is_looked_at_by_the_recognizer(drawing, is_looked_at):
    looked_at = []

    def recognize(picture, *, known):
        looked_at.append(picture.page)
        return []

    def page(sheet):
        sheet.canvas.setFillGray(0)
        drawing(sheet)

    parse(draw(page), recognize_page=recognize)

    assert looked_at == ([1] if is_looked_at else [])


def pasted(width: float, *, over: str = "") -> bytes:
    """A printed page with a picture in it, which begins where the recognizer sees its first word."""

    def page(sheet):
        sheet.text(60, 80, "The harbour office writes to the owner of the sloop.")
        ink = ImageReader(Image.fromarray(np.full((40, 40), 90, np.uint8)))
        sheet.canvas.drawImage(ink, 0.19 * WIDTH, 0.3 * HEIGHT, width, 0.25 * HEIGHT)
        if over:
            sheet.text(0.25 * WIDTH, 0.62 * HEIGHT, over)

    return draw(page)


def test_a_picture_in_a_printed_page_is_read_and_nothing_beside_it():
    reader = Reader()
    document = parse(pasted(0.26 * WIDTH), recognize_page=reader)
    assert document.text.split()[-1] == "Recognized"  # the other word stands beside the picture, and unsure
    assert document.pages[0].words_from == "mixed"
    (picture,) = reader.pictures
    assert (
        picture.grey[: int(0.4 * picture.grey.shape[0])].min() == 255
    )  # print that the text layer has is left out


@pytest.mark.parametrize(
    "data", [pasted(0.1 * WIDTH), pasted(0.3 * WIDTH, over="Sold")], ids=["logo", "ground"]
)
def test_a_logo_and_the_ground_of_print_are_not_looked_at(data):
    reader = Reader()
    parse(data, recognize_page=reader)
    assert not reader.pictures
