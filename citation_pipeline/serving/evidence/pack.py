"""The evidence pack: one archive that proves a claim's data without this software.

originals/    the files as they came, byte for byte
highlighted/  the cited PDFs with every cited place highlighted and named
data.json, data.xlsx, exhibits.xlsx, reviews.json, audit.json, manifest.json, README.txt
"""

import hashlib
import json
import re
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from typing import IO, Any

from citation_pipeline.adapters.verifications.audit import MEANING
from citation_pipeline.adapters.verifications.auditing import as_export
from citation_pipeline.adapters.verifications.signing import Signer
from citation_pipeline.core.citations import CitationStatus
from citation_pipeline.core.review.overlay import settled
from citation_pipeline.core.review.standing import (
    awaits_second,
    both_values,
    is_signed_at,
    is_verified,
    needs_review,
)
from citation_pipeline.core.review.verifications import Verification
from citation_pipeline.core.viewer.dataset import display_value
from citation_pipeline.core.viewer.sureness import LOW, sureness
from citation_pipeline.serving.datasets import ReviewedClaim
from citation_pipeline.serving.errors import SourceError
from citation_pipeline.serving.evidence.annotations import Highlight
from citation_pipeline.serving.evidence.workbook import make_exhibits, make_workbook
from citation_pipeline.serving.originals import Originals
from citation_pipeline.serving.rendering.pool import RenderPool, TaskError, WorkerFailedError

_COMMENT_CHARACTERS = 600  # what a PDF reader's comment bubble shows without scrolling
_SOFTWARE = "citation_pipeline"  # the author of highlights that nobody signed for
_ANNOTATE_SECONDS = 120.0  # a scanned document of 1,000 pages is written again in some 20 s

_README = """Evidence for claim {claim_id}, made {made_at}.
{gaps}
originals/    the source documents as they came, byte for byte
highlighted/  the cited PDF documents; every cited place is a highlight annotation with the field's name, its
              author a reviewer only where that person signed for these very words; in capitals before
              it what is in doubt: NEEDS REVIEW, DOUBTFUL PLACE, LOW CONFIDENCE, PLACE NOT REVIEWED
data.json     fields with values, citations, regions (0-1 of the displayed page, origin top left) and reviews
data.xlsx     the same as sheets; amounts are numbers, dates are days; fields without a value and why, what
              was not read, and what is to be looked at have sheets of their own
exhibits.xlsx the index of documents with a page count through all of them; verified and other values apart
reviews.json  every review event: who, when, what
audit.json    the audit chain of those events, and of other claims' events no more than their links; where
              the server has a signing key, the whole file is signed: no event of the claim was left out
manifest.json SHA-256 of every file here, versions of the software that made it

To check: compare `sha256sum` of each file with manifest.json, and run
`citation-pipeline audit verify --file audit.json` (with `--public-key FILE` for its signatures).

What this proves: the originals are the files that were read (their hashes were taken when they came in);
every highlight lies where the software found the quoted words; each decision is kept as it was made, in
this order.

What it does not prove: that the originals are genuine, that a value is true, that a decision was right, or
that its author is who the name says (the server's sign-in decides that). Values that nobody reviewed are
the software's; a value that awaits a second reviewer (manifest.json lists them) is not verified yet.

{meaning}
"""


@dataclass(frozen=True, slots=True)
class _Entry:
    path: str
    sha256: str
    bytes: int


def write_pack(
    target: IO[bytes],
    *,
    claim: ReviewedClaim,
    history: Sequence[Verification],
    audit: Sequence[Mapping[str, Any]],
    signer: Signer | None,
    originals: Originals,
    pool: RenderPool,
    made_by: str,
) -> None:
    """Write a claim's archive to an open file.

    A document that is gone or takes no annotations is named in the manifest's `problems`.
    """
    dataset = settled(claim.dataset)
    names = file_names([source["file"] for source in dataset["sources"]])
    entries: list[_Entry] = []
    problems: list[dict[str, str]] = []
    made_at = datetime.now(UTC).isoformat(timespec="seconds")
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:

        def add(path: str, data: bytes) -> None:
            stored = path.startswith(("originals/", "highlighted/"))  # PDFs are compressed inside
            archive.writestr(path, data, zipfile.ZIP_STORED if stored else zipfile.ZIP_DEFLATED)
            entries.append(_Entry(path, hashlib.sha256(data).hexdigest(), len(data)))

        for source, name in zip(dataset["sources"], names, strict=True):
            try:
                original = originals.find(claim.claim_id, source)
                add(f"originals/{name}", original.content())
                marks = highlights_of(dataset, source["id"])
                if marks and original.media_type == "application/pdf":
                    marked = pool.run("annotate_file", str(original.path), marks, timeout_s=_ANNOTATE_SECONDS)
                    add(f"highlighted/{name}", marked)
            except (SourceError, TaskError, WorkerFailedError) as error:
                problems.append({"sourceId": source["id"], "file": name, "code": error.code})
        add("data.json", _json(dataset))
        add("data.xlsx", make_workbook(dataset, history))
        add("exhibits.xlsx", make_exhibits(dataset))
        add("reviews.json", _json([asdict(event) for event in history]))
        chain = as_export(audit, claim_id=claim.claim_id, length=len(audit), signer=signer)
        add("audit.json", _json(chain))
        add("README.txt", _readme(dataset, made_at, problems))
        manifest = {
            "claimId": claim.claim_id,
            "madeAt": made_at,
            "madeBy": made_by,
            "files": [asdict(entry) for entry in entries],
            "problems": problems,
            **_origin(dataset, names),
        }
        archive.writestr("manifest.json", _json(manifest))


