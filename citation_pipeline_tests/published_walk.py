"""A claim that the published designs are walked through on: run by the command line, served, asked."""

import json
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import anyio
import httpx
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client

from citation_pipeline.adapters.deployment.deployment import read_deployment
from citation_pipeline.adapters.read_model.model import ReadModel
from citation_pipeline.adapters.read_model.published_confidence import ConfidenceRules
from citation_pipeline.adapters.read_model.questions import ask
from citation_pipeline.adapters.read_model.shapes import QuestionAnswer
from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.adapters.tables.document_rows import read_documents
from citation_pipeline.adapters.verifications.database import default_url
from citation_pipeline.adapters.verifications.store import VerificationStore
from citation_pipeline.cli.requested_runs import make_extract, reader_names
from citation_pipeline.core.documents.parsed import ParsedDocument
from citation_pipeline.serving.agent_deployment import agents_of
from citation_pipeline.serving.api.attaching import open_read_model
from citation_pipeline.serving.settings import ServingSettings
from citation_pipeline_tests.commands import command
from citation_pipeline_tests.drawn_pdfs import Sheet, draw
from citation_pipeline_tests.viewer_claim.serving import INTENT, running

CLAIM = "one_claim"
REPORT, LEDGER = f"{CLAIM}:status-report", f"{CLAIM}:ledger"
ROWS = [
    ["Date", "Payee", "Type", "Amount"],
    ["03/14/2025", "Harbor Clinic", "medical", "$1,250.00"],
    ["04/02/2025", "Ada Reyes", "indemnity", "$809.80"],
]
QUOTED = "Average weekly wage: $1,214.70."


def _report(page: Sheet) -> None:
    lines = (
        "Claim Number: WC-2025-0417",
        "Date of Injury: 02/11/2025",
        "PTP Dr. Nguyen declares P&S/MMI as of 04/10/2025 for all accepted conditions.",
        "- TTD ends 02/28/2025.",
        f"{QUOTED} It was paid in full. Nothing is owed.",
    )
    page.text(60, 60, "Claim Status Report", size=16)
    for number, text in enumerate(lines):
        page.text(60, 100 + 24 * number, text)


def _ledger(page: Sheet) -> None:
    page.text(60, 60, "Payment ledger of claim WC-2025-0417", size=14)
    for row, cells in enumerate(ROWS):
        for column, text in enumerate(cells):
            page.box(60 + 120 * column, 100 + 20 * row, 120, 20)
            page.text(64 + 120 * column, 114 + 20 * row, text)


@dataclass(frozen=True)
class Walk:
    """What an outsider has in hands: a folder, a store, the files of `artifacts`, a server, tools."""

    folder: Path
    client: httpx.Client
    model: ReadModel

    @property
    def store(self) -> str:
        return str(self.folder / "store")

    @property
    def claim_folder(self) -> Path:
        return self.folder / "inbox" / CLAIM

    @cached_property
    def files(self) -> Path:
        """What `artifacts` wrote, a model's span among it."""
        spans = self.folder / "spans.jsonl"
        span = {"source_id": "status-report", "start_token": 4, "end_token": 5, "start_text": "Number:"}
        spans.write_text(json.dumps({**span, "answer": "WC-2025-0417", "substr": "WC-2025-0417"}) + "\n")
        out = self.folder / "out"
        self.said("artifacts", CLAIM, "--out", out, "--spans", spans, "--store", self.store)
        return out

    @cached_property
    def documents(self) -> Mapping[str, ParsedDocument]:
        return {one.source.source_id: one for one in read_documents(ClaimStore(self.store), CLAIM)}

    def read(self, name: str) -> Any:
        return json.loads((self.files / name).read_text(encoding="utf-8"))

    def said(self, *arguments: object) -> str:
        """What a command printed."""
        done = command(*arguments)
        assert done.exit_code == 0, done.output
        return done.output

    def got(self, path: str, status: int = 200, **given: Any) -> Any:
        answer = self.client.get(path, params=given)
        assert answer.status_code == status, answer.text
        return answer.json()

    def posted(self, path: str, **body: Any) -> Any:
        answer = self.client.post(path, json=body)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def tool(self, name: str, **arguments: Any) -> Any:
        """What an MCP client gets."""

        async def main() -> Any:
            async with Client(streamable_http_client(f"{self.client.base_url}/mcp")) as client:
                return await client.call_tool(name, arguments)

        answer = anyio.run(main)
        assert not answer.is_error, answer
        return answer.structured_content

    def answered(
        self, question: str, *, least: float = 0.4, floor: float = 0.0, boost: float = 0.0
    ) -> QuestionAnswer:
        """What a question to the claim gets under MIN_SIMILARITY, CONFIDENCE_FLOOR and KEYWORD_BOOST."""
        rules = ConfidenceRules(floor, boost)
        settings = replace(
            agents_of(read_deployment(self.store)), min_similarity=least, confidence_rules=rules
        )
        verifications = VerificationStore(default_url(self.store))
        return ask(open_read_model(settings, ClaimStore(self.store), verifications), question, claim_id=CLAIM)

    def copied(self, name: str) -> Path:
        """The claim's folder under another name."""
        return Path(shutil.copytree(self.claim_folder, self.folder / "copies" / name))


@contextmanager
def walking(folder: Path) -> Iterator[Walk]:
    """Run the claim and serve it."""
    documents = folder / "inbox" / CLAIM / "documents"
    documents.mkdir(parents=True)
    (documents / "Status Report.pdf").write_bytes(draw(_report))
    (documents / "ledger.pdf").write_bytes(draw(_ledger))
    store = str(folder / "store")
    done = command("run", documents.parent, "--store", store)
    assert done.exit_code == 0, done.output
    agents = agents_of(read_deployment(store))
    agents = replace(agents, extract=make_extract(store), reader_names=reader_names())
    settings = ServingSettings(store, render_workers=1, agents=agents)
    model = open_read_model(agents, ClaimStore(store), VerificationStore(default_url(store)))
    with running(settings) as address, httpx.Client(base_url=address, headers=INTENT, timeout=120) as client:
        yield Walk(folder, client, model)
