"""Numbers inside quoted words: decimal points, signs and currencies, to which the key is blind.

These compare two written forms of one place. What a number means as a value is `values`' work.
"""

import re
import unicodedata

from rapidfuzz.distance import Levenshtein

_PLAIN_CHARACTERS = str.maketrans(
    {
        "‐": "-", "‑": "-", "‒": "-", "–": "-", "—": "-", "―": "-", "−": "-", "﹣": "-", "－": "-",
        "’": "'", "‘": "'", "‛": "'", "ʼ": "'", "`": "'", "“": '"', "”": '"', "„": '"', "«": '"', "»": '"',
        "\u00ad": None, "\u200b": None, "\u200c": None, "\u200d": None, "\ufeff": None, "⁄": "/",
    }
)  # fmt: skip
_NUMBER = re.compile(r"\d(?:[\d.,'\u066b\u066c]*\d)?")
_MIXED_NUMBER = re.compile(r"\d\s+\d{1,2}/\d{1,3}(?![\d/])")
_PARTED = re.compile(r"\d+(?:\s+\d+)+")
_GROUPED = re.compile(r"\d{1,3}([,.'])\d{3}(?:\1\d{3})*(?:[.,]\d+)?")
_CURRENCIES = "$€£¥₹₽₩₪₫₴₺฿¢"
CURRENCIES = frozenset(_CURRENCIES)
"""Signs of money."""
_UNIT_SIGNS = CURRENCIES | frozenset("%‰°")
_SIGNED = re.compile(rf"(?:^|(?<=[\s(\[{{:;=|/,<>]))-\s?(?=[{re.escape(_CURRENCIES)}]?\s?\.?\d)")

# a scanner or an eye takes one for the other
LOOK_ALIKES = frozenset(
    frozenset(pair) for pair in b"0o 0q 0d 0c 1l 1i 1j 1t 2z 3e 4a 5s 6b 6g 6c 7t 8b 9g 9q".split()
)
"""Pairs of a figure and a letter that may be read for each other."""
_DIGITS = frozenset(b"0123456789")
_UNITS = """
am pm mg mcg ug ng pg g kg gr ml cl dl l cc km cm mm nm um m lb lbs oz ft in yd mi hr hrs min
sec ms h s d usd eur gbp cad aud jpy chf mxn iu mu units unit mmhg mmol umol nmol mol meq mosm
bpm rpm mph kph psi kpa pa day days week weeks wk wks month months mo mos year years yr yrs hour
hours minute minutes second seconds th st nd rd k b kb mb gb tb hz khz mhz ghz w kw mw kwh v kv
mv a ma c f n kn j kj cal kcal sqft acre acres gauge fr tab tabs tablet tablets cap caps capsule
capsules gtt tsp tbsp drop drops puff puffs percent
"""
UNITS = frozenset(_UNITS.encode().split())
"""Keys of units that are beside or in a number."""
_WIDE_UNITS = frozenset(["µg", "μg", "µl", "μl", "µm", "μm", "°c", "°f", "℃", "℉", "å", "ω"])

_LETTERED = str.maketrans({"×": "x", "✕": "x", "µ": "u", "μ": "u"})
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue"})
_RAISED = re.compile("[⁰¹²³⁴-⁹]+")
_MICRO = re.compile(r"[µμ]+")  # a sign printed twice over itself, for boldness, is read twice
_NUMERO = re.compile(r"(?<=\b[nN])°")
_MISREAD_LETTERS = re.compile(
    rb"[a-z]{2,}\d[a-z]+|[a-z]+\d[a-z]{2,}"
)  # a figure inside a word states no number
_JOINED_NUMBER = re.compile(r"(?:^|\s|[^\W\d_][-‐‑–/])\W*\d+(?=$|\s|[-‐‑–/][^\W\d_])")
_MISREAD_DOLLARS = re.compile(r"^(\W*)[Ss](?=\d)")
_PREFIXED = re.compile(r"\d[\s\u2009]?([mM])(?=(?:W|Wh|Hz|Pa|V|J|Ω)(?!\w))")
_PREFIX = re.compile(r"(?<=\d)([mM])(?=[WHPVJΩ])")
_RUN_OF_LETTERS = re.compile(r"[^\W\d_]+")
_SENTENCE_ENDS = ".,;:"
_UNIT_PARTS = re.compile(r"[/·*\s.]+")

