"""Where a slip is excused: on the side that noise lives on, and never where two words are words."""

from typing import Any

import pytest

from citation_pipeline.core.citations import CitationStatus
from citation_pipeline.core.matching.confusions import misreading_cost, slips_between
from citation_pipeline.core.matching.folding import fold
from citation_pipeline.core.matching.index import DocumentIndex
from citation_pipeline.core.matching.vocabulary import is_inverted, is_listed, is_name, is_nearly_inverted
from citation_pipeline.core.matching.wording import (
    Side,
    WordPair,
    compare_spellings,
    is_misread,
    is_word,
    side_of_slip,
)
from citation_pipeline.core.resolution.judgement import judge
from citation_pipeline_tests.drawn_documents import text_document
from citation_pipeline_tests.matches import find_matches

PAGE = (
    "The patient suffers from hypertension and remained asymptomatic in the left knee.",
    "Abduction was limited; the tumor is inoperable and the fracture was displaced.",
    "The clinic gave a dose of 15 mg daily and measured 12 g/dL after the fall.",
    "Code S33.5XXA is listed with Exhibit B and a Grade II sprain at vertebra C6.",
    "Maria Hernandez of Castlewood Foods met Dr. Anderson about the wage order.",
)

NOISY_PAGE = (
    "Thc employee shail not returm to vvork bcfore the infornnation is recelved by the oflice.",
    "All medlcal benefits wiil be pald by the insurar after the heariug on the petitlon.",
    "Tbe carrier rnay authorize the proccdure and tho report was filed vvithin six rnonths.",
    "The parties agree that the judge shall consider every report that was served before the hearing date.",
    "Nothing in this order limits the right of either party to object to the evidence that is offered there.",
    "The worker was seen again and the doctor found that the condition of the knee had become stable since.",
)


def status_of(snippet: str, *lines: str) -> CitationStatus:
    match = find_matches(DocumentIndex(text_document("a", *lines)), snippet)[0]
    return judge(match).status


@pytest.mark.parametrize(
    "snippet",
    [
        "suffers from hypotension and remained asymptomatic",
        "from hypertension and remained symptomatic in the left knee",
        "Adduction was limited; the tumor is inoperable",
        "the tumor is operable and the fracture was displaced",
        "is inoperable and the fracture was nondisplaced",
        "gave a close of 15 mg daily",
        "gave a dose of 15 mcg daily and measured",
        "daily and measured 12 mg/dL after the fall",
        "measured 12 g/dL after the fail",
        "Code S33.5XXD is listed with Exhibit",
        "is listed with Exhibit D and a Grade II sprain",
        "with Exhibit B and a Grade III sprain at vertebra",
        "Grade II sprain at vertebra G6",
        "Mario Hernandez of Castlewood Foods",
        "Castlewood Foods met Dr. Andersen about the wage",
        "Maria Hernandez of Castlerock Foods met",
        "Maria Hernandes of Castlewood Foods met",
    ],
)
def test_another_word_code_unit_or_name_is_never_taken_for_noise(snippet: str) -> None:
    assert status_of(snippet, *PAGE) is not CitationStatus.RESOLVED


@pytest.mark.parametrize(("misquoted", "is_excused"), [(0, False), (1, False), (2, True)])
def test_amid_two_misquoted_words_the_quotation_is_wrong_of_a_third_and_not_before(
    misquoted: int, is_excused: bool
) -> None:
    index = DocumentIndex(text_document("a", *NOISY_PAGE))
    pair = WordPair(
        fold("wrok"), fold("vvoik"), "wrok", "vvoik", noisy=3, misquoted=misquoted, is_misread_page=True
    )
    assert is_misread(pair, index) is is_excused


@pytest.mark.parametrize(
    "snippet",
    [
        "The employee shall not return to work before the information is received by the office",
        "medical benefits will be paid by the insurer after the hearing",
        "The carrier may authorize the procedure and the report was filed within six months",
    ],
)
def test_an_honest_quotation_of_a_badly_recognized_page_is_found(snippet: str) -> None:
    assert status_of(snippet, *NOISY_PAGE) is CitationStatus.RESOLVED


