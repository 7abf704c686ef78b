"""A recognized word is as sure as its letters, its page and a second reading allow."""

import numpy as np
import pytest

from citation_pipeline.adapters.ocr.confidence import AGREED, DIFFERS, WordEvidence, confidences_of
from citation_pipeline.adapters.ocr.pages import PageReader
from citation_pipeline_tests.parser_files import LETTER_LINES, letter_pdf, picture_of

CLEAN = WordEvidence("$586.67", 0.999, 0.998, 40)
POOR = [WordEvidence("sxtx", 0.7, 0.3, 20)] * 9


def test_the_same_word_is_surer_on_a_clean_page():
    clean = confidences_of([CLEAN] * 10)[0]
    on_bad_page = confidences_of([CLEAN, *POOR])[0]
    assert clean > 0.98
    assert on_bad_page < clean


def test_a_second_reading_that_differs_lowers_the_confidence():
    agreed = WordEvidence("$586.67", 0.95, 0.8, 24, AGREED)
    differs = WordEvidence("$586.67", 0.95, 0.8, 24, DIFFERS)
    first, second = confidences_of([agreed, differs])
    assert second < first


def test_a_page_without_words_has_no_confidences():
    assert len(confidences_of([])) == 0


@pytest.mark.parametrize("size", [12, 7])
def test_words_of_a_poor_fax_that_are_sure_are_right(size):
    fax = picture_of(letter_pdf(size=size), dpi=150, noise=30, degrees=0.4)
    found = PageReader().read(np.asarray(fax.convert("L")))
    printed = set(" ".join(LETTER_LINES).split())
    sure = [text for text, chance in zip(found.texts, found.confidences, strict=True) if chance >= 0.9]
    assert len(sure) > 15
    assert sum(text in printed for text in sure) >= 0.97 * len(sure)


def test_what_two_readings_differ_about_is_never_sure():
    sharp = WordEvidence("treatment", 0.9998, 0.9998, 24, DIFFERS)
    assert confidences_of([sharp] * 10).max() < 0.9


def test_an_accent_that_the_listed_word_does_not_have_makes_it_less_sure():
    listed, misread = (WordEvidence(text, 0.97, 0.9, 24) for text in ("retrieval", "retríeval"))
    sure, unsure = confidences_of([listed, misread])
    assert unsure < sure


def test_a_figure_without_marks_is_never_sure_on_a_poor_fax_and_one_with_marks_may_be():
    words = [WordEvidence(text, 0.9998, 0.9998, 24.0, AGREED) for text in ("2740", "27.40", "(18)", "paid")]
    poor = [WordEvidence("sxtx", 0.8, 0.6, 24.0)]
    assert (confidences_of(words, redrawn=True) >= 0.9).all()
    assert (confidences_of([*words, *poor])[:4] >= 0.9).all()
    on_poor_fax = confidences_of([*words, *poor], redrawn=True)[:4]
    assert [chance >= 0.9 for chance in on_poor_fax] == [False, True, False, True]
