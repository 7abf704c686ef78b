"""Schemas and lexicons from files: the shipped ones whole, a user's own with its faults named by path."""

import json

import pytest

from citation_pipeline.adapters.schema_files import (
    available_schemas,
    load_lexicon,
    load_schema,
    pick_schema,
    shipped_lexicons,
)
from citation_pipeline.core.json_schemas.errors import SchemaError
from citation_pipeline.core.rules.extraction import extract, rules_fingerprint
from citation_pipeline.core.rules.lexicons.lexicon import LexiconError
from citation_pipeline.core.rules.lexicons.lexicon_files import read_lexicon
from citation_pipeline_tests.typeset import column, typeset

SHIPPED = {
    "bill_of_lading",
    "broadcast_order",
    "generic",
    "invoice",
    "non_disclosure_agreement",
    "packing_list",
    "rate_confirmation",
    "shipment_instructions",
    "study_protocol",
    "workers_comp",
}


def test_every_shipped_schema_has_a_lexicon_that_fits():
    assert set(available_schemas()) == SHIPPED
    assert set(shipped_lexicons()) == SHIPPED
    assert all(lexicon.documents for lexicon in shipped_lexicons().values())


def test_workers_comp_has_its_84_fields_in_28_categories():
    schema = load_schema("workers_comp")
    assert (len(schema.fields), len(schema.categories)) == (84, 28)


def test_a_users_own_schema_is_read_by_its_hints(tmp_path):
    path = tmp_path / "plants.json"
    path.write_text(
        json.dumps(
            {
                "properties": {
                    "species": {"type": "string", "x_extraction": {"query": ["species"]}},
                    "planted": {
                        "type": "string",
                        "format": "date",
                        "x_extraction": {"query": ["planted on"]},
                    },
                    "height": {"type": "number"},
                }
            }
        )
    )
    schema = load_schema(str(path))
    document = typeset("label", column(["Species: Quercus robur", "Planted on: 3 May 2021", "Height: 12.5"]))
    found = {f.field_key: f.value for f in extract([document], schema, load_lexicon(schema.name)).fields}
    assert found == {"species": "Quercus robur", "planted": "2021-05-03", "height": 12.5}


@pytest.mark.parametrize(
    ("schema", "path"),
    [
        ([], ""),
        ({"type": "object"}, ""),
        ({"properties": {"a": {"type": "colour"}}}, "/properties/a/type"),
        ({"properties": {"a": {"type": ["string", "number"]}}}, "/properties/a/type"),
        ({"properties": {"a": {"type": "array"}}}, "/properties/a/items"),
        ({"properties": {"a": {"type": "object", "properties": {}}}}, "/properties/a"),
        ({"properties": {"a": {"type": "object", "properties": {"b": 5}}}}, "/properties/a/properties/b"),
        ({"properties": {"a.b": {"type": "string"}}}, "/properties/a.b"),
        ({"properties": {"a": {"type": "string", "enum": []}}}, "/properties/a/enum"),
    ],
)
def test_a_bad_schema_is_refused_with_the_path_of_the_fault(tmp_path, schema, path):
    file = tmp_path / "bad.json"
    file.write_text(json.dumps(schema))
    with pytest.raises(SchemaError) as caught:
        load_schema(str(file))
    assert caught.value.path == path


def test_a_file_that_is_not_json_is_refused_with_its_line(tmp_path):
    file = tmp_path / "broken.json"
    file.write_text('{\n "properties": }')
    with pytest.raises(SchemaError, match="line 2"):
        load_schema(str(file))
    file.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(SchemaError, match="UTF-8"):
        load_schema(str(file))


def test_an_unknown_name_is_refused_with_the_known_ones():
    with pytest.raises(SchemaError, match="workers_comp"):
        load_schema("workers_compensation")


@pytest.mark.parametrize(
    ("lexicon", "path"),
    [
        ({"fields": {"nobody": {}}}, "/fields/nobody"),
        ({"fields": {"title": {"colour": 1}}}, "/fields/title/colour"),
        ({"fields": {"title": {"patterns": ["("]}}}, "/fields/title/patterns/0"),
        ({"fields": {"title": {"patterns": ["{planet}"]}}}, "/fields/title/patterns/0"),
        ({"fields": {"title": {"choice": "loudest"}}}, "/fields/title/choice"),
        ({"fields": {"title": {"documents": {"memo": 1}}}}, "/fields/title/documents/memo"),
        ({"documents": []}, "/documents"),
    ],
)
def test_a_bad_lexicon_is_refused_with_the_path_of_the_fault(lexicon, path):
    with pytest.raises(LexiconError) as caught:
        read_lexicon(lexicon, schema=load_schema("study_protocol"))
    assert caught.value.path == path


def test_the_fingerprint_follows_schema_and_lexicon():
    schema = load_schema("study_protocol")
    whole = rules_fingerprint(schema, load_lexicon("study_protocol"))
    assert whole == rules_fingerprint(schema, load_lexicon("study_protocol"))
    assert whole != rules_fingerprint(schema, {})
    assert whole != rules_fingerprint(load_schema("generic"), load_lexicon("generic"))


def test_the_documents_pick_the_schema():
    invoice = typeset(
        "inv", column(["INVOICE", "Invoice number: 4411", "Bill to: Acme LLC", "Total due: $50.00"])
    )
    schema, choice = pick_schema([invoice])
    assert (schema.name, choice.types["inv"].type) == ("invoice", "invoice")
    schema, choice = pick_schema([typeset("poem", column(["The fog comes on little cat feet."]))])
    assert (schema.name, choice.types["poem"].type) == ("generic", "")
