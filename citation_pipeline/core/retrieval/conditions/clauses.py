"""One clause as one condition: `total paid not over 10,000`, `claim status is open`, `not litigated`.

    clause = subject [is] [not] comparison value | comparison value [in] subject | [not] [is] yes-or-no

Every place where a comparison could be is tried. One reading that takes every word is the condition; none, or
two that differ, is a refusal that names the words.
"""

from collections.abc import Sequence

from citation_pipeline.core.retrieval.conditions.condition import (
    OPPOSITE,
    Condition,
    NotUnderstoodError,
    SearchableField,
    fold_value,
)
from citation_pipeline.core.retrieval.conditions.lexing import WEAK, Token
from citation_pipeline.core.retrieval.conditions.naming import PHRASE, best_of, name_words, named, suggestion
from citation_pipeline.core.retrieval.conditions.readings import Reading, read_value
from citation_pipeline.core.retrieval.conditions.strays import (
    is_stray,
    may_count_items,
    speaks_of_all,
    stray_name,
    stray_sign,
)

_AUXILIARIES = frozenset(
    ("is", "are", "was", "were", "be", "been", "being", "does", "do", "did", "has", "have", "had")
)
_KIND_WORDS = {
    "number": "a number",
    "date": "a date",
    "boolean": "yes or no",
    "array": "a list",
    "string": "words",
    "enum": "one of its values",
}


