"""Marks that carry meaning and that the key does not show: ranges, fractions, comparators, signs, boxes.

Both sides are cut at the letters and digits that they share; what is between two of them is compared. What a
number means as a value is `values`' work; which words belong to which token is `pairing`'s.
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from citation_pipeline.core.matching.folding import fold
from citation_pipeline.core.matching.numerals import is_number_torn, is_prefix_changed, plain

_DASHES = str.maketrans({**dict.fromkeys("‐‑‒–—―−﹣－⁻", "-"), "⁺": "+"})
_RAISED = re.compile(r"([⁰¹²³⁴-⁹])")
_FRACTION = re.compile(r"[¼-¾⅐-⅞↉]")
_DIVIDED = str.maketrans({"⁄": "/", "∕": "/", "÷": "/"})
_COMPARATORS = {
    "<=": "≤", "=<": "≤", "⩽": "≤", "≦": "≤", ">=": "≥", "⩾": "≥", "≧": "≥", "!=": "≠", "+/-": "±", "＜": "<",
    "＞": ">", "∼": "~", "≅": "≈",
}  # fmt: skip
_COMPARED = re.compile(r"[<>≤≥≠±≈~]")
_ARROW = re.compile(r"[-=]+>|<[-=]+(?=\s)|<<|>>")
_DOUBLED = re.compile(r"^\s+(<<|>>|≪|≫)\s+$")  # much less, much more; without blanks they are quotation marks
_LONE_SIGN = re.compile(r"\(\s*([+-])\s*\)")
_ARROWS = str.maketrans("⇐⟵⇦⬅⇒⟶⇨➔➜➝➞⇑⬆⇧▲△⇓⬇⇩▼▽", "←←←←→→→→→→→↑↑↑↑↑↓↓↓↓↓")
_EXCHANGED = tuple(map(frozenset, ("↑↓←→", "♀♂", "§¶", "&/", "=≠", "×-", "×+", "×/")))
"""Signs of which one is never another's form."""
_CURRENCY = "$€£¥₹₽₩₪₫₴₺฿¢"
_CENTS = 2  # digits of them
_FORMULA = frozenset("^{}")
_GRADE = re.compile(r"[+](?=[\s.,;)])")  # 4+, O+, CD4+
_LOWER_GRADE = re.compile(r"-(?=[\s.,;)])")  # 4-; behind a letter it is a hyphen at a line's end
_LEADING_POINT = re.compile(r"(?:^|[\s$€£¥(<>≤≥~+-])\.$")  # .5
_PLUS = re.compile(r"(?:^|\s)[+]$")  # of a number
_PRIME = re.compile(r"\s?(''|(?=[\"”″])|['’′])")
_PERCENT = re.compile(r"^\s?[)\]]?\s?([%‰])")
_UNTICKED, _TICKED, _CROSSED = "☐□▢◻⬜❏❑○◯", "☑☒■▣◼⬛✓✔🗹●◉", "✗✘🗷"
_BOXES = _UNTICKED + _TICKED + _CROSSED
_BOX = re.compile(rf"[{_BOXES}]|\[\s?[xX✓✔]?\s?\]|\(\s?[xX✓✔]?\s?\)")
_LOOSE = re.compile(r"[.,;:](?=\s)")  # ends a sentence or a member of a list, not a number
_LISTED = re.compile(r"[,;]\s")  # the members of a list
_LEAST_STROKES = 2  # with blanks around them, so that they are between the cells of a row
_JOINTS = frozenset("/-:^")
APART = "‖"
"""Stands, in what is printed, before figures of another cell or behind a note's mark."""
_LONG_IDENTIFIER, _MANY_GROUPS = 7, 3  # digits or groups of a telephone or policy number, or a date

_SIGNS = "&×÷§¶♀♂" + "".join(map(chr, _ARROWS)) + "←→↑↓"
MARKED = re.compile(
    rf"[<>≤≥≠±≈~⩽⩾≦≧{_BOXES}{_SIGNS}]|\(\s*[-+−–]\s*\)|\[\s?[xX✓✔]?\s?\]|\(\s?[xX✓✔]?\s?\)|[A-Za-z0-9)][+−]|[+−]\s?\w"
    r"|@|://|[wW]{3}\.|\.(?:com|org|net|gov|edu|info)\b"
)
"""What a text without digits must hold for its marks to be worth comparing."""
_ADDRESS = re.compile(r"\S+@\S+|\S*://\S+|\bwww\.\S+|\S+\.(?:com|org|net|gov|edu|info)\b\S*", re.IGNORECASE)
_WORTH = re.compile(MARKED.pattern + r"|\d")


