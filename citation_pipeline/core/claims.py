"""A claim as the pipeline knows it: its id, where its documents lie, and how they are to be read."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from citation_pipeline.core.failures import PipelineError

CLAIM_ID_PATTERN = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,99}")


class ClaimIdError(PipelineError, ValueError):
    """A name that cannot be a claim id; `name` is what was given."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"{name[:100]!r} cannot be a claim id: use 1 to 100 letters, digits, '_', '.' or '-', "
            "the first a letter or digit; rename the folder"
        )
        self.name = name


@dataclass(frozen=True, slots=True)
class ClaimFile:
    """One file that the store keeps for a claim: its path below the claim's folder, and its content."""

    path: str
    sha256: str
    byte_count: int
    is_document: bool = True


@dataclass(frozen=True, slots=True)
class Claim:
    """One case: one folder of documents, one partition.

    `folder` is what the user pointed at, `documents_dir` where the files lie (the folder or its
    `documents/`). `schema` is a schema's name, a JSON Schema file's path, or "auto"; `parser` and
    `extractor` name who reads the documents. `settings_mark` changes with the folder's `claim.toml`, where it
    has one.
    `files` are those that the store keeps, none of a claim whose folder is read itself; `origin` tells where
    they came from, and `origin_mark` changes when that place does.
    """

    claim_id: str
    folder: str
    documents_dir: str
    schema: str = "workers_comp"
    parser: str = "local"
    extractor: str = "rules"
    settings_mark: str = ""
    origin: str = ""
    origin_mark: str = ""
    files: tuple[ClaimFile, ...] = ()

    def read_by(self, chosen: Mapping[str, str]) -> "Claim":
        """Return the claim with these of `schema`, `parser` and `extractor`; raises TypeError for others."""
        choices: dict[str, Any] = dict(chosen)
        return replace(self, **choices)


def check_claim_id(name: str) -> str:
    """Return the name when it can be a claim id and partition key; raises ClaimIdError otherwise."""
    if not CLAIM_ID_PATTERN.fullmatch(name):
        raise ClaimIdError(name)
    return name


def slug_of(file_name: str) -> str:
    """Return a file name as a source id: lower case, without its extension, other runs become `-`."""
    stem = file_name.lower()
    dot = stem.rfind(".")
    if dot > 0 and re.fullmatch(r"[a-z0-9]{1,5}", stem[dot + 1 :]):
        stem = stem[:dot]
    return re.sub(r"[^a-z0-9]+", "-", stem).strip("-") or "document"


def source_ids_of(file_names: list[str]) -> list[str]:
    """Return one source id per file, unique within the claim: a repeated slug gets `-2`, `-3`, …"""
    taken: set[str] = set()
    ids = []
    for name in file_names:
        slug = slug_of(name)
        candidate, number = slug, 2
        while candidate in taken:
            candidate, number = f"{slug}-{number}", number + 1
        taken.add(candidate)
        ids.append(candidate)
    return ids
