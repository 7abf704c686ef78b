"""Citations against the truth: the page, the words, and what their confidence is worth."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from citation_pipeline.core.citations import Citation, CitationStatus
from citation_pipeline.core.evaluation.evaluation import evaluate
from citation_pipeline.core.evaluation.reports import as_markdown
from citation_pipeline.core.evaluation.scores import auroc, calibration
from citation_pipeline.core.extraction import ExtractedField
from citation_pipeline_tests.typeset import Line, typeset

DOCUMENT = typeset(
    "letter",
    [
        Line(72, 72, "Date of birth: 03/11/1969"),
        Line(72, 100, "Something else entirely stands here"),
        Line(72, 72, "Date of birth: 03/11/1969", page=2),
    ],
)


def truth(page=1, value="1969-03-11"):
    start, count = (0, 4) if page == 1 else (9, 4)
    boxes = [DOCUMENT.words.box(word).as_dict() for word in range(start, start + count)]
    citation = {"source_id": "letter", "page": page, "boxes": boxes}
    return {"fields": {"dob": {"value": value, "type": "date", "citations": [citation]}}, "absent_fields": []}


def cited(words, page=1, *, confidence=0.9, status=CitationStatus.RESOLVED, source="letter"):
    return Citation(
        "c", "dob", 0, "", source, source, "", status, "exact", 1.0, confidence, page, word_ranges=[words]
    )


ANSWER = [ExtractedField("dob", "1969-03-11", "date")]


def test_the_very_words_score_one():
    evaluation = evaluate(truth(), ANSWER, [cited((0, 4))], [DOCUMENT])
    assert (evaluation.word_box_f1, evaluation.page_f1, evaluation.located) == (1, 1, 1)


@pytest.mark.parametrize(
    ("words", "page", "f1", "page_f1"),
    [((3, 4), 1, 0.4, 1), ((0, 9), 1, 8 / 13, 1), ((4, 9), 1, 0, 1), ((9, 13), 2, 0, 0)],
    ids=["value-only", "too-much", "elsewhere", "another-page"],
)
def test_too_little_too_much_and_elsewhere_score_less(words, page, f1, page_f1):
    evaluation = evaluate(truth(), ANSWER, [cited(words, page)], [DOCUMENT])
    assert evaluation.word_box_f1 == pytest.approx(f1)
    assert evaluation.page_f1 == page_f1


def test_citations_of_wrong_values_and_unresolved_ones_do_not_count():
    wrong = [ExtractedField("dob", "1970-03-11", "date")]
    assert evaluate(truth(), wrong, [cited((0, 4))], [DOCUMENT]).word_box_f1 is None
    lost = cited((0, 4), None, status=CitationStatus.UNRESOLVED)
    assert evaluate(truth(), ANSWER, [lost], [DOCUMENT]).located == 0


def test_a_citation_of_an_unknown_document_is_wrong_not_an_error():
    assert evaluate(truth(), ANSWER, [cited((0, 4), source="nobody")], [DOCUMENT]).word_box_f1 == 0


def test_confidence_that_orders_right_before_wrong_has_an_auroc_of_one():
    citations = [cited((0, 4), confidence=0.9), cited((4, 9), confidence=0.3)]
    evaluation = evaluate(truth(), ANSWER, citations, [DOCUMENT])
    assert evaluation.citation_auroc == 1
    assert [(b.count, b.share_right) for b in evaluation.calibration] == [(1, 0), (1, 1)]


@given(st.lists(st.tuples(st.sampled_from([0.1, 0.5, 0.9]), st.booleans()), max_size=30))
def test_auroc_is_the_share_of_ordered_pairs(pairs):
    scores, good = [s for s, _ in pairs], [g for _, g in pairs]
    right, wrong = [s for s, g in pairs if g], [s for s, g in pairs if not g]
    slow = [1.0 if a > b else 0.5 if a == b else 0.0 for a in right for b in wrong]
    assert auroc(scores, good) == (pytest.approx(sum(slow) / len(slow)) if slow else None)


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), max_size=40))
@example([(0.7, False)] * 3)  # whose sum divided by three is less than 0.7
def test_every_answer_is_in_exactly_one_bin(pairs):
    table = calibration([s for s, _ in pairs], [g for _, g in pairs])
    assert sum(b.count for b in table) == len(pairs)
    assert all(b.low <= b.mean_confidence <= b.high for b in table)


def test_a_truth_without_boxes_judges_pages_and_no_words():
    bare = {"file": "letter.pdf", "source_id": "letter", "page": 1, "text": "03/11/1969"}
    field = {"value": "1969-03-11", "type": "date", "citations": [bare]}
    evaluation = evaluate({"fields": {"dob": field}}, ANSWER, [cited((0, 4))], [DOCUMENT])
    assert (evaluation.word_box_f1, evaluation.citation_auroc, evaluation.located) == (None, None, 1)
    assert (evaluation.page_precision, evaluation.page_f1) == (1, 1)
    assert "| 1 | n/a | 1.000 |" in as_markdown(evaluation)


def test_a_truth_without_any_place_judges_no_citation():
    field = {"value": "1969-03-11", "type": "date", "citations": []}
    evaluation = evaluate({"fields": {"dob": field}}, ANSWER, [cited((0, 4))], [DOCUMENT])
    assert (evaluation.values.right, evaluation.word_box_f1, evaluation.page_precision) == (1, None, None)
    assert "| 0 | n/a | n/a | n/a | n/a |" in as_markdown(evaluation)