@dataclass(frozen=True, slots=True)
class _Cut:
    """A text's key, and what is before each of its characters (and behind the last)."""

    key: bytes
    gaps: tuple[str, ...]


def compare_marks(quoted: str, printed: str) -> list[str]:
    """Return the codes of the marks in which two texts of one key differ; none where the keys differ."""
    if not _WORTH.search(quoted) and not _WORTH.search(printed):
        return []
    if plain(quoted) == plain(printed) and not is_number_torn(quoted, printed):
        return []
    ours, theirs = _cut(quoted), _cut(printed)
    if ours.key != theirs.key:
        return []
    found: dict[str, None] = {}
    last = len(ours.key)
    for at in range(last + 1):
        a, b = ours.gaps[at], theirs.gaps[at]
        if a == b:
            continue
        left = at > 0 and _is_digit(ours.key[at - 1])
        right = at < last and _is_digit(ours.key[at])
        # behind a letter a point ends an abbreviation: No.5, F.5583
        is_led = [(not at or gap != ".") and _LEADING_POINT.search(gap) is not None for gap in (a, b)]
        if right and not left and is_led[0] != is_led[1]:
            found["number_differs"] = None
        # inside a number every mark counts; between words most marks are punctuation
        if left and right:
            found.update(dict.fromkeys(_between_digits(ours, theirs, at)))
        if _currencies(a) and _currencies(b) and _currencies(a).isdisjoint(_currencies(b)):
            found["unit_sign_differs"] = None
        if _compared(a, b, before_digit=right):
            found["comparator_differs"] = None
        if _signed(a, b) or (left and not right and _graded_lower(a, b)) or _is_plus_added(ours, theirs, at):
            found["sign_differs"] = None
        if any(_differ_in(signs, a, b) for signs in _EXCHANGED):
            found["mark_differs"] = None
        if left and (_percent(a) != _percent(b) or _is_other_prime(a, b)):
            found["unit_sign_differs"] = None
    named = _currencies("".join(theirs.gaps))
    if named and not _currencies("".join(ours.gaps)) <= named:
        found["unit_sign_differs"] = None
    if is_prefix_changed(quoted, printed):
        found["unit_differs"] = None
    if _is_address_changed(quoted, printed):
        found["code_differs"] = None
    if _negatives(ours) != _negatives(theirs):
        found["sign_differs"] = None
    if _are_boxes_changed(ours.gaps, theirs.gaps):
        found["mark_differs"] = None
    if not named and not found and _is_money_made(ours, theirs):
        found["unit_sign_differs"] = None
    return list(found)


def _is_digit(byte: int) -> bool:
    return 48 <= byte <= 57


@lru_cache(maxsize=2048)
def _key_of(character: str) -> bytes:
    return fold(character)


def _cut(text: str) -> _Cut:
    if not text.isascii():
        text = _RAISED.sub(r"^\1", text)
        text = _FRACTION.sub(lambda m: " " + unicodedata.normalize("NFKC", m.group()), text)
        text = text.translate(_DASHES).translate(_DIVIDED).translate(_ARROWS)
    for written, one in _COMPARATORS.items():
        if written in text:
            text = text.replace(written, one)
    text = _draw_boxes(text)
    key = bytearray()
    gaps: list[str] = []
    begin = 0
    for at, character in enumerate(text):
        folded = _key_of(character)
        if folded:
            gaps.append(text[begin:at])
            gaps += [""] * (len(folded) - 1)
            key += folded
            begin = at + 1
    gaps.append(text[begin:] + " ")
    return _Cut(bytes(key), tuple(gaps))


def _draw_boxes(text: str) -> str:
    """Return the text with every box and tick as ☐ or ☒; beside ticks, a cross is what is not ticked."""
    # a cross alone is a tick; beside ticks it says no
    crossed_out = any(c in text for c in "✓✔") and any(c in text for c in _CROSSED)
    empty = _UNTICKED + (_CROSSED if crossed_out else "")
    return _BOX.sub(lambda m: "☐" if m.group() in empty or not m.group().strip("[]() ") else "☒", text)