_CODE_END = re.compile(r"\w[-‐‑/.]([A-Z\d])\W*\Z")  # the one sign behind the last mark of a code


def is_unit(text: str) -> bool:
    """Tell whether a text is a unit or a quotient of units (mg, g/dL, mg/kg/day)."""
    parts = [part for part in _UNIT_PARTS.split(text.strip("()[],;:").casefold()) if part]
    return bool(parts) and all(
        part.encode("ascii", "ignore") in UNITS or part in _WIDE_UNITS for part in parts
    )


def plain(text: str) -> str:
    """Return the text with one kind of dash and quote, without spaces and invisible characters."""
    return "".join(text.translate(_PLAIN_CHARACTERS).split())


def is_number_torn(quoted: str, printed: str) -> bool:
    """Tell whether blanks may make other numbers: a blank before a fraction is on one side only (of 1 1/2 and
    11/2 all else is the same), or blanks part figures elsewhere (48 215 and 482 15)."""
    if quoted == printed:  # most are: nothing needs to be looked for
        return False
    ours = _PARTED.findall(quoted)
    if ours and ours != (theirs := _PARTED.findall(printed)) and len(ours) == len(theirs):
        return True
    if "/" not in printed:
        return False
    return (_MIXED_NUMBER.search(quoted) is None) != (_MIXED_NUMBER.search(printed) is None)


def is_prefix_changed(quoted: str, printed: str) -> bool:
    """Tell whether a unit's `m` is a thousandth on one side and a million on the other: 5 mW and 5 MW.

    Where the unit itself has no capital of its own (`5 mw`, `5 MHZ`) nothing tells which is meant.
    """
    if "m" not in quoted + printed or "M" not in quoted + printed:
        return False
    ours, theirs = _PREFIXED.findall(quoted), _PREFIXED.findall(printed)
    return len(ours) == len(theirs) and ours != theirs


def outline(text: str) -> str:
    """Return the text's figures and marks in order, every run of letters as one sign; a cell's edge is a
    space."""
    bare = _PREFIX.sub(lambda m: "\1" if m[1] == "m" else "\2", plain(text).replace("|", ""))
    return _RUN_OF_LETTERS.sub("\0", bare).rstrip(_SENTENCE_ENDS)


def is_number_changed(quoted: str, printed: str) -> bool:
    """Tell whether two texts with the same digits differ in a decimal point.

    Only points and commas that part digits count, and only where the other side parts nothing:
    `(870)-931-0505` is 8709310505, `2012.12` is 2012-12, but `12.0` is not 120.
    """
    ours, our_parts = _points_and_parts(quoted)
    theirs, their_parts = _points_and_parts(printed)
    return not (ours <= their_parts and theirs <= our_parts)


def _points_and_parts(text: str) -> tuple[set[int], set[int]]:
    """Return how many digits are before each decimal point, and before anything that parts two digits."""
    plain_text = text.translate(_PLAIN_CHARACTERS)
    points: set[int] = set()
    digits = 0
    for match in _NUMBER.finditer(plain_text):
        number = match.group()
        grouped = _GROUPED.fullmatch(number)
        mark = grouped.group(1) if grouped else None
        for character in number:
            if character.isdigit():
                digits += 1
            elif character != mark:
                points.add(digits)
    parts: set[int] = set()
    digits = 0
    for character in plain_text:
        if character.isdigit():
            digits += 1
        else:
            parts.add(digits)
    return points, parts


def count_signs(text: str) -> int:
    """Return how many numbers of a text carry a minus sign of their own."""
    return len(_SIGNED.findall(text.translate(_PLAIN_CHARACTERS)))


def unit_signs(text: str) -> list[str]:
    """Return the currency, percent and degree signs of a text in order."""
    return [character for character in text if character in _UNIT_SIGNS]


