"""What a glyph says, where the file says it in another way than it is read: ligatures, accents, no letter.

A page's characters are mended here once, before words are made of them and before a witness reads them.
"""

import unicodedata
from collections.abc import Sequence
from dataclasses import fields

import numpy as np
from numpy.typing import NDArray

from citation_pipeline.core.layout.characters import Characters

UNKNOWN = 0xFFFD

_FEWEST_UNKNOWN = 2  # in a word: one alone is a bullet
_SYMBOLS = range(0xF020, 0xF100)  # of symbol fonts: ticks, bullets, arrows
_SAME_PLACE = 0.01  # points; the letters of one glyph have its box
_ACCENTS = {
    0x60: "\u0300",
    0xA8: "\u0308",
    0xAF: "\u0304",
    0xB4: "\u0301",
    0xB8: "\u0327",
    0x2C6: "\u0302",
    0x2C7: "\u030c",
    0x2D8: "\u0306",
    0x2D9: "\u0307",
    0x2DA: "\u030a",
    0x2DB: "\u0328",
    0x2DC: "\u0303",
    0x2DD: "\u030b",
}
_VOWEL_SIGNS = (*range(0x64B, 0x653), 0x670)
_IS_SIGN = np.zeros(0x700, np.bool_)
_IS_SIGN[[*_ACCENTS, *_VOWEL_SIGNS]] = True
_IS_MARK = np.zeros(0x1100, np.bool_)
_IS_MARK[[code for code in range(0x300, 0x10FF) if unicodedata.category(chr(code)) == "Mn"]] = True
_IS_MARK[[*_VOWEL_SIGNS]] = False  # Arabic ones are `_put_signs`'
_SPACE, _LATIN, _MARKS = 0x20, 0x24F, 0x300
_DOTLESS = {0x131: "i", 0x237: "j"}
_NEAR = 6  # characters before and after an accent: typesetters draw it beside its letter or after its word
# of the size: a capital's accent is raised by what it is taller, and may reach out over a narrow letter
_RAISED, _REACH = 0.3, 0.15
_PRESENTATION_FORMS = (*range(0xFB50, 0xFE00), *range(0xFE70, 0xFEFF))
_LIGATURES = frozenset(
    letters for code in _PRESENTATION_FORMS if len(letters := unicodedata.normalize("NFKC", chr(code))) > 1
)
"""Letters that Unicode knows as one Arabic sign, in the order they are read."""


def unknown_words(texts: Sequence[str]) -> NDArray[np.bool_]:
    """Mark words of whose glyphs nothing is known: codes that each font uses as it likes, or none.

    On a page where no word has two of them, nor one between its letters, none is: they are bullets.
    """
    counts = np.array([0 if text.isascii() else sum(map(_is_unknown, text)) for text in texts], np.int64)
    found = counts > 0
    inside = any(_has_unknown_inside(texts[word]) for word in np.flatnonzero(found).tolist())
    return found & (inside or bool((counts >= _FEWEST_UNKNOWN).any()))


def half_known_words(texts: Sequence[str]) -> NDArray[np.bool_]:
    """Mark words of whose glyphs something is known, and of others nothing: `�g` may be mg."""
    return np.array(
        [
            not text.isascii() and any(map(_is_unknown, text)) and any(map(str.isalnum, text))
            for text in texts
        ],
        np.bool_,
    )


def _has_unknown_inside(text: str) -> bool:
    return any(
        before.isalnum() and _is_unknown(one) and behind.isalnum()
        for before, one, behind in zip(text, text[1:], text[2:], strict=False)
    )


def _is_unknown(letter: str) -> bool:
    code = ord(letter)
    return code == UNKNOWN or 0xE000 <= code < 0xF900 and code not in _SYMBOLS


def reads_leftward(codes: NDArray[np.uint32]) -> NDArray[np.bool_]:
    """Tell which codes are Hebrew or Arabic, their presentation forms included."""
    return (
        ((codes >= 0x590) & (codes < 0x900))
        | ((codes >= 0xFB1D) & (codes < 0xFE00))
        | ((codes >= 0xFE70) & (codes < 0xFEFF))
    )


