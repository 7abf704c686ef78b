"""Dates as quotations state them, and the ways in which a page may print the same day: figures in any order,
the months' names of many languages, the characters and eras of Chinese, Japanese and Korean.

Which of the ways a page has is looked up by `restated`; whose month a name is, is in `words/months.txt`.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from functools import cache

from citation_pipeline.core.matching.folding import fold, spell
from citation_pipeline.core.matching.vocabulary import lines_of
from citation_pipeline.core.matching.written_numbers import chinese, chinese_forms, count_chinese

DAY_FIRST, MONTH_FIRST = "day first", "month first"
_CENTURY_TURNS = 40  # two figures below it are a year of this century
_ENGLISH_MONTHS = """
january february march april may june july august september october november december
jan feb mar apr jun jul aug sept sep oct nov dec
"""
_ENGLISH = frozenset(_ENGLISH_MONTHS.split())
_YEAR = r"(?:19|20)\d\d"
_HAN = "〇零一二三四五六七八九十"
_LINK = r"(?:\s*[-./]\s*|\s+(?:(?:de|del|di|of|day\s+of)\s+|d['’])?)"
_FORMS = (
    rf"(?<![\d./-])(?P<y1>{_YEAR})(?P<s1>[-/.])\s?(?P<m1>\d{{1,2}})(?P=s1)\s?(?P<d1>\d{{1,2}})(?!\d|[-/]\d)",
    rf"(?<![\d./-])(?P<d2>\d{{1,2}})\s?(?P<s2>[-/.])\s?(?P<m2>\d{{1,2}})\s?(?P=s2)\s?(?P<y2>{_YEAR}|\d\d)(?!\d|[-/.]\d)",
    r"(?P<y3>(?:令和|平成|昭和|大正|民國|民国)?\s?(?:[12]\d{3}|\d{1,3}|["
    + _HAN
    + r"百元]{1,6}))\s?[年년]\s?(?P<m3>\d{1,2}|["
    + _HAN
    + r"]{1,3})\s?[月월]\s?(?P<d3>\d{1,2}|["
    + _HAN
    + r"]{1,3})\s?[日号號일]",
    rf"(?<![\w./-])(?:the\s+)?(?P<d4>\d{{1,2}})(?:st|nd|rd|th|er|ère|[ºª°]|\.)?{_LINK}?(?P<m4>[^\W\d_]{{3,14}})\.?,?{_LINK}?"
    rf"(?P<y4>{_YEAR}(?!\d)|(?<=[-/.])\d\d(?!\d))?",
    rf"(?<!\w)(?P<m5>[^\W\d_]{{3,14}})\.?\s+(?P<d5>\d{{1,2}})(?:st|nd|rd|th)?(?!\d|[./:]\d)(?:,?\s+(?P<y5>{_YEAR}))?",
    rf"(?<![\w./-])(?P<y6>{_YEAR})\.?\s+(?:m\.\s+)?(?P<m6>[^\W\d_]{{3,14}})\.?\s+(?P<d6>\d{{1,2}})\b\.?",
    r"(?P<m7>\d{1,2}|[" + _HAN + r"]{1,3})\s?[月월]\s?(?P<d7>\d{1,2}|[" + _HAN + r"]{1,3})\s?[日号號일]",
    r"(?<![\w./-])(?P<d8>\d{1,2})(?P<s8>[/.])(?P<m8>\d{1,2})(?![\w/%-]|\.\d|,\d)",
)
_DATE = re.compile("|".join(_FORMS), re.IGNORECASE)
_REPUBLIC = 1911  # the year before the first of Taiwan's count
_ERAS = {"令和": 2018, "平成": 1988, "昭和": 1925, "大正": 1911, "民國": _REPUBLIC, "民国": _REPUBLIC}
_ERA_YEARS = {"令和": (2019, 2100), "平成": (1989, 2019), "昭和": (1926, 1989)}


@dataclass(frozen=True, slots=True)
class WrittenDate:
    """Where a text states a day, which day that may be, in which order its figures or its name are, and
    whether a name in it is English; `year` 0 where it states none."""

    start: int
    end: int
    days: tuple[tuple[int, int, int], ...]  # year, month, day; two where the order is anybody's guess
    order: str
    is_english: bool
    is_numeric: bool


@cache
def _lines() -> tuple[tuple[str, ...], ...]:
    """Return every month's names; in Hebrew the word for `in` is written together with them."""
    return tuple(
        tuple(
            form
            for name in line.split()
            for form in ((name, f"ב{name}") if "א" <= name[0] <= "ת" else (name,))
        )
        for line in lines_of("months.txt")
    )


