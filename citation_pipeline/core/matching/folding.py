"""The key of a text: its letters and digits alone, one byte each, with case, accents, width and ligatures
folded.

Two texts with one key say the same to a reader who ignores spaces, punctuation and typography. The key is
blind to signs, currencies and decimal points: `checks` looks at those. What a snippet is stripped of before
it is folded lives in `snippets`.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence

# every ASCII byte that is no letter or digit; bytes.translate drops them in C
_NOT_ALPHANUMERIC = bytes(b for b in range(128) if not chr(b).isalnum())

# a ticked box as people type it says what ☒ says, which has no key
_TICK = re.compile(r"\[\s?[xX]\s?\]|\(\s?[xX]\s?\)")

# letters that NFKD leaves whole although people type them plainly, and signs typed as letters
_PLAIN = str.maketrans(
    {
        "đ": "d",
        "ð": "d",
        "ł": "l",
        "ø": "o",
        "æ": "ae",
        "œ": "oe",
        "ı": "i",
        "ŋ": "n",
        "þ": "th",
        "ħ": "h",
        "©": "c",
        "®": "r",
        "\u0640": "",  # stretches an Arabic word in its line and is no letter of it
    }
)

# letters beyond ASCII share the upper 128 bytes; 127 is prime, so an alphabet of up to 127 letters in a
# row keeps its letters apart
_UPPER, _UPPER_COUNT = 128, 127


_UNSPACED = re.compile(r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff]")


def fold(text: str) -> bytes:
    """Return the key of `text`: one byte a letter or digit, empty for pure punctuation."""
    if text.isascii():
        if text[:1] in ("[", "(") and _TICK.fullmatch(text):
            return b""
        return text.encode().lower().translate(None, _NOT_ALPHANUMERIC)
    return _fold_wide(text)


def fold_pieces(pieces: Sequence[str]) -> bytes:
    """Return the keys of blank-separated pieces run together; plain text is folded at once."""
    joined = "".join(pieces)
    if joined.isascii() and not _TICK.search(joined):
        return joined.encode().lower().translate(None, _NOT_ALPHANUMERIC)
    return b"".join(map(fold, pieces))


def _fold_wide(text: str) -> bytes:
    spelled = spell(text)
    if spelled.isascii():
        return spelled.encode()
    return bytes(
        point if (point := ord(character)) < _UPPER else _UPPER + point % _UPPER_COUNT
        for character in spelled
    )


def spell(text: str) -> str:
    """Return the letters and digits of `text` as the key has them, before letters beyond ASCII share bytes.

    Digits of every script are 0 to 9. Two texts with one key and two spellings are two texts.
    """
    plain = unicodedata.normalize("NFKC", text).casefold().translate(_PLAIN)
    if plain.isascii():
        return plain.encode().translate(None, _NOT_ALPHANUMERIC).decode()
    found: list[str] = []
    for character in unicodedata.normalize("NFKD", plain):
        if character.isalnum():  # no marks, punctuation, spaces or format characters
            digit = unicodedata.decimal(character, None)
            found.append(character if digit is None else str(digit))
    return "".join(found)


def is_unspaced(text: str) -> bool:
    """Tell whether a text is of a script that sets no spaces between words."""
    return not text.isascii() and _UNSPACED.search(text) is not None


def fold_all(texts: Iterable[str]) -> list[bytes]:
    """Return the keys of many texts; each different text is folded once."""
    listed = list(texts)
    known = {text: fold(text) for text in set(listed)}
    return list(map(known.__getitem__, listed))
