"""Whether a clause is quoted without what turns it in its own sentence: a condition, who alleges it, a
question.

`the ferry leaves at dawn` of `If the mooring holds, the ferry leaves at dawn.` is printed letter by letter,
and says more than the page. A name, a date or an amount says nothing of the kind: only what states something,
or is right behind `failed to` or `instead of`, is looked at. `words/turns.txt` holds the words and how far
they reach.
"""

import re
from collections.abc import Sequence

from citation_pipeline.core.matching.clauses import bare
from citation_pipeline.core.matching.folding import is_unspaced, spell
from citation_pipeline.core.matching.index import DocumentIndex
from citation_pipeline.core.matching.retractions import is_taken_back
from citation_pipeline.core.matching.sentence_parts import SentencePart
from citation_pipeline.core.matching.turn_places import ASKED, FAR, first_behind, last_before, turn_places
from citation_pipeline.core.matching.turned_before import PartBehindTurns
from citation_pipeline.core.matching.turned_behind import PartBeforeTurns
from citation_pipeline.core.matching.turns import condition_endings, interrogatives_of, stands_at
from citation_pipeline.core.matching.unspaced_turns import (
    language_of_unspaced,
    takes_back,
    turns_unspaced,
)

TURNED = "turn_left_out"
"""The code of a clause quoted without what turns it."""

_NEAR, _BEHIND = 5, 9  # words right before and behind a place that are looked at
_OPENERS = 2  # words between the verb that begins a question and what is quoted
_LEAST_UNSPACED = 4  # characters of a clause of a script without spaces
_ASKING = """
who whom whose what which when where why how is are was were am do does did has have had can could will would
shall should may might must
"""
_STOPS = ("。", "！", ".", "!")
_STOP = re.compile("[。！.!]")
_CLOSING = "”’」』\"'"
_MOST_BEHIND, _FAR_BEHIND = 8, 40  # words and characters behind a sentence of a script without spaces
_QUESTION_WORDS = frozenset(_ASKING.split())
_VERB_SECOND = frozenset(("de", "nl", "fr"))
"""Languages in which a verb that begins a sentence shows that it asks."""


class QuestionPart(SentencePart):
    """A quoted part of a question."""

    def is_turned(self) -> bool:
        """Tell whether a part of a question is quoted that reads as a statement."""
        if (
            self.tail() != self.first
            or not self.is_asked()
            or bare(self.index, self.first) in _QUESTION_WORDS
        ):
            return False
        if not self.before:
            return self._is_told_alike() and self.is_told()
        if (
            len([word for word in self.before if len(self.keys[word]) > 1]) <= _OPENERS
            and self._is_clause_like()
        ):
            return True
        return self.is_told()

    def _is_told_alike(self) -> bool:
        """Tell whether only its mark shows that a whole sentence asks."""
        said = bare(self.index, self.first).lstrip("¿")
        if self.is_english or said in interrogatives_of(self.language):
            return False
        return not (self.language in _VERB_SECOND and said in self.verbs)

    def _is_clause_like(self) -> bool:
        keyed = [word for word in range(self.first, self.last + 1) if self.keys[word]]
        plain = [w for w in keyed if self.texts[w][:1].isalpha() and not self.texts[w][:1].isupper()]
        return len(plain) >= 2


_Look = type[PartBehindTurns] | type[PartBeforeTurns] | type[QuestionPart]


def is_turned(
    index: DocumentIndex, first: int, last: int, *, asks: bool = False, around: tuple[str, str] = ("", "")
) -> bool:
    """Tell whether the words [first, last] say more than their sentence.

    `asks` says that they are quoted as a question; `around` is what a quotation leaves out of its first and
    last word.
    """
    if not index.keys[first].isascii():
        if _is_turned_unspaced(SentencePart(index, first, last), *around):
            return True
        if is_unspaced(index.words.texts[first]):
            return False
    if is_taken_back(index, last) and SentencePart(index, first, last).is_sentence():
        return True
    # where cells part is looked at only where it matters: most of what is near turns nothing
    return any(
        all(kind(index, first, last, near, in_cell=in_cell).is_turned() for in_cell in (False, True))
        for kind, near in _sides(index, first, last)
        if not (asks and kind is QuestionPart)
    )


def _sides(index: DocumentIndex, first: int, last: int) -> list[tuple[_Look, bytes]]:
    """Return how a clause may be turned, each with the word near it that may: of most quotations none."""
    places, keys = turn_places(index), index.keys
    found: list[tuple[_Look, bytes]] = []
    before = max(last_before(places.far, first, FAR), last_before(places.near, first, _NEAR))
    if before >= 0 and last_before(places.ends, first, first - before) < 0:
        found.append((PartBehindTurns, keys[before]))
    behind = first_behind(places.behind, last, _BEHIND)
    if behind > last and first_behind(places.ends, last - 1, behind - last) < 0:
        found.append((PartBeforeTurns, keys[behind]))
    if first_behind(places.asked, last - 1, ASKED) >= last:
        found.append((QuestionPart, b""))
    return found


