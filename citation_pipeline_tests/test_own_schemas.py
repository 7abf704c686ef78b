"""Schemas of one's own, as JSON Schema or as Pydantic writes them: read into fields or refused by pointer."""

import json
from datetime import UTC, date, datetime
from decimal import Decimal
from enum import Enum, IntEnum
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, Field, create_model
from pydantic.alias_generators import to_camel

from citation_pipeline.core.answers.reading import read_answer
from citation_pipeline.core.json_schemas.errors import SchemaError
from citation_pipeline.core.json_schemas.flattening import flatten
from citation_pipeline.core.json_schemas.pointers import pointed_at
from citation_pipeline.core.prompts.instructions import render_instructions
from citation_pipeline.core.rules.extraction import extract
from citation_pipeline.core.viewer.dataset import build_viewer_dataset
from citation_pipeline_tests.typeset import column, typeset


class Colour(Enum):
    RED = "red"
    BLUE = "dark blue"


class Grade(IntEnum):
    LOW = 1
    HIGH = 2


class Place(BaseModel):
    street: str
    town: str | None = None


class Stop(BaseModel):
    at: Place
    arrives: datetime | None = None


class Tree(BaseModel):
    name: str
    branches: list["Tree"] = []


def fields_of(schema: dict[str, Any]) -> dict[str, Any]:
    return flatten(schema, name="own").by_key


def value_of(schema: dict[str, Any], key: str, value: Any) -> tuple[Any, list[str]]:
    """Return what an answer's value is read as, and the codes of whatever was wrong with it."""
    read = read_answer(
        {"extractions": [{"field_key": key, "value": value, "citations": []}]},
        flatten(schema, name="own"),
        [],
    )
    return read.fields[0].value, [issue.code for issue in read.issues if issue.field_key == key]


def one(node: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {"a": node}, **more}


def test_what_pydantic_writes_becomes_fields_with_their_types_titles_and_sections():
    class Shipment(BaseModel):
        model_config = ConfigDict(alias_generator=to_camel)

        load_number: str = Field(title="Number of the load")
        colour: Colour = Colour.RED
        grade: Grade | None = None
        kind: Literal["bill"] = "bill"
        weight: Decimal
        picked_up: date
        confirmed_at: datetime | None = None
        shipper: Place
        consignee: Place | None = None
        stops: list[Stop]
        tags: list[Colour] = []

    fields = fields_of(Shipment.model_json_schema())
    assert {key: field.value_type for key, field in fields.items()} == {
        "loadNumber": "string",
        "colour": "enum",
        "grade": "integer",
        "kind": "enum",
        "weight": "number",
        "pickedUp": "date",
        "confirmedAt": "datetime",
        "shipper.street": "string",
        "shipper.town": "string",
        "consignee.street": "string",
        "consignee.town": "string",
        "stops": "array",
        "tags": "array",
    }
    assert fields["loadNumber"].label == "Number of the load"
    assert fields["pickedUp"].label == "Picked Up"
    assert (fields["shipper.street"].category, fields["consignee.street"].category) == (
        "Shipper",
        "Consignee",
    )
    assert fields["colour"].enum == ("red", "dark blue")
    assert [(m.name, m.value_type) for m in fields["stops"].items] == [
        ("at", "object"),
        ("arrives", "datetime"),
    ]
    assert (fields["tags"].item_type, fields["tags"].item_enum) == ("enum", ("red", "dark blue"))


@pytest.mark.parametrize(
    ("node", "value_type"),
    [
        ({"anyOf": [{"type": "string", "format": "date"}, {"type": "null"}]}, "date"),
        ({"oneOf": [{"type": "null"}, {"type": "number"}]}, "number"),
        ({"oneOf": [{"const": "open", "title": "Open"}, {"const": "shut", "title": "Shut"}]}, "enum"),
        ({"const": "open"}, "enum"),
        ({"enum": ["open", None]}, "enum"),
        ({"anyOf": [{"type": "integer"}, {"type": "number"}]}, "number"),
        ({"allOf": [{"type": "number"}, {"type": "integer", "minimum": 3}]}, "integer"),
        ({"allOf": [{"$ref": "#/$defs/day"}], "description": "The day."}, "date"),
        ({"$ref": "#/$defs/a~1b%20c", "title": "Named"}, "boolean"),
        ({"type": "string", "format": "date-time"}, "datetime"),
        ({"type": ["null", "array"], "items": {"type": "string"}}, "array"),
    ],
)
def test_references_unions_and_constants_are_read(node: dict[str, Any], value_type: str):
    schema = one(
        node, **{"$defs": {"day": {"type": "string", "format": "date"}, "a/b c": {"type": "boolean"}}}
    )
    assert fields_of(schema)["a"].value_type == value_type


