"""Measures the embedded parser against the targets of its issue, with the named peers in the same run.

    .venv/bin/python benchmarks/parsing.py [--only words,speed,tables,blocks] [--files N] [--exceptions N]

Needs poppler-utils (the referee), and uv for the peers' environment, which is made once from
`benchmarks/peers.lock`. Files come from the `shared` folder beside the project.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

import numpy as np
from parsing_drawn import Drawn, drawn_documents
from parsing_referee import WordScore, compare, referee_pages
from parsing_tables import f1, score, truth_tables

PROJECT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(PROJECT))

from citation_pipeline.adapters.pdfium.documents import parse_pdf  # noqa: E402
from citation_pipeline.core.documents.parsed import BLOCK_TYPES, ParsedDocument, SourceDocument  # noqa: E402
from citation_pipeline.core.layout.tables import tables_of  # noqa: E402

SHARED = PROJECT.parent / "shared"
PEERS = Path(tempfile.gettempdir()) / "citation-pipeline-peers"


def parse(name: str, data: bytes) -> ParsedDocument:
    return parse_pdf(SourceDocument(name, name, name, "", "application/pdf", len(data)), data)


def corpus(limit: int | None) -> list[Path]:
    found = sorted((SHARED / "corpus" / "pdfs").rglob("*.pdf"))
    found += sorted((SHARED / "claims").glob("*/documents/*.pdf"))
    return found[:limit]


def peers_python() -> Path:
    """Return the interpreter of the peers' environment, made on first use."""
    python = PEERS / "bin" / "python"
    if not python.exists():
        subprocess.run(["uv", "venv", "--quiet", "--python", "3.11", str(PEERS)], check=True)
        install = ["uv", "pip", "install", "--quiet", "--python", str(python), "-r"]
        subprocess.run([*install, str(PROJECT / "benchmarks" / "peers.lock")], check=True)
    return python


def run_engine(engine: str, files: list[Path]) -> tuple[dict[str, dict], float]:
    """Run one engine over the files in its own process: answers by file, and peak memory in MB."""
    python = sys.executable if engine.startswith("ours") else str(peers_python())
    done = subprocess.run(
        [python, str(PROJECT / "benchmarks" / "parsing_engines.py"), engine],
        input=json.dumps([str(path) for path in files]),
        capture_output=True,
        text=True,
        check=False,
        cwd=PROJECT,
        env={"PYTHONPATH": str(PROJECT), "PATH": "/usr/bin:/bin", "OMP_NUM_THREADS": "1"},
    )
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    peak = next((line["peak_mb"] for line in lines if "peak_mb" in line), float("nan"))
    if np.isnan(peak):
        print(f"  {engine}: its process died with {done.returncode}: {done.stderr[-300:]}")
    return {line["file"]: line for line in lines if "file" in line}, peak


def measure_speed(files: list[Path]) -> dict[str, dict]:
    """Print pages per CPU second over the files that every engine opened; return pdfplumber's answers."""
    print("\nSpeed and memory (one process an engine, CPU seconds)")
    answers, peaks = {}, {}
    for engine in ("ours-words", "ours", "pdfplumber", "pdftext"):
        answers[engine], peaks[engine] = run_engine(engine, files)
    common = [
        str(path) for path in files if all(answers[e].get(str(path), {}).get("pages", 0) > 0 for e in answers)
    ]
    rates = {}
    for engine, found in answers.items():
        pages = sum(found[name]["pages"] for name in common)
        rates[engine] = pages / sum(found[name]["seconds"] for name in common)
        failed = sum(1 for answer in found.values() if not answer["pages"])
        print(
            f"  {engine:12s} {rates[engine]:7.1f} pages/CPU-s over {pages} pages of {len(common)} files; "
            f"{failed} files not read; peak {peaks[engine]:.0f} MB"
        )
    print(f"  words alone / pdfplumber          {rates['ours-words'] / rates['pdfplumber']:.1f}  (target 10)")
    print(f"  blocks and tables / pdfplumber    {rates['ours'] / rates['pdfplumber']:.1f}  (target 5)")
    print(f"  blocks and tables / pdftext       {rates['ours'] / rates['pdftext']:.2f}  (target 1)")
    reasons = Counter(a["error"] for a in answers["ours"].values() if a.get("error"))
    print(f"  our refusals by reason: {dict(reasons)}")
    return answers["pdfplumber"]