def of_one_glyph(characters: Characters, a: NDArray[np.int64], b: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Tell which neighbours `a` and `b` are letters of one ligature: they share its run and its box."""
    edges = characters.edges
    same: NDArray[np.bool_] = (
        (characters.runs[a] == characters.runs[b])
        & (np.abs(edges[b, 0] - edges[a, 0]) < _SAME_PLACE)
        & (np.abs(edges[b, 2] - edges[a, 2]) < _SAME_PLACE)
    )
    return same


def spelled(characters: Characters) -> Characters:
    """Return the characters as they are read.

    A glyph with a width and no code has the code `UNKNOWN`; the letters of a right-to-left ligature stand in
    reading order; a sign that is drawn over a letter by itself is one character with it (an accent), or
    follows it (an Arabic vowel sign).
    """
    codes = characters.codes
    above = np.flatnonzero(_IS_SIGN[np.minimum(codes, len(_IS_SIGN) - 1)])
    if codes.min() > 0 and codes.max() < _MARKS and not len(above):  # nearly every page
        return characters
    marks = np.flatnonzero(_IS_MARK[np.minimum(codes, len(_IS_MARK) - 1)])
    if len(marks):
        characters = _with_marks(characters, marks)
        codes = characters.codes
        above = np.flatnonzero(_IS_SIGN[np.minimum(codes, len(_IS_SIGN) - 1)])
    nothing = (codes == 0) & (characters.edges[:, 2] - characters.edges[:, 0] > _SAME_PLACE)
    leftward = reads_leftward(codes)
    if not nothing.any() and not leftward.any() and not len(above):
        return characters
    columns = {field.name: getattr(characters, field.name).copy() for field in fields(characters)}
    columns["codes"][nothing] = UNKNOWN
    mended = Characters(**columns)
    if leftward.any():
        _order_ligatures(mended, leftward)
    if not len(above):
        return mended
    alone = np.ones(len(codes), np.bool_)
    shared = of_one_glyph(mended, np.arange(len(codes) - 1), np.arange(1, len(codes)))
    alone[1:] &= ~shared
    alone[:-1] &= ~shared
    order = _put_signs(mended, above[alone[above]])
    return Characters(**{name: column[order] for name, column in columns.items()})


def _with_marks(characters: Characters, marks: NDArray[np.int64]) -> Characters:
    """Return the characters, each mark that is no character by itself joined to its letter.

    It becomes one character with it where there is one (e and its accents), else it stands where its letter
    is (vowels of Thai or Hindi): a mark's own box is anywhere around it.
    """
    columns = {field.name: getattr(characters, field.name).copy() for field in fields(characters)}
    codes, edges, kept = columns["codes"], columns["edges"], np.ones(len(characters.codes), np.bool_)
    for mark in marks.tolist():
        if mark == 0:
            continue
        letter = mark - 1
        while letter > 0 and (_is_made_up(codes, edges, letter) or not kept[letter]):
            letter -= 1
        if codes[letter] <= _SPACE or columns["turns"][letter] != columns["turns"][mark]:
            continue
        kept[letter + 1 : mark] = False
        whole = unicodedata.normalize("NFC", chr(int(codes[letter])) + chr(int(codes[mark])))
        if len(whole) == 1:
            codes[letter], kept[mark] = ord(whole), False
            reach = _REACH * float(
                columns["sizes"][letter]
            )  # a mark with a width of its own goes on with the line
            if edges[letter, 0] <= edges[mark, 0] <= edges[letter, 2] + reach:
                edges[letter, 2] = max(edges[letter, 2], edges[mark, 2])
        else:
            for name in ("edges", "baselines", "sizes", "runs", "slanted"):
                columns[name][mark] = columns[name][letter]
    return Characters(**{name: column[kept] for name, column in columns.items()})


def _is_made_up(codes: NDArray[np.uint32], edges: NDArray[np.float64], at: int) -> bool:
    """Tell whether a space is the library's, put where a mark's box is not where the line went on."""
    return bool(codes[at] == _SPACE and edges[at, 2] - edges[at, 0] < _SAME_PLACE)


def _order_ligatures(characters: Characters, leftward: NDArray[np.bool_]) -> None:
    """Put the letters of right-to-left ligatures into reading order.

    PDFium turns a right-to-left line round letter by letter, and so the letters that one glyph stands for;
    those of a presentation form it spells out only after that.
    """
    codes, at = characters.codes, np.arange(len(characters.codes))
    together = of_one_glyph(characters, at[:-1], at[1:]) & leftward[1:]
    firsts = np.flatnonzero(together & ~np.concatenate([[False], together[:-1]]))
    lasts = np.flatnonzero(together & ~np.concatenate([together[1:], [False]])) + 1
    for first, last in zip(firsts.tolist(), lasts.tolist(), strict=True):
        glyph = codes[first : last + 1]
        letters = "".join(map(chr, glyph.tolist()))
        if letters not in _LIGATURES or letters[::-1] in _LIGATURES:
            codes[first : last + 1] = glyph[::-1].copy()


def _put_signs(characters: Characters, signs: NDArray[np.int64]) -> NDArray[np.int64]:
    """Give letters the signs that are drawn over them; return which characters remain, in which order."""
    codes, edges = characters.codes, characters.edges
    places, kept = np.arange(len(codes), dtype=np.float64), np.ones(len(codes), np.bool_)
    for sign in signs.tolist():
        code = int(codes[sign])
        letter, composed = _letter_under(characters, sign)
        if letter < 0:
            continue
        if code in _ACCENTS:
            codes[letter], kept[sign] = ord(composed), False
            continue
        edges[sign], places[sign] = edges[letter], letter + 0.5
        before = sign - 1  # a space is made up where the sign's place is not where the line went on
        if before >= 0 and codes[before] == _SPACE and edges[before, 2] - edges[before, 0] < _SAME_PLACE:
            kept[before] = False
    order = np.argsort(places, kind="stable")
    return order[kept[order]]


def _letter_under(characters: Characters, sign: int) -> tuple[int, str]:
    """Return the letter that a sign is drawn over, or -1, and the character that both are, if any."""
    edges, sizes, code = characters.edges, characters.sizes, int(characters.codes[sign])
    left, _, right, _ = edges[sign].tolist()
    size = float(sizes[sign])
    reach, middle = _REACH * size, (left + right) / 2
    found, composed, least = -1, "", reach if code in _ACCENTS else size
    for near in range(max(0, sign - _NEAR), min(len(sizes), sign + _NEAR + 1)):
        if not (
            near != sign
            and characters.turns[near] == characters.turns[sign]
            and characters.hidden[near] == characters.hidden[sign]
            and 0.9 * size < sizes[near] < 1.1 * size
            and abs(characters.baselines[near] - characters.baselines[sign]) <= _RAISED * size
            and edges[near, 0] - reach <= left
            and right <= edges[near, 2] + reach
        ):
            continue
        away = abs(float(edges[near, 0] + edges[near, 2]) / 2 - middle)
        whole = _composed(int(characters.codes[near]), code)
        if whole and away < least:
            found, composed, least = near, whole, away
    return found, composed


def _composed(letter: int, sign: int) -> str:
    """Return the character that a letter is with a sign over it, or both; nothing where they do not go."""
    if sign not in _ACCENTS:
        return chr(letter) + chr(sign) if chr(letter).isalpha() and 0x600 <= letter < 0x900 else ""
    if letter > _LATIN:
        return ""
    composed = unicodedata.normalize("NFC", _DOTLESS.get(letter, chr(letter)) + _ACCENTS[sign])
    return composed if len(composed) == 1 and composed.isalpha() else ""
