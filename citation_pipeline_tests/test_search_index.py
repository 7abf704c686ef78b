"""The index file: filled from the store, refreshed by what changed, searched by words, identifiers and
vectors."""

import contextlib
import hashlib
import http.server
import json
import threading
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from citation_pipeline.adapters.outbound_ledger import OutboundRequest
from citation_pipeline.adapters.read_model.searches import search
from citation_pipeline.adapters.search_index.chunk_hits import text_around
from citation_pipeline.adapters.search_index.embeddings import (
    EmbeddingError,
    HttpEmbeddings,
    LocalEmbeddings,
    Vectors,
)
from citation_pipeline.adapters.search_index.searching import search_chunks
from citation_pipeline.adapters.tables.chunk_rows import read_chunks
from citation_pipeline.adapters.verifications.store import NewVerification
from citation_pipeline.core.boxes import Box
from citation_pipeline.core.documents.composition import BlockDraft, PageDraft, compose_document
from citation_pipeline.core.documents.parsed import SourceDocument
from citation_pipeline.core.retrieval.chunks import CHUNK_WORDS, cut_document
from citation_pipeline.core.retrieval.conditions.condition import NotUnderstoodError, SearchableField
from citation_pipeline.core.retrieval.fusion import fuse
from citation_pipeline.core.retrieval.identifiers import find_identifiers, identifiers_in_query
from citation_pipeline.core.retrieval.query_grammar import interpret
from citation_pipeline.core.review.verifications import Action
from citation_pipeline_tests.agent_claims import build_searchable_store, generate_claims, open_model
from citation_pipeline_tests.viewer_claim.store import CLAIM_ID

SOURCE = SourceDocument("doc", "Doc", "doc.pdf", "0" * 64, "application/pdf", 1)


class WordVectors:
    """Vectors of a bag of words: enough to tell that a provider's ranking counts."""

    name = "bag-of-words"

    def embed(self, texts: Sequence[str], *, claim_id: str = "") -> Vectors:
        rows = np.zeros((len(texts), 64), np.float32)
        for row, text in zip(rows, texts, strict=True):
            for word in text.lower().split():
                row[int(hashlib.sha256(word.encode()).hexdigest(), 16) % 64] += 1
        return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)


def test_what_changed_is_written_again_and_what_left_is_removed(tmp_path: Path) -> None:
    store = generate_claims(tmp_path, 5)
    model = open_model(store)
    first = model.refresh(force=True)
    assert first is not None
    assert (first.written, first.unchanged) == (5, 0)
    dataset = Path(store.root) / "viewer_dataset" / "GC-00002" / "data.json"
    dataset.write_text(dataset.read_text().replace("NUM-000002", "NUM-777777"))
    (Path(store.root) / "chunks" / "GC-00003.parquet").unlink()
    second = model.refresh(force=True)
    assert second is not None
    assert (second.written, second.removed, second.unchanged) == (1, 1, 3)
    third = model.refresh(force=True)
    assert third is not None
    assert (third.written, third.removed) == (0, 0)


def test_a_persons_correction_is_what_a_condition_sees(tmp_path: Path) -> None:
    model = open_model(build_searchable_store(tmp_path))
    query = "average weekly wage over 5,000"
    assert search(model, query).total == 0
    model.claims.verifications.append(
        NewVerification(
            CLAIM_ID,
            "financials.average_weekly_wage",
            Action.CORRECT,
            "Ada",
            0,
            "request-1",
            value=6000.0,
            seen_value=1182.5,
        )
    )
    model.refresh(force=True)
    found = search(model, query)
    assert [field.value for field in found.results[0].fields] == [6000.0]
    assert found.results[0].fields[0].verified


def test_an_identifier_is_found_exactly_and_first(tmp_path: Path) -> None:
    model = open_model(generate_claims(tmp_path, 40, chunks=3))
    for written in ("NUM-000023", "num 000023", "claim NUM-000023 payment"):
        assert search(model, written).results[0].claim_id == "GC-00023"


def test_vectors_join_the_ranking_when_there_is_a_provider(tmp_path: Path) -> None:
    store = build_searchable_store(tmp_path)
    model = open_model(store, embeddings=WordVectors())
    model.refresh(force=True)
    with model.file.reading() as connection:
        hits = search_chunks(connection, "average weekly wage", embeddings=model.embeddings)
        assert {"words", "vectors"} <= set(hits[0].places)
        assert not search_chunks(connection, "zzzz", embeddings=None)
    plain = open_model(store)
    filling = plain.refresh(force=True)
    assert filling is not None
    assert filling.written == 1  # without the provider the vectors are not kept


