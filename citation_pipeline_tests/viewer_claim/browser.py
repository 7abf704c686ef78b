"""A real Chromium for tests, and what a test wants to know of the viewer's page."""

import io
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from axe_playwright_python.sync_playwright import Axe
from PIL import Image
from playwright.sync_api import Browser, ConsoleMessage, Page, expect, sync_playwright

from citation_pipeline.core.boxes import Box, union

CHROMIUM = "/usr/bin/chromium"
ARGUMENTS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


# what the viewer does takes well under a second, on a busy machine a multiple of it
_PATIENCE_MS = 90_000

# a note is gone after seconds, perhaps between two looks of a busy machine: what it said is kept
_KEEP_NOTES = """
globalThis.said = [];
new MutationObserver((changes) => changes.forEach(({ addedNodes }) => addedNodes.forEach((node) => {
  if (node.classList?.contains("toast")) said.push(`${node.getAttribute("role")} ${node.textContent}`);
}))).observe(document, { childList: true, subtree: true });
"""
_HEARD = """(text) => {
  const at = said.findIndex((one) => one.includes(text));
  if (at >= 0) said.splice(0, at + 1);
  return at >= 0;
}"""

# whichever page comes first, it is not always the one that is looked at
_IS_DRAWN = """() => {
  const scroller = document.querySelector("#stage > .scroller");
  const shown = scroller?.getBoundingClientRect();
  const frames = [...(scroller?.querySelectorAll(".frame") ?? [])].filter((frame) => {
    const { top, bottom } = frame.getBoundingClientRect();
    return bottom > shown.top && top < shown.bottom;
  });
  return frames.length > 0 && frames.every(({ dataset }) => dataset.drawn && dataset.readable);
}"""
_IS_STILL = "() => document.getAnimations().every((one) => one.playState !== 'running')"


@contextmanager
def browsing() -> Iterator[Browser]:
    expect.set_options(timeout=_PATIENCE_MS)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(ARGUMENTS))
        yield browser
        browser.close()


@dataclass
class Visit:
    """A page of the viewer, and everything that went wrong on it."""

    page: Page
    problems: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.page.set_default_timeout(_PATIENCE_MS)
        self.page.add_init_script(_KEEP_NOTES)
        self.page.on("console", self._note)
        self.page.on("pageerror", lambda error: self.problems.append(str(error)))

    def _note(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.problems.append(message.text)

    def open(self, url: str) -> None:
        self.page.goto(url)
        self.wait_until_drawn()

    def wait_until_drawn(self) -> None:
        """Wait until every page in view has its image and its words."""
        self.page.wait_for_function(_IS_DRAWN)

    def wait_until_seen(self) -> None:
        """Wait until the open field has been on the screen for long enough to be signed."""
        self.page.wait_for_selector('.card.is-selected[data-seen="true"]')

    def hear(self, note: str) -> None:
        """Wait for a note that says this, and forget it and those before it."""
        self.page.wait_for_function(_HEARD, arg=note, polling=50)

    def forgive(self) -> None:
        """Wait until the browser has logged a refusal that belongs to the test, and forget it."""
        while not self.problems:
            self.page.wait_for_timeout(20)
        self.problems.clear()

    def violations(self) -> list[str]:
        """What axe finds, once nothing moves: colours that fade in have no contrast yet."""
        self.page.wait_for_function(_IS_STILL)
        found = Axe().run(self.page).response["violations"]
        return [f"{rule['impact']} {rule['id']} {rule['nodes'][0]['html'][:150]}" for rule in found]

    def card(self, key: str) -> Any:
        return self.page.locator(f'.card[data-key="{key}"]')

    def badge(self, key: str, index: int = 0) -> None:
        self.card(key).locator(".badge").nth(index).click()
        self.page.wait_for_selector(".mark.snippet")

    def look_at(self, key: str) -> None:
        """Open a field and wait until its value and place have been on the screen for long enough to sign."""
        self.card(key).locator(".card-head").click()
        self.page.wait_for_selector(f'.card.is-selected[data-key="{key}"][data-seen="true"]')

    def stop_clock(self) -> None:
        """Let no time pass on the page, however busy the machine: for keys that come too soon."""
        self.page.evaluate("() => { const at = performance.now(); performance.now = () => at; }")

    def start_clock(self) -> None:
        """Let time pass again; the stopped time has passed at once."""
        self.page.evaluate("() => { delete performance.now; }")

    def lit(self, strength: str = "snippet") -> Box:
        """The union of what is lit, in the page frame, measured on the screen."""
        found = self.page.evaluate(
            """(strength) => [...document.querySelectorAll(`.mark.${strength}`)].map((mark) => {
              const box = mark.getBoundingClientRect();
              const sheet = mark.closest('.frame').getBoundingClientRect();
              return [(box.x - sheet.x) / sheet.width, (box.y - sheet.y) / sheet.height,
                      box.width / sheet.width, box.height / sheet.height];
            })""",
            strength,
        )
        return union([Box(*sides) for sides in found])

    def ink(self, strength: str = "value") -> float:
        """The share of dark pixels inside what is lit, as a person sees it."""
        mark = self.page.locator(f".frame[data-drawn] .mark.{strength}").first
        shot = Image.open(io.BytesIO(mark.screenshot()))  # in view, and at rest
        return float((np.asarray(shot.convert("L")) < 110).mean())

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)
