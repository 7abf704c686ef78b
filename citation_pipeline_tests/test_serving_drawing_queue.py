"""Drawing under attack: a hostile page keeps nobody from an ordinary one, and who leaves waits no more."""

import asyncio
import contextlib
import pickle
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from citation_pipeline.serving.errors import BusyError, RequestError
from citation_pipeline.serving.originals import Original
from citation_pipeline.serving.rates import RateLimit
from citation_pipeline.serving.rendering.drawing_queue import DrawingQueue, TurnedAwayError
from citation_pipeline.serving.rendering.image_cache import ImageCache
from citation_pipeline.serving.rendering.page_images import PageImages
from citation_pipeline.serving.rendering.pool import RenderPool, TaskError, WorkerFailedError
from citation_pipeline_tests.viewer_claim import papers

HOSTILE = Original(Path("hostile.pdf"), "h" * 64, "application/pdf")
ORDINARY = Original(Path("letter.pdf"), "o" * 64, "application/pdf")


class PlannedPool(RenderPool):
    """Draws without processes: hostile pages take `hostile_s`, and too long for the quick workers."""

    def __init__(self, *, workers: int = 2, quick_s: float = 1.0, hostile_s: float = 2.0) -> None:
        self.workers, self.patient_workers, self.quick_s = workers, 1, quick_s
        self._hostile_s = hostile_s
        self.may_draw = threading.Event()
        self.may_draw.set()
        self._lock = threading.Lock()
        self.drawn: list[tuple[str, int]] = []
        self.running = self.most_running = 0

    def run_quickly(self, task, *arguments):
        return self._draw(arguments, self.quick_s)

    def run(self, task, *arguments, timeout_s=None):
        return self._draw(arguments, 20.0)

    def _draw(self, arguments, most_s):
        with self._lock:
            self.running += 1
            self.most_running = max(self.most_running, self.running)
        seconds = self._hostile_s if arguments[1] == HOSTILE.sha256 else 0.01
        time.sleep(min(seconds, most_s))
        assert self.may_draw.wait(120)
        with self._lock:
            self.running -= 1
            self.drawn.append((arguments[1][0], arguments[3]))
        if seconds > most_s or (arguments[1] == HOSTILE.sha256 and most_s > 10):
            raise WorkerFailedError("timed_out")
        return b"\x89PNG"


def images_of(pool: RenderPool) -> PageImages:
    return PageImages(
        pool=pool,
        cache=ImageCache(None, max_bytes=0, memory_bytes=10_000_000),
        limit=RateLimit(per_second=10_000, burst=10_000),
    )


def test_an_ordinary_page_waits_little_while_one_person_reads_hostile_pages() -> None:
    pool = PlannedPool()

    def hostile_drawings() -> int:
        return sum(name == HOSTILE.sha256[0] for name, _ in pool.drawn)

    async def read() -> list[int]:
        images = images_of(pool)
        hostile = [
            asyncio.create_task(images.page(HOSTILE, page=page, width=480, person="curious"))
            for page in range(1, 25)
        ]
        waits = []
        for page in range(1, 21):
            before = hostile_drawings()
            await images.page(ORDINARY, page=page, width=480, person="reviewer")
            waits.append(hostile_drawings() - before)
        for task in hostile:
            task.cancel()
        await asyncio.gather(*hostile, return_exceptions=True)
        return waits

    waits = asyncio.run(read())
    assert max(waits) <= pool.workers + 1  # what was under way, not the 24 hostile pages that asked first
    assert hostile_drawings() < 10


def test_of_one_persons_pages_the_newest_is_drawn_first_and_people_take_turns() -> None:
    pool = PlannedPool(workers=1)

    async def read() -> None:
        images = images_of(pool)
        tasks = [
            asyncio.create_task(images.page(ORDINARY, page=page, width=480, person="one"))
            for page in range(1, 6)
        ]
        await asyncio.sleep(0)
        tasks += [asyncio.create_task(images.page(ORDINARY, page=100, width=480, person="other"))]
        await asyncio.gather(*tasks)

    asyncio.run(read())
    pages = [page for _, page in pool.drawn]
    assert sorted(pages) == [1, 2, 3, 4, 5, 100]
    assert pages.index(100) <= 2  # the other person is not behind the whole pile
    assert pages.index(5) < pages.index(2)


