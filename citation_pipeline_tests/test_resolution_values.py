"""Which part of a value a citation is behind, where values are printed, and when a new set may be shown."""

from typing import Any

import numpy as np
import pytest

from citation_pipeline.core.boxes import Box
from citation_pipeline.core.citations import CitationStatus, Region
from citation_pipeline.core.extraction import ExtractedField, Snippet
from citation_pipeline.core.json_schemas.flattening import flatten
from citation_pipeline.core.matching.index import DocumentIndex
from citation_pipeline.core.resolution.changes import Change, CitationChange, PlacedSnippet
from citation_pipeline.core.resolution.claims import resolve_claim
from citation_pipeline.core.resolution.printed_words import prints_snippet, prints_value, words_in
from citation_pipeline.core.resolution.promotion import (
    PromotionRules,
    ValueChanges,
    compare_values,
    reasons_to_hold,
)
from citation_pipeline.core.resolution.queries import QueryDocumentError, read_words, resolve_queries
from citation_pipeline.core.resolution.value_places import (
    ValuePlaces,
    find_value_alone,
    find_value_words,
    member_at,
    scalars_of,
    states_value,
    value_behind,
)
from citation_pipeline_tests.drawn_documents import block_of, document_of, text_document

LIENS = [{"holder": "EDD", "paid": [5, 7]}, {"holder": "Kaiser", "paid": []}]


@pytest.mark.parametrize(
    ("path", "member"),
    [
        ("[0].holder", "EDD"),
        ("[1].holder", "Kaiser"),
        ("[0].paid[1]", 7),
        ("[1].paid[0]", None),
        ("[2].holder", None),
        ("[0].nothing", None),
        ("holder", None),
        ("[0].holder[0]", None),
        ("[1]", LIENS[1]),
    ],
)
def test_a_path_leads_to_the_member_that_it_names_or_to_nothing(path: str, member: Any) -> None:
    assert member_at(LIENS, path) == member


SCHEMA = flatten(
    {
        "type": "object",
        "properties": {
            "parts": {"type": "array", "items": {"type": "string"}},
            "liens": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "holder": {"type": "string"},
                        "filed": {"type": "string", "format": "date"},
                        "amount": {"type": "number"},
                    },
                },
            },
        },
    },
    name="small",
)


@pytest.mark.parametrize(
    ("key", "value", "path", "schema", "behind"),
    [
        ("liens", [{"filed": "2025-01-02"}], "[0].filed", SCHEMA, ("2025-01-02", "date")),
        ("liens", [{"amount": 5}], "[0].amount", SCHEMA, (5, "number")),
        ("liens", [{"other": 5}], "[0].other", SCHEMA, (5, "number")),
        ("liens", [{"filed": "2025-01-02"}], "[0]", SCHEMA, ({"filed": "2025-01-02"}, "array")),
        ("parts", ["knee", "2025-01-02"], "[1]", SCHEMA, ("2025-01-02", "string")),
        ("parts", ["knee", "2025-01-02"], "[1]", None, ("2025-01-02", "date")),
        ("parts", ["knee"], "", SCHEMA, (["knee"], "array")),
    ],
)
def test_what_a_snippet_is_behind_has_its_members_own_type(
    key: str, value: Any, path: str, schema: Any, behind: tuple[Any, str]
) -> None:
    assert value_behind(ExtractedField(key, value, "array"), path, schema) == behind


def test_a_values_plain_members_are_listed_in_order() -> None:
    assert scalars_of(LIENS) == ["EDD", 5, 7, "Kaiser"]
    assert scalars_of(None) == scalars_of([None, {}]) == []
    assert scalars_of(0) == [0]


PAGE = text_document(
    "a", "Seen on April 4, 2022 by EDD", "Paid $1,234.50 on 04/04/2022 and 1234.50 again", "Yes"
)
INDEX = DocumentIndex(PAGE)


