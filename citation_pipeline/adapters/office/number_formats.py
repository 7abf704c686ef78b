"""Cell values as a spreadsheet shows them: the common number and date formats, without locales."""

import datetime as dt
import operator
import re

_QUOTED = re.compile(r'"([^"]*)"|\\(.)|\[[^\]]*\]|_.|\*.')
_BRACKETS = re.compile(r"\[(?:\$([^\]-]*))?[^\]]*\]")  # a currency with its language, a colour, a condition
_CONDITION = re.compile(r"(?:\[[^\]<>=]*\])*\[(<=|>=|<>|<|>|=)(-?\d+(?:\.\d+)?)\]")
_HOLDS = {
    "<": operator.lt,
    ">": operator.gt,
    "<=": operator.le,
    ">=": operator.ge,
    "=": operator.eq,
    "<>": operator.ne,
}
_COLOURED = re.compile(r"\[(?:red|color ?\d+|magenta)\]", re.IGNORECASE)
_LITERAL = re.compile(r"[\s\-–—]*")  # a section that has no figures, only quoted words
_SCALED = re.compile(r"[0#](,+)(?=\.|[^0#,.]*$)")  # each comma behind the figures divides by a thousand
_DATE_PART = re.compile(r"y+|m+|d+|h+|s+|am/pm|a/p", re.IGNORECASE)


def shown_value(value: object, number_format: str) -> str:
    """Return a cell's text; a format that is not known here shows the number as it is."""
    if number_format and not number_format.strip("; "):
        return ""  # ";;;" is how a cell is kept from being displayed
    if value is None:
        return ""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, dt.datetime | dt.date | dt.time):
        return _shown_date(value, number_format)
    if isinstance(value, dt.timedelta):
        minutes, seconds = divmod(round(value.total_seconds()), 60)
        return f"{minutes // 60}:{minutes % 60:02d}:{seconds:02d}"
    if isinstance(value, int | float):
        return _shown_number(value, number_format)
    return str(value)


def _shown_number(value: float, number_format: str) -> str:
    pattern, is_signed = _section_for(value, number_format)
    digits = _QUOTED.sub("", pattern)
    if _LITERAL.fullmatch(digits) and pattern.strip():
        return _literal(pattern).strip()
    if "0" not in digits or "E" in digits.upper() or "?" in digits:
        return _plain(value)
    places = len(re.findall("[0#]", digits.partition(".")[2]))
    scaled = _SCALED.search(digits)
    thousands = len(scaled[1]) if scaled else 0
    amount = abs(value) * (100 if "%" in digits else 1) / 1000**thousands
    text = f"{amount:,.{places}f}" if digits.count(",") > thousands else f"{amount:.{places}f}"
    before, after = (_literal(part) for part in _around(pattern))
    sign = "-" if value < 0 and not is_signed else ""
    return f"{sign}{before}{text}{after}"


def _section_for(value: float, number_format: str) -> tuple[str, bool]:
    """Return the part of a format that a number is shown with, and whether that part shows its sign."""
    raw = number_format.split(";")
    sections = [_BRACKETS.sub(lambda match: f'"{match.group(1) or ""}"', section) for section in raw]
    conditions = [_CONDITION.match(section) for section in raw]
    if any(conditions):
        for section, condition in zip(sections, conditions, strict=True):
            if condition is None or _HOLDS[condition[1]](value, float(condition[2])):
                return section, False
        return sections[-1], False
    if value < 0 and len(sections) > 1:
        # a colour is all that shows the sign here, and nobody sees it in a text
        return sections[1], not (_COLOURED.match(raw[1]) and not set(sections[1]) & set("-(\u2212"))
    return sections[0], False


def _around(pattern: str) -> tuple[str, str]:
    """Return what a pattern prints before and after the digits."""
    unquoted = re.sub(r'"[^"]*"', lambda match: "\0" * len(match.group()), pattern)
    places = [match.start() for match in re.finditer(r"[0#]", unquoted)]
    return pattern[: places[0]], pattern[places[-1] + 1 :]


def _literal(part: str) -> str:
    text = _QUOTED.sub(lambda match: match.group(1) or match.group(2) or "", part)
    return "".join(letter for letter in text if letter not in "?#,@")


def _plain(value: float) -> str:
    return str(int(value)) if float(value).is_integer() and abs(value) < 1e15 else f"{value:.15g}"


def _shown_date(value: dt.datetime | dt.date | dt.time, number_format: str) -> str:
    pattern = _QUOTED.sub(lambda match: match.group(1) or match.group(2) or "", number_format.split(";")[0])
    if not _DATE_PART.search(pattern) or pattern == "General":
        return value.isoformat(sep=" ") if isinstance(value, dt.datetime) else value.isoformat()
    if isinstance(value, dt.time):
        value = dt.datetime.combine(dt.date(1900, 1, 1), value)
    elif not isinstance(value, dt.datetime):
        value = dt.datetime.combine(value, dt.time())
    has_half = bool(re.search(r"am/pm|a/p", pattern, re.IGNORECASE))
    parts: list[str] = []
    at, after_hours = 0, False
    for match in _DATE_PART.finditer(pattern):
        parts.append(pattern[at : match.start()])
        at, token = match.end(), match.group().lower()
        is_minute = token in ("m", "mm") and (
            after_hours or bool(re.match(r"[^a-z]*s", pattern[at:], re.IGNORECASE))
        )
        parts.append(_date_part(value, token, is_minute=is_minute, has_half=has_half))
        after_hours = token[0] == "h"
    return "".join([*parts, pattern[at:]]).strip()


def _date_part(value: dt.datetime, token: str, *, is_minute: bool, has_half: bool) -> str:
    hour = (value.hour % 12 or 12) if has_half else value.hour
    number = {"d": value.day, "m": value.minute if is_minute else value.month, "h": hour, "s": value.second}
    if token[0] == "y":
        return f"{value.year:04d}" if len(token) > 2 else f"{value.year % 100:02d}"
    if token[0] == "a":
        return "AM" if value.hour < 12 else "PM"
    if token[0] in "dm" and len(token) > 2 and not is_minute:
        name = value.strftime("%A" if token[0] == "d" else "%B")
        return name if len(token) > 3 else name[:3]
    return f"{number[token[0]]:0{min(len(token), 2)}d}"
