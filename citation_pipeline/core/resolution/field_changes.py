"""What another extraction changed, field by field: whatever it quotes, does a field keep its place?

Citations are compared by id and snippet (`changes`): that says what became of a quotation. Another model
quotes other words, so each of its citations is a new one and each old one is gone; what a reader asks then is
whether the field still leads to the same place of the same document, and as surely. Whether that may be
shown, `promotion` judges.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from citation_pipeline.core.boxes import intersection
from citation_pipeline.core.citations import CitationStatus
from citation_pipeline.core.resolution.changes import Placed

_OWN_READERS = "rules"  # a newer release of the rules is an upgrade, not another reader


@dataclass(frozen=True, slots=True)
class FieldPlaces:
    """Of the fields whose shown quotations are quoted no more: those that lost their place, have another, or
    have it with a doubt (flagged) that it did not have.

    `placed` counts all fields that were shown with a place; `signed` are fields whose verified place is among
    the lost or moved ones.
    """

    placed: int = 0
    lost: Sequence[str] = ()
    moved: Sequence[str] = ()
    doubted: Sequence[str] = ()
    signed: Sequence[str] = ()


def compare_field_places(
    before: Sequence[Placed], after: Sequence[Placed], *, valued: Collection[str]
) -> FieldPlaces:
    """Compare where fields are cited; `valued` are those that have a value now (others are lost values)."""
    old, new = _placed_by_field(before), _placed_by_field(after)
    kept = {(citation.citation_id, citation.snippet_text) for citation in after}
    lost, moved, doubted, signed = [], [], [], []
    for key, places in old.items():
        gone = [one for one in places if (one.citation_id, one.snippet_text) not in kept]
        if key not in valued or not gone:
            continue
        verified = [one for one in gone if one.method.startswith("verified")]
        now = new.get(key, [])
        if not now:
            lost.append(key)
        elif len(gone) == len(places) and not any(_share_a_place(a, b) for a in places for b in now):
            moved.append(key)
        elif _is_sure(places) and not _is_sure(now):
            doubted.append(key)
        if any(not any(_share_a_place(one, other) for other in now) for one in verified):
            signed.append(key)
    return FieldPlaces(len(old), lost, moved, doubted, signed)


def is_other_reader(shown: str | None, new: str | None) -> bool:
    """Tell whether another model, or another extractor, answered than the one whose values are shown.

    Both are the models that the fields name, "" where a recorded answer names none, None without fields.
    """
    return shown is not None and new is not None and _family(shown) != _family(new)


def _family(model: str) -> str:
    return _OWN_READERS if model.startswith(f"{_OWN_READERS}-") else model


def _placed_by_field(citations: Sequence[Placed]) -> Mapping[str, list[Placed]]:
    found: dict[str, list[Placed]] = {}
    for citation in citations:
        if citation.snippet:
            found.setdefault(citation.field_key, []).append(citation)
    return found


def _is_sure(citations: Sequence[Placed]) -> bool:
    return any(citation.status is CitationStatus.RESOLVED for citation in citations)


def _share_a_place(a: Placed, b: Placed) -> bool:
    """Tell whether two citations have a common part of a page: a longer quotation of the same line does."""
    return a.source_id == b.source_id and any(
        one.page == other.page and intersection(box, beside) is not None
        for one in a.snippet
        for other in b.snippet
        for box in one.boxes
        for beside in other.boxes
    )
