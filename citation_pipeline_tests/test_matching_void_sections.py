"""Texts of a page that do not hold, and what stands beside them and does."""

import pytest

from citation_pipeline.core.matching.index import DocumentIndex
from citation_pipeline_tests.drawn_documents import block_of, document_of
from citation_pipeline_tests.matches import best_place

LEFT_OUT = "turn_left_out"


def warnings_of(quoted: str, *blocks: str) -> tuple[str, ...]:
    drawn = [block_of(text.split("\n"), top=0.1 + 0.1 * at) for at, text in enumerate(blocks)]
    return best_place(DocumentIndex(document_of("a", drawn)), quoted).judgement.warnings


@pytest.mark.parametrize(
    ("quoted", "blocks"),
    [
        (
            "No ferry is charged at night.",
            ("TARIFF CLAUSE 7, REPEALED IN 1998", "Ferries pay by the day. No ferry is charged at night."),
        ),
        (
            "No toll is due on foot.",
            ("SPECIMEN CLAUSE (not in use)", "No toll is due on foot. Carts pay double."),
        ),
        (
            "The weir is opened at dawn.",
            (
                "Rules",
                "Draft 2 (replaced): The lock is shut. The weir is opened at dawn. Draft 3: It stays shut.",
            ),
        ),
        (
            "moor at the lower pier.",
            ("Instructions cancelled by the harbour office: wait for the tide; moor at the lower pier.",),
        ),
        (
            "Le pont reste ouvert la nuit.",
            ("Texte biffé : La barrière est ôtée. Le pont reste ouvert la nuit.",),
        ),
    ],
    ids=["title", "specimen", "label", "list", "french"],
)
def test_all_sentences_of_a_text_that_does_not_hold_are_doubted(quoted: str, blocks: tuple[str, ...]) -> None:
    assert LEFT_OUT in warnings_of(quoted, *blocks)


@pytest.mark.parametrize(
    ("quoted", "blocks"),
    [
        (
            "The barge pays by weight.",
            ("CLAUSE 7, REPEALED IN 1998", "Ferries pay by the day.", "The barge pays by weight."),
        ),
        (
            "It stays shut.",
            ("Rules", "Draft 2 (replaced): The weir is opened at dawn. Draft 3: It stays shut."),
        ),
        (
            "She said that it stays dry.",
            ('Example of a statement: "The hold took no water." She said that it stays dry.',),
        ),
        ("Nobody was aboard.", ("CROSSING CANCELLED", "The mate was ill. Nobody was aboard.")),
        (
            "The weir is opened at dawn.",
            ("Date the clause was deleted: see below. The weir is opened at dawn.",),
        ),
    ],
    ids=["next-paragraph", "next-label", "behind-quotation", "event", "asked"],
)
def test_what_a_void_heading_does_not_reach_is_as_certain_as_before(
    quoted: str, blocks: tuple[str, ...]
) -> None:
    assert LEFT_OUT not in warnings_of(quoted, *blocks)
