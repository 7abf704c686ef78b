"""Whether a quoted text still is where a citation says it does.

Every part of a citation that is given is compared, and the answer names those that were not. A text that is
too short to be told from chance verifies nothing.
"""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from rapidfuzz import fuzz

from citation_pipeline.adapters.read_model.citing import cite_words, words_in_box
from citation_pipeline.adapters.read_model.claims import ClaimState, UnknownClaimError
from citation_pipeline.adapters.read_model.model import ReadModel
from citation_pipeline.adapters.read_model.other_words import says_other_word
from citation_pipeline.adapters.read_model.shapes import CitationCheck, VerificationStatus
from citation_pipeline.core.boxes import Box
from citation_pipeline.core.citations import CitationStatus
from citation_pipeline.core.documents.parsed import ParsedDocument
from citation_pipeline.core.matching.index import DocumentIndex
from citation_pipeline.core.resolution.confidence import DOUBTFUL
from citation_pipeline.core.resolution.hints import Hints
from citation_pipeline.core.resolution.places import JudgedPlace, search_places
from citation_pipeline.core.retrieval.conditions.condition import NotUnderstoodError
from citation_pipeline.core.viewer.citation_objects import CitationObject, split_document_id

_NEARLY = 85.0  # per cent: a line with one figure changed scores above 90, another sentence below 70
_TELLING = 12  # characters; shorter texts are nearly everywhere
_LEAST = 3  # letters and digits: "a" or "of" is on every page
_SHARED = 0.75  # of the found words that must lie in the given box: a box may be a little off, not elsewhere
_WIDE = 8  # words in the box for each quoted word, beyond which the box points at nothing
_HALF_PAGE, _FILLED = 0.5, 0.25  # of the page; of the box, by the words that it is said to point at
_TURNING = frozenset(("turn_left_out", "denial_beside"))
"""What leaves the quoted words as they are printed."""
_BESIDE = 12  # words before and behind the quoted ones that a message shows
_SLIP = 0.005  # of the page: printed coordinates are rounded

Sides = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class _Quotation:
    """What is to be checked."""

    document_id: str
    text: str
    page: int | None
    box: Box | None
    sha256: str | None

    def parts(self) -> tuple[Sequence[str], Sequence[str]]:
        """Return which parts are compared, and which are not because they were not given."""
        given = {"page": self.page, "bbox": self.box, "sha256": self.sha256}
        return (
            ["text", *(name for name, part in given.items() if part is not None)],
            [name for name, part in given.items() if part is None],
        )


def check_citation(
    model: ReadModel,
    document_id: str,
    text: str,
    *,
    page: int | None = None,
    bbox: Sides | None = None,
    sha256: str | None = None,
) -> CitationCheck:
    """Compare a quotation and its place with the document as it is now.

    A box that is none on a page verifies nothing; raises NotUnderstoodError when a side is not a number.
    """
    quoted = _Quotation(document_id, text, page, None, sha256)
    if bbox is not None:
        if not all(math.isfinite(side) for side in bbox):
            read_box(bbox)  # raises: nothing to compare with
        try:
            quoted = replace(quoted, box=read_box(bbox))
        except NotUnderstoodError as error:
            message = f"Nothing was checked: {error.reason}."
            return replace(
                _nothing(quoted, "bad_box", message), not_checked=("text", "page", "bbox", "sha256")
            )
    try:
        claim_id, source_id = split_document_id(document_id)
        state = model.claims.state(claim_id)
        source = state.source(source_id)
    except (ValueError, UnknownClaimError):
        return CitationCheck(
            "unknown", "no_such_document", document_id, None, 0.0, "There is no such document.", (), ()
        )
    documents = model.claims.documents(claim_id)
    document = documents.by_id.get(source_id)
    if document is None or not document.is_readable:
        return _nothing(quoted, "unreadable_document", "The document could not be read; nothing was checked.")
    if sha256 is not None and sha256 != source.get("sha256"):
        return CitationCheck(
            "stale",
            "document_changed",
            document_id,
            None,
            0.0,
            "The document is not the one that was quoted: its content has another hash.",
            ("sha256",),
            ("text", "page", "bbox"),
        )
    if sum(character.isalnum() for character in text) < _LEAST:
        return _nothing(
            quoted, "too_short", f"Fewer than {_LEAST} letters or digits are no evidence; quote more words."
        )
    return _compare(model, state, document, documents.index(source_id), quoted)


