"""How far what was read may be believed: the share of readings with such evidence that were right.

A value is shown as the document's word only at `BELIEVED` and above; below, it is a candidate for a person.
The figures were fitted on claims of hands that the rules' author had not written
(`benchmarks/rules_confidence.py`); which value is chosen among several is decided in `choice`.
"""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import date as Day

from citation_pipeline.core.rules.choice import value_key
from citation_pipeline.core.rules.choices import Choice
from citation_pipeline.core.rules.lexicons.lexicon import FieldRules
from citation_pipeline.core.rules.readers.candidates import Candidate, Item
from citation_pipeline.core.rules.soundness import is_sound

BELIEVED = 0.8

# Where many papers could tell it and one does, of such beliefs below this seven in eight were right;
# eleven in twelve are asked for.
_BELIEVED_OF_ONE = 0.84
_MANY_PAPERS = 5

# How often one reading of its kind was right.
_METHODS: Mapping[str, float] = {
    "grid": 0.94,
    "field": 0.92,
    "inline": 0.9,
    "right": 0.92,
    "table": 0.92,
    "balance": 0.98,
    "reference": 0.95,
    "beside": 0.93,
    "sentence": 0.88,
    "section": 0.88,
    "named": 0.72,
    "paid": 0.88,
    "run": 0.96,
    "below": 0.85,
    "tick": 0.92,
    "list": 0.84,
    "coded": 0.92,
    "parties": 0.85,
    "issuer": 0.84,
    "record": 0.88,
    "author": 0.93,
    "letterhead": 0.75,
    "signature": 0.7,
    "addressee": 0.6,
    "answer": 0.7,
    "under": 0.85,
    "column": 0.6,
    "loose": 0.85,
}
_UNKNOWN_METHOD = 0.6
# Below these weights, in which the lexicon says how far it trusts a place or a sentence, the figures shrink.
_USUAL_WEIGHTS: Mapping[str, float] = {
    "reference": 0.6,
    "loose": 0.4,
    "letterhead": 0.6,
    "signature": 0.8,
    "named": 0.6,
    "paid": 0.5,
}
# A reading that the lexicon itself trusts less is right less often than its weight says.
_UNSOUND = 0.5
# Who signs a kind of document that only one person of a claim writes: a treating physician's progress report.
_WRITES_BY_KIND = 0.85
_WRITER = 0.88
_HEADS = 0.84
# Documents of the same claim repeat one another's errors: a second one halves the doubt, no more.
_AGREES = 0.5
_COUNTS = 0.5
# A sentence with two sums, or a share and its other part, tells of two things; its words mostly say which
# is meant. Of what is told so and nowhere else, 5 of 6 were right in twelve claims read with older words.
_OTHER_VALUES = 0.96
_OTHER_SHARES = 0.95
# Letterhead and signature, label and sentence: another way of saying it in the same document.
_SECOND_WAY = 0.8
# Another value of the same day, or of the only day known, is as likely.
_RIVAL = 0.6
# Of what does not change, a reading so much better than those that agree is as likely right as they are.
_MUCH_BETTER = 1.25
# Any words fit a field of free text: told once, a sentence's may be other words than the field's.
_FREE_TEXT = 0.96
_BESIDE_A_LABEL = frozenset({"grid", "field", "inline", "right", "under", "section", "table"})
# a run of sentences of one kind (`No lifting. No kneeling.`) is told by each of them
_NO_FREE_WORDS = _BESIDE_A_LABEL | {"run"}
_ON_FORMS = _BESIDE_A_LABEL | {"below"}
_STATED = _ON_FORMS | {"sentence"}
_BARE = 0.85
# A list's first item is the main one mostly, not by any rule.
_DERIVED = 0.95
# What changes within the days that the lexicon gives, read in an older paper, has probably changed.
_STALE = 0.75
# `There is none` holds for so many days: what was not yet there then may be there now.
_NONE_YET = 120
# A `no` holds longer, as what it denies comes about in few claims.
_NOT_YET = 400
# Papers repeat what stands. What a single one tells, and none of the last months, was told otherwise since or
# is another's: of such values in claims of unknown hands, read with a vocabulary made before them, few were
# right. Names and yes or no last, and a log would note what changes.
_LONE = 120
_OF_ITS_TIME = frozenset({"latest", "latest_list", "newest"})
_REPEATED_WITHIN = 30
_RETOLD = frozenset({"text", "enum", "date", "last_date", "money", "percent", "number", "icd", "address"})
_ONCE = frozenset({"author", "beside", "coded", "reference"})
_DAYS = frozenset({"date", "last_date"})
_OUTVOTES = 2
# A day so far behind all others is not the day of a print.
_ALONE = 14


