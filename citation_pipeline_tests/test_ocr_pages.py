"""Scans become words with boxes on the ink, however the sheet was fed."""

import re

import numpy as np
import pytest
from PIL import Image

from citation_pipeline.adapters.ocr.pages import PageReader
from citation_pipeline.adapters.ocr.pictures import as_given, clean, levelled, skew, turned
from citation_pipeline.adapters.pdfium.documents import parse_pdf
from citation_pipeline_tests.parser_files import LETTER_LINES, letter_pdf, picture_of, source_of

FORM_LINES = (
    "EMPLOYER'S REPORT OF OCCUPATIONAL INJURY",
    "P&S per ......................................... Stephen Vandermolen, D.P.M.",
    "Overall WPI ............................... 11%",
    "[ ] Modified work available   Patient: Tomás Ibarra Núñez",
)


@pytest.fixture(scope="module")
def reader():
    return PageReader()


@pytest.fixture(scope="module")
def printed():
    """The letter's words with their boxes as edges, from its text layer."""
    data = letter_pdf()
    words = parse_pdf(source_of(data), data).words
    edges = np.concatenate([words.boxes[:, :2], words.boxes[:, :2] + words.boxes[:, 2:]], axis=1)
    return list(zip(words.texts, edges.tolist(), strict=True))


def _share_found(printed, found, picture, *, moved=lambda edges: edges):
    """Return the share of printed words that were read, and that stand where they were printed."""
    height, width = np.asarray(picture).shape
    hits = 0
    for text, edges in printed:
        left, top, right, bottom = moved(edges)
        x, y = (left + right) / 2 * width, (top + bottom) / 2 * height
        hits += any(
            read == text and box[0] <= x <= box[2] and box[1] <= y <= box[3]
            for read, box in zip(found.texts, found.edges.tolist(), strict=True)
        )
    return hits / len(printed)


def _turned_edges(quarters):
    def moved(edges):
        left, top, right, bottom = edges
        for _ in range(quarters):  # a quarter clockwise: x, y -> 1 - y, x
            left, top, right, bottom = 1 - bottom, left, 1 - top, right
        return left, top, right, bottom

    return moved


@pytest.mark.parametrize(
    "scan",
    [
        {"dpi": 200},
        {"dpi": 150, "noise": 12},
        {"dpi": 200, "bilevel": True, "noise": 20},
    ],
    ids=["clean", "grey", "fax"],
)
def test_a_level_scan_is_read_word_for_word(reader, printed, scan):
    picture = picture_of(letter_pdf(), **scan)
    found = reader.read(np.asarray(picture.convert("L")))
    assert _share_found(printed, found, picture) > 0.97
    assert found.confidences.mean() > 0.9


@pytest.mark.parametrize("degrees", [2.0, -1.3])
def test_words_of_a_skewed_fax_stand_where_the_sheet_shows_them(reader, printed, degrees):
    picture = picture_of(letter_pdf(), degrees=degrees, bilevel=True, noise=15)
    angle = np.radians(degrees)

    def moved(edges):
        x, y = (edges[0] + edges[2]) / 2 * 612 - 306, (edges[1] + edges[3]) / 2 * 792 - 396
        x, y = x * np.cos(angle) + y * np.sin(angle), y * np.cos(angle) - x * np.sin(angle)
        return (x + 306) / 612, (y + 396) / 792, (x + 306) / 612, (y + 396) / 792

    found = reader.read(np.asarray(picture.convert("L")))
    assert _share_found(printed, found, picture, moved=moved) > 0.95


@pytest.mark.parametrize("quarters", [1, 2, 3])
def test_a_sheet_fed_sideways_or_upside_down_is_turned_and_its_words_turned_back(reader, printed, quarters):
    upright = np.asarray(picture_of(letter_pdf(), degrees=0.6))
    fed = np.ascontiguousarray(np.rot90(upright, -quarters))
    found = reader.read(fed)
    assert found.quarters == -quarters % 4
    assert _share_found(printed, found, fed, moved=_turned_edges(quarters)) > 0.95


def test_a_box_ends_where_the_ink_ends(reader):
    picture = np.asarray(picture_of(letter_pdf()))
    found = reader.read(picture)
    for left, top, right, bottom in np.rint(found.edges).astype(int).tolist():
        dark = picture[top:bottom, left:right] < 128
        assert dark.any(axis=1).mean() > 0.8  # hardly a row or column without ink ("i" has one, ":" has some)
        assert dark[:, [0, 1, -1, -2]].any()
        assert not (picture[top:bottom, max(0, left - 3) : left] < 100).any()


def test_forms_keep_their_leaders_accents_and_brackets(reader):
    found = reader.read(np.asarray(picture_of(letter_pdf(FORM_LINES, size=11))))
    texts = list(found.texts)
    for word in ("per", "Vandermolen,", "WPI", "11%", "Tomás", "Núñez", "[", "]"):
        assert word in texts
    leaders = [text for text in texts if re.fullmatch(r"\.{6,}", text)]
    assert len(leaders) == 2
    assert abs(len(leaders[0]) - 41) <= 2


@pytest.mark.parametrize("shade", [255, 0, 128])
def test_an_empty_sheet_has_no_words(reader, shade):
    assert list(reader.read(np.full((1100, 850), shade, np.uint8)).texts) == []


def test_a_picture_too_small_to_read_is_not_an_error(reader):
    assert list(reader.read(np.full((3, 2), 255, np.uint8)).texts) == []


def test_a_photo_with_a_shadow_is_read(reader):
    picture = np.asarray(picture_of(letter_pdf()), np.float64)
    shadow = np.linspace(1.0, 0.35, picture.shape[1])[None, :]
    found = reader.read((picture * shadow).astype(np.uint8))
    words = " ".join(LETTER_LINES).split()
    assert sum(word in found.texts for word in words) / len(words) > 0.95


@pytest.mark.parametrize("degrees", [-3.7, -0.5, 0.0, 0.8, 5.2])
def test_skew_is_measured_to_a_twentieth_of_a_degree(degrees):
    picture = picture_of(letter_pdf(), degrees=degrees)
    assert skew(np.asarray(picture)) == pytest.approx(degrees, abs=0.11)


def test_what_was_turned_and_levelled_finds_its_way_back():
    fed = np.asarray(picture_of(letter_pdf(), degrees=1.4).rotate(90, expand=True))
    upright = levelled(turned(as_given(clean(fed)), 1))
    dark = np.argwhere(upright.grey < 60)
    row, column = dark[len(dark) // 2].tolist()
    edges = upright.boxes_to_original(np.array([[column - 2, row - 2, column + 3, row + 3]], np.float64))
    left, top, right, bottom = np.rint(edges[0]).astype(int).tolist()
    assert (fed[top:bottom, left:right] < 100).any()
    assert upright.grey.shape == picture_of(letter_pdf()).size[::-1]


def test_recognition_needs_no_network(reader):
    # sockets are refused in tests; the models come out of their package
    picture = Image.new("L", (600, 200), 255)
    assert list(reader.read(np.asarray(picture)).texts) == []
    assert list(PageReader().read(np.asarray(picture_of(letter_pdf(("Paid",)), dpi=100))).texts) == ["Paid"]
