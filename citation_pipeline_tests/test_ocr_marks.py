"""Scans with more than print (signatures, stamps, photographs), and in letters that the model lacks."""

import cv2
import numpy as np
import pytest

from citation_pipeline.adapters.ocr.recognized_pages import PageRecognizer
from citation_pipeline.adapters.office.images import content_of_picture
from citation_pipeline.core.layout.content import PagePicture, PageWords, has_few_sure_words, words_of_boxes
from citation_pipeline.core.layout.marks import MOST_IN_MARKS, cut_words
from citation_pipeline.core.layout.pages import lay_out


@pytest.fixture(scope="module")
def recognizer() -> PageRecognizer:
    return PageRecognizer()


def write(grey: np.ndarray, text: str, left: int, base: int, *, size: int = 34) -> None:
    # the weight is said: the built-in font keeps the last one, another test's too
    cv2.putText(grey, text, (left, base), (0,), cv2.FontFace("sans"), size, 400)


def paper(*lines: str) -> np.ndarray:
    grey = np.full((2200, 1700), 255, np.uint8)
    for number, text in enumerate(lines):
        write(grey, text, 150, 200 + 70 * number)
    return grey


def scanned(grey: np.ndarray) -> PagePicture:
    noise = np.random.default_rng(3).normal(0, 8, grey.shape)
    return PagePicture((grey * 0.9 + 12 + noise).clip(0, 255).astype(np.uint8), 200.0, 1, 612.0, 792.0)


def words(recognizer: PageRecognizer, *lines: str) -> PageWords:
    picture = scanned(paper(*lines))
    return words_of_boxes(recognizer(picture, known=()), width_pt=612.0, height_pt=792.0)


SURE = 0.9
PRINT = [
    "The worker reported pain of the right shoulder after lifting boxes.",
    "He was seen at the clinic on March 14, 2025 and returned to work.",
    "Signature of employee:",
]


def sign(grey: np.ndarray) -> None:
    cv2.line(grey, (560, 350), (1000, 350), 0, 3)
    steps = np.linspace(0, 14, 90)
    path = np.stack([600 + 26 * steps + 18 * np.sin(2.1 * steps), 315 + 26 * np.sin(1.7 * steps)], axis=1)
    cv2.polylines(grey, [path.astype(np.int32)], False, 20, 4)


def photograph(grey: np.ndarray) -> None:
    down, across = np.mgrid[0:400, 0:500]
    shades = 120 + 60 * np.sin(across / 37) + 50 * np.cos(down / 23)
    grey[900:1300, 900:1400] = shades.clip(20, 235).astype(np.uint8)


def stamp(grey: np.ndarray) -> None:
    plate = np.full((300, 520), 255, np.uint8)
    cv2.rectangle(plate, (50, 80), (470, 220), 60, 6)
    write(plate, "RECEIVED", 90, 170, size=64)
    turned = cv2.warpAffine(plate, cv2.getRotationMatrix2D((260, 150), 12, 1.0), (520, 300), borderValue=255)
    grey[1500:1800, 150:670] = turned


def test_printed_pages_have_no_marks(recognizer):
    content = content_of_picture(scanned(paper(*PRINT)), recognizer)
    assert not len(content.drawings.scribbles)
    assert [block.type for block in lay_out(content) if block.type in ("Signature", "Figure")] == []


def test_a_signature_on_its_line_is_a_signature(recognizer):
    grey = paper(*PRINT)
    sign(grey)
    assert [b.type for b in lay_out(content_of_picture(scanned(grey), recognizer))].count("Signature") == 1


def test_a_photograph_on_a_scan_is_a_figure_where_it_is(recognizer):
    grey = paper(*PRINT)
    photograph(grey)
    figures = [b for b in lay_out(content_of_picture(scanned(grey), recognizer)) if b.type == "Figure"]
    assert len(figures) == 1
    box = figures[0].box
    assert box is not None
    assert (box.left, box.top) == pytest.approx((900 / 1700, 900 / 2200), abs=0.02)


def test_a_stamp_is_a_figure_and_its_words_are_a_guess(recognizer):
    grey = paper(*PRINT)
    stamp(grey)
    blocks = lay_out(content_of_picture(scanned(grey), recognizer))
    stamped = [b for b in blocks if any("RECEIVED" in text for line in b.lines for text, _ in line)]
    assert [b.type for b in stamped] == ["Figure"]
    assert max(chance for line in stamped[0].confidences or () for chance in line) <= MOST_IN_MARKS


def in_a_hand(line: str, *, left: int = 300, base: int = 1000) -> np.ndarray:
    """Return a page with print and a line whose letters stand now higher, now lower, as a hand sets them."""
    grey = paper(*PRINT)
    chance = np.random.default_rng(8)
    for letter in line:
        write(grey, letter, left, base + int(chance.integers(-6, 7)), size=40)
        left += 14 if letter == " " else 26
    return grey


