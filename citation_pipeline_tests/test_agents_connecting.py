"""Ways in for other programs: the Python client, a client's configuration, and the bundle."""

import json
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from citation_pipeline.client import ClaimClient, ClaimRequestError
from citation_pipeline.serving.settings import AccessToken, Role, ServingSettings
from citation_pipeline_tests.agent_claims import build_searchable_store
from citation_pipeline_tests.commands import command
from citation_pipeline_tests.viewer_claim.serving import running
from citation_pipeline_tests.viewer_claim.store import CLAIM_ID

SECRET = "reader-secret-0001"
LETTER = f"{CLAIM_ID}:adjuster-letter"


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> str:
    return build_searchable_store(tmp_path_factory.mktemp("connecting")).root


@pytest.fixture(scope="module")
def client(store: str) -> Iterator[ClaimClient]:
    tokens = (AccessToken.of(SECRET, name="Script", role=Role.VIEWER),)
    with (
        running(ServingSettings(store, render_workers=1, tokens=tokens)) as address,
        ClaimClient(address, token=SECRET) as client,
    ):
        yield client


def test_a_script_searches_asks_and_checks_through_the_client(client: ClaimClient) -> None:
    assert [claim["claimId"] for claim in client.claims()] == [CLAIM_ID]
    found = next(client.search("average weekly wage over 1,000"))
    assert found["fields"][0]["value"] == 1182.5
    assert client.ask("When was she born?", claim_id=CLAIM_ID)["value"] == "1984-07-02"
    assert client.provenance(CLAIM_ID, "claimant.date_of_birth")["value"] == "1984-07-02"
    assert client.values(CLAIM_ID)["claim"]["claim_id"] == CLAIM_ID
    assert client.aggregate("sum", "financials.total_paid")["groups"][0]["value"] == 21219.12
    assert client.check(LETTER, "Date of birth: 07/02/1984", page=1)["status"] == "verified"
    assert client.page_pdf(LETTER, 1, bbox=(0.1, 0.1, 0.2, 0.1)).startswith(b"%PDF")


def test_a_refusal_reaches_a_script_with_its_remedy(client: ClaimClient) -> None:
    with pytest.raises(ClaimRequestError, match="in 2025") as refused:
        list(client.search("total paid over 5 in 2025"))
    assert refused.value.status == 422
    assert refused.value.details[0]["field"] == "query"
    with pytest.raises(ClaimRequestError) as missing:
        client.values("no-such-claim")
    assert missing.value.status == 404


def test_a_clients_configuration_starts_this_program_on_this_store(store: str) -> None:
    printed = command("mcp", "--store", store, "--config")
    entry = json.loads(printed.output)["mcpServers"]["citation-pipeline"]
    assert entry["args"][-3:] == ["mcp", "--store", str(Path(store).resolve())]
    assert Path(entry["command"]).exists()


def test_a_bundle_names_every_tool_and_asks_for_the_store(store: str, tmp_path: Path) -> None:
    target = tmp_path / "claims.mcpb"
    written = command("mcp", "--store", store, "--bundle", str(target))
    assert written.exit_code == 0, written.output
    with zipfile.ZipFile(target) as bundle:
        manifest = json.loads(bundle.read("manifest.json"))
    assert len(manifest["tools"]) == 13
    assert manifest["user_config"]["store"]["required"] is True
    assert manifest["server"]["mcp_config"]["args"] == ["mcp", "--store", "${user_config.store}"]
