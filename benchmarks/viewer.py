"""How fast the viewer is, measured in a real Chromium and under 50 readers.

    .venv/bin/python -m benchmarks.viewer [--readers 50] [--json FILE]

Makes two claims with the pipeline's own writers (26 documents; 300 documents of 5,000 pages in all), serves
them from a process of its own, and measures:

- first page visible: navigation start to the first page's image on the screen, nothing cached anywhere
- citation click to highlight: click to the next frame that shows the lit region, over documents
- the large claim: navigation start to its first page
- 50 readers of cached pages: each asks for one page after another, through real sockets
- memory of the server and its drawing processes, before and after drawing 300 pages

Ends with 1 when a goal is missed.
"""

import argparse
import asyncio
import hashlib
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any

import httpx
from playwright.sync_api import Browser, sync_playwright
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen.canvas import Canvas

from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.adapters.tables.document_rows import document_tables
from citation_pipeline.core.boxes import Box
from citation_pipeline.core.citations import Citation, CitationStatus, Region
from citation_pipeline.core.claims import Claim
from citation_pipeline.core.documents.composition import BlockDraft, PageDraft, compose_document
from citation_pipeline.core.documents.parsed import ParsedDocument, SourceDocument
from citation_pipeline.core.extraction import Confidence, ExtractedField
from citation_pipeline.core.json_schemas.flattening import flatten
from citation_pipeline.core.viewer.dataset import build_viewer_dataset

PROJECT = Path(__file__).resolve().parent.parent
CHROMIUM = "/usr/bin/chromium"
ARGUMENTS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
GOALS = {
    "first_page_s": 1.0,
    "click_to_highlight_p95_ms": 100.0,
    "large_claim_first_page_s": 2.0,
    "readers_p95_ms": 500.0,
    "memory_mb": 1500.0,
}
LINE = "the claimant was examined on 03/14/2024 and the rate is $1,182.50 per week as stated above"
LINES, LEFT, SIZE = 26, 60.0, 10.0


def paper(pages: int) -> tuple[bytes, list[BlockDraft]]:
    """A document of full text pages, and what a parser reads from it: 26 lines of 17 words a page."""
    out = BytesIO()
    canvas = Canvas(out, pagesize=(612, 792), invariant=1)
    blocks = []
    for page in range(1, pages + 1):
        canvas.setFont("Helvetica", SIZE)
        lines = []
        for number in range(LINES):
            top, x, line = 70 + 26 * number, LEFT, []
            words = [f"{page}.{number}", *LINE.split(" ")]
            canvas.drawString(LEFT, 792 - top, " ".join(words))
            for word in words:
                width = stringWidth(word, "Helvetica", SIZE)
                line.append((word, Box(x / 612, (top - SIZE * 0.75) / 792, width / 612, SIZE / 792)))
                x += stringWidth(word + " ", "Helvetica", SIZE)
            lines.append(line)
        blocks += [BlockDraft(page, "Text", lines[at : at + 4]) for at in range(0, LINES, 4)]
        canvas.showPage()
    canvas.save()
    return out.getvalue(), blocks