def _joint(gap: str) -> str:
    """Return the sign that joins two digits: one of / - : ^ . , or a space or nothing."""
    marks = [c for c in _LOOSE.sub(" ", gap) if c in "/-:^.,"]
    if marks:
        return marks[0] if len(set(marks)) == 1 else "".join(marks)
    return " " if any(c.isspace() or c in "|" + APART for c in gap) else ""


def _between_digits(ours: _Cut, theirs: _Cut, at: int) -> list[str]:
    a, b = _joint(ours.gaps[at]), _joint(theirs.gaps[at])
    if APART in theirs.gaps[at] and ours.gaps[at] in ("", ",", ".", "'"):
        return ["number_differs"]
    # what is printed small and high may be read as it stands in the line: `10 9` for 10⁹
    if a == b or (a, theirs.gaps[at].strip()) == (" ", "^"):
        return []
    if {a, b} == {" ", ""} and _is_before_fraction(ours, at):
        return ["range_differs"]  # 1 1/2 and 11/2
    if {a, b} == {".", ","}:
        return [] if _has_other_mark(ours, at) and _has_other_mark(theirs, at) else ["number_differs"]
    if {a, b} == {" ", ""}:
        return ["range_differs"] if _is_regrouped(ours, theirs, at) else []
    joints = {a, b} & _JOINTS
    if (a, b) == ("/", " ") and sum(gap == " / " for gap in ours.gaps) >= _LEAST_STROKES:
        return []
    # 7.30 and 7:30 are one time of day
    if not joints or {a, b} == {":", "."}:
        return []
    if "^" in joints:
        return ["number_differs"]
    # `10 - 20` set in columns loses its dash to the space: the digits stay apart; in `10, 20` they are two
    if joints == {"-"} and " " in (a, b):
        is_listed = b == "-" and _LISTED.search(ours.gaps[at]) is not None
        return ["range_differs"] if is_listed else []
    begin, end, groups = _run_around(ours if a in _JOINTS else theirs, at)
    digits = end - begin
    if _is_parted_elsewhere(ours, theirs, begin, end):
        return ["range_differs"]
    # what has so many groups is a date, a telephone or a policy number: their separators are a matter of
    # taste
    if groups >= _MANY_GROUPS or (digits >= _LONG_IDENTIFIER and joints == {"-"}):
        return []
    return ["range_differs"]


def _is_address_changed(quoted: str, printed: str) -> bool:
    """Tell whether an address of the internet has other signs than the one that is quoted for it."""
    ours, theirs = (
        [plain(each).casefold().strip("<>()[]{}.,;:/\"'") for each in _ADDRESS.findall(text)]
        for text in (quoted, printed)
    )
    return len(ours) == len(theirs) and any(
        a != b and fold(a) == fold(b) for a, b in zip(ours, theirs, strict=True)
    )


def _is_before_fraction(cut: _Cut, at: int) -> bool:
    """Tell whether the digits at a place are followed by a stroke and more digits."""
    end = at + 1
    while end < len(cut.key) and _is_digit(cut.key[end]) and not cut.gaps[end]:
        end += 1
    return end < len(cut.key) and _is_digit(cut.key[end]) and _joint(cut.gaps[end]) == "/"


def _has_other_mark(cut: _Cut, at: int) -> bool:
    """Tell whether a number has a second point or comma: `1.234,50` and `1,234.50` are one number.

    `1.250` and `1,250` are two.
    """
    end = at
    while end < len(cut.key) and _is_digit(cut.key[end]) and (end == at or not cut.gaps[end]):
        end += 1
    return _is_marked(cut, at, -1) or _is_marked(cut, end, 1)


def _is_marked(cut: _Cut, at: int, step: int) -> bool:
    """Tell whether the number goes on beyond a place behind another point or comma."""
    if step > 0:
        return at < len(cut.key) and _is_digit(cut.key[at]) and _joint(cut.gaps[at]) in (".", ",")
    begin = at - 1
    while begin > 0 and _is_digit(cut.key[begin - 1]) and not cut.gaps[begin]:
        begin -= 1
    return begin > 0 and _is_digit(cut.key[begin - 1]) and _joint(cut.gaps[begin]) in (".", ",")


