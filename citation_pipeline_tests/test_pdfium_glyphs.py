"""What glyphs say: ligatures, accents and vowel signs drawn apart, glyphs that nothing is known of."""

import numpy as np
import pytest

from citation_pipeline.core.boxes import Box
from citation_pipeline.core.layout.characters import Characters
from citation_pipeline.core.layout.glyphs import UNKNOWN, spelled
from citation_pipeline.core.layout.words import split_words
from citation_pipeline_tests.drawn_pdfs import parse

MADE_UP = " "


def words_of(stream: bytes, letters: dict[int, str] | None = None, *, width: int | None = None) -> list[str]:
    """Return the words of a sheet whose font says by a map what its codes mean, and how wide they are."""
    return list(parse(sheet_of(stream, letters, width=width)).words.texts)


def sheet_of(stream: bytes, letters: dict[int, str] | None = None, *, width: int | None = None) -> bytes:
    lines = [
        b"<%02x> <%b>" % (code, text.encode("utf-16-be").hex().encode())
        for code, text in (letters or {}).items()
    ]
    mapped = b"1 begincodespacerange <00> <ff> endcodespacerange %d beginbfchar\n%b\nendbfchar" % (
        len(lines),
        b"\n".join(lines),
    )
    mapped = b"begincmap %b endcmap" % mapped
    font = b"<</Type/Font/Subtype/TrueType/BaseFont/Helvetica/Encoding/WinAnsiEncoding"
    if letters:
        font += b"/ToUnicode 6 0 R"
    if width:
        font += b"/FirstChar 0/LastChar 255/Widths[%b]" % (b"%d " % width * 256)
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>",
        b"<</Length %d>>stream\n%s\nendstream" % (len(stream), stream),
        font + b">>",
        b"<</Length %d>>stream\n%s\nendstream" % (len(mapped), mapped),
    ]
    body = b"".join(b"%d 0 obj%b endobj\n" % numbered for numbered in enumerate(objects, 1))
    return b"%PDF-1.4\n" + body + b"trailer<</Root 1 0 R>>"


LETTER = [
    "The lighthouse keeper wrote that the lamp had failed twice in the month of",
    "October and that the boats were warned by bells. He asks for another lens,",
    "two barrels of oil and a helper for the winter, since his knee is no better",
    "and the stairs are steep. The council has not yet answered him, though they",
    "promised to do so at their meeting. He will wait until the first of December.",
]
BRIEF = [
    "Der Leuchtturm steht seit gestern still, und die Fischer fahren nicht mehr aus.",
    "Man hat den Rat gebeten, eine neue Lampe zu kaufen, aber er hat das abgelehnt.",
    "Die Treppe ist steil und der Mann hat ein krankes Knie, er kommt kaum hinauf.",
    "Es soll ein Gehilfe gesucht werden, der ihm bis zum Frühling zur Hand geht und",
    "das Öl trägt. Mit dem Lohn ist man sich einig, die Stelle wird bald besetzt.",
]
SHIFTED = {
    ord(shown): said for shown, said in zip("bcdfghjklmnpqrstvwxz", "lmnpqrstvwxzbcdfghjk", strict=True)
}


def written(*lines: str) -> bytes:
    return b"".join(
        b"BT /F1 10 Tf 1 0 0 1 60 %d Tm (%b) Tj ET\n" % (700 - 16 * at, line.encode("cp1252"))
        for at, line in enumerate(lines)
    )


def reading(*lines: str):
    """Return a recognizer that reads these lines off any picture."""
    boxes = [Box(0.1, (92 + 16 * at) / 800, 0.008 * len(line), 0.012) for at, line in enumerate(lines)]
    return lambda picture, known: [(line, box, 0.97) for line, box in zip(lines, boxes, strict=True)]


def test_a_page_whose_font_says_other_letters_than_it_shows_is_read_off_its_picture():
    data = sheet_of(written(*LETTER), SHIFTED)
    assert "lightlouse" not in parse(data).text
    document = parse(data, recognize_page=reading(*LETTER))
    assert " ".join(document.text.split()) == " ".join(LETTER)
    assert document.pages[0].words_from == "ocr"


