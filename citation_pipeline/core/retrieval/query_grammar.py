"""Queries with conditions in plain words: `liens over $10,000 and claim status is not closed`.

    query      = part { joiner part } [ "sorted by" field [ "descending" ] ]
    condition  = clause { ("and" | "or") clause } | "(" condition ")" | "not" "(" condition ")"
    clause     = see `conditions.clauses`

`read_conditions` takes a text that must be a condition from its first word to its last. `interpret` takes a
search: words that are no condition stay words to search for, but a comparison that is not understood is
refused, never ignored. What was understood is returned, so that it can be shown; nothing that a caller writes
becomes SQL.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from citation_pipeline.core.retrieval.conditions.condition import (
    Condition,
    Conditions,
    NotUnderstoodError,
    SearchableField,
    Sorting,
    leaves,
)
from citation_pipeline.core.retrieval.conditions.expressions import Expression
from citation_pipeline.core.retrieval.conditions.lexing import plain
from citation_pipeline.core.retrieval.conditions.naming import choose_field
from citation_pipeline.core.retrieval.identifiers import identifiers_in_query

_SORTED = re.compile(
    r"(?:^|[\s,;]+)(?:and\s+)?(?:sorted|ordered|ranked|sort|order)\s+by\s+(?P<field>.+?)"
    r"(?:[\s,]+(?P<order>asc(?:ending)?|desc(?:ending)?|(?P<first>highest|largest|lowest|smallest|newest|latest|"
    r"oldest|earliest)\s+first))?\s*[.?!]*$",
    re.IGNORECASE,
)
_TOP = re.compile(
    r"^(?:the\s+)?(?P<way>top|bottom)\s+(?P<count>\d{1,3})\s+(?:claims\s+)?(?:by|in)\s+(?P<field>.+?)"
    r"(?P<rest>\s+(?:where|with|whose|having)\s+.+)?$",
    re.IGNORECASE,
)
_DOWN = ("desc", "highest", "largest", "newest", "latest")


@dataclass(frozen=True, slots=True)
class QueryInterpretation:
    """How a query was read: the words that are searched, the condition, the order, the identifiers."""

    query: str
    text: str
    where: Conditions | None = None
    identifiers: Sequence[str] = ()
    sorting: Sorting | None = None

    @property
    def conditions(self) -> Sequence[Condition]:
        """The single conditions, however they are joined."""
        return tuple(leaves(self.where))


def interpret(query: str, fields: Sequence[SearchableField]) -> QueryInterpretation:
    """Read a search; raises NotUnderstoodError for a comparison that is not wholly understood."""
    text, sorting = _split_sorting(plain(query), fields)
    where, rest = Expression(text, fields).searched() if text.strip() else (None, "")
    return QueryInterpretation(query, rest, where, tuple(identifiers_in_query(query)), sorting)


def read_conditions(text: str, fields: Sequence[SearchableField]) -> QueryInterpretation:
    """Read a text that is a condition and nothing else; raises NotUnderstoodError naming the words."""
    if not text.strip():
        return QueryInterpretation(text, "")
    said, sorting = _split_sorting(plain(text), fields)
    if sorting is not None:
        raise NotUnderstoodError(
            "a condition has no order", words="sorted by", remedy="leave 'sorted by' out of the condition"
        )
    return QueryInterpretation(text, "", Expression(said, fields).whole())


def _split_sorting(text: str, fields: Sequence[SearchableField]) -> tuple[str, Sorting | None]:
    if (top := _TOP.match(text.strip())) is not None:
        field = choose_field(top["field"], fields, argument="query")
        down = top["way"].lower() == "top"
        rest = (top["rest"] or "").strip().partition(" ")[2]
        return rest, Sorting(field.key, field.label, down, field.member, int(top["count"]))
    match = _SORTED.search(text)
    if match is None:
        return text, None
    field = choose_field(match["field"], fields, argument="query")
    order = (match["first"] or match["order"] or "").lower()
    return text[: match.start()], Sorting(field.key, field.label, order.startswith(_DOWN), field.member)
