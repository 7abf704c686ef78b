"""A production: copies of a claim's documents to hand to the other side, numbered and redacted.

produced/       every document as pictures of its pages, each with its number; redactions are burned in
exhibits.xlsx   the index with first and last numbers; verified and other values apart, redacted ones masked
redactions.csv  which boxes are on which page and by which rule; never what they cover
manifest.json, README.txt

Originals, data and reviews are not in it: they say what was redacted. They are in the evidence pack.
"""

import csv
import hashlib
import io
import json
import zipfile
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from typing import IO, Any

from citation_pipeline.adapters.redactions.store import DrawnRedaction
from citation_pipeline.core.boxes import Box
from citation_pipeline.core.review.overlay import settled
from citation_pipeline.core.review.redaction import (
    MASK,
    Redaction,
    capitalized,
    cited_places,
    is_chosen,
    masked,
    overlaps,
    said_places,
)
from citation_pipeline.serving.datasets import Datasets, ReviewedClaim
from citation_pipeline.serving.errors import SourceError
from citation_pipeline.serving.evidence.produced_pages import ProducedPage
from citation_pipeline.serving.evidence.production_orders import (
    ProductionOrder,
    all_fields,
    names_of,
    texts_of,
)
from citation_pipeline.serving.evidence.workbook import make_exhibits
from citation_pipeline.serving.originals import Original, Originals
from citation_pipeline.serving.rendering.pool import RenderPool, TaskError, WorkerFailedError

_SECONDS_A_PAGE = 2.0  # a scan in colour takes half a second

_README = """Production of claim documents, made {made_at}. {numbers}.

produced/       each document as pictures of its pages; the number at the foot of a page is its Bates number
exhibits.xlsx   the index of documents with their numbers; verified values, and the others, on sheets apart
redactions.csv  every black box: document, page, place, and the rule that asked for it
manifest.json   SHA-256 of every file here

Not in these files, or to be looked at before they leave: {problems}.

What was redacted: {rules}.
Rules that covered nothing (no value is known, or no page was found to say it; look for it by eye): {unused}.
The black boxes are part of the pictures; the text behind them, the original files' metadata, annotations and
attachments are not in these files. Searchable text is that of words which no box touches.

What this does not promise: a value was looked for in the words as they were read by the software. A word
that was misread on a scan, is handwritten, or says the same in another way (a nickname, a description) was
not found: look at every page before you hand this out, and draw a box where one is missing.
"""


@dataclass
class _Made:
    entries: list[dict[str, Any]] = field(default_factory=list)
    problems: list[dict[str, str]] = field(default_factory=list)
    rows: list[tuple[Any, ...]] = field(default_factory=list)


