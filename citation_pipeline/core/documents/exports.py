"""The neutral files of a parse, for tools that know nothing of this software: chunks, geometry, sentences.

All are plain JSON values. Boxes are left, top, width, height in the page frame (0-1, origin top left, page as
displayed); offsets index the document's one normalized text, which `text_of_export` gives beside them.
"""

import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from citation_pipeline.core.boxes import BoxArray, union_of_rows
from citation_pipeline.core.documents.parsed import Block, ParsedDocument

FORMAT = "citation-pipeline/phase-1"
VERSION = 1

_DIGITS = 6  # of a letter page: a thousandth of a pixel
# A sentence ends at . ! or ? before a space and a capital, a digit or a quote...
_END = re.compile(r"[.!?][\"'”’)\]]*(?=\s+[\"'“‘(\[]?[A-Z0-9À-Ý])")
# ...unless the full stop belongs to an abbreviation or an initial.
_ABBREVIATION = re.compile(
    r"(?:\b(?:mr|mrs|ms|dr|prof|sr|jr|st|no|nos|vs|inc|ltd|co|corp|dept|ave|blvd|rd|approx|est|fig|sec|art"
    r"|e\.g|i\.e|cf|etc|jan|feb|mar|apr|jun|jul|aug|sep|sept|oct|nov|dec)|\b[A-Z]|\b[A-Za-z]\.[A-Za-z])\.$",
    re.IGNORECASE,
)


def chunks(document: ParsedDocument) -> dict[str, Any]:
    """Return the blocks as chunks: what a model reads, with page, box and range of the text."""
    return {
        **_head(document),
        "chunks": [
            {
                "chunk_id": block.block_id,
                "type": block.type,
                "page": block.page,
                "bbox": block.box.as_dict(digits=_DIGITS),
                "content": block.content,
                "text_start": block.text_start,
                "text_end": block.text_end,
                "words": [block.word_start, block.word_end],
            }
            for block in document.blocks
        ],
    }


def geometry(document: ParsedDocument) -> dict[str, Any]:
    """Return pages and lines with every word: `[text, left, top, width, height, text_start, confidence]`.

    The confidence is null where the word comes from a text layer.
    """
    words = document.words
    boxes = np.round(words.boxes, _DIGITS).tolist()
    starts, confidences = words.text_start.tolist(), words.confidence.tolist()
    return {
        **_head(document),
        "pages": [
            {
                "page": page.page,
                "width_pt": round(page.width_pt, 3),
                "height_pt": round(page.height_pt, 3),
                "rotation": page.rotation,
                "words_from": page.words_from,
                "text_start": page.text_start,
                "text_end": page.text_end,
            }
            for page in document.pages
        ],
        "lines": [
            {
                "line_id": int(words.line[first]),
                "chunk_id": int(words.block[first]),
                "page": int(words.page[first]),
                "bbox": union_of_rows(words.boxes[first:last]).as_dict(digits=_DIGITS),
                "words": [
                    [
                        words.texts[word],
                        *boxes[word],
                        starts[word],
                        None if confidences[word] != confidences[word] else round(confidences[word], 3),
                    ]
                    for word in range(first, last)
                ],
            }
            for first, last in _lines(document)
        ],
    }


def sentences(document: ParsedDocument) -> dict[str, Any]:
    """Return every sentence (a table's or form's line is one) with its range, words and one box a line."""
    rows: list[dict[str, Any]] = []
    for block in document.blocks:
        for start, end in sentence_ranges(block):
            found = document.words_between(start, end)
            if not found:
                continue
            rows.append(
                {
                    "sentence_id": len(rows),
                    "chunk_id": block.block_id,
                    "page": block.page,
                    "text": " ".join(document.text[start:end].split()),
                    "text_start": start,
                    "text_end": end,
                    "words": [found.start, found.stop],
                    "bboxes": [
                        union_of_rows(rows_of_line).as_dict(digits=_DIGITS)
                        for rows_of_line in _boxes_by_line(document, found)
                    ],
                }
            )
    return {**_head(document), "sentences": rows}


def text_of_export(document: ParsedDocument) -> str:
    """Return the text that every offset indexes."""
    return document.text


def sentence_ranges(block: Block) -> Iterator[tuple[int, int]]:
    """Yield the half-open text ranges of a block's sentences; tables and labelled values go line by line."""
    text = block.text
    if block.type in ("Table", "Key Value"):
        breaks = [match.end() for match in re.finditer(r"\n", text)]
    else:
        breaks = [
            match.end()
            for match in _END.finditer(text)
            if not _ABBREVIATION.search(text[max(0, match.end() - 12) : match.end()])
        ]
    for start, end in zip([0, *breaks], [*breaks, len(text)], strict=True):
        part = text[start:end]
        if part.strip():
            begin = start + len(part) - len(part.lstrip())
            yield block.text_start + begin, block.text_start + begin + len(part.strip())


def _head(document: ParsedDocument) -> dict[str, Any]:
    source = document.source
    return {
        "format": FORMAT,
        "version": VERSION,
        "source_id": source.source_id,
        "file": source.file,
        "sha256": source.sha256,
        "status": document.status.value,
        "parser": document.parser,
        "parser_version": document.parser_version,
        "text_length": len(document.text),
    }


def _lines(document: ParsedDocument) -> Iterator[tuple[int, int]]:
    lines = document.words.line
    if not len(lines):
        return
    breaks = (np.flatnonzero(np.diff(lines)) + 1).tolist()
    yield from zip([0, *breaks], [*breaks, len(lines)], strict=True)


def _boxes_by_line(document: ParsedDocument, found: range) -> Iterator[BoxArray]:
    lines = document.words.line[found.start : found.stop]
    boxes = document.words.boxes[found.start : found.stop]
    yield from np.split(boxes, np.flatnonzero(np.diff(lines)) + 1)
