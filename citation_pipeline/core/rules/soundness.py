"""Whether a value looks like one of its kind: a firm without a claim number in it, a name without a label.

A value that does not may still be right; it is not believed without a person.
"""

import re
from collections.abc import Mapping
from typing import Any

from citation_pipeline.core.rules.lexicons.lexicon import FieldRules
from citation_pipeline.core.values.dates import find_dates
from citation_pipeline.core.values.names import is_person_like, without_degree
from citation_pipeline.core.values.spans import fold_words

# A sentence's verb: a title, a place or a firm has none.
_TELLS = re.compile(
    r"\b(?:is|was|are|were|has|have|had|will|would|shall|should|did|does|do|said|says|told|asked|be|been|can|could|"
    r"may|not)\b",
    re.IGNORECASE,
)
# A member of a list that is only thought of, or of somebody else.
_UNCERTAIN = re.compile(
    r"^(?:rule[sd]? out|r/?o\b|possible|possibly|suspected|questionable|versus|vs|family history|h/o|"
    r"history of|no evidence|denies|negative for)\b",
    re.IGNORECASE,
)
# What a code's own description says: `not specified as traumatic`.
_NOS = re.compile(
    r"\bnot (?:elsewhere|otherwise) (?:specified|classified)|\bnot specified(?: as)?\b", re.IGNORECASE
)
# A sentence about somebody, whose verb may be missing: `She no longer`.
_ABOUT = re.compile(r"^(?:he|she|they|it|i|we|you|this|there|these|those)\b", re.IGNORECASE)
_QUOTES = re.compile(r"^[\"\u201c\u201d]|[\"\u201c\u201d]$")
_CODE_BEHIND = re.compile(r"\s[A-Z]{2,5}-?\d[\w-]{3,}$|\b\d{2}-\d{5,}|\b[A-Z]{1,4}-\d{2,4}-\d{3,}")
_LOWER_START = re.compile(
    r"^(?:and|or|of|to|for|with|by|on|in|at|from|as|that|which|who|see|re)\b", re.IGNORECASE
)
_LABEL_INSIDE = re.compile(
    r"\b(?:DOB|DOI|DOL|SSN|MRN|(?:Claim|File) (?:No|number|#)|Policy(?: No)?|Date of \w+|Adjuster|Carrier)\b"
)
_CONTACTS = re.compile(r"@|https?:|\(\d{3}\)|\b\d{3}[-.]\d{3}[-.]\d{4}\b")
_SENTENCES = re.compile(r"[a-z]{2}[.;] +[A-Z]")
# A text that ends so was cut off: by a line's end, a column, a full stop of an abbreviation.
_CUT_OFF = re.compile(
    r"(?:(?<!\.)\b(?:and|or|of|to|for|with|by|at|from|as|that|which|who|the|an?|his|her|their|its|our|your|than|per|but|if|"
    r"because|is|was|are|were|be|been|has|have|had|will)|[,/&(-])$",
    re.IGNORECASE,
)
# What a form asks for, printed behind its label: no value.
_INSTRUCTS = re.compile(
    r"^(?:what|how|why|when|where|which|whose|describe|specify|explain|list|check|attach|include|indicate|enter|"
    r"state|provide|give|please|number,? street|street|last,? first|first,? (?:middle|m\.?i)|mm[/-]dd|"
    r"city,? state|name of|"
    r"type or print|see (?:reverse|instructions|attached|below|above))\b",
    re.IGNORECASE,
)
# `AS Everardo Ruiz`: letters of a number beside a name that is not in capitals.
_CAPITALS_AROUND = re.compile(
    r"^(?!(?:JR|SR|MD|DO|DC)\b)[A-Z]{2,4}\s+[A-Z][a-z]|[a-z]\s+(?!(?:II|III|IV|MD|DO|DC|PT|RN|NP|PA|JD)\b)[A-Z]{2,4}$"
)
_SUM = re.compile(r"^[$\u20ac\u00a3]\s?\d")  # a sum where words are asked for is another label's
_BOX = re.compile(
    r"^\d{1,2}[a-z]?[.)]\s+(?:[A-Z]{3,}|[A-Z][a-z]+[:?])"
)  # `26. HOUR OF INJURY` is the next box of a form
# `Reason: the guideline asks for` is the next label with its value.
_NEXT_LABEL = re.compile(r"^[A-Z][a-z]+(?: [a-z]+){0,2}: ")
_YEAR = "january february march april may june july august september october november december"
_MONTHS = frozenset(_YEAR.split())
_MONTH_BEHIND = re.compile(rf"\b(?:in|on|since|from|until) (?:{'|'.join(_YEAR.split())})\b", re.IGNORECASE)
_LEAST_LETTERS = 3
_LONGEST = {"firm": 12, "person": 6, "physician": 9, "text": 60, "address": 18}


