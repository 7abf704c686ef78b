"""Ellipses, parts of different pages, parts of lines without spaces, and what is put around a quotation."""

import pytest

from citation_pipeline.core.citations import CitationStatus
from citation_pipeline.core.matching.index import DocumentIndex
from citation_pipeline.core.matching.snippets import undecorate
from citation_pipeline.core.resolution.confidence import DOUBTFUL_CEILING, confidence_of
from citation_pipeline.core.resolution.hints import Hints
from citation_pipeline.core.resolution.places import PlaceSearch, search_places
from citation_pipeline_tests.drawn_documents import block_of, document_of, text_document

LINES = (
    "The carrier will not disclose the report to the employer before the hearing.",
    "The employee may return to light work unless the surgeon objects in writing.",
    "All benefits except the mileage were paid by the third of the month.",
)
FAR = document_of(
    "far",
    [
        block_of(["The first report was mailed to the attorney in March."], page=1),
        block_of(["Nothing of interest is printed on this page of the file."], page=2),
        block_of(["The second report was received by the judge in April."], page=3),
    ],
)


def search(snippet: str, *lines: str) -> PlaceSearch:
    return search_places(DocumentIndex(text_document("a", *lines)), snippet, Hints())


@pytest.mark.parametrize(
    "snippet",
    [
        "The carrier will … disclose the report to the employer",
        "The employee … return to light work",
        "return to light work … the surgeon objects in writing",
        "All benefits [...] the mileage were paid by the third",
        "All benefits the mileage were paid by the third",
    ],
)
def test_a_quotation_may_not_hide_a_word_that_denies_or_limits_it(snippet: str) -> None:
    assert search(snippet, *LINES).status is CitationStatus.FLAGGED


CONDITIONAL = (
    "La cure est accordée sous réserve de l'accord du contrôle.",
    "Die Leistung wird vorbehaltlich der Prüfung gewährt.",
    "The operation is approved subject to the second opinion of the panel.",
    "The offer is contingent upon approval.",
)


@pytest.mark.parametrize(
    "snippet",
    [
        "La cure est accordée … de l'accord du contrôle",
        "Die Leistung wird … gewährt",
        "Die Leistung wird der Prüfung gewährt",
        "The operation is approved … the second opinion of the panel",
        "The offer is … upon approval",
    ],
)
def test_a_quotation_may_not_hide_that_a_condition_is_made(snippet: str) -> None:
    assert search(snippet, *CONDITIONAL).status is CitationStatus.FLAGGED


HEDGED = (
    "The film shows a possible fracture of the left wrist and approximately four cysts.",
    "The worker is to rest for at least five days and may be paid up to the stated limit.",
    "The pre-existing condition of the hip was stable at the time.",
    "The plan is to r/o fracture of the hip and to see him after the weekend.",
)


@pytest.mark.parametrize(
    "snippet",
    [
        "The film shows a fracture of the left wrist",
        "fracture of the left wrist and four cysts",
        "The worker is to rest for five days and may be paid",
        "and may be paid the stated limit",
        "The plan is to fracture of the hip",
        "The existing condition of the hip was stable",
    ],
)
def test_a_quotation_may_not_drop_a_word_that_hedges_or_bounds_it(snippet: str) -> None:
    assert search(snippet, *HEDGED).status is CitationStatus.FLAGGED


HEDGES_ABROAD = {
    *("vermutlich", "probablement", "posiblemente", "forse", "talvez"),
    *("mogelijk", "возможно", "prawdopodobnie", "möjligen", "muhtemelen"),
}
HEDGED_ABROAD = (
    "Der Kläger hat die Arbeit vermutlich erst am dritten Werktag wieder aufgenommen.",
    "Le médecin a probablement constaté une limitation de l’épaule gauche.",
    "La lesión del hombro es posiblemente anterior al accidente.",
    "Il lavoratore ha forse riportato una lesione del legamento interno.",
    "O trabalhador talvez precise de uma cirurgia no joelho esquerdo.",
    "De werknemer kan mogelijk vanaf dinsdag vier uur per dag werken.",
    "Работник возможно вернётся на прежнее место работы весной.",
    "Pracownik prawdopodobnie wróci do pracy w trzecim tygodniu.",
    "Arbetstagaren kan möjligen återgå till lättare arbete i maj.",
    "Çalışan muhtemelen üçüncü haftadan sonra işe dönebilir.",
)


@pytest.mark.parametrize("line", HEDGED_ABROAD)
@pytest.mark.parametrize("gap", ["", "…"])
def test_a_hedge_of_another_language_may_not_be_dropped_or_hidden(line: str, gap: str) -> None:
    words = line.rstrip(".").split()
    (at,) = [number for number, word in enumerate(words) if word in HEDGES_ABROAD]
    snippet = " ".join([*words[:at], gap, *words[at + 1 :]])
    found = search(snippet, *HEDGED_ABROAD)
    assert found.status is CitationStatus.FLAGGED
    assert found.best is not None
    assert set(found.best.judgement.warnings) & {"ellipsis_hides", "negation_differs"}


