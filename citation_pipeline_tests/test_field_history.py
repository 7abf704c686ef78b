"""The history of a field: an entry whenever its value, its status or its place is not what it was."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from citation_pipeline.adapters.tables.chunk_rows import (
    HistoryEntry,
    extend_history,
    history_table,
    read_history,
)
from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.core.citations import Citation, CitationStatus
from citation_pipeline.core.extraction import ExtractedField, Extraction
from citation_pipeline_tests.agent_claims import FIRST_RUN


def extraction(value: Any, *, key: str = "rate", model: str = "m") -> Extraction:
    field = ExtractedField(key, value, "number")
    return Extraction(schema_name="small", fields=(field,), model=model, prompt_fingerprint="p")


def history(known: list[HistoryEntry], found: Extraction, *citations: Citation) -> list[HistoryEntry]:
    return extend_history(
        known, found, citations, extraction_version="e2", citations_version="c2", recorded_at="2026-01-02"
    )


def citation(**changed: Any) -> Citation:
    made = Citation(
        citation_id="rate#0",
        field_key="rate",
        citation_index=0,
        item_path="",
        cited_source_id="letter",
        source_id="letter",
        snippet_text="$1.50",
        status=CitationStatus.RESOLVED,
        method="exact",
        score=1.0,
        confidence=0.99,
        page=2,
    )
    return replace(made, **changed)


def test_a_first_run_records_value_place_and_versions() -> None:
    (entry,) = history([], extraction(1.5), citation(), citation(citation_id="rate#1", page=7))
    assert (entry.field_key, entry.value, entry.model, entry.prompt_fingerprint) == ("rate", "1.5", "m", "p")
    assert (entry.status, entry.source_id, entry.page) == ("resolved", "letter", 2)  # of the first citation
    assert (entry.extraction_version, entry.citations_version) == ("e2", "c2")
    assert entry.recorded_at == "2026-01-02"


def test_a_field_without_a_citation_is_recorded_as_uncited() -> None:
    (entry,) = history([], extraction("Łukasz"))
    assert (entry.status, entry.source_id, entry.page) == ("uncited", None, None)
    assert entry.value == '"Łukasz"'


@pytest.mark.parametrize(
    ("found", "cited"),
    [
        (extraction(2.5), citation()),
        (extraction(1.5, model="n"), citation()),
        (extraction(1.5), citation(status=CitationStatus.FLAGGED)),
        (extraction(1.5), citation(source_id="ledger")),
        (extraction(1.5), citation(page=3)),
    ],
    ids=["value", "model", "status", "document", "page"],
)
def test_what_changed_is_added_and_what_was_stays(found: Extraction, cited: Citation) -> None:
    known = history([], extraction(1.5), citation())
    extended = history(known, found, cited)
    assert extended[:1] == known
    assert len(extended) == 2


def test_a_run_that_changes_nothing_adds_nothing_whatever_its_versions() -> None:
    known = [replace(entry, extraction_version="e1") for entry in history([], extraction(1.5), citation())]
    assert history(known, extraction(1.5), citation()) == known


def test_a_value_that_comes_back_is_compared_with_the_last_one_not_with_any() -> None:
    known = history([], extraction(1.5), citation())
    known = history(known, extraction(2.5), citation())
    assert [entry.value for entry in history(known, extraction(1.5), citation())] == ["1.5", "2.5", "1.5"]


def test_a_stored_history_comes_back_as_it_was_and_is_empty_before_the_first_run(tmp_path: Path) -> None:
    store = ClaimStore(tmp_path)
    assert read_history(store, "c") == []
    entries = [FIRST_RUN, replace(FIRST_RUN, page=None, source_id=None)]
    store.write_side_table("field_history", "c", history_table("c", entries))
    assert read_history(store, "c") == entries
