"""A badly recognized page is still the page that was quoted: no other document is named in its place."""

import random

import pytest

from benchmarks.quotations.noise import misread
from citation_pipeline.core.citations import Citation, CitationStatus
from citation_pipeline.core.documents.parsed import ParsedDocument
from citation_pipeline.core.extraction import ExtractedField, Snippet
from citation_pipeline.core.matching.vocabulary import is_listed
from citation_pipeline.core.resolution.claims import resolve_claim
from citation_pipeline_tests.drawn_documents import text_document

SENTENCE = "The treating physician recommended further therapy for the lumbar strain in October"
COPY = text_document("copy", "Letter of the clinic", SENTENCE, "Kind regards")


def cite(text: str, *documents: ParsedDocument) -> Citation:
    (found,) = resolve_claim(documents, [ExtractedField("f", None, "string", (Snippet("scan", text),))])
    return found


def scan(sentence: str) -> ParsedDocument:
    return text_document("scan", "Received by mail", sentence, "Page one of three")


@pytest.mark.parametrize(
    "printed",
    [
        SENTENCE.replace("treating", "trealing").replace("therapy", "thempy"),
        SENTENCE.replace("physician", "physicnn").replace("lumbar", "lurnbal"),
        SENTENCE.replace("recommended", "rccomrnended").replace("October", "Octobei"),
        SENTENCE.replace("further", "furtber .").replace("strain", "slrain"),
        SENTENCE.replace("the lumbar", "thelumbar").replace("therapy", "thernpy"),
    ],
)
def test_two_misread_words_never_name_another_source(printed: str) -> None:
    found = cite(SENTENCE, scan(printed), COPY)
    assert found.source_id == found.cited_source_id == "scan"
    assert "wrong_source" not in found.warnings
    assert found.status is not CitationStatus.UNRESOLVED


def test_any_two_words_may_be_misread() -> None:
    numbers = random.Random(8)
    words, checked = SENTENCE.split(), 0
    for _ in range(600):
        first, second = numbers.sample(range(len(words)), 2)
        printed = [misread(w, 12, numbers) if n in (first, second) else w for n, w in enumerate(words)]
        changed = [p for p, w in zip(printed, words, strict=True) if p != w]
        # a word that became another word says something else, and no reader could tell
        if len(changed) == 2 and not any(is_listed(c.casefold().strip(".,;:'").encode()) for c in changed):
            checked += 1
            found = cite(SENTENCE, scan(" ".join(printed)), COPY)
            assert "wrong_source" not in found.warnings, changed
    assert checked > 40


@pytest.mark.parametrize(
    "printed",
    [
        SENTENCE.replace("recommended", "refused"),
        SENTENCE.replace("October", "November"),
        SENTENCE.replace("further therapy", "no further therapy").replace("treating", "trealing"),
        "Something else entirely was written down on this sheet of paper by the clerk",
    ],
)
def test_another_text_in_the_cited_document_names_the_source_that_has_it(printed: str) -> None:
    found = cite(SENTENCE, scan(printed), COPY)
    assert (found.source_id, found.cited_source_id) == ("copy", "scan")
    assert (found.status, "wrong_source" in found.warnings) == (CitationStatus.FLAGGED, True)


def test_other_digits_in_the_cited_document_name_the_source_that_has_them() -> None:
    copy = text_document("copy", "Total billed in October was 4,310.00 dollars for therapy")
    page = scan("Total bi1led in Octobcr was 4,810.00 dollars for therapy")
    found = cite("Total billed in October was 4,310.00 dollars for therapy", page, copy)
    assert found.source_id == "copy"


@pytest.mark.parametrize(
    ("quoted", "printed", "status"),
    [
        ("MMI", "MNI", CitationStatus.RESOLVED),  # one stroke of an abbreviation, amid words that are misread
        ("VI", "VT", CitationStatus.RESOLVED),
        ("VI", "IV", CitationStatus.FLAGGED),  # another number
        ("XI", "XL", CitationStatus.FLAGGED),
    ],
)
def test_amid_misread_words_a_stroke_of_capitals_may_be_and_a_numeral_is_never_another(
    quoted: str, printed: str, status: CitationStatus
) -> None:
    page = scan(f"Tne pancl fcund that her {printed} class benefits of tne carricr werc denied and tne rest")
    found = cite(
        f"The panel found that her {quoted} class benefits of the carrier were denied and the rest", page
    )
    assert found.status is status
