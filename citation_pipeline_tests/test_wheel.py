"""The wheel, installed alone: what it carries, what it needs, and a claim run with it from another folder."""

import ast
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
import venv
import zipfile
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import pytest


@pytest.fixture(scope="module")
def wheel(project: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("wheel")
    kept = ("pyproject.toml", "README.md", "LICENSE")
    for name in kept:  # a copy: building leaves folders behind
        shutil.copy(project / name, root / name)
    ignored = shutil.ignore_patterns("__pycache__", "*.egg-info")
    shutil.copytree(project / "citation_pipeline", root / "citation_pipeline", ignore=ignored)
    command = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "--quiet",
        "--no-deps",
        "--no-index",
        "--no-build-isolation",
    ]
    subprocess.run([*command, "--wheel-dir", str(root / "dist"), str(root)], check=True, capture_output=True)
    (built,) = (root / "dist").glob("*.whl")
    return built


@pytest.fixture(scope="module")
def python(project: Path, wheel: Path) -> Iterator[Path]:
    """The interpreter of a new environment: the wheel, installed, and the distributions of the runtime lock.

    Their files are (hard links to) those that CI installed by hash, since there is no index to install from
    here; what the runtime lock does not name, the tools of development and the checkout, is not there.
    """
    (project / "build").mkdir(exist_ok=True)  # beside the installed files, so that links are possible
    with tempfile.TemporaryDirectory(dir=project / "build", prefix="wheel-") as folder:
        yield install(Path(folder), wheel, project)


def install(root: Path, wheel: Path, project: Path) -> Path:
    venv.create(root, symlinks=True, with_pip=False)
    (folder,) = root.glob("lib/python*/site-packages")
    for name in locked(project):
        distribution = metadata.distribution(name)
        for file in distribution.files or ():
            if ".." not in file.parts and "__pycache__" not in file.parts:
                place = folder / file
                place.parent.mkdir(parents=True, exist_ok=True)
                link(Path(distribution.locate_file(file)), place)
    pip(root / "bin" / "python", "install", "--no-index", "--no-deps", str(wheel))
    return root / "bin" / "python"


def link(source: Path, place: Path) -> None:
    try:
        os.link(source, place)
    except FileExistsError:
        pass  # of two distributions that share a package
    except OSError:  # another file system
        shutil.copy(source, place)


def locked(project: Path) -> list[str]:
    """The distributions that the runtime lock names."""
    lines = (project / "requirements.lock").read_text().splitlines()
    return [found[1] for line in lines if (found := re.match(r"([A-Za-z0-9._-]+)(?:\[[^\]]*\])?==", line))]


def pip(python: Path, *arguments: str) -> str:
    """Run this environment's pip on another one; returns what it printed."""
    command = [sys.executable, "-m", "pip", "--python", str(python), "--disable-pip-version-check"]
    done = subprocess.run([*command, *arguments], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def run(python: Path, *arguments: str, folder: Path) -> str:
    names = ("PATH", "LANG", "LC_ALL", "TMPDIR")
    done = subprocess.run(
        [str(python), *arguments],
        cwd=folder,
        env={name: os.environ[name] for name in names if name in os.environ} | {"HOME": str(folder)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr == ""  # a newcomer's first run shows no library's complaints
    return done.stdout


def test_the_wheel_carries_the_code_its_data_and_the_licence_and_no_tests(wheel: Path, project: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    package = project / "citation_pipeline"
    files = {
        path.relative_to(project).as_posix()
        for path in package.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert files <= names
    assert "citation_pipeline/py.typed" in names
    assert any(re.fullmatch(r"citation_pipeline-[\d.]+\.dist-info/licenses/LICENSE", name) for name in names)
    assert not [name for name in names if name.startswith(("citation_pipeline_tests", "benchmarks"))]


def test_every_library_that_the_package_imports_is_declared(project: Path) -> None:
    settings = tomllib.loads((project / "pyproject.toml").read_text())["project"]
    extras = settings["optional-dependencies"]
    optional = [line for name in extras if name not in ("dev", "docs", "build") for line in extras[name]]
    declared = {re.split(r"[<>=~! \[]", line)[0] for line in [*settings["dependencies"], *optional]}
    imported = set()
    for path in (project / "citation_pipeline").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                imported |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                imported.add(node.module)
    tops = {name.partition(".")[0] for name in imported} - sys.stdlib_module_names - {"citation_pipeline"}
    distributions = metadata.packages_distributions()
    assert [
        name
        for name in sorted(tops)
        if not declared & {one.lower().replace("_", "-") for one in distributions.get(name, [name])}
    ] == []


def test_the_wheel_is_content_with_the_runtime_lock_and_brings_its_command(
    python: Path, project: Path, tmp_path: Path
) -> None:
    assert "No broken requirements" in pip(python, "check")
    installed = {line.partition("==")[0].lower() for line in pip(python, "freeze", "--all").splitlines()}
    assert not installed & {"pytest", "hypothesis", "cosmic-ray", "coverage", "mypy", "ruff", "reportlab"}
    found = subprocess.run(
        [str(python.parent / "citation-pipeline"), "--help"], cwd=tmp_path, capture_output=True, text=True
    )
    assert found.returncode == 0, found.stderr
    assert "run" in found.stdout


def test_an_exact_version_is_demanded_only_with_its_reason_beside_it(project: Path) -> None:
    pinned = [
        line for line in (project / "pyproject.toml").read_text().splitlines() if "==" in line and '"' in line
    ]
    assert all("# exact: " in line for line in pinned), pinned


def test_the_wheel_alone_runs_a_claim_from_another_folder(
    python: Path, project: Path, tmp_path: Path
) -> None:
    where = run(python, "-c", "import citation_pipeline; print(citation_pipeline.__file__)", folder=tmp_path)
    assert Path(where.strip()).is_relative_to(python.parent.parent)
    documents = project / "data" / "samples" / "sample_claim" / "documents"
    claim = tmp_path / "claims" / "CLM-1"
    claim.mkdir(parents=True)
    for name in ("PAYHIST.pdf", "5020 Harbor Loaf.pdf"):
        shutil.copy(documents / name, claim / name)
    store = tmp_path / "kept"
    run(python, "-m", "citation_pipeline", "run", str(claim), "--store", str(store), folder=tmp_path)
    shown = run(
        python,
        "-m",
        "citation_pipeline",
        "show",
        "CLM-1",
        "--citations",
        "--store",
        str(store),
        folder=tmp_path,
    )
    citations = [json.loads(line) for line in shown.splitlines()]
    assert len(citations) > 5
    version = run(python, "-m", "citation_pipeline", "--version", folder=tmp_path)
    settings = tomllib.loads((project / "pyproject.toml").read_text())["project"]
    assert settings["version"] in version
