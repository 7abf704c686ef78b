"""The plan's price beside the ledger's, of twenty claims, on a server that counts as a tokenizer does.

The server's count has nothing of the estimate's: it takes words apart into pieces of up to five letters,
numbers into groups of three, and each sign by itself. Claims differ in size, in figures and in how much of
the schema they answer. Others were asked before; all twenty are priced before one of them is paid.
Whether a claim is asked again at all is a model's choice, and so are its quotations: where each claim draws
its own, most prices are within a tenth, and all together are.
"""

import random
import re
from collections.abc import Mapping
from functools import cache
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
from citation_pipeline_tests.fake_anthropic import http_api
from citation_pipeline_tests.fake_anthropic.answering import ReferenceAnswers
from citation_pipeline_tests.fake_anthropic.messages import Usage
from citation_pipeline_tests.fake_anthropic.prompts import ReadPrompt
from citation_pipeline_tests.fake_anthropic.server import FakeAnthropic

_PIECE = re.compile(r"[^\W\d_]{1,5}|\d{1,3}|[^\s\w]|_|\n")
_TEXT = "the worker reports pain in right shoulder after lifting boxes at Harbor Freight warehouse"
_WORDS = tuple(_TEXT.split(" "))
_CLAIMS, _MOST_DOCUMENTS = 20, 12
SCHEMA = workers_comp()


def pieces(text: str) -> int:
    return len(_PIECE.findall(text))


def usage_of(body: Mapping[str, Any], text: str, cached: set[str]) -> Usage:
    """What a block is marked to be kept as is written to the cache once and read from then on."""
    blocks = [*body["system"], *(block for one in body["messages"] for block in one["content"])]
    counted = {"input": 0, "cache_read": 0, "cache_write": 0}
    for block in blocks:
        size, said = pieces(block["text"]), block["text"]
        kind = "input"
        if "cache_control" in block:
            kind = "cache_read" if said in cached else "cache_write"
            cached.add(said)
        counted[kind] += size
    return Usage(output=pieces(text) + 20, **counted)


def counted(body: Mapping[str, Any]) -> int:
    """What the server counts of a prompt, as characters by its rate: the tokens that it will bill."""
    blocks = [*body["system"], *(block for one in body["messages"] for block in one["content"])]
    return int(sum(pieces(block["text"]) for block in blocks) * 3.5)


@cache  # nine tests price the same claims twice
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


_OF_TYPE: dict[str, Any] = {"date": "2024-03-05", "number": 5.5, "integer": 5, "boolean": True}


class MisquotedAnswers(ReferenceAnswers):
    """Valid values; a share of the quotations is on no page, the others are the beginning of a document."""

    def __init__(self, share: float) -> None:
        drawn = random.Random(7)
        records = [
            {
                "field_key": field.key,
                "value": _OF_TYPE.get(field.value_type) or (field.enum or (drawn.choice(_WORDS),))[0],
                "citations": [{"source_id": f"doc-{drawn.randint(1, _MOST_DOCUMENTS)}", "text_snippet": ""}],
            }
            for field in SCHEMA.fields
            if field.value_type != "array" and drawn.random() < 0.67
        ]
        super().__init__({"extractions": records})
        self._share = share

    def answer(self, prompt: ReadPrompt) -> list[dict[str, Any]]:
        records = super().answer(prompt)
        for record in records:
            for citation in record["citations"]:
                text = prompt.sources[citation["source_id"]]
                is_lost = random.Random(record["field_key"] + text[:200]).random() < self._share
                words = ["zebra", "quartz", "violin"] if is_lost else text.split()[5:15]
                citation["text_snippet"] = " ".join(words)
        return records


