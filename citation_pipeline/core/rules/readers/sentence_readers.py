"""Readers of what sentences say: values in a pattern's holes, cues, negations."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from citation_pipeline.core.rules.document_sentences import Sentence
from citation_pipeline.core.rules.documents import DocumentReading
from citation_pipeline.core.rules.lexicons.lexicon import FieldRules, Pattern
from citation_pipeline.core.rules.pages.passages import Passage, join
from citation_pipeline.core.rules.readers.candidates import DOUBTED, Candidate, Item, candidate_of, holds_in
from citation_pipeline.core.rules.readers.kinds import count_rivals, opening_member, take, take_near
from citation_pipeline.core.rules.readers.lists import item_of_match, read_items
from citation_pipeline.core.rules.readers.taken_values import Taken
from citation_pipeline.core.values.polarity import Polarity, clause_around, is_conditional, polarity_of
from citation_pipeline.core.values.reality import is_general, is_no_fact, lies_ahead

# What a denial says is as sure as its words.
_DENIED = 0.85
_SUMS = frozenset({"money", "percent"})
# `His hearing is March 30`, in a letter: of which year, and whether it still is
_OF_SOME_YEAR = 0.9
# `no other lien` is none beside those that were told.
_OTHERS = re.compile(r"\b(?:other|further|additional|new|more|else)\b", re.IGNORECASE)


def read_statements(reading: DocumentReading, rules: FieldRules, affinity: float) -> Iterator[Candidate]:
    """Return what the document's sentences say about a field."""
    patterns = [p for p in rules.patterns if holds_in(p, reading)]
    cues = [p for p in rules.cues if holds_in(p, reading)]
    negations = [p for p in rules.negations if holds_in(p, reading)]
    if not (patterns or cues or negations):
        return
    for sentence, text in reading.statements:
        yield from _negated(reading, rules, negations, sentence, affinity)
        for cue in cues:
            if (
                cue.says(text)
                and not _is_excepted(text, cue, rules)
                and not _opens_otherwise(text, cue, rules)
            ):
                value, trust = _said(text, cue, rules)
                weight = affinity * cue.weight * trust
                yield candidate_of(reading, rules, value, sentence.unit, sentence.as_of, weight, "sentence")
                break
        for pattern in patterns:
            if not pattern.says(text):
                continue
            found = list(_of_pattern(reading, rules, pattern, sentence, affinity))
            yield from found
            if found and rules.kind != "list":
                break


def read_runs(reading: DocumentReading, rules: FieldRules, affinity: float) -> Iterator[Candidate]:
    """Read sentences of one kind that follow one another as one value: `No lifting. No kneeling.`"""
    if rules.run is None or not holds_in(rules.run, reading):
        return
    run: list[Sentence] = []
    for sentence, text in (*reading.statements, (None, "")):
        goes_on = (
            sentence is not None and bool(run) and sentence.passage.words[0] == run[-1].passage.words[-1] + 1
        )
        says = sentence is not None and rules.run.says(text)
        if run and not (goes_on and says):
            yield from _of_run(reading, rules, run, affinity)
            run = []
        if sentence is not None and says:
            run.append(sentence)


def _of_run(
    reading: DocumentReading, rules: FieldRules, run: Sequence[Sentence], affinity: float
) -> Iterator[Candidate]:
    assert rules.run is not None
    whole = join(sentence.passage for sentence in run)
    found = rules.run.expression.search(whole.text)
    start = found.start("v") if found is not None and "v" in found.groupdict() else 0
    taken = take(whole.text[start:], rules)
    if taken:
        weight = affinity * rules.run.weight
        yield candidate_of(reading, rules, taken[0].value, whole, run[0].as_of, weight, "run")


def _is_excepted(text: str, pattern: Pattern, rules: FieldRules) -> bool:
    """Tell whether the clause of what a pattern finds is one that the field is not read from."""
    found = pattern.expression.search(text) if rules.unless is not None else None
    if found is None or rules.unless is None:
        return False
    begin, stop = clause_around(text, *found.span())
    return rules.unless.search(text[begin:stop]) is not None


def _opens_otherwise(text: str, cue: Pattern, rules: FieldRules) -> bool:
    """Tell whether a sentence opens with another member: `MODIFIED: six visits certified`."""
    opens = opening_member(text, rules) if rules.kind == "enum" else None
    return opens is not None and opens.value != cue.member


def _said(text: str, cue: Pattern, rules: FieldRules) -> tuple[Any, float]:
    """Return what a sentence says by a cue and how far to trust it: its words may be denied or left open.

    A denied yes is a no. A denied member of an enumeration says nothing of the others, and who denies a no
    (`not unrepresented`) mostly means something else.
    """
    found = cue.expression.search(text)
    assert found is not None
    polarity = polarity_of(found)
    value: Any = cue.member if rules.kind == "enum" else cue.member == "true"
    if value is not False and is_no_fact(rules.field.key, text, *found.span()):
        return value, DOUBTED
    if polarity is Polarity.ASSERTED or (value is False and _begins_anew(text, found)):
        return value, 1.0
    if polarity is Polarity.NEGATED and value is True:
        return False, _DENIED
    return value, DOUBTED


