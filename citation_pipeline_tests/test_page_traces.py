"""What is looked at of a page: the quick ways say what the plain ones say."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from citation_pipeline.core.documents import page_traces
from citation_pipeline.core.documents.page_traces import _closes, _percentile, _telling_words

SHARES = st.sampled_from([0.05, 0.5])
VALUES = st.lists(st.floats(0, 1, allow_nan=False), min_size=1, max_size=40)
TEXTS = st.text(alphabet="abcdé1290.,/- \nß½²_", max_size=80)


@given(VALUES, SHARES)
def test_a_percentile_is_numpys_to_the_last_digit(values: list[float], share: float) -> None:
    assert _percentile(np.asarray(values), share) == float(np.percentile(values, share * 100))


def test_a_percentile_of_nothing_is_nothing() -> None:
    assert _percentile(np.zeros(0), 0.5) == 0.0


@given(TEXTS)
def test_telling_words_are_those_of_the_whole_text(text: str) -> None:
    lowered = text.lower()
    assert _telling_words(lowered) == frozenset(re.findall(r"[^\W\d_]{5,}|\d[\d/.,-]{5,}", lowered))


@pytest.mark.parametrize(
    ("text", "closes"),
    [
        ("We enclose it.\n  Sincerely,\nJ. Alder", True),
        ("Very truly yours", True),
        ("cc : the employer", True),
        ("Enclosures: two", True),
        ("I declare under penalty of perjury that", True),
        ("Electronically signed by J. Alder", True),
        ("He sincerely regrets it. The accident: a fall. Success: none.", False),
        ("The report names no one", False),
    ],
)
def test_a_page_closes_with_what_letters_end_with(text: str, closes: bool) -> None:
    assert _closes(text, text.lower()) is closes
    assert bool(page_traces._CLOSING.search(text)) is closes
