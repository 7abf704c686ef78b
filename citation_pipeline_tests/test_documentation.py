"""Documentation that cannot lie: what exists is documented, and what is documented exists."""

import re
from pathlib import Path

import dagster as dg
import pytest

from citation_pipeline.adapters.deployment.deployment import markdown
from citation_pipeline.cli.main import main
from citation_pipeline.defs.definitions import defs

GENERATED = ("reference/commands.md", "reference/tables.md", "reference/api.md")


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
    tools = [
        name
        for path in sorted((project / "citation_pipeline/serving/mcp").glob("*tools.py"))
        for name in re.findall(r"-> Callable\[\.\.\., Any\]:\n    async def (\w+)", path.read_text())
    ]
    assert len(tools) >= 13
    for name in tools:
        for page in ("README.md", "docs/agents.md"):
            assert f"`{name}`" in (project / page).read_text(), f"{page} does not name the tool {name}"


def test_the_page_of_settings_is_the_one_that_the_settings_generate(project: Path) -> None:
    written = (project / "docs/configuration.md").read_text()
    assert written.endswith(markdown()), "run: citation-pipeline config --markdown"


def test_the_environment_is_read_in_one_place_only(project: Path) -> None:
    readers = {
        path.relative_to(project / "citation_pipeline").as_posix()
        for path in (project / "citation_pipeline").rglob("*.py")
        # a default that is set for Dagster's own eyes is not read here
        if re.search(r"\bos\.environ\b(?!\.setdefault)|\bgetenv\b", path.read_text())
    }
    # `defs/resources.py` hands the environment on to Dagster's own processes
    assert readers == {"adapters/deployment/deployment.py", "defs/resources.py"}


@pytest.mark.parametrize("name", ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "docs"])
def test_no_link_of_the_documentation_is_broken(project: Path, name: str) -> None:
    root = project / name
    for page in [root] if root.is_file() else sorted(root.rglob("*.md")):
        for target in re.findall(r"\]\(([^)#\s]+)\)", page.read_text()):
            # written when the site is built; `test_documentation_site` checks the links to them
            if "://" not in target and target.removeprefix("../") not in GENERATED:
                assert (page.parent / target).exists(), f"{page.name} links to {target}, which is not there"


def test_committed_files_name_no_package_host_and_no_machine(project: Path) -> None:
    # in pieces, so that this file does not name them itself
    hosts = ["pypi" + ".org", "pythonhosted" + ".org", "npmjs" + ".org", "deb.debian" + ".org"]
    for path in [*project.glob("*.lock"), *project.glob("benchmarks/*.lock"), project / "pyproject.toml"]:
        text = path.read_text()
        assert not [host for host in hosts if host in text], path.name


def test_what_a_lock_file_names_with_an_extra_it_pins_by_its_bare_name_too(project: Path) -> None:
    # for whoever asks for `name` alone pip takes the newest release else, which has no hash
    places = ("", "benchmarks/", "deploy/image/")
    locks = [path for place in places for path in project.glob(f"{place}*.lock")]
    assert len(locks) >= 4
    for path in locks:
        pinned = re.findall(r"^([\w.-]+)(\[[^\]]*\])?==(\S+)", path.read_text(), re.MULTILINE)
        bare = {(name, version) for name, extras, version in pinned if not extras}
        assert {(name, version) for name, extras, version in pinned if extras} <= bare, path.name


def test_assets_describe_themselves_in_whole_sentences() -> None:
    graph = defs.get_repository_def().asset_graph
    for key in graph.get_all_asset_keys():
        description = graph.get(dg.AssetKey(key.path)).description or ""
        assert description.rstrip().endswith((".", "`"))
