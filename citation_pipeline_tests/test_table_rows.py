"""What is kept in the tables comes back as it was: every field of every record, filled and left out."""

import dataclasses
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from pathlib import Path
from typing import Any

import pytest

from citation_pipeline.adapters.tables.answer_rows import (
    extraction_tables,
    fields_of,
    read_extraction,
    read_field_table,
    read_pages_read,
    read_replies,
    read_values,
    reply_table,
)
from citation_pipeline.adapters.tables.change_rows import (
    Promotion,
    are_shown,
    mark_as_shown,
    read_changes,
    read_places,
    read_promotion,
    read_shown_citations,
    read_shown_values,
    write_changes,
    write_promotion,
)
from citation_pipeline.adapters.tables.chunk_rows import (
    HistoryEntry,
    chunk_table,
    extend_history,
    history_table,
    read_chunks,
    read_history,
)
from citation_pipeline.adapters.tables.citation_rows import citation_table, read_citations
from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.adapters.tables.document_rows import (
    CONTEXT_CHARACTERS,
    document_tables,
    read_documents,
    read_source_documents,
    source_document_table,
)
from citation_pipeline.adapters.tables.document_tries import count_document_tries, read_document_tries
from citation_pipeline.adapters.tables.page_words import PageWord, line_boxes, read_placed_words, read_words
from citation_pipeline.adapters.tables.violation_rows import read_violations, violation_table
from citation_pipeline.core.answers.coverage import Coverage, FieldCoverage, UnreadPages
from citation_pipeline.core.answers.replies import StoredReply
from citation_pipeline.core.boxes import Box
from citation_pipeline.core.citations import Citation
from citation_pipeline.core.claims import Claim, ClaimIdError
from citation_pipeline.core.consistency.violations import Violation
from citation_pipeline.core.documents.parsed import (
    DocumentError,
    DocumentStatus,
    SourceDocument,
    unread_document,
)
from citation_pipeline.core.extraction import (
    AnswerIssue,
    ConflictingValue,
    ExtractedField,
    Extraction,
    PagesRead,
)
from citation_pipeline.core.resolution.changes import Change, CitationChange
from citation_pipeline.core.retrieval.chunks import Chunk
from citation_pipeline_tests.typeset import Line, column, typeset

Record = typing.TypeVar("Record")
CLAIM = "claim-7"


def filled(kind: type[Record], start: int) -> Record:
    """A record whose fields all hold something else: numbers go up from `start`, texts name their field."""
    hints = typing.get_type_hints(kind)
    values = {
        field.name: _value(hints[field.name], field.name, start + number)
        for number, field in enumerate(dataclasses.fields(kind))  # type: ignore[arg-type]
    }
    return kind(**values)


def _value(kind: Any, name: str, number: int) -> Any:
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if name == "value" and origin is not Sequence:  # a value as JSON has it; a citation's are regions
        return [{"name": f"Größe {number}", "amount": number + 0.5}, None, True]
    if origin in (types.UnionType, typing.Union):
        return _value(next(one for one in arguments if one is not type(None)), name, number)
    if origin is tuple and Ellipsis not in arguments:
        return tuple(_value(one, name, number + at) for at, one in enumerate(arguments))
    if origin in (tuple, Sequence) or origin in (list,):
        return tuple(_value(arguments[0], f"{name} part", number + 10 * at) for at in (1, 2))
    if dataclasses.is_dataclass(kind):
        return filled(kind, number)  # type: ignore[arg-type]
    if isinstance(kind, type) and issubclass(kind, Enum):
        return list(kind)[number % len(kind)]
    simple = {str: f"{name} {number} é", int: number, float: number + 0.25, bool: bool(number % 2)}
    return simple[kind] if kind is not bytes else f"{name} {number}".encode()


def bare(kind: type[Record], start: int) -> Record:
    """A record of which only what has no default is filled."""
    whole = filled(kind, start)
    needed = [
        field.name
        for field in dataclasses.fields(kind)  # type: ignore[arg-type]
        if field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
    ]
    return kind(**{name: getattr(whole, name) for name in needed})


def both(kind: type[Record]) -> list[Record]:
    return [filled(kind, 3), bare(kind, 40), filled(kind, 80)]


@pytest.fixture
def store(tmp_path: Path) -> ClaimStore:
    return ClaimStore(tmp_path / "store")


def keep(store: ClaimStore, stage: str, tables: Mapping[str, Any]) -> None:
    store.write_stage(stage, CLAIM, tables=dict(tables), inputs={})