def make_claim(root: Path, claim_id: str, *, documents: int, pages: int, field_count: int = 84) -> None:
    folder = root / "folders" / claim_id
    folder.mkdir(parents=True)
    shapes: dict[int, ParsedDocument] = {}
    data: dict[int, bytes] = {}
    read = []
    for number in range(documents):
        length = pages // documents + (number < pages % documents)
        if length not in shapes:
            data[length], blocks = paper(length)
            blank = SourceDocument("x", "x", "x.pdf", "0" * 64, "application/pdf", 0)
            shapes[length] = compose_document(
                blank, pages=[PageDraft(612, 792)] * length, blocks=blocks, parser="local", parser_version="1"
            )
        content = data[length] + f"\n% document {number}\n".encode()  # another hash, the same pages
        name = f"Document {number:03}"
        (folder / f"{name}.pdf").write_bytes(content)
        source = SourceDocument(
            f"document-{number:03}", name, f"{name}.pdf", hashlib.sha256(content).hexdigest(),
            "application/pdf", len(content),
        )  # fmt: skip
        read.append(replace(shapes[length], source=source))
    schema = flatten(
        {
            "type": "object",
            "properties": {
                f"section_{part}": {
                    "type": "object",
                    "properties": {f"field_{n}": {"type": "string"} for n in range(field_count // 12)},
                }
                for part in range(12)
            },
        },
        name="bench",
    )
    citations = [
        _citation(field.key, index, read[(number * 7 + index * 3) % documents])
        for number, field in enumerate(schema.fields)
        for index in range(3)
    ]
    fields = [ExtractedField(f.key, "03/14/2024", "string", (), Confidence.HIGH) for f in schema.fields]
    store = ClaimStore(root / "store")
    store.register(Claim(claim_id, str(folder), str(folder)))
    store.write_stage("parsed_documents", claim_id, tables=document_tables(claim_id, read), inputs={})
    dataset = build_viewer_dataset(
        claim_id, schema=schema, documents=read, fields=fields, citations=citations
    )
    store.write_viewer_dataset(claim_id, dataset, inputs={})


def _citation(key: str, index: int, document: ParsedDocument) -> Citation:
    block = document.blocks[(hash((key, index)) % len(document.blocks))]
    first = block.word_start
    region = Region(block.page, [document.words.box(first + 6)])
    return Citation(
        f"{key}#{index}", key, index, "", document.source.source_id, document.source.source_id,
        "examined on 03/14/2024", CitationStatus.RESOLVED, "exact", 1.0, 0.97, block.page,
        [Region(block.page, [block.box])], [region], [region],
    )  # fmt: skip


SERVER = """
import sys
if __name__ == "__main__":  # a drawing worker imports this file too, and as little as it does of the command
    from citation_pipeline.adapters.tables.light_arrow import leave_pandas_out
    leave_pandas_out()  # as the command `serve` does
    from citation_pipeline.serving.entry import serve
    from citation_pipeline.serving.settings import ServingSettings
    serve(ServingSettings(sys.argv[1], port=int(sys.argv[2]), renders_per_second=10_000, render_burst=10_000))
"""


@contextmanager
def serving(store: Path, port: int, *, script: str = SERVER) -> Iterator[tuple[str, int]]:
    path = store.parent / "serve.py"
    path.write_text(script)
    environment = {**os.environ, "PYTHONPATH": str(PROJECT)}
    process = subprocess.Popen([sys.executable, str(path), str(store), str(port)], env=environment)
    address = f"http://127.0.0.1:{port}"
    try:
        for _ in range(200):
            try:
                httpx.get(f"{address}/health")
                break
            except httpx.ConnectError:
                time.sleep(0.05)
        time.sleep(1)  # the workers wake up
        yield address, process.pid
    finally:
        process.terminate()
        try:
            process.wait(60)
        except subprocess.TimeoutExpired:  # a busy machine: what was measured stands
            process.kill()


def memory_mb(pid: int) -> float:
    """Proportional memory of a process and all below it: shared pages are counted once."""
    total = 0
    waiting = [pid]
    while waiting:
        process = Path(f"/proc/{waiting.pop()}")
        for task in process.glob("task/*/children"):
            waiting += [int(child) for child in task.read_text().split()]
        for line in (process / "smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                total += int(line.split()[1])
    return total / 1024


def first_page(browser: Browser, url: str) -> float:
    page = browser.new_context(viewport={"width": 1440, "height": 900}).new_page()
    page.goto(url, wait_until="commit")
    page.wait_for_selector(".frame[data-drawn]", state="attached")
    seconds: float = page.evaluate(
        "new Promise((done) => requestAnimationFrame(() => setTimeout(() => done(performance.now() / 1000))))"
    )
    page.context.close()
    return seconds


CLICK = """async ([field, index]) => {
  const badge = document.querySelector(`.card[data-key="${field}"] .badge:nth-child(${index + 1})`);
  document.querySelectorAll('.mark').forEach((mark) => mark.remove());
  const start = performance.now();
  badge.click();
  for (;;) {
    await new Promise(requestAnimationFrame);
    if (document.querySelector('.mark.value')) break;
  }
  await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  const lit = performance.now() - start;
  for (;;) {
    if (document.querySelector('.frame[data-drawn]:has(.mark.value)')) break;
    await new Promise(requestAnimationFrame);
  }
  return [lit, performance.now() - start];
}"""


def clicks(browser: Browser, url: str, *, count: int) -> tuple[list[float], list[float]]:
    """Milliseconds from click to light, and to light on the page's image, each on another document."""
    page = browser.new_context(viewport={"width": 1440, "height": 900}).new_page()
    page.goto(url)
    page.wait_for_selector(".frame[data-drawn]")
    keys = page.eval_on_selector_all(".card", "(cards) => cards.map((card) => card.dataset.key)")
    lit, drawn = [], []
    for number in range(count):
        light, image = page.evaluate(CLICK, [keys[(number * 5) % len(keys)], number % 3])
        lit.append(light)
        drawn.append(image)
    page.context.close()
    return lit, drawn


async def read_pages(address: str, claim: str, *, readers: int, each: int) -> list[float]:
    """Milliseconds of every request of `readers` who turn cached pages as fast as they can."""
    waits: list[float] = []

    async def read(number: int) -> None:
        async with httpx.AsyncClient(base_url=address, timeout=30) as client:
            for turn in range(each):
                source, page = (number + turn) % 26, 1 + turn % 3
                start = time.perf_counter()
                answer = await client.get(
                    f"/api/claims/{claim}/sources/document-{source:03}/pages/{page}/image?w=1190"
                )
                assert answer.status_code == 200, answer.status_code
                waits.append((time.perf_counter() - start) * 1000)

    await asyncio.gather(*(read(number) for number in range(readers)))
    return waits


async def draw_all(address: str, claim: str, *, pages: int) -> float:
    """Seconds to draw pages that nobody asked for yet, four at a time."""
    gate = asyncio.Semaphore(4)
    start = time.perf_counter()

    async def draw(number: int, client: httpx.AsyncClient) -> None:
        async with gate:
            document = f"/api/claims/{claim}/sources/document-{number % 300:03}"
            answer = await client.get(f"{document}/pages/{1 + number // 300}/image?w=1490")
            assert answer.status_code == 200, answer.status_code

    async with httpx.AsyncClient(base_url=address, timeout=60) as client:
        await asyncio.gather(*(draw(number, client) for number in range(pages)))
    return time.perf_counter() - start


def p95(values: list[float]) -> float:
    return statistics.quantiles(values, n=20)[-1]


def look(address: str) -> dict[str, float]:
    """What one person sees, in Chromium."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        small, large = f"{address}/claims/claim-26", f"{address}/claims/claim-300"
        found = {
            "first_page_s": first_page(browser, small),
            "first_page_cached_s": first_page(browser, small),
        }
        lit, drawn = clicks(browser, small, count=60)
        found |= {
            "click_to_highlight_p50_ms": statistics.median(lit),
            "click_to_highlight_p95_ms": p95(lit),
            "click_to_page_and_highlight_p95_ms": p95(drawn),
            "large_claim_first_page_s": first_page(browser, large),
        }
        lit, drawn = clicks(browser, large, count=40)
        found |= {"large_claim_click_p95_ms": p95(lit), "large_claim_click_to_page_p95_ms": p95(drawn)}
        browser.close()
    return found


def measure(root: Path, *, readers: int, port: int) -> dict[str, Any]:
    make_claim(root, "claim-26", documents=26, pages=78)
    start = time.perf_counter()
    make_claim(root, "claim-300", documents=300, pages=5000)
    print(f"made 5,078 pages in {time.perf_counter() - start:.0f} s", file=sys.stderr)
    found: dict[str, Any] = {"readers": readers}
    with serving(root / "store", port) as (address, pid):
        found["memory_at_start_mb"] = memory_mb(pid)
        found |= look(address)
        asyncio.run(read_pages(address, "claim-26", readers=4, each=26 * 3))  # fills the cache
        start = time.perf_counter()
        waits = asyncio.run(read_pages(address, "claim-26", readers=readers, each=20))
        found["readers_requests_per_s"] = len(waits) / (time.perf_counter() - start)
        found["readers_p50_ms"] = statistics.median(waits)
        found["readers_p95_ms"] = p95(waits)
        found["memory_after_readers_mb"] = memory_mb(pid)
        found["draw_300_pages_s"] = asyncio.run(draw_all(address, "claim-300", pages=300))
        found["memory_mb"] = memory_mb(pid)
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description="Measure the viewer.")
    parser.add_argument("--readers", type=int, default=50)
    parser.add_argument("--port", type=int, default=8390)
    parser.add_argument("--json", type=Path)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="viewer-bench-") as folder:
        found = measure(Path(folder), readers=asked.readers, port=asked.port)
    missed = [name for name, goal in GOALS.items() if found[name] > goal]
    for name, value in found.items():
        goal = f"  (goal {GOALS[name]:g}{', missed' if name in missed else ''})" if name in GOALS else ""
        print(f"{name:40} {value:10.2f}{goal}")
    if asked.json:
        asked.json.write_text(json.dumps(found, indent=1) + "\n")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
