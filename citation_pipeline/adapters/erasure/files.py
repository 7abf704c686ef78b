"""Removing a claim's files: what bears its name, and what is kept by the content of its documents."""

import json
import re
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from citation_pipeline.adapters.erasure.traces import Traces
from citation_pipeline.adapters.whole_files import name_of_draft, write_whole

SUFFIXES = ("", ".parquet", ".json", ".lock", ".jsonl")  # of files that are named by a claim
SHA256 = re.compile(r"[0-9a-f]{64}")


def remove_named(root: Path, claim_id: str, *, kept: frozenset[Path] = frozenset()) -> int:
    """Remove every file and folder below a root that is named by the claim; return how many files."""
    names = {claim_id + suffix for suffix in SUFFIXES}
    return sum(_remove(path) for path in list(_named(root, names, kept)))


def _named(folder: Path, names: set[str], kept: frozenset[Path]) -> Iterator[Path]:
    for path in sorted(folder.iterdir()) if folder.is_dir() and folder not in kept else ():
        if path.name in names or name_of_draft(path.name) in names:
            yield path
        elif path.is_dir() and not path.is_symlink():
            yield from _named(path, names, kept)


def _remove(path: Path) -> int:
    if path.is_dir() and not path.is_symlink():
        count = sum(1 for found in path.rglob("*") if found.is_file())
        shutil.rmtree(path)
        return count
    path.unlink(missing_ok=True)
    return 1


def remove_by_content(folders: Iterable[Path], *, others: frozenset[str]) -> int:
    """Remove what is kept by a content that no other claim has, also of files that were exchanged since.

    These are caches, and journals of jobs that are over: whatever else goes with them is made again.
    """
    count = 0
    for folder in folders:
        for path in list(folder.rglob("*")) if folder.is_dir() else ():
            found = SHA256.match(path.name.lstrip("."))
            if path.is_file() and (found is None or found[0] not in others):
                path.unlink(missing_ok=True)
                count += 1
    return count


def remove_replies(folder: Path, traces: Traces) -> int:
    """Remove the archived replies to the claim's requests, with their notes and locks."""
    count = 0
    for path in list(folder.rglob("*")) if folder.is_dir() else ():
        if path.is_file() and any(path.name.startswith(f"{mark}.") for mark in traces.fingerprints):
            path.unlink(missing_ok=True)
            count += 1
    return count


def rewrite_ledger(folder: Path, claim_id: str) -> int:
    """Take the claim's name and its requests' fingerprints out of the ledger; counts and costs stay."""
    count = 0
    for path in sorted(folder.glob("*.jsonl")) if folder.is_dir() else ():
        lines = []
        for line in path.read_text(encoding="utf-8").splitlines():
            row = _object(line)
            if row.get("claim_id") == claim_id:
                line = json.dumps({**row, "claim_id": "(erased)", "request_fingerprint": ""}, sort_keys=True)
                count += 1
            lines.append(line)
        _exchange(path, "".join(f"{line}\n" for line in lines))
    return count


def forget_in_json(root: Path, claim_id: str, *, others: frozenset[str]) -> int:
    """Take the claim out of lists and objects that name claims, in every JSON file that is no claim's own.

    Such are the intake's note of what it has seen and the nights that claims have waited.
    """
    count = 0
    for path in [found for found in root.rglob("*.json") if found.is_file()] if root.is_dir() else ():
        if path.parent.name in others or path.stem in others:
            continue
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeError):
            continue
        if json.dumps(claim_id) not in text:
            continue
        kept = json.loads(text)
        left = without_claim(kept, claim_id)
        if left != kept:
            _exchange(path, json.dumps(left))
            count += 1
    return count


def without_claim(value: Any, claim_id: str) -> Any:
    """Return lists and objects without what is of the claim."""
    if isinstance(value, dict):
        return {
            key: without_claim(found, claim_id)
            for key, found in value.items()
            if key != claim_id and not (key != "claim_id" and found == claim_id)
        }
    if isinstance(value, list):
        return [
            without_claim(item, claim_id)
            for item in value
            if item != claim_id and not (isinstance(item, dict) and item.get("claim_id") == claim_id)
        ]
    return value


def rewrite_batches(folder: Path, traces: Traces) -> int:
    """Take the claim's requests out of the journal of open batches."""
    count = 0
    for path in sorted(folder.glob("*.json")) if folder.is_dir() else ():
        entry = _object(path.read_text(encoding="utf-8"))
        requests = [one for one in entry.get("requests", []) if one.get("claim_id") != traces.claim_id]
        if len(requests) == len(entry.get("requests", [])):
            continue
        count += 1
        if requests:
            _exchange(path, json.dumps({**entry, "requests": requests}))
        else:
            path.unlink()
    return count


def remove_lines(root: Path, pattern: re.Pattern[str]) -> int:
    """Remove the lines of logs below a root that name the claim."""
    count = 0
    for path in [found for found in root.rglob("*") if found.suffix in (".jsonl", ".log", ".out", ".err")]:
        try:
            lines = path.read_text(encoding="utf-8", errors="surrogateescape").splitlines(keepends=True)
        except OSError:
            continue
        left = [line for line in lines if not pattern.search(line)]
        if len(left) < len(lines):
            count += len(lines) - len(left)
            # in its place: a running process appends to this very file
            path.write_text("".join(left), encoding="utf-8", errors="surrogateescape")
    return count


def _object(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _exchange(path: Path, text: str) -> None:
    write_whole(path, text.encode("utf-8"), mode=path.stat().st_mode & 0o777)
