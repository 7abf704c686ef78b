"""Tables of every kind against their truth: cell adjacency F1 on drawn pages, scans and ICDAR 2013.

    .venv/bin/python benchmarks/tables.py [--split dev|held] [--each N] [--kinds a,b] [--scans N]
                                          [--peers] [--worst F1]

`dev` may be looked at; of `held` only the figures are printed. `--peers` scores pdfplumber beside it (its own
environment, made from `benchmarks/peers.lock`); `--scans N` reads N pages of each kind as noisy pictures.
"""

import argparse
import json
import subprocess
import tempfile
from collections import defaultdict
from pathlib import Path

import numpy as np
from drawn_tables import DrawnTables, drawn_tables
from parsing import SHARED, cells_of, parse, peers_python
from parsing_tables import f1, relations, score, truth_tables
from PIL import Image

PEER = """
import json, sys, pdfplumber
for line in sys.stdin:
    path, found = line.strip(), []
    with pdfplumber.open(path) as pdf:
        for page in pdf.pages:
            words = {"vertical_strategy": "text", "horizontal_strategy": "text"}
            for table in page.extract_tables() or page.extract_tables(words):
                cells = [(r, c, 1, 1, t or "") for r, row in enumerate(table) for c, t in enumerate(row)]
                found.append(cells)
    print(json.dumps(found), flush=True)
"""


def peer_tables(documents: list[DrawnTables]) -> list[list]:
    """Return pdfplumber's tables of each document: by rules, and by words where it finds none."""
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for at, document in enumerate(documents):
            path = Path(folder) / f"{at}.pdf"
            path.write_bytes(document.data)
            paths.append(str(path))
        done = subprocess.run(
            [str(peers_python()), "-c", PEER],
            input="\n".join(paths),
            capture_output=True,
            text=True,
            check=True,
        )
    return [json.loads(line) for line in done.stdout.splitlines()]


def scanned(document: DrawnTables, seed: int) -> DrawnTables:
    """Return a document as noisy, slightly skewed pictures of its pages."""
    import io

    import pypdfium2 as pdfium

    chance = np.random.default_rng(seed)
    pages = []
    for page in pdfium.PdfDocument(document.data):
        image = page.render(scale=200 / 72).to_pil().convert("L")
        image = image.rotate(
            float(chance.uniform(-0.8, 0.8)), resample=Image.Resampling.BICUBIC, fillcolor=255
        )
        values = np.asarray(image, np.float64) * 0.9 + 12 + chance.normal(0, 12, image.size[::-1])
        pages.append(Image.fromarray(values.clip(0, 255).astype(np.uint8)))
    out = io.BytesIO()
    pages[0].save(out, "PDF", save_all=True, append_images=pages[1:], resolution=200)
    return DrawnTables(document.name, document.kind, out.getvalue(), document.tables)


def report(name: str, rows: dict[str, list[tuple[int, int, int]]]) -> None:
    print(f"\n{name}")
    everything: list[tuple[int, int, int]] = []
    for kind, found in rows.items():
        everything += found
        values = [f1(*one) for one in found]
        print(
            f"  {kind:12s} F1 {f1(*np.sum(found, axis=0)):.3f}  mean of files {np.mean(values):.3f}  "
            f"least {min(values):.3f}  under 0.5: {sum(v < 0.5 for v in values)} of {len(values)}"
        )
    values = [f1(*one) for one in everything]
    print(
        f"  {'all':12s} F1 {f1(*np.sum(everything, axis=0)):.3f}  mean of files {np.mean(values):.3f}", end=""
    )
    print(f"  under 0.5: {sum(v < 0.5 for v in values)} of {len(values)}")


def worst(document: DrawnTables, ours: list) -> None:
    """Print what is missing and what is too much (development only)."""
    want, have = sum((relations(t) for t in document.tables), start=relations([])), relations([])
    for table in ours:
        have += relations(table)
    print(f"  {document.name}: {len(document.tables)} tables, {len(ours)} found")
    print("    missing", list(want - have)[:5])
    print("    extra  ", list(have - want)[:5])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--split", choices=("dev", "held"), default="dev")
    parser.add_argument("--each", type=int, default=12)
    parser.add_argument("--kinds", default="")
    parser.add_argument("--scans", type=int, default=0)
    parser.add_argument("--peers", action="store_true")
    parser.add_argument("--worst", type=float, default=0.0, help="show development files below this F1")
    options = parser.parse_args()
    kinds = [kind for kind in options.kinds.split(",") if kind]
    documents = list(drawn_tables(options.split, options.each, kinds))
    rows: dict[str, list[tuple[int, int, int]]] = defaultdict(list)
    for document in documents:
        ours = cells_of(parse(document.name, document.data))
        rows[document.kind].append(score(document.tables, ours))
        if options.split == "dev" and f1(*rows[document.kind][-1]) < options.worst:
            worst(document, ours)
    report(f"Drawn tables, {options.split}", rows)
    if options.peers:
        theirs: dict[str, list[tuple[int, int, int]]] = defaultdict(list)
        for document, found in zip(documents, peer_tables(documents), strict=True):
            theirs[document.kind].append(score(document.tables, found))
        report("The same, pdfplumber", theirs)
    if options.scans:
        from citation_pipeline.adapters.ocr.recognized_pages import PageRecognizer
        from citation_pipeline.adapters.pdfium.documents import parse_pdf
        from citation_pipeline.core.documents.parsed import SourceDocument

        recognizer = PageRecognizer()
        scans: dict[str, list[tuple[int, int, int]]] = defaultdict(list)
        for seed, document in enumerate(drawn_tables(options.split, options.scans, kinds)):
            data = scanned(document, seed).data
            source = SourceDocument("scan", "scan", "scan.pdf", "", "application/pdf", len(data))
            ours = cells_of(parse_pdf(source, data, recognize_page=recognizer))
            scans[document.kind].append(score(document.tables, ours))
            if options.split == "dev" and f1(*scans[document.kind][-1]) < options.worst:
                worst(document, ours)
        report(f"The same as scans ({options.scans} each)", scans)
    if not kinds:
        icdar: dict[str, list[tuple[int, int, int]]] = defaultdict(list)
        for path in sorted((SHARED / "corpus" / "tables").glob("*.pdf")):
            truth = truth_tables(path.with_name(path.stem + "-str.xml"))
            icdar["ICDAR 2013"].append(score(truth, cells_of(parse(path.name, path.read_bytes()))))
        report("The half of ICDAR 2013 at hand", icdar)


if __name__ == "__main__":
    main()
