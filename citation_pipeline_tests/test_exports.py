"""The neutral files: chunks, geometry and sentences all index one text."""

import json

import pytest

from citation_pipeline.adapters.pdfium.documents import parse_pdf
from citation_pipeline.core.boxes import Box
from citation_pipeline.core.documents import exports
from citation_pipeline.core.documents.composition import BlockDraft, PageDraft, compose_document
from citation_pipeline_tests.parser_files import letter_pdf, source_of

_BOX = Box(0.1, 0.1, 0.1, 0.02)


@pytest.fixture(scope="module")
def letter():
    data = letter_pdf()
    return parse_pdf(source_of(data), data)


def _block(*lines, kind="Text"):
    return BlockDraft(1, kind, [[(word, _BOX) for word in line.split()] for line in lines])


def _sentences(*blocks):
    document = compose_document(
        source_of(b"x"), pages=[PageDraft(612, 792)], blocks=blocks, parser="local", parser_version="1"
    )
    return [row["text"] for row in exports.sentences(document)["sentences"]]


def test_every_offset_finds_its_text(letter):
    text = exports.text_of_export(letter)
    words = 0
    for line in exports.geometry(letter)["lines"]:
        for word, *_, start, confidence in line["words"]:
            assert text[start : start + len(word)] == word
            assert confidence is None
            words += 1
    assert words == len(letter.words)
    for chunk in exports.chunks(letter)["chunks"]:
        first, last = chunk["words"]
        assert text[chunk["text_start"] : chunk["text_end"]].split() == list(letter.words.texts[first:last])
    for sentence in exports.sentences(letter)["sentences"]:
        own = text[sentence["text_start"] : sentence["text_end"]]
        assert " ".join(own.split()) == sentence["text"]
        assert len(sentence["bboxes"]) == own.count("\n") + 1


@pytest.mark.parametrize("export", [exports.chunks, exports.geometry, exports.sentences])
def test_each_file_is_plain_json_and_names_its_source(letter, export):
    again = json.loads(json.dumps(export(letter), allow_nan=False))
    assert (again["format"], again["version"]) == (exports.FORMAT, exports.VERSION)
    assert again["source_id"] == "letter"
    assert again["text_length"] == len(letter.text)


def test_sentences_end_at_full_stops_but_not_at_abbreviations_and_numbers():
    assert _sentences(
        _block("Dr. Mbeki saw Mr. A. Ibarra on 03.14.2023. He", "returned vs. advice! Was it paid? Yes."),
        _block("No. 4 is open"),
    ) == [
        "Dr. Mbeki saw Mr. A. Ibarra on 03.14.2023.",
        "He returned vs. advice!",
        "Was it paid?",
        "Yes.",
        "No. 4 is open",
    ]


def test_rows_of_tables_and_forms_are_sentences_of_their_own():
    assert _sentences(_block("TD $586.67", "PD $290.00", kind="Table")) == ["TD $586.67", "PD $290.00"]


def test_a_document_without_words_exports_empty_lists():
    document = compose_document(
        source_of(b"x"), pages=[PageDraft(612, 792)], blocks=[], parser="local", parser_version="1"
    )
    assert exports.sentences(document)["sentences"] == []
    assert exports.geometry(document)["lines"] == []
    assert exports.geometry(document)["pages"][0]["page"] == 1
