"""What other fields, or the whole claim, imply of a field that no document states outright.

A claim with a hearing set is litigated; one that tells of a fall on one day, and nowhere of years of
strain, is of a specific injury. What is implied is marked as inferred. Which fields imply what comes from
the lexicon (`implied`).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from citation_pipeline.core.extraction import Confidence
from citation_pipeline.core.rules.belief import BELIEVED, belief_of, newest_day
from citation_pipeline.core.rules.choices import Choice, ranked
from citation_pipeline.core.rules.documents import DocumentReading
from citation_pipeline.core.rules.lexicons.lexicon import FieldRules, Implication, Lexicon
from citation_pipeline.core.rules.readers.candidates import Candidate, affinity_of, candidate_of
from citation_pipeline.core.values.polarity import Polarity, polarity_of
from citation_pipeline.core.values.reality import is_of_another

# A document of the board's own says that there is a case; one that only looks like it does not.
_SURELY_OF_KIND = 0.5


@dataclass(frozen=True)
class Claim:
    """What was read of a claim so far: the fields' choices, the documents, the lexicon."""

    choices: Mapping[str, Choice | None]
    readings: Sequence[DocumentReading]
    lexicon: Lexicon


def implied(rules: FieldRules, claim: Claim) -> Choice | None:
    """Return what the claim implies of a field; None where it is stated, or nothing implies it."""
    if not rules.implied:
        return None
    newest = newest_day([reading.date for reading in claim.readings])
    own = claim.choices.get(rules.field.key)
    is_stated = own is not None and belief_of(own, rules, newest=newest) >= BELIEVED
    for implication in rules.implied:
        is_over = own is not None and own.value in implication.over
        if is_stated and not is_over:
            continue
        if not all(_is_believed(key, claim, newest) for key in implication.all_of):
            continue
        support = list(_support(implication, rules, claim, newest))
        if support:
            value = implication.value == "true" if rules.kind == "boolean" else implication.value
            if own is not None and not is_over and (own.value != value or own.others):
                continue
            support += own.support if own is not None else ()
            return Choice(value, ranked(support), Confidence.MEDIUM, is_derived=True)
    return None


def _is_believed(key: str, claim: Claim, newest: str) -> bool:
    choice = claim.choices.get(key)
    return choice is not None and belief_of(choice, claim.lexicon.fields[key], newest=newest) >= BELIEVED


def _support(implication: Implication, rules: FieldRules, claim: Claim, newest: str) -> Iterator[Candidate]:
    for key in implication.any_of:
        choice = claim.choices.get(key)
        if choice is not None and _is_believed(key, claim, newest):
            yield from choice.support
            return
    for reading in claim.readings:
        is_sure = reading.recognition.score >= _SURELY_OF_KIND
        if reading.type in implication.documents and is_sure and reading.rows:
            unit = reading.rows[0].passage
            yield candidate_of(reading, rules, implication.value, unit, reading.date, 0.85, "record")
    if implication.pattern is None or _is_told_otherwise(implication, claim):
        return
    for reading in claim.readings:
        affinity = affinity_of(rules, reading)
        for sentence, text in reading.statements if affinity > 0 else ():
            found = implication.pattern.search(text)
            if (
                found is None
                or polarity_of(found) is not Polarity.ASSERTED
                or is_of_another(text, found.start())
            ):
                continue
            yield candidate_of(
                reading,
                rules,
                implication.value,
                sentence.unit,
                sentence.as_of,
                0.85 * min(affinity, 1.0),
                "sentence",
            )
            break


def _is_told_otherwise(implication: Implication, claim: Claim) -> bool:
    """Tell whether any sentence of the claim speaks of what the implication excludes."""
    if implication.absent is None:
        return False
    for reading in claim.readings:
        for _, text in reading.statements:
            found = implication.absent.search(text)
            if found is not None and polarity_of(found) is not Polarity.NEGATED:
                return True
    return False
