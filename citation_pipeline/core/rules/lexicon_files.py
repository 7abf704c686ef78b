"""Reading a lexicon file's content: checked, compiled, each fault named by its path.

The file's shape is described in `docs/extraction-rules.md`; what the rules are is `lexicon`'s affair.
"""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

from citation_pipeline.core.rules.lexicon import (
    CHOICES,
    DEFAULT_KINDS,
    DocumentRules,
    FieldRules,
    Lexicon,
    LexiconError,
    Pattern,
    RecordRule,
    Reference,
    TableRule,
    label_words,
)
from citation_pipeline.core.rules.patterns import compile_pattern
from citation_pipeline.core.schemas import Field, Schema


def read_lexicon(raw: Mapping[str, Any], *, schema: Schema) -> Lexicon:
    """Compile a lexicon file's content for a schema; raises LexiconError with the path of the fault."""
    if not isinstance(raw, Mapping):
        raise LexiconError("", "must be an object")
    # in the order of the file: the first pattern that fits wins
    return _compiled(json.dumps(raw, ensure_ascii=False), schema)


# compiling takes half a second, and every claim of a night asks for the same one
@lru_cache(maxsize=16)
def _compiled(text: str, schema: Schema) -> Lexicon:
    raw = json.loads(text)
    entries = _mapping(raw.get("fields", {}), "/fields")
    for key in entries:
        if key not in schema.by_key:
            raise LexiconError(f"/fields/{key}", "is no field of the schema")
    documents = {
        name: _read_document(name, _mapping(entry, f"/documents/{name}"))
        for name, entry in _mapping(raw.get("documents", {}), "/documents").items()
    }
    fields = {
        item.key: _read_field(item, _mapping(entries.get(item.key, {}), f"/fields/{item.key}"), documents)
        for item in schema.fields
    }
    return Lexicon(
        schema=schema,
        fields=fields,
        documents=documents,
        stops=tuple(label_words(stop) for stop in _strings(raw.get("stops", []), "/stops")),
        fingerprint=hashlib.sha256((text + schema.fingerprint).encode()).hexdigest()[:16],
    )


def _read_document(name: str, entry: Mapping[str, Any]) -> DocumentRules:
    path = f"/documents/{name}"
    return DocumentRules(
        name=str(entry.get("name", name)),
        titles=_expressions(entry.get("titles", []), f"{path}/titles"),
        cues=_expressions(entry.get("cues", []), f"{path}/cues"),
        dates=tuple(label_words(label) for label in _strings(entry.get("dates", []), f"{path}/dates")),
        has_entries=bool(entry.get("entries", False)),
        has_date_label=bool(entry.get("date_label", True)),
        weight=float(entry.get("weight", 1.0)),
    )


