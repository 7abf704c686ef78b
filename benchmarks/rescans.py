"""Verifications through a renamed and a re-scanned claim: what is kept, what asks for review and why.

    .venv/bin/python -m benchmarks.rescans CLAIM_DIR... [--extractor replay|rules] [--work DIR] [--altered N]

Each claim is copied and run, and every value that was located is confirmed over the verifications' API. Then
every file gets another name and the claim is run; then every file that has pages is exchanged for pictures of
them (200 dpi, askew, noisy, no text layer), the claim is run, a set that is held back is accepted, and it is
re-matched. Counted are the confirmed fields that are still confirmed, and the conflicts of the others.

`replay` answers with the claim's perfect extraction, or with its truth where there is none; so a field that
asks for review does so for its place alone. `--altered N` draws N alterations on each page with signed words
(a figure, a word, a letter, a denial, a label, a name or number above, two figures exchanged), scans and
reads these, and counts signatures that would follow: each is false. Scans and parses stay in `--work`, so
that a second run recognizes nothing again.
"""

import argparse
import hashlib
import json
import os
import random
import shutil
import tempfile
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks.altered_pages import KINDS, plan_alteration
from benchmarks.rescanned_files import scan_again
from citation_pipeline.adapters.claim_folders import claim_of_folder, describe_documents, file_of
from citation_pipeline.adapters.local_parser.parser import LocalParser
from citation_pipeline.core.boxes import Box
from citation_pipeline.core.documents.followed_words import follow_words
from citation_pipeline.core.documents.parsed import ParsedDocument, SourceDocument
from citation_pipeline.core.resolution.pins import words_in_boxes
from citation_pipeline.serving.settings import ServingSettings
from citation_pipeline_tests.commands import command
from citation_pipeline_tests.viewer_claim.serving import client_of, decide

Signed = tuple[str, str, tuple[int, ...]]  # field, source and words


class Walk:
    """One claim's copy and store, run and reviewed as people do it."""

    def __init__(self, folder: Path, work: Path, extractor: str) -> None:
        self.name, self.extractor = folder.name, extractor
        self._root = Path(tempfile.mkdtemp(dir=work))
        self.folder, self.store = self._root / folder.name, self._root / "store"
        shutil.copytree(folder / "documents", self.folder / "documents")
        answers = json.dumps(perfect_answers(folder), ensure_ascii=False)
        (self.folder / "extraction_raw.json").write_text(answers, encoding="utf-8")

    def run(self) -> None:
        ran = command("run", self.folder, "--store", self.store, "--extractor", self.extractor)
        if ran.exit_code:
            command("promotions", "accept", self.name, "--store", self.store, "--why", "a better scan")

    def rematch(self) -> None:
        command("rematch", self.name, "--store", self.store)

    def dataset(self) -> dict[str, Any]:
        path = self.store / "viewer_dataset" / self.name / "data.json"
        found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return found

    def sign(self) -> list[str]:
        """Confirm every field with a place; return their keys."""
        keys = [field["fieldKey"] for field in self.dataset()["fields"] if field["citations"]]
        with client_of(ServingSettings(str(self.store), render_workers=1)) as client:
            for key in keys:
                answer = decide(client, self.name, key, "confirm")
                assert answer.status_code == 201, answer.text  # noqa: PLR2004
        return keys

    def states(self, keys: Sequence[str]) -> Counter[str]:
        """Return how many of these fields are confirmed, and of the others what they ask about."""
        with client_of(ServingSettings(str(self.store), render_workers=1)) as client:
            claim = client.get(f"/api/claims/{self.name}").json()
        shown = (*claim["fields"], *claim["absentFields"], *claim["unreadFields"])
        fields = {field["fieldKey"]: field for field in shown}
        found: Counter[str] = Counter()
        for key in keys:
            field = fields.get(key)
            state = field["review"]["state"] if field else "lost"
            codes = sorted({conflict["code"] for conflict in field["conflicts"]}) if field else []
            found[" ".join([state, *codes])] += 1
        return found

    def rename(self) -> None:
        for number, path in enumerate(sorted((self.folder / "documents").iterdir())):
            path.rename(path.with_name(f"renamed {number:03}{path.suffix}"))

    def exchange(self, scans: Mapping[str, bytes]) -> None:
        """Put scans in the place of files, by the SHA-256 of these."""
        sources = describe_documents(claim_of_folder(self.folder))
        for source in sources:
            if source.sha256 in scans and source.duplicate_of is None:
                path = self.folder / "documents" / source.file
                path.unlink()
                path.with_name(f"{path.stem}, scanned.pdf").write_bytes(scans[source.sha256])

    def remove(self) -> None:
        shutil.rmtree(self._root)


def perfect_answers(folder: Path) -> dict[str, Any]:
    """Return a claim's perfect extraction, or one made of its truth."""
    for name in ("perfect_extraction.json", "extraction_raw.json"):
        if (folder / name).exists():
            found: dict[str, Any] = json.loads((folder / name).read_text(encoding="utf-8"))
            return found
    truth = json.loads((folder / "truth.json").read_text(encoding="utf-8"))
    ids = {source.file: source.source_id for source in describe_documents(claim_of_folder(folder))}
    return {
        "extractions": [
            {
                "field_key": key,
                "value": field["value"],
                "citations": [
                    {"source_id": ids.get(one["file"], ""), "text_snippet": one["text"]}
                    for one in field.get("citations", ())
                ],
            }
            for key, field in truth["fields"].items()
        ]
    }


