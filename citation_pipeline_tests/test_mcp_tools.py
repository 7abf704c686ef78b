"""The MCP server as the official client sees it, over HTTP behind the access rules, and over stdio."""

import base64
import io
import json
import os
import re
import sys
import time
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from PIL import Image, ImageChops

from citation_pipeline.serving.api.agent_settings import AgentSettings
from citation_pipeline.serving.mcp.lean import absence_note
from citation_pipeline.serving.settings import AccessToken, Role, ServingSettings
from citation_pipeline_tests.agent_claims import build_searchable_store
from citation_pipeline_tests.viewer_claim.serving import running
from citation_pipeline_tests.viewer_claim.store import CLAIM_ID

TOOLS = {
    "search_documents",
    "get_field_provenance",
    "aggregate_with_citations",
    "ask",
    "list_claims",
    "get_claim",
    "verify_citation",
    "list_documents",
    "list_fields",
    "read_page",
    "read_document",
    "highlight",
    "get_page_image",
}
LETTER = f"{CLAIM_ID}:adjuster-letter"
SECRET = "reader-secret-0001"

PAID = {"operation": "sum", "field": "financials.total_paid"}


def span(**members: Any) -> dict[str, Any]:
    """The arguments that highlight one span of the letter."""
    return {"document_id": LETTER, "spans": [members]}


Talk = Callable[[Client], Coroutine[Any, Any, Any]]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> str:
    return build_searchable_store(tmp_path_factory.mktemp("mcp")).root


@pytest.fixture(scope="module")
def address(store: str) -> Iterator[str]:
    tokens = (AccessToken.of(SECRET, name="Agent", role=Role.VIEWER),)
    with running(ServingSettings(store, render_workers=1, tokens=tokens)) as address:
        yield address


def over_http(address: str, talk: Talk, *, secret: str = SECRET) -> Any:
    async def main() -> Any:
        headers = {"Authorization": f"Bearer {secret}"} if secret else {}
        async with (
            httpx2.AsyncClient(headers=headers, timeout=60) as http,
            Client(streamable_http_client(f"{address}/mcp", http_client=http)) as client,
        ):
            return await talk(client)

    return anyio.run(main)


def over_stdio(store: str, talk: Talk) -> Any:
    async def main() -> Any:
        server = StdioServerParameters(
            command=sys.executable,
            args=["-m", "citation_pipeline", "mcp", "--store", store],
            env={"PATH": os.environ["PATH"], "PYTHONPATH": str(Path(__file__).resolve().parent.parent)},
        )
        async with Client(stdio_client(server)) as client:
            return await talk(client)

    return anyio.run(main)


def call(client: Client, name: str, **arguments: Any) -> Coroutine[Any, Any, Any]:
    return client.call_tool(name, arguments)


def test_tools_are_listed_with_schemas_and_as_only_reading(address: str) -> None:
    listed = over_http(address, lambda client: client.list_tools()).tools
    assert {tool.name for tool in listed} == TOOLS
    for tool in listed:
        assert tool.description
        assert tool.input_schema["type"] == "object"
        assert tool.output_schema is not None
        assert tool.output_schema["type"] == "object"
        assert tool.annotations is not None
        assert tool.annotations.read_only_hint is True
        assert tool.annotations.destructive_hint is False


def test_every_tool_answers_what_its_output_schema_says(address: str) -> None:
    calls: dict[str, dict[str, Any]] = {
        "search_documents": {"query": "average weekly wage"},
        "get_field_provenance": {"claim_id": CLAIM_ID, "field": "claimant.name"},
        "aggregate_with_citations": {"operation": "sum", "field": "financials.total_paid"},
        "ask": {"question": "What is the date of birth?", "claim_id": CLAIM_ID},
        "list_claims": {},
        "get_claim": {"claim_id": CLAIM_ID},
        "verify_citation": {"document_id": f"{CLAIM_ID}:payment-ledger", "text": "Total paid 21,219.12"},
        "list_documents": {"claim_id": CLAIM_ID},
        "list_fields": {"claim_id": CLAIM_ID},
        "read_page": {"document_id": LETTER, "page": 1},
        "read_document": {"document_id": LETTER},
        "highlight": {"document_id": LETTER, "text": "Date of birth: 07/02/1984"},
        "get_page_image": {"document_id": LETTER, "field": "claimant.date_of_birth"},
    }
    assert set(calls) == TOOLS

    async def talk(client: Client) -> None:
        await client.list_tools()  # the client then checks each answer against the tool's output schema
        for name, arguments in calls.items():
            answer = await client.call_tool(name, arguments)
            assert not answer.is_error, (name, answer.content)
            assert answer.structured_content is not None
            assert json.loads(answer.content[0].text) == answer.structured_content
            told = len(answer.content[0].text) + len(json.dumps(answer.structured_content))
            assert told / 4 <= 4_000, name  # some four characters a token

    over_http(address, talk)


