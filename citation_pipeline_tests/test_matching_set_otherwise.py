"""Quotations that set a value before its label, number a row, name a speaker, or hide figures."""

import time

import pytest

from citation_pipeline.core.citations import CitationStatus
from citation_pipeline.core.matching.index import DocumentIndex
from citation_pipeline.core.matching.retold import without_speaker
from citation_pipeline.core.resolution.confidence import confidence_of
from citation_pipeline.core.resolution.hints import Hints
from citation_pipeline.core.resolution.places import JudgedPlace, search_places
from citation_pipeline_tests.drawn_documents import text_document

RESOLVED, FLAGGED = CitationStatus.RESOLVED, CitationStatus.FLAGGED
INDEX = DocumentIndex(
    text_document(
        "a",
        "Hop allowance: $318.40 Barley allowance: $92.75",
        "Entry 6: kiln brushes 4 at $7.15",
        "Sacks of malt 12 at $3.05",
        "The vat was sound when it left the yard.",
        "Tax id XXX-XX-6617 and bank card **** **** 2093",
    )
)


def best_of(snippet: str) -> JudgedPlace | None:
    return search_places(INDEX, snippet, Hints()).best


@pytest.mark.parametrize(
    ("snippet", "printed"),
    [
        ("$318.40 (Hop allowance)", "Hop allowance: $318.40"),
        ("$92.75 - Barley allowance", "Barley allowance: $92.75"),
        ("$92.75: Barley allowance", "Barley allowance: $92.75"),
        ("Row 2: Sacks of malt 12 at $3.05", "Sacks of malt 12 at $3.05"),
        ('Entry;6;kiln;brushes;4;at;"$7.15"', "Entry 6: kiln brushes 4 at $7.15"),
        ("Hop allowance: \\dotfill \\$318.40", "Hop allowance: $318.40"),
        ("Tax id ***-**-6617", "Tax id XXX-XX-6617"),
        ("bank card XXXX XXXX 2093", "bank card **** **** 2093"),
    ],
)
def test_what_is_set_otherwise_is_found_as_the_page_sets_it(snippet: str, printed: str) -> None:
    best = best_of(snippet)
    assert best is not None
    assert best.judgement.status is RESOLVED
    assert " ".join(INDEX.words.texts[word] for word in best.match.words) == printed


@pytest.mark.parametrize(
    "snippet",
    [
        "$318.40 (Barley allowance)",
        "$318.04 (Hop allowance)",
        "$92.75 (waived)",
        "Entry 5: kiln brushes 4 at $7.15",
        'Entry;6;kiln;brushes;4;at;"$7.51"',
        "Tax id ***-**-6671",
        "Tax id 401-22-6617",
        "The vat was round when it left the yard. - Dr. Kemp, p. 3",
        "The vat was sound when it left the yard - refused",
    ],
)
def test_what_is_set_otherwise_and_altered_is_not_resolved(snippet: str) -> None:
    best = best_of(snippet)
    assert best is None or best.judgement.status is not RESOLVED


@pytest.mark.parametrize(
    "snippet",
    [
        '"The vat was sound when it left the yard." — the cooper',
        "The vat was sound when it left. - Dr. Kemp, p. 3",
    ],
)
def test_who_said_it_behind_a_quotation_is_never_sure(snippet: str) -> None:
    best = best_of(snippet)
    assert best is not None
    assert best.judgement.status is RESOLVED
    assert "attributed" in best.judgement.warnings
    assert confidence_of(best.match, best.judgement) <= 0.5


@pytest.mark.parametrize("blanks", [" " * 60_000, " \n" * 30_000])
def test_a_long_run_of_blanks_is_looked_through_once_for_a_page_behind_it(blanks: str) -> None:
    started = time.thread_time()
    assert without_speaker(f"The vat was sound.{blanks}x") == ""
    assert without_speaker(f"The vat was sound. - Dr. Kemp{blanks}p. 3") == "The vat was sound."
    assert time.thread_time() - started < 2  # tried from each blank it took minutes
