"""Places that a person signed for override the matcher, survive new versions, and show a disagreement."""

from dataclasses import replace

import pytest

from citation_pipeline.core.boxes import Box
from citation_pipeline.core.citations import Citation, CitationStatus
from citation_pipeline.core.documents.parsed import ParsedDocument
from citation_pipeline.core.extraction import ExtractedField, Snippet
from citation_pipeline.core.resolution.claims import resolve_claim
from citation_pipeline.core.resolution.pins import Pin, words_in_boxes
from citation_pipeline.core.resolution.versions import matcher_fingerprint
from citation_pipeline_tests.drawn_documents import block_of, document_of, text_document

LETTER = text_document(
    "letter", "Employer: Magnolia Terrace", "Insured: Magnolia Terrace", "Carrier: Great Basin"
)
FIELD = ExtractedField("employer", "Magnolia Terrace", "string", [Snippet("letter", "Magnolia Terrace")])


def pin_at(document: ParsedDocument, first: int, last: int, **changes: object) -> Pin:
    boxes = [document.words.box(word) for word in range(first, last)]
    text = " ".join(document.words.texts[first:last])
    pin = Pin("employer", "letter", document.source.sha256, 1, text, boxes, 0)
    return replace(pin, **changes)  # type: ignore[arg-type]


def resolve(pin: Pin, *documents: ParsedDocument) -> Citation:
    return resolve_claim(documents, [FIELD], pins=[pin])[0]


def test_a_pin_overrides_and_the_disagreement_is_shown() -> None:
    found = resolve(pin_at(LETTER, 4, 6), LETTER)
    assert (found.method, found.status, found.confidence) == ("verified", CitationStatus.RESOLVED, 1.0)
    assert found.word_ranges == ((4, 6),)
    assert found.value
    assert "verification_disagrees" in found.warnings
    assert found.candidates  # what the matcher found stays visible


def test_a_pin_that_agrees_needs_no_warning() -> None:
    assert resolve(pin_at(LETTER, 1, 3), LETTER).warnings == ()


def test_a_pin_moves_with_its_text_into_another_version_of_the_file() -> None:
    newer = text_document(
        "letter", "Page one of a new print", "Carrier: Great Basin", "Insured: Magnolia Terrace"
    )
    newer = replace(newer, source=replace(newer.source, sha256="other"))
    found = resolve(pin_at(LETTER, 3, 6), newer)
    assert found.method == "verified_moved"
    assert found.snippet[0].boxes[0].top > 0.13
    # nobody signed for these words: their text was searched for, and it is as sure as any search
    assert 0.5 < found.confidence < 1


def test_a_pin_whose_text_is_gone_stays_and_is_marked_as_a_conflict() -> None:
    newer = replace(
        text_document("letter", "Nothing of the kind"), source=replace(LETTER.source, sha256="other")
    )
    pin = pin_at(LETTER, 3, 6)
    found = resolve(pin, newer)
    assert (found.method, found.status) == ("verified_lost", CitationStatus.FLAGGED)
    assert "verification_conflict" in found.warnings
    assert (found.page, list(found.snippet[0].boxes)) == (1, list(pin.boxes))


def test_a_pin_without_a_citation_makes_one_and_its_boxes_stay_on_the_page() -> None:
    pin = replace(pin_at(LETTER, 6, 9), field_key="carrier", citation_index=None, boxes=[Box(0.9, 0.9, 5, 5)])
    found = resolve_claim([LETTER], [FIELD], pins=[pin])
    assert [c.citation_id for c in found] == ["employer#0", "carrier#0"]
    assert found[1].snippet[0].boxes[0].right <= 1


def test_the_matcher_has_a_fingerprint() -> None:
    assert matcher_fingerprint() == matcher_fingerprint()
    assert len(matcher_fingerprint()) > 10


def test_a_pin_follows_its_file_under_another_name() -> None:
    renamed = replace(LETTER, source=replace(LETTER.source, source_id="renamed"))
    other = text_document("another", "Nothing of the kind")
    found = resolve(pin_at(LETTER, 3, 6), other, renamed)
    assert (found.method, found.source_id, found.word_ranges) == ("verified", "renamed", ((3, 6),))
    # where the file is still there under its own name, that one is meant
    both = resolve(
        pin_at(LETTER, 3, 6), replace(LETTER, source=replace(LETTER.source, source_id="a")), LETTER
    )
    assert both.source_id == "letter"


def test_a_pin_whose_document_is_gone_is_a_conflict() -> None:
    found = resolve(pin_at(LETTER, 3, 6), text_document("another", "Nothing of the kind"))
    assert (found.method, found.status) == ("verified_lost", CitationStatus.FLAGGED)
    assert "verification_conflict" in found.warnings


def test_a_pin_whose_text_is_only_like_what_the_new_version_says_is_a_conflict() -> None:
    newer = text_document("letter", "Insured: Magnolia Gardens", "Carrier: Great Basin")
    newer = replace(newer, source=replace(newer.source, sha256="other"))
    assert resolve(pin_at(LETTER, 3, 6), newer).method == "verified_lost"


def test_a_pin_moves_to_its_own_page_of_the_new_version() -> None:
    blocks = [block_of(["Carrier: Great Basin"], page=page) for page in (1, 2, 3)]
    newer = document_of("letter", blocks, sha256="other")
    found = resolve(pin_at(LETTER, 6, 9, page=2), newer)
    assert (found.method, found.page) == ("verified_moved", 2)


@pytest.mark.parametrize(
    ("dx", "dy", "is_inside"),
    [
        (0.0, 0.0, True),
        (0.004, 0.0, True),  # the middle is still inside
        (0.03, 0.0, False),
        (-0.03, 0.0, False),
        (0.0, 0.005, True),
        (0.0, 0.007, False),
        (0.0, -0.007, False),
    ],
)
def test_a_word_is_in_a_box_when_its_middle_is(dx: float, dy: float, is_inside: bool) -> None:
    document = document_of("a", [block_of(["some"]), block_of(["some"], page=2)])
    box = document.words.box(0)
    moved = Box(box.left + dx, box.top + dy, box.width, box.height)
    assert words_in_boxes(document.words, 1, [moved]) == ((0,) if is_inside else ())
    assert words_in_boxes(document.words, 2, [moved]) == ((1,) if is_inside else ())
    assert words_in_boxes(document.words, 3, [moved]) == words_in_boxes(document.words, 1, []) == ()


def test_several_boxes_hold_the_words_of_each() -> None:
    boxes = [LETTER.words.box(0), LETTER.words.box(5)]
    assert words_in_boxes(LETTER.words, 1, boxes) == (0, 5)
    assert words_in_boxes(document_of("empty", []).words, 1, boxes) == ()
