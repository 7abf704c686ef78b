"""Identifiers that people search by: claim, board case, purchase order, load, container numbers.

Found by their form and by the words before them. An identifier is compared without spaces, dashes and case.
"""

import re

_LABELLED = re.compile(
    r"\b(?:claim|client claim|our file|file|case|adj|panel|policy|po|p\.o\.|purchase order|load|pro|bol|b/l|"
    r"bill of lading|container|invoice|order|shipment|protocol|mrn|review|bill|check|draft|lic|accession)"
    r"\s*(?:no\.?|number|num\.?|#|id)?\s*[:#.]?\s*((?=[A-Z0-9./-]*\d)[A-Z0-9][A-Z0-9./-]{3,29})\b",
    re.IGNORECASE,
)
_BOARD_CASE = re.compile(r"\bADJ\s?\d{5,8}\b", re.IGNORECASE)
_CONTAINER = re.compile(r"\b[A-Z]{3}[UJZ]\s?\d{6}\s?-?\d\b")  # ISO 6346
_CODE = re.compile(r"\b(?=[A-Z0-9-]*\d)(?=[A-Z0-9-]*[A-Z])[A-Z0-9]{2,}(?:-[A-Z0-9]+){1,5}\b")
_PLAIN = re.compile(r"[^A-Z0-9]")


def normal_identifier(text: str) -> str:
    """Return an identifier's letters and digits alone, in capitals."""
    return _PLAIN.sub("", text.upper())


def find_identifiers(text: str) -> list[str]:
    """Return the normal forms of the identifiers of a text, in order, each once."""
    found = [match[1] for match in _LABELLED.finditer(text)]
    for pattern in (_BOARD_CASE, _CONTAINER, _CODE):
        found += [match[0] for match in pattern.finditer(text)]
    normal = (normal_identifier(each) for each in found)
    return list(dict.fromkeys(each for each in normal if 5 <= len(each) <= 30))


def identifiers_in_query(text: str) -> list[str]:
    """Return what in a query looks like an identifier: known forms, and long tokens with digits."""
    tokens = re.findall(r"[A-Za-z0-9][A-Za-z0-9./-]{4,29}", text)
    loose = [
        normal_identifier(t) for t in tokens if sum(c.isdigit() for c in t) >= 3 and not _is_date_or_sum(t)
    ]
    return list(dict.fromkeys([*find_identifiers(text), *(each for each in loose if len(each) >= 5)]))


def _is_date_or_sum(token: str) -> bool:
    return bool(
        re.fullmatch(r"\d{1,4}[/.-]\d{1,2}(?:[/.-]\d{1,4})?|\d+(?:\.\d+)?", token)
        and not re.fullmatch(r"0\d{5,}|\d{7,}", token)
    )