def belief_of(choice: Choice, rules: FieldRules, *, newest: str) -> float:
    """Return how likely the chosen value is right, in 0-1; `newest` is the claim's latest day (ISO)."""
    agreeing = [c for c in choice.weaker if _belief_of_reading(c, rules) >= _COUNTS]
    belief = _belief(choice.support, choice.others, rules, newest=newest, weaker=agreeing)
    if (
        choice.is_derived
        and rules.derive is not None
        and len({candidate.source for candidate in choice.support}) == 1
    ):
        belief *= _DERIVED
    if (
        choice.value is False
        and rules.lasting is False
        and _days_between(max(c.as_of for c in choice.support), newest) > _NOT_YET
    ):
        belief *= _STALE
    if choice.is_doubtful or _is_lone(choice, agreeing, rules, newest):
        belief *= _STALE
    # what every document tells in words of its own is one telling of several, however clearly it was read
    belief *= rules.trust
    if choice.value == [] and _days_between(max(c.as_of for c in choice.support), newest) > _NONE_YET:
        belief *= _STALE
    return belief


def _is_lone(choice: Choice, agreeing: Sequence[Candidate], rules: FieldRules, newest: str) -> bool:
    """Tell whether one old paper alone tells a value of a kind that papers tell again."""
    told = (*choice.support, *agreeing)
    if choice.is_derived and rules.derive is None:
        return False  # it follows from other values, each of which was doubted by itself
    if any(candidate.document_type in rules.own for candidate in told):
        return False  # what an examiner finds, his report alone has to tell
    ways = _STATED if rules.kind == "date" else _ON_FORMS
    if rules.lasting and any(candidate.method in ways for candidate in told):
        return False  # when somebody was hired, a form says once and for all
    return (
        rules.kind in _RETOLD
        and len({candidate.source for candidate in told}) == 1
        and not any(candidate.method in _ONCE or candidate.is_noted for candidate in told)
        and _days_between(max(candidate.as_of for candidate in told), newest) > _LONE
    )


def is_perhaps_overtaken(told: Sequence[Candidate], rules: FieldRules, *, newest: str) -> bool:
    """Tell whether what changes is read only in papers older than the newest: it may be otherwise by now."""
    age = _days_between(max(candidate.as_of for candidate in told), newest)
    return changes(rules) and age > _REPEATED_WITHIN


def changes(rules: FieldRules) -> bool:
    """Tell whether a field asks for what is so now: a status, a rate, who is in charge."""
    return rules.choice in _OF_ITS_TIME and not rules.lasting


def least_belief(choice: Choice, papers: int) -> float:
    """Return from which belief on a value is shown, in a claim of so many papers."""
    is_of_one = len({candidate.source for candidate in (*choice.support, *choice.weaker)}) == 1
    return _BELIEVED_OF_ONE if is_of_one and papers >= _MANY_PAPERS else BELIEVED


def belief_of_item(
    support: Sequence[tuple[Candidate, Item]], rules: FieldRules, *, denied: Sequence[Candidate], newest: str
) -> float:
    """Return how likely an item of a list is right."""
    readings = [candidate for candidate, _ in support]
    item = support[0][1]
    belief = _belief(readings, denied, rules, newest=newest)
    members = max(len([v for v in own.value.values() if v not in (None, "")]) for _, own in support)
    is_bare = len(rules.field.items) > 1 and members < 2 and rules.must is None
    is_told = not any(candidate.method in _BESIDE_A_LABEL for candidate in readings)
    # of what is to be done a line without its day is often another line of the paper
    if (
        rules.ahead
        and is_bare
        or is_bare
        and is_told
        and len({candidate.source for candidate in readings}) == 1
    ):
        belief *= _BARE
    sources = {candidate.source for candidate in readings}
    age = _days_between(max(candidate.as_of for candidate in readings), newest)
    is_noted = any(candidate.is_noted for candidate in readings)
    is_retold = rules.choice == "latest_list" and not rules.lasting
    if is_retold and len(sources) == 1 and age > _LONE and not is_noted:
        belief *= _STALE
    return belief if is_sound(item.value, rules) else belief * _UNSOUND


def newest_day(days: Sequence[str]) -> str:
    """Return the latest day of a claim's documents; one far behind all others is a hearing's or a diary's."""
    known = sorted((day for day in days if day), reverse=True)
    if len(known) > 1 and _days_between(known[1], known[0]) > _ALONE:
        return known[1]
    return known[0] if known else ""


