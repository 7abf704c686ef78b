"""Aggregates over a field of many claims, every operand with its place."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

from citation_pipeline.adapters.read_model.model import ReadModel
from citation_pipeline.adapters.read_model.searches import view_interpretation
from citation_pipeline.adapters.read_model.shapes import AggregateAnswer, AggregateView, OperandView
from citation_pipeline.adapters.search_index.field_values import (
    FieldValue,
    claims_meeting,
    find_values,
    item_of,
    items_meeting,
    list_of,
    unsettled_claims,
)
from citation_pipeline.core.boxes import Box
from citation_pipeline.core.retrieval.aggregates import Aggregate, Operand, Operation, aggregate
from citation_pipeline.core.retrieval.conditions.condition import (
    AllOf,
    Conditions,
    NotUnderstoodError,
    SearchableField,
)
from citation_pipeline.core.retrieval.conditions.naming import choose_field
from citation_pipeline.core.retrieval.query_grammar import read_conditions
from citation_pipeline.core.viewer.citation_objects import (
    citation_texts,
    citation_urls,
    document_id_of,
    page_box,
)
from citation_pipeline.core.viewer.sureness import LOW, word_for

MOST_SHOWN = 50
"""Operands whose lines are in the text for a model; the structured answer has them all."""

NO_GROUP = "(no value)"

Order = Literal["group", "value", "value_desc"]
"""How groups are ordered: by their names, by their values, or by their values from the largest."""


def aggregate_field(
    model: ReadModel,
    operation: Operation,
    field: str,
    *,
    where: str = "",
    claim_ids: Sequence[str] | None = None,
    group_by: str | None = None,
    order: Order = "group",
) -> AggregateAnswer:
    """Aggregate a field's whole values, or one member of its items (`liens.filed_liens.amount`).

    `where` is a condition in words, `group_by` another field. Where both are about items of one list, an item
    counts only if it meets the condition itself. Raises NotUnderstoodError naming the argument and the words.
    """
    fields = model.searchable_fields()
    claim_ids = model.seen(claim_ids)
    chosen = choose_field(field, fields)
    _check_operation(operation, chosen)
    try:
        understood = read_conditions(where, fields)
    except NotUnderstoodError as error:
        raise error.of("where") from error
    grouping = choose_field(group_by, fields, argument="group_by") if group_by else None
    _check_grouping(chosen, grouping)
    with model.file.reading() as connection:
        values = find_values(
            connection, field_key=chosen.key, member=chosen.member, claim_ids=_known(claim_ids)
        )
        asked = _claims_of(connection, claim_ids)
        if understood.where is not None:
            asked &= claims_meeting(connection, understood.where, _known(claim_ids)).keys()
            values = _meeting(connection, values, understood.where, chosen, claim_ids)
        groups = _groups(connection, values, grouping) if grouping is not None else {}
        silent = asked - {value.claim_id for value in values}
        unsettled = silent & unsettled_claims(connection, chosen.key)
    by_group = _grouped(values, groups, grouping, chosen)
    views = [
        _view(model, operation, group, by_group[group])
        for group in sorted(by_group, key=lambda g: str(g or ""))
    ]
    views = _ordered(views, order)
    if not views:
        views = [AggregateView(None, 0 if operation == "count" else None, "0 of 0 operands located", (), ())]
    return AggregateAnswer(
        operation=operation,
        field=chosen.path,
        label=chosen.label,
        query_interpretation=view_interpretation(understood),
        groups=views,
        summary="; ".join(
            [*(_sentence(operation, chosen.label, view) for view in views), *_silence(silent, unsettled)]
        ),
        llm_context=_context(operation, chosen.label, views),
        where=str(understood.where) if understood.where is not None else "",
        claims_without_value=len(silent),
        claims_unsettled=len(unsettled),
    )


def _known(claim_ids: Sequence[str] | None) -> Sequence[str] | None:
    return None if claim_ids is None else list(dict.fromkeys(claim_ids))


def _grouped(
    values: Sequence[FieldValue],
    groups: Mapping[tuple[str, str], tuple[str, bool]],
    grouping: SearchableField | None,
    chosen: SearchableField,
) -> dict[str | None, list[FieldValue]]:
    """Return the values by their group; where what names it is not settled, at no place for this question."""
    if grouping is None:
        return {None: list(values)} if values else {}
    by_group: dict[str | None, list[FieldValue]] = {}
    for value in values:
        name, is_settled = groups.get(_key(value, grouping, chosen), (NO_GROUP, True))
        by_group.setdefault(name, []).append(value if is_settled else replace(value, is_located=False))
    return by_group


def _claims_of(connection: Any, claim_ids: Sequence[str] | None) -> set[str]:
    """Return the claims that are asked."""
    every = {row[0] for row in connection.execute("SELECT claim_id FROM claims")}
    return every if claim_ids is None else every & set(claim_ids)


def _silence(silent: set[str], unsettled: set[str]) -> list[str]:
    """Return a sentence about claims without a value, if there are any."""
    if not silent:
        return []
    unread = f" ({len(unsettled)} not all read, or in doubt)" if unsettled else ""
    return [f"{len(silent)} claims have no value{unread}"]


def _check_operation(operation: Operation, field: SearchableField) -> None:
    """Raise for arithmetic that a field's type does not allow: it would leave every operand out."""
    allowed = {
        "sum": ("number",),
        "average": ("number",),
        "min": ("number", "date"),
        "max": ("number", "date"),
    }
    if operation in allowed and field.kind not in allowed[operation]:
        kinds = " or ".join(f"{kind}s" for kind in allowed[operation])
        members = "; name a member of its items" if field.kind == "array" else ""
        raise NotUnderstoodError(
            f"{operation} needs {kinds}, and {field.path} holds {field.kind} values",
            words=field.path,
            remedy=f"count it, or choose another field{members}",
            argument="field",
        )


