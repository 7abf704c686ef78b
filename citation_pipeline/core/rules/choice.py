"""Which of the candidates is the field's value: the latest statement, mostly.

A correction beats newer copies of what it corrected; what is true once and for all goes by agreement; lists
are chosen in `list_choice`. Candidates come from `readers`.
"""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from citation_pipeline.core.rules.choices import Choice, confidence_of, ranked, summed
from citation_pipeline.core.rules.lexicons.lexicon import FieldRules
from citation_pipeline.core.rules.list_choice import choose_list
from citation_pipeline.core.rules.people import same_people
from citation_pipeline.core.rules.readers.candidates import Candidate
from citation_pipeline.core.rules.soundness import is_sound
from citation_pipeline.core.values.dates import days_later
from citation_pipeline.core.values.names import without_degree
from citation_pipeline.core.values.spans import fold, fold_words

# Weaker readings count only when there is no stronger one.
STRONG = 0.55


def choose(rules: FieldRules, candidates: Sequence[Candidate]) -> Choice | None:
    """Return the field's value, or None when nobody says anything."""
    usable = [c for c in candidates if c.weight >= 0.25]
    strong = [c for c in usable if c.weight >= STRONG]
    pool = strong or usable
    if not pool:
        return None
    if rules.kind == "list":
        return choose_list(rules, pool)
    if rules.kind == "firm":
        pool = [_without_site(c) for c in pool]
    # what does not even look like a value of its kind is none while another does
    pool = [c for c in pool if c.is_list or is_sound(c.value, rules)] or pool
    if rules.combine:
        pool = _combined(rules, pool)
    told = _without_corrected(rules, pool)
    return _choose_value(rules, _without_late_asides(told) if rules.choice == "latest" else told)


# `Quorn Stores, Inc., store 417`: which of the firm's places is no part of its name
_SITE = re.compile(
    r"(?:\s*\((?:store|plant|site|unit|branch|location|loc)?\.?\s?(?:no\.?\s?)?#?\s?\d+\)|,?\s+(?:store|plant|site|unit|"
    r"branch|location|loc|terminal|warehouse)\.?\s(?:no\.?\s?)?#?\s?\d+)$",
    re.IGNORECASE,
)


def _without_site(candidate: Candidate) -> Candidate:
    name = _SITE.sub("", candidate.value) if isinstance(candidate.value, str) else candidate.value
    return replace(candidate, value=name) if name and name != candidate.value else candidate


_ASIDE = 0.65  # of the best reading's weight
_SOON = 30  # days


def _without_late_asides(pool: Sequence[Candidate]) -> Sequence[Candidate]:
    """Drop what is read much worse in a paper of the days after a good reading: a note of a letter.

    What a paper of another month says, however weakly, may be news.
    """
    best = max(candidate.weight for candidate in pool)
    good = max(candidate.as_of for candidate in pool if candidate.weight >= _MUCH_OF * best)
    until = days_later(good, _SOON) if good else ""
    kept = [c for c in pool if c.weight >= _ASIDE * best or not good < c.as_of <= until]
    return kept or pool


_MUCH_OF = 0.9


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
        groups = same_people(groups)
    if rules.kind == "text":
        groups = _same_words(groups)
        if _is_short(rules):
            groups = _with_fuller(groups)
    if rules.kind == "firm":
        groups = _same_firms(groups)
    score = _agreement if rules.choice == "stable" else _recency
    if rules.choice == "best":
        score = _strength
    if rules.choice == "newest":
        score = _newest
    best = max(groups, key=lambda key: score(groups[key], pool))
    chosen = sorted(groups[best], key=lambda c: (c.as_of, c.weight), reverse=True)
    sound = [c for c in chosen if is_sound(c.value, rules)]
    winner = max(sound or chosen, key=lambda c: _best_form(rules, c))
    support = ranked(chosen)
    others = [c for key, group in groups.items() if key != best for c in group]
    return Choice(
        value=winner.value,
        support=support,
        confidence=confidence_of(support, others),
        has_conflict=any(c.as_of >= support[0].as_of for c in others),
        others=others,
        weaker=[c for c in chosen if all(c is not kept for kept in support)],
    )


def _same_words(groups: dict[Any, list[Candidate]]) -> defaultdict[Any, list[Candidate]]:
    """Unite two readings of one sentence, with and without the words around it."""
    united: defaultdict[Any, list[Candidate]] = defaultdict(list)
    for key in sorted(groups, key=lambda key: -len(str(key))):
        sources = {candidate.source for candidate in groups[key]}
        longer = (
            other
            for other, group in united.items()
            if (f" {key} " in f" {other} " and sources <= {candidate.source for candidate in group})
            or _is_short_form(str(key).split(), str(other).split())
        )
        united[next(longer, key)].extend(groups[key])
    return united


def _is_short(rules: FieldRules) -> bool:
    """Tell whether a lasting text is a few words that others may qualify: an occupation, and no address."""
    return rules.choice == "stable" and not rules.is_prose and rules.most_words <= _MOST_CORE_WORDS


