"""Readers of how parts of a list stand: `We accept the right knee and deny the neck`, `Neck: not allowed`.

One clause may hold both verdicts. Each part goes to the verdict of its own words: the one before it where the
clause begins with a verdict, the one behind it where it begins with a part. Which words are parts, and which
verdicts put them on the field's list or on the other one, comes from the lexicon (`standings`).
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from citation_pipeline.core.rules.documents import DocumentReading
from citation_pipeline.core.rules.lexicons.lexicon import FieldRules, Standing
from citation_pipeline.core.rules.readers.candidates import Candidate, Item, candidate_of
from citation_pipeline.core.values.reality import is_of_another

_CLAUSE = re.compile(
    r"(?<!\bR)(?<!\bL)(?<!\bDr)(?<!\bno)[.;](?=\s|$)|,?\s+\b(?:but|however|while|whereas|although|though)\b",
    re.IGNORECASE,
)
_SIDES = {
    "l": "left",
    "lt": "left",
    "left": "left",
    "r": "right",
    "rt": "right",
    "right": "right",
    "both": "bilateral",
    "bilateral": "bilateral",
}
# `right hand and wrist`: the side that is told once holds for both.
_SHARED = re.compile(r"\s*(?:,|/|&|and)\s*(?:the\s+)?", re.IGNORECASE)


@dataclass(frozen=True)
class _Part:
    start: int
    end: int
    side: str
    name: str
    is_spelled: bool


def read_standings(reading: DocumentReading, rules: FieldRules, affinity: float) -> Iterator[Candidate]:
    """Return the parts that the document's clauses put on the field's list."""
    standing = rules.standing
    if standing is None or (standing.documents and reading.type not in standing.documents):
        return
    for sentence, text in reading.statements:
        if standing.unless is not None and standing.unless.search(text):
            continue
        parts = [part for part in _placed(text, standing) if not is_of_another(text, part.start)]
        if parts:
            items = [Item(_value(part, rules), sentence.unit) for part in parts]
            weight = affinity * standing.weight
            yield candidate_of(
                reading,
                rules,
                None,
                sentence.unit,
                sentence.as_of,
                weight,
                "sentence",
                items=items,
                is_list=True,
            )


def _value(part: _Part, rules: FieldRules) -> dict[str, str]:
    names = [member.name for member in rules.field.items]
    if len(names) > 1 and names[1] == "side":
        whole = f"{part.side} {part.name}" if part.is_spelled else part.name
        return {names[0]: whole, names[1]: part.side} if part.side else {names[0]: whole}
    return {names[0]: f"{part.side} {part.name}".strip()}


def _placed(text: str, standing: Standing) -> Iterator[_Part]:
    """Yield the parts of a sentence whose verdict is the field's."""
    begin, before = 0, ""
    for end in (*(match.start() for match in _CLAUSE.finditer(text)), len(text)):
        verdicts = _verdicts(text, begin, end, standing)
        parts = _parts(text, begin, end, standing)
        if not verdicts:
            # `allowed: sprain of the neck; contusion of the left hip` goes on
            if before and text[begin : begin + 1] == ";":
                yield from (part for part in parts if before == "for")
        elif parts:
            yield from _of_clause(parts, verdicts)
        if verdicts:
            is_list = bool(parts) and parts[-1].start > verdicts[-1][0]
            before = verdicts[-1][2] if is_list else ""
        begin = end


def _of_clause(parts: Sequence[_Part], verdicts: Sequence[tuple[int, int, str]]) -> Iterator[_Part]:
    leads = verdicts[0][0] < parts[0].start
    for part in parts:
        near = [kind for start, end, kind in verdicts if (end <= part.start if leads else start >= part.end)]
        kind = (near[-1] if leads else near[0]) if near else ""
        if kind == "for":
            yield part


def _verdicts(text: str, begin: int, end: int, standing: Standing) -> list[tuple[int, int, str]]:
    found = [
        (*match.span(), kind)
        for kind, expression in (("against", standing.against), ("for", standing.own))
        for match in expression.finditer(text, begin, end)
    ]
    # of two that overlap the longer one is meant: `not accepted` holds `accepted`
    kept: list[tuple[int, int, str]] = []
    for one in sorted(found, key=lambda verdict: verdict[0] - verdict[1]):
        if all(one[1] <= other[0] or other[1] <= one[0] for other in kept):
            kept.append(one)
    return sorted(kept)


def _parts(text: str, begin: int, end: int, standing: Standing) -> list[_Part]:
    found: list[_Part] = []
    for match in standing.part.finditer(text, begin, end):
        side = _SIDES.get((match["side"] or "").casefold().rstrip("."), "")
        if not side and found and found[-1].side and _SHARED.fullmatch(text[found[-1].end : match.start()]):
            side = found[-1].side if standing.sided.search(match["name"]) else ""
        is_spelled = (match["side"] or "").casefold() in ("left", "right")
        found.append(_Part(match.start(), match.end(), side, " ".join(match["name"].split()), is_spelled))
    return found
