"""A drawn quotation with its truth, and the files of a drawn benchmark."""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.quotations.sheets import Range


@dataclass(frozen=True)
class Case:
    """One quotation.

    `places` are the alternatives, each a list of word ranges; `honest` says that it must be found there,
    else it must not count as found. `flag_ok`: pointing out a difference is right as well.
    """

    document: str
    kind: str
    variant: str
    text: str
    places: tuple[tuple[Range, ...], ...]
    honest: bool
    flag_ok: bool = False
    hint: Mapping[str, Any] | None = None
    optional: tuple[Range, ...] = ()


@dataclass(frozen=True)
class Drawn:
    """Documents and the quotations that were drawn of them."""

    documents: Sequence[Mapping[str, Any]]
    cases: Sequence[Case]


def whole(place: Range) -> tuple[Range, ...]:
    return (place,)


def write(folder: Path, drawn: Iterable[Drawn]) -> dict[str, int]:
    """Write documents/, queries.jsonl and truth.jsonl; return how many quotations there are by kind."""
    (folder / "documents").mkdir(parents=True, exist_ok=True)
    counts: dict[str, int] = {}
    seen: set[str] = set()
    with (folder / "queries.jsonl").open("w") as queries, (folder / "truth.jsonl").open("w") as truth:
        for part in drawn:
            for record in part.documents:
                kept = {name: value for name, value in record.items() if not name.startswith("_")}
                path = folder / "documents" / f"{record['doc_id']}.json"
                path.write_text(json.dumps(kept, ensure_ascii=False))
            for case in part.cases:
                identity = identify(case)
                if identity in seen:
                    continue
                seen.add(identity)
                counts[case.kind] = counts.get(case.kind, 0) + 1
                queries.write(json.dumps(query_line(case, identity), ensure_ascii=False) + "\n")
                truth.write(json.dumps(truth_line(case, identity), ensure_ascii=False) + "\n")
    return counts


def identify(case: Case) -> str:
    said = json.dumps([case.document, case.kind, case.text, case.hint], sort_keys=True)
    return "q" + hashlib.blake2b(said.encode(), digest_size=6).hexdigest()


def query_line(case: Case, identity: str) -> dict[str, Any]:
    line = {"query_id": identity, "doc_id": case.document, "source_id": case.document}
    line["text_snippet"] = case.text
    return line | ({"hint": dict(case.hint)} if case.hint else {})


def truth_line(case: Case, identity: str) -> dict[str, Any]:
    alternatives = [
        {"words": [list(span) for span in place], "optional": [list(span) for span in case.optional]}
        for place in case.places
    ]
    return {
        "query_id": identity,
        "doc_id": case.document,
        "class": case.kind,
        "sub": case.variant,
        "expect": "resolve" if case.honest else "not_resolved",
        "flag_ok": case.flag_ok,
        "alts": alternatives,
    }