def _origin(dataset: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    """Return what the claim's values were read from and by what."""
    return {
        "versions": {name: version(name) for name in ("citation-pipeline", "pypdfium2", "openpyxl")},
        "pipeline": dataset.get("pipeline"),
        "schema": dataset.get("schema"),
        "sources": [
            {
                "sourceId": source["id"],
                "file": name,
                "sha256": source["sha256"],
                "pageCount": source["pageCount"],
                "status": source.get("status"),
            }
            for source, name in zip(dataset["sources"], names, strict=True)
        ],
        "status": dataset.get("status"),
        "needsReview": [field["fieldKey"] for field in dataset["fields"] if needs_review(field)],
        "awaitingSecond": [field["fieldKey"] for field in dataset["fields"] if awaits_second(field)],
    }


def highlights_of(dataset: Mapping[str, Any], source_id: str) -> list[Highlight]:
    """Return what is to be highlighted in one document: per citation the snippet, and in it the value."""
    found: list[Highlight] = []
    for field in dataset["fields"]:
        for citation in field["citations"]:
            if citation["sourceId"] != source_id:
                continue
            comment, author = _said_of(field, citation)
            regions = citation.get("regions", {})
            for strength in ("snippet", "value"):
                for region in regions.get(strength) or []:
                    boxes = tuple(
                        (box["left"], box["top"], box["width"], box["height"]) for box in region["boxes"]
                    )
                    found.append(Highlight(region["page"], boxes, comment, author, strength))
    return found


def _said_of(field: Mapping[str, Any], citation: Mapping[str, Any]) -> tuple[str, str]:
    """Return a highlight's comment, and its author: a reviewer only where they signed for these words."""
    comment = f"{field['category']} — {field['label']}: {field['value']}"
    author = _SOFTWARE
    if needs_review(field):
        signed, current = both_values(field)
        comment = (
            f"NEEDS REVIEW {comment} (verified: {display_value(signed)}; read now: {display_value(current)})"
        )
    elif awaits_second(field):
        comment = f"AWAITING A SECOND REVIEWER {comment}"
        author = field["review"]["reviewer"] if citation.get("pinned") else author
    elif is_signed_at(field, citation):
        author = field["review"]["reviewer"]
    elif is_verified(field) and "machineValue" in field:
        comment = f"PLACE NOT REVIEWED {comment} (found for: {field['machineValue'] or 'nothing'})"
    elif is_verified(field):
        comment = f"PLACE NOT REVIEWED {comment}"
    elif citation.get("status") == CitationStatus.FLAGGED:
        comment = f"DOUBTFUL PLACE {comment}"
    elif sureness(field) == LOW:
        comment = f"LOW CONFIDENCE {comment}"
    return comment[:_COMMENT_CHARACTERS], author


def file_names(files: Sequence[str]) -> list[str]:
    """Return archive names for document paths: no folders, no odd characters, none twice."""
    taken: set[str] = set()
    names = []
    for file in files:
        last = file.replace("\\", "/").rpartition("/")[2]
        # names that unpack on every system, and that no shell or spreadsheet misreads
        safe = re.sub(r"[^\w .()&,+'’-]", "_", last).strip(" .")[:120] or "document"
        stem, dot, suffix = safe.rpartition(".")
        stem, suffix = (stem, dot + suffix) if stem else (safe, "")
        name, number = safe, 2
        while name.lower() in taken:
            name, number = f"{stem} ({number}){suffix}", number + 1
        taken.add(name.lower())
        names.append(name)
    return names


def _readme(dataset: Mapping[str, Any], made_at: str, problems: Sequence[Mapping[str, str]]) -> bytes:
    gaps = ""
    if dataset.get("status") == "partial":
        unread = sum(field["status"] == "unread" for field in dataset["unreadFields"])
        gaps += f"""
THIS CLAIM IS PARTIAL: not every page was read. {unread} fields without a value could be on pages that
were not; data.xlsx names pages and fields on the sheets "Not read and cautions" and "Without a value".
"""
    if problems:
        named = "".join(f"\n  {one['file']} ({one['code']})" for one in problems)
        gaps += f"\nNOT IN THIS PACK, or not highlighted:{named}\n"
    filled = _README.format(claim_id=dataset["claimId"], made_at=made_at, gaps=gaps, meaning=MEANING)
    return filled.encode("utf-8", "replace")


def _json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, indent=1).encode("utf-8", "replace")
