"""Fingerprints of stages: they follow what the code does, and nothing that it says."""

import ast
import re
import shutil
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

from citation_pipeline.adapters import known_sources
from citation_pipeline.adapters.local_parser.parser_versions import parser_fingerprint
from citation_pipeline.core.code_fingerprints import (
    KNOWN_SOURCES,
    STAGES,
    code_fingerprint,
    fingerprint_code,
)

# of each stage a module whose code decides what the stage makes, and one that it only imports
MODULES = {
    "documents": ("adapters/claim_folders.py", "adapters/file_types.py"),
    "parser": ("core/layout/lines.py", "adapters/pdfium/pages.py"),
    "reducto": ("adapters/reducto/alignment.py", "core/documents/composition.py"),
    "azure_layout": ("adapters/azure_layout/conversion.py", "core/documents/composition.py"),
    "rules": ("core/rules/choice.py", "core/values/dates.py"),
    "prompts": ("core/prompts/sources.py", "core/prompts/questions.py"),
    "answers": ("core/answers/evidence.py", "core/answers/merging.py"),
    "consistency": ("core/consistency/judging.py", "core/consistency/tables.py"),
    "matcher": ("core/resolution/regions.py", "core/matching/search.py"),
    "viewer": ("core/viewer/dataset.py", "core/viewer/citation_objects.py"),
    "chunks": ("core/retrieval/chunks.py", "core/documents/dates.py"),
    "quality": ("core/evaluation/places.py", "core/evaluation/scores.py"),
    "planning": ("core/planning/nights.py", "core/planning/stages.py"),
    "warehouse": ("adapters/warehouse/filling.py", "adapters/tables/claim_store.py"),
    "page_images": ("serving/rendering/page_images.py", "core/boxes.py"),
}
OTHER = {
    ast.Add: ast.Sub,
    ast.Eq: ast.NotEq,
    ast.Lt: ast.LtE,
    ast.Gt: ast.GtE,
    ast.In: ast.NotIn,
    ast.And: ast.Or,
}


@pytest.fixture
def copy(project: Path, tmp_path: Path) -> Path:
    """The package's sources in a folder where they can be changed."""
    ignored = shutil.ignore_patterns("__pycache__", "static")
    return shutil.copytree(project / "citation_pipeline", tmp_path / "citation_pipeline", ignore=ignored)


def fingerprint(package: Path, stage: str) -> str:
    return fingerprint_code(package, STAGES[stage])


class Exchange(ast.NodeTransformer):
    """Exchanges the first operator that has another."""

    done = False

    def visit(self, node: ast.AST) -> ast.AST:
        if not self.done and type(node) in OTHER:
            self.done = True
            return OTHER[type(node)]()
        return self.generic_visit(node)


def with_another_operator(source: str) -> str:
    exchange = Exchange()
    changed = ast.unparse(exchange.visit(ast.parse(source)))
    assert exchange.done, "the module has no operator to exchange"
    return changed


def test_every_stage_is_tried() -> None:
    assert set(MODULES) == set(STAGES)


@pytest.mark.parametrize(("stage", "module"), [(s, m) for s, modules in MODULES.items() for m in modules])
def test_another_operator_changes_the_stages_fingerprint_and_another_docstring_does_not(
    copy: Path, stage: str, module: str
) -> None:
    path = copy / module
    source, before = path.read_text(), fingerprint(copy, stage)
    reworded = re.sub(r'^"""', '"""In other words. ', source, count=1)
    reworded = re.sub(r'^( +)"""(?=[A-Z])', r'\1"""Put otherwise: ', reworded, flags=re.MULTILINE)
    reworded = f"# a comment\n{reworded}\n\n# and another"
    assert reworded.count("Put otherwise") + reworded.count("In other words") >= 2
    path.write_text(reworded)
    assert fingerprint(copy, stage) == before
    path.write_text(ast.unparse(ast.parse(source)))  # the same code, laid out otherwise
    assert fingerprint(copy, stage) == before
    path.write_text(with_another_operator(source))
    assert fingerprint(copy, stage) != before


def test_a_description_of_a_constant_and_the_layout_of_the_code_say_nothing(copy: Path) -> None:
    path = copy / "core/matching/alignment.py"
    source, before = path.read_text(), fingerprint(copy, "matcher")
    assert '"""Share of edits' in source
    path.write_text(source.replace('"""Share of edits', '"""The share of edits'))
    assert fingerprint(copy, "matcher") == before
    path.write_text(source.replace("EARLY_STOP = 0.12", "EARLY_STOP = 0.13"))
    assert fingerprint(copy, "matcher") != before


