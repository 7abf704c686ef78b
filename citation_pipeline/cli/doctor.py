"""The command `doctor`: whether a deployment is one that can work, and what to do where it is not."""

import click

from citation_pipeline.cli.options import Teller, json_option, new_store_option


@click.command()
@new_store_option
@json_option
def doctor(store: str, as_json: bool) -> None:
    """Look at store, databases, instance, broker, workers and limits; say what to do about each fault.

    Exit code 0 when everything is in order, 1 otherwise: what could not be looked at counts as a fault.
    """
    from dataclasses import asdict

    from citation_pipeline.adapters.deployment.deployment import read_deployment
    from citation_pipeline.adapters.probes.findings import State
    from citation_pipeline.defs.fleet.diagnosis import diagnose

    teller = Teller(as_json=as_json)
    for finding in diagnose(read_deployment(store)):
        mark = {State.OK: "ok     ", State.FAILED: "FAILED ", State.NOT_RUN: "NOT RUN"}[finding.state]
        teller.tell(asdict(finding), f"{mark} {finding.check:<20} {finding.detail}")
        if finding.state is not State.OK:
            teller.fail(f"{finding.check}: {finding.remedy}")
    teller.finish()
