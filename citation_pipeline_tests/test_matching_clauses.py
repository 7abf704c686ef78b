"""What an ellipsis joins that the page says of two things, and what is quoted without its denial."""

import pytest

from citation_pipeline.core.citations import CitationStatus
from citation_pipeline.core.matching.index import DocumentIndex
from citation_pipeline.core.resolution.confidence import confidence_of
from citation_pipeline.core.resolution.hints import Hints
from citation_pipeline.core.resolution.places import JudgedPlace, search_places
from citation_pipeline_tests.drawn_documents import text_document
from citation_pipeline_tests.matches import best_place

BEFORE = "The broker sent the binder to the owner of the brewery in spring."
BEHIND = "Everything else was put to the file before the autumn audit."
RESOLVED, FLAGGED = CitationStatus.RESOLVED, CitationStatus.FLAGGED


def best_of(snippet: str, *printed: str) -> JudgedPlace:
    return best_place(DocumentIndex(text_document("a", BEFORE, *printed, BEHIND)), snippet)


@pytest.mark.parametrize(
    ("printed", "snippet"),
    [
        (
            "The vat was scrubbed by the cooper and the kiln was rented to a brewer.",
            "The vat … was rented to a brewer",
        ),
        ("The maltster signed the ledger, and the drayman burned the receipt.", "The maltster … burned the"),
        (
            "The copper belongs to Kemp; the mash tun is owned by his aunt.",
            "The copper … is owned by his aunt",
        ),
        ("The vat sprang a leak and the cooper sang a hymn aloud.", "The vat … sang a hymn aloud"),
        ("Mrs. Orde says the carter was asleep.", "Mrs. Orde … was asleep"),
        (
            "Half is owed to the cooper and half to the drayman in June.",
            "Half is owed to … the drayman in June",
        ),
        (
            "The bond covers the kiln; repairs to the vats are left out.",
            "The bond covers … repairs to the vats",
        ),
        (
            "The vat was scrubbed by the cooper and the kiln was rented to a brewer.",
            "scrubbed by the cooper and ... was rented to a brewer",
        ),
        (
            "La cuba fue lavada por el peón y la caldera fue vendida en abril.",
            "La cuba … fue vendida en abril",
        ),
        (
            "Der Kessel wurde vom Küfer gereinigt und der Ofen wurde im April verkauft.",
            "Der Kessel … wurde im April verkauft",
        ),
        (
            "La cuve a été lavée par le commis et la chaudière a été vendue en avril.",
            "La cuve … a été vendue en avril",
        ),
        (
            "Kadź była myta przez bednarza, a kocioł był sprzedany w kwietniu.",
            "Kadź … był sprzedany w kwietniu",
        ),
    ],
)
def test_an_ellipsis_that_gives_a_verb_another_subject_or_object_is_flagged(
    printed: str, snippet: str
) -> None:
    best = best_of(snippet, printed)
    assert best.judgement.status is FLAGGED
    assert "ellipsis_hides" in best.judgement.warnings


@pytest.mark.parametrize(
    ("printed", "snippet"),
    [
        (
            "The vat was scrubbed in May, rinsed and was filled with wort.",
            "The vat was scrubbed … and was filled",
        ),
        ("The cooper, who had a cold and a cough, was sent home early.", "The cooper … was sent home early"),
        ("The cooper who mended the cask was sent home early.", "The cooper … was sent home early"),
        ("Both lids of the vat and the kiln were taken to the smith.", "Both lids … were taken to the smith"),
        (
            "The drayman stopped, lit a pipe and drove on to Alton.",
            "The drayman stopped … and drove on to Alton",
        ),
        ("The cask mended by the cooper, was sent to the smith.", "The cask … was sent to the smith"),
        ("He paid 300 euros in May, thanked her, and went away.", "He paid 300 euros … and went away"),
        ("Cask 4471 Deposit 120.00 Balance 80.00", "Cask 4471 … Balance 80.00"),
        ("Filled on 3 May into cask 4471 of oak, and sealed.", "Filled on 3 May … cask 4471"),
        (
            "Le tonnelier a été renversé à la porte basse par un chariot.",
            "Le tonnelier a été renversé … par un chariot",
        ),
        ("Q. Which vat did you fill before the fair? 12 A. The left vat.", "Q. Which vat … A. The left vat."),
        ("酒坊的伙计在后院的石阶上扭伤脚踝。", "酒坊的伙计……扭伤脚踝"),
    ],
)
def test_a_verb_or_a_figure_that_keeps_its_owner_over_an_ellipsis_is_sure(printed: str, snippet: str) -> None:
    best = best_of(snippet, printed)
    assert best.judgement.status is RESOLVED
    assert confidence_of(best.match, best.judgement) > 0.9


@pytest.mark.parametrize(
    ("printed", "snippet"),
    [
        ("The malt was not weighed at the gate.", "weighed at the gate"),
        ("No hops were delivered to the kiln.", "hops were delivered to the kiln"),
        ("Not insured: loss of beer by frost", "insured: loss of beer by frost"),
        ("Der Brauer haftet nicht.", "Der Brauer haftet"),
        ("양조장은 보리를 배달하지 않았다.", "양조장은 보리를 배달하지"),
        ("La cebada no fue entregada al molino.", "fue entregada al molino"),
        ("Le malt n'est plus vendu au comptoir.", "vendu au comptoir"),
        ("Beczka nie została naprawiona w terminie.", "została naprawiona w terminie"),
        ("Бочка не была доставлена покупателю.", "была доставлена покупателю"),
        ("החבית לא נמסרה לקונה בזמן.", "נמסרה לקונה בזמן"),
    ],
)
def test_a_statement_quoted_without_its_denial_is_flagged(printed: str, snippet: str) -> None:
    best = best_of(snippet, printed)
    assert best.judgement.status is FLAGGED
    assert "negation_differs" in best.judgement.warnings


