"""Labels that end with a colon and govern what is below them, though their sentence ends there."""

import pytest

from citation_pipeline.core.matching.index import DocumentIndex
from citation_pipeline_tests.drawn_documents import text_document
from citation_pipeline_tests.matches import best_place


def warnings_of(quoted: str, *printed: str) -> tuple[str, ...]:
    return best_place(DocumentIndex(text_document("a", *printed)), quoted).judgement.warnings


@pytest.mark.parametrize(
    ("quoted", "printed"),
    [
        ("Oars are stored in the loft", ("Until 1987:", "Oars are stored in the loft")),
        ("the seal is missing", ("A parcel is sent back where:", "the seal is missing")),
        (
            "Torn sail on the foremast",
            ("Faults of the spring survey (all since mended):", "Torn sail on the foremast"),
        ),
        (
            "The jetty is longer by a third",
            (
                "Wish of the guests (turned down, withdrawn in May):",
                "Dogs may bathe here",
                "The jetty is longer by a third",
            ),
        ),
        ("Two bottles of ether", ("Papers of the next ward, filed here by mistake:", "Two bottles of ether")),
        ("The oven was cold", ("Sample entry - how to use this book", "The oven was cold")),
        ("Never lift the lid", ("Notice template, strike what is not needed:", "Never lift the lid")),
        (
            "Sie bekommen dort zwei kleine Fässer",
            (
                "Der Kahn und die Fähre sind nicht im Hafen.",
                "Nur bei Abholung am Hafen gilt: Sie bekommen dort zwei kleine Fässer.",
            ),
        ),
        ("Le bac est fermé le lundi", ("Défauts de l'an passé (tous réparés):", "Le bac est fermé le lundi")),
    ],
)
def test_what_a_label_holds_open_or_takes_back_is_doubted_without_it(
    quoted: str, printed: tuple[str, ...]
) -> None:
    assert warnings_of(quoted, "The book of the ferry.", *printed) == ("turn_left_out",)


@pytest.mark.parametrize(
    ("quoted", "printed"),
    [
        ("Ms. Orrin", ("If yes, name: Ms. Orrin",)),
        ("Oars are stored in the loft", ("Since 1987:", "Oars are stored in the loft")),
        (
            "Torn sail on the foremast",
            ("Faults of the spring survey (photographs attached):", "Torn sail on the foremast"),
        ),
        (
            "Torn sail on the foremast",
            ("Faults of the spring survey (withdrawn sails in red):", "Torn sail on the foremast"),
        ),
        ("the seal is missing", ("According to the inspection report: the seal is missing",)),
        (
            "The crew slept ashore",
            ("Until 1987:", "Oars are stored in the loft.", "Later years:", "The crew slept ashore"),
        ),
    ],
)
def test_what_is_under_any_other_label_is_not(quoted: str, printed: tuple[str, ...]) -> None:
    assert warnings_of(quoted, "The book of the ferry.", *printed) == ()
