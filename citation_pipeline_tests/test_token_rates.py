"""A model's own tokens are told from what prompts consist of, by what its earlier prompts were billed."""

import random
from typing import Any

import pytest

from citation_pipeline.adapters.conversation.token_rates import token_rates
from citation_pipeline.core.prompts.lengths import likely_tokens, sum_of, text_shape


def row(text: str, billed: float, **given: Any) -> dict[str, Any]:
    shape = list(text_shape(text))
    return {"input_tokens": billed, "likely_tokens": likely_tokens(text), "text_shape": shape} | given


def written(number: int) -> str:
    """Capitals, figures and dotted lines in other shares each time."""
    drawn = random.Random(number)
    kinds = ("lumbar", "STRAIN", "1234567", "....", "$5", "of the\n")
    return " ".join(drawn.choices(kinds, weights=[drawn.random() for _ in kinds], k=400))


def billed(text: str) -> int:
    """A tokenizer to which a letter in capitals is a token, and a dotted line one."""
    return sum(len(word) if word.isupper() else 1 if word[0] == "." else 2 for word in text.split())


def test_a_shape_counts_each_kind_of_sign() -> None:
    assert text_shape("Lumbar MRI: 1,250.00 ... x_y\n", image_tokens=7) == (4, 11, 3, 3, 6, 5, 2, 1, 7)
    assert sum_of() == text_shape("")
    assert sum_of(text_shape("a 1"), text_shape("b")) == text_shape("a 1 b")


def test_prompts_of_another_mixture_are_told_within_a_twentieth_after_twenty() -> None:
    rates = token_rates([row(text, billed(text)) for text in map(written, range(20))])
    by_one_ratio = []
    for text in map(written, range(100, 120)):
        assert rates.of(text_shape(text)) == pytest.approx(billed(text), rel=0.05)
        assert rates.of_row(row(text, 0)) == rates.of(text_shape(text))
        by_one_ratio.append(abs(rates.likely * likely_tokens(text) / billed(text) - 1))
    assert max(by_one_ratio) > 0.2


def test_one_prompt_tells_how_many_tokens_there_are_for_each_likely_one() -> None:
    text = "The injured worker reported to the clinic. " * 50
    rates = token_rates([row(text, 2 * likely_tokens(text))])
    assert rates.of(text_shape(text * 3)) == pytest.approx(6 * likely_tokens(text), rel=0.02)


def test_rows_without_a_shape_are_told_by_their_likely_tokens() -> None:
    rates = token_rates([row("", 300, likely_tokens=200, text_shape=None)])
    assert rates.of_row({"likely_tokens": 400}) == 600
    assert rates.of_row({"likely_tokens": 400, "text_shape": [1, 2]}) == 600
    assert rates.of(text_shape("word")) > 0


def test_pictures_count_as_the_model_bills_them() -> None:
    rows = [
        row("a word " * number, 7.0 * number + 2 * images, text_shape=list(shape))
        for number in range(20, 60)
        for images in (0, 500, 900)
        if (shape := text_shape("a word " * number, image_tokens=images))
    ]
    rates = token_rates(rows)
    without = rates.of(text_shape("a word " * 30))
    assert rates.of(text_shape("a word " * 30, image_tokens=600)) - without == pytest.approx(1200, rel=0.1)