def measure_words(files: list[Path], witness: dict[str, dict], *, exceptions: int) -> None:
    """Print recall, precision and IoU against the referee.

    Over all pages with a text layer, and over those where a second engine of another make (pdfplumber)
    agrees with the referee on at least half of its words, and those are words rather than letters:
    elsewhere the referee itself misreads (mirrored and vertical text, fonts with private encodings).
    """
    everything, agreed = WordScore(), WordScore()
    outside = pages = 0
    worst: list[tuple[int, str, WordScore]] = []
    for path in files:
        referee = referee_pages(path)
        if referee is None:
            continue
        document = parse(path.name, path.read_bytes())
        ours = words_by_page(document)
        outside += sum(min(w[1:3]) < -1e-6 or max(w[3:]) > 1 + 1e-6 for page in ours for w in page)
        seconds = witness.get(str(path), {}).get("boxes", [])
        for number, (own, truth) in enumerate(zip(ours, referee, strict=False)):
            if not truth:
                continue
            found = compare(own, truth)
            everything.add(found)
            differing = found.referee + found.ours - 2 * found.matched
            worst.append((differing, f"{path.name} page {number + 1}", found))
            second = [tuple(word) for word in seconds[number]] if number < len(seconds) else []
            letters = sum(len(word[0]) == 1 for word in truth) > 0.5 * len(truth)
            if compare(second, truth).recall >= 0.5 and not letters:
                agreed.add(found)
                pages += 1
    print("\nWords against pdftotext -bbox")
    for name, total in (("all pages", everything), (f"{pages} pages with a witness", agreed)):
        print(
            f"  {name:28s} recall {total.recall:.4f}  precision {total.precision:.4f}  "
            f"median IoU {total.median_iou:.4f}  ({total.referee} words)"
        )
    print(f"  outside the page: {outside}   (targets 0.985, 0.99, 0.99, 0)")
    name_exceptions(worst, exceptions)


def name_exceptions(pages: list[tuple[int, str, WordScore]], count: int) -> None:
    """Print the pages that cost the most words, and what all the other pages together have."""
    pages = sorted(pages, key=lambda page: -page[0])
    named, others = [page for page in pages[:count] if page[0]], WordScore()
    for _, _, found in pages[len(named) :]:
        others.add(found)
    for differing, name, found in named:
        print(
            f"    {name}: {differing} words differ; recall {found.recall:.3f} of {found.referee}, "
            f"precision {found.precision:.3f} of {found.ours}"
        )
    print(
        f"  all {len(pages) - len(named)} pages but these: recall {others.recall:.4f}  "
        f"precision {others.precision:.4f}"
    )


def words_by_page(document: ParsedDocument) -> list[list[tuple]]:
    found: list[list[tuple]] = [[] for _ in document.pages]
    words = document.words
    for text, page, (left, top, width, height) in zip(
        words.texts, words.page.tolist(), words.boxes.tolist(), strict=True
    ):
        found[page - 1].append((text, left, top, left + width, top + height))
    return found


def measure_tables(drawn: list[Drawn]) -> None:
    total, scores = np.zeros(3, int), []
    for path in sorted((SHARED / "corpus" / "tables").glob("*.pdf")):
        truth = truth_tables(path.with_name(path.stem + "-str.xml"))
        found = score(truth, cells_of(parse(path.name, path.read_bytes())))
        total += found
        scores.append(f1(*found))
    print("\nTables, cell adjacency")
    print(
        f"  ICDAR 2013, {len(scores)} files: F1 {f1(*total):.3f} over all relations, "
        f"{np.mean(scores):.3f} mean of files  (target 0.80)"
    )
    for ruled in ("full", "rows", "none"):
        total = np.zeros(3, int)
        for document in drawn:
            if f"ledger-{ruled}" in document.name:
                total += score(document.tables, cells_of(parse(document.name, document.data)))
        target = "  (target 0.95)" if ruled == "full" else ""
        print(f"  drawn by us, rules: {ruled:5s} F1 {f1(*total):.3f}{target}")


def cells_of(document: ParsedDocument) -> list[list[tuple]]:
    return [
        [(c.row, c.column, c.rowspan, c.colspan, c.text) for c in table.cells]
        for table in tables_of(document)
    ]


def measure_blocks(drawn: list[Drawn]) -> None:
    """Print how many drawn blocks come back whole under their type, and whether their order holds."""
    right, wrong, wanted, pages = Counter(), Counter(), Counter(), 0
    inversions = pairs = 0
    for truth in drawn:
        document = parse(truth.name, truth.data)
        for number, expected in enumerate(truth.blocks, start=1):
            pages += 1
            blocks = [block for block in document.blocks if block.page == number]
            positions = []
            free = list(range(len(blocks)))
            for kind, text in expected:
                wanted[kind] += 1
                at = next((i for i in free if begins(blocks[i], kind, text)), None)
                if at is None:
                    wrong[kind, "missing"] += 1
                    continue
                free.remove(at)
                positions.append(at)
                if blocks[at].type == kind:
                    right[kind] += 1
                else:
                    wrong[kind, blocks[at].type] += 1
            for i, a in enumerate(positions):
                pairs += len(positions) - i - 1
                inversions += sum(b < a for b in positions[i + 1 :])
    print(f"\nBlocks, {pages} drawn pages")
    print(f"  label accuracy {right.total() / wanted.total():.3f} of {wanted.total()} blocks")
    print(f"  pairs in order {1 - inversions / max(pairs, 1):.4f}")
    for kind, count in wanted.most_common():
        print(f"    {kind:15s} {right[kind] / count:.3f} of {count}")
    print(f"  confusions: {wrong.most_common(8)}")