def answers(*, unsure: float = 0.0) -> ReferenceAnswers:
    """Values for two fields in three, each of them in one of the documents that a claim may have."""
    drawn = random.Random(7)
    records = [
        {
            "field_key": field.key,
            "value": " ".join(drawn.choices(_WORDS, k=drawn.randint(1, 12))),
            "confidence": "low" if drawn.random() < unsure else "high",
            "citations": [
                {"source_id": f"doc-{drawn.randint(1, _MOST_DOCUMENTS)}", "text_snippet": " ".join(_WORDS)}
            ],
        }
        for field in SCHEMA.fields
        if drawn.random() < 0.67
    ]
    return ReferenceAnswers({"extractions": records})


def test_claims_whose_quotations_are_on_no_page_by_chance_are_priced_within_a_twentieth_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    together, each = errors(tmp_path, monkeypatch, misquoted=0.5, requotes=True, second_look_fields=0)
    print("by chance", round(together, 3), [round(one, 3) for one in each[-8:]])
    assert together < 0.05
    assert sum(one < 0.1 for one in each) >= 17, each


def errors(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    *,
    before: int = 20,
    unsure: float = 0.0,
    misquoted: float | None = None,
    batches: bool = False,
    **settings: Any,
) -> tuple[float, list[float]]:
    """Return how far the prices of twenty claims are from their costs, together and each."""
    said = answers(unsure=unsure) if misquoted is None else MisquotedAnswers(misquoted)
    with FakeAnthropic(said) as server:
        cached: set[str] = set()
        server.records.settings.batch_polls = 1
        monkeypatch.setattr(server.records, "_usage", lambda body, text: usage_of(body, text, cached))
        monkeypatch.setattr(http_api, "characters_of", counted)
        extractor = ClaudeExtractor(
            ClaudeSettings(base_url=server.url, batches_allowed=batches, **settings),
            archive=ReplyArchive(tmp_path / "replies"),
            api_key=API_KEY,
            ledger=append_to(tmp_path / "ledger"),
        )

        def claim(number: int) -> Claim:
            return Claim(f"claim-{number}", "unused", "unused", extractor="claude")

        for number in range(100, 100 + before):
            extractor.ask(claim(number), documents_of(number), SCHEMA)
        priced = {}
        for number in range(_CLAIMS):
            documents = documents_of(number)
            work = Workload(len(documents), sum(len(one.pages) for one in documents), documents)
            priced[f"claim-{number}"] = extractor.price(work, SCHEMA).dollars
        asked = [(claim(number), documents_of(number)) for number in range(_CLAIMS)]
        if batches:
            while extractor.batches().submit(asked, SCHEMA):
                extractor.batches().collect()
            priced = {name: dollars / 2 for name, dollars in priced.items()}
        for one, documents in asked:
            extractor.ask(one, documents, SCHEMA)
        extractor.close()
    paid = dict.fromkeys(priced, 0.0)
    for row in read_ledger(tmp_path / "ledger").to_pylist():
        if row["claim_id"] in paid:
            assert row["code"] == "ok"
            paid[row["claim_id"]] += row["cost_usd"] or 0.0
    each = sorted(abs(priced[name] / paid[name] - 1) for name in priced)
    return abs(sum(priced.values()) / sum(paid.values()) - 1), each


@pytest.mark.parametrize(
    "asked",
    [
        {"second_look_fields": 0},
        {"unsure": 0.1},
        {"answer_tokens": 5_000, "second_look_fields": 0},
        {"fields_per_request": 40, "second_look_fields": 0},
        {"second_look_fields": 0, "batches": True},
        {"requotes": True, "second_look_fields": 0},
        {"requotes": True, "second_look_fields": 0, "misquoted": 1.0},
        {"prompt_tokens": 12_000, "second_look_fields": 0},
    ],
    ids=["at-once", "second-looks", "cut", "groups", "batches", "none-requoted", "all-requoted", "parts"],
)
def test_each_of_twenty_claims_is_priced_within_a_tenth_of_its_cost(
    asked: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    together, each = errors(tmp_path, monkeypatch, **asked)
    print(asked, round(together, 3), [round(one, 3) for one in each[-8:]])
    assert together < 0.03
    assert each[-1] < 0.1, each
