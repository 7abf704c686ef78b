"""Persons and firms that a text names, as somebody would answer "who".

The grammar is narrower than that of `core/values/names.py`, which reads the values of fields: here any
capitalized run of running text is looked at, and most are no names.
"""

import re

from citation_pipeline.core.matching.folding import fold
from citation_pipeline.core.matching.vocabulary import known_words
from citation_pipeline.core.retrieval.typed_value import TypedValue
from citation_pipeline.core.retrieval.word_kin import is_plain_word
from citation_pipeline.core.values.names import is_firm_like, is_person_like

_NAME = re.compile(
    r"(?:Hon\.|Dr\.|Mr\.|Ms\.|Mrs\.)\s+(?:[A-Z][\w'’.-]*\s?){1,4}"
    r"|(?<![\w.])[A-Z][a-zà-ÿ'’]+(?:[-\s–]+(?:[A-Z]\.|de|la|van|von)?\s?[A-ZÀ-Þ][\wà-ÿ'’-]+){1,3}(?:,?\s(?:M\.?D\.?|D\.?O\.?|D\.?C\.?|"
    r"R\.?N\.?|P\.?T\.?A?|DPT|Ph\.?D\.?|Esq\.?))*"
    r"|(?<![\w.])[A-Z]\.\s(?:[A-Z]\.\s)?[A-Z][\w'’-]+"
)
# an office before a name, with what it is of before it: Industrial Appeals Judge Winifred Castellane
_OFFICED = re.compile(
    r"\b(?:Judge|Justice|Commissioner|Arbitrator|Mediator|Referee|Examiner|Adjuster|Supervisor|Manager|Director|"
    r"Officer|Attorney|Nurse|Foreman|Counselor|Hygienist|Therapist|Technician|Investigator|Deputy|Detective|"
    r"Sergeant|Captain|Agent|Specialist|Coordinator|Engineer|Steward|Secretary)\s+"
    r"(?=([A-Z][a-zà-ÿ'’]+(?:[-\s–]+(?:[A-Z]\.\s?)?(?:de |la |van |von )?[A-ZÀ-Þ][\wà-ÿ'’-]+){1,2}))"
)
# who sits in judgement is called by the last name alone
_BENCH = re.compile(
    r"\b(?:Judge|Justice|Magistrate|Commissioner|Arbitrator|Mediator|Referee|WCJ|WCALJ|ALJ|JCC)\s+"
    r"([A-ZÀ-Þ][a-zà-ÿ'’]+(?:-[A-ZÀ-Þ][a-zà-ÿ'’]+)?)(?![\w’'-])"
)
_CAPITALS = re.compile(
    r"(?<![\w.])[A-ZÀ-Þ][A-ZÀ-Þ'’-]{2,}, [A-ZÀ-Þ][\wÀ-ÿ'’-]+(?: [A-ZÀ-Þ][\wÀ-ÿ'’.-]*)?(?![\w])"
)
# capitalized words with the small ones that firms put between: Law Offices of Alder & Finch, LLP
_FIRM = re.compile(
    r"(?<![\w.])[A-Z][\w'’.-]*(?:(?:,? (?:&|of|and|the|for|-|–) |,? )(?:[A-Z][\w'’.&-]*|&))*"
    r"(?:,? (?:Inc|LLC|LLP|Ltd|Co|Corp|PC|APC|LP)\b\.?)?"
)
_DEGREE = re.compile(r"^(?:Dr|Mr|Ms|Mrs|Hon)\b|\b(?:M\.?D|D\.?O|D\.?C|Esq)\b")
_LETTERS = re.compile(r",? (?:R\.?N|P\.?T|D\.?P\.?T|Ph\.?D|D\.?P\.?M|Psy\.?D|N\.?P|P\.?A|J\.?D)\b|^Judge\b")
_OFFICES = frozenset(
    [
        "president",
        "vice",
        "chairman",
        "director",
        "officer",
        "manager",
        "supervisor",
        "adjuster",
        "examiner",
        "attorney",
        "doctor",
        "physician",
        "judge",
        "page",
        "date",
        "name",
        "phone",
        "fax",
        "claim",
        "number",
        "employer",
        "employee",
        "insured",
        "signature",
        "section",
        "total",
    ]
)
_RANKS = frozenset(
    ["board", "committee", "chair", "secretary", "treasurer", "superintendent", "senator", "by", "attn"]
)
_LISTED_NAME = re.compile(r"[A-ZÀ-Þ][\w'’-]+, [A-ZÀ-Þ][\w'’.-]+(?: [A-Z]\.?)?")
_ENDINGS = (b"s", b"es", b"ed", b"ing", b"ly")
# what closes a firm's name beside its legal form: Golden Bear Copy Service
_ENDS = """
service services bureau board network organization organisation associates union council commission
institute foundation society division authority station studio studios press media school
"""
_FIRM_ENDS = frozenset(_ENDS.split())
# the next words of the same line, where a firm's name may go on: "Meridian Fact" Group
_AFTER = re.compile(r"(?:[ ](?:&[ ])?[A-Z][\w'’&-]*){1,2}")
_ADDRESS = re.compile(
    r"\b(?:Street|Suite|Avenue|Ave|Blvd|Boulevard|Road|Zip|P\.?O\.? Box)\b|\b[A-Z]{2} \d{5}\b"
)