@pytest.mark.parametrize("lines", [LETTER, BRIEF], ids=["English", "German"])
def test_a_page_in_a_language_is_not_looked_at(lines):
    looked = []
    document = parse(sheet_of(written(*lines)), recognize_page=lambda *page, **known: looked.append(page))
    assert not looked
    assert " ".join(document.text.split()) == " ".join(lines)


def test_words_of_an_unknown_language_stay_where_the_picture_shows_them():
    unknown = [
        f"zorv{at} kelmu brint dastovi quarg olmet hupsa vendrik tolu".replace("0", "") for at in range(9)
    ]
    unknown = [line.translate({ord(str(n)): chr(97 + n) for n in range(10)}) for line in unknown]
    document = parse(sheet_of(written(*unknown)), recognize_page=reading(*unknown))
    assert document.pages[0].words_from == "text"
    assert " ".join(document.text.split()) == " ".join(unknown)


def test_figures_whose_font_says_nothing_of_them_are_read_off_the_picture():
    private = {ord(digit): chr(0xE010 + int(digit)) for digit in "0123456789"}
    data = sheet_of(written("Paid in all for the boats", "4,815.16"), private)
    document = parse(data, recognize_page=reading("", "4,815.16"))
    assert document.text.split() == ["Paid", "in", "all", "for", "the", "boats", "4,815.16"]
    assert document.pages[0].words_from == "mixed"
    unread = parse(data)
    assert unread.warnings == ("page 1: unreadable_glyphs",)
    assert not any(0xE000 <= ord(letter) < 0xF900 for letter in unread.text)


def test_a_bullet_that_nothing_is_known_of_makes_no_page_unread():
    document = parse(sheet_of(written("~ two lamps", "~ a new lens"), {ord("~"): "\ue123"}))
    assert document.warnings == ()
    assert document.text.split() == ["\ue123", "two", "lamps", "\ue123", "a", "new", "lens"]


def characters(*drawn: tuple[str, float, float]) -> Characters:
    """Characters of 10 points on one line: what each says, its left and its right edge; one run each."""
    count = len(drawn)
    codes = np.array([ord(text) for text, _, _ in drawn], np.uint32)
    return Characters(
        codes=codes,
        edges=np.array([[left, 90.0, right, 100.0] for _, left, right in drawn]),
        baselines=np.full(count, 98.0),
        sizes=np.full(count, 10.0),
        bold=np.zeros(count, np.bool_),
        turns=np.zeros(count, np.int8),
        hidden=np.zeros(count, np.int8),
        runs=np.arange(count, dtype=np.int32),
        slanted=np.zeros(count, np.bool_),
    )


def read(*drawn: tuple[str, float, float]) -> list[str]:
    return list(split_words(spelled(characters(*drawn)), width=600, height=800)[0].texts)


def test_two_equal_letters_of_one_ligature_are_both_read():
    assert words_of(b"BT /F1 12 Tf 60 700 Td (omiTed) Tj ET", {0x54: "tt"}) == ["omitted"]


@pytest.mark.parametrize(
    ("drawn", "letters", "word"),
    [
        (b"CAB", {0x41: "\u0644\u0627", 0x42: "\u0633", 0x43: "\u0645"}, "\u0633\u0644\u0627\u0645"),
        (b"CAB", {0x41: "\ufefc", 0x42: "\u0633", 0x43: "\u0645"}, "\u0633\u0644\u0627\u0645"),
        (b"CAB", {0x41: "\u0644\u0623", 0x42: "\u0628", 0x43: "\u0645"}, "\u0628\u0644\u0623\u0645"),
        # a whole word in one glyph, as programs that shape a word at once write it
        (b"A", {0x41: "\u0643\u062a\u0627\u0628"}, "\u0643\u062a\u0627\u0628"),
    ],
)
def test_letters_of_a_right_to_left_ligature_stand_as_they_are_read(drawn, letters, word):
    assert words_of(b"BT /F1 12 Tf 60 700 Td (%b) Tj ET" % drawn, letters) == [word]


def test_a_full_stop_belongs_to_the_right_to_left_word_before_it():
    letters = {0x41: "\u0628", 0x42: "\u0627", 0x43: "."}
    assert words_of(b"BT /F1 12 Tf 60 700 Td (CABA) Tj ET", letters) == ["\u0628\u0627\u0628."]


