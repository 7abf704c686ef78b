"""A condition's text as tokens: comparisons, values, joining words, quotations and plain words.

Every character that is not a space belongs to a token, so what is not understood can be named. Dates, sums
and comparisons of several words ("on or after") are one token each.
"""

import calendar
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from citation_pipeline.core.values.dates import MONTHS, find_dates
from citation_pipeline.core.values.numbers import find_number_spans, plain_number

Kind = Literal["word", "comparison", "value", "quoted", "open", "close", "and", "or", "comma", "not", "post"]

_COMPARISONS: tuple[tuple[str, str], ...] = (
    (">=", "at least|no less than|no fewer than|no lower than|greater than or equal to|more than or equal to|"
     "since|on or after|at or above|no earlier than|starting on|starting from|minimum of|>=|=>|≥"),
    ("<=", "at most|no more than|no greater than|no higher than|less than or equal to|up to|until|till|"
     "through|on or before|at or below|no later than|maximum of|<=|=<|≤"),
    ("!=", "!=|<>|≠|other than|not equal to|different from"),
    (">", "over|above|more than|greater than|exceeding|exceeds|exceed|exceeded|higher than|larger than|"
     "bigger than|in excess of|after|later than|>"),
    ("<", "under|below|less than|lower than|smaller than|fewer than|before|earlier than|prior to|<"),
    ("between", "between"),
    ("does not contain", "does not contain|do not contain|does not include|does not mention"),
    ("contains", "contains|contain|containing|includes|include|including|mentions|mentioning"),
    ("starts with", "starts with|start with|starting with|begins with|beginning with"),
    ("missing", "missing|absent|empty|blank|unknown|null"),
    ("present", "present|known|exists|exist"),
    ("=", "is equal to|are equal to|equal to|equals|equal|exactly|==|=|is|are|was|were|of|on|in|during|from|"
     ":"),
)  # fmt: skip
WEAK = frozenset({"of", "on", "in", "during", "from"})
"""Words that compare only before a date or, for `of`, a number; elsewhere they are plain words."""

TEMPORAL = frozenset(
    (
        "since",
        "on or after",
        "no earlier than",
        "until",
        "till",
        "on or before",
        "no later than",
        "after",
        "before",
    )
    + ("later than", "earlier than", "prior to", "in", "on", "during")
)
"""Comparisons that speak of time: beside a number that is no date they do not compare it."""

_SYMBOL_OF = {phrase: symbol for symbol, phrases in _COMPARISONS for phrase in phrases.split("|")}
_PHRASES = sorted(_SYMBOL_OF, key=len, reverse=True)
_COMPARISON = re.compile(
    "|".join(
        (r"(?<!\w)" + re.escape(p).replace(r"\ ", r"\s+") + r"(?!\w)") if p[0].isalpha() else re.escape(p)
        for p in _PHRASES
    ),
    re.IGNORECASE,
)
_JOINERS = {
    "or": "or",
    "and": "and",
    "but": "and",
    "with": "and",
    "where": "and",
    "whose": "and",
    "having": "and",
    "which": "and",
    "that": "and",
    "who": "and",
    "&&": "and",
    "||": "or",
}
_POST = re.compile(
    r"(?:or|and)\s+(?:(?P<up>more|above|over|greater|higher|later|after|up|newer)"
    r"|(?P<down>less|under|below|fewer|lower|earlier|before|older))(?=\s*(?:$|[,;)]|(?:and|or|but|with)\b))",
    re.IGNORECASE,
)
_MONTHS = "|".join(sorted(MONTHS, key=len, reverse=True))
_PERIOD = re.compile(
    rf"(?P<iso>(?<![\w-])(?P<iy>(?:19|20)\d\d)-(?P<im>0[1-9]|1[0-2])(?![\w-]))"
    rf"|(?P<month>\b(?P<mn>{_MONTHS})\.?,?\s+(?P<my>(?:19|20)\d\d)\b)"
    r"|(?P<quarter>\b(?:q(?P<qn>[1-4])[\s,/-]*(?P<qy>(?:19|20)\d\d)|(?P<qy2>(?:19|20)\d\d)[\s,/-]*q(?P<qn2>[1-4]))\b)",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"\"([^\"]*)\"|“([^”]*)”|(?<![\w'])'([^']*)'(?!\w)")
_WORD = re.compile(r"[^\s,;()\"“”<>=!≥≤≠]+|\S")
_CONTRACTION = re.compile(r"\b(is|are|was|were|does|do|did|has|have)n['’]t\b", re.IGNORECASE)
_YEAR = re.compile(r"(?:19|20)\d\d$")


@dataclass(frozen=True, slots=True)
class Period:
    """The days that a date, month, quarter or year names, both ends in ISO form."""

    first: str
    last: str


