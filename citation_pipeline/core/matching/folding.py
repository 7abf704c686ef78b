"""The key of a text: its letters and digits alone, one byte each, with case, accents, width and ligatures
folded.

Two texts with one key say the same to a reader who ignores spaces, punctuation and typography. The key is
blind to signs, currencies and decimal points: `checks` looks at those. What a snippet is stripped of before
it is folded lives in `snippets`.
"""

import unicodedata
from collections.abc import Iterable

# every ASCII byte that is no letter or digit; bytes.translate drops them in C
_NOT_ALPHANUMERIC = bytes(b for b in range(128) if not chr(b).isalnum())

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
    }
)

# letters beyond ASCII share the upper 128 bytes; 127 is prime, so an alphabet of up to 127 letters in a
# row keeps its letters apart
_UPPER, _UPPER_COUNT = 128, 127


def fold(text: str) -> bytes:
    """Return the key of `text`: one byte a letter or digit, empty for pure punctuation."""
    if text.isascii():
        return text.encode().lower().translate(None, _NOT_ALPHANUMERIC)
    return _fold_wide(text)


def _fold_wide(text: str) -> bytes:
    plain = unicodedata.normalize("NFKC", text).casefold().translate(_PLAIN)
    plain = unicodedata.normalize("NFKD", plain)
    key = bytearray()
    for character in plain:
        if not character.isalnum():  # marks, punctuation, spaces and format characters
            continue
        point = ord(character)
        key.append(point if point < _UPPER else _UPPER + point % _UPPER_COUNT)
    return bytes(key)


def fold_all(texts: Iterable[str]) -> list[bytes]:
    """Return the keys of many texts; each different text is folded once."""
    listed = list(texts)
    known = {text: fold(text) for text in set(listed)}
    return [known[text] for text in listed]