def is_digit_changed(quoted: bytes, printed: bytes) -> bool:
    """Tell whether two keys that were aligned differ in a digit, look-alike letters allowed.

    A word with a digit or two read into it (`sapm1e`) states no number.
    """
    # mostly letters: a scanner put the digit there, but for another letter or as a stroke
    is_word = not has_digit(printed) and len(letters_of(quoted)) >= 2 * count_digits(quoted)
    if not has_digit(quoted) and states_no_number(printed):
        return False
    for code in Levenshtein.opcodes(quoted, printed):
        if code.tag == "equal":
            continue
        ours = quoted[code.src_start : code.src_end]
        theirs = printed[code.dest_start : code.dest_end]
        if is_word:
            if code.tag == "delete" and not _DIGITS.isdisjoint(ours.translate(None, b"015")):
                return True
            continue
        if not _DIGITS.intersection(ours) and not _DIGITS.intersection(theirs):
            continue
        # no scanner drops or makes a digit unseen
        if code.tag != "replace":
            return True
        for a, b in zip(ours, theirs, strict=True):
            if a != b and (a in _DIGITS or b in _DIGITS) and frozenset((a, b)) not in LOOK_ALIKES:
                return True
    return False


def states_no_number(key: bytes) -> bool:
    """Tell whether the only figure of a key is inside a word, where a recognizer reads one: `sapm1e`."""
    return _MISREAD_LETTERS.fullmatch(key) is not None


def letter_signs(text: str) -> str:
    """Return a text with letters for signs that are written so as well: 10x for 10×, ug for µg, no for n°."""
    if text.isascii():
        return text
    text = _RAISED.sub(r"^\g<0>", text)
    text = _NUMERO.sub("o", _MICRO.sub("u", unicodedata.normalize("NFKC", text)))
    return text.translate(_LETTERED)


def write_umlauts(text: str) -> str:
    """Return a text as it is typed without umlauts: Gruesse for Grüße."""
    return text.translate(_UMLAUTS)


def is_joined_number_added(quoted: str, printed: bytes) -> bool:
    """Tell whether a number that is joined to a quoted word (`2-year`) is in no part of the printed key."""
    return not has_digit(printed) and _JOINED_NUMBER.search(quoted.strip("()[].,;:")) is not None


_LOOKS = bytes.maketrans(b"oqlijzsb", b"00111258")


def look(key: bytes) -> bytes:
    """Return a key with look-alike characters made one: two keys with one look are distinguished by no
    scanner."""
    key = key.replace(b"vv", b"w").replace(b"rn", b"m").replace(b"cl", b"d")
    return key.translate(_LOOKS)


def is_look_alike(quoted: bytes, printed: bytes) -> bool:
    """Tell whether two keys differ in look-alike characters only."""
    if look(quoted) == look(printed):
        return True
    return len(quoted) == len(printed) and all(
        a == b or frozenset((a, b)) in LOOK_ALIKES for a, b in zip(quoted, printed, strict=True)
    )


def ends_otherwise(quoted: str, printed: str) -> bool:
    """Tell whether two codes differ in their end alone, a capital for a figure: `KR-8` and `KR-B`."""
    ours, theirs = _CODE_END.search(quoted), _CODE_END.search(printed)
    if ours is None or theirs is None or ours[1].isdigit() == theirs[1].isdigit():
        return False
    before, behind = quoted[: ours.start(1)].casefold(), printed[: theirs.start(1)].casefold()
    return list(filter(str.isalnum, before)) == list(filter(str.isalnum, behind))


def as_dollars(quoted: str, printed: str) -> str:
    """Return what is printed with its leading S as the dollar sign that is quoted: S62,000 for $62,000."""
    if "$" in quoted and _MISREAD_DOLLARS.match(printed):
        return _MISREAD_DOLLARS.sub(r"\1$", printed)
    return printed


def spell_as(quoted: str, printed: str) -> str:
    """Return a printed text with the letters and digits of a quoted one, its marks kept.

    Empty where the two have not as many letters and digits.
    """
    own = iter([character for character in quoted if character.isalnum()])
    spelt = "".join(next(own, "") if character.isalnum() else character for character in printed)
    return spelt if len(spelt) == len(printed) and next(own, "") == "" else ""


def has_digit(key: bytes) -> bool:
    """Tell whether a key holds a digit."""
    return not _DIGITS.isdisjoint(key)


def count_digits(key: bytes) -> int:
    """Return how many digits a key holds."""
    return len(key) - len(letters_of(key))


def letters_of(key: bytes) -> bytes:
    """Return a key without its digits."""
    return key.translate(None, b"0123456789")