@dataclass(frozen=True, slots=True)
class Token:
    """A token; `symbol` is a comparison's operator, `number` and `period` what a value may stand for."""

    kind: Kind
    text: str
    start: int
    end: int
    symbol: str = ""
    number: Any = None
    period: Period | None = None

    @property
    def lower(self) -> str:
        """The text in lower case, spaces single."""
        return " ".join(self.text.lower().split())


def plain(text: str) -> str:
    """Return the text as it is read: `isn't` as `is not`."""
    return _CONTRACTION.sub(r"\1 not", text)


def tokenize(text: str, *, phrases: Iterable[str] = ()) -> list[Token]:
    """Return the tokens of a text; `phrases` are names that hold joining words and stay whole."""
    fixed = _fixed(text, phrases)
    tokens: list[Token] = []
    place = 0
    while place < len(text):
        if text[place].isspace():
            place += 1
            continue
        token = fixed.get(place) or _next(text, place, tokens)
        if token.end <= token.start:
            place += 1
            continue
        tokens.append(token)
        place = token.end
    return tokens


def _fixed(text: str, phrases: Iterable[str]) -> dict[int, Token]:
    """Return quotations, names, dates and numbers by where they begin; earlier kinds win."""
    found: list[Token] = [
        Token("quoted", next((g for g in match.groups() if g is not None), ""), match.start(), match.end())
        for match in _QUOTED.finditer(text)
    ]
    for phrase in sorted(phrases, key=len, reverse=True):
        pattern = r"(?<!\w)" + r"[\s_]+".join(map(re.escape, phrase.split())) + r"(?!\w)"
        found += [Token("word", m[0], m.start(), m.end()) for m in re.finditer(pattern, text, re.IGNORECASE)]
    for span in find_dates(text):
        day = str(span.value)
        found.append(
            Token("value", text[span.start : span.end], span.start, span.end, period=Period(day, day))
        )
    found += [
        Token("value", match[0], match.start(), match.end(), period=_period(match))
        for match in _PERIOD.finditer(text)
    ]
    for number in find_number_spans(text):
        written = text[number.start : number.end]
        year = written if _YEAR.match(written) else ""
        found.append(
            Token(
                "value",
                written,
                number.start,
                number.end,
                number=plain_number(number.value),
                period=Period(f"{year}-01-01", f"{year}-12-31") if year else None,
            )
        )
    kept: dict[int, Token] = {}
    taken: list[tuple[int, int]] = []
    for token in found:
        start = token.start + (len(token.text) - len(token.text.lstrip()) if token.kind == "value" else 0)
        if token.end <= start or any(start < last and first < token.end for first, last in taken):
            continue
        taken.append((start, token.end))
        kept[start] = Token(token.kind, token.text.strip(), start, token.end, "", token.number, token.period)
    return kept


def _next(text: str, place: int, before: Sequence[Token]) -> Token:
    if before and before[-1].kind == "value" and (match := _POST.match(text, place)) is not None:
        return Token("post", match[0], place, match.end(), ">=" if match["up"] else "<=")
    if (match := _COMPARISON.match(text, place)) is not None:
        phrase = " ".join(match[0].lower().split())
        return Token("comparison", match[0], place, match.end(), _SYMBOL_OF[phrase])
    single = {"(": "open", ")": "close", ",": "comma", ";": "comma"}.get(text[place])
    if single is not None:
        return Token(single, text[place], place, place + 1)  # type: ignore[arg-type]
    match = _WORD.match(text, place)
    assert match is not None  # the last alternative takes any character
    end = match.end()
    word = match[0]
    for mark in re.finditer(r"[:.?!]+$", word):  # "status: open"; a sentence's end
        if mark.start() > 0:
            word, end = word[: mark.start()], place + mark.start()
    lower = word.lower()
    if not before or end == len(text) or text[end : end + 1] not in (":",):
        rest = text[end:].strip()
        if rest and set(rest) <= set(".?!"):  # nothing but the end of the sentence follows
            end = len(text)
    if lower in _JOINERS:
        return Token(_JOINERS[lower], word, place, end)  # type: ignore[arg-type]
    if lower in ("not", "never"):
        return Token("not", word, place, end)
    return Token("word", word, place, end)


def _period(match: "re.Match[str]") -> Period:
    if match["quarter"]:
        year, quarter = int(match["qy"] or match["qy2"]), int(match["qn"] or match["qn2"])
        first, last = 3 * quarter - 2, 3 * quarter
    else:
        year = int(match["iy"] or match["my"])
        first = last = int(match["im"]) if match["iso"] else MONTHS[match["mn"].lower()]
    days = calendar.monthrange(year, last)[1]
    return Period(f"{year}-{first:02d}-01", f"{year}-{last:02d}-{days:02d}")
