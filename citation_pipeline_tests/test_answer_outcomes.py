"""What answers become, as approved: written values, lists, evidence, denials, merged parts, coverage."""

import json
import random
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from citation_pipeline.adapters.schema_files import load_schema
from citation_pipeline.core.answers.coverage import cover, read_whole
from citation_pipeline.core.answers.evidence import check_evidence
from citation_pipeline.core.answers.items import infer_item_path, is_item_path_of, moved_path
from citation_pipeline.core.answers.json_text import decode_answer
from citation_pipeline.core.answers.merging import merge_extractions
from citation_pipeline.core.answers.placeholders import is_denial, is_placeholder
from citation_pipeline.core.answers.scalars import read_scalar
from citation_pipeline.core.answers.values import read_value
from citation_pipeline.core.answers.vetoes import veto_denied
from citation_pipeline.core.documents.parsed import DocumentError, DocumentStatus, unread_document
from citation_pipeline.core.extraction import (
    AnswerIssue,
    Confidence,
    ExtractedField,
    Extraction,
    PagesRead,
    Snippet,
)
from citation_pipeline.core.json_schemas.flattening import flatten
from citation_pipeline_tests.answer_examples import BROKEN, EVIDENCE, LISTS, PHRASES, WRITTEN
from citation_pipeline_tests.approvals import Approve
from citation_pipeline_tests.negations import DENIALS, FACTS
from citation_pipeline_tests.traps import TRAPS
from citation_pipeline_tests.typeset import Line, source, typeset

TYPES = {
    "string": {},
    "enum": {"enum": ("modified_duty", "full_duty", "off", "3", "AB")},
    "boolean": {},
    "yes only": {"enum": ("true",)},
    "date": {},
    "datetime": {},
    "number": {"about": "wages.rate\nThe rate."},
    "share": {"about": "rating.percent\nThe percent of disability"},
    "integer": {"about": "treatment.visits\nNumber of weekly visits, in weeks, days or hours"},
    "listed": {"enum": ("1", "12", "2.5")},
}
KINDS = {"yes only": "boolean", "share": "number", "listed": "number"}


def short(value: Any) -> str:
    told = json.dumps(value, ensure_ascii=False, default=str)
    return told if len(told) <= 80 else f"{told[:60]}… ({len(told)})"


@pytest.mark.parametrize("kind", TYPES)
def test_a_written_value_is_read_as_approved(kind: str, approve: Approve) -> None:
    lines = []
    for raw in WRITTEN:
        if raw is None:
            continue
        read = read_scalar(raw, KINDS.get(kind, kind), **TYPES[kind])  # type: ignore[arg-type]
        lines.append(f"{short(raw)} -> {short(read.value)} {' '.join(read.codes)}".rstrip())
    approve(f"answers/{kind}", lines)


SCHEMA = flatten(
    {
        "type": "object",
        "properties": {
            "names": {"type": "array", "items": {"type": "string"}},
            "counts": {"type": "array", "items": {"type": "integer"}},
            "states": {"type": "array", "items": {"enum": ["open", "closed"]}},
            "rate": {"type": "number", "minimum": 1, "maximum": 5000},
            "day": {"type": "string", "format": "date"},
            "percent": {"type": "number", "description": "percent"},
            "stage": {"enum": ["modified_duty", "PQME", "closed"]},
            "is_open": {"type": "boolean"},
            "note": {"type": "string"},
            "liens": {
                "type": "array",
                "items": {
                    "type": "object",
                    "required": ["holder"],
                    "properties": {
                        "holder": {"type": "string"},
                        "amount": {"type": "number", "maximum": 900},
                        "days": {"type": "array", "items": {"type": "string", "format": "date"}},
                        "by": {"type": "object", "properties": {"name": {"type": "string"}}},
                    },
                },
            },
        },
    },
    name="small",
)


@pytest.mark.parametrize("key", ["names", "counts", "states", "liens", "rate"])
def test_a_list_is_read_as_approved(key: str, approve: Approve) -> None:
    lines = []
    for raw in LISTS:
        read = read_value(raw, SCHEMA.by_key[key])
        kept = "" if read.kept is None else f" kept {read.kept}"
        lines.append(f"{short(raw)} -> {short(read.value)} {' '.join(read.codes)}{kept}".rstrip())
    approve(f"answers/list of {key}", lines)


def test_words_in_a_values_place_are_told_as_approved(approve: Approve) -> None:
    told = [
        f"{short(phrase)}: {'placeholder ' * is_placeholder(phrase)}{'denial' * is_denial(phrase)}".rstrip()
        for phrase in PHRASES
    ]
    approve("answers/placeholders", told)


def test_a_broken_answer_is_saved_as_approved(approve: Approve) -> None:
    told = []
    for text in BROKEN:
        found = decode_answer(text)
        told.append(f"{short(text)} -> {'whole' if found.is_whole else 'part'} {ascii(list(found.records))}")
    approve("answers/broken", told)


