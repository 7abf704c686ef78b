"""Draw quotations as models write them, honest and altered, and measure the resolver on them.

    python -m benchmarks.quotations draw --split dev|held --out DIR [--documents DIR]
    python -m benchmarks.quotations measure DIR [--predictions FILE] [--wrong KIND]

Formats as in the resolver benchmark: documents/, queries.jsonl, truth.jsonl. The sentences are our own
(`wordings/`); `--documents` adds documents of that format, of which noise, long quotations, decoration and
changes are drawn too. What is tuned on `dev` is measured on `held`: the splits share no sentence.
"""

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.quotations import cuts, ellipses, forms, prose, qualifiers, registers, statements
from benchmarks.quotations.cases import Drawn, write
from benchmarks.quotations.scoring import judge, read_lines, summary
from citation_pipeline.core.matching.index import DocumentIndex
from citation_pipeline.core.resolution.queries import read_words, resolve_queries


def drawn(split: str, seed: str, given: Sequence[Mapping[str, Any]]) -> Iterator[Drawn]:
    yield from statements.draw(split, seed)
    yield from prose.draw(split, seed, given)
    yield ellipses.draw(split, seed)
    yield from registers.draw(split, seed)
    yield from forms.draw(split, seed)
    yield from qualifiers.draw(split, seed)
    yield from cuts.draw(split, seed)


def predict(folder: Path) -> list[dict[str, Any]]:
    by_document: dict[str, list[dict[str, Any]]] = {}
    for query in read_lines(folder / "queries.jsonl"):
        by_document.setdefault(query["doc_id"], []).append(query)
    predictions: list[dict[str, Any]] = []
    for document, queries in by_document.items():
        record = json.loads((folder / "documents" / f"{document}.json").read_text())
        predictions += resolve_queries(DocumentIndex(read_words(record)), queries)
    return predictions


def print_wrong(folder: Path, predictions: Sequence[Mapping[str, Any]], kind: str) -> None:
    """Print the quotations of one kind that were not judged as wanted."""
    queries = {query["query_id"]: query for query in read_lines(folder / "queries.jsonl")}
    truth = read_lines(folder / "truth.jsonl")
    for line, outcome in zip(truth, judge(folder, predictions), strict=True):
        if outcome.kind == kind and not outcome.right:
            query = queries[line["query_id"]]
            said = f"{line['doc_id']} {outcome.variant}: {outcome.status} {outcome.overlap:.2f}"
            print(said, repr(query["text_snippet"][:300]), query.get("hint") or "")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    draw = commands.add_parser("draw")
    draw.add_argument("--split", choices=("dev", "held"), default="dev")
    draw.add_argument("--seed", default="", help="another draw of the same sentences")
    draw.add_argument("--out", type=Path, required=True)
    draw.add_argument("--documents", type=Path, help="a folder of documents to draw of as well")
    measure = commands.add_parser("measure")
    measure.add_argument("folder", type=Path)
    measure.add_argument("--predictions", type=Path, help="judge these instead of resolving")
    measure.add_argument("--wrong", help="print what is wrong of this kind")
    arguments = parser.parse_args()
    if arguments.command == "draw":
        files = sorted(arguments.documents.glob("*.json")) if arguments.documents else []
        given = [json.loads(path.read_text()) for path in files]
        counts = write(arguments.out, drawn(arguments.split, arguments.split + arguments.seed, given))
        for kind, count in sorted(counts.items()):
            print(f"{kind:24s} {count:5d}")
        print(f"{sum(counts.values())} quotations")
        return
    folder = arguments.folder
    predictions = read_lines(arguments.predictions) if arguments.predictions else predict(folder)
    if arguments.wrong:
        print_wrong(folder, predictions, arguments.wrong)
    print(summary(judge(folder, predictions)))


if __name__ == "__main__":
    main()
