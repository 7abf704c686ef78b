"""Confidence: what the evidence of a match says about being right, within what its status allows."""

import pytest

from citation_pipeline.core.citations import CitationStatus
from citation_pipeline.core.extraction import ExtractedField, Snippet
from citation_pipeline.core.matching.index import DocumentIndex
from citation_pipeline.core.resolution.claims import resolve_claim
from citation_pipeline.core.resolution.confidence import (
    CEILINGS,
    COEFFICIENTS,
    DOUBTFUL_CEILING,
    confidence_of,
)
from citation_pipeline.core.resolution.hints import Hints
from citation_pipeline.core.resolution.places import search_places
from citation_pipeline_tests.drawn_documents import text_document

LINES = (
    "The employee was seen on March 4, 2022 and shall not lift more than 15 pounds.",
    "The carrier paid $1,200.00 for the treatment of the left knee and denied the rest.",
)


def confidence(snippet: str) -> float:
    best = search_places(DocumentIndex(text_document("a", *LINES)), snippet, Hints()).best
    return 0.0 if best is None else confidence_of(best.match, best.judgement)


def test_a_quotation_as_printed_is_nearly_certain() -> None:
    assert confidence("The carrier paid $1,200.00 for the treatment of the left knee") >= 0.99


@pytest.mark.parametrize(
    ("surer", "less_sure"),
    [
        # as printed, with slips, with a word added, with the date in another form, altered, altered and with
        # slips, not there
        ("the treatment of the left knee and denied", "the treatrnent of the Ieft knec and denied"),
        ("the treatrnent of the Ieft knec and denied", "the treatment of the left knee and then denied"),
        ("was seen on 2022-03-04 and shall not lift", "was seen on 2022-03-05 and shall not lift"),
        ("the treatment of the left knee and then denied", "the treatment of the right knee and denied"),
        (
            "was seen on March 5, 2022 and shall not lift more",
            "was secn on Morch 5, 2022 and shail not lift rnore",
        ),
        ("the treatment of the right knee and denied", "an entirely different sentence about liens"),
    ],
)
def test_confidence_orders_quotations_by_how_far_they_can_be_believed(surer: str, less_sure: str) -> None:
    assert confidence(surer) > confidence(less_sure)


@pytest.mark.parametrize(
    "snippet",
    [
        "The carrier paid $1,200.00 for the treatment of the right knee",
        "The employee shall lift more than 15 pounds",
        "was seen on 2022-03-04 and shall not lift",
        "The carrier paid … the rest",
        "The carrier paid $1,200.00 gladly for the treatment of the left knee",
    ],
)
def test_a_flagged_place_is_never_nearly_certain(snippet: str) -> None:
    best = search_places(DocumentIndex(text_document("a", *LINES)), snippet, Hints()).best
    assert best is not None
    assert best.judgement.status is not CitationStatus.RESOLVED
    assert confidence_of(best.match, best.judgement) <= CEILINGS[CitationStatus.FLAGGED] < 0.9


def test_a_word_that_may_be_another_is_never_likelier_right_than_not() -> None:
    snippet = "The cari5er poid $1,200.00 fot the treatmcnt of the lefl knee and denied the test"
    best = search_places(DocumentIndex(text_document("a", *LINES)), snippet, Hints()).best
    assert best is not None
    assert best.judgement.status is CitationStatus.RESOLVED
    assert "word_misread" in best.judgement.warnings
    assert confidence_of(best.match, best.judgement) <= DOUBTFUL_CEILING


def test_a_quotation_of_another_document_than_the_named_one_is_flagged_without_certainty() -> None:
    documents = [text_document("a", *LINES), text_document("b", "Nothing that anybody would quote from.")]
    field = ExtractedField(
        "body_part", "left knee", "string", snippets=(Snippet("b", "the treatment of the left knee", 0),)
    )
    [citation] = resolve_claim(documents, [field])
    assert (citation.status, citation.source_id) == (CitationStatus.FLAGGED, "a")
    assert citation.confidence <= CEILINGS[CitationStatus.FLAGGED]


def test_no_blemish_makes_a_resolved_quotation_surer() -> None:
    # put together is how a quotation was found, which is no blemish of it
    weights = dict(COEFFICIENTS[CitationStatus.RESOLVED])
    assert weights.pop("intercept") > 0
    assert abs(weights.pop("assembled")) < 0.5
    assert all(weight < 0 for weight in weights.values()), weights