class ClauseReader:
    """Reads clauses of one text over the fields that may be named."""

    def __init__(self, text: str, fields: Sequence[SearchableField]) -> None:
        self._text, self._fields = text, fields

    def read(self, tokens: Sequence[Token], *, carried: SearchableField | None = None) -> Condition:
        """Return the condition of a clause; `carried` is the subject of the clause before."""
        found: dict[str, Condition] = {}
        problems: list[tuple[int, NotUnderstoodError]] = []
        for place, token in enumerate(tokens):
            if token.kind != "comparison":
                continue
            try:
                condition = self._compare(tokens, place, carried)
            except NotUnderstoodError as error:
                problems.append((_weight(token, tokens, place), error))
            else:
                found.setdefault(str(condition), condition)
        other = None if found else self._yes_or_no(tokens) or self._kind_of_claim(tokens)
        if other is not None:
            found[str(other)] = other
        if len(found) == 1:
            return next(iter(found.values()))
        said = self.said(tokens)
        if found:
            raise NotUnderstoodError(
                f"{said!r} can be read as {' and as '.join(repr(key) for key in found)}",
                words=said,
                remedy="write FIELD COMPARISON VALUE with the field's key",
            )
        if problems:
            raise max(problems, key=lambda pair: pair[0])[1]
        raise NotUnderstoodError(
            f"{said!r} is no condition",
            words=said,
            remedy="write FIELD COMPARISON VALUE, such as 'total paid over 5000' or 'claim status is open'",
        )

    def said(self, tokens: Sequence[Token]) -> str:
        """Return the words of some tokens as they were written."""
        return self._text[tokens[0].start : tokens[-1].end].strip() if tokens else ""

    def field_named(self, tokens: Sequence[Token]) -> bool:
        """Tell whether words name a field by its key or label, whatever its type."""
        left, _ = _without_auxiliaries(tokens)
        return bool(left) and any(level != PHRASE for level, _ in named(self.said(left), self._fields))

    def may_name(self, tokens: Sequence[Token]) -> bool:
        """Tell whether words name a field in any way, as one of its phrases too."""
        return bool(tokens) and bool(named(self.said(tokens), self._fields))

    def _compare(self, tokens: Sequence[Token], place: int, carried: SearchableField | None) -> Condition:
        token = tokens[place]
        left, negated = _without_auxiliaries(tokens[:place])
        right = list(tokens[place + 1 :])
        if token.lower in WEAK and not _is_weak_use(token, right):
            said = self.said(tokens)
            raise NotUnderstoodError(f"{said!r}: no value follows {token.text!r}", words=said)
        if right and right[0].kind == "not":
            negated, right = not negated, right[1:]
        if token.symbol in ("missing", "present") and not tokens[:place]:
            raise NotUnderstoodError(f"{token.text!r} compares nothing", words=token.text)
        if left:
            fields = named(self.said(left), self._fields)
            if not fields:
                words = self.said(left)
                raise NotUnderstoodError(
                    f"no field is called {words!r}", words=words, remedy=suggestion(words, self._fields)
                )
        elif carried is not None:
            fields = [(0, carried)]
        else:
            return self._turned(tokens, token, right, negated)
        return self._chosen(tokens, token, right, negated, fields)

    def _turned(
        self, tokens: Sequence[Token], token: Token, right: Sequence[Token], negated: bool
    ) -> Condition:
        """Read `over 5,000 in liens`, whose subject comes last."""
        cut = 1
        subject = list(right[cut:])
        is_amount = bool(right) and any(sign in right[0].text for sign in "$%")
        if subject and subject[0].lower in ("in", "of", "for"):
            is_amount = is_amount or subject[0].lower != "of"
            subject = subject[1:]
        if right and right[0].kind == "value" and right[0].period is None and not is_amount:
            raise _countable(self.said(tokens))
        if not right or right[0].kind != "value" or not subject:
            said = self.said(tokens)
            raise NotUnderstoodError(
                f"{said!r} names no field", words=said, remedy="put the field before the comparison"
            )
        words = self.said(subject)
        fields = named(words, self._fields)
        if not fields or any(each.kind not in ("word", "comparison") for each in subject):
            raise NotUnderstoodError(
                f"no field is called {words!r}", words=words, remedy=suggestion(words, self._fields)
            )
        return self._chosen(tokens, token, right[:cut], negated, fields)

    def _chosen(
        self,
        tokens: Sequence[Token],
        token: Token,
        right: Sequence[Token],
        negated: bool,
        named_fields: Sequence[tuple[int, SearchableField]],
    ) -> Condition:
        stray = stray_sign(tokens, token) or stray_name(right, self._fields)
        if stray:
            said = self.said(tokens)
            raise NotUnderstoodError(
                f"{said!r}: {stray!r} is not understood",
                words=stray,
                remedy="quote words that belong together",
            )
        if may_count_items(tokens, token, self._fields):
            raise _countable(self.said(tokens))
        readings = {
            field.path: (level, field, reading)
            for level, field in named_fields
            if (reading := read_value(token, right, field, self._text)) is not None
        }
        fitting = best_of([(level, field) for level, field, _ in readings.values()])
        if not fitting:
            raise self._unfit(token, right, [field for _, field in named_fields])
        if len(fitting) > 1:
            said = self.said(tokens)
            raise NotUnderstoodError(
                f"{said!r} could mean {len(fitting)} fields",
                words=said,
                remedy="name one of " + ", ".join(field.path for field in fitting[:6]),
            )
        if speaks_of_all(tokens, fitting[0], self._fields):
            said = self.said(tokens)
            raise NotUnderstoodError(
                f"{said!r} speaks of all items, and a condition is met by one",
                words=said,
                remedy="a condition on a list's items asks whether one of them meets it",
            )
        return _condition(fitting[0], readings[fitting[0].path][2], negated, self.said(tokens))

    def _unfit(
        self, token: Token, right: Sequence[Token], fields: Sequence[SearchableField]
    ) -> NotUnderstoodError:
        words = self.said([token, *right])
        first = fields[0]
        if first.kind == "enum":
            remedy = f"{first.path} is one of " + ", ".join(first.enum)
        elif first.kind == "string":
            remedy = f"{first.path} holds words: write is, is not or contains, and quote longer words"
        else:
            remedy = f"{first.path} holds {_KIND_WORDS[first.kind]}"
        return NotUnderstoodError(
            f"{words!r} is not understood after {first.label!r}", words=words, remedy=remedy
        )

    def _yes_or_no(self, tokens: Sequence[Token]) -> Condition | None:
        """Read `is litigated`, `not litigated`, `has no mmi date`: a subject without a comparison."""
        rest, negated = list(tokens), False
        has = False
        while rest and (rest[0].kind == "not" or rest[0].lower in (*_AUXILIARIES, "no", "without")):
            if rest[0].kind == "not" or rest[0].lower in ("no", "without"):
                negated = not negated
            has = has or rest[0].lower in ("has", "have", "had")
            rest = rest[1:]
        if not rest or any(token.kind not in ("word", "comparison", "not") for token in rest):
            return None
        if any(not token.text[0].isalnum() or is_stray(token) for token in rest):
            return None  # "!litigated", "-litigated"
        for subject, flipped in _inner_not(rest):
            found = named(self.said(subject), self._fields)
            booleans = best_of([(level, field) for level, field in found if field.kind == "boolean"])
            if len(booleans) == 1:
                reading = Reading("=", True)
                return _condition(booleans[0], reading, negated != flipped, self.said(tokens))
            best = best_of(found)
            if has and len(best) == 1 and best[0].kind != "array":  # an empty list is a value: "no liens"
                return _condition(best[0], Reading("present"), negated, self.said(tokens))
        return None

    def _kind_of_claim(self, tokens: Sequence[Token]) -> Condition | None:
        """Read `open claims`: a value of the one list of values that is called a claim's."""
        if len(tokens) < 2 or tokens[-1].lower not in ("claim", "claims"):
            return None
        rest = [token for token in tokens[:-1] if token.kind != "not"]
        said = fold_value(self.said(rest)) if rest else ""
        found = [
            (field, member)
            for field in self._fields
            if field.kind == "enum" and "claim" in name_words(field.label)
            for member in field.enum
            if fold_value(member) == said
        ]
        if len(found) != 1:
            return None
        negated = len(rest) < len(tokens) - 1
        return _condition(found[0][0], Reading("=", found[0][1]), negated, self.said(tokens))