def is_sound(value: Any, rules: FieldRules) -> bool:
    """Tell whether a value, or the first member of a list's item, looks like one of the field's kind."""
    if isinstance(value, Mapping):
        first = rules.field.items[0].name if rules.field.items else ""
        return _is_sound_text(str(value.get(first, "")), "item", rules)
    if not isinstance(value, str) or rules.kind in ("date", "last_date", "enum", "adj", "icd"):
        return True
    return _is_sound_text(value, rules.kind, rules)


def _is_sound_text(text: str, kind: str, rules: FieldRules) -> bool:
    words = text.split()
    if not words or len(words) > rules.most_words or len(words) > _LONGEST.get(kind, 60):
        return False
    if _CONTACTS.search(text) or _LABEL_INSIDE.search(text) or not _is_closed(text):
        return False
    is_asked = kind != "code" and not rules.is_prose and _INSTRUCTS.match(text)
    if is_asked or _CUT_OFF.search(text.rstrip()):
        return False
    if kind in ("person", "physician"):
        if _CAPITALS_AROUND.search(without_degree(text)):
            return False
        named = fold_words(without_degree(text))
        is_once = len(set(named)) == len(named) and not _MONTHS.intersection(named[1:])
        return is_once and is_person_like(without_degree(re.sub(r"^Drs?\.?\s+", "Given ", text)))
    if kind == "item" and (_UNCERTAIN.match(text) or (":" in text and not rules.is_prose)):
        return False  # `Two liens on file: Ruiz` is a sentence's beginning, no name
    if kind == "item" and sum(character.isalpha() for character in text) < _LEAST_LETTERS:
        return False  # a code, a fragment of one
    if kind == "firm":
        return _is_firm(text) and (rules.must is None or bool(rules.must.search(text)))
    if kind == "code":
        return not find_dates(text) and len(fold_words(text)) <= 6
    if _LOWER_START.match(text) or _QUOTES.search(text) or text.rstrip().endswith(("?", ":")):
        return False
    if rules.must is not None and not rules.must.search(text):
        return False
    if kind == "text" and (_SUM.match(text) or _BOX.match(text)):
        return False
    if kind == "text" and not rules.is_prose and _NEXT_LABEL.match(text):
        return False
    # a short description tells nothing; only prose fields hold sentences
    text = _NOS.sub(" ", text)
    return rules.is_prose or not (_TELLS.search(text) or _SENTENCES.search(text) or _ABOUT.match(text))


def _is_closed(text: str) -> bool:
    """Tell whether what opens in a text also closes in it: a bracket, a quotation."""
    quotes = sum(text.count(mark) for mark in '"\u201c\u201d')
    return text.count("(") == text.count(")") and quotes % 2 == 0


# Words of a caption's second line, which name no firm by themselves: `INSURANCE COMPANY,`
_GENERIC = """insurance casualty surety indemnity assurance mutual company the of and carrier claims
administrator employer insurer group inc llc corporation corp co services firm law offices office medical
clinic center hospital defendant defendants applicant"""
_OF_ANY_FIRM = frozenset(_GENERIC.split())


def _is_firm(text: str) -> bool:
    if _OF_ANY_FIRM.issuperset(fold_words(text)):
        return False
    if _CODE_BEHIND.search(text) or find_dates(text) or _TELLS.search(text) or _MONTH_BEHIND.search(text):
        return False
    words = [word for word in text.split() if word.strip(",.&()").isalpha()]
    capitals = sum(word[0].isupper() for word in words)
    return bool(words) and words[0][0].isupper() and capitals >= 0.6 * len(words)
