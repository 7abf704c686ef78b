"""A claim's PDFs as one shuffled file: do the rules read the parts as well as the separate files?

    python benchmarks/bundled_claims.py CLAIM_DIR… [--seeds N] [--cache DIR]

CLAIM_DIR holds `documents/` and `truth.json`. Its PDFs that can be read are joined into one file, in an order
drawn by seed; files of other kinds stay beside it. Printed: F1 of the rules' values (the claims' own score)
on the separate files, on the bundle read by its parts, and on the bundle read as one document; then the parts
that were found rightly, all that were found, and the files that were joined.
"""

import argparse
import hashlib
import importlib.util
import io
import json
import random
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

import pypdfium2 as pdfium

PROJECT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(PROJECT))

from citation_pipeline.adapters.claim_folders import claim_of_folder, describe_documents, file_of  # noqa: E402
from citation_pipeline.adapters.file_types import PDF  # noqa: E402
from citation_pipeline.adapters.local_parser.parser import LocalParser  # noqa: E402
from citation_pipeline.adapters.schema_files import load_lexicon, load_schema  # noqa: E402
from citation_pipeline.core.documents.parsed import ParsedDocument, SourceDocument  # noqa: E402
from citation_pipeline.core.documents.parts import find_document_parts  # noqa: E402
from citation_pipeline.core.rules import extraction as rules  # noqa: E402


def parsed_claim(folder: Path, parser: LocalParser) -> list[tuple[ParsedDocument, Path]]:
    claim = claim_of_folder(folder, schema="workers_comp", parser="local", extractor="rules")
    listed = [(source, file_of(claim, source)) for source in describe_documents(claim)]
    return list(zip(parser.parse_many(listed), (path for _, path in listed), strict=True))


def bundle_of(
    documents: Sequence[tuple[ParsedDocument, Path]], seed: int, parser: LocalParser
) -> tuple[list[ParsedDocument], list[int]]:
    """Return the bundle with what stays beside it, and the pages (1-based) that begin a file in it."""
    joined, beside = [], []
    for document, path in documents:
        is_joined = document.is_readable and document.source.media_type == PDF and path.is_file()
        if is_joined and document.source.duplicate_of is None:
            joined.append(path)
        else:
            beside.append(document)
    random.Random(seed).shuffle(joined)
    starts = []
    with pdfium.PdfDocument.new() as whole:
        for path in joined:
            with pdfium.PdfDocument(path) as one:
                starts.append(len(whole) + 1)
                whole.import_pages(one)
        out = io.BytesIO()
        whole.save(out)
    data = out.getvalue()
    source = SourceDocument(
        "bundle", "bundle", "bundle.pdf", hashlib.sha256(data).hexdigest(), PDF, len(data)
    )
    beside = [one for one in beside if one.source.duplicate_of is None]
    return [parser.parse(source, data), *beside], starts


def score(documents: Sequence[ParsedDocument], folder: Path, scorer: ModuleType) -> float:
    schema = load_schema("workers_comp")
    found = rules.extract(documents, schema, load_lexicon("workers_comp"))
    values = {field.field_key: field.value for field in found.fields}
    scores, _, _ = scorer.score(json.loads((folder / "truth.json").read_text(encoding="utf-8")), values)
    return float(scorer.prf([sum(one[at] for one in scores.values()) for at in range(3)])[2])


def scorer_of(folder: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("score", folder / "score_extraction.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def main() -> None:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("folders", nargs="+", type=Path)
    arguments.add_argument("--seeds", type=int, default=1)
    arguments.add_argument("--cache", type=Path)
    options = arguments.parse_args()
    scorer = scorer_of(PROJECT.parent / "shared" / "claims")
    by_parts = rules.split_documents
    print("claim           pages  separate  by parts  as one  parts right/found/joined")
    with LocalParser(options.cache, workers=1) as parser:
        for folder in options.folders:
            documents = parsed_claim(folder, parser)
            whole = score([document for document, _ in documents], folder, scorer)
            for seed in range(options.seeds):
                bundled, starts = bundle_of(documents, seed, parser)
                split = score(bundled, folder, scorer)
                rules.split_documents = iter  # type: ignore[assignment]  # each file as one document
                one = score(bundled, folder, scorer)
                rules.split_documents = by_parts
                found = {part.first_page for part in find_document_parts(bundled[0])}
                print(
                    f"{folder.name:14s}  {len(bundled[0].pages):5d}  {whole:8.3f}  {split:8.3f}  {one:6.3f}  "
                    f"{len(found & set(starts))}/{len(found)}/{len(starts)}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
