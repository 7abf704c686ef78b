"""Partial answers of one claim, merged: a rule for each type, and no value lost."""

from typing import Any

from citation_pipeline.core.answers.merging import merge_extractions
from citation_pipeline.core.extraction import AnswerIssue, Confidence, ExtractedField, Extraction, Snippet
from citation_pipeline.core.json_schemas.flattening import flatten

SCHEMA = flatten(
    {
        "type": "object",
        "properties": {
            "rate": {"type": "number"},
            "reported": {"type": "string", "format": "date"},
            "parts": {"type": "array", "items": {"type": "string"}},
            "liens": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {"holder": {"type": "string"}, "amount": {"type": "number"}},
                },
            },
        },
    },
    name="small",
)
DATES = {"old": "2020-01-01", "new": "2024-06-30", "newest": "2025-01-01"}


def part(key: str, value: Any, *snippets: Snippet, confidence: Confidence | None = None) -> Extraction:
    field = ExtractedField(
        field_key=key,
        value=value,
        value_type=SCHEMA.by_key[key].value_type,
        snippets=snippets,
        confidence=confidence,
    )
    return Extraction(schema_name="small", fields=(field,))


def quote(source_id: str, text: str = "words", item_path: str = "") -> Snippet:
    return Snippet(source_id=source_id, text=text, item_path=item_path)


def test_the_value_of_the_latest_dated_document_wins_and_the_others_are_kept_with_their_dates():
    merged = merge_extractions(
        [part("rate", 100, quote("new")), part("rate", 90, quote("old")), part("rate", 80, quote("undated"))],
        SCHEMA,
        dates=DATES,
    )
    assert merged.fields[0].value == 100
    assert "conflicting_values" in merged.fields[0].warnings
    assert [(c.value, c.date) for c in merged.conflicts] == [(90, "2020-01-01"), (80, None)]
    assert [s.source_id for c in merged.conflicts for s in c.snippets] == ["old", "undated"]


def test_the_order_of_the_parts_does_not_decide_where_dates_do():
    parts = [part("rate", 90, quote("old")), part("rate", 100, quote("new"))]
    values = {merge_extractions(order, SCHEMA, dates=DATES).fields[0].value for order in (parts, parts[::-1])}
    assert values == {100}


def test_without_dates_the_more_confident_answer_wins():
    merged = merge_extractions(
        [
            part("rate", 1, quote("a"), confidence=Confidence.LOW),
            part("rate", 2, quote("b"), confidence=Confidence.HIGH),
        ],
        SCHEMA,
    )
    assert merged.fields[0].value == 2


def test_the_same_value_in_other_words_unites_its_citations_latest_first():
    merged = merge_extractions(
        [
            part("reported", "2024-01-02", quote("old", "Jan 2, 2024")),
            part("reported", "2024-01-02", quote("new", "01/02/2024")),
            part("reported", "2024-01-02", quote("new", "01/02/2024")),
        ],
        SCHEMA,
        dates=DATES,
    )
    assert [(s.citation_index, s.text) for s in merged.fields[0].snippets] == [
        (0, "01/02/2024"),
        (1, "Jan 2, 2024"),
    ]
    assert merged.conflicts == ()


def test_silence_of_one_part_does_not_beat_a_value_of_another():
    merged = merge_extractions([part("rate", None), part("rate", 5, quote("old"))], SCHEMA, dates=DATES)
    assert merged.fields[0].value == 5
    assert merged.conflicts == ()


def test_arrays_are_united_without_duplicates_and_snippets_follow_their_items():
    merged = merge_extractions(
        [
            part("liens", [{"holder": "EDD"}], quote("old", "a", "[0]")),
            part(
                "liens",
                [{"holder": "Kaiser", "amount": 7}, {"holder": "edd", "amount": 5}],
                quote("new", "b", "[0]"),
                quote("new", "c", "[1].amount"),
            ),
        ],
        SCHEMA,
        dates=DATES,
    )
    field = merged.fields[0]
    assert field.value == [{"holder": "EDD", "amount": 5}, {"holder": "Kaiser", "amount": 7}]
    assert [(s.text, s.item_path) for s in field.snippets] == [
        ("a", "[0]"),
        ("b", "[1]"),
        ("c", "[0].amount"),
    ]


def test_items_of_one_name_that_contradict_each_other_are_both_kept_and_marked():
    merged = merge_extractions(
        [
            part("liens", [{"holder": "EDD", "amount": 5}], quote("old")),
            part("liens", [{"holder": "EDD", "amount": 6}], quote("new")),
        ],
        SCHEMA,
        dates=DATES,
    )
    assert merged.fields[0].value == [{"holder": "EDD", "amount": 5}, {"holder": "EDD", "amount": 6}]
    assert "possible_duplicate_items" in merged.fields[0].warnings