def documents_of(folder: Path, parser: LocalParser) -> list[tuple[ParsedDocument, bytes]]:
    """Return a claim's readable documents with their bytes."""
    claim = claim_of_folder(folder)
    paths = [(source, file_of(claim, source)) for source in describe_documents(claim)]
    documents = parser.parse_many(paths)
    return [
        (document, path.read_bytes())
        for document, (_, path) in zip(documents, paths, strict=True)
        if document.is_readable and document.pages
    ]


def scans_of(documents: Sequence[tuple[ParsedDocument, bytes]], work: Path) -> dict[str, bytes]:
    """Return each document scanned again, by its SHA-256; drawn once and kept."""
    scans = {}
    for document, data in documents:
        path = work / f"{document.source.sha256}.pdf"
        if not path.exists():
            path.write_bytes(scan_again(data, document, seed=zlib.crc32(document.source.sha256.encode())))
        scans[document.source.sha256] = path.read_bytes()
    return scans


def signed_places(dataset: Mapping[str, Any], documents: Mapping[str, ParsedDocument]) -> Iterator[Signed]:
    """Yield the places that a reviewer signs who confirms everything."""
    for field in dataset["fields"]:
        for citation in field["citations"]:
            region = citation["regions"]["snippet"][0]
            boxes = [Box(**box) for box in region["boxes"]]
            if citation["sourceId"] in documents:
                words = documents[citation["sourceId"]].words
                if at := words_in_boxes(words, region["page"], boxes):
                    yield field["fieldKey"], citation["sourceId"], at


def altered_pages(
    documents: Sequence[tuple[ParsedDocument, bytes]], signed: Sequence[Signed], work: Path, most: int
) -> Iterator[tuple[ParsedDocument, tuple[int, ...], str, Path]]:
    """Yield pages with one alteration each: the document, the signed words, the kind and the scan."""
    by_id = {document.source.source_id: (document, data) for document, data in documents}
    places: dict[tuple[str, int], list[tuple[int, ...]]] = {}
    for _, source_id, at in signed:
        page = int(by_id[source_id][0].words.page[at[0]])
        places.setdefault((source_id, page), []).append(at)
    for (source_id, page), found in sorted(places.items()):
        document, data = by_id[source_id]
        chance = random.Random(f"{document.source.sha256}{page}")
        made = 0
        for kind in chance.sample(KINDS, len(KINDS)):
            at = chance.choice(found)
            drawing = plan_alteration(document.words, at, kind, chance) if made < most else None
            if drawing is None:
                continue
            made += 1
            path = work / f"{document.source.sha256}-{page}-{kind.replace(' ', '_')}.pdf"
            if not path.exists():
                one = replace(document, pages=tuple(p for p in document.pages if p.page == page))
                seed = zlib.crc32(path.name.encode())
                path.write_bytes(scan_again(data, one, seed=seed, altered={page: drawing}))
            yield document, at, kind, path


def count_followed(
    altered: Sequence[tuple[ParsedDocument, tuple[int, ...], str, Path]], parser: LocalParser
) -> dict[str, str]:
    """Return per kind of alteration how many signatures would follow, of how many."""
    files = [(_source(path), path) for *_, path in altered]
    kept: Counter[str] = Counter()
    for (document, at, kind, _), scan in zip(altered, parser.parse_many(files), strict=True):
        kept[kind] += bool(follow_words(document.words, at, scan.words))
    drawn = Counter(kind for _, _, kind, _ in altered)
    return {kind: f"{kept[kind]} of {drawn[kind]}" for kind in sorted(drawn)}


def _source(path: Path) -> SourceDocument:
    sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
    return SourceDocument(path.stem, path.stem, path.name, sha256, "application/pdf", path.stat().st_size)


def measure(folder: Path, work: Path, parser: LocalParser, *, extractor: str, altered: int) -> dict[str, Any]:
    """Return the figures of one claim."""
    documents = documents_of(folder, parser)
    walk = Walk(folder, work, extractor)
    try:
        walk.run()
        signed = list(signed_places(walk.dataset(), {d.source.source_id: d for d, _ in documents}))
        keys = walk.sign()
        found: dict[str, Any] = {"claim": folder.name, "signed": len(keys), "places": len(signed)}
        walk.rename()
        walk.run()
        found["renamed"] = dict(walk.states(keys))
        walk.exchange(scans_of(documents, work))
        walk.run()
        walk.rematch()
        found["scanned again"] = dict(walk.states(keys))
    finally:
        walk.remove()
    if altered:
        pages = list(altered_pages(documents, signed, work, altered))
        found["altered, followed"] = count_followed(pages, parser)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("claims", nargs="+", type=Path)
    parser.add_argument("--extractor", default="replay", choices=("replay", "rules"))
    parser.add_argument("--work", type=Path, default=Path(tempfile.gettempdir()) / "rescans")
    parser.add_argument("--altered", type=int, default=0, metavar="N")
    given = parser.parse_args()
    given.work.mkdir(parents=True, exist_ok=True)
    os.environ["CITATION_PIPELINE_PARSE_CACHE"] = str(given.work / "parses")
    with LocalParser(given.work / "parses", workers=2) as reader:
        for folder in given.claims:
            found = measure(folder, given.work, reader, extractor=given.extractor, altered=given.altered)
            print(json.dumps(found, ensure_ascii=False), flush=True)


if __name__ == "__main__":
    main()
