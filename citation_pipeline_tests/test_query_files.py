"""Query files: one JSON object a line, whatever characters its strings hold."""

import datetime
import json
from pathlib import Path

import pytest

from citation_pipeline.adapters.outbound_ledger import SentRequests
from citation_pipeline.adapters.query_files import resolve_query_files
from citation_pipeline.core.resolution.queries import QueryDocumentError

WORDS = ["Hearing", "set", "for", "02/05/2026"]
SEPARATORS = ("\u2028", "\u2029", "\u0085")


@pytest.fixture
def documents(tmp_path: Path) -> Path:
    folder = tmp_path / "documents"
    folder.mkdir()
    words = [[text, 1, 0.1 * n, 0.1, 0.08, 0.01] for n, text in enumerate(WORDS)]
    (folder / "noh.json").write_text(json.dumps({"words": words}))
    return folder


def resolve(documents: Path, text: str) -> tuple[list[dict[str, object]], list[str]]:
    queries, out = documents.parent / "queries.jsonl", documents.parent / "out.jsonl"
    queries.write_bytes(text.encode())
    problems = list(resolve_query_files(documents, queries=queries, out=out))
    return [json.loads(line) for line in out.read_text(encoding="utf-8").split("\n") if line], problems


def query(identity: str, text: str) -> str:
    return json.dumps({"query_id": identity, "doc_id": "noh", "text_snippet": text}, ensure_ascii=False)


def test_a_recognizers_confidence_is_read_with_its_words(documents: Path) -> None:
    printed, snippet = ["Wir", "nahmen", "die", "Kosteu", "an"], "Wir nahmen die Kosten an"
    words = [[text, 1, 0.1 * n, 0.1, 0.08, 0.01] for n, text in enumerate(printed)]
    statuses = []
    for of_the_fourth in (0.95, 0.7):
        confidence = [0.95, 0.95, None, of_the_fourth, 0.95]
        (documents / "noh.json").write_text(json.dumps({"words": words, "confidence": confidence}))
        answers, _ = resolve(documents, query("a", snippet))
        statuses.append(answers[0]["status"])
    assert statuses == ["flagged", "resolved"]
    (documents / "noh.json").write_text(json.dumps({"words": words, "confidence": [0.9]}))
    with pytest.raises(QueryDocumentError, match="as many numbers"):
        resolve(documents, query("a", snippet))


@pytest.mark.parametrize("separator", SEPARATORS)
def test_line_separators_inside_a_string_do_not_end_the_line(documents: Path, separator: str) -> None:
    lines = [query("a", f"Hearing{separator}set for"), query(f"b{separator}", "for 02/05/2026")]
    answers, problems = resolve(documents, "\n".join(lines))
    assert not problems
    assert [(a["query_id"], a["status"]) for a in answers] == [
        ("a", "resolved"),
        (f"b{separator}", "resolved"),
    ]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\n\n"])
def test_lines_end_as_any_system_ends_them_and_a_byte_order_mark_is_no_text(
    documents: Path, end: str
) -> None:
    lines = [query("a", "Hearing set"), query("b", "set for")]
    answers, problems = resolve(documents, "\ufeff" + "".join(line + end for line in lines))
    assert not problems
    assert [a["status"] for a in answers] == ["resolved", "resolved"]


def test_a_line_that_is_no_query_is_named_by_its_number(documents: Path) -> None:
    answers, problems = resolve(documents, query("a", "Hearing set") + "\n[]\n" + query("b", "set for"))
    assert [a["query_id"] for a in answers] == ["a", "b"]
    assert len(problems) == 1
    assert "queries.jsonl:2" in problems[0]


@pytest.mark.parametrize("separator", SEPARATORS)
def test_the_outbound_ledger_keeps_rows_with_line_separators(tmp_path: Path, separator: str) -> None:
    row = {"claim_id": f"a{separator}b", "vendor": "x", "at": datetime.datetime(2026, 1, 1).isoformat()}
    path = tmp_path / "day.jsonl"
    path.write_text(json.dumps(row, ensure_ascii=False) + "\n" + '{"unfinished', encoding="utf-8")
    assert SentRequests(tmp_path).table(path.name).column("claim_id").to_pylist() == [f"a{separator}b"]
