"""What is to be made unreadable: every place that says a value, whatever form it is printed in.

Finds places in words as they were read; what a scan shows and nobody read is found by nobody. Drawing black
boxes is the serving layer's work.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from fnmatch import fnmatchcase
from typing import Any, Protocol, TypeVar

from citation_pipeline.core.boxes import Box
from citation_pipeline.core.values.spans import find_folded, fold

MASK = "[redacted]"
WordRead = TypeVar("WordRead", bound="ReadWord")
_TITLES = re.compile(r",\s*(?:[A-Za-z]\.?){2,5}\.?$")
_LEAST = 4  # a shorter text ("12", "No") is on every page: it is covered only where it was cited
_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)


# of a field's key: its value is the name of a person; a company's "Harbor Foods" has no surname
_PERSONS = re.compile(
    r"(?:claimant|employee|worker|patient|applicant|dependent|spouse|witness|physician|doctor|surgeon|"
    r"therapist|evaluator|examiner|adjuster|attorney|judge|person|contact|(?:first|last|full|middle)_name)"
)
_OF_A_PERSON = re.compile(r"(?:name|physician|doctor|attorney|judge|adjuster|examiner|evaluator)$")


@dataclass(frozen=True, slots=True)
class Redaction:
    """Black boxes on one page, and the rule that asked for them: a field key, or who drew them."""

    source_id: str
    page: int
    boxes: Sequence[Box]
    rule: str


class ReadWord(Protocol):
    """A word of a page."""

    @property
    def text(self) -> str:
        """What was read."""
        ...

    @property
    def page(self) -> int:
        """The 1-based page."""
        ...

    @property
    def box(self) -> Box:
        """Where it is, in the page frame."""
        ...


def is_chosen(field: Mapping[str, Any], *, patterns: Sequence[str], kinds: Sequence[str]) -> bool:
    """Tell whether a field is to be redacted: by its key (`claimant.*`) or its kind of value (`date`)."""
    return field.get("valueType") in kinds or any(fnmatchcase(field["fieldKey"], p) for p in patterns)


def printed_forms(value: Any) -> set[str]:
    """Return the texts, folded, in which documents print a value; too short ones are left out."""
    return {form for form in map(fold, _written(value)) if len(form) >= _LEAST}


def name_parts(field: Mapping[str, Any], value: Any) -> set[str]:
    """Return, folded, the parts of a person's name that name them alone: "Ms. Quintanar", "Dear Marisol".

    Only of fields whose key says that they hold a person; parts of less than four letters are left out.
    """
    key = field["fieldKey"].lower()
    if not isinstance(value, str) or not (_PERSONS.search(key) and _OF_A_PERSON.search(key)):
        return set()
    name = value.partition(",")[0] if _TITLES.search(value) else value  # "Amelia Prado, M.D."
    parts = name.replace(",", " ").split()
    if not 2 <= len(parts) <= 4 or any(character.isdigit() for character in name):
        return set()
    return {form for form in map(fold, parts) if len(form) >= _LEAST}


def capitalized(words: Iterable[WordRead]) -> list[WordRead]:
    """Return the words that a name could be: "Price" may be somebody's, "price" is what something costs."""
    return [word for word in words if next(filter(str.isalpha, word.text), "a").isupper()]


def _written(value: Any) -> Iterator[str]:
    if isinstance(value, bool) or value is None:
        return
    if isinstance(value, int | float):
        yield f"{value:.2f}"
        if float(value).is_integer():
            yield str(int(value))
        else:
            yield f"{value}"
    elif isinstance(value, list):
        for item in value:
            yield from _written(item)
    elif isinstance(value, dict):
        for item in value.values():
            yield from _written(item)
    else:
        yield from _written_text(str(value))


def _written_text(text: str) -> Iterator[str]:
    yield text
    try:
        yield from _written_date(date.fromisoformat(text[:10]))
    except ValueError:
        parts = text.replace(",", " ").split()
        if 2 <= len(parts) <= 3 and all(part.strip(".'’-").isalpha() for part in parts):
            yield " ".join([parts[-1], *parts[:-1]])  # QUINTANAR, MARISOL
            if len(parts) == 3:
                yield f"{parts[0]} {parts[2]}"
                yield f"{parts[2]} {parts[0]}"