def _check_grouping(chosen: SearchableField, grouping: SearchableField | None) -> None:
    if grouping is None:
        return
    if grouping.kind == "array" or (grouping.member and grouping.key != chosen.key):
        raise NotUnderstoodError(
            f"{grouping.path} has many values in one claim",
            words=grouping.path,
            remedy="group by a field with one value, or by a member of the same list as the field",
            argument="group_by",
        )


def _meeting(
    connection: Any,
    values: Sequence[FieldValue],
    where: Conditions,
    chosen: SearchableField,
    claim_ids: Sequence[str] | None,
) -> list[FieldValue]:
    """Keep the values of claims that meet the condition, and of the items that meet what is said of them.

    Where what decides is at no place itself, or was not read, the value is at none for this question.
    """
    scope = _known(claim_ids)
    claims = claims_meeting(connection, where, scope)
    settled = claims_meeting(connection, where, scope, settled=True)
    kept = [
        value if value.claim_id in settled else replace(value, is_located=False)
        for value in values
        if value.claim_id in claims
    ]
    if not chosen.member:
        return kept
    parts = where.parts if isinstance(where, AllOf) else (where,)
    own = [part for part in parts if list_of(part) == chosen.key]
    if own:
        items = items_meeting(connection, AllOf(tuple(own)), scope)
        sure = items_meeting(connection, AllOf(tuple(own)), scope, settled=True)
        kept = [
            value if (value.claim_id, item_of(value)) in sure else replace(value, is_located=False)
            for value in kept
            if (value.claim_id, item_of(value)) in items
        ]
    elif any(leaf_list == chosen.key for part in parts for leaf_list in _lists(part)):
        raise NotUnderstoodError(
            f"an 'or' joins items of {chosen.key} with other fields",
            words=str(where),
            remedy="ask for each side by itself",
            argument="where",
        )
    return kept


def _lists(conditions: Conditions) -> list[str | None]:
    parts = getattr(conditions, "parts", None)
    return [list_of(conditions)] if parts is None else [name for part in parts for name in _lists(part)]


def _groups(
    connection: Any, values: Sequence[FieldValue], grouping: SearchableField
) -> Mapping[tuple[str, str], tuple[str, bool]]:
    """Return by claim and item the group's name, and whether what names it is settled."""
    found = find_values(
        connection,
        field_key=grouping.key,
        member=grouping.member,
        claim_ids={value.claim_id for value in values},
    )
    return {
        (value.claim_id, item_of(value) if grouping.member else ""): (
            _group_name(value.value),
            value.is_settled,
        )
        for value in found
    }


def _key(value: FieldValue, grouping: SearchableField, chosen: SearchableField) -> tuple[str, str]:
    return value.claim_id, item_of(value) if grouping.member and chosen.member else ""


def _group_name(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)[:200]


def _ordered(views: Sequence[AggregateView], order: Order) -> list[AggregateView]:
    if order == "group":
        return list(views)
    known = [view for view in views if view.value is not None]
    rest = [view for view in views if view.value is None]
    return [*sorted(known, key=lambda view: view.value, reverse=order == "value_desc"), *rest]


def _view(
    model: ReadModel, operation: Operation, group: str | None, values: Sequence[FieldValue]
) -> AggregateView:
    operands = [
        Operand(
            v.claim_id,
            v.field_key,
            v.value,
            v.is_located,
            v.item_path,
            is_doubted=not v.is_verified and word_for(v.confidence) == LOW,
            currency=v.currency,
            content=v.content,
        )
        for v in values
    ]
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
    signed, current = value.changed or (None, None)
    made = OperandView(
        claim_id=value.claim_id,
        value=value.value,
        document_id=None,
        page=None,
        bbox=None,
        citation=None,
        url=None,
        verified=value.is_verified,
        confidence=value.confidence,
        needs_review=value.changed is not None,
        verified_value=signed,
        current_value=current,
    )
    if value.source_id is None or value.page is None:
        return made
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
    return replace(
        made,
        document_id=document_id_of(value.claim_id, value.source_id),
        page=value.page,
        bbox=page_box(box, page_width=width, page_height=height) if box is not None else None,
        citation=citation_texts(value.file, value.page, "", verified_at=None).short,
        url=url.place,
    )


def _sentence(operation: str, label: str, view: AggregateView) -> str:
    group = f" for {view.group}" if view.group is not None else ""
    value = "unknown" if view.value is None else view.value
    return f"{operation} of {label}{group}: {value} ({view.note})"


def _doubt(operand: OperandView) -> str:
    return "" if operand.verified or word_for(operand.confidence) != LOW else " (in doubt)"


def _context(operation: str, label: str, views: Sequence[AggregateView]) -> str:
    lines = []
    for view in views:
        lines.append(_sentence(operation, label, view))
        lines += [f"- {o.claim_id}: {o.value} {o.citation}{_doubt(o)}" for o in view.operands[:MOST_SHOWN]]
        if len(view.operands) > MOST_SHOWN:
            lines.append(f"- and {len(view.operands) - MOST_SHOWN} more operands")
    return "\n".join(lines)
