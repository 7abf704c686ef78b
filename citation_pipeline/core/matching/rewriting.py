"""Dates and numbers that a quotation writes in another form than the page: found, and named as rewritten.

A stretch of tokens and words that differ is one pair when both state the same values and nothing else is in
them. What counts as a value here is narrow on purpose: days, and numbers in digits or English words.
"""

import re
import unicodedata
from collections.abc import Sequence
from decimal import Decimal, InvalidOperation
from functools import lru_cache

from citation_pipeline.core.matching.folding import fold
from citation_pipeline.core.matching.index import DocumentIndex
from citation_pipeline.core.matching.numerals import has_digit
from citation_pipeline.core.matching.pairing import Pair, PairKind
from citation_pipeline.core.matching.snippets import PreparedSnippet
from citation_pipeline.core.values.dates import find_dates

_MOST_WORDS = 12  # of one rewritten value on either side
_REACH = 3  # tokens and words beside a difference that may belong to its value
_COMPACT_DATE = re.compile(r"(?<![\d.,/-])((?:19|20)\d\d)(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])(?![\d.,/-])")
_NUMBER = re.compile(
    r"(?<![\w.,/-])([-−(]?)\s?([$€£]?)\s?(\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)"
    r"\s?(million|billion|thousand|mio|bn|mm|[kmb](?!\w))?(?![\w/]|[.,:-]\d)",
    re.IGNORECASE,
)
_SCALES = {"k": 3, "thousand": 3, "m": 6, "mm": 6, "mio": 6, "million": 6, "b": 9, "bn": 9, "billion": 9}
_UNITS = """
zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
seventeen eighteen nineteen
"""
_SMALL = {word: number for number, word in enumerate(_UNITS.split())}
_DECADES = "twenty thirty forty fifty sixty seventy eighty ninety"
_TENS = {word: 10 * number for number, word in enumerate(_DECADES.split(), start=2)}
_ORDINALS = {
    **{word: number for number, word in enumerate("first second third fourth fifth sixth seventh eighth ninth tenth "
    "eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth".split(), start=1)},
    **{word[:-1] + "ieth": value for word, value in _TENS.items()},
}  # fmt: skip
_ORDINAL = re.compile(r"(?<![\w.,/-])(\d{1,3})(?:st|nd|rd|th)\b", re.IGNORECASE)
_PARTS = {"half": 2, "halves": 2, "third": 3, "thirds": 3, "quarter": 4, "quarters": 4, "fourth": 4, "fourths": 4,
    "fifth": 5, "fifths": 5, "eighth": 8, "eighths": 8}  # fmt: skip