def test_a_list_stated_to_be_empty_is_a_conflict_beside_items_and_a_value_alone():
    both = merge_extractions(
        [part("liens", [], quote("newest", "No liens")), part("liens", [{"holder": "EDD"}], quote("old"))],
        SCHEMA,
        dates=DATES,
    )
    assert both.fields[0].value == [{"holder": "EDD"}]
    assert [(c.value, c.date) for c in both.conflicts] == [([], "2025-01-01")]
    alone = merge_extractions([part("liens", []), part("liens", None)], SCHEMA)
    assert alone.fields[0].value == []


def test_a_field_is_unanswered_only_where_no_part_answered_it_and_other_issues_stay():
    first = Extraction(
        schema_name="small",
        fields=part("rate", 1, quote("a")).fields,
        issues=(AnswerIssue("unanswered", "reported"), AnswerIssue("unknown_source", "rate", 0)),
    )
    second = Extraction(
        schema_name="small",
        fields=part("reported", None).fields,
        issues=(AnswerIssue("unanswered", "rate"), AnswerIssue("unanswered", "liens")),
    )
    merged = merge_extractions([first, second], SCHEMA)
    assert {(i.code, i.field_key) for i in merged.issues} == {
        ("unknown_source", "rate"),
        ("unanswered", "liens"),
    }


def test_plain_items_are_united_once_and_their_snippets_follow():
    merged = merge_extractions(
        [
            part("parts", ["Knee", "Back"], quote("old", "knee", "[0]"), quote("old", "back", "[1]")),
            part("parts", ["Wrist", "BACK"], quote("new", "wrist", "[0]"), quote("new", "spine", "[1]")),
        ],
        SCHEMA,
        dates=DATES,
    )
    (field,) = merged.fields
    assert field.value == ["Knee", "Back", "Wrist"]
    assert [(s.text, s.item_path, s.citation_index) for s in field.snippets] == [
        ("knee", "[0]", 0),
        ("back", "[1]", 1),
        ("wrist", "[2]", 2),
        ("spine", "[1]", 3),
    ]
    assert field.warnings == ()


def test_an_item_of_the_same_name_is_completed_by_another_parts_members():
    merged = merge_extractions(
        [
            part("liens", [{"holder": "EDD"}], quote("old", "EDD", "[0].holder")),
            part("liens", [{"holder": "EDD", "amount": 5}], quote("new", "5", "[0].amount")),
        ],
        SCHEMA,
    )
    assert merged.fields[0].value == [{"holder": "EDD", "amount": 5}]
    assert [s.item_path for s in merged.fields[0].snippets] == ["[0].holder", "[0].amount"]
    assert merged.fields[0].warnings == ()


def test_a_list_is_as_sure_as_its_least_sure_part_and_more_parts_break_a_tie():
    merged = merge_extractions(
        [
            part("parts", ["Knee"], quote("old"), confidence=Confidence.HIGH),
            part("parts", ["Back"], quote("new"), confidence=Confidence.LOW),
        ],
        SCHEMA,
    )
    assert merged.fields[0].confidence is Confidence.LOW
    rates = [part("rate", value, quote(source)) for value, source in ((1, "a"), (2, "b"), (2, "c"))]
    merged = merge_extractions(rates, SCHEMA)
    assert merged.fields[0].value == 2
    assert [(c.value, c.date) for c in merged.conflicts] == [(1, None)]


def test_all_parts_that_state_an_empty_list_state_it_together():
    merged = merge_extractions(
        [part("parts", [], quote("old", "none")), part("parts", [], quote("new", "no parts"))], SCHEMA
    )
    assert (merged.fields[0].value, merged.conflicts) == ([], ())
    assert [s.text for s in merged.fields[0].snippets] == ["none", "no parts"]


def test_scalar_items_of_lists_are_united_by_what_they_say_and_snippets_follow_them():
    merged = merge_extractions(
        [
            part("parts", ["Left knee", "back"], quote("old", "a", "[0]"), quote("old", "b", "[1]")),
            part("parts", ["Neck", "LEFT KNEE"], quote("new", "c", "[0]"), quote("new", "d", "[1]")),
        ],
        SCHEMA,
        dates=DATES,
    )
    field = merged.fields[0]
    assert field.value == ["Left knee", "back", "Neck"]
    assert [(s.text, s.item_path) for s in field.snippets] == [
        ("a", "[0]"),
        ("b", "[1]"),
        ("c", "[2]"),
        ("d", "[0]"),
    ]
    assert "possible_duplicate_items" not in field.warnings
    assert "conflicting_values" not in field.warnings


