"""Fields without a value: absent, unread, doubted or unreadable, and how far silence can be believed."""

from collections.abc import Iterable
from typing import Any

from citation_pipeline.core.answers.coverage import FieldCoverage, is_refused
from citation_pipeline.core.answers.scalars import REFUSED_VALUES
from citation_pipeline.core.citations import Citation
from citation_pipeline.core.extraction import ExtractedField
from citation_pipeline.core.resolution.pins import FOLLOWED
from citation_pipeline.core.rules.mentions import NOT_FOUND
from citation_pipeline.core.schemas import Field
from citation_pipeline.core.viewer.citation_entries import placed_citation
from citation_pipeline.core.viewer.issues import pages_of

RULES_SILENCE = {"workers_comp": 0.92}
"""How often a field that the embedded rules call absent is in no document, by schema: 11 of 11 on two
claims that were not looked at for the words of `silence` (74 of 74 on ten others), counted as 12 of 13."""


def silent_field(
    field_id: str,
    field: Field,
    answer: ExtractedField | None,
    covered: FieldCoverage,
    *,
    model: str,
    schema: str,
) -> dict[str, Any]:
    """Return the entry of a field without a value: absent, unread, or answered with what is no value.

    An absent one says who looked for it (`model`, as the extraction names it) and, where that was measured
    for the schema, how often what this reader does not find is in no document.
    """
    if is_refused(answer, REFUSED_VALUES):
        status = "unreadable"
    elif answer is not None and answer.candidates:
        status = "doubted"  # something was read: that it is not believed does not make it absent
    elif covered.unread or not covered.searched:
        status = "unread"
    else:
        is_open = answer is not None and not NOT_FOUND.isdisjoint(answer.warnings)
        status = "doubted" if is_open else "absent"  # that nothing was read need not show anything
    return {
        "id": field_id,
        "label": field.label,
        "category": field.category,
        "fieldKey": field.key,
        **kind_of(field),
        "status": status,
        **(_looked_for(model, field.schema or schema) if status == "absent" else {}),
        "searched": _by_source(
            (one.source_id, [[one.first_page, one.last_page]]) for one in covered.searched
        ),
        **(
            {
                "unread": [
                    {"sourceId": one.source_id, "pages": pages_of(one), "reason": one.reason}
                    for one in covered.unread
                ]
            }
            if covered.unread
            else {}
        ),
        **({"warnings": list(answer.warnings)} if answer is not None and answer.warnings else {}),
    }


def _looked_for(model: str, schema: str) -> dict[str, Any]:
    if not model:
        return {}
    measured = RULES_SILENCE.get(schema) if model.startswith("rules-") else None
    return {"searchedBy": model} | ({} if measured is None else {"absenceConfidence": measured})


def followed_citations(citations: Iterable[Citation]) -> dict[str, Any]:
    """Return where the signed words are of a field for which the extractor now has no value."""
    found = [placed_citation(one) for one in citations if one.method == FOLLOWED and one.block]
    return {"followedCitations": found} if found else {}


def _by_source(ranges: Iterable[tuple[str, list[list[int]]]]) -> list[dict[str, Any]]:
    found: dict[str, list[list[int]]] = {}
    for source_id, pages in ranges:
        found.setdefault(source_id, []).extend(pages)
    return [{"sourceId": source_id, "pages": pages} for source_id, pages in found.items()]


def kind_of(field: Field) -> dict[str, Any]:
    """What a person who gives the value has to know of it."""
    return {
        "valueType": field.value_type,
        **({"enum": list(field.enum)} if field.enum else {}),
        **({"document": field.document, "schema": field.schema} if field.document else {}),
    }
