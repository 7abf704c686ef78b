"""An agent of one group of claims, which names another group's claim in every tool and resource."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError

from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.serving.settings import AccessToken, Role, ServingSettings
from citation_pipeline_tests.agent_claims import build_searchable_store
from citation_pipeline_tests.viewer_claim.serving import running

OURS, THEIRS, NOBODYS = "G1-ours", "G2-theirs", "G2-absent"
SECRET = "Quillfeather"
PEOPLE = {"all": (), "one": ("G1-*",)}
FIELD = {"field": "claimant.name"}


def calls(claim_id: str) -> dict[str, dict[str, Any]]:
    """Every tool, with arguments that name a claim or one of its documents."""
    document = f"{claim_id}:adjuster-letter"
    return {
        "search_documents": {"query": "claimant", "claim_ids": [claim_id], "limit": 20},
        "get_field_provenance": {"claim_id": claim_id, **FIELD},
        "aggregate_with_citations": {
            "operation": "count",
            "field": "claimant.name",
            "claim_ids": [claim_id],
        },
        "ask": {"question": "What is the name of the claimant?", "claim_id": claim_id},
        "list_claims": {},
        "get_claim": {"claim_id": claim_id},
        "verify_citation": {
            "document_id": document,
            "text": "Claim number: HF-2023-0417",
            "page": 1,
        },
        "list_documents": {"claim_id": claim_id},
        "list_fields": {"claim_id": claim_id, "query": "claimant"},
        "read_page": {"document_id": document, "page": 1},
        "read_document": {"document_id": document},
        "highlight": {"document_id": document, "text": "Date of birth: 07/02/1984"},
        "get_page_image": {"document_id": document, "page": 1},
    }


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    root: Path = tmp_path_factory.mktemp("mcp-outsiders")
    for claim_id in (OURS, THEIRS):
        build_searchable_store(root, claim_id)
    store = ClaimStore(root / "store")
    dataset = store.read_viewer_dataset(THEIRS)
    named = next(field for field in dataset["fields"] if field["fieldKey"] == FIELD["field"])
    named["value"] = named["rawValue"] = SECRET
    dataset.pop("pipeline", None)
    store.write_viewer_dataset(THEIRS, dataset, inputs={})
    tokens = [
        AccessToken.of(f"{name}-secret-of-{name}", name=name, role=Role.VIEWER, claims=claims)
        for name, claims in PEOPLE.items()
    ]
    with running(ServingSettings(str(root / "store"), tokens=tokens, render_workers=1)) as url:
        yield url


def asked(address: str, who: str, claim_id: str) -> dict[str, tuple[bool, str]]:
    """Whether each tool refused, and all that it said; resources by their addresses."""

    async def main() -> dict[str, tuple[bool, str]]:
        headers = {"Authorization": f"Bearer {who}-secret-of-{who}"}
        async with (
            httpx2.AsyncClient(headers=headers, timeout=60) as http,
            Client(streamable_http_client(f"{address}/mcp", http_client=http)) as client,
        ):
            known = {tool.name for tool in (await client.list_tools()).tools}
            assert known == set(calls(claim_id))
            said = {}
            for name, arguments in calls(claim_id).items():
                answer = await client.call_tool(name, arguments)
                said[name] = answer.is_error, answer.model_dump_json()
            for uri in (f"claim://{claim_id}", f"document://{claim_id}/adjuster-letter"):
                try:
                    read = await client.read_resource(uri)
                    said[uri.partition(":")[0]] = False, read.model_dump_json()
                except MCPError as error:
                    said[uri.partition(":")[0]] = True, str(error)
            said["resources"] = False, (await client.list_resources()).model_dump_json()
            return said

    return anyio.run(main)


def test_who_may_see_the_claim_is_answered_by_every_tool(address: str) -> None:
    said = asked(address, "all", THEIRS)
    assert {name: text for name, (is_refused, text) in said.items() if is_refused} == {}
    assert all(THEIRS in said[name][1] for name in ("search_documents", "list_claims", "resources"))
    assert all(SECRET in said[name][1] for name in ("get_claim", "get_field_provenance", "claim"))


def test_no_tool_tells_another_groups_claim_from_one_that_is_not_there(address: str) -> None:
    theirs, nobodys = (asked(address, "one", claim_id) for claim_id in (THEIRS, NOBODYS))
    for name, (is_refused, text) in theirs.items():
        assert SECRET not in text, name
        assert (is_refused, text.replace(THEIRS, NOBODYS)) == nobodys[name], name
    assert {name for name, (is_refused, _) in theirs.items() if not is_refused} <= {
        "search_documents",
        "aggregate_with_citations",
        "list_claims",
        "list_fields",
        "verify_citation",  # "no such document", as a finding
        "resources",
    }
    assert THEIRS not in theirs["list_claims"][1] + theirs["resources"][1]
    assert OURS in theirs["list_claims"][1]