def read_box(sides: Sides) -> Box:
    """Return the box of left, top, width, height; raises NotUnderstoodError for one off the page."""
    left, top, width, height = sides
    if not all(math.isfinite(side) for side in sides):
        reason = "a side of the box is not a number"
    elif width <= 0 or height <= 0:
        reason = "the box has no area"
    elif left < -_SLIP or top < -_SLIP or left + width > 1 + _SLIP or top + height > 1 + _SLIP:
        reason = "the box reaches beyond the page"
    else:
        return Box(left, top, width, height)
    raise NotUnderstoodError(
        reason,
        words=", ".join(str(side) for side in sides),
        remedy="give left, top, width, height in 0-1 of the displayed page",
        argument="bbox",
    )


def _nothing(quoted: _Quotation, reason: str, message: str) -> CitationCheck:
    checked, left = quoted.parts()
    return CitationCheck("unknown", reason, quoted.document_id, None, 0.0, message, (), [*checked, *left])


def _compare(
    model: ReadModel, state: ClaimState, document: ParsedDocument, index: DocumentIndex, quoted: _Quotation
) -> CitationCheck:
    search = search_places(index, quoted.text, Hints(page=quoted.page))
    found = [p for p in search.places if p.judgement.status is CitationStatus.RESOLVED]
    same = [p for p in found if not says_other_word(document, p.match.words, quoted.text)]
    resolved = [p for p in same if DOUBTFUL.isdisjoint(p.match.findings.codes)]
    if resolved:
        off = [(_off(document, place, quoted), place) for place in resolved]
        here = [place for reason, place in off if reason is None]
        chosen = here[0] if here else resolved[0]
        reason = "as_quoted" if here else _reason_of([reason for reason, _ in off])
        status: VerificationStatus = "verified" if here else "drifted"
        return _result(
            model, state, document, quoted, status, reason, _MESSAGES[reason], chosen, places=len(resolved)
        )
    turned = [place for place in same if not DOUBTFUL.intersection(place.match.findings.codes) - _TURNING]
    if turned:
        reason = min(DOUBTFUL.intersection(turned[0].match.findings.codes))
        message = f"{_MESSAGES[reason]} It says: “{_around(document, turned[0].match.words)}”."
        return _result(model, state, document, quoted, "turned", reason, message, turned[0])
    # a word was left out in silence, or may be another one: hardly the same, and no verification
    flagged = found or [p for p in search.places if p.judgement.status is CitationStatus.FLAGGED]
    if flagged:
        doubts = DOUBTFUL.intersection(flagged[0].match.findings.codes)
        is_other = bool(found) and not same
        reason = "another_word" if is_other else min(doubts, default=flagged[0].judgement.reason)
        says = " ".join(document.words.texts[word] for word in sorted(flagged[0].match.words))
        message = f"The document says something else there ({reason}): “{says}”."
        return _result(model, state, document, quoted, "differs", reason, message, flagged[0])
    return _nearly(model, state, document, quoted)


_MESSAGES = {
    "turn_left_out": "The words are printed so, but what is beside them says it only under a condition, as "
    "somebody's view, as a question or an example, or takes it back; the quotation leaves that out.",
    "denial_beside": "The words are printed so, but a word right beside them denies; the quotation lacks it.",
    "as_quoted": "The text is in the document where it is said to be.",
    "on_another_page": "The text is in the document, on another page than the one given.",
    "no_such_page": "The document has no such page; the text is on another one.",
    "box_off_the_words": "The text is in the document, but its words are not in the given box.",
    "box_too_wide": "The words are in the box with many others: the box does not point at them.",
}


def _around(document: ParsedDocument, words: Sequence[int]) -> str:
    """Return the words of the page with some on either side: what turns them is mostly of their sentence."""
    page, texts = document.words.page, document.words.texts
    low, high = min(words), max(words)
    near = range(max(0, low - _BESIDE), min(len(texts), high + 1 + _BESIDE))
    return " ".join(texts[word] for word in near if page[word] in (page[low], page[high]))


