"""Marks that the key does not show: what texts with the same letters may still say differently."""

import pytest

from citation_pipeline.core.citations import CitationStatus
from citation_pipeline.core.matching.index import DocumentIndex
from citation_pipeline.core.matching.marks import compare_marks
from citation_pipeline.core.resolution.judgement import judge
from citation_pipeline_tests.drawn_documents import text_document
from citation_pipeline_tests.matches import find_matches


@pytest.mark.parametrize(
    ("quoted", "printed", "code"),
    [
        ("take 12 tablets", "take 1-2 tablets", "range_differs"),
        ("take 1015mg/day now", "take 10-15mg/day now", "range_differs"),  # letters are no more groups
        ("take 12 packet", "take ½ packet", "range_differs"),
        ("take 112 tablets", "take 1½ tablets", "range_differs"),
        ("pain 510 today", "pain 5/10 today", "range_differs"),
        ("pressure 12080 today", "pressure 120/80 today", "range_differs"),
        ("pressure 120-80 today", "pressure 120/80 today", "range_differs"),
        ("at 730 sharp", "at 7:30 sharp", "range_differs"),
        ("seen 11/1/2024 again", "seen 1/11/2024 again", "range_differs"),
        ("rate 11/2 percent", "rate 1 1/2 percent", "range_differs"),
        ("seen 11-2-2024 again", "seen 1-12-2024 again", "range_differs"),
        ("account 123-45-678 there", "account 12-345-678 there", "range_differs"),
        ("5 x 102 cells", "5 x 10² cells", "number_differs"),
        ("density 1,250 units", "density 1.250 units", "number_differs"),
        ("paid 3.125 in all", "paid 3,125 in all", "number_differs"),
        ("ratio 1,5 only", "ratio 1.5 only", "number_differs"),
        ("pressure >140 today", "pressure <140 today", "comparator_differs"),
        ("pressure 140 today", "pressure <140 today", "comparator_differs"),
        ("score ≤ 3 points", "score ≥ 3 points", "comparator_differs"),
        ("score <= 3 points", "score >= 3 points", "comparator_differs"),
        ("the test (+) at left", "the test (-) at left", "sign_differs"),
        ("the test at left", "the test (-) at left", "sign_differs"),
        ("change +1,250.00 posted", "change -1,250.00 posted", "sign_differs"),
        ("carried 2,480.17 over", "carried (2,480.17) over", "sign_differs"),
        ("carried 45 over", "carried ($45) over", "sign_differs"),
        ("strength 4 there", "strength 4+ there", "sign_differs"),
        ("share 15 of it", "share 15% of it", "unit_sign_differs"),
        ("share 15‰ of it", "share 15 % of it", "unit_sign_differs"),
        ("☐ Yes ☒ No", "☒ Yes ☐ No", "mark_differs"),
        ("[ ] Yes [x] No", "☒ Yes ☐ No", "mark_differs"),
        ("Yes ☒ No", "☒ Yes ☐ No", "mark_differs"),
        ("✗ Yes ✓ No", "✓ Yes ✗ No", "mark_differs"),
        ("( ) Yes ( ) No", "(x) Yes ( ) No", "mark_differs"),
        ("● Yes ○ No", "○ Yes ● No", "mark_differs"),
    ],
)
def test_a_changed_mark_is_named(quoted: str, printed: str, code: str) -> None:
    assert compare_marks(quoted, printed) == [code]
    assert compare_marks(printed, quoted) == [code]