def _is_turned_unspaced(clause: SentencePart, lead: str, tail: str) -> bool:
    """Tell whether what is around a clause of a script without spaces turns it.

    `lead` and `tail` are left out of its first and last word.
    """
    if sum(len(spell(clause.texts[word])) for word in range(clause.first, clause.last + 1)) < _LEAST_UNSPACED:
        return False
    before = "".join(clause.texts[word] for word in reversed(clause.before)) + lead
    behind = tail + "".join(clause.texts[word] for word in clause.behind)
    if clause.before and clause.texts[clause.before[0]].rstrip(",").endswith(condition_endings()):
        return True
    quoted = "".join(clause.texts[word] for word in range(clause.first, clause.last + 1))
    quoted = quoted[len(lead) : len(quoted) - len(tail)]
    return turns_unspaced(before, quoted, behind) or _is_taken_back(clause, before + quoted, tail)


def _is_taken_back(clause: SentencePart, said: str, tail: str) -> bool:
    """Tell whether the next sentence takes a clause of a script without spaces back."""
    high = clause.behind[-1] if clause.behind else clause.last
    page = clause.index.words.page
    rest, word = tail, clause.last + 1
    # a word is a character here, or a line
    while word < len(clause.texts) and (word < high + _MOST_BEHIND or len(rest) < _FAR_BEHIND):
        if page.item(word) != page.item(clause.last):
            break
        rest += clause.texts[word]
        word += 1
    if not said.endswith(_STOPS) and tail[:1] not in _STOPS:
        stop = _STOP.search(rest)
        if stop is None:
            return False
        rest = rest[stop.end() :]
    return takes_back(language_of_unspaced(said), rest.lstrip("".join(_STOPS) + _CLOSING))


def hides_teller(index: DocumentIndex, head: Sequence[int], gap: Sequence[int], tail: Sequence[int]) -> bool:
    """Tell whether an ellipsis leaves out who says what is quoted behind it.

    `The cook told the maid that the soup is hot` does not say what `the maid ... the soup is hot` says.
    """
    if not head or not tail or not gap:
        return False
    clause = SentencePart(index, head[0], tail[-1])
    if clause.language == "ar" and any(
        clause.turns.has(kind, index.keys[word]) for word in gap for kind in ("condition", "limit")
    ):
        return True
    is_begun = clause.turns.has("that", index.keys[gap[-1]]) or clause.turns.has("asked", index.keys[gap[-1]])
    return is_begun and not clause.states(head[0], head[-1]) and clause.states(tail[0], tail[-1])


def hides_condition(
    index: DocumentIndex, head: Sequence[int], gap: Sequence[int], tail: Sequence[int]
) -> bool:
    """Tell whether an ellipsis leaves out what holds the clause beside it under a condition, or denies it.

    Of a gap with whole sentences inside only its first and its last part are of a quoted clause's sentence.
    """
    if not head or not tail or not gap:
        return False
    ends = turn_places(index).ends
    first, last = (
        first_behind(ends, gap[0] - 1, gap[-1] - gap[0] + 1),
        last_before(ends, gap[-1] + 1, len(gap)),
    )
    is_parted = gap[0] <= first <= gap[-1]
    if is_parted and last < gap[-1] and is_turned(index, tail[0], tail[-1]):
        return True
    clause = SentencePart(index, head[0], tail[-1])
    is_ended = last_before(ends, gap[0], 1) == gap[0] - 1  # what is before it is a sentence of its own
    beside = [word for word in gap if not is_parted or word > last or (word <= first and not is_ended)]
    return any(
        (kind == "condition" or (kind == "opening" and _opens(index, word)))
        and stands_at(index, word, phrase)
        and not _is_vague(clause, word, len(phrase))
        for word in beside
        for phrase, kind in clause.turns.starts.get(index.keys[word], ())
    )


def _opens(index: DocumentIndex, word: int) -> bool:
    """Tell whether a word begins its sentence, or is behind a comma."""
    texts = index.words.texts
    return texts[word][:1].isupper() or texts[max(0, word - 1)].endswith((",", "،"))


def _is_vague(clause: SentencePart, word: int, length: int) -> bool:
    """Tell whether a condition is none: `if any`, `even if`, or a Portuguese verb's `se`."""
    beside = (clause.keys[max(0, word - 1)], clause.keys[min(word + length, len(clause.keys) - 1)])
    return clause.is_reflexive(word) or any(clause.turns.has("vague", key) for key in beside)
