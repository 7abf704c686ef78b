"""Words that two recognitions of a scan read differently: kept with the other letters, shown at the value."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageFilter
from playwright.sync_api import expect

from citation_pipeline.adapters.local_parser.encoding import decode, encode
from citation_pipeline.adapters.ocr.recognized_pages import PageRecognizer
from citation_pipeline.adapters.pdfium.documents import parse_pdf
from citation_pipeline.adapters.reducto.conversion import convert_result
from citation_pipeline.adapters.reducto.parse_results import ParseResult
from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.adapters.tables.document_rows import document_tables, read_documents
from citation_pipeline.adapters.tables.second_readings import second_reading_table, with_second_readings
from citation_pipeline.core.boxes import Box
from citation_pipeline.core.claims import Claim
from citation_pipeline.core.documents.page_ranges import document_of_pages
from citation_pipeline.core.documents.parsed import ParsedDocument
from citation_pipeline.core.review.overlay import with_reviews
from citation_pipeline.core.review.seen import digest_of
from citation_pipeline.core.viewer.dataset import build_viewer_dataset
from citation_pipeline.serving.settings import ServingSettings
from citation_pipeline_tests.fake_reducto.drawn_documents import draw
from citation_pipeline_tests.parser_files import letter_pdf, picture_of, scan_pdf, source_of
from citation_pipeline_tests.viewer_claim.browser import Visit, browsing
from citation_pipeline_tests.viewer_claim.serving import running
from citation_pipeline_tests.viewer_claim.store import (
    CLAIM_ID,
    SCHEMA,
    answers,
    build_store,
    documents,
    places_of,
    write_dataset,
)

WAGE, NAME, BIRTH = "financials.average_weekly_wage", "claimant.name", "claimant.date_of_birth"


def _disputed(document: ParsedDocument, **seconds: str) -> ParsedDocument:
    """The document with words (by their text) whose second reading had other letters."""
    known = {places_of(document, text)[0][1].start: other for text, other in seconds.items()}
    return replace(document, words=replace(document.words, second_readings=known))


@pytest.fixture(scope="module")
def read(tmp_path_factory: pytest.TempPathFactory) -> list[ParsedDocument]:
    letter, *others = documents(tmp_path_factory.mktemp("papers"))
    return [_disputed(letter, **{"$1,182.50": "$1,132.50", "birth:": "", "Quintanar": "Quintanat"}), *others]


def _dataset(read: list[ParsedDocument]) -> dict[str, dict[str, object]]:
    fields, citations = answers(read)
    dataset = build_viewer_dataset("c", schema=SCHEMA, documents=read, fields=fields, citations=citations)
    reviewed = with_reviews(dataset, {})
    return {field["fieldKey"]: field for field in reviewed["fields"]}


def test_a_poor_scan_keeps_what_the_second_reading_of_a_disputed_word_had() -> None:
    chance = np.random.default_rng(4)
    soft = picture_of(letter_pdf(size=10), dpi=150).convert("L").filter(ImageFilter.GaussianBlur(0.8))
    dots = np.where(np.asarray(soft, np.float64) + chance.normal(0, 36, soft.size[::-1]) < 150, 0, 255)
    data = scan_pdf(Image.fromarray(dots.astype(np.uint8)))
    words = parse_pdf(source_of(data), data, recognize_page=PageRecognizer()).words
    seconds = words.second_readings
    assert len(seconds) > 0
    for at, other in seconds.items():
        assert other != words.texts[at]
        assert words.confidence[at] < 0.9  # what two readings spell differently is never called sure


def test_second_readings_survive_the_parse_cache_pages_of_their_own_and_the_store(
    read: list[ParsedDocument], tmp_path: Path
) -> None:
    letter = read[0]
    assert decode(encode(letter), source=letter.source).words.second_readings == letter.words.second_readings
    store = ClaimStore(tmp_path)
    store.register(Claim("c", str(tmp_path), str(tmp_path)))
    store.write_stage("parsed_documents", "c", tables=document_tables("c", read), inputs={})
    stored = read_documents(store, "c")
    assert with_second_readings(stored, store, "c") == stored  # a store of an older version has none
    store.write_side_table("second_readings", "c", second_reading_table("c", read))
    again = with_second_readings(stored, store, "c")
    assert again[0].words.second_readings == letter.words.second_readings
    part = document_of_pages(again[0], 1, 1)
    assert {part.words.texts[at]: other for at, other in part.words.second_readings.items()} == {
        "$1,182.50": "$1,132.50",
        "birth:": "",
        "Quintanar": "Quintanat",
    }


def test_a_reading_of_a_word_that_is_another_by_now_is_not_shown(
    read: list[ParsedDocument], tmp_path: Path
) -> None:
    store = ClaimStore(tmp_path)
    store.register(Claim("c", str(tmp_path), str(tmp_path)))
    store.write_side_table("second_readings", "c", second_reading_table("c", read))
    texts = ["$1,214.70" if text == "$1,182.50" else text for text in read[0].words.texts]
    parsed_anew = replace(read[0], words=replace(read[0].words, texts=texts, second_readings={}))
    (letter,) = with_second_readings([parsed_anew], store, "c")
    assert "$1,132.50" not in letter.words.second_readings.values()
    assert "Quintanat" in letter.words.second_readings.values()


def test_a_remote_parsers_word_keeps_the_letters_that_our_own_recognition_had() -> None:
    scan = draw(words_from="ocr")
    words = scan.local.words
    at = next(n for n, text in enumerate(words.texts) if text.isalpha() and len(text) > 5)
    wrong = words.texts[at][:-1] + ("q" if words.texts[at][-1] != "q" else "z")
    block = scan.local.blocks[int(words.block[at])]
    box = {**block.box.as_dict(digits=None), "page": block.page}
    content = " ".join(wrong if n == at else words.texts[n] for n in range(block.word_start, block.word_end))
    result = ParseResult.model_validate(
        {"chunks": [{"blocks": [{"type": "Text", "content": content, "bbox": box}]}]}
    )
    made = convert_result(scan.local.source, result, local=scan.local, parser="reducto", parser_version="1")
    assert {made.words.texts[n]: other for n, other in made.words.second_readings.items()} == {
        wrong: words.texts[at]
    }


def test_a_citation_names_the_disputed_words_that_it_covers_and_which_are_the_values_own(
    read: list[ParsedDocument],
) -> None:
    fields = _dataset(read)
    (wage,) = fields[WAGE]["citations"][0]["secondReadings"]
    assert (wage["text"], wage["second"], wage["inValue"]) == ("$1,182.50", "$1,132.50", True)
    at = places_of(read[0], "$1,182.50")[0][1].start
    assert Box(**wage["bbox"]) == Box(**read[0].words.box(at).as_dict())
    (birth,) = fields[BIRTH]["citations"][0]["secondReadings"]
    assert (birth["text"], birth["second"], birth["inValue"]) == ("birth:", "", False)
    assert "secondReadings" not in fields["metadata.date_of_injury"]["citations"][0]


def test_a_value_that_was_read_twice_comes_earlier_in_the_queue_and_a_label_does_not(
    read: list[ParsedDocument],
) -> None:
    fields = _dataset(read)
    assert "read_twice" in fields[WAGE]["risk"]["reasons"]
    assert "read_twice" not in fields[BIRTH]["risk"]["reasons"]


def test_a_signature_is_of_the_second_reading_too(read: list[ParsedDocument]) -> None:
    field = _dataset(read)[WAGE]
    (citation,) = field["citations"]
    other = {**field, "citations": [{**citation, "secondReadings": []}]}
    assert digest_of(field, {}) != digest_of(other, {})


@pytest.mark.browser
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_reviewer_sees_the_second_reading_at_the_value_and_on_the_page(
    read: list[ParsedDocument], tmp_path: Path, theme: str
) -> None:
    build_store(tmp_path)
    write_dataset(ClaimStore(tmp_path / "store"), read, *answers(read))
    settings = ServingSettings(str(tmp_path / "store"), render_workers=1, local_reviewer="Ada")
    with running(settings) as address, browsing() as browser:
        visit = Visit(browser.new_page(viewport={"width": 1440, "height": 900}, color_scheme=theme))
        visit.open(f"{address}/claims/{CLAIM_ID}")
        expect(visit.card(WAGE)).to_contain_text("Read twice")  # before the field is opened
        expect(visit.card(BIRTH)).not_to_contain_text("Read twice")
        visit.badge(WAGE)
        expect(visit.card(WAGE)).to_contain_text(
            "The value was read twice: $1,182.50, the second time $1,132.50."
        )
        expect(visit.page.locator("#announcements")).to_contain_text("Read twice: $1,182.50, the second time")
        under = visit.page.locator(".second-reading")
        expect(under).to_have_count(1)
        expect(under).to_have_text("$1,132.50")
        word = visit.lit("value")
        place = under.bounding_box()
        sheet = visit.page.locator('.frame[data-page="1"]').bounding_box()
        assert abs((place["x"] - sheet["x"]) / sheet["width"] - word.left) < 0.01
        visit.badge(BIRTH)
        expect(visit.card(BIRTH)).to_contain_text("Read twice: birth:, the second time nothing.")
        visit.badge("metadata.date_of_injury")
        expect(under).to_have_count(0)
        assert visit.problems == []
