"""Which of the candidates is the field's value: the latest statement, mostly.

A correction beats newer copies of what it corrected; what is true once and for all goes by agreement; lists
are the latest list, or the union. Candidates come from `readers`.
"""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from rapidfuzz import fuzz

from citation_pipeline.core.extraction import Confidence
from citation_pipeline.core.rules.lexicons.lexicon import FieldRules
from citation_pipeline.core.rules.readers.candidates import Candidate, Item
from citation_pipeline.core.rules.readers.lists import first_member
from citation_pipeline.core.rules.soundness import is_sound
from citation_pipeline.core.values.names import without_degree
from citation_pipeline.core.values.spans import fold, fold_words

# Weaker readings count only when there is no stronger one.
STRONG = 0.55
# A citation this much weaker than the best one would not convince a reader.
_CITED_WITHIN = 0.2
# Two items with this similarity of their first members are one.
_SAME_ITEM = 82.0
_TITLE = re.compile(r"^(?:Drs?|Mrs?|Ms|Miss)\.?\s+", re.IGNORECASE)
_WORDS_OF_SIDES = frozenset({"left", "right", "bilateral"})


@dataclass(frozen=True)
class Choice:
    """A field's value with the candidates behind it, best first; `items` pair with a list's items."""

    value: Any
    support: Sequence[Candidate]
    confidence: Confidence
    items: Sequence[Item] = ()
    item_support: Sequence[Sequence[tuple[Candidate, Item]]] = ()
    has_conflict: bool = False
    is_derived: bool = False
    others: Sequence[Candidate] = ()


def choose(rules: FieldRules, candidates: Sequence[Candidate]) -> Choice | None:
    """Return the field's value, or None when nobody says anything."""
    usable = [c for c in candidates if c.weight >= 0.25]
    strong = [c for c in usable if c.weight >= STRONG]
    pool = strong or usable
    if not pool:
        return None
    if rules.kind == "list":
        return _choose_list(rules, pool)
    if rules.combine:
        pool = _combined(rules, pool)
    return _choose_value(rules, _without_corrected(rules, pool))


def _combined(rules: FieldRules, pool: Sequence[Candidate]) -> list[Candidate]:
    """Read two members that one document states on one day as the member that stands for both."""
    united = list(pool)
    for member, parts in rules.combine.items():
        said: defaultdict[tuple[int, str], dict[Any, Candidate]] = defaultdict(dict)
        for candidate in pool:
            said[candidate.source, candidate.as_of].setdefault(candidate.value, candidate)
        for (source, day), values in said.items():
            if all(part in values for part in parts):
                weight = min(values[part].weight for part in parts)
                together = replace(values[parts[0]], value=member, weight=weight)
                united = [
                    c for c in united if (c.source, c.as_of) != (source, day) or c.value not in parts
                ] + [together]
    return united


def value_key(rules: FieldRules, value: Any) -> Any:
    """Return what two values have in common when they say the same."""
    if not isinstance(value, str):
        return round(float(value), 2) if not isinstance(value, bool) else value
    if rules.kind in ("person", "physician"):
        return fold(without_degree(value))
    if rules.kind in ("firm", "text", "address"):
        return " ".join(fold_words(value))
    return value


def _without_corrected(rules: FieldRules, pool: Sequence[Candidate]) -> Sequence[Candidate]:
    """Drop values that a later correction replaced, also where newer papers copy them."""
    corrections = sorted((c for c in pool if c.corrects), key=lambda c: c.as_of)
    for correction in corrections:
        right = value_key(rules, correction.value)
        older = {value_key(rules, c.value) for c in pool if c.as_of < correction.as_of} - {right}
        kept = [c for c in pool if c.corrects or value_key(rules, c.value) not in older]
        pool = kept or pool
    return pool


