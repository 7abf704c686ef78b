"""A scripted day of two reviewers: 60 claims from one queue, in two real Chromium browsers.

    .venv/bin/python -m benchmarks.review_day [--claims 60] [--fields 12] [--pages 1000] [--json FILE]

Each reviewer takes the next claim, looks at a field until value and place have been in view for long enough
to be signed (the viewer's own measure), presses a key, and goes on until nothing waits. Meanwhile the
pipeline writes other values into claims that are open. Afterwards the database is compared with what the two
browsers were shown and told:

- decisions_per_minute: of both together, machine-paced; a person reads as well
- lost_decisions: answered as kept, and not in the database; or a key whose decision was never answered
- false_signatures: kept with another value than the one on the screen when the key was pressed
- not_sent: keys on what had changed a moment before; the viewer sends no decision on these
- lost_from_sight: the open field was not in view for eight seconds, and the queue was opened anew
- refused_as_changed: keys that came after the value had changed; they sign nothing
- scroll_*: one document of so many pages scrolled from its beginning to its end

Ends with 1 when a decision was lost or false, or a goal of memory is missed.
"""

import argparse
import asyncio
import contextlib
import json
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from playwright.async_api import Browser, Page, TimeoutError, async_playwright

from benchmarks.viewer import ARGUMENTS, CHROMIUM, make_claim, memory_mb, serving
from citation_pipeline.adapters.assignments.store import AssignmentStore
from citation_pipeline.adapters.verifications.database import default_url
from citation_pipeline.adapters.verifications.store import VerificationStore
from citation_pipeline.core.review.verifications import Verification

PEOPLE = {"Ada": "ada-secret-of-the-scripted-day", "Ben": "ben-secret-of-the-scripted-day"}
GOALS = {"lost_decisions": 0, "false_signatures": 0, "scroll_server_mb": 400.0, "scroll_browser_mb": 60.0}
CHANGED = "03/15/2024"  # what the pipeline reads later in some claims
_PATIENCE_MS = 120_000
_STUCK_MS = 8_000
_LOCAL_S, _MOST_S = 0.4, 60.0  # until a request is sent, and until it is answered

SERVER = f"""
import sys
if __name__ == "__main__":  # a drawing worker imports this file too, and as little as it does of the command
    from citation_pipeline.adapters.tables.light_arrow import leave_pandas_out
    leave_pandas_out()  # as the command `serve` does
    from citation_pipeline.serving.entry import serve
    from citation_pipeline.serving.settings import AccessToken, Role, ServingSettings
    people = {PEOPLE!r}
    tokens = [AccessToken.of(secret, name=name, role=Role.REVIEWER) for name, secret in people.items()]
    serve(ServingSettings(sys.argv[1], port=int(sys.argv[2]), tokens=tokens, renders_per_second=10_000,
                          render_burst=10_000))
"""
SHOWN = """() => {
  const card = document.querySelector('.card.is-selected');
  if (card?.dataset.seen !== 'true') return null;
  if (!document.querySelector('.frame[data-drawn]:has(.mark.value)')) return null;
  return { claim: document.querySelector('.data-title h1').textContent, key: card.dataset.key,
           value: card.querySelector('.card-value').textContent };
}"""


# the value is read in the same task as the key is pressed: nothing can change in between
PRESS = f"""() => {{
  const shown = ({SHOWN})();
  if (shown) document.querySelector('.card.is-selected .card-head').dispatchEvent(
    new KeyboardEvent('keydown', {{ key: 'c', bubbles: true, cancelable: true }}));
  return shown;
}}"""
MOVED = "(key) => document.querySelector('.card.is-selected')?.dataset.key !== key"
NEXT = """() => {
  const isOpen = document.querySelector('.card.is-selected') && !document.querySelector('.all-done');
  const toasts = [...document.querySelectorAll('.toast')];
  return isOpen || toasts.some((toast) => toast.textContent.includes('Nothing else waits'));
}"""


@dataclass
class Diary:
    """What one browser was shown and told: what was on the screen, the request, its answer."""

    name: str
    sent: list[dict[str, Any]] = field(default_factory=list)
    not_sent: int = 0
    lost_from_sight: int = 0
    took: list[float] = field(default_factory=list)
    claims: int = 0


async def work(browser: Browser, address: str, diary: Diary) -> None:
    """Take claims and decide on their fields until nothing waits."""
    context = await browser.new_context(viewport={"width": 1440, "height": 900})
    signed_in = await context.request.post(
        f"{address}/api/session",
        data={"token": PEOPLE[diary.name]},
        headers={"X-Citation-Viewer": "1"},
    )
    assert signed_in.ok
    page = await context.new_page()
    page.set_default_timeout(_PATIENCE_MS)
    note_requests(page, diary)
    await page.goto(f"{address}/queue")
    await page.get_by_role("button", name="Take the next claim").click()
    while await next_claim_is_open(page):
        diary.claims += 1
        while not await left(page):
            await decide(page, diary)
    await context.close()


