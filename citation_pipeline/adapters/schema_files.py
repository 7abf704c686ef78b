"""Target schemas and lexicons as files: the shipped ones by name, a user's own by path.

What a schema means belongs to `core.schemas`, what a lexicon means `core.rules.lexicons`'.
"""

import gzip
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache, lru_cache
from importlib import resources
from pathlib import Path
from typing import Any

from citation_pipeline.core.consistency.rules import read_rules
from citation_pipeline.core.document_schemas import compose_schema
from citation_pipeline.core.documents.parsed import DocumentStatus, ParsedDocument
from citation_pipeline.core.documents.types import SchemaChoice, choose_schema
from citation_pipeline.core.json_schemas.errors import SchemaError
from citation_pipeline.core.json_schemas.flattening import flatten
from citation_pipeline.core.retrieval.field_questions import FieldPhrasings
from citation_pipeline.core.retrieval.field_words import FieldWords
from citation_pipeline.core.rules.lexicons.concepts import lexicon_for
from citation_pipeline.core.rules.lexicons.lexicon import Lexicon
from citation_pipeline.core.rules.lexicons.lexicon_files import read_lexicon
from citation_pipeline.core.rules.lexicons.wordings import join_lexicons
from citation_pipeline.core.schemas import Schema

AUTO = "auto"
"""The name that stands for the schema that the documents call for."""

# A schema is a page or two; what is larger is another file.
_LARGEST = 2_000_000


@cache
def available_schemas() -> Sequence[str]:
    """Return the names of the shipped schemas."""
    folder = resources.files("citation_pipeline.schemas")
    return tuple(sorted(e.name.removesuffix(".json") for e in folder.iterdir() if e.name.endswith(".json")))


def load_schema(name: str) -> Schema:
    """Return a shipped schema by name, or a JSON Schema file by path.

    Raises SchemaError: its `path` is the JSON pointer of the fault, empty when the file itself is at fault.
    """
    if name in available_schemas():
        return _shipped_schema(name)
    path = Path(name)
    if not path.is_file():
        known = ", ".join(available_schemas())
        raise SchemaError("", f"there is no schema {name!r}: give a file or one of {known}, or {AUTO}")
    return _read_schema(_read_json(path), name=path.stem)


def _read_schema(content: Any, *, name: str) -> Schema:
    schema = flatten(content, name=name)
    return replace(schema, rules=read_rules(content.get("x_rules"), schema.fields))


def locate_schema(name: str) -> str:
    """Return the name under which a claim keeps its schema: a file's whole path, other names as they are.

    Raises SchemaError for a schema that cannot be used, so that it is known before any document is parsed.
    """
    if name != AUTO:
        load_schema(name)
    if name == AUTO or name in available_schemas():
        return name
    return str(Path(name).resolve())


@cache
def _shipped_schema(name: str) -> Schema:
    text = (resources.files("citation_pipeline.schemas") / f"{name}.json").read_text(encoding="utf-8")
    return _read_schema(json.loads(text), name=name)


def lexicon_of(schema: Schema) -> dict[str, Any]:
    """Return the lexicon by which a schema is read: a shipped one's; for one's own, one of general concepts
    and of the schema's own words."""
    if schema.name in available_schemas() and schema.fingerprint == _shipped_schema(schema.name).fingerprint:
        return load_lexicon(schema.name)
    return lexicon_for(schema, load_lexicon("concepts"))


def load_lexicon(schema_name: str) -> dict[str, Any]:
    """Return a shipped schema's lexicon, with the words of its trade's usual forms (`<name>.forms.json`)
    if there are.

    A schema without one is read by its hints alone.
    """
    return join_lexicons(_lexicon_file(schema_name), _lexicon_file(f"{schema_name}.forms"))


def _lexicon_file(name: str) -> dict[str, Any]:
    path = resources.files("citation_pipeline.schemas") / "lexicons" / f"{name}.json"
    content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    return content


def load_phrasings(schema_name: str) -> dict[str, Any]:
    """Return how people ask for a shipped schema's fields; a schema without a file has its own names."""
    path = resources.files("citation_pipeline.schemas") / "questions" / f"{schema_name}.json"
    phrasings: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    return phrasings


@lru_cache(maxsize=16)  # thousands of phrasings take a second to prepare: once, not for every store
def read_phrasings(schema: Schema) -> FieldPhrasings:
    """Return how people ask for a schema's fields, ready to be compared with questions."""
    return FieldPhrasings(
        schema,
        load_phrasings(schema.name),
        printed=printed_names(schema.name),
        words=load_field_words(schema.name),
    )


def load_field_words(schema_name: str) -> FieldWords | None:
    """Return the weights fitted on a shipped schema's phrasings; None where none were fitted."""
    path = resources.files("citation_pipeline.schemas") / "questions" / f"{schema_name}_words.txt.gz"
    return FieldWords.parse(gzip.decompress(path.read_bytes()).decode()) if path.is_file() else None


def printed_names(schema_name: str) -> dict[str, list[str]]:
    """Return the labels under which documents print a shipped schema's fields, wherever they stand."""
    fields = _lexicon_file(schema_name).get("fields", {})
    return {
        key: [label for label in rules.get("labels", ()) if isinstance(label, str)]
        for key, rules in fields.items()
    }


def pick_schema(documents: Sequence[ParsedDocument]) -> tuple[Schema, SchemaChoice]:
    """Return the schema that the documents call for, with each document's kind and score.

    It is a shipped one, or composed of several where documents of other kinds are read by their own.
    """
    choice = choose_schema(documents, shipped_lexicons())
    own = [
        document.source.source_id
        for document in documents
        if document.status is DocumentStatus.PARSED and document.source.source_id not in choice.by_document
    ]
    by_document = {source_id: load_schema(name) for source_id, name in choice.by_document.items()}
    return compose_schema(load_schema(choice.schema_name), own, by_document), choice


@cache
def shipped_lexicons() -> Mapping[str, Lexicon]:
    """Return the lexicons of all shipped schemas, compiled."""
    return {name: read_lexicon(load_lexicon(name), schema=load_schema(name)) for name in available_schemas()}


def _read_json(path: Path) -> Any:
    if path.stat().st_size > _LARGEST:
        raise SchemaError("", f"{path.name} has more than {_LARGEST} bytes; a schema is smaller")
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except UnicodeDecodeError as error:
        raise SchemaError("", f"{path.name} is not UTF-8 text; save it as UTF-8") from error
    except RecursionError as error:
        raise SchemaError("", f"{path.name} is nested too deep; a schema is a few levels") from error
    except json.JSONDecodeError as error:
        raise SchemaError(
            "", f"{path.name} is not JSON: {error.msg} in line {error.lineno}, column {error.colno}"
        ) from error
