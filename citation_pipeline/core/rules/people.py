"""Who is who across a claim: `Dr. Nguyen` and `D. Farrow` are the people whose full names are elsewhere."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from citation_pipeline.core.rules.readers.candidates import Candidate
from citation_pipeline.core.values.names import given_name_first, without_degree
from citation_pipeline.core.values.spans import fold_words

_TITLED = re.compile(r"^(?:Drs?|Mrs?|Ms|Miss)\.?\s+", re.IGNORECASE)


@dataclass(frozen=True)
class People:
    """Full names by folded surname, each with how often it was read."""

    by_surname: Mapping[str, Counter[str]]

    def full_name(self, name: str) -> str:
        """Return the one full name that a short form stands for, or the name as it is."""
        plain = _TITLED.sub("", name.strip())
        words = fold_words(without_degree(plain))
        if not words:
            return name
        given, surname = words[:-1], words[-1]
        has_initial = any(len(word) == 1 for word in given)
        if any(len(word) > 1 for word in given) and not has_initial and not _TITLED.match(name):
            return name
        known = self.by_surname.get(surname, Counter())
        fitting = [full for full in known if _fits(given, full)]
        # initials are filled by names that are spelled out, however often the initials are printed
        fitting = [full for full in fitting if min(map(len, fold_words(without_degree(full)))) > 1] or fitting
        bases = {tuple(fold_words(without_degree(full))) for full in fitting}
        if len(bases) == 1:
            return max(fitting, key=lambda full: (len(full), known[full]))
        if bases:
            return max(fitting, key=lambda full: (known[full], len(full)))
        return name

    def fullest(self, name: str) -> str:
        """Return a given name and surname with the one middle name that is printed between them anywhere."""
        words = fold_words(name)
        known = self.by_surname.get(words[-1], Counter()) if len(words) == _GIVEN_AND_SURNAME else Counter()
        longer = {
            tuple(other): full
            for full in known
            if len(other := fold_words(full)) > len(words) and (other[0], other[-1]) == (words[0], words[-1])
        }
        spelled = [full for other, full in longer.items() if min(map(len, other)) > 1]
        return spelled[0] if len(spelled) == 1 else name


_GIVEN_AND_SURNAME = 2


def _fits(given: list[str], full: str) -> bool:
    words = fold_words(without_degree(full))
    return len(words) >= 2 and all(
        any(word.startswith(part[0] if len(part) == 1 else part) for word in words) for part in given
    )


def meet(names: Iterable[str]) -> People:
    """Collect full names: those with a given name of more than an initial."""
    found: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for name in names:
        words = fold_words(without_degree(_TITLED.sub("", name)))
        if len(words) >= 2 and len(words[0]) > 1:
            found[words[-1]][name] += 1
            # a double surname answers to either half
            if len(words) >= 3:
                found[words[-2]][name] += 1
    return People(found)


def printed_in_full(names: Iterable[str], texts: Iterable[str]) -> Iterator[str]:
    """Return names that texts print in full where others have an initial: `Ana B. Ruiz`, `A. Ruiz`."""
    expressions: dict[str, None] = {}
    for name in names:
        plain = without_degree(_TITLED.sub("", name))
        match = re.fullmatch(r"([^\W\d_][\w'\u2019-]+) ([^\W\d_])\.? ([^\W\d_][\w'\u2019-]+)", plain)
        if match:
            given, initial, surname = map(re.escape, match.groups())
            middle = rf"{initial}[\w'\u2019-]+"
            expressions[rf"\b{given}\s{middle}\s{surname}\b|\b{surname}, {given}\s{middle}\b"] = None
        bare = re.fullmatch(r"([^\W\d_]{3,}) ([^\W\d_][\w'\u2019-]{2,})", plain)
        if bare:
            given, surname = map(re.escape, bare.groups())
            expressions[rf"\b{given}\s(?-i:[A-Z])[a-z'\u2019-]{{2,}}\s{surname}\b"] = None
        short = re.fullmatch(r"([^\W\d_])\.? ([^\W\d_][\w'\u2019-]+)", plain)
        if short:
            initial, surname = map(re.escape, short.groups())
            given = rf"(?-i:{initial.upper()}[a-z'\u2019-]+)"
            expressions[rf"\b{given} (?:(?-i:[A-Z])\.? )?{surname}\b"] = None
        titled = re.fullmatch(r"Drs?\.? ([^\W\d_][\w'\u2019-]+)", name.strip())
        if titled:
            surname = re.escape(titled[1])
            given = r"(?-i:[A-Z])[a-z'\u2019-]+ (?:(?-i:[A-Z])\.? )?"
            expressions[rf"(?<=\bDr ){given}{surname}\b|(?<=\bDr\. ){given}{surname}\b"] = None
            expressions[rf"\b{given}{surname}(?=,? (?:M\.?D|D\.?[OC])\b)"] = None
    for text in texts if expressions else ():
        for expression in expressions:
            for found in re.finditer(expression, text, re.IGNORECASE):
                name = given_name_first(" ".join(found[0].split()))
                # of `Ruiz, Ana / DOB` the capitals are a label's
                if name.isupper() or not any(len(part) > 1 and part.isupper() for part in name.split()):
                    yield name


def same_people(groups: Mapping[Any, list[Candidate]]) -> defaultdict[Any, list[Candidate]]:
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
    short = fold_words(without_degree(_TITLED.sub("", str(one.value))))
    full = fold_words(without_degree(_TITLED.sub("", str(other.value))))
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