def _is_parted_elsewhere(ours: _Cut, theirs: _Cut, begin: int, end: int) -> bool:
    """Tell whether two runs of digits are parted at different places: 1/11/2024 and 11/1/2024 are two days.

    Where one side parts at some of the other's places only, it merely leaves separators out.
    """
    a = {at for at in range(begin + 1, end) if ours.gaps[at]}
    b = {at for at in range(begin + 1, end) if theirs.gaps[at]}
    return not (a <= b or b <= a)


def _is_regrouped(ours: _Cut, theirs: _Cut, at: int) -> bool:
    """Tell whether blanks part the figures around a place into other numbers: `12 345` as `123 45`."""
    begin = end = at
    while begin > 0 and _is_digit(ours.key[begin - 1]) and _are_blank(ours, theirs, begin):
        begin -= 1
    while end < len(ours.key) and _is_digit(ours.key[end]) and _are_blank(ours, theirs, end):
        end += 1
    a, b = (sum(bool(cut.gaps[i]) for i in range(begin + 1, end)) for cut in (ours, theirs))
    # an account's many groups are set as each bank likes them
    return max(a, b) < _MANY_GROUPS and _is_parted_elsewhere(ours, theirs, begin, end)


def _are_blank(ours: _Cut, theirs: _Cut, at: int) -> bool:
    return not ours.gaps[at].strip() and not theirs.gaps[at].strip()


def _run_around(cut: _Cut, at: int) -> tuple[int, int, int]:
    """Return the begin, the end and the number of groups of the number or identifier around a place."""
    begin = end = at
    groups = 1
    while begin > 0 and _is_digit(cut.key[begin - 1]) and _holds(cut, begin):
        groups += bool(cut.gaps[begin])
        begin -= 1
    while end < len(cut.key) and _is_digit(cut.key[end]) and (end == at or _holds(cut, end)):
        groups += end != at and bool(cut.gaps[end])
        end += 1
    return begin, end, groups


def _holds(cut: _Cut, at: int) -> bool:
    """Tell whether a place is inside a number: its digits touch, or one joint without blanks parts them."""
    gap = cut.gaps[at]
    return not gap or (gap.strip("()") in _JOINTS | {".", ""} and " " not in gap) or gap in (") ", ")-")


def _differ_in(signs: frozenset[str], ours: str, theirs: str) -> bool:
    a, b = signs.intersection(ours), signs.intersection(theirs)
    return bool(a and b) and a.isdisjoint(b)


def _currencies(text: str) -> frozenset[str]:
    return frozenset(_CURRENCY).intersection(text)


def _comparator(gap: str) -> str:
    return "".join(_COMPARED.findall(_ARROW.sub(" ", gap)))


def _is_money_made(ours: _Cut, theirs: _Cut) -> bool:
    """Tell whether a figure is quoted with a currency that is printed with none: `500` as `$500`.

    What has cents is money already; a formula's `$` stands beside braces.
    """
    return any(
        _currencies(gap) and _FORMULA.isdisjoint(gap) and not _has_cents(theirs, at)
        for at, gap in enumerate(ours.gaps)
    )


def _has_cents(cut: _Cut, at: int) -> bool:
    """Tell whether the number behind a place, or the one before it, ends in two decimals."""
    end = at
    while end < len(cut.key) and _is_digit(cut.key[end]) and (end == at or cut.gaps[end] in ("", ".", ",")):
        end += 1
    return end > _CENTS and cut.gaps[end - _CENTS] in (".", ",")


def _compared(ours: str, theirs: str, *, before_digit: bool) -> bool:
    """Tell whether a comparator differs, or is missing before a number."""
    a, b = _comparator(ours), _comparator(theirs)
    if a != b and (before_digit or bool(a and b)):
        return True
    own, other = _DOUBLED.search(ours), _DOUBLED.search(theirs)
    return own is not None and other is not None and own[1] != other[1]


