"""Clauses joined by "and", "or" and parentheses, read into one condition.

A clause by itself is the task of `clauses`, a query with words and an order that of `query_grammar`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from citation_pipeline.core.retrieval.conditions.clauses import ClauseReader, looks_conditional
from citation_pipeline.core.retrieval.conditions.condition import (
    AllOf,
    AnyOf,
    Condition,
    Conditions,
    NotUnderstoodError,
    SearchableField,
    leaves,
    negate,
)
from citation_pipeline.core.retrieval.conditions.lexing import Token, tokenize

_LEADERS = frozenset(
    (
        "claims",
        "claim",
        "cases",
        "every",
        "each",
        "find",
        "show",
        "list",
        "get",
        "all",
        "only",
        "me",
        "the",
        "any",
        "those",
    )
)


@dataclass(frozen=True)
class _Part:
    """Tokens between joiners; `joiner` is what stands before them: "", and, or, comma."""

    tokens: Sequence[Token]
    joiner: str


class Expression:
    """One text's clauses and how they are joined."""

    def __init__(self, text: str, fields: Sequence[SearchableField]) -> None:
        self._text = text
        self._by_path = {field.path: field for field in fields}
        phrases = {
            name
            for field in fields
            for name in (field.label, *field.names, *(m.replace("_", " ") for m in field.enum))
            if {"and", "or", "with", "that", "who"} & set(name.lower().split())
        }
        self._tokens = tokenize(text, phrases=phrases)
        self._reader = ClauseReader(text, fields)

    def whole(self) -> Conditions:
        """Return the condition that the whole text is."""
        found: Conditions = self._joined(self._tokens)
        return found

    def searched(self) -> tuple[Conditions | None, str]:
        """Return the condition in a search and the words that are searched for."""
        if any(token.kind in ("open", "close") for token in self._tokens):
            try:
                return self._joined(self._tokens), ""
            except NotUnderstoodError:
                if looks_conditional(self._tokens, self._reader):
                    raise
                return None, self._text.strip()
        words: list[str] = []
        where = self._joined(self._tokens, words=words)
        text = " ".join(word for word in words if word)
        if where is None:
            return None, self._text.strip()
        return where, "" if set(text.lower().split()) <= _LEADERS else text

    def _joined(self, tokens: Sequence[Token], *, words: list[str] | None = None) -> Any:
        """Return the condition of these tokens; parts that are none go to `words`, where that is given.

        A part that was meant as a condition never does, and none that is joined to a condition by "or" or
        that may be the rest of a name ("employer is Smith and Sons").
        """
        made: list[Conditions] = []
        joiners: list[str] = []
        carried: Condition | None = None
        parts = self._parts(tokens)
        for place, part in enumerate(parts):
            try:
                found, is_same_subject = self._unit(part, carried, is_search=words is not None)
            except NotUnderstoodError as error:
                is_rest = carried is not None and carried.kind == "string" and part.tokens[0].lower != "with"
                if words is None or is_rest or looks_conditional(part.tokens, self._reader):
                    raise
                if made and part.joiner == "or":
                    raise error
                words.append(self._reader.said(part.tokens))
                carried = None
                continue
            joiner = self._joiner_of(parts, place)
            if words and joiner == "or":
                said = words[-1]
                raise NotUnderstoodError(
                    f"{said!r} is no condition, and is joined to one by 'or'", words=said
                )
            if is_same_subject and made and joiner == "or":
                made[-1] = _either(made[-1], found)
            elif is_same_subject and made and _is_bare_value(part.tokens):
                said = self._reader.said(part.tokens)
                raise NotUnderstoodError(
                    f"{said!r} cannot be true beside the value before it",
                    words=said,
                    remedy="join values of one field with 'or'",
                )
            else:
                made.append(found)
                joiners.append(joiner)
            last = list(leaves(found))
            carried = last[-1] if last else None
        return self._combine(made, joiners[1:]) if made else None

    def _joiner_of(self, parts: Sequence[_Part], place: int) -> str:
        """Return and/or; a list's commas are what it ends with: `open, closed or reopened`."""
        part = parts[place]
        if part.joiner != "comma":
            return part.joiner
        ends = [later.joiner for later in parts[place + 1 :] if later.joiner != "comma"]
        return ends[0] if ends and _is_bare_value(part.tokens) else "and"

    def _combine(self, made: Sequence[Conditions], joiners: Sequence[str]) -> Conditions:
        kinds = set(joiners)
        if len(kinds) > 1:
            raise NotUnderstoodError(
                "'and' and 'or' are mixed without parentheses",
                words=self._text.strip(),
                remedy="write (A or B) and C, or A or (B and C)",
            )
        if len(made) == 1:
            return made[0]
        return AnyOf(tuple(made)) if kinds == {"or"} else AllOf(tuple(made))

    def _unit(self, part: _Part, carried: Condition | None, *, is_search: bool) -> tuple[Conditions, bool]:
        """Return a clause's condition, and whether it took its subject from the clause before."""
        tokens = list(part.tokens)
        if any(token.kind in ("open", "close") for token in tokens):
            return self._bracketed(tokens), False
        try:
            found = self._reader.read(tokens)
            if is_search:
                _check_sentence(found, tokens)
            return found, False
        except NotUnderstoodError as error:
            if carried is None:
                raise
            return self._shared(part, carried, error), True

    def _shared(self, part: _Part, carried: Condition, error: NotUnderstoodError) -> Conditions:
        """Read a clause that leaves its subject out: `… is open or closed`, `… over 5 and under 9`."""
        field = self._by_path[carried.path]
        tokens = list(part.tokens)
        starts = next((t for t in tokens if t.kind != "not" and t.lower not in ("is", "are", "was")), None)
        if starts is not None and starts.kind == "comparison":
            return self._reader.read(tokens, carried=field)
        if carried.operator == "!=" and part.joiner == "or" and _is_bare_value(tokens):
            raise _unclear_denial(carried)
        if carried.operator not in ("=", "between") or field.kind == "string" and tokens[0].kind != "quoted":
            raise error
        if any(token.kind == "not" for token in tokens):
            raise error
        return self._reader.read([_EQUALS, *tokens], carried=field)

    def _bracketed(self, tokens: Sequence[Token]) -> Conditions:
        negated = False
        rest = list(tokens)
        while rest and rest[0].kind == "not":
            negated, rest = not negated, rest[1:]
        inner = _inside(rest)
        if inner is None:
            said = self._reader.said(tokens)
            raise NotUnderstoodError(
                f"the parentheses of {said!r} are not understood",
                words=said,
                remedy="put whole conditions into them",
            )
        found = self._joined(inner)
        if negated and any(leaf.member for leaf in leaves(found)):
            said = self._reader.said(tokens)
            raise NotUnderstoodError(
                f"{said!r} denies what one item of a list meets",
                words=said,
                remedy="a condition on a list's items asks whether one of them meets it",
            )
        return negate(found) if negated else found

    def _parts(self, tokens: Sequence[Token]) -> list[_Part]:
        """Cut at joiners outside parentheses; the `and` of a between is none."""
        if tokens and tokens[0].kind in ("and", "or"):
            said = tokens[0].text
            raise NotUnderstoodError(f"nothing stands before {said!r}", words=said)
        parts: list[_Part] = []
        current: list[Token] = []
        joiner, depth = "", 0
        for token in tokens:
            depth += (token.kind == "open") - (token.kind == "close")
            if token.kind in ("and", "or", "comma") and depth == 0 and not _is_between(current, token):
                if current:
                    parts.append(_Part(tuple(current), joiner))
                    current, joiner = [], token.kind
                elif token.kind == "or" or joiner in ("", "comma"):
                    joiner = token.kind
                continue
            current.append(token)
        if current:
            parts.append(_Part(tuple(current), joiner))
        elif parts and joiner in ("and", "or"):
            said = tokens[-1].text
            raise NotUnderstoodError(f"nothing follows {said!r}", words=said)
        if not parts:
            raise NotUnderstoodError("there is no condition", words=self._text.strip())
        parts[0] = replace(parts[0], joiner="")
        return [part for part in parts if not self._is_leader(part, parts)] or parts

    def _is_leader(self, part: _Part, parts: Sequence[_Part]) -> bool:
        """Tell whether a part only introduces the next: `claims with …`, `show all claims where …`."""
        is_first = part is parts[0] and len(parts) > 1 and parts[1].joiner == "and"
        return is_first and all(token.lower in _LEADERS for token in part.tokens)


