"""What a question is about besides its field: names, parts of the body with their side, numbers and dates.

An answer's evidence has to speak of the same subjects, otherwise it is a near miss.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

from citation_pipeline.core.matching.folding import fold
from citation_pipeline.core.matching.vocabulary import known_words
from citation_pipeline.core.retrieval.terms import fold_text, term_of
from citation_pipeline.core.retrieval.vocabulary import vocabulary
from citation_pipeline.core.values.dates import MONTHS, find_dates

_TOKEN = re.compile(r"[^\W\d_][\w'’.&-]*")
# a number that names one thing, not a year nor a form: 482084, T-70231, but not 2026, PR-2, ICD-10
_IDENTIFIER = re.compile(
    r"(?<![\w$.,/-])(?=(?:[\w.-]*\d){3})(?!(?:19|20)\d\d\b)[A-Za-z]{0,5}[-#]?\d[\w-]*(?![\w/]|,\d)"
)
# a day without its year: "the week that ended July 6", "on 9/27"; not "Aug 28 or 29", which asks for one
_DAY = re.compile(
    rf"\b(?P<name>{'|'.join(sorted(MONTHS, key=len, reverse=True))})\.? (?P<day>\d{{1,2}})(?:st|nd|rd|th)?\b"
    r"(?!,? ?(?:19|20)\d\d)(?! or \d)|(?<![\d/.$-])(?P<month>\d{1,2})/(?P<of>\d{1,2})(?![\d/%])",
    re.IGNORECASE,
)
_SIDES = {
    "left": "left",
    "l": "left",
    "right": "right",
    "r": "right",
    "izquierdo": "left",
    "izquierda": "left",
}
_SIDE = re.compile(
    r"(?<![\w.&/])(left|right|l|r)(?=\.?\s+(?:[a-z-]+\s+)?(?:\w*(?:shoulder|knee|wrist|hand|arm|leg|ankle|"
    r"foot|hip|elbow|finger|thumb|ear|eye|side|thigh|calf|cuff|upper|lower|extremity|heel|toe|middle|ring|index|grip|"
    r"carpal|cubital|rotator|trigger|ulnar|menisc|acl|groin|inguinal|rib|jaw|tibia|fibula|femur|clavicle|radius|"
    r"biceps|achilles|plantar)))"
    r"|\bon the (left|right)\b|\d(?: ?(?:lbs?|kg|degrees?|db|mm|cm|%))? (left|right)\b(?! \w*[- ]?handed)"
)
_SENTENCE_END = re.compile(r"(?<!\bDr)(?<!\bMr)(?<!\bMs)(?<!\bMrs)(?<!\bSt)(?<!\b[A-Z])[.?!]\s+$")
_TITLES = frozenset(["mr", "mrs", "ms", "dr", "hon", "miss", "judge", "prof"])
_ASKING = frozenset(
    [
        "who",
        "whose",
        "whom",
        "what",
        "which",
        "when",
        "where",
        "why",
        "how",
        "is",
        "are",
        "was",
        "were",
        "did",
        "does",
        "do",
        "has",
        "have",
        "had",
        "can",
        "could",
        "will",
        "would",
        "should",
        "any",
        "on",
        "by",
        "in",
        "at",
        "under",
        "to",
        "from",
        "for",
        "through",
        "until",
        "after",
        "before",
        "the",
    ]
)


@dataclass(frozen=True, slots=True)
class Subjects:
    """Folded names, parts of the body (the first word of their group), sides, identifiers, ISO dates.

    A date without its year reads `--07-06`.

    `owners` are the names whose own things are asked for: "Ana Ruiz's birthday", "when was Ms. Ruiz born";
    `full_names` are names of two words or more that stand together; `roles` those whose own things are asked
    for without a name: the brother's; `procedures` are operations and tests, `proceedings` what is
    held before a judge or under oath: a trial, a deposition.
    """

    names: tuple[str, ...] = ()
    body_parts: frozenset[str] = frozenset()
    sides: frozenset[str] = frozenset()
    identifiers: tuple[str, ...] = ()
    dates: tuple[str, ...] = ()
    owners: tuple[str, ...] = ()
    full_names: tuple[tuple[str, ...], ...] = ()
    roles: tuple[str, ...] = ()
    procedures: frozenset[str] = frozenset()
    proceedings: frozenset[str] = frozenset()


# people and firms that a claim's own fields are not about, unless the field is called by them
_ROLES = (
    r"(?:(?:half-?)?brother|sister|wife|husband|spouse|mother|father|parent|son|daughter|child|neighbor|landlord|"
    r"attorney|lawyer|counsel|paralegal|adjuster|examiner|judge|magistrate|commissioner|supervisor|boss|foreman|"
    r"manager|coworker|co-worker|witness|investigator|interpreter|mediator|broker|police|officer|therapist|physician|doctor|surgeon|nurse|"
    r"radiologist|vendor|manufacturer|tortfeasor|defendant|bystander|rescuer|vocational counselor)"
)
RELATIVES = frozenset(
    [
        "brother",
        "sister",
        "wife",
        "husband",
        "spouse",
        "mother",
        "father",
        "parent",
        "son",
        "daughter",
        "child",
    ]
)
"""Roles of people who are strangers to a claim: what is said of the worker is not said of them."""

_OF_LAWYERS = re.compile(r"\b(?:trial|deposition) (?:counsel|attorney|lawyer|transcript|testimony)\b")
_OF_ROLE = re.compile(
    rf"\b({_ROLES})'s "
    r"(?!(?:report|note|letter|office|claim|case|file|opinion|summary|ledger|statement|form)\b)"
    rf"|(?<!front )\bof (?:the|his|her|their|our|a) (?:[\w'-]+ ){{0,3}}({_ROLES})\b(?!'s)"
)


# a worker's family ask of the worker: "my mother's rate"
_OWN_KIN = re.compile(
    r"\bmy (?:mother|father|husband|wife|spouse|son|daughter|brother|sister|parent)\b"
    r"|\b(?:my )?(?:mom|mum|mommy|mama|dad|daddy|papa)\b"
)


def roles_of(text: str) -> tuple[str, ...]:
    """Return the roles whose own things are asked for: the brother's birthday, the fee of the lawyer."""
    told = _OWN_KIN.sub("the worker", fold_text(text))
    return tuple(dict.fromkeys(match[1] or match[2] for match in _OF_ROLE.finditer(told)))