@pytest.mark.parametrize(
    ("quoted", "printed"),
    [
        ("take 1–2 tablets", "take 1-2 tablets"),
        ("take 1 - 2 tablets", "take 1-2 tablets"),
        ("take 1/2 packet", "take ½ packet"),
        ("5 x 10^2 cells", "5 x 10² cells"),
        ("call 8709310505 now", "call (870)-931-0505 now"),
        ("number 123456789 there", "number 123-45-6789 there"),
        ("on 04-12-2022 it", "on 04/12/2022 it"),
        ("paid 1.234,50 then", "paid 1,234.50 then"),
        ("paid 3125 in all", "paid 3,125 in all"),
        ("1: 07: 8 rows", "1 07 8 rows"),
        ("rows 4 - 49 - 24", "rows 4 49 24"),
        ("> quoted 140 words", "quoted 140 words"),
        ("score >= 3 points", "score ≥ 3 points"),
        ("carried (2,480.17) over", "carried (2,480.17) over."),
        ("in 2019 it", "in (2019) it"),
        ("[x] Yes [ ] No", "☒ Yes ☐ No"),
        ("☑ Yes □ No", "☒ Yes ☐ No"),
        ("Yes No", "☒ Yes ☐ No"),
        ("38.5°C at noon", "38.5 C at noon"),
        ("word1 here", "word¹ here"),
        ("total + 500.00 due", "total -- 500.00 due"),  # a dash is no minus
    ],
)
def test_another_way_to_set_the_same_mark_is_no_change(quoted: str, printed: str) -> None:
    assert compare_marks(quoted, printed) == []


@pytest.mark.parametrize(
    ("line", "snippet", "status"),
    [
        ("Is it related? ☒ Yes ☐ No", "Is it related? ☐ Yes ☒ No", CitationStatus.FLAGGED),
        ("Is it related? ☒ Yes ☐ No", "Is it related? ☒ Yes ☐ No", CitationStatus.RESOLVED),
        ("Is it related? [X] Yes [ ] No", "Is it related? ☐ Yes ☒ No", CitationStatus.FLAGGED),
        ("Is it related? [X] Yes [ ] No", "Is it related? ☒ Yes ☐ No", CitationStatus.RESOLVED),
        (
            "Straight leg raise was (-) on the left side",
            "leg raise was (+) on the left",
            CitationStatus.FLAGGED,
        ),
        (
            "Straight leg raise was (-) on the left side",
            "leg raise was (−) on the left",
            CitationStatus.RESOLVED,
        ),
        ("Total owed is (2,480.17) after it all", "Total owed is 2,480.17 after", CitationStatus.FLAGGED),
    ],
)
def test_marks_decide_whether_a_quotation_is_resolved(
    line: str, snippet: str, status: CitationStatus
) -> None:
    match = find_matches(DocumentIndex(text_document("a", line, "Another line of the form.")), snippet)[0]
    assert judge(match).status is status


@pytest.mark.parametrize(
    ("line", "snippet", "code"),
    [
        ("诉讼请求被驳回，判决为正面意见", "诉讼请求被驳回，判决为负面意见", "word_replaced"),
        ("原告自三月起未返回工作", "原告自零月起未返回工作", "word_replaced"),
        ("تاريخ الإصابة هو ١٤/٠٣/٢٠٢٢ في المصنع", "تاريخ الإصابة هو ١٤/٠٨/٢٠٢٢ في المصنع", "digits_differ"),
        ("원고는 직장에 복귀하지 않았다", "원고는 직장에 복귀하지 못했다", "negation_differs"),
    ],
)
def test_letters_that_share_a_byte_of_the_key_are_still_two_letters(
    line: str, snippet: str, code: str
) -> None:
    match = find_matches(DocumentIndex(text_document("a", line, "第二行")), snippet)[0]
    assert code in match.findings.codes
    assert judge(match).status is not CitationStatus.RESOLVED


def test_a_place_with_a_mark_at_the_documents_end_is_no_place_without_one() -> None:
    index = DocumentIndex(text_document("a", "Approved Yes said the nurse", "Approved Yes ☐"))
    found = [judge(match).status for match in find_matches(index, "Approved Yes ☒")]
    assert found == [CitationStatus.RESOLVED, CitationStatus.FLAGGED]


def test_digits_of_another_script_are_digits() -> None:
    index = DocumentIndex(text_document("a", "تاريخ الإصابة هو ١٤/٠٣/٢٠٢٢ في المصنع"))
    match = find_matches(index, "تاريخ الإصابة هو 14/03/2022 في المصنع")[0]
    assert judge(match).status is CitationStatus.RESOLVED
