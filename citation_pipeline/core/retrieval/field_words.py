"""How strongly each word of a question speaks for each field: weights fitted on the phrasings.

A softmax over the fields; `benchmarks/fit_field_words.py` fits and writes the weights, a text a line a word.
Beside it `field_questions` compares a question with single phrasings.
"""

import math
from collections.abc import Iterable, Mapping

SHARPNESS = 8.0
"""Of the softmax; the weights are fitted at the same."""


class FieldWords:
    """Fitted weights: of each mark of a question (a word, a pair of words, its kind) for each field."""

    def __init__(self, weights: Mapping[str, Mapping[str, float]], bias: Mapping[str, float]) -> None:
        self._weights = weights
        self._bias = bias

    @classmethod
    def parse(cls, text: str) -> "FieldWords":
        """Read what the fit wrote: a mark, then pairs of a field's number and its weight in hundredths."""
        head, *lines = text.splitlines()
        keys = head.split("\t")
        weights: dict[str, dict[str, float]] = {}
        for line in lines:
            mark, _, pairs = line.partition("\t")
            listed = (pair.split(":") for pair in pairs.split())
            weights[mark] = {keys[int(number)]: int(hundredths) / 100 for number, hundredths in listed}
        return cls(weights, weights.pop("", {}))

    def marks(self) -> Iterable[str]:
        """Return the marks that have a weight for some field."""
        return self._weights.keys()

    def shares(self, marks: Mapping[str, float]) -> dict[str, float]:
        """Return how probable each field is, in 0-1; "" stands for none of them."""
        sums = dict(self._bias)
        for mark, scale in marks.items():
            for key, weight in self._weights.get(mark, {}).items():
                sums[key] = sums.get(key, 0.0) + SHARPNESS * scale * weight
        most = max(sums.values(), default=0.0)
        raised = {key: math.exp(value - most) for key, value in sums.items()}
        whole = math.fsum(raised.values()) or 1.0
        return {key: value / whole for key, value in raised.items()}
