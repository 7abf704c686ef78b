"""Whether an ellipsis joins what one clause begins to what another one ends: a subject to another's verb, a
verb to another's object.

`The mill was sold and the barn was burnt` does not say that the mill was burnt. What shows it, in any
language with such words, is a noun of its own right before the verb that is quoted, behind a joining word
and a verb that are left out.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache

from citation_pipeline.core.matching.folding import fold
from citation_pipeline.core.matching.index import DocumentIndex
from citation_pipeline.core.matching.numerals import has_digit
from citation_pipeline.core.matching.stated_values import states_a_value
from citation_pipeline.core.matching.vocabulary import NEGATIONS, lines_of
from citation_pipeline.core.matching.written_words import AROUND, CLAUSE_ENDS, OPENING

_MOST_LEFT_OUT = 40  # words of a gap in which one clause is told from the next
_LONGEST_SUBJECT = 8  # words
_BEFORE = 8  # words before a gap among which the verb of its clause is
_LEAST_ENDING = 4  # letters of a word that is told by its ending


@dataclass(slots=True)
class _Grammar:
    """The closed words of a language, by what they do."""

    joins: set[str] = field(default_factory=set)
    verbs: set[str] = field(default_factory=set)
    endings: set[str] = field(default_factory=set)
    nouns: set[str] = field(default_factory=set)
    relative: set[str] = field(default_factory=set)
    links: set[str] = field(default_factory=set)
    adverbs: set[str] = field(default_factory=set)

    def is_closed(self, word: str) -> bool:
        """Tell whether a word is none that names or tells anything."""
        return any(word in kind for kind in (self.joins, self.nouns, self.relative, self.links, self.adverbs))


@cache
def _languages() -> dict[str, _Grammar]:
    found: dict[str, _Grammar] = {}
    for line in lines_of("clauses.txt"):
        head, _, words = line.partition(":")
        language, kind = head.split()
        getattr(found.setdefault(language, _Grammar()), kind).update(words.split())
    return found


@cache
def _grammars() -> tuple[_Grammar, ...]:
    return tuple(_languages().values())


@cache
def articles_of(language: str) -> frozenset[bytes]:
    """Return the keys of the articles and pronouns of a language."""
    known = _languages().get(language)
    return frozenset(map(fold, known.nouns)) if known else frozenset()


@cache
def verbs_of(language: str) -> frozenset[str]:
    """Return the commonest finite verbs of a language, in small letters."""
    return frozenset(_languages()[language].verbs) if language in _languages() else frozenset()


@cache
def closed_words() -> dict[str, frozenset[str]]:
    """Return the closed words and commonest finite verbs of each language, in small letters."""
    return {
        language: frozenset().union(
            each.joins, each.verbs, each.nouns, each.relative, each.links, each.adverbs
        )
        for language, each in _languages().items()
    }


@cache
def finite_verbs() -> frozenset[str]:
    """Return the commonest finite verbs of all languages, in small letters."""
    return frozenset(verb for grammar in _grammars() for verb in grammar.verbs)


def is_finite(index: DocumentIndex, word: int) -> bool:
    """Tell whether a word is one of the commonest finite verbs, or a finite one by its ending and object."""
    if bare(index, word) in finite_verbs():
        return True
    around = _Joint(index, word, (), word)
    return any(around.is_sure_verb(grammar, word) for grammar in _grammars())


def bare(index: DocumentIndex, word: int) -> str:
    """Return a printed word in small letters, without marks around it."""
    return _bared(index.words.texts[word])


@lru_cache(maxsize=8192)
def _bared(text: str) -> str:
    return text.strip(AROUND).casefold().replace("’", "'")


def misjoins(index: DocumentIndex, gap: Sequence[int], tail: Sequence[int]) -> bool:
    """Tell whether what is quoted behind a gap says something of another than what is quoted before it."""
    low, high = gap[0], gap[-1] + 1
    words = [word for word in gap if index.keys[word]]
    if not low or high >= len(index.keys) or not words or len(words) > _MOST_LEFT_OUT:
        return False
    # over the end of a page the head of the next is no part of the sentence
    if index.words.page[low - 1] != index.words.page[high]:
        return False
    joint = _Joint(index, low, words, high)
    return any(joint.has_another_subject(each) or joint.repeats_link(each) for each in _grammars()) or (
        joint.begins_another_clause(tail)
    )


def hides_clause(index: DocumentIndex, gap: Sequence[int]) -> bool:
    """Tell whether a clause with a subject of its own begins among the words that a gap leaves out."""
    words = [word for word in gap if index.keys[word]]
    if not words or not gap[0] or gap[-1] + 1 >= len(index.keys) or len(words) > _MOST_LEFT_OUT:
        return False
    joint = _Joint(index, gap[0], words, gap[-1] + 1)
    return joint.goes_on() and any(joint.has_clause(each) for each in _grammars())


def parts_figures(index: DocumentIndex, gap: Sequence[int]) -> bool:
    """Tell whether a gap leaves out a figure and whose the figure behind it is: `3 cm and the other` of `One
    arm is ... 5 cm`."""
    high = gap[-1] + 1
    if high >= len(index.keys) or len(gap) > _MOST_LEFT_OUT or not states_a_value(index.words.texts[high]):
        return False
    last = max((word for word in gap if states_a_value(index.words.texts[word])), default=high)
    return any(
        index.words.texts[word - 1].endswith((",", *CLAUSE_ENDS)) or bare(index, word - 1) in _joining_words()
        for word in range(last + 1, high)
        if bare(index, word).isalpha()
    )


@cache
def _joining_words() -> frozenset[str]:
    return frozenset(word for grammar in _grammars() for word in grammar.joins)


class _Joint:
    """The words around an ellipsis: those left out, what is quoted before `low` and from `high` on."""

    def __init__(self, index: DocumentIndex, low: int, gap: Sequence[int], high: int) -> None:
        self.index, self.low, self.gap, self.high = index, low, gap, high
        self.texts = index.words.texts

    def goes_on(self) -> bool:
        """Tell whether what is quoted behind the gap begins no sentence: it has a small letter."""
        return self.texts[self.high].lstrip(OPENING)[:1].islower()

    def has_another_subject(self, grammar: _Grammar) -> bool:
        """Tell whether a noun right before the quoted verb is left out, with a verb of what is quoted."""
        verb = self.high
        while verb + 1 < len(self.texts) and self._is_particle(grammar, verb):
            verb += 1
        if not self._is_verb(grammar, verb) or not self.texts[self.gap[-1]][-1:].isalnum():
            return False
        # `A.` begins an answer; it is no French verb
        if self.texts[verb][:1].isupper() and not self.texts[self.gap[-1]].isupper():
            return False
        gap = list(self.gap)
        while gap and bare(self.index, gap[-1]) in grammar.adverbs:
            gap.pop()
        if (
            not gap
            or grammar.is_closed(bare(self.index, gap[-1]))
            and bare(self.index, gap[-1]) not in grammar.nouns
        ):
            return False
        at, is_stop = self._boundary(grammar, gap)
        if at is None:
            return self._is_told(grammar, gap)
        subject = gap[at + 1 :]
        if not self._is_subject(grammar, subject):
            return False
        # what belongs to the noun before, up to a comma, is no clause of the sentence
        if gap[0] != subject[0] and bare(self.index, gap[0]) in grammar.relative:
            return False
        if is_stop:
            return True
        before = [*self._before(), *gap[: max(0, at)]]
        return any(self.is_sure_verb(grammar, word) for word in before)

    def repeats_link(self, grammar: _Grammar) -> bool:
        """Tell whether a gap ends with the preposition before it, of another: `paid to A and lent to`."""
        link = bare(self.index, self.low - 1)
        if link not in grammar.links or bare(self.index, self.gap[-1]) != link or len(self.gap) < 3:
            return False
        at, _ = self._boundary(grammar, self.gap[:-1])
        if at is None or at < 0:
            return False
        between = [bare(self.index, word) for word in self.gap[at + 1 : -1]]
        return any(not grammar.is_closed(word) for word in between)

    def begins_another_clause(self, tail: Sequence[int]) -> bool:
        """Tell whether what is quoted before is cut off in its clause, and what is behind begins another that
        goes on with its verb: `It covers ... the van` of `covers the car; the van is out`."""
        last = self.gap[-1]
        if not tail or not self._ends_clause(last) or not self.texts[self.low - 1][-1:].isalnum():
            return False
        if not self.goes_on():
            return False
        behind = tail[-1] + 1
        if behind >= len(self.texts) or not self.texts[tail[-1]][-1:].isalnum():
            return False
        verbs = finite_verbs()
        return bare(self.index, behind) in verbs and not any(bare(self.index, word) in verbs for word in tail)

    def has_clause(self, grammar: _Grammar) -> bool:
        """Tell whether a joining word, a noun and a verb follow each other in a gap."""
        gap = self.gap
        for at, word in enumerate(gap[:-2]):
            if bare(self.index, word) not in grammar.joins:
                continue
            for end in range(at + 2, min(len(gap), at + 2 + _LONGEST_SUBJECT)):
                if self._is_verb(grammar, gap[end]):
                    if self._is_subject(grammar, gap[at + 1 : end]):
                        return True
                    break
        return False

    def _ends_clause(self, word: int) -> bool:
        """Tell whether a stop is behind a word, be it printed as a word of its own."""
        if self.texts[word].endswith(CLAUSE_ENDS):
            return True
        behind = word + 1
        return behind < self.high and not self.index.keys[behind] and self.texts[behind] in CLAUSE_ENDS

    def _boundary(self, grammar: _Grammar, gap: Sequence[int]) -> tuple[int | None, bool]:
        """Return the place in a gap, or -1 for the word before it, of the last word that parts two clauses,
        and whether a stop does."""
        for at in range(len(gap) - 2, -2, -1):
            word = gap[at] if at >= 0 else self.low - 1
            if self._ends_clause(word) and len(self.texts[word]) > 2:
                return at, True
            if bare(self.index, word) in grammar.joins:
                return at, False
        return None, False

    def _is_told(self, grammar: _Grammar, gap: Sequence[int]) -> bool:
        """Tell whether a gap is a verb and what it says of another, with no joining word: `says the mate`."""
        if len(gap) < 2 or not self.is_sure_verb(grammar, gap[0]):
            return False
        words = [bare(self.index, word) for word in gap[1:]]
        return (
            words[0] in grammar.nouns
            and len(words) > 1
            and not any(word in grammar.relative - grammar.nouns or word in grammar.links for word in words)
        )

    def _is_subject(self, grammar: _Grammar, words: Sequence[int]) -> bool:
        if not 0 < len(words) <= _LONGEST_SUBJECT:
            return False
        said = [bare(self.index, word) for word in words]
        if said[0] in grammar.links or said[0] in grammar.relative - grammar.nouns:
            return False
        # a noun may have the ending of a verb, where it is alone
        if said[0] in grammar.verbs or any(self._is_verb(grammar, word) for word in words[1:]):
            return False
        if said[0] in grammar.nouns or self.texts[words[0]].lstrip(OPENING)[:1].isupper():
            return True
        # where no article shows a noun, whatever is no closed word may be one
        return (not grammar.nouns or has_digit(self.index.keys[words[0]])) and not all(
            map(grammar.is_closed, said)
        )

    def _is_verb(self, grammar: _Grammar, word: int) -> bool:
        """Tell whether a word may be a finite verb: listed, of such an ending, or before an object."""
        said = bare(self.index, word)
        if said in grammar.verbs:
            return True
        if (
            not said.isalpha()
            or not said.islower()
            or self.texts[word][:1].isupper()
            or grammar.is_closed(said)
        ):
            return False
        if len(said) >= _LEAST_ENDING and said.endswith(tuple(grammar.endings)):
            return True
        return self._has_object(grammar, word)

    def is_sure_verb(self, grammar: _Grammar, word: int) -> bool:
        """Tell whether a word is a finite verb and no participle (`the net mended by`)."""
        said = bare(self.index, word)
        if said in grammar.verbs:
            return True
        if (
            "ed" not in grammar.endings
            and len(said) >= _LEAST_ENDING
            and said.endswith(tuple(grammar.endings))
        ):
            return True
        return said.isalpha() and not grammar.is_closed(said) and self._has_object(grammar, word)

    def _has_object(self, grammar: _Grammar, word: int) -> bool:
        """Tell whether an article or a pronoun is right behind a word, in the same sentence."""
        text = self.texts[word]
        if word + 1 >= len(self.texts) or not text[-1:].isalnum() or text[:1].isupper():
            return False
        said = bare(self.index, word + 1)
        # `par un` is no verb of Italian with its object, nor `à la` one of Spanish
        if any(bare(self.index, word) in each.links and said in each.nouns for each in _grammars()):
            return False
        return said in grammar.nouns or said.startswith(("l'", "un'")) and "l'" in grammar.nouns

    def _is_particle(self, grammar: _Grammar, word: int) -> bool:
        said = bare(self.index, word)
        return said in grammar.adverbs or self.index.keys[word] in NEGATIONS and said not in grammar.verbs

    def _before(self) -> list[int]:
        """Return the last few words that are quoted before the gap, of its sentence."""
        found: list[int] = []
        for word in range(self.low - 1, max(-1, self.low - 1 - _BEFORE), -1):
            if self._ends_clause(word) and len(self.texts[word]) > 3:
                break
            found.append(word)
        return found
