"""What the checks of a claim's citations look at, and how they judge it.

From the stored tables alone where a check's own step asks. The step that resolves judges at once: what it
stored is read back and compared with what it found, the words and values are those that it read itself.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pyarrow as pa

from citation_pipeline.adapters.tables.answer_rows import read_values
from citation_pipeline.adapters.tables.change_rows import PLACE_COLUMNS
from citation_pipeline.adapters.tables.citation_rows import regions_of_rows
from citation_pipeline.adapters.tables.claim_store import ClaimStore, rows_of
from citation_pipeline.adapters.tables.page_words import read_placed_words
from citation_pipeline.core.citations import Citation, CitationStatus, Region
from citation_pipeline.core.extraction import ExtractedField
from citation_pipeline.core.resolution.changes import PlacedSnippet
from citation_pipeline.core.resolution.printed_words import PrintedWords, prints_value
from citation_pipeline.core.resolution.promotion import misplaced_citations
from citation_pipeline.core.resolution.value_places import value_behind
from citation_pipeline.core.schemas import Schema
from citation_pipeline.defs.runs.claim_schemas import schema_of
from citation_pipeline.defs.runs.verdicts import Verdict
from citation_pipeline.defs.settings import Settings

# matches found letter for letter, or with only spaces, case and signs folded away
_VERBATIM_METHODS = ("exact", "row", "verified")
_COLUMNS = [*PLACE_COLUMNS, "item_path", "value_regions"]
SHOWN_BREACHES = 20  # enough to see the pattern


@dataclass(frozen=True, slots=True)
class CitedSnippet(PlacedSnippet):
    """As much of a stored citation as the checks look at."""

    item_path: str = ""
    value: Sequence[Region] = ()


@dataclass(frozen=True, slots=True)
class Resolution:
    """What the step that resolves read and found of a claim; `table` is what it stored."""

    words: Mapping[str, PrintedWords]
    fields: Mapping[str, ExtractedField]
    schema: Schema
    citations: Sequence[Citation]
    table: pa.Table
    misplaced: Sequence[str]


class CitedClaim:
    """A claim's citations as they are stored, with the words that they are on; read when first asked for."""

    def __init__(self, store: ClaimStore, claim_id: str, *, resolution: Resolution | None = None) -> None:
        """Take the claim, and what was resolved where it was just now."""
        self._store, self._claim_id, self._resolution = store, claim_id, resolution

    @cached_property
    def citations(self) -> Sequence[Citation | CitedSnippet]:
        """The stored citations; those just resolved where the very same rows are stored."""
        stored = self._store.read_table("citations", self._claim_id, _COLUMNS)
        # compared as columns, which takes a tenth of making citations of the rows again
        if self._resolution is not None and stored.equals(self._resolution.table.select(_COLUMNS)):
            return self._resolution.citations
        return [
            CitedSnippet(
                citation_id=row["citation_id"],
                field_key=row["field_key"],
                source_id=row["source_id"],
                snippet_text=row["snippet"],
                status=CitationStatus(row["status"]),
                method=row["method"],
                snippet=regions_of_rows(row["snippet_regions"]),
                item_path=row["item_path"],
                value=regions_of_rows(row["value_regions"]),
            )
            for row in rows_of(stored)
        ]

    def column(self, name: str) -> list[Any]:
        """Return one column of the stored citations."""
        if "citations" in self.__dict__:
            return [getattr(citation, name) for citation in self.citations]
        values: list[Any] = self._store.read_table("citations", self._claim_id, [name]).column(0).to_pylist()
        return values

    @cached_property
    def misplaced(self) -> Sequence[str]:
        """The ids of the citations whose boxes hold other words than they quote."""
        if self._resolution is not None and self.citations is self._resolution.citations:
            return self._resolution.misplaced
        return misplaced_citations(self.citations, self.words)

    @cached_property
    def words(self) -> Mapping[str, PrintedWords]:
        """The words of the cited documents by source id."""
        if self._resolution is not None:
            return self._resolution.words
        cited = {citation.source_id for citation in self.citations}
        return read_placed_words(self._store, self._claim_id, cited)

    @cached_property
    def fields(self) -> Mapping[str, ExtractedField]:
        """The fields by key."""
        if self._resolution is not None:
            return self._resolution.fields
        return read_values(self._store, self._claim_id)

    @cached_property
    def schema(self) -> Schema:
        """The claim's schema."""
        if self._resolution is not None:
            return self._resolution.schema
        return schema_of(self._store.claim(self._claim_id), self._store)


def judge_verbatim(claim: CitedClaim, settings: Settings) -> Verdict:
    """Judge how many snippets are in their source as quoted."""
    methods = claim.column("method")
    verbatim = sum(method.startswith(_VERBATIM_METHODS) for method in methods)
    return share_verdict("verbatim", verbatim, len(methods), settings.verbatim_share, settings)


def judge_located(claim: CitedClaim, settings: Settings) -> Verdict:
    """Judge how many citations were found without a warning."""
    statuses = claim.column("status")
    return share_verdict(
        "resolved", statuses.count("resolved"), len(statuses), settings.located_share, settings
    )


def judge_values(claim: CitedClaim, settings: Settings) -> Verdict:
    """Judge how many resolved citations have their value inside its region."""
    resolved = [each for each in claim.citations if each.status is CitationStatus.RESOLVED]
    placed = 0
    for citation in resolved:
        field = claim.fields.get(citation.field_key)
        if field is None or not citation.value or citation.source_id not in claim.words:
            continue
        value, value_type = value_behind(field, citation.item_path, claim.schema)
        placed += prints_value(claim.words[citation.source_id], citation.value, value, value_type)
    return share_verdict("with_value", placed, len(resolved), settings.value_share, settings)


def judge_boxes(claim: CitedClaim, settings: Settings) -> Verdict:
    """Judge how many located citations have boxes with other words than they quote."""
    misplaced = claim.misplaced
    located = sum(bool(citation.snippet) for citation in claim.citations)
    if not located:
        return nothing_judged("located")
    share = len(misplaced) / located
    metadata = {
        "misplaced": len(misplaced),
        "located": located,
        "citations": list(misplaced[:SHOWN_BREACHES]),
    }
    return Verdict(share <= settings.promotion.misplaced_share, metadata)


CITATION_JUDGES: Mapping[str, Callable[[CitedClaim, Settings], Verdict]] = {
    "snippets_are_verbatim": judge_verbatim,
    "citations_are_located": judge_located,
    "values_stand_in_their_regions": judge_values,
    "boxes_hold_what_is_quoted": judge_boxes,
}
"""By the checks' names. The promotion gate is judged in its own step: a person may decide at any time."""


def judge_citations(claim: CitedClaim, settings: Settings, checks: Collection[str]) -> dict[str, Verdict]:
    """Return the verdicts of some checks by name."""
    # the others then find the citations read
    _ = claim.citations if checks else ()
    return {name: judge(claim, settings) for name, judge in CITATION_JUDGES.items() if name in checks}


def share_verdict(name: str, count: int, total: int, wanted: float, settings: Settings) -> Verdict:
    """Return the verdict on a share that is wanted, graver below the settings' `error_share`."""
    if not total:
        return nothing_judged("citations")
    share = count / total
    metadata = {name: count, "citations": total, "share": round(share, 4), "wanted": wanted}
    return Verdict(share >= wanted, metadata, is_error=share < min(wanted, settings.error_share))


def nothing_judged(name: str) -> Verdict:
    """Return the verdict where a check has nothing to look at: it does not pass, for it saw nothing."""
    return Verdict(False, {name: 0, "share": "n/a"})