class _Endpoint(http.server.BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        is_allowed = self.headers.get("authorization") == "Bearer key"
        rows = [{"index": n, "embedding": [float(len(t)), 1.0]} for n, t in enumerate(asked["input"])]
        body = json.dumps({"data": rows[::-1]} if asked["model"] == "good" else {"oops": 1}).encode()
        self.send_response(200 if is_allowed else 401)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments: object) -> None:
        pass


@pytest.fixture
def endpoint() -> Iterator[str]:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Endpoint)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}/v1/embeddings"
    server.shutdown()
    server.server_close()
    thread.join()


def test_an_endpoint_gives_unit_vectors_in_order_and_the_ledger_counts(endpoint: str) -> None:
    rows: list[OutboundRequest] = []
    provider = HttpEmbeddings(endpoint, model="good", api_key="key", ledger=rows.append)
    vectors = provider.embed(["a", "bbbb"] * 40, claim_id="c")
    assert vectors.shape == (80, 2)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1)
    assert vectors[1, 0] > vectors[0, 0]
    assert [(row.claim_id, row.text_count, row.status) for row in rows] == [("c", 64, 200), ("c", 16, 200)]


@pytest.mark.parametrize(("model", "key"), [("bad", "key"), ("good", "wrong")])
def test_an_endpoint_that_does_not_answer_with_vectors_is_an_error(
    endpoint: str, model: str, key: str
) -> None:
    rows: list[OutboundRequest] = []
    with pytest.raises(EmbeddingError, match="did not answer with vectors"):
        HttpEmbeddings(endpoint, model=model, api_key=key, ledger=rows.append).embed(["a"])
    assert len(rows) == 1


def test_a_local_model_needs_a_folder(tmp_path: Path) -> None:
    with pytest.raises(EmbeddingError, match="is not a folder"):
        LocalEmbeddings(tmp_path / "nowhere")


def test_text_around_a_place_is_put_together_from_chunks(tmp_path: Path) -> None:
    store = build_searchable_store(tmp_path)
    model = open_model(store)
    model.refresh()
    chunks = [c for c in read_chunks(store, CLAIM_ID) if c.source_id == "adjuster-letter"]
    with model.file.reading() as connection:
        text, begin = text_around(connection, CLAIM_ID, "adjuster-letter", 0, 10_000)
    assert begin == 0
    for chunk in chunks:
        assert text[chunk.text_start : chunk.text_end] == chunk.text


def _document(sizes: Sequence[tuple[str, int]]) -> object:
    blocks, number = [], 0
    for kind, count in sizes:
        words = []
        for _ in range(count):
            words.append((f"w{number}", Box(0.1, 0.1, 0.01, 0.01)))
            number += 1
        blocks.append(BlockDraft(1, kind, [words[i : i + 10] for i in range(0, len(words), 10)]))
    return compose_document(
        SOURCE, pages=[PageDraft(612, 792)], blocks=blocks, parser="t", parser_version="1"
    )


kinds = st.sampled_from(["Text", "Table", "Key Value", "Section Header", "List Item"])


@given(st.lists(st.tuples(kinds, st.integers(min_value=1, max_value=250)), min_size=1, max_size=8))
def test_every_word_stands_in_a_chunk_and_tables_stay_whole(sizes: list[tuple[str, int]]) -> None:
    document = _document(sizes)
    chunks = cut_document(document)  # type: ignore[arg-type]
    covered = {word for chunk in chunks for word in range(chunk.word_start, chunk.word_end)}
    assert covered == set(range(sum(count for _, count in sizes)))
    for block in document.blocks:  # type: ignore[attr-defined]
        if block.type in ("Table", "Key Value"):
            assert any(c.word_start <= block.word_start and block.word_end <= c.word_end for c in chunks)
    for chunk in chunks:
        assert chunk.text == document.text[chunk.text_start : chunk.text_end]  # type: ignore[attr-defined]
        if chunk.kind == "text":
            assert chunk.word_end - chunk.word_start <= CHUNK_WORDS


@given(st.lists(st.lists(st.integers(0, 30), unique=True), max_size=4))
def test_fusion_equals_its_definition(rankings: list[list[int]]) -> None:
    named = {str(n): ranking for n, ranking in enumerate(rankings)}
    expected: dict[int, float] = {}
    for ranking in rankings:
        for place, key in enumerate(ranking, start=1):
            expected[key] = expected.get(key, 0) + 1 / (60 + place)
    fused = fuse(named)
    assert dict(fused) == pytest.approx(expected)
    assert [score for _, score in fused] == sorted(expected.values(), reverse=True)


