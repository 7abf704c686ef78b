"""Lexicons: what documents call the fields of one schema, as compiled rules.

A field without an entry still has rules: its title and the schema's hints serve as labels. Reading the file
belongs to `lexicon_files`.
"""

import dataclasses
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from citation_pipeline.core.rules.lexicons.label_trees import LabelTree, label_words
from citation_pipeline.core.rules.lexicons.meanings import Meaning
from citation_pipeline.core.schemas import Field, Schema

DATE_KEY = "@date"
"""The name under which a document's own date is found among the labels."""

OTHER = "!"
"""Before a field's key: a label whose value is another's, though it looks like the field's."""

_DATE_LABELS = (
    "date",
    "dated",
    "report date",
    "date of report",
    "letter date",
    "date prepared",
    "print date",
    "as of",
    "snapshot as of",
    "data as of",
    "status as of",
    "run date",
    "date run",
    "run",
    "printed",
    "date printed",
    "prepared",
    "generated",
    "date generated",
    "sent",
)
CHOICES = ("latest", "stable", "union", "latest_list", "best", "newest")
DEFAULT_KINDS = {
    "date": "date",
    "datetime": "date",
    "number": "number",
    "integer": "number",
    "boolean": "boolean",
    "enum": "enum",
    "array": "list",
}


