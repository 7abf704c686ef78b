"""Long registers whose cells are alike: every row's own place, by page, value, offset and the rows' order."""

import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citation_pipeline.core.boxes import Box
from citation_pipeline.core.citations import Citation, CitationStatus
from citation_pipeline.core.documents.parsed import ParsedDocument
from citation_pipeline.core.extraction import ExtractedField, Snippet
from citation_pipeline.core.matching.index import DocumentIndex
from citation_pipeline.core.resolution.claims import resolve_claim
from citation_pipeline.core.resolution.drafts import MOST_CANDIDATES
from citation_pipeline.core.resolution.hints import REASONS, Hints
from citation_pipeline.core.resolution.nearness import OTHER_PAGE, OTHER_ROW, OVERLAP, value_distances
from citation_pipeline.core.resolution.places import search_places
from citation_pipeline.core.resolution.queries import read_words, resolve_queries
from citation_pipeline.core.resolution.records import Contender, assign_in_order
from citation_pipeline_tests.drawn_documents import block_of, document_of

ROWS_PER_PAGE, ROWS = 40, 480
LEFTS = (0.05, 0.2, 0.4, 0.6, 0.8)
AMOUNTS = ("290.00", "1,160.00")


def amount_of(row: int) -> str:
    return AMOUNTS[row % 3 == 0]


