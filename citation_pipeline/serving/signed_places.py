"""The places that a decision signs: words that a person selected, or citations that were on the screen."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from citation_pipeline.adapters.tables.page_words import line_boxes
from citation_pipeline.core.boxes import Box
from citation_pipeline.core.resolution.pins import FOLLOWED
from citation_pipeline.core.review.verifications import Action, Place
from citation_pipeline.serving.datasets import Datasets, ReviewedClaim
from citation_pipeline.serving.decisions import Decision, PinnedWords
from citation_pipeline.serving.errors import NotAcceptableError, StaleError

_MAX_PINNED_WORDS = 400  # a paragraph; a place that spans more is no place


def signed_places(
    datasets: Datasets, claim: ReviewedClaim, field: Mapping[str, Any], decision: Decision
) -> Sequence[Place]:
    """Return the places that hold by a decision; raises NotAcceptableError where it signs none and has to."""
    if decision.words is not None and decision.action in (Action.REPIN, Action.CORRECT):
        return [_pinned(datasets, claim, field, decision.words, decision.citationIndex)]
    if decision.action is Action.REPIN:
        raise NotAcceptableError("no_words", "A pin needs words of a page.", "Select them, then pin.")
    if decision.action is Action.CONFIRM:
        if not field.get("value") or field.get("markedAbsent"):
            raise NotAcceptableError(
                "nothing_to_confirm", "There is no value to confirm.", "Mark the field absent instead."
            )
        positions = range(len(field["citations"])) if decision.acceptPipeline else decision.seenCitations
        places = _shown_places(claim, field, frozenset(positions))
        if field["citations"] and not places and not decision.acceptPipeline:
            raise NotAcceptableError(
                "nothing_seen",
                "None of the value's places was on the screen.",
                "Look at one of them, and name it in seenCitations.",
            )
        return places
    return ()


def with_seen_places(
    field: Mapping[str, Any], published: Mapping[str, Any], decision: Decision
) -> Mapping[str, Any]:
    """Return the field whose citations a decision may sign: as shown, or the pipeline's that were shown.

    Who takes the pipeline's value has seen its place only where no person's lay over it, or where the viewer
    was asked for it.
    """
    if not decision.acceptPipeline:
        return field
    theirs = {c.get("citationIndex", at): c for at, c in enumerate(published["citations"])}
    shown, seen = field["citations"], set(decision.seenCitations)
    indexes = {
        citation.get("citationIndex", at)
        for at, citation in enumerate(shown)
        if at in seen and citation.get("method") != "pinned"
    } | set(decision.seenPipelinePlaces)
    kept = [{**theirs[index], "citationIndex": index} for index in sorted(indexes & theirs.keys())]
    return {**published, "citations": kept}


def _pinned(
    datasets: Datasets, claim: ReviewedClaim, field: Mapping[str, Any], pinned: PinnedWords, index: int
) -> Place:
    source = claim.source(pinned.sourceId)
    on_page = [
        word
        for word in datasets.page_words(claim, pinned.sourceId, pinned.page)
        if pinned.wordStart <= word.word_id < pinned.wordEnd
    ]
    if not on_page or len(on_page) > _MAX_PINNED_WORDS:
        raise NotAcceptableError(
            "no_such_words",
            f"A pin takes between 1 and {_MAX_PINNED_WORDS} words of one page.",
            "Select words on the page, then pin.",
        )
    text = " ".join(word.text for word in on_page)
    if pinned.text is not None and pinned.text != text:
        raise StaleError(
            "words_changed",
            "The page was read again: these are other words now.",
            "Open the page anew and select the words again.",
            current=field,
        )
    citations = (*field["citations"], *field.get("unresolvedCitations", []))
    replaced: Mapping[str, Any] = next((c for c in citations if c.get("citationIndex", 0) == index), {})
    return Place(
        source_id=pinned.sourceId,
        sha256=source["sha256"],
        page=pinned.page,
        text=text,
        boxes=tuple(line_boxes(on_page)),
        citation_index=index,
        citation_id=replaced.get("citationId", ""),
        moved=True,
    )


def _shown_places(claim: ReviewedClaim, field: Mapping[str, Any], seen: frozenset[int]) -> Sequence[Place]:
    """The places of the citations that were on the screen; a reviewer who confirms signs for these alone."""
    known = claim.reviews.get(field["fieldKey"])
    places = []
    for position, citation in enumerate(field["citations"]):
        if position not in seen:
            continue
        index = citation.get("citationIndex", position)
        before = None if known is None else known.places.get(index)
        is_followed = (
            citation.get("method") == FOLLOWED
        )  # the signed words in a new scan: what was seen is there
        if before is not None and citation.get("pinned") and not is_followed:
            # who confirms against the pipeline's new place has chosen this one
            disputed = any(
                conflict["code"] == "place_changed" and conflict["citationIndex"] == index
                for conflict in field.get("conflicts", ())
            )
            places.append(replace(before, moved=before.moved or disputed))
            continue
        regions = citation.get("regions", {}).get("snippet") or []
        if not regions or citation["sourceId"] not in claim.sources:
            continue
        first = regions[0]
        places.append(
            Place(
                source_id=citation["sourceId"],
                sha256=claim.sources[citation["sourceId"]]["sha256"],
                page=first["page"],
                text=citation.get("snippet", ""),
                boxes=tuple(Box(**box) for box in first["boxes"]),
                citation_index=index,
                citation_id=citation.get("citationId", ""),
                moved=is_followed and before is not None and before.moved,
            )
        )
    return places
