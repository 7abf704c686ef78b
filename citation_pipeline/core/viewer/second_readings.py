"""Words of a citation that two recognitions of the same ink read differently, as `data.json` shows them."""

from collections.abc import Iterable, Mapping
from typing import Any

from citation_pipeline.core.boxes import Box
from citation_pipeline.core.documents.parsed import ParsedDocument


def name_second_readings(
    citations: Iterable[dict[str, Any]], documents: Mapping[str, ParsedDocument]
) -> None:
    """Add `secondReadings` to each citation that covers such words; `documents` are by source id.

    Each says what the text has (`text`), what the second reading had (`second`, "" where it saw nothing),
    where the word is, and whether it is part of the value (`inValue`) or only of the words around it.
    """
    for citation in citations:
        document = documents.get(citation["sourceId"])
        known = document.words.second_readings if document is not None else {}
        if document is None or not known:
            continue
        covered = {word for first, last in citation["wordRanges"] for word in range(first, last)}
        found = [_entry(document, word, known[word], citation) for word in sorted(covered & known.keys())]
        if found:
            citation["secondReadings"] = found


def _entry(document: ParsedDocument, word: int, second: str, citation: Mapping[str, Any]) -> dict[str, Any]:
    page, box = int(document.words.page[word]), document.words.box(word)
    return {
        "text": document.words.texts[word],
        "second": second,
        "page": page,
        "bbox": box.as_dict(),
        "inValue": _is_in_value(page, box, citation),
    }


def _is_in_value(page: int, box: Box, citation: Mapping[str, Any]) -> bool:
    x, y = box.left + box.width / 2, box.top + box.height / 2
    return any(
        area["left"] <= x <= area["left"] + area["width"] and area["top"] <= y <= area["top"] + area["height"]
        for region in citation["regions"]["value"]
        if region["page"] == page
        for area in region["boxes"]
    )