def _choose_value(rules: FieldRules, pool: Sequence[Candidate]) -> Choice:
    groups: defaultdict[Any, list[Candidate]] = defaultdict(list)
    for candidate in pool:
        groups[value_key(rules, candidate.value)].append(candidate)
    if rules.kind in ("person", "physician"):
        groups = _same_people(groups)
    score = _agreement if rules.choice == "stable" else _recency
    if rules.choice == "best":
        score = _strength
    if rules.choice == "newest":
        score = _newest
    best = max(groups, key=lambda key: score(groups[key], pool))
    chosen = sorted(groups[best], key=lambda c: (c.as_of, c.weight), reverse=True)
    sound = [c for c in chosen if is_sound(c.value, rules)]
    winner = max(sound or chosen, key=lambda c: _best_form(rules, c))
    support = _ranked(chosen)
    others = [c for key, group in groups.items() if key != best for c in group]
    return Choice(
        value=winner.value,
        support=support,
        confidence=_confidence(support, others),
        has_conflict=any(c.as_of >= support[0].as_of for c in others),
        others=others,
    )


def _best_form(rules: FieldRules, candidate: Candidate) -> tuple[float, float]:
    """Prefer the fullest print of a name and the heaviest reading of anything else."""
    if rules.kind in ("person", "physician") and isinstance(candidate.value, str):
        return (min(candidate.weight, 0.8), float(len(candidate.value)))
    return (candidate.weight, 0.0)


def _recency(group: Sequence[Candidate], pool: Sequence[Candidate]) -> tuple[Any, ...]:
    latest = max(c.as_of for c in group)
    on_the_day = [c for c in group if c.as_of == latest]
    # what is further down in the same paper has the last word
    last = max(c.unit.words[0] for c in on_the_day)
    return (latest, _summed(on_the_day), max(c.weight for c in on_the_day), last)


def _agreement(group: Sequence[Candidate], pool: Sequence[Candidate]) -> tuple[Any, ...]:
    latest = max((c.as_of for c in pool), default="")
    newest = max(c.as_of for c in group)
    return (_summed(group) + (0.4 if newest == latest else 0.0), newest)


def _newest(group: Sequence[Candidate], pool: Sequence[Candidate]) -> tuple[Any, ...]:
    """Prefer the latest day that is a value: of decisions of one kind, the last one counts."""
    return (str(group[0].value), _summed(group))


def _same_people(groups: Mapping[Any, list[Candidate]]) -> defaultdict[Any, list[Candidate]]:
    """Unite the forms of one name: `R. Escamilla` and `Escamilla, Ruben D.` are no two people.

    A form goes to the fullest name that it fits; one that fits two names stays by itself.
    """
    full = sorted(groups, key=lambda key: -max(len(str(c.value)) for c in groups[key]))
    united: defaultdict[Any, list[Candidate]] = defaultdict(list)
    for key in full:
        fitting = [other for other in united if _is_short_for(groups[key][0], united[other][0])]
        united[fitting[0] if len(fitting) == 1 else key].extend(groups[key])
    return united


def _is_short_for(one: Candidate, other: Candidate) -> bool:
    short = fold_words(without_degree(_TITLE.sub("", str(one.value))))
    full = fold_words(without_degree(_TITLE.sub("", str(other.value))))
    if not short or not full or short[-1] not in full[-2:]:
        return False
    given = full[: full.index(short[-1]) if short[-1] in full[:-1] else -1] or full[:-1]
    rest = list(given)
    for part in short[:-1]:
        at = next((n for n, word in enumerate(rest) if word.startswith(part) or part.startswith(word)), None)
        if at is None:
            return False
        del rest[: at + 1]
    return True


def _strength(group: Sequence[Candidate], pool: Sequence[Candidate]) -> tuple[Any, ...]:
    return (round(max(c.weight for c in group), 2), max(c.as_of for c in group), _summed(group))


def _summed(group: Sequence[Candidate]) -> float:
    """Add the best weight of each document: a document that repeats itself counts once."""
    best: dict[int, float] = {}
    for candidate in group:
        best[candidate.source] = max(best.get(candidate.source, 0.0), candidate.weight)
    return round(sum(best.values()), 4)


def _ranked(chosen: Sequence[Candidate]) -> list[Candidate]:
    """Order support for citing: the heavier reading first, then the newer document, then the tighter unit."""
    best = max(c.weight for c in chosen)
    kept = [c for c in chosen if c.weight >= best - _CITED_WITHIN]
    return sorted(
        kept,
        key=lambda c: (round(c.weight, 1), c.as_of, c.method != "sentence", -len(c.unit.words)),
        reverse=True,
    )