def test_items_are_one_only_where_their_first_member_is_the_same_and_no_other_contradicts():
    merged = merge_extractions(
        [
            part("liens", [{"holder": "EDD", "amount": 5}, {"amount": 9}], quote("old")),
            part(
                "liens", [{"amount": 5, "holder": "Kaiser"}, {"holder": "EDD", "amount": 5.0}], quote("new")
            ),
        ],
        SCHEMA,
        dates=DATES,
    )
    assert merged.fields[0].value == [
        {"holder": "EDD", "amount": 5},
        {"amount": 9},
        {"amount": 5, "holder": "Kaiser"},
    ]
    assert "possible_duplicate_items" not in merged.fields[0].warnings


def test_a_snippet_of_an_item_that_is_not_there_belongs_to_the_whole_list():
    merged = merge_extractions(
        [
            part("parts", ["knee"], quote("old", "a", "[1]"), quote("old", "b", "")),
            part("parts", ["back"], quote("new", "c", "[0]")),
        ],
        SCHEMA,
    )
    assert [s.item_path for s in merged.fields[0].snippets] == ["", "", "[1]"]


def test_a_list_is_as_sure_as_its_least_sure_part():
    parts = [
        part("parts", ["knee"], quote("a"), confidence=Confidence.HIGH),
        part("parts", ["back"], quote("b"), confidence=Confidence.LOW),
        part("parts", ["neck"], quote("c")),
    ]
    assert merge_extractions(parts, SCHEMA).fields[0].confidence is Confidence.LOW
    assert merge_extractions([parts[0], parts[2]], SCHEMA).fields[0].confidence is None


def test_lists_that_are_all_stated_to_be_empty_stay_empty_with_every_citation():
    merged = merge_extractions(
        [part("liens", [], quote("a", "x")), part("liens", [], quote("b", "y"))], SCHEMA
    )
    field = merged.fields[0]
    assert (field.value, field.warnings, merged.conflicts) == ([], (), ())
    assert [(s.citation_index, s.text) for s in field.snippets] == [(0, "x"), (1, "y")]


def test_silence_of_every_part_keeps_the_citations_and_warnings_of_all():
    parts = [part("rate", None, quote("a", "x")), part("rate", None, quote("b", "y"), quote("a", "x"))]
    merged = merge_extractions(parts, SCHEMA).fields[0]
    assert merged.value is None
    assert [(s.citation_index, s.source_id, s.text) for s in merged.snippets] == [
        (0, "a", "x"),
        (1, "b", "y"),
    ]


def test_among_undated_values_trust_decides_and_then_how_many_parts_say_so():
    def winner(*stated: tuple[float, Confidence | None]) -> Any:
        parts = [part("rate", value, quote(f"s{n}"), confidence=c) for n, (value, c) in enumerate(stated)]
        return merge_extractions(parts, SCHEMA).fields[0].value

    low, medium, high = Confidence.LOW, Confidence.MEDIUM, Confidence.HIGH
    assert winner((1, low), (2, None)) == 2
    assert winner((1, None), (2, medium)) == 2
    assert winner((1, medium), (2, high)) == 2
    assert winner((1, high), (2, medium), (2, medium)) == 1
    assert winner((1, medium), (2, medium), (2, medium)) == 2
    assert winner((1, medium), (2, medium)) == 1  # where nothing decides, the part that came first


def test_of_equal_values_the_later_documents_date_and_words_count():
    parts = [
        part("rate", 90, quote("old", "o")),
        part("rate", 100, quote("new", "n")),
        part("rate", 90, quote("newest", "t")),
    ]
    merged = merge_extractions(parts, SCHEMA, dates=DATES)
    assert merged.fields[0].value == 90
    assert [s.source_id for s in merged.fields[0].snippets] == ["newest", "old"]
    assert [(c.value, c.date) for c in merged.conflicts] == [(100, "2024-06-30")]


def test_a_merged_extraction_keeps_every_issue_once_and_the_first_model_that_is_named():
    issue = AnswerIssue("unknown_source", "rate", 0)
    first = Extraction(schema_name="small", fields=part("rate", 1, quote("a")).fields, issues=(issue,))
    second = Extraction(schema_name="small", fields=(), issues=(issue,), model="m", prompt_fingerprint="p")
    third = Extraction(schema_name="small", fields=(), model="other", prompt_fingerprint="q")
    merged = merge_extractions([first, second, third], SCHEMA)
    assert (merged.issues, merged.model, merged.prompt_fingerprint) == ((issue,), "m", "p")