def test_paths_of_items_are_approved(approve: Approve) -> None:
    value = [{"holder": "Ode", "amount": 5, "days": ["2024-03-01"]}, {"holder": "Ann", "amount": 5}, "Bo"]
    paths = (
        "[0]",
        "[2]",
        "[3]",
        "[0].holder",
        "[1].days",
        "[0].days[0]",
        "[0].days[1]",
        "holder",
        "",
        "[a]",
        "[0]x",
    )
    told = [f"{path!r} {is_item_path_of(path, value)} {moved_path(path, (1, 0))!r}" for path in paths]  # type: ignore[arg-type]
    told += [
        f"long {is_item_path_of('[0].' + 'x' * size, [{'x' * size: 1}])}" for size in (90, 100, 101, 600)
    ]
    texts = ("Ode is owed 5", "owed 5", "Ann and Ode", "Bo", "on 03/01/2024", "nobody", "5 to Ann", "Bob")
    told += [f"{text!r} {infer_item_path(text, value)!r}" for text in texts]
    approve("answers/items", told)


TEXT = "alpha beta gamma delta epsilon zeta eta theta iota kappa 17 it is 999999999 on 03/01/2024"
STANDING = (
    *(
        "alpha beta",
        "beta alpha",
        "kappa iota theta eta zeta epsilon delta gamma beta missing",
        "beta 17 alpha",
    ),
    *("iota theta eta zeta epsilon delta gamma beta missing", "beta 18 alpha", "missing", ""),
)


def findings_of(key: str, value: Any, quoted: Sequence[str], text: str) -> list[str]:
    snippets = tuple(Snippet("letter", one, number) for number, one in enumerate(quoted))
    field = ExtractedField(key, value, SCHEMA.by_key[key].value_type, snippets)
    found = check_evidence(Extraction("small", (field,)), SCHEMA, {"letter": text})
    return [one.code if one.citation_index is None else f"{one.code}:{one.citation_index}" for one in found]


def test_evidence_is_judged_as_approved(approve: Approve) -> None:
    told = [
        f"{key} {short(value)} of {'; '.join(quoted)!r}: {findings_of(key, value, quoted, ' '.join(quoted))}"
        for key, value, quoted in EVIDENCE
    ]
    told += [f"standing {text!r}: {findings_of('note', text or 'x', (text,), TEXT)}" for text in STANDING]
    approve("answers/evidence", told)


def vetoed() -> Iterator[str]:
    schema = load_schema("workers_comp")
    planted = [
        (key, True, frame.format(s=subject, p=predicate))
        for key, facts in FACTS.items()
        for subject, predicate in facts[:1]
        for frame in ("{s} was {p}.", "{s}: No", "If {s} was {p}, tell us.", *DENIALS.values())
    ]
    ends = [
        (key, "2024-03-14", sentence)
        for key in ("temporary_disability.start_date", "temporary_disability.end_date")
        for sentence in (
            "TD ended 03/14/2024.",
            "TD began 03/14/2024.",
            "TD paid from 01/02/2024 through 03/14/2024.",
            "TD on 03/14/2024.",
            "TD since last year ended 03/14/2024",
        )
    ]
    sentences = [*planted, *ends, *((trap.field_key, trap.wrong, trap.sentence) for trap in TRAPS)]
    for key, wrong, sentence in sentences:
        target = schema.by_key[key]
        for value in (wrong, not wrong) if isinstance(wrong, bool) else (wrong,):
            given = [value, "Other"] if target.value_type == "array" and not target.items else value
            if target.items:
                given = [{target.items[0].name: value}, {target.items[0].name: "Other"}]
            field = ExtractedField(key, given, target.value_type, (Snippet("letter", sentence),))
            (left,) = veto_denied(
                Extraction("any", (field,)), schema, {"letter": f"To whom. {sentence}"}
            ).fields
            yield f"{key} {short(given)} {sentence!r} -> {short(left.value)} ({len(left.candidates)})"


def vetoed_items() -> Iterator[str]:
    """Lists of which an item is denied: what is left of the items and of their citations' paths."""
    schema = load_schema("workers_comp")
    key = "body_parts.accepted_body_parts"
    target = schema.by_key[key]
    name = target.items[0].name if target.items else ""
    parts = ("neck", "back", "knee")
    for denied in ((), (0,), (1,), (2,), (0, 2), (0, 1, 2)):
        for is_pathed in (True, False):
            snippets = tuple(
                Snippet(
                    "letter",
                    f"The {part} was {'not ' * (number in denied)}accepted.",
                    number,
                    (f"[{number}].{name}" if name else f"[{number}]") if is_pathed else "",
                )
                for number, part in enumerate(parts)
            )
            value = [{name: part} for part in parts] if name else list(parts)
            field = ExtractedField(key, value, target.value_type, snippets)
            (left,) = veto_denied(Extraction("any", (field,)), schema).fields
            cited = [(one.item_path, one.text) for one in left.snippets]
            others = [(short(one.value), [s.item_path for s in one.snippets]) for one in left.candidates]
            yield f"{denied} {is_pathed}: {short(left.value)} {cited} {others}"