def words(ids: Any) -> str:
    return " ".join(PAGE.words.texts[word] for word in ids)


@pytest.mark.parametrize(
    ("value", "kind", "found"),
    [
        ("2022-04-04", "date", ["April 4, 2022", "04/04/2022"]),
        (1234.5, "number", ["$1,234.50", "1234.50"]),
        (["2022-04-04"], "array", ["April 4, 2022", "04/04/2022"]),
        ("again", "string", ["again"]),
        ("EDD", "string", []),  # four letters are on every page by chance
        (True, "boolean", []),
        ("Yes", "enum", []),
        (["again", "April"], "array", []),
        (None, "date", []),
    ],
)
def test_a_value_by_itself_is_looked_for_where_it_is_no_chance(
    value: Any, kind: str, found: list[str]
) -> None:
    assert [words(place) for place in find_value_alone(PAGE, INDEX, value, kind)] == found
    assert len(find_value_alone(PAGE, INDEX, value, kind, most=1)) == min(1, len(found))


@pytest.mark.parametrize(
    ("value", "kind", "places"),
    [
        ("2022-04-04", "date", [(2, 4), (10, 10)]),
        ("4/4/2022", "date", [(2, 4), (10, 10)]),
        (1234.5, "number", [(8, 8), (12, 12)]),
        ("$1,234.50", "number", [(8, 8), (12, 12)]),
        (1234.504, "number", [(8, 8), (12, 12)]),  # to the cent
        (1234.51, "number", []),
        (True, "boolean", []),
        (["2022-04-04", 5], "array", []),
    ],
)
def test_every_place_of_a_typed_value_is_known_by_its_first_and_last_words(
    value: Any, kind: str, places: list[tuple[int, int]]
) -> None:
    assert ValuePlaces(PAGE, INDEX).ranges(value, kind) == places


def test_the_words_that_state_a_value_are_those_of_the_place_asked_about() -> None:
    every = range(len(PAGE.words))
    assert words(find_value_words(INDEX, every, "2022-04-04", "date")) == "April 4, 2022"
    assert words(find_value_words(INDEX, range(7, 11), "2022-04-04", "date")) == "04/04/2022"
    assert words(find_value_words(INDEX, every, ["EDD", 1234.5], "array")) == "EDD $1,234.50"
    assert find_value_words(INDEX, every, None, "date") == find_value_words(INDEX, [], 5, "number") == ()
    assert states_value("on 4 April 2022", "2022-04-04", "date")
    assert not states_value("on 5 April 2022", "2022-04-04", "date")


def test_lines_and_blocks_of_a_query_document_are_where_it_says() -> None:
    rows = [
        [text, page, 0.1, 0.1, 0.1, 0.01] for text, page in zip("abcdef", (1, 1, 1, 1, 1, 2), strict=True)
    ]
    found = read_words(
        {"words": rows, "line_starts": [0, 2, 9, "x"], "blocks": [{"words": [0, 3]}, {"words": [3, 5]}]}
    )
    assert found.line.tolist() == [0, 0, 1, 2, 2, 3]
    assert found.block.tolist() == [0, 0, 0, 1, 1, 2]
    assert found.page.tolist() == [1, 1, 1, 1, 1, 2]
    assert found.text_start.tolist() == [0, 2, 4, 6, 8, 10]
    assert found.text_end.tolist() == [1, 3, 5, 7, 9, 11]
    assert len(read_words({"words": []})) == 0


@pytest.mark.parametrize(
    ("document", "reason"),
    [
        ({}, "is not a list"),
        ({"words": [["a", 1]]}, "height"),
        ({"words": [["a", "one", 0, 0, 0, 0]]}, "height"),
    ],
)
def test_a_query_document_that_cannot_be_read_says_why(document: Any, reason: str) -> None:
    with pytest.raises(QueryDocumentError, match=reason):
        read_words(document)


