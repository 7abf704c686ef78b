"""The documentation site: built offline, without a broken link, with a reference that the code wrote."""

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from playwright.sync_api import Route

from citation_pipeline.adapters.tables.shapes import SHAPES
from citation_pipeline.cli.main import main
from citation_pipeline.serving.app import create_app
from citation_pipeline.serving.settings import ServingSettings
from citation_pipeline_tests.viewer_claim.browser import Visit, browsing


@pytest.fixture(scope="module")
def site(project: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    # strict: a page outside the navigation and a link or an anchor that leads nowhere end the build
    built = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict", "--site-dir", str(folder)],
        cwd=project,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
    )
    assert built.returncode == 0, built.stdout + built.stderr
    return folder


def test_the_reference_has_every_command_with_its_options(site: Path) -> None:
    page = (site / "reference/commands.html").read_text()
    for name, command in main.commands.items():
        assert f'id="{name}"' in page
        for parameter in command.params:
            assert all(option in page for option in parameter.opts if option.startswith("--")), name


def test_the_reference_has_every_table_with_its_columns(site: Path) -> None:
    page = (site / "reference/tables.html").read_text()
    for table, shape in SHAPES.items():
        assert f'id="{table}"' in page
        assert all(f"<code>{name}</code>" in page for name in shape.names), table


def test_the_reference_has_every_path_of_the_api(site: Path) -> None:
    page = (site / "reference/api.html").read_text()
    paths = create_app(ServingSettings("unused", render_workers=0)).openapi()["paths"]
    assert len(paths) > 15
    for path, methods in paths.items():
        assert all(f"{method.upper()} {path}" in page for method in methods)


@contextmanager
def serving(folder: Path) -> Iterator[str]:
    handler = partial(SimpleHTTPRequestHandler, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
        thread.join()


@pytest.mark.browser
def test_the_site_is_read_and_searched_in_a_browser_that_is_cut_off_from_the_network(site: Path) -> None:
    asked: list[str] = []

    def watch(route: Route) -> None:
        asked.append(route.request.url)
        if route.request.url.startswith(address):
            route.continue_()
        else:
            route.abort()

    with serving(site) as address, browsing() as browser:
        visit = Visit(browser.new_page(viewport={"width": 1280, "height": 900}))
        visit.page.route("**/*", watch)
        visit.page.goto(f"{address}/index.html")
        visit.page.get_by_role("link", name="Quickstart").first.click()
        visit.page.get_by_role("heading", name="From the wheel").wait_for()
        visit.page.locator(".md-search__input").click()
        visit.page.keyboard.type("rematch")
        visit.page.locator(".md-search-result__link").first.wait_for()
    assert len(asked) > 4
    assert not [url for url in asked if not url.startswith((address, "data:", "blob:"))]
    assert visit.problems == []
