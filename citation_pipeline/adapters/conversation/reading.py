"""Stored replies into one extraction, without a call: each part read, re-asked answers laid over, all merged.

What was asked is in a reply's `scope`; so it is known for every page and field whether somebody
answered, and what nobody answered becomes an issue.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from citation_pipeline.adapters.conversation.looked_again import with_second_looks
from citation_pipeline.adapters.conversation.plans import readable_sources
from citation_pipeline.adapters.conversation.replies import Reply
from citation_pipeline.adapters.conversation.requotes import with_requotes
from citation_pipeline.adapters.conversation.window_reading import read_window, with_long_lists
from citation_pipeline.core.answers.citations import SourceExtent
from citation_pipeline.core.answers.evidence import check_evidence, with_warnings
from citation_pipeline.core.answers.merging import merge_extractions, merge_field
from citation_pipeline.core.answers.reading import read_answer
from citation_pipeline.core.answers.replies import StoredReply
from citation_pipeline.core.answers.scalars import REFUSED_VALUES
from citation_pipeline.core.documents.parsed import ParsedDocument
from citation_pipeline.core.documents.part_documents import dates_by_part
from citation_pipeline.core.extraction import (
    AnswerIssue,
    ExtractedField,
    Extraction,
    PagesRead,
    Provenance,
)
from citation_pipeline.core.schemas import Schema

ReadReply = Callable[[bytes], Reply]
"""A provider's reader of its own bytes."""

Place = tuple[str, int]
"""A source id and a page."""

Shown = tuple[str, int, int, str]
"""A source id, its first and last page, and which piece of a page that was cut ("" for whole pages)."""


@dataclass(frozen=True, slots=True)
class Scope:
    """What a request asked: these pages of these documents for these fields."""

    sources: tuple[Shown, ...]
    field_keys: tuple[str, ...]
    round: int
    is_requote: bool = False

    def places(self) -> Iterator[tuple[Place, str]]:
        """Yield every page that was shown, with its piece."""
        for source_id, first, last, piece in self.sources:
            for page in range(first, last + 1):
                yield (source_id, page), piece


@dataclass(frozen=True, slots=True)
class PartReading:
    """One reply read: its fields, what it left open, and why it ended."""

    scope: Scope
    reply: Reply
    extraction: Extraction
    open_keys: tuple[str, ...]


def read_scope(scope: str, schema: Schema) -> Scope:
    """Read a reply's stored scope."""
    asked = json.loads(scope)
    keys = asked["field_keys"]
    return Scope(
        sources=tuple(
            (source_id, first, last, "".join(piece)) for source_id, first, last, *piece in asked["sources"]
        ),
        field_keys=tuple(schema.by_key if keys is None else keys),
        round=asked["round"],
        is_requote=asked.get("requote", False),
    )


def read_part(
    stored: StoredReply, schema: Schema, documents: Sequence[ParsedDocument], *, read_reply: ReadReply
) -> PartReading:
    """Read one reply: only the fields that it was asked for, only the documents that it was shown."""
    scope = read_scope(stored.scope, schema)
    reply = read_reply(stored.body)
    shown = {source_id for source_id, *_ in scope.sources}
    extraction = read_answer(reply.text, schema, shown, extents=_extents(documents), model=stored.model)
    asked = set(scope.field_keys)
    fields = tuple(_by_a_model(field) for field in extraction.fields if field.field_key in asked)
    issues = [issue for issue in extraction.issues if issue.field_key is None or issue.field_key in asked]
    issues += [
        AnswerIssue("unasked_field", field.field_key)
        for field in extraction.fields
        if field.field_key not in asked
    ]
    if not reply.is_complete:
        # the broken JSON is only the consequence
        issues = [issue for issue in issues if issue.code != "malformed_answer"]
        issues.insert(0, AnswerIssue(reply.stop_reason))
    usable = {
        field.field_key
        for field in fields
        if field.value is not None or not REFUSED_VALUES.intersection(field.warnings)
        if not (field.value is None and _is_missing(field.field_key, issues))
    }
    return PartReading(
        scope=scope,
        reply=reply,
        extraction=replace(extraction, fields=fields, issues=tuple(issues)),
        open_keys=tuple(key for key in scope.field_keys if key not in usable),
    )


def _by_a_model(field: ExtractedField) -> ExtractedField:
    """Return a field without the word that a person gave it: no model is one."""
    is_given = field.provenance is Provenance.USER_PROVIDED
    return replace(field, provenance=Provenance.INFERRED) if is_given else field


def read_replies(
    replies: Sequence[StoredReply],
    documents: Sequence[ParsedDocument],
    schema: Schema,
    *,
    read_reply: ReadReply,
    dates: Mapping[str, str] | None = None,
    prompt_fingerprint: str = "",
) -> Extraction:
    """Return a claim's extraction from its replies; `dates` are the documents' own, else they are guessed."""
    known = dates if dates is not None else dates_by_part(documents)
    parts, windows, looks = [], [], []
    again: list[Extraction] = []  # asked for quotations alone: no value is taken from it
    for stored in replies:
        part = read_part(stored, schema, documents, read_reply=read_reply)
        window = read_window(stored.scope, part.extraction)
        if part.scope.is_requote:
            again.append(part.extraction)
        elif json.loads(stored.scope).get("quotes_first"):
            looks.append(part.extraction)
        elif window is None:
            parts.append(part)
        else:
            windows.append(window)
    groups: dict[tuple[Shown, ...], list[PartReading]] = {}
    for part in parts:
        groups.setdefault(part.scope.sources, []).append(part)
    merged = merge_extractions([_lay_over(group) for group in groups.values()], schema, dates=known)
    merged = with_second_looks(with_long_lists(merged, windows, documents), looks, documents)
    extraction = replace(
        merged,
        issues=(*merged.issues, *_find_gaps(parts, documents, schema)),
        pages_read=tuple(_pages_read(parts, schema)),
        model=replies[0].model if replies else "",
        prompt_fingerprint=prompt_fingerprint,
    )
    texts = {document.source.source_id: document.text for document in documents}
    extraction = with_requotes(extraction, again)
    return with_warnings(extraction, check_evidence(extraction, schema, texts))


