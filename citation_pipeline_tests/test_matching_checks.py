"""What a difference between snippet and page means: noise, another form, or a contradiction."""

import pytest

from citation_pipeline.core.matching.index import DocumentIndex
from citation_pipeline.core.matching.numerals import is_digit_changed, is_look_alike, is_number_changed
from citation_pipeline_tests.drawn_documents import text_document
from citation_pipeline_tests.matches import find_matches

PAGE = (
    "The employee shall not return to work before 04/12/2022 at 9:30 AM without release.",
    "Total paid to date $12,345.60 of which 15% was withheld under policy (870)-931-0505.",
    "Dr. Jane Castellanos examined the left knee and found the injury compensable.",
    "The balance of (45.00) was carried over while 7.00 degrees were measured twice.",
)


def findings_of(snippet: str) -> set[str]:
    match = find_matches(DocumentIndex(text_document("a", *PAGE)), snippet)[0]
    return set(match.findings.codes) - {"noise"}


@pytest.mark.parametrize(
    ("snippet", "code"),
    [
        ("return to work before 04/21/2022 at 9:30", "digits_differ"),
        ("return to work before 04/12/2023 at 9:30", "digits_differ"),
        ("Total paid to date $12,345.06 of which", "digits_differ"),
        ("Total paid to date $1,234.560 of which", "number_differs"),
        ("Total paid to date €12,345.60 of which", "unit_sign_differs"),
        ("of which 15$ was withheld under policy", "unit_sign_differs"),
        ("carried over while -7.00 degrees were measured", "sign_differs"),
        ("before 04/12/2022 at 9:30 PM without release", "unit_differs"),
        ("The employee shall return to work before", "negation_differs"),
        ("found the injury not compensable", "negation_differs"),
        ("The employer shall not return to work", "word_replaced"),
        ("examined the right knee and found the injury", "word_replaced"),
        ("Dr. Jane Rodriguez examined the left knee", "word_replaced"),
        ("Total paid to date $12,345.60 99 of which", "number_added"),
    ],
)
def test_a_changed_fact_is_named(snippet: str, code: str) -> None:
    assert code in findings_of(snippet)


@pytest.mark.parametrize(
    "snippet",
    [
        "THE EMPLOYEE SHALL NOT RETURN TO WORK",
        "before O4/l2/2O22 at 9:3O AM without release",  # look-alikes of a scanner
        "Total paid to date $12345.60 of which",
        "under policy 8709310505.",
        "Dr. Jane Castellanos exarnined the left knee and found the injurv",
        "Dr. Jane CasteIlanos examincd the lcft knee and found",
        "examined the le ft knee and foundthe injury",
    ],
)
def test_another_form_of_the_same_is_no_finding(snippet: str) -> None:
    assert findings_of(snippet) == set()


@pytest.mark.parametrize(
    ("quoted", "printed", "changed"),
    [
        ("12.0", "120", True),
        ("1,234", "1234", False),
        ("1.83", "18.3", True),
        ("2012.122960284", "2012-122960284", False),
        ("$11.000", "$110.00", True),
        ("1.234,50", "1,234.50", False),
    ],
)
def test_a_moved_point_is_seen_and_a_thousands_mark_is_not(quoted: str, printed: str, changed: bool) -> None:
    assert is_number_changed(quoted, printed) is changed


def test_look_alike_letters_stand_for_digits_but_digits_never_for_others() -> None:
    assert is_look_alike(b"2ol2", b"2012")
    assert not is_digit_changed(b"45yr", b"4syr")
    assert is_digit_changed(b"2012", b"2013")
    assert is_digit_changed(b"805", b"85")
    assert not is_digit_changed(b"sapm1e", b"sample")
