"""Files of guides: what people add to a schema's prompt, in a folder of one file a schema.

`<schema>.toml` is written by hand; `<schema>.tuned.json` is what `citation-pipeline tune --apply` chose of
verified fields, kept apart so that it can be taken back, and so that an erased claim's examples leave it.
"""

import json
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from citation_pipeline.adapters.whole_files import PRIVATE, write_whole
from citation_pipeline.core.failures import PipelineError
from citation_pipeline.core.prompts.guides import NO_GUIDE, Example, Guide
from citation_pipeline.core.schemas import Schema

VARIABLE = "CITATION_PIPELINE_PROMPTS"
_KEYS = {"rules", "notes", "hints", "examples"}
_EXAMPLE_KEYS = {"field", "value", "snippet", "kind", "claim", "sha256"}
# a prompt is read, and paid for, with every request
_MOST_CHARACTERS = 60_000


class GuideFileError(PipelineError):
    """A file of a guide that cannot be used; names the file, the key and what it takes."""


def read_guide(folder: Path | None, schema: Schema) -> Guide:
    """Return what people added to a schema's prompt; raises GuideFileError.

    A hand-written entry for a field that the schema does not have is refused; a tuned one is passed over, for
    the schema may have changed since.
    """
    if folder is None:
        return NO_GUIDE
    own, tuned = folder / f"{schema.name}.toml", tuned_path(folder, schema.name)
    found = NO_GUIDE
    if own.is_file():
        try:
            found = guide_of(tomllib.loads(own.read_text(encoding="utf-8")), where=own.name)
        except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise GuideFileError(f"{own.name} cannot be read as TOML ({type(error).__name__})") from error
        named = (*found.hints, *(one.field_key for one in found.examples))
        if unknown := [key for key in named if key not in schema.by_key]:
            raise GuideFileError(f"{own.name}: the schema has no field {unknown[0][:100]!r}")
    if tuned.is_file():
        found = found.joined(read_tuned(tuned))
    return found


def tuned_path(folder: Path, schema_name: str) -> Path:
    """Return the file of what was tuned for a schema."""
    return folder / f"{schema_name}.tuned.json"


def read_tuned(path: Path) -> Guide:
    """Read a tuned guide; raises GuideFileError."""
    try:
        return guide_of(json.loads(path.read_text(encoding="utf-8")), where=path.name)
    except (OSError, ValueError) as error:
        raise GuideFileError(f"{path.name} cannot be read as JSON ({type(error).__name__})") from error


def write_tuned(path: Path, guide: Guide) -> None:
    """Write a guide for its owner alone: its examples quote documents."""
    # `claim_id` is what erasing a claim looks for in lists
    examples = [asdict(one) for one in guide.examples]
    said = {
        "notes": guide.notes,
        "hints": {key: list(told) for key, told in guide.hints.items()},
        "examples": [{"field": one.pop("field_key"), **one} for one in examples],
    }
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    write_whole(path, json.dumps(said, ensure_ascii=False, indent=1).encode(), mode=PRIVATE)


def guide_of(said: Mapping[str, Any], *, where: str) -> Guide:
    """Return the guide that a file's content is; raises GuideFileError."""
    if not isinstance(said, dict) or (unknown := sorted(set(said) - _KEYS)):
        wrong = f"there is no {unknown[0]!r}; " if isinstance(said, dict) else ""
        raise GuideFileError(f"{where}: {wrong}it takes {', '.join(sorted(_KEYS))}")
    hints = said.get("hints", {})
    if not isinstance(hints, dict):
        raise GuideFileError(f"{where}: [hints] has one entry a field: a text, or a list of them")
    examples = said.get("examples", [])
    if not isinstance(examples, list):
        raise GuideFileError(f"{where}: each example is a section of its own: [[examples]]")
    guide = Guide(
        rules=_text(said.get("rules", ""), "rules", where),
        notes=_text(said.get("notes", ""), "notes", where),
        hints={key: _texts(told, f"hints.{key}", where) for key, told in hints.items()},
        examples=tuple(_example(one, where) for one in examples),
    )
    if len(json.dumps(said, ensure_ascii=False, default=str)) > _MOST_CHARACTERS:
        raise GuideFileError(f"{where}: has more than {_MOST_CHARACTERS} characters, paid with every request")
    return guide


def _example(said: Any, where: str) -> Example:
    if isinstance(said, dict) and "claim_id" in said:
        said = {**said, "claim": said["claim_id"]}
        del said["claim_id"]
    if (
        not isinstance(said, dict)
        or set(said) - _EXAMPLE_KEYS
        or not {"field", "value", "snippet"} <= set(said)
    ):
        raise GuideFileError(
            f"{where}: an example takes {', '.join(sorted(_EXAMPLE_KEYS))}; the first of "
            "them, snippet and value it must have"
        )
    value = said["value"]
    if not isinstance(value, str | int | float | bool | list | None):
        value = str(value)  # TOML has dates
    return Example(
        field_key=_text(said["field"], "examples.field", where),
        value=value,
        snippet=_text(said["snippet"], "examples.snippet", where),
        kind=_text(said.get("kind", ""), "examples.kind", where),
        claim_id=_text(said.get("claim", ""), "examples.claim", where),
        sha256=_text(said.get("sha256", ""), "examples.sha256", where),
    )


def _texts(said: Any, key: str, where: str) -> tuple[str, ...]:
    listed: Sequence[Any] = said if isinstance(said, list) else [said]
    return tuple(_text(one, key, where) for one in listed)


def _text(said: Any, key: str, where: str) -> str:
    if not isinstance(said, str):
        raise GuideFileError(f"{where}: {key} is a text")
    return said
