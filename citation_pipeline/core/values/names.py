"""People, firms, addresses and codes as running text writes them.

The expressions are pieces for larger patterns: they hold no groups of their own and stay case-sensitive
where case is what tells a name from a word.
"""

import re

from citation_pipeline.core.values.spans import fold_words

_DEGREES = (
    r"M\.?\s?D\.?|D\.?\s?O\.?|D\.?P\.?M\.?|D\.?C\.?|D\.?D\.?S\.?|D\.?M\.?D\.?|Ph\.?\s?D\.?|Psy\.?\s?D\.?|Ed\.?D\.?|"
    r"D\.?P\.?T\.?|P\.?T\.?A?\.?|O\.?T\.?R?\.?|L\.?Ac\.?|N\.?P\.?|P\.?A\.?(?:-C)?|R\.?N\.?|L\.?V\.?N\.?|F\.?N\.?P\.?|"
    r"O\.?D\.?|FAAOS|FACS|M\.?P\.?H\.?|M\.?S\.?|Q\.?M\.?E\.?|Esq\.?(?:uire)?|CCM|JD|J\.D\.|MBA"
)
_TITLE = r"(?:Drs?|Mrs?|Ms|Miss|Hon|Judge|Prof)\.?\s+"
_WORD = r"[A-Z\u00c0-\u00de][\w\u2019'\u00c0-\u017f]*(?:-[A-Z\u00c0-\u00deA-Za-z][\w\u2019']*)*"
_PARTICLE = r"(?:de\s+la|de\s+los|del|de|la|van\s+der|van|von|der|den|da|dos|di|du|le|st\.|bin|al)"
_INITIAL = r"[A-Z]\."

PERSON = (
    rf"(?-i:(?<!\w)(?:{_TITLE})?(?:{_WORD}|{_INITIAL})(?:\s+(?:{_INITIAL}|{_PARTICLE}\s+{_WORD}|{_WORD})){{1,4}}"
    rf"(?:,?\s+(?:Jr|Sr|II|III|IV)\b\.?)?(?:,?\s*\b(?:{_DEGREES})(?![\w]))*)"
)
"""`Thuy-Linh Nguyen, M.D.`, `Dr. B. de la Cruz`: at least a given name and a surname."""

SURNAME_FIRST = rf"(?-i:{_WORD}(?:\s+{_WORD}){{0,2}},\s+{_WORD}(?:\s+(?:{_WORD}|{_INITIAL})){{0,2}})"
"""`QUINTANAR SOTO, MARISOL`: surname, comma, given name."""

TITLED = rf"(?-i:(?:Drs?|Mrs?|Ms)\.?\s+(?:{_INITIAL}\s?)*{_WORD}(?:\s+{_WORD})?)"
"""`Dr. Nguyen`, `Ms. Quintanar`."""

PHYSICIAN = (
    rf"(?-i:(?<!\w)(?:Dr\.?\s+)?(?:{_WORD}|{_INITIAL})(?:\s+(?:{_INITIAL}|{_PARTICLE}\s+{_WORD}|{_WORD})){{1,4}}"
    rf"(?:,?\s*\b(?:{_DEGREES})(?!\w))+|Dr\.?\s+(?:{_INITIAL}\s?)*{_WORD}(?:\s+{_WORD}){{0,3}})"
)
"""A person with a degree behind or `Dr.` before the name."""

_FIRM_WORD = r"(?:[A-Z0-9\u00c0-\u00de][\w\u2019'.&/-]*|&|and|of|the|for|at|de|la|del|y|in)"
FIRM = (
    r"(?-i:(?<!\w)[A-Z0-9\u00c0-\u00de][\w\u2019'.&/-]*(?:\s+" + _FIRM_WORD + r"){0,11}"
    r"(?:,\s+(?:Inc|LLC|L\.L\.C|LLP|L\.L\.P|LP|L\.P|PC|P\.C|APC|A\.P\.C|PLC|Corp|Co|Ltd|APLC|"
    r"S\.C|P\.A|P\.L\.L\.C|PLLC|A (?:P\.?L\.?C|P\.?C|L\.?L\.?C|L\.?L\.?P)|"
    r"A (?:Professional|Law|Medical|California)[\w ]*Corporation)\b\.?)*(?:\s+\(self-insured[^)]*\))?)"
)
"""A firm: up to twelve capitalised words and the small words between them, with its legal form.

The bound keeps a page of capitalised words from costing the square of its length.
"""

