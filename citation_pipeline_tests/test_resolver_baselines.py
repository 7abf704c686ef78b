"""The baselines that the resolver is compared with: the fair one answers as the published one does."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.baselines import published_blocks

BOX = {"page": 1, "left": 0.1, "top": 0.1, "width": 0.5, "height": 0.1}
TEXT = st.text(alphabet="ab <>/p.", min_size=1, max_size=30)


@given(st.lists(TEXT, max_size=5), TEXT)
@settings(deadline=None)
def test_blocks_normalised_once_give_the_published_answer(contents: list[str], snippet: str) -> None:
    document = {"blocks": [{"type": "Text", "content": text, "bbox": BOX} for text in contents]}
    query = {"query_id": "q", "text_snippet": snippet}
    again = published_blocks.find(published_blocks.prepare(document), query)
    assert published_blocks.find_normalised(published_blocks.normalise(document), query) == again


@pytest.mark.parametrize(
    ("content", "score"), [("<p>Date of loss</p>", 1.0), ("Date of loss: May", 0.5 + 6 / 17)]
)
def test_containment_scores_by_how_much_one_covers_the_other(content: str, score: float) -> None:
    assert published_blocks.score_block(content, "date of loss") == pytest.approx(score)
