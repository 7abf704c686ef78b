"""The inbox: whole folders become claims, half-copied ones wait, bad names are reported, nothing starts."""

import os
from dataclasses import replace
from pathlib import Path

import dagster as dg
import pytest

from citation_pipeline.adapters.claim_folders import ClaimFolderError, describe_documents
from citation_pipeline.adapters.inbox import (
    bring_documents,
    claim_of_inbox,
    document_sizes,
    list_inbox,
    remote_change,
)
from citation_pipeline.adapters.tables.archived_claims import archive_claim
from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.defs.assets.source_documents import file_inputs
from citation_pipeline.defs.automation.intake import build_intake, register_claims
from citation_pipeline.defs.automation.night_settings import InboxSettings, NightSettings
from citation_pipeline.defs.settings import Settings
from citation_pipeline_tests.chosen_settings import settings_over
from citation_pipeline_tests.scenario import write_claim


@pytest.fixture
def inbox(tmp_path: Path) -> Path:
    (tmp_path / "inbox").mkdir()
    return tmp_path / "inbox"


@pytest.fixture
def store(tmp_path: Path) -> ClaimStore:
    return ClaimStore(tmp_path / "store")


def settings_of(store: ClaimStore, root: str | Path, **chosen: object) -> Settings:
    inbox = InboxSettings(**{"root": str(root), "settle_s": 60.0, "extractor": "replay", **chosen})  # type: ignore[arg-type]
    return replace(settings_over(store.root), night=NightSettings(inbox=inbox))


def take(settings: Settings, store: ClaimStore, at: float, known: set[str] = frozenset()) -> list[str]:  # type: ignore[assignment]
    return register_claims(settings, store, known=known, now=at)[0]


def test_a_folder_is_taken_once_nothing_in_it_changed_for_a_while(inbox: Path, store: ClaimStore) -> None:
    settings = settings_of(store, inbox)
    folder = write_claim(inbox / "claim-1")
    assert take(settings, store, at=1000) == []
    assert take(settings, store, at=1059) == []
    (folder / "documents" / "late.txt").write_text("half")
    assert take(settings, store, at=1061) == []  # it changed: the wait begins anew
    (folder / "documents" / "late.txt").write_text("half and half")
    assert take(settings, store, at=1120) == []
    assert take(settings, store, at=1181) == ["claim-1"]
    assert store.claim("claim-1").extractor == "replay"
    assert take(settings, store, at=1300, known={"claim-1"}) == []


def test_a_copy_that_keeps_old_modification_times_is_waited_for_too(inbox: Path, store: ClaimStore) -> None:
    settings = settings_of(store, inbox)
    folder = write_claim(inbox / "claim-1")
    for path in folder.rglob("*.txt"):
        os.utime(path, (1, 1))
    assert take(settings, store, at=1_000_000) == []


def test_with_markers_a_folder_is_taken_when_its_marker_was_written_last(
    inbox: Path, store: ClaimStore
) -> None:
    settings = settings_of(store, inbox, needs_marker=True)
    folder = write_claim(inbox / "claim-1")
    assert take(settings, store, at=9999) == []
    (folder / "_READY").touch()
    os.utime(folder / "_READY", ns=(2_000_000_000_000_000_000,) * 2)
    late = folder / "documents" / "late.txt"
    late.write_text("after the marker")
    os.utime(late, ns=(2_000_000_001_000_000_000,) * 2)
    assert take(settings, store, at=9999) == []
    os.utime(folder / "_READY", ns=(2_000_000_001_000_000_000,) * 2)
    assert take(settings, store, at=9999) == ["claim-1"]
    assert "_READY" not in {source.file for source in describe_documents(store.claim("claim-1"))}


def test_names_that_cannot_be_claims_are_reported_and_keep_nobody_out(
    inbox: Path, store: ClaimStore, tmp_path: Path
) -> None:
    write_claim(inbox / "claim-1")
    write_claim(inbox / "no good name!")
    (inbox / os.fsdecode(b"bad\xff")).mkdir()
    (inbox / "loose.pdf").write_bytes(b"%PDF")
    (inbox / "linked").symlink_to(tmp_path)
    (inbox / "empty").mkdir()
    (inbox / ".hidden").mkdir()
    settings = settings_of(store, inbox, settle_s=0)
    new, problems, waiting = register_claims(settings, store, known=(), now=5.0)
    assert new == ["claim-1"]
    assert set(problems) == {"no good name!", os.fsdecode(b"bad\xff"), "loose.pdf", "linked"}
    assert waiting == 1  # the empty one: its documents may still come


def test_a_name_that_belongs_to_another_folder_or_an_archived_claim_is_left_alone(
    inbox: Path, store: ClaimStore, tmp_path: Path
) -> None:
    settings = settings_of(store, inbox, settle_s=0)
    for name in ("taken", "closed"):
        write_claim(inbox / name)
    elsewhere = settings_of(store, tmp_path / "other", settle_s=0)
    write_claim(tmp_path / "other" / "taken")
    assert take(elsewhere, store, at=1) == ["taken"]
    assert take(settings, store, at=1) == ["closed"]
    archive_claim(store, "closed", at="2026-01-01")
    new, problems, _ = register_claims(settings, store, known=(), now=2.0)
    assert (new, set(problems)) == ([], {"taken"})


