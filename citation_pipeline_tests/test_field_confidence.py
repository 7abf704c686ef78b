"""A field's confidence: one number of five parts, each of which speaks when there is something to say."""

from typing import Any

import pytest

from citation_pipeline.core.boxes import Box
from citation_pipeline.core.citations import Candidate, Citation, CitationStatus, Region
from citation_pipeline.core.extraction import Confidence, ExtractedField
from citation_pipeline.core.resolution.field_confidence import (
    PARTS,
    SURE,
    FieldConfidence,
    confidences_of,
    features_of,
    weights,
)

REGION = (Region(1, (Box(0.1, 0.1, 0.2, 0.02),)),)


def citation(
    *, status: str = "resolved", confidence: float = 0.99, source: str = "letter", **more: Any
) -> Citation:
    is_placed = status != "unresolved"
    given = {
        "citation_id": "f#0",
        "field_key": "f",
        "citation_index": 0,
        "item_path": "",
        "cited_source_id": source,
        "source_id": source,
        "snippet_text": "Rate: 905.20",
        "status": CitationStatus(status),
        "method": "exact",
        "score": confidence,
        "confidence": confidence if is_placed else 0.0,
        "page": 1 if is_placed else None,
        "block": REGION if is_placed else (),
        "snippet": REGION if is_placed else (),
        "value": REGION if is_placed else (),
        **more,
    }
    return Citation(**given)


def field(value_type: str = "number", value: Any = 905.2, **more: Any) -> ExtractedField:
    return ExtractedField("f", value, value_type, **{"confidence": Confidence.HIGH, **more})


def confidence(one: ExtractedField, *citations: Citation) -> FieldConfidence:
    return confidences_of([one], citations)["f"]


GOOD = (citation(), citation(source="report"))


def test_a_value_that_two_documents_state_in_the_quoted_words_is_sure() -> None:
    assert confidence(field(), *GOOD).confidence >= SURE


def test_what_rules_read_in_one_document_alone_is_never_sure_and_keeps_its_order() -> None:
    believed = [field(belief=belief) for belief in (0.99, 0.95, 0.9, 0.8)]
    alone = [confidence(one, citation()).confidence for one in believed]
    assert alone == sorted(alone, reverse=True)
    assert 0.9 < alone[0] < SURE
    assert confidence(believed[0], *GOOD).confidence >= SURE
    unplaced = citation(source="report", status="unresolved")
    assert confidence(believed[0], citation(), unplaced).confidence < SURE


def test_a_line_that_is_printed_again_is_no_second_document_and_a_label_that_forms_share_is() -> None:
    row = "Barge hire 3 May to 17 May, two weeks @ 905.20"
    first, again = citation(snippet_text=row), citation(source="later", snippet_text=row.upper())
    one = field(belief=0.99)
    assert confidence(one, first, again) == confidence(one, first)
    assert confidence(one, first, citation(source="later", snippet_text="We owe 905.20")).confidence >= SURE
    told = citation(source="later", snippet_text="Hire a week: 905.20")
    assert confidence(one, first, again, told).confidence >= SURE


@pytest.mark.parametrize(
    ("part", "doubtful", "citations"),
    [
        ("place", field(), (citation(status="unresolved"),)),
        ("place", field(), (citation(value=()),)),
        ("place", field(), ()),
        ("evidence", field(warnings=("value_not_in_snippet",)), (citation(value=()),)),
        ("evidence", field(warnings=("snippet_not_in_source",)), (citation(value=()),)),
        ("evidence", field(), ()),
        ("evidence", field("boolean", True, warnings=("negation_in_snippet",)), GOOD),
        ("type", field("array", ["a", "b", "c"]), GOOD),
        ("agreement", field(), (citation(),)),
        ("extractor", field(confidence=Confidence.MEDIUM), GOOD),
    ],
)
def test_each_part_lowers_the_number_when_it_has_reason_to(
    part: str, doubtful: ExtractedField, citations: tuple[Citation, ...]
) -> None:
    sure, doubted = confidence(field(), *GOOD), confidence(doubtful, *citations)
    assert doubted.parts[part] < sure.parts[part]
    assert doubted.confidence < sure.confidence


def test_a_citation_that_holds_the_value_is_evidence_however_bad_another_is() -> None:
    doubted = confidence(field(warnings=("value_not_in_snippet", "snippet_not_in_source")), *GOOD)
    assert doubted.parts["evidence"] == 0


def test_an_extractor_that_gives_a_number_is_judged_by_it_and_not_by_its_word() -> None:
    sure, unsure = field(belief=0.99), field(belief=0.82)
    assert confidence(unsure, *GOOD).parts["extractor"] < confidence(sure, *GOOD).parts["extractor"]
    worded = field(belief=0.99, confidence=Confidence.LOW)
    assert confidence(worded, *GOOD) == confidence(sure, *GOOD)


def test_the_parts_add_up_to_the_number() -> None:
    one = confidence(
        field("string", "some words"), citation(candidates=(Candidate("a", 1, (), 0.9, "first"),) * 2)
    )
    total = weights()["intercept"] + sum(one.parts.values())
    assert one.confidence == pytest.approx(1 / (1 + 2.718281828459045**-total), abs=1e-3)
    assert set(one.parts) == set(PARTS)


def test_every_feature_belongs_to_one_part_and_has_a_weight() -> None:
    names = [name for part in PARTS.values() for name in part]
    assert sorted(names) == sorted(features_of(field(), GOOD))
    assert set(names) | {"intercept"} == set(weights())


def test_a_field_without_a_value_has_no_confidence() -> None:
    assert confidences_of([field(value=None)], []) == {}


@pytest.mark.parametrize(
    ("value_type", "value"), [("number", 905.2), ("enum", "open"), ("array", [{"a": "b"}])]
)
@pytest.mark.parametrize(("status", "sure"), [("flagged", 0.31), ("flagged", 0.62), ("unresolved", 0.0)])
def test_a_value_is_no_surer_than_the_best_place_of_quotations_that_say_something_else(
    value_type: str, value: Any, status: str, sure: float
) -> None:
    doubted = (citation(status=status, confidence=sure), citation(status=status, confidence=sure / 2))
    one = confidence(field(value_type, value), *doubted)
    assert one.confidence <= max(sure, 0.3) + 1e-3
    total = weights()["intercept"] + sum(one.parts.values())
    assert one.confidence == pytest.approx(1 / (1 + 2.718281828459045**-total), abs=1e-3)
    assert confidence(field(value_type, value), *doubted, citation()).confidence > one.confidence
