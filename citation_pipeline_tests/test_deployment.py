"""A deployment's settings: read in one place for pipeline and viewer, checked, shown, never leaking."""

import os
import subprocess
import tomllib
from pathlib import Path

import pytest
import yaml

from citation_pipeline.adapters.deployment.deployment import DeploymentError
from citation_pipeline.defs import resources
from citation_pipeline.defs.instances import WORKSPACE
from citation_pipeline.serving import entry
from citation_pipeline.serving.settings import ServingSettingsError
from citation_pipeline_tests.commands import command


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("CITATION_PIPELINE_WORK_DIR", "{folder}/work"),
        ("CITATION_PIPELINE_VERIFICATIONS_URL", "sqlite:///{folder}/elsewhere.sqlite"),
        ("CITATION_VIEWER_DATABASE_URL", "sqlite:///{folder}/older_name.sqlite"),
    ],
)
def test_pipeline_and_viewer_read_the_same_reviews_whatever_chooses_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str, value: str
) -> None:
    store = str(tmp_path / "store")
    usual = resources.read_settings(store).verifications_url
    monkeypatch.setenv(variable, value.format(folder=tmp_path))

    pipeline, viewer = resources.read_settings(store), entry.read_settings(store)

    assert pipeline.verifications_url == viewer.verifications_url
    assert pipeline.verifications_url != usual


def test_two_names_for_the_reviews_that_differ_start_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CITATION_PIPELINE_VERIFICATIONS_URL", f"sqlite:///{tmp_path}/secret-one")
    monkeypatch.setenv("CITATION_VIEWER_DATABASE_URL", f"sqlite:///{tmp_path}/secret-two")

    with pytest.raises(DeploymentError, match="CITATION_VIEWER_DATABASE_URL name different"):
        resources.read_settings(str(tmp_path))
    with pytest.raises(ServingSettingsError, match="must read the same reviews") as refusal:
        entry.read_settings(str(tmp_path))
    assert "secret" not in str(refusal.value)

    ended = command("plan", "--store", str(tmp_path))
    assert ended.exit_code == 2
    assert "unset the second" in ended.output


def test_reviews_that_a_moved_work_dir_would_leave_behind_are_named_before_anything_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "verifications.sqlite").write_bytes(b"")
    monkeypatch.setenv("CITATION_PIPELINE_WORK_DIR", str(tmp_path / "work"))

    with pytest.raises(DeploymentError, match="reviews lie in .*verifications.sqlite"):
        resources.read_settings(str(tmp_path))

    (tmp_path / "work").mkdir()
    (tmp_path / "verifications.sqlite").rename(tmp_path / "work" / "verifications.sqlite")
    assert resources.read_settings(str(tmp_path)).verifications_url.endswith("/work/verifications.sqlite")


def test_dagsters_home_follows_the_work_dir_until_it_is_chosen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DAGSTER_HOME", raising=False)
    monkeypatch.setenv("CITATION_PIPELINE_WORK_DIR", str(tmp_path / "work"))
    assert resources.dagster_home(str(tmp_path)) == tmp_path / "work" / "dagster_home"

    monkeypatch.setenv("DAGSTER_HOME", str(tmp_path / "home"))
    assert resources.dagster_home(str(tmp_path)) == tmp_path / "home"


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("CITATION_PIPELINE_RUNS", "many"),
        ("CITATION_PIPELINE_RUNS", "0"),
        ("CITATION_PIPELINE_LOST_SHARE", "5"),
        ("CITATION_PIPELINE_INBOX_MARKER", "perhaps"),
        ("CITATION_VIEWER_CACHE_BYTES", "2GB"),
    ],
)
def test_a_value_that_cannot_be_used_ends_any_command_and_names_its_variable_only(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, variable: str, value: str
) -> None:
    monkeypatch.setenv(variable, value)

    ended = command("plan", "--store", str(tmp_path))

    assert ended.exit_code == 2
    assert variable in ended.output


def test_config_shows_what_is_in_force_and_where_it_came_from_but_no_secret(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("CITATION_PIPELINE_NIGHT_CLAIMS", "7")
    for name in ("ANTHROPIC_API_KEY", "REDUCTO_API_KEY", "CITATION_PIPELINE_PDF_PASSWORDS"):
        monkeypatch.setenv(name, "hush-hush")
    monkeypatch.setenv("CITATION_PIPELINE_WEBHOOK_URL", "https://hooks.example/hush-hush")

    shown = command("config", "--store", str(tmp_path))
    lines = {line[2:].split()[0]: line for line in shown.output.splitlines()}

    assert shown.exit_code == 0
    assert lines["CITATION_PIPELINE_NIGHT_CLAIMS"].split() == ["*", "CITATION_PIPELINE_NIGHT_CLAIMS", "7"]
    assert lines["CITATION_PIPELINE_RUNS"].split() == ["CITATION_PIPELINE_RUNS", "4"]
    assert lines["ANTHROPIC_API_KEY"].split() == ["*", "ANTHROPIC_API_KEY", "(set)"]
    assert "hush" not in shown.output


def test_the_code_location_has_one_name_whatever_starts_dagster(project: Path) -> None:
    with (project / "pyproject.toml").open("rb") as file:
        named = tomllib.load(file)["tool"]["dagster"]

    written = yaml.safe_load((project / "workspace.yaml").read_text())

    assert yaml.safe_load(WORKSPACE) == written  # what `citation-pipeline dev` loads
    assert written["load_from"][0]["python_module"] == {
        "module_name": named["module_name"],
        "location_name": named["code_location_name"],
    }


def test_make_and_the_commands_by_hand_open_one_dagster_instance(project: Path) -> None:
    said = subprocess.run(
        ["make", "--print-data-base", "--dry-run", "dev"],
        cwd=project,
        env={name: value for name, value in os.environ.items() if name != "DAGSTER_HOME"},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert "CITATION_PIPELINE_STORE" in said
    assert "DAGSTER_HOME" not in said  # what the commands do without it is the default: in the work dir
