"""The plan's price beside the ledger's, of twenty claims, on a server that counts as a tokenizer does.

The server's count has nothing of the estimate's: it takes words apart into pieces of up to five letters,
numbers into groups of three, and each sign by itself. Claims differ in size, in figures and in how much of
the schema they answer. Others were asked before; all twenty are priced before one of them is paid.
"""

import random
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from citation_pipeline.adapters.claude.extractor import ClaudeExtractor
from citation_pipeline.adapters.claude.settings import ClaudeSettings
from citation_pipeline.adapters.conversation.archive import ReplyArchive
from citation_pipeline.adapters.outbound_ledger import append_to, read_ledger
from citation_pipeline.core.claims import Claim
from citation_pipeline.core.documents.parsed import ParsedDocument
from citation_pipeline.core.planning.workloads import Workload
from citation_pipeline_tests.claude_scenes import API_KEY, document_of, workers_comp
from citation_pipeline_tests.fake_anthropic.answering import ReferenceAnswers
from citation_pipeline_tests.fake_anthropic.messages import Usage
from citation_pipeline_tests.fake_anthropic.server import FakeAnthropic

_PIECE = re.compile(r"[^\W\d_]{1,5}|\d{1,3}|[^\s\w]|_|\n")
_TEXT = "the worker reports pain in right shoulder after lifting boxes at Harbor Freight warehouse"
_WORDS = tuple(_TEXT.split(" "))
_CLAIMS, _ASKED_BEFORE, _MOST_DOCUMENTS = 20, 20, 12
SCHEMA = workers_comp()


def pieces(text: str) -> int:
    return len(_PIECE.findall(text))


def usage_of(body: Mapping[str, Any], text: str, cached: set[str]) -> Usage:
    """The system prompt is written to the cache by the first request and read by the others."""
    system = "".join(block["text"] for block in body["system"])
    rest = sum(pieces(block["text"]) for one in body["messages"] for block in one["content"])
    known = system in cached
    cached.add(system)
    written = {"cache_read" if known else "cache_write": pieces(system)}
    return Usage(input=rest, output=pieces(text) + 20, **written)


def documents_of(number: int) -> list[ParsedDocument]:
    """A claim of 2 to 12 documents of 1 to 4 pages, its own mix of words and figures."""
    drawn = random.Random(number)
    figures = drawn.uniform(0.05, 0.35)

    def word() -> str:
        return f"{drawn.randrange(10**6):,}" if drawn.random() < figures else drawn.choice(_WORDS)

    return [
        document_of(
            f"doc-{place}",
            [" ".join(word() for _ in range(drawn.randint(150, 450))) for _ in range(drawn.randint(1, 4))],
        )
        for place in range(1, drawn.randint(2, _MOST_DOCUMENTS) + 1)
    ]


def answers() -> ReferenceAnswers:
    """Values for two fields in three, each of them in one of the documents that a claim may have."""
    drawn = random.Random(7)
    records = [
        {
            "field_key": field.key,
            "value": " ".join(drawn.choices(_WORDS, k=drawn.randint(1, 12))),
            "citations": [
                {"source_id": f"doc-{drawn.randint(1, _MOST_DOCUMENTS)}", "text_snippet": " ".join(_WORDS)}
            ],
        }
        for field in SCHEMA.fields
        if drawn.random() < 0.67
    ]
    return ReferenceAnswers({"extractions": records})


def test_twenty_claims_are_priced_within_a_tenth_of_their_cost_together_and_most_of_them_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with FakeAnthropic(answers()) as server:
        cached: set[str] = set()
        monkeypatch.setattr(server.records, "_usage", lambda body, text: usage_of(body, text, cached))
        extractor = ClaudeExtractor(
            ClaudeSettings(base_url=server.url, follow_ups=0),
            archive=ReplyArchive(tmp_path / "replies"),
            api_key=API_KEY,
            ledger=append_to(tmp_path / "ledger"),
        )

        def ask(number: int) -> None:
            claim = Claim(f"claim-{number}", "unused", "unused", extractor="claude")
            extractor.ask(claim, documents_of(number), SCHEMA)

        for number in range(100, 100 + _ASKED_BEFORE):
            ask(number)
        priced = {}
        for number in range(_CLAIMS):
            documents = documents_of(number)
            work = Workload(len(documents), sum(len(one.pages) for one in documents), documents)
            priced[f"claim-{number}"] = extractor.price(work, SCHEMA).dollars
        for number in range(_CLAIMS):
            ask(number)
        extractor.close()
    paid = dict.fromkeys(priced, 0.0)
    for row in read_ledger(tmp_path / "ledger").to_pylist():
        if row["claim_id"] in paid:
            paid[row["claim_id"]] += row["cost_usd"]
    off = {name: abs(priced[name] / paid[name] - 1) for name in priced}

    assert abs(sum(priced.values()) / sum(paid.values()) - 1) < 0.05
    # what a claim's answer will be is not known: single claims may be further off
    assert sum(one < 0.1 for one in off.values()) >= 16
    assert max(off.values()) < 0.2, off