def _lay_over(parts: Sequence[PartReading]) -> Extraction:
    """Return what the replies about the same documents say: a later answer completes an earlier one."""
    fields: dict[str, ExtractedField] = {}
    issues: list[AnswerIssue] = []
    for part in parts:
        answered = {field.field_key for field in part.extraction.fields} - set(part.open_keys)
        # what was wrong with an answer that has since been given again is of no interest any more
        issues = [
            issue for issue in issues if issue.field_key not in answered or issue.code not in REFUSED_VALUES
        ]
        issues.extend(issue for issue in part.extraction.issues if issue.code != "unanswered")
        for field in part.extraction.fields:
            known = fields.get(field.field_key)
            fields[field.field_key] = field if known is None else _complete(known, field)
    return replace(parts[0].extraction, fields=tuple(fields.values()), issues=tuple(issues))


def _complete(known: ExtractedField, again: ExtractedField) -> ExtractedField:
    if again.value is None:
        return known if known.value is not None or again.warnings else again
    if known.value is None:
        return again
    if known.value_type == "array":
        # the second list was asked for because the first was short: its order leads
        return merge_field([again, known], dates={})[0]
    return again


def _pages_read(parts: Sequence[PartReading], schema: Schema) -> Iterator[PagesRead]:
    """Yield, for each reply and document, the fields that it answered and those that it left open."""
    pieces: dict[Place, dict[str, set[str]]] = {}
    reasons: dict[Place, str] = {}
    for part in parts:
        scope = part.scope
        # an answer that could not be taken is no silence: the pages were read for it
        taken = {field.field_key for field in part.extraction.fields if "missing_value" not in field.warnings}
        opened = tuple(key for key in part.open_keys if key not in taken)
        usable = tuple(key for key in scope.field_keys if key not in opened)
        reason = "unanswered" if part.reply.is_complete else part.reply.stop_reason
        for source_id, first, last, piece in scope.sources:
            if piece:
                pieces.setdefault((source_id, first), {}).setdefault(piece, set()).update(usable)
                if opened:
                    reasons[source_id, first] = reason
                continue
            if usable:
                keys = None if len(usable) == len(schema.fields) else usable
                yield PagesRead(source_id, first, last, keys)
            if opened:
                yield PagesRead(source_id, first, last, opened, reason)
    for (source_id, page), read in pieces.items():
        # a page is read when each of its pieces is
        whole = _answered_in_all(read)
        silent = tuple(key for key in schema.by_key if key not in whole)
        if whole:
            yield PagesRead(source_id, page, page, tuple(key for key in schema.by_key if key in whole))
        if silent and (source_id, page) in reasons:
            yield PagesRead(source_id, page, page, silent, reasons[source_id, page])


def _answered_in_all(pieces: Mapping[str, set[str]], piece: str = "") -> set[str]:
    """Return the fields answered for a piece of a page, or for each of the pieces it was cut into."""
    own = set(pieces.get(piece, ()))
    below = {name[len(piece) + 1 :].split("/")[0] for name in pieces if name.startswith(f"{piece}/")}
    counts = {int(name.split(".")[1]) for name in below}
    for count in counts:
        names = [f"{piece}/{number}.{count}" for number in range(1, count + 1)]
        own |= set.intersection(*(_answered_in_all(pieces, name) for name in names))
    return own


def _find_gaps(
    parts: Sequence[PartReading], documents: Sequence[ParsedDocument], schema: Schema
) -> list[AnswerIssue]:
    """Return what no reply answered: documents that were not read at all, and fields of some pages."""
    wanted: dict[Place, set[str]] = {}
    pieces: dict[Place, dict[str, set[str]]] = {}
    for part in parts:
        usable = set(part.scope.field_keys) - set(part.open_keys)
        for place, piece in part.scope.places():
            wanted.setdefault(place, set()).update(part.scope.field_keys)
            pieces.setdefault(place, {}).setdefault(piece, set()).update(usable)
    answered = {place: _answered_in_all(read) for place, read in pieces.items()}
    unread = [place for place in wanted if not answered[place]]
    issues = [
        AnswerIssue("document_not_read", source_id=source_id)
        for source_id in dict.fromkeys(source_id for source_id, _ in unread)
    ]
    shown = {source_id for source_id, _ in wanted}
    issues += [
        AnswerIssue("document_not_read", source_id=source.source_id)
        for source in readable_sources(documents)
        if source.source_id not in shown
    ]
    everywhere = set().union(*answered.values()) if answered else set()
    partly = {key for place in wanted if answered[place] for key in wanted[place] - answered[place]}
    for key in schema.by_key:
        if key not in everywhere:
            issues.append(AnswerIssue("unanswered", key))
        elif key in partly:
            issues.append(AnswerIssue("partly_unanswered", key))
    return issues


def _is_missing(key: str, issues: Sequence[AnswerIssue]) -> bool:
    return any(issue.field_key == key and issue.code == "missing_value" for issue in issues)


def _extents(documents: Sequence[ParsedDocument]) -> dict[str, SourceExtent]:
    return {
        document.source.source_id: SourceExtent(len(document.pages), len(document.text))
        for document in documents
    }
