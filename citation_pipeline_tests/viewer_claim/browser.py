"""A real Chromium for tests, and what a test wants to know of the viewer's page."""

import io
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
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
        self.page.on("console", self._note)
        self.page.on("pageerror", lambda error: self.problems.append(str(error)))

    def _note(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.problems.append(message.text)

    def open(self, url: str) -> None:
        self.page.goto(url)
        self.page.wait_for_selector(".frame[data-drawn][data-readable]")

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
        mark = self.page.locator(f".mark.{strength}").first
        self.page.wait_for_selector(".frame[data-drawn]:has(.mark)")
        mark.scroll_into_view_if_needed()
        box = mark.bounding_box()
        assert box is not None
        shot = Image.open(io.BytesIO(self.page.screenshot(clip=box)))
        return float((np.asarray(shot.convert("L")) < 110).mean())

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)
