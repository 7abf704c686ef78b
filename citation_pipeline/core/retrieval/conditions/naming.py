"""Which field a few words name: every word must belong to one of the field's own names.

A name is the key, the label, category and label, or one of the schema's phrases for the field. Words that
say nothing of their own for a field's type may be left out ("liens" for Total Lien Amount), no others: "lien
status" never names Claim Status. Two fields that are named equally well are none.
"""

import difflib
from collections.abc import Iterable, Sequence
from functools import lru_cache

from citation_pipeline.core.retrieval.conditions.condition import NotUnderstoodError, SearchableField
from citation_pipeline.core.retrieval.terms import stem, words_of

_FILLERS = frozenset({"the", "a", "an", "of", "s", "their", "its", "his", "her", "any", "each", "every"})
_LEADING = frozenset(
    ("claim", "claims", "case", "cases", "all", "any", "find", "show", "list", "get", "give", "only", "me")
    + ("those", "ones", "have", "has", "had", "documents", "files", "matters", "the", "with")
)
# words that may be left out of a name, or be added to it, by the field's kind
_SPARE = {
    "number": frozenset({"total", "amount", "sum", "value", "percent", "percentage"}),
    "date": frozenset({"date", "day"}),
    "string": frozenset({"name", "full"}),
    "enum": frozenset({"current", "claim"}),
    "boolean": frozenset({"is", "has", "was", "are", "were"}),
    "array": frozenset({"list"}),
}
# words that many fields' labels hold: alone they name a field only where no other label holds them
_VAGUE = frozenset(
    ("total", "amount", "sum", "value", "date", "day", "name", "number", "status", "type", "description")
    + ("decision", "rate", "percent")
)
_KEY, _NAME, PHRASE, _SHORTENED, _MEMBER = range(5)
"""How well a name fits, best first; PHRASE: by one of the schema's phrases for the field alone."""


@lru_cache(maxsize=20_000)
def _stem(word: str) -> str:
    stemmed = stem(word)
    return stemmed.rstrip("y") if len(stemmed) > 4 else stemmed  # injured, injury


@lru_cache(maxsize=20_000)
def name_words(text: str) -> frozenset[str]:
    """Return the words of a name as they compare: stems, without articles and `of`."""
    return frozenset(_stem(word) for word in words_of(text.replace("_", " ")) if word not in _FILLERS)


@lru_cache(maxsize=2_000)
def _stems(words: frozenset[str]) -> frozenset[str]:
    return frozenset(_stem(word) for word in words)


@lru_cache(maxsize=5_000)
def _names(
    path: str, label: str, names: tuple[str, ...], enum: tuple[str, ...]
) -> tuple[tuple[int, frozenset[str]], ...]:
    members = {name_words(member) for member in enum}
    found = [(_NAME, name_words(path)), (_NAME, name_words(label))]
    for position, name in enumerate(names):
        words = name_words(name)
        negative = name.lower().startswith(("not ", "no "))  # "no liens" is what a document says, no name
        if words and words not in members and not negative:
            found.append((_NAME if position == 0 else PHRASE, words))
    return tuple(found)


def words_of_field(field: SearchableField) -> frozenset[str]:
    """Return every word of a field's names."""
    listed = _names(field.path, field.label, tuple(field.names), tuple(field.enum))
    return frozenset(word for _, words in listed for word in words)


def _level(wanted: frozenset[str], field: SearchableField) -> int | None:
    spare = _stems(_SPARE[field.kind])
    best = None
    for level, name in _names(field.path, field.label, tuple(field.names), tuple(field.enum)):
        if not name:
            continue
        if name == wanted:
            found = level
        elif (wanted < name and name - wanted <= spare) or (name < wanted and wanted - name <= spare):
            found = _MEMBER if field.member else _SHORTENED
        else:
            continue
        best = found if best is None else min(best, found)
    return best


def named(subject: str, fields: Iterable[SearchableField]) -> list[tuple[int, SearchableField]]:
    """Return the fields that the words of a subject name, each with how well (lower is better)."""
    listed = list(fields)
    asked = subject.strip().casefold()
    exact = [field for field in listed if field.path.casefold() == asked]
    if exact:
        return [(_KEY, exact[0])]
    words = subject.split()
    while words:
        wanted = name_words(" ".join(words))
        found = _all_named(wanted, listed) if wanted else []
        if found:
            return found
        if words[0].lower().strip(",") not in _LEADING:
            return []
        words = words[1:]
    return []


def _all_named(
    wanted: frozenset[str], fields: Sequence[SearchableField]
) -> list[tuple[int, SearchableField]]:
    if wanted <= _stems(_VAGUE):
        labels = [f for f in fields if wanted <= name_words(f.label.rpartition(":")[2])]
        living = [f for f in labels if f.has_values]
        return [(_NAME, field) for field in living or labels]
    return [(level, f) for f in fields if (level := _level(wanted, f)) is not None]


def best_of(found: Sequence[tuple[int, SearchableField]]) -> list[SearchableField]:
    """Return the fields that are named best.

    Of two that are named equally well, one that no claim has gives way to one of another schema that claims
    have; within one schema both stay, for which of them is meant is not known.
    """
    if not found:
        return []
    least = min(level for level, _ in found)
    best = [field for level, field in found if level == least]
    living = {field.schema for field in best if field.has_values}
    return [field for field in best if field.has_values or not living - {field.schema}]


def choose_field(name: str, fields: Sequence[SearchableField], *, argument: str = "field") -> SearchableField:
    """Return the one field that a key or a name means; raises NotUnderstoodError with the nearest names."""
    found = best_of(named(name, fields))
    if len(found) == 1:
        return found[0]
    if found:
        raise NotUnderstoodError(
            f"{len(found)} fields are called {name!r}",
            words=name,
            remedy="name one of " + ", ".join(field.path for field in found[:6]),
            argument=argument,
        )
    raise NotUnderstoodError(
        f"no field is called {name!r}",
        words=name,
        remedy=suggestion(name, fields),
        argument=argument,
        code="no_such_field" if argument in ("field", "group_by", "order_by") else "",
    )


def suggestion(name: str, fields: Sequence[SearchableField], *, kind: str = "") -> str:
    """Return the fields whose names are nearest to a name, as a sentence's end."""
    wanted = name_words(name)
    asked = name.casefold()

    def nearness(field: SearchableField) -> tuple[float, float]:
        shared = len(wanted & words_of_field(field)) / max(1, len(wanted))
        likeness = max(
            difflib.SequenceMatcher(None, asked, other.casefold()).ratio()
            for other in (field.path, field.label)
        )
        return (shared, likeness)

    fitting = [f for f in fields if not kind or f.kind == kind] or list(fields)
    ranked = sorted(fitting, key=nearness, reverse=True)
    return "name a field, such as " + ", ".join(f.path for f in ranked[:3]) if ranked else "name a field"
