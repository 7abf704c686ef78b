"""Reading one line's picture: characters with their place and probability."""

import math
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from citation_pipeline.adapters.ocr.model_files import Recognizer
from citation_pipeline.adapters.ocr.pictures import Grey

_HEIGHT = 48  # pixels, the only height the network reads
_STEP = 8  # pixels a feature
_LONGEST = 4000  # pixels; a line longer than 80 letters of a title is no line


@dataclass(frozen=True, slots=True)
class Character:
    """A character, the pixels of the line's picture in which it peaked, and its probability."""

    text: str
    left: float
    right: float
    probability: float


def read_line(recognizer: Recognizer, grey: Grey) -> list[Character]:
    """Return the characters of a picture that holds one level line, spaces included, left to right."""
    height, width = grey.shape
    if height < 4 or width < 3:
        return []
    wide = min(_LONGEST, max(16, round(_HEIGHT * width / height)))
    method = cv2.INTER_AREA if height > 1.25 * _HEIGHT else cv2.INTER_LINEAR
    line = cv2.resize(grey, (wide, _HEIGHT), interpolation=method)
    padded = math.ceil(wide / _STEP) * _STEP
    batch = np.zeros((1, 3, _HEIGHT, padded), np.float32)
    batch[:, :, :, :wide] = line.astype(np.float32) / 127.5 - 1.0
    session = recognizer.session
    features = session.run(None, {session.get_inputs()[0].name: batch})[0][0]
    return _decoded(
        recognizer.alphabet, features @ recognizer.weights + recognizer.bias, padded * width / wide
    )


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
