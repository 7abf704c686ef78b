"""Resolution measured on whole claims: recorded answers (perfect and sloppy) against their exact truth.

    python benchmarks/resolver_claims.py [--claims DIR] [--cache DIR] [--show]

Documents are parsed with the local parser (kept in --cache), answers replayed, citations scored with the
claims' own `score_citations.py`: page, 80 % of the truth covered, at most three times its area. A claim
without recorded answers is named and left out.
"""

import argparse
import importlib.util
import json
import sys
import time
from collections import Counter
from pathlib import Path
from types import ModuleType
from typing import Any

PROJECT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(PROJECT))

from citation_pipeline.adapters.claim_folders import claim_of_folder, describe_documents, file_of  # noqa: E402
from citation_pipeline.adapters.local_parser.parser import LocalParser  # noqa: E402
from citation_pipeline.core.answers.reading import read_answer  # noqa: E402
from citation_pipeline.core.citations import Citation  # noqa: E402
from citation_pipeline.core.json_schemas.flattening import flatten  # noqa: E402
from citation_pipeline.core.resolution.claims import resolve_claim  # noqa: E402

KINDS = ("perfect", "sloppy")


def answer_file(kind: str) -> str:
    return f"{kind}_extraction.json"


def truth_file(kind: str) -> str:
    return f"{kind}_truth.json"


def recorded_kinds(folder: Path) -> list[str]:
    """Return the kinds of recorded answers that a claim has together with their truth."""
    return [k for k in KINDS if (folder / answer_file(k)).is_file() and (folder / truth_file(k)).is_file()]


def load_scorer(claims: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("score_citations", claims / "score_citations.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def predicted(citation: Citation, files: dict[str, str]) -> dict[str, Any]:
    boxes = [box for region in citation.snippet if region.page == citation.page for box in region.boxes]
    return {
        "field_key": citation.field_key,
        "citation_index": citation.citation_index,
        "status": citation.status.value,
        "file": files.get(citation.source_id, citation.source_id),
        "page": citation.page,
        "boxes": [box.as_dict() for box in boxes],
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--claims", type=Path, default=PROJECT.parent / "shared" / "claims")
    parser.add_argument("--cache", type=Path, default=PROJECT / ".benchmark_cache")
    parser.add_argument("--show", action="store_true", help="name every miss")
    arguments = parser.parse_args()
    scorer = load_scorer(arguments.claims)
    schema_file = PROJECT.parent / "shared" / "schemas" / "workers_comp.json"
    schema = flatten(json.loads(schema_file.read_text()), name="workers_comp")
    with LocalParser(arguments.cache, workers=1) as reader:
        for folder in sorted(path for path in arguments.claims.iterdir() if path.is_dir()):
            kinds = recorded_kinds(folder)
            if not kinds:
                wanted = " or ".join(map(answer_file, KINDS))
                print(f"{folder.name}: left out, it has no recorded answer ({wanted})")
                continue
            claim = claim_of_folder(folder, schema="workers_comp", parser="local", extractor="replay")
            sources = describe_documents(claim)
            documents = reader.parse_many([(source, file_of(claim, source)) for source in sources])
            files = {source.source_id: source.file for source in sources}
            for kind in kinds:
                answer = (folder / answer_file(kind)).read_text()
                extraction = read_answer(answer, schema, source_ids=list(files), extents={})
                started = time.perf_counter()
                citations = resolve_claim(documents, extraction.fields, schema=schema)
                seconds = time.perf_counter() - started
                truth = json.loads((folder / truth_file(kind)).read_text())
                report(scorer, f"{folder.name} {kind}", truth, citations, files, seconds, show=arguments.show)


def report(
    scorer: ModuleType,
    name: str,
    truth: list[dict[str, Any]],
    citations: list[Citation],
    files: dict[str, str],
    seconds: float,
    *,
    show: bool,
) -> None:
    rows = scorer.score(truth, [predicted(citation, files) for citation in citations])
    by_key = {(citation.field_key, citation.citation_index): citation for citation in citations}
    located = [row for row in rows if row["t"]["expect"] == "located"]
    scanned = [row for row in located if row["t"]["scanned"]]
    wrong = [row for row in rows if row["t"]["expect"] == "wrong_source"]
    named = [
        row
        for row in wrong
        if (found := by_key.get((row["t"]["field_key"], row["t"]["citation_index"]))) is not None
        and "wrong_source" in found.warnings
    ]
    absent = Counter(
        (row["t"]["mutation"], "accepted" if row["located"] else "refused")
        for row in rows
        if row["t"]["expect"] == "absent"
    )
    print(
        f"{name}: located {scorer.pct(sum(r['box'] for r in located), len(located))}, scans "
        f"{scorer.pct(sum(r['box'] for r in scanned), len(scanned))}, "
        f"wrong sources named {len(named)}/{len(wrong)}, absent {dict(absent)}, {seconds:.2f} s"
    )
    for row in rows if show else ():
        found = by_key.get((row["t"]["field_key"], row["t"]["citation_index"]))
        expected = row["t"]["expect"]
        right = row["box"] if expected == "located" else (not row["located"])
        if not right or (expected == "wrong_source" and row not in named):
            print(
                "  MISS", row["t"]["field_key"], row["t"]["citation_index"], expected, row["t"]["mutation"],
                row["t"]["file"], row["t"]["page"], row["t"]["layout"], "->",
                found and (found.status.value, found.method, found.source_id, found.page, found.reason),
            )  # fmt: skip


if __name__ == "__main__":
    main()
