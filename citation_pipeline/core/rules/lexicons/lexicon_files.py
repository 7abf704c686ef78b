"""Reading a lexicon file's content: checked, compiled, each fault named by its path.

The file's shape is described in `docs/extraction-rules.md`; what the rules are belongs to `lexicon`.
"""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from itertools import product
from typing import Any

from citation_pipeline.core.rules.lexicons.label_trees import label_words
from citation_pipeline.core.rules.lexicons.lexicon import (
    CHOICES,
    DEFAULT_KINDS,
    DocumentRules,
    FieldRules,
    Lexicon,
    LexiconError,
    Pattern,
)
from citation_pipeline.core.rules.lexicons.lexicon_rules import (
    read_implications,
    read_meanings,
    read_member_patterns,
    read_patterns,
    read_record_rules,
    read_references,
    read_silence,
    read_standing,
    read_table_rules,
)
from citation_pipeline.core.rules.lexicons.lexicon_values import (
    expression_of,
    expression_or_none,
    expressions_of,
    list_of,
    mapping_of,
    strings_of,
    weights_of,
)
from citation_pipeline.core.schemas import Field, Schema


def read_lexicon(raw: Mapping[str, Any], *, schema: Schema) -> Lexicon:
    """Compile a lexicon file's content for a schema; raises LexiconError with the path of the fault."""
    if not isinstance(raw, Mapping):
        raise LexiconError("", "must be an object")
    return _compiled(_text_of(raw), schema)


def lexicon_fingerprint(raw: Mapping[str, Any], *, schema: Schema) -> str:
    """Return what changes with a lexicon file or its schema, without compiling the file."""
    return _fingerprint(_text_of(raw), schema)


def _text_of(raw: Mapping[str, Any]) -> str:
    # in the order of the file: the first pattern that fits wins
    return json.dumps(raw, ensure_ascii=False)


def _fingerprint(text: str, schema: Schema) -> str:
    return hashlib.sha256((text + schema.fingerprint).encode()).hexdigest()[:16]


_ALTERNATIVES = re.compile(r"\(([^()]*\|[^()]*)\)")


# compiling takes half a second, and every claim of a night asks for the same one
@lru_cache(maxsize=16)
def _compiled(text: str, schema: Schema) -> Lexicon:
    raw = json.loads(text)
    entries = mapping_of(raw.get("fields", {}), "/fields")
    for key in entries:
        if key not in schema.by_key:
            raise LexiconError(f"/fields/{key}", "is no field of the schema")
    documents = {
        name: _read_document(name, mapping_of(entry, f"/documents/{name}"))
        for name, entry in mapping_of(raw.get("documents", {}), "/documents").items()
    }
    fields = {
        item.key: _read_field(
            item, mapping_of(entries.get(item.key, {}), f"/fields/{item.key}"), documents, schema.by_key
        )
        for item in schema.fields
    }
    return Lexicon(
        schema=schema,
        fields=fields,
        documents=documents,
        stops=tuple(label_words(stop) for stop in strings_of(raw.get("stops", []), "/stops")),
        fingerprint=_fingerprint(text, schema),
    )


def _read_document(name: str, entry: Mapping[str, Any]) -> DocumentRules:
    path = f"/documents/{name}"
    return DocumentRules(
        name=str(entry.get("name", name)),
        titles=expressions_of(entry.get("titles", []), f"{path}/titles"),
        cues=expressions_of(entry.get("cues", []), f"{path}/cues"),
        dates=tuple(label_words(label) for label in strings_of(entry.get("dates", []), f"{path}/dates")),
        has_entries=bool(entry.get("entries", False)),
        has_date_label=bool(entry.get("date_label", True)),
        weight=float(entry.get("weight", 1.0)),
    )


def _beside(raw: Any, path: str, fields: Mapping[str, Field]) -> str:
    if raw and raw not in fields:
        raise LexiconError(path, "is no field of the schema")
    return str(raw)