def _countable(said: str) -> NotUnderstoodError:
    return NotUnderstoodError(
        f"{said!r} may be a count of items or a sum",
        words=said,
        remedy="put the field's key before the comparison, or write the sum with $",
    )


def _inner_not(rest: Sequence[Token]) -> list[tuple[list[Token], bool]]:
    """Return the words without a `not` or `is` among them: `worker is not represented`."""
    plain = [token for token in rest if token.kind != "not" and token.lower not in _AUXILIARIES]
    negations = sum(token.kind == "not" for token in rest)
    tries = [(list(rest), False)] if not negations else []
    return [*tries, (plain, negations % 2 == 1)] if plain else tries


def _condition(field: SearchableField, reading: Reading, negated: bool, source: str) -> Condition:
    operator = OPPOSITE[reading.operator] if negated else reading.operator
    value = reading.value
    if operator == "!=" and isinstance(value, bool):
        operator, value = "=", not value
    return Condition(field.key, field.label, operator, value, reading.upper, source, field.member, field.kind)


def _without_auxiliaries(left: Sequence[Token]) -> tuple[list[Token], bool]:
    """Return the words before a comparison without their `is not`, and whether they denied."""
    rest, negated = list(left), False
    while rest and (rest[-1].kind == "not" or rest[-1].lower in _AUXILIARIES):
        if rest[-1].kind == "not":
            negated = not negated
        rest.pop()
    return rest, negated


def _is_weak_use(token: Token, right: Sequence[Token]) -> bool:
    """Tell whether `of`, `in`, `on` or `from` is followed by a value that it can compare with."""
    after = [each for each in right if each.kind != "not"]
    if not after or after[0].kind != "value":
        return False
    if token.lower == "from" and len(after) == 3:  # from 5 to 10
        return True
    return after[0].period is not None or token.lower == "of"


def _weight(token: Token, tokens: Sequence[Token], place: int) -> int:
    """Return how telling a refused comparison is: that of the strongest is shown."""
    follows = tokens[place + 1].kind if place + 1 < len(tokens) else ""
    strong = token.lower not in WEAK and token.symbol != "="
    return (2 if strong else 1 if token.symbol == "=" and token.lower not in WEAK else 0) + (
        1 if follows == "value" else 0
    )


def looks_conditional(tokens: Sequence[Token], reader: ClauseReader) -> bool:
    """Tell whether words that could not be read were meant as a condition: a comparison with a value in them.

    Such words are refused, others are searched for.
    """
    for place, token in enumerate(tokens):
        if token.kind == "post":
            return True
        if token.kind != "comparison":
            continue
        right = [each for each in tokens[place + 1 :] if each.kind != "not"]
        denied = len(right) < len(tokens) - place - 1
        if not token.text[0].isalpha() and token.text != ":" and reader.may_name(tokens[:place]):
            return True  # "litigated = maybe": a sign is no part of a sentence
        strong = token.symbol != "=" and token.lower not in WEAK
        if strong and ((right and right[0].kind == "value") or reader.field_named(tokens[:place])):
            return True
        is_copula = token.symbol in ("=", "!=", "contains", "does not contain", "missing", "present")
        if is_copula and token.lower not in WEAK and reader.field_named(tokens[:place]):
            return True
        if denied and token.lower not in WEAK and right and right[0].kind in ("value", "comparison"):
            return True
    return any(
        token.kind == "not" and place + 1 < len(tokens) and tokens[place + 1].kind == "comparison"
        for place, token in enumerate(tokens)
    )