def write_production(
    target: IO[bytes],
    *,
    claim: ReviewedClaim,
    datasets: Datasets,
    drawn: Sequence[DrawnRedaction],
    order: ProductionOrder,
    originals: Originals,
    pool: RenderPool,
    made_by: str,
) -> None:
    """Write the archive to an open file; a document that cannot be drawn is named in `problems`, not left."""
    dataset = settled(claim.dataset)
    # what the pipeline had is covered as well where a person said that it is another value, or none
    readings = (*all_fields(claim.dataset), *all_fields(claim.published))
    chosen = [one for one in readings if is_chosen(one, patterns=order.fields, kinds=order.kinds)]
    forms, names = texts_of(chosen, order), names_of(chosen)
    covered = {form for texts in (forms, names) for found in texts.values() for form in found}
    made, numbers = _Made(), 0
    stamps: dict[str, tuple[str, str]] = {}
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:

        def add(path: str, data: bytes) -> None:
            stored = zipfile.ZIP_STORED if path.endswith(".pdf") else zipfile.ZIP_DEFLATED
            archive.writestr(path, data, stored)
            made.entries.append(
                {"path": path, "sha256": hashlib.sha256(data).hexdigest(), "bytes": len(data)}
            )

        for exhibit, source in enumerate(dataset["sources"], start=1):
            count = source["pageCount"]
            if not count:
                made.problems.append({"exhibit": str(exhibit), "code": "no_pages"})
                continue
            first, last = order.stamp(numbers), order.stamp(numbers + count - 1)
            if any(box.source_id == source["id"] and box.sha256 != source["sha256"] for box in drawn):
                made.problems.append({"exhibit": str(exhibit), "code": "boxes_of_another_version"})
            redactions = _redactions(claim, datasets, source, chosen, forms, names, drawn)
            pages = _pages(claim, datasets, source, redactions, order, numbers)
            try:
                original = originals.find(claim.claim_id, source)
                add(f"produced/{first}.pdf", _drawn(pool, original, pages, count=count))
            except (SourceError, TaskError, WorkerFailedError) as error:
                made.problems.append({"exhibit": str(exhibit), "code": error.code})
                continue
            numbers += count
            stamps[source["id"]] = first, last
            if chosen or order.texts:
                made.problems += _wordless(claim, datasets, source, exhibit)
            made.rows += _rows(exhibit, redactions, pages)
        add("exhibits.xlsx", make_exhibits(_masked_dataset(dataset, chosen, covered), bates=stamps))
        add("redactions.csv", _csv(made.rows))
        made_at = datetime.now(UTC).isoformat(timespec="seconds")
        unused = sorted(set(forms) - {row[-1] for row in made.rows})
        add("README.txt", _readme(order, made, pages=numbers, made_at=made_at, unused=unused))
        manifest = {"madeAt": made_at, "madeBy": made_by, "pages": numbers, "files": made.entries}
        told = {**manifest, "coveredNothing": unused, "problems": made.problems}
        text = json.dumps(told, indent=1, ensure_ascii=False)
        archive.writestr("manifest.json", masked(text, covered) if covered else text)


def _drawn(pool: RenderPool, original: Original, pages: list[ProducedPage], *, count: int) -> bytes:
    return pool.run(
        "produce_document",
        str(original.path),
        original.sha256,
        original.media_type,
        pages,
        timeout_s=30 + _SECONDS_A_PAGE * count,
    )


def _wordless(
    claim: ReviewedClaim, datasets: Datasets, source: Mapping[str, Any], exhibit: int
) -> list[dict[str, str]]:
    """Name the pages on which no word was read: they go out as pictures in which nothing was looked for."""
    readings = (datasets.words(claim, source["id"]), datasets.second_words(claim, source["id"]))
    read = {word.page for words in readings for word in words}
    pages = [str(shape["page"]) for shape in source["pages"] if shape["page"] not in read]
    about = {"exhibit": str(exhibit), "code": "pages_without_words", "pages": ", ".join(pages)}
    return [about] if pages else []


def _told(problem: Mapping[str, str]) -> str:
    """Return a problem for the README: which exhibit, which of its pages, and why."""
    pages = f" page {problem['pages']}" if "pages" in problem else ""
    return f"exhibit {problem['exhibit']}{pages} ({problem['code']})"


def _readme(order: ProductionOrder, made: _Made, *, pages: int, made_at: str, unused: Sequence[str]) -> bytes:
    rules = sorted({row[-1] for row in made.rows}) or ["nothing"]
    numbers = f"Numbers {order.stamp(0)} to {order.stamp(pages - 1)}" if pages else "No page could be copied"
    text = _README.format(
        made_at=made_at,
        numbers=numbers,
        problems="; ".join(map(_told, made.problems)) or "none",
        rules=", ".join(rules),
        unused=", ".join(unused) or "none",
    )
    return text.encode()


def _redactions(
    claim: ReviewedClaim,
    datasets: Datasets,
    source: Mapping[str, Any],
    chosen: Sequence[Mapping[str, Any]],
    forms: Mapping[str, set[str]],
    names: Mapping[str, set[str]],
    drawn: Sequence[DrawnRedaction],
) -> list[Redaction]:
    source_id = source["id"]
    found = [
        place
        for one in chosen
        for place in cited_places(one, one["fieldKey"])
        if place.source_id == source_id
    ]
    # a word of a scan that was read twice is covered when either reading says the value
    for words in (datasets.words(claim, source_id), datasets.second_words(claim, source_id)):
        found += said_places(source_id, words, forms)
        found += said_places(source_id, capitalized(words), names)
    found += [
        Redaction(source_id, box.page, [box.box], f"drawn by {box.drawn_by}")
        for box in drawn
        if box.source_id == source_id
    ]
    return found


