"""Text of a PDF's layer that a person who looks at the page does not see is never cited as print."""

from collections.abc import Sequence

import numpy as np
import pytest

from citation_pipeline.adapters.pdfium import covers
from citation_pipeline.core.documents.struck_words import struck_words
from citation_pipeline.core.layout.content import PageWords
from citation_pipeline.core.layout.overlaps import overlapping_words
from citation_pipeline_tests.drawn_pdfs import HEIGHT, WIDTH, parse, parse_drawn
from citation_pipeline_tests.parser_files import pdf_of

SECRET = "Settlement amount 99,999.99 dollars"
LINES = b"".join(
    b"BT /F1 12 Tf 1 0 0 1 72 %d Tm (Line number %d of the report is plain print.) Tj ET\n"
    % (720 - 20 * number, number)
    for number in range(6)
)
TEXT = b"BT /F1 12 Tf 1 0 0 1 72 400 Tm (%s) Tj ET\n" % SECRET.encode()
BAR = b"0 g 60 390 300 30 re f\n"
OVER = b"q 300 0 0 30 60 390 cm /I Do Q\n"
LAYER = b"<</Type/OCG/Name(layer)>>"
LAYER_OFF = b"/OCProperties<</OCGs[6 0 R]/D<</OFF[6 0 R]/Order[]>>>>"
LAYER_ON = b"/OCProperties<</OCGs[6 0 R]/D<</ON[6 0 R]/Order[]>>>>"
IN_LAYER = b"/OC /L BDC\n" + TEXT + b"EMC\n"


def _stream(content: bytes, entries: bytes = b"") -> bytes:
    return b"<<%s/Length %d>>stream\n%s\nendstream" % (entries, len(content), content)


def _form(content: bytes, entries: bytes = b"/BBox[0 0 612 792]") -> bytes:
    return _stream(content, b"/Type/XObject/Subtype/Form/Resources<</Font<</F1 5 0 R>>>>" + entries)


def _picture(grey: bytes, entries: bytes = b"") -> bytes:
    head = b"/Type/XObject/Subtype/Image/Width 2/Height 2/ColorSpace/DeviceGray/BitsPerComponent 8"
    return _stream(grey * 4, head + entries)


def _pdf(
    content: bytes,
    *more: bytes,
    resources: bytes = b"",
    page: bytes = b"",
    catalog: bytes = b"",
    lines: bytes = LINES,
) -> bytes:
    objects = [
        b"<</Type/Catalog/Pages 2 0 R%s>>" % catalog,
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R"
        b"/Resources<</Font<</F1 5 0 R>>%s>>%s>>" % (resources, page),
        _stream(lines + content),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>",
        *more,
    ]
    return pdf_of(*objects)


def _state(entries: bytes) -> bytes:
    return b"/ExtGState<</G<<%s>>>>" % entries


