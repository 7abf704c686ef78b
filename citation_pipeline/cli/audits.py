"""The commands on the audit chain of decisions: `audit verify|export`."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from citation_pipeline.cli.options import Teller, json_option, need_store, new_store_option
from citation_pipeline.core.failures import PipelineError

if TYPE_CHECKING:
    from citation_pipeline.core.review.chain import Report

_FILE = click.Path(path_type=Path, dir_okay=False, exists=True)


@click.group()
def audit() -> None:
    """Check that no decision was changed, removed or added beside the software, and export the proof."""


@audit.command()
@click.option(
    "--file", "exported", type=_FILE, help="Check this export (also the pack's audit.json), no store."
)
@click.option("--against", type=_FILE, help="An earlier export of which nothing may be missing.")
@click.option("--head", default="", metavar="DIGEST", help="A link that must still be there.")
@click.option(
    "--public-key",
    "public_keys",
    multiple=True,
    type=_FILE,
    help="PEM; checks signatures, by these keys alone [the public half of CITATION_PIPELINE_AUDIT_KEY].",
)
@new_store_option
@json_option
def verify(
    exported: Path | None,
    against: Path | None,
    head: str,
    public_keys: tuple[Path, ...],
    store: str,
    as_json: bool,
) -> None:
    """Check every link and every event; ends with 1 and names each fault where the chain does not hold."""
    from citation_pipeline.adapters.deployment.deployment import read_deployment
    from citation_pipeline.adapters.sql_engines import is_unused
    from citation_pipeline.adapters.verifications.auditing import (
        check_database,
        check_export,
        read_export,
    )
    from citation_pipeline.adapters.verifications.signing import read_public_keys, read_signer

    teller = Teller(as_json=as_json)
    try:
        deployment = read_deployment(store)
        # keys that are named are the only ones that count: this machine's own may be the one in doubt
        signer = None if public_keys else read_signer(deployment.audit_key)
        keys = read_public_keys(public_keys, signer=signer)
        if exported is not None:
            report = check_export(read_export(exported), keys=keys, head=head)
        else:
            if is_unused(deployment.verifications_url):
                need_store(store)
            earlier = read_export(against) if against else None
            report = check_database(deployment.verifications_url, keys=keys, earlier=earlier, head=head)
    except PipelineError as error:
        teller.fail(str(error))
        teller.finish()
        return
    record = {
        "intact": not report.faults,
        "links": report.links,
        "events": report.events,
        "other_claims": report.foreign,
        "adopted": report.adopted,
        "erased": report.erased,
        "signed": report.signed,
        "signatures_checked": report.checked_signatures,
        "head": report.head,
        "faults": report.faults,
    }
    teller.tell(record, _summary(report))
    for fault in report.faults:
        teller.fail(fault)
    teller.finish()


@audit.command("export")
@click.option(
    "--out", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE", help="[standard output]"
)
@click.option(
    "--claim", "claim_id", metavar="CLAIM_ID", help="This claim's events; of others only their links."
)
@new_store_option
@json_option
def export_audit(out: Path | None, claim_id: str | None, store: str, as_json: bool) -> None:
    """Write the chain with its events: kept elsewhere, it shows later that nothing was cut off or redone.

    The file holds what reviewers decided, so it is as confidential as the claims.
    """
    from citation_pipeline.adapters.deployment.deployment import read_deployment
    from citation_pipeline.adapters.sql_engines import is_unused
    from citation_pipeline.adapters.verifications.auditing import export_chain
    from citation_pipeline.adapters.verifications.signing import read_signer

    teller = Teller(as_json=as_json)
    try:
        deployment = read_deployment(store)
        if is_unused(deployment.verifications_url):
            need_store(store)
        signer = read_signer(deployment.audit_key)
        exported = export_chain(deployment.verifications_url, claim_id=claim_id, signer=signer)
        if claim_id is not None and not exported["links"]:
            teller.fail(f"nobody has decided anything on {claim_id}: there is nothing to export")
            teller.finish()
            return
        if out is not None:
            out.write_text(json.dumps(exported, indent=1), encoding="utf-8")
            record = {"file": str(out), "links": len(exported["links"]), "head": exported["head"]}
            teller.tell(record, f"{len(exported['links'])} links -> {out}; head {exported['head'] or 'none'}")
        elif as_json:
            for link in exported["links"]:
                teller.tell(link, "")
        else:
            click.echo(json.dumps(exported, indent=1))
    except (PipelineError, OSError) as error:
        teller.fail(str(error))
    teller.finish()


def _summary(report: "Report") -> str:
    parts = [
        f"{report.links} links, {report.events} events compared",
        f"{report.adopted} adopted when the chain began" if report.adopted else "",
        f"{report.erased} erased" if report.erased else "",
        f"{report.foreign} of other claims" if report.foreign else "",
        _signatures(report),
        f"head {report.head}",
    ]
    sound = "intact" if report.links else "NOTHING TO CHECK, no decision is kept here"
    return f"{sound if not report.faults else 'NOT INTACT'}: {'; '.join(filter(None, parts))}"


def _signatures(report: "Report") -> str:
    if not report.signed:
        return "unsigned: whoever can write to the database could make it anew"
    if not report.checked_signatures:
        return f"{report.signed} signed, not checked: give --public-key"
    return f"{report.checked_signatures} signatures checked"