def _pages(
    claim: ReviewedClaim,
    datasets: Datasets,
    source: Mapping[str, Any],
    redactions: Sequence[Redaction],
    order: ProductionOrder,
    before: int,
) -> list[ProducedPage]:
    boxes: dict[int, list[Box]] = defaultdict(list)
    for redaction in redactions:
        boxes[redaction.page] += redaction.boxes
    words: dict[int, list[tuple[str, tuple[float, float, float, float]]]] = defaultdict(list)
    for word in datasets.words(claim, source["id"]):
        if not any(overlaps(word.box, box) for box in boxes[word.page]):
            words[word.page].append((word.text, _sides(word.box)))
    return [
        ProducedPage(
            number=shape["page"],
            width=shape["width"],
            height=shape["height"],
            stamp=order.stamp(before + shape["page"] - 1),
            boxes=[_sides(box) for box in boxes[shape["page"]]],
            words=words[shape["page"]],
        )
        for shape in source["pages"]
    ]


def _sides(box: Box) -> tuple[float, float, float, float]:
    return box.left, box.top, box.width, box.height


def _masked_dataset(
    dataset: Mapping[str, Any], chosen: Sequence[Mapping[str, Any]], covered: set[str]
) -> dict[str, Any]:
    """Return the dataset for the index: redacted values are gone, and from the other texts as well."""
    gone = {one["fieldKey"] for one in chosen}

    def shown(one: Mapping[str, Any]) -> dict[str, Any]:
        if one["fieldKey"] in gone:
            bare = {**one, "conflicts": [], "candidates": [], "valueType": "string"}
            return {**bare, "value": MASK, "rawValue": MASK}
        conflicts = [
            {name: _masked_value(kept, covered) for name, kept in conflict.items()}
            for conflict in one.get("conflicts", ())
        ]
        candidates = [
            {**candidate, "value": masked(str(candidate["value"]), covered)}
            for candidate in one.get("candidates", ())
        ]
        text = masked(str(one["value"]), covered)
        raw = one.get("rawValue") if text == one["value"] else text
        found = {"conflicts": conflicts, "candidates": candidates}
        return {**one, **found, "value": text, "rawValue": raw}

    return {
        **dataset,
        "fields": [shown(one) for one in dataset["fields"]],
        "sources": [
            {**source, "name": masked(source["name"], covered), "file": masked(source["file"], covered)}
            for source in dataset["sources"]
        ],
    }


def _masked_value(value: Any, covered: set[str]) -> Any:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    found = masked(text, covered)
    return value if found == text else found


def _rows(
    exhibit: int, redactions: Sequence[Redaction], pages: Sequence[ProducedPage]
) -> list[tuple[Any, ...]]:
    stamps = {page.number: page.stamp for page in pages}
    rows = {
        (exhibit, one.page, stamps.get(one.page, ""), *(round(side, 4) for side in _sides(box)), one.rule)
        for one in redactions
        for box in one.boxes
    }
    return sorted(rows)


def _csv(rows: Sequence[tuple[Any, ...]]) -> bytes:
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(["exhibit", "page", "bates", "left", "top", "width", "height", "rule"])
    writer.writerows([*row[:-1], _as_text(row[-1])] for row in rows)
    return out.getvalue().encode()


def _as_text(text: str) -> str:
    """Return a text that no spreadsheet takes for a formula; a schema may call its field `=1+1`."""
    return f"'{text}" if text[:1] in "=+-@\t\r" else text


def drawn_as_json(drawn: DrawnRedaction) -> dict[str, Any]:
    """Return a drawn box as the viewer takes it."""
    return {
        "id": drawn.redaction_id,
        "sourceId": drawn.source_id,
        "page": drawn.page,
        "box": asdict(drawn.box),
        "drawnBy": drawn.drawn_by,
        "drawnAt": drawn.drawn_at,
    }