@cache
def _months() -> dict[str, int]:
    return {spell(name): number for number, names in enumerate(_lines(), start=1) for name in names}


@cache
def _names() -> tuple[tuple[tuple[bytes, bool], ...], ...]:
    """Return the keys of every month's names, and which are English."""
    return tuple(tuple({fold(name): spell(name) in _ENGLISH for name in names}.items()) for names in _lines())


@cache
def month_keys() -> frozenset[bytes]:
    """Return the keys of the names of all months."""
    return frozenset(key for names in _names() for key, _ in names)


def find_written_dates(text: str) -> Iterator[WrittenDate]:
    """Yield the days that a text states, in any of the ways known here."""
    at = 0
    while (match := _DATE.search(text, at)) is not None:
        found = _date_of(match)
        # what begins like a date and is none may have one inside it: `5 on 12 May`
        at = match.end() if found is not None else match.start() + 1
        if found is not None:
            yield found


def _date_of(match: re.Match[str]) -> WrittenDate | None:
    form = next(form for form in "12345678" if match[f"m{form}"] is not None)
    month, day = match[f"m{form}"], match[f"d{form}"]
    year = 0 if form in "78" else _year(match[f"y{form}"] or "")
    if year is None:
        return None
    start, end = match.span()
    if form in "456":
        number = _months().get(spell(month))
        days = _valid(year, number, int(day)) if number else ()
        order = MONTH_FIRST if form == "5" else DAY_FIRST
        return WrittenDate(start, end, days, order, spell(month) in _ENGLISH, False) if days else None
    if form in "137":
        days = _valid(year, count_chinese(month), count_chinese(day))
        return WrittenDate(start, end, days, "", False, form == "1") if days else None
    first, second = int(day), int(month)
    day_first, month_first = _valid(year, second, first), _valid(year, first, second)
    # a stop between the figures is hardly used where the month goes before
    if match[f"s{form}"] == "." and day_first:
        month_first = ()
    days = (*day_first, *month_first)
    order = "" if len(days) > 1 else DAY_FIRST if day_first else MONTH_FIRST
    return WrittenDate(start, end, days, order, False, True) if days else None


def _year(text: str) -> int | None:
    """Return the year that figures, characters or an era state; 0 for none, None for what is no year."""
    if not text:
        return 0
    base = _ERAS.get(text[:2], 0)
    rest = text[2:].strip() if base else text.strip()
    number = 1 if rest == "元" else count_chinese(rest)
    if number is None:
        return None
    if not base and number < 100:
        number += 2000 if number < _CENTURY_TURNS else 1900
    return base + number


def _valid(year: int, month: int | None, day: int | None) -> tuple[tuple[int, int, int], ...]:
    if not month or not day:
        return ()
    try:
        date(year or 2000, month, day)
    except ValueError:
        return ()
    return ((year, month, day),)


def orders_of(found: WrittenDate) -> Iterator[tuple[tuple[int, int, int], str]]:
    """Yield each day that may be stated with the order in which figures have to be read for it."""
    if len(found.days) > 1:
        yield found.days[0], DAY_FIRST
        yield found.days[1], MONTH_FIRST
    elif found.order == MONTH_FIRST:
        yield found.days[0], MONTH_FIRST
    elif found.order == DAY_FIRST and not found.is_english:
        yield found.days[0], DAY_FIRST
    else:
        yield found.days[0], DAY_FIRST
        yield found.days[0], MONTH_FIRST