# `No lien was filed, not set for hearing`: the first word denies nothing behind the comma.
_OWN_DENIAL = re.compile(r"(?:not?|never|none)\b", re.IGNORECASE)


def _begins_anew(text: str, found: re.Match[str]) -> bool:
    return bool(_OWN_DENIAL.match(found[0])) and text[: found.start()].rstrip().endswith((",", ";"))


def _negated(
    reading: DocumentReading,
    rules: FieldRules,
    negations: Sequence[Pattern],
    sentence: Sentence,
    affinity: float,
) -> Iterator[Candidate]:
    for pattern in negations:
        said = pattern.expression.search(sentence.passage.text)
        if said is not None and _OTHERS.search(said[0]) and "other" not in pattern.expression.pattern:
            continue
        if pattern.says(sentence.passage.text):
            is_list = rules.kind == "list"
            yield candidate_of(
                reading,
                rules,
                None if is_list else False,
                sentence.unit,
                sentence.as_of,
                affinity * pattern.weight,
                "sentence",
                is_list=is_list,
            )
            return


def _of_pattern(
    reading: DocumentReading, rules: FieldRules, pattern: Pattern, sentence: Sentence, affinity: float
) -> Iterator[Candidate]:
    text, unit, as_of = sentence.passage.text, sentence.unit, sentence.as_of
    if _is_excepted(text, pattern, rules):
        return
    weight = affinity * pattern.weight
    if rules.kind == "list":
        for match in pattern.expression.finditer(text):
            if _is_no_list(match, rules):
                continue
            items = [
                Item(item.value, unit, item.members)
                for item in _items_of_match(match, rules, sentence.passage)
            ]
            if items:
                yield candidate_of(
                    reading, rules, None, unit, as_of, weight, "sentence", items=items, is_list=True
                )
        return
    found = pattern.expression.search(text)
    if found is not None and found.groupdict().get("v"):
        is_denied = polarity_of(found) is Polarity.NEGATED
        is_another = is_denied or is_no_fact(rules.field.key, text, *found.span())
        if is_another or (rules.kind in _SUMS and is_general(text, found.start("v"))):
            weight *= DOUBTED
        if rules.kind in _SUMS and _GOES_ON.match(text, found.end("v")):
            return
        told = _of_change(text, found, rules) or found["v"]
        taken: list[Taken] = take_near(told, rules, as_of, is_terse=_is_terse(reading))
        if taken:
            if rules.ahead and not taken[0].is_sure:
                weight *= _OF_SOME_YEAR
            rivals = count_rivals(_without_told(text, found), found.span("v"), rules)
            yield candidate_of(reading, rules, taken[0].value, unit, as_of, weight, "sentence", rivals=rivals)


def _is_no_list(match: re.Match[str], rules: FieldRules) -> bool:
    """Tell whether the clause of what names a list's items denies it, asks it, or tells of what is not."""
    return (
        polarity_of(match) is Polarity.NEGATED
        or (not lies_ahead(rules.field.key) and is_conditional(match.string, *match.span()))
        or is_no_fact(rules.field.key, match.string, *match.span())
    )


def _without_told(text: str, found: re.Match[str]) -> str:
    """Return the text without the value that a pattern itself tells from its own, in its group `other`."""
    if not found.groupdict().get("other"):
        return text
    begin, end = found.span("other")
    return f"{text[:begin]}{' ' * (end - begin)}{text[end:]}"


# `1,012` of `1,012.68`: a part of a number is no value.
_GOES_ON = re.compile(r"[.,]?\d")
# `corrected 910.00 to 955.00`: what it was is told first.
_CHANGED = re.compile(
    r"\b(?:correct|chang|revis|adjust|rais|increas|reduc|lower|decreas|amend|recalculat|updat|mov|went|goes)\w*\b"
    r"[^.;]{0,25}$|\bfrom\s+$",
    re.IGNORECASE,
)
_NOW = re.compile(r"\s*(?:to|->|=>|\u2192)\s*(?=[$\d])", re.IGNORECASE)


def _of_change(text: str, found: re.Match[str], rules: FieldRules) -> str:
    """Return the words of what a sum was changed to, empty where the sum found is none that was changed."""
    now = _NOW.match(text, found.end("v")) if rules.kind in _SUMS else None
    return text[now.end() : now.end() + 16] if now and _CHANGED.search(text[: found.start("v")]) else ""


def _is_terse(reading: DocumentReading) -> bool:
    """Tell whether a document leaves out years: a log of dated notes, a mail."""
    return reading.first_entry is not None or reading.type == "email"


def _items_of_match(match: re.Match[str], rules: FieldRules, passage: Passage) -> list[Item]:
    if match.groupdict().get("v"):
        return read_items(passage.part(*match.span("v")), rules)
    item = item_of_match(match, rules, passage)
    return [item] if item else []