def test_all_of_unites_the_members_of_its_branches():
    schema = {
        "allOf": [
            {"$ref": "#/$defs/dated"},
            {"type": "object", "properties": {"total": {"type": "number", "minimum": 0}}},
        ],
        "properties": {"total": {"maximum": 10}},
        "$defs": {"dated": {"type": "object", "properties": {"day": {"type": "string", "format": "date"}}}},
    }
    fields = fields_of(schema)
    assert {key: field.value_type for key, field in fields.items()} == {"day": "date", "total": "number"}
    assert {(c.keyword, c.bound) for c in fields["total"].constraints} == {("minimum", 0), ("maximum", 10)}


@pytest.mark.parametrize(
    ("schema", "path", "remedy"),
    [
        (Tree.model_json_schema(), "/$defs/Tree/properties/branches/items/$ref", "recursive"),
        (one({"$ref": "#"}), "/properties/a/$ref", "recursive"),
        (one({"$ref": "#/$defs/none"}), "/properties/a/$ref", "no #/$defs/none"),
        (one({"$ref": "https://example.invalid/a.json"}), "/properties/a/$ref", "copy"),
        (one({"anyOf": [{"type": "integer"}, {"type": "string"}]}), "/properties/a/anyOf", "name one type"),
        (one({"type": "null"}), "/properties/a", "leave the property out"),
        (one({"anyOf": [{"type": "null"}]}), "/properties/a/anyOf", "leave the property out"),
        (
            one({"type": "object", "additionalProperties": {"type": "number"}}),
            "/properties/a/additionalProperties",
            "array of objects",
        ),
        (
            one({"type": "array", "prefixItems": [{"type": "string"}]}),
            "/properties/a/prefixItems",
            "named member",
        ),
        (
            one({"type": "array", "items": {"type": "array", "items": {"type": "string"}}}),
            "/properties/a/items",
            "named list",
        ),
        (one({"type": "string", "not": {"const": "x"}}), "/properties/a/not", "type, enum or pattern"),
        (one({"type": "string", "pattern": "("}), "/properties/a/pattern", "regular expression"),
        (
            one({"allOf": [{"type": "string"}, {"type": "number"}]}),
            "/properties/a/allOf/0/type",
            "contradicts",
        ),
        (one({"enum": ["a", 1]}), "/properties/a/enum", "as strings"),
        (one({"type": "number", "enum": ["a"]}), "/properties/a/enum", "as one type"),
        (one({"$comment": "anything"}), "/properties/a/type", "must be string"),
        (one(True), "/properties/a/type", "name one of"),
        (one({"type": "string"}, **{"if": {"properties": {}}}), "/if", "both cases"),
        ({"type": "array", "items": {"type": "string"}}, "", "rows"),
        ({"properties": {"a[0]": {"type": "string"}}}, "/properties/a[0]", "bracket"),
        ({"properties": {"a/b": {"type": "colour"}}}, "/properties/a~1b/type", "must be"),
        (
            one({"anyOf": [{"type": "string", "format": "date"}, {"type": "string", "format": "date-time"}]}),
            "/properties/a/anyOf",
            "date-time",
        ),
    ],
)
def test_what_cannot_be_read_is_refused_by_its_pointer_with_what_to_write_instead(
    schema: Any, path: str, remedy: str
):
    with pytest.raises(SchemaError, match="schema at") as caught:
        flatten(schema, name="own")
    assert caught.value.path == path
    assert remedy in caught.value.reason


def test_references_that_double_again_and_again_are_refused_in_time():
    definitions: dict[str, Any] = {"d0": {"type": "string"}}
    for n in range(1, 60):
        definitions[f"d{n}"] = {"allOf": [{"$ref": f"#/$defs/d{n - 1}"}, {"$ref": f"#/$defs/d{n - 1}"}]}
    with pytest.raises(SchemaError, match="too large or too deep"):
        flatten(one({"$ref": "#/$defs/d59"}, **{"$defs": definitions}), name="own")


