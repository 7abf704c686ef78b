"""Whether a new set of values and citations may replace the one that is shown.

Pure judgement over comparisons; what is held, and who decided on it, is kept by the pipeline.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from citation_pipeline.core.citations import CitationStatus
from citation_pipeline.core.resolution.changes import Change, CitationChange, Placed
from citation_pipeline.core.resolution.field_changes import FieldPlaces
from citation_pipeline.core.resolution.printed_words import PrintedWords, prints_snippet

_FEW = 2  # fewer than this is a change of single places, which a share of a small claim would exaggerate


@dataclass(frozen=True, slots=True)
class PromotionRules:
    """When a new set may replace the one that is shown.

    Each share is the most that may be lost, moved or downgraded of the citations that were located; may be
    misplaced of those that are located now; may change of the values that were shown, by the extractor that
    gave them or by another one (`swapped_values_share`, which one changed value of a few may exceed). Fields
    that another extraction quotes otherwise may lose or change their places in the same shares. With
    `keep_verified` nothing that a person signed may be lost, moved, downgraded or given another value.
    """

    lost_share: float = 0.05
    moved_share: float = 0.1
    downgraded_share: float = 0.1
    misplaced_share: float = 0.02
    changed_values_share: float = 0.25
    swapped_values_share: float = 0.05
    keep_verified: bool = True


def only_signed(rules: PromotionRules) -> PromotionRules:
    """Return the rules for a claim whose documents changed: others may differ, what was signed may not be
    lost."""
    return replace(
        rules,
        lost_share=1.0,
        moved_share=1.0,
        downgraded_share=1.0,
        changed_values_share=1.0,
        swapped_values_share=1.0,
    )


def misplaced_citations(citations: Sequence[Placed], words: Mapping[str, PrintedWords]) -> list[str]:
    """Return the ids of the resolved citations whose boxes hold other words than they quote.

    `words` are those of each cited source document.
    """
    return [
        citation.citation_id
        for citation in citations
        if citation.status is CitationStatus.RESOLVED and citation.snippet
        if citation.source_id not in words
        or not prints_snippet(words[citation.source_id], citation.snippet, citation.snippet_text)
    ]


@dataclass(frozen=True, slots=True)
class ValueChanges:
    """How the values differ from those that are shown: fields that lost theirs, and that have another."""

    shown: int = 0
    lost: Sequence[str] = ()
    changed: Sequence[str] = ()
    signed: Sequence[str] = ()  # of lost and changed, those that a person had decided on


def compare_values(
    shown: Mapping[str, Any], new: Mapping[str, Any], *, signed: frozenset[str]
) -> ValueChanges:
    """Compare values by field key; a missing one is None."""
    had = {key: value for key, value in shown.items() if value is not None}
    lost = [key for key in had if new.get(key) is None]
    changed = [key for key, value in had.items() if new.get(key) is not None and new[key] != value]
    return ValueChanges(len(had), lost, changed, sorted(signed.intersection([*lost, *changed])))


def reasons_to_hold(
    before: Sequence[Placed],
    changes: Sequence[CitationChange],
    rules: PromotionRules,
    *,
    located: int = 0,
    misplaced: Sequence[str] = (),
    values: ValueChanges | None = None,
    fields: FieldPlaces | None = None,
    is_other_reader: bool = False,
) -> list[str]:
    """Return why the new set must not replace the old one; an empty list lets it through.

    `located` counts the citations that have a place now, of which `misplaced` have it on other words.
    `is_other_reader` tells that another extractor or model gave the new values than the shown ones.
    """
    reasons = []
    worse = {Change.LOST: "lost", Change.MOVED: "moved", Change.DOWNGRADED: "downgraded"}
    for kind, word in worse.items():
        signed = sum(change.change is kind and change.is_verified for change in changes)
        if rules.keep_verified and signed:
            reasons.append(f"{signed} verified citations would be {word}")
    if values is not None and rules.keep_verified and values.signed:
        reasons.append(f"{len(values.signed)} verified values would change")
    placed = sum(bool(citation.snippet) for citation in before)
    if fields is not None:
        reasons += _field_reasons(fields, rules, few=1 if is_other_reader else _FEW)
    shares = {
        Change.LOST: rules.lost_share,
        Change.MOVED: rules.moved_share,
        Change.DOWNGRADED: rules.downgraded_share,
    }
    for kind, share in shares.items():
        count = sum(change.change is kind for change in changes)
        few = kind is not Change.LOST and count < _FEW
        if placed and not few and count / placed > share:
            reasons.append(
                f"{count} of {placed} located citations would be {worse[kind]}, more than {share:.0%}"
            )
    if located and len(misplaced) / located > rules.misplaced_share:
        reasons.append(
            f"{len(misplaced)} of {located} located citations have boxes with other words than they quote"
        )
    return reasons + _value_reasons(values, rules, is_other_reader=is_other_reader)


def _value_reasons(values: ValueChanges | None, rules: PromotionRules, *, is_other_reader: bool) -> list[str]:
    if values is None or not values.shown:
        return []
    reasons = []
    # a swapped model is a person's choice for many claims: what it changes in one claim is no accident
    few = 1 if is_other_reader else _FEW
    by = ", by another extractor or model" if is_other_reader else ""
    if len(values.lost) / values.shown > rules.lost_share and len(values.lost) >= few:
        reasons.append(f"{len(values.lost)} of {values.shown} values would be lost{by}")
    differing = len(values.changed)
    share = rules.changed_values_share
    if is_other_reader:
        share = min(share, rules.swapped_values_share)
    if differing / values.shown > share and differing >= few:
        reasons.append(f"{differing} of {values.shown} values would be other ones{by}")
    return reasons


def _field_reasons(fields: FieldPlaces, rules: PromotionRules, *, few: int) -> list[str]:
    reasons = []
    if rules.keep_verified and fields.signed:
        reasons.append(f"{len(fields.signed)} fields would be cited without the place that was verified")
    for keys, share, least, word in (
        (fields.lost, rules.lost_share, 1, "lose their place"),
        (fields.moved, rules.moved_share, few, "be cited elsewhere"),
        (fields.doubted, rules.downgraded_share, few, "be cited with a doubt"),
    ):
        if fields.placed and len(keys) >= least and len(keys) / fields.placed > share:
            reasons.append(f"{len(keys)} of {fields.placed} fields would {word}")
    return reasons
