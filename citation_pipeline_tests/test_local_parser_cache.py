"""The parse cache: shared, bounded, and never trusted."""

import multiprocessing
import os
import time
from dataclasses import fields, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from citation_pipeline.adapters.coordination.objects import KeptBytes
from citation_pipeline.adapters.local_parser import cache as cache_module
from citation_pipeline.adapters.local_parser.cache import ParseCache
from citation_pipeline.adapters.local_parser.encoding import EncodedDocumentError, decode, encode
from citation_pipeline.adapters.local_parser.parser import LocalParser
from citation_pipeline.adapters.tables.store_errors import UnreachableStoreError
from citation_pipeline.adapters.tables.stored_files import StoredFiles
from citation_pipeline.core.boxes import Box
from citation_pipeline.core.documents.composition import BlockDraft, PageDraft, compose_document
from citation_pipeline.core.documents.parsed import (
    BLOCK_TYPES,
    DocumentError,
    DocumentStatus,
    unread_document,
)
from citation_pipeline_tests.parser_files import letter_pdf, put, source_of
from citation_pipeline_tests.properties import few_examples

_numbers = st.floats(0, 1, allow_nan=False)
_boxes = st.builds(Box, _numbers, _numbers, _numbers, _numbers)
_words = st.tuples(st.text(min_size=1, max_size=8).filter(lambda text: not text.isspace()), _boxes)


@st.composite
def _documents(draw):
    pages = draw(st.integers(1, 3))
    blocks = []
    for page in range(1, pages + 1):
        for _ in range(draw(st.integers(0, 3))):
            lines = draw(st.lists(st.lists(_words, min_size=1, max_size=4), min_size=1, max_size=3))
            chances = draw(st.booleans())
            blocks.append(
                BlockDraft(
                    page=page,
                    type=draw(st.sampled_from(BLOCK_TYPES)),
                    lines=lines,
                    content=draw(st.none() | st.text(max_size=10)),
                    confidence=draw(st.none() | _numbers),
                    confidences=[[0.5] * len(line) for line in lines] if chances else None,
                )
            )
    return compose_document(
        source_of(b"x"),
        pages=[PageDraft(612.0, 792.0, 90, False, "ocr")] * pages,
        blocks=blocks,
        parser="local",
        parser_version="1",
        warnings=draw(st.lists(st.text(max_size=5), max_size=2)),
    )


def _same(a, b):
    columns = ("page", "boxes", "line", "block", "text_start", "text_end", "confidence")
    for column in columns:
        one, other = getattr(a.words, column), getattr(b.words, column)
        np.testing.assert_array_equal(one, other)
        assert one.dtype == other.dtype
    assert list(a.words.texts) == list(b.words.texts)
    others = [field.name for field in fields(a) if field.name != "words"]
    assert {name: getattr(a, name) for name in others} == {name: getattr(b, name) for name in others}
    return True


@few_examples(0.2)
@given(_documents())
def test_a_document_survives_its_encoding_unchanged(document):
    assert _same(decode(encode(document), source=document.source), document)


def test_a_refused_document_survives_its_encoding():
    error = DocumentError("corrupt", "It is cut off.", "Ask again.", transient=True)
    document = unread_document(
        source_of(b"x"), DocumentStatus.CORRUPT, error, parser="local", parser_version="1"
    )
    assert _same(decode(encode(document), source=document.source), document)


@given(st.data())
@few_examples(0.15)
def test_a_damaged_entry_is_noticed(data):
    document = compose_document(
        source_of(b"x"),
        pages=[PageDraft(612, 792)],
        blocks=[BlockDraft(1, "Text", [[("word", Box(0, 0, 0.1, 0.1))]])],
        parser="local",
        parser_version="1",
    )
    whole = encode(document)
    cut = data.draw(st.integers(0, len(whole) - 1))
    flipped = bytearray(whole)
    flipped[cut] ^= data.draw(st.integers(1, 255))
    for damaged in (whole[:cut], bytes(flipped)):
        with pytest.raises(EncodedDocumentError):
            decode(damaged, source=document.source)


def test_the_second_claim_with_the_same_content_gets_the_first_ones_parse_under_its_own_name(tmp_path):
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    data = letter_pdf()
    first = put(tmp_path / "one", "letter.pdf", data)
    second = put(tmp_path / "two", "copy of letter.pdf", data)
    heard = []
    with LocalParser(tmp_path / "cache", workers=1) as parser:
        (parsed,) = parser.parse_many([first], on_parsed=lambda d, cached: heard.append(cached))
    with LocalParser(tmp_path / "cache", workers=1) as parser:
        (again,) = parser.parse_many([second], on_parsed=lambda d, cached: heard.append(cached))
        assert parser.worker_pids == []  # nothing had to be started
    assert heard == [False, True]
    assert again.source == second[0]
    assert _same(replace(again, source=parsed.source), parsed)


def test_other_options_do_not_meet_each_others_entries(tmp_path):
    with_ocr = LocalParser(tmp_path, workers=1)
    without = LocalParser(tmp_path, workers=1, ocr=False)
    assert with_ocr.fingerprint != without.fingerprint
    assert "secret" not in LocalParser(tmp_path, workers=1, passwords=("secret",)).fingerprint


