"""Values that contradict one another: of those that break a rule of the schema, the least believed go.

A rule (`x_rules`) that holds in nearly every claim is evidence: an examiner who is the other side's attorney
was misread, and so was a total that is less than its parts. What goes is a candidate, with the reason
`conflicting`. How a rule is judged belongs to `consistency`.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from citation_pipeline.core.consistency.judging import judge_rules
from citation_pipeline.core.consistency.violations import Violation
from citation_pipeline.core.extraction import ExtractedField, ValueCandidate
from citation_pipeline.core.schemas import Schema

# Beliefs that differ by less do not tell which of two values is the wrong one.
_AS_SURE = 0.02
# Each round takes out a value at least; a claim with more contradictions than this is no claim's file.
_MOST_ROUNDS = 20
_MOST_TRIED = 3  # candidates of a silent field


def without_contradicted(fields: Sequence[ExtractedField], schema: Schema) -> list[ExtractedField]:
    """Return the fields, those that contradict better ones without a value but with a candidate."""
    kept = {field.field_key: field for field in fields}
    rules = [rule for rule in schema.rules if rule.doubts != ()]
    for _ in range(_MOST_ROUNDS):
        broken = judge_rules(rules, tuple(kept.values()), tuple(schema.by_key))
        doubted = {key for violation in broken[:1] for key in _doubtful(violation, schema, kept)}
        if not doubted:
            break
        kept |= {key: _doubted(kept[key]) for key in doubted}
    silent = {field.field_key for field in fields if field.value is None and field.candidates}
    kept |= {key: _doubted(kept[key]) for key in _refuted_by_candidates(kept, silent, schema)}
    return list(kept.values())


def _refuted_by_candidates(
    fields: Mapping[str, ExtractedField], silent_keys: Collection[str], schema: Schema
) -> set[str]:
    """Return the values that break a rule whichever candidate of a silent field may be the right one.

    A date of hire after each day that may be the day of injury is none, though nobody knows which day it is.
    """
    silent = {key: fields[key] for key in silent_keys}
    rules = [rule for rule in schema.rules if rule.doubts is None]
    broken: list[set[tuple[str, str]]] = []
    for number in range(
        min(max((len(field.candidates) for field in silent.values()), default=0), _MOST_TRIED)
    ):
        tried = {
            key: replace(field, value=field.candidates[min(number, len(field.candidates) - 1)].value)
            for key, field in silent.items()
        }
        found = judge_rules(rules, tuple({**fields, **tried}.values()), tuple(schema.by_key))
        broken.append(
            {
                (violation.rule_id, key)
                for violation in found
                if not silent.keys().isdisjoint(violation.field_keys)
                for key in violation.field_keys
                if fields[key].value is not None
                and (fields[key].belief or 0.0) <= _belief_against(violation, silent) + _AS_SURE
            }
        )
    return {key for _, key in set.intersection(*broken)} if broken else set()


def _belief_against(violation: Violation, silent: Mapping[str, ExtractedField]) -> float:
    """Return how far it is believed that one of a field's candidates is right: one that hardly is refutes
    nothing, several that all break a rule do."""
    tried = (silent[key].candidates for key in violation.field_keys if key in silent)
    return max((1.0 if len(some) > 1 else some[0].confidence or 0.0 for some in tried), default=0.0)


def _doubtful(violation: Violation, schema: Schema, fields: dict[str, ExtractedField]) -> Iterator[str]:
    """Return the fields that a broken rule names as doubtful, else those that are believed least."""
    rule = next(rule for rule in schema.rules if rule.rule_id == violation.rule_id)
    if rule.doubts is not None:
        yield from (key for key in rule.doubts if fields[key].value is not None)
        return
    beliefs = {key: fields[key].belief or 0.0 for key in violation.field_keys}
    least = min(beliefs.values(), default=0.0)
    yield from (key for key, belief in beliefs.items() if belief <= least + _AS_SURE)


def _doubted(field: ExtractedField) -> ExtractedField:
    chosen = ValueCandidate(
        value=field.value, reason="conflicting", confidence=field.belief, snippets=field.snippets
    )
    return replace(
        field,
        value=None,
        snippets=(),
        confidence=None,
        belief=None,
        warnings=(),
        candidates=(chosen, *field.candidates),
    )
