"""Quotations of badly recognized pages: what is left of a word is that word, another word is another."""

import pytest

from citation_pipeline.core.citations import CitationStatus
from citation_pipeline.core.matching.index import DocumentIndex
from citation_pipeline.core.resolution.confidence import DOUBTFUL_CEILING, confidence_of
from citation_pipeline.core.resolution.hints import Hints
from citation_pipeline.core.resolution.places import search_places
from citation_pipeline_tests.drawn_documents import text_document

MISREAD = (
    "The adjusler wrote to the parlies about the schedute of the next meeling in the autumm.",
    "Atl of the bills were sent to the oftice of the carrler and copied for the fite.",
    "The right ankle was seen by Orvanneer on the day of the falt.",
)


def ask(snippet: str, printed: str) -> tuple[CitationStatus, float]:
    """Return how a snippet is judged, and how surely, on a page of which many words are misread."""
    index = DocumentIndex(text_document("a", *MISREAD, printed, *MISREAD))
    best = search_places(index, snippet, Hints()).best
    assert best is not None
    return best.judgement.status, confidence_of(best.match, best.judgement)


@pytest.mark.parametrize(
    ("printed", "snippet"),
    [
        ("In toomn 7 the patient was told about the cast.", "In room 7 the patient was told about the cast"),
        ("A reasmmabie charge was paid for the visit.", "A reasonable charge was paid for the visit"),
        ("The uccilent was on the loading dock.", "The accident was on the loading dock"),
        ("The carrier paid S62,000 for the operation.", "The carrier paid $62,000 for the operation"),
        ("The 45-yenr-oid driver fell from the truck.", "The 45-year-old driver fell from the truck"),
        ("The truck stood m the yard of the plant.", "The truck stood in the yard of the plant"),
        ("The l tablet was taken with the meal.", "The 1 tablet was taken with the meal"),
        ("Accordin1y the carrier paid for the visit.", "Accordingly the carrier paid for the visit"),
        ("The doctor @greed with the other opinion.", "The doctor agreed with the other opinion"),
        ("He was driving car to the loading dock.", "He was driving a car to the loading dock"),
    ],
)
def test_what_is_left_of_a_word_on_a_bad_page_is_that_word(printed: str, snippet: str) -> None:
    assert ask(snippet, printed)[0] is CitationStatus.RESOLVED


@pytest.mark.parametrize(
    ("printed", "snippet"),
    [
        ("A reasmmabie charge was paid for the visit.", "An unreasonable charge was paid for the visit"),
        ("The washer was drsapproved by the doctor.", "The washer was approved by the doctor"),
        ("The claim is amended to inciude the knee.", "The claim is amended to exclude the knee"),
        ("The duty of Rep il and of the dispatcher.", "The duty of Rep I and of the dispatcher"),
        ("The carrier paid S62,000 for the operation.", "The carrier paid $62.000 for the operation"),
        ("The surgeon saw Quist again in the spring.", "The surgeon saw Quit again in the spring"),
        ("The leg is extemally rotated at the hip.", "The leg is internally rotated at the hip"),
        ("It was paid from youraccount in the spring.", "It was paid from our account in the spring"),
        ("We said noundertaking was given in the spring.", "We said an undertaking was given in the spring"),
        ("The foreman Karvonel saw it in the spring.", "The foreman Kervomel saw it in the spring"),
        ("The truck stood 5 in from the other one.", "The truck stood 5 m from the other one"),
    ],
)
def test_another_word_is_refused_on_a_bad_page_too(printed: str, snippet: str) -> None:
    assert ask(snippet, printed)[0] is not CitationStatus.RESOLVED


@pytest.mark.parametrize(
    ("printed", "snippet"),
    [
        ("The surgeon saw hum again in the spring.", "The surgeon saw him again in the spring"),
        ("He brught up his back near the end.", "He drought up his back near the end"),
        ("The night ankle is swollen after any walk.", "The right ankle is swollen after any walk"),
        ("I do aot connect the wrists with the fall.", "I do not connect the wrists with the fall"),
        ("The thut of the two letters is plain.", "The that of the two letters is plain"),
    ],
)
def test_what_may_be_several_words_is_never_sure(printed: str, snippet: str) -> None:
    status, confidence = ask(snippet, printed)
    assert status is CitationStatus.RESOLVED
    assert confidence <= DOUBTFUL_CEILING


@pytest.mark.parametrize(
    ("printed", "snippet"),
    [
        ("The mill shipped l,250 units to the port.", "The mill shipped 1.250 units to the port"),
        ("The pressure was l20/80 in the morning.", "The pressure was 12080 in the morning"),
        ("He takes l-2 tablets in the morning.", "He takes 12 tablets in the morning"),
        ("A sum of -l2.50 was posted in the books.", "A sum of 12.50 was posted in the books"),
    ],
)
def test_marks_are_compared_where_a_figure_was_misread_as_a_letter(printed: str, snippet: str) -> None:
    assert ask(snippet, printed)[0] is CitationStatus.FLAGGED


