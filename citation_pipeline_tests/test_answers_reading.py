"""What becomes of an answer: every record and every citation is a part of a field or an issue."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citation_pipeline.core.answers.citations import SourceExtent
from citation_pipeline.core.answers.json_text import clean, decode_answer
from citation_pipeline.core.answers.reading import read_answer
from citation_pipeline.core.answers.writing import write_answer
from citation_pipeline.core.extraction import Confidence, Extraction, Provenance
from citation_pipeline.core.json_schemas.flattening import flatten
from citation_pipeline_tests.properties import few_examples

SCHEMA = flatten(
    {
        "type": "object",
        "properties": {
            "name": {"type": "string"},
            "born": {"type": "string", "format": "date"},
            "rate": {"type": "number"},
            "status": {"type": "string", "enum": ["open", "modified_duty"]},
            "open": {"type": "boolean"},
            "liens": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {"holder": {"type": "string"}, "amount": {"type": "number"}},
                    "required": ["holder"],
                },
            },
        },
    },
    name="small",
)
SOURCES = ["letter", "delay-ltr"]


def record(key: str, value: Any, *citations: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"field_key": key, "value": value, "citations": list(citations), **more}


def cited(source_id: str = "letter", text: str = "quoted words", **more: Any) -> dict[str, Any]:
    return {"source_id": source_id, "text_snippet": text, **more}


def read(*records: Any) -> Extraction:
    return read_answer({"extractions": list(records)}, SCHEMA, SOURCES)


def codes(extraction: Extraction) -> set[tuple[str, str | None, int | None]]:
    return {
        (issue.code, issue.field_key, issue.citation_index)
        for issue in extraction.issues
        if issue.code != "unanswered"
    }


def test_a_field_that_nobody_asked_for_is_an_issue_and_its_name_is_not_repeated():
    extraction = read(record("system.prompt", "x", cited()))
    assert extraction.fields == ()
    assert codes(extraction) == {("unknown_field", None, None)}


def test_each_field_without_a_record_is_unanswered_and_null_is_an_answer():
    extraction = read(record("name", None))
    assert [(f.field_key, f.value) for f in extraction.fields] == [("name", None)]
    assert {i.field_key for i in extraction.issues if i.code == "unanswered"} == set(SCHEMA.by_key) - {"name"}


def test_a_citation_of_an_unknown_source_stays_and_is_reported():
    extraction = read(record("name", "A", cited("nowhere")))
    assert [s.source_id for s in extraction.fields[0].snippets] == ["nowhere"]
    assert codes(extraction) == {("unknown_source", "name", 0)}


def test_a_file_name_in_place_of_a_source_id_is_repaired_and_reported():
    extraction = read(record("name", "A", cited("Delay ltr.pdf")))
    assert extraction.fields[0].snippets[0].source_id == "delay-ltr"
    assert codes(extraction) == {("repaired_source", "name", 0)}


@pytest.mark.parametrize(
    "citation", ["text", None, {}, {"source_id": "letter"}, cited(text="  "), cited(text=7)]
)
def test_a_citation_without_words_is_reported_with_its_place_and_the_next_keeps_its_number(citation: Any):
    extraction = read(record("name", "A", citation, cited()))
    assert [(s.citation_index, s.text) for s in extraction.fields[0].snippets] == [(1, "quoted words")]
    assert codes(extraction) == {("malformed_citation", "name", 0)}


def test_identical_citations_of_a_field_are_merged_into_the_first():
    extraction = read(record("name", "A", cited(), cited(), cited(text="others")))
    assert [s.citation_index for s in extraction.fields[0].snippets] == [0, 2]
    assert codes(extraction) == {("repeated_citation", "name", 1)}


def test_the_same_answer_twice_unites_its_citations_and_another_one_is_a_conflict():
    extraction = read(
        record("name", "A", cited()),
        record("name", "a", cited(text="more")),
        record("rate", 1, cited()),
        record("rate", 2, cited(text="more")),
    )
    name, rate = extraction.fields
    assert [s.text for s in name.snippets] == ["quoted words", "more"]
    assert rate.value == 1
    assert codes(extraction) == {("repeated_field", "name", None), ("conflicting_answers", "rate", None)}


def test_a_value_of_the_wrong_type_is_none_with_its_snippets_and_a_warning():
    extraction = read(record("born", "soon", cited()), record("status", "closed", cited()))
    born, status = extraction.fields
    assert (born.value, born.warnings, len(born.snippets)) == (None, ("not_a_date",), 1)
    assert (status.value, status.warnings) == (None, ("not_in_enum",))


def test_confidence_and_provenance_are_taken_in_any_spelling_and_nonsense_is_reported():
    extraction = read(
        record("name", "A", cited(), confidence="HIGH", provenance="user_provided"),
        record("rate", 1, cited(), confidence="certain", provenance="dreamt"),
    )
    name, rate = extraction.fields
    assert (name.confidence, name.provenance) == (Confidence.HIGH, Provenance.USER_PROVIDED)
    assert (rate.confidence, rate.provenance) == (None, Provenance.EXTRACTED)
    assert codes(extraction) == {("bad_confidence", "rate", None), ("bad_provenance", "rate", None)}


def test_hints_beyond_the_document_are_brought_back_and_reported():
    answer = {"extractions": [record("name", "A", cited(page=99, startOffset=90, endOffset=500))]}
    extents = {"letter": SourceExtent(page_count=3, text_length=100)}
    extraction = read_answer(answer, SCHEMA, SOURCES, extents=extents)
    snippet = extraction.fields[0].snippets[0]
    assert (snippet.page, snippet.start_offset, snippet.end_offset) == (3, 90, 100)
    assert codes(extraction) == {("bad_hint", "name", 0)}


def test_hints_that_fit_are_kept_and_page_zero_means_none():
    fits = read(record("name", "A", cited(page=2, startOffset=5, endOffset=9)))
    snippet = fits.fields[0].snippets[0]
    assert (snippet.page, snippet.start_offset, snippet.end_offset) == (2, 5, 9)
    assert codes(fits) == set()
    assert read(record("name", "A", cited(page=0))).fields[0].snippets[0].page is None


def test_a_snippet_of_a_list_tells_which_item_it_stands_behind():
    liens = [{"holder": "Kaiser", "amount": 10.5}, {"holder": "EDD", "amount": 20}]
    extraction = read(
        record(
            "liens",
            json.dumps(liens),
            cited(text="Lien of EDD for $20.00"),
            cited(text="Kaiser and EDD"),
            cited(text="amount: $10.50"),
        )
    )
    assert extraction.fields[0].value == liens
    assert [s.item_path for s in extraction.fields[0].snippets] == ["[1]", "", "[0].amount"]


def test_an_answer_cut_in_the_middle_keeps_its_complete_records():
    whole = json.dumps({"extractions": [record("name", "A", cited()), record("rate", 12.5, cited())]})
    extraction = read_answer(whole[: whole.index("12.5")], SCHEMA, SOURCES)
    assert [f.field_key for f in extraction.fields] == ["name"]
    assert ("malformed_answer", None, None) in codes(extraction)


def test_a_fenced_answer_is_read_and_prose_is_malformed():
    fenced = "```json\n" + json.dumps({"extractions": [record("name", "A", cited())]}) + "\n```"
    assert codes(read_answer(fenced, SCHEMA, SOURCES)) == set()
    assert codes(read_answer("I am sorry.", SCHEMA, SOURCES)) == {("malformed_answer", None, None)}


def test_text_that_no_table_could_hold_is_mended():
    extraction = read_answer(
        '{"extractions": [{"field_key": "name", "value": "a\\ud800\\u0000b", "citations": []}]}',
        SCHEMA,
        SOURCES,
    )
    assert extraction.fields[0].value == "a\ufffdb"


def test_nesting_that_would_exhaust_the_stack_is_malformed():
    deep = '{"extractions": [' + "[" * 100_000 + "]" * 100_000 + "]}"
    assert codes(read_answer(deep, SCHEMA, SOURCES)) == {("malformed_answer", None, None)}


@pytest.mark.parametrize("value", ["None filed", [], "[]", ["None filed"], "no liens of record"])
def test_a_list_is_empty_only_where_the_cited_words_deny_it(value: Any):
    denied = read(record("liens", value, cited(text="Liens: none have been filed")))
    assert denied.fields[0].value == []
    for citations in ([], [cited(text="Lien of EDD")]):
        silent = read(record("liens", value, *citations))
        assert silent.fields[0].value is None
        assert ("denied_without_evidence", "liens", None) in codes(silent)


def test_a_second_answer_that_says_something_else_is_kept_as_a_conflict():
    extraction = read(record("rate", 1, cited()), record("rate", 2, cited(text="more")))
    assert [(c.field_key, c.value, c.snippets[0].text) for c in extraction.conflicts] == [("rate", 2, "more")]
    assert extraction.fields[0].warnings == ("conflicting_values",)


def test_a_constant_that_is_no_json_costs_its_own_value_alone():
    whole = json.dumps({"extractions": [record("rate", 1, cited()), record("name", "A", cited())]})
    extraction = read_answer(whole.replace('"value": 1', '"value": NaN'), SCHEMA, SOURCES)
    assert [(f.field_key, f.value) for f in extraction.fields] == [("name", "A"), ("rate", None)]


def test_a_broken_record_costs_itself_and_not_those_after_it():
    whole = json.dumps({"extractions": [record("name", "A"), record("rate", 1), record("open", True)]})
    extraction = read_answer(whole.replace('"value": 1', '"value": 1,250'), SCHEMA, SOURCES)
    assert [f.field_key for f in extraction.fields] == ["name", "open"]
    assert ("malformed_answer", None, None) in codes(extraction)


def test_an_item_that_cannot_be_read_does_not_move_the_places_of_the_others():
    answer = [{"holder": "N/A"}, {"holder": "EDD"}]
    citations = (cited(text="some words", item_path="[1]"), cited(item_path="[0]"))
    extraction = read(record("liens", answer, *citations))
    assert extraction.fields[0].value == [{"holder": "EDD"}]
    assert [s.item_path for s in extraction.fields[0].snippets] == ["[0]", ""]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
RECORDS = st.fixed_dictionaries(
    {},
    optional={
        "field_key": st.sampled_from([*SCHEMA.by_key, "other"]) | JSON,
        "value": JSON,
        "confidence": JSON,
        "provenance": JSON,
        "citations": JSON
        | st.lists(
            st.fixed_dictionaries(
                {}, optional={name: JSON for name in ("source_id", "text_snippet", "page", "startOffset")}
            ),
            max_size=3,
        ),
    },
)


@given(st.lists(RECORDS | JSON, max_size=5))
@few_examples(0.75)
def test_whatever_comes_is_read_without_raising_and_every_citation_is_accounted_for(records: list[Any]):
    extraction = read_answer({"extractions": records}, SCHEMA, SOURCES)
    keys = [field.field_key for field in extraction.fields]
    assert len(keys) == len(set(keys))
    unanswered = {i.field_key for i in extraction.issues if i.code == "unanswered"}
    assert set(keys) | unanswered == set(SCHEMA.by_key)
    for number, one in enumerate(records):
        if not isinstance(one, dict) or records.count(one) > 1 or not isinstance(one.get("field_key"), str):
            continue
        key = one["field_key"].strip()
        same = [r for r in records if isinstance(r, dict) and str(r.get("field_key")).strip() == key]
        citations = one.get("citations")
        if key in keys and len(same) == 1 and isinstance(citations, list):
            kept = {s.citation_index for f in extraction.fields if f.field_key == key for s in f.snippets}
            lost = {i.citation_index for i in extraction.issues if i.field_key == key}
            assert set(range(len(citations))) <= kept | lost, number


@pytest.mark.parametrize(
    ("hint", "kept", "is_good"),
    [
        ({"startOffset": 3, "endOffset": 9}, (None, 3, 9), True),
        ({"startOffset": 3}, (None, None, None), False),
        ({"endOffset": 3}, (None, None, None), False),
        ({"startOffset": 9, "endOffset": 9}, (None, None, None), False),
        ({"startOffset": "3", "endOffset": 9.0}, (None, 3, 9), True),
        ({"page": 2.5}, (None, None, None), False),
        ({"page": True}, (None, None, None), False),
        ({"page": 7}, (3, None, None), False),
        ({"page": -1}, (1, None, None), False),
        ({"page": 3, "startOffset": 0, "endOffset": 200}, (3, 0, 100), False),
    ],
)
def test_a_hint_is_kept_where_it_says_a_place_and_reported_where_it_does_not(
    hint: dict[str, Any], kept: tuple[int | None, ...], is_good: bool
):
    answer = {"extractions": [record("name", "Roe", cited(**hint))]}
    extents = {"letter": SourceExtent(page_count=3, text_length=100)}
    extraction = read_answer(answer, SCHEMA, SOURCES, extents=extents)
    (snippet,) = extraction.fields[0].snippets
    assert (snippet.page, snippet.start_offset, snippet.end_offset) == kept
    assert (("bad_hint", "name", 0) in codes(extraction)) != is_good


def candidate(**more: Any) -> dict[str, Any]:
    return {"value": "Doe", "reason": "negated", "citations": [cited()], **more}


@pytest.mark.parametrize(
    ("said", "confidence"),
    [(0, 0.0), (0.25, 0.25), (1, 1.0), (1.1, None), (-0.1, None), (True, None), ("1", None)],
)
def test_a_candidates_confidence_is_a_share_or_unknown(said: Any, confidence: float | None):
    extraction = read(record("name", None, candidates=[candidate(confidence=said, date="2026-01-02")]))
    (found,) = extraction.fields[0].candidates
    assert (found.value, found.reason, found.confidence, found.date) == (
        "Doe",
        "negated",
        confidence,
        "2026-01-02",
    )
    assert [snippet.text for snippet in found.snippets] == ["quoted words"]


@pytest.mark.parametrize(
    "broken",
    ["none", {"value": "Doe"}, {"value": None, "reason": "negated"}, {"value": "Doe", "reason": "whim"}],
)
def test_a_candidate_that_says_nothing_is_an_issue_beside_the_others(broken: Any):
    extraction = read(record("name", None, candidates=[broken, candidate(date="someday")]))
    assert [(c.value, c.date) for c in extraction.fields[0].candidates] == [("Doe", None)]
    assert ("malformed_candidates", "name", None) in codes(extraction)
    no_list = read(record("name", None, candidates="Doe"))
    assert no_list.fields[0].candidates == ()
    assert ("malformed_candidates", "name", None) in codes(no_list)


def test_no_more_than_five_candidates_are_kept():
    many = [candidate(value=f"Doe {n}") for n in range(9)]
    extraction = read(record("name", None, candidates=many))
    assert [one.value for one in extraction.fields[0].candidates] == [f"Doe {n}" for n in range(5)]


def test_what_is_written_of_an_answer_is_read_back_the_same():
    beaten = candidate(
        confidence=0.5, date="2026-01-02", citations=[cited(page=3, startOffset=4, endOffset=9)]
    )
    given = read(
        record("name", "Roe", cited(page=2), confidence="high", candidates=[beaten]),
        record("rate", 5),
    )
    again = read_answer(write_answer(given, with_hints=True), SCHEMA, SOURCES)
    assert again.fields == given.fields
    sure = read(record("name", "Roe", belief=0.7)).fields
    assert sure[0].belief == 0.7
    assert (
        read_answer(write_answer(Extraction("small", sure), with_hints=True), SCHEMA, SOURCES).fields == sure
    )
    assert again.fields[0].candidates[0].snippets[0].page == 3
    bare = write_answer(read(record("rate", 5)), with_hints=True)["extractions"][0]
    assert "candidates" not in bare


@pytest.mark.parametrize(("depth", "is_read"), [(19, True), (20, True), (21, False)])
def test_a_value_is_read_to_a_depth_that_no_answer_needs(depth: int, is_read: bool):
    value: Any = "deep"
    for _ in range(depth):
        value = [value]
    if is_read:
        assert clean(value) == value
    else:
        with pytest.raises(ValueError, match="too deeply"):
            clean(value)


@pytest.mark.parametrize("gap", ["", ", ", " }, ", "x", " [1, ", '"text": "{", '])
def test_every_record_behind_a_broken_one_is_saved(gap: str):
    good = [json.dumps(record("rate", number)) for number in (1, 2, 3)]
    broken = '{"field_key": "name", "value": '
    text = '{"extractions": [' + good[0] + ", " + broken + gap + good[1] + ", " + good[2] + ", {"
    decoded = decode_answer(text)
    assert not decoded.is_whole
    assert [one["value"] for one in decoded.records if one["field_key"] == "rate"] == [1, 2, 3]