def _with_fuller(groups: dict[Any, list[Candidate]]) -> defaultdict[Any, list[Candidate]]:
    """Unite what others only qualify: `pipe fitter`, `senior pipe fitter`, `Pipe fitter, second shift`."""
    united: defaultdict[Any, list[Candidate]] = defaultdict(list)
    for key in sorted(groups, key=lambda key: len(str(key))):
        core = next((one for one in united if _qualifies(str(one), groups[key][0])), key)
        united[core].extend(groups[key])
    return united


def _qualifies(core: str, candidate: Candidate) -> bool:
    told = str(candidate.value)
    head = re.split(r"[,;(/]| - ", told, maxsplit=1)[0]
    return " " in core and f" {' '.join(fold_words(head))}".endswith(f" {core}")


_MOST_CORE_WORDS = 10
_FEW, _STEM = 3, 8


def _is_short_form(words: Sequence[str], full: Sequence[str]) -> bool:
    """Tell whether a word is another description's first: `orthopaedics`, `orthopaedic surgery`."""
    return (
        len(words) == 1
        and 1 < len(full) <= _FEW
        and len(words[0]) > _STEM
        and words[0][:_STEM] == full[0][:_STEM]
    )


# What a firm's full name has behind the name that it is called by.
_LEGAL = frozenset(
    [
        "company",
        "co",
        "corporation",
        "corp",
        "incorporated",
        "inc",
        "limited",
        "ltd",
        "llc",
        "llp",
        "lp",
        "pc",
        "pllc",
        "pa",
        "insurance",
        "indemnity",
        "group",
        "mutual",
        "casualty",
        "and",
        "the",
        "of",
        "services",
        "associates",
        "center",
        "clinic",
        "offices",
        "partners",
    ]
)


def _same_firms(groups: dict[Any, list[Candidate]]) -> defaultdict[Any, list[Candidate]]:
    """Unite a firm's short name with its full one: `Adair`, `Adair Casualty Insurance Company`."""
    united: defaultdict[Any, list[Candidate]] = defaultdict(list)
    for key in sorted(groups, key=lambda key: -len(str(key))):
        longer = (
            other
            for other in united
            if _is_short_for(str(key).split(), str(other).split()) or _is_end_of(key, other, united)
        )
        united[next(longer, key)].extend(groups[key])
    return united


def _is_end_of(name: object, full: object, known: Mapping[Any, Any]) -> bool:
    """Tell whether a name is the end of one other alone: a letterhead parts a firm's name in two lines."""
    whole = [other for other in known if f"{other}".endswith(f" {name}")]
    return whole == [full] and len(str(name).split()) >= _LEAST_SHORTENED


_LEAST_SHORTENED = 3  # letters of `distr`, which is distribution


def _is_short_for(name: Sequence[str], full: Sequence[str]) -> bool:
    """Tell whether a firm's name is another's with words cut short or without its legal form at the end."""
    own = [word for word in name if word not in _LEGAL]
    whole = [word for word in full if word not in _LEGAL]
    if name == full[: len(name)]:
        return set(full[len(name) :]) <= _LEGAL
    return (
        len(own) == len(whole) > 1
        and own[0] == whole[0]
        and all(
            short == word or (len(short) >= _LEAST_SHORTENED and word.startswith(short))
            for short, word in zip(own, whole, strict=True)
        )
    )


def _best_form(rules: FieldRules, candidate: Candidate) -> tuple[float, float]:
    """Prefer the fullest print of a name and the heaviest reading of anything else."""
    if rules.kind in ("person", "physician") and isinstance(candidate.value, str):
        return (min(candidate.weight, 0.8), float(len(candidate.value)))
    if rules.kind == "text" and _is_short(rules):
        return (candidate.weight if candidate.weight < 0.6 else 0.6, -len(str(candidate.value)))
    if rules.kind == "firm" and isinstance(candidate.value, str):
        words = candidate.value.split()
        return (min(candidate.weight, 0.6), len(words) + len(candidate.value) / 1000)
    return (candidate.weight, 0.0)


def _recency(group: Sequence[Candidate], pool: Sequence[Candidate]) -> tuple[Any, ...]:
    latest = max(c.as_of for c in group)
    on_the_day = [c for c in group if c.as_of == latest]
    # what is further down in the same paper has the last word
    last = max(c.unit.words[0] for c in on_the_day)
    return (latest, summed(on_the_day), max(c.weight for c in on_the_day), last)


def _agreement(group: Sequence[Candidate], pool: Sequence[Candidate]) -> tuple[Any, ...]:
    latest = max((c.as_of for c in pool), default="")
    newest = max(c.as_of for c in group)
    return (summed(group) + (0.4 if newest == latest else 0.0), newest)


def _newest(group: Sequence[Candidate], pool: Sequence[Candidate]) -> tuple[Any, ...]:
    """Prefer the latest day that is a value: of decisions of one kind, the last one counts."""
    return (str(group[0].value), summed(group))


def _strength(group: Sequence[Candidate], pool: Sequence[Candidate]) -> tuple[Any, ...]:
    return (round(max(c.weight for c in group), 2), max(c.as_of for c in group), summed(group))