@pytest.mark.parametrize(
    ("printed", "snippet"),
    [
        ("The mill shipped l,250 units to the port.", "The mill shipped 1,250 units to the port"),
        ("The pressure was l20/80 in the morning.", "The pressure was 120/80 in the morning"),
        ("The lot F.5583 was used for the graft.", "The lot F-5583 was used for the graft"),
        ("The paper is Exhibit No.5 of the file.", "The paper is Exhibit No. 5 of the file"),
    ],
)
def test_a_figure_misread_as_a_letter_is_its_figure(printed: str, snippet: str) -> None:
    assert ask(snippet, printed)[0] is CitationStatus.RESOLVED


@pytest.mark.parametrize(
    "snippet",
    [
        '"Nothing else was said about the brace." (Holm report, p. 3)',
        "[H2] Nothing else was said about the brace.",
        "Nothing else was said about the brace. [D14]",
    ],
)
def test_a_source_named_beside_a_quotation_is_no_part_of_it(snippet: str) -> None:
    assert ask(snippet, "Nothing else was said about the brace.")[0] is CitationStatus.RESOLVED


@pytest.mark.parametrize(
    ("printed", "snippet"),
    [
        ("Son niveau est peu élevé selon le rapport.", "Son niveau est élevé selon le rapport"),
        ("Er ist kaum belastbar und war im Betrieb.", "Er ist belastbar und war im Betrieb"),
        ("El riesgo es poco elevado para el trabajador.", "El riesgo es elevado para el trabajador"),
    ],
)
def test_a_word_for_hardly_may_not_be_left_out(printed: str, snippet: str) -> None:
    assert ask(snippet, printed)[0] is CitationStatus.FLAGGED


TERMS = (
    "pt afeb w/ llq abd pain, nkda, t2dm, gerd, htn, osa on cpap, metformin bid, heparin tid",
    "exam nad perrl cta rrr abd soft ttp no rebound ext wwp, labs wbc hgb plt lact, ct sigmoid divertic",
    "plan npo ivf zosyn qid trend wbc c/s prn dispo floor, fu colonosc dc, ward k.orrin@fenwick-ward.example",
)


def test_a_page_of_terms_and_abbreviations_is_not_a_misread_one() -> None:
    index = DocumentIndex(text_document("a", *TERMS))
    assert index.is_noisy_near(5)
    assert not index.is_misread_near(5)
    for snippet in (
        "k.orrin@fenwlck-ward.example",
        "k.orren@fenwick-ward.example",
        "metformin tid",
        "heparin bid",
    ):
        assert search_places(index, snippet, Hints()).status is not CitationStatus.RESOLVED
    assert search_places(index, "metformin bid, heparin tid", Hints()).status is CitationStatus.RESOLVED


def test_a_long_word_of_another_language_with_one_slip_inside_is_found_and_never_sure() -> None:
    index = DocumentIndex(
        text_document(
            "a",
            "Die Brauerei hat das Kesselhaus vollstandig ernenert und die Leitung verlegt.",
            "Der Lieferant beanstandete die Gerste, die im Oktober eingelagert wurde.",
        )
    )
    # eight letters are too few to tell
    short = "hat das Kesselhaus vollstandig erneuert und die Leitung verlegt"
    assert search_places(index, short, Hints()).status is not CitationStatus.RESOLVED
    index = DocumentIndex(
        text_document("a", "Die Brauerei hat das Kesselhaus im Oktober ansgetauscht und verlegt.")
    )
    found = search_places(index, "hat das Kesselhaus im Oktober ausgetauscht und verlegt", Hints()).best
    assert found is not None
    assert found.judgement.status is CitationStatus.RESOLVED
    assert "word_misread" in found.judgement.warnings
    assert confidence_of(found.match, found.judgement) <= 0.5
    other = search_places(index, "hat das Kesselhaus im Oktober ausgetauschte und verlegt", Hints()).best
    assert other is None or other.judgement.status is not CitationStatus.RESOLVED


@pytest.mark.parametrize(
    ("printed", "quoted", "is_found"),
    [
        ("El molino fue limpiado por la ciiadrilla del puerto en mayo.", "cuadrilla", True),
        ("Die Brauerei hat den Gerstenlieferariten im Mai gemahnt und bezahlt.", "Gerstenlieferanten", True),
        ("Die Brauerei hat den Krug des Herrn Hornann im Mai geholt und bezahlt.", "Homann", False),
    ],
    ids=["word", "long-noun", "name"],
)
def test_one_letter_read_as_two_in_another_language_is_found_and_never_sure(
    printed: str, quoted: str, is_found: bool
) -> None:
    (odd,) = (word for word in printed.split() if word[:1] == quoted[:1] and word[-2:] == quoted[-2:])
    found = search_places(
        DocumentIndex(text_document("a", printed)), printed.replace(odd, quoted), Hints()
    ).best
    assert found is not None
    assert (found.judgement.status is CitationStatus.RESOLVED) == is_found
    assert confidence_of(found.match, found.judgement) <= 0.5
