"""The pattern language of lexicon files: regular expressions with typed holes.

`{date}` captures a date as the value, `{due_date:date}` captures it as a member, `{_date}` matches without
capturing; a space stands for any space. Which patterns there are belongs to the lexicon.
"""

import re

from citation_pipeline.core.values.names import (
    ADDRESS,
    ADJ,
    FIRM,
    ICD10,
    PERSON,
    PHONE,
    PHYSICIAN,
    SURNAME_FIRST,
    TITLED,
)

_MONTH = r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
_MONTH += r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
_DATE = (
    r"(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day,?\s+)?"
    r"(?<![\d/])(?:\d{1,2}\s?[/.-]\s?\d{1,2}\s?[/.-]\s?(?:\d{4}|\d{2})(?!\d)|\d{4}-\d{1,2}-\d{1,2}(?!\d)"
    rf"|{_MONTH}\s*\d{{1,2}}(?:st|nd|rd|th)?,?\s+\d{{4}}"
    rf"|\d{{1,2}}(?:st|nd|rd|th)?(?:\s+day\s+of\s+|[\s-]*){_MONTH}[\s,-]*\d{{2,4}}"
    rf"|{_MONTH}\s*(?:3[01]|[12]\d|0?[1-9])(?:st|nd|rd|th)?(?![\d,]|\s+\d{{4}})"
    # a note's day without its year; which year is meant, the note's own day says
    r"|(?<![\d/.$#-])(?:1[0-2]|0?[1-9])/(?:3[01]|[12]\d|0?[1-9])(?![\d/%]|-\d|\.\d))"
)

HOLES = {
    "date": _DATE,
    "money": r"(?:USD\s?)?\$\s?\d[\d,]*(?:\.\d+)?|\b\d{1,3}(?:,\d{3})+(?:\.\d\d)?|\b\d+\.\d\d\b",
    "percent": r"\b(?:\d{1,3}(?:\.\d+)?|(?:ten|fifteen|twenty|twenty-five|thirty|thirty-five|"
    r"forty|forty-five|fifty|sixty|seventy|seventy-five|eighty|ninety|one|two|three|four|five|six|seven|eight|nine|eleven|twelve|thirteen|"
    r"fourteen|sixteen|seventeen|eighteen|nineteen))\s?(?:%|percent|per\scent|pct)",
    "number": r"\$?\b\d[\d,]*(?:\.\d+)?",
    "person": PERSON,
    "name": rf"(?:{SURNAME_FIRST}|{PERSON}|{TITLED})",
    "physician": rf"(?:{PHYSICIAN})",
    "firm": FIRM,
    "address": ADDRESS,
    "icd": ICD10,
    "adj": ADJ,
    "phone": PHONE,
    "code": r"\b[A-Z0-9][A-Z0-9./-]*\d[A-Z0-9./-]*\b",
    "text": r".+?",
    "clause": r"[^,;:()]+?",
    "phrase": r"[^.;:]+?",
    "rest": r".+",
    "word": r"[\w-]+",
}

_HOLE = re.compile(r"\{(?:(?P<silent>_)|(?P<group>[a-z][a-z0-9_]*):)?(?P<kind>[a-z]+)\}")

_UP_TO_STOP = re.compile(r"\[\^\.([^\]\\]*)\]")

# An abbreviation is a word of its own: without bounds `IME` is in every time, `CT` in every doctor.
_ABBREVIATION = re.compile(
    r"(?<![\\A-Za-z\[?<{-])(?:P?QME|AME|IME|MMI|SIU|P?TTD|TPD|PTP|MSC|AOE|COE|AWW|AWE|WPI|RFA|NCM|MSA|RTW|PPD|PTD|RTC|CT|UR|DD|EMG|NCV|MRI|RN)"
    r"(?![A-Za-z?\]*+{])"
)

VALUE_GROUP = "v"


def compile_pattern(pattern: str) -> re.Pattern[str]:
    """Compile a lexicon's pattern; raises ValueError naming a hole or an expression that is not known."""

    def fill(hole: re.Match[str]) -> str:
        kind = hole["kind"]
        if kind not in HOLES:
            raise ValueError(f"there is no hole {{{kind}}}; known are {', '.join(sorted(HOLES))}")
        if hole["silent"]:
            return f"(?:{HOLES[kind]})"
        return f"(?P<{hole['group'] or VALUE_GROUP}>{HOLES[kind]})"

    # a sentence does not end inside an amount, nor behind a title: `examined Ms. Quorn on`
    pattern = _ABBREVIATION.sub(r"(?<![a-z])\g<0>(?![a-z]{2})", pattern)
    pattern = _UP_TO_STOP.sub(
        r"(?:[^.\1]|(?<=\\d)\\.(?=\\d)|(?<=\\b[MD][rs])\\.(?=\\s)|(?<=\\bMrs)\\.(?=\\s))", pattern
    )
    spaced = re.sub(r"(?<!\\) (?P<maybe>[?*]?)", lambda space: r"\s*" if space["maybe"] else r"\s+", pattern)
    try:
        return re.compile(_HOLE.sub(fill, spaced), re.IGNORECASE)
    except re.error as error:
        raise ValueError(f"is not a regular expression: {error}") from error