def _reason_of(reasons: Sequence[str | None]) -> str:
    """Return the reason of the nearest miss: a box that is off beats a page that is another."""
    order = ("box_too_wide", "box_off_the_words", "on_another_page", "no_such_page")
    return min((reason for reason in reasons if reason), key=order.index)


def _off(document: ParsedDocument, place: JudgedPlace, quoted: _Quotation) -> str | None:
    """Return what of the given place is not that of the words, None when all of it is."""
    words = set(place.match.words)
    pages = {int(document.words.page[word]) for word in words}
    if quoted.page is not None and quoted.page not in pages:
        known = any(page.page == quoted.page for page in document.pages)
        return "on_another_page" if known else "no_such_page"
    if quoted.box is None:
        return None
    where = pages if quoted.page is None else {quoted.page}
    inside = {word for page in where for word in words_in_box(document, page, quoted.box)}
    here = {word for word in words if int(document.words.page[word]) in where}
    if len(inside & here) < _SHARED * len(here):
        return "box_off_the_words"
    is_wide = len(inside) > _WIDE * len(here) and len(inside) > 60
    return "box_too_wide" if is_wide or _is_mostly_empty(document, here, quoted.box) else None


def _is_mostly_empty(document: ParsedDocument, words: Collection[int], box: Box) -> bool:
    """Tell whether a box takes half of the page for words that fill little of it: a page is no place."""
    area = box.width * box.height
    if area < _HALF_PAGE or not words:
        return False
    boxes = document.words.boxes[sorted(words)]
    left, top = boxes[:, 0].min(), boxes[:, 1].min()
    right, bottom = (boxes[:, 0] + boxes[:, 2]).max(), (boxes[:, 1] + boxes[:, 3]).max()
    return bool((right - left) * (bottom - top) < _FILLED * area)


def _nearly(
    model: ReadModel, state: ClaimState, document: ParsedDocument, quoted: _Quotation
) -> CitationCheck:
    """Look for a line that says nearly the same: the quotation's place, saying something else."""
    shown = next((p for p in document.pages if p.page == quoted.page), None)
    start, end = (shown.text_start, shown.text_end) if shown is not None else (0, len(document.text))
    near = fuzz.partial_ratio_alignment(
        quoted.text.casefold(), document.text[start:end].casefold(), score_cutoff=_NEARLY
    )
    words = list(document.words_between(start + near.dest_start, start + near.dest_end)) if near else []
    checked, left = quoted.parts()
    if near is None or not words or len(quoted.text) < _TELLING:
        message = "The text is nowhere in the document."
        return CitationCheck(
            "unknown", "not_in_document", quoted.document_id, None, 0.0, message, ("text",), left
        )
    made, _ = cite_words(
        state,
        document,
        words,
        name="quotation",
        value=None,
        method="nearly",
        confidence=0.0,
        root=model.root_url,
    )
    says = " ".join(made.source.text.split())
    return CitationCheck(
        "differs",
        "digits_differ" if _digits(says) != _digits(quoted.text) else "says_something_else",
        quoted.document_id,
        made,
        round(near.score / 100, 4),
        f"The document says something else: “{says}”.",
        checked[:1],
        [*checked[1:], *left],
    )


def _digits(text: str) -> str:
    return "".join(character for character in text if character.isdigit())


def _result(
    model: ReadModel,
    state: ClaimState,
    document: ParsedDocument,
    quoted: _Quotation,
    status: VerificationStatus,
    reason: str,
    message: str,
    place: JudgedPlace,
    *,
    places: int = 0,
) -> CitationCheck:
    checked, left = quoted.parts()
    if status == "verified" and left:
        message += f" Not checked, for it was not given: {', '.join(left)}."
    return CitationCheck(
        status,
        reason,
        quoted.document_id,
        _cited(model, state, document, place),
        place.judgement.score,
        message,
        checked,
        left,
        places,
    )


def _cited(
    model: ReadModel, state: ClaimState, document: ParsedDocument, place: JudgedPlace
) -> CitationObject:
    made, _ = cite_words(
        state,
        document,
        place.match.words,
        name="quotation",
        value=None,
        method=place.match.method,
        confidence=place.judgement.score,
        root=model.root_url,
    )
    return made
