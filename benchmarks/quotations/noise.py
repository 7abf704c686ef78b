"""Recognition noise on the words of a page: letters confused, lost, doubled; specks taken for marks."""

import random
from collections.abc import Mapping, Set
from typing import Any

PERCENTS = (2, 4, 8)
CONFUSED = {
    "a": "ao@s", "b": "bh6", "c": "ceo", "d": "dcl", "e": "eco", "f": "ft", "g": "gq9", "h": "hb", "i": "il1",
    "k": "kl", "l": "l1I", "m": "mn", "n": "nuri", "o": "oc0", "p": "pn", "q": "qg", "r": "rnt", "s": "s5a",
    "t": "tfl", "u": "unv", "v": "vuy", "w": "wvv", "x": "xz", "y": "yv", "z": "z2", "A": "A4", "B": "B8",
    "C": "CG", "D": "DO", "E": "EF", "F": "FP", "G": "GC6", "I": "Il1", "L": "LI", "M": "MN", "N": "NM",
    "O": "O0Q", "P": "PF", "R": "RK", "S": "S5", "T": "TI", "U": "UV", "V": "VY",
}  # fmt: skip
MERGED = {"rn": "m", "cl": "d", "li": "h", "vv": "w", "ri": "n", "ti": "u", "in": "m"}
FIGURES = {"0": "O", "1": "l", "5": "S", "8": "B"}
"""Figures become letters only: a figure read as another one makes a page that says something else."""


def misread(word: str, percent: int, numbers: random.Random) -> str:
    """Return the word with each letter damaged in so many percent of the cases."""
    share = percent / 100
    result, at = [], 0
    figures = any(letter.isdigit() for letter in word)
    while at < len(word):
        letter, pair = word[at], word[at : at + 2]
        at += 1
        if numbers.random() >= share:
            result.append(letter)
        elif figures:
            result.append(FIGURES.get(letter, letter))
        elif pair in MERGED and numbers.random() < 0.6:
            result.append(MERGED[pair])
            at += 1
        elif not letter.isalpha():
            result.append(numbers.choice((letter, "", ",", ".")))
        else:
            way = numbers.random()
            others = CONFUSED.get(letter, letter).replace(letter, "") or letter
            if way < 0.75:
                result.append(numbers.choice(others))
            elif way < 0.9:
                result.append(letter + numbers.choice(".'il"))
    return "".join(result) or word


def damaged(
    record: Mapping[str, Any], name: str, percent: int, known: Set[str], numbers: random.Random
) -> dict[str, Any]:
    """Return the document with misread words. What became another word of the document stays as it was: it
    would say something else, which no reader of the page could know to be noise."""
    words = []
    for word in record["words"]:
        text = misread(word[0], percent, numbers)
        if text.casefold().strip(".,;:'") in known:
            text = word[0]
        words.append([text, *word[1:]])
    blocks = [
        {**block, "content": " ".join(w[0] for w in words[block["words"][0] : block["words"][1]])}
        for block in record["blocks"]
    ]
    kept = {name: value for name, value in record.items() if not name.startswith("_")}
    return {**kept, "doc_id": name, "words": words, "blocks": blocks}
