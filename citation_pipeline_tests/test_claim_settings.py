"""`claim.toml`: how one claim is read, by its own folder; what cannot be used is named with its remedy."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from citation_pipeline.adapters.claim_folders import claim_of_folder, describe_documents
from citation_pipeline.adapters.claim_settings import (
    ClaimSettingsError,
    ReaderNames,
    choose_settings,
    write_folder_settings,
)
from citation_pipeline.adapters.inbox import claim_of_inbox, list_inbox, read_inbox_settings
from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.cli.requested_runs import make_extract
from citation_pipeline.defs.automation.intake import register_claims
from citation_pipeline.defs.automation.night_settings import InboxSettings, NightSettings
from citation_pipeline.defs.settings import Settings
from citation_pipeline.serving.api.agent_settings import AgentSettings, ExtractOutcome
from citation_pipeline.serving.settings import ServingSettings
from citation_pipeline_tests.chosen_settings import settings_over
from citation_pipeline_tests.commands import command
from citation_pipeline_tests.scenario import write_claim
from citation_pipeline_tests.viewer_claim.serving import client_of

NAMES = ReaderNames(("local", "reducto"), ("rules", "claude", "replay"))
OWN = {"title": "Bill", "type": "object", "properties": {"total": {"type": "number"}}}


def claim_with(folder: Path, text: str | bytes) -> Any:
    (folder / "claim.toml").write_bytes(text.encode() if isinstance(text, str) else text)
    return choose_settings(claim_of_folder(folder), names=NAMES)


def test_a_folder_says_how_its_claim_is_read_and_the_command_line_has_the_last_word(tmp_path: Path) -> None:
    folder = write_claim(tmp_path / "tiny")
    claim = claim_with(folder, 'extractor = "replay"  # recorded\nschema = "auto"\n')
    assert (claim.schema, claim.parser, claim.extractor) == ("auto", "local", "replay")
    given = {"extractor": "rules", "schema": None, "parser": None}
    asked = choose_settings(claim_of_folder(folder), names=NAMES, given=given)
    assert (asked.schema, asked.extractor) == ("auto", "rules")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('extracter = "rules"', "'extracter'"),
        ('extractor = "claud"', "'claud': choose one of claude, replay, rules"),
        ('parser = "Local"', "'Local': choose one of local, reducto"),
        ("parser = 3", "parser must be a name in quotes"),
        ('schema = ""', "schema must be a name in quotes"),
        ('schema = "workers-comp"', "there is no schema 'workers-comp'"),
        ('schema = "../../elsewhere.json"', "in the claim's folder"),
        ('[extractor]\nname = "rules"', "extractor must be a name in quotes"),
        ("extractor = rules", "is not TOML"),
        (b'\xff\xfeextractor = "rules"', "is not UTF-8"),
        ("#" * 20_000, "more than 10000 bytes"),
    ],
)
def test_what_cannot_be_used_is_named_with_its_remedy(tmp_path: Path, text: str | bytes, said: str) -> None:
    (tmp_path / "elsewhere.json").write_text(json.dumps(OWN))
    folder = write_claim(tmp_path / "claims" / "tiny")
    with pytest.raises(ClaimSettingsError) as caught:
        claim_with(folder, text)
    assert str(caught.value).startswith("tiny: ")
    assert "claim.toml" in str(caught.value)
    assert said in str(caught.value)


def test_a_file_among_the_documents_is_not_passed_over_in_silence(tmp_path: Path) -> None:
    folder = write_claim(tmp_path / "tiny")
    (folder / "documents" / "claim.toml").write_text('extractor = "claude"')
    with pytest.raises(ClaimSettingsError, match="move it up"):
        choose_settings(claim_of_folder(folder), names=NAMES)


def test_a_schema_in_the_folder_is_used_and_is_no_document(tmp_path: Path) -> None:
    folder = tmp_path / "bill"
    folder.mkdir()
    (folder / "letter.txt").write_text("Total: 12")
    (folder / "own.json").write_text(json.dumps(OWN))
    claim = claim_with(folder, 'schema = "own.json"')
    assert claim.schema == str((folder / "own.json").resolve())
    assert [source.file for source in describe_documents(claim)] == ["letter.txt"]


def test_a_choice_is_written_beside_what_the_file_states_already(tmp_path: Path) -> None:
    folder = write_claim(tmp_path / "tiny")
    (folder / "claim.toml").write_text('schema = "auto"\nextractor = "rules"\n')
    write_folder_settings(folder, {"extractor": "claude"}, claim_id="tiny", names=NAMES)
    claim = choose_settings(claim_of_folder(folder), names=NAMES)
    assert (claim.schema, claim.extractor) == ("auto", "claude")


# --- the inbox ----------------------------------------------------------------------------------------


@pytest.fixture
def inbox(tmp_path: Path) -> Path:
    (tmp_path / "inbox").mkdir()
    return tmp_path / "inbox"


def settings_of(tmp_path: Path, inbox: Path, **chosen: Any) -> Settings:
    night = NightSettings(inbox=InboxSettings(root=str(inbox), settle_s=0, **chosen))
    return replace(settings_over(str(tmp_path / "store")), night=night)


def test_the_intake_reads_each_claims_own_settings_before_the_inboxs(tmp_path: Path, inbox: Path) -> None:
    store = ClaimStore(tmp_path / "store")
    (write_claim(inbox / "own") / "claim.toml").write_text('extractor = "claude"')
    (write_claim(inbox / "wrong") / "claim.toml").write_text('extractor = "nobody"')
    write_claim(inbox / "plain")
    settings = settings_of(tmp_path, inbox, schema="auto", extractor="replay")
    new, problems, _ = register_claims(settings, store, known=(), now=1.0)
    assert new == ["own", "plain"]
    assert "'nobody': choose one of" in problems["wrong"]
    assert [(store.claim(name).schema, store.claim(name).extractor) for name in new] == [
        ("auto", "claude"),
        ("auto", "replay"),
    ]
    assert "wrong" not in store.claim_ids()


def test_a_file_that_is_written_again_is_followed_and_a_broken_one_changes_nothing(
    tmp_path: Path, inbox: Path
) -> None:
    store = ClaimStore(tmp_path / "store")
    folder = write_claim(inbox / "own")
    settings = settings_of(tmp_path, inbox)
    assert register_claims(settings, store, known=(), now=1.0)[0] == ["own"]
    store.register(replace(store.claim("own"), schema="auto"))  # as a request chose since
    (folder / "claim.toml").write_text('extractor = "claude"')
    assert register_claims(settings, store, known={"own"}, now=2.0)[0] == []
    assert (store.claim("own").schema, store.claim("own").extractor) == ("auto", "claude")
    (folder / "claim.toml").write_text('extractor = "nobody at all"')
    _, problems, _ = register_claims(settings, store, known={"own"}, now=3.0)
    assert "nobody at all" in problems["own"]
    assert store.claim("own").extractor == "claude"


def test_a_folder_with_nothing_but_settings_is_waited_for(tmp_path: Path, inbox: Path) -> None:
    (inbox / "own").mkdir()
    (inbox / "own" / "claim.toml").write_text('extractor = "rules"')
    new, _, waiting = register_claims(
        settings_of(tmp_path, inbox), ClaimStore(tmp_path / "store"), known=(), now=1.0
    )
    assert (new, waiting) == ([], 1)


def test_a_claim_on_object_storage_is_read_as_its_file_says(tmp_path: Path, inbox: Path) -> None:
    (write_claim(inbox / "own") / "claim.toml").write_text('extractor = "claude"')
    root = inbox.as_uri()
    (folder,) = list_inbox(root).folders
    claim = claim_of_inbox(
        root, folder, mirrors=tmp_path / "mirror", schema="auto", parser="local", extractor="rules"
    )
    read = read_inbox_settings(claim, folder, names=NAMES)
    assert (read.schema, read.extractor, bool(read.settings_mark)) == ("auto", "claude", True)
    (inbox / "own" / "claim.toml").write_text('schema = "own.json"')
    with pytest.raises(ClaimSettingsError, match="there is no schema 'own.json'"):
        read_inbox_settings(claim, folder, names=NAMES)


# --- commands and requests ----------------------------------------------------------------------------


def test_run_reads_the_folders_settings_and_fails_the_claim_that_has_unusable_ones(tmp_path: Path) -> None:
    (write_claim(tmp_path / "good") / "claim.toml").write_text('extractor = "replay"')
    (write_claim(tmp_path / "bad") / "claim.toml").write_text('extractors = "replay"')
    store = tmp_path / "store"
    found: Result = command(
        "run", str(tmp_path / "good"), str(tmp_path / "bad"), "--store", str(store), "--json"
    )
    assert found.exit_code == 1
    assert "bad: claim.toml has a key 'extractors'" in found.stderr
    assert ClaimStore(store).claim("good").extractor == "replay"
    assert (store / "viewer_dataset" / "good" / "data.json").exists()


def test_a_request_for_an_unknown_reader_leaves_the_claim_as_it_was(tmp_path: Path) -> None:
    store = ClaimStore(tmp_path / "store")
    claim = claim_of_folder(write_claim(tmp_path / "tiny"), extractor="replay")
    store.register(claim)
    for wrong in ({"extractor": "nobody"}, {"parser": "nobody"}, {"schema": "nobody"}):
        outcome = make_extract(store.root)("tiny", False, **wrong)
        assert not outcome.ok
        assert "nobody" in outcome.error
    assert store.claim("tiny") == claim


Asked = list[tuple[str, dict[str, Any]]]


@pytest.fixture
def serve(tmp_path: Path) -> Callable[..., Any]:
    def open_client(asked: Asked) -> Any:
        def extract(claim_id: str, force: bool, **chosen: Any) -> ExtractOutcome:
            asked.append((claim_id, chosen))
            return ExtractOutcome(claim_id, True)

        agents = AgentSettings(extract=extract, reader_names=NAMES)
        return client_of(ServingSettings(str(tmp_path / "store"), render_workers=1, agents=agents))

    return open_client


def test_an_upload_may_say_how_its_claim_is_read(tmp_path: Path, serve: Callable[..., Any]) -> None:
    asked: Asked = []
    files = {"files": ("letter.txt", b"words", "text/plain")}
    chosen = {"schema": "auto", "parser": "reducto", "extractor": "claude"}
    with serve(asked) as client:
        at_once = {"claim_id": "now", "process": "true", **chosen}
        assert client.post("/upload", data=at_once, files=files).status_code == 201
        assert client.post("/upload", data={"claim_id": "later", **chosen}, files=files).status_code == 201
        wrong = client.post("/upload", data={"claim_id": "later", "extractor": "nobody"}, files=files)
        assert (wrong.status_code, wrong.json()["error"]["code"]) == (422, "unknown_reader")
        assert "claude" in wrong.json()["error"]["remedy"]
        path = client.post("/upload", data={"claim_id": "later", "schema": "../own.json"}, files=files)
        assert path.status_code == 422
    assert asked == [("now", chosen)]
    inbox = tmp_path / "store" / "inbox"
    settings = settings_of(tmp_path, inbox)
    register_claims(settings, ClaimStore(tmp_path / "store"), known=(), now=1.0)
    later = ClaimStore(tmp_path / "store").claim("later")
    assert (later.schema, later.parser, later.extractor) == ("auto", "reducto", "claude")
    assert [path.name for path in (inbox / "later" / "documents").iterdir()] == ["letter.txt"]


def test_an_extraction_may_name_its_parser_too(serve: Callable[..., Any]) -> None:
    asked: Asked = []
    with serve(asked) as client:
        wanted = {"claim_id": "now", "parser": "reducto", "extractor": "claude", "schema": "auto"}
        assert client.post("/extract", json=wanted).status_code == 200
        refused = client.post("/extract", json={"claim_id": "now", "parser": "nobody"})
        assert (refused.status_code, refused.json()["error"]["code"]) == (422, "unknown_reader")
    assert asked == [("now", {"schema": "auto", "parser": "reducto", "extractor": "claude"})]


@pytest.mark.parametrize("name", ["claim.toml", "extraction_raw.json", "Claim.TOML", "_READY"])
def test_no_upload_passes_for_a_file_that_the_pipeline_reads_as_something_else(
    tmp_path: Path, serve: Callable[..., Any], name: str
) -> None:
    with serve([]) as client:
        refused = client.post(
            "/upload", data={"claim_id": "new"}, files={"files": (name, b"x", "text/plain")}
        )
    assert (refused.status_code, refused.json()["error"]["code"]) == (422, "reserved_name")
    assert not (tmp_path / "store" / "inbox" / "new").exists()
