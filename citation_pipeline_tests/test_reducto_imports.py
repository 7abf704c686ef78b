"""A folder of results that somebody already has is imported, in every form in which such files are kept."""

import json
from pathlib import Path

import pytest

from citation_pipeline.adapters.readers import DocumentParser
from citation_pipeline.adapters.reducto.errors import ReductoResultError
from citation_pipeline.adapters.reducto.imports import ImportedReductoParser
from citation_pipeline.adapters.reducto.stored_results import RawResult, load_result, store_result
from citation_pipeline.core.documents.parsed import DocumentStatus
from citation_pipeline_tests.fake_reducto.desk import CLAIM, Desk
from citation_pipeline_tests.fake_reducto.drawn_documents import draw

pytest_plugins = ["citation_pipeline_tests.fake_reducto.fixtures"]


@pytest.fixture
def stored(desk: Desk) -> Path:
    desk.parse()
    return desk.folder / "results" / CLAIM


def test_what_was_stored_is_imported_without_a_call(desk: Desk, stored: Path) -> None:
    calls = desk.fake.counters["requests:upload"]
    importer: DocumentParser = ImportedReductoParser(stored, local_words=desk.document.local_words)
    path = desk.folder / "notice.pdf"
    path.write_bytes(desk.document.data)
    [imported] = importer.parse_many([(desk.document.source, path)], claim_id=CLAIM)
    again = desk.parse()
    assert (imported.text, imported.blocks) == (again.text, again.blocks)
    assert imported.parser == "reducto-import"
    assert desk.fake.counters["requests:upload"] == calls


@pytest.mark.parametrize("form", ["bare result", "response", "job"])
def test_all_forms_of_results_are_taken(desk: Desk, stored: Path, form: str) -> None:
    result = json.loads((stored / "notice.reducto.json").read_bytes())
    job = json.loads((stored / "notice.reducto-job.json").read_bytes())
    response = job["result"] | {"result": result}
    folder = desk.folder / "import"
    folder.mkdir()
    written = {"bare result": result, "response": response, "job": job | {"result": response}}[form]
    (folder / "notice.reducto.json").write_text(json.dumps(written))
    importer = ImportedReductoParser(folder, local_words=desk.document.local_words)
    imported = importer.parse(desk.document.source, desk.document.data)
    assert sorted(imported.words.texts) == sorted(desk.document.local.words.texts)


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (None, "reducto_result_missing"),
        ("", "result_not_json"),
        ('{"type": "url", "url": "https://x.invalid"}', "result_is_a_link"),
        ('{"pages": []}', "result_missing"),
    ],
)
def test_a_result_that_cannot_be_imported_is_a_row_that_names_the_file(
    tmp_path: Path, content: str | None, code: str
) -> None:
    drawn = draw()
    if content is not None:
        (tmp_path / "notice.reducto.json").write_text(content)
    row = ImportedReductoParser(tmp_path).parse(drawn.source, drawn.data)
    assert row.error is not None
    assert (row.status, row.error.code) == (DocumentStatus.PROVIDER_FAILED, code)
    assert "notice.reducto.json" in row.error.message
    assert row.error.remedy


def test_a_result_of_another_file_is_refused(tmp_path: Path) -> None:
    drawn = draw()
    block = {
        "type": "Text",
        "content": "x",
        "bbox": {"left": 0, "top": 0, "width": 1, "height": 1, "page": 9},
    }
    (tmp_path / "notice.reducto.json").write_text(json.dumps({"chunks": [{"blocks": [block]}]}))
    row = ImportedReductoParser(tmp_path, local_words=drawn.local_words).parse(drawn.source, drawn.data)
    assert row.error is not None
    assert row.error.code == "pages_do_not_match"


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ReductoResultError, match="no folder exports"):
        ImportedReductoParser(tmp_path / "exports")


def test_the_fingerprint_changes_with_the_files(tmp_path: Path) -> None:
    importer = ImportedReductoParser(tmp_path)
    before = importer.fingerprint
    (tmp_path / "a.reducto.json").write_text("{}")
    between = importer.fingerprint
    (tmp_path / "a.reducto.json").write_text("[]")
    assert len({before, between, importer.fingerprint}) == 3


def test_a_result_that_is_its_jobs_own_answer_takes_the_place_of_one_with_a_job(tmp_path: Path) -> None:
    """An old job's pages and credits would be counted for the new result otherwise."""
    first = store_result(RawResult(b"{}", b'{"job_id": "1"}'), folder=tmp_path, source_id="notice")
    assert load_result(first) == RawResult(b"{}", b'{"job_id": "1"}')
    again = store_result(RawResult(b'{"result": 1}', None), folder=tmp_path, source_id="notice")
    assert load_result(again) == RawResult(b'{"result": 1}', None)
    assert [path.name for path in tmp_path.iterdir()] == ["notice.reducto.json"]
