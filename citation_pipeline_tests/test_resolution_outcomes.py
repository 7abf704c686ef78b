"""What the resolution makes of whole claims, changes and doubts, as approved."""

import json
import random
from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

from citation_pipeline.adapters.claude.settings import MODELS, ClaudeSettings
from citation_pipeline.adapters.reducto.options import Connection, ParseOptions
from citation_pipeline.core.boxes import Box
from citation_pipeline.core.citations import Candidate, Citation, CitationStatus, Region
from citation_pipeline.core.extraction import Confidence, ExtractedField, Provenance, Snippet, ValueCandidate
from citation_pipeline.core.json_schemas.flattening import flatten
from citation_pipeline.core.matching.index import DocumentIndex
from citation_pipeline.core.resolution.changes import compare_citations, count_changes
from citation_pipeline.core.resolution.claims import resolve_claim
from citation_pipeline.core.resolution.field_confidence import PARTS, confidences_of
from citation_pipeline.core.resolution.hints import Hints
from citation_pipeline.core.resolution.pins import Pin, place_pin
from citation_pipeline.core.resolution.places import search_places
from citation_pipeline.core.resolution.promotion import (
    PromotionRules,
    compare_values,
    only_signed,
    reasons_to_hold,
)
from citation_pipeline.core.resolution.regions import group_runs
from citation_pipeline_tests.approvals import Approve
from citation_pipeline_tests.typeset import Line, column, typeset

STATUSES = list(CitationStatus)


def drawn_citation(chance: random.Random, key: str, number: int) -> Citation:
    page, left = chance.choice([1, 1, 2]), chance.choice([0.1, 0.11, 0.15, 0.5])
    status = chance.choice([CitationStatus.RESOLVED, *STATUSES])
    box = Box(left, 0.2, 0.2, 0.02)
    regions = (Region(page, (box,)),) if status is not CitationStatus.UNRESOLVED else ()
    candidate = Candidate("letter", page, ((1, 3),), 0.5, "first")
    return Citation(
        citation_id=f"{key}-{number}",
        field_key=key,
        citation_index=number,
        item_path="",
        cited_source_id="letter",
        source_id=chance.choice(["letter", "letter", "note", "memo"]),
        snippet_text=chance.choice(["same", "same", "same", "other"]),
        status=status,
        method=chance.choice(["exact", "aligned", "verified", "verified_moved"]),
        score=0.9,
        confidence=chance.choice([0.2, 0.35, 0.6, 0.95, 0.999]),
        page=page,
        block=regions,
        snippet=regions,
        value=regions if chance.random() < 0.5 else (),
        candidates=(candidate,) * chance.randint(0, 2),
    )


VALUES: Sequence[tuple[Any, str]] = (
    (412.5, "number"),
    (True, "boolean"),
    ("closed", "enum"),
    (["a", "b", "c"], "array"),
    ([], "array"),
    ("Ode", "string"),
    ("one two three four five six seven", "string"),
    ("one two three four five six seven eight", "string"),
    ("2024-03-01", "date"),
    (7, "integer"),
)
CODES = (
    *(
        "value_not_in_snippet",
        "enum_not_in_snippet",
        "snippet_not_in_source",
        "negation_in_snippet",
        "retyped",
    ),
    *("no_negation_in_snippet", "conflicting_values", "other_meaning", "uncited", "odd"),
)


def test_a_value_is_doubted_as_approved(approve: Approve) -> None:
    told = []
    for seed in range(160):
        chance = random.Random(seed)
        value, kind = chance.choice(VALUES)
        field = ExtractedField(
            "a.b",
            value,
            kind,
            confidence=chance.choice([None, *Confidence]),
            provenance=chance.choice(list(Provenance)),
            warnings=tuple(chance.sample(CODES, chance.choice([0, 0, 1, 2]))),
            candidates=(ValueCandidate(chance.choice([value, "else"]), "later"),) * chance.randint(0, 1),
            belief=chance.choice([None, None, 0.5, 0.8, 0.99]),
        )
        citations = [
            drawn_citation(chance, chance.choice(["a.b"] * 5 + ["c"]), n) for n in range(chance.randint(0, 3))
        ]
        found = confidences_of([field, ExtractedField("silent", None, "string")], citations)
        one = found["a.b"]
        told.append(f"{seed}: {list(found)} {one.confidence} {[one.parts[name] for name in PARTS]}")
    approve("resolution/field confidence", told)


