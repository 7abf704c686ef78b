"""Pages that were filed twice: what is quoted from a poor copy is shown on the better page, both are kept."""

from dataclasses import replace

import numpy as np
import pytest

from citation_pipeline.core.citations import CitationStatus
from citation_pipeline.core.documents.duplicates import find_similar_pages
from citation_pipeline.core.documents.parsed import ParsedDocument
from citation_pipeline.core.extraction import ExtractedField, Snippet
from citation_pipeline.core.resolution.better_pages import find_copies
from citation_pipeline.core.resolution.claims import resolve_claim
from citation_pipeline.core.resolution.drafts import MOST_CANDIDATES
from citation_pipeline.core.schemas import Field, Schema
from citation_pipeline.core.viewer.dataset import build_viewer_dataset
from citation_pipeline_tests.drawn_documents import text_document

TEXT = (
    "Progress report of the treating physician",
    "The injured worker slipped on a wet floor beside the loading ramp on 02/11/2025 and hurt the left knee.",
    "Work restrictions: no lifting over 20 pounds until the next visit on 04/18/2025.",
    "Treatment goes on twice a week at the clinic on the corner of the square.",
)


def document(name: str, *lines: str, confidence: float | None = None) -> ParsedDocument:
    parsed = text_document(name, *lines)
    parsed = replace(parsed, source=replace(parsed.source, sha256=name * 8))
    if confidence is None:
        return parsed
    words = replace(parsed.words, confidence=np.full(len(parsed.words), confidence, np.float32))
    pages = [replace(page, words_from="ocr", has_text_layer=False) for page in parsed.pages]
    return replace(parsed, words=words, pages=pages)


LETTER = document("letter", *TEXT)
FAX = document("fax", *TEXT, confidence=0.71)
SNIPPET = "no lifting over 20 pounds"


def cite(*documents: ParsedDocument, source_id: str = "fax", text: str = SNIPPET, linked: bool = True):  # noqa: ANN201
    field = ExtractedField("restrictions", text, "string", (Snippet(source_id, text),))
    similar = find_similar_pages(documents) if linked else ()
    (found,) = resolve_claim(documents, [field], similar=similar)
    return found


@pytest.mark.parametrize("documents", [(LETTER, FAX), (FAX, LETTER)])
def test_a_quotation_of_a_fax_is_shown_on_the_better_page_with_the_fax_as_a_candidate(
    documents: tuple[ParsedDocument, ...],
) -> None:
    found = cite(*documents)
    assert (found.source_id, found.cited_source_id, found.status) == (
        "letter",
        "fax",
        CitationStatus.RESOLVED,
    )
    assert "better_copy" in found.warnings
    copies = [one for one in found.candidates if one.reason == "copy"]
    assert [(one.source_id, one.page) for one in copies] == [("fax", 1)]
    assert copies[0].boxes


def test_the_copy_stays_among_the_candidates_however_often_the_better_page_says_it() -> None:
    lines = (*TEXT, *(f"Visit {n}: {SNIPPET} until visit {n + 1}." for n in range(1, 13)))
    found = cite(document("letter", *lines), document("fax", *lines, confidence=0.71))
    assert (found.source_id, found.equal_places) == ("letter", 13)
    assert [one.source_id for one in found.candidates] == ["letter"] * (MOST_CANDIDATES - 1) + ["fax"]


def test_what_is_quoted_from_the_better_page_stays_there() -> None:
    found = cite(LETTER, FAX, source_id="letter")
    assert (found.source_id, found.warnings) == ("letter", ())


def test_two_good_pages_are_left_as_they_were_named() -> None:
    scans = document("letter", *TEXT, confidence=0.98), document("fax", *TEXT, confidence=0.97)
    assert cite(*scans).source_id == "fax"
    assert cite(LETTER, document("fax", *TEXT)).source_id == "fax"
    better = document("letter", *TEXT, confidence=0.98), document("fax", *TEXT, confidence=0.9)
    assert cite(*better).source_id == "letter"


def test_words_that_the_better_page_does_not_have_stay_on_the_copy() -> None:
    noted = document("fax", *TEXT, "Received by telefax, see the note of the nurse", confidence=0.71)
    found = cite(LETTER, noted, text="see the note of the nurse")
    assert (found.source_id, found.status) == ("fax", CitationStatus.RESOLVED)
    assert "better_copy" not in found.warnings


def test_a_number_that_differs_on_the_better_page_stays_on_the_copy() -> None:
    letter = document("letter", *(line.replace("20 pounds", "25 pounds") for line in TEXT))
    assert cite(letter, FAX).source_id == "fax"


def test_without_links_nothing_moves() -> None:
    assert cite(LETTER, FAX, linked=False).source_id == "fax"


def test_three_filings_of_a_page_are_one_group_with_one_best() -> None:
    poorer = document("poorer", *TEXT, confidence=0.4)
    documents = (poorer, FAX, LETTER)
    copies = find_copies(documents, find_similar_pages(documents))
    assert copies.better == {("poorer", 1): ("letter", 1), ("fax", 1): ("letter", 1)}
    assert set(copies.groups["letter", 1]) == {("letter", 1), ("fax", 1), ("poorer", 1)}


def test_the_dataset_names_the_copies_of_a_page_both_ways() -> None:
    documents = (LETTER, FAX)
    dataset = build_viewer_dataset(
        "claim",
        schema=Schema("own", "Own", "", (Field("restrictions", "string", "Restrictions", "own"),), "1"),
        documents=documents,
        fields=(),
        citations=(),
        similar=find_similar_pages(documents),
    )
    copies = {source["id"]: source["pages"][0]["copies"] for source in dataset["sources"]}
    assert [(one["sourceId"], one["page"]) for one in copies["letter"]] == [("fax", 1)]
    assert [(one["sourceId"], one["page"]) for one in copies["fax"]] == [("letter", 1)]
