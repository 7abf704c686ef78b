"""Faxes are redrawn in grey before they are read, from the dots that the file stores."""

import io
from pathlib import Path

import numpy as np
import pypdfium2 as pdfium
import pytest
from PIL import Image, ImageFilter

from citation_pipeline.adapters.local_parser import parser_versions
from citation_pipeline.adapters.local_parser.parser_versions import parser_fingerprint
from citation_pipeline.adapters.ocr.faxes import load_redrawer, redrawn
from citation_pipeline.adapters.ocr.pages import PageReader
from citation_pipeline.adapters.ocr.recognized_pages import PageRecognizer
from citation_pipeline.adapters.pdfium.documents import parse_pdf
from citation_pipeline.adapters.pdfium.paper import measure_paper, render
from citation_pipeline.adapters.pdfium.scans import scanned_dots
from citation_pipeline.core.layout.pictures import is_bilevel
from citation_pipeline_tests.parser_files import LETTER_LINES, letter_pdf, picture_of, scan_pdf, source_of

WORDS = [word for line in LETTER_LINES for word in line.split()]


def _fax(*, dpi=150, seed=4):
    """Return the letter as a poor fax: soft, noisy, cut at a threshold, strewn with specks."""
    chance = np.random.default_rng(seed)
    soft = picture_of(letter_pdf(size=10), dpi=dpi).convert("L").filter(ImageFilter.GaussianBlur(0.8))
    values = np.asarray(soft, np.float64) + chance.normal(0, 36, soft.size[::-1])
    dots = np.where(values < 150, 0, 255).astype(np.uint8)
    specks = chance.random(dots.shape)
    dots[specks < 0.005], dots[specks > 0.99] = 0, 255
    return Image.fromarray(dots)


@pytest.fixture(scope="module")
def fax():
    return _fax()


@pytest.fixture(scope="module")
def reader():
    return PageReader()


@pytest.fixture(scope="module")
def found(reader, fax):
    return reader.read(np.asarray(fax))


def _as_pdf(image, *, dpi=150, rotation=0, stamp=False):
    file = io.BytesIO()
    image.convert("1").save(file, "PDF", resolution=float(dpi))
    document = pdfium.PdfDocument(file.getvalue())
    page = document[0]
    page.set_rotation(rotation)
    if stamp:
        path = pdfium.raw.FPDFPageObj_CreateNewRect(100, 100, 200, 60)
        pdfium.raw.FPDFPath_SetDrawMode(path, pdfium.raw.FPDF_FILLMODE_ALTERNATE, False)
        pdfium.raw.FPDFPage_InsertObject(page, path)
        pdfium.raw.FPDFPage_GenerateContent(page)
    saved = io.BytesIO()
    document.save(saved)
    return saved.getvalue()


def _dots(data):
    with pdfium.PdfDocument(data) as document:
        page = document[0]
        paper = measure_paper(page.raw)
        return scanned_dots(page.raw, paper, render(page.raw, number=1, paper=paper, dpi=200))


def _share_read(texts):
    return sum(word in texts for word in WORDS) / len(WORDS)


def test_a_poor_fax_is_read_better_redrawn_than_as_its_dots(reader, fax, found):
    assert _share_read(found.texts) > 0.85
    # the same dots in two greys are no fax to the reader: what was gained is the redrawing's
    greyed = np.where(np.asarray(fax) == 0, 45, 210).astype(np.uint8)
    assert not is_bilevel(greyed)
    assert _share_read(found.texts) > _share_read(reader.read(greyed).texts)


def test_what_is_sure_on_a_poor_fax_is_printed_on_it(found):
    sure = [text for text, chance in zip(found.texts, found.confidences, strict=True) if chance >= 0.9]
    assert len(sure) > 0.4 * len(WORDS)
    assert sum(text in WORDS for text in sure) >= 0.95 * len(sure)  # one page of 60 words


def test_redrawing_brings_a_fax_nearer_to_the_print_it_came_from(fax):
    grey = np.asarray(fax)
    print_ = np.asarray(picture_of(letter_pdf(size=10), dpi=150).convert("L"), np.float64)
    drawn = redrawn(grey, load_redrawer())
    assert drawn.shape == grey.shape
    inked = print_ < 250
    assert np.abs(drawn - print_)[inked].mean() < 0.6 * np.abs(grey - print_)[inked].mean()


def test_paper_without_ink_stays_white():
    sheet = np.full((200, 300), 255, np.uint8)
    sheet[50, 60] = 0  # a speck
    drawn = redrawn(sheet, load_redrawer())
    assert (drawn[:, 100:] == 255).all()
    assert drawn[50, 60] > 150


@pytest.mark.parametrize(
    ("values", "bilevel"),
    [([0, 255], True), ([10, 245], True), ([255], False), ([0], False), ([0, 128, 255], False)],
)
def test_a_picture_is_bilevel_when_it_has_black_and_white_dots_only(values, bilevel):
    assert is_bilevel(np.array([values * 40] * 40, np.uint8)) is bilevel


def test_print_drawn_in_grey_is_no_fax():
    assert not is_bilevel(np.asarray(picture_of(letter_pdf(), dpi=200).convert("L")))


@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
def test_a_pdf_gives_the_dots_of_its_fax_as_they_are_stored(fax, rotation):
    found = _dots(_as_pdf(fax, rotation=rotation))
    assert np.array_equal(found.grey, np.rot90(np.asarray(fax), -(rotation // 90)))
    assert found.dpi == pytest.approx(150)


def test_a_fax_with_something_drawn_over_it_is_read_as_rendered(fax):
    assert _dots(_as_pdf(fax, stamp=True)) is None


def test_a_grey_scan_is_read_as_rendered():
    assert _dots(scan_pdf(picture_of(letter_pdf(), dpi=150, noise=12))) is None


def test_words_of_a_fax_inside_a_pdf_stand_where_the_page_shows_them(reader, fax, found):
    data = _as_pdf(fax)
    words = parse_pdf(source_of(data), data, recognize_page=PageRecognizer(reader)).words
    assert _share_read(list(words.texts)) > 0.85
    edges = found.edges / np.array([fax.width, fax.height] * 2)
    for text, (left, top, right, bottom) in zip(found.texts, edges.tolist(), strict=True):
        assert any(
            read == text and abs(box[0] - left) < 0.004 and abs(box[1] - top) < 0.004
            for read, box in zip(words.texts, words.boxes.tolist(), strict=True)
        ), (text, right, bottom)


def test_other_weights_are_another_parser(monkeypatch):
    before = parser_fingerprint(ocr=True)
    read = Path.read_bytes
    monkeypatch.setattr(Path, "read_bytes", lambda path: read(path) + b" " * (path.suffix == ".npz"))
    parser_versions._models_digest.cache_clear()
    try:
        assert parser_fingerprint(ocr=True) != before
    finally:
        parser_versions._models_digest.cache_clear()
