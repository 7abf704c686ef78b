"""Conditions on fields' values: what one says, how several are joined, and whether a value meets one.

    Conditions = Condition | AllOf(Conditions, …) | AnyOf(Conditions, …)

How a text becomes one is `grammar`'s work. There is no negation node: a negated condition has the opposite
operator, so a claim without a value meets neither a condition nor its negation ("unknown" is not "not open").
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from citation_pipeline.core.failures import PipelineError
from citation_pipeline.core.retrieval.terms import fold_text

OPPOSITE = {
    ">": "<=",
    "<=": ">",
    "<": ">=",
    ">=": "<",
    "=": "!=",
    "!=": "=",
    "between": "not between",
    "not between": "between",
    "contains": "does not contain",
    "does not contain": "contains",
    "starts with": "does not start with",
    "does not start with": "starts with",
    "present": "missing",
    "missing": "present",
}
"""Each operator's negation."""

WITHOUT_VALUE = frozenset({"present", "missing"})


class NotUnderstoodError(PipelineError, ValueError):
    """Words that could not be understood wholly; nothing was computed.

    `argument` is the argument that holds them, `words` the words, `remedy` what to write instead; `code` is
    `no_such_field` where an argument that is a field's name names none.
    """

    def __init__(
        self, reason: str, *, words: str = "", remedy: str = "", argument: str = "query", code: str = ""
    ) -> None:
        super().__init__(f"{reason}{': ' if remedy else ''}{remedy}")
        self.reason, self.words, self.remedy, self.argument = reason, words, remedy, argument
        self.code = code

    def of(self, argument: str) -> "NotUnderstoodError":
        """Return the same refusal, of the argument of this name."""
        return NotUnderstoodError(self.reason, words=self.words, remedy=self.remedy, argument=argument)


@dataclass(frozen=True, slots=True)
class SearchableField:
    """A field that a condition may name; `member` is set for one member of a list's items.

    `names` are what the field is called beside its label; `has_values` tells whether any claim has one;
    `schema` is the schema that declares it, if one of the known ones does.
    """

    key: str
    label: str
    value_type: str
    names: Sequence[str] = ()
    enum: Sequence[str] = ()
    member: str = ""
    has_values: bool = True
    schema: str = ""

    @property
    def path(self) -> str:
        """The key, with the member of the items if it is one: `liens.filed_liens.amount`."""
        return f"{self.key}.{self.member}" if self.member else self.key

    @property
    def kind(self) -> str:
        """How its values compare: number, date, boolean, enum, array or string."""
        if self.value_type in ("number", "integer"):
            return "number"
        if self.value_type == "enum" or (self.enum and self.value_type == "string"):
            return "enum" if self.enum else "string"
        return self.value_type if self.value_type in ("date", "boolean", "array") else "string"


@dataclass(frozen=True, slots=True)
class Condition:
    """One condition; `value` is a number, an ISO date, a boolean or words, `upper` the end of a between.

    With a `member` it is about the items of a list, and one item that meets it is enough.
    """

    field_key: str
    label: str
    operator: str
    value: Any = None
    upper: Any = None
    source: str = ""
    member: str = ""
    kind: str = "string"

    @property
    def path(self) -> str:
        """The field's key, with the member of its items."""
        return f"{self.field_key}.{self.member}" if self.member else self.field_key

    def negated(self) -> "Condition":
        """Return the condition that a value meets when it does not meet this one."""
        return Condition(
            self.field_key,
            self.label,
            OPPOSITE[self.operator],
            self.value,
            self.upper,
            self.source,
            self.member,
            self.kind,
        )

    def __str__(self) -> str:
        if self.operator in WITHOUT_VALUE:
            return f"{self.path} is {self.operator}"
        if self.upper is not None:
            return f"{self.path} {self.operator} {self.value} and {self.upper}"
        return f"{self.path} {self.operator} {_shown(self.value)}"


@dataclass(frozen=True, slots=True)
class AllOf:
    """Conditions that all must be met."""

    parts: Sequence["Conditions"]

    def __str__(self) -> str:
        return " and ".join(f"({p})" if isinstance(p, AnyOf) else str(p) for p in self.parts)


@dataclass(frozen=True, slots=True)
class AnyOf:
    """Conditions of which one must be met."""

    parts: Sequence["Conditions"]

    def __str__(self) -> str:
        return " or ".join(f"({p})" if isinstance(p, AllOf) else str(p) for p in self.parts)


Conditions = Condition | AllOf | AnyOf


@dataclass(frozen=True, slots=True)
class Sorting:
    """The field that results are ordered by."""

    field_key: str
    label: str
    descending: bool
    member: str = ""
    limit: int | None = None


def leaves(conditions: Conditions | None) -> Iterator[Condition]:
    """Return the single conditions, in the order in which they were written."""
    if isinstance(conditions, Condition):
        yield conditions
    elif conditions is not None:
        for part in conditions.parts:
            yield from leaves(part)


def negate(conditions: Conditions) -> Conditions:
    """Return what is met when this is not, by De Morgan's laws."""
    if isinstance(conditions, Condition):
        return conditions.negated()
    parts = tuple(negate(part) for part in conditions.parts)
    return AnyOf(parts) if isinstance(conditions, AllOf) else AllOf(parts)


def fold_value(value: Any) -> str:
    """Return words as they compare: case, accents, underscores and spaces aside."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return " ".join(fold_text(str(value)).replace("_", " ").split())


def holds(condition: Condition, value: Any) -> bool:
    """Tell whether a value that is there meets a condition; a value of another kind meets none."""
    operator = condition.operator
    if operator == "present":
        return value is not None
    if operator == "missing" or value is None:
        return False
    if operator in ("contains", "does not contain", "starts with", "does not start with"):
        return _holds_words(operator, fold_value(condition.value), fold_value(value))
    if condition.kind == "number":
        if isinstance(value, bool) or not isinstance(value, int | float):
            return False
        return _compares(operator, float(value), float(condition.value), condition.upper)
    if condition.kind == "date":
        return is_day(value) and _compares(operator, value, condition.value, condition.upper)
    if condition.kind == "boolean":
        return isinstance(value, bool) and _compares(operator, value, condition.value, None)
    return _compares(operator, fold_value(value), fold_value(condition.value), None)


def is_day(value: Any) -> bool:
    """Tell whether a value is an ISO date."""
    return isinstance(value, str) and len(value) == 10 and value[4] == "-" and value[:4].isdigit()


def _holds_words(operator: str, wanted: str, found: str) -> bool:
    if operator.endswith("start with") or operator == "starts with":
        return found.startswith(wanted) == (operator == "starts with")
    return (wanted in found) == (operator == "contains")


def _compares(operator: str, value: Any, bound: Any, upper: Any) -> bool:
    if operator in ("between", "not between"):
        return bool(bound <= value <= upper) == (operator == "between")
    return bool(
        {
            ">": value > bound,
            ">=": value >= bound,
            "<": value < bound,
            "<=": value <= bound,
            "=": value == bound,
            "!=": value != bound,
        }[operator]
    )


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)