def test_a_query_that_is_found_nowhere_has_no_place() -> None:
    rows = [["Hearing", 1, 0.1, 0.1, 0.1, 0.01], ["set", 1, 0.3, 0.1, 0.1, 0.01]]
    found = resolve_queries({"words": rows}, [{"query_id": 7, "text_snippet": "Martian"}, {"query_id": 8}])
    assert found[0] == {"query_id": 7, "status": "unresolved", "page": None, "boxes": [], "score": 0.0}
    assert (found[1]["query_id"], found[1]["status"]) == (8, "unresolved")


def test_what_nobody_found_counts_nothing_and_candidates_are_drawn_on_their_own_page() -> None:
    document = document_of(
        "d", [block_of(["the claim was accepted"], page=1), block_of(["the claim was accepted"], page=2)]
    )
    fields = [
        ExtractedField(
            "f",
            None,
            "string",
            [Snippet("d", "the claim was accepted", page=2), Snippet("d", "Martian canal", 1)],
        )
    ]
    found, nowhere = resolve_claim([document], fields)
    assert [(c.page, len(c.boxes)) for c in found.candidates] == [(2, 1), (1, 1)]
    assert (nowhere.status, nowhere.score, nowhere.confidence) == (CitationStatus.UNRESOLVED, 0.0, 0.0)


