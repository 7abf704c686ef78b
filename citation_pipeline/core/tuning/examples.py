"""Verified fields as examples and hints for a schema's prompt, and which claims measure them.

Nothing is chosen by what it would do to the figures: the held-out claims are never looked at here.
"""

import hashlib
import json
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from citation_pipeline.core.extraction import Value
from citation_pipeline.core.prompts.guides import Example, Guide
from citation_pipeline.core.values.grammar import find_value

_LONGEST_SNIPPET = 160  # a line; longer ones teach no label
_MOST_CHARACTERS = 12_000  # of all examples: they are paid for with every request
_LABEL = re.compile(r"[^\W\d_][\w .'/&#()-]{1,38}$")
_FEWEST_CLAIMS = 2  # a label that one claim alone prints may be a name


@dataclass(frozen=True, slots=True)
class VerifiedField:
    """A value that a person signed for in a claim, with the words of its first place."""

    claim_id: str
    field_key: str
    value_type: str
    value: Value
    snippet: str
    kind: str
    sha256: str
    corrected: bool


def hold_out(claim_ids: Sequence[str], *, share: float) -> tuple[list[str], list[str]]:
    """Return the claims that examples may come from, and those that they are measured on: one at least.

    By the claims' names alone, so that a second run holds back the same ones.
    """
    order = sorted(claim_ids, key=lambda name: hashlib.sha256(name.encode()).hexdigest())
    count = min(len(order) - 1, max(1, round(len(order) * share)))
    return sorted(order[count:]), sorted(order[:count])


def propose(fields: Iterable[VerifiedField], *, per_field: int) -> Guide:
    """Return examples, corrected values first, and the labels that several claims print before a field."""
    by_key: dict[str, list[VerifiedField]] = defaultdict(list)
    for field in fields:
        by_key[field.field_key].append(field)
    examples: list[Example] = []
    left = _MOST_CHARACTERS
    # each field's first example before any field's second
    ranked = {key: _ranked(found) for key, found in sorted(by_key.items())}
    for place in range(per_field):
        for found in ranked.values():
            if place >= len(found):
                continue
            one = found[place]
            size = len(one.snippet) + len(json.dumps(one.value, ensure_ascii=False)) + len(one.field_key)
            if size <= left:
                left -= size
                examples.append(
                    Example(one.field_key, one.value, one.snippet, one.kind, one.claim_id, one.sha256)
                )
    return Guide(hints=_hints(by_key), examples=tuple(examples))


def _ranked(fields: Sequence[VerifiedField]) -> list[VerifiedField]:
    """Return what a model got wrong before what it got right, each snippet once, short ones first."""
    usable = [one for one in fields if one.snippet.strip() and len(one.snippet) <= _LONGEST_SNIPPET]
    usable.sort(key=lambda one: (not one.corrected, len(one.snippet), one.claim_id))
    once: dict[tuple[str, str], VerifiedField] = {}
    for one in usable:
        once.setdefault((one.snippet, repr(one.value)), one)
    return list(once.values())


def _hints(by_key: dict[str, list[VerifiedField]]) -> dict[str, tuple[str, ...]]:
    hints: dict[str, tuple[str, ...]] = {}
    for key, fields in sorted(by_key.items()):
        claims: dict[str, set[str]] = defaultdict(set)
        for one in fields:
            if label := label_of(one):
                claims[label].add(one.claim_id)
        known = sorted(label for label, found in claims.items() if len(found) >= _FEWEST_CLAIMS)
        if known:
            hints[key] = tuple(f'printed behind "{label}"' for label in known[:3])
    return hints


def label_of(field: VerifiedField) -> str:
    """Return the words before the value on its line; "" where they are no label, or hold a figure."""
    spans = find_value(field.snippet, field.value, field.value_type)
    before = field.snippet[: spans[0].start].rpartition("\n")[2].strip(" \t:.|-") if spans else ""
    return before if _LABEL.match(before) and len(before.split()) <= 5 else ""