@pytest.mark.parametrize(
    "snippet",
    [
        "The employee shall now return to work before the information",
        "medical benefits will be paid by the insured after the hearing",
        "All legal benefits will be paid by the insurer",
    ],
)
def test_a_badly_recognized_page_excuses_no_other_word(snippet: str) -> None:
    assert status_of(snippet, *NOISY_PAGE) is not CitationStatus.RESOLVED


def test_a_word_recognized_with_low_confidence_may_have_been_the_quoted_one() -> None:
    document = text_document("a", "The worker had a bum on the palm of the hand.")
    snippet = "The worker had a burn on the palm"
    sure = judge(find_matches(DocumentIndex(document), snippet)[0]).status
    document.words.confidence[:] = 0.98
    document.words.confidence[4] = 0.31
    doubted = judge(find_matches(DocumentIndex(document), snippet)[0]).status
    assert (sure, doubted) == (CitationStatus.FLAGGED, CitationStatus.RESOLVED)


def test_a_low_confidence_excuses_only_what_a_scanner_could_have_taken_for_it() -> None:
    document = text_document("a", "The worker had a burn on the palm of the hand.")
    document.words.confidence[:] = 0.2
    match = find_matches(DocumentIndex(document), "The worker had a scar on the palm")[0]
    assert "word_replaced" in match.findings.codes


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (b"hypertension", b"hypotension"),
        (b"displaced", b"nondisplaced"),
        (b"adduction", b"abduction"),
        (b"lessor", b"lessee"),
        (b"arthrotomy", b"arthroplasty"),
        (b"compensable", b"noncompensable"),
    ],
)
def test_an_affix_alone_turns_a_word_round(ours: bytes, theirs: bytes) -> None:
    assert is_inverted(ours, theirs)
    assert is_inverted(theirs, ours)


@pytest.mark.parametrize(("ours", "theirs"), [(b"aintention", b"intention"), (b"report", b"reports")])
def test_a_stray_letter_or_an_ending_turns_nothing_round(ours: bytes, theirs: bytes) -> None:
    assert not is_inverted(ours, theirs)


def test_the_word_lists_know_words_and_names_and_nothing_else() -> None:
    assert all(is_listed(key) for key in (b"asymptomatic", b"inoperable", b"fall", b"fail"))
    assert not any(is_listed(key) for key in (b"infornnation", b"tbe", b"os", b"fo"))
    assert is_name(b"hernandez")
    assert not is_name(b"hernandcz")


def test_a_likely_misreading_costs_less_than_an_unlikely_one() -> None:
    assert misreading_cost(b"received", b"recelved") < misreading_cost(b"received", b"recezved")
    assert misreading_cost(b"information", b"infornnation") == 1
    assert misreading_cost(b"the", b"te") == 1
    assert misreading_cost(b"from", b"form") == 1
    assert misreading_cost(b"dose", b"close") < 1
    assert misreading_cost(b"castlerock", b"castlewood") > 3


INDEX = DocumentIndex(text_document("a", *PAGE))


def misread(quoted: str, printed: str, **around: Any) -> bool:
    around.setdefault("is_misread_page", around.get("is_noisy_page", False))
    pair = WordPair(fold(quoted), fold(printed), quoted, printed, **around)
    return is_misread(pair, INDEX)


