"""The rules that a schema declares between its fields (`x_rules`), checked when the schema is read.

A rule is an expression of CEL (Common Expression Language) over the fields' values, or the demand that every
document of a claim agrees with a field. What CEL cannot do it cannot be made to do: no file, no network, no
loop without end. Not here: what is done with a rule that is broken (`judging`).
"""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import lru_cache
from itertools import cycle
from typing import Any

from citation_pipeline.core.consistency.functions import FUNCTIONS
from citation_pipeline.core.json_schemas.errors import SchemaError
from citation_pipeline.core.schemas import Field, ItemField, Rule

_ID = re.compile(r"[a-z][a-z0-9_]{1,79}")
_KEYS = frozenset({"id", "check", "when", "says", "optional", "severity", "same_in_documents", "doubts"})
_SEVERITIES = ("warning", "error")
_LONGEST = 2000
_TEXT = re.compile(r'"(?:[^"\\]|\\.)*"|' + r"'(?:[^'\\]|\\.)*'")
_NAMED = re.compile(r"fields\[\s*(\"[^\"]*\"|'[^']*')\s*\]")
_CHAIN = re.compile(r"(?<![\w.])[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")
_TRIES = 6  # with other values each time: an expression takes one branch at a time


@lru_cache(maxsize=2000)
def compiled(expression: str) -> Any:
    """Return an expression's program; raises ValueError for what is no CEL."""
    import cel  # its package imports a command line of its own: only where a rule is read

    return cel.compile(expression)


def context_of(values: Mapping[str, Any]) -> Any:
    """Return what an expression sees: the values by section and name, and all of them in `fields`."""
    import cel

    sections: dict[str, Any] = {}
    plain = {key: _plain(value) for key, value in values.items()}
    for key, value in plain.items():
        *path, name = key.split(".")
        at = sections
        for section in path:
            at = at.setdefault(section, {})
        at[name] = value
    return cel.Context({**sections, "fields": plain}, dict(FUNCTIONS))