BLANK_GLYPHS = (
    b"<</Type/Font/Subtype/Type3/FontBBox[0 0 1000 1000]/FontMatrix[.001 0 0 .001 0 0]/CharProcs<</A 7 0 R>>"
    b"/Encoding<</Type/Encoding/Differences[65/A]>>/FirstChar 65/LastChar 65/Widths[700]/Resources<<>>"
    b"/ToUnicode 8 0 R>>",
    _stream(b"700 0 d0"),
    _stream(
        b"/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapType 2 def 1 begincodespacerange "
        b"<00><FF> endcodespacerange 1 beginbfchar <41> <0039> endbfchar endcmap end end"
    ),
)
HIDDEN = {
    "painted over in black": _pdf(TEXT + BAR),
    "painted over in white": _pdf(TEXT + b"1 g 60 390 300 30 re f\n"),
    "under a thick line": _pdf(TEXT + b"0 G 30 w 60 404 m 360 404 l S\n"),
    "black on black": _pdf(BAR + TEXT),
    "nearly white": _pdf(b"0.98 g\n" + TEXT),
    "too small to read": _pdf(TEXT.replace(b"/F1 12", b"/F1 0.5")),
    "clipped away": _pdf(b"q 0 0 10 10 re W n\n" + TEXT + b"Q\n"),
    "nearly transparent": _pdf(b"q /G gs\n" + TEXT + b"Q\n", resources=_state(b"/ca .02")),
    "masked": _pdf(
        b"q /G gs\n" + TEXT + b"Q\n",
        _form(b"0 g 0 0 612 792 re f", b"/BBox[0 0 612 792]/Group<</S/Transparency/CS/DeviceGray>>"),
        resources=_state(b"/SMask<</Type/Mask/S/Luminosity/G 6 0 R>>"),
    ),
    "in a layer that is off": _pdf(IN_LAYER, LAYER, resources=b"/Properties<</L 6 0 R>>", catalog=LAYER_OFF),
    "in a form of a layer that is off": _pdf(
        b"/X Do\n",
        LAYER,
        _form(TEXT, b"/BBox[0 0 612 792]/OC 6 0 R"),
        resources=b"/XObject<</X 7 0 R>>",
        catalog=LAYER_OFF,
    ),
    "outside the form that draws it": _pdf(
        b"/X Do\n", _form(TEXT, b"/BBox[0 0 20 20]"), resources=b"/XObject<</X 6 0 R>>"
    ),
    "under a form": _pdf(TEXT + b"/X Do\n", _form(BAR), resources=b"/XObject<</X 6 0 R>>"),
    "under a picture": _pdf(TEXT + OVER, _picture(b"\xff"), resources=b"/XObject<</I 6 0 R>>"),
    "under a stamp that was added": _pdf(
        TEXT,
        b"<</Type/Annot/Subtype/Stamp/F 4/Rect[60 390 360 420]/AP<</N 7 0 R>>>>",
        _form(b"0 g 0 0 300 30 re f", b"/BBox[0 0 300 30]"),
        page=b"/Annots[6 0 R]",
    ),
    "in a pattern that paints nothing": _pdf(
        b"/Pattern cs /P scn\n" + TEXT,
        _stream(
            b"",
            b"/Type/Pattern/PatternType 1/PaintType 1/TilingType 1/BBox[0 0 10 10]/XStep 10/YStep 10"
            b"/Resources<<>>",
        ),
        resources=b"/Pattern<</P 6 0 R>>",
    ),
    "seen from the back": _pdf(b"BT /F1 12 Tf -1 0 0 1 400 400 Tm (%s) Tj ET\n" % SECRET.encode()),
    "squeezed to a speck": _pdf(b"BT /F1 12 Tf 4 Tz 1 0 0 1 72 400 Tm (%s) Tj ET\n" % SECRET.encode()),
    "in glyphs without ink": _pdf(
        b"BT /T3 12 Tf 1 0 0 1 72 400 Tm (AAAAAAAA) Tj ET\n", *BLANK_GLYPHS, page=b"", resources=b""
    ).replace(b"/F1 5 0 R>>", b"/F1 5 0 R/T3 6 0 R>>"),
}
SEEN = {
    "on a light colour": _pdf(b"1 1 0 rg 60 390 300 30 re f 0 g\n" + TEXT),
    "in white on a dark colour": _pdf(b"0 0 .5 rg 60 390 300 30 re f 1 g\n" + TEXT),
    "in pale grey": _pdf(b"0.8 g\n" + TEXT),
    "in a colour as dark as its ground": _pdf(b"1 0 0 rg 60 390 300 30 re f 0 .507 0 rg\n" + TEXT),
    "marked with a highlighter": _pdf(
        TEXT + b"q /G gs 1 1 0 rg 60 390 300 30 re f Q\n", resources=_state(b"/BM/Multiply")
    ),
    "under a picture that is clear": _pdf(
        TEXT + OVER,
        _picture(b"\xff", b"/SMask 7 0 R"),
        _picture(b"\0"),
        resources=b"/XObject<</I 6 0 R>>",
    ),
    "in a layer that is on": _pdf(IN_LAYER, LAYER, resources=b"/Properties<</L 6 0 R>>", catalog=LAYER_ON),
    "clipped to where it is": _pdf(b"q 60 390 300 30 re W n\n" + TEXT + b"Q\n"),
    "on its side": _pdf(
        b"1 1 0 rg 380 380 40 320 re f 0 g BT /F1 12 Tf 0 1 -1 0 400 400 Tm (%s) Tj ET\n" % SECRET.encode()
    ),
}

HALF_PAINTED_OVER = _pdf(TEXT + b"0 g 60 390 135 30 re f\n")


@pytest.mark.parametrize("how", HIDDEN)
def test_text_that_nobody_sees_is_left_out(how: str) -> None:
    document = parse(HIDDEN[how])
    sure = [
        text
        for text, confidence in zip(document.words.texts, document.words.confidence.tolist(), strict=True)
        if not confidence < 0.9
    ]
    assert sure.count("report") == 6
    assert not {"Settlement", "99,999.99", "99999999"} & set(sure)