@pytest.mark.parametrize(
    ("quoted", "printed", "around", "expected"),
    [
        # the page's word is no word and was read with doubt
        ("burn", "bum", {"is_doubted": True}, True),
        ("burn", "bum", {}, False),
        ("scar", "burn", {"is_doubted": True}, False),
        # on a noisy page as many slips as fifths of the word, and one more beside other noise
        ("information", "infornatlan", {"is_noisy_page": True}, True),
        ("information", "infxrqatzon", {"is_noisy_page": True}, False),
        ("information", "infarnatlan", {"is_noisy_page": True}, False),
        ("information", "infarnatlan", {"is_noisy_page": True, "noisy": 1}, True),
        # the quoted word is no word: one slip in three letters where all else is clean
        ("injvry", "injury", {}, True),
        ("inxvqy", "injury", {}, False),
        ("inxvry", "injury", {}, True),
        # and half the word beside other noise, two thirds beside more
        ("xqzury", "injury", {"noisy": 1}, True),
        ("xqzwry", "injury", {"noisy": 1}, False),
        ("xqzwry", "injury", {"noisy": 2}, True),
        ("xqzwvy", "injury", {"noisy": 2}, False),
        # two words are two words, but for a likely slip among others
        ("fail", "fall", {}, False),
        ("lack", "back", {"noisy": 1}, False),
        ("lack", "back", {"noisy": 3, "misquoted": 2}, False),
        ("lack", "back", {"noisy": 3, "misquoted": 3}, True),
        ("lick", "back", {"noisy": 3, "misquoted": 3}, False),
        # a denial is never excused
        ("not", "net", {"noisy": 3, "misquoted": 3}, False),
        ("net", "not", {"noisy": 3, "misquoted": 2}, False),
        ("symptomatic", "asymptomatic", {"noisy": 3, "is_doubted": True}, False),
        # of codes and numerals every stroke counts until the whole page is noise
        ("C6", "G6", {"noisy": 1}, False),
        ("ABC", "ABG", {"noisy": 1}, False),
        ("ABC", "ABG", {"noisy": 2}, True),
        ("IV", "VI", {"noisy": 2}, False),
        # a name differs in any letter that no scanner takes for another
        ("Hernandes", "Hernandez", {}, False),
        ("Hernandcz", "Hernandez", {}, True),
    ],
)
def test_a_slip_is_excused_on_the_side_of_the_noise_and_by_how_much_there_is(
    quoted: str, printed: str, around: dict[str, Any], expected: bool
) -> None:
    assert misread(quoted, printed, **around) == expected


@pytest.mark.parametrize(
    ("quoted", "printed", "side"),
    [
        ("injvry", "injury", Side.QUOTATION),
        ("injury", "left", None),
        ("zzzzzz", "injury", None),  # too unlike to tell which was meant
        ("inxvry", "injury", Side.QUOTATION),  # two of six letters
        ("inxvqy", "injury", None),
        ("symptomatic", "asymptomatic", None),
    ],
)
def test_the_side_of_a_slip_is_the_one_that_has_no_word(quoted: str, printed: str, side: Side | None) -> None:
    assert side_of_slip(WordPair(fold(quoted), fold(printed), quoted, printed), INDEX) is side


def test_on_a_page_read_with_doubt_the_slip_is_the_pages() -> None:
    pair = WordPair(fold("injury"), fold("injvry"), "injury", "injvry", is_doubted=True)
    assert side_of_slip(pair, INDEX) is Side.PAGE


@pytest.mark.parametrize(
    ("quoted", "printed", "code"),
    [
        ("２０２４年", "２０２５年", "digits_differ"),
        ("支払わない", "支払った", "negation_differs"),
        ("支払った", "受けた", "word_replaced"),
    ],
)
def test_what_differs_in_a_script_without_known_misreadings_is_named(
    quoted: str, printed: str, code: str
) -> None:
    assert compare_spellings(quoted, printed) == code


def test_two_letters_changed_over_are_one_slip_and_look_alikes_none() -> None:
    assert slips_between(b"recieved", b"received") == 1
    assert slips_between(b"rnodern", b"modern") == 0
    assert slips_between(b"left", b"knee") == 4


def test_a_capital_inside_a_word_in_small_letters_is_a_scanners_stroke() -> None:
    assert not is_word(b"clalmant", "cIaimant", INDEX)
    assert is_word(b"left", "left", INDEX)
    assert is_word(b"hernandez", "Hernandez", INDEX)
    assert not is_word(b"anderssen", "anderssen", INDEX)


@pytest.mark.parametrize(
    ("ours", "theirs"), [("impossible", "possicle"), ("possible", "imposslble"), ("unstable", "stab1e")]
)
def test_a_misread_word_is_no_misreading_of_its_opposite(ours: str, theirs: str) -> None:
    assert is_nearly_inverted(ours.encode(), theirs.encode())
    assert is_nearly_inverted(theirs.encode(), ours.encode())


@pytest.mark.parametrize(
    ("ours", "theirs"), [("possible", "possicle"), ("inversion", "mvetsion"), ("indicate", "dicate")]
)
def test_a_misread_word_may_still_be_the_word_itself(ours: str, theirs: str) -> None:
    assert not is_nearly_inverted(ours.encode(), theirs.encode())
