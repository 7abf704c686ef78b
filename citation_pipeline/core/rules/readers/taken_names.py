"""Names in a text: persons, physicians with their degrees, firms up to where their addresses begin."""

import re
from collections.abc import Iterator

from citation_pipeline.core.rules.lexicons.lexicon import FieldRules
from citation_pipeline.core.rules.readers.taken_values import EDGES, Taken, is_nothing
from citation_pipeline.core.values.names import (
    PERSON,
    PHYSICIAN,
    SURNAME_FIRST,
    TITLED,
    given_name_first,
    is_firm_like,
    is_person_like,
    without_degree,
)

_PHYSICIAN = re.compile(rf"{PHYSICIAN}|{PERSON}|{TITLED}")
# How a firm takes part, behind its name: `City of Azalea (self-insured)`.
_ROLE = re.compile(
    r",?\s*\((?:a |permissibly |legally |the )*(?:self[- ]?(?:insured|insuring|administered)|insured|insurer|"
    r"carrier|employer|tpa|administrator|third[- ]party administrator|defendant)"
    r"(?: (?:employer|entity|program))?\)\s*$|"
    r",?\s+(?:attorney|counsel|lawyer)s?(?: at law)?(?: of record)? for\b.*$",
    re.IGNORECASE,
)
_FIRM_ENDS = re.compile(
    r"\s*(?:,\s+(?=\d|P\.?\s?O\.?\s+Box)|;|\s\|\s|\s[-\u2013]\s(?=\d)|\s\(\d{3}\)|\s(?=Telephone|Tel\b|Phone|Fax)|"
    r"(?<=\b(?:Inc|Ltd|LLC|LLP|Co\.|P\.C)[.,])\s+(?=\d)|(?<=\b(?:LLC|LLP|Inc))\s+(?=\d)|\s(?=P\.?\s?O\.?\s+Box\b)|"
    r"(?<=[a-z]{4})\.\s+(?=This\b|The\b|It\b|We\b|I\b|He\b|She\b|They\b|Please\b)|"
    r"(?<=[a-z]{5})(?<!Assoc)(?<!Distr)(?<!Indem)\.\s+(?=(?-i:[A-Z][a-z]+)\s+(?-i:[a-z])))"
)
# `Crest Orthopaedics, Watsonville`: a town behind a comma, no legal form
_TOWN = re.compile(
    r",\s+(?!(?:Inc|LLC|LLP|LP|PC|APC|PLC|Corp|Co|Ltd|APLC|PLLC|LPA|APMC|PSC|A)\b)"
    r"(?-i:[A-Z](?:[a-z]{2,}|[A-Z]{2,})(?: [A-Z][A-Za-z]+)?)$",
    re.IGNORECASE,
)
_HONORIFIC = re.compile(r"^(?:Mr|Mrs|Ms|Miss|Hon)\.?\s+", re.IGNORECASE)
_ESQUIRE = re.compile(r",?\s*\b(?:Esq\.?|Esquire)$", re.IGNORECASE)
_SURNAME_FIRST = re.compile(SURNAME_FIRST)
_GIVEN_FIRST = re.compile(rf"{PERSON}|{TITLED}")
_NAME_ENDS = re.compile(r"\s[/|(\u2013-]|;|\d|\s-\s|\b(?:DOB|DOI|SSN|MRN)\b")


_LABEL_BEHIND = re.compile(
    r"(?<=\w)[,;]?\s+(?:DOB|DOI|DOL|D/I|SSN|MRN|EMP|Claim|Carrier|Employer|WCAB|ADJ\d+)\b"
)


# What a physician practises, printed behind the name: `Ruiz, Ana Ortho`.
_PROFESSION = re.compile(
    r"[\s,-]+(?:ortho\w*|neuro\w*|psych\w*|chiro\w*|podiat\w*|occ(?:upational)? med\w*|internal med\w*|"
    r"family (?:med|prac)\w*|pain(?: \w+)?|PM ?& ?R|physiatr\w*|surg\w*|hand|spine|ENT|IM|FP|GP)\b.*$",
    re.IGNORECASE,
)


# The line's next label, whatever it is called: `Ana M. Ruiz Event: March 3`.
_ANY_LABEL_BEHIND = re.compile(r"(?<=\w)[,;]?\s+[A-Z][\w/-]*:(?=\s|$)")
# How a person takes part, printed before the name without a colon: `PETITIONER Ana Ruiz`.
_PART_BEFORE = re.compile(
    r"^(?:(?:injured\s+)?(?:worker|employee)|petitioner|claimant|applicant|respondent|plaintiff|defendant|"
    r"patient|insured|examinee|evaluee|examiner|adjuster|client|decedent|beneficiary|attorney|atty\.?|counsel)\s+"
    r"(?=\S+\s+\S)",
    re.IGNORECASE,
)


_SAYS_FOR_WHOM = re.compile(r"$|,?\s+(?:for|of|at|with|on behalf)\b|\s*$")
# `Ruiz, Ana M.` without its first word
_GIVEN_ALONE = re.compile(r"\S+(?:\s+[A-Z]\.?)+")


# Who is behind it is the other party, mostly a firm: `Ruiz v. Casa Linda`.
_VERSUS = re.compile(r"\bvs?\.?\s*$", re.IGNORECASE)


