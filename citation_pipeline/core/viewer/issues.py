"""What a claim's dataset says of itself: what was not read, and what could not be taken or believed.

An issue is an object of `data.json` with a stable `code`, a `severity` and a sentence without document text;
`sourceId`, `pages`, `fieldKey`, `citationIndex` and `citations` say where. The codes of answers are listed in
`docs/extraction-claude.md`, the others in `docs/viewer.md`.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from citation_pipeline.core.answers.coverage import Coverage, UnreadPages
from citation_pipeline.core.answers.scalars import REFUSED_VALUES
from citation_pipeline.core.boxes import union
from citation_pipeline.core.consistency.violations import Statement, Violation
from citation_pipeline.core.documents.parsed import DocumentStatus, ParsedDocument
from citation_pipeline.core.extraction import AnswerIssue

ERROR, WARNING = "error", "warning"
"""An error means that something is missing or may mislead; a warning that somebody should look."""

# repaired on the way, or said by an issue about pages: of no interest to a reader of values
_QUIET = frozenset(
    {
        "retyped",
        "repaired_source",
        "repeated_citation",
        "repeated_field",
        "bad_hint",
        "bad_confidence",
        "bad_provenance",
        "unasked_field",
        "unanswered",
        "partly_unanswered",
        "document_not_read",
        "refusal",
        "max_tokens",
        "model_context_window_exceeded",
        "pause_turn",
        "unknown_stop_reason",
    }
)
_UNREAD_CODES = frozenset({"document_not_read", "document_unreadable", "pages_not_read", "field_not_read"})
_SENTENCES: Mapping[str, str] = {
    "placeholder_value": "The answer put words in a value's place that say that there is none.",
    "denied_without_evidence": "The answer says that there are none, but quotes nothing that says so.",
    "ambiguous_value": "The answer can be read in several ways, so none was chosen.",
    "not_in_enum": "The answer is none of the values that the field may have.",
    "implausible_percent": "The answer is a percentage below 0 or above 100.",
    "conflicting_answers": "The extractor gave two different answers.",
    "conflicting_values": "Documents state different values.",
    "malformed_answer": "The extractor's answer is broken; only its whole records were read.",
    "malformed_record": "A record of the answer is no record.",
    "unknown_field": "The answer names a field that the schema does not have.",
    "order_in_document": "A document gives orders to the model that reads it: what only it states is in "
    "doubt.",
    "unknown_source": "A citation names a document that was not shown.",
    "missing_value": "The answer's record has no value.",
    "repeated_item": "An item is listed twice.",
    "missing_member": "An item lacks a member that the schema requires.",
    "unknown_member": "An item has a member that the schema does not have.",
    "oversized_value": "The answer is far longer than any value.",
}
_DOUBTS: Mapping[str, str] = {
    "few_sure_words": "Fewer than 7 in 10 words were read surely: compare them with the picture.",
    "doubtful_text_order": "Two readings of the text layer differ: compare the text with the page.",
    "hidden_text": "Text that the drawn page does not show was left out.",
    "printed_across": "Large words run across the page, as on what is void, a copy or a draft: look at it.",
    "marked_void": "Large words say that the page does not hold (void, superseded, a draft): ask what does.",
    "misleading_figures": "A font shows other figures than the file says: compare them with the page.",
    "overtyped_figures": "Two figures are printed in one place: look at which of them holds.",
    "drawn_signs": "A sign beside figures is drawn and not printed (a minus, a point): compare them with the "
    "page.",
    "field_differs": "A form's field holds another value than the page shows: ask which of them holds.",
    "tracked_changes": "Changes that nobody accepted: what was put in is read, what was taken out is not.",
    "stale_results": "Stored results are not what their formulas give: open it in a spreadsheet program.",
    "look_alike_letters": "Words mix letters of two scripts that look alike: they are read as they look.",
    "hidden_cells": "The page holds cells that the workbook does not show: ask whether they count.",
    "mail_parts_differ": "The mail's plain text says other words than its displayed one, which was read.",
    "hidden_slide": "The presentation does not show this slide: ask whether it counts.",
    "unread_notes": "Notes that a reader program shows in windows of their own were not read: open the file.",
    "unread_picture": "A picture on the page was not read: look at it.",
    "formulas_without_results": "Formulas whose results the file does not hold were left empty: open it in a "
    "spreadsheet program, save it there, and read it again.",
}
_DOUBTFUL_PAGE = re.compile(rf"page (\d{{1,6}}): ({'|'.join(_DOUBTS)})")
_REASONS: Mapping[str, str] = {
    "refusal": "the extractor refused",
    "max_tokens": "the reply was cut at its longest",
    "model_context_window_exceeded": "it did not fit the model",
    "malformed_answer": "the reply is broken",
    "unanswered": "the reply leaves it out",
    "not_asked": "it was not asked for",
    "dynamic_form": "a form that only Adobe's programs draw: print it to PDF there",
    "embedded_files_unread": "it carries files that cannot be listed: save each on its own",
}


def list_issues(
    coverage: Coverage, issues: Iterable[AnswerIssue], documents: Sequence[ParsedDocument] = ()
) -> list[dict[str, Any]]:
    """Return a claim's issues as objects of its dataset, what was not read first."""
    listed = [
        _unread_issue(unread)
        if key is None
        else {**_unread_issue(unread), "code": "field_not_read", "fieldKey": key}
        for key, unread in coverage.rows()
    ]
    listed += [_empty_issue(one.source.source_id) for one in documents if one.status is DocumentStatus.EMPTY]
    listed += [issue for document in documents for issue in _doubtful_pages(document)]
    listed += [_answer_issue(issue) for issue in issues if issue.code not in _QUIET]
    return listed


