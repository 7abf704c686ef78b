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
    "extracted_fields": ("answer_issues", "fields"),
    "resolved_citations": ("citations",),
    "viewer_dataset": (),
    "search_index": ("field_history", "chunks"),
}
"""Stage to its tables, in the order they are put in place; the last one seals the stage."""

STAGES = tuple(STAGE_TABLES)

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


@dataclass(frozen=True, slots=True)
class StageState:
    """What a finished stage left: `inputs` by name, and the `data_version` of its output."""

    inputs: Mapping[str, str]
    data_version: str


@dataclass(frozen=True, slots=True)
class StageDecision:
    """Whether a stage runs and why: `reasons` are the inputs that changed, or `never_ran`."""

    stage: str
    action: Literal["run", "skip"]
    reasons: tuple[str, ...] = ()


def upstream_versions(stage: str, states: Mapping[str, StageState | None]) -> dict[str, str]:
    """Return the versions of what a stage is made from; one that never finished is "missing"."""
    found = {name: states.get(name) for name in UPSTREAM[stage]}
    return {name: state.data_version if state else "missing" for name, state in found.items()}


def decide(
    stage: str, *, kept: StageState | None, inputs: Mapping[str, str], running: frozenset[str] = frozenset()
) -> StageDecision:
    """Compare what a stage was made from with what it would be made from now.

    `running` are the upstream stages that run first: what they will make is not known, so they count as
    changed.
    """
    if kept is None:
        return StageDecision(stage, "run", ("never_ran",))
    changed = {name for name in {*kept.inputs, *inputs} if kept.inputs.get(name) != inputs.get(name)}
    changed |= running.intersection(UPSTREAM[stage])
    return StageDecision(stage, "run", tuple(sorted(changed))) if changed else StageDecision(stage, "skip")
