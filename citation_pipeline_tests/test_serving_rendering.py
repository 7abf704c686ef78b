"""Drawing pages: workers that hang or die are replaced, what is drawn is kept within bounds, once each."""

import asyncio
import hashlib
import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pypdfium2 as pdfium
import pypdfium2.raw as raw
import pytest
from PIL import Image
from reportlab.lib.pdfencrypt import StandardEncryption

from citation_pipeline.serving.errors import BusyError, RequestError
from citation_pipeline.serving.evidence.annotations import Highlight
from citation_pipeline.serving.originals import Original
from citation_pipeline.serving.rates import RateLimit
from citation_pipeline.serving.rendering.image_cache import ImageCache
from citation_pipeline.serving.rendering.page_images import WIDTHS, PageImages, snap_width
from citation_pipeline.serving.rendering.pool import RenderPool, TaskError, WorkerFailedError
from citation_pipeline_tests.drawn_pdfs import draw as draw_sheet
from citation_pipeline_tests.viewer_claim import papers


@pytest.fixture(scope="module")
def pool() -> Iterator[RenderPool]:
    pool = RenderPool(workers=1, timeout_s=120)
    yield pool
    pool.close()


@pytest.fixture
def letter(tmp_path: Path) -> Original:
    path = tmp_path / "letter.pdf"
    path.write_bytes(papers.letter()[0])
    return Original(path, "a" * 64, "application/pdf")


def raw_annotations(page: pdfium.PdfPage) -> Iterator[object]:
    for number in range(raw.FPDFPage_GetAnnotCount(page.raw)):
        yield raw.FPDFPage_GetAnnot(page.raw, number)


def draw(pool: RenderPool, path: Path, *, page: int = 1, timeout_s: float | None = None) -> bytes:
    return pool.run(
        "draw_page_image", str(path), str(path), "application/pdf", page, 480, timeout_s=timeout_s
    )


def test_a_file_that_is_no_pdf_and_a_page_that_is_not_there_are_answers_not_crashes(
    pool: RenderPool, letter: Original, tmp_path: Path
) -> None:
    broken = tmp_path / "broken.pdf"
    broken.write_bytes(b"%PDF-1.7 nothing")
    with pytest.raises(TaskError, match="unreadable_document"):
        draw(pool, broken)
    with pytest.raises(TaskError, match="no_such_page"):
        draw(pool, letter.path, page=9)
    assert draw(pool, letter.path).startswith(b"\x89PNG")


def test_a_sealed_pdf_is_drawn_cut_and_annotated_with_the_pipelines_passwords(tmp_path: Path) -> None:
    sealed = tmp_path / "sealed.pdf"
    lock = StandardEncryption("spring", ownerPassword="owner", strength=128)
    sealed.write_bytes(draw_sheet(lambda sheet: sheet.text(60, 100, "sealed"), encrypt=lock))
    sha256 = hashlib.sha256(sealed.read_bytes()).hexdigest()
    without = RenderPool(workers=1, timeout_s=120)
    with pytest.raises(TaskError, match="unreadable_document"):
        draw(without, sealed)
    without.close()
    pool = RenderPool(workers=1, timeout_s=120, passwords=("winter", "spring"))
    assert draw(pool, sealed).startswith(b"\x89PNG")
    assert pool.run("cut_page", str(sealed), sha256, 1, (0.1, 0.1, 0.2, 0.05)).startswith(b"%PDF")
    highlight = Highlight(1, [(0.1, 0.1, 0.2, 0.05)], comment="a field", author="reviewer")
    annotated = pool.run("annotate_file", str(sealed), [highlight])
    pool.close()
    with pdfium.PdfDocument(annotated, password="spring") as document:
        assert len(list(raw_annotations(document[0]))) == 1


def test_a_worker_that_takes_too_long_is_replaced(pool: RenderPool, tmp_path: Path, letter: Original) -> None:
    waiting = tmp_path / "never.txt"
    os.mkfifo(waiting)  # opening it blocks until somebody writes
    with pytest.raises(WorkerFailedError, match="timed_out"):
        pool.run("draw_page_image", str(waiting), "x", "text/plain", 1, 480, timeout_s=0.5)
    assert draw(pool, letter.path)