def _read_field(item: Field, entry: Mapping[str, Any], documents: Mapping[str, DocumentRules]) -> FieldRules:
    path = f"/fields/{item.key}"
    known = set(FieldRules.__dataclass_fields__) - {"field", "label_documents", "label_weights"}
    for name in entry:
        if name not in known:
            raise LexiconError(f"{path}/{name}", f"is not understood; known are {', '.join(sorted(known))}")
    affinities = _weights(entry.get("documents", {}), f"{path}/documents")
    for name in affinities:
        if name not in documents and name not in ("*", ""):
            raise LexiconError(f"{path}/documents/{name}", "is no document type of this lexicon")
    choice = str(entry.get("choice", "latest_list" if item.value_type == "array" else "latest"))
    if choice not in CHOICES:
        raise LexiconError(f"{path}/choice", f"must be one of {', '.join(CHOICES)}")
    spoken = entry.get("labels")
    labels, label_documents, label_weights = _labels(
        spoken if spoken is not None else _default_labels(item), f"{path}/labels"
    )
    limits = entry.get("limits")
    return FieldRules(
        field=item,
        kind=str(entry.get("kind", DEFAULT_KINDS.get(item.value_type, "text"))),
        choice=choice,
        labels=labels,
        label_documents=label_documents,
        label_weights=label_weights,
        patterns=tuple(_patterns(entry.get("patterns", []), f"{path}/patterns")),
        cues=tuple(_member_patterns(entry.get("cues", {}), f"{path}/cues")),
        words=tuple(_member_patterns(entry.get("words", {}), f"{path}/words")),
        ticks=tuple(_member_patterns(entry.get("ticks", {}), f"{path}/ticks")),
        negations=tuple(_patterns(entry.get("negations", []), f"{path}/negations")),
        titles=tuple(_member_patterns(entry.get("titles", {}), f"{path}/titles")),
        tables=tuple(_tables(entry.get("tables", []), f"{path}/tables")),
        records=tuple(_records(entry.get("records", []), f"{path}/records")),
        derive=_derive(entry.get("derive"), f"{path}/derive"),
        refers=tuple(_references(entry.get("refers", []), f"{path}/refers")),
        headings=_expressions(entry.get("headings", []), f"{path}/headings"),
        letterhead=_weights(entry.get("letterhead", {}), f"{path}/letterhead"),
        signature=_weights(entry.get("signature", {}), f"{path}/signature"),
        below_signature=_weights(entry.get("below_signature", {}), f"{path}/below_signature"),
        addressee=_weights(entry.get("addressee", {}), f"{path}/addressee"),
        questions=tuple(_patterns(entry.get("questions", []), f"{path}/questions")),
        documents=affinities,
        shape=_optional(entry.get("shape"), f"{path}/shape"),
        reject=_optional(entry.get("reject"), f"{path}/reject"),
        split=_optional(entry.get("split"), f"{path}/split"),
        anchor=_optional(entry.get("anchor"), f"{path}/anchor"),
        items=_expressions(entry.get("items", []), f"{path}/items"),
        limits=(float(limits[0]), float(limits[1])) if limits else None,
        needs=_strings(entry.get("needs", []), f"{path}/needs"),
        lasting=bool(entry.get("lasting", False)),
    )


def _default_labels(item: Field) -> list[str]:
    return list(dict.fromkeys([item.title, item.label, *item.hints]))


def _labels(
    raw: Any, path: str
) -> tuple[tuple[tuple[str, ...], ...], dict[tuple[str, ...], tuple[str, ...]], dict[tuple[str, ...], float]]:
    """Read labels: a list of strings; an object in it limits some labels to documents, or weighs them."""
    weights: dict[tuple[str, ...], float] = {}
    labels: dict[tuple[str, ...], None] = {}
    limited: dict[tuple[str, ...], tuple[str, ...]] = {}
    if not isinstance(raw, list):
        raise LexiconError(path, "must be a list")
    for number, entry in enumerate(raw):
        if isinstance(entry, str):
            labels[label_words(entry)] = None
            continue
        spec = _mapping(entry, f"{path}/{number}")
        for label in _strings(spec.get("labels", []), f"{path}/{number}/labels"):
            words = label_words(label)
            labels[words] = None
            holds = _strings(spec.get("documents", []), f"{path}/{number}/documents")
            limited[words] = limited.get(words, ()) + holds
            weights[words] = float(spec.get("weight", 1.0))
    return tuple(label for label in labels if label), limited, weights


def _patterns(raw: Any, path: str) -> Iterator[Pattern]:
    if not isinstance(raw, list):
        raise LexiconError(path, "must be a list")
    for number, entry in enumerate(raw):
        here = f"{path}/{number}"
        if isinstance(entry, str):
            yield Pattern(_expression(entry, here))
        else:
            spec = _mapping(entry, here)
            yield Pattern(
                _expression(str(spec.get("pattern", "")), here),
                weight=float(spec.get("weight", 1.0)),
                documents=_strings(spec.get("documents", []), f"{here}/documents"),
                unless=_optional(spec.get("unless"), f"{here}/unless"),
            )