def test_a_question_comes_back_with_a_citation_to_quote(address: str) -> None:
    answer = over_http(
        address, lambda c: call(c, "ask", question="When was she born?", claim_id=CLAIM_ID)
    ).structured_content
    assert (answer["found"], answer["value"]) == (True, "1984-07-02")
    source = answer["sources"][0]
    assert source["citation"]["citation"]["short"] == "[Adjuster Letter.pdf, p.1]"
    assert "07/02/1984" in source["quote"]
    assert 0 < source["regions"][0]["width"] < 1


def test_what_the_documents_do_not_say_is_refused_in_exactly_these_words(address: str) -> None:
    answer = over_http(
        address, lambda c: call(c, "ask", question="What is the dog's name?", claim_id=CLAIM_ID)
    ).structured_content
    assert answer["answer"] == "Not found in document."
    assert (answer["found"], answer["sources"]) == (False, [])
    assert "pages" in answer["searched"]
    # without a model a refusal is no proof that the documents are silent
    assert "without a model more than half of the questions" in answer["searched"]


def test_an_agent_is_told_how_little_the_silence_of_the_rules_says() -> None:
    assert absence_note(None) == {}
    noted = absence_note(0.52)
    assert noted["absence_confidence"] == 0.52
    assert "of 100 such fields 48 are in the documents" in noted["absence_note"]


@pytest.mark.parametrize(
    ("name", "arguments", "part"),
    [
        ("ask", {"question": "When?"}, "claim_id"),
        ("ask", {"claim_id": CLAIM_ID}, "question"),
        ("search_documents", {"query": "wage", "claim_id": CLAIM_ID}, "did you mean 'claim_ids'"),
        ("aggregate_with_citations", {"operation": "sum", "filter": "x"}, "did you mean 'where'"),
        ("list_claims", {"offest": 3}, "did you mean 'offset'"),
        ("search_documents", {"query": "total paid over $1,000 in 2025"}, "in 2025"),
        ("aggregate_with_citations", {"query": "sum of total padi"}, "total padi"),
        ("aggregate_with_citations", {"operation": "sum"}, "field"),
        ("get_field_provenance", {"claim_id": CLAIM_ID}, "field_name"),
        ("get_page_image", {"document_id": LETTER, "bbox": [0.9, 0.9, 0.5, 0.5]}, "bbox"),
        ("read_page", {"document_id": LETTER, "page": 99}, "pages"),
        ("highlight", {"claim_id": CLAIM_ID}, "exactly one"),
        ("get_page_image", {"document_id": f"{CLAIM_ID}:none"}, "no such document"),
        ("get_claim", {"claim_id": "../../etc/passwd"}, "claim_id"),
        ("get_claim", {"claim_id": "no-such-claim"}, "no finished claim"),
        ("get_field_provenance", {"claim_id": CLAIM_ID, "field": "nothing.here"}, "no such field"),
        ("search_documents", {"query": "x", "limit": 10_000}, "limit"),
        ("aggregate_with_citations", {"operation": "drop", "field": "financials.total_paid"}, "operation"),
        ("search_documents", {"query": "wage", "claim_ids": ["no-such-claim"]}, "no finished claim"),
        ("search_documents", {"query": "wage", "claim_ids": []}, "claim_ids"),
        ("search_documents", {"query": "wage", "descending": True}, "descending: needs order_by"),
        ("search_documents", {"query": " ?! "}, "no letter"),
        ("search_documents", {"query": "wage", "limit": True}, "limit: a number"),
        (
            "search_documents",
            {"query": "claims sorted by total paid", "order_by": "claim number"},
            "name one order",
        ),
        ("aggregate_with_citations", {**PAID, "claim_ids": ["no-such-claim"]}, "no finished claim"),
        ("aggregate_with_citations", {**PAID, "order": "value"}, "no groups to order"),
        (
            "aggregate_with_citations",
            {"query": "sum of total paid by claim number", "group_by": "claimant name"},
            "groups already",
        ),
        ("get_claim", {"claim_id": CLAIM_ID, "category": "finnancials"}, "financials"),
        ("ask", {"question": "When?", "claim_id": CLAIM_ID, "method": "model"}, "no model is configured"),
        ("read_page", {"document_id": LETTER, "page": 1, "from_line": 9_999}, "last line"),
        ("highlight", {"document_id": LETTER, "spans": []}, "spans"),
        ("highlight", span(start_token=-1, end_token=2), "word ids"),
        ("highlight", span(start_token=0, end_token=99_999), "word ids"),
        ("highlight", span(start_token=5, end_token=2), "behind"),
        ("highlight", span(start_token=1, end_token=2, colour="red"), "colour"),
        ("highlight", span(start_token=1, end_token=2, source_id="other"), "another document"),
    ],
)
def test_wrong_arguments_are_said_to_be_wrong(
    address: str, name: str, arguments: dict[str, Any], part: str
) -> None:
    answer = over_http(address, lambda c: c.call_tool(name, arguments))
    assert answer.is_error
    assert part in answer.content[0].text