FITTING = {
    "kv": {"Key Value", "Table", "Header"},
    "form": {"Key Value", "Table"},
    "checkbox": {"Key Value", "List Item", "Table"},
    "table": {"Table"},
    "list": {"List Item", "Text", "Table", "Key Value"},
    "para": {"Text", "List Item", "Table", "Key Value"},
}
"""Types under which a printed unit of the claims may come back, by how its drawer laid it out."""


def measure_claims() -> None:
    """Print whether the claims' printed units stand in one block, in one run of words, under a fitting type.

    Their drawer recorded every unit's boxes; pages without a text layer are the recognizer's to answer for.
    """
    whole, one_block, one_run, fitting, same = Counter(), Counter(), Counter(), Counter(), 0
    pages: set[tuple[str, int]] = set()
    for claim in sorted((SHARED / "claims").glob("claim_*")):
        truth = json.loads((claim / "truth.json").read_text(encoding="utf-8"))
        documents: dict[str, ParsedDocument] = {}
        for field in truth["fields"].values():
            for citation in field["citations"]:
                if citation["scanned"]:
                    continue
                name, kind = citation["file"], citation["layout"]
                if name not in documents:
                    documents[name] = parse(name, (claim / "documents" / name).read_bytes())
                document = documents[name]
                ids = [i for i in words_in(document, citation) if "...." not in document.words.texts[i]]
                if not ids:
                    continue
                pages.add((name, citation["page"]))
                gap = [t for t in document.words.texts[ids[0] : ids[-1] + 1] if "...." not in t]
                found = {int(document.words.block[i]) for i in ids}
                whole[kind] += 1
                one_block[kind] += len(found) == 1
                one_run[kind] += len(gap) == len(ids)
                fitting[kind] += all(document.blocks[b].type in FITTING.get(kind, BLOCK_TYPES) for b in found)
                printed = "".join(document.words.texts[i] for i in ids)
                same += printed == "".join(citation["text"].split())
    total = whole.total()
    print(f"\nPrinted units of the claims: {total} on {len(pages)} pages with a text layer")
    print(f"  words exactly as printed {same / total:.3f}")
    for name, found in (("one run of words", one_run), ("one block", one_block), ("fitting type", fitting)):
        shares = "  ".join(f"{kind} {found[kind] / whole[kind]:.2f}" for kind, _ in whole.most_common(6))
        print(f"  {name:18s} {found.total() / total:.3f}   {shares}")


def words_in(document: ParsedDocument, citation: dict) -> list[int]:
    left, top, width, height = document.words.boxes.T
    x, y = left + width / 2, top + height / 2
    inside = np.zeros(len(document.words), bool)
    for box in citation["boxes"]:
        across = (x >= box["left"]) & (x <= box["left"] + box["width"])
        down = (y >= box["top"]) & (y <= box["top"] + box["height"])
        inside |= (document.words.page == citation["page"]) & across & down
    return np.flatnonzero(inside).tolist()


def begins(block, kind: str, text: str) -> bool:
    """Tell whether a block begins with a drawn block's text (a signature has none)."""
    if kind == "Signature":
        return block.type == "Signature"
    return " ".join(block.text.split()).startswith(" ".join(text.split()[:6]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--only", default="speed,words,tables,blocks")
    parser.add_argument("--files", type=int, default=None, help="the first N files only")
    parser.add_argument("--exceptions", type=int, default=25, help="how many of the worst pages to name")
    options = parser.parse_args()
    parts = options.only.split(",")
    files, drawn = corpus(options.files), drawn_documents()
    witness: dict[str, dict] = {}
    if "speed" in parts:
        witness = measure_speed(files)
    elif "words" in parts:
        witness = run_engine("pdfplumber", files)[0]
    if "words" in parts:
        measure_words(files, witness, exceptions=options.exceptions)
    if "tables" in parts:
        measure_tables(drawn)
    if "blocks" in parts:
        measure_blocks(drawn)
        measure_claims()


if __name__ == "__main__":
    main()