def _signed(ours: str, theirs: str) -> bool:
    """Tell whether a sign in brackets differs or is missing, or a plus is another's minus."""
    a, b = _LONE_SIGN.findall(ours), _LONE_SIGN.findall(theirs)
    if a or b:
        return a != b
    signs = [_last_sign(gap) for gap in (ours, theirs)]
    if "" not in signs and signs[0] != signs[1]:
        return True
    grades = [_GRADE.match(gap) for gap in (ours, theirs)]
    return grades[0] is None is not grades[1] or grades[1] is None is not grades[0]


def _graded_lower(ours: str, theirs: str) -> bool:
    """Tell whether one side puts a minus behind a number that the other does not show at all."""
    return any(_LOWER_GRADE.match(a) and "-" not in b for a, b in ((ours, theirs), (theirs, ours)))


def _is_plus_added(ours: _Cut, theirs: _Cut, at: int) -> bool:
    """Tell whether a number is quoted with a plus that the page does not have; one left out says nothing."""
    if at == len(ours.key) or not _is_digit(ours.key[at]) or _PLUS.search(ours.gaps[at]) is None:
        return False
    begin, end, groups = _run_around(ours, at)
    digits = end - begin
    is_identifier = (
        groups >= _MANY_GROUPS and digits >= _LONG_IDENTIFIER and "," not in ours.gaps[at + 1 : at + digits]
    )
    return "+" not in theirs.gaps[at] and not is_identifier


def _last_sign(gap: str) -> str:
    bare = gap.replace("*", "").strip().strip(_CURRENCY).rstrip()
    return bare[-1] if bare and bare[-1] in "+-" and bare.count(bare[-1]) == 1 else ""


def _percent(gap: str) -> str:
    found = _PERCENT.match(gap)
    return found.group(1) if found else ""


def _is_other_prime(ours: str, theirs: str) -> bool:
    """Tell whether one side has feet or minutes and the other inches or seconds behind a figure."""
    if not any(sign in ours + theirs for sign in "′″"):
        return False  # what people type for them closes quotations too
    a, b = _PRIME.match(ours), _PRIME.match(theirs)
    return a is not None and b is not None and (len(a[1]) == 1) != (len(b[1]) == 1)


def _negatives(cut: _Cut) -> tuple[int, ...]:
    """Return where amounts in brackets begin, as ledgers write what is owed: (2,480.17), ($45)."""
    found: list[int] = []
    at = 0
    is_remark = False  # inside brackets that were opened before a word: `(fee $1.87, tax $0.00)` owes nothing
    while at < len(cut.key):
        if not _is_digit(cut.key[at]):
            is_remark = _is_in_brackets(cut.gaps[at], before=is_remark)
            at += 1
            continue
        end = at + 1
        while end < len(cut.key) and _is_digit(cut.key[end]) and cut.gaps[end] in ("", ".", ","):
            end += 1
        before, behind = cut.gaps[at], cut.gaps[end]
        is_amount = any(cut.gaps[at + 1 : end]) or any(c in _CURRENCY for c in before)
        # a range has its dash right between two figures
        is_range = before == "-" and at > 0 and _is_digit(cut.key[at - 1])
        opened = before.rstrip(_CURRENCY + " ").endswith("(") or (before.endswith("-") and not is_range)
        is_remark = is_remark and ")" not in before
        if is_amount and (opened or (behind.startswith(")") and not is_remark)):
            found.append(at)
        at = end
    return tuple(found)


def _is_in_brackets(gap: str, *, before: bool) -> bool:
    """Tell whether what follows a gap is in brackets, from the last bracket in it."""
    opened, closed = gap.rfind("("), gap.rfind(")")
    return before if opened == closed else opened > closed


def _are_boxes_changed(ours: Sequence[str], theirs: Sequence[str]) -> bool:
    """Tell whether a box's state differs beside its label; boxes that one side does not show say nothing."""
    a, b = _boxes(ours), _boxes(theirs)
    if not a or not b:
        return False
    shared = a.keys() & b.keys()
    if any(a[at] != b[at] for at in shared):
        return True
    return not a.keys() <= b.keys()


def _boxes(gaps: Sequence[str]) -> dict[int, str]:
    found = {}
    for at, gap in enumerate(gaps):
        states = "".join(c for c in gap if c in "☐☒")
        if states:
            found[at] = states
    return found