def test_identifiers_are_known_by_their_form() -> None:
    text = (
        "Claim No.: ICP-2026-004417, ADJ15873004, container MSKU 123456-7, PO # 4500-881, "
        "03/14/2023, $1,000.00"
    )
    assert set(find_identifiers(text)) >= {"ICP2026004417", "ADJ15873004", "MSKU1234567", "4500881"}
    assert identifiers_in_query("paid 2024-06 over 100000 on 03/14/2023") == []
    assert identifiers_in_query("0091827") == ["0091827"]


FIELDS = [
    SearchableField("liens.total", "Total Lien Amount", "number", ("liens",)),
    SearchableField("injury.date", "Date Of Injury", "date", ("doi",)),
    SearchableField("status", "Claim Status", "enum", (), ("open", "closed")),
]


@pytest.mark.parametrize(
    ("query", "condition", "text"),
    [
        ("liens over $10,000", ("liens.total", ">", 10000, None), ""),
        ("liens between 5 and 10", ("liens.total", "between", 5, 10), ""),
        ("date of injury before March 1, 2026", ("injury.date", "<", "2026-03-01", None), ""),
        ("DOI in 2025", ("injury.date", "between", "2025-01-01", "2025-12-31"), ""),
        ("claim status is open", ("status", "=", "open", None), ""),
        ("knee surgery with liens at least 7", ("liens.total", ">=", 7, None), "knee surgery"),
    ],
)
def test_conditions_are_understood_and_the_rest_stays_text(
    query: str, condition: tuple[object, ...], text: str
) -> None:
    read = interpret(query, FIELDS)
    found = read.conditions[0]
    assert (found.field_key, found.operator, found.value, found.upper) == condition
    assert read.text == text


@given(st.text(max_size=80))
def test_no_query_breaks_the_grammar_or_loses_its_text(query: str) -> None:
    try:
        read = interpret(query, FIELDS)
    except NotUnderstoodError:
        return  # refused whole: nothing is lost silently
    assert read.query == query
    if not read.conditions:
        assert not query.strip() or read.text or set(query) <= set(",; ") or len(read.text) <= len(query)


HOSTILE = [
    '" OR 1=1 --',
    "scope:*",
    "NEAR(a b)",
    "'; DROP TABLE chunks; --",
    "{body} : x",
    "\x00",
    "*",
    "(((",
]


@pytest.mark.parametrize("query", HOSTILE)
def test_a_query_is_never_a_command(tmp_path_factory: pytest.TempPathFactory, query: str) -> None:
    model = open_model(generate_claims(tmp_path_factory.mktemp("hostile"), 2))
    before = search(model, "ledger").total
    search(model, query)
    with contextlib.suppress(NotUnderstoodError):
        search(model, f"{query} over 5")
    assert search(model, "ledger").total == before


def test_a_file_of_an_older_form_is_made_anew(tmp_path: Path) -> None:
    model = open_model(generate_claims(tmp_path, 2))
    model.refresh()
    with model.file.writing() as connection:
        connection.execute("UPDATE meta SET value = 'older'")
    again = open_model(model.store)
    filling = again.refresh(force=True)
    assert filling is not None
    assert filling.written == 2
    assert replace(filling, written=0).removed == 0


def test_a_name_with_one_slip_is_found_as_the_documents_spell_it(tmp_path: Path) -> None:
    model = open_model(build_searchable_store(tmp_path))
    right = search(model, "Quintanar")
    assert right.results
    for slipped in ("Quintaanar", "Quintana", "Quintnaar"):
        found = search(model, slipped).results
        assert [result.document_id for result in found] == [result.document_id for result in right.results]
    assert search(model, "Quintaana").total == 0  # two slips
    assert search(model, "Zuidersma").total == 0


def test_the_total_counts_every_page_and_all_of_them_can_be_paged(tmp_path: Path) -> None:
    model = open_model(generate_claims(tmp_path, 90, chunks=1))
    first = search(model, "claim number", limit=10)
    assert first.total == 90
    assert first.next_offset == 10
    shown = [
        (hit.claim_id, hit.page)
        for offset in range(0, 90, 30)
        for hit in search(model, "claim number", limit=30, offset=offset).results
    ]
    assert len(set(shown)) == len(shown) == 90
    assert search(model, "claim number", limit=30, offset=60).next_offset is None


def test_words_that_are_a_known_phrase_are_found_where_they_stand_apart(tmp_path: Path) -> None:
    model = open_model(build_searchable_store(tmp_path))
    assert search(model, "weekly").total
    assert search(model, "weekly rate").total  # no document says it in one: each word counts by itself