@pytest.mark.parametrize("how", ["painted over in black", "clipped away", "in a layer that is off"])
def test_a_page_with_text_that_nobody_sees_is_warned_of(how: str) -> None:
    assert parse(HIDDEN[how]).warnings == ("page 1: hidden_text",)


def test_text_below_one_of_more_areas_than_are_compared_at_once_is_left_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(covers, "_AT_ONCE", 1)
    bars = b"".join(b"0 g %d 40 20 20 re f\n" % left for left in range(60, 500, 30))
    document = parse(_pdf(TEXT + bars + BAR + bars))
    assert "99,999.99" not in document.text
    assert document.warnings == ("page 1: hidden_text",)


@pytest.mark.parametrize("how", SEEN)
def test_text_that_is_seen_stays_and_stays_sure(how: str) -> None:
    document = parse(SEEN[how])
    assert SECRET in document.text
    assert np.isnan(document.words.confidence).all()
    assert document.warnings == ()


def test_a_correction_over_white_paint_is_read_and_what_is_below_is_not() -> None:
    new = b"1 g 60 390 300 30 re f 0 g BT /F1 12 Tf 1 0 0 1 72 400 Tm (Settled for 12.00 dollars) Tj ET\n"
    document = parse(_pdf(TEXT + new))
    assert "Settled for 12.00 dollars" in document.text
    assert "99,999.99" not in document.text


def test_a_word_that_is_half_painted_over_is_not_sure() -> None:
    document = parse(HALF_PAINTED_OVER)
    unsure = {
        text: confidence
        for text, confidence in zip(document.words.texts, document.words.confidence.tolist(), strict=True)
        if confidence < 0.9
    }
    assert unsure == {"99,999.99": 0.5}


def test_of_two_texts_in_one_place_neither_is_sure() -> None:
    document = parse(_pdf(TEXT + TEXT.replace(b"99,999.99", b"11,111.11")))
    for figure in ("99,999.99", "11,111.11"):
        assert document.words.confidence[document.words.texts.index(figure)] < 0.9


def test_a_text_below_the_hidden_one_in_its_place_stays_sure() -> None:
    hidden = IN_LAYER.replace(b"99,999.99", b"11,111.11")
    document = parse(_pdf(TEXT + hidden, LAYER, resources=b"/Properties<</L 6 0 R>>", catalog=LAYER_OFF))
    assert SECRET in document.text
    assert "11,111.11" not in document.text
    assert np.isnan(document.words.confidence).all()


def test_print_struck_three_times_is_read_once() -> None:
    again = TEXT.replace(b"72 400", b"72.2 400.1"), TEXT.replace(b"72 400", b"72.4 400.2")
    document = parse(_pdf(TEXT + b"".join(again)))
    assert document.words.texts.count("99,999.99") == 1


def test_letters_of_a_font_that_is_nowhere_are_not_taken_for_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    from citation_pipeline.adapters.pdfium import visibility

    # a machine without any font for the script: the page's words leave no ink
    monkeypatch.setattr(visibility, "_SUBSTITUTED", "")
    assert SECRET in parse(HIDDEN["nearly transparent"]).text


@pytest.mark.parametrize(
    ("said", "is_sure"), [(b"99,999.99", False), (b"Settlement", False), (b"fi", True), (b"Sett-", False)]
)
def test_text_that_the_file_only_says_is_there_is_not_sure(said: bytes, is_sure: bool) -> None:
    marked = b"/Span <</ActualText (%s)>> BDC\nBT /F1 12 Tf 1 0 0 1 72 300 Tm (12.00 x) Tj ET\nEMC\n" % said
    document = parse(_pdf(TEXT + marked))
    at = document.words.texts.index(said.decode(), len(document.words.texts) - 2)
    assert (not document.words.confidence[at] < 0.9) is is_sure
    assert np.isnan(document.words.confidence[: at - 1]).all()


def _annotated(kind: bytes, rect: bytes, entries: bytes) -> bytes:
    """A page with an annotation that brings no appearance of its own, as many programs write them."""
    note = b"<</Type/Annot/Subtype/%s/F 4/Rect[%s]/C[0 0 0]%s>>" % (kind, rect, entries)
    return _pdf(TEXT, note, page=b"/Annots[6 0 R]")


@pytest.mark.parametrize("kind", [b"Square", b"Circle", b"Highlight"])
def test_a_black_shape_that_a_reader_draws_over_a_figure_hides_it(kind: bytes) -> None:
    quad = b"/QuadPoints[60 420 420 420 60 388 420 388]" if kind == b"Highlight" else b"/IC[0 0 0]"
    place = b"20 330 460 480" if kind == b"Circle" else b"60 388 420 420"
    document = parse(_annotated(kind, place, quad))
    assert "99,999.99" not in document.text
    assert "page 1: hidden_text" in document.warnings


