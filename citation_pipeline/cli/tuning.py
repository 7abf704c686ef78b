"""The command that makes examples of what people verified: `tune`."""

from dataclasses import asdict

import click

from citation_pipeline.adapters.installed_readers import EXTRACTORS
from citation_pipeline.cli.options import ReaderName, Teller, json_option, need_store, new_store_option
from citation_pipeline.core.failures import PipelineError, describe_failure


@click.command()
@click.argument("schema", metavar="SCHEMA")
@click.option("--extractor", type=ReaderName(EXTRACTORS), help="Who reads the held-out claims [claude].")
@click.option(
    "--held-out",
    "share",
    type=click.FloatRange(0.05, 0.9),
    default=0.3,
    show_default=True,
    help="Share of the verified claims that examples are measured on and never made of.",
)
@click.option(
    "--examples",
    "per_field",
    type=click.IntRange(0, 5),
    default=1,
    show_default=True,
    help="Examples a field, corrected values first.",
)
@click.option("--apply", "is_apply", is_flag=True, help="Put the measured proposal in force.")
@click.option("--anyway", is_flag=True, help="With --apply: also one that was not measured to be better.")
@click.option("--undo", "is_undo", is_flag=True, help="Put back what was in force before --apply.")
@new_store_option
@json_option
def tune(
    schema: str,
    extractor: str | None,
    share: float,
    per_field: int,
    is_apply: bool,
    anyway: bool,
    is_undo: bool,
    store: str,
    as_json: bool,
) -> None:
    """Make examples and hints of a schema's verified fields, and measure them on claims held back.

    Nothing changes before a second command, `tune SCHEMA --apply`; `--undo` takes that back. Applied
    examples quote documents of other claims, in every request of the schema; claims that were read without
    them are stale. What a paid extractor is likely to cost is said on stderr before it is asked.
    """
    from citation_pipeline.adapters.schema_files import AUTO, load_schema, locate_schema
    from citation_pipeline.core.json_schemas.errors import SchemaError
    from citation_pipeline.defs.resources import read_settings
    from citation_pipeline.defs.runs.tuning import Tuning

    if is_apply and is_undo:
        raise click.UsageError("--apply and --undo exclude each other")
    if anyway and not is_apply:
        raise click.UsageError("--anyway belongs to --apply")
    if (is_apply or is_undo) and extractor:
        raise click.UsageError("--extractor belongs to measuring, not to --apply or --undo")
    if schema == AUTO:
        raise click.UsageError("a prompt is tuned for one schema: name it, not auto")
    settings = read_settings(store)
    teller = Teller(as_json=as_json)
    try:
        located, loaded = locate_schema(schema), load_schema(schema)
    except SchemaError as error:
        raise click.UsageError(str(error)) from error
    need_store(store)
    tuning = Tuning(loaded, located, store=settings.open_store(), settings=settings)
    try:
        if is_apply or is_undo:
            guide = tuning.apply(anyway=anyway) if is_apply else tuning.undo()
            did = "applied" if is_apply else "undone"
            counts = {"examples": len(guide.examples), "hints": len(guide.hints)}
            teller.tell(
                {"schema": schema, did: True, **counts},
                f"{schema}: {did}; in force are {counts['examples']} tuned examples and hints for "
                f"{counts['hints']} fields. `plan` names the claims that are stale now.",
            )
        else:
            _propose(tuning, extractor or "claude", share, per_field, teller)
    except PipelineError as error:
        teller.fail(describe_failure(error))
    teller.finish()


def _propose(tuning: "object", extractor: str, share: float, per_field: int, teller: Teller) -> None:
    from citation_pipeline.defs.runs.tuning import Tuning

    assert isinstance(tuning, Tuning)
    guide, held = tuning.propose(share=share, per_field=per_field)
    cost = tuning.price(held, extractor)
    if cost.dollars:
        teller.warn(
            f"{extractor} is asked for {len(held)} held-out claim(s) twice: ${cost.dollars:.2f} or less"
        )
    found = tuning.measure(guide, held, extractor)
    text = (
        f"{found.schema}: {found.examples} examples and hints for {found.hints} fields are proposed.\n"
        f"On {len(found.claims)} held-out claim(s), {found.fields} verified fields, by {found.extractor}: "
        f"{found.right_before} right without them, {found.right_after} with them "
        f"({len(found.mended)} mended, {len(found.broken)} broken), ${found.dollars:.4f}.\n"
    )
    text += "\n".join(f"  {name}: {key} is not right any more" for name, key in found.broken)
    rest = f"apply it: citation-pipeline tune {found.schema} --apply" if found.is_better else "not better"
    teller.tell(asdict(found) | {"better": found.is_better}, f"{text.rstrip()}\n{rest}")