def take_person(text: str, rules: FieldRules) -> Iterator[Taken]:
    """Take persons: a whole text of surname and given name, else every name in it, else initials."""
    lead = len(text) - len(text.lstrip(EDGES))
    cut = _NAME_ENDS.search(text, lead)
    head = text[lead : cut.start() if cut else len(text)].rstrip(EDGES + ".")
    if cut and cut[0].isdigit() and text[cut.start() - 1] in "-ABCDEFGHIJKLMNOPQRSTUVWXYZ":
        head = re.sub(r",?\s*[A-Z]+$", "", head)  # the letters of `Ana Ruiz, WC-22-4188`
    head = _ESQUIRE.sub("", head)
    # `Ruiz, Ana M. for the insurer`
    told = _SURNAME_FIRST.match(head)
    end = told.end() + head.startswith(".", told.end()) if told else 0
    if told and is_person_like(told[0]) and _SAYS_FOR_WHOM.match(head[end:]):
        yield Taken(lead, lead + end, given_name_first(head[:end]))
        return
    labels = [
        found for found in (one.search(text, lead) for one in (_LABEL_BEHIND, _ANY_LABEL_BEHIND)) if found
    ]
    for match in _GIVEN_FIRST.finditer(text[: min((one.start() for one in labels), default=len(text))]):
        name = _PART_BEFORE.sub("", _ESQUIRE.sub("", match[0].strip(EDGES)))
        plain = _HONORIFIC.sub("", name)
        if _VERSUS.search(text[: match.start()]):
            continue
        if _GIVEN_ALONE.fullmatch(plain):
            continue
        if is_person_like(plain) or re.match(r"(?:Dr|Mr|Ms|Mrs)\.?\s", name):
            at = match.start() + match[0].find(name)
            yield Taken(at, at + len(name), plain)
    initials = re.match(r"(?-i:[A-Z]\.\s?[A-Z][\w'\u2019-]+)", text.strip())
    if initials:
        yield Taken(lead, lead + initials.end(), initials[0], False)


# What somebody is appointed as is no degree: `Ode Reo, M.D., Q.M.E.`
_APPOINTED = re.compile(r",?\s+(?:Q\.?M\.?E|A\.?M\.?E|I\.?M\.?E)\.?$")
# What societies give is no part of a name: `Ana Ruiz, MD, FAAOS`.
_HONOURS = re.compile(r",?\s+F\.?A?\.?[A-Z.]{2,6}$")


def take_physician(text: str, rules: FieldRules) -> Iterator[Taken]:
    """Take physicians, those with a degree first; a whole text of surname and given name is one."""
    lead = len(text) - len(text.lstrip(EDGES))
    cut = _NAME_ENDS.search(text, lead)
    head = _PROFESSION.sub("", text[lead : cut.start() if cut else len(text)].rstrip(EDGES)).rstrip(EDGES)
    if _SURNAME_FIRST.fullmatch(without_degree(head)) and is_person_like(without_degree(head)):
        yield Taken(lead, lead + len(head), given_name_first(head))
        return
    found = [m for m in _PHYSICIAN.finditer(text) if is_person_like(_bare(m[0])) or m[0].startswith("Dr")]
    found.sort(key=lambda m: (not _has_degree(m[0]), m.start()))
    for match in found:
        printed = _HONOURS.sub("", match[0].rstrip(" ,;"))
        name = _APPOINTED.sub("", printed)
        if len(without_degree(name).split()[-1].strip(".")) > 1:
            yield Taken(match.start(), match.start() + len(name), name, _has_degree(printed))


def _has_degree(name: str) -> bool:
    return name.startswith("Dr") or without_degree(name) != name


def _bare(name: str) -> str:
    return re.sub(r"^Dr\.?\s+", "", name)


# `Adair & Poole in April 2025`: the day is not the firm's.
_SINCE = re.compile(
    r",?\s+(?:in|on|since|from|as of|effective)\s+"
    r"(?=\d|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?\s+\d)",
    re.IGNORECASE,
)


# `Adair Casualty   Servicing office:` is followed by the line's next label.
_NEXT_LABEL = re.compile(r"\s+[A-Z][\w'-]*(?: [a-z][\w'-]*){1,2}:")


def take_firm(text: str, rules: FieldRules) -> Iterator[Taken]:
    """Take a firm: the text up to an address or a telephone number."""
    lead = len(text) - len(text.lstrip(EDGES))
    body = text[lead:]
    cut = _FIRM_ENDS.search(body)
    name = _SINCE.split(body[: cut.start()] if cut else body, maxsplit=1)[0]
    name = _NEXT_LABEL.split(name, maxsplit=1)[0]
    town = _TOWN.search(name)
    if town and is_firm_like(name[: town.start()]):
        name = name[: town.start()]
    name = _ROLE.sub("", name).rstrip(EDGES)
    if name.endswith(".") and not re.search(r"\b(?:Inc|Co|Corp|Ltd|P\.[AC]|L\.P|A\.P\.C|L\.L\.C)\.$", name):
        name = name[:-1]
    if name and not is_nothing(name) and any(c.isalpha() for c in name):
        yield Taken(lead, lead + len(name), name, is_firm_like(name))
