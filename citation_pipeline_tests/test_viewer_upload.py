"""Bringing documents in by the viewer, and going from claim to claim."""

from pathlib import Path

import pytest
from playwright.sync_api import expect

from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.serving.api.agent_settings import AgentSettings, ExtractOutcome
from citation_pipeline.serving.settings import ServingSettings
from citation_pipeline_tests.viewer_claim.browser import Visit, browsing
from citation_pipeline_tests.viewer_claim.serving import client_of, decide, running
from citation_pipeline_tests.viewer_claim.store import CLAIM_ID, build_store

OTHER = "ZZ-2"


@pytest.fixture
def store(tmp_path: Path) -> ClaimStore:
    build_store(tmp_path, OTHER)
    return build_store(tmp_path)


def test_documents_for_a_known_claim_go_to_the_folder_that_it_is_read_from(store: ClaimStore) -> None:
    with client_of(ServingSettings(store.root, render_workers=1)) as client:
        for claim_id in (CLAIM_ID, "new-claim"):
            files = {"files": ("more.txt", b"one more", "text/plain")}
            assert client.post("/upload", data={"claim_id": claim_id}, files=files).status_code == 201
    assert (Path(store.claim(CLAIM_ID).documents_dir) / "more.txt").read_bytes() == b"one more"
    assert (Path(store.root) / "inbox" / "new-claim" / "documents" / "more.txt").exists()


def test_the_list_shows_the_claims_that_are_asked_for(store: ClaimStore) -> None:
    with client_of(ServingSettings(store.root, render_workers=1)) as client:
        for key in [field["fieldKey"] for field in client.get(f"/api/claims/{OTHER}").json()["fields"]]:
            assert decide(client, OTHER, key, "correct", value="2024-01-02").status_code in (201, 422)

        def shown(kind: str) -> list[str]:
            return [claim["claimId"] for claim in client.get(f"/api/claims?show={kind}").json()["claims"]]

        assert shown("all") == [CLAIM_ID, OTHER]
        assert CLAIM_ID in shown("open")
        assert shown("unreadable") == [CLAIM_ID, OTHER]
        assert shown("held") == shown("conflict") == []
        assert client.get("/api/claims?show=nonsense").status_code == 422


@pytest.mark.browser
def test_a_document_is_uploaded_into_a_claim_with_a_schema_and_read(
    store: ClaimStore, tmp_path: Path
) -> None:
    asked: list[tuple[str, dict[str, str]]] = []

    def extract(claim_id: str, force: bool, **chosen: str) -> ExtractOutcome:
        asked.append((claim_id, chosen))
        return ExtractOutcome(claim_id, True, ("viewer_dataset",))

    (tmp_path / "letter.txt").write_text("Claim number: 7")
    settings = ServingSettings(
        store.root, render_workers=1, local_reviewer="Ada", agents=AgentSettings(extract=extract)
    )
    with running(settings) as address, browsing() as browser:
        visit = Visit(browser.new_page(viewport={"width": 1440, "height": 900}))
        visit.open(f"{address}/claims/{CLAIM_ID}")
        page = visit.page
        page.get_by_role("button", name="Add documents").click()
        page.get_by_role("button", name="Upload and read").click()
        expect(page.locator(".upload .problem")).to_contain_text("at least one document")
        page.get_by_label("Documents", exact=True).last.set_input_files(str(tmp_path / "letter.txt"))
        expect(page.locator(".upload-files")).to_contain_text("letter.txt")
        page.get_by_label("Schema").select_option("auto")
        page.get_by_role("button", name="Upload and read").click()
        visit.hear("was read")
        assert asked == [(CLAIM_ID, {"schema": "auto"})]
        assert (Path(store.claim(CLAIM_ID).documents_dir) / "letter.txt").exists()

        page.get_by_label("Which claims").select_option("held")
        expect(page.locator(".claims")).to_contain_text("No claim of that kind")
        page.get_by_label("Which claims").select_option("all")
        expect(page.locator(".claim")).to_have_count(2)
        assert visit.problems == []


@pytest.mark.browser
def test_documents_whose_reading_failed_are_read_again_and_not_sent_again(
    store: ClaimStore, tmp_path: Path
) -> None:
    outcomes = [
        ExtractOutcome(CLAIM_ID, False, (), "the parser is not there"),
        ExtractOutcome(CLAIM_ID, True, ("viewer_dataset",)),
    ]
    for name in ("first.txt", "second.txt"):
        (tmp_path / name).write_text("Claim number: 7")
    agents = AgentSettings(extract=lambda claim_id, force, **chosen: outcomes.pop(0))
    settings = ServingSettings(store.root, render_workers=1, local_reviewer="Ada", agents=agents)
    with running(settings) as address, browsing() as browser:
        visit = Visit(browser.new_page(viewport={"width": 1440, "height": 900}))
        visit.open(f"{address}/claims/{CLAIM_ID}")
        page = visit.page
        page.get_by_role("button", name="Add documents").click()
        files = [str(tmp_path / name) for name in ("first.txt", "second.txt")]
        page.get_by_label("Documents", exact=True).last.set_input_files(files)
        page.get_by_role("button", name="Upload and read").click()
        expect(page.locator(".upload .problem")).to_contain_text("uploaded; reading them failed")
        expect(page.locator(".upload .problem")).to_contain_text("the parser is not there")
        for name in ("first.txt", "second.txt"):
            expect(page.get_by_label(f"Upload of {name}")).to_have_attribute("value", "1")

        page.get_by_role("button", name="Read again").click()
        visit.hear("was read")
        folder = Path(store.claim(CLAIM_ID).documents_dir)
        assert sorted(path.name for path in folder.glob("*.txt") if path.name[0] in "fs") == [
            "first.txt",
            "second.txt",
        ]
