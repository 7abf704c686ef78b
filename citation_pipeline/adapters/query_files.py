"""Query files for the matcher: parsed documents and snippets in, one prediction per query out.

Documents are `<doc_id>.json` in the benchmark's form, or as `citation-pipeline parse` wrote them.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from citation_pipeline.adapters.whole_files import replacing
from citation_pipeline.core.claims import slug_of
from citation_pipeline.core.resolution.queries import QueryDocumentError, resolve_queries


def resolve_query_files(documents: Path, *, queries: Path, out: Path) -> Iterator[str]:
    """Write a prediction for every query, in the queries' order; yield what was wrong, by file or line.

    A query that cannot be answered is predicted `unresolved`; one document is in memory at a time.
    """
    asked: dict[str, list[tuple[int, dict[str, Any]]]] = {}
    predictions: dict[int, dict[str, Any]] = {}
    # lines end with "\n" alone: a snippet may hold U+2028 or U+0085, at which `splitlines` would cut it
    for number, line in enumerate(queries.read_text(encoding="utf-8-sig").split("\n")):
        if not line.strip():
            continue
        try:
            query = json.loads(line)
            name = str(query.get("doc_id") or query["source_id"])
        except (ValueError, KeyError, AttributeError):
            yield f"{queries.name}:{number + 1}: not a query: give a JSON object with doc_id and text_snippet"
            continue
        asked.setdefault(name, []).append((number, query))
    for name, numbered in asked.items():
        problem, document = _read(documents, name)
        if problem is not None:
            yield problem
        found = resolve_queries(document, [query for _, query in numbered])
        predictions.update((number, answer) for (number, _), answer in zip(numbered, found, strict=True))
    with replacing(out) as stream:
        for number in sorted(predictions):
            stream.write(json.dumps(predictions[number], ensure_ascii=False).encode("utf-8") + b"\n")


def _read(documents: Path, name: str) -> tuple[str | None, dict[str, Any]]:
    nothing: dict[str, Any] = {"words": []}
    for candidate in (f"{name}.json", f"{slug_of(name)}.json"):
        path = documents / candidate
        if path.parent != documents or not path.is_file():
            continue
        try:
            return None, _flat(json.loads(path.read_text(encoding="utf-8-sig")))
        except (ValueError, TypeError, KeyError, QueryDocumentError):
            return f"{path.name}: not a document of words: parse it again", nothing
    return f"{name}: {documents} has no document of that name: its queries stay unresolved", nothing


def _flat(document: dict[str, Any]) -> dict[str, Any]:
    """Return a document with all its words in one list, as the benchmark has them."""
    if "words" in document:
        return document
    words = [[word[0], page["page"], *word[1:5]] for page in document["pages"] for word in page["words"]]
    blocks = [{"words": [b["word_start"], b["word_end"]]} for b in document.get("blocks", [])]
    return {"words": words, "blocks": blocks}