def _written_date(day: date) -> Iterator[str]:
    for month in {f"{day.month:02}", str(day.month)}:
        for number in {f"{day.day:02}", str(day.day)}:
            yield f"{month}/{number}/{day.year}"
            # "7/2/84" is four digits like an amount's: rather that is covered as well than a date is not
            yield f"{month}/{number}/{day.year % 100:02}"
    name = _MONTHS[day.month - 1]
    suffix = "th" if 10 <= day.day % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(day.day % 10, "th")
    for month in {name, name[:3], name[:4] if name == "September" else name}:
        for number in {f"{day.day:02}", str(day.day), f"{day.day}{suffix}"}:
            for year in (f"{day.year}", f"{day.year % 100:02}"):
                yield f"{month} {number}, {year}"
                yield f"{number} {month} {year}"
                yield f"{number} of {month} {year}"


def values_of(field: Mapping[str, Any]) -> Iterator[Any]:
    """Yield whatever was read or given as a field's value: what is shown, what the pipeline or a person had
    instead, and what was read and is not believed. A field that is doubted is as confidential as one that is
    not.
    """
    yield from (field.get("rawValue"), field.get("value"), field.get("machineValue"))
    for candidate in field.get("candidates", ()):
        yield from (candidate.get("rawValue"), candidate.get("value"))
    for conflict in field.get("conflicts", ()):
        yield from (conflict.get("personValue"), conflict.get("pipelineValue"))


def cited_places(field: Mapping[str, Any], rule: str) -> Iterator[Redaction]:
    """Yield where a field's values were cited: the value's own boxes, else those of the quoted words."""
    readings = (field, *field.get("candidates", ()))
    for citation in (citation for reading in readings for citation in reading.get("citations", ())):
        regions = citation.get("regions", {})
        for region in regions.get("value") or regions.get("snippet") or ():
            boxes = [Box(**box) for box in region["boxes"]]
            yield Redaction(citation["sourceId"], region["page"], boxes, rule)


def said_places(
    source_id: str, words: Sequence[ReadWord], forms: Mapping[str, Iterable[str]]
) -> Iterator[Redaction]:
    """Yield every place of a document whose words say one of the texts; `forms` by rule, folded.

    A word that says more than the text ("DOB:07/02/1984") is covered whole.
    """
    letters, owners, starts, ends = _letters(words)
    for rule, texts in forms.items():
        for text in set(texts):
            at = letters.find(text)
            while at != -1:
                behind = at + len(text)
                if starts[at] and ends[behind - 1]:
                    yield from _covered(source_id, words[owners[at] : owners[behind - 1] + 1], rule)
                at = letters.find(text, at + 1)


def _letters(words: Sequence[ReadWord]) -> tuple[str, list[int], list[bool], list[bool]]:
    """Return all folded letters, whose word each is, and which begin and end a run of letters or digits."""
    letters: list[str] = []
    owners: list[int] = []
    starts: list[bool] = []
    ends: list[bool] = []
    for number, word in enumerate(words):
        was_letter = False
        for character in word.text:
            folded = fold(character)
            if not folded:
                if was_letter:
                    ends[-1] = True
                was_letter = False
                continue
            for letter in folded:
                letters.append(letter)
                owners.append(number)
                starts.append(not was_letter)
                ends.append(False)
                was_letter = True
        if was_letter:
            ends[-1] = True
    return "".join(letters), owners, starts, ends


def _covered(source_id: str, words: Sequence[ReadWord], rule: str) -> Iterator[Redaction]:
    pages: dict[int, list[Box]] = {}
    for word in words:
        pages.setdefault(word.page, []).append(word.box)
    for page, boxes in pages.items():
        yield Redaction(source_id, page, boxes, rule)


def masked(text: str, forms: Iterable[str]) -> str:
    """Return a text without the redacted ones: file names and other values say them as well."""
    for form in sorted(set(forms), key=len, reverse=True):
        for start, end in reversed(find_folded(text, form)):
            text = text[:start] + MASK + text[end:]
    return text


def overlaps(one: Box, other: Box) -> bool:
    """Tell whether two boxes share more than an edge."""
    across = min(one.right, other.right) - max(one.left, other.left)
    down = min(one.bottom, other.bottom) - max(one.top, other.top)
    return across > 0 and down > 0