def is_about_doubtful_page(warning: str) -> bool:
    """Tell whether a document's warning says that one of its pages may be misread."""
    return _DOUBTFUL_PAGE.fullmatch(warning) is not None


def list_violations(
    violations: Iterable[Violation], fields: Sequence[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """Return what does not agree as issues, each with the places that contradict each other.

    `fields` are the dataset's, whose citations say where a value was read.
    """
    placed = {
        (field["fieldKey"], citation["citationIndex"]): citation
        for field in fields
        for citation in field["citations"]
    }
    return [
        {
            "code": violation.code,
            "severity": violation.severity,
            "message": violation.says,
            **({"reason": violation.rule_id} if violation.rule_id else {}),
            "fieldKeys": list(violation.field_keys),
            "citations": [_place(one, placed) for one in violation.statements],
        }
        for violation in violations
    ]


def _place(one: Statement, placed: Mapping[tuple[str, int | None], Mapping[str, Any]]) -> dict[str, Any]:
    """Return where a statement is: the field's citation as it was found, or the document's own words."""
    found = placed.get((one.field_key, one.citation_index)) if one.citation_index is not None else None
    if found is not None:
        names = ("citationId", "citationIndex", "sourceId", "page", "bbox")
        return {"fieldKey": one.field_key, **{name: found[name] for name in names}}
    place: dict[str, Any] = {"fieldKey": one.field_key, "sourceId": one.source_id}
    if one.citation_index is not None:
        place["citationIndex"] = one.citation_index
    if one.page is not None:
        place["page"] = one.page
    if one.boxes:
        place["bbox"] = union(one.boxes).as_dict()
    return place


def summarize_unread(
    issues: Sequence[Mapping[str, Any]], errors: Mapping[str, str] | None = None
) -> list[str]:
    """Return a line per document that was not read, or not all of it: its id, which part, and why.

    `errors` are parsers' own sentences with their remedies, by document.
    """
    lines: dict[tuple[str, str], int] = {}
    for issue in issues:
        if issue["code"] in _UNREAD_CODES - {"field_not_read"}:
            why = (errors or {}).get(issue["sourceId"], issue["message"])
            lines[f"{issue['sourceId']} was not read: {why}", ""] = 0
        elif issue["code"] == "field_not_read":
            about = f"{issue['sourceId']} was not read for some fields", issue["reason"]
            lines[about] = lines.get(about, 0) + 1
    return [
        f"{text}: {reason} ({count} fields)" if count else text for (text, reason), count in lines.items()
    ]


def unread_sources(issues: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the documents of which something was not read, each once."""
    return list(dict.fromkeys(issue["sourceId"] for issue in issues if issue["code"] in _UNREAD_CODES))


def pages_of(unread: UnreadPages) -> list[list[int]]:
    """Return the pages as ranges; none where the whole document is meant."""
    return [[unread.first_page, unread.last_page]] if unread.first_page else []


def _unread_issue(unread: UnreadPages) -> dict[str, Any]:
    why = _REASONS.get(unread.reason, unread.reason.replace("_", " "))
    pages = pages_of(unread)
    if not pages:
        code, what = "document_unreadable", "the document"
    else:
        code = (
            "document_not_read" if unread.by == "extractor" and unread.first_page == 1 else "pages_not_read"
        )
        first, last = pages[0]
        what = f"page {first}" if first == last else f"pages {first}-{last}"
    return {
        "code": code,
        "severity": ERROR,
        "message": f"{what}: {why}".capitalize() + ".",
        "reason": unread.reason,
        "sourceId": unread.source_id,
        **({"pages": pages} if pages else {}),
    }


def _empty_issue(source_id: str) -> dict[str, Any]:
    return {
        "code": "document_empty",
        "severity": WARNING,
        "message": "The file holds nothing: ask for it again.",
        "sourceId": source_id,
    }


def _doubtful_pages(document: ParsedDocument) -> list[dict[str, Any]]:
    """Return an issue for each reason why some of a document's pages may be misread."""
    pages: dict[str, list[int]] = {}
    for warning in document.warnings if document.status is not DocumentStatus.DUPLICATE else ():
        if match := _DOUBTFUL_PAGE.fullmatch(warning):
            pages.setdefault(match[2], []).append(int(match[1]))
    return [
        {
            "code": "pages_doubtful",
            "severity": WARNING,
            "message": _DOUBTS[reason],
            "reason": reason,
            "sourceId": document.source.source_id,
            "pages": _ranges(numbers),
        }
        for reason, numbers in pages.items()
    ]


def _ranges(numbers: Sequence[int]) -> list[list[int]]:
    ranges: list[list[int]] = []
    for number in sorted(numbers):
        if ranges and number == ranges[-1][1] + 1:
            ranges[-1][1] = number
        else:
            ranges.append([number, number])
    return ranges


def _answer_issue(issue: AnswerIssue) -> dict[str, Any]:
    usual = (
        "The answer could not be read as a value of the field."
        if issue.code in REFUSED_VALUES
        else f"The answer could not be taken as it came: {issue.code.replace('_', ' ')}."
    )
    where = {
        "fieldKey": issue.field_key,
        "citationIndex": issue.citation_index,
        "sourceId": issue.source_id,
    }
    return {
        "code": issue.code,
        "severity": WARNING,
        "message": _SENTENCES.get(issue.code, usual),
        **{name: value for name, value in where.items() if value is not None},
    }