@pytest.mark.parametrize(
    ("printed", "snippet", "status"),
    [
        (
            "It is silent on whether the condition is work related.",
            "whether the condition is related",
            "doubted",
        ),
        (
            "No diagnosis of the cervical spine is made here.",
            "No diagnosis of the spine is made here",
            "doubted",
        ),
        (
            "No diagnosis of the cervical spine is made here.",
            "No diagnosis of cervical spine is made",
            "resolved",
        ),
        (
            "He has a tear of of the rotator cuff on film.",
            "He has a tear of the rotator cuff on film",
            "resolved",
        ),
    ],
)
def test_a_word_that_is_dropped_in_silence_casts_doubt_and_an_article_none(
    printed: str, snippet: str, status: str
) -> None:
    best = search(snippet, printed).best
    assert best is not None
    assert best.judgement.status is CitationStatus.RESOLVED
    assert (confidence_of(best.match, best.judgement) <= DOUBTFUL_CEILING) is (status == "doubted")


@pytest.mark.parametrize(
    ("printed", "snippet", "status"),
    [
        (
            "Terrence Alder v. Prairie Works, LLC was settled.",
            "Terrence Alder vs. Prairie Works, LLC",
            "resolved",
        ),
        ("Terrence Alder versus Prairie Works was settled.", "Terrence Alder v. Prairie Works", "resolved"),
        ("Paid by Saltmarsh Marina & Yacht Works in May.", "Saltmarsh Marina and Yacht Works", "resolved"),
        ("Paid by Saltmarsh Marina and Yacht Works in May.", "Saltmarsh Marina & Yacht Works", "resolved"),
        ("Paid by Saltmarsh Marina, Inc. in the month of May.", "Saltmarsh Marina, Incorporated", "resolved"),
        ("Paid by Saltmarsh Marina or Yacht Works in May.", "Saltmarsh Marina and Yacht Works", "flagged"),
        (
            "Paid by Saltmarsh Marina, Inc. in the month of May.",
            "Saltmarsh Marina, Corp. in the month",
            "flagged",
        ),
        ("Paid by Saltmarsh Marina Yacht Works in May.", "Saltmarsh Marina and Yacht Works", "flagged"),
    ],
)
def test_an_abbreviation_says_what_its_word_says(printed: str, snippet: str, status: str) -> None:
    assert search(snippet, printed).status == status


@pytest.mark.parametrize(
    "snippet",
    [
        "The carrier will not … the report to the employer",
        "not disclose the report … before the hearing",
        "were paid … of the month",
    ],
)
def test_an_ellipsis_over_harmless_words_is_resolved(snippet: str) -> None:
    assert search(snippet, *LINES).status is CitationStatus.RESOLVED


def test_every_part_of_a_stitched_quotation_is_found_on_its_page() -> None:
    found = search_places(
        DocumentIndex(FAR), "report was mailed to the attorney … report was received by the judge", Hints()
    )
    assert found.status is CitationStatus.RESOLVED
    assert found.best is not None
    assert sorted({int(FAR.words.page[word]) for word in found.best.match.words}) == [1, 3]


def test_a_missing_part_of_a_stitched_quotation_is_named() -> None:
    found = search_places(
        DocumentIndex(FAR), "first report was mailed to the attorney … every lien was dismissed", Hints()
    )
    assert found.status is CitationStatus.FLAGGED
    assert found.best is not None
    assert "part_missing:2" in found.best.judgement.warnings


def test_parts_in_another_order_than_the_page_are_flagged() -> None:
    found = search_places(
        DocumentIndex(FAR), "second report was received by the judge … first report was mailed to", Hints()
    )
    assert found.status is CitationStatus.FLAGGED
    assert found.best is not None
    assert "parts_disordered" in found.best.judgement.warnings


def test_an_altered_part_of_a_stitched_quotation_is_flagged() -> None:
    found = search_places(
        DocumentIndex(FAR), "report was mailed to the attorney … report was received by the clerk", Hints()
    )
    assert found.status is CitationStatus.FLAGGED


@pytest.mark.parametrize(
    "snippet",
    [
        "disclose the report to the employer [1]",
        "disclose the report to the employer [3, 4]",
        "disclose the report to the employer (p. 3)",
        "disclose the report to the employer [p. 3 of 12]",
        "disclose the report【4:0†source】 to the employer",
        "disclose the report<sup>2</sup> to the employer",
        "Quote: disclose the report to the employer",
        "> disclose the report to the employer",
        "disclose <!-- page 2 --> the report to the employer",
        '<source id="4">disclose the report</source> to the employer',
        "![scan](page.png) disclose the report to the employer",
        "```text\ndisclose the report to the employer\n```",
        "disclose the report to the employer — p. 12",
    ],
)
def test_what_is_put_around_a_quotation_is_taken_off(snippet: str) -> None:
    found = search(snippet, *LINES)
    assert found.status is CitationStatus.RESOLVED
    assert found.best is not None
    assert len(found.best.match.words) == 6