class LexiconError(ValueError):
    """A lexicon that cannot be used; `path` is the JSON pointer of the fault."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"lexicon at {path or '/'}: {reason}")
        self.path = path
        self.reason = reason


@dataclass(frozen=True)
class Pattern:
    """One compiled expression; `weight` in 0-1 says how far to trust it, `documents` where it holds.

    A sentence that `unless` matches is not what the expression looks for.
    """

    expression: re.Pattern[str]
    weight: float = 1.0
    documents: tuple[str, ...] = ()
    member: str = ""
    unless: re.Pattern[str] | None = None

    def says(self, text: str) -> bool:
        """Tell whether a sentence says what the pattern looks for."""
        if self.expression.search(text) is None:
            return False
        return self.unless is None or self.unless.search(text) is None


@dataclass(frozen=True)
class Implication:
    """A value that a field has when one of `any_of` is believed, when the claim has a document of one of the
    kinds `documents`, or when a sentence that `pattern` matches tells it and none that `absent` matches tells
    otherwise; always only when all of `all_of` are believed. It replaces what is stated only where that is
    one of `over`.
    """

    value: str
    any_of: tuple[str, ...] = ()
    all_of: tuple[str, ...] = ()
    documents: tuple[str, ...] = ()
    pattern: re.Pattern[str] | None = None
    absent: re.Pattern[str] | None = None
    over: tuple[str, ...] = ()


@dataclass(frozen=True)
class Reference:
    """A sentence that names its value only by pointing at it: `the date of this letter`.

    `to` is the field whose value in the same document is meant, or `date` for the document's own day.
    """

    pattern: Pattern
    to: str


@dataclass(frozen=True)
class TableRule:
    """A cell to read: the row's head and the column's head, or for lists the column of each member."""

    row: re.Pattern[str] | None = None
    column: re.Pattern[str] | None = None
    members: Mapping[str, re.Pattern[str]] = dataclasses.field(default_factory=dict)
    constants: Mapping[str, str] = dataclasses.field(default_factory=dict)
    where: Mapping[str, re.Pattern[str]] = dataclasses.field(default_factory=dict)
    weight: float = 1.0
    documents: tuple[str, ...] = ()


@dataclass(frozen=True)
class RecordRule:
    """A whole document that is one item of a list: the labels of each member, the first member first.

    `patterns` find a member in a sentence when no label names it.
    """

    members: Mapping[str, tuple[tuple[str, ...], ...]]
    constants: Mapping[str, str] = dataclasses.field(default_factory=dict)
    patterns: Mapping[str, re.Pattern[str]] = dataclasses.field(default_factory=dict)
    documents: tuple[str, ...] = ()
    weight: float = 1.0


@dataclass(frozen=True)
class Standing:
    """How a clause puts parts on a field's list: `own` verdicts do, verdicts `against` put them on another.

    `part` finds a part with the groups `side` and `name`; `sided` tells which parts come in pairs.
    """

    part: re.Pattern[str]
    own: re.Pattern[str]
    against: re.Pattern[str]
    sided: re.Pattern[str]
    unless: re.Pattern[str] | None = None
    documents: tuple[str, ...] = ()
    weight: float = 1.0


@dataclass(frozen=True)
class Silence:
    """When a field that was not found is absent: no paper has a word that begins with one of `words`, or
    another field has one of the values (as JSON) that exclude it.
    """

    words: tuple[str, ...] = ()
    follows: Mapping[str, tuple[str, ...]] = dataclasses.field(default_factory=dict)


@dataclass(frozen=True)
class FieldRules:
    """How one field is read; every part may be empty."""

    field: Field
    kind: str
    choice: str
    labels: tuple[tuple[str, ...], ...] = ()
    label_documents: Mapping[tuple[str, ...], tuple[str, ...]] = dataclasses.field(default_factory=dict)
    label_weights: Mapping[tuple[str, ...], float] = dataclasses.field(default_factory=dict)
    others: tuple[tuple[str, ...], ...] = ()
    meanings: tuple[Meaning, ...] = ()
    beside: str = ""
    run: Pattern | None = None
    implied: tuple[Implication, ...] = ()
    named: Pattern | None = None
    paid: Pattern | None = None
    patterns: tuple[Pattern, ...] = ()
    cues: tuple[Pattern, ...] = ()
    words: tuple[Pattern, ...] = ()
    ticks: tuple[Pattern, ...] = ()
    negations: tuple[Pattern, ...] = ()
    titles: tuple[Pattern, ...] = ()
    tables: tuple[TableRule, ...] = ()
    records: tuple[RecordRule, ...] = ()
    derive: tuple[str, str] | None = None
    refers: tuple[Reference, ...] = ()
    headings: tuple[re.Pattern[str], ...] = ()
    sections: tuple[re.Pattern[str], ...] = ()
    letterhead: Mapping[str, float] = dataclasses.field(default_factory=dict)
    signature: Mapping[str, float] = dataclasses.field(default_factory=dict)
    below_signature: Mapping[str, float] = dataclasses.field(default_factory=dict)
    addressee: Mapping[str, float] = dataclasses.field(default_factory=dict)
    questions: tuple[Pattern, ...] = ()
    documents: Mapping[str, float] = dataclasses.field(default_factory=dict)
    shape: re.Pattern[str] | None = None
    reject: re.Pattern[str] | None = None
    split: re.Pattern[str] | None = None
    anchor: re.Pattern[str] | None = None
    items: tuple[re.Pattern[str], ...] = ()
    coded: tuple[str, str] | None = None
    standing: Standing | None = None
    in_full: tuple[tuple[re.Pattern[str], str], ...] = ()
    limits: tuple[float, float] | None = None
    needs: tuple[str, ...] = ()
    lasting: bool = False
    trust: float = 1.0
    each: tuple[str, ...] = ()
    own: tuple[str, ...] = ()
    too_late: tuple[str, tuple[str, ...]] | None = None
    changes: int = 0
    combine: Mapping[str, tuple[str, ...]] = dataclasses.field(default_factory=dict)
    parties: bool = False
    issuer: bool = False
    day_first: bool = False
    is_prose: bool = False
    most_words: int = 60
    must: re.Pattern[str] | None = None
    unless: re.Pattern[str] | None = None
    behind: re.Pattern[str] | None = None
    ahead: bool = False
    balance: tuple[re.Pattern[str], str] | None = None
    apart: str = ""
    in_heads: bool = False
    in_force: bool = False
    not_from: re.Pattern[str] | None = None
    not_under: re.Pattern[str] | None = None
    silence: Silence | None = None


@dataclass(frozen=True)
class DocumentRules:
    """One kind of document: how its title reads, what else tells it, where its own date is."""

    name: str
    titles: tuple[re.Pattern[str], ...] = ()
    cues: tuple[re.Pattern[str], ...] = ()
    dates: tuple[tuple[str, ...], ...] = ()
    has_entries: bool = False
    has_date_label: bool = True
    weight: float = 1.0


@dataclass(frozen=True)
class Lexicon:
    """All rules of one schema; `fingerprint` changes with the file or the schema."""

    schema: Schema
    fields: Mapping[str, FieldRules]
    documents: Mapping[str, DocumentRules]
    stops: tuple[tuple[str, ...], ...]
    fingerprint: str

    @cached_property
    def with_day_first(self) -> "Lexicon":
        """The same rules for a document that writes the day before the month."""
        fields = {key: dataclasses.replace(rules, day_first=True) for key, rules in self.fields.items()}
        return dataclasses.replace(self, fields=fields)

    @cached_property
    def tells_silence(self) -> bool:
        """Tell whether it says of any field what silence means."""
        return any(rules.silence is not None for rules in self.fields.values())

    @cached_property
    def labels(self) -> LabelTree:
        """Every label of every field, and the labels that only end another's value."""
        tree = LabelTree()
        for key, rules in self.fields.items():
            for label in rules.labels:
                tree.add(label, key)
            for meaning in rules.meanings:
                tree.add_meaning(meaning, key)
            for label in rules.others:
                tree.add(label, f"{OTHER}{key}")
            for record in rules.records:
                for spoken in record.members.values():
                    for label in spoken:
                        tree.add(label, "")
        for document in self.documents.values():
            for label in document.dates:
                tree.add(label, "")
        for text in _DATE_LABELS:
            tree.add(label_words(text), DATE_KEY)
        for stop in self.stops:
            tree.add(stop, "")
        return tree
