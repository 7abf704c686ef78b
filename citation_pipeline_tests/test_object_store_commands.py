"""Evaluation, promotions and agents over S3 and PostgreSQL, on a host that never had the claim's folder."""

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from citation_pipeline_tests.object_servers import s3_server, url_of
from citation_pipeline_tests.postgres import PostgresServer
from citation_pipeline_tests.test_object_store_hosts import ANSWER, Host, write_folder

TRUTH = {
    "claim_id": "C-1",
    "absent_fields": [],
    "fields": {
        "payment.payee": {
            "value": "Baywater Clinic",
            "type": "string",
            "citations": [{"source_id": "letter", "text_snippet": "paid $412.50 to Baywater Clinic"}],
        },
        "payment.amount": {"value": 412.5, "type": "number", "citations": []},
    },
}


@dataclass(frozen=True)
class SharedHost(Host):
    """A host whose reviews and decisions lie in a database that all hosts share."""

    database: str = ""

    @property
    def environment(self) -> dict[str, str]:
        """What its commands are told."""
        return super().environment | {
            "CITATION_PIPELINE_COORDINATION_URL": self.database,
            "CITATION_PIPELINE_VERIFICATIONS_URL": self.database,
        }


@pytest.fixture(scope="module")
def hosts(
    tmp_path_factory: pytest.TempPathFactory, postgres: PostgresServer
) -> Iterator[tuple[SharedHost, SharedHost]]:
    """Two hosts over one bucket and one database; the first has run a claim."""
    root = tmp_path_factory.mktemp("shared")
    database = postgres.new_database()
    with s3_server() as endpoint:
        url = url_of(endpoint, "team/store")
        one, two = SharedHost(root / "one", url, database), SharedHost(root / "two", url, database)
        claim = write_folder(one.folder / "in" / "C-1")
        (claim / "truth.json").write_text(json.dumps(TRUTH))
        one.run("run", str(claim), "--extractor", "replay", "--schema", str(claim.parent / "payments.json"))
        yield one, two


def test_a_claim_is_evaluated_by_the_truth_that_went_into_the_store_with_it(
    hosts: tuple[SharedHost, SharedHost],
) -> None:
    (told,) = [json.loads(line) for line in hosts[1].run("evaluate", "C-1", "--json").splitlines()]
    assert told["claim_id"] == "C-1"
    assert told["values"]["right"] == 2, told["values"]
    assert told["values"]["wrong"] == 0, told["values"]


def test_an_agent_searches_and_asks_over_stdio(hosts: tuple[SharedHost, SharedHost], project: Path) -> None:
    two = hosts[1]

    async def talk() -> tuple[Any, Any]:
        server = StdioServerParameters(
            command=sys.executable,
            args=["-m", "citation_pipeline", "mcp", "--extractive", "--store", two.store],
            env={**two.environment, "PYTHONPATH": str(project)},
        )
        async with Client(stdio_client(server)) as client:
            found = await client.call_tool("search_documents", {"query": "Baywater Clinic"})
            asked = await client.call_tool("get_claim", {"claim_id": "C-1"})
        return found, asked

    found, asked = anyio.run(talk)
    assert found.structured_content["total"] >= 1, found
    assert "412.5" in json.dumps(asked.structured_content)


def test_a_held_set_of_one_host_is_listed_and_accepted_on_another(
    hosts: tuple[SharedHost, SharedHost],
) -> None:
    one, two = hosts
    changed = json.loads(json.dumps(ANSWER))
    changed["extractions"][0]["value"] = "Harbor Mutual Insurance"
    changed["extractions"][1]["value"] = 4125.0
    claim = one.folder / "in" / "C-1"
    (claim / "extraction_raw.json").write_text(json.dumps(changed))
    schema = str(claim.parent / "payments.json")
    one.run("run", str(claim), "--extractor", "replay", "--schema", schema, code=1)
    shown = values(two)
    (held,) = [json.loads(line) for line in two.run("promotions", "list", "--json").splitlines()]
    assert held["claim_id"] == "C-1"
    two.run("promotions", "accept", "C-1", "--why", "checked", "--by", "Rea")
    assert values(two) != shown
    assert values(one) == values(two)
    assert one.run("promotions", "list", "--json") == ""
    assert "Rea" in one.run("promotions", "show", "C-1")


def values(host: SharedHost) -> list[str]:
    """The values that a host shows of the claim."""
    return [field["value"] for field in json.loads(host.run("show", "C-1"))["fields"]]
