"""Bad scans say so: fewer sure words than usual are a warning of the page, shown in the viewer's dataset."""

from dataclasses import replace

import numpy as np

from citation_pipeline.core.answers.coverage import Coverage
from citation_pipeline.core.boxes import Box
from citation_pipeline.core.layout.content import has_few_sure_words, words_of_boxes
from citation_pipeline.core.viewer.issues import is_about_doubtful_page, list_issues
from citation_pipeline_tests.drawn_pdfs import draw, parse, parse_drawn


def recognized(*confidences):
    return [(f"word{n}", Box(0.1 * n, 0.1, 0.05, 0.02), one) for n, one in enumerate(confidences)]


def words(*confidences):
    return words_of_boxes(recognized(*confidences), width_pt=612, height_pt=792)


def test_a_page_has_few_sure_words_below_seven_in_ten():
    assert has_few_sure_words(words(0.95, 0.95, 0.95, 0.95, 0.95, 0.95, 0.2, 0.2, 0.2, 0.2))
    assert not has_few_sure_words(words(*[0.95] * 7, 0.2, 0.2, 0.2))
    assert has_few_sure_words(words(0.2, 0.2))  # of a few words, whether none is sure
    assert not has_few_sure_words(words(0.95, 0.2, 0.2))
    assert not has_few_sure_words(replace(words(*[0.2] * 9), confidences=np.full(9, np.nan)))


def test_a_bad_scan_is_named_with_its_pages_and_a_good_one_is_not():
    def scan(sheet):
        sheet.canvas.line(10, 10, 500, 700)
        for step in range(60):
            sheet.canvas.line(20 + 5 * step, 100, 60 + 5 * step, 300)

    confidences = iter([[0.3] * 9, [0.99] * 9, [0.4] * 9, [0.5] * 9])
    document = parse(
        draw(scan, scan, scan, scan),
        recognize_page=lambda picture, known: recognized(*next(confidences)),
    )
    assert list(document.warnings) == [f"page {n}: few_sure_words" for n in (1, 3, 4)]
    assert all(map(is_about_doubtful_page, document.warnings))
    (issue,) = [
        one for one in list_issues(Coverage((), {}), (), [document]) if one["code"] == "pages_doubtful"
    ]
    assert issue["pages"] == [[1, 1], [3, 4]]
    assert issue["severity"] == "warning"
    clean = parse_drawn(lambda sheet: sheet.text(60, 60, "A text layer of its own"))
    assert list_issues(Coverage((), {}), (), [clean]) == []
