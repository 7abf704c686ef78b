"""Target schemas as files: the shipped ones by name, a user's own by path."""

import json
from importlib import resources
from pathlib import Path
from typing import Any

from citation_pipeline.core.schemas import Schema, SchemaError, flatten


def available_schemas() -> list[str]:
    """Return the names of the shipped schemas."""
    folder = resources.files("citation_pipeline.schemas")
    return sorted(e.name.removesuffix(".json") for e in folder.iterdir() if e.name.endswith(".json"))


def load_schema(name: str) -> Schema:
    """Return a shipped schema by name, or a JSON Schema file by path; raises SchemaError."""
    if name in available_schemas():
        text = (resources.files("citation_pipeline.schemas") / f"{name}.json").read_text()
        return flatten(json.loads(text), name=name)
    path = Path(name)
    if not path.is_file():
        known = ", ".join(available_schemas())
        raise SchemaError("", f"there is no schema {name!r}: give a file or one of {known}")
    try:
        return flatten(json.loads(path.read_text()), name=path.stem)
    except ValueError as error:
        if isinstance(error, SchemaError):
            raise
        raise SchemaError("", f"{path.name} is not JSON: {error}") from error


def load_lexicon(schema_name: str) -> dict[str, Any]:
    """Return a shipped schema's lexicon; a schema without one is read by its hints alone."""
    path = resources.files("citation_pipeline.schemas") / "lexicons" / f"{schema_name}.json"
    lexicon: dict[str, Any] = json.loads(path.read_text()) if path.is_file() else {}
    return lexicon