def test_a_reader_who_leaves_takes_the_pages_that_wait_along() -> None:
    pool = PlannedPool(workers=1)
    pool.may_draw.clear()

    async def read() -> None:
        images = images_of(pool)
        tasks = [
            asyncio.create_task(images.page(ORDINARY, page=page, width=480, person="fling"))
            for page in range(1, 51)
        ]
        together = asyncio.create_task(images.page(ORDINARY, page=40, width=480, person="stays"))
        await asyncio.sleep(0.02)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        pool.may_draw.set()
        assert (await together).data  # somebody else still waits for that one

    asyncio.run(read())
    assert len(pool.drawn) < 10


def test_beyond_what_one_person_may_wait_for_the_oldest_wishes_are_turned_away() -> None:
    pool = PlannedPool(workers=1)

    async def read() -> list[object]:
        images = images_of(pool)
        return await asyncio.gather(
            *(images.page(ORDINARY, page=page, width=480, person="fling") for page in range(1, 101)),
            return_exceptions=True,
        )

    answers = asyncio.run(read())
    refused = [page for page, answer in enumerate(answers, start=1) if isinstance(answer, BusyError)]
    assert len(refused) == 100 - len(pool.drawn) > 0
    assert max(refused) < 60  # the newest forty were drawn
    assert not any(isinstance(answer, Exception) and not isinstance(answer, BusyError) for answer in answers)


def test_a_page_that_was_given_up_is_not_tried_again_for_a_while() -> None:
    pool = PlannedPool(quick_s=0.2, hostile_s=0.3)

    async def read() -> None:
        images = images_of(pool)
        for width in (480, 480, 1190):
            with pytest.raises(RequestError, match="given up") as caught:
                await images.page(HOSTILE, page=3, width=width, person="p")
            assert caught.value.status == 502

    asyncio.run(read())
    assert pool.drawn == [("h", 3), ("h", 3)]  # once quickly, once patiently, whatever the width


def test_a_page_is_not_blamed_for_a_worker_that_did_not_start() -> None:
    class LatePool(PlannedPool):
        is_late = True

        def run_quickly(self, task, *arguments):
            if self.is_late:
                raise WorkerFailedError("not_started")
            return super().run_quickly(task, *arguments)

    async def ask_twice() -> bytes:
        pool = LatePool()
        images = images_of(pool)
        with pytest.raises(BusyError):
            await images.page(ORDINARY, page=1, width=480, person="a")
        pool.is_late = False
        return (await images.page(ORDINARY, page=1, width=480, person="a")).data

    assert asyncio.run(ask_twice()) == b"\x89PNG"


def test_turns_are_never_lost_however_waits_end() -> None:
    async def wait_and_leave(queue: DrawingQueue, person: str, seconds: float) -> None:
        async with queue.turn(person):
            await asyncio.sleep(seconds)

    async def play() -> None:
        queue = DrawingQueue(slots=3, most_waiting=4)
        tasks = [
            asyncio.create_task(wait_and_leave(queue, f"p{number % 5}", 0.001 * (number % 3)))
            for number in range(200)
        ]
        for number, task in enumerate(tasks):
            if number % 7 == 0:
                await asyncio.sleep(0)
                task.cancel()
        answers = await asyncio.gather(*tasks, return_exceptions=True)
        assert any(isinstance(answer, TurnedAwayError) for answer in answers)
        for _ in range(3):  # all three turns are there again, at once
            await asyncio.wait_for(queue._wait("last"), 60)
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(queue._wait("one too many"), 0.05)

    asyncio.run(play())