def test_a_vowel_sign_drawn_by_itself_follows_the_letter_under_it():
    # "dad, alef" with the sign of the dad drawn first, for which a space is made up
    drawn = [
        ("\u064a", 30, 36),
        (MADE_UP, 26, 26),
        ("\u064b", 22, 24),
        ("\u0636", 20, 30),
        ("\u0627", 16, 20),
    ]
    assert read(*drawn) == ["\u064a\u0636\u064b\u0627"]


@pytest.mark.parametrize("first", ["accent", "letter"])
def test_an_accent_drawn_over_a_letter_is_one_letter_with_it(first):
    letter, accent = ("o", 16, 22), ("\u00a8", 17.2, 20.8)
    pair = [accent, letter] if first == "accent" else [letter, accent]
    assert read(("M", 8, 16), *pair, ("v", 22, 27), ("e", 27, 32)) == ["M\u00f6ve"]


def test_an_accent_drawn_after_its_whole_word_finds_its_letter():
    word = [("D", 8, 16), ("a", 16, 22), ("g", 22, 28), (MADE_UP, 28, 28), ("\u02d8", 23, 27)]
    assert read(*word) == ["Da\u011f"]


def test_an_accent_that_stands_by_itself_stays_what_it_is():
    assert read(("a", 10, 16), ("\u00b4", 16.5, 19), (" ", 19, 22), ("b", 22, 28)) == ["a\u00b4", "b"]
    assert read(("7", 10, 16), ("\u00a8", 11, 15)) == ["7", "\u00a8"]  # no figure has one


def test_a_glyph_that_nothing_is_known_of_stays_in_its_word():
    assert read(("e", 10, 16), ("\0", 16, 24), ("c", 24, 30)) == [f"e{chr(UNKNOWN)}c"]
    letters = {0x41: "\x01"}
    assert words_of(b"BT /F1 12 Tf 60 700 Td (18.3 Ag/kg) Tj ET", letters) == ["18.3", "\ufffdg/kg"]


@pytest.mark.parametrize("said", ["\x80", "\u200b", "\u2060"])
def test_a_letter_whose_font_says_that_it_is_no_sign_is_read_off_the_picture(said):
    data = sheet_of(written("The barge was", "noti~ed"), {ord("~"): said})
    document = parse(data, recognize_page=reading("", "notified"))
    assert document.text.split() == ["The", "barge", "was", "notified"]
    assert document.pages[0].words_from == "mixed"


def test_an_amount_whose_sign_the_font_calls_invisible_is_not_sure():
    document = parse(sheet_of(written("Balance of the ferry ~417.00 in June"), {ord("~"): "\u200b"}))
    texts, confidences = document.words.texts, document.words.confidence
    assert [texts[at] for at in np.flatnonzero(confidences == 0.5)] == [f"{chr(UNKNOWN)}417.00"]


def test_a_sign_of_a_symbol_font_stays_apart_from_the_word_that_it_touches():
    assert read(("\uf0b7", 10, 15), ("P", 15, 21), ("t", 21, 24)) == ["\u2022", "Pt"]


def test_a_glyph_s_number_is_no_hyphen_and_a_line_s_end_has_one():
    letters = {0x41: "\x02"}
    stream = b"BT /F1 12 Tf 60 700 Td (A widow) Tj 0 -14 Td (is paid a sur-) Tj 0 -14 Td (charge) Tj ET"
    assert words_of(stream, letters) == ["\ufffd", "widow", "is", "paid", "a", "sur-", "charge"]


def test_letters_of_a_font_without_widths_are_one_word_where_they_are_drawn_close():
    letters = [
        b"BT /F1 10 Tf %d 700 Td (%c) Tj ET" % (60 + 6 * at + 6 * (at > 4), letter)
        for at, letter in enumerate(b"Ninthhole")
    ]
    assert words_of(b"\n".join(letters), width=1000) == ["Ninth", "hole"]


def test_a_made_up_space_parts_words_although_a_slanted_letter_reaches_into_it():
    drawn = [("o", 10, 15.4), ("f", 14, 20.3), (MADE_UP, 20.8, 20.8), ("i", 20.8, 23), ("t", 23, 26)]
    assert read(*drawn) == ["of", "it"]


def test_pieces_of_a_word_without_a_gap_are_joined_although_a_space_is_made_up():
    assert read(("r", 10, 14), (MADE_UP, 14, 14), ("e", 14.1, 20)) == ["re"]