def test_a_highlight_of_a_whole_document_is_cut_to_what_an_answer_may_be(address: str) -> None:
    async def talk(client: Client) -> tuple[Any, Any]:
        wrong = await client.call_tool("highlight", span(start_token=0, end_token=99_999))
        last = int(re.search(r"from 0 to (\d+)", wrong.content[0].text)[1])  # type: ignore[index]
        return wrong, await client.call_tool("highlight", span(start_token=0, end_token=last))

    _, whole = over_http(address, talk)
    assert not whole.is_error
    assert len(whole.content[0].text) < 7_400


def test_an_unknown_tool_is_an_error_not_a_crash(address: str) -> None:
    async def talk(client: Client) -> bool:
        try:
            return bool((await client.call_tool("delete_everything", {})).is_error)
        except MCPError:
            return True

    assert over_http(address, talk)


@pytest.mark.parametrize("secret", ["", "wrong-secret-000000"])
def test_strangers_get_no_tools_over_http(address: str, secret: str) -> None:
    headers = {"Authorization": f"Bearer {secret}"} if secret else {}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    answer = httpx2.post(f"{address}/mcp", json=body, headers=headers, timeout=60)
    assert (answer.status_code, answer.json()["error"]["code"]) == (401, "not_signed_in")


def test_another_sites_page_cannot_call_tools(store: str) -> None:
    with running(ServingSettings(store, render_workers=1)) as address:
        answer = httpx2.post(
            f"{address}/mcp",
            json={"jsonrpc": "2.0", "id": 1, "method": "tools/list"},
            headers={"Origin": "https://elsewhere.example", "Accept": "application/json, text/event-stream"},
            timeout=60,
        )
    assert (answer.status_code, answer.json()["error"]["code"]) == (403, "foreign_request")


def test_a_cancelled_call_leaves_the_server_answering(store: str) -> None:
    class Slow:
        name = "slow"

        def answer(self, question: str, documents: Any, *, claim_id: str) -> list[Any]:
            time.sleep(1.0)  # an answer that takes its time, on a thread that cannot be stopped
            return []

    settings = ServingSettings(store, render_workers=1, agents=AgentSettings(answerer=Slow()))

    async def talk(client: Client) -> Any:
        with anyio.move_on_after(0.3) as scope:
            await call(client, "ask", question="When was she born?", claim_id=CLAIM_ID)
        assert scope.cancelled_caught
        return await call(
            client, "ask", question="When was she born?", claim_id=CLAIM_ID, method="extractive"
        )

    with running(settings) as address:
        answer = over_http(address, talk, secret="")
    assert answer.structured_content["value"] == "1984-07-02"


def test_over_stdio_an_agent_lists_searches_asks_and_is_corrected(store: str) -> None:
    async def talk(client: Client) -> list[Any]:
        tools = (await client.list_tools()).tools
        with anyio.move_on_after(0.000_1):
            await call(client, "search_documents", query="wage")  # cancelled before it is answered
        found = await call(client, "search_documents", query="average weekly wage")
        wrong = await call(client, "get_claim", claim_id="no-such-claim")
        asked = await call(client, "ask", question="What is the average weekly wage?", claim_id=CLAIM_ID)
        return [tools, found, wrong, asked]

    tools, found, wrong, asked = over_stdio(store, talk)
    assert {tool.name for tool in tools} == TOOLS
    assert found.structured_content["total"] >= 1
    assert found.structured_content["results"][0]["url"].startswith("http://127.0.0.1:8321/claims/")
    assert wrong.is_error
    assert asked.structured_content["value"] == 1182.5


def test_a_page_is_shown_with_the_cited_place_marked(address: str) -> None:
    async def talk(client: Client) -> list[Any]:
        arguments = {"document_id": LETTER, "field": "claimant.date_of_birth"}
        return [
            await client.call_tool("get_page_image", arguments),
            await client.call_tool("get_page_image", {"document_id": LETTER, "page": 1}),
        ]

    marked, plain = over_http(address, talk)
    picture = marked.content[1]
    assert (picture.type, picture.mime_type) == ("image", "image/png")
    images = [
        Image.open(io.BytesIO(base64.b64decode(found.content[1].data))).convert("RGB")
        for found in (marked, plain)
    ]
    changed = ImageChops.difference(*images).getbbox()
    assert changed is not None
    assert changed[3] - changed[1] < images[0].height / 10  # a line, not the page
    assert marked.structured_content["marked"] >= 1
    assert "07/02/1984" in marked.structured_content["text"]