def test_rows_take_their_places_in_their_own_order_however_their_citations_are_listed() -> None:
    ledger = text_document("l", *(f"Valley Clinic {n}" for n in ("one", "two", "three")))
    snippets = [Snippet("l", "Valley Clinic", n, f"[{row}].payee") for n, row in enumerate((2, 0, 1))]
    value = [{"payee": "Valley Clinic"}] * 3
    found = resolve_claim([ledger], [ExtractedField("paid", value, "array", snippets)])
    assert [citation.word_ranges[0][0] // 3 for citation in found] == [2, 0, 1]


def placed(count: int) -> list[PlacedSnippet]:
    region = (Region(1, (Box(0.1, 0.1, 0.1, 0.01),)),)
    return [
        PlacedSnippet(f"f#{n}", "f", "a", "text", CitationStatus.RESOLVED, "exact", region)
        for n in range(count)
    ]


def changed(kind: Change, count: int, *, verified: int = 0) -> list[CitationChange]:
    return [CitationChange(f"f#{n}", "f", kind, is_verified=n < verified) for n in range(count)]


@pytest.mark.parametrize(
    ("kind", "count", "of", "is_held"),
    [
        (Change.LOST, 5, 100, False),
        (Change.LOST, 6, 100, True),
        (Change.LOST, 1, 3, True),
        (Change.MOVED, 10, 100, False),
        (Change.MOVED, 11, 100, True),
        (Change.MOVED, 1, 3, False),  # one place is no share
        (Change.MOVED, 2, 3, True),
        (Change.DOWNGRADED, 10, 100, False),
        (Change.DOWNGRADED, 11, 100, True),
        (Change.GAINED, 50, 100, False),
        (Change.UPGRADED, 50, 100, False),
    ],
)
def test_a_set_is_held_where_more_gets_worse_than_the_rules_allow(
    kind: Change, count: int, of: int, is_held: bool
) -> None:
    reasons = reasons_to_hold(placed(of), changed(kind, count), PromotionRules())
    assert bool(reasons) == is_held
    assert all(f"{count} of {of} located citations would be {kind}" in reason for reason in reasons)


def test_what_a_person_signed_is_held_one_by_one_unless_the_rules_let_it_go() -> None:
    changes = changed(Change.MOVED, 1, verified=1)
    assert reasons_to_hold(placed(100), changes, PromotionRules()) == ["1 verified citations would be moved"]
    assert reasons_to_hold(placed(100), changes, PromotionRules(keep_verified=False)) == []
    assert reasons_to_hold([], changed(Change.LOST, 3), PromotionRules()) == []


@pytest.mark.parametrize(("misplaced", "is_held"), [(2, False), (3, True)])
def test_boxes_on_other_words_than_quoted_hold_the_set(misplaced: int, is_held: bool) -> None:
    ids = [f"f#{n}" for n in range(misplaced)]
    assert bool(reasons_to_hold([], [], PromotionRules(), located=100, misplaced=ids)) == is_held


@pytest.mark.parametrize(
    ("lost", "other", "shown", "held"),
    [
        (0, 0, 20, []),
        (1, 0, 10, []),  # a single value is no share
        (2, 0, 40, []),
        (2, 0, 39, ["2 of 39 values would be lost"]),
        (0, 1, 3, []),
        (0, 2, 8, []),
        (0, 3, 8, ["3 of 8 values would be other ones"]),
        (2, 3, 8, ["2 of 8 values would be lost", "3 of 8 values would be other ones"]),
    ],
)
def test_a_set_of_other_values_is_held(lost: int, other: int, shown: int, held: list[str]) -> None:
    changes = ValueChanges(shown, [f"l{n}" for n in range(lost)], [f"o{n}" for n in range(other)])
    assert reasons_to_hold([], [], PromotionRules(), values=changes) == held


def test_values_are_compared_by_what_was_shown() -> None:
    shown = {"a": 1, "b": 2, "c": None, "d": 0}
    found = compare_values(shown, {"a": 1, "b": 3, "c": 4, "d": None}, signed=frozenset({"d", "a"}))
    assert (found.shown, list(found.lost), list(found.changed), list(found.signed)) == (
        3,
        ["d"],
        ["b"],
        ["d"],
    )
    assert reasons_to_hold([], [], PromotionRules(), values=found)[0] == "1 verified values would change"


def test_numbers_of_words_keep_their_types() -> None:
    found = read_words({"words": [["a", 1, 0, 0, 1, 1]]})
    assert (found.page.dtype, found.line.dtype, found.text_start.dtype) == (np.int32,) * 3


SENTENCE = "The treating physician recommended further therapy for the lumbar strain"
TWO_LINES = text_document("p", SENTENCE, "Something else is said in this line about therapy")
FIRST_LINE = (Region(1, tuple(TWO_LINES.words.box(word) for word in range(10))),)


@pytest.mark.parametrize(
    ("snippet", "is_printed"),
    [
        (SENTENCE, True),
        (SENTENCE.replace("treating", "trealing").replace("lumbar", "lurnbar"), True),
        ("treating physician recommended therapy", True),  # words left out
        ("strain lumbar the for therapy further recommended physician", True),  # in another order
        ("therapy strain physician said in this", False),  # half of the words
        ("therapy strain physician said in", True),  # three of five
        ("Something else is said in this line about therapy", False),  # the other line
        ("lumbar", True),
        ("lombard", False),  # of a single word nothing is spare
        ("--", True),  # signs alone quote whatever is there
    ],
)
def test_boxes_print_a_snippet_whose_letters_are_in_order_or_whose_words_are_mostly_there(
    snippet: str, is_printed: bool
) -> None:
    assert prints_snippet(TWO_LINES.words, FIRST_LINE, snippet) == is_printed
    assert not prints_snippet(TWO_LINES.words, (), snippet)
    assert not prints_snippet(TWO_LINES.words, (Region(2, FIRST_LINE[0].boxes),), snippet)


def test_boxes_print_a_value_or_one_of_several() -> None:
    place = (Region(1, tuple(PAGE.words.box(word) for word in range(2, 5))),)
    assert prints_value(PAGE.words, place, "2022-04-04", "date")
    assert not prints_value(PAGE.words, place, "2022-04-05", "date")
    assert prints_value(PAGE.words, place, [{"a": "nothing"}, {"a": "2022-04-04"}], "array")
    assert not prints_value(PAGE.words, place, ["nothing"], "array")
    assert words_in(PAGE.words, place) == [2, 3, 4]
