"""A quoted stretch of words and what its own sentence has beside it: on either side, in which language, and
whether it states something or names it. What the sentence does to it is for `turned_before`, `turned_behind`
and `cut_clauses` to tell.
"""

import re
from collections.abc import Sequence
from functools import cached_property
from itertools import takewhile

from citation_pipeline.core.matching.clauses import bare, verbs_of
from citation_pipeline.core.matching.index import DocumentIndex
from citation_pipeline.core.matching.neighbourhoods import are_cells_apart
from citation_pipeline.core.matching.numerals import has_digit
from citation_pipeline.core.matching.turn_places import (
    ASKED,
    CLOSING,
    FAR,
    first_behind,
    last_before,
    turn_places,
)
from citation_pipeline.core.matching.turns import (
    Turns,
    breaks_of,
    english_verbs,
    is_told,
    language_of,
    languages_of,
    telling_words,
    telling_words_of,
    turns,
)
from citation_pipeline.core.matching.written_words import OPENING

_NUMBER = re.compile(r"\(?\d{1,2}(?:\.\d{1,2})+[.)]?", re.ASCII)
_LEAST_FOREIGN = 4  # words of a clause whose verb is in no list
_LEAST_UNLISTED = 3  # in a script without capitals
_AROUND = 60  # words around a sentence that tell its language where it does not
_LEAST_ENGLISH = 4  # closed words of English that tell a sentence's language
_QUESTIONS = ("?", "؟", "？")
_SUBJECTS = frozenset(b"i he she it they we you who".split())
_THIRD_PERSONS = frozenset(b"he she it".split())
_ARABIC_AND = "و"
_BESIDE_PORTUGUESE_IF = """
que mas e ou o a os as um uma não for forem houver ele ela eles este esta
"""
_BESIDE_IF = frozenset(_BESIDE_PORTUGUESE_IF.split())
_ARABIC_FUTURE = ("سي", "ست", "سن", "وسي", "وست")
_BEHIND_VERBS = """
the a an this that these those his her its their our my your him them it us in on at by with to not into from
as under over after before during until daily weekly well up out off back within through across along around
near against toward once twice again no all some any every each when because that
"""
_OBJECTS = frozenset(_BEHIND_VERBS.encode().split())


