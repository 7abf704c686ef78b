"""The stages of a claim, what each keeps, and whether it has to run again.

A stage remembers the inputs it was made from (name to fingerprint) and the version of what it made. It
is current when its inputs are still the same; downstream stages compare versions of what was made, so a
stage that runs again and makes the same leaves them alone. Reading that memory is the store's work.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

STAGE_TABLES: Mapping[str, tuple[str, ...]] = {
    "source_documents": ("source_documents",),
    "parsed_documents": ("words", "blocks", "pages", "documents"),
    "raw_extraction": ("raw_extraction",),
    "extracted_fields": ("answer_issues", "conflicts", "pages_read", "unread_pages", "violations", "fields"),
    "resolved_citations": ("citations",),
    "viewer_dataset": (),
    "search_index": ("field_history", "chunks"),
}
"""Stage to its tables, in the order they are put in place; the last one seals the stage."""

STAGES = tuple(STAGE_TABLES)

REMATCH_STAGES = ("resolved_citations", "viewer_dataset")
"""What a re-match runs: neither stage can call anybody."""

UPSTREAM: Mapping[str, tuple[str, ...]] = {
    "source_documents": (),
    "parsed_documents": ("source_documents",),
    "raw_extraction": ("parsed_documents",),
    "extracted_fields": ("parsed_documents", "raw_extraction"),
    "resolved_citations": ("parsed_documents", "extracted_fields"),
    "viewer_dataset": ("parsed_documents", "extracted_fields", "resolved_citations"),
    "search_index": ("parsed_documents", "extracted_fields", "resolved_citations"),
}
"""Stage to the stages it is made from."""

NIGHTS_OF_THE_SAME = 5  # a fault that passes has passed after five nights; then a person should look


@dataclass(frozen=True, slots=True)
class StageState:
    """What a finished stage left: `inputs` by name, and the `data_version` of its output."""

    inputs: Mapping[str, str]
    data_version: str


@dataclass(frozen=True, slots=True)
class FailedTry:
    """The last try of a stage that failed: with which inputs, why, and for how many nights with them.

    `at` is ISO 8601 UTC; several tries of one night count once.
    """

    stage: str
    inputs: Mapping[str, str]
    reason: str
    is_transient: bool
    nights: int = 1
    at: str = ""


@dataclass(frozen=True, slots=True)
class StageDecision:
    """Whether a stage runs and why: `reasons` are the inputs that changed, `never_ran`, or `failed`.

    "hold" is a stage that would run but failed with the same inputs before, and will again; or one whose
    upstream is held. `detail` is the failure in words.
    """

    stage: str
    action: Literal["run", "skip", "hold"]
    reasons: tuple[str, ...] = ()
    detail: str = ""


def upstream_versions(stage: str, states: Mapping[str, StageState | None]) -> dict[str, str]:
    """Return the versions of what a stage is made from; one that never finished is "missing"."""
    found = {name: states.get(name) for name in UPSTREAM[stage]}
    return {name: state.data_version if state else "missing" for name, state in found.items()}


def decide(
    stage: str,
    *,
    kept: StageState | None,
    inputs: Mapping[str, str],
    running: frozenset[str] = frozenset(),
    held: frozenset[str] = frozenset(),
    failed: FailedTry | None = None,
) -> StageDecision:
    """Compare what a stage was made from with what it would be made from now.

    `running` are the stages that run first: what they will make is not known, so they count as changed.
    `held` are stages that will not run: whatever was never made from them waits too. `failed` is the
    stage's last try when it failed; with the same inputs only a passing fault is worth another one.
    """
    if kept is None and (missing := held.intersection(UPSTREAM[stage])):
        return StageDecision(stage, "hold", tuple(sorted(missing)))
    if kept is None:
        reasons: tuple[str, ...] = ("never_ran",)
    else:
        changed = {name for name in {*kept.inputs, *inputs} if kept.inputs.get(name) != inputs.get(name)}
        reasons = tuple(sorted(changed | running.intersection(UPSTREAM[stage])))
    if not reasons:
        return StageDecision(stage, "skip")
    if failed is None or running.intersection(UPSTREAM[stage]) or dict(failed.inputs) != dict(inputs):
        return StageDecision(stage, "run", reasons)
    if failed.is_transient and failed.nights < NIGHTS_OF_THE_SAME:
        return StageDecision(stage, "run", ("failed_transiently",), failed.reason)
    return StageDecision(stage, "hold", ("failed",), failed.reason)
