"""Drawing all papers and writing the claim's folder: the same bytes for the same library versions."""

import json
from dataclasses import replace
from functools import partial
from pathlib import Path

from citation_pipeline_tests.sample_claim.drawing import Box
from citation_pipeline_tests.sample_claim.facts import CLAIM_ID
from citation_pipeline_tests.sample_claim.flow import Paper
from citation_pipeline_tests.sample_claim.papers import PAPERS, PaperSpec
from citation_pipeline_tests.sample_claim.scanning import scan, skewed
from citation_pipeline_tests.sample_claim.truth import DrawnPaper, citation_truth, reference_answer, truth

SCAN_SEED = 17


def draw(spec: PaperSpec) -> DrawnPaper:
    """Draw one paper, twice: the first pass counts the pages that "page 1 of 4" needs."""
    pages = _lay_out(spec, total=1).page
    sheet = _lay_out(spec, total=pages)
    drawn = DrawnPaper(spec, sheet.finish(), sheet.page, tuple(sheet.units), tuple(sheet.statements))
    return _scanned(drawn) if spec.kind == "scanned" else drawn


def _lay_out(spec: PaperSpec, *, total: int) -> Paper:
    new = partial(
        Paper,
        title=spec.doc_type,
        date=spec.date,
        size=spec.size,
        rotate=spec.rotate,
        total=total,
        locked=spec.kind == "encrypted_readable",
        by_word=spec.kind == "scanned",
    )
    return spec.draw(new)


def _scanned(drawn: DrawnPaper) -> DrawnPaper:
    width, height = drawn.spec.size

    def move(boxes: tuple[Box, ...]) -> tuple[Box, ...]:
        return tuple(skewed(box, width=width, height=height) for box in boxes)

    return replace(
        drawn,
        content=scan(drawn.content, seed=SCAN_SEED),
        units=tuple(replace(unit, boxes=move(unit.boxes)) for unit in drawn.units),
        statements=tuple(
            replace(s, unit=replace(s.unit, boxes=move(s.unit.boxes)), value_boxes=move(s.value_boxes))
            for s in drawn.statements
        ),
    )


def write(out: Path) -> Path:
    """Draw the claim into `out/<claim_id>`, replacing files of the same name; returns that folder."""
    folder = out / CLAIM_ID
    (folder / "documents").mkdir(parents=True, exist_ok=True)
    papers = [draw(spec) for spec in PAPERS]
    for paper in papers:
        (folder / "documents" / paper.spec.file).write_bytes(paper.content)
    answer = truth(papers)
    _dump(folder / "truth.json", answer)
    _dump(folder / "perfect_truth.json", citation_truth(answer, papers))
    _dump(folder / "extraction_raw.json", reference_answer(answer))
    return folder


def _dump(path: Path, content: object) -> None:
    path.write_text(json.dumps(content, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
