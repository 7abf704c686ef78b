"""Statements that are true only with what stands beside them: old rules, failed plans, corrections behind."""

import pytest

from citation_pipeline.core.matching.index import DocumentIndex
from citation_pipeline_tests.drawn_documents import text_document
from citation_pipeline_tests.matches import best_place


def warnings_of(quoted: str, *printed: str) -> tuple[str, ...]:
    document = text_document("a", "Minutes of the rowing club.", *printed, "The kettle was replaced.")
    return best_place(DocumentIndex(document), quoted).judgement.warnings


@pytest.mark.parametrize(
    ("quoted", "printed"),
    [
        ("the fee is ten crowns", "Under the old statutes, the fee is ten crowns."),
        (
            "the boathouse closes at noon",
            "The proposal that the boathouse closes at noon was voted down.",
        ),
        ("The mast is made of ash.", "The mast is made of ash. Erratum: it is made of spruce."),
        ("The mast is made of ash.", "The mast is made of ash. In reality it is made of spruce."),
        (
            "the slipway belongs to the town",
            "It is said that the slipway belongs to the town, which the owner disputes.",
        ),
        ("the rudder had been repaired", "It was wrongly stated that the rudder had been repaired."),
    ],
)
def test_a_statement_without_what_turns_it_is_doubted(quoted: str, printed: str) -> None:
    assert "turn_left_out" in warnings_of(quoted, printed)


@pytest.mark.parametrize(
    ("quoted", "printed"),
    [
        ("the fee is ten crowns", "Under the new statutes, the fee is ten crowns."),
        ("The mast is made of ash.", "The mast is made of ash. Spruce is for the boom."),
        ("the rudder had been repaired", "It was rightly stated that the rudder had been repaired."),
    ],
)
def test_the_same_shapes_that_turn_nothing_are_not(quoted: str, printed: str) -> None:
    assert "turn_left_out" not in warnings_of(quoted, printed)
