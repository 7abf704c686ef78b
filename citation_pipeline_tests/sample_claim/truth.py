"""From what was recorded while drawing to truth.json, perfect_truth.json and the reference answer.

The shapes are those of the scoring tools that read them. Nothing is looked up in the drawn files.
"""

import json
import re
from collections import defaultdict
from dataclasses import asdict, dataclass

from citation_pipeline_tests.sample_claim.drawing import Box, Statement, Unit
from citation_pipeline_tests.sample_claim.facts import ABSENT_FIELDS, CLAIM_ID, FACTS, value_type
from citation_pipeline_tests.sample_claim.papers import PaperSpec

# A reviewer reads two places, not twenty; arrays need as many as their items.
CITATIONS_PER_FIELD = 2
NOTE = (
    "Reference answer made from the truth of this invented claim, not the reply of any model: every value is "
    "right and every snippet is printed verbatim in the document it names."
)


@dataclass(frozen=True)
class DrawnPaper:
    """A finished file and what was recorded while it was drawn."""

    spec: PaperSpec
    content: bytes
    pages: int
    units: tuple[Unit, ...]
    statements: tuple[Statement, ...]


def source_id(file: str) -> str:
    """Lower-case name without extension, runs outside [a-z0-9] as one hyphen."""
    return re.sub(r"[^a-z0-9]+", "-", re.sub(r"\.pdf$", "", file.lower())).strip("-")


def _boxes(boxes: tuple[Box, ...]) -> list[dict]:
    return [asdict(box) for box in boxes]


def _places(boxes: tuple[Box, ...]) -> list[dict]:
    return [{k: v for k, v in asdict(box).items() if k != "text"} for box in boxes]


def _citation(paper: DrawnPaper, statement: Statement, *, negation: bool) -> dict:
    citation = {
        "file": paper.spec.file,
        "source_id": source_id(paper.spec.file),
        "page": statement.unit.page,
        "text": statement.unit.text,
        "boxes": _boxes(statement.unit.boxes),
        "value_text": statement.value_text,
        "value_boxes": _boxes(statement.value_boxes),
        "doc_date": paper.spec.date,
        "as_of": statement.unit.as_of,
        "layout": statement.unit.layout,
        "scanned": paper.spec.kind == "scanned",
    }
    if statement.mark.item is not None:
        citation["item"] = statement.mark.item
    if statement.mark.member:
        citation["item_field"] = statement.mark.member
    if negation:
        citation["negation"] = True
    return citation


def _old_value(key: str, written: str) -> object:
    if value_type(key) in ("number", "boolean", "array"):
        return json.loads(written)
    return written


def truth(papers: list[DrawnPaper]) -> dict:
    """Every field's value with all places that state it, older contradicting values beside."""
    current: dict[str, list[dict]] = defaultdict(list)
    old: dict[str, dict[str, list[dict]]] = defaultdict(lambda: defaultdict(list))
    for paper in papers:
        for statement in paper.statements:
            mark = statement.mark
            if mark.superseded_value is None:
                negation = FACTS[mark.key] is False
                current[mark.key].append(_citation(paper, statement, negation=negation))
            else:
                negation = _old_value(mark.key, mark.superseded_value) in (False, [])
                negation = negation and value_type(mark.key) in ("boolean", "array")
                old[mark.key][mark.superseded_value].append(_citation(paper, statement, negation=negation))
    fields = {}
    for key, value in FACTS.items():
        fields[key] = {"value": value, "type": value_type(key), "citations": current[key]}
        if key in old:
            fields[key]["superseded"] = [
                {"value": _old_value(key, written), "citations": cited} for written, cited in old[key].items()
            ]
        if value is False:
            fields[key]["negation"] = True
    return {
        "claim_id": CLAIM_ID,
        "schema": "workers_comp.json",
        "box_convention": "normalized 0-1, origin top-left of the page as displayed (after /Rotate)",
        "documents": [_document(paper) for paper in papers],
        "fields": fields,
        "absent_fields": list(ABSENT_FIELDS),
    }


def _document(paper: DrawnPaper) -> dict:
    spec = paper.spec
    return {
        "file": spec.file,
        "source_id": source_id(spec.file),
        "doc_type": spec.doc_type,
        "date": spec.date,
        "pages": paper.pages,
        "kind": spec.kind,
        "rotated_pages": {str(n + 1): spec.rotate for n in range(paper.pages)} if spec.rotate else {},
    }


def chosen_citations(field: dict) -> list[dict]:
    """The newest place, and the oldest that agrees in another document; for an array at least one per item.

    The oldest papers are the forms and the fax: citing them too keeps every layout in the reference answer.
    """
    by_age = sorted(field["citations"], key=lambda c: c["as_of"], reverse=True)
    chosen: list[dict] = []
    for number in range(len(field["value"]) if isinstance(field["value"], list) else 0):
        chosen += [c for c in by_age if c.get("item") == number and not c.get("item_field")][:1]
    for citation in by_age[:1] + by_age[::-1]:
        if len(chosen) < CITATIONS_PER_FIELD and citation["file"] not in {c["file"] for c in chosen}:
            chosen.append(citation)
    unique = {(c["file"], c["page"], c["text"]): c for c in chosen}
    return list(unique.values())


def reference_answer(answer: dict) -> dict:
    """What a perfect reader would answer."""
    extractions = [
        {
            "field_key": key,
            "value": field["value"],
            "citations": [
                {"source_id": c["source_id"], "text_snippet": c["text"]} for c in chosen_citations(field)
            ],
        }
        for key, field in answer["fields"].items()
    ]
    return {"note": NOTE, "extractions": extractions}


def citation_truth(answer: dict, papers: list[DrawnPaper]) -> list[dict]:
    """Where each citation of the reference answer stands, and where its document repeats the same text."""
    units = {paper.spec.file: paper.units for paper in papers}
    rows = []
    for key, field in answer["fields"].items():
        for index, citation in enumerate(chosen_citations(field)):
            file, page = citation["file"], citation["page"]
            place = [{k: v for k, v in box.items() if k != "text"} for box in citation["boxes"]]
            others = [
                {"file": file, "page": unit.page, "boxes": _places(unit.boxes)}
                for unit in units[file]
                if unit.text == citation["text"] and (unit.page, _places(unit.boxes)) != (page, place)
            ]
            rows.append(
                {
                    "field_key": key,
                    "citation_index": index,
                    "expect": "located",
                    "source_id": citation["source_id"],
                    "file": file,
                    "page": page,
                    "boxes": place,
                    "alternatives": others,
                    "mutation": "none",
                    "layout": citation["layout"],
                    "scanned": citation["scanned"],
                }
            )
    return rows
