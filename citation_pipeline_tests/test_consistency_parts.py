"""A document's own schema in a mixed folder is judged by its own rules, under the keys that the claim has."""

from dataclasses import replace

from citation_pipeline.core.consistency.claims import consistency_fingerprint, find_violations
from citation_pipeline.core.consistency.rules import read_rules
from citation_pipeline.core.document_schemas import compose_schema, composed_key
from citation_pipeline.core.extraction import ExtractedField, Snippet
from citation_pipeline.core.json_schemas.flattening import flatten

INVOICE = flatten({"properties": {"net": {"type": "number"}, "total": {"type": "number"}}}, name="invoice")
RULE = {"id": "total_holds_net", "check": "total >= net", "says": "The total is less than the net sum."}
JUDGED = replace(INVOICE, rules=read_rules([RULE], INVOICE.fields))
LETTER = flatten({"properties": {"date": {"type": "string", "format": "date"}}}, name="letter")


def values(document: str, net: float, total: float) -> list[ExtractedField]:
    found = {"net": net, "total": total}
    return [
        ExtractedField(composed_key(document, key), value, "number", (Snippet(document, key, page=1),))
        for key, value in found.items()
    ]


def test_a_documents_own_rule_is_judged_and_names_the_documents_fields():
    schema = compose_schema(LETTER, ("note",), {"bill": JUDGED})
    found = find_violations(schema, values("bill", 120.0, 100.0), [], {})
    assert [violation.rule_id for violation in found] == ["total_holds_net"]
    assert set(found[0].field_keys) == {composed_key("bill", "net"), composed_key("bill", "total")}
    assert {one.field_key for one in found[0].statements} == set(found[0].field_keys)
    assert find_violations(schema, values("bill", 90.0, 100.0), [], {}) == []


def test_each_of_two_documents_is_judged_by_its_own_values():
    schema = compose_schema(LETTER, (), {"one": JUDGED, "two": JUDGED})
    fields = [*values("one", 120.0, 130.0), *values("two", 50.0, 40.0)]
    assert [violation.field_keys for violation in find_violations(schema, fields, [], {})] == [
        (composed_key("two", "net"), composed_key("two", "total"))
    ]


def test_a_change_of_a_documents_rules_judges_the_claim_again():
    plain, judged = (compose_schema(LETTER, (), {"bill": schema}) for schema in (INVOICE, JUDGED))
    assert consistency_fingerprint(plain) != consistency_fingerprint(judged)
