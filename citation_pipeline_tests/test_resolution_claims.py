"""Whole claims: one citation a snippet, records in order, other sources named, values located."""

import pickle
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citation_pipeline.core.boxes import intersection
from citation_pipeline.core.citations import Citation, CitationStatus
from citation_pipeline.core.documents.parsed import (
    DocumentError,
    DocumentStatus,
    ParsedDocument,
    unread_document,
)
from citation_pipeline.core.extraction import ExtractedField, Snippet
from citation_pipeline.core.resolution.claims import resolve_claim
from citation_pipeline_tests.drawn_documents import block_of, document_of, source_of, text_document
from citation_pipeline_tests.properties import few_examples

LETTER = text_document(
    "letter",
    "Date of injury: April 4, 2022",
    "Total paid to date $1,234.00 as of today",
    "Represented by [X] Yes [ ] No",
    "The claim was accepted on 05/01/2022.",
)
LEDGER = document_of(
    "ledger",
    [
        block_of(
            ["Date\tPayee\tAmount", "01/02/2022\tValley Clinic\t$50.00", "01/09/2022\tValley Clinic\t$50.00"]
            + ["01/16/2022\tValley Clinic\t$75.00"],
            kind="Table",
        )
    ],
)


def cite(
    *snippets: Snippet,
    value: object = None,
    value_type: str = "string",
    documents: list[ParsedDocument] | None = None,
) -> list[Citation]:
    field = ExtractedField("f", value, value_type, snippets)  # type: ignore[arg-type]
    return resolve_claim(documents or [LETTER, LEDGER], [field])


def words_at(document: ParsedDocument, citation: Citation) -> str:
    return " ".join(document.words.texts[w] for a, b in citation.word_ranges for w in range(a, b))


def test_a_resolved_citation_knows_its_words_offsets_boxes_and_block() -> None:
    (found,) = cite(Snippet("letter", "Date of injury: April 4, 2022"), value="2022-04-04", value_type="date")
    assert (found.citation_id, found.status, found.method) == ("f#0", CitationStatus.RESOLVED, "exact")
    assert LETTER.text[found.text_start : found.text_end] == "Date of injury: April 4, 2022"
    assert words_at(LETTER, found) == "Date of injury: April 4, 2022"
    assert [len(region.boxes) for region in found.snippet] == [1]
    assert found.block[0].boxes == (LETTER.blocks[0].box,)
    assert found.confidence > 0.95
    assert found.snippet[0].boxes[0].left < found.value[0].boxes[0].left


@pytest.mark.parametrize(
    ("snippet", "value", "value_type", "stated"),
    [
        ("Date of injury: April 4, 2022", "2022-04-04", "date", "April 4, 2022"),
        ("Total paid to date $1,234.00", 1234, "number", "$1,234.00"),
        ("Represented by [X] Yes", True, "boolean", "[X] Yes"),
    ],
)
def test_a_value_is_located_in_whatever_form_it_is_written(
    snippet: str, value: object, value_type: str, stated: str
) -> None:
    (found,) = cite(Snippet("letter", snippet), value=value, value_type=value_type)
    boxes = [box for region in found.value for box in region.boxes]
    ids = [n for n in range(len(LETTER.words)) if any(intersection(LETTER.words.box(n), b) for b in boxes)]
    assert " ".join(LETTER.words.texts[n] for n in ids) == stated


def test_a_snippet_of_another_document_names_where_it_stands() -> None:
    (found,) = cite(Snippet("ledger", "The claim was accepted on 05/01/2022."))
    assert (found.status, found.source_id, found.cited_source_id) == (
        CitationStatus.FLAGGED,
        "letter",
        "ledger",
    )
    assert "wrong_source" in found.warnings


def test_a_duplicate_of_the_cited_document_is_not_another_source() -> None:
    copy = replace(
        LETTER,
        source=replace(source_of("copy"), sha256=LETTER.source.sha256),
        status=DocumentStatus.DUPLICATE,
    )
    for cited in ("letter", "copy"):
        (found,) = cite(Snippet(cited, "The claim was accepted on 05/01/2022."), documents=[LETTER, copy])
        assert (found.status, found.source_id) == (CitationStatus.RESOLVED, cited)


@pytest.mark.parametrize("other", ["a", "b", "c"])
def test_the_same_bytes_under_another_name_are_passed_over_in_search_of_another_source(other: str) -> None:
    said = "The valve was opened by hand at noon on the second day."
    cited = text_document("b", "Nothing of that is printed here.")
    same = replace(cited, source=replace(source_of("a0"), sha256=cited.source.sha256))
    names = {"a": "a", "b": "bb", "c": "c"}
    (found,) = cite(Snippet("b", said), documents=[cited, same, text_document(names[other], said)])
    assert (found.reason, found.source_id) == ("only_place", names[other])
    own = text_document("b", "Nothing of that is printed here.", said.replace("opened", "closed"))
    twin = replace(text_document("a", said), source=replace(source_of("a"), sha256=own.source.sha256))
    (kept,) = cite(Snippet("b", said), documents=[own, twin])
    assert (kept.source_id, kept.status) == ("b", CitationStatus.FLAGGED)


def test_an_unknown_or_unreadable_source_is_said_and_searched_around() -> None:
    broken = unread_document(
        source_of("broken"),
        DocumentStatus.ENCRYPTED,
        DocumentError("encrypted", "x", "y"),
        parser="p",
        parser_version="1",
    )
    found = cite(
        Snippet("nowhere", "never written anywhere"),
        Snippet("broken", "nor was this sentence", 1),
        Snippet("broken", "Date of injury: April 4, 2022", 2),
        documents=[LETTER, broken],
    )
    assert [c.reason for c in found[:2]] == ["unknown_source", "unreadable_source"]
    assert found[2].source_id == "letter"