def keep_index(
    store: ClaimStore, *, chunks: Sequence[Chunk] = (), history: Sequence[HistoryEntry] = ()
) -> None:
    tables = {"chunks": chunk_table(CLAIM, chunks), "field_history": history_table(CLAIM, history)}
    keep(store, "search_index", tables)


def test_replies_come_back_with_all_that_was_paid_and_told(store: ClaimStore) -> None:
    replies = both(StoredReply)
    keep(store, "raw_extraction", {"raw_extraction": reply_table(CLAIM, replies)})
    assert read_replies(store, CLAIM) == replies
    rows = store.read_rows("raw_extraction", CLAIM)
    assert [(row["claim_id"], row["reply_index"]) for row in rows] == [(CLAIM, 0), (CLAIM, 1), (CLAIM, 2)]


def extraction() -> Extraction:
    return Extraction(
        "compensation",
        tuple(both(ExtractedField)),
        tuple(both(AnswerIssue)),
        "model-1",
        "prompt-1",
        tuple(both(ConflictingValue)),
        tuple(both(PagesRead)),
    )


def test_an_extraction_comes_back_whole_and_in_part(store: ClaimStore) -> None:
    made = extraction()
    violations = both(Violation)
    keep(store, "extracted_fields", extraction_tables(CLAIM, made, violations=violations))
    assert read_extraction(store, CLAIM) == made
    row = store.read_rows("fields", CLAIM)[0]
    assert "Größe" in row["value"]  # as it is written, for who reads the tables themselves
    assert all("Größe" in candidate["value"] for candidate in row["candidates"])
    assert "Größe" in store.read_rows("conflicts", CLAIM)[0]["value"]
    assert fields_of(read_field_table(store, CLAIM)) == list(made.fields)
    assert read_pages_read(store, CLAIM) == made.pages_read
    assert read_values(store, CLAIM) == {
        field.field_key: ExtractedField(field.field_key, field.value, field.value_type)
        for field in made.fields
    }
    assert read_violations(store, CLAIM) == violations


def test_an_extraction_without_fields_comes_back_empty(store: ClaimStore) -> None:
    keep(store, "extracted_fields", extraction_tables(CLAIM, Extraction("any", ())))
    found = read_extraction(store, CLAIM)
    assert (found.fields, found.schema_name, found.model, found.prompt_fingerprint) == ((), "", "", "")


def test_what_was_not_read_is_a_row_with_nothing_where_a_whole_document_is_meant(store: ClaimStore) -> None:
    part = UnreadPages("letter", "refused", "extractor", 2, 4)
    mail = UnreadPages("mail", "no_parser", "parser")
    coverage = Coverage((mail,), {"a.b": FieldCoverage((), (mail, part))})
    keep(store, "extracted_fields", extraction_tables(CLAIM, Extraction("any", ()), coverage))
    rows = store.read_rows("unread_pages", CLAIM)
    names = ("source_id", "first_page", "last_page", "reason", "unread_by", "field_key")
    assert [tuple(row[name] for name in names) for row in rows] == [
        ("mail", None, None, "no_parser", "parser", None),
        ("letter", 2, 4, "refused", "extractor", "a.b"),
    ]


def test_citations_come_back_with_places_candidates_and_doubts(store: ClaimStore) -> None:
    citations = both(Citation)
    keep(store, "resolved_citations", {"citations": citation_table(CLAIM, citations)})
    assert read_citations(store, CLAIM) == citations
    for row, citation in zip(store.read_rows("citations", CLAIM), citations, strict=True):
        assert row["word_ids"] == [w for start, end in citation.word_ranges for w in range(start, end)]
    places = read_places(store, CLAIM)
    assert [(p.citation_id, p.field_key, p.source_id, p.snippet_text) for p in places] == [
        (c.citation_id, c.field_key, c.source_id, c.snippet_text) for c in citations
    ]
    assert [(p.status, p.method, p.snippet) for p in places] == [
        (c.status, c.method, c.snippet) for c in citations
    ]


def test_what_is_shown_is_what_was_marked_as_shown(store: ClaimStore) -> None:
    assert (read_shown_values(store, CLAIM), read_shown_citations(store, CLAIM)) == ({}, [])
    table = citation_table(CLAIM, both(Citation))
    assert not are_shown(store, CLAIM, table)
    made = extraction()
    keep(store, "extracted_fields", extraction_tables(CLAIM, made))
    keep(store, "resolved_citations", {"citations": table})
    mark_as_shown(store, CLAIM)
    assert are_shown(store, CLAIM, table)
    assert not are_shown(store, CLAIM, citation_table(CLAIM, both(Citation)[:2]))
    assert read_shown_values(store, CLAIM) == {field.field_key: field.value for field in made.fields}
    assert read_shown_citations(store, CLAIM) == read_places(store, CLAIM)


