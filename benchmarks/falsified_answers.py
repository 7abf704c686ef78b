"""Falsified answers: how many false values of a model would be shown as sure.

    python -m benchmarks.falsified_answers CLAIM_DIR... --store DIR [--seeds N] [--show]

Each claim (`truth.json` beside `documents`) is parsed into the store the first time. Its truth is the honest
answer; for each kind every value that can be is falsified, quoted as it stands: a figure changed, another
day, a choice, yes or no exchanged, a letter of a name, another field's value with its quotation, an older
print, a figure changed in value and quotation. Printed is the share of values with a confidence of 0.95 and
more: of the honest ones it is what a reviewer may pass over, of the others it should be none.
"""

import argparse
import json
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.fit_field_confidence import parsed
from citation_pipeline.adapters.extractors.by_document import read_and_check
from citation_pipeline.adapters.extractors.port import Extractor
from citation_pipeline.adapters.extractors.replay import ReplayExtractor
from citation_pipeline.adapters.schema_files import load_schema
from citation_pipeline.core.answers.replies import StoredReply
from citation_pipeline.core.claims import slug_of
from citation_pipeline.core.consistency.claims import doubt_disagreeing, find_violations
from citation_pipeline.core.documents.parsed import ParsedDocument
from citation_pipeline.core.resolution.claims import resolve_claim
from citation_pipeline.core.resolution.field_confidence import SURE, confidences_of
from citation_pipeline.core.schemas import Schema

Record = dict[str, Any]
Falsify = Callable[[str, Mapping[str, Any], Mapping[str, Record], Schema, random.Random], Record | None]