def test_a_damaged_entry_is_a_miss_and_is_replaced(tmp_path):
    sources = [put(tmp_path, "a.txt", b"Paid through 03/14/2023.")]
    with LocalParser(tmp_path / "cache", workers=1) as parser:
        (parsed,) = parser.parse_many(sources)
        (entry,) = (tmp_path / "cache").rglob("*.parse")
        entry.write_bytes(entry.read_bytes()[:-3])  # the machine was switched off
        heard = []
        (again,) = parser.parse_many(sources, on_parsed=lambda d, cached: heard.append(cached))
        assert heard == [False]
        assert _same(again, parsed)
        parser.parse_many(sources, on_parsed=lambda d, cached: heard.append(cached))
        assert heard == [False, True]


def test_the_entry_used_longest_ago_goes_first(tmp_path):
    cache = ParseCache(tmp_path, fingerprint="a", max_bytes=2500)
    names = [f"{number:064x}" for number in range(4)]
    for age, name in enumerate(names):
        cache.store(name, b"x" * 1000)
        if cache.path_of(name).exists():
            os.utime(cache.path_of(name), (1000 + age, 1000 + age))
        if age == 1:
            os.utime(cache.path_of(names[0]), (5000, 5000))  # the first one is used again
    cache.sweep()
    kept = [name for name in names if cache.path_of(name).exists()]
    assert kept == [names[0], names[3]]


def test_what_a_killed_writer_left_is_swept_away_but_not_what_is_being_written(tmp_path):
    cache = ParseCache(tmp_path, fingerprint="a")
    cache.store("0" * 64, b"an entry")
    old, new = cache.path_of("0" * 64).with_name("old.tmp"), cache.path_of("0" * 64).with_name("new.tmp")
    old.write_bytes(b"half")
    new.write_bytes(b"half")
    long_ago = time.time() - 2 * cache_module._ABANDONED_SECONDS
    os.utime(old, (long_ago, long_ago))
    cache.sweep()
    assert (old.exists(), new.exists(), cache.path_of("0" * 64).exists()) == (False, True, True)


def _write_many(folder, number):
    cache = ParseCache(folder, fingerprint="a", max_bytes=200_000)
    document = unread_document(
        source_of(b"x"),
        DocumentStatus.EMPTY,
        DocumentError("empty_file", "Nothing.", "Ask."),
        parser="local",
        parser_version="1",
    )
    encoded = encode(document)
    for entry in range(60):
        cache.store(f"{entry % 7:064x}", encoded)
        found = cache.load(replace(document.source, sha256=f"{entry % 7:064x}"))
        if found is not None and found.status != DocumentStatus.EMPTY:
            os._exit(1)


def test_several_writers_of_the_same_entries_do_not_disturb_each_other(tmp_path):
    context = multiprocessing.get_context("spawn")
    writers = [context.Process(target=_write_many, args=(tmp_path, n)) for n in range(3)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert [writer.exitcode for writer in writers] == [0, 0, 0]
    assert len(list(tmp_path.rglob("*.parse"))) == 7
    assert not list(tmp_path.rglob("*.tmp"))


def test_a_cache_that_cannot_be_written_costs_nothing_but_time(tmp_path):
    (tmp_path / "cache").write_text("a file where the folder should be")
    with LocalParser(tmp_path / "cache", workers=1) as parser:
        document = parser.parse(source_of(b"some text", "a.txt"), b"some text")
    assert document.status == DocumentStatus.PARSED


def test_a_hash_that_is_none_names_no_path(tmp_path):
    with pytest.raises(ValueError, match="64 lower-case hex digits"):
        ParseCache(tmp_path, fingerprint="a").path_of("../../etc/passwd")


def test_a_host_takes_what_another_has_parsed_from_the_store(tmp_path):
    pdf = put(tmp_path, "a.pdf", letter_pdf())

    def host(name: str) -> LocalParser:
        shared = KeptBytes(StoredFiles(tmp_path / "store"), "parses")
        return LocalParser(tmp_path / name, workers=1, shared_parses=shared)

    def parsed(parser: LocalParser) -> list[tuple[str, bool]]:
        found = []
        parser.parse_many([pdf], on_parsed=lambda document, cached: found.append((document.text, cached)))
        return found

    with host("a") as a, host("b") as b:
        ((text, was_cached),) = parsed(a)
        assert not was_cached
        assert parsed(b) == [(text, True)]
        for path in (tmp_path / "store").rglob("*.parse"):
            path.unlink()
        assert parsed(b) == [(text, True)]  # it is in its own folder since
        a.forget(pdf[0])
        assert parsed(a) == [(text, False)]


def test_a_damaged_or_unreachable_shared_parse_is_parsed_anew(tmp_path, monkeypatch):
    pdf = put(tmp_path, "a.pdf", letter_pdf())
    shared = KeptBytes(StoredFiles(tmp_path / "store"), "parses")
    with LocalParser(tmp_path / "a", workers=1, shared_parses=shared) as parser:
        parser.parse_many([pdf])
    (kept,) = (tmp_path / "store").rglob("*.parse")
    kept.write_bytes(kept.read_bytes()[:-9])
    with LocalParser(tmp_path / "b", workers=1, shared_parses=shared) as parser:
        (document,) = parser.parse_many([pdf])
    assert document.status is DocumentStatus.PARSED

    def refuse(self, *_):
        raise UnreachableStoreError("s3://bucket", reason="is away", remedy="wait", transient=True)

    monkeypatch.setattr(KeptBytes, "find", refuse)
    monkeypatch.setattr(KeptBytes, "keep", refuse)
    with LocalParser(tmp_path / "c", workers=1, shared_parses=shared) as parser:
        (again,) = parser.parse_many([pdf])
    assert again.text == document.text