def test_a_new_set_is_held_as_approved(approve: Approve) -> None:
    told = []
    for seed in range(120):
        chance = random.Random(seed)
        before = [drawn_citation(chance, "a.b", n) for n in range(chance.choice([1, 3, 12, 40]))]
        after = [
            one if chance.random() < 0.6 else drawn_citation(chance, "a.b", one.citation_index)
            for one in before
        ]
        after = after[: chance.choice([None, None, -1])] + [drawn_citation(chance, "c", 99)]
        changes = compare_citations(before, after)
        rules = chance.choice(
            [PromotionRules(), PromotionRules(keep_verified=False), only_signed(PromotionRules())]
        )
        shown = {key: chance.choice([1, 2, None]) for key in "abcdefghij"[: chance.choice([2, 8, 10])]}
        new = {
            key: value if chance.random() < 0.7 else chance.choice([1, 3, None])
            for key, value in shown.items()
        }
        values = compare_values(
            shown, new, signed=frozenset(chance.sample("abcdefghij", chance.randint(0, 2)))
        )
        located = sum(bool(one.snippet) for one in after)
        misplaced = ["x"] * chance.choice([0, 0, 1, 2])
        told.append(f"{seed}: {json.dumps({k: v for k, v in count_changes(changes).items() if v})} {values}")
        told.append(f"    {[round(one.overlap, 3) for one in changes if one.overlap not in (None, 1.0)]}")
        told.append(f"    {sum(one.is_verified for one in changes)} verified")
        told += [
            f"    {reason}"
            for reason in reasons_to_hold(
                before, changes, rules, located=located, misplaced=misplaced, values=values
            )
        ]
    approve("resolution/promotions", told)


ROWS = [
    ("05/16/2023", "Mileage", "402.29", "paid"),
    ("05/23/2023", "Mileage", "402.29", "paid"),
    ("06/01/2023", "Pharmacy", "17.00", "denied"),
    ("06/01/2023", "Pharmacy", "140.00", "paid"),
]
PROSE = "Dr. Okafor finds the worker stationary as of 03/02/2025. The rate is $412.50 per week, not $421.50."
SCHEMA = flatten(
    {
        "type": "object",
        "properties": {
            "rate": {"type": "number"},
            "day": {"type": "string", "format": "date"},
            "name": {"type": "string"},
            "payments": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "kind": {"type": "string"},
                        "paid": {"type": "number"},
                        "day": {"type": "string"},
                    },
                },
            },
        },
    },
    name="small",
)


def claim_documents() -> list[Any]:
    table = [
        [Line(60.0 + 130 * at, 100 + 24 * n, cell) for at, cell in enumerate(row)]
        for n, row in enumerate(ROWS)
    ]
    header = [Line(60.0 + 130 * at, 76, name) for at, name in enumerate(("Date", "Kind", "Amount", "State"))]
    return [
        typeset(
            "letter", [*column(["RE: Claim ZX-17", PROSE, "- ☒ Yes ☐ No -"]), Line(72, 72, PROSE, page=2)]
        ),
        typeset("ledger", [header, *table]),
        typeset(
            "scan",
            column(["Dr. Okafcr finds tho worker statlonary as of 03/02/2025.", "Thc rate is $412.50"]),
        ),
    ]


QUOTES = (
    *(
        "stationary as of 03/02/2025",
        "rate is $412.50 per week",
        "rate is $421.50 per week",
        "Dr. Okafor finds",
    ),
    *(
        "05/16/2023 Mileage 402.29",
        "Mileage 402.29",
        "402.29",
        "Pharmacy 17.00 paid",
        "Amount 17.00",
        "nowhere at all",
    ),
    *(
        "☒ Yes",
        "☐ Yes",
        "- ☒ Yes ☐ No -",
        "RE: Claim ZX-17 Dr. Okafor",
        "Date: 06/01/2023; Kind: Pharmacy; Amount: 140.00",
    ),
    *(
        "Date: 06/01/2023; Kind: Mileage; Amount: 140.00",
        "Dr. Okafor finds ... $412.50 per week",
        "",
        "$412.50",
    ),
    *(
        "Иванов оплатил 500",
        "Ivanov оплатил 500",
        "Иванов paid 500",
        "王小明 已付 500",
        "小明 未付",
        "уплачено",
        "付 500",
    ),
    *(
        "Петров оплатил 500 руб",
        "- RE: Claim ZX-17 -",
        "RE: Claim - ZX-17",
        "Yes - No",
        "worker stationary -",
    ),
    *("worker stationary", "the worker is stationary", "Pharmacy", "paid", "(412.50)", "ZX-17"),
)


