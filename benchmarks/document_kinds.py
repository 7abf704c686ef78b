"""How often the kind of a document is told from its content: drawn documents, and real folders.

    python benchmarks/document_kinds.py [--split dev|held] [FOLDER=KIND …]

Each wording family is a whole way of writing a kind of document; `dev` families were looked at while weights
were set, `held` ones were not: they were run once, after the weights were set. A folder's PDFs are classified
as they are parsed.
"""

import argparse
import random
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.document_wordings import DEV, HELD, SLOTS  # noqa: E402
from citation_pipeline.adapters.local_parser.parser import LocalParser  # noqa: E402
from citation_pipeline.core.documents.kinds import classify_text, shipped_kinds  # noqa: E402
from citation_pipeline.core.documents.parsed import SourceDocument  # noqa: E402

PER_FAMILY = 12
_NOISE = (
    "Page 1 of 1",
    "Scanned 03/02/2024",
    "cc: file",
    "CONFIDENTIAL",
    "Tel. 555 0142",
    "See reverse side.",
)


def draw(template: str, rng: random.Random) -> str:
    """Return a document of a wording: slots filled, some lines lost, some noise of the scanner's."""
    lines = template.strip().split("\n")
    # the first line is what it is mostly known by; one in six has lost it
    kept = [line for n, line in enumerate(lines) if rng.random() > (0.16 if n == 0 else 0.12)]
    for _ in range(rng.randint(0, 2)):
        kept.insert(rng.randint(0, len(kept)), rng.choice(_NOISE))
    text = "\n".join(kept)
    for slot, values in SLOTS.items():
        while f"{{{slot}}}" in text:
            text = text.replace(f"{{{slot}}}", str(rng.choice(values)), 1)
    return text


def drawn(split: str) -> Iterator[tuple[str, str]]:
    """Yield (kind, text) of every wording of a split; the same ones each time."""
    for kind, families in (DEV if split == "dev" else HELD).items():
        for number, template in enumerate(families):
            for copy in range(PER_FAMILY):
                yield kind, draw(template, random.Random(f"{kind}-{number}-{copy}"))


def folder_texts(folder: Path, parser: LocalParser) -> Iterator[str]:
    """Yield the text of each PDF of a folder."""
    files = sorted(folder.glob("*.pdf"))
    sources = [
        (
            SourceDocument(f"d{n}", path.stem, path.name, path.stem, "application/pdf", path.stat().st_size),
            path,
        )
        for n, path in enumerate(files)
    ]
    for document in parser.parse_many(sources, on_parsed=lambda *_: None, claim_id="bench"):
        if document.is_readable:
            yield document.text


def report(name: str, found: list[tuple[str, str]]) -> None:
    """Print how many were right, unknown and wrong, and which were taken for which."""
    right = sum(wanted == told for wanted, told in found)
    unknown = sum(told == "" for _, told in found if _ != "")
    known = [(wanted, told) for wanted, told in found if told]
    schemas = {kind.name: kind.schema for kind in shipped_kinds().kinds} | {"": ""}
    same = sum(schemas[wanted] == schemas[told] for wanted, told in found)
    precise = sum(wanted == told for wanted, told in known) / max(len(known), 1)
    print(
        f"{name}: {len(found)} documents, kind right {right / len(found):.3f}, schema right "
        f"{same / len(found):.3f}, unknown {unknown}, right where one is named {precise:.3f}"
    )
    wrong = Counter((wanted or "unknown", told or "unknown") for wanted, told in found if wanted != told)
    for (wanted, told), count in wrong.most_common(12):
        print(f"    {count:3} {wanted} taken for {told}")


def main() -> None:
    """Classify and report."""
    options = argparse.ArgumentParser()
    options.add_argument("--split", choices=["dev", "held"], default="dev")
    options.add_argument("folders", nargs="*", metavar="FOLDER=KIND")
    chosen = options.parse_args()
    kinds = shipped_kinds()
    report(chosen.split, [(kind, classify_text(text, kinds).kind) for kind, text in drawn(chosen.split)])
    parser = LocalParser(None, workers=1)
    for pair in chosen.folders:
        folder, _, kind = pair.partition("=")
        report(folder, [(kind, classify_text(t, kinds).kind) for t in folder_texts(Path(folder), parser)])
    parser.close()


if __name__ == "__main__":
    main()
