"""The command that says what a run would do, and what it would cost: `plan`."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from citation_pipeline.adapters.claim_folders import claim_of_folder
from citation_pipeline.adapters.claim_settings import choose_settings
from citation_pipeline.adapters.installed_readers import EXTRACTORS, PARSERS
from citation_pipeline.adapters.schema_files import locate_schema
from citation_pipeline.cli.options import ReaderName, Teller, json_option, need_store, new_store_option
from citation_pipeline.core.claims import Claim, ClaimIdError
from citation_pipeline.core.failures import PipelineError
from citation_pipeline.core.json_schemas.errors import SchemaError
from citation_pipeline.core.planning.nights import ClaimPlan, PredictedCost
from citation_pipeline.core.planning.stages import STAGES, StageDecision

if TYPE_CHECKING:
    from citation_pipeline.defs.runs.processing import Processing

_STAGE_WIDTH = max(map(len, STAGES))


@click.command()
@click.argument("claims", nargs=-1, metavar="[CLAIM_ID|CLAIM_DIR…]")
@click.option("--rematch", is_flag=True, help="What a re-match of these claims would do, and cost.")
@click.option("--schema", metavar="NAME|FILE|auto", help="As if the claims were read by this schema.")
@click.option("--parser", type=ReaderName(PARSERS), help="As if this one parsed them.")
@click.option("--extractor", type=ReaderName(EXTRACTORS), help="As if this one answered.")
@click.option("--changed", is_flag=True, help="Leave out the stages that would be skipped.")
@new_store_option
@json_option
def plan(
    claims: tuple[str, ...],
    rematch: bool,
    schema: str | None,
    parser: str | None,
    extractor: str | None,
    changed: bool,
    store: str,
    as_json: bool,
) -> None:
    """Say what a run would do, per claim and stage, why, and at what cost, without doing any of it.

    Without claims, all of the store that are not archived. A folder that was never run is planned too, and
    `--schema`, `--parser` and `--extractor` ask what others would cost; nothing of either is kept. Costs are
    estimates, of files that were never parsed by their size, and need no key; a reply or parse that is stored
    already costs nothing again.
    """
    from citation_pipeline.adapters.tables.archived_claims import open_claim_ids
    from citation_pipeline.defs.automation.planning import plan_rematch
    from citation_pipeline.defs.runs.processing import Processing

    given = {"schema": schema, "parser": parser, "extractor": extractor}
    if rematch and any(given.values()):
        raise click.UsageError("--rematch reads nothing again: leave --schema, --parser and --extractor out")
    if not any(Path(name).is_dir() for name in claims):  # folders can be planned before there is a store
        need_store(store)
    teller = Teller(as_json=as_json)
    processing = Processing(store=store)
    wanted = list(dict.fromkeys(claims)) or open_claim_ids(processing.store)
    if rematch:
        plans = plan_rematch(wanted, store=processing.store)
        width = max(map(len, wanted), default=0)
    else:
        asked = _claims_of(wanted, processing, teller, given)
        plans = processing.plan_claims(asked)
        width = max((len(one if isinstance(one, str) else one.claim_id) for one in asked), default=0)
    _tell_all(plans, teller, width=width, changed=changed, as_json=as_json)
    processing.close()
    teller.finish()


def _claims_of(
    wanted: Sequence[str], processing: "Processing", teller: Teller, given: Mapping[str, str | None]
) -> list[str | Claim]:
    """Return what to plan: ids of known claims, folders of others, each as it is to be read."""

    names = processing.reader_names
    known = set(processing.store.claim_ids())
    chosen = {key: value for key, value in given.items() if value is not None}
    if "schema" in chosen:
        try:
            chosen["schema"] = locate_schema(chosen["schema"])
        except SchemaError as error:
            raise click.BadParameter(str(error), param_hint="--schema") from error
    asked: list[str | Claim] = []
    for name in wanted:
        if name in known and not chosen:
            asked.append(name)
            continue
        try:
            if name in known:
                asked.append(processing.store.claim(name).read_by(chosen))
            elif Path(name).is_dir():
                asked.append(choose_settings(claim_of_folder(Path(name)), names=names, given=chosen))
            else:
                asked.append(name)  # the plan says that there is none
        except (ClaimIdError, PipelineError) as error:
            teller.fail(str(error))
    return asked


def _tell_all(
    plans: Iterable[ClaimPlan], teller: Teller, *, width: int, changed: bool, as_json: bool
) -> None:
    total, held, counts = PredictedCost(), PredictedCost(), Counter[str]()
    for found in plans:
        if found.problem:
            counts["problem"] += 1
            named = found.problem.startswith(f"{found.claim_id} ")
            teller.fail(found.problem if named else f"{found.claim_id}: {found.problem}")
            continue
        counts["run" if found.stages else "held" if found.held else "current"] += 1
        _tell(found, teller, width=width, changed=changed, as_json=as_json)
        total += found.cost
        held += found.held_cost
    record = {"claim_id": None, "stage": "total", "action": "run", "claims": counts["run"]}
    others = {f"claims_{name}": counts[name] for name in ("held", "current", "problem")}
    waiting = {"held_calls": held.calls, "held_dollars": held.dollars}
    teller.tell(record | others | asdict(total) | waiting, _total(counts, total, held))


def _tell(found: ClaimPlan, teller: Teller, *, width: int, changed: bool, as_json: bool) -> None:
    is_current = all(decision.action == "skip" for decision in found.decisions)
    if is_current and not as_json:
        if not changed:
            click.echo(f"{found.claim_id:<{width}}  current")
        return
    for decision in found.decisions:
        if changed and decision.action == "skip":
            continue
        cost = found.costs.get(decision.stage, PredictedCost())
        record = {
            "claim_id": found.claim_id,
            "stage": decision.stage,
            "action": decision.action,
            "reasons": list(decision.reasons),
            "detail": decision.detail,
            **asdict(cost),
        }
        said = f"{found.claim_id:<{width}}  {decision.stage:<{_STAGE_WIDTH}}  {decision.action:<4}  "
        teller.tell(record, (said + _why(decision, cost)).rstrip())


def _why(decision: StageDecision, cost: PredictedCost) -> str:
    why = ", ".join(decision.reasons) + (f": {decision.detail}" if decision.detail else "")
    return f"{why} ({_sentence(cost)})" if cost.calls or cost.pages else why


def _total(counts: Counter[str], total: PredictedCost, held: PredictedCost) -> str:
    if not counts:
        return "no claims in the store: `citation-pipeline run CLAIM_DIR…` brings some in"
    parts: Sequence[str] = [
        f"{counts[name]} {said}"
        for name, said in (
            ("run", "would run"),
            ("held", "held"),
            ("current", "current"),
            ("problem", "cannot be looked at"),
        )
        if counts[name] or name == "run"
    ]
    waiting = f"; held: {_sentence(held)}" if held.calls else ""
    return f"{_count(counts.total(), 'claim')}: {', '.join(parts)}; {_sentence(total)}{waiting}"


def _sentence(cost: PredictedCost) -> str:
    tokens = cost.input_tokens + cost.output_tokens
    parts = [_count(cost.pages, "page")] if cost.pages else []
    parts += [_count(cost.calls, "call"), f"{tokens:,} tokens", f"${cost.dollars:,.2f}"]
    return f"{', '.join(parts)}, about {_duration(cost.minutes)}"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _duration(minutes: float) -> str:
    if minutes < 1:
        return f"{minutes * 60:.0f} s"
    return f"{minutes:.0f} min" if minutes < 90 else f"{minutes / 60:.1f} h"
