"""Prints how much of each package the tests run: statements and branches, from coverage's data.

python scripts/coverage_by_package.py [--missing PACKAGE]
"""

import argparse
from collections import defaultdict
from pathlib import Path

import coverage

PACKAGE = Path(__file__).resolve().parent.parent / "citation_pipeline"


def main() -> None:
    """Print a line per package, and what is missing of one."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--missing", metavar="PACKAGE", default="", help="lists its lines that no test runs")
    options = parser.parse_args()
    measured = coverage.Coverage()
    measured.load()
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    for path in sorted(PACKAGE.rglob("*.py")):
        name = path.relative_to(PACKAGE).as_posix()
        found = measured._analyze(str(path))
        numbers = found.numbers
        own = (numbers.n_statements, numbers.n_missing, numbers.n_branches, numbers.n_missing_branches)
        for package in ("/".join(name.split("/")[:2]) if "/" in name else "(top)", "all"):
            counts[package] = [a + b for a, b in zip(counts[package], own, strict=True)]
        if options.missing and name.startswith(options.missing):
            branches = {line: ends for line, ends in found.missing_branch_arcs().items() if ends}
            if found.missing or branches:
                print(f"{name}: lines {sorted(found.missing)}, branches {branches}")
    print(f"{'package':32} {'statements':>10} {'run':>7} {'branches':>10} {'taken':>7}")
    for package, (statements, missing, branches, missed) in sorted(counts.items()):
        shares = [
            f"{100 * (1 - left / total):.1f} %" if total else "-"
            for left, total in ((missing, statements), (missed, branches))
        ]
        print(f"{package:32} {statements:>10} {shares[0]:>7} {branches:>10} {shares[1]:>7}")


if __name__ == "__main__":
    main()
