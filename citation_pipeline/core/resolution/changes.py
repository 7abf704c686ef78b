"""What a re-match changed: every citation compared with what was there.

Pure comparison; whether the new set may be shown is judged in `promotion`.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from citation_pipeline.core.boxes import iou, union
from citation_pipeline.core.citations import Citation, CitationStatus, Region
from citation_pipeline.core.resolution.pins import FOLLOWED

# a box that a newer parser draws a little tighter overlaps by more than this; another line by far less
_SAME_PLACE_IOU = 0.5

_RANK = {CitationStatus.RESOLVED: 2, CitationStatus.FLAGGED: 1, CitationStatus.UNRESOLVED: 0}


class Change(StrEnum):
    """How one citation differs from the one that was in its place."""

    SAME = "same"
    MOVED = "moved"  # still found, elsewhere
    GAINED = "gained"  # found now, was not
    LOST = "lost"  # was found, is not
    DOWNGRADED = "downgraded"  # at the same place, but flagged now
    UPGRADED = "upgraded"  # at the same place, and no longer flagged
    NEW = "new"  # a citation nobody had before
    GONE = "gone"  # the extraction no longer quotes it


@dataclass(frozen=True, slots=True)
class CitationChange:
    """One citation's change; `overlap` is the IoU of the places (1 same, 0 elsewhere), None without two."""

    citation_id: str
    field_key: str
    change: Change
    overlap: float | None = None
    is_verified: bool = False


@dataclass(frozen=True, slots=True)
class PlacedSnippet:
    """As much of a citation as a comparison looks at."""

    citation_id: str
    field_key: str
    source_id: str
    snippet_text: str
    status: CitationStatus
    method: str
    snippet: Sequence[Region] = ()


Placed = Citation | PlacedSnippet


def compare_citations(before: Sequence[Placed], after: Sequence[Placed]) -> list[CitationChange]:
    """Compare two sets by citation id and snippet; a changed snippet is a citation gone and a new one."""
    old = {_key(citation): citation for citation in before}
    new = {_key(citation): citation for citation in after}
    changes = [_compare(old.get(key), citation) for key, citation in new.items()]
    changes += [
        CitationChange(c.citation_id, c.field_key, Change.GONE, is_verified=_is_verified(c))
        for key, c in old.items()
        if key not in new
    ]
    return changes


def count_changes(changes: Sequence[CitationChange]) -> dict[str, int]:
    """Return how many citations changed in each way, zeros included."""
    found = Counter(change.change for change in changes)
    return {change.value: found[change] for change in Change}


def _key(citation: Placed) -> tuple[str, str]:
    return citation.citation_id, citation.snippet_text


def _is_verified(citation: Placed) -> bool:
    return citation.method.startswith("verified")


def _compare(old: Placed | None, new: Placed) -> CitationChange:
    def changed(change: Change, overlap: float | None = None) -> CitationChange:
        verified = old is not None and _is_verified(old)
        return CitationChange(new.citation_id, new.field_key, change, overlap, verified)

    if old is None:
        return changed(Change.NEW)
    if new.method == FOLLOWED:  # the same words in a new scan: they went with their page
        return changed(Change.SAME)
    if old is new:
        return changed(Change.SAME, 1.0 if new.snippet else None)
    if not old.snippet or not new.snippet:
        if bool(old.snippet) == bool(new.snippet):
            return changed(Change.SAME)
        return changed(Change.GAINED if new.snippet else Change.LOST)
    overlap = _overlap(old, new)
    if overlap < _SAME_PLACE_IOU:
        return changed(Change.MOVED, overlap)
    if _RANK[new.status] != _RANK[old.status]:
        better = _RANK[new.status] > _RANK[old.status]
        return changed(Change.UPGRADED if better else Change.DOWNGRADED, overlap)
    return changed(Change.SAME, overlap)


def _overlap(old: Placed, new: Placed) -> float:
    """Return the IoU of the places, page by page, averaged over the pages of both."""
    if old.source_id != new.source_id:
        return 0.0
    new_by_page = {region.page: union(region.boxes) for region in new.snippet}
    old_by_page = {region.page: union(region.boxes) for region in old.snippet}
    shared = new_by_page.keys() & old_by_page.keys()
    return sum(iou(old_by_page[p], new_by_page[p]) for p in shared) / len(new_by_page | old_by_page)