def read_subjects(text: str) -> Subjects:
    """Return what a question is about."""
    dates = tuple(str(span.value) for span in find_dates(text)) or _days_of(text)
    names = _names(text)
    return Subjects(
        names=names,
        owners=tuple(name for name in names if _is_owner(name, text)),
        full_names=_full_names(text, names),
        roles=roles_of(text),
        procedures=procedures_of(text),
        proceedings=proceedings_of(text),
        body_parts=body_parts_of(text),
        sides=sides_of(text),
        identifiers=() if dates else tuple(dict.fromkeys(m[0].lower() for m in _IDENTIFIER.finditer(text))),
        dates=dates,
    )


def _days_of(text: str) -> tuple[str, ...]:
    """Return the days that are named without a year."""
    return tuple(dict.fromkeys(f"--{month:02}-{day:02}" for month, day, _, _ in days_without_year(text)))


def days_without_year(text: str) -> list[tuple[int, int, int, int]]:
    """Return month, day, and where each begins and ends; a fraction that can be no day is none."""
    found = []
    for match in _DAY.finditer(text):
        month = MONTHS[match["name"].lower()] if match["name"] else int(match["month"])
        day = int(match["day"] or match["of"])
        if 1 <= month <= 12 and 1 <= day <= 31 and (match["name"] or day > 12 or month * day > 20):
            found.append((month, day, match.start(), match.end()))
    return found


# a month that is named without a day: "the February visit", but not "it may"
_MONTH = re.compile(
    rf"\b(?P<name>{'|'.join(sorted(MONTHS.keys() - {'may'}, key=len, reverse=True))})\b"
    r"\.?(?! ?\d{1,2}\b)"
    r"|\b(?:in|of|since|by|last|this|the) (?P<may>may)\b(?! ?\d{1,2}\b)"
)


def months_of(text: str) -> frozenset[str]:
    """Return the months that a question names without a day, as two figures."""
    found = _MONTH.finditer(fold_text(text))
    return frozenset(f"{MONTHS[match['name'] or match['may']]:02}" for match in found)


def _names(text: str) -> tuple[str, ...]:
    """Return capitalized words that are no common words: "What did Dr. Benhamou say" names benhamou."""
    found = []
    for match in _TOKEN.finditer(text):
        opens = not match.start() or bool(_SENTENCE_END.search(text[: match.start()]))
        word = re.sub(r"['’]s$", "", match[0]).strip(".'’-")
        plain = _plain(word)
        if not word[:1].isupper() or plain in _TITLES or plain in _ASKING:
            continue
        if len(word) < 3 or word.isupper() or (len(word) < 5 and not word[1:].islower()):
            continue  # abbreviations are terms: MRI, TD, QME, SiC
        if (
            plain in MONTHS
            or plain in _NO_NAMES
            or (opens and not _opens_with_name(text, plain, match.end()))
        ):
            continue
        found.append(plain)
    return tuple(dict.fromkeys(found))


_RUN = re.compile(r"[A-ZÀ-Þ][\w’'-]+(?:\s+(?:[A-Z]\.\s+)?[A-ZÀ-Þ][\w’'-]+)+")


