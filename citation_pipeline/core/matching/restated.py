"""Quotations that state a date or a number otherwise than the page: `12.03.2025` of 12. März 2025.

For every such value the ways in which the document prints it are looked up, and the quotation is said once
more with them. All else has to be there as quoted; what is found so is `rewritten`, never sure.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice, product

from citation_pipeline.core.matching.folding import fold, is_unspaced
from citation_pipeline.core.matching.index import DocumentIndex
from citation_pipeline.core.matching.written_dates import (
    MONTH_FIRST,
    WrittenDate,
    character_forms,
    day_keys,
    figure_keys,
    find_written_dates,
    joined_keys,
    month_keys,
    month_names,
    named_keys,
    orders_of,
)
from citation_pipeline.core.matching.written_numbers import (
    CHINESE_NUMBER,
    LEAST_IN_WORDS,
    MOST_IN_WORDS,
    chinese_forms,
    count_chinese,
    keys_in_words,
    numbers_of_words,
    units_beside,
)

_MOST_WAYS = 3  # in which a document prints one value that are tried
_MOST_TEXTS = 6
_MOST_CHARACTERS = 2_000  # of a quotation that states a value in another form
_MOST_PLACES = 4  # of one key that are looked at
_MOST_WORDS = 3  # of a number
_SHORT_NAME = 4  # letters of a month's name that is written in one word with its day
_ENDS = ",;:()[]\"'“”„«»!?"
_IN_FIGURES = re.compile(r"\d{1,4}\s?[-/.]\s?\d{1,2}(?:\s?[-/.]\s?\d{1,4})?\.?|(?:19|20)\d{6}")
_HANGUL = re.compile(r"[\uac00-\ud7af]")  # whose endings are written together with what they are of
_DIGIT = re.compile(r"\d")
_FIGURES = re.compile(r"\d[-/.]\s?\d|\d\s?[월년]")
_WHOLE = re.compile(r"(?<![\w.,/:$€£+-])(\d{1,3})(?![\w/:]|[.,-]\d)")
_SUM = re.compile(r"(?<![\d.,])(\d{1,3}(?:,\d{3})+|\d+)(?:\.(\d{1,2}))?(?![\d,]|\.\d)")
_WORD = re.compile(r"[^\W\d_]+(?:[-'’][^\W\d_]+)*")
_UNIT = re.compile(r"[ \xa0-]?([^\W\d_]{1,14})\b\.?")


_key_of = lru_cache(maxsize=4096)(fold)
_Word = tuple[re.Match[str], bytes]


@dataclass(frozen=True, slots=True)
class _Stated:
    """Where a quotation states a value, and the other ways in which the document prints it."""

    start: int
    end: int
    ways: tuple[str, ...]


def restatements(index: DocumentIndex, text: str) -> Iterator[str]:
    """Yield a quotation with its dates and numbers as the document prints them, where it prints them
    otherwise."""
    if len(text) > _MOST_CHARACTERS:
        return
    is_whole_line = is_unspaced(text) or _HANGUL.search(text) is not None
    words = [] if is_whole_line else [(match, _key_of(match.group())) for match in _WORD.finditer(text)]
    found: list[_Stated] = []
    if is_whole_line or _may_state_date(text, words):
        days = find_written_dates(text)
        found = [stated for day in days if (stated := _date(index, text, day, is_whole_line))]
    for stated in _in_characters(index, text) if is_whole_line else _in_words(index, text, words):
        if all(stated.end <= other.start or other.end <= stated.start for other in found):
            found.append(stated)
    if not found:
        return
    found.sort(key=lambda stated: stated.start)
    for ways in islice(product(*(stated.ways for stated in found)), _MOST_TEXTS):
        other, at = "", 0
        for stated, way in zip(found, ways, strict=True):
            other += text[at : stated.start] + way
            at = stated.end
        other += text[at:]
        if other != text:
            yield other


def _may_state_date(text: str, words: Sequence[_Word]) -> bool:
    if _DIGIT.search(text) is None:
        return False
    return _FIGURES.search(text) is not None or any(key in month_keys() for _, key in words)


def _stated(index: DocumentIndex, text: str, start: int, end: int, ways: Iterable[str]) -> _Stated | None:
    """Return a value with the ways of it, the quoted one last where the document has it too."""
    quoted = text[start:end]
    key = fold(quoted)
    others = [way for way in dict.fromkeys(ways) if fold(way) != key][:_MOST_WAYS]
    if not others:
        return None
    is_printed = _printed(index, key) or (not key.isascii() and index.reading.find_anywhere(key, limit=1))
    return _Stated(start, end, (*others, quoted) if is_printed else tuple(others))


def _printed(index: DocumentIndex, key: bytes) -> list[str]:
    """Return the ways in which words of a key are printed, without the marks around them."""
    reading = index.reading
    # most are one word, which the table of words tells without a scan
    places = index.offsets_of(key, most=_MOST_PLACES) or reading.find_aligned(key, limit=_MOST_PLACES)
    found: dict[str, None] = {}
    for place in places:
        first, last = reading.positions_of(place, place + len(key))
        found[" ".join(index.words.texts[first:last]).strip(_ENDS).rstrip(".")] = None
    return list(found)


def _date(index: DocumentIndex, text: str, day: WrittenDate, is_whole_line: bool) -> _Stated | None:
    ways: list[str] = []
    vocabulary = index.vocabulary
    for stated, order in orders_of(day):
        if is_whole_line:
            forms = character_forms(stated)
            ways += [form for form in forms if index.reading.find_anywhere(fold(form), limit=1)]
        # figures with blanks between them are words of their own: 2023. 9. 14.
        is_parted = str(stated[0]).encode() in vocabulary and str(stated[2]).encode() in vocabulary
        for key in figure_keys(stated, order):
            if key in vocabulary or is_parted:
                ways += [way for way in _printed(index, key) if _IN_FIGURES.fullmatch(way)]
        is_day_printed = any(figure in vocabulary for figure in day_keys(stated[2]))
        for name, is_english in month_names(stated[1]):
            # whoever puts the month first in figures does so in words: only English does
            if len(day.days) > 1 and order == MONTH_FIRST and not is_english:
                continue
            if is_day_printed and name in vocabulary:
                ways += [way for key in named_keys(stated, name) for way in _printed(index, key)]
            elif len(name) <= _SHORT_NAME:  # 02-Feb-24 is one word
                joined = (key for key in joined_keys(stated, name) if key in vocabulary)
                ways += [way for key in joined for way in _printed(index, key)]
    return _stated(index, text, day.start, day.end, ways)


def _in_words(index: DocumentIndex, text: str, words: Sequence[_Word]) -> Iterator[_Stated]:
    """Yield the numbers in figures that the document has in words, and the other way round."""
    for match in _WHOLE.finditer(text):
        number = int(match[1])
        if number <= MOST_IN_WORDS:
            keys = [whole for first, whole in keys_in_words(number) if first in index.vocabulary]
            if stated := _number(index, text, match.start(), match.end(), keys):
                yield stated
    listed, done = numbers_of_words(), 0
    for at, (match, key) in enumerate(words):
        if key not in listed or match.start() < done:
            continue
        # the longest number that begins here: `treinta y uno`
        for last in range(min(at + _MOST_WORDS, len(words)) - 1, at - 1, -1):
            number = listed.get(b"".join(key for _, key in words[at : last + 1]), 0)
            if number:
                done = words[last][0].end()
                if stated := _number(index, text, match.start(), done, [str(number).encode()]):
                    yield stated
                break


def _number(index: DocumentIndex, text: str, start: int, end: int, keys: list[bytes]) -> _Stated | None:
    """Return a number with the unit behind it as the document prints both."""
    unit = _UNIT.match(text, end)
    forms = units_beside().get(fold(unit[1])) if unit else None
    if unit and forms:
        near = [form for form in forms if form in index.vocabulary]
        own = fold(text[start:end])
        keys = [key + form for key in (own, *keys) for form in near]
        end = unit.end(1)
    return _stated(index, text, start, end, [way for key in keys for way in _printed(index, key)])


def _in_characters(index: DocumentIndex, text: str) -> Iterator[_Stated]:
    """Yield the numbers of a line without spaces that the document writes otherwise: 七十四 and 74."""
    for match in _SUM.finditer(text):
        whole, cents = int(match[1].replace(",", "")), (match[2] or "").rstrip("0")
        forms = [str(whole), f"{whole:,}"]
        if cents:
            forms = [f"{form}.{part}" for form in forms for part in (cents, cents.ljust(2, "0"))]
        else:
            forms += [f"{form}.00" for form in forms]
            if LEAST_IN_WORDS <= whole < 10**8:
                forms += chinese_forms(whole)
        yield from _in_line(index, text, match, forms)
    for match in CHINESE_NUMBER.finditer(text):
        number = count_chinese(match.group())
        if number is not None:
            yield from _in_line(index, text, match, [str(number), f"{number:,}", f"{number:,}.00"])


def _in_line(index: DocumentIndex, text: str, match: re.Match[str], forms: list[str]) -> Iterator[_Stated]:
    ways = [form for form in forms if index.reading.find_anywhere(fold(form), limit=1)]
    if stated := _stated(index, text, match.start(), match.end(), ways):
        yield stated