def find_persons(text: str) -> list[TypedValue]:
    """Return the persons that a text names, left to right."""
    if _LISTED_NAME.fullmatch(text.strip()):
        return [_placed(text, 0, len(text), text.strip())]
    found = _named_runs(text)
    found = [name for name in found if _is_name(name.text) and not _begins_firm(text, name)]
    bench = [m for m in _BENCH.finditer(text) if not is_plain_word(m[1])]
    found += [_placed(text, m.start(), m.end(), m[0]) for m in bench if not any(_holds(f, m) for f in found)]
    if not found:
        listed = [m for m in _CAPITALS.finditer(text) if not is_firm(m[0])]  # "ALDER FOODS, INC" is no person
        found = [_placed(text, m.start(), m.end(), m[0]) for m in listed]
    return sorted(found, key=lambda name: name.start)


def _holds(name: TypedValue, match: re.Match[str]) -> bool:
    return name.start < match.end() and match.start() < name.end


def _named_runs(text: str) -> list[TypedValue]:
    """Return the capitalized runs that may be names; where an office stands in one, what follows it."""
    officed = [
        _trimmed(text, m.start(1), m.end(1)) for m in _OFFICED.finditer(text) if not _holds_office(m[1])
    ]
    plain = [_trimmed(text, m.start(), m.end()) for m in _NAME.finditer(text)]
    apart = [run for run in plain if all(run.end <= o.start or o.end <= run.start for o in officed)]
    return sorted([*officed, *apart], key=lambda run: run.start)


def _holds_office(run: str) -> bool:
    return not (_OFFICES | _RANKS).isdisjoint(run.lower().split())


def _trimmed(text: str, start: int, end: int) -> TypedValue:
    """Return a capitalized run without the labels around it: `Board President Ana Ruiz Date` of birth."""
    words = list(re.finditer(r"\S+", text[start:end]))
    while len(words) > 2 and words[0][0].strip(",.").lower() in _OFFICES | _RANKS:
        start, words = (
            start + words[1].start(),
            list(re.finditer(r"\S+", text[start + words[1].start() : end])),
        )
    while len(words) > 2 and (last := words[-1][0].strip(",.")).isalpha() and len(last) > 2:
        if not _is_common(last) and last.lower() not in _OFFICES:
            break
        words.pop()
    end = start + words[-1].end()
    return TypedValue(text[start:end].strip(" ,"), text[start:end].strip(" ,"), start, end)


def find_firms(text: str) -> list[TypedValue]:
    """Return the firms that a text names: those with a firm's word, or any run of capitalized words."""
    runs = [_placed(text, m.start(), m.end(), m[0].strip(" ,")) for m in _FIRM.finditer(text)]
    runs = [run for run in runs if len(run.text) > 3 and run.text.split()[0].lower() not in _OFFICES]
    runs = [run for run in runs if not _ADDRESS.search(run.text)]
    firms = [run for run in runs if is_firm(run.text)]
    return firms or [run for run in runs if " " in run.text and not _DEGREE.search(run.text)]


def is_titled(text: str) -> bool:
    """Tell whether a name carries a title or a degree: "Dr. Nguyen", "Ana Ruiz, Esq."."""
    return bool(_DEGREE.search(text) or _LETTERS.search(text))


def is_plainly_worded(text: str) -> bool:
    """Tell whether all words of a capitalized run are words of the language: "Status Conference"."""
    words = [word for word in re.findall(r"[^\W\d_]+", text) if len(word) > 2]
    return bool(words) and not is_titled(text) and all(is_plain_word(word) for word in words)


def _begins_firm(text: str, name: TypedValue) -> bool:
    """Tell whether what looks like a person is the beginning of a firm's name."""
    after = _AFTER.match(text, name.end)
    if after is None:
        return False
    return any(_is_firm_end(word) for word in re.findall(r"[\w'’-]+", after[0]))


def is_firm(text: str) -> bool:
    """Tell whether a text has a word that firms have in their names."""
    return is_firm_like(text) or bool(_FIRM_ENDS & set(text.lower().split()))


def _is_firm_end(word: str) -> bool:
    return word.lower() in _FIRM_ENDS or is_firm_like(f"A {word}")


def _placed(text: str, start: int, end: int, value: str) -> TypedValue:
    return TypedValue(value, text[start:end].strip(), start, end)


def find_parties(text: str) -> list[TypedValue]:
    """Return the persons that a text names, otherwise its firms: whoever asks "who" may mean either."""
    return find_persons(text) or [run for run in find_firms(text) if is_firm(run.text)]


def _is_name(text: str) -> bool:
    """Tell whether a capitalized run is a person's name: no firm, and not all of it common words."""
    words = re.findall(r"[^\W\d_]+", text)
    if (
        is_firm_like(text)
        or not is_person_like(text)
        or any(word.isupper() and len(word) > 3 for word in words[:1])
    ):
        return False
    if any(word.lower() in _OFFICES for word in words):
        return False
    strange = sum(len(word) > 2 and not _is_common(word) for word in words)
    common = sum(len(word) > 2 and _is_common(word) for word in words)
    # "Utilization Review Decision" has one word that no list knows; a name has at most one that lists know
    return strange > 0 and (common <= 1 or bool(_DEGREE.search(text)))


def _is_common(word: str) -> bool:
    """Tell whether a word is a listed one, with or without a plain ending."""
    key = fold(word)
    return any(
        known in known_words()
        for known in (key, *(key[: -len(end)] for end in _ENDINGS if key.endswith(end) and len(key) > 6))
    )
