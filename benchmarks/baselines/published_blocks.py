"""The published algorithm of this kind, written out plainly: the best block, and its whole box.

Every block is compared with the snippet, both lower-cased and without tags: containment scores 0.5 and
more by how much
of one the other covers, else a blend of difflib's ratio and longest match, capped at 0.49. Page numbers and
footers are left out, among equals the shorter block wins, and below 0.1 nothing is found.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any

NAME = "published"
_LEFT_OUT = {"page number", "footer"}
_TAG = re.compile(r"<[^>]+>")


def prepare(document: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the blocks that take part."""
    return [
        block
        for block in document["blocks"]
        if block["type"].lower() not in _LEFT_OUT and block["content"].strip() and block.get("bbox")
    ]


def without_tags(text: str) -> str:
    return re.sub(r"\s+", " ", _TAG.sub(" ", text)).strip()


def score_block(content: str, snippet: str) -> float:
    raw_block, raw_snippet = content.strip().lower(), snippet.strip().lower()
    return score_texts(raw_block, without_tags(raw_block), raw_snippet, without_tags(raw_snippet))


def score_texts(raw_block: str, block: str, raw_snippet: str, wanted: str) -> float:
    if not block or not wanted:
        return 0.0
    for there, here in ((block, wanted), (raw_block, raw_snippet)):
        if here in there:
            return 0.5 + 0.5 * len(here) / len(there)
        if there in here:
            return 0.5 + 0.4 * len(there) / len(here)
    matcher = SequenceMatcher(None, block, wanted)
    ratio = matcher.ratio()
    longest = matcher.find_longest_match(0, len(block), 0, len(wanted)).size / len(wanted)
    return min(0.49, max(0.6 * ratio + 0.4 * longest, 0.8 * longest))


@dataclass(frozen=True)
class NormalisedBlock:
    """A block with its text as it is compared: lower-cased, and without tags as well."""

    block: Mapping[str, Any]
    raw: str
    plain: str


def normalise(document: Mapping[str, Any]) -> list[NormalisedBlock]:
    """Return the blocks that take part, each normalised once: the published code does it anew for every
    query, which an engineer would mend on the first day."""
    raws = [(block, block["content"].strip().lower()) for block in prepare(document)]
    return [NormalisedBlock(block, raw, without_tags(raw)) for block, raw in raws]


def find(blocks: list[Mapping[str, Any]], query: Mapping[str, Any]) -> dict[str, Any]:
    """Return the best block as published: blocks and snippet are normalised for every pair."""
    scored = ((block, score_block(block["content"], query["text_snippet"])) for block in blocks)
    return _best(scored, query)


def find_normalised(blocks: list[NormalisedBlock], query: Mapping[str, Any]) -> dict[str, Any]:
    """Return the same block as `find`, with blocks and snippet normalised once."""
    raw = query["text_snippet"].strip().lower()
    plain = without_tags(raw)
    return _best(((b.block, score_texts(b.raw, b.plain, raw, plain)) for b in blocks), query)


def _best(scored: Iterable[tuple[Mapping[str, Any], float]], query: Mapping[str, Any]) -> dict[str, Any]:
    best, best_score = None, 0.0
    for block, score in scored:
        shorter = best is not None and score == best_score and len(block["content"]) < len(best["content"])
        if score > best_score or shorter:
            best, best_score = block, score
    if best is None or best_score < 0.1:
        return {
            "query_id": query["query_id"],
            "status": "unresolved",
            "page": None,
            "boxes": [],
            "score": 0.0,
        }
    box = best["bbox"]
    return {
        "query_id": query["query_id"],
        "status": "resolved",
        "page": box["page"],
        "boxes": [{name: box[name] for name in ("page", "left", "top", "width", "height")}],
        "score": best_score,
    }