def _confidence(support: Sequence[Candidate], others: Sequence[Candidate]) -> Confidence:
    sources = {c.source for c in support}
    newest = max(c.as_of for c in support)
    rivals = {c.source for c in others if c.as_of >= newest}
    if rivals and len(rivals) >= len(sources):
        return Confidence.LOW
    if max(c.weight for c in support) < 0.7 or rivals:
        return Confidence.MEDIUM if len(sources) > 1 else Confidence.LOW
    return Confidence.HIGH if len(sources) > 1 else Confidence.MEDIUM


def _choose_list(rules: FieldRules, pool: Sequence[Candidate]) -> Choice:
    stated = [c for c in pool if c.items]
    denied = [c for c in pool if not c.items]
    newest_denial = max((c.as_of for c in denied), default="")
    newest_list = max((c.as_of for c in stated), default="")
    if denied and (not stated or newest_denial > newest_list):
        support = _ranked(denied)
        return Choice([], support, _confidence(support, stated), others=stated)
    chosen = stated if rules.choice == "union" else _latest_list(stated)
    merged = _merge(rules, chosen, stated)
    items = [item for item, _ in merged]
    return Choice(
        value=items,
        support=_ranked(chosen),
        confidence=_confidence(_ranked(chosen), denied),
        items=items,
        item_support=[support for _, support in merged],
        others=denied,
    )


def _latest_list(stated: Sequence[Candidate]) -> list[Candidate]:
    """Return the readings of the newest day, the fullest first."""
    newest = max(c.as_of for c in stated)
    same_day = [c for c in stated if c.as_of == newest]
    return sorted(same_day, key=lambda c: (round(c.weight, 1), len(c.items)), reverse=True)


_Support = list[tuple[Candidate, Item]]


def _merge(
    rules: FieldRules, chosen: Sequence[Candidate], stated: Sequence[Candidate]
) -> list[tuple[Item, _Support]]:
    """Unite the items of the chosen readings; other readings of the same items lend members and citations."""
    merged: list[tuple[Item, _Support]] = []
    known = {id(candidate) for candidate in chosen}
    for candidate in chosen:
        for item in candidate.items:
            _add(rules, merged, candidate, item, is_new_allowed=True)
    for candidate in sorted(stated, key=lambda c: c.as_of, reverse=True):
        if id(candidate) in known:
            continue
        for item in candidate.items:
            _add(rules, merged, candidate, item, is_new_allowed=False)
    return merged


def _add(
    rules: FieldRules,
    merged: list[tuple[Item, _Support]],
    candidate: Candidate,
    item: Item,
    *,
    is_new_allowed: bool,
) -> None:
    for place, (known, support) in enumerate(merged):
        if _is_same_item(rules, known, item):
            name = rules.field.items[0].name if rules.field.items else ""
            if is_acronym(first_member(known, rules), first_member(item, rules)):
                known = replace(known, value={**known.value, name: item.value[name]})
            missing: Mapping[str, Any] = {
                name: value for name, value in item.value.items() if known.value.get(name) in (None, "")
            }
            if missing:
                known = replace(known, value={**known.value, **missing})
            merged[place] = (known, [*support, (candidate, item)])
            return
    if is_new_allowed:
        merged.append((item, [(candidate, item)]))


def _is_same_item(rules: FieldRules, a: Item, b: Item) -> bool:
    left, right = first_member(a, rules), first_member(b, rules)
    if is_acronym(left, right) or is_acronym(right, left):
        return True
    same = fuzz.token_set_ratio(" ".join(fold_words(left)), " ".join(fold_words(right))) >= _SAME_ITEM
    if not same:
        return False
    for name in set(a.value) & set(b.value):
        one, other = str(a.value[name]).casefold(), str(b.value[name]).casefold()
        if one != other and ({one, other} <= _WORDS_OF_SIDES or name in rules.needs):
            return False
    return True


def is_acronym(short: str, full: str) -> bool:
    """Tell whether a name is the first letters of another: `EDD` of `Employment Development Department`."""
    words = [word for word in fold_words(full) if word not in ("of", "the", "and", "for")]
    letters = "".join(word[0] for word in words)
    return len(words) >= 2 and fold(short) == letters
