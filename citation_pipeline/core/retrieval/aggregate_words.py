"""An aggregate in words: `sum of all invoice totals where currency is USD by seller name`.

    aggregate = operation ["of"] field ["where" condition] ["by" field]

Every word belongs to one of the parts, or the aggregate is refused.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from citation_pipeline.core.retrieval.aggregates import Operation
from citation_pipeline.core.retrieval.conditions.condition import NotUnderstoodError, SearchableField
from citation_pipeline.core.retrieval.conditions.naming import choose_field, name_words

_OPERATIONS: tuple[tuple[Operation, str], ...] = (
    ("sum", r"sum(?:\s+total)?|total(?=\s+of\b)|add\s+up"),
    ("average", r"average|mean|avg"),
    ("count", r"count|number(?=\s+of\b)|how\s+many"),
    ("min", r"minimum|min|lowest|smallest|earliest|oldest|least"),
    ("max", r"maximum|max|highest|largest|greatest|latest|newest"),
)
_SHAPE = re.compile(
    r"^\s*(?:what\s+(?:is|are|was)\s+|what's\s+|give\s+me\s+|show\s+me\s+|show\s+|compute\s+|calculate\s+)?"
    r"(?:the\s+)?(?:" + "|".join(rf"(?P<{name}>{words})" for name, words in _OPERATIONS) + r")\s+"
    r"(?:of\s+|for\s+)?(?:all\s+|the\s+|every\s+|each\s+)*(?P<field>.+?)"
    r"(?:\s+(?:across|over|in|of|for)\s+all\s+(?:the\s+)?(?:claims|documents))?"
    r"(?:\s+(?:where|if|whose|for\s+claims\s+(?:where|with)|with)\s+(?P<where>.+?))?"
    r"(?:\s+(?:grouped\s+by|group\s+by|by|per|for\s+each)\s+(?P<group>[^,]+?))?\s*[?.!]*\s*$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class AggregateWords:
    """The parts of an aggregate that was asked for in words."""

    operation: Operation
    field: str
    where: str
    group_by: str | None


def read_aggregate(
    query: str, fields: Sequence[SearchableField], *, template: str | None = None
) -> AggregateWords:
    """Read an aggregate; `template` names the kind of document that the field is of.

    Raises NotUnderstoodError naming the words.
    """
    match = _SHAPE.match(query)
    if match is None:
        raise NotUnderstoodError(
            f"{query.strip()!r} asks for no sum, count, average, minimum or maximum",
            words=query.strip(),
            remedy="write 'sum of FIELD where CONDITION by FIELD', or give operation and field",
        )
    operation = next(name for name, _ in _OPERATIONS if match[name])
    within = _of_template(template, fields) if template else list(fields)
    chosen = choose_field(match["field"], within, argument="query")
    where = match["where"] or ""
    if operation == "count":
        where = _counted(query, chosen, where)
    group = choose_field(match["group"], fields, argument="query").path if match["group"] else None
    return AggregateWords(operation, chosen.path, where, group)


def _counted(query: str, field: SearchableField, where: str) -> str:
    """Return the condition under which values of a field count; raises NotUnderstoodError.

    Claims that "are litigated" are those with a yes, not all that say yes or no; "how many liens" asks for
    the items of lists and "how many examiners" for different ones, and neither is what a count of values is.
    """
    if field.kind == "boolean":
        yes = f"{field.path} is yes"
        return f"({where}) and {yes}" if where else yes
    names_claims = re.search(r"(?i)\b(?:claims?|cases?)\b", query) is not None
    if field.kind == "array":
        raise NotUnderstoodError(
            f"{query.strip()!r} may count claims or the items of their lists",
            words=query.strip(),
            remedy=f"give operation count and a field: {field.path} counts claims with such a list, a member "
            "of its items, from list_fields, counts items",
        )
    if field.kind in ("string", "enum") and not names_claims and re.match(r"(?i)\s*how\s+many\b", query):
        raise NotUnderstoodError(
            f"{query.strip()!r} may count claims or different values",
            words=query.strip(),
            remedy=f"write 'count of {field.label}' for claims that have one, with 'by {field.label}' for "
            "each value",
        )
    return where


def _of_template(template: str, fields: Sequence[SearchableField]) -> list[SearchableField]:
    wanted = name_words(template)
    found = [
        field
        for field in fields
        if wanted and (wanted <= name_words(field.schema) or wanted == name_words(field.key.split(".")[0]))
    ]
    if found:
        return found
    known = sorted({field.schema for field in fields if field.schema})
    raise NotUnderstoodError(
        f"there are no fields of a template {template!r}",
        words=template,
        remedy=f"leave it out, or name one of {', '.join(known)}" if known else "leave it out",
        argument="template",
    )