def _references(raw: Any, path: str) -> Iterator[Reference]:
    if not isinstance(raw, list):
        raise LexiconError(path, "must be a list")
    for number, entry in enumerate(raw):
        spec = _mapping(entry, f"{path}/{number}")
        for pattern in _patterns([spec], path):
            yield Reference(pattern, str(spec.get("to", "date")))


def _member_patterns(raw: Any, path: str) -> Iterator[Pattern]:
    for member, patterns in _mapping(raw, path).items():
        for pattern in _patterns(patterns, f"{path}/{member}"):
            yield replace(pattern, member=member)


def _tables(raw: Any, path: str) -> Iterator[TableRule]:
    if not isinstance(raw, list):
        raise LexiconError(path, "must be a list")
    for number, entry in enumerate(raw):
        here = f"{path}/{number}"
        spec = _mapping(entry, here)
        yield TableRule(
            row=_optional(spec.get("row"), f"{here}/row"),
            column=_optional(spec.get("column"), f"{here}/column"),
            members={
                name: _expression(str(pattern), f"{here}/members/{name}")
                for name, pattern in _mapping(spec.get("members", {}), f"{here}/members").items()
            },
            constants={
                name: str(value)
                for name, value in _mapping(spec.get("constants", {}), f"{here}/constants").items()
            },
            where={
                column: _expression(str(pattern), f"{here}/where/{column}")
                for column, pattern in _mapping(spec.get("where", {}), f"{here}/where").items()
            },
            weight=float(spec.get("weight", 1.0)),
            documents=_strings(spec.get("documents", []), f"{here}/documents"),
        )


def _records(raw: Any, path: str) -> Iterator[RecordRule]:
    if not isinstance(raw, list):
        raise LexiconError(path, "must be a list")
    for number, entry in enumerate(raw):
        here = f"{path}/{number}"
        spec = _mapping(entry, here)
        yield RecordRule(
            members={
                name: tuple(label_words(label) for label in _strings(spoken, f"{here}/members/{name}"))
                for name, spoken in _mapping(spec.get("members", {}), f"{here}/members").items()
            },
            constants={
                name: str(value)
                for name, value in _mapping(spec.get("constants", {}), f"{here}/constants").items()
            },
            patterns={
                name: _expression(str(pattern), f"{here}/patterns/{name}")
                for name, pattern in _mapping(spec.get("patterns", {}), f"{here}/patterns").items()
            },
            documents=_strings(spec.get("documents", []), f"{here}/documents"),
            weight=float(spec.get("weight", 1.0)),
        )


def _derive(raw: Any, path: str) -> tuple[str, str] | None:
    if raw is None:
        return None
    spec = _mapping(raw, path)
    return str(spec.get("field", "")), str(spec.get("member", ""))


def _mapping(raw: Any, path: str) -> Mapping[str, Any]:
    if not isinstance(raw, Mapping):
        raise LexiconError(path, "must be an object")
    return raw


def _strings(raw: Any, path: str) -> tuple[str, ...]:
    if not isinstance(raw, list) or not all(isinstance(item, str) for item in raw):
        raise LexiconError(path, "must be a list of strings")
    return tuple(raw)


def _weights(raw: Any, path: str) -> dict[str, float]:
    return {name: float(weight) for name, weight in _mapping(raw, path).items()}


def _expressions(raw: Any, path: str) -> tuple[re.Pattern[str], ...]:
    return tuple(_expression(text, f"{path}/{n}") for n, text in enumerate(_strings(raw, path)))


def _optional(raw: Any, path: str) -> re.Pattern[str] | None:
    return None if raw is None else _expression(str(raw), path)


def _expression(text: str, path: str) -> re.Pattern[str]:
    try:
        return compile_pattern(text)
    except ValueError as error:
        raise LexiconError(path, str(error)) from error
