"""How often a field that the rules do not find is in no document: what `absenceConfidence` says.

    python -m benchmarks.silence DATA.json=TRUTH.json …

DATA=TRUTH names a viewer dataset (`<store>/viewer_dataset/<claim>/data.json`) and the truth of its claim.
Fields that the truth's author left unjudged do not count. Printed are, by claim and in all, the absent
fields, those of them that are in no document, and the share.
"""

import argparse
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def silent_fields(dataset: Mapping[str, Any], truth: Mapping[str, Any]) -> tuple[list[str], list[str]]:
    """Return the judged fields that are shown as absent, and those of them that the documents hold."""
    unjudged = set(truth.get("unjudged_fields", ()))
    silent = [one["fieldKey"] for one in dataset["absentFields"] if one["fieldKey"] not in unjudged]
    return silent, [key for key in silent if key in truth["fields"]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("claims", nargs="+", metavar="DATA=TRUTH")
    parser.add_argument("--show", action="store_true", help="name the fields that the documents hold")
    options = parser.parse_args()
    total, missed = 0, 0
    for named in options.claims:
        dataset, truth = (json.loads(Path(path).read_text()) for path in named.split("=", 1))
        silent, printed = silent_fields(dataset, truth)
        total, missed = total + len(silent), missed + len(printed)
        print(dataset["claimId"], {"absent": len(silent), "in no document": len(silent) - len(printed)})
        if options.show:
            print("  in the documents:", ", ".join(printed) or "none")
    if total:
        print(
            "all", {"absent": total, "in no document": total - missed, "share": round(1 - missed / total, 3)}
        )


if __name__ == "__main__":
    main()