class SentencePart:
    """A quoted stretch of a sentence with what is left out of it on either side, of its own cell if asked.

    A word `near` it that turns in one language only tells that the sentence is of that.
    """

    def __init__(
        self, index: DocumentIndex, first: int, last: int, near: bytes = b"", *, in_cell: bool = False
    ) -> None:
        self.index, self.first, self.last, self.in_cell = index, first, last, in_cell
        self.texts, self.keys, self.ends = index.words.texts, index.keys, turn_places(index).ends
        self.language = language_of(near) or self._language_of_sentence(near)
        self.turns = turns().get(self.language) or Turns()
        self.verbs, self.breaks = verbs_of(self.language), breaks_of(self.language)
        self.is_english = self.language == "en"

    @cached_property
    def before(self) -> list[int]:
        """The words of the sentence before what is quoted, the nearest first."""
        begin = max(0, self.first - FAR, last_before(self.ends, self.first, self.first) + 1)
        found = list(range(self.first - 1, begin - 1, -1))
        if self.in_cell:
            found = list(takewhile(lambda word: not self._is_apart(word), found))
        if len(found) > 1 and _NUMBER.fullmatch(self.texts[found[-1]]) and self._begins_line(found[-1]):
            found.pop()  # `4.3 Upon notice, ...`
        return self._of_line(self._of_block(found, self.first), self.first)

    @cached_property
    def behind(self) -> list[int]:
        """The words of the sentence behind what is quoted."""
        most = min(len(self.keys) - 1, self.last + ASKED)
        end = first_behind(self.ends, self.last - 1, ASKED)
        found = list(range(self.last + 1, (most if end < 0 else min(end, most)) + 1))
        if self.in_cell:
            found = list(takewhile(lambda word: not self._is_apart(word - 1), found))
        return self._of_line(self._of_block(found, self.last), self.last)

    def _of_line(self, words: list[int], beside: int) -> list[int]:
        """Return the words of a line where Arabic is printed without stops: its lines are its sentences."""
        if (
            not words
            or not _is_arabic(self.texts[beside])
            or any(self.texts[word][-1:] in ".،؛" for word in words)
        ):
            return words
        line = self.index.words.line
        return [word for word in words if line.item(word) == line.item(beside)]

    def _of_block(self, words: list[int], beside: int) -> list[int]:
        """Return the first of some words, as far as they are of the block of the one beside them."""
        block = self.index.words.block
        if not words or block.item(words[-1]) == block.item(beside):
            return words
        own = block.item(beside)
        return [word for word in words if block.item(word) == own]

    def _begins_line(self, word: int) -> bool:
        line = self.index.words.line
        return word == 0 or line.item(word - 1) != line.item(word)

    def _is_apart(self, word: int) -> bool:
        """Tell whether the next word is in another cell of the row."""
        line = self.index.words.line
        return line.item(word) == line.item(word + 1) and are_cells_apart(self.index, word)

    def _language_of_sentence(self, near: bytes) -> str:
        """Return the language that most closed words of the sentence are of."""
        if not self.index.is_foreign_near(self.first) and self._is_plainly_english():
            return "en"
        if _is_arabic(self.texts[self.first]):
            return "ar"
        if _is_cyrillic(self.texts[self.first]):
            return "ru"
        low = self.first - len(self.before)
        high = min(self.last + len(self.behind), low + FAR + ASKED) + 1
        counts = {"en": 0, **dict.fromkeys(languages_of(near), 1)}
        most = _most_counted(counts, self.keys[low:high])
        if (len(most) > 1 and most[0] != "en") or not any(counts.values()):
            # of one short sentence `o` and `se` are of three languages: what is around it tells which
            among = most if len(most) > 1 else []
            counts = dict.fromkeys(most, 0)
            most = _most_counted(counts, self.keys[max(0, low - _AROUND) : high + _AROUND], among)
        return most[0]

    def _is_plainly_english(self) -> bool:
        """Tell whether what is quoted has enough closed words of English: nothing else is as likely."""
        closed = telling_words_of("en")
        own = self.keys[self.first : self.last + 1]
        count = sum([key in closed for key in own])
        return count >= _LEAST_ENGLISH and count * 4 >= len(own)

    def head(self) -> int:
        """Return the last quoted word of the sentence that the quotation begins in."""
        end = first_behind(self.ends, self.first - 1, self.last - self.first)
        return self.last if end < 0 else end

    def tail(self) -> int:
        """Return the first quoted word of the sentence that the quotation ends in."""
        return max(self.first, last_before(self.ends, self.last, self.last) + 1)

    def states(self, first: int, last: int) -> bool:
        """Tell whether quoted words of one sentence state something: there is a verb among them."""
        keyed = [word for word in range(first, last + 1) if self.keys[word]]
        if len(keyed) < 2:
            # of single words a participle states something: `accepted`
            return self.is_english and any(bare(self.index, word).endswith("ed") for word in keyed)
        if any(self.is_verb(word, first, last) for word in keyed):
            return True
        if self.is_english:
            return False
        plain = [
            w
            for w in keyed
            if not has_digit(self.keys[w]) and not self.texts[w].lstrip(OPENING)[:1].isupper()
        ]
        least = _LEAST_FOREIGN if self.keys[first].isascii() else _LEAST_UNLISTED
        if first == self.first and last == self.last and self._is_whole_clause():
            least = 2
        elif first == self.first and not self.before:
            least = _LEAST_UNLISTED
        return len(keyed) >= least and len(plain) > len(keyed) / 2

    def _is_whole_clause(self) -> bool:
        """Tell whether all that a word for `that` or `whether` begins is quoted, up to a stop or a comma."""
        if not self.before or (self.behind and self.texts[self.last][-1:].isalnum()):
            return False
        return any(self.turns.has(kind, self.keys[self.before[0]]) for kind in ("that", "asked"))

    def is_verb(self, word: int, first: int, last: int) -> bool:
        """Tell whether a word of the stretch [first, last] is a verb that states something."""
        said = bare(self.index, word)
        if said in self.verbs or (
            not self.is_english and said.replace("’", "'").rpartition("'")[2] in self.verbs
        ):
            return not (said == "may" and self.texts[word].startswith("M"))
        if self.language == "ar":
            return word == first and word < last and self._is_arabic_verb(word)
        if not self.is_english:
            return is_told(self.language, "present", said)
        is_followed = word < last and self.texts[word][-1:].isalnum() and self._is_object(word + 1)
        if len(said) > 3 and said.endswith("ed") and said.isalpha():
            # `fees incurred by` names something
            return not (word < last and self.keys[word + 1] == b"by")
        if word > first and self.keys[word - 1] in _THIRD_PERSONS and len(said) > 3 and said.endswith("s"):
            return True  # `he mends nets`
        if said in english_verbs() and self.texts[word].islower():
            if word > first and self.keys[word - 1] in _SUBJECTS:
                return True
            if word == first and is_followed and word and self.texts[word - 1].endswith(","):
                return True  # `If counsel appears, tell the clerk`
            return word > first and (is_followed or word == last)
        return False

    def _is_arabic_verb(self, word: int) -> bool:
        """Tell whether a first word is a verb of what is to come, or of what is and of whom it is said."""
        said = self.texts[word]
        if said.startswith(_ARABIC_FUTURE):
            return len(said) > 4
        return said.startswith(("ي", "ت")) and len(said) > 3 and self.texts[word + 1].startswith("ال")

    def _is_object(self, word: int) -> bool:
        return self.keys[word] in _OBJECTS or (has_digit(self.keys[word]) and not self.texts[word].isalnum())

    def is_said(self) -> bool:
        """Tell whether the quoted part of the sentence that the quotation begins in states something."""
        return self.states(self.first, self.head())

    def is_told(self) -> bool:
        """Tell whether the quoted part of the sentence that the quotation ends in states something."""
        return self.states(self.tail(), self.last)

    def is_sentence(self) -> bool:
        """Tell whether what is quoted states something, or is a whole sentence of several words."""
        if self.is_told():
            return True
        is_whole = not self.before and self.texts[self.last].rstrip(CLOSING).endswith((".", "!"))
        return is_whole and not self.is_english and self.last > self.first

    def is_reflexive(self, word: int) -> bool:
        """Tell whether a Portuguese `se` stands beside its verb, and is no `if`."""
        if self.language != "pt" or self.keys[word] != b"se":
            return False
        return not {bare(self.index, word - 1), bare(self.index, word + 1)} & _BESIDE_IF

    def is_future(self) -> bool:
        """Tell whether what is quoted is yet to come, or may or must be."""
        return any(
            is_told(self.language, "future", bare(self.index, word))
            for word in range(self.first, self.last + 1)
        )

    def is_joined_on(self, word: int) -> bool:
        """Tell whether a word begins with an Arabic `and`."""
        return (
            self.language == "ar" and self.texts[word].startswith(_ARABIC_AND) and len(self.texts[word]) > 3
        )

    def is_asked(self) -> bool:
        """Tell whether the sentence ends with a question mark."""
        end = self.behind[-1] if self.behind else self.last
        return (
            self.texts[end].rstrip(CLOSING).endswith(_QUESTIONS)
            or self.texts[min(end + 1, len(self.texts) - 1)] in _QUESTIONS
        )


def _most_counted(counts: dict[str, int], keys: Sequence[bytes], among: Sequence[str] = ()) -> list[str]:
    """Return the languages of which most of some words are, be it among some."""
    known = telling_words()
    for key in keys:
        for language in known.get(key, ()):
            if not among or language in among:
                counts[language] = counts.get(language, 0) + 1
    most = max(counts.values())
    return [language for language, count in counts.items() if count == most]


def _is_cyrillic(text: str) -> bool:
    return "\u0400" <= text[:1] <= "\u04ff"


def _is_arabic(text: str) -> bool:
    return "\u0600" <= text[:1] <= "\u06ff"