def _belief(
    support: Sequence[Candidate],
    others: Sequence[Candidate],
    rules: FieldRules,
    *,
    newest: str,
    weaker: Sequence[Candidate] = (),
) -> float:
    beliefs: dict[int, float] = {}
    ways: defaultdict[int, set[str]] = defaultdict(set)
    for candidate in (*support, *weaker):
        belief = _belief_of_reading(candidate, rules)
        beliefs[candidate.source] = max(beliefs.get(candidate.source, 0.0), belief)
        ways[candidate.source].add(candidate.method)
    best = max(beliefs, key=lambda source: beliefs[source])
    doubt = 1.0 - beliefs[best]
    # what is doubtful alone stays so however often it stands: many letters are of one form
    others_agreeing = sum(belief >= _COUNTS for source, belief in beliefs.items() if source != best)
    doubt *= _AGREES ** min(others_agreeing, 2)
    doubt *= _SECOND_WAY if len(ways[best]) > 1 and beliefs[best] >= _COUNTS else 1.0
    belief = 1.0 - doubt
    is_open = rules.choice != "best" and rules.shape is None  # words of a closed set are no free text
    is_free = rules.kind == "text" and (rules.is_prose or is_open)
    if is_free and len(beliefs) == 1 and not ways[best] & _NO_FREE_WORDS:
        belief *= _FREE_TEXT
    latest = max(c.as_of for c in (*support, *weaker))
    # what hardly agrees does not outvote another value
    if _has_rival(support, others, rules):
        belief *= _RIVAL
    if rules.changes and _days_between(latest, newest) > rules.changes:
        belief *= _STALE
    return belief


def _belief_of_reading(candidate: Candidate, rules: FieldRules) -> float:
    figure = _METHODS.get(candidate.method, _UNKNOWN_METHOD)
    if candidate.method == "signature" and candidate.weight >= _WRITES_BY_KIND:
        figure = _WRITER
    if candidate.method == "letterhead" and candidate.weight >= _WRITES_BY_KIND:
        figure = _HEADS
    belief = figure * min(1.0, candidate.weight / _USUAL_WEIGHTS.get(candidate.method, 0.85))
    if candidate.rivals:
        belief *= _OTHER_VALUES if rules.kind != "percent" else _OTHER_SHARES
    if not candidate.is_list and (not is_sound(candidate.value, rules) or _is_cut_off(candidate, rules)):
        belief *= _UNSOUND
    return belief


# A line that ends so goes on where it was not read: the value is a part of what is said.
_GOES_ON = re.compile(r"(?:,|;|[/&(]|\s[-\u2013]|\b(?:and|or))$", re.IGNORECASE)


def _is_cut_off(candidate: Candidate, rules: FieldRules) -> bool:
    """Tell whether a free text ends where the words that were read of it do not: `No lifting,`."""
    if rules.kind != "text" or not isinstance(candidate.value, str):
        return False
    told = candidate.unit.text.rstrip()
    rest = _GOES_ON.search(told)
    return rest is not None and told[: rest.start()].rstrip().endswith(candidate.value[-12:].rstrip(" ,;"))


def _has_rival(support: Sequence[Candidate], others: Sequence[Candidate], rules: FieldRules) -> bool:
    """Tell whether another value has as good a claim: of no older day, from documents of its own."""
    latest = max(c.as_of for c in support)
    sources = {c.source for c in support}
    best = max(c.weight for c in support)
    groups: defaultdict[object, set[int]] = defaultdict(set)
    for other in others:
        is_newer = other.as_of >= latest if rules.choice != "stable" else True
        if rules.choice == "newest" and not other.is_list and str(other.value) < str(support[0].value):
            continue  # of decisions the last one counts: an earlier one that is told again is no other
        if is_newer and other.weight >= 0.93 * best and (other.is_list or is_sound(other.value, rules)):
            key = "" if other.is_list else value_key(rules, other.value)
            groups[key].add(other.source)
    changes = rules.choice != "stable"
    if (
        not changes
        and rules.lasting
        and len(sources) >= _OUTVOTES
        and all(len(rivals) < len(sources) for rivals in groups.values())
    ):
        return False  # of a birth or a hire two papers outvote a third, whenever it was written
    if (
        not changes
        and rules.kind in _DAYS
        and any(other.as_of > latest and other.weight >= 0.93 * best for other in others)
    ):
        return True  # what was told first may have been put right since
    if not changes and any(other.weight >= _MUCH_BETTER * best for other in others):
        return True
    if changes and any(other.as_of > latest and other.weight >= 0.9 * best for other in others):
        return True
    return any(len(rivals) >= len(sources) for rivals in groups.values())


def _days_between(earlier: str, later: str) -> int:
    if not (earlier and later):
        return 0
    return (Day.fromisoformat(later) - Day.fromisoformat(earlier)).days