# long: a line for each key that an entry may have, and hardly a branch
def _read_field(
    item: Field,
    entry: Mapping[str, Any],
    documents: Mapping[str, DocumentRules],
    fields: Mapping[str, Field],
) -> FieldRules:
    path = f"/fields/{item.key}"
    known = set(FieldRules.__dataclass_fields__) - {"field", "label_documents", "label_weights"}
    for name in entry:
        if name not in known:
            raise LexiconError(f"{path}/{name}", f"is not understood; known are {', '.join(sorted(known))}")
    affinities = weights_of(entry.get("documents", {}), f"{path}/documents")
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
    others, _, _ = _labels(entry.get("others", []), f"{path}/others")
    limits = entry.get("limits")
    return FieldRules(
        field=item,
        kind=str(entry.get("kind", DEFAULT_KINDS.get(item.value_type, "text"))),
        choice=choice,
        labels=labels,
        label_documents=label_documents,
        label_weights=label_weights,
        others=others,
        meanings=read_meanings(entry.get("meanings", []), f"{path}/meanings"),
        beside=_beside(entry.get("beside", ""), f"{path}/beside", fields),
        patterns=tuple(read_patterns(entry.get("patterns", []), f"{path}/patterns")),
        run=next(iter(read_patterns([entry["run"]], f"{path}/run")), None) if "run" in entry else None,
        implied=tuple(read_implications(entry.get("implied", []), f"{path}/implied")),
        named=next(iter(read_patterns([entry["named"]], f"{path}/named")), None)
        if "named" in entry
        else None,
        paid=_paid(entry.get("paid"), f"{path}/paid"),
        cues=tuple(read_member_patterns(entry.get("cues", {}), f"{path}/cues")),
        words=tuple(read_member_patterns(entry.get("words", {}), f"{path}/words")),
        ticks=tuple(read_member_patterns(entry.get("ticks", {}), f"{path}/ticks")),
        negations=tuple(read_patterns(entry.get("negations", []), f"{path}/negations")),
        titles=tuple(read_member_patterns(entry.get("titles", {}), f"{path}/titles")),
        tables=tuple(read_table_rules(entry.get("tables", []), f"{path}/tables")),
        records=tuple(read_record_rules(entry.get("records", []), f"{path}/records")),
        derive=_derive(entry.get("derive"), f"{path}/derive"),
        refers=tuple(read_references(entry.get("refers", []), f"{path}/refers")),
        headings=expressions_of(entry.get("headings", []), f"{path}/headings"),
        sections=expressions_of(entry.get("sections", []), f"{path}/sections"),
        letterhead=weights_of(entry.get("letterhead", {}), f"{path}/letterhead"),
        signature=weights_of(entry.get("signature", {}), f"{path}/signature"),
        below_signature=weights_of(entry.get("below_signature", {}), f"{path}/below_signature"),
        addressee=weights_of(entry.get("addressee", {}), f"{path}/addressee"),
        questions=tuple(read_patterns(entry.get("questions", []), f"{path}/questions")),
        documents=affinities,
        shape=expression_or_none(entry.get("shape"), f"{path}/shape"),
        reject=expression_or_none(entry.get("reject"), f"{path}/reject"),
        split=expression_or_none(entry.get("split"), f"{path}/split"),
        anchor=expression_or_none(entry.get("anchor"), f"{path}/anchor"),
        items=expressions_of(entry.get("items", []), f"{path}/items"),
        coded=_coded(entry.get("coded"), f"{path}/coded"),
        standing=read_standing(entry.get("standing"), f"{path}/standing"),
        in_full=tuple(
            (expression_of(short, f"{path}/in_full/{short}"), str(word))
            for short, word in mapping_of(entry.get("in_full", {}), f"{path}/in_full").items()
        ),
        limits=(float(limits[0]), float(limits[1])) if limits else None,
        needs=strings_of(entry.get("needs", []), f"{path}/needs"),
        trust=float(entry.get("trust", 1.0)),
        each=_kinds(entry.get("each", []), f"{path}/each", documents),
        own=_kinds(entry.get("own", []), f"{path}/own", documents),
        too_late=_too_late(entry.get("too_late"), f"{path}/too_late", documents),
        lasting=bool(entry.get("lasting", False)),
        changes=int(entry.get("changes", 0)),
        combine={
            name: strings_of(members, f"{path}/combine/{name}")
            for name, members in mapping_of(entry.get("combine", {}), f"{path}/combine").items()
        },
        issuer=bool(entry.get("issuer", False)),
        parties=bool(entry.get("parties", False)),
        is_prose=bool(entry.get("is_prose", False)),
        most_words=int(entry.get("most_words", 60)),
        unless=expression_or_none(entry.get("unless"), f"{path}/unless"),
        behind=expression_or_none(entry.get("behind"), f"{path}/behind"),
        ahead=bool(entry.get("ahead", False)),
        balance=_balance(entry.get("balance"), f"{path}/balance"),
        apart=_beside(entry.get("apart", ""), f"{path}/apart", fields),
        in_heads=bool(entry.get("in_heads", False)),
        in_force=bool(entry.get("in_force", False)),
        not_from=expression_or_none(entry.get("not_from"), f"{path}/not_from"),
        not_under=expression_or_none(entry.get("not_under"), f"{path}/not_under"),
        must=expression_or_none(entry.get("must"), f"{path}/must"),
        silence=read_silence(entry.get("silence"), f"{path}/silence", fields),
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
    for number, entry in enumerate(list_of(raw, path)):
        if isinstance(entry, str):
            labels.update(dict.fromkeys(map(label_words, spelled_out(entry))))
            continue
        spec = mapping_of(entry, f"{path}/{number}")
        spoken = strings_of(spec.get("labels", []), f"{path}/{number}/labels")
        for words in (label_words(label) for short in spoken for label in spelled_out(short)):
            labels[words] = None
            holds = strings_of(spec.get("documents", []), f"{path}/{number}/documents")
            limited[words] = limited.get(words, ()) + holds
            weights[words] = float(spec.get("weight", 1.0))
    return tuple(label for label in labels if label), limited, weights


def spelled_out(label: str) -> list[str]:
    """Return the labels that `(claims|claim|) (adjuster|examiner)` stands for; brackets without `|` stay."""
    parts = _ALTERNATIVES.split(label)
    choices = [part.split("|") if number % 2 else [part] for number, part in enumerate(parts)]
    return [" ".join("".join(chosen).split()) for chosen in product(*choices)]


def _paid(raw: Any, path: str) -> Pattern | None:
    """Read which rows of a register are the field's, and whether their first or last day is its value."""
    if raw is None:
        return None
    end = str(mapping_of(raw, path).get("end", ""))
    if end not in ("first", "last"):
        raise LexiconError(f"{path}/end", "must be first or last")
    return replace(next(iter(read_patterns([raw], path))), member=end)


def _balance(raw: Any, path: str) -> tuple[re.Pattern[str], str] | None:
    """Read which row and which part of an account is the field's."""
    if raw is None:
        return None
    spec = mapping_of(raw, path)
    part = str(spec.get("part", ""))
    if part not in ("paid", "open", "whole"):
        raise LexiconError(f"{path}/part", "must be paid, open or whole")
    return expression_of(str(spec.get("row", "")), f"{path}/row"), part


def _too_late(
    entry: Any, path: str, documents: Mapping[str, DocumentRules]
) -> tuple[str, tuple[str, ...]] | None:
    """Read the field whose day is the first that can be, and which kinds of papers tell a later one."""
    if entry is None:
        return None
    spec = mapping_of(entry, path)
    return str(spec.get("after", "")), _kinds(spec.get("told_by", []), f"{path}/told_by", documents)


def _kinds(raw: Any, path: str, documents: Mapping[str, DocumentRules]) -> tuple[str, ...]:
    names = strings_of(raw, path)
    for name in names:
        if name not in documents:
            raise LexiconError(path, f"{name} is no document type of this lexicon")
    return names


def _coded(raw: Any, path: str) -> tuple[str, str] | None:
    """Read which members a line with a code gives: the one that its words are, and the code's."""
    if raw is None:
        return None
    spec = mapping_of(raw, path)
    return str(spec.get("text", "")), str(spec.get("code", ""))


def _derive(raw: Any, path: str) -> tuple[str, str] | None:
    if raw is None:
        return None
    spec = mapping_of(raw, path)
    return str(spec.get("field", "")), str(spec.get("member", ""))