def test_changes_are_kept_but_for_citations_that_stayed(store: ClaimStore) -> None:
    assert read_changes(store, CLAIM) == []
    changes = [
        CitationChange(f"c{number}", "a.b", change, 0.25 * number, bool(number % 2))
        for number, change in enumerate(Change)
    ]
    write_changes(store, CLAIM, changes)
    assert read_changes(store, CLAIM) == [one for one in changes if one.change is not Change.SAME]
    assert len(changes) > len(read_changes(store, CLAIM)) > 0


def test_the_verdict_on_a_resolution_comes_back(store: ClaimStore) -> None:
    assert read_promotion(store, CLAIM) is None
    for verdict in (Promotion("v1", ("fewer_places",), ("c1", "c2")), Promotion("v2")):
        write_promotion(store, CLAIM, verdict)
        assert read_promotion(store, CLAIM) == verdict


def test_chunks_come_back(store: ClaimStore) -> None:
    chunks = both(Chunk)
    keep_index(store, chunks=chunks)
    found = [
        dataclasses.replace(one, identifiers=tuple(one.identifiers)) for one in read_chunks(store, CLAIM)
    ]
    assert found == chunks


def field_of(value: Any) -> ExtractedField:
    return ExtractedField("a.b", value, "string")


def history_of(
    known: Sequence[HistoryEntry], value: Any, cited: Sequence[Citation], **other: str
) -> list[Any]:
    made = Extraction("any", (field_of(value),), model=other.get("model", "m"), prompt_fingerprint="p")
    versions = {"extraction_version": "e1", "citations_version": "c1", "recorded_at": other.get("at", "t1")}
    return extend_history(known, made, cited, **versions)


def test_a_field_is_recorded_when_its_value_model_status_or_place_changed(store: ClaimStore) -> None:
    assert read_history(store, CLAIM) == []
    first = dataclasses.replace(bare(Citation, 4), field_key="a.b", page=2)
    begun = history_of([], "é", [first, dataclasses.replace(first, page=9)])
    assert begun == [
        HistoryEntry("a.b", '"é"', "m", "p", first.status.value, first.source_id, 2, "e1", "c1", "t1")
    ]
    assert history_of(begun, "é", [first], at="t2") == begun
    for value, cited, model in (
        ("x", [first], "m"),
        ("é", [], "m"),
        ("é", [dataclasses.replace(first, page=3)], "m"),
        ("é", [dataclasses.replace(first, source_id="other")], "m"),
        ("é", [first], "m2"),
    ):
        grown = history_of(begun, value, cited, model=model, at="t2")
        assert [entry.recorded_at for entry in grown] == ["t1", "t2"]
    uncited = history_of(begun, "é", [])[-1]
    assert (uncited.status, uncited.source_id, uncited.page) == ("uncited", None, None)
    back = history_of(history_of(begun, "x", [first]), "é", [first])
    assert [entry.value for entry in back] == ['"é"', '"x"', '"é"']  # compared with the last one only
    keep_index(store, history=back)
    assert read_history(store, CLAIM) == back


def test_source_documents_come_back(store: ClaimStore) -> None:
    sources = both(SourceDocument)
    keep(store, "source_documents", {"source_documents": source_document_table(CLAIM, sources)})
    assert read_source_documents(store, CLAIM) == sources