def test_lists_in_lists_and_objects_in_items_are_read_member_by_member():
    class Line(BaseModel):
        what: str
        amount: Decimal | None = None
        codes: list[str] = []
        where: Place | None = None

    class Bill(BaseModel):
        lines: list[Line]

    schema = Bill.model_json_schema()
    given = [
        {"what": "Flour", "amount": "1,250.50", "codes": ["A1", "B2"], "where": {"street": "Mill Lane 3"}},
        {"what": "Salt", "amount": "unknown", "codes": "none", "where": {"street": "Quay 1", "town": "Hull"}},
    ]
    value, codes = value_of(schema, "lines", given)
    assert value == [
        {"what": "Flour", "amount": 1250.5, "codes": ["A1", "B2"], "where": {"street": "Mill Lane 3"}},
        {"what": "Salt", "where": {"street": "Quay 1", "town": "Hull"}},
    ]
    assert "placeholder_value" in codes


def test_a_snippet_may_name_the_place_within_an_item():
    class Run(BaseModel):
        stops: list[Stop]

    schema = flatten(Run.model_json_schema(), name="own")
    answer = {
        "extractions": [
            {
                "field_key": "stops",
                "value": [
                    {"at": {"street": "Quay 1", "town": "Hull"}, "arrives": "March 4, 2024 at 2:30 PM"}
                ],
                "citations": [
                    {"source_id": "d", "text_snippet": "Town: Hull", "item_path": "[0].at.town"},
                    {"source_id": "d", "text_snippet": "nowhere", "item_path": "[0].at.country"},
                ],
            }
        ]
    }
    read = read_answer(answer, schema, ["d"])
    assert read.fields[0].value == [
        {"at": {"street": "Quay 1", "town": "Hull"}, "arrives": "2024-03-04T14:30:00"}
    ]
    assert [snippet.item_path for snippet in read.fields[0].snippets] == ["[0].at.town", ""]
    assert [issue.code for issue in read.issues] == ["bad_hint", "retyped"]


@pytest.mark.parametrize(
    ("node", "given", "value", "code"),
    [
        ({"enum": [1, 2]}, 3, None, "not_in_enum"),
        ({"enum": [1, 2]}, "2", 2, "retyped"),
        ({"const": True}, False, None, "not_in_enum"),
        ({"type": "integer", "maximum": 120}, 130, 130, "breaks_constraint"),
        ({"type": "string", "pattern": "^[A-Z]{2}$"}, "abc", "abc", "breaks_constraint"),
        ({"type": "array", "items": {"type": "number"}, "minItems": 2}, [4], [4], "breaks_constraint"),
        ({"type": "array", "items": {"enum": ["a", "b"]}}, ["a", "z"], ["a"], "not_in_enum"),
        ({"type": "string", "format": "date-time"}, "in the spring", None, "not_a_datetime"),
        ({"type": "string", "format": "date-time"}, "2024-03-04", "2024-03-04", None),
        ({"type": "string", "format": "date-time"}, "4 March 2024, 09:05", "2024-03-04T09:05:00", "retyped"),
    ],
)
def test_a_value_that_the_schema_does_not_allow_is_told(node: Any, given: Any, value: Any, code: str | None):
    read, codes = value_of(one(node), "a", given)
    assert read == value
    assert codes == ([code] if code else [])


# --- generated models -------------------------------------------------------------------------------------

_WORDS = st.sampled_from(["Harbor", "Quay Lane 4", "Flour", "Otter & Sons", "K-17", "Ludlow", "two mills"])
_SCALARS: dict[Any, st.SearchStrategy[Any]] = {
    str: _WORDS,
    int: st.integers(0, 10**6),
    float: st.floats(0.25, 9999).map(lambda x: round(x, 2)),
    bool: st.booleans(),
    Decimal: st.decimals(0, 9999, places=2),
    date: st.dates(date(1950, 1, 1), date(2049, 12, 31)),
    datetime: st.datetimes(datetime(1950, 1, 1), datetime(2049, 12, 31)).map(
        lambda moment: moment.replace(microsecond=0, tzinfo=UTC)
    ),
    Colour: st.sampled_from(Colour),
    Grade: st.sampled_from(Grade),
    Literal["open", "shut"]: st.sampled_from(["open", "shut"]),
    Literal[1, 2]: st.sampled_from([1, 2]),
    Annotated[int, Field(ge=0, le=200)]: st.integers(0, 200),
}
_REFUSED_KINDS = [Any, dict[str, int], tuple[int, str], int | str, list[list[str]], Tree, Place | Stop, None]
_NAMES = st.sampled_from(["total", "paid_on", "shipTo", "note", "Unit No", "kind", "entries", "x1", "länge"])