def test_a_word_list_is_part_of_the_matcher(copy: Path) -> None:
    before = fingerprint(copy, "matcher")
    (words,) = [path for path in (copy / "core/matching/words").iterdir() if path.name == "common_words.txt"]
    words.write_text(words.read_text() + "zyzzyva\n")
    assert fingerprint(copy, "matcher") != before


def test_a_stage_keeps_its_fingerprint_when_another_stages_code_changes(copy: Path) -> None:
    before = {stage: fingerprint(copy, stage) for stage in STAGES}
    path = copy / "core/viewer/dataset.py"
    path.write_text(path.read_text() + "\nEXTRA = 1\n")
    changed = {stage for stage in STAGES if fingerprint(copy, stage) != before[stage]}
    assert "viewer" in changed
    assert changed.isdisjoint({"documents", "parser", "reducto", "rules", "prompts", "answers", "matcher"})


def test_another_release_of_a_library_is_another_matcher(copy: Path) -> None:
    asked: list[str] = []

    def older(library: str) -> str:
        asked.append(library)
        return "0.1"

    assert fingerprint_code(copy, STAGES["matcher"], release_of=older) != fingerprint(copy, "matcher")
    assert "rapidfuzz" in asked


def test_a_module_that_is_new_in_a_stage_counts(copy: Path) -> None:
    before = fingerprint(copy, "rules")
    (copy / "core/rules/novel.py").write_text("ANSWER = 42\n")
    assert fingerprint(copy, "rules") != before


def test_another_process_gives_the_same_fingerprints() -> None:
    code = (
        "from citation_pipeline.core.code_fingerprints import STAGES, code_fingerprint\n"
        "print(*(code_fingerprint(stage) for stage in STAGES))"
    )
    printed = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert printed.stdout.split() == [code_fingerprint(stage) for stage in STAGES]


def test_the_local_parser_is_its_code_and_the_models_that_read_scans() -> None:
    assert code_fingerprint("parser") in parser_fingerprint(ocr=True)
    assert parser_fingerprint(ocr=True) != parser_fingerprint(ocr=False)


def test_the_release_of_every_library_of_every_stage_is_known(project: Path) -> None:
    asked: set[str] = set()

    def note(library: str) -> str:
        asked.add(library)
        return ""

    for roots in STAGES.values():
        fingerprint_code(project / "citation_pipeline", roots, release_of=note)
    assert {"numpy", "pillow", "rapidfuzz", "onnxruntime"} <= asked
    assert [metadata.version(library) for library in asked]  # raises for a name that is no distribution's


@pytest.fixture
def kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Where what was read of sources is kept between processes; this one forgets what it knew."""
    monkeypatch.setattr(known_sources, "_file", lambda: tmp_path / "__pycache__" / "kept.json")
    monkeypatch.setattr(known_sources, "_recalled", {})
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    for key in list(KNOWN_SOURCES):
        monkeypatch.delitem(KNOWN_SOURCES, key)
    return tmp_path / "__pycache__" / "kept.json"


def test_another_process_parses_no_source_again_and_finds_the_same(
    copy: Path, kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = fingerprint(copy, "matcher")
    known_sources.keep_sources()
    KNOWN_SOURCES.clear()
    known_sources.recall_sources()
    parse = ast.parse
    with monkeypatch.context() as patched:
        patched.setattr(ast, "parse", lambda source: pytest.fail("a source was parsed again"))
        assert fingerprint(copy, "matcher") == before
    parsed: list[bytes] = []

    def note(source: bytes) -> ast.Module:
        parsed.append(source)
        return parse(source)

    path = copy / "core/matching/alignment.py"
    path.write_text(path.read_text().replace("EARLY_STOP = 0.12", "EARLY_STOP = 0.13"))
    monkeypatch.setattr(ast, "parse", note)
    assert fingerprint(copy, "matcher") != before
    assert parsed == [path.read_bytes()]


@pytest.mark.parametrize("content", ["", "{", "[]", '{"rule": "another", "sources": {"a": ["b", []]}}'])
def test_what_was_kept_by_another_rule_or_is_damaged_is_not_used(kept: Path, content: str) -> None:
    kept.parent.mkdir()
    kept.write_text(content)
    known_sources.recall_sources()
    assert not KNOWN_SOURCES


def test_nothing_is_kept_where_python_keeps_no_bytecode(
    kept: Path, copy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fingerprint(copy, "chunks")
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    known_sources.keep_sources()
    assert not kept.exists()