def main() -> None:
    """Print the share of sure values by kind."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("claims", type=Path, nargs="+")
    parser.add_argument("--store", type=Path, required=True)
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--show", action="store_true", help="the keys of false values that are sure")
    arguments = parser.parse_args()
    schema = load_schema("workers_comp")
    total: Counter[str] = Counter()
    sure: Counter[str] = Counter()
    for folder in arguments.claims:
        truth = json.loads((folder / "truth.json").read_text(encoding="utf-8"))["fields"]
        documents = parsed(folder, arguments.store)
        honest = {
            key: _record(key, said) for key, said in truth.items() if said.get("value") not in (None, [])
        }
        for kind, falsify in KINDS.items():
            for seed in range(arguments.seeds if falsify else 1):
                chance = random.Random(f"{folder.name}{kind}{seed}")
                given, false = dict(honest), []
                for key in honest:
                    record = falsify(key, truth[key], honest, schema, chance) if falsify else honest[key]
                    if record is not None:
                        given[key] = record
                        false.append(key)
                found = sureness(list(given.values()), documents, schema) if false else {}
                wrong = [key for key in false if found.get(key, 0.0) >= SURE]
                total[kind] += len(false)
                sure[kind] += len(wrong)
                if arguments.show and falsify:
                    print(folder.name, kind, *wrong)
    for kind, count in total.items():
        print(f"{kind:12} {count:5} values, sure {sure[kind] / max(count, 1):.3f}")


def sureness(
    records: Sequence[Record], documents: Sequence[ParsedDocument], schema: Schema
) -> dict[str, float]:
    """Return the confidence of each field of an answer that has a value."""
    body = json.dumps({"extractions": records}).encode()
    reply = StoredReply(request_fingerprint="falsified", provider="replay", model="falsified", body=body)
    extractor: Extractor = ReplayExtractor()
    _, extraction = read_and_check(extractor, [reply], documents, schema)
    fields = doubt_disagreeing(extraction.fields, find_violations(schema, extraction.fields, [], {}))
    citations = resolve_claim(documents, fields, schema=schema)
    return {key: one.confidence for key, one in confidences_of(fields, citations).items()}


def _record(key: str, said: Mapping[str, Any]) -> Record:
    return {"field_key": key, "value": said["value"], "citations": list(_quotations(said["citations"]))}


def _quotations(citations: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, str]]:
    for one in citations:
        source = one.get("source_id") or slug_of(Path(one["file"]).stem)
        yield {"source_id": source, "text_snippet": one["text"]}


def _changed_figure(text: str, chance: random.Random) -> str:
    at = chance.choice([number for number, letter in enumerate(text) if letter.isdigit()])
    return text[:at] + chance.choice([digit for digit in "123456789" if digit != text[at]]) + text[at + 1 :]


def _figure(key: str, said: Mapping[str, Any], honest: Any, schema: Schema, chance: random.Random) -> Any:
    if said["type"] != "number":
        return None
    return _record(key, said) | {"value": float(_changed_figure(f"{said['value']:.2f}", chance))}


def _day(key: str, said: Mapping[str, Any], honest: Any, schema: Schema, chance: random.Random) -> Any:
    if said["type"] != "date":
        return None
    year, month, day = map(int, said["value"].split("-"))
    match chance.choice("ymd"):
        case "y":
            year += chance.choice((-1, 1))
        case "m":
            month, day = month % 12 + 1, min(day, 28)
        case _:
            day = day % 27 + 1
    return _record(key, said) | {"value": f"{year}-{month:02}-{day:02}"}


def _answer(key: str, said: Mapping[str, Any], honest: Any, schema: Schema, chance: random.Random) -> Any:
    return _record(key, said) | {"value": not said["value"]} if said["type"] == "boolean" else None


def _choice(key: str, said: Mapping[str, Any], honest: Any, schema: Schema, chance: random.Random) -> Any:
    others = [member for member in schema.by_key[key].enum if member not in (said["value"], None)]
    return _record(key, said) | {"value": chance.choice(others)} if others else None


def _name(key: str, said: Mapping[str, Any], honest: Any, schema: Schema, chance: random.Random) -> Any:
    value = said["value"]
    if said["type"] != "string" or not re.fullmatch(r"[A-Z][\w'’-]+(?: [A-Z][\w'’-]+){1,2}", value):
        return None
    at = chance.choice([number for number, letter in enumerate(value) if letter.islower()])
    letter = chance.choice([one for one in "aeioulnrst" if one != value[at]])
    return _record(key, said) | {"value": value[:at] + letter + value[at + 1 :]}


def _others(
    key: str, said: Mapping[str, Any], honest: Mapping[str, Record], schema: Schema, chance: random.Random
) -> Any:
    kind = schema.by_key[key].value_type
    if kind not in ("date", "number"):
        return None
    rivals = [
        one
        for other, one in honest.items()
        if other != key and schema.by_key[other].value_type == kind and one["value"] != said["value"]
    ]
    return chance.choice(rivals) | {"field_key": key} if rivals else None


def _older(key: str, said: Mapping[str, Any], honest: Any, schema: Schema, chance: random.Random) -> Any:
    prints = [
        (one["value"], place)
        for one in said.get("superseded", ())
        for place in one.get("citations", [one])
        if one.get("value") != said["value"] and "text" in place
    ]
    if not prints:
        return None
    older, place = chance.choice(prints)
    return {"field_key": key, "value": older, "citations": list(_quotations([place]))}


def _both(key: str, said: Mapping[str, Any], honest: Any, schema: Schema, chance: random.Random) -> Any:
    printed = f"{said['value']:,.2f}" if said["type"] == "number" else ""
    for one in _quotations(said["citations"]) if printed else ():
        if printed in one["text_snippet"]:
            changed = _changed_figure(printed, chance)
            quoted = one | {"text_snippet": one["text_snippet"].replace(printed, changed)}
            return {"field_key": key, "value": float(changed.replace(",", "")), "citations": [quoted]}
    return None


KINDS: Mapping[str, Falsify | None] = {
    "honest": None,
    "figure": _figure,
    "day": _day,
    "answer": _answer,
    "choice": _choice,
    "name": _name,
    "other field": _others,
    "older print": _older,
    "both": _both,
}

if __name__ == "__main__":
    main()
