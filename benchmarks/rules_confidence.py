"""How far the beliefs of the rules are right: by band, and for each hand with the others' figures.

    python benchmarks/rules_confidence.py FOLDER… [--json]

Every FOLDER is a claim of another hand (`documents/`, `truth.json`). Prints, for single values, how many of
each band of belief were right, and for each claim left out the precision and the share found that the least
belief with a precision of 0.92 on the others gives on it. `core/rules/belief.py` holds the figures that this
was used to set; no rule may be changed for a single claim's sake.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

PROJECT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(PROJECT))

from citation_pipeline.adapters.claim_folders import claim_of_folder, describe_documents, file_of  # noqa: E402
from citation_pipeline.adapters.local_parser.parser import LocalParser  # noqa: E402
from citation_pipeline.adapters.schema_files import lexicon_of, load_schema  # noqa: E402
from citation_pipeline.core.rules.belief import BELIEVED, belief_of, newest_day  # noqa: E402
from citation_pipeline.core.rules.extraction import choose_values  # noqa: E402
from citation_pipeline.core.rules.lexicons.lexicon_files import read_lexicon  # noqa: E402
from citation_pipeline.core.values.grammar import same_value  # noqa: E402
from citation_pipeline.core.values.spans import fold_words  # noqa: E402

BANDS = (0.0, 0.4, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 1.01)
WANTED = 0.92
# Names and descriptions are the same with this share of their words in common.
SAME_WORDS = 0.8


def judge(folder: Path, parser: LocalParser) -> list[tuple[float, bool]]:
    """Return the belief in each single value that was chosen, and whether it is the true one."""
    truth = json.loads((folder / "truth.json").read_text())
    claim = claim_of_folder(folder, schema="workers_comp", parser="local", extractor="rules")
    sources = describe_documents(claim)
    documents = parser.parse_many([(source, file_of(claim, source)) for source in sources])
    schema = load_schema("workers_comp")
    lexicon = read_lexicon(lexicon_of(schema), schema=schema)
    choices, readings = choose_values(documents, lexicon)
    newest = newest_day([reading.date for reading in readings.values()])
    judged = []
    for key, choice in choices.items():
        if choice is None or isinstance(choice.value, list):
            continue
        rules = lexicon.fields[key]
        if key in truth["fields"]:
            is_right = is_same(truth["fields"][key]["value"], choice.value, rules.field.value_type)
        elif key in truth["absent_fields"]:
            is_right = False
        else:
            continue
        judged.append((belief_of(choice, rules, newest=newest), is_right))
    return judged


def is_same(true: Any, found: Any, value_type: str) -> bool:
    if same_value(true, found, value_type):
        return True
    left, right = set(fold_words(str(true))), set(fold_words(str(found)))
    is_text = value_type == "string" and bool(left and right)
    return is_text and 2 * len(left & right) / (len(left) + len(right)) >= SAME_WORDS


def least_belief(judged: Sequence[tuple[float, bool]]) -> float:
    """Return the lowest belief from which on the values are right as often as wanted."""
    for least in sorted({belief for belief, _ in judged}):
        kept = [is_right for belief, is_right in judged if belief >= least]
        if sum(kept) >= WANTED * len(kept):
            return least
    return 1.0


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("folders", nargs="+", type=Path)
    arguments.add_argument("--json", action="store_true")
    options = arguments.parse_args()
    with LocalParser(None, workers=1) as parser:
        judged = {folder.name: judge(folder, parser) for folder in options.folders}
    everything = [one for own in judged.values() for one in own]
    bands = []
    for low, high in zip(BANDS, BANDS[1:], strict=False):
        within = [is_right for belief, is_right in everything if low <= belief < high]
        bands.append({"from": low, "to": min(high, 1.0), "values": len(within), "right": sum(within)})
    left_out = {}
    for name, own in judged.items():
        least = least_belief([one for other, those in judged.items() if other != name for one in those])
        kept = [is_right for belief, is_right in own if belief >= least]
        right = sum(is_right for _, is_right in own)
        left_out[name] = {
            "least": round(least, 3),
            "precision": round(sum(kept) / max(len(kept), 1), 3),
            "share_of_right_kept": round(sum(kept) / max(right, 1), 3),
        }
    found = {"believed": BELIEVED, "bands": bands, "left_out": left_out}
    if options.json:
        print(json.dumps(found))
        return
    for band in bands:
        print(f"{band['from']:.2f} to {band['to']:.2f}  {band['right']:4d} of {band['values']:4d} right")
    for name, figures in left_out.items():
        print(f"without {name:20} {figures}")


if __name__ == "__main__":
    main()
