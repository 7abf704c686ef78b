"""What CONTRIBUTING.md walks through: its code is taken from the page, and does what the page says."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

import citation_pipeline.defs.assets.checks as checks_module
from citation_pipeline.adapters.extractors.port import Extractor
from citation_pipeline.adapters.readers import DocumentParser, OnParsed, Readers
from citation_pipeline.adapters.schema_files import load_lexicon, load_schema
from citation_pipeline.core.answers.reading import read_answer
from citation_pipeline.core.answers.replies import StoredReply
from citation_pipeline.core.boxes import Box
from citation_pipeline.core.claims import Claim
from citation_pipeline.core.documents.composition import BlockDraft, PageDraft, compose_document
from citation_pipeline.core.documents.parsed import ParsedDocument, SourceDocument
from citation_pipeline.core.extraction import Extraction
from citation_pipeline.core.planning.stages import STAGES
from citation_pipeline.core.rules.documents import read_document
from citation_pipeline.core.rules.lexicons.lexicon_files import read_lexicon
from citation_pipeline.core.schemas import Schema
from citation_pipeline.defs.assets.parsed_documents import parsed_documents
from citation_pipeline.defs.runs.processing import Processing
from citation_pipeline_tests.chosen_settings import settings_over
from citation_pipeline_tests.typeset import column, typeset

NAMES = {
    **vars(checks_module),
    **{
        each.__name__: each
        for each in (
            BlockDraft,
            Box,
            Claim,
            Extraction,
            PageDraft,
            ParsedDocument,
            Path,
            Schema,
            SourceDocument,
            StoredReply,
            compose_document,
            read_answer,
        )
    },
    "json": json,
    "OnParsed": OnParsed,
}


def block(project: Path, heading: str, language: str) -> str:
    """The one block of code under a heading of CONTRIBUTING.md."""
    section = (project / "CONTRIBUTING.md").read_text().split(f"\n## {heading}\n")[1].split("\n## ")[0]
    (found,) = re.findall(rf"```{language}\n(.*?)```", section, flags=re.DOTALL)
    return found


def code_of(project: Path, heading: str) -> dict[str, Any]:
    names: dict[str, Any] = dict(NAMES)
    exec("from collections.abc import Sequence\n" + block(project, heading, "python"), names)
    return names


def test_a_document_type_is_recognized_by_what_the_page_adds_to_the_lexicon(project: Path) -> None:
    kind = json.loads(block(project, "A document type", "json"))
    schema, lexicon = load_schema("workers_comp"), load_lexicon("workers_comp")
    lines = ["MEDICAL MILEAGE EXPENSE FORM", "Date completed: 03/04/2025", "Round trip miles: 18"]
    page = typeset("miles", column(lines))
    before = read_lexicon(lexicon, schema=schema)
    after = read_lexicon({**lexicon, "documents": {**lexicon["documents"], **kind}}, schema=schema)
    assert read_document(page, number=0, lexicon=before).type != "mileage_form"
    found = read_document(page, number=0, lexicon=after)
    assert (found.type, found.date) == ("mileage_form", "2025-03-04")


def test_a_parser_and_an_extractor_take_a_claim_to_the_viewer(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DAGSTER_HOME", str(tmp_path / "home"))
    parser: type[DocumentParser] = code_of(project, "A parser")["PlainTextParser"]
    extractor: type[Extractor] = code_of(project, "An extractor")["FirstLineExtractor"]
    folder = tmp_path / "CLM-9"
    folder.mkdir()
    (folder / "letter.txt").write_text("Harbor Foods of Long Beach\n\nThe claim is accepted.")
    readers = {
        "parsers": Readers("parser", {"plain": parser}),
        "extractors": Readers("extractor", {"first-line": extractor}),
    }
    processing = Processing(store=str(tmp_path / "store"), readers=readers)
    claim = Claim("CLM-9", str(folder), str(folder), parser="plain", extractor="first-line")
    processing.store.register(claim)
    assert processing.run(claim, STAGES).failure is None
    assert all(decision.action == "skip" for decision in processing.plan(claim))
    (citation,) = processing.store.read_table("citations", "CLM-9").to_pylist()
    assert (citation["status"], citation["page"]) == ("resolved", 1)
    processing.close()


def test_a_check_passes_and_fails_by_what_the_stage_left(project: Path) -> None:
    judge = code_of(project, "A check")["no_document_is_endless"]
    (check,) = checks_module.check_of(judge, parsed_documents).check_keys
    assert check.name == "no_document_is_endless"

    class Store:
        pages = 1000

        def read_table(self, table: str, claim_id: str, columns: list[str]) -> dict[str, Any]:
            import pyarrow as pa

            return {"source_id": pa.array(["letter"] * self.pages)}

    store = Store()
    assert judge(store, settings_over("unused"), "CLM-9").passed
    store.pages = 1001
    verdict = judge(store, settings_over("unused"), "CLM-9")
    assert (verdict.passed, verdict.metadata) == (False, {"longest": 1001})


def test_every_file_that_the_page_names_exists(project: Path) -> None:
    text = (project / "CONTRIBUTING.md").read_text()
    tests = "".join(path.read_text() for path in (project / "citation_pipeline_tests").glob("test_*.py"))
    assert [name for name in re.findall(r"`(test_\w+)`", text) if f"def {name}(" not in tests] == []
    named = set(re.findall(r"`(citation_pipeline(?:_tests)?/[\w/.]+\.(?:py|json))`", text))
    assert len(named) >= 8
    assert [name for name in sorted(named) if not (project / name).exists()] == []