def test_what_a_hand_wrote_is_a_figure_and_its_words_are_a_guess(recognizer):
    blocks = lay_out(content_of_picture(scanned(in_a_hand("he came back about noon")), recognizer))
    written = [block for block in blocks if block.type == "Figure"]
    assert [text for block in written for line in block.lines for text, _ in line].count("noon") == 1
    assert max(one for block in written for line in block.confidences or () for one in line) <= MOST_IN_MARKS
    assert (
        min(
            one
            for block in blocks
            if block.type != "Figure"
            for line in block.confidences or ()
            for one in line
        )
        > MOST_IN_MARKS
    )


def test_a_value_filled_in_by_hand_stays_with_its_label_and_is_a_guess(recognizer):
    grey = in_a_hand("garden shears", left=420, base=800)
    write(grey, "Tool in use:", 150, 800)
    blocks = lay_out(content_of_picture(scanned(grey), recognizer))
    block = next(b for b in blocks if any(text == "Tool" for line in b.lines for text, _ in line))
    sure = {
        text: one
        for line, known in zip(block.lines, block.confidences or (), strict=True)
        for (text, _), one in zip(line, known, strict=True)
    }
    assert sure["Tool"] >= SURE
    assert sure["shears"] <= MOST_IN_MARKS


def test_words_that_a_pen_runs_through_are_a_guess_and_the_strokes_are_found(recognizer):
    grey = paper(*PRINT, *PRINT[:2])
    steps = np.linspace(0, 14, 90)
    path = np.stack([420 + 26 * steps + 30 * np.sin(2.1 * steps), 228 + 55 * np.sin(1.7 * steps)], axis=1)
    cv2.polylines(grey, [path.astype(np.int32)], False, 20, 5)
    content = content_of_picture(scanned(grey), recognizer)
    assert len(content.drawings.scribbles) == 1
    left, top, right, bottom = content.drawings.scribbles[0].tolist()
    assert 150 < left < right < 310
    through = [
        chance
        for edges, chance in zip(content.words.edges, content.words.confidences, strict=True)
        if left < (edges[0] + edges[2]) / 2 < right and top < (edges[1] + edges[3]) / 2 < bottom
    ]
    assert through
    assert max(through) <= MOST_IN_MARKS


@pytest.mark.parametrize(
    "line",
    [
        "¿Sufrió el niño una lesión? La señora Muñoz firmó el 12 de marzo.",
        "Größe, Gewicht und Maßnahmen prüfen am 12.03.2025",
        "Où êtes-vous né ? Le blessé a reçu les soins, ça va",
        "Świadczenie będzie wypłacane; proszę dołączyć zaświadczenie",
    ],
    ids=["spanish", "german", "french", "polish"],
)
def test_letters_of_the_neighbours_of_english_are_read(recognizer, line):
    read = " ".join(words(recognizer, line, line).texts)
    assert read == f"{line} {line}"


def test_chinese_is_read(recognizer):
    line = "员工于二零二五年三月十二日在工作时右肩受伤"
    assert "".join(words(recognizer, line).texts) == line


@pytest.mark.parametrize(
    "lines",
    [
        (
            "Người lao động bị thương ở vai phải khi đang làm việc",
            "Xin vui lòng gửi giấy chứng nhận của bác sĩ",
        ),
        ("Работник сообщил о травме правого плеча", "Страховая компания отказала в выплате пособия"),
    ],
    ids=["vietnamese", "russian"],
)
def test_letters_that_the_model_lacks_are_never_sure_and_the_page_is_warned_of(recognizer, lines):
    found = words(recognizer, *lines)
    lettered = [c for t, c in zip(found.texts, found.confidences, strict=True) if any(x.isalpha() for x in t)]
    assert max(lettered, default=0.0) < SURE
    assert has_few_sure_words(found)


def test_a_word_that_ends_at_a_black_area_is_a_guess():
    means = np.full((200, 160), 250.0)
    means[50:56, 60:90] = 20.0  # a bar
    means[100:140, 58:60] = 20.0  # a table's rule
    means[150:160, 20:140] = 20.0  # a dark head, with white letters in it
    means[152:157, 30:40] = 70.0
    boxes = [("Harb", 40, 51, 60), ("12", 30, 51, 40), ("Harbor", 40, 120, 58), ("Head", 30, 152, 40)]
    found = PageWords(
        texts=[text for text, *_ in boxes],
        edges=np.array([[left, top, right, top + 4] for _, left, top, right in boxes], np.float64),
        sizes=np.full(4, 4.0),
        bold=np.zeros(4, np.bool_),
        turns=np.zeros(4, np.int8),
        confidences=np.full(4, 0.99),
    )
    assert cut_words(means, found, 1.0).tolist() == [True, False, False, False]