ADDRESS = (
    r"(?-i:(?:\d[\w-]*\s+(?:[NSEW]\.?\s+)?[A-Z0-9][^,;:\n]*?|P\.?\s?O\.?\s+(?i:Box|Drawer)\s+\d+)"
    r"(?:,?\s+[A-Z0-9#][^,;:]*?){1,4},?\s+[A-Z]{2}\.?\s+\d{5}(?:-\d{4})?)"
)
"""Street or box number down to the postal code."""

ICD10 = r"(?-i:\b[A-TV-Z]\d[0-9A-Z](?:\.[0-9A-Z]{1,4})?\b)"
ADJ = r"\bADJ\s?-?\d{5,9}\b"
PHONE = r"\(?\d{3}\)?[ .-]\d{3}[.-]\d{4}"

_FIRM_WORDS = """inc llc llp lp pc apc plc corp corporation company co ltd group partners associates
insurance casualty indemnity mutual fund clinic medical center centre hospital law offices firm services
administrators adjusters department agency bank university district county city school foods industries
systems orthopedic orthopaedic orthopedics orthopaedics therapy imaging surgery surgical health healthcare
care specialists institute physicians practice wellness chiropractic rehab risk consultants investigations
laboratories pharmacy adjusting rehabilitation management solutions claims logistics transport freight
lines trucking shipping alliance"""
_OTHER_WORDS = """the and or of for to from by on in at per unknown none see same attached n/a na yes no not
pending date name address phone fax signature title claim employer employee insured carrier number
attorney counsel"""
_TITLE_WORDS = """log logs report reports note notes notepad form forms statement notice summary
worksheet screen letter register registers record records history activity memo memorandum receipt
invoice order application request response decision determination review evaluation examination
diary ledger snapshot transcript correspondence document documents file files packet attachment
cover listing printout payroll chart"""
_FORMS = frozenset(_FIRM_WORDS.split())
_NOT_NAMES = frozenset(f"{_OTHER_WORDS} {_TITLE_WORDS}".split())
"""A document's title is nobody's name: `Activity Log`."""

_TRAILING_DEGREE = re.compile(rf"(?:,?\s+(?:{_DEGREES}))+\s*$")
_GENERATION = re.compile(r"(?<=\w)\s+((?:jr|sr)\.?|I{2,3}|IV)\s*$", re.IGNORECASE)


_NAME = r"[A-Z\u00c0-\u00de][\w'\u2019-]+"
_PARTNERS = re.compile(rf"^{_NAME}(?:,? {_NAME}){{0,3}},? & [A-Z\u00c0-\u00de]")


def is_firm_like(text: str) -> bool:
    """Tell whether a text has a word that firms carry in their names, or joins names: `Alder & Finch`."""
    return bool(_PARTNERS.match(text)) or any(word in _FORMS for word in fold_words(text))


def is_person_like(text: str) -> bool:
    """Tell whether a text could be a person's name: two to seven words, no digits, no firm's word."""
    words = fold_words(_TRAILING_DEGREE.sub("", text))
    return (
        2 <= len(words) <= 6
        and not any(c.isdigit() for c in text)
        and not any(word in _FORMS or word in _NOT_NAMES for word in words)
    )


def given_name_first(name: str) -> str:
    """Return `Surname, Given` as `Given Surname`, capitals eased; other names as written."""
    degrees = _TRAILING_DEGREE.search(name)
    tail = degrees[0].strip().lstrip(",").strip() if degrees else ""
    plain = name[: degrees.start()].strip().rstrip(",") if degrees else name.strip()
    surname, comma, given = plain.partition(",")
    generation = ""
    if comma and given.strip() and "," not in given:
        if found := _GENERATION.search(given):  # `Akins, Delroy T Jr`
            given, generation = given[: found.start()], f" {found[1]}"
        plain = f"{given.strip()} {surname.strip()}"
    if plain.isupper():
        plain = ease_capitals(plain)
        generation = generation if set(generation) <= set(" IV") else ease_capitals(generation)
    plain += generation
    return f"{plain}, {tail}" if tail else plain


def ease_capitals(text: str) -> str:
    """Return words in capitals with only their first letters kept so: `LÓPEZ-DÍAZ` reads `López-Díaz`."""
    return re.sub(r"[^\W\d_]+", lambda word: word[0][0].upper() + word[0][1:].lower(), text)


def without_degree(name: str) -> str:
    """Return a name without `M.D.`, `Esq.` and the like behind it."""
    return _TRAILING_DEGREE.sub("", name)