def test_what_a_sentence_denies_is_approved(approve: Approve) -> None:
    approve("answers/denied", [*vetoed(), *vetoed_items()])


CHOICES: dict[str, Sequence[Any]] = {
    "rate": (5, 5.0, 7, None),
    "day": ("2024-03-01", "2024-04-01", None),
    "names": (["Ode"], ["ode", "Ann"], [], ["Ann", "Bo"]),
    "liens": (
        [{"holder": "Ode", "amount": 5}],
        [{"holder": "Ode"}, {"holder": "Ann", "amount": 1}],
        [{"holder": "Ode", "amount": 6}],
        [],
        ["Ode"],
    ),
}


def part_of(chance: random.Random) -> Extraction:
    fields = []
    for key, values in CHOICES.items():
        if chance.random() < 0.25:
            continue
        snippets = tuple(
            Snippet(
                chance.choice(["old", "new", "undated"]),
                chance.choice(["x", "y"]),
                n,
                chance.choice(["", "[0]"]),
            )
            for n in range(chance.randint(0, 2))
        )
        fields.append(
            ExtractedField(
                key,
                chance.choice(values),
                SCHEMA.by_key[key].value_type,
                snippets,
                confidence=chance.choice([None, *Confidence]),
                warnings=tuple(chance.sample(["w1", "w2"], chance.randint(0, 2))),
            )
        )
    issues = [
        AnswerIssue(chance.choice(["unanswered", "odd"]), chance.choice(list(CHOICES))) for _ in range(2)
    ]
    return Extraction(
        "small", tuple(fields), tuple(issues), chance.choice(["", "m1"]), chance.choice(["", "p1"])
    )


def test_parts_are_merged_as_approved(approve: Approve) -> None:
    told = []
    for seed in range(60):
        chance = random.Random(seed)
        parts = [part_of(chance) for _ in range(chance.randint(1, 4))]
        merged = merge_extractions(parts, SCHEMA, dates={"old": "2020-01-01", "new": "2024-06-30"})
        told.append(f"{seed}: {merged.model or '-'} {merged.prompt_fingerprint or '-'}")
        for field in merged.fields:
            cited = " ".join(
                f"{s.citation_index}:{s.source_id}:{s.text}{s.item_path}" for s in field.snippets
            )
            told.append(
                f"  {field.field_key} {short(field.value)} {field.confidence} {field.warnings} {cited}"
            )
        told += [
            f"  beaten {c.field_key} {short(c.value)} {c.date} {len(c.snippets)}" for c in merged.conflicts
        ]
        told += [f"  issue {issue.code} {issue.field_key}" for issue in merged.issues]
    approve("answers/merged", told)


def documents() -> list[Any]:
    pages = [Line(72, 72 + 18 * page, f"page {page}", page=page) for page in (1, 2, 4, 5)]
    error = DocumentError("locked", "The file is locked.", "Send it unlocked.")
    unread = [
        unread_document(source(name), status, error, parser="p", parser_version="1")
        for name, status in (("sealed", DocumentStatus.ENCRYPTED), ("empty", DocumentStatus.EMPTY))
    ]
    return [typeset("letter", pages), typeset("note", [Line(72, 72, "one")]), *unread]


def test_what_was_read_is_added_up_as_approved(approve: Approve) -> None:
    told = []
    keys = ["names", "rate", "day"]
    for seed in range(40):
        chance = random.Random(seed)
        reads = [
            PagesRead(
                chance.choice(["letter", "note", "elsewhere"]),
                chance.randint(0, 4),
                chance.randint(1, 7),
                chance.choice([None, ("names",), ("names", "rate")]),
                chance.choice(["read", "refused", "cut"]),
            )
            for _ in range(chance.randint(0, 4))
        ]
        homes = chance.choice([None, {"day": ["note"]}, {"rate": ["sealed"]}])
        found = cover(documents(), reads if seed % 8 else None, keys, only_in=homes)
        told.append(f"{seed}: partial {found.is_partial} {found.unread_source_ids}")
        told += [f"  {key or 'all'} {_unread(one)}" for key, one in found.rows()]
        for key, own in found.fields.items():
            ranges = " ".join(f"{r.source_id}:{r.first_page}-{r.last_page}" for r in own.searched)
            told.append(f"  {key} searched {ranges or 'nothing'}; {' '.join(map(_unread, own.unread))}")
    for code in ("malformed_answer", "odd"):
        made = Extraction("any", (ExtractedField("rate", 5, "number"),), (AnswerIssue(code),))
        told += [f"{code}: {read}" for read in read_whole(documents(), made, keys)]
    approve("answers/coverage", told)


def _unread(one: Any) -> str:
    return f"{one.source_id}:{one.first_page}-{one.last_page}:{one.reason}:{one.by}"
