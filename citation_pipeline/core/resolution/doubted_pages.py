"""Citations of pages and words that are not to be believed without a look, whatever was found there.

A page that is stamped VOID says what it says, but nobody should take it for what holds; cells that a workbook
hides are in the file and on no screen; a word of which the page shows a part only, or something else at its
place, may be another one.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from citation_pipeline.core.citations import Citation, CitationStatus
from citation_pipeline.core.documents.parsed import ParsedDocument
from citation_pipeline.core.documents.struck_words import are_struck
from citation_pipeline.core.resolution.struck_out import STRUCK_OUT, is_about

UNSURE_WORDS = "unsure_words"
_FLAGGED = frozenset({"marked_void", "hidden_cells", "hidden_slide"})
"""Warnings of pages whose citations a person must look at."""
_NOTED = _FLAGGED | {"printed_across"}
_MOST = 0.5  # confidence of what such a page says, and of words that are no surer than a guess
_WARNING = re.compile(r"page (\d{1,6}): (\w+)")


def doubt_pages(citations: Sequence[Citation], documents: Mapping[str, ParsedDocument]) -> list[Citation]:
    """Return the citations, those on pages that may not hold, and those of words that nobody reads surely,
    with the reason and no surer than a guess."""
    marks = {source_id: _marks_of(document) for source_id, document in documents.items()}
    unsure = {source_id: _unsure_words(document) for source_id, document in documents.items()}
    return [
        _doubted(citation, documents[at], marks[at], unsure[at])
        if (at := citation.source_id) in documents and citation.word_ranges and (marks[at] or unsure[at])
        else citation
        for citation in citations
    ]


def doubts_about(document: ParsedDocument, words: Sequence[int]) -> tuple[str, ...]:
    """Return why words of a document that were found just now are not to be believed without a look."""
    marks = _marks_of(document)
    pages = sorted({int(document.words.page[word]) for word in words}) if marks else ()
    reasons = [reason for page in pages for reason in marks.get(page, ())]
    if any(document.words.confidence[word] <= _MOST for word in words):
        reasons.append(UNSURE_WORDS)
    if are_struck(document, words):
        reasons.append(STRUCK_OUT)
    return tuple(dict.fromkeys(reasons))


def _marks_of(document: ParsedDocument) -> dict[int, list[str]]:
    marks: dict[int, list[str]] = {}
    for warning in document.warnings:
        found = _WARNING.fullmatch(warning)
        if found is not None and found[2] in _NOTED:
            marks.setdefault(int(found[1]), []).append(found[2])
    return marks


def _unsure_words(document: ParsedDocument) -> frozenset[int]:
    return frozenset(np.flatnonzero(document.words.confidence <= _MOST).tolist())


def _doubted(
    citation: Citation,
    document: ParsedDocument,
    marks: Mapping[int, Sequence[str]],
    unsure: frozenset[int],
) -> Citation:
    first, last = citation.word_ranges[0][0], citation.word_ranges[-1][1]
    pages = sorted(set(document.words.page[first:last].tolist())) if marks else ()
    reasons = [reason for page in pages for reason in marks.get(page, ())]
    must_look = not _FLAGGED.isdisjoint(reasons)
    if unsure and is_about(citation, document, unsure):
        reasons.append(UNSURE_WORDS)
        # of a scan it is what recognition is like; print that says one thing and shows another is not
        must_look = must_look or document.pages[int(document.words.page[first]) - 1].words_from == "text"
    if not reasons:
        return citation
    is_flagged = must_look and citation.status is CitationStatus.RESOLVED
    is_unsure = must_look or UNSURE_WORDS in reasons
    return replace(
        citation,
        status=CitationStatus.FLAGGED if is_flagged else citation.status,
        confidence=min(citation.confidence, _MOST) if is_unsure else citation.confidence,
        warnings=tuple(dict.fromkeys((*citation.warnings, *reasons))),
    )