_SHARE = re.compile(
    rf"\b(one|two|three|four|five|six|seven|a)[\s-](half|{'|'.join(part for part in _PARTS if part != 'half')})\b",
    re.IGNORECASE,
)
_QUOTIENT = re.compile(r"(?<![\w.,/-])(?:(\d{1,3})[\s-])?(\d)\s?[/⁄]\s?(\d)(?![\w/]|[.,]\d)")
_SPOKEN = frozenset([*_SMALL, *_TENS, *_ORDINALS, *_PARTS])
_LETTERS = re.compile(r"[^\W\d_]+")
_FIGURE_AND_FRACTION = re.compile(r"(?<=\d)(?=[¼-¾⅐-⅞])")
_PERCENT = re.compile(r"\s?%|\bper\s?cent\b", re.IGNORECASE)
_POWERS = {"thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000}
_IDLE_WORDS = """
the of day on a an about approximately approx around some dollars dollar usd us and hours hour
monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thur thurs fri sat sun
"""
_MAGNITUDES = frozenset(b"hundred thousand million billion mio bn mm percent".split())
_MONTHS = frozenset(b"jan feb mar apr may jun jul aug sep oct nov dec".split())
_IDLE = frozenset(_IDLE_WORDS.encode().split())


def merge_rewritten(snippet: PreparedSnippet, index: DocumentIndex, pairs: Sequence[Pair]) -> list[Pair]:
    """Return the pairs with every stretch that states the same values in another form as one pair."""
    differing = [pair for pair in pairs if pair.kind is not PairKind.SAME]
    if not any(_may_belong_to_a_value(snippet, index, pair) for pair in differing):
        return list(pairs)
    merged: list[Pair] = []
    at = 0
    while at < len(pairs):
        # the number of a list's member is no value of its text
        is_marker = pairs[at].kind is PairKind.ADDED and pairs[at].tokens[1] <= snippet.markers
        end = None if is_marker else _merge_from(snippet, index, pairs, at)
        if end is None:
            merged.append(pairs[at])
            at += 1
        else:
            merged.append(end[0])
            at = end[1]
    return merged


def _may_belong_to_a_value(snippet: PreparedSnippet, index: DocumentIndex, pair: Pair) -> bool:
    """Tell whether either side of a difference may be part of a date or a number."""
    texts = [token.text for token in snippet.tokens[slice(*pair.tokens)]]
    texts += [index.words.texts[word] for word in pair.words]
    return any(_is_part_of_a_value(text) for text in texts)


@lru_cache(maxsize=4096)
def _is_part_of_a_value(text: str) -> bool:
    """Tell whether a text may be a number, a month or a magnitude; `about` and `hours` alone are none."""
    key = fold(text)
    return key[:3] in _MONTHS or key in _MAGNITUDES or states_a_value(text)


def _merge_from(
    snippet: PreparedSnippet, index: DocumentIndex, pairs: Sequence[Pair], at: int
) -> tuple[Pair, int] | None:
    """Return the longest rewritten pair that begins at a pair, and where it ends."""
    best: tuple[Pair, int] | None = None
    for end in range(at + 1, min(len(pairs), at + 2 * _REACH + 4) + 1):
        stretch = pairs[at:end]
        differing = [pair for pair in stretch if pair.kind is not PairKind.SAME]
        # a value that is left out beside itself, "twenty-one (21)", is only left out
        is_open = any(pair.kind is not PairKind.SKIPPED for pair in differing)
        if not is_open or not any(_may_belong_to_a_value(snippet, index, pair) for pair in differing):
            if end - at > _REACH:
                break
            continue
        if stretch[-1].kind is PairKind.SAME and best is not None:
            continue
        pair = _rewritten(snippet, index, stretch, is_first=at == 0, is_last=end == len(pairs))
        if pair is not None:
            best = (pair, end)
    return best


def _rewritten(
    snippet: PreparedSnippet,
    index: DocumentIndex,
    stretch: Sequence[Pair],
    *,
    is_first: bool,
    is_last: bool,
) -> Pair | None:
    tokens = [t for pair in stretch if pair.kind is not PairKind.SKIPPED for t in range(*pair.tokens)]
    words = sorted({word for pair in stretch for word in pair.words})
    if not tokens or not words or words[-1] - words[0] >= _MOST_WORDS or len(tokens) > _MOST_WORDS:
        return None
    quoted = [snippet.tokens[t].text for t in range(tokens[0], tokens[-1] + 1)]
    if not any(states_a_value(text) for text in quoted):
        return None  # most of a quotation states no value: cheaper to see than to read
    texts = index.words.texts
    ours = _values(tuple(quoted))
    if ours is None:
        return None
    for low, high in _ranges(words, len(texts), is_first=is_first, is_last=is_last):
        if ours == _values(tuple(texts[low:high])):
            kept = tuple(word for word in range(low, high) if index.keys[word])
            return Pair(PairKind.REWRITTEN, (tokens[0], tokens[-1] + 1), kept, 0)
    return None


def _ranges(words: Sequence[int], count: int, *, is_first: bool, is_last: bool) -> list[tuple[int, int]]:
    """Return the ranges of words that a stretch may be, the likeliest first.

    At the quotation's ends nobody knows how many words of the page the value takes.
    """
    low, high = words[0], words[-1] + 1
    if is_last:
        further = range(high, min(count, high + _REACH) + 1)
        return [(low, end) for end in (*further, *range(high - 1, low, -1))]
    if is_first:
        further = range(low, max(0, low - _REACH) - 1, -1)
        return [(begin, high) for begin in (*further, *range(low + 1, high))]
    return [(low, high)]


@lru_cache(maxsize=2048)
def _values(words: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[bytes, ...]] | None:
    """Return the values that words state, and the other words among them; None without a value."""
    text = _PERCENT.sub(" percent ", unicodedata.normalize("NFKC", _spaced(" ".join(words))))
    found: list[tuple[int, int, str]] = [(d.start, d.end, str(d.value)) for d in find_dates(text)]
    others = [(m.start(), m.end(), "-".join(m.groups())) for m in _COMPACT_DATE.finditer(text)]
    others += [(m.start(), m.end(), f"{m[1]}.") for m in _ORDINAL.finditer(text)]
    others += [(m.start(), m.end(), _share(m[1], m[2], m[3])) for m in _QUOTIENT.finditer(text)]
    others += [
        (m.start(), m.end(), _share(None, str(_SMALL.get(m[1].lower(), 1)), str(_PARTS[m[2].lower()])))
        for m in _SHARE.finditer(text)
    ]
    for start, end, value in others:
        if not any(low < end and start < high for low, high, _ in found):
            found.append((start, end, value))
    for match in _NUMBER.finditer(text):
        if not any(start < match.end() and match.start() < end for start, end, _ in found):
            value = _number(match)
            if value is not None:
                found.append((match.start(), match.end(), value))
    found.sort()
    rest: list[bytes] = []
    values: list[str] = []
    at = 0
    for start, end, value in [*found, (len(text), len(text), "")]:
        spoken, others = _spoken(text[at:start])
        values += [*spoken, *([value] if value else [])]
        rest += others
        at = end
    return (tuple(dict.fromkeys(values)), tuple(rest)) if values else None


def _spaced(text: str) -> str:
    """Return the text with a space between a figure and a fraction of one character behind it: 66⅔."""
    return _FIGURE_AND_FRACTION.sub(" ", text)


def _share(whole: str | None, above: str, below: str) -> str:
    """Return a fraction as a decimal number of four places; none divides by nothing."""
    if below == "0":
        return f"{above}/0"
    value = Decimal(whole or 0) + Decimal(above) / Decimal(below)
    return f"{round(value, 4).normalize():f}"


def _number(match: re.Match[str]) -> str | None:
    sign, _, digits, scale = match.groups()
    try:
        value = Decimal(digits.replace(",", "")).scaleb(_SCALES.get((scale or "").lower(), 0))
    except InvalidOperation:
        return None
    return f"{'-' if sign in ('-', '−') else ''}{value.normalize():f}"


def _spoken(text: str) -> tuple[list[str], list[bytes]]:
    """Return the numbers that a text states in words, and its other words."""
    values: list[str] = []
    rest: list[bytes] = []
    total = current = 0
    is_open = False
    for word in [*re.findall(r"[^\W_]+", text.lower()), ""]:
        if word in _SMALL or word in _TENS:
            current += _SMALL.get(word, 0) + _TENS.get(word, 0)
            is_open = True
        elif word == "hundred" and is_open:
            current *= 100
        elif word in _POWERS and is_open:
            total, current = total + current * _POWERS[word], 0
        elif word in _ORDINALS:
            values.append(f"{total + current + _ORDINALS[word]}.")
            total = current = 0
            is_open = False
        elif word == "and" and is_open:
            continue
        else:
            if is_open:
                values.append(str(total + current))
                total = current = 0
                is_open = False
            key = fold(word)
            if key and key not in _IDLE:
                rest.append(key)
    return values, rest


@lru_cache(maxsize=4096)
def states_a_value(text: str) -> bool:
    """Tell whether a text may state a number or a date at all."""
    if has_digit(fold(text)):
        return True
    return any(word in _SPOKEN for word in _LETTERS.findall(text.lower()))
