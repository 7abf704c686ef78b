"""A rolling upgrade with another matcher while a night runs: nothing is lost, nothing shown is a mixture.

    .venv/bin/python benchmarks/fleet_upgrade.py [--claims 30] [--nice 10]

Two workers begin a night with today's code. One after the other is asked to stop (SIGTERM), finishes its run
and is started again with a copy of the package whose matcher differs; last the daemon. Then every claim has
to be complete, each made by one matcher throughout; `plan --changed` has to name those of the former matcher,
and the next night to make them again. Ends with 1 where one of these is not so, and where the night was over
before the upgrade, which then shows nothing.
"""

import argparse
import atexit
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

import dagster as dg
from dagster._core.scheduler.instigation import InstigatorStatus
from fleet import OPEN, PROJECT, Fleet, running, say, wait_for_first_run
from fleet_hosts import kill, wait_for

_CHANGED = "citation_pipeline/core/matching"


def newer_code(root: Path) -> Path:
    """Copy the package and change its matcher; returns the folder to put on the path."""
    shutil.copytree(PROJECT / "citation_pipeline", root / "citation_pipeline")
    shutil.copytree(PROJECT / "citation_pipeline_tests", root / "citation_pipeline_tests")
    changed = sorted((root / _CHANGED).glob("[a-z]*.py"))[0]
    changed.write_text(changed.read_text() + "\n\nCHANGED_BY_THE_UPGRADE = True\n")
    return root


def stop_when_done(fleet: Fleet, host: str) -> None:
    """Ask a worker to stop as systemd does, and wait until it has finished its run."""
    process = fleet.processes[host]
    inner = process.pid
    while children := Path(f"/proc/{inner}/task/{inner}/children").read_text().split():
        command = Path(f"/proc/{inner}/cmdline").read_bytes()
        if b"citation_pipeline" in command and b"unshare" not in command:
            break
        inner = int(children[0])
    os.kill(inner, signal.SIGTERM)
    process.wait(300)


def matchers(fleet: Fleet) -> dict[str, str]:
    """The matcher that made each claim's citations; raises where the dataset is of another."""
    found = {}
    for name in fleet.names:
        states = fleet.store.stage_states(name)
        resolved, viewer = states["resolved_citations"], states["viewer_dataset"]
        assert resolved is not None, name
        assert viewer is not None, name
        shown_from = fleet.store.upstream_versions("viewer_dataset", name)
        if not shown_from.items() <= viewer.inputs.items():
            raise SystemExit(f"{name}: what is shown was made from other citations than there are")
        found[name] = resolved.inputs["matcher"]
    return found


def stop_nights(fleet: Fleet) -> None:
    """Switch the schedule off in the database: the command takes as long as a small night."""
    for state in fleet.instance.all_instigator_state():
        if state.name == "nightly":
            fleet.instance.update_instigator_state(state.with_status(InstigatorStatus.STOPPED))


def changed_claims(fleet: Fleet, newer: Path) -> set[str]:
    """The claims that the newer code would make again because of the matcher."""
    environment = {**fleet.environment("daemon"), "PYTHONPATH": str(newer)}
    command = [sys.executable, "-m", "citation_pipeline", "plan", "--changed", "--json"]
    told = subprocess.run(command, env=environment, cwd=newer, check=True, capture_output=True, text=True)
    lines = [json.loads(line) for line in told.stdout.splitlines()]
    return {line["claim_id"] for line in lines if "claim_id" in line and "matcher" in json.dumps(line)}


def upgrade(fleet: Fleet, newer: Path, claims: int) -> dict[str, Any]:
    fleet.switch_on("nightly")
    wait_for_first_run(fleet)
    stop_nights(fleet)  # one night, as at home: not one a minute
    wait_for(lambda: len(fleet.made()) >= 1, "no claim was made", 600)
    for host in ("host1", "host2"):
        say(f"{host}: asked to stop with {len(fleet.made())} claims made")
        stop_when_done(fleet, host)
        fleet.given["PYTHONPATH"], fleet.code = str(newer), newer
        fleet.start_worker(host)
        say(f"{host}: started with the newer code")
    wait_for(fleet.is_settled, "the night never ended", 120 + 60 * claims)
    made = matchers(fleet)
    failed = len(fleet.instance.get_runs(dg.RunsFilter(statuses=[dg.DagsterRunStatus.FAILURE])))
    say(f"settled: {len(set(made.values()))} matchers, {failed} failed runs")
    named = changed_claims(fleet, newer)
    kill(fleet.processes["daemon"])
    fleet.start_daemon()
    fleet.switch_on("nightly")
    wait_for(lambda: not changed_claims(fleet, newer), "what is old was not made again", 300 + 60 * claims)
    stop_nights(fleet)
    wait_for(lambda: not fleet.instance.get_runs(dg.RunsFilter(statuses=OPEN), limit=1), "runs go on", 300)
    after = matchers(fleet)
    (new,) = set(after.values())
    old = {name for name, matcher in made.items() if matcher != new}
    return {
        "claims": claims,
        "complete": sum(fleet.is_complete(name) for name in fleet.names),
        "failed_runs": failed,
        "made_by_the_former_matcher": len(old),
        "named_by_plan": len(named),
        "named_rightly": named == old,
        "made_by_the_newer_in_the_end": sum(matcher == new for matcher in after.values()),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--claims", type=int, default=30)
    parser.add_argument("--nice", type=int, default=0)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    root = Path(tempfile.mkdtemp(prefix="upgrade"))
    root.chmod(0o755)
    atexit.register(shutil.rmtree, root, ignore_errors=True)
    newer = newer_code(root / "newer")
    began = time.monotonic()
    with running(root / "fleet", workers=2, claims=options.claims, nice=options.nice) as fleet:
        found = upgrade(fleet, newer, options.claims)
    print(json.dumps(found | {"seconds": round(time.monotonic() - began)}, indent=1))
    wanted = options.claims
    is_mixed = 0 < found["made_by_the_former_matcher"] < wanted
    is_right = (
        is_mixed
        and found["complete"] == found["made_by_the_newer_in_the_end"] == wanted
        and found["named_rightly"]
    )
    sys.exit(0 if is_right and not found["failed_runs"] else 1)


if __name__ == "__main__":
    main()
