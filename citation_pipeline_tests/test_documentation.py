"""Documentation that cannot lie: what exists is documented, and what is documented exists."""

import re
from pathlib import Path

import dagster as dg
import pytest

from citation_pipeline.cli.main import main
from citation_pipeline.defs.definitions import defs


def test_every_command_is_in_the_readme(project: Path) -> None:
    readme = (project / "README.md").read_text()
    for name in main.commands:
        assert f"`{name}" in readme, f"README.md does not name the command {name}"


def test_every_command_in_the_readme_exists(project: Path) -> None:
    table = (project / "README.md").read_text().split("## Commands")[1].split("\n## ")[0]
    for name in re.findall(r"^\| `(\w+)", table, flags=re.MULTILINE):
        assert name in main.commands, f"README.md names {name}, which is no command"


def test_every_asset_is_in_the_readme(project: Path) -> None:
    readme = (project / "README.md").read_text()
    for key in defs.get_repository_def().asset_graph.get_all_asset_keys():
        assert f"`{key.to_user_string()}`" in readme


def test_every_tool_of_the_agents_is_in_the_readme(project: Path) -> None:
    source = (project / "citation_pipeline/serving/mcp/tools.py").read_text()
    tools = re.findall(r"@server\.tool\(.*\)\n    async def (\w+)", source)
    assert len(tools) >= 7
    for name in tools:
        assert f"`{name}`" in (project / "README.md").read_text(), f"README.md does not name the tool {name}"


def test_every_environment_variable_is_documented(project: Path) -> None:
    documented = (project / "docs/configuration.md").read_text() + (project / "docs/viewer.md").read_text()
    source = (project / "citation_pipeline/defs/resources.py").read_text()
    for name in set(re.findall(r'"((?:CITATION|ANTHROPIC|REDUCTO|DAGSTER)_[A-Z_]+)"', source)):
        assert name in documented, f"docs/configuration.md does not name {name}"


def test_the_environment_is_read_in_two_places_only(project: Path) -> None:
    readers = {
        path.relative_to(project / "citation_pipeline").as_posix()
        for path in (project / "citation_pipeline").rglob("*.py")
        # a default that is set for Dagster's own eyes is not read here
        if re.search(r"\bos\.environ\b(?!\.setdefault)|\bgetenv\b", path.read_text())
    }
    assert readers <= {"defs/resources.py", "serving/entry.py"}


@pytest.mark.parametrize("name", ["README.md", "CHANGELOG.md", "docs"])
def test_no_link_of_the_documentation_is_broken(project: Path, name: str) -> None:
    root = project / name
    for page in [root] if root.is_file() else sorted(root.rglob("*.md")):
        for target in re.findall(r"\]\(([^)#\s]+)\)", page.read_text()):
            if "://" not in target:
                assert (page.parent / target).exists(), f"{page.name} links to {target}, which is not there"


def test_committed_files_name_no_package_host_and_no_machine(project: Path) -> None:
    # in pieces, so that this file does not name them itself
    hosts = ["pypi" + ".org", "pythonhosted" + ".org", "npmjs" + ".org", "deb.debian" + ".org"]
    for path in [*project.glob("*.lock"), *project.glob("benchmarks/*.lock"), project / "pyproject.toml"]:
        text = path.read_text()
        assert not [host for host in hosts if host in text], path.name


def test_assets_describe_themselves_in_whole_sentences() -> None:
    graph = defs.get_repository_def().asset_graph
    for key in graph.get_all_asset_keys():
        description = graph.get(dg.AssetKey(key.path)).description or ""
        assert description.rstrip().endswith((".", "`"))