def register(rows: int = ROWS) -> ParsedDocument:
    """Pages of 40 rows: number, day, payee, amount and state; only number and day tell rows apart."""
    blocks = []
    for start in range(0, rows, ROWS_PER_PAGE):
        lines = [
            f"{40000 + n}\tday {n}\tLopez\t{amount_of(n)}\tPaid" for n in range(start, start + ROWS_PER_PAGE)
        ]
        blocks.append(block_of(lines, page=1 + start // ROWS_PER_PAGE, kind="Table"))
    return document_of("register", blocks)


REGISTER = register()
INDEX = DocumentIndex(REGISTER)
NUMBER_AT = {text: at for at, text in enumerate(REGISTER.words.texts) if text.isdigit() and len(text) == 5}


def row_at(word: int) -> int:
    """The register's row that a word is in."""
    number = next(t for t in reversed(REGISTER.words.texts[: word + 1]) if t in NUMBER_AT)
    return int(number) - 40000


def rows_of(citations: list[Citation]) -> list[int]:
    assert all(citation.status is CitationStatus.RESOLVED for citation in citations)
    return [row_at(citation.word_ranges[0][0]) for citation in citations]


def cite(snippets: list[Snippet], value: object) -> list[Citation]:
    field = ExtractedField("payments", value, "array", tuple(snippets))  # type: ignore[arg-type]
    return resolve_claim([REGISTER], [field])


@pytest.mark.parametrize("page", range(1, 13))
def test_a_page_hint_leads_to_its_page_however_often_the_text_is_printed_before(page: int) -> None:
    search = search_places(INDEX, "Paid", Hints(page=page))
    assert len(search.places) == search.ties == ROWS
    assert search.best is not None
    assert REGISTER.words.page[search.best.match.words[0]] == page
    assert search.best.reason == "first"  # forty of that page are equal: the reader is told so
    assert search.places[ROWS_PER_PAGE].reason == "page_hint"
    assert row_at(search.best.match.words[0]) == ROWS_PER_PAGE * (page - 1)


@pytest.mark.parametrize("row", [0, 49, 50, 51, 119, 311, ROWS - 1])
@pytest.mark.parametrize("text", ["Paid", "Lopez"])
def test_a_value_hint_leads_to_its_own_row(row: int, text: str) -> None:
    at = NUMBER_AT[str(40000 + row)]
    search = search_places(INDEX, text, Hints(find_values=lambda: [(at, at)]))
    assert search.best is not None
    assert row_at(search.best.match.words[0]) == row
    assert search.best.reason == "value"


def test_an_offset_hint_leads_to_the_nearest_of_all_places() -> None:
    at = NUMBER_AT["40400"]
    offset = int(REGISTER.words.text_start[at])
    search = search_places(INDEX, "Paid", Hints(offset=offset))
    assert search.best is not None
    assert row_at(search.best.match.words[0]) in (399, 400)
    assert search.best.reason == "text_offset"


def test_rows_beyond_the_fiftieth_of_an_array_take_their_own_rows() -> None:
    wanted = range(ROWS)
    found = cite(
        [Snippet("register", "Paid", n, f"[{n}].status") for n in wanted],
        [{"status": "Paid"} for _ in wanted],
    )
    assert rows_of(found) == list(wanted)
    assert {c.reason for c in found[1:]} == {"record_order"}


def test_members_stay_in_the_row_that_another_member_names() -> None:
    picked = [3, 17, 51, 80, 119, 300, 479]
    snippets, value = [], []
    for n, row in enumerate(picked):
        snippets.append(Snippet("register", str(40000 + row), len(snippets), f"[{n}].number"))
        snippets.append(Snippet("register", amount_of(row), len(snippets), f"[{n}].amount"))
        snippets.append(Snippet("register", "Paid", len(snippets), f"[{n}].status"))
        amount = float(amount_of(row).replace(",", ""))
        value.append({"number": 40000 + row, "amount": amount, "status": "Paid"})
    assert rows_of(cite(snippets, value)) == [row for row in picked for _ in range(3)]


def test_amounts_of_every_row_take_the_rows_in_order() -> None:
    found = cite(
        [Snippet("register", amount_of(n), n, f"[{n}].amount") for n in range(120)],
        [{"amount": float(amount_of(n).replace(",", ""))} for n in range(120)],
    )
    assert rows_of(found) == list(range(120))


def test_rows_of_a_page_hint_stay_on_their_pages() -> None:
    found = cite(
        [Snippet("register", "Paid", n, f"[{n}].status", page=1 + n // 10) for n in range(30)],
        [{"status": "Paid"} for _ in range(30)],
    )
    assert [citation.page for citation in found] == [1 + n // 10 for n in range(30)]
    assert len({row for row in rows_of(found)}) == 30


def test_what_is_cut_from_the_candidates_is_counted() -> None:
    (found,) = resolve_claim(
        [REGISTER], [ExtractedField("f", None, "string", (Snippet("register", "Paid"),))]
    )
    assert len(found.candidates) == MOST_CANDIDATES
    assert found.equal_places == ROWS
    assert "several_places" in found.warnings


def test_a_place_that_says_otherwise_does_not_count_as_equal() -> None:
    document = document_of(
        "d", [block_of(["rate 12.50\tx", "rate 1250\tx", "rate 12.50\ty", "rate 12.50\tz"])]
    )
    search = search_places(DocumentIndex(document), "rate 12.50", Hints())
    assert (len(search.places), search.ties) == (4, 3)
    assert [place.judgement.status for place in search.places] == [CitationStatus.RESOLVED] * 3 + [
        CitationStatus.FLAGGED
    ]
    assert search.places[3].reason == "weaker_text"


def test_a_misspelled_cell_is_found_on_the_hinted_page_too() -> None:
    lines = [[f"Provider of servces {n}\tbalance outstanding"] for n in range(90)]
    document = document_of("d", [block_of(line, page=n + 1) for n, line in enumerate(lines)])
    search = search_places(DocumentIndex(document), "balance outstandin9", Hints(page=77))
    assert search.ties == 90
    assert search.best is not None
    assert document.words.page[search.best.match.words[0]] == 77


def test_a_place_asked_for_twice_is_the_same_and_slices_agree() -> None:
    places = search_places(INDEX, "Paid", Hints(page=2)).places
    assert places[3] is places[3]
    assert places[-1] is places[len(places) - 1]
    assert list(places[:4]) == [places[0], places[1], places[2], places[3]]
    with pytest.raises(IndexError):
        places[len(places)]


def ledger_record(count: int) -> dict[str, object]:
    words, lines = [], []
    for row in range(count // 5):
        page, top = 1 + row // 50, 0.02 + 0.018 * (row % 50)
        lines.append(len(words))
        for text, left in zip((str(100000 + row), "TD", "Lopez", "290.00", "Paid"), LEFTS, strict=True):
            words.append([text, page, left, top, 0.008 * len(text), 0.012])
    return {"words": words, "line_starts": lines, "blocks": []}


def test_a_ledger_of_200_000_words_answers_within_a_fraction_of_a_second() -> None:
    index = DocumentIndex(read_words(ledger_record(200_000)))
    index.warm()
    queries = [
        {"query_id": "a", "text_snippet": "Paid", "hint": {"page": 700}},
        {"query_id": "b", "text_snippet": "290.00", "hint": {"value": "137654"}},
        {"query_id": "c", "text_snippet": "Lopez 290.00 Paid", "hint": {"page": 3}},
    ]
    started = time.process_time()
    found = resolve_queries(index, queries)
    took = (time.process_time() - started) / len(queries)
    assert [answer["page"] for answer in found] == [700, 1 + 37654 // 50, 3]
    assert found[1]["boxes"][0]["top"] == pytest.approx(0.02 + 0.018 * (37654 % 50), abs=0.01)
    assert took < 0.5  # 0.05 s on an idle machine


# properties against the slow, obvious way

GRID = st.integers(1, 4), st.integers(1, 5), st.integers(1, 4)


@st.composite
def drawn_grids(draw: st.DrawFn) -> DocumentIndex:
    pages, rows, columns = (draw(size) for size in GRID)
    words = []
    for page in range(1, pages + 1):
        for row in range(rows):
            for column in range(columns):
                wide = draw(st.booleans())
                words.append([f"w{len(words)}", page, 0.2 * column, 0.1 * row, 0.19 if wide else 0.02, 0.02])
    order = draw(st.permutations(range(rows * columns)))
    size = rows * columns
    shuffled = [words[page * size + place] for page in range(pages) for place in order]
    return DocumentIndex(read_words({"words": shuffled}))


def slow_is_cell(index: DocumentIndex, word: int) -> bool:
    """Whether no word of its row is within 1.2 line heights."""
    boxes = [Box(*box) for box in index.words.boxes.tolist()]
    order = index.rows.order.tolist()
    at = order.index(word)
    for other in (at - 1, at + 1):
        if 0 <= other < len(order) and index.rows.row[order[other]] == index.rows.row[word]:
            left, right = sorted((word, order[other]), key=order.index)
            if (boxes[right].left - boxes[left].left - boxes[left].width) * 0.75 <= 1.2 * boxes[word].height:
                return False
    return True


def slow_distance(index: DocumentIndex, values: list[int], word: int) -> int:
    """One-word values, one-word place: every value weighed in both orders."""
    if word in values:
        return 0
    found = []
    for value in values:
        added = OTHER_PAGE * bool(index.words.page[value] != index.words.page[word])
        if slow_is_cell(index, word):
            added += OTHER_ROW * bool(index.rows.row[value] != index.rows.row[word])
        for ours, theirs in ((word, value), (index.rows.rank[word], index.rows.rank[value])):
            steps = 2 * (theirs - ours) if theirs > ours else 2 * (ours - theirs) + 1
            found.append(int(steps) + added)
    return min(found)


@given(drawn_grids(), st.data())
@settings(max_examples=150, deadline=None)
def test_value_distances_of_many_places_are_what_the_slow_way_says(
    index: DocumentIndex, data: st.DataObject
) -> None:
    ids = st.integers(0, len(index.keys) - 1)
    values = data.draw(st.lists(ids, min_size=1, max_size=6, unique=True))
    places = np.asarray(data.draw(st.lists(ids, min_size=1, max_size=8)))
    found = value_distances(index, [(v, v) for v in values], places, places)
    assert found.tolist() == [slow_distance(index, values, int(word)) for word in places]


def test_a_value_that_overlaps_a_place_is_four_words_away() -> None:
    places = np.asarray([10]), np.asarray([12])
    assert value_distances(INDEX, [(11, 14)], *places).tolist() == [OVERLAP]
    assert value_distances(INDEX, [(11, 12)], *places).tolist() == [0]
    assert value_distances(INDEX, [], *places).tolist() == [0]


def slow_cost(index: DocumentIndex, contenders: list[Contender], picks: list[int]) -> float:
    """What a choice costs, step by step, as `records` documents it."""
    total, before = 0.0, None
    for contender, pick in zip(contenders, picks, strict=True):
        word = int(contender.first[pick])
        rank, row = int(index.rows.rank[word]), int(index.rows.row[word])
        total += 1e-7 * pick
        if before is not None:
            item, other_rank, other_row = before
            apart = 1e-4 * abs(rank - other_rank)
            if item == contender.item:
                total += 0.0 if row == other_row else min(1.0, apart)
            elif rank == other_rank:
                total += 3.0
            else:
                total += (0.0 if rank > other_rank else 1.0) + min(0.5, apart)
        before = contender.item, rank, row
    return total


@given(drawn_grids(), st.data())
@settings(max_examples=150, deadline=None)
def test_records_are_put_in_order_at_the_least_cost_of_all_choices(
    index: DocumentIndex, data: st.DataObject
) -> None:
    ids = st.integers(0, len(index.keys) - 1)
    contenders = []
    for _ in range(data.draw(st.integers(1, 4))):
        words = np.asarray(data.draw(st.lists(ids, min_size=1, max_size=4, unique=True)))
        contenders.append(Contender(data.draw(st.sampled_from("ab")), words, words))
    picks = assign_in_order(index, contenders)
    choices = np.ndindex(*(len(c.first) for c in contenders))
    best = min(slow_cost(index, contenders, list(choice)) for choice in choices)
    assert slow_cost(index, contenders, picks) == pytest.approx(best, abs=1e-9)


@given(st.lists(st.sampled_from(["ab", "ab.", "Ab", "cd", "9"]), min_size=2, max_size=30), st.data())
@settings(max_examples=150, deadline=None)
def test_all_places_are_ranked_as_sorting_them_one_by_one_would(
    texts: list[str], data: st.DataObject
) -> None:
    document = document_of("d", [block_of([text], page=1 + n // 4) for n, text in enumerate(texts)])
    index = DocumentIndex(document)
    page = data.draw(st.none() | st.integers(1, 8))
    offset = data.draw(st.none() | st.integers(0, 90))
    search = search_places(index, "ab", Hints(page=page, offset=offset))
    expected = sorted(
        (
            page is not None and document.words.page[word] != page,
            text != "ab",
            0 if offset is None else abs(int(document.words.text_start[word]) - offset),
            word,
        )
        for word, text in enumerate(texts)
        if text.casefold().strip(".") == "ab"
    )
    if expected:
        assert [place.match.words for place in search.places] == [(word,) for *_, word in expected]
        assert search.ties == len(expected)
        for place in search.places[1:]:
            assert place.reason in REASONS
