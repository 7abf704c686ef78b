"""rapidfuzz's partial alignment over the whole text: the best stretch of the snippet's length, always
accepted."""

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np
from rapidfuzz import fuzz

NAME = "rapidfuzz"


def prepare(document: Mapping[str, Any]) -> tuple[str, np.ndarray, Mapping[str, Any]]:
    """Return the lower-cased text, each word's offset and the document."""
    texts = [word[0].lower() for word in document["words"]]
    starts = np.cumsum([0, *(len(text) + 1 for text in texts)])
    return " ".join(texts), starts, document


def find(prepared: tuple[str, np.ndarray, Mapping[str, Any]], query: Mapping[str, Any]) -> dict[str, Any]:
    text, starts, document = prepared
    snippet = " ".join(query["text_snippet"].lower().split())
    place = fuzz.partial_ratio_alignment(snippet, text)
    answer = {"query_id": query["query_id"], "status": "unresolved", "page": None, "boxes": [], "score": 0.0}
    if place is None or place.dest_end <= place.dest_start:
        return answer
    first = int(np.searchsorted(starts, place.dest_start, side="right")) - 1
    last = int(np.searchsorted(starts, place.dest_end - 1, side="right"))
    lines = {start for start in document["line_starts"] if first < start < last}
    cuts = [first, *sorted(lines), min(last, len(document["words"]))]
    boxes = [_box(document["words"][a:b]) for a, b in pairwise(cuts) if b > a]
    return answer | {
        "status": "resolved",
        "page": boxes[0]["page"],
        "boxes": boxes,
        "score": place.score / 100,
    }


def _box(words: list[Any]) -> dict[str, float]:
    left, top = min(w[2] for w in words), min(w[3] for w in words)
    right, bottom = max(w[2] + w[4] for w in words), max(w[3] + w[5] for w in words)
    return {"page": words[0][1], "left": left, "top": top, "width": right - left, "height": bottom - top}
