"""The rules measured on whole claims: values, places and seconds, claim by claim.

    python benchmarks/extraction.py [FOLDER…] [--show] [--json FILE]

A FOLDER holds `documents/` and `truth.json`; without any, the shared claims and the shipped sample are
measured. Documents are parsed with the embedded parser and recognizer (not counted), answered by rules
(processor seconds of this step alone, warm), resolved, and judged by `core.evaluation`. "box right" is the
claims' own rule for a located citation: page, 80 % of a true unit covered, at most three times its area.
"""

import argparse
import importlib.util
import json
import sys
import time
from pathlib import Path
from types import ModuleType
from typing import Any

PROJECT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(PROJECT))

from citation_pipeline.adapters.claim_folders import claim_of_folder, describe_documents, file_of  # noqa: E402
from citation_pipeline.adapters.ocr.recognized_pages import PageRecognizer  # noqa: E402
from citation_pipeline.adapters.pdfium.documents import parse_pdf  # noqa: E402
from citation_pipeline.adapters.schema_files import load_lexicon, load_schema  # noqa: E402
from citation_pipeline.core.citations import Citation, CitationStatus  # noqa: E402
from citation_pipeline.core.documents.parsed import ParsedDocument  # noqa: E402
from citation_pipeline.core.evaluation.evaluation import Evaluation, evaluate  # noqa: E402
from citation_pipeline.core.evaluation.places import file_name, names_of  # noqa: E402
from citation_pipeline.core.evaluation.reports import as_json  # noqa: E402
from citation_pipeline.core.resolution.claims import resolve_claim  # noqa: E402
from citation_pipeline.core.rules.extraction import extract  # noqa: E402

CLAIMS = PROJECT.parent / "shared" / "claims"
SAMPLE = PROJECT / "data" / "samples" / "sample_claim"


def parse(folder: Path, recognizer: PageRecognizer) -> list[ParsedDocument]:
    claim = claim_of_folder(folder, schema="workers_comp", parser="local", extractor="rules")
    return [
        parse_pdf(source, file_of(claim, source).read_bytes(), recognize_page=recognizer)
        for source in describe_documents(claim)
    ]


def load_scorer() -> ModuleType:
    spec = importlib.util.spec_from_file_location("score_citations", CLAIMS / "score_citations.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def is_box_right(
    citation: Citation, true: list[dict[str, Any]], names: dict[str, str], scorer: ModuleType
) -> bool:
    boxes = [b.as_dict() for r in citation.snippet if r.page == citation.page for b in r.boxes]
    one = names[citation.source_id]
    places = [t for t in true if names.get(file_name(t["file"])) == one and t["page"] == citation.page]
    return any(scorer.fits(place["boxes"], boxes, False) for place in places if place.get("boxes"))


def measure(
    folder: Path, recognizer: PageRecognizer, scorer: ModuleType, *, show: bool
) -> tuple[Evaluation, dict[str, float | None]]:
    truth = json.loads((folder / "truth.json").read_text())
    documents = parse(folder, recognizer)
    schema, lexicon = load_schema("workers_comp"), load_lexicon("workers_comp")
    extract([], schema, lexicon)  # compiles the lexicon, once a process
    started = time.process_time()  # the machine may be busy with others
    extraction = extract(documents, schema, lexicon)
    seconds = time.process_time() - started
    citations = resolve_claim(documents, extraction.fields, schema=schema)
    evaluation = evaluate(truth, extraction.fields, citations, documents)
    names = names_of(documents)
    right_fields = {row.field_key for row in evaluation.fields if row.is_right}
    # a truth may name pages alone
    boxed = {
        key: field["citations"]
        for key, field in truth["fields"].items()
        if key in right_fields and any(place.get("boxes") for place in field["citations"])
    }
    judged = [
        (c, is_box_right(c, boxed[c.field_key], names, scorer))
        for c in citations
        if c.field_key in boxed and c.status is not CitationStatus.UNRESOLVED
    ]
    if show:
        for row in evaluation.fields:
            if not row.is_right:
                print(f"  {row.field_key}: {row.counts}")
        for citation, good in judged:
            if not good:
                print(f"  {citation.citation_id} in {citation.source_id}, page {citation.page}")
    unresolved = sum(c.status is CitationStatus.UNRESOLVED for c in citations)
    return evaluation, {
        "documents": len(documents),
        "seconds": round(seconds, 2),
        "citations": len(citations),
        "unresolved": unresolved,
        "boxes_right": sum(good for _, good in judged) / len(judged) if judged else None,
    }


def shown(share: float | None) -> str:
    """Return a share as a cell; "n/a" where there was nothing to judge."""
    return f"{'n/a':>6}" if share is None else f"{share:6.3f}"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folders", nargs="*", type=Path)
    parser.add_argument("--show", action="store_true", help="name what is not right")
    parser.add_argument("--json", type=Path, help="write all figures there")
    arguments = parser.parse_args()
    folders = arguments.folders or [*sorted(p for p in CLAIMS.iterdir() if p.is_dir()), SAMPLE]
    recognizer, scorer = PageRecognizer(), load_scorer()
    figures: dict[str, Any] = {}
    heads = ("F1", "P", "R", "words", "page", "boxes", "sec")
    print(f"{'claim':14} {' '.join(f'{head:>6}' for head in heads)} unresolved")
    for folder in folders:
        evaluation, more = measure(folder, recognizer, scorer, show=arguments.show)
        values = evaluation.values
        shares = (
            values.f1, values.precision, values.recall, evaluation.word_box_f1, evaluation.page_f1,
            more["boxes_right"],
        )  # fmt: skip
        print(
            f"{folder.name:14} {' '.join(map(shown, shares))}"
            f" {more['seconds']:6.2f} {more['unresolved']}/{more['citations']}"
        )
        figures[folder.name] = {**as_json(evaluation), **more}
    if arguments.json:
        arguments.json.write_text(json.dumps(figures, indent=1))


if __name__ == "__main__":
    main()