def test_what_is_read_with_word_ids_can_be_cited_by_them(address: str) -> None:
    async def talk(client: Client) -> list[Any]:
        page = await call(client, "read_page", document_id=LETTER, page=1, word_ids_every=1)
        words = re.findall(r"\[(\d+)\](\S+)", page.structured_content["text"])
        number = next(int(number) for number, text in words if "07/02/1984" in text)
        span = {"start_token": number, "end_token": number, "start_text": "07/02/1984"}
        moved = {**span, "start_token": number - 2, "end_token": number - 2, "end_text": "07/02/1984"}
        return [
            await call(client, "highlight", document_id=LETTER, spans=[span]),
            await call(client, "highlight", document_id=LETTER, spans=[moved]),
            await call(client, "highlight", document_id=LETTER, text="07/02/1984"),
        ]

    by_span, by_guard, by_text = over_http(address, talk)
    highlights = [found.structured_content["highlights"][0] for found in (by_span, by_guard, by_text)]
    assert all("07/02/1984" in made["citation"] for made in highlights)
    assert len({json.dumps(made["answer"]) for made in highlights}) == 1
    assert len(highlights[0]["answer"][0]["poly"]) == 4
    assert len(highlights[0]["meta"]["doc_hash"]) == 64


def test_a_long_document_is_read_on_from_where_it_was_cut(address: str) -> None:
    async def talk(client: Client) -> tuple[str, str]:
        whole = (await call(client, "read_document", document_id=LETTER)).structured_content
        rest = (await call(client, "read_document", document_id=LETTER, from_line=4)).structured_content
        return whole["text"], rest["text"]

    whole, rest = over_http(address, talk)
    assert whole.split("\n")[1].startswith("L1\t")
    assert rest.split("\n")[1].startswith("L4\t")
    assert whole.endswith(rest.split("\n", 1)[1])


def test_the_published_arguments_work_beside_ours(address: str) -> None:
    async def talk(client: Client) -> list[Any]:
        return [
            await call(client, "get_field_provenance", document_id=LETTER, field_name="date of birth"),
            await call(client, "get_field_provenance", claim_id=CLAIM_ID, field="claimant.date_of_birth"),
            await call(client, "aggregate_with_citations", query="sum of total paid"),
            await call(client, "aggregate_with_citations", operation="sum", field="financials.total_paid"),
            await call(client, "search_documents", query="total paid over 5", citation_format="long"),
        ]

    theirs, ours, words, typed, found = (each.structured_content for each in over_http(address, talk))
    assert theirs["value"] == ours["value"] == theirs["full_citation"]["field"]["value"] == "1984-07-02"
    assert "before" in theirs["full_citation"]["source"]["context"]
    assert words["aggregation"] == typed["aggregation"]
    assert words["aggregation"]["result"] == 21219.12
    assert words["llm_summary"]["all_verified"] is False
    assert words["sources"][0]["citation"].startswith("[")
    assert set(found["llm_context"]) == {"query_interpretation", "confidence_note", "suggested_answer"}
    assert "Page" in found["results"][0]["citations"][0]["citation"]["long"]


def test_what_is_not_there_is_not_advertised(address: str) -> None:
    async def talk(client: Client) -> tuple[Any, Any, Any, Any]:
        found = (await client.list_resources()).resources
        claim = await client.read_resource(f"claim://{CLAIM_ID}")
        letter = await client.read_resource(f"document://{CLAIM_ID}/adjuster-letter")
        return client.server_capabilities, found, claim.contents[0].text, letter.contents[0].text

    capabilities, found, claim, letter = over_http(address, talk)
    assert capabilities.prompts is None
    assert capabilities.resources is not None
    assert {f"claim://{CLAIM_ID}", "ui://citation-pipeline/cited-page.html"} <= {str(r.uri) for r in found}
    assert json.loads(claim)["documents"][0]["document_id"].startswith(f"{CLAIM_ID}:")
    assert "07/02/1984" in letter


def test_the_page_that_shows_a_citation_is_bound_to_its_tool(address: str) -> None:
    async def talk(client: Client) -> tuple[Any, Any]:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        uri = tools["get_page_image"].meta["ui"]["resourceUri"]
        return uri, (await client.read_resource(uri)).contents[0]

    uri, page = over_http(address, talk)
    assert uri.startswith("ui://")
    assert page.mime_type == "text/html;profile=mcp-app"
    assert "ui/notifications/tool-result" in page.text
    assert "http" not in re.sub(r"http://www.w3.org\S+", "", page.text)  # nothing is loaded from elsewhere