@st.composite
def models(draw: st.DrawFn, depth: int = 0) -> type[BaseModel]:
    members: dict[str, Any] = {}
    for number, name in enumerate(draw(st.lists(_NAMES, min_size=1, max_size=4, unique=True))):
        kinds = [st.sampled_from(list(_SCALARS))]
        if depth < 2:
            inner = models(depth + 1)
            kinds += [inner, inner.map(lambda model: list[model]), st.just(list[str]), st.just(list[Colour])]  # type: ignore[valid-type]
        if draw(st.integers(0, 40)) == 0:
            kinds = [st.sampled_from(_REFUSED_KINDS)]
        kind = draw(st.one_of(kinds))
        optional = draw(st.booleans())
        described = Field(
            **({"default": None} if optional else {}),
            alias=name,
            title=draw(st.sampled_from([None, "A title", name])),
            description=draw(st.sampled_from([None, "What it is."])),
        )
        members[f"f{number}"] = (Union[kind, None] if optional else kind, described)  # noqa: UP007
    return create_model(draw(st.sampled_from(["Alpha", "Beta", "Gamma"])) + str(depth), **members)


def instances(kind: Any) -> st.SearchStrategy[Any]:
    if kind in _SCALARS:
        return _SCALARS[kind]
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        given = {
            info.alias or name: instances(
                Annotated[(info.annotation, *info.metadata)] if info.metadata else info.annotation
            )
            for name, info in kind.model_fields.items()
        }
        return st.fixed_dictionaries(given).map(kind.model_validate)
    if get_origin(kind) is list:
        return st.lists(instances(get_args(kind)[0]), min_size=1, max_size=3)
    if get_origin(kind) in (Union, UnionType):
        return st.one_of(*(st.none() if part is NoneType else instances(part) for part in get_args(kind)))
    if get_origin(kind) is Annotated:
        return instances(get_args(kind)[0]).filter(lambda value: value is None or 0 <= value <= 200)
    return st.none()


def nested(flat: dict[str, Any]) -> dict[str, Any]:
    whole: dict[str, Any] = {}
    for key, value in flat.items():
        *sections, name = key.split(".")
        at = whole
        for section in sections:
            at = at.setdefault(section, {})
        at[name] = value
    return whole


def plain(value: Any) -> Any:
    """Return a dump without what an extraction cannot tell apart: nulls, empty objects, equal list items."""
    if isinstance(value, dict):
        kept = {name: plain(member) for name, member in value.items()}
        return {name: member for name, member in kept.items() if member not in (None, {}, [])}
    if isinstance(value, list):
        items = [plain(item) for item in value]
        once = [item for n, item in enumerate(items) if isinstance(item, dict) or item not in items[:n]]
        return [item for item in once if item not in (None, {})]
    return value


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_a_generated_model_works_from_schema_to_dataset_or_is_refused_by_a_pointer_into_it(
    data: st.DataObject,
):
    model = data.draw(models())
    document = model.model_json_schema(mode=data.draw(st.sampled_from(["validation", "serialization"])))
    try:
        schema = flatten(json.loads(json.dumps(document)), name="own")
    except SchemaError as error:
        parent = error.path.rpartition("/")[0]
        pointed_at(document, parent)  # raises when the pointer leads nowhere
        return
    instance = data.draw(instances(model))
    dump = plain(json.loads(instance.model_dump_json(by_alias=True)))
    leaves = {}
    for field in schema.fields:
        at: Any = dump
        for step in field.key.split("."):
            at = at.get(step) if isinstance(at, dict) else None
        leaves[field.key] = at
    answer = {
        "extractions": [
            {"field_key": key, "value": value, "citations": [{"source_id": "d", "text_snippet": "Flour"}]}
            for key, value in leaves.items()
        ]
    }
    read = read_answer(answer, schema, ["d"])
    found = {field.field_key: field.value for field in read.fields if field.value is not None}
    assert as_read(plain(nested(found))) == as_read(dump)
    paper = typeset("d", column(["Flour", "Total: 12.50"]))
    dataset = build_viewer_dataset("c", schema=schema, documents=[paper], fields=read.fields, citations=[])
    assert {field["fieldKey"] for field in dataset["fields"]} == set(found)
    assert all(field["label"].strip() and field["category"].strip() for field in dataset["fields"])
    assert extract([paper], schema, {}).schema_name == "own"
    assert all(field.key in render_instructions(schema) for field in schema.fields)


def as_read(value: Any) -> Any:
    """Return a dump with decimals as numbers, whichever way Pydantic wrote them."""
    if isinstance(value, dict):
        return {name: as_read(member) for name, member in value.items()}
    if isinstance(value, list):
        return [as_read(item) for item in value]
    if isinstance(value, str) and value.replace(".", "", 1).isdigit():
        return float(value)
    return value
