"""What a document is, from its content alone: titles, layout words and labels, each with a weight.

A word like "email" or "order" is in anything; what counts is how much different evidence points one way, and
how much less points any other. Where that does not decide, the kind is unknown. The kinds and their weights
are `schemas/kinds/documents.json`; which schema reads which kind is there too.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from itertools import zip_longest

from citation_pipeline.core.documents.literals import plain_form, required_literals
from citation_pipeline.core.documents.parsed import ParsedDocument
from citation_pipeline.core.failures import PipelineError

UNKNOWN = ""
"""The kind of a document that nothing sufficiently points at."""

# evidence of a long document is on its first pages; what is quoted further on is about other papers
_READ = 12_000
_HEAD_LINES, _TITLE_WORDS = 14, 9
# a title's words inside a sentence say what the text is about, not what it is
_IN_PASSING = 0.35


class KindsError(PipelineError, ValueError):
    """Kinds of documents that cannot be read; says which entry."""


@dataclass(frozen=True, slots=True)
class Expression:
    """What to search a text for, the weight of finding it, and strings one of which every match holds."""

    pattern: re.Pattern[str]
    weight: float
    literals: frozenset[str]

    def may_be_in(self, plain: str) -> bool:
        """Tell whether a text, in its plain form, may match; most cannot, which is cheaply said."""
        return not self.literals or any(literal in plain for literal in self.literals)


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of document: its schema, and expressions with the weight of finding each."""

    name: str
    schema: str
    title: str
    titles: tuple[Expression, ...]
    words: tuple[Expression, ...]
    against: tuple[Expression, ...] = ()


@dataclass(frozen=True, slots=True)
class Kinds:
    """All kinds; one is believed from `threshold` on, and `margin` before the next one of another schema.

    `cases` are the schemas whose documents speak of one case together.
    """

    kinds: tuple[Kind, ...]
    threshold: float
    margin: float
    cases: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Classification:
    """A document's kind (empty when unknown), its schema, and how much evidence there was.

    `confidence` in 0-1 is the share of this kind's evidence in that of the two schemas that fit best.
    """

    kind: str
    schema: str
    score: float
    confidence: float


def read_kinds(raw: Mapping[str, object]) -> Kinds:
    """Return the kinds that the data file describes; raises KindsError naming what is wrong."""
    entries = raw.get("kinds")
    if not isinstance(entries, Mapping):
        raise KindsError("the kinds of documents need an object `kinds`")
    return Kinds(
        tuple(_read_kind(name, entry) for name, entry in entries.items()),
        float(str(raw.get("threshold", 3.0))),
        float(str(raw.get("margin", 0.7))),
        frozenset(_texts(raw.get("cases", ()))),
    )


@cache
def shipped_kinds() -> Kinds:
    """Return the kinds that the package knows."""
    folder = resources.files("citation_pipeline.schemas") / "kinds"
    return read_kinds(json.loads((folder / "documents.json").read_text(encoding="utf-8")))


def _texts(raw: object) -> list[str]:
    if not isinstance(raw, list | tuple) or not all(isinstance(text, str) for text in raw):
        raise KindsError("`cases` must be a list of schemas' names")
    return [str(text) for text in raw]


def _read_kind(name: str, entry: Mapping[str, object]) -> Kind:
    def weighed(part: str) -> tuple[Expression, ...]:
        listed = entry.get(part, {})
        if not isinstance(listed, Mapping):
            raise KindsError(f"{name}: {part} must map expressions to weights")
        try:
            return tuple(
                Expression(re.compile(text, re.IGNORECASE), float(weight), required_literals(text))
                for text, weight in listed.items()
            )
        except (re.error, TypeError, ValueError) as error:
            raise KindsError(f"{name}: {part}: {error}") from error

    return Kind(
        name=name,
        schema=str(entry.get("schema", "generic")),
        title=str(entry.get("name", name)),
        titles=weighed("titles"),
        words=weighed("words"),
        against=weighed("against"),
    )


def classify(document: ParsedDocument, kinds: Kinds) -> Classification:
    """Return what a document is."""
    return classify_text(document.text, kinds)


def classify_text(text: str, kinds: Kinds) -> Classification:
    """Return what a text is; all that is known of a document for this is its normalized text."""
    read = text[:_READ]
    head = list(_head(read))
    plain = plain_form(read)
    scores = sorted(
        ((_score(kind, head, read, plain), kind) for kind in kinds.kinds), key=lambda pair: -pair[0]
    )
    best, kind = scores[0]
    # kinds of one schema support each other: which of them it is matters less
    rival = max((score for score, other in scores if other.schema != kind.schema), default=0.0)
    confidence = best / (best + max(rival, 0.0)) if best > 0 else 0.0
    if best < kinds.threshold or best - rival < kinds.margin:
        return Classification(UNKNOWN, "", round(best, 2), round(confidence, 3))
    return Classification(kind.name, kind.schema, round(best, 2), round(confidence, 3))


def _head(text: str) -> Iterator[str]:
    """Yield the first lines that could be titles, and each with the one below it."""
    lines = [" ".join(line.split()) for line in text.split("\n")]
    lines = [line for line in lines if line][:_HEAD_LINES]
    for line, below in zip_longest(lines, lines[1:], fillvalue=""):
        for one in (line, f"{line} {below}"):
            if len(one.split()) <= _TITLE_WORDS and not one.endswith((",", ";")):
                yield one


def _score(kind: Kind, head: Sequence[str], text: str, plain: str) -> float:
    score = 0.0
    for title in kind.titles:
        # a line of the head is two of the text's, joined: what it may match need not stand in the text
        covers = [_share(match, line) for line in head if (match := title.pattern.search(line))]
        if covers:
            score += title.weight * max(covers)
        elif _stands(title, text, plain):
            score += title.weight * _IN_PASSING
    score += sum(word.weight for word in kind.words if _stands(word, text, plain))
    return score - sum(word.weight for word in kind.against if _stands(word, text, plain))


def _stands(expression: Expression, text: str, plain: str) -> bool:
    return expression.may_be_in(plain) and expression.pattern.search(text) is not None


def _share(match: re.Match[str], line: str) -> float:
    """Return how much of a line a title is: all of it says most."""
    return max(_IN_PASSING, min(1.0, 0.4 + (match.end() - match.start()) / max(len(line), 1)))
