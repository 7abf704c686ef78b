"""A second witness of a page's text: the PDF library's own order and gaps, against our words from geometry.

Both read the same characters, so they agree on nearly every page; where they do not, a matrix, a font or a
rule of ours is odd, and no page is to pass in silence.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from citation_pipeline.core.layout.characters import Characters, to_paper
from citation_pipeline.core.layout.content import PageWords
from citation_pipeline.core.layout.words import REPLACED
from citation_pipeline.core.matching.folding import fold
from citation_pipeline.core.matching.vocabulary import is_listed

LEAST_WORDS, LEAST_ORDER = 0.8, 0.5
"""Shares of the witness's words and neighbours that must be ours; vertical text keeps 0.6 of its order."""

_FEWEST_TOKENS = 5  # fewer prove nothing: a rotated stamp, one vertical label
_TOKEN = re.compile(r"\S+")
_LEAST_KEY = 3  # shorter words occur inside others by chance
_FEWEST_WORDS, _LEAST_LISTED, _LEAST_COMMON = 40, 0.15, 0.04
"""Of a page's words: how many tell its language, and the shares of English and of other languages' words."""
_FEWEST_COMMON = 3  # different ones: letters that are mixed up make another word of one
_COMMON = frozenset(  # found on every page of nearly every language in Latin letters
    b"de la el en que los las un una por con para del se no der die und das ist von den mit zu le les des et"
    b" du est une dans di che il per del della het van een ij og det er pa som att av och na nie do sie jest"
    b" ze je az es hogy egy ja ei on se ve bir bu da cu si din este da eo os um uma ca va la cua yang dan"
    b" ang ng sa sit in ad ut non dolor ipsum lorem".split()
)
_LEAST_SAME = 0.3  # of the words read off the picture, where the layer says what the page shows
_CLEARLY_BETTER = 0.1  # of the listed words among all: languages without a list tie, and ours stay


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far two readings of a page's characters agree: the shares of words, and of neighbours, shared."""

    words: float = 1.0
    order: float = 1.0

    @property
    def is_doubtful(self) -> bool:
        """Whether somebody should look at the page."""
        return self.words < LEAST_WORDS or self.order < LEAST_ORDER


def compare(characters: Characters, texts: Sequence[str]) -> Agreement:
    """Compare the characters' own order with the words that were made of them, spaces and signs aside."""
    together, witness = "".join(texts), _text_of(characters)
    if "".join(witness.split()) == together:  # folding costs more, and most pages need none
        return Agreement()
    if "".join(witness.translate(REPLACED).split()) == together:
        return Agreement()
    ours = fold(together)
    if fold(witness) == ours:
        return Agreement()
    keys = [key for token in _TOKEN.findall(witness) if len(key := fold(token)) >= _LEAST_KEY]
    if len(keys) < _FEWEST_TOKENS:
        return Agreement()
    pairs = [first + second for first, second in zip(keys, keys[1:], strict=False)]
    return Agreement(
        sum(key in ours for key in keys) / len(keys), sum(pair in ours for pair in pairs) / len(pairs)
    )


def better_words(
    characters: Characters, words: PageWords, *, width: float, height: float
) -> tuple[PageWords, NDArray[np.int8]] | None:
    """Return the witness's words, and which are hidden, where clearly more are words at all, else None.

    `width` and `height` are the paper's, in points; the boxes join those of each word's characters.
    """
    tokens = list(_TOKEN.finditer(_text_of(characters)))
    if not tokens:
        return None
    found = [token.span() for token in tokens]
    texts = [token.group() for token in tokens]
    if _listed_share(texts) < _listed_share(words.texts) + _CLEARLY_BETTER:
        return None
    edges = characters.edges.copy()
    for quarter in (1, 2, 3):
        where = characters.turns == quarter
        edges[where] = to_paper(edges[where], quarter, width=width, height=height)
    first = np.array([start for start, _ in found])
    columns = PageWords(
        texts=texts,
        edges=np.array(
            [[*edges[start:end, :2].min(axis=0), *edges[start:end, 2:].max(axis=0)] for start, end in found]
        ),
        sizes=characters.sizes[first],
        bold=characters.bold[first],
        turns=characters.turns[first],
        confidences=np.full(len(found), np.nan),
    )
    return columns, characters.hidden[first]


def _text_of(characters: Characters) -> str:
    codes = characters.codes
    wrong = (codes > 0x10FFFF) | ((codes >= 0xD800) & (codes < 0xE000))
    return np.where(wrong, 0xFFFD, codes).astype("<u4").tobytes().decode("utf-32-le")


def _listed_share(texts: Sequence[str]) -> float:
    keys = [key for text in texts if len(key := fold(text)) >= _LEAST_KEY and key.isalpha()]
    return sum(map(is_listed, keys)) / len(keys) if keys else 0.0


def is_no_language(texts: Sequence[str]) -> bool:
    """Tell whether a page's Latin words are words of no language: letters of a font whose map is wrong."""
    keys = [fold(text) for text in texts if text.isascii() and text.strip(".,;:").isalpha()]
    long = [key for key in keys if len(key) >= _LEAST_KEY]
    if len(long) < max(_FEWEST_WORDS, len(texts) // 2):
        return False
    common = [key for key in keys if key in _COMMON]
    is_known = len(set(common)) >= _FEWEST_COMMON and len(common) >= _LEAST_COMMON * len(keys)
    return not is_known and sum(map(is_listed, long)) < _LEAST_LISTED * len(long)


def is_shown(texts: Sequence[str], read: Sequence[str]) -> bool:
    """Tell whether a text layer says what was `read` off the picture of its page."""
    layer = set(map(fold, texts))
    keys = [key for text in read if len(key := fold(text)) >= _LEAST_KEY]
    return sum(key in layer for key in keys) >= _LEAST_SAME * len(keys)