def test_a_frame_that_a_reader_draws_around_a_figure_hides_nothing() -> None:
    document = parse(_annotated(b"Square", b"60 388 420 420", b""))
    assert SECRET in document.text
    assert document.warnings == ()


def test_a_line_that_a_reader_draws_through_words_strikes_them_out() -> None:
    quad = b"/QuadPoints[168 412 224 412 168 396 224 396]"
    document = parse(_annotated(b"StrikeOut", b"168 396 224 412", quad))
    assert [document.words.texts[word] for word in struck_words(document)] == ["99,999.99"]


def _words(*placed: tuple[str, float, float, float]) -> PageWords:
    count = len(placed)
    return PageWords(
        texts=[text for text, *_ in placed],
        edges=np.array([(left, top, right, top + 10.0) for _, left, right, top in placed]),
        sizes=np.full(count, 10.0),
        bold=np.zeros(count, np.bool_),
        turns=np.zeros(count, np.int8),
        confidences=np.full(count, np.nan),
    )


@pytest.mark.parametrize(
    ("placed", "pairs"),
    [
        ([("12.00", 10, 40, 100), ("99.50", 11, 41, 100.5)], [(0, 1)]),
        ([("12.00", 10, 40, 100), ("99.50", 42, 72, 100)], []),
        ([("12.00", 10, 40, 100), ("99.50", 11, 41, 108)], []),
        ([("_______", 10, 60, 100), ("Lopez", 12, 40, 100)], []),
        ([("Total", 10, 40, 100), ("Total:", 10.4, 42, 100)], []),
        ([("a", 10, 15, 95.9), ("12.00", 10, 40, 97), ("99.50", 11, 41, 95.5)], [(1, 2)]),
    ],
)
def test_words_are_in_one_place_when_they_share_half_their_length_on_a_line(
    placed: Sequence[tuple[str, float, float, float]], pairs: list[tuple[int, int]]
) -> None:
    assert overlapping_words(_words(*placed)) == pairs


def test_a_figure_set_over_one_of_an_amount_leaves_neither_sure():
    def page(sheet):
        sheet.text(60, 100, "Rent of the boathouse 1,540.00 a year")
        left = 60 + sheet.canvas.stringWidth("Rent of the boathouse 1,", "Helvetica", 10)
        sheet.canvas.setFillGray(1)
        sheet.canvas.rect(left, HEIGHT - 102, 5.4, 10, stroke=0, fill=1)
        sheet.canvas.setFillGray(0)
        sheet.text(left, 100, "9")

    words = parse_drawn(page).words
    unsure = {text for text, sure in zip(words.texts, words.confidence.tolist(), strict=True) if sure == 0.5}
    assert unsure == {"1,540.00", "9"}


@pytest.mark.parametrize(
    ("kind", "entries", "warnings"),
    [
        (b"Text", b"/Contents(This bill was taken back)", ("page 1: unread_notes",)),
        (
            b"Highlight",
            b"/QuadPoints[72 700 200 700 72 680 200 680]/Contents(See below)",
            ("page 1: unread_notes",),
        ),
        (b"Text", b"/Contents()", ()),
        (b"Highlight", b"/QuadPoints[72 700 200 700 72 680 200 680]", ()),
        (b"Link", b"/Contents(To the terms)", ()),
    ],
)
def test_a_note_that_only_a_reader_program_shows_is_warned_of(kind, entries, warnings):
    assert parse(_annotated(kind, b"72 680 200 700", entries)).warnings == warnings


def test_an_amount_that_a_frame_or_the_papers_edge_cuts_off_is_not_sure():
    def page(sheet):
        sheet.text(60, 100, "Sold for 3,408,211.50 in all, of which 118,300.00 was paid")
        sheet.text(WIDTH - 30, 130, "77,120.00")
        path = sheet.canvas.beginPath()
        path.rect(60, HEIGHT - 175, 36, 20)
        sheet.canvas.clipPath(path, stroke=0)
        sheet.text(60, 170, "12,345,678.00")

    words = parse_drawn(page).words
    unsure = {text for text, sure in zip(words.texts, words.confidence.tolist(), strict=True) if sure == 0.5}
    assert unsure == {"77,120.00", "12,345,678.00"}