def test_documents_come_back_word_for_word_and_blocks_know_what_is_beside_them(store: ClaimStore) -> None:
    long = typeset("long", [*column(["alpha " * 30, "beta", "gamma " * 45]), Line(72, 72, "end", page=2)])
    error = DocumentError("locked", "The file is locked.", "Send it unlocked.", True)
    locked = unread_document(
        filled(SourceDocument, 5), DocumentStatus.ENCRYPTED, error, parser="p", parser_version="2"
    )
    documents = [typeset("first", column(["one two", "three"])), locked, long]
    keep(store, "parsed_documents", document_tables(CLAIM, documents))
    for given, found in zip(documents, read_documents(store, CLAIM), strict=True):
        names = ("source", "status", "parser", "parser_version", "pages", "blocks", "error", "warnings")
        assert [getattr(found, name) for name in names] == [getattr(given, name) for name in names]
        assert list(found.words.texts) == list(given.words.texts)
        for name in ("page", "boxes", "line", "block", "text_start", "text_end"):
            assert getattr(found.words, name).tolist() == getattr(given.words, name).tolist()
    assert {row["confidence"] for row in store.read_rows("words", CLAIM)} == {None}  # of a text layer
    beside = {
        row["text"][:5].strip(): (row["context_before"], row["context_after"])
        for row in store.read_rows("blocks", CLAIM)
        if row["source_id"] == "long"
    }
    text = long.text
    at = text.index("beta")
    assert beside["beta"] == (text[:at], text[at + 4 : at + 4 + CONTEXT_CHARACTERS])
    at = text.index("end")
    assert beside["end"] == (text[at - CONTEXT_CHARACTERS : at], "")
    assert [len(d.words) for d in read_documents(store, CLAIM, with_text=False)] == [0, 0, 0]
    placed = read_placed_words(store, CLAIM, ["long", "nowhere", "first"])
    assert list(placed) == ["long", "first"]
    assert list(placed["first"].texts) == ["one", "two", "three"]
    assert placed["first"].boxes.tolist() == documents[0].words.boxes.tolist()
    assert placed["long"].page.tolist() == long.words.page.tolist()


def test_tries_of_documents_are_added_up_and_those_of_gone_ones_forgotten(store: ClaimStore) -> None:
    assert read_document_tries(store, CLAIM) == {}
    count_document_tries(store, CLAIM, {"a": 0.125, "b": 0.0}, source_ids=["a", "b", "c"])
    found = count_document_tries(store, CLAIM, {"a": 0.00006}, source_ids=["a", "c"])
    assert read_document_tries(store, CLAIM) == found
    assert {name: (one.tries, one.cost_usd, bool(one.at)) for name, one in found.items()} == {
        "a": (2, 0.1251, True),
        "c": (0, 0.0, False),
    }


def test_boxes_of_lines_hold_all_their_words() -> None:
    boxes = [Box(0.3, 0.2, 0.1, 0.03), Box(0.1, 0.21, 0.1, 0.01), Box(0.5, 0.19, 0.125, 0.02)]
    hints = typing.get_type_hints(PageWord)
    words = [
        PageWord(**{name: _value(kind, name, 1) for name, kind in hints.items()} | {"box": box, "line": line})
        for box, line in zip([*boxes, Box(0.1, 0.5, 0.2, 0.1)], [4, 4, 4, 9], strict=True)
    ]
    first, second = line_boxes(words)
    assert [round(edge, 6) for edge in (first.left, first.top, first.right, first.bottom)] == [
        *(0.1, 0.19, 0.625, 0.23)
    ]
    assert (second.left, second.top) == (0.1, 0.5)
    assert (round(second.width, 6), round(second.height, 6)) == (0.2, 0.1)


EMPTY_TABLE = violation_table("any", [])
OUTSIDE = "../outside"
USES: dict[str, Callable[[ClaimStore], object]] = {
    "register": lambda store: store.register(Claim(OUTSIDE, "folder", "documents")),
    "claim": lambda store: store.claim(OUTSIDE),
    "read_table": lambda store: store.read_table("words", OUTSIDE),
    "read_tables": lambda store: store.read_tables("words", [OUTSIDE], ["text"]),
    "write_stage": lambda store: keep_of(store, OUTSIDE),
    "stage_state": lambda store: store.stage_state("parsed_documents", OUTSIDE),
    "table_state": lambda store: store.table_state("words", OUTSIDE),
    "copy_table": lambda store: store.copy_table("fields", "shown_fields", OUTSIDE),
    "write_side_table": lambda store: store.write_side_table("violations", OUTSIDE, EMPTY_TABLE),
    "read_viewer_dataset": lambda store: store.read_viewer_dataset(OUTSIDE),
    "write_viewer_dataset": lambda store: store.write_viewer_dataset(OUTSIDE, {}, inputs={}),
    "read_words": lambda store: read_words(store, OUTSIDE, source_id="letter"),
}


def keep_of(store: ClaimStore, claim_id: str) -> object:
    table = source_document_table(claim_id, [])
    return store.write_stage("source_documents", claim_id, tables={"source_documents": table}, inputs={})


@pytest.mark.parametrize("use", USES)
def test_an_id_that_leads_out_of_the_store_is_refused_before_anything_is_touched(
    store: ClaimStore, tmp_path: Path, use: str
) -> None:
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(ClaimIdError):
        USES[use](store)
    assert sorted(tmp_path.rglob("*")) == before
