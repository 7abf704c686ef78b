"""A static export: one claim as a folder that any browser opens from disk, without a server.

index.html, viewer.js, css/, claim.js (the dataset with its reviews), words/ and pages/.
"""

import json
import shutil
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from citation_pipeline.adapters.verifications.database import default_url
from citation_pipeline.adapters.verifications.store import VerificationStore
from citation_pipeline.core.review.overlay import event_as_json
from citation_pipeline.serving.bundle import bundle
from citation_pipeline.serving.datasets import Datasets, ReviewedClaim
from citation_pipeline.serving.errors import SourceError
from citation_pipeline.serving.originals import Originals
from citation_pipeline.serving.rendering.page_images import media_type_of, snap_width
from citation_pipeline.serving.rendering.pool import RenderPool, TaskError, WorkerFailedError
from citation_pipeline.serving.routes.claims import word_row
from citation_pipeline.serving.routes.shell import STATIC
from citation_pipeline.serving.settings import ServingSettings

# scripts and images of the same folder only; a page from disk has no server to tell it so
_POLICY = "default-src 'none'; script-src 'self' file:; style-src 'self' file:; img-src 'self' file: data:"
_PAGE_WIDTH = 1490  # sharp at 180 % of a letter page; some 150 kB a page


@dataclass(frozen=True, slots=True)
class ExportReport:
    """What an export holds: counts, and by id why documents' pages are not in it."""

    folder: Path
    documents: int
    pages: int
    undrawn: Mapping[str, str]


def export_claim(
    settings: ServingSettings,
    claim_id: str,
    folder: Path,
    *,
    on_page: Callable[[int], None] = lambda done: None,
) -> ExportReport:
    """Write a claim's export into an empty or new folder; raises FileExistsError otherwise."""
    if folder.exists() and any(folder.iterdir()):
        raise FileExistsError(f"{folder} is not empty: name a new folder for the export")
    store = settings.open_store()
    verifications = VerificationStore(settings.verifications_url or default_url(settings.store))
    pool = RenderPool(workers=1, timeout_s=settings.render_timeout_s, passwords=settings.pdf_passwords)
    try:
        datasets = Datasets(store, verifications)
        claim = datasets.claim(claim_id)
        folder.mkdir(parents=True, exist_ok=True)
        images, undrawn = _write_pages(folder, claim, Originals(store), pool, on_page)
        history = defaultdict(list)
        for event in verifications.history(claim_id):
            history[event.field_key].append(event_as_json(event))
        exported = {
            "dataset": claim.dataset,
            "summary": datasets.summary(claim_id),
            "history": history,
            "fadeSeconds": settings.fade_seconds,
            "highlight": settings.highlight,
            "images": images,
            "words": _write_words(folder, claim, datasets),
            "loaded": {},
        }
        (folder / "claim.js").write_text(f"globalThis.CITATION_EXPORT = {_as_script(exported)};\n", "utf-8")
        _write_shell(folder)
    finally:
        pool.close()
        verifications.close()
    pages = sum(len(paths) for paths in images.values())
    return ExportReport(folder, len(claim.sources), pages, undrawn)


def _write_pages(
    folder: Path,
    claim: ReviewedClaim,
    originals: Originals,
    pool: RenderPool,
    on_page: Callable[[int], None],
) -> tuple[dict[str, list[str]], dict[str, str]]:
    """Draw every page; documents are numbered, so that no name of theirs becomes a path."""
    images: dict[str, list[str]] = {}
    undrawn: dict[str, str] = {}
    done = 0
    for number, source in enumerate(claim.sources.values(), start=1):
        paths: list[str] = []
        try:
            original = originals.find(claim.claim_id, source)
            for page in range(1, source["pageCount"] + 1):
                drawn = pool.run(
                    "draw_page_image",
                    str(original.path),
                    original.sha256,
                    original.media_type,
                    page,
                    snap_width(_PAGE_WIDTH),
                )
                suffix = media_type_of(drawn).partition("/")[2]
                path = folder / "pages" / str(number) / f"{page}.{suffix}"
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(drawn)
                paths.append(path.relative_to(folder).as_posix())
                on_page(done := done + 1)
        except SourceError as error:
            undrawn[source["id"]] = f"{error.message} {error.remedy}"
        except (TaskError, WorkerFailedError) as error:
            undrawn[source["id"]] = f"its pages cannot be drawn ({type(error).__name__})"
        images[source["id"]] = paths
    return images, undrawn


def _write_words(folder: Path, claim: ReviewedClaim, datasets: Datasets) -> dict[str, str]:
    paths: dict[str, str] = {}
    (folder / "words").mkdir(exist_ok=True)
    for number, source_id in enumerate(claim.sources, start=1):
        pages: dict[int, list[Any]] = defaultdict(list)
        for word in datasets.words(claim, source_id):
            pages[word.page].append(word_row(word))
        path = f"words/{number}.js"
        script = f"CITATION_EXPORT.loaded[{_as_script(source_id)}] = {_as_script(pages)};\n"
        (folder / path).write_text(script, "utf-8")
        paths[source_id] = path
    return paths


_NEEDS_SERVER = (
    '<link rel="stylesheet" href="/static/questions.css">\n',
    '<script type="module" src="/static/questions.js"></script>\n',
)
"""What of the page asks the server: an export has none, so nobody can be asked there."""


def _write_shell(folder: Path) -> None:
    shutil.copytree(STATIC / "css", folder / "css")
    shutil.copy(STATIC / "icon.svg", folder / "icon.svg")
    (folder / "viewer.js").write_text(bundle(STATIC / "js", "main.js"), "utf-8")
    page = (STATIC / "index.html").read_text("utf-8")
    page = page.replace(
        '<script defer src="/static/viewer.js"></script>',
        '<script defer src="claim.js"></script>\n<script defer src="viewer.js"></script>',
    )
    for part in _NEEDS_SERVER:
        page = page.replace(part, "")
    page = page.replace("/static/", "")
    policy = f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
    page = page.replace('<meta charset="utf-8">', f'<meta charset="utf-8">\n{policy}')
    (folder / "index.html").write_text(page, "utf-8")


def _as_script(value: Any) -> str:
    """Return JSON that is also a script: no `</script>`, no line separators that old engines end lines at."""
    text = json.dumps(value, ensure_ascii=False)
    for character in "<\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text.encode("utf-8", "replace").decode("utf-8")