def test_a_document_is_known_by_its_name_however_its_accents_are_written() -> None:
    accented = replace(LETTER, source=replace(source_of("n-ez-report"), file="N\u00fa\u00f1ez report.pdf"))
    (found,) = cite(Snippet("nu-n-ez-report", "Date of injury: April 4, 2022"), documents=[accented])
    assert found.status is CitationStatus.RESOLVED


def test_rows_of_an_array_take_equal_texts_in_their_order() -> None:
    value = [
        {"payee": "Valley Clinic", "amount": 50},
        {"payee": "Valley Clinic", "amount": 50},
        {"payee": "Valley Clinic", "amount": 75},
    ]
    snippets = [Snippet("ledger", "Valley Clinic", n, f"[{n}].payee") for n in range(3)]
    found = cite(*snippets, value=value, value_type="array")
    tops = [citation.snippet[0].boxes[0].top for citation in found]
    assert tops == sorted(tops)
    assert len(set(tops)) == 3
    assert found[1].reason == "record_order"


def test_rows_in_a_second_document_are_put_in_order_after_settled_ones_in_the_first() -> None:
    other = replace(LEDGER, source=source_of("other"))
    value = [{"payee": "x"}] * 3
    snippets = [
        Snippet("ledger", "01/16/2022", 0, "[0].payee"),  # printed once: nothing to choose
        Snippet("other", "Valley Clinic", 1, "[1].payee"),
        Snippet("other", "Valley Clinic", 2, "[2].payee"),
    ]
    found = cite(*snippets, value=value, value_type="array", documents=[LEDGER, other])
    tops = [citation.snippet[0].boxes[0].top for citation in found[1:]]
    assert tops[0] < tops[1]


def test_a_page_hint_and_a_value_choose_among_equal_places() -> None:
    pages = document_of("p", [block_of(["Status report", f"Paid {n}00 dollars"], page=n) for n in (1, 2, 3)])
    (hinted,) = cite(Snippet("p", "Status report", page=3), documents=[pages])
    (valued,) = cite(Snippet("p", "Status report"), value=200, value_type="number", documents=[pages])
    (open_choice,) = cite(Snippet("p", "Status report"), documents=[pages])
    assert (hinted.page, hinted.reason) == (3, "page_hint")
    assert (valued.page, valued.reason) == (2, "value")
    assert (open_choice.page, len(open_choice.candidates)) == (1, 3)
    assert "several_places" in open_choice.warnings
    assert open_choice.margin == 0


def test_headers_and_footers_lose_against_the_page_itself() -> None:
    pages = document_of(
        "p", [block_of(["Jane Roe"], top=0.02, kind="Header"), block_of(["Applicant: Jane Roe"], top=0.3)]
    )
    (found,) = cite(Snippet("p", "Jane Roe"), documents=[pages])
    assert found.reason == "section"
    assert found.snippet[0].boxes[0].top > 0.2


def test_a_value_alone_is_shown_as_such_when_its_snippet_is_invented() -> None:
    (found,) = cite(
        Snippet("letter", "It was on some spring day that he fell"), value="2022-05-01", value_type="date"
    )
    assert (found.status, found.method) == (CitationStatus.FLAGGED, "value")
    assert words_at(LETTER, found) == "05/01/2022."
    assert "snippet_not_found" in found.warnings


def test_an_unresolved_citation_has_no_place_but_its_nearest_candidates() -> None:
    (found,) = cite(Snippet("letter", "The claim was denied in full on 06/30/2025 by the judge"))
    assert found.status is not CitationStatus.RESOLVED
    if found.status is CitationStatus.UNRESOLVED:
        assert (found.page, tuple(found.snippet)) == (None, ())


def test_the_same_claim_gives_the_same_bytes_and_survives_pickling() -> None:
    fields = [
        ExtractedField("a", "2022-04-04", "date", [Snippet("letter", "Date of injury: Apri1 4, 2022")]),
        ExtractedField(
            "b", 50, "number", [Snippet("ledger", "Valley Clinic $50.00"), Snippet("letter", "nothing", 1)]
        ),
    ]
    first = resolve_claim([LETTER, LEDGER], fields)
    documents = pickle.loads(pickle.dumps([LEDGER, LETTER]))
    assert repr(resolve_claim(documents, fields)).encode() == repr(first).encode()
    assert pickle.loads(pickle.dumps(first)) == first


HOSTILE = st.one_of(
    st.text(max_size=80),
    st.text(alphabet="\x00\u200b\u202e\ud800 مرحبا שלום<>[]{}|*#…-$1", max_size=60),
    st.sampled_from(["a" * 300_000, "1 " * 100_000, "<b>" * 50_000, "…" * 20_000, "[x](" * 20_000]),
)


@few_examples(0.4)
@given(
    HOSTILE,
    st.lists(st.text(max_size=12), max_size=25),
    st.sampled_from([0.0, -1.0, float("nan"), float("inf"), 1e300]),
)
def test_no_text_and_no_geometry_raises(snippet: str, texts: list[str], edge: float) -> None:
    document = text_document("d", "a line", "another line")
    boxes = document.words.boxes.copy()
    boxes[: len(boxes) // 2, 2] = edge
    strange = replace(
        document,
        words=replace(document.words, texts=[*texts, *document.words.texts][-len(boxes) :], boxes=boxes),
    )
    found = resolve_claim(
        [strange], [ExtractedField("f", texts[:1] and texts[0], "string", [Snippet("d", snippet)])]
    )
    assert len(found) == 1
    assert found[0].snippet_text == snippet
