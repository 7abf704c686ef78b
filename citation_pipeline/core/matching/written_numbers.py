"""Whole numbers in words of many languages, and in the characters of Chinese and Japanese.

The words are in `words/number_words.txt`; English sums with thousands and millions are `stated_values`'.
"""

import re
from functools import cache

from citation_pipeline.core.matching.folding import fold
from citation_pipeline.core.matching.vocabulary import known_words, lines_of

LEAST_IN_WORDS, MOST_IN_WORDS = 2, 999  # one is an article as often
_MOST_LISTED = 99
_FIGURES = {character: at % 10 for at, character in enumerate("〇一二三四五六七八九零壱弐参")}
_FIGURES |= {"壹": 1, "贰": 2, "貳": 2, "两": 2, "叁": 3, "參": 3, "肆": 4, "伍": 5, "陆": 6, "陸": 6}
_FIGURES |= {"柒": 7, "捌": 8, "玖": 9}
_POWERS = {"十": 10, "拾": 10, "百": 100, "佰": 100, "千": 1000, "仟": 1000}
_MYRIADS = {"万": 10**4, "萬": 10**4, "亿": 10**8, "億": 10**8}
_OF_VALUE = tuple(
    str.maketrans("一二三四五六七八九十百千", characters)
    for characters in ("壹贰叁肆伍陆柒捌玖拾佰仟", "壹貳參肆伍陸柒捌玖拾佰仟")
)
CHINESE_NUMBER = re.compile(f"[{''.join((*_FIGURES, *_POWERS, *_MYRIADS))}]+")
"""A number in characters."""


def count_chinese(text: str) -> int | None:
    """Return what figures or characters count: 26, 二十六, 二〇二四, 三万一千二百; None for anything else."""
    if text.isdigit():
        return int(text)
    if not text or not CHINESE_NUMBER.fullmatch(text):
        return None
    if all(character in _FIGURES for character in text):
        return int("".join(str(_FIGURES[character]) for character in text))
    total = section = figure = 0
    for character in text:
        if character in _FIGURES:
            figure = _FIGURES[character]
        elif character in _POWERS:
            section += (figure or 1) * _POWERS[character]
            figure = 0
        else:
            total += (section + figure or 1) * _MYRIADS[character]
            section = figure = 0
    return total + section + figure


def chinese(number: int, *, is_japanese: bool = True) -> str:
    """Return a number below a hundred million in characters; Chinese says the gaps (一百零五) and 一十 behind
    a hundred, Japanese says neither."""
    if number >= 10**4:
        rest = number % 10**4
        gap = "零" if not is_japanese and 0 < rest < 1000 else ""
        return (
            chinese(number // 10**4, is_japanese=is_japanese)
            + "万"
            + gap
            + (chinese(rest, is_japanese=is_japanese) if rest else "")
        )
    found = ""
    is_gap = False
    for power, name in ((1000, "千"), (100, "百"), (10, "十"), (1, "")):
        figure = number // power % 10
        if not figure:
            is_gap = bool(found)
            continue
        if is_gap and not is_japanese:
            found += "零"
        is_gap = False
        is_silent = figure == 1 and name and (is_japanese or (name == "十" and not found))
        found += ("" if is_silent else "〇一二三四五六七八九"[figure]) + name
    return found or "〇"


def chinese_forms(number: int) -> dict[str, None]:
    """Return the ways in which Chinese and Japanese write a number in characters, those of documents of value
    (肆萬參仟) among them."""
    plain = chinese(number, is_japanese=False)
    full = [plain.replace("万", "萬")]
    full += [form.translate(table) for form in (plain, full[0]) for table in _OF_VALUE]
    return dict.fromkeys((plain, chinese(number), plain.replace("一十", "十"), *full))


@cache
def _languages() -> tuple[dict[int, tuple[str, ...]], ...]:
    """Return of every language its numbers up to ninety-nine in words, and its hundreds."""
    return tuple(_listed(line) for line in lines_of("number_words.txt"))


def _listed(line: str) -> dict[int, tuple[str, ...]]:
    language, _, rest = line.partition(" ")
    small, tens, joined, *hundreds = (part.strip() for part in (*rest.split("|"), ""))
    found = {at: tuple(word.split("/")) for at, word in enumerate(small.split())}
    decades = {10 * at: tuple(word.split("/")) for at, word in enumerate(tens.split(), start=2)}
    found |= decades
    for ten, words in decades.items():
        for one in range(1, 10):
            made = [joined.format(t=t, o=o) for t in words for o in found[one]]
            found[ten + one] = tuple(made)
    if language == "fr":
        found |= _french(found)
    if language == "es":
        found |= {20 + one: tuple(f"veinti{o}" for o in found[one]) for one in range(1, 10)}
    if language == "it":
        for ten, words in decades.items():
            found |= {ten + one: (words[0][:-1] + found[one][0],) for one in (1, 8)}
    if hundreds and hundreds[0]:
        found |= {100 * at: tuple(word.split("/")) for at, word in enumerate(hundreds[0].split(), start=1)}
    return found


def _french(found: dict[int, tuple[str, ...]]) -> dict[int, tuple[str, ...]]:
    """Return the French numbers that are not a ten and a one: `vingt et un`, `soixante-douze`."""
    made = {ten + 1: tuple(f"{found[ten][0]} et {o}" for o in found[1]) for ten in range(20, 70, 10)}
    made |= {60 + n: (f"soixante{found[n][0]}",) for n in range(10, 20)}
    made[71] = ("soixante et onze",)
    made |= {80 + n: tuple(f"quatrevingt{word}" for word in found[n]) for n in range(1, 20)}
    return made


@cache
def keys_in_words(number: int) -> tuple[tuple[bytes, bytes], ...]:
    """Return the keys of a number in words, of every language, each with that of its first word."""
    found: dict[str, None] = {}
    for words in _languages():
        if number in words:
            found |= dict.fromkeys(words[number])
        elif 100 < number <= MOST_IN_WORDS and number // 100 * 100 in words and number % 100 in words:
            found |= {a + b: None for a in words[number // 100 * 100] for b in words[number % 100]}
    return tuple((fold(text.split()[0]), fold(text)) for text in found)


@cache
def numbers_of_words() -> dict[bytes, int]:
    """Return the number that each key of a number in words is. Words that are other English words are not
    among them: the Spanish eleven is once."""
    found: dict[bytes, int] = {}
    for at, language in enumerate(_languages()):
        for number, words in language.items():
            if LEAST_IN_WORDS <= number <= _MOST_LISTED:
                found |= {key: number for key in map(fold, words) if not at or key not in known_words()}
    return found


@cache
def units_beside() -> dict[bytes, tuple[bytes, ...]]:
    """Return, by the key of each form of a unit, the keys of its forms."""
    lines = [tuple(filter(None, map(fold, line.split()))) for line in lines_of("unit_words.txt")]
    return {key: keys for keys in lines for key in keys}