def figure_keys(day: tuple[int, int, int], order: str) -> Iterator[bytes]:
    """Yield the keys of a day in figures, of the order and with the year before."""
    year, month, number = day
    first, second = (number, month) if order == DAY_FIRST else (month, number)
    pairs = dict.fromkeys(
        f"{a}{b}" for a in (f"{first:02}", str(first)) for b in (f"{second:02}", str(second))
    )
    for pair in pairs:
        yield from (f"{pair}{y}".encode() for y in _years(year))
    if year:
        pairs = dict.fromkeys(
            f"{a}{b}" for a in (f"{month:02}", str(month)) for b in (f"{number:02}", str(number))
        )
        yield from (f"{year}{pair}".encode() for pair in pairs)


def _years(year: int) -> tuple[str, ...]:
    return (str(year), f"{year % 100:02}") if year else ("",)


def month_names(month: int) -> tuple[tuple[bytes, bool], ...]:
    """Return the keys of a month's names in all languages, and whether each is English."""
    return _names()[month - 1]


def named_keys(day: tuple[int, int, int], name: bytes) -> Iterator[bytes]:
    """Yield the keys of a day with its month's name, the day before it or behind."""
    year = day[0]
    years = [text.encode() for text in _years(year)]
    for figure in day_keys(day[2]):
        for behind in years:
            yield figure + name + behind
            yield figure + b"de" + name + (b"de" + behind if behind else b"")
            yield name + figure + behind
        if year:
            yield figure + b"de" + name + b"del" + years[0]
            yield figure + b"of" + name + years[0]
            yield years[0] + name + figure


@cache
def day_keys(number: int) -> tuple[bytes, ...]:
    """Return the keys of a day's number: 1, 01, 1st, 1er."""
    texts = [str(number), f"{number:02}", f"{number}{_english_ending(number)}"]
    if number == 1:
        texts += ("1er", "1o", "1a")
    return tuple(text.encode() for text in dict.fromkeys(texts))


def joined_keys(day: tuple[int, int, int], name: bytes) -> Iterator[bytes]:
    """Yield the keys of a day as one word: 02-Feb-24."""
    for figure in {f"{day[2]:02}", str(day[2])}:
        yield from (figure.encode() + name + year.encode() for year in _years(day[0]))


def _english_ending(number: int) -> str:
    if 10 < number % 100 < 20:
        return "th"
    return {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")


def character_forms(day: tuple[int, int, int]) -> Iterator[str]:
    """Yield a day as lines without spaces print it: 2024年7月26日, 二〇二四年七月二十六日, 令和六年…."""
    year, month, number = day
    plain, written = f"{month}月{number}日", f"{chinese(month)}月{chinese(number)}日"
    padded = f"{month:02}月{number:02}日"
    if not year:
        yield from (plain, written, padded)
        return
    figures = [str(year)]
    names = ["".join("〇一二三四五六七八九"[int(figure)] for figure in str(year))]
    names.append(names[0].replace("〇", "零"))
    for era, (begins, ends) in _ERA_YEARS.items():
        if begins <= year <= ends:
            count = year - _ERAS[era]
            figures.append(f"{era}{count}")
            names.append(f"{era}{chinese(count) if count > 1 else '元'}")
            if count == 1:
                figures.append(f"{era}元")
    if year > _REPUBLIC:
        figures += [f"{name}{year - _REPUBLIC}" for name in ("民國", "民国")]
        names += [f"{name}{form}" for name in ("民國", "民国") for form in chinese_forms(year - _REPUBLIC)]
    for text in figures:
        yield from (f"{text}年{plain}", f"{text}年{padded}")
    yield from (f"{text}年{written}" for text in names)
    yield from (f"{year}-{month:02}-{number:02}", f"{year}/{month}/{number}")
    yield from (
        f"{year}년 {month}월 {number}일",
        f"{year}. {month}. {number}",
        f"{year}.{month:02}.{number:02}",
    )
