"""How many tokens a model's own tokenizer makes of words, figures and signs: measured on what it has read.

No tokenizer is known beforehand, and each makes other pieces of capitals, of digits and of dotted lines.
What a prompt consists of stands in the ledger beside the tokens that were billed for it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from citation_pipeline.core.prompts.lengths import RATES, Shape

_DOUBT = 0.1  # of the rates that are taken for any model, as a share of one prompt's evidence


@dataclass(frozen=True, slots=True)
class TokenRates:
    """Tokens for each of a shape's counts, and for a prompt by itself; `likely` of rows without a shape."""

    rates: tuple[float, ...]
    prompt: float
    likely: float

    def of(self, shape: Shape, *, prompts: int = 1) -> float:
        """Return the tokens of prompts of this shape."""
        inside = sum(rate * count for rate, count in zip(self.rates, shape, strict=True))
        return max(inside + self.prompt * prompts, 1.0)

    def of_row(self, row: dict[str, Any]) -> float:
        """Return the tokens of a ledger row's prompt as they would have been told before it went out."""
        shape = _shape_of(row)
        return row["likely_tokens"] * self.likely if shape is None else self.of(shape)


def token_rates(rows: Sequence[dict[str, Any]]) -> TokenRates:
    """Return the rates by which answered requests come nearest to their billed tokens, each as a share.

    Few requests leave the rates near those for any model, in the proportion that was billed.
    """
    likely = sum(row["input_tokens"] for row in rows) / sum(row["likely_tokens"] for row in rows)
    usual = np.array([0.0, *(rate * likely for rate in RATES)])
    shapes = [(shape, row) for row in rows if (shape := _shape_of(row)) is not None]
    if shapes:
        billed = np.array([row["input_tokens"] for _, row in shapes], dtype=float)
        counts = np.array([[1, *shape] for shape, _ in shapes], dtype=float) / billed[:, None]
        # each count in the share that it has of a prompt, so that doubt weighs the same on all
        scale = np.sqrt((counts**2).sum(axis=0))
        used = scale > 0
        shares = counts[:, used] / scale[used]
        missed = 1 - counts @ usual
        doubt = np.eye(int(used.sum())) * _DOUBT / len(shapes)
        usual[used] += np.linalg.solve(shares.T @ shares + doubt, shares.T @ missed) / scale[used]
    prompt, *rates = map(float, usual)
    return TokenRates(tuple(rates), prompt, likely)


def _shape_of(row: dict[str, Any]) -> Shape | None:
    """Return what a row's prompt consists of; None in rows of earlier versions."""
    shape = row.get("text_shape")
    return tuple(shape) if isinstance(shape, list) and len(shape) == len(RATES) else None
