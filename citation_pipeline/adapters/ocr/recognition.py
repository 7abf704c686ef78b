"""Reading one line's picture: characters with their place and probability."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from citation_pipeline.adapters.ocr.model_files import Recognizer
from citation_pipeline.adapters.ocr.pictures import Grey

_HEIGHT = 48  # pixels, the only height the network reads
_STEP = 8  # pixels a feature
_CLEAR = 0.85  # probability of every letter of a line that needs no other look
_FULL = 0.5  # letters for each line height of width: a narrow script has two, Chinese one
_FOREIGN = 0.3  # share of a line's letters that are of another script
_LAST_LATIN = 0x24F
_LONGEST = 4000  # pixels; a line longer than 80 letters of a title is no line


@dataclass(frozen=True, slots=True)
class Character:
    """A character, the pixels of the line's picture in which it peaked, and its probability."""

    text: str
    left: float
    right: float
    probability: float


def read_line(recognizer: Recognizer, grey: Grey, *others: Grey) -> list[Character]:
    """Return the characters of a picture that holds one level line, spaces included, left to right.

    `others` are renderings of the same line, of the same size: what the network sees in them is averaged
    before it decides. A line with doubtful letters, or with fewer than its width has room for, may be in
    letters outside the alphabet: it is read with all that the network knows, and where these are letters of
    another script they stay; a single one only makes what was read in its place less sure.
    """
    height, width = grey.shape
    if height < 4 or width < 3:
        return []
    wide = min(_LONGEST, max(16, round(_HEIGHT * width / height)))
    padded = math.ceil(wide / _STEP) * _STEP
    features = _features(recognizer, grey, wide, padded)
    for at, other in enumerate(others, start=2):
        features += (_features(recognizer, other, wide, padded) - features) / np.float32(at)
    room = padded * width / wide
    found = _decoded(recognizer.alphabet, features @ recognizer.weights + recognizer.bias, room)
    letters = [one for one in found if one.text != " "]
    if len(letters) >= _FULL * width / height and all(one.probability >= _CLEAR for one in letters):
        return found
    scores = features @ recognizer.whole_weights + recognizer.whole_bias
    whole = _decoded(recognizer.whole_alphabet, scores, room)
    foreign = [one for one in whole if is_foreign(one.text)]
    if len(foreign) >= max(2, _FOREIGN * sum(one.text != " " for one in whole)):
        return whole
    return [_doubted(one, foreign) for one in found]


def _features(recognizer: Recognizer, grey: Grey, wide: int, padded: int) -> NDArray[np.float32]:
    """Return (padded / 8, n) numbers of a line fitted to `wide` pixels, before the layer of letters."""
    method = cv2.INTER_AREA if len(grey) > 1.25 * _HEIGHT else cv2.INTER_LINEAR
    line = cv2.resize(grey, (wide, _HEIGHT), interpolation=method)
    batch = np.zeros((1, 3, _HEIGHT, padded), np.float32)
    batch[:, :, :, :wide] = line.astype(np.float32) / 127.5 - 1.0
    session = recognizer.session
    features: NDArray[np.float32] = session.run(None, {session.get_inputs()[0].name: batch})[0][0]
    return features


def is_foreign(text: str) -> bool:
    """Tell whether a character is a letter of another script than Latin."""
    return any(letter.isalpha() and ord(letter) > _LAST_LATIN for letter in text)


def _doubted(one: Character, foreign: Sequence[Character]) -> Character:
    """Return a character as sure as the network is that none of another script is in its place."""
    over = [other.probability for other in foreign if other.left < one.right and one.left < other.right]
    return replace(one, probability=min(one.probability, 1.0 - max(over))) if over else one


def _decoded(alphabet: tuple[str, ...], scores: NDArray[np.float32], width: float) -> list[Character]:
    """Decode greedily: repeats are one character, blanks part equal ones (connectionist classification)."""
    scores = scores - scores.max(axis=1, keepdims=True)
    chances = np.exp(scores)
    chances /= chances.sum(axis=1, keepdims=True)
    step = width / len(chances)
    found: list[Character] = []
    before = 0
    best, values = chances.argmax(axis=1).tolist(), chances.max(axis=1).tolist()
    for at, (letter, chance) in enumerate(zip(best, values, strict=True)):
        if letter and letter != before:
            found.append(Character(alphabet[letter], at * step, (at + 1) * step, chance))
        elif letter:
            last = found[-1]
            found[-1] = Character(last.text, last.left, (at + 1) * step, max(last.probability, chance))
        before = letter
    return found
