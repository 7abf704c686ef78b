"""A schema's rules judged on what was extracted: a broken one names its fields and where they were read."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from citation_pipeline.core.consistency.rules import compiled, context_of
from citation_pipeline.core.consistency.violations import Statement, Violation
from citation_pipeline.core.extraction import ExtractedField
from citation_pipeline.core.schemas import Rule

BROKEN_RULE = "broken_rule"
"""The code of a violation of a schema's own rule; `rule_id` says which."""


def judge_rules(
    rules: Sequence[Rule], fields: Sequence[ExtractedField], keys: Sequence[str]
) -> list[Violation]:
    """Return the rules between fields that do not hold; `keys` are all fields of the schema.

    A rule is judged when all the fields it names have values. An item of a list that lacks the member a rule
    asks for leaves the rule unjudged: what is not stated breaks nothing.
    """
    by_key = {field.field_key: field for field in fields}
    values: dict[str, Any] = dict.fromkeys(keys)
    values |= {key: field.value for key, field in by_key.items() if key in values}
    context = context_of(values)
    return [
        Violation(
            code=BROKEN_RULE,
            says=rule.says,
            severity=rule.severity,
            rule_id=rule.rule_id,
            field_keys=tuple(key for key in rule.field_keys if values[key] is not None),
            statements=tuple(_statements(rule, by_key)),
        )
        for rule in rules
        if rule.check and _is_broken(rule, values, context)
    ]


def _is_broken(rule: Rule, values: Mapping[str, Any], context: Any) -> bool:
    if any(values[key] is None for key in rule.field_keys if key not in rule.optional):
        return False
    try:
        if rule.when and compiled(rule.when).execute(context) is not True:
            return False
        return compiled(rule.check).execute(context) is False
    except Exception:  # noqa: BLE001 - a missing member, a date that is none: nothing that can be judged
        return False


def _statements(rule: Rule, fields: Mapping[str, ExtractedField]) -> Iterator[Statement]:
    """Yield the first citation of each field that the rule names."""
    for key in rule.field_keys:
        field = fields.get(key)
        if field is None or field.value is None:
            continue
        for snippet in field.snippets[:1]:
            yield Statement(snippet.source_id, key, snippet.citation_index, snippet.page)
