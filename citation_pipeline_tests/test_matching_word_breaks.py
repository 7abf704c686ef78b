"""Quotations of the page's letters that say something else by their signs, spaces, stops or beginnings."""

import pytest

from citation_pipeline.core.citations import CitationStatus
from citation_pipeline.core.matching.index import DocumentIndex
from citation_pipeline.core.matching.word_breaks import joins_denial, turns_by_spaces, turns_by_stops
from citation_pipeline.core.resolution.hints import Hints
from citation_pipeline.core.resolution.places import search_places
from citation_pipeline_tests.drawn_documents import text_document

BEFORE = "The adjuster wrote to the parties about the schedule of the next meeting."
BEHIND = "Nothing further was sent to the office in that week."


def status_of(snippet: str, printed: str) -> CitationStatus:
    best = search_places(DocumentIndex(text_document("a", BEFORE, printed, BEHIND)), snippet, Hints()).best
    assert best is not None
    return best.judgement.status


@pytest.mark.parametrize(
    ("printed", "snippet"),
    [
        ("Findings: ↑ swelling of the wrist.", "Findings: ↓ swelling of the wrist."),
        ("Patient: ♀ aged forty with asthma.", "Patient: ♂ aged forty with asthma."),
        ("As stated in ¶ 12 of the order.", "As stated in § 12 of the order."),
        ("The policy covers theft & fire.", "The policy covers theft / fire."),
        ("The mass measured 3 × 4 cm then.", "The mass measured 3 - 4 cm then."),
        ("The sum A ≠ B in the ledger.", "The sum A = B in the ledger."),
        ("Write to j.doe@mail.com for it.", "Write to jdoe@mail.com for it."),
        ("See example.org/a-b/file for it.", "See example.org/ab/file for it."),
    ],
)
def test_another_sign_is_another_text(printed: str, snippet: str) -> None:
    assert status_of(snippet, printed) is CitationStatus.FLAGGED


@pytest.mark.parametrize(
    ("printed", "snippet"),
    [
        ("The file ⇒ the office of the carrier.", "The file -> the office of the carrier."),
        ("The file ⇒ the office of the carrier.", "The file → the office of the carrier."),
        ("Write to j.doe@mail.com, please.", "Write to <j.doe@mail.com>, please."),
        ("Smith & Sons paid for the roof.", "Smith & Sons paid for the roof"),
    ],
)
def test_a_sign_written_otherwise_is_the_same(printed: str, snippet: str) -> None:
    assert status_of(snippet, printed) is CitationStatus.RESOLVED


@pytest.mark.parametrize(
    ("printed", "snippet"),
    [
        ("He is not able to lift the crate.", "He is notable to lift the crate."),
        ("The file is in capable hands now.", "The file is incapable hands now."),
        ("Surgery? No. Recovery is expected.", "Surgery? No recovery is expected."),
        ("Pain none. Severe numbness in it.", "Pain: none severe. Numbness in it."),
        ("If the worker returns, benefits end.", "The worker returns, benefits end."),
        ("Nobody knows whether the fall hurt him.", "The fall hurt him."),
        ("He denied to the agent that fire was seen.", "Fire was seen."),
    ],
)
def test_what_is_denied_or_doubted_on_the_page_is_not_quoted_as_said(printed: str, snippet: str) -> None:
    assert status_of(snippet, printed) is not CitationStatus.RESOLVED


@pytest.mark.parametrize("quoted", ["<del>not</del>", "~~not~~", "<!-- not -->", "[^not]"])
def test_a_denial_that_is_struck_out_is_left_out(quoted: str) -> None:
    snippet = f"The claim is {quoted} accepted by the carrier."
    assert status_of(snippet, "The claim is not accepted by the carrier.") is CitationStatus.FLAGGED


def test_figures_are_read_in_the_direction_in_which_they_are_shown() -> None:
    assert (
        status_of("The award is \u202e321\u202c in total.", "The award is 123 in total.")
        is CitationStatus.RESOLVED
    )
    assert (
        status_of("The award is \u202e123\u202c in total.", "The award is 123 in total.")
        is CitationStatus.FLAGGED
    )


@pytest.mark.parametrize("left_out", ["deputy", "right", "step"])
def test_an_office_or_a_side_is_not_left_out(left_out: str) -> None:
    printed = f"The {left_out} one was seen in the autumn by us."
    assert status_of("The one was seen in the autumn by us.", printed) is CitationStatus.FLAGGED


@pytest.mark.parametrize(
    ("quoted", "printed", "is_joined"),
    [
        ("not provided", "nr0vided", True),
        ("accept", "acceptno", True),
        ("not covered", "notcovcred", False),
        ("know", "knouu", False),
        ("opinion", "opini0n", False),
    ],
)
def test_a_denial_run_together_with_a_misread_word_is_no_noise(
    quoted: str, printed: str, is_joined: bool
) -> None:
    assert joins_denial(quoted, printed) is is_joined


def test_spaces_and_stops_turn_a_text_only_where_both_readings_are_words() -> None:
    assert turns_by_spaces(["notable"], ["not", "able"])
    assert not turns_by_spaces(["nothing"], ["no", "thing"])
    assert turns_by_spaces(["maybe"], ["may", "be"])
    assert not turns_by_spaces(["into"], ["in", "to"])
    assert turns_by_stops(["No", "recovery"], ["No.", "Recovery"])
    assert not turns_by_stops(["No", "5"], ["No.", "5"])
