"""The fake's answer to an extraction prompt: a reference answer, as far as the shown documents carry it."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from citation_pipeline_tests.fake_anthropic.prompts import ReadPrompt

Record = dict[str, Any]


class ReferenceAnswers:
    """Reference answers in the neutral shape, by field key.

    `must_be_read` answers only with snippets that stand in the shown text, and so with nothing where a
    document's page was not shown; otherwise it is enough that the document is.
    """

    def __init__(self, answers: Mapping[str, Any] | None = None, *, must_be_read: bool = False) -> None:
        self.records = {record["field_key"]: record for record in (answers or {}).get("extractions", ())}
        self.must_be_read = must_be_read

    def answer(self, prompt: ReadPrompt) -> list[Record]:
        """Return one record per field that is asked for; null where no shown document has the answer."""
        shown = {source_id: _folded(text) for source_id, text in prompt.sources.items()}
        return [self._record(key, prompt.types[key], shown) for key in prompt.asked]

    def _record(self, key: str, kind: str, shown: Mapping[str, str]) -> Record:
        reference = self.records.get(key, {})
        citations = [
            {"source_id": c["source_id"], "text_snippet": c["text_snippet"], "page": c.get("page", 0)}
            for c in reference.get("citations", ())
            if c["source_id"] in shown
            and (not self.must_be_read or _folded(c["text_snippet"]) in shown[c["source_id"]])
        ]
        value = reference.get("value") if citations else None
        if kind == "array" and value is not None:
            value = json.dumps(value, ensure_ascii=False)
        return {
            "field_key": key,
            "value": value,
            "confidence": reference.get("confidence", "high"),
            "provenance": reference.get("provenance", "extracted"),
            "citations": citations,
        }


def spoil(records: Sequence[Record], kind: str, *, names: Sequence[str], count: int) -> list[Record]:
    """Return an answer with one scripted fault of content in it."""
    spoilt = [json.loads(json.dumps(record)) for record in records]
    if kind == "missing_fields":
        return [r for r in spoilt if r["field_key"] not in names] if names else spoilt[: len(spoilt) - count]
    if kind == "unknown_keys":
        return [*spoilt, *({**spoilt[0], "field_key": f"system.override_{n}"} for n in range(count))]
    if kind == "repeated":
        return [*spoilt, *({**r, "value": f"other {n}"} for n, r in enumerate(spoilt))]
    for record in spoilt:
        if kind == "unknown_sources" and record["citations"]:
            record["citations"][0]["source_id"] = "a-document-that-is-not-there"
        if kind == "altered_quotes":
            for citation in record["citations"]:
                citation["text_snippet"] = f"reworded: {citation['text_snippet'][::-1]}"
        if kind == "wrong_types" and record["value"] is not None:
            record["value"] = {"nested": True} if isinstance(record["value"], str) else "not of this type"
        if kind == "short_lists":
            record["value"] = _shortened(record["value"])
    return spoilt


def _shortened(value: Any) -> Any:
    if isinstance(value, str) and value.startswith("["):
        items = json.loads(value)
        if len(items) > 1:
            return json.dumps(items[:1], ensure_ascii=False)
    return value


def _folded(text: str) -> str:
    return re.sub(r"\W+", "", re.sub(r"<[^>]*>", " ", text)).casefold()
