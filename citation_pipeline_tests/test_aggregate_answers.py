"""Two hundred aggregates over generated claims, against a computation that knows only the datasets."""

import json
import random
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from citation_pipeline.adapters.read_model.model import ReadModel
from citation_pipeline.adapters.read_model.totals import NO_GROUP, aggregate_field
from citation_pipeline.core.retrieval.conditions.condition import NotUnderstoodError
from citation_pipeline_tests.agent_claims import generate_claims, open_model

CLAIMS = 240
STATUSES = ("open", "closed", "reopened")
EXAMINERS = ("Bob Hall", "Ana Ruiz", "Smith and Sons")
Values = dict[str, Any]
Test = Callable[[Values], bool]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> ReadModel:
    """Claims whose values are drawn anew: numbers, dates, yes and no, words and lists; some are missing."""
    store = generate_claims(tmp_path_factory.mktemp("drawn"), CLAIMS)
    chance = random.Random(20)
    for path in sorted((Path(store.root) / "viewer_dataset").glob("*/data.json")):
        dataset = json.loads(path.read_text())
        pattern = dataset["fields"][0]
        drawn = {
            "financials.total_paid": ("number", chance.randrange(0, 900_000) / 100),
            "financials.reserve": ("number", chance.randrange(0, 9_000)),
            "metadata.date_of_injury": (
                "date",
                f"20{chance.randrange(18, 26)}-{chance.randrange(1, 13):02d}-{chance.randrange(1, 29):02d}",
            ),
            "metadata.claim_status": ("enum", chance.choice(STATUSES)),
            "metadata.examiner_name": ("string", chance.choice(EXAMINERS)),
            "litigation.is_litigated": ("boolean", chance.random() < 0.5),
            "liens.filed_liens": (
                "array",
                [
                    {"amount": chance.randrange(0, 5_000), "status": chance.choice(("open", "paid"))}
                    for _ in range(chance.randrange(0, 4))
                ],
            ),
        }
        dataset["fields"] = [
            _field(pattern, key, kind, value, is_placed=chance.random() > 0.1)
            for key, (kind, value) in drawn.items()
            if chance.random() > 0.15
        ]
        path.write_text(json.dumps(dataset))
    made = open_model(store, refresh_seconds=3600)
    made.refresh()
    return made


def _field(pattern: Any, key: str, kind: str, value: Any, *, is_placed: bool) -> Any:
    label = " ".join(part.capitalize() for part in key.split(".")[1].split("_"))
    paths = [""]
    if kind == "array":
        paths += [f"[{n}].{name}" for n, item in enumerate(value) for name in item]
    citations = [{**pattern["citations"][0], "itemPath": path} for path in paths]
    return {
        **pattern,
        "fieldKey": key,
        "label": label,
        "category": key.split(".")[0].capitalize(),
        "valueType": kind,
        "rawValue": value,
        "value": str(value),
        "citations": citations if is_placed else [],
    }


@pytest.fixture(scope="module")
def claims(model: ReadModel) -> dict[str, Values]:
    """Every claim's values by key, and under `placed` the keys whose place is known."""
    found = {}
    for path in (Path(model.store.root) / "viewer_dataset").glob("*/data.json"):
        dataset = json.loads(path.read_text())
        values = {field["fieldKey"]: field["rawValue"] for field in dataset["fields"]}
        placed = {field["fieldKey"] for field in dataset["fields"] if field["citations"]}
        found[dataset["claimId"]] = {**values, "placed": placed}
    return found


PAID, RESERVE, INJURY = "financials.total_paid", "financials.reserve", "metadata.date_of_injury"
STATUS, EXAMINER, LITIGATED = "metadata.claim_status", "metadata.examiner_name", "litigation.is_litigated"


NOWHERE = object()
"""A value whose place is not known, where it decides whether a claim is counted."""


def known(key: str, test: Callable[[Any], bool]) -> Test:
    return lambda values: key in values and values[key] is not NOWHERE and test(values[key])


def conditions(chance: random.Random) -> Iterator[tuple[str, Test]]:
    """A condition in words and what it means, written down independently of the grammar."""
    while True:
        sum_ = chance.randrange(0, 9_000)
        high = sum_ + chance.randrange(0, 4_000)
        year = chance.randrange(2018, 2026)
        status, examiner = chance.choice(STATUSES), chance.choice(EXAMINERS)
        yield from (
            (f"total paid over {sum_}", known(PAID, lambda v, s=sum_: v > s)),
            (f"total paid not over ${sum_:,}", known(PAID, lambda v, s=sum_: v <= s)),
            (
                f"reserve between {sum_} and {high}",
                known(RESERVE, lambda v, s=sum_, h=high: s <= v <= h),
            ),
            (f"reserve is {sum_} or more", known(RESERVE, lambda v, s=sum_: v >= s)),
            (f"date of injury in {year}", known(INJURY, lambda v, y=year: v[:4] == str(y))),
            (f"date of injury after {year}", known(INJURY, lambda v, y=year: v > f"{y}-12-31")),
            (f"date of injury before {year}", known(INJURY, lambda v, y=year: v < f"{y}-01-01")),
            (f"claim status is {status}", known(STATUS, lambda v, s=status: v == s)),
            (f"claim status is not {status}", known(STATUS, lambda v, s=status: v != s)),
            (
                "claim status is open or reopened",
                known(STATUS, lambda v: v in ("open", "reopened")),
            ),
            (f'examiner name is "{examiner}"', known(EXAMINER, lambda v, e=examiner: v == e)),
            ("examiner name contains smith", known(EXAMINER, lambda v: "Smith" in v)),
            ("litigated", known(LITIGATED, lambda v: v is True)),
            ("is not litigated", known(LITIGATED, lambda v: v is False)),
            ("reserve is missing", lambda values: RESERVE not in values),
        )


