"""Readers of a file that is many documents: each part has its own words, date, chunks and say."""

import numpy as np
import pytest

from citation_pipeline.adapters.schema_files import load_lexicon, load_schema
from citation_pipeline.core.answers.merging import merge_extractions
from citation_pipeline.core.documents.part_documents import dates_by_part, part_of_page, split_document
from citation_pipeline.core.documents.parts import find_document_parts
from citation_pipeline.core.documents.types import choose_schema
from citation_pipeline.core.extraction import ExtractedField, Extraction, Snippet
from citation_pipeline.core.prompts.sources import read_source
from citation_pipeline.core.resolution.claims import resolve_claim
from citation_pipeline.core.retrieval.chunks import cut_document
from citation_pipeline.core.rules.extraction import extract
from citation_pipeline.core.viewer.dataset import build_viewer_dataset
from citation_pipeline_tests.drawn_pdfs import parse_drawn
from citation_pipeline_tests.test_document_parts import letter, report

SCHEMA = load_schema("workers_comp")


def rate_notice(day: str, rate: str):
    def page(sheet):
        sheet.bold(60, 50, "NOTICE REGARDING TEMPORARY DISABILITY BENEFITS", size=14)
        sheet.text(60, 90, f"Date of notice: {day}")
        sheet.text(60, 120, "Claim Number: WC-2023-00417")
        sheet.text(60, 150, f"Temporary disability weekly rate: {rate}")
        sheet.text(60, 180, "Sincerely,")
        sheet.text(60, 220, "Theo Marchetti, Claims Examiner")

    return page


@pytest.fixture(scope="module")
def bundle():
    """The later notice comes first: whoever takes the last page for the latest takes the older rate."""
    return parse_drawn(
        rate_notice("June 2, 2023", "$612.40"),
        report(1, 2),
        report(2, 2),
        rate_notice("March 3, 2023", "$586.67"),
    )


def test_a_parts_words_blocks_and_offsets_are_those_of_its_pages(bundle):
    parts = find_document_parts(bundle)
    assert [(part.first_page, part.last_page) for part in parts] == [(1, 1), (2, 3), (4, 4)]
    documents = split_document(bundle)
    assert sum(len(one.words) for one in documents) == len(bundle.words)
    for part, one in zip(parts, documents, strict=True):
        assert [page.page for page in one.pages] == list(range(part.first_page, part.last_page + 1))
        start, end = one.text_offset, one.text_offset + len(one.text)
        assert bundle.text[start:end] == one.text
        assert list(bundle.words.texts[one.word_offset :][: len(one.words)]) == list(one.words.texts)
        for block in one.blocks:
            assert one.text[block.text_start : block.text_end] == block.text
            assert set(np.asarray(one.words.block)[block.word_start : block.word_end]) == {block.block_id}
        for page in one.pages:
            assert one.text[page.text_start : page.text_end].strip()


def test_a_file_of_one_document_is_itself():
    document = parse_drawn(letter)
    assert split_document(document) == [document]


def test_the_later_part_wins_whatever_its_place_in_the_file(bundle):
    found = {
        field.field_key: field for field in extract([bundle], SCHEMA, load_lexicon("workers_comp")).fields
    }
    rates = [field for field in found.values() if field.value == 612.4]
    assert rates
    assert not [field for field in found.values() if field.value == 586.67]
    for snippet in rates[0].snippets:
        assert snippet.page == 1
        assert bundle.text[snippet.start_offset : snippet.end_offset].split() == snippet.text.split()
    superseded = [one for one in rates[0].candidates if one.value == 586.67]
    assert [(one.reason, one.date) for one in superseded] == [("superseded", "2023-03-03")]
    assert superseded[0].snippets[0].page == 4


def test_no_chunk_crosses_parts_and_each_names_its_part_and_day(bundle):
    chunks = cut_document(bundle, document_date="2020-01-01")
    parts = find_document_parts(bundle)
    for chunk in chunks:
        assert bundle.text[chunk.text_start : chunk.text_end] == chunk.text
        part = part_of_page(parts, chunk.page)
        assert part == part_of_page(parts, chunk.page_end)
        assert chunk.title.endswith(part.title)
        assert chunk.document_date == part.date
    assert [chunk.chunk_id for chunk in chunks] == [f"letter#{number}" for number in range(len(chunks))]


def test_the_model_is_told_where_each_part_begins(bundle):
    text = read_source(bundle).text
    assert "[page 2]\n\n[a document of its own begins here: pages 2 to 3, " in text
    assert "dated 2023-03-03]" in text.partition("[page 4]")[2].split("\n\n")[1]
    assert "begins here" not in read_source(parse_drawn(letter)).text


def test_a_citation_names_the_part_beside_file_and_page(bundle):
    snippet = Snippet("letter", "Claim Number: WC-2023-00417", page=4)
    field = ExtractedField("metadata.claim_number", "WC-2023-00417", "string", snippets=(snippet,))
    citations = resolve_claim([bundle], [field])
    data = build_viewer_dataset("c", schema=SCHEMA, documents=[bundle], fields=[field], citations=citations)
    (cited,) = next(field for field in data["fields"] if field["fieldKey"] == "metadata.claim_number")[
        "citations"
    ]
    assert (cited["sourceId"], cited["page"]) == ("letter", 4)
    assert cited["part"]["pages"] == [4, 4]
    assert cited["part"]["title"] == data["sources"][0]["parts"][2]["title"]


def test_of_two_answers_the_one_from_the_later_part_wins(bundle):
    dates = dates_by_part([bundle])

    def answer(value, page):
        snippet = Snippet("letter", str(value), page=page)
        key = "metadata.claim_number"
        return Extraction("workers_comp", (ExtractedField(key, value, "string", snippets=(snippet,)),))

    merged = merge_extractions([answer("A-1", 1), answer("B-2", 4)], SCHEMA, dates=dates)
    assert [field.value for field in merged.fields if field.field_key == "metadata.claim_number"] == ["A-1"]


def test_the_schema_is_that_of_the_parts_not_of_the_first_pages(bundle):
    choice = choose_schema([bundle], {})
    assert choice.schema_name == "workers_comp"
