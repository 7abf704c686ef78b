"""A field's patterns, references, tables and records as a lexicon file writes them, compiled."""

import json
from collections.abc import Collection, Iterator
from dataclasses import replace
from typing import Any

from citation_pipeline.core.rules.lexicons.label_trees import label_words
from citation_pipeline.core.rules.lexicons.lexicon import (
    Implication,
    LexiconError,
    Pattern,
    RecordRule,
    Reference,
    Silence,
    Standing,
    TableRule,
)
from citation_pipeline.core.rules.lexicons.lexicon_values import (
    expression_of,
    expression_or_none,
    expressions_by_name,
    list_of,
    mapping_of,
    strings_of,
    texts_by_name,
)
from citation_pipeline.core.rules.lexicons.meanings import Meaning, meaning_of


def read_patterns(raw: Any, path: str) -> Iterator[Pattern]:
    """Read expressions, each as a string or as an object with its weight and limits."""
    for number, entry in enumerate(list_of(raw, path)):
        here = f"{path}/{number}"
        if isinstance(entry, str):
            yield Pattern(expression_of(entry, here))
        else:
            spec = mapping_of(entry, here)
            yield Pattern(
                expression_of(str(spec.get("pattern", "")), here),
                weight=float(spec.get("weight", 1.0)),
                documents=strings_of(spec.get("documents", []), f"{here}/documents"),
                unless=expression_or_none(spec.get("unless"), f"{here}/unless"),
            )


def read_meanings(raw: Any, path: str) -> tuple[Meaning, ...]:
    """Read labels told by their words: `all` has groups of words, `also` what a label may hold besides."""
    return tuple(_meanings(raw, path))


def _meanings(raw: Any, path: str) -> Iterator[Meaning]:
    for number, entry in enumerate(list_of(raw, path)):
        spec = mapping_of(entry, f"{path}/{number}")
        groups = strings_of(spec.get("all", []), f"{path}/{number}/all")
        if not groups:
            raise LexiconError(f"{path}/{number}/all", "needs a group of words")
        also = " ".join(label_words(str(spec.get("also", ""))))
        yield meaning_of([" ".join(label_words(group)) for group in groups], also)


def read_implications(raw: Any, path: str) -> Iterator[Implication]:
    """Read what other fields, or the claim's sentences, imply of a field."""
    for number, entry in enumerate(list_of(raw, path)):
        here = f"{path}/{number}"
        spec = mapping_of(entry, here)
        yield Implication(
            value=str(spec.get("value", "")),
            any_of=strings_of(spec.get("any_of", []), f"{here}/any_of"),
            all_of=strings_of(spec.get("all_of", []), f"{here}/all_of"),
            documents=strings_of(spec.get("documents", []), f"{here}/documents"),
            pattern=expression_or_none(spec.get("pattern"), f"{here}/pattern"),
            absent=expression_or_none(spec.get("absent"), f"{here}/absent"),
            over=strings_of(spec.get("over", []), f"{here}/over"),
        )


def read_standing(raw: Any, path: str) -> Standing | None:
    """Read which verdicts of a clause put its parts on the field's list, and which do not."""
    if raw is None:
        return None
    spec = mapping_of(raw, path)
    part = expression_of(str(spec.get("part", "")), f"{path}/part")
    if not {"side", "name"} <= set(part.groupindex):
        raise LexiconError(f"{path}/part", "needs the groups side and name")
    return Standing(
        part=part,
        own=expression_of(str(spec.get("own", "")), f"{path}/own"),
        against=expression_of(str(spec.get("against", "")), f"{path}/against"),
        sided=expression_of(str(spec.get("sided", "")), f"{path}/sided"),
        unless=expression_or_none(spec.get("unless"), f"{path}/unless"),
        documents=strings_of(spec.get("documents", []), f"{path}/documents"),
        weight=float(spec.get("weight", 1.0)),
    )


def read_references(raw: Any, path: str) -> Iterator[Reference]:
    """Read sentences that point at a value elsewhere."""
    for number, entry in enumerate(list_of(raw, path)):
        spec = mapping_of(entry, f"{path}/{number}")
        for pattern in read_patterns([spec], path):
            yield Reference(pattern, str(spec.get("to", "date")))


def read_silence(raw: Any, path: str, fields: Collection[str]) -> Silence | None:
    """Read which words whoever states a field would use, and which values of other fields exclude it."""
    if raw is None:
        return None
    spec = mapping_of(raw, path)
    follows = mapping_of(spec.get("follows", {}), f"{path}/follows")
    for key in follows:
        if key not in fields:
            raise LexiconError(f"{path}/follows/{key}", "is no field of the schema")
    return Silence(
        words=strings_of(spec.get("words", []), f"{path}/words"),
        follows={
            key: tuple(json.dumps(value) for value in list_of(values, f"{path}/follows/{key}"))
            for key, values in follows.items()
        },
    )


def read_member_patterns(raw: Any, path: str) -> Iterator[Pattern]:
    """Read the expressions of each member of an object; a member is an answer or a value."""
    for member, patterns in mapping_of(raw, path).items():
        for pattern in read_patterns(patterns, f"{path}/{member}"):
            yield replace(pattern, member=member)


def read_table_rules(raw: Any, path: str) -> Iterator[TableRule]:
    """Read what to take out of tables."""
    for number, entry in enumerate(list_of(raw, path)):
        here = f"{path}/{number}"
        spec = mapping_of(entry, here)
        yield TableRule(
            row=expression_or_none(spec.get("row"), f"{here}/row"),
            column=expression_or_none(spec.get("column"), f"{here}/column"),
            members=expressions_by_name(spec.get("members", {}), f"{here}/members"),
            constants=texts_by_name(spec.get("constants", {}), f"{here}/constants"),
            where=expressions_by_name(spec.get("where", {}), f"{here}/where"),
            weight=float(spec.get("weight", 1.0)),
            documents=strings_of(spec.get("documents", []), f"{here}/documents"),
        )


def read_record_rules(raw: Any, path: str) -> Iterator[RecordRule]:
    """Read what makes a whole document one item."""
    for number, entry in enumerate(list_of(raw, path)):
        here = f"{path}/{number}"
        spec = mapping_of(entry, here)
        yield RecordRule(
            members={
                name: tuple(label_words(label) for label in strings_of(spoken, f"{here}/members/{name}"))
                for name, spoken in mapping_of(spec.get("members", {}), f"{here}/members").items()
            },
            constants=texts_by_name(spec.get("constants", {}), f"{here}/constants"),
            patterns=expressions_by_name(spec.get("patterns", {}), f"{here}/patterns"),
            documents=strings_of(spec.get("documents", []), f"{here}/documents"),
            weight=float(spec.get("weight", 1.0)),
        )
