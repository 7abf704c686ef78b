"""Aggregates over a field of many claims, every operand with its place."""

from collections.abc import Mapping, Sequence
from typing import Any

from citation_pipeline.adapters.read_model.claims import UnknownClaimError
from citation_pipeline.adapters.read_model.model import ReadModel
from citation_pipeline.adapters.read_model.searches import view_interpretation
from citation_pipeline.adapters.read_model.shapes import AggregateAnswer, AggregateView, OperandView
from citation_pipeline.adapters.search_index.field_values import FieldValue, find_values
from citation_pipeline.core.boxes import Box
from citation_pipeline.core.retrieval.aggregates import Aggregate, Operand, Operation, aggregate
from citation_pipeline.core.retrieval.query_grammar import SearchableField, interpret
from citation_pipeline.core.retrieval.terms import term_set
from citation_pipeline.core.viewer.citation_objects import (
    citation_texts,
    citation_urls,
    document_id_of,
    page_box,
)

MOST_SHOWN = 50
"""Operands whose lines are in the text for a model; the structured answer has them all."""

NO_GROUP = "(no value)"


def aggregate_field(
    model: ReadModel,
    operation: Operation,
    field: str,
    *,
    where: str = "",
    claim_ids: Sequence[str] | None = None,
    group_by: str | None = None,
) -> AggregateAnswer:
    """Aggregate a field's whole values, or one member of its items (`liens.filed_liens.amount`).

    `where` is a condition in words, `group_by` another field. Raises UnknownClaimError for a field that no
    claim has.
    """
    fields = model.searchable_fields()
    chosen, member = choose_field(field, fields)
    understood = interpret(where, fields)
    if where.strip() and not understood.conditions:
        raise UnknownClaimError(
            "the condition was not understood: write it as FIELD COMPARISON VALUE, such as 'total "
            "incurred over 50000'"
        )
    with model.file.reading() as connection:
        allowed = None if claim_ids is None else set(claim_ids)
        for condition in understood.conditions:
            meeting = {v.claim_id for v in find_values(connection, condition=condition)}
            allowed = meeting if allowed is None else allowed & meeting
        listed = None if allowed is None else sorted(allowed)
        values = [
            value
            for value in find_values(connection, field_key=chosen.key, claim_ids=listed)
            if _is_operand(value, member)
        ]
        groups: Mapping[str, str] = {}
        if group_by is not None:
            grouping, _ = choose_field(group_by, fields)
            groups = {
                value.claim_id: _group_name(value.value)
                for value in find_values(connection, field_key=grouping.key, claim_ids=listed)
                if value.item_path == ""
            }
    by_group: dict[str | None, list[FieldValue]] = {}
    for value in values:
        by_group.setdefault(groups.get(value.claim_id, NO_GROUP) if group_by else None, []).append(value)
    views = [
        _view(model, operation, group, by_group[group])
        for group in sorted(by_group, key=lambda g: str(g or ""))
    ]
    if not views:
        views = [AggregateView(None, 0 if operation == "count" else None, "0 of 0 operands located", (), ())]
    label = chosen.label if member is None else f"{chosen.label}: {member}"
    return AggregateAnswer(
        operation=operation,
        field=chosen.key if member is None else f"{chosen.key}.{member}",
        label=label,
        query_interpretation=view_interpretation(understood),
        groups=views,
        summary="; ".join(_sentence(operation, label, view) for view in views),
        llm_context=_context(operation, label, views),
    )


def choose_field(name: str, fields: Sequence[SearchableField]) -> tuple[SearchableField, str | None]:
    """Return the field of a key or label, and the member of its items when the key goes on."""
    for field in fields:
        if field.key == name:
            return field, None
        if name.startswith(f"{field.key}."):
            return field, name.removeprefix(f"{field.key}.")
    wanted = term_set(name)
    named = [f for f in fields if wanted and wanted in [term_set(n) for n in (f.label, *f.names)]]
    if len(named) == 1:
        return named[0], None
    raise UnknownClaimError(
        f"{'several fields are' if named else 'no claim has a field'} called that: give a field key such as "
        + ", ".join(f.key for f in (named or fields)[:3])
    )


def _is_operand(value: FieldValue, member: str | None) -> bool:
    if member is None:
        return value.item_path == ""
    return value.item_path.endswith(f"].{member}")


def _group_name(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)[:200] if not isinstance(value, list) else f"{len(value)} items"


def _view(
    model: ReadModel, operation: Operation, group: str | None, values: Sequence[FieldValue]
) -> AggregateView:
    operands = [Operand(v.claim_id, v.field_key, v.value, v.is_located, v.item_path) for v in values]
    result: Aggregate = aggregate(operation, operands, group=group)
    by_operand = {(v.claim_id, v.item_path): v for v in values}
    return AggregateView(
        group=group,
        value=result.value,
        note=result.note,
        operands=[_operand(model, by_operand[o.claim_id, o.item_path]) for o in result.operands],
        excluded=[_operand(model, by_operand[o.claim_id, o.item_path]) for o in result.excluded],
    )


def _operand(model: ReadModel, value: FieldValue) -> OperandView:
    if value.source_id is None or value.page is None:
        return OperandView(value.claim_id, value.value, None, None, None, None, None)
    box = Box(*value.box) if value.box is not None else None
    url = citation_urls(
        value.claim_id,
        value.source_id,
        page=value.page,
        bbox=box,
        field_key=value.field_key,
        root=model.root_url,
    )
    width, height = value.page_size
    return OperandView(
        claim_id=value.claim_id,
        value=value.value,
        document_id=document_id_of(value.claim_id, value.source_id),
        page=value.page,
        bbox=page_box(box, page_width=width, page_height=height) if box is not None else None,
        citation=citation_texts(value.file, value.page, "", verified_at=None).short,
        url=url.place,
    )


def _sentence(operation: str, label: str, view: AggregateView) -> str:
    group = f" for {view.group}" if view.group is not None else ""
    return f"{operation} of {label}{group}: {view.value} ({view.note})"


def _context(operation: str, label: str, views: Sequence[AggregateView]) -> str:
    lines = []
    for view in views:
        lines.append(_sentence(operation, label, view))
        lines += [f"- {o.claim_id}: {o.value} {o.citation}" for o in view.operands[:MOST_SHOWN]]
        if len(view.operands) > MOST_SHOWN:
            lines.append(f"- and {len(view.operands) - MOST_SHOWN} more operands")
    return "\n".join(lines)
