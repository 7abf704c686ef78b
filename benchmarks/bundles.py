"""Boundaries of documents inside one file: bundles composed of the claims' own PDFs, half held back.

    python benchmarks/bundles.py [--split dev|held] [--bundles N] [--fit]

A bundle is 4 to 14 files, drawn by seed, one after another; files of `held` are never in a bundle of `dev`
(by the hash of their name and folder), and other seeds draw them. A page-level boundary is right when a file
begins there; the first page of a bundle counts for nobody. `--fit` prints weights for `parts.py`.
"""

import argparse
import hashlib
import random
from pathlib import Path

import numpy as np

from citation_pipeline.adapters.pdfium.documents import parse_pdf
from citation_pipeline.core.documents.page_traces import PageTrace, trace_pages
from citation_pipeline.core.documents.parsed import SourceDocument
from citation_pipeline.core.documents.parts import WEIGHTS, boundary_evidence

ROOT = Path(__file__).resolve().parent.parent.parent
FOLDERS = ("shared/claims", "dev/claims", "shared/corpus/pdfs")
MOST_PAGES = 12


def traces_of(path: Path) -> list[PageTrace]:
    data = path.read_bytes()
    source = SourceDocument(
        "x", "x", path.name, hashlib.sha256(data).hexdigest(), "application/pdf", len(data)
    )
    document = parse_pdf(source, data, page_limit=60)
    return trace_pages(document)[:MOST_PAGES] if document.error is None and len(document.words) > 20 else []


def files_of(split: str, root: Path) -> list[Path]:
    held = split == "held"
    found: list[Path] = []
    for folder in FOLDERS:
        # the corpus's single pages are no claim's papers: some of them, for variety
        paths = sorted((root / folder).rglob("*.pdf"))
        found += paths[::4] if "corpus" in folder else paths
    return [
        p for p in found if (hashlib.sha256(str(p.relative_to(root)).encode()).digest()[0] % 2 == 0) == held
    ]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--split", choices=("dev", "held"), default="dev")
    parser.add_argument("--bundles", type=int, default=40)
    parser.add_argument("--root", type=Path, default=ROOT)
    parser.add_argument("--fit", action="store_true")
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    chance = random.Random(900 if options.split == "held" else 17)
    files = files_of(options.split, options.root)
    chance.shuffle(files)
    known = {path: traces for path in files if (traces := traces_of(path))}
    names = sorted(known)
    by_folder: dict[Path, list[Path]] = {}
    for path in names:
        by_folder.setdefault(path.parent, []).append(path)
    folders = [paths for folder, paths in by_folder.items() if len(paths) >= 4 and "claims" in str(folder)]
    rows, right, wrong = [], [], []
    for number in range(options.bundles):
        # a real file is of one claim, whose papers share names and numbers: two bundles in three are so
        pool = names if number % 3 == 0 or not folders else chance.choice(folders)
        chosen = chance.sample(pool, min(len(pool), chance.randint(4, 14)))
        before: PageTrace | None = None
        for path in chosen:
            for at, trace in enumerate(known[path]):
                if before is not None:
                    rows.append(boundary_evidence(before, trace))
                    right.append(at == 0)
                    wrong.append(f"{path.name} p{at + 1}")
                before = trace
    table, truth = np.array(rows), np.array(right)
    if options.fit:
        print("WEIGHTS =", fitted(table, truth))
    said = table @ np.array(WEIGHTS) > 0
    hit = int((said & truth).sum())
    precision, recall = hit / max(1, said.sum()), hit / max(1, truth.sum())
    print(
        f"{options.split}: {len(known)} files, {options.bundles} bundles, {len(truth)} pages, "
        f"{int(truth.sum())} boundaries: P {precision:.3f} R {recall:.3f} "
        f"F1 {2 * precision * recall / max(1e-9, precision + recall):.3f}"
    )
    if options.show:
        for at in np.flatnonzero(said != truth):
            print("missed" if truth[at] else "false", wrong[at], table[at].astype(int).tolist())


def fitted(table: np.ndarray, truth: np.ndarray) -> tuple[float, ...]:
    weights = np.zeros(table.shape[1])
    for _ in range(60):
        chances = 1 / (1 + np.exp(-np.clip(table @ weights, -30, 30)))
        slope = table.T @ (truth - chances) - 1.0 * weights
        curve = (table * (chances * (1 - chances))[:, None]).T @ table + 1.0 * np.eye(len(weights))
        weights += np.linalg.solve(curve, slope)
    return tuple(round(float(weight), 2) for weight in weights)


if __name__ == "__main__":
    main()