def test_the_sensor_registers_partitions_and_starts_nothing(inbox: Path, store: ClaimStore) -> None:
    write_claim(inbox / "claim-1")
    write_claim(inbox / "no good name!")
    settings = settings_of(store, inbox, settle_s=0)
    with dg.DagsterInstance.ephemeral() as instance:
        context = dg.build_sensor_context(instance, resources={"store": store, "settings": settings})
        result = build_intake(settings.night.inbox)(context)
    assert isinstance(result, dg.SensorResult)
    assert not result.run_requests
    (request,) = result.dynamic_partitions_requests or ()
    assert request.partition_keys == ["claim-1"]
    told = result.skip_reason.skip_message if result.skip_reason else ""
    assert told.startswith("ADDED 1 claims: claim-1")
    assert "'no good name!'" in told
    (taken,) = result.asset_events
    assert (taken.asset_key.to_user_string(), taken.partition) == ("source_documents", "claim-1")


def test_a_name_that_cannot_be_taken_is_told_once_and_then_counted(
    inbox: Path, store: ClaimStore, capfd: pytest.CaptureFixture[str]
) -> None:
    write_claim(inbox / "no good name!")
    settings = settings_of(store, inbox, settle_s=0)

    def tick(cursor: str | None) -> tuple[str, str | None, int]:
        capfd.readouterr()
        with dg.DagsterInstance.ephemeral() as instance:
            resources = {"store": store, "settings": settings}
            context = dg.build_sensor_context(instance, cursor=cursor, resources=resources)
            result = build_intake(settings.night.inbox)(context)
        assert isinstance(result, dg.SensorResult)
        warned = capfd.readouterr().err.count("WARNING - inbox: 'no good name!'")
        return str(result.skip_reason and result.skip_reason.skip_message), result.cursor, warned

    first, cursor, warned = tick(None)
    assert warned == 1
    assert "1 names cannot be taken, new among them: 'no good name!'" in first
    again, cursor, warned = tick(cursor)
    assert warned == 0
    assert again == "no new claim; 0 folders waited for, 1 names cannot be taken (told before)"
    write_claim(inbox / "another bad one!")
    third, _, warned = tick(cursor)
    assert warned == 0
    assert "2 names cannot be taken, new among them: 'another bad one!'" in third


def test_an_inbox_that_is_gone_is_a_reason_and_no_exception(store: ClaimStore, tmp_path: Path) -> None:
    settings = settings_of(store, tmp_path / "nowhere")
    with dg.DagsterInstance.ephemeral() as instance:
        context = dg.build_sensor_context(instance, resources={"store": store, "settings": settings})
        result = build_intake(settings.night.inbox)(context)
    assert "the inbox cannot be read" in str(result.skip_reason)


# --- object storage -----------------------------------------------------------------------------------


def test_remote_documents_are_brought_once_and_again_only_when_they_change(
    inbox: Path, tmp_path: Path
) -> None:
    remote = write_claim(inbox / "claim-1")
    root = inbox.as_uri()
    (folder,) = list_inbox(root).folders
    claim = claim_of_inbox(
        root, folder, mirrors=tmp_path / "mirror", schema="workers_comp", parser="local", extractor="replay"
    )
    assert claim.folder == f"{root}/claim-1"
    assert remote_change(claim) is not None
    assert len(document_sizes(claim)) == 5  # four documents and the recorded answer
    assert bring_documents(claim) == 5
    assert [source.source_id for source in describe_documents(claim)] == [
        "older-letter",
        "copy-of-newer",
        "newer-letter",
        "nothing",
    ]
    settled = file_inputs(claim)
    assert remote_change(claim) is None
    assert bring_documents(claim) == 0
    (remote / "documents" / "nothing.txt").write_text("something after all")
    (remote / "documents" / "copy of newer.txt").unlink()
    assert file_inputs(claim) != settled
    assert bring_documents(claim) == 1
    assert "copy-of-newer" not in {source.source_id for source in describe_documents(claim)}


@pytest.mark.parametrize("name", ["../out.txt", "a/../../out.txt", "a\\..\\out.txt"])
def test_an_object_whose_name_leads_out_is_refused(
    inbox: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    from citation_pipeline.adapters import inbox as module

    write_claim(inbox / "claim-1")
    root = inbox.as_uri()
    (folder,) = list_inbox(root).folders
    claim = claim_of_inbox(
        root, folder, mirrors=tmp_path / "mirror", schema="workers_comp", parser="local", extractor="replay"
    )
    monkeypatch.setattr(
        module, "_remote_files", lambda *_, **__: iter([("claim-1", module.InboxFile(name, 3, 1))])
    )
    listing = list_inbox(root)
    assert listing.folders == ()
    assert "leads out of its folder" in listing.problems["claim-1"]
    with pytest.raises(ClaimFolderError, match="leads out of the folder"):
        bring_documents(claim)
    assert not (tmp_path / "out.txt").exists()
