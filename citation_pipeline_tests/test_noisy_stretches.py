"""When a page counts as badly recognized: from 7 % unsure or unlisted words on, names and languages apart."""

from dataclasses import replace

import numpy as np
import pytest

from citation_pipeline.core.matching.index import DocumentIndex
from citation_pipeline_tests.drawn_documents import text_document

TEXT = "the worker was treated at the clinic and walked home with some pain after the visit"
CLEAN = TEXT.split()


def index_of(words: list[str], *, unsure: int = 0) -> DocumentIndex:
    document = text_document("letter", " ".join(words))
    confidence = np.full(len(document.words), 0.99, np.float32)
    confidence[:unsure] = 0.3
    return DocumentIndex(replace(document, words=replace(document.words, confidence=confidence)))


@pytest.mark.parametrize(("misread", "is_noisy"), [(0, False), (6, False), (8, True), (20, True)])
def test_more_than_seven_unlisted_words_of_a_hundred_are_a_bad_scan(misread: int, is_noisy: bool) -> None:
    listed = [word for word in CLEAN if len(word) >= 4] * 20
    assert index_of([*["trealrnent"] * misread, *listed[: 100 - misread]]).is_noisy_near(0) is is_noisy


@pytest.mark.parametrize(("unsure", "is_noisy"), [(7, False), (8, True)])
def test_more_than_seven_unsure_words_of_a_hundred_are_a_bad_scan(unsure: int, is_noisy: bool) -> None:
    assert index_of((CLEAN * 10)[:100], unsure=unsure).is_noisy_near(0) is is_noisy


def test_one_unknown_word_is_a_name() -> None:
    assert not index_of(["trealrnent", *CLEAN[:9]]).is_noisy_near(0)