def test_a_mark_that_the_page_prints_belongs_to_the_quotation() -> None:
    found = search("see the report [1] of May", "They see the report [1] of May and the other one [2].")
    assert found.status is CitationStatus.RESOLVED
    assert found.best is not None
    assert len(found.best.match.words) == 6


@pytest.mark.parametrize(
    "mark",
    [
        "(Depo. 31:4-9)",
        "[Quintal Dep. Tr. at 31:4]",
        "(Hearing Tr. 31:22–32:3)",
        "(I. Quintal Deposition 31:4)",
    ],
)
def test_page_and_lines_of_a_transcript_are_no_part_of_the_quotation(mark: str) -> None:
    page = "A. I never asked for the brace that they sent to me."
    assert search(f"I never asked for the brace {mark}", page).status is CitationStatus.RESOLVED
    assert search(f"{mark} I never asked for the brace", page).status is CitationStatus.RESOLVED


def test_a_time_of_day_in_brackets_is_part_of_the_quotation() -> None:
    page = "She was seen by the nurse (9:15)."
    assert search("She was seen by the nurse (9:45)", page).status is not CitationStatus.RESOLVED
    assert search("She was seen by the nurse (at 9:45)", page).status is not CitationStatus.RESOLVED


def test_text_that_only_looks_like_a_tag_is_kept() -> None:
    assert undecorate("x <y and z> w") == "x <y and z> w"


@pytest.mark.parametrize(
    "snippet",
    [
        r"All benefits except\nthe mileage were\r\npaid by\tthe third",
        r"\"All benefits except the mileage\" were paid",
        r"All benefits except the mil\u0065age were paid",
        r"All benefits except\_the mileage \*were\* paid",
    ],
)
def test_escapes_of_json_and_markdown_stand_for_their_characters(snippet: str) -> None:
    assert search(snippet, *LINES).status is CitationStatus.RESOLVED


def test_a_backslash_that_the_page_prints_is_text() -> None:
    page = r"The form is kept in C:\new\temp on the server of the carrier."
    assert search(r"is kept in C:\new\temp on the server", page).status is CitationStatus.RESOLVED
    assert undecorate(r"\ud83d\ude00 \u00f1 \textbf{x}") == "\U0001f600 ñ \\textbf{x}"


@pytest.mark.parametrize(
    ("snippet", "status"),
    [
        ("事故发生以来未返回工作", CitationStatus.RESOLVED),
        ("返回工作岗位", CitationStatus.FLAGGED),
        ("事故发生以来已返回工作", CitationStatus.UNRESOLVED),
    ],
)
def test_a_part_of_a_line_without_spaces_is_found_and_cuts_no_negation_off(
    snippet: str, status: CitationStatus
) -> None:
    found = search(snippet, "申请人自事故发生以来未返回工作岗位", "第二行的文字")
    if status is CitationStatus.UNRESOLVED:
        assert found.status is not CitationStatus.RESOLVED
    else:
        assert found.status is status


def test_the_word_that_contrasts_two_whole_clauses_may_be_left_out() -> None:
    printed = "The mill may be let; however, the kiln should be sold."
    assert search("The mill may be let; … the kiln should be sold", printed).status is CitationStatus.RESOLVED
    printed = "The mill may be let to the but late baker."
    assert search("The mill may be let to the … late baker", printed).status is not CitationStatus.RESOLVED


@pytest.mark.parametrize(
    ("printed", "quoted", "code"),
    [
        ("The hatch was not sealed shut.", "sealed shut", "negation_differs"),
        ("The hatch was not sealed.", "sealed", "denial_beside"),
    ],
)
def test_two_words_behind_a_denial_are_the_rest_of_its_clause_and_one_is_a_word(
    printed: str, quoted: str, code: str
) -> None:
    best = search(quoted, "It was a cold spring and nobody came.", printed).best
    assert best is not None
    assert best.judgement.warnings == (code,)


def test_what_the_first_word_of_a_document_denies_is_denied() -> None:
    clause = "the roof leaked in March and the floor rotted."
    words = ("Said", "Denied")
    said, denied = (search(clause.capitalize(), f"{word} that {clause}").best for word in words)
    assert said is not None
    assert denied is not None
    assert said.judgement.status is CitationStatus.RESOLVED
    assert "negation_differs" in denied.judgement.warnings