def test_a_claim_is_resolved_as_approved(approve: Approve) -> None:
    documents = claim_documents()
    told = []
    for seed in range(90):
        chance = random.Random(seed)
        source = lambda chance=chance: chance.choice(["letter", "letter", "ledger", "ledger", "scan", "gone"])  # noqa: E731
        fields = []
        for key, values in (
            ("rate", (412.5, 421.5, 9)),
            ("day", ("2025-03-02",)),
            ("name", ("Okafor", "Pharmacy")),
        ):
            snippets = tuple(
                Snippet(source(), chance.choice(QUOTES), n, page=chance.choice([None, 1, 2, 7]))
                for n in range(chance.randint(0, 2))
            )
            fields.append(ExtractedField(key, chance.choice(values), SCHEMA.by_key[key].value_type, snippets))
        paid = [{"kind": row[1], "paid": float(row[2]), "day": row[0]} for row in chance.sample(ROWS, 3)]
        snippets = tuple(
            Snippet(
                "ledger",
                chance.choice([row["kind"], f"{row['paid']:.2f}", "paid"]),
                2 * n + m,
                f"[{n}]{path}",
            )
            for n, row in enumerate(paid)
            for m, path in enumerate(chance.choice([("",), (".kind", ".paid")]))
        )
        fields.append(ExtractedField("payments", paid, "array", snippets))
        pins = []
        if chance.random() < 0.3:
            words = documents[0].words
            pins = [
                Pin(
                    "rate",
                    "letter",
                    documents[0].source.sha256,
                    1,
                    "Claim",
                    (words.box(1),),
                    chance.choice([None, 0, 1]),
                )
            ]
        for one in resolve_claim(documents, fields, schema=SCHEMA, pins=pins):
            boxes = [f"{1000 * b.left:.0f},{1000 * b.top:.0f}" for r in one.value for b in r.boxes]
            others = [(c.source_id, c.word_ranges, c.reason, len(c.boxes)) for c in one.candidates]
            parts = (
                f"{seed} {one.field_key}{one.item_path} {one.cited_source_id}>{one.source_id}",
                f"{one.snippet_text!r} {one.status} {one.method} {one.score:.3f} {one.confidence:.3f}",
                f"p{one.page} {one.word_ranges} {one.text_start}-{one.text_end}",
                f"{one.margin} {one.equal_places} {one.reason}",
                f"{' '.join(one.warnings)} value {boxes} {others}",
            )
            told.append(" ".join(parts))
    approve("resolution/claims", told)


def test_places_of_quotations_are_ranked_as_approved(approve: Approve) -> None:
    told = []
    for document in claim_documents():
        index = DocumentIndex(document)
        for quote in QUOTES:
            for hints in (Hints(), Hints(page=2), Hints(offset=150)):
                search = search_places(index, quote, hints)
                places = [
                    f"{group_runs(place.match.words)} {place.match.method} {place.judgement.status} "
                    f"{place.judgement.score:.3f} {' '.join(place.match.findings.codes)} {place.reason}"
                    for place in search.places[:5]
                ]
                hinted = f"{hints.page} {hints.offset} {search.ties}"
                told.append(f"{document.source.source_id} {quote!r} {hinted}: {places}")
    approve("resolution/places", told)


def test_a_pin_lies_as_approved(approve: Approve) -> None:
    documents = {one.source.source_id: one for one in claim_documents()}
    indexes = {name: DocumentIndex(one) for name, one in documents.items()}
    letter = documents["letter"]
    box = letter.words.box(2)
    told = []
    for source_id in ("letter", "scan", "gone"):
        for sha in (letter.source.sha256, "0" * 64):
            for page, text in ((1, "Claim ZX-17"), (2, "Dr. Okafor finds"), (1, "nowhere")):
                wide = replace(box, width=box.width + 0.2)
                for boxes in ((box,), (wide, box), (replace(box, left=0.9),)):
                    told.append(
                        f"{place_pin(Pin('a', source_id, sha, page, text, boxes), documents, indexes)}"
                    )
    approve("resolution/pins", told)


def test_what_is_set_unless_somebody_sets_it_is_approved(approve: Approve) -> None:
    told = [
        f"claude {name}: {value!r}" for name, value in asdict(ClaudeSettings()).items() if name != "models"
    ]
    told += [f"model {profile}" for profile in MODELS.values()]
    told += [f"reducto {name}: {value!r}" for name, value in asdict(Connection(api_key="key")).items()]
    told += [f"options {name}: {value!r}" for name, value in asdict(ParseOptions()).items()]
    told.append(f"request {json.dumps(ParseOptions().request_body('file'), sort_keys=True)}")
    told.append(f"promotion {PromotionRules()}")
    approve("resolution/settings", told)