async def left(page: Page) -> bool:
    """Go on to the next claim where all of this one is done; a re-run may open a field of it even now."""
    if not await page.locator(".all-done").count():
        return False
    try:
        await page.get_by_role("button", name="Next claim to review").click(timeout=_STUCK_MS)
    except TimeoutError:
        return False
    return True


async def next_claim_is_open(page: Page) -> bool:
    """Wait for the next claim's first field, or for the word that nothing waits."""
    await page.wait_for_function(NEXT)
    return await page.locator(".card.is-selected").count() > 0


async def decide(page: Page, diary: Diary) -> None:
    """Press one key on what is shown, and note the request and its answer."""
    ready = f"() => document.querySelector('.all-done') ? 'done' : ({SHOWN})()"
    try:
        if await (await page.wait_for_function(ready, timeout=_STUCK_MS)).json_value() == "done":
            return
    except TimeoutError:  # what a person does who has lost the field from sight
        await page.keyboard.press("q")
        diary.lost_from_sight += 1
        return
    before, began = len(diary.sent), time.perf_counter()
    shown = await page.evaluate(PRESS)
    if shown is None:  # it changed meanwhile: look again
        return
    while len(diary.sent) == before or diary.sent[-1].get("status") is None:
        if time.perf_counter() - began > (_MOST_S if len(diary.sent) > before else _LOCAL_S):
            # no request: the viewer itself takes no decision on what changed a moment ago
            diary.not_sent += len(diary.sent) == before
            return
        await page.wait_for_timeout(5)
    diary.took.append(time.perf_counter() - began)
    diary.sent[-1] |= shown
    with contextlib.suppress(TimeoutError):
        await page.wait_for_function(MOVED, arg=shown["key"], timeout=2_000)


def note_requests(page: Page, diary: Diary) -> None:
    """Note every decision that the page sends, and its answer."""
    open_requests: dict[Any, dict[str, Any]] = {}

    def note(request: Any) -> None:
        if request.url.endswith("/verifications") and request.method == "POST":
            open_requests[request] = {"sent": request.post_data_json, "status": None}
            diary.sent.append(open_requests[request])

    def answer(response: Any) -> None:
        if response.request in open_requests:
            open_requests[response.request]["status"] = response.status

    page.on("request", note)
    page.on("response", answer)


async def rewrite(store: Path, done: asyncio.Event) -> int:
    """Write other values into the claims that people have open, as a re-run does; tell how many times."""
    assignments, count = AssignmentStore(default_url(store)), 0
    while not done.is_set():
        for claim in assignments.leases():
            path = store / "viewer_dataset" / claim / "data.json"
            dataset = json.loads(path.read_text())
            for one in dataset["fields"][count % 3 :: 3]:
                now = CHANGED if one["value"] != CHANGED else "03/14/2024"
                one |= {"value": now, "rawValue": now}
            draft = path.with_suffix(".draft")
            draft.write_text(json.dumps(dataset))
            draft.replace(path)
            count += 1
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(done.wait(), 2.5)
    assignments.close()
    return count


async def day(address: str, store: Path, claims: Sequence[str]) -> dict[str, Any]:
    diaries = [Diary(name) for name in PEOPLE]
    done = asyncio.Event()
    async with async_playwright() as playwright:
        browsers = [
            await playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS) for _ in diaries
        ]
        rewriting = asyncio.create_task(rewrite(store, done))
        began = time.perf_counter()
        # a value that changes after its review waits again: the day would not end
        limit = asyncio.create_task(asyncio.sleep(len(claims) * 2))
        limit.add_done_callback(lambda _: done.set())
        await asyncio.gather(*(work(b, address, d) for b, d in zip(browsers, diaries, strict=True)))
        minutes = (time.perf_counter() - began) / 60
        done.set()
        limit.cancel()
        rewrites = await rewriting
        for browser in browsers:
            await browser.close()
    kept = events_of(store)
    presses = [press for diary in diaries for press in diary.sent]
    answered = [press for press in presses if press["status"] == 201]
    times = sorted(time for diary in diaries for time in diary.took)
    return {
        "claims": len(claims),
        "claims_taken": sum(diary.claims for diary in diaries),
        "minutes": minutes,
        "decisions": len(answered),
        "decisions_per_minute": len(answered) / minutes,
        "key_to_answer_p95_ms": times[int(0.95 * (len(times) - 1))] * 1000,
        "datasets_made_anew": rewrites,
        "not_sent": sum(diary.not_sent for diary in diaries),
        "lost_from_sight": sum(diary.lost_from_sight for diary in diaries),
        "refused_as_changed": sum(press["status"] == 409 for press in presses),
        "answered_otherwise": sum(press["status"] not in (201, 409) for press in presses),
        "lost_decisions": lost(answered, kept) + sum(p["status"] not in (201, 409) for p in presses),
        "false_signatures": sum(is_false(press, kept) for press in answered),
    }