def fingerprint_rules(rules: Sequence[Rule]) -> str:
    """Return 16 hexadecimal digits that change with the rules."""
    text = json.dumps([asdict(rule) for rule in rules], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def read_rules(raw: Any, fields: Sequence[Field]) -> tuple[Rule, ...]:
    """Return a schema's rules; raises SchemaError with the pointer of what is not understood."""
    if raw is None:
        return ()
    if not isinstance(raw, list):
        raise SchemaError("/x_rules", "must be a list of rules")
    by_key = {field.key: field for field in fields}
    rules = tuple(_read_rule(entry, f"/x_rules/{number}", by_key) for number, entry in enumerate(raw))
    seen: set[str] = set()
    for number, rule in enumerate(rules):
        if rule.rule_id in seen:
            raise SchemaError(f"/x_rules/{number}/id", "is another rule's id too; give each its own")
        seen.add(rule.rule_id)
    return rules


def _read_rule(entry: Any, pointer: str, by_key: Mapping[str, Field]) -> Rule:
    if not isinstance(entry, Mapping):
        raise SchemaError(pointer, "must be an object with id, check and says")
    for name in entry:
        if name not in _KEYS:
            raise SchemaError(f"{pointer}/{name}", f"is not understood; known are {', '.join(sorted(_KEYS))}")
    rule_id, says = entry.get("id"), entry.get("says")
    if not isinstance(rule_id, str) or not _ID.fullmatch(rule_id):
        raise SchemaError(f"{pointer}/id", "must be a name of small letters, digits and _")
    if not isinstance(says, str) or not says.strip() or len(says) > _LONGEST:
        raise SchemaError(f"{pointer}/says", "must be a sentence that says what is wrong")
    severity = entry.get("severity", "warning")
    if severity not in _SEVERITIES:
        raise SchemaError(f"{pointer}/severity", f"must be {' or '.join(_SEVERITIES)}")
    if ("check" in entry) is ("same_in_documents" in entry):
        raise SchemaError(pointer, "needs check (an expression) or same_in_documents (a field's key)")
    if "same_in_documents" in entry:
        key = entry["same_in_documents"]
        if key not in by_key:
            raise SchemaError(f"{pointer}/same_in_documents", "is no field of the schema")
        return Rule(rule_id, says, field_keys=(key,), severity=severity, document_key=key)
    optional = entry.get("optional", [])
    if not isinstance(optional, list) or not all(key in by_key for key in optional):
        raise SchemaError(f"{pointer}/optional", "must be a list of the schema's field keys")
    check, when = entry["check"], entry.get("when", "")
    named = _named_fields(check, f"{pointer}/check", by_key)
    if when != "":
        named |= _named_fields(when, f"{pointer}/when", by_key)
    for key in optional:
        if key not in named:
            raise SchemaError(f"{pointer}/optional", "names a field that the rule does not use")
    doubts = entry.get("doubts")
    if doubts is not None and not (isinstance(doubts, list) and all(key in named for key in doubts)):
        raise SchemaError(f"{pointer}/doubts", "must be a list of field keys that the rule uses")
    rule = Rule(
        rule_id,
        says,
        check,
        when,
        tuple(key for key in by_key if key in named),
        tuple(optional),
        severity,
        doubts=None if doubts is None else tuple(doubts),
    )
    _try_out(rule, pointer, by_key)
    return rule


def _named_fields(expression: Any, pointer: str, by_key: Mapping[str, Field]) -> set[str]:
    if not isinstance(expression, str) or not expression.strip() or len(expression) > _LONGEST:
        raise SchemaError(pointer, f"must be an expression of at most {_LONGEST} characters")
    try:
        program = compiled(expression)
    except ValueError as error:
        first = next((line for line in str(error).splitlines() if "ERROR" in line), "a syntax error")
        raise SchemaError(pointer, f"is no CEL: {first.partition('ERROR: ')[2] or first}") from error
    unknown = [name for name in program.functions() if name.isidentifier() and name not in _KNOWN]
    if unknown:
        raise SchemaError(pointer, f"calls {unknown[0]}; known are {', '.join(sorted(_KNOWN))}")
    found = {name[1:-1] for name in _NAMED.findall(expression)}
    for chain in _CHAIN.findall(_TEXT.sub(" ", expression)):
        parts = chain.split(".")
        keys = [".".join(parts[:length]) for length in range(len(parts), 0, -1)]
        found.update([key for key in keys if key in by_key][:1])
    missing = [key for key in found if key not in by_key]
    if missing or not found:
        raise SchemaError(
            pointer, f"names {missing[0] if missing else 'no field'}; name fields by their keys"
        )
    return found


_BUILT_IN = {
    "size",
    "has",
    "all",
    "exists",
    "exists_one",
    "map",
    "filter",
    "matches",
    "contains",
    "startsWith",
}
_KNOWN = _BUILT_IN | {"endsWith", "string", "double", "int", "bool", "min", "max"} | set(FUNCTIONS)


def _try_out(rule: Rule, pointer: str, by_key: Mapping[str, Field]) -> None:
    """Evaluate the rule on made-up values of its fields' types: a mistake shows now, not in a night."""
    for number in range(_TRIES):
        values = {key: _sample(by_key[key], number) for key in rule.field_keys}
        if number == _TRIES - 1:
            values |= dict.fromkeys(rule.optional)
        context = context_of(_with_siblings(values, by_key))
        for name, expression in (("when", rule.when), ("check", rule.check)):
            if not expression:
                continue
            try:
                result = compiled(expression).execute(context)
            except Exception as error:
                reason = str(error).partition("\n")[0][:300]
                raise SchemaError(f"{pointer}/{name}", f"cannot be evaluated: {reason}") from error
            if not isinstance(result, bool):
                raise SchemaError(f"{pointer}/{name}", "must say true or false")


def _with_siblings(values: Mapping[str, Any], by_key: Mapping[str, Field]) -> dict[str, Any]:
    return {key: values.get(key) for key in by_key}


def _sample(field: Field | ItemField, number: int) -> Any:
    if field.value_type == "array":
        if number == 0:
            return []
        if field.items:
            return [{m.name: _sample(m, number + place) for m in field.items} for place in range(2)]
        return [_scalar(field.item_type or "string", field.item_enum, number)]
    if field.value_type == "object":
        return {member.name: _sample(member, number) for member in field.items}
    return _scalar(field.value_type, field.enum, number)


def _scalar(value_type: str, enum: tuple[str, ...], number: int) -> Any:
    if value_type == "enum":
        return next(member for place, member in enumerate(cycle(enum)) if place == number)
    return {
        "date": f"20{10 + number}-0{1 + number}-15",
        "datetime": f"20{10 + number}-0{1 + number}-15T10:00:00",
        "number": 10.5 * number,
        "integer": 7 * number,
        "boolean": number % 2 == 0,
    }.get(value_type, f"text {number}")


def _plain(value: Any) -> Any:
    """Return a value as expressions see it: every number a double, since CEL adds no integer to a double."""
    if isinstance(value, bool):
        return value
    if isinstance(value, int | float):
        return float(value)
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if isinstance(value, Mapping):
        return {name: _plain(member) for name, member in value.items() if member is not None}
    return value