def _full_names(text: str, names: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    """Return the names that stand together: "Ruben Escalante" is one person, and not every Ruben."""
    runs = []
    for match in _RUN.finditer(text):
        words = [_plain(re.sub(r"['’]s$", "", word).strip(".'’-")) for word in match[0].split()]
        parts = tuple(word for word in words if word in names)
        if len(parts) > 1:
            runs.append(parts)
    return tuple(runs)


def _plain(name: str) -> str:
    """Return a name as the words of documents are folded: O'Brien is `obrien`."""
    return fold_text(name).replace("'", "")


def _is_owner(name: str, text: str) -> bool:
    folded = re.sub(r"'(?!s\b)", "", fold_text(text))
    return f"{name}'s " in folded or (" born" in folded and name in folded)


def _opens_with_name(text: str, word: str, end: int) -> bool:
    """Tell whether a sentence begins with a name: another follows, and it is not any word with a capital."""
    if fold(word) in known_words():
        return False
    return bool(re.match(r"['’]s\b|\s[A-Z][a-z]", text[end:])) or text[max(0, end - 2) : end] == "'s"


# printed with a capital, and nobody's name
_CAPITALS = """
monday tuesday wednesday thursday friday saturday sunday christmas easter thanksgiving halloween
board commission court department bureau division medicare county agency office parish city town
appeals industrial labor accident office workers compensation administration program insurance claims
form box item section page exhibit report letter invoice contract agreement order
township village borough district state federal university college school hospital clinic union carrier
insurer fund employer company
mom mum mommy mama dad daddy papa mother father
"""
_NO_NAMES = frozenset(_CAPITALS.split())


def _named(groups: Sequence[Sequence[str]]) -> tuple[re.Pattern[str], dict[str, str]]:
    name_of = {name: group[0] for group in groups for name in group}
    listed = "|".join(re.escape(name) for name in sorted(name_of, key=len, reverse=True))
    return re.compile(rf"(?<![a-z0-9])(?:{listed})(?![a-z0-9])"), name_of


@cache
def _body() -> tuple[re.Pattern[str], dict[str, str]]:
    return _named(vocabulary().body_parts)


@cache
def _procedures() -> tuple[re.Pattern[str], dict[str, str]]:
    return _named(vocabulary().procedures)


def procedures_of(text: str) -> frozenset[str]:
    """Return the operations and tests that a text names, each by the first name of its group."""
    pattern, name_of = _procedures()
    return frozenset(name_of[match[0]] for match in pattern.finditer(fold_text(text)))


@cache
def _proceedings() -> tuple[re.Pattern[str], dict[str, str]]:
    return _named(vocabulary().proceedings)


def proceedings_of(text: str) -> frozenset[str]:
    """Return the proceedings that a text names; who somebody's trial counsel is, is none."""
    pattern, name_of = _proceedings()
    told = _OF_LAWYERS.sub(" ", fold_text(text))
    return frozenset(name_of[match[0]] for match in pattern.finditer(told))


def body_parts_of(text: str) -> frozenset[str]:
    """Return the parts of the body that a text names, each by the first name of its group."""
    pattern, name_of = _body()
    return frozenset(name_of[match[0]] for match in pattern.finditer(fold_text(text)))


@cache
def _part_of_term() -> dict[str, str]:
    return {term_of(name): group[0] for group in vocabulary().body_parts for name in group if " " not in name}


def part_of_term(term: str) -> str:
    """Return the part of the body that a term names by itself, by the first name of its group, or ""."""
    return _part_of_term().get(term, "")


def sides_of(text: str) -> frozenset[str]:
    """Return "left" or "right", where a text says so before a noun."""
    return frozenset(_SIDES[match[1] or match[2] or match[3]] for match in _SIDE.finditer(fold_text(text)))


def is_near(name: str, word: str) -> bool:
    """Tell whether two names are the same but for a slip: `mkrtchian` is Mkrtchyan."""
    if name == word:
        return True
    if min(len(name), len(word)) < 5 or abs(len(name) - len(word)) > 1 or name[0] != word[0]:
        return False
    return _distance_at_most_one(name, word)


def _distance_at_most_one(one: str, other: str) -> bool:
    start = 0
    while start < min(len(one), len(other)) and one[start] == other[start]:
        start += 1
    rests = (
        (one[start + 1 :], other[start + 1 :]),
        (one[start:], other[start + 1 :]),
        (one[start + 1 :], other[start:]),
    )
    swapped = one[start + 1 : start + 2] + one[start : start + 1] + one[start + 2 :]
    return any(a == b for a, b in rests) or swapped == other[start:]


def names_in(names: Iterable[str], words: frozenset[str]) -> int:
    """Return how many of the names stand among a text's folded words, slips allowed in long ones."""
    return sum(any(is_near(name, word) for word in words) for name in names)
