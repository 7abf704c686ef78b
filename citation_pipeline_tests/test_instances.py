"""The Dagster instance of a store: set up on first use, and still opened after modules have moved."""

from pathlib import Path

from citation_pipeline.defs.instances import open_instance


def test_an_instance_of_the_first_version_opens_though_its_modules_have_moved(tmp_path: Path) -> None:
    open_instance(tmp_path).dispose()
    settings = tmp_path / "dagster.yaml"
    settings.write_text(settings.read_text().replace("defs.dagster_internals.", "defs."))
    assert "module: citation_pipeline.defs.event_storage\n" in settings.read_text()

    open_instance(tmp_path).dispose()

    assert "module: citation_pipeline.defs.dagster_internals.event_storage\n" in settings.read_text()
    assert "module: citation_pipeline.defs.dagster_internals.run_launchers\n" in settings.read_text()