def cases() -> list[tuple[str, str, str, Test, str | None]]:
    chance = random.Random(7)
    drawn = conditions(chance)
    listed: list[tuple[str, str, str, Test, str | None]] = []
    fields = {"sum": (PAID, RESERVE), "average": (PAID, RESERVE), "count": (PAID, STATUS, LITIGATED)}
    for number in range(200):
        operation = ("sum", "count", "average", "min", "max")[number % 5]
        field = chance.choice(fields.get(operation, (PAID, RESERVE, INJURY)))
        group = chance.choice((None, None, STATUS, LITIGATED, EXAMINER))
        text, test = next(drawn)
        for _ in range(number % 3):
            more, second = next(drawn)
            joiner = chance.choice(("and", "or"))
            text, test = f"({text}) {joiner} ({more})", _join(test, second, joiner)
        listed.append((operation, field, text, test, group))
    return listed


def _join(first: Test, second: Test, joiner: str) -> Test:
    if joiner == "and":
        return lambda values: first(values) and second(values)
    return lambda values: first(values) or second(values)


def expected(
    claims: dict[str, Values], operation: str, field: str, test: Test, group: str | None
) -> dict[str | None, Any]:
    groups: dict[str | None, list[Any]] = {}
    for values in claims.values():
        sure = {key: value if key in values["placed"] else NOWHERE for key, value in values.items()}
        if field in values and test(values):
            name = None
            if group is not None:
                name = {True: "yes", False: "no"}.get(values.get(group), values.get(group)) or NO_GROUP
            is_sure = test(sure) and (group not in values or group in values["placed"])
            groups.setdefault(name, []).append((values[field], is_sure and field in values["placed"]))
    return {
        name: compute(operation, [v for v, placed in listed if placed]) for name, listed in groups.items()
    }


def compute(operation: str, values: list[Any]) -> Any:
    if operation == "count":
        return len(values)
    if not values:
        return None
    if operation in ("min", "max"):
        return {"min": min, "max": max}[operation](values)
    total = sum(Decimal(str(value)) for value in values)
    return float(total if operation == "sum" else total / len(values))


def test_two_hundred_aggregates_equal_an_independent_computation(
    model: ReadModel, claims: dict[str, Values]
) -> None:
    telling = 0
    for operation, field, text, test, group in cases():
        answer = aggregate_field(model, operation, field, where=text, group_by=group)
        wanted = expected(claims, operation, field, test, group)
        found = {view.group: view.value for view in answer.groups}
        telling += bool(wanted)
        if not wanted:
            assert found == {None: 0 if operation == "count" else None}, text
            continue
        assert set(found) == set(wanted), text
        for name, value in wanted.items():
            if isinstance(value, float):
                assert found[name] == pytest.approx(value, abs=1e-6), (operation, field, text, group)
            else:
                assert found[name] == value, (operation, field, text, group)
    assert telling > 150  # most of the conditions leave something to compute with


def test_what_is_said_of_a_lists_items_must_hold_of_one_item(
    model: ReadModel, claims: dict[str, Values]
) -> None:
    found = aggregate_field(model, "sum", "liens.filed_liens.amount", where="filed liens status is open")
    liens = [
        lien
        for values in claims.values()
        for lien in values.get("liens.filed_liens", ())
        if "liens.filed_liens" in values["placed"]
    ]
    assert found.groups[0].value == sum(lien["amount"] for lien in liens if lien["status"] == "open")
    both = aggregate_field(
        model, "count", STATUS, where="filed liens status is open and filed liens amount over 4000"
    )
    wanted = [
        values
        for values in claims.values()
        if {STATUS, "liens.filed_liens"} <= values["placed"]
        and any(
            lien["status"] == "open" and lien["amount"] > 4_000
            for lien in values.get("liens.filed_liens", ())
        )
    ]
    assert both.groups[0].value == len(wanted)


def test_groups_come_in_the_order_asked_for(model: ReadModel) -> None:
    answer = aggregate_field(model, "sum", PAID, group_by=STATUS, order="value_desc")
    values = [view.value for view in answer.groups]
    assert values == sorted(values, reverse=True)
    assert len(values) == 4


@pytest.mark.parametrize(
    ("operation", "field", "options", "argument"),
    [
        ("sum", STATUS, {}, "field"),
        ("average", INJURY, {}, "field"),
        ("sum", "liens.filed_liens", {}, "field"),
        ("sum", "total padi", {}, "field"),
        ("sum", PAID, {"group_by": "filed liens"}, "group_by"),
        ("sum", PAID, {"group_by": "moon"}, "group_by"),
        ("sum", PAID, {"where": "moon is full"}, "where"),
        ("sum", PAID, {"where": "reserve over 5 sorted by reserve"}, "where"),
    ],
)
def test_what_cannot_be_computed_is_refused_by_the_arguments_name(
    model: ReadModel, operation: Any, field: str, options: dict[str, str], argument: str
) -> None:
    with pytest.raises(NotUnderstoodError) as refused:
        aggregate_field(model, operation, field, **options)
    assert refused.value.argument == argument
    assert refused.value.remedy
