"""The citations of one record of an answer: sources, snippets, and hints that are only hints."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from citation_pipeline.core.answers.items import infer_item_path, is_item_path_of, moved_path
from citation_pipeline.core.answers.scalars import TypedValue
from citation_pipeline.core.claims import slug_of
from citation_pipeline.core.extraction import AnswerIssue, ConflictingValue, ExtractedField, Snippet
from citation_pipeline.core.schemas import Field

# a quotation is a line or two; pages of text under one citation are an answer gone wrong
_LONGEST_SNIPPET = 2000
_LONGEST_SOURCE_ID = 200


@dataclass(frozen=True, slots=True)
class SourceExtent:
    """How far page and offset hints into one source document may reach."""

    page_count: int
    text_length: int


@dataclass(slots=True)
class AnswerReading:
    """What is known of the claim, and the fields, issues and conflicts while they grow."""

    source_ids: Collection[str]
    extents: Mapping[str, SourceExtent]
    fields: dict[str, ExtractedField] = field(default_factory=dict)
    issues: list[AnswerIssue] = field(default_factory=list)
    conflicts: list[ConflictingValue] = field(default_factory=list)

    def report(self, code: str, field_key: str | None = None, citation_index: int | None = None) -> None:
        """Remember one thing that could not be taken as it was."""
        self.issues.append(AnswerIssue(code=code, field_key=field_key, citation_index=citation_index))


def read_citations(raw: Any, target: Field, typed: TypedValue, reading: AnswerReading) -> tuple[Snippet, ...]:
    """Return a record's snippets, identical ones once, each with its position in the record's list."""
    if raw is None:
        return ()
    if not isinstance(raw, list):
        raw = [raw]
        reading.report("malformed_citations", target.key)
    snippets: dict[tuple[str, str], Snippet] = {}
    for index, citation in enumerate(raw):
        snippet = _read_citation(citation, index, target, typed, reading)
        if snippet is None:
            continue
        if (snippet.source_id, snippet.text) in snippets:
            reading.report("repeated_citation", target.key, index)
        else:
            snippets[snippet.source_id, snippet.text] = snippet
    return tuple(snippets.values())


def _read_citation(
    raw: Any, index: int, target: Field, typed: TypedValue, reading: AnswerReading
) -> Snippet | None:
    text = raw.get("text_snippet") if isinstance(raw, dict) else None
    if not isinstance(raw, dict) or not isinstance(text, str) or not text.strip():
        reading.report("malformed_citation", target.key, index)
        return None
    if len(text) > _LONGEST_SNIPPET:
        reading.report("oversized_snippet", target.key, index)
        text = text[:_LONGEST_SNIPPET]
    source_id = _read_source_id(raw.get("source_id"), target.key, index, reading)
    page, start, end = _read_hints(raw, source_id, target.key, index, reading)
    return Snippet(
        source_id=source_id,
        text=text,
        citation_index=index,
        item_path=_read_item_path(raw, text, target, typed, index, reading),
        page=page,
        start_offset=start,
        end_offset=end,
    )


def _read_source_id(raw: Any, field_key: str, index: int, reading: AnswerReading) -> str:
    given = raw.strip()[:_LONGEST_SOURCE_ID] if isinstance(raw, str) else ""
    if given in reading.source_ids:
        return given
    # models like to answer with the title or the file's name instead of the id
    if given and slug_of(given) in reading.source_ids:
        reading.report("repaired_source", field_key, index)
        return slug_of(given)
    reading.report("unknown_source", field_key, index)
    return given


def _read_item_path(
    raw: Mapping[str, Any], text: str, target: Field, typed: TypedValue, index: int, reading: AnswerReading
) -> str:
    given, value = raw.get("item_path"), typed.value
    if given:
        # items that could not be read are gone, and the others have moved up
        moved = moved_path(given, typed.kept) if isinstance(given, str) else ""
        if is_item_path_of(moved, value):
            return moved
        reading.report("bad_hint", target.key, index)
    return infer_item_path(text, value) if isinstance(value, list) else ""


def _read_hints(
    raw: Mapping[str, Any], source_id: str, field_key: str, index: int, reading: AnswerReading
) -> tuple[int | None, int | None, int | None]:
    """Return page, start and end clamped to the document; hints that say nothing are None."""
    extent = reading.extents.get(source_id)
    last_page = extent.page_count if extent else None
    length = extent.text_length if extent else None
    hints = [
        # 0 is how a structured reply says that it knows no page
        _read_hint(raw.get("page") or None, lowest=1, highest=last_page),
        _read_hint(raw.get("startOffset", raw.get("start_offset")), lowest=0, highest=length),
        _read_hint(raw.get("endOffset", raw.get("end_offset")), lowest=0, highest=length),
    ]
    page, start, end = (number for number, _ in hints)
    fits = all(fits for _, fits in hints)
    if start is None or end is None or end <= start:
        fits = fits and start is None and end is None
        start = end = None
    if not fits:
        reading.report("bad_hint", field_key, index)
    return page, start, end


def _read_hint(raw: Any, *, lowest: int, highest: int | None) -> tuple[int | None, bool]:
    """Return the number and whether it came as a number within the bounds; one beyond is brought back."""
    if raw is None:
        return None, True
    if isinstance(raw, str) and re.fullmatch(r"\d{1,9}", raw.strip()):
        raw = int(raw)
    if isinstance(raw, float) and raw.is_integer():
        raw = int(raw)
    if not isinstance(raw, int) or isinstance(raw, bool):
        return None, False
    if highest is not None and highest < lowest:
        return None, False
    number = max(raw, lowest)
    number = min(number, highest if highest is not None else 10**9)
    return number, number == raw
