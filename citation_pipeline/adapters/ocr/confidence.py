"""How sure a recognized word is: a probability fitted to words of bad pages, not the network's own number.

The network is as sure of a faxed "3" that was an "8" as of a clean one. What tells them apart is the page
(its other words), the least sure letter, the height of the letters and a second reading of doubtful lines.
Weights: `benchmarks/ocr_degraded.py --fit`, on development pages; the held-back ones decide.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from citation_pipeline.core.matching.folding import fold
from citation_pipeline.core.matching.vocabulary import is_listed

AGREED, NOT_ASKED, DIFFERS = 1.0, 0.0, -1.0
"""What the second reading of a word's line says of it."""

MOST_UNKNOWN = 0.5
"""No word that may hold letters outside the recognizer's alphabet is surer."""

_VIETNAMESE = frozenset("ƠơƯư")
# words with a letter of its own that make a page Vietnamese: one may be a misread letter of a noisy page
_FEWEST_OWN, _OWN_SHARE = 2, 0.03
_LEAST_CHANCE, _MOST_CHANCE = 0.02, 0.9998
_USUAL_HEIGHT = 24.0  # pixels of a line's picture: 10-point print at 150 dpi
_PUNCTUATION = "()[],.;:%"
# a page's mean log odds, the place of the number among the features: clean scans in black and white have 4.88
# to 5.0, poor faxes below 4.8
_PAGE, _CLEAR_PAGE = 3, 4.8
_DISPUTED = 0.89  # the most for a word that a second reading spells otherwise: below what counts as sure
WEIGHTS = (-3.203, 0.108, 0.55, 0.549, -1.33, -0.577, -0.035, 0.659, 2.865)
"""Of the numbers of `features_of`, in their order."""


@dataclass(frozen=True, slots=True)
class WordEvidence:
    """What is known of a word: geometric mean and least of its letters' probabilities, the pixels that its
    line is high, and what a second reading said."""

    text: str
    mean: float
    least: float
    height: float
    second: float = NOT_ASKED


def features_of(words: Sequence[WordEvidence]) -> NDArray[np.float64]:
    """Return (n, 9) numbers; a page's words are judged together, for the page is part of each."""
    if not words:
        return np.zeros((0, len(WEIGHTS)))
    means = _log_odds([word.mean for word in words])
    page = float(np.mean(np.minimum(means, 5.0)))
    rows = [
        (
            1.0,
            mean,
            least,
            page,
            max(0.0, -word.second),
            max(0.0, word.second),
            float(np.log2(max(word.height, 4.0) / _USUAL_HEIGHT)),
            float(any(letter.isdigit() for letter in word.text)),
            # folding drops accents: "retríeval" is a misread letter and no listed word
            float(word.text.isascii() and word.text.isalpha() and is_listed(fold(word.text))),
        )
        for word, mean, least in zip(
            words, means.tolist(), _log_odds([word.least for word in words]).tolist(), strict=True
        )
    ]
    return np.array(rows)


def confidences_of(words: Sequence[WordEvidence], *, redrawn: bool = False) -> NDArray[np.float64]:
    """Return the probability of each word of one page being right, within what a word may be at most.

    On a poor fax (`redrawn`, with doubtful letters), a figure without marks is never sure: the point of 27.40
    is one dot high, and where it was lost both readings agree about 2740. Marks are hardly ever invented.
    """
    if not words:
        return np.zeros(0)
    features = features_of(words)
    chances = np.asarray(1.0 / (1.0 + np.exp(-(features @ np.array(WEIGHTS)))))
    most = _caps(words)
    if redrawn and features[0, _PAGE] < _CLEAR_PAGE:
        bare = np.array([word.text.strip(_PUNCTUATION).isdigit() for word in words], np.bool_)
        most = np.where(bare, np.minimum(most, _DISPUTED), most)
    return np.asarray(np.minimum(chances, most))


def _caps(words: Sequence[WordEvidence]) -> NDArray[np.float64]:
    """Return the most that each word may be: what two readings spell differently is never sure, and letters
    that the recognizer lacks are read as their neighbours.

    Of Vietnamese it knows no letter with two marks or a tone below; a page that has its own letters is in it.
    """
    own = [any(letter in _VIETNAMESE for letter in word.text) for word in words]
    lettered = [any(letter.isalpha() for letter in word.text) for word in words]
    everywhere = sum(own) >= max(_FEWEST_OWN, _OWN_SHARE * sum(lettered))
    return np.array(
        [
            MOST_UNKNOWN
            if marked or (everywhere and has_letters)
            else _DISPUTED
            if word.second == DIFFERS
            else 1.0
            for word, marked, has_letters in zip(words, own, lettered, strict=True)
        ]
    )


def _log_odds(chances: Sequence[float]) -> NDArray[np.float64]:
    values = np.clip(np.array(chances, np.float64), _LEAST_CHANCE, _MOST_CHANCE)
    return np.asarray(np.log(values / (1 - values)))
