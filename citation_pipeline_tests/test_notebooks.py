"""The notebooks of the documentation run from top to bottom, and say what the store says."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from citation_pipeline_tests.notebook_claims import CLAIMS, CORRECTED, make_store

PROJECT = Path(__file__).resolve().parent.parent
FOLDER = PROJECT / "docs" / "notebooks"
PICTURES = ("located_share", "field_confidence", "reliability", "changes", "locate_rate")


@pytest.fixture(scope="module")
def executed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("notebooks")
    store = make_store(folder)
    before = {path: path.stat().st_mtime_ns for path in store.rglob("*") if path.is_file()}
    done = subprocess.run(
        [sys.executable, PROJECT / "scripts" / "notebooks", "--store", store, "--out", folder / "out"],
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert {path: path.stat().st_mtime_ns for path in store.rglob("*") if path.is_file()} == before
    return folder / "out"


def outputs(path: Path) -> str:
    """What the cells of an executed notebook show as text; a cell that did not run fails."""
    cells: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["cells"]
    shown = []
    for cell in (cell for cell in cells if cell["cell_type"] == "code"):
        assert cell["execution_count"], cell["source"]
        for output in cell["outputs"]:
            assert output["output_type"] != "error"
            shown.append("".join(output.get("data", {}).get("text/plain", "")))
    return "\n".join(shown)


def test_the_quality_of_a_batch_is_counted_from_the_store(executed: Path) -> None:
    text = outputs(executed / "quality_of_a_batch.ipynb")
    assert all(claim_id in text for claim_id in CLAIMS)
    assert "broken" in text  # the document that could not be read
    assert CORRECTED in text  # what a reviewer corrected


def test_what_a_rematch_changed_names_what_was_followed_into_the_new_scan(executed: Path) -> None:
    text = outputs(executed / "what_a_rematch_changed.ipynb")
    assert "verified_followed" not in text  # the column is left out, its rows are not
    assert "metadata.claim_number" in text
    assert "Empty DataFrame" in text  # nothing that was signed got worse


def test_each_picture_is_drawn_and_kept_with_the_documentation(executed: Path) -> None:
    for name in PICTURES:
        assert "<svg" in (executed / f"{name}.svg").read_text(encoding="utf-8")
        assert "<svg" in (FOLDER / "pictures" / f"{name}.svg").read_text(encoding="utf-8")
    page = (FOLDER / "index.md").read_text(encoding="utf-8")
    assert all(f"pictures/{name}.svg" in page for name in PICTURES)


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.ipynb")), ids=lambda path: path.stem)
def test_a_notebook_is_kept_without_outputs_and_imports_nothing_else_of_the_package(path: Path) -> None:
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    assert code
    assert not any(cell["outputs"] or cell["execution_count"] for cell in code)
    source = "\n".join("".join(cell["source"]) for cell in code)
    assert "citation_pipeline.open_store" in source
    assert "from citation_pipeline" not in source
