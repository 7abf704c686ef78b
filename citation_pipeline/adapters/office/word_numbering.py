"""List labels of DOCX paragraphs: bullets and numbers, counted as a word processor counts them."""

import re
from collections import defaultdict

from lxml import etree

from citation_pipeline.adapters.office.xml_names import attribute, child, children, integer

_ROMAN = ((10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"))


class Numbering:
    """The package's list definitions, and how far each list has counted."""

    def __init__(self, root: etree._Element | None) -> None:
        self._levels: dict[str, dict[int, tuple[str, str, int]]] = {}
        self._counts: dict[str, dict[int, int]] = defaultdict(dict)
        if root is None:
            return
        abstract = {attribute(node, "abstractNumId"): _levels(node) for node in children(root, "abstractNum")}
        for node in children(root, "num"):
            self._levels[attribute(node, "numId")] = abstract.get(
                attribute(child(node, "abstractNumId"), "val"), {}
            )

    def label(self, properties: etree._Element | None) -> tuple[str, int] | None:
        """Return a paragraph's label and level, and count it; None for a paragraph that is no list item."""
        numbered = child(child(properties, "numPr"), "numId")
        if numbered is None:
            return None
        number = attribute(numbered, "val")
        level = min(8, max(0, integer(child(child(properties, "numPr"), "ilvl"), 0)))
        if number == "0" or number not in self._levels:
            return None
        levels, counts = self._levels[number], self._counts[number]
        form, text, start = levels.get(level, ("bullet", "•", 1))
        counts[level] = counts.get(level, start - 1) + 1
        for deeper in [one for one in counts if one > level]:
            del counts[deeper]
        if form == "bullet":
            return "•", level
        if form == "none":
            return "", level

        def written(match: re.Match[str]) -> str:
            other = int(match.group(1)) - 1
            other_form, _, other_start = levels.get(other, ("decimal", "", 1))
            return _written(counts.get(other, other_start), other_form)

        return re.sub(r"%(\d)", written, text), level


def _levels(node: etree._Element) -> dict[int, tuple[str, str, int]]:
    found = {}
    for level in children(node, "lvl"):
        at = attribute(level, "ilvl")
        if at.isdigit():
            found[int(at)] = (
                attribute(child(level, "numFmt"), "val") or "decimal",
                attribute(child(level, "lvlText"), "val"),
                integer(child(level, "start"), 1),
            )
    return found


def _written(number: int, form: str) -> str:
    if form in ("lowerLetter", "upperLetter") and number > 0:
        letter = chr(ord("a") + (number - 1) % 26) * ((number - 1) // 26 + 1)
        return letter.upper() if form == "upperLetter" else letter
    if form in ("lowerRoman", "upperRoman") and 0 < number < 40:
        roman = ""
        for value, digits in _ROMAN:
            while number >= value:
                roman, number = roman + digits, number - value
        return roman.upper() if form == "upperRoman" else roman
    return str(number)
