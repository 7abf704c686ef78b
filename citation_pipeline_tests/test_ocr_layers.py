"""A scan's own words stay when the picture says the same, and are replaced when it does not."""

import io

import numpy as np
import pytest
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from citation_pipeline.adapters.local_parser.parser import LocalParser
from citation_pipeline.adapters.ocr.model_files import RECOGNIZER, MissingModelError, load_recognizer
from citation_pipeline.adapters.ocr.recognized_pages import PageRecognizer
from citation_pipeline.core.boxes import Box
from citation_pipeline.core.layout.content import PagePicture
from citation_pipeline_tests.parser_files import (
    LETTER_LINES,
    image_bytes,
    letter_pdf,
    picture_of,
    scan_pdf,
    source_of,
)


@pytest.fixture(scope="module")
def recognizer():
    return PageRecognizer()


@pytest.fixture(scope="module")
def picture():
    return PagePicture(np.asarray(picture_of(letter_pdf())), 200.0, 1, 612.0, 792.0)


@pytest.fixture(scope="module")
def read_words(recognizer, picture):
    return recognizer(picture, known=())


def test_a_layer_that_agrees_is_kept_and_is_sure(recognizer, picture, read_words):
    known = [word[:2] for word in read_words]
    kept = recognizer(picture, known=known)
    assert sorted((text, box.left) for text, box, *_ in kept) == sorted(
        (text, box.left) for text, box in known
    )
    assert all(0.97 < word[2] <= 1 for word in kept)


def _sureness(words):
    return {word[0]: word[2] for word in words}


@pytest.mark.parametrize(
    ("printed", "claimed"),
    [("$586.67", "$986.67"), ("$586.67", "$58667"), ("01/18/2020", "01/13/2020"), ("payable", "denied")],
)
def test_a_word_of_a_layer_that_the_picture_contradicts_is_never_sure(
    recognizer, picture, read_words, printed, claimed
):
    known = [(claimed if word[0] == printed else word[0], word[1]) for word in read_words]
    assert known != [word[:2] for word in read_words]
    kept = recognizer(picture, known=known)
    assert claimed not in _sureness(kept)
    (disputed,) = [word for word in kept if word[0] == printed]
    assert disputed[2] < 0.9
    assert disputed[4] == claimed
    assert sum(word[2] < 0.9 for word in kept) == 1


def test_a_word_of_a_layer_where_the_paper_is_empty_is_left_out(recognizer, picture, read_words):
    known = [word[:2] for word in read_words]
    kept = recognizer(picture, known=[*known, ("99,999.99", Box(0.4, 0.9, 0.1, 0.012))])
    assert len(kept) == len(known)
    assert "99,999.99" not in _sureness(kept)


def test_a_word_that_a_layer_lacks_is_added(recognizer, picture, read_words):
    known = [word[:2] for word in read_words if word[0] != "$586.67"]
    assert "$586.67" in _sureness(recognizer(picture, known=known))


def test_a_layer_set_beside_the_print_is_compared_all_the_same(recognizer, picture, read_words):
    known = [
        (text, Box(box.left + 0.02, box.top + 0.002, box.width, box.height)) for text, box, *_ in read_words
    ]
    kept = recognizer(picture, known=known)
    assert len(kept) == len(known)
    assert all(word[2] > 0.97 for word in kept)


@pytest.mark.parametrize("fault", ["other text", "other places", "half of it", "one word"])
def test_a_layer_that_disagrees_is_replaced(recognizer, picture, read_words, fault):
    known = [(word[0], word[1]) for word in read_words]
    if fault == "other text":
        known = [("lorem" if i % 2 else "ipsum", box) for i, (_, box) in enumerate(known)]
    elif fault == "other places":
        known = [(text, Box(box.left, 1 - box.bottom, box.width, box.height)) for text, box in known]
    elif fault == "half of it":
        known = known[: len(known) // 3]
    else:
        known = [("Page", Box(0.48, 0.97, 0.04, 0.01))]
    assert [word[:3] for word in recognizer(picture, known=known)] == [word[:3] for word in read_words]


def _searchable_scan(lines) -> bytes:
    """Draw the letter's picture and, invisibly, lines of text where its own lines stand."""
    buffer = io.BytesIO()
    canvas = Canvas(buffer, pagesize=(612, 792), invariant=1)
    canvas.drawImage(ImageReader(picture_of(letter_pdf()).convert("RGB")), 0, 0, 612, 792)
    text = canvas.beginText()
    text.setTextRenderMode(3)
    text.setFont("Helvetica", 12)
    for number, line in enumerate(lines):
        text.setTextOrigin(72, 700 - number * 26.4)
        text.textOut(line)
    canvas.drawText(text)
    canvas.save()
    return buffer.getvalue()


def test_a_searchable_scan_goes_through_the_whole_parser(parser):
    right, wrong = _searchable_scan(LETTER_LINES), _searchable_scan(["Nothing of the kind is here"] * 8)
    kept = parser.parse(source_of(right), right)
    replaced = parser.parse(source_of(wrong), wrong)
    for document in (kept, replaced):
        assert "Temporary disability is payable at $586.67 per week" in document.text
        assert "Nothing of the kind" not in document.text
        assert document.pages[0].words_from == "ocr"


def test_a_scan_without_words_says_so_and_carries_confidences(parser):
    data = scan_pdf(picture_of(letter_pdf(), degrees=0.9))
    document = parser.parse(source_of(data), data)
    (page,) = document.pages
    assert (page.words_from, page.has_text_layer) == ("ocr", False)
    assert "WC-2023-00417" in document.words.texts
    assert ((document.words.confidence > 0.5) & (document.words.confidence <= 1)).all()
    assert (document.words.boxes >= 0).all()
    assert (document.words.boxes[:, :2] + document.words.boxes[:, 2:] <= 1).all()


def test_without_recognition_a_scan_has_no_words_and_a_warning():
    data = scan_pdf(picture_of(letter_pdf()))
    with LocalParser(None, workers=1, ocr=False) as parser:
        document = parser.parse(source_of(data), data)
    assert len(document.words) == 0
    assert any("no_text_layer" in warning for warning in document.warnings)


def test_a_sideways_scan_reads_in_order_and_keeps_its_boxes_on_the_sheet(parser):
    image = picture_of(letter_pdf()).rotate(-90, expand=True)
    data = image_bytes(image, "PNG", dpi=(200, 200))
    document = parser.parse(source_of(data, "scan.png"), data)
    text = " ".join(document.text.split())
    assert "Temporary disability is payable at $586.67 per week from 01/18/2020 through" in text
    first = document.words.box(document.words.texts.index("Delta"))
    assert first.left > 0.8  # the sheet's top is at the right
    assert first.height > first.width


def test_a_recognizer_without_its_model_names_the_package(monkeypatch, tmp_path):
    from citation_pipeline.adapters.ocr import model_files

    package = tmp_path / "rapidocr"
    package.mkdir()
    (package / "__init__.py").write_text("")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(__import__("sys").modules, "rapidocr", raising=False)
    with pytest.raises(MissingModelError, match="rapidocr wheel") as caught:
        load_recognizer()
    assert caught.value.file == RECOGNIZER
    assert model_files.DETECTOR != RECOGNIZER
