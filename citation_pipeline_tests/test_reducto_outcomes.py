"""What results of the service become, word by word, as approved: answers as documented, and jumbled ones."""

import json
import math
import random
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from citation_pipeline.adapters.reducto.conversion import convert_result
from citation_pipeline.adapters.reducto.parse_results import read_parse_result
from citation_pipeline.adapters.reducto.stored_results import text_of
from citation_pipeline.core.documents.parsed import BLOCK_TYPES, ParsedDocument
from citation_pipeline_tests.approvals import Approve
from citation_pipeline_tests.fake_reducto.drawn_documents import DrawnDocument, draw
from citation_pipeline_tests.fake_reducto.oddities import ODDITIES, apply_oddities
from citation_pipeline_tests.fake_reducto.pages import read_pages
from citation_pipeline_tests.fake_reducto.results import parse_response

TEXT_LAYER = draw()
SCAN = draw(words_from="ocr", misread={"Harbor": "Harb0r", "delayed": "de1ayed", "Mileage": "Smudge"})
PARTS = ("handwritten", "&amp;", "Harbor", "|", "STAMPED", "[[START OF PAGE 1]]", "a|b\n--|--\n1|2")


def lines_of(document: ParsedDocument) -> list[str]:
    """One line for the document and each page, block and line of words, boxes in thousandths."""
    words = document.words
    told = [f"{document.status} {document.parser}; {', '.join(document.warnings) or 'no warnings'}"]
    told += [
        f"page {page.width_pt:g} x {page.height_pt:g}, {page.has_text_layer}, words from {page.words_from}"
        for page in document.pages
    ]
    for block in document.blocks:
        told.append(f"{block.type} p{block.page} {_box(block.box)} {block.confidence} {block.content!r}")
        at = block.word_start
        while at < block.word_end:
            end = at
            while end < block.word_end and words.line[end] == words.line[at]:
                end += 1
            told.append(
                "    "
                + " ".join(
                    f"{words.texts[i]}@{_box(words.box(i))}{_doubt(words.confidence[i])}"
                    for i in range(at, end)
                )
            )
            at = end
    return told


def _box(box: Any) -> str:
    return ",".join(f"{1000 * edge:.0f}" for edge in (box.left, box.top, box.right, box.bottom))


def _doubt(confidence: float) -> str:
    return "" if math.isnan(confidence) else f"/{confidence:.2f}"


def converted(response: Mapping[str, Any], drawn: DrawnDocument, *, local: bool = True) -> list[str]:
    result = read_parse_result(json.dumps(response).encode(), name="notice")
    document = convert_result(
        drawn.source, result, local=drawn.local if local else None, parser="reducto", parser_version="t"
    )
    usage = result.usage
    return [
        f"{usage.num_pages} pages, {usage.credits} credits, {usage.parse_model}, job {result.job_id}",
        *lines_of(document),
        *text_of(result).splitlines(),
    ]


def answered(*oddities: str, with_words: bool) -> dict[str, Any]:
    """What the service answers of the drawn letter."""
    pages = read_pages(TEXT_LAYER.data)
    response: dict[str, Any] = parse_response("job-1", pages, {}, with_words=with_words)
    return apply_oddities(response, oddities)


@pytest.mark.parametrize("with_words", [False, True], ids=["local words", "cited words"])
@pytest.mark.parametrize("oddity", ["", *ODDITIES])
def test_an_answer_with_an_oddity_becomes_what_was_approved(
    oddity: str, with_words: bool, approve: Approve
) -> None:
    name = f"reducto/{oddity or 'plain'}{' cited' if with_words else ''}"
    approve(name, converted(answered(*filter(None, [oddity]), with_words=with_words), TEXT_LAYER))


@pytest.mark.parametrize("drawn", [TEXT_LAYER, SCAN, None], ids=["text", "scan", "no local words"])
def test_an_answer_with_all_oddities_becomes_what_was_approved(
    drawn: DrawnDocument | None, request: pytest.FixtureRequest, approve: Approve
) -> None:
    response = answered(*ODDITIES, with_words=True)
    lines = converted(response, drawn or TEXT_LAYER, local=drawn is not None)
    approve(f"reducto/all {request.node.callspec.id}", lines)


def jumbled(drawn: DrawnDocument, seed: int) -> dict[str, Any]:
    """Blocks around runs of drawn words: shifted, overlapping, misread, cited in part, with other words."""
    chance = random.Random(seed)
    words = drawn.local.words
    blocks = []
    at = 0
    while at < len(words):
        size = chance.randint(1, 9)
        run = [i for i in range(at, min(len(words), at + size)) if words.page[i] == words.page[at]]
        at += len(run)
        if chance.random() < 0.15:
            continue  # words that no block holds
        blocks.append(_jumbled_block(drawn, run, chance))
    return {
        "job_id": f"job-{seed}",
        "usage": {"num_pages": chance.choice([2, 3, None, "two"]), "credits": chance.choice([2, 2.5, None])},
        "result": {"type": "full", "chunks": [{"content": "", "blocks": blocks}]},
    }


def _jumbled_block(drawn: DrawnDocument, run: Sequence[int], chance: random.Random) -> dict[str, Any]:
    words = drawn.local.words
    boxes = [words.box(i) for i in run]
    page = int(words.page[run[0]])
    shift = chance.choice([0.0, 0.003, 0.005, 0.02])
    left, top = min(b.left for b in boxes) - shift, min(b.top for b in boxes) - shift
    right, bottom = max(b.right for b in boxes) + shift, max(b.bottom for b in boxes)
    box = {"left": left, "top": top, "width": right - left, "height": bottom - top, "page": page}
    texts = [words.texts[i] for i in run]
    for number in range(len(texts)):
        if chance.random() < 0.2:
            texts[number] = chance.choice([texts[number][:-1], texts[number] + "x", texts[number].upper()])
    if chance.random() < 0.4:
        texts.insert(chance.randint(0, len(texts)), chance.choice(PARTS))
    block: dict[str, Any] = {
        "type": chance.choice([*sorted(BLOCK_TYPES), "Watermark"]),
        "content": chance.choice([" ", " ", "\n"]).join(texts),
        "bbox": box if chance.random() < 0.5 else box | {"original_page": page, "page": 1},
        "confidence": chance.choice(["high", "low", None]),
        "granular_confidence": chance.choice([None, {"parse_confidence": chance.choice([-1, 0.3, 2])}]),
    }
    if chance.random() < 0.4:
        cited = [
            {"text": text, "bbox": _place(words.box(i), page) if chance.random() < 0.7 else None}
            for text, i in zip([words.texts[i] for i in run] + ["beyond"], [*run, run[-1]], strict=True)
        ]
        block["extra"] = {"word_citations": cited[: chance.randint(1, len(cited))]}
    if chance.random() < 0.1:
        block["merged_tables"] = [
            {"bbox": box | {"page": 2}, "content": "<table><tr><td>1 2</td></tr></table>"}
        ]
    return block


def _place(box: Any, page: int) -> dict[str, Any]:
    return {"left": box.left, "top": box.top, "width": box.width, "height": box.height, "page": page}


@pytest.mark.parametrize("seed", range(12))
def test_a_jumbled_answer_becomes_what_was_approved(seed: int, approve: Approve) -> None:
    drawn = SCAN if seed % 3 == 2 else TEXT_LAYER
    approve(f"reducto/jumbled {seed}", converted(jumbled(drawn, seed), drawn, local=seed % 4 != 3))