@pytest.fixture
def pool() -> Iterator[RenderPool]:
    pool = RenderPool(workers=1, timeout_s=3, quick_s=0.5)
    yield pool
    pool.close()


def nested_patterns(levels: int) -> bytes:
    """A small PDF whose page is filled with a pattern of patterns of patterns: minutes of drawing."""
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</Pattern<</P 5 0 R>>>>>>",
    ]
    fill = b"/Pattern cs /P scn 0 0 612 792 re f"
    objects.append(b"<</Length %d>>stream\n%s\nendstream" % (len(fill), fill))
    for level in range(levels):
        inner = (
            b"/Resources<</Pattern<</P %d 0 R>>>>" % (6 + level) if level < levels - 1 else b"/Resources<<>>"
        )
        body = b"/Pattern cs /P scn " + b"0 0 9 9 re f " * 10 if level < levels - 1 else b"0 0 m 3 3 l S"
        objects.append(
            b"<</Type/Pattern/PatternType 1/PaintType 1/TilingType 1/BBox[0 0 9 9]/XStep 1.1/YStep 1.1"
            b"/Matrix[.7 .1 -.1 .7 0 0]%s/Length %d>>stream\n%s\nendstream" % (inner, len(body), body)
        )
    out = b"%PDF-1.7\n"
    for number, text in enumerate(objects, start=1):
        out += b"%d 0 obj%s endobj\n" % (number, text)
    return out + b"trailer<</Root 1 0 R>>"


def test_a_page_of_nested_patterns_is_given_up_and_the_next_page_is_drawn(
    pool: RenderPool, tmp_path: Path
) -> None:
    hostile, letter = tmp_path / "hostile.pdf", tmp_path / "letter.pdf"
    hostile.write_bytes(nested_patterns(6))
    letter.write_bytes(papers.letter()[0])
    pool.warm()
    began = time.process_time()
    with pytest.raises(WorkerFailedError, match="timed_out"):
        pool.run_quickly("draw_page_image", str(hostile), "h", "application/pdf", 1, 1190)
    with pytest.raises(WorkerFailedError, match="timed_out"):
        pool.run("draw_page_image", str(hostile), "h", "application/pdf", 1, 1190)
    drawn = pool.run("draw_page_image", str(letter), "l", "application/pdf", 1, 480, timeout_s=120)
    assert drawn.startswith(b"\x89PNG")
    assert time.process_time() - began < 1  # the server itself did nothing of it


class Opener:
    """What a hostile worker would send: its reading would create a file."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self):
        return (Path.touch, (self.path,))


def test_what_a_worker_sends_is_never_unpickled(pool: RenderPool, tmp_path: Path) -> None:
    planted = tmp_path / "planted"
    answers = [pickle.dumps(("done", Opener(planted))), b"e" + pickle.dumps(Opener(planted)), b"ecode_word"]
    worker = pool._patient.queue[0]
    for answer in answers:
        worker.run("wake", (), 120)
        ours, theirs = worker._context.Pipe()
        real, worker._pipe = worker._pipe, ours  # left open: its worker would end with it

        def reply(theirs=theirs, answer=answer) -> None:
            theirs.recv_bytes()
            theirs.send_bytes(answer)

        liar = threading.Thread(target=reply)
        liar.start()
        with contextlib.suppress(TaskError):  # bytes, or a code: nothing that was run
            assert isinstance(pool.run("wake"), bytes)
        liar.join()
        worker.stop()
        real.close()
    assert not planted.exists()


def test_an_answer_that_nobody_asked_for_is_not_taken_for_the_next_page(pool: RenderPool) -> None:
    worker = pool._patient.queue[0]
    worker.run("wake", (), 120)
    process = worker._process
    worker._pipe.send(("wake", (), 10.0))  # its answer will lie in the pipe
    assert worker._pipe.poll(120)
    assert pool.run("wake") == b""
    assert worker._process is not process