_EQUALS = Token("comparison", "=", 0, 0, "=")


def _check_sentence(found: Condition, tokens: Sequence[Token]) -> None:
    """Refuse a sentence as a condition: `the patient is improving` gives no name that a field could hold."""
    if found.kind != "string" or found.operator not in ("=", "!="):
        return
    value = str(found.value)
    if tokens[-1].kind != "quoted" and not (value[:1].isupper() or any(c.isdigit() for c in value)):
        raise NotUnderstoodError(
            f"{found.source!r} may be a condition or a sentence",
            words=found.source,
            remedy=f'write {found.path} is "{value}", or other words to search for',
        )


def _is_between(current: Sequence[Token], token: Token) -> bool:
    if token.lower != "and" or not current or current[-1].kind != "value" or len(current) < 2:
        return False
    return current[-2].kind == "comparison" and current[-2].symbol == "between"


def _is_bare_value(tokens: Sequence[Token]) -> bool:
    return not any(token.kind in ("comparison", "not") for token in tokens)


def _either(before: Conditions, found: Conditions) -> Conditions:
    """Join a value to the values before it; a denied one is refused: `is not open or closed` is unclear."""
    first = next(leaves(before))
    if first.operator == "!=" or any(leaf.operator == "!=" for leaf in leaves(found)):
        raise _unclear_denial(first)
    listed = before.parts if isinstance(before, AnyOf) else (before,)
    return AnyOf((*listed, found))


def _unclear_denial(condition: Condition) -> NotUnderstoodError:
    return NotUnderstoodError(
        f"{condition.source!r} with an 'or' after it can be read in two ways",
        words=condition.source,
        remedy="write 'is not A and is not B'",
    )


def _inside(tokens: Sequence[Token]) -> list[Token] | None:
    """Return what one pair of parentheses around all of it holds, else None."""
    if len(tokens) < 3 or tokens[0].kind != "open" or tokens[-1].kind != "close":
        return None
    depth = 0
    for place, token in enumerate(tokens):
        depth += (token.kind == "open") - (token.kind == "close")
        if depth == 0 and place < len(tokens) - 1:
            return None
    return list(tokens[1:-1]) if depth == 0 else None