@pytest.mark.parametrize(
    ("printed", "snippet"),
    [
        ("The cooper denies ringing ears.", "ringing ears"),
        ("Bisher wurde keine Gerste geliefert.", "Gerste geliefert."),
        ("There was no frost on the barley that week.", "frost on the barley"),
        ("The malt was not weighed at the gate.", "weighed"),
    ],
)
def test_a_value_quoted_without_its_denial_is_never_sure(printed: str, snippet: str) -> None:
    best = best_of(snippet, printed)
    assert best.judgement.status is RESOLVED
    assert "denial_beside" in best.judgement.warnings
    assert confidence_of(best.match, best.judgement) <= 0.5


@pytest.mark.parametrize(
    ("printed", "snippet"),
    [
        ("Licensed: no Insured: yes Bonded: yes", "Insured: yes"),
        ("Licensed: no bonded: yes", "bonded: yes"),
        ("Cask no 4471 was filled in June.", "4471 was filled in June"),
        ("The malt was not weighed at the gate.", "not weighed at the gate"),
        ("Is the malt dry? No, wet through.", "wet through"),
        ("C'est un brasseur de la ville.", "brasseur de la ville"),
    ],
)
def test_an_answer_or_a_number_sign_denies_nothing_behind_it(printed: str, snippet: str) -> None:
    best = best_of(snippet, printed)
    assert best.judgement.status is RESOLVED
    assert confidence_of(best.match, best.judgement) > 0.9


def test_of_equal_texts_the_one_that_is_not_denied_is_judged_by_itself() -> None:
    index = DocumentIndex(
        text_document("a", "The malt was not sold to the baker.", "The barley was sold to the baker.")
    )
    places = search_places(index, "sold to the baker", Hints()).places
    assert [place.judgement.status for place in places] == [RESOLVED, FLAGGED]


@pytest.mark.parametrize(
    ("printed", "snippet"),
    [
        ("The kiln reaches 12 m above the yard and the vat 15 m.", "The kiln reaches ... 15 m"),
        (
            "The kiln is insured for twenty years, the vats for five years.",
            "The kiln is insured for … five years",
        ),
        (
            "The pump ran for 12 hours on Monday, and for 14 hours on Tuesday.",
            "The pump ran for ... 14 hours",
        ),
        ("Owed: kiln $1,200; vat $800; cask $300.", "kiln … $800"),
        ("Kiln: 1,200 euros. Vat: 800 euros.", "Kiln: … 800 euros"),
    ],
)
def test_a_figure_joined_to_another_figures_owner_is_never_sure(printed: str, snippet: str) -> None:
    best = best_of(snippet, printed)
    assert best.judgement.status is RESOLVED
    assert confidence_of(best.match, best.judgement) <= 0.5


@pytest.mark.parametrize(
    ("printed", "snippet"),
    [
        ("Der Küfer hat das Fass weder gereicht noch verkauft.", "Der Küfer hat das Fass … verkauft"),
        ("La cuba ni fue vendida ni alquilada.", "La cuba ... alquilada"),
        ("Le fût n'a été ni vidé ni vendu.", "Le fût ... vendu"),
    ],
)
def test_an_ellipsis_over_neither_and_nor_is_flagged(printed: str, snippet: str) -> None:
    assert best_of(snippet, printed).judgement.status is FLAGGED


@pytest.mark.parametrize("quoted", ["thirty-one", "thirty-two", "thirty-odd", "thirty-in"])
def test_words_that_a_hyphen_joins_are_no_misspelling_of_the_first(quoted: str) -> None:
    printed = "The cooper is paid if he asks within thirty days of the sale."
    best = best_of(f"if he asks within {quoted} days of the sale", printed)
    assert best.judgement.status is FLAGGED


@pytest.mark.parametrize(
    ("printed", "snippet"),
    [
        (
            "Der Küfer zahlt die Fracht. Sofern der Kessel dicht ist, liefert er auch die Hefe ans Tor.",
            "Der Küfer zahlt … auch die Hefe ans Tor",
        ),
        (
            "El tonelero paga el flete de la cebada siempre que exista recibo del molino.",
            "El tonelero paga el flete de la cebada … recibo del molino",
        ),
        (
            "The maltster pays the carter. Assuming the kiln is dry, he delivers the hops to the gate.",
            "The maltster pays the carter … delivers the hops to the gate",
        ),
    ],
)
def test_an_ellipsis_over_a_condition_of_either_part_is_never_sure(printed: str, snippet: str) -> None:
    best = best_of(snippet, printed)
    assert confidence_of(best.match, best.judgement) <= 0.5


@pytest.mark.parametrize(
    ("printed", "snippet"),
    [
        (
            "The maltster paid. If the kiln is wet, nobody works. The carter brings the hops to the gate.",
            "The maltster paid. … The carter brings the hops to the gate.",
        ),
        (
            "The cooper mends the cask with a hoop of ash, if any, from the yard behind the mill.",
            "The cooper mends the cask with a hoop … from the yard behind the mill",
        ),
    ],
)
def test_a_condition_of_a_sentence_between_or_of_nothing_leaves_both_parts_sure(
    printed: str, snippet: str
) -> None:
    best = best_of(snippet, printed)
    assert confidence_of(best.match, best.judgement) > 0.9