def events_of(store: Path) -> dict[tuple[str, str], list[Verification]]:
    verifications = VerificationStore(default_url(store))
    found: dict[tuple[str, str], list[Verification]] = {}
    for event in verifications.events_since(""):
        found.setdefault((event.claim_id, event.field_key), []).append(event)
    verifications.close()
    return found


def lost(answered: Sequence[dict[str, Any]], kept: dict[tuple[str, str], list[Verification]]) -> int:
    """Count decisions that were answered as kept and are not in the database, by field."""
    told: dict[tuple[str, str], int] = {}
    for press in answered:
        key = press["claim"], press["sent"]["fieldKey"]
        told[key] = told.get(key, 0) + 1
    return sum(max(0, count - len(kept.get(key, ()))) for key, count in told.items())


def is_false(press: dict[str, Any], kept: dict[tuple[str, str], list[Verification]]) -> bool:
    """Tell whether what was kept is of another field or value than the one on the screen."""
    if press["key"] != press["sent"]["fieldKey"]:
        return True
    events = kept.get((press["claim"], press["key"]), [])
    follows = press["sent"]["seenId"]
    event = next((one for one in events if one.verification_id > follows), None)
    signed = None if event is None else event.value if event.action.value == "correct" else event.seen_value
    return signed != press["value"]


async def scroll(address: str, pid: int, pages: int) -> dict[str, float]:
    """Scroll through one long document, and measure the server and the page's own memory."""
    most_server = most_browser = 0.0
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        context = await browser.new_context(viewport={"width": 1440, "height": 900})
        await context.request.post(
            f"{address}/api/session", data={"token": PEOPLE["Ada"]}, headers={"X-Citation-Viewer": "1"}
        )
        page = await context.new_page()
        await page.goto(f"{address}/claims/long")
        await page.wait_for_selector(".frame[data-drawn]")
        devtools = await context.new_cdp_session(page)
        await devtools.send("Performance.enable")
        began = time.perf_counter()
        for number in range(1, pages + 1, 3):
            await page.evaluate(
                "(n) => { document.querySelector(`.frame[data-page='${n}']`).scrollIntoView(); }", number
            )
            await page.wait_for_timeout(40)
            if number % 60 == 1:
                metrics = (await devtools.send("Performance.getMetrics"))["metrics"]
                heap = next(one["value"] for one in metrics if one["name"] == "JSHeapUsedSize") / 2**20
                most_server, most_browser = max(most_server, memory_mb(pid)), max(most_browser, heap)
        await page.wait_for_selector(f".frame[data-page='{pages - (pages - 1) % 3}'][data-drawn]")
        seconds = time.perf_counter() - began
        await browser.close()
    return {"scroll_s": seconds, "scroll_server_mb": most_server, "scroll_browser_mb": most_browser}


def main() -> int:
    parser = argparse.ArgumentParser(description="Measure a team's day.")
    parser.add_argument("--claims", type=int, default=60)
    parser.add_argument("--fields", type=int, default=12)
    parser.add_argument("--pages", type=int, default=1000)
    parser.add_argument("--port", type=int, default=8391)
    parser.add_argument("--json", type=Path)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="review-day-") as folder:
        root = Path(folder)
        claims = [f"claim-{number:03}" for number in range(asked.claims)]
        for claim in claims:
            make_claim(root, claim, documents=2, pages=4, field_count=asked.fields)
        with serving(root / "store", asked.port, script=SERVER) as (address, _):
            found = asyncio.run(day(address, root / "store", claims))
        if asked.pages:
            make_claim(root, "long", documents=1, pages=asked.pages, field_count=12)
            with serving(root / "store", asked.port, script=SERVER) as (address, pid):
                found |= asyncio.run(scroll(address, pid, asked.pages))
    missed = [name for name, goal in GOALS.items() if found.get(name, 0) > goal]
    for name, value in found.items():
        goal = f"  (goal {GOALS[name]:g}{', missed' if name in missed else ''})" if name in GOALS else ""
        print(f"{name:32} {value:10.2f}{goal}")
    if asked.json:
        asked.json.write_text(json.dumps(found, indent=1) + "\n")
    return 1 if missed else 0


if __name__ == "__main__":
    raise SystemExit(main())
