"""Plant a value on a page, find it: every way in which a form, a letter or a report sets label and value."""

import pytest

from citation_pipeline.core.json_schemas.flattening import flatten
from citation_pipeline.core.rules.extraction import extract
from citation_pipeline_tests.typeset import Line, column, typeset

SCHEMA = flatten(
    {
        "properties": {
            "worker": {"type": "string", "x_extraction": {"query": ["employee", "injured worker"]}},
            "injured": {
                "type": "string",
                "format": "date",
                "x_extraction": {"query": ["date of injury", "DOI"]},
            },
            "hired": {"type": "string", "format": "date", "x_extraction": {"query": ["date of hire"]}},
            "rate": {"type": "number", "x_extraction": {"query": ["TD rate"]}},
            "premises": {"type": "boolean", "x_extraction": {"query": ["on employer's premises"]}},
            "place": {"type": "string", "x_extraction": {"query": ["place of injury"]}},
            "parts": {
                "type": "array",
                "items": {"type": "string"},
                "x_extraction": {"query": ["body parts"]},
            },
        }
    },
    name="test",
)
LEXICON = {"fields": {"worker": {"kind": "person", "labels": ["employee", "injured worker"]}}}


def answers(*documents):
    extraction = extract(documents, SCHEMA, LEXICON)
    return {field.field_key: field for field in extraction.fields}


def test_every_field_is_answered_and_silence_is_null():
    found = answers(typeset("empty", column(["Nothing of interest is printed here."])))
    assert list(found) == [field.key for field in SCHEMA.fields]
    assert all(field.value is None and not field.snippets for field in found.values())


@pytest.mark.parametrize(
    "lines",
    [
        column(["Date of injury: 04/04/2022"]),
        column(["DOI 4/4/22"]),
        column(["Date of injury ............... April 4, 2022"]),
        [Line(72, 72, "Date of injury"), Line(300, 72, "04-Apr-2022")],
        [Line(72, 72, "7. DATE OF INJURY (mm/dd/yy)", 7), Line(72, 81, "04/04/2022", 10)],
        [
            Line(72, 72, "6. Sex", 7),
            Line(200, 72, "7. DATE OF INJURY", 7),
            Line(72, 81, "Female", 10),
            Line(200, 81, "04 / 04 / 2022", 10),
        ],
        column(["RE: Employee: Ana Ruiz", "DOI: 04/04/2022"]),
    ],
    ids=["colon", "no-mark", "leader", "wide-gap", "above", "box-in-a-row", "re-block"],
)
def test_a_date_is_read_beside_behind_and_below_its_label(lines):
    field = answers(typeset("form", lines))["injured"]
    assert field.value == "2022-04-04"
    (snippet,) = field.snippets
    assert snippet.page == 1
    assert "22" in snippet.text


def test_two_columns_keep_their_own_values():
    lines = [
        Line(72, 72, "Injured worker: Ana Ruiz"),
        Line(330, 72, "Date of hire: 03/04/2013"),
        Line(72, 86, "DOI: 04/04/2022"),
        Line(330, 86, "TD rate: $512.40"),
    ]
    found = answers(typeset("two", lines))
    assert found["worker"].value == "Ana Ruiz"
    assert found["hired"].value == "2013-03-04"
    assert found["injured"].value == "2022-04-04"
    assert found["rate"].value == 512.40


def test_a_value_goes_on_below_when_its_line_is_full():
    first = (
        "Place of injury: the loading dock behind the north warehouse, next to the charging station of the"
    )
    lines = [[Line(72, 72, first), Line(72, 83, "electric pallet jacks")], Line(72, 120, "DOI: 04/04/2022")]
    assert answers(typeset("wrap", lines))["place"].value.endswith("electric pallet jacks")


def test_the_next_label_ends_a_value():
    found = answers(typeset("ends", column(["Place of injury: Dock 3", "DOI: 04/04/2022"], step=11)))
    assert found["place"].value == "Dock 3"


@pytest.mark.parametrize(("printed", "value"), [("[X] Yes [ ] No", True), ("[ ] Yes [X] No", False)])
def test_only_the_ticked_box_answers(printed, value):
    lines = [Line(72, 72, "21. ON EMPLOYER'S PREMISES?", 7), Line(72, 81, printed, 10)]
    field = answers(typeset("ticks", lines))["premises"]
    assert field.value is value
    assert field.snippets


def test_empty_boxes_are_silence():
    lines = [Line(72, 72, "21. ON EMPLOYER'S PREMISES?", 7), Line(72, 81, "[ ] Yes [ ] No", 10)]
    assert answers(typeset("unticked", lines))["premises"].value is None


def test_an_impossible_date_is_no_date():
    assert answers(typeset("never", column(["Date of hire: 02/29/2025"])))["hired"].value is None


def test_a_list_is_parted_and_none_is_an_empty_list_with_a_citation():
    assert answers(typeset("some", column(["Body parts: left ankle; left knee"])))["parts"].value == [
        "left ankle",
        "left knee",
    ]
    none = answers(typeset("none", column(["Body parts: None"])))["parts"]
    assert none.value == []
    assert none.snippets


def test_a_snippet_is_cut_from_the_words_and_says_where():
    document = typeset("offsets", column(["A heading of the page", "Date of hire: 03/04/2013"]))
    (snippet,) = answers(document)["hired"].snippets
    assert snippet.source_id == "offsets"
    assert (
        document.text[snippet.start_offset : snippet.end_offset] == snippet.text == "Date of hire: 03/04/2013"
    )