def test_a_worker_that_dies_is_replaced(pool: RenderPool, tmp_path: Path, letter: Original) -> None:
    waiting = tmp_path / "never.txt"
    os.mkfifo(waiting)
    worker = pool._patient.queue[0]
    worker.run("wake", (), 120)

    def kill() -> None:
        while True:  # writing to the pipe is refused until the worker has opened it
            try:
                os.close(os.open(waiting, os.O_WRONLY | os.O_NONBLOCK))
            except OSError:
                time.sleep(0.01)
            else:
                break
        worker._process.kill()

    killer = threading.Thread(target=kill)
    killer.start()
    with pytest.raises(WorkerFailedError, match="crashed"):
        pool.run("draw_page_image", str(waiting), "x", "text/plain", 1, 480)
    killer.join()
    assert draw(pool, letter.path)


def test_an_endless_page_is_drawn_smaller_instead_of_filling_the_memory(
    pool: RenderPool, tmp_path: Path
) -> None:
    path = tmp_path / "scroll.pdf"
    body = (
        b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n"
        b"2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n"
        b"3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 20 14000]>>endobj\ntrailer<</Root 1 0 R>>"
    )
    path.write_bytes(body)
    drawn = pool.run("draw_page_image", str(path), "x", "application/pdf", 1, 3000)
    (tmp_path / "drawn.png").write_bytes(drawn)
    with Image.open(tmp_path / "drawn.png") as image:
        assert image.width * image.height <= 31_000_000


def test_a_text_file_is_drawn_as_pages_at_the_width_that_was_asked_for(
    pool: RenderPool, tmp_path: Path
) -> None:
    path = tmp_path / "note.txt"
    path.write_text("Claim number HF-2023-0417\n" * 40)
    drawn = pool.run("draw_page_image", str(path), "x", "text/plain", 1, 850)
    (tmp_path / "drawn.png").write_bytes(drawn)
    with Image.open(tmp_path / "drawn.png") as image:
        assert image.width == 850
        assert image.convert("L").getextrema()[0] < 100  # there is ink
    with pytest.raises(TaskError):
        pool.run("draw_page_image", str(path), "x", "text/plain", 99, 850)


def test_ten_readers_of_one_page_cost_one_drawing(pool: RenderPool, letter: Original) -> None:
    class Counting(RenderPool):
        def __init__(self) -> None:
            self.workers, self.patient_workers, self.runs = 1, 1, 0

        def run_quickly(self, task, *arguments):
            self.runs += 1
            return pool.run(task, *arguments)

    counting = Counting()

    async def ask() -> None:
        images = PageImages(
            pool=counting,
            cache=ImageCache(None, max_bytes=0, memory_bytes=10_000_000),
            limit=RateLimit(per_second=1, burst=1),
        )
        await asyncio.gather(*(images.page(letter, page=1, width=470, person="p") for _ in range(10)))
        assert (await images.page(letter, page=1, width=480, person="p")).media_type == "image/png"
        with pytest.raises(BusyError):
            await images.page(letter, page=2, width=480, person="p")

    asyncio.run(ask())
    assert counting.runs == 1


def test_a_page_that_cannot_be_drawn_is_said_to_the_reader(pool: RenderPool, tmp_path: Path) -> None:
    path = tmp_path / "broken.pdf"
    path.write_bytes(b"no")

    async def ask() -> None:
        images = PageImages(
            pool=pool,
            cache=ImageCache(None, max_bytes=0, memory_bytes=1),
            limit=RateLimit(per_second=9, burst=9),
        )
        await images.page(Original(path, "b" * 64, "application/pdf"), page=1, width=480, person="p")

    with pytest.raises(RequestError) as caught:
        asyncio.run(ask())
    assert (caught.value.status, caught.value.code) == (502, "unreadable_document")


def test_the_cache_keeps_its_bounds_and_forgets_the_least_asked_for(tmp_path: Path) -> None:
    cache = ImageCache(tmp_path / "pages", max_bytes=5_000, memory_bytes=2_500)
    for number in range(10):
        cache.put(f"{number:02}-key", bytes(1_000))
        cache.get("00-key")
    kept = sorted(path.name for path in (tmp_path / "pages").rglob("*-key"))
    assert len(kept) == 5
    assert "00-key" in kept
    assert cache.memory_bytes <= 2_500
    again = ImageCache(tmp_path / "pages", max_bytes=5_000, memory_bytes=2_500)
    assert again.get("00-key") == bytes(1_000)
    again.put("zz-key", bytes(1_000))
    assert len(list((tmp_path / "pages").rglob("*-key"))) == 5


def test_widths_are_rounded_up_so_that_nothing_is_blurred() -> None:
    assert snap_width(481) == next(width for width in WIDTHS if width > 480)
    assert snap_width(10_000) == WIDTHS[-1]
