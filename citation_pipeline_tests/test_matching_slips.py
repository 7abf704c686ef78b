"""One letter, mark or word apart: what a sceptic alters, and what an honest quotation leaves as it is."""

import pytest

from citation_pipeline.core.citations import CitationStatus
from citation_pipeline.core.matching.index import DocumentIndex
from citation_pipeline.core.matching.stated_values import values_of
from citation_pipeline.core.matching.vocabulary import are_foreign, is_compound, is_rare
from citation_pipeline.core.matching.written_words import is_worse_spelt
from citation_pipeline.core.resolution.hints import Hints
from citation_pipeline.core.resolution.judgement import judge
from citation_pipeline.core.resolution.places import search_places
from citation_pipeline_tests.drawn_documents import text_document
from citation_pipeline_tests.matches import find_matches

FILLERS = (
    "The adjuster wrote to the parties about the schedule of the next meeting in the autumn.",
    "All of the bills were sent to the office of the carrier and copied for the file.",
    "Nothing else was said on that day about what the clinic had asked for.",
)


def status_of(snippet: str, printed: str) -> CitationStatus:
    index = DocumentIndex(text_document("a", *FILLERS, printed, *FILLERS))
    best = search_places(index, snippet, Hints()).best
    assert best is not None
    return best.judgement.status


@pytest.mark.parametrize(
    ("printed", "snippet"),
    [
        ("Her perineal nerve was tested twice that week.", "Her peroneal nerve was tested twice"),
        ("He takes hydroxyzine 25 mg at night for sleep.", "He takes hydralazine 25 mg at night"),
        ("Payment was mailed to Northgate Imaging in May.", "Payment was mailed to Northgale Imaging"),
        ("Signed by Petrenko as the agent of the carrier.", "Signed by Petrenka as the agent"),
        ("Mr. Osei Mensah was the driver of the blue van.", "Mr. Osel Mensah was the driver"),
        ("Mrs. Fontana was the driver of the blue van.", "Mr. Fontana was the driver of the blue van"),
        ("Reach him at j.ruiz@kernlabs.com about the bill.", "Reach him at j.ruis@kernlabs.com about"),
        ("Take 2 tablets BID as needed for the pain.", "Take 2 tablets TID as needed for the pain"),
        ("Take 2 tablets qd as needed for the pain.", "Take 2 tablets qid as needed for the pain"),
        ("The clinic gave one dose/week to the worker.", "The clinic gave one close/week to the worker"),
        ("La paciente está cansada desde el mes de enero.", "La paciente está casada desde el mes"),
        ("El hombro derecho fue operado en el mes de mayo.", "El hombre derecho fue operado en el mes"),
        ("Rate of $.58 per mile was paid for the travel.", "Rate of $58 per mile was paid"),
        ("Give .5 mg by mouth every night at bedtime.", "Give 5 mg by mouth every night"),
        ("Strength was graded 4- in the deltoid that day.", "Strength was graded 4 in the deltoid"),
        ("Net change of 1,310.00 was posted on Monday.", "Net change of +1,310.00 was posted"),
        ("Pressure was rated 140 at triage on Monday.", "> 140 at triage on Monday"),
        ("Pain rose from 3 to 8 after the fall at work.", "Pain rose from 8 to 3 after the fall at work"),
    ],
)
def test_a_different_word_name_or_mark_is_never_taken_for_the_pages_own(printed: str, snippet: str) -> None:
    assert status_of(snippet, printed) is not CitationStatus.RESOLVED


@pytest.mark.parametrize(
    ("printed", "snippet"),
    [
        ("The bill was paid without a further notice.", "The bill was paid wthout a further notice"),
        ("The process was contained in the first order.", "The prooess was contained in the first order"),
        ("It was signed by Westergren on the last page.", "It was signed by Wesfergren on the last page"),
        (
            "At centre (concentric point) the paint is thin.",
            "At cen tre (concentric paint) the paint is thin",
        ),
        (
            "The employer reprted the injury to the board.",
            "The employer reprted [sic] the injury to the board",
        ),
        (
            "The employer reported it to the board then.",
            "<page_no>3</page_no> The employer reported it to the board",
        ),
        ("The visit is planned in 42 weeks from then.", "> The visit is planned in\n> 42 weeks from then"),
        ("Call 1 310 555 1212 with the claim at hand.", "Call +1-310-555-1212 with the claim at hand"),
        ("A 4- week course of therapy was then begun.", "A 4-week course of therapy was then begun"),
        ("He missed twenty-one (21) days of work in May.", "He missed 21 days of work in May"),
        ("He missed twenty-one (21) days of work in May.", "He missed twenty-one days of work in May"),
        ("Findings were read: 1. Fracture 1.0 of the rib.", "Fracture 1.0 of the rib"),
    ],
)
def test_a_slip_of_the_quotation_and_its_dress_do_not_hide_the_place(printed: str, snippet: str) -> None:
    assert status_of(snippet, printed) is CitationStatus.RESOLVED


@pytest.mark.parametrize(
    ("printed", "snippet"),
    [
        ("A rating of twelve percent was given to him.", "A rating of 12% was given to him"),
        ("A rating of 12% was given to him in June.", "A rating of 12 percent was given to him"),
        ("Take one half tablet each night at bedtime.", "Take 1/2 tablet each night at bedtime"),
        ("Take 1/2 tablet each night at bedtime.", "Take 0.5 tablet each night at bedtime"),
        ("This was the third visit of the whole year.", "This was the 3rd visit of the whole year"),
        ("The worker missed 21 days of work that year.", "The worker missed twenty-one days of work"),
    ],
)
def test_a_number_in_another_form_is_found_whole_and_named_as_rewritten(printed: str, snippet: str) -> None:
    index = DocumentIndex(text_document("a", *FILLERS, printed, *FILLERS))
    match = find_matches(index, snippet)[0]
    assert "rewritten" in judge(match).warnings
    first = index.words.texts[match.words[0]]
    assert printed.startswith(first)


def test_a_list_number_is_no_rewritten_value() -> None:
    index = DocumentIndex(text_document("a", *FILLERS, "Hydro Events NRN/NHN Team 1.0 2003-03-07"))
    match = find_matches(index, "1. Hydro Events\nNRN/NHN Team\n1.0\n2003-03-07")[0]
    assert judge(match).status is CitationStatus.RESOLVED


def test_rare_words_and_names_made_of_two_words_are_words() -> None:
    assert is_rare(b"peroneal")
    assert is_rare(b"lisinopril")
    assert not is_rare(b"lelorem")
    assert is_compound(b"northgate")
    assert not is_compound(b"wesfergren")


def test_a_name_is_a_misreading_where_nobody_spells_like_it() -> None:
    assert is_worse_spelt(b"wesfergren", than=b"westergren")
    assert not is_worse_spelt(b"petrenka", than=b"petrenko")


def test_another_language_is_told_by_its_words() -> None:
    assert are_foreign(b"la paciente esta cansada desde el mes de enero".split())
    assert not are_foreign(b"the worker was seen at the clinic in may".split())


def test_values_are_read_in_any_form_and_order() -> None:
    assert values_of(("twenty-one", "days")) == values_of(("21", "days"))
    assert values_of(("2/3",)) == values_of(("two", "thirds"))
    assert values_of(("66⅔%",)) == values_of(("66", "2/3", "percent"))
    assert values_of(("3", "to", "8")) != values_of(("8", "to", "3"))
    assert values_of(("1/0",)) is not None
