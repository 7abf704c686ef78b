"""Whether a clause is quoted without what turns it in its own sentence: a condition, who alleges it, a
question.

`the ferry leaves at dawn` of `If the mooring holds, the ferry leaves at dawn.` is printed letter by letter,
and says more than the page. A name, a date or an amount says nothing of the kind: only what states something,
or is right behind `failed to` or `instead of`, is looked at. `words/turns.txt` holds the words and how far
they reach.
"""

from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import takewhile

from citation_pipeline.core.matching.clauses import bare, closed_words, verbs_of
from citation_pipeline.core.matching.folding import is_unspaced, spell
from citation_pipeline.core.matching.index import DocumentIndex
from citation_pipeline.core.matching.neighbourhoods import CELL_GAP, PAGE_ASPECT
from citation_pipeline.core.matching.numerals import has_digit
from citation_pipeline.core.matching.turn_places import (
    ASKED,
    CLOSING,
    FAR,
    TITLES,
    first_behind,
    last_before,
    turn_places,
)
from citation_pipeline.core.matching.turns import (
    Turns,
    breaks_of,
    condition_endings,
    english_verbs,
    interrogatives_of,
    language_of,
    languages_of,
    parts,
    stands_at,
    telling_words,
    telling_words_of,
    turns,
)
from citation_pipeline.core.matching.vocabulary import NEGATIONS
from citation_pipeline.core.matching.written_words import OPENING

TURNED = "turn_left_out"
"""The code of a clause quoted without what turns it."""

_NEAR, _BEHIND = 5, 9  # words right before and behind a place that are looked at
_TAIL, _LINKED, _TAG = 8, 6, 5  # words behind within which a condition, a retraction, a speaker is near
_SAYING = 5  # words before a `that` among which is who says it
_OPENERS = 2  # words between the verb that begins a question and what is quoted
_LEAST_FOREIGN = 4  # words of a clause whose verb is in no list
_LEAST_UNLISTED = 3  # in a script without capitals
_LEAST_UNSPACED = 4  # characters of one
_UNSPACED_REACH = 10  # characters behind a clause of one
_LEAST_ENGLISH = 4  # closed words of English that tell a sentence's language
_QUESTIONS = ("?", "؟", "？")
_TURNED_STOPS = "。！？?!；;\n"
_ASKING = """
who whom whose what which when where why how is are was were am do does did has have had can could will would
shall should may might must
"""
_QUESTION_WORDS = frozenset(_ASKING.split())
_SUBJECTS = frozenset(b"i he she it they we you who".split())
_THIRD_PERSONS = frozenset(b"he she it".split())
_VERB_SECOND = frozenset(("de", "nl", "fr"))
"""Languages in which a verb that begins a sentence shows that it asks."""
_SOURCES = ("によれば、", "例えば、", "たとえば、")
"""What looks like a condition in Japanese: who says so, an example."""
_ARABIC_AND = "و"
_LEAST_SUBJECT = 4  # words of what a sentence begins with and says to be withdrawn
_BEHIND_VERBS = """
the a an this that these those his her its their our my your him them it us in on at by with to not into from
as under over after before during until daily weekly well up out off back within through across along around
near against toward once twice again no all some any every each when because that
"""
_OBJECTS = frozenset(_BEHIND_VERBS.encode().split())


def is_turned(
    index: DocumentIndex, first: int, last: int, *, asks: bool = False, around: tuple[str, str] = ("", "")
) -> bool:
    """Tell whether the words [first, last] say more than their sentence.

    `asks` says that they are quoted as a question; `around` is what a quotation leaves out of its first and
    last word.
    """
    if not index.keys[first].isascii():
        clause = _Clause(index, first, last)
        if clause.is_turned_unspaced(*around):
            return True
        if is_unspaced(index.words.texts[first]):
            return False
    # where cells part is looked at only where it matters: most of what is near turns nothing
    return any(
        all(look(_Clause(index, first, last, near, in_cell=in_cell)) for in_cell in (False, True))
        for look, near in _sides(index, first, last)
        if not (asks and look is _Clause.is_question)
    )


def _sides(index: DocumentIndex, first: int, last: int) -> list[tuple[Callable[["_Clause"], bool], bytes]]:
    """Return how a clause may be turned, each with the word near it that may: of most quotations none."""
    places, keys = turn_places(index), index.keys
    found: list[tuple[Callable[[_Clause], bool], bytes]] = []
    before = max(last_before(places.far, first, FAR), last_before(places.near, first, _NEAR))
    if before >= 0 and last_before(places.ends, first, first - before) < 0:
        found.append((_Clause.is_turned_before, keys[before]))
    behind = first_behind(places.behind, last, _BEHIND)
    if behind > last and first_behind(places.ends, last - 1, behind - last) < 0:
        found.append((_Clause.is_turned_behind, keys[behind]))
    if first_behind(places.asked, last - 1, ASKED) >= last:
        found.append((_Clause.is_question, b""))
    return found


class _Clause:
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

    def _is_apart(self, word: int) -> bool:
        """Tell whether the next word is in another cell of the row."""
        words = self.index.words
        if words.line.item(word) != words.line.item(word + 1):
            return False
        boxes = words.boxes
        gap = boxes.item(word + 1, 0) - boxes.item(word, 0) - boxes.item(word, 2)
        return gap * PAGE_ASPECT > CELL_GAP * max(boxes.item(word, 3), boxes.item(word + 1, 3))

    def _language_of_sentence(self, near: bytes) -> str:
        """Return the language that most closed words of the sentence are of."""
        if not self.index.is_foreign_near(self.first) and self._is_plainly_english():
            return "en"
        low = self.first - len(self.before)
        keys = self.keys[low : min(self.last + len(self.behind), low + FAR + ASKED) + 1]
        counts = {"en": 0, **dict.fromkeys(languages_of(near), 1)}
        known = telling_words()
        for key in keys:
            for language in known.get(key, ()):
                counts[language] = counts.get(language, 0) + 1
        if _is_arabic(self.texts[self.first]):
            return "ar"
        return max(counts, key=lambda each: counts[each])

    def _is_plainly_english(self) -> bool:
        """Tell whether what is quoted has enough closed words of English: nothing else is as likely."""
        closed = telling_words_of("en")
        own = self.keys[self.first : self.last + 1]
        count = sum([key in closed for key in own])
        return count >= _LEAST_ENGLISH and count * 4 >= len(own)

    def _head(self) -> int:
        """Return the last quoted word of the sentence that the quotation begins in."""
        end = first_behind(self.ends, self.first - 1, self.last - self.first)
        return self.last if end < 0 else end

    def _tail(self) -> int:
        """Return the first quoted word of the sentence that the quotation ends in."""
        return max(self.first, last_before(self.ends, self.last, self.last) + 1)

    def states(self, first: int, last: int) -> bool:
        """Tell whether quoted words of one sentence state something: there is a verb among them."""
        keyed = [word for word in range(first, last + 1) if self.keys[word]]
        if len(keyed) < 2:
            # of single words a participle states something: `accepted`
            return self.is_english and any(bare(self.index, word).endswith("ed") for word in keyed)
        if any(self._is_verb(word, first, last) for word in keyed):
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
        return len(keyed) >= least and len(plain) > len(keyed) / 2

    def _is_whole_clause(self) -> bool:
        """Tell whether all that a word for `that` or `whether` begins is quoted, up to a stop or a comma."""
        if not self.before or not (not self.behind or not self.texts[self.last][-1:].isalnum()):
            return False
        return any(self.turns.has(kind, self.keys[self.before[0]]) for kind in ("that", "asked"))

    def _is_verb(self, word: int, first: int, last: int) -> bool:
        said = bare(self.index, word)
        if said in self.verbs or (
            not self.is_english and said.replace("’", "'").rpartition("'")[2] in self.verbs
        ):
            return not (said == "may" and self.texts[word].startswith("M"))
        if not self.is_english:
            return False
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
            return word > first and (is_followed or word == last) and self.texts[word].islower()
        return False

    def _is_object(self, word: int) -> bool:
        return self.keys[word] in _OBJECTS or (has_digit(self.keys[word]) and not self.texts[word].isalnum())

    def _is_said(self) -> bool:
        return self.states(self.first, self._head())

    def _is_told(self) -> bool:
        return self.states(self._tail(), self.last)

    # what is before

    def is_turned_before(self) -> bool:
        """Tell whether what is left out before a clause turns it."""
        if not self.before or bare(self.index, self.first) in self.breaks or self._is_joined_on(self.first):
            return False
        if self._is_ended():
            return True
        if not self._is_said():
            return self._is_verbless() and self._is_unsaid(0)
        is_said = False
        for at, word in enumerate(self.before):
            for phrase, kind in self.turns.ends.get(self.keys[word], ()):
                begin = word - len(phrase) + 1
                if stands_at(self.index, begin, phrase) and self._holds(kind, begin, at):
                    return True
            if self.turns.has("that", self.keys[word]) or self._is_elided_that(word):
                if self._is_unsaid(at):
                    return not self._is_main_clause()
                if self.language == "ar":
                    return False  # often no stop or comma is before another sentence
                is_said = True
            if self.texts[word].endswith(";") or bare(self.index, word) in self.breaks:
                return False
            if is_said and bare(self.index, word) in ("and", "und", "et", "y", "e", "i", "en"):
                return False
        return self._is_inverted()

    def _is_joined_on(self, word: int) -> bool:
        """Tell whether a word begins with an Arabic `and`."""
        return (
            self.language == "ar" and self.texts[word].startswith(_ARABIC_AND) and len(self.texts[word]) > 3
        )

    def _is_verbless(self) -> bool:
        """Tell whether two words right behind an Arabic `that` state something: its `is` is not written."""
        return (
            self.language == "ar"
            and self.turns.has("that", self.keys[self.before[0]])
            and self._head() > self.first
        )

    def _is_elided_that(self, word: int) -> bool:
        return self.texts[word].casefold().startswith(("qu'", "qu’")) and self.language == "fr"

    def _is_ended(self) -> bool:
        """Tell whether what is right before denies: `failed to`, `instead of`."""
        printed = self.texts[self.first].lstrip(OPENING)[:1]
        if not printed.isalpha() or (printed.isupper() and not self._is_said()):
            return False
        for at, word in enumerate(self.before[:2]):
            between = self.before[:at]
            if any(not self._is_light(each) for each in between) or not self.texts[word][-1:].isalnum():
                return False
            for phrase, kind in self.turns.ends.get(self.keys[word], ()):
                if kind == "ended" and stands_at(self.index, word - len(phrase) + 1, phrase):
                    # `tools used to measure` are no habit of the past
                    beside = [*self.before[at + len(phrase) :], *self.behind[:1]]
                    verbs = (self._is_verb(each, each - 1, each) for each in beside)
                    return phrase != (b"used", b"to") or not any(verbs)
        return False

    def _is_light(self, word: int) -> bool:
        said = bare(self.index, word)
        return (
            said in ("a", "an", "the", "any", "of")
            or (len(said) > 4 and said.endswith("ly"))
            or (not self.is_english and len(said) < 4)
        )

    def _holds(self, kind: str, begin: int, gap: int) -> bool:
        """Tell whether a phrase that begins at a word, so many words before the clause, governs it."""
        between = self.before[:gap]
        is_led = begin == self.before[-1] or self.texts[begin - 1].endswith(",")
        if kind == "condition":
            return not self._is_vague(begin, gap)
        if kind == "opening":
            return is_led
        if kind == "asked":
            # `Whether it rains cannot be told` tells that
            is_subject = self.is_english and bare(self.index, self.first) in self.verbs
            return not is_subject and not any(self.texts[word].endswith(",") for word in between)
        if kind in ("adverb", "limit"):
            return gap <= (3 if kind == "adverb" else 1) and not any(self._parts(word) for word in between)
        if kind == "nor":
            paired = self.turns.kinds.get("neither", ())
            return gap == 0 and (not paired or any((self.keys[word],) in paired for word in self.before[1:]))
        if kind == "except":
            return gap <= _SAYING and bare(self.index, between[-1] if between else self.first) != "as"
        # `alleges the landlord entered`, with no word for that
        if kind not in ("deny", "doubt") or gap or self._is_own(begin):
            return False
        # `When asked, the porter opened` is no question of the porter's; `behauptet, die Pumpe` has its comma
        is_joined = self.texts[self.first - 1][-1:].isalnum() or not self.is_english
        return is_joined and self._begins_clause()

    def _parts(self, word: int) -> bool:
        return self.texts[word].endswith(",") or bare(self.index, word) in ("and", "or", "who", "which")

    def _is_vague(self, begin: int, gap: int) -> bool:
        if begin and self.turns.has("vague", self.keys[begin - 1]) and begin > self.before[-1]:
            return bare(self.index, begin - 1) != "only"
        behind = self.before[gap - 1] if gap else self.first
        return self.turns.has("vague", self.keys[behind]) and not self.texts[behind][-1:].isalnum()

    def _begins_clause(self) -> bool:
        """Tell whether a clause with a subject of its own begins with what is quoted: an article, a title."""
        if self._begins_with_that():
            return not self._is_verb(self.first + 1, self.first, self.first + 1)
        said = bare(self.index, self.first)
        closed = closed_words().get(self.language, frozenset())
        return (said in closed and said not in self.verbs) or self.keys[self.first] in TITLES

    def _begins_with_that(self) -> bool:
        return self.turns.has("that", self.keys[self.first]) and self.first < self.last

    def _is_unsaid(self, at: int) -> bool:
        """Tell whether nobody asserts what a `that` begins: the words right before it deny or doubt."""
        # `claims that were denied` is a relative clause
        behind = self.before[at - 1] if at else self.first
        if self.is_english and self._is_verb(behind, behind - 1, behind):
            return False
        denied = doubted = negated = told = False
        for step, word in enumerate(self.before[at + 1 : at + 1 + _SAYING]):
            # `bestreitet, dass` has a comma of its own
            if (step and self.texts[word].endswith(",")) or bare(self.index, word) in (
                "and",
                "or",
                "und",
                "et",
                "y",
            ):
                break
            if self.keys[word] in NEGATIONS:
                negated = negated or self._is_doubted_by_not(word, at)
                continue
            for phrase, kind in self.turns.ends.get(self.keys[word], ()):
                begin = word - len(phrase) + 1
                if not told and kind in ("deny", "doubt") and stands_at(self.index, begin, phrase):
                    denied = denied or kind == "deny"
                    doubted = doubted or (kind == "doubt" and not self._is_own(begin))
            if not (denied or doubted) and self._is_participle(word, at):
                break
            # `the claims office confirmed that`: of two verbs the nearer one tells
            told = told or (self.is_english and not (denied or doubted) and self._is_past(word))
        if self.keys[self.before[at]] in NEGATIONS:
            return False
        return doubted or denied != negated

    def _is_doubted_by_not(self, denial: int, at: int) -> bool:
        """Tell whether a `not` or `no` before a `that` denies what it begins.

        So do `did not find that` and `no evidence that`, but not `did not know that` or `no letter that he
        wrote`.
        """
        teller = self.before[at] - 1
        if any(self.turns.has("factive", self.keys[word]) for word in range(denial + 1, teller + 1)):
            return False
        said = bare(self.index, teller)
        is_telling = any(self.turns.has(kind, self.keys[teller]) for kind in ("telling", "deny", "doubt"))
        stem = said.removesuffix("ing")
        is_verb = bool({said, stem, stem + "e"} & english_verbs()) or said.endswith("ed")
        return not self.is_english or is_telling or is_verb

    def _is_main_clause(self) -> bool:
        """Tell whether a clause with a `that` is over before what is quoted: `Although he says that ...,`."""
        return self.texts[self.first - 1].endswith(",") and self.turns.has(
            "leading", self.keys[self.before[-1]]
        )

    def _is_participle(self, word: int, at: int) -> bool:
        """Tell whether another one's saying is nearer: `denied the claim, stating that`."""
        stem = bare(self.index, word).removesuffix("ing")
        is_beside = word == self.before[min(at + 1, len(self.before) - 1)]
        if self.keys[word - 1] in NEGATIONS or bare(self.index, word - 1) in (
            "am",
            "is",
            "are",
            "was",
            "were",
        ):
            return False
        return is_beside and self.texts[word].endswith("ing") and bool({stem, stem + "e"} & english_verbs())

    def _is_past(self, word: int) -> bool:
        said = bare(self.index, word)
        return len(said) > 4 and said.endswith("ed") and said.isalpha()

    def _is_own(self, begin: int) -> bool:
        """Tell whether a writer speaks of himself: `I believe that` states."""
        near = [bare(self.index, word) for word in range(max(0, begin - 2), begin)]
        return any(word in ("i", "we", "ich", "wir", "je", "nous", "j'ai") for word in near)

    def _is_inverted(self) -> bool:
        """Tell whether a sentence begins as a condition without a word for it: `Had the anchor held, ...`."""
        begin = self.before[-1]
        if not self.turns.has("inverted", self.keys[begin]) or not self.texts[begin][:1].isupper():
            return False
        if self._is_asked():
            return False
        # what is quoted is the condition itself, or stands behind its comma
        is_condition = self.before[0] == begin and self.behind
        return bool(is_condition) or any(self.texts[word].endswith(",") for word in self.before)

    # what is behind

    def is_turned_behind(self) -> bool:
        """Tell whether what is left out behind a clause limits it, takes it back, or says who says it."""
        if not self.behind or self._is_unfinished():
            return False
        if self._is_undone() or self._is_excluded():
            return True
        if not self._is_told():
            return False
        if self.texts[self.last].endswith(",") and self._is_tagged():
            return True
        for at, word in enumerate(self.behind[:_TAIL]):
            if self._is_unsettled(at, word):
                return True
            for phrase, kind in self.turns.starts.get(self.keys[word], ()):
                if stands_at(self.index, word, phrase) and self._limits(kind, word, at, len(phrase)):
                    return True
            if self._joins(word):
                return False
        return False

    def _is_unfinished(self) -> bool:
        """Tell whether what is quoted ends inside a phrase: nothing behind it speaks of the whole."""
        return self.is_english and bare(self.index, self.last) in closed_words()["en"]

    def _joins(self, word: int) -> bool:
        said = bare(self.index, word)
        if self.texts[word].startswith("(") or self.texts[word].endswith(";") or self._is_joined_on(word):
            return True
        return said in (
            "and",
            "or",
            "so",
            "who",
            "which",
            "und",
            "oder",
            "et",
            "ou",
            "y",
            "e",
            "o",
            "i",
            "en",
        ) or (said in self.breaks)

    def _limits(self, kind: str, word: int, at: int, length: int) -> bool:
        if kind == "condition":
            before = self.keys[word - 1]
            return not (self.turns.has("asking", before) or self.turns.has("vague", before)) and not (
                self.turns.has("vague", self.keys[min(word + length, len(self.keys) - 1)])
            )
        if kind == "inverted":
            begins = (
                bare(self.index, word + length) in ("the", "he", "she", "it", "they", "we")
                if at == 0
                else False
            )
            return begins and any(
                bare(self.index, w) in ("would", "could", "might") for w in range(self.first, self.last)
            )
        if kind == "limit":
            is_parted = self.texts[self.last].endswith(",") or any(
                self.texts[each].endswith(",") for each in self.behind[:at]
            )
            return not is_parted and bare(self.index, word - 1) not in ("if", "not")
        return kind == "behind" or (kind == "except" and self.is_english)

    def _is_undone(self) -> bool:
        """Tell whether what is quoted was taken back: nothing but links is before the word that says so."""
        for at, word in enumerate(self.behind[: _LINKED + 2]):
            for phrase, kind in self.turns.starts.get(self.keys[word], ()):
                if kind == "undone" and stands_at(self.index, word, phrase):
                    is_own = at > 0 and phrase in ((b"ruled", b"out"), (b"set", b"aside"), (b"disproved",))
                    return at > 0 and (self._is_told() or is_own or self._is_whole_subject())
            if not self.turns.has("links", self.keys[word]):
                return False
        return False

    def _is_whole_subject(self) -> bool:
        """Tell whether a sentence begins with what is quoted: no value that happens to stand in it."""
        return not self.before and self.is_english and self.last - self.first + 1 >= _LEAST_SUBJECT

    def _is_excluded(self) -> bool:
        """Tell whether what begins a sentence is what was ruled out: `A leak` of `A leak was ruled out.`"""
        if self.before and not self.texts[self.first - 1].endswith(","):
            return False
        # a name, a date or a code is left as it is
        said = [bare(self.index, word) for word in range(self.first, self.last + 1)]
        known, texts = closed_words().get(self.language, ()), self.texts[self.first : self.last + 1]
        is_named = any(each in known for each in said) or any(text[:1].islower() for text in texts)
        if len(said) < 2 or not is_named or any(map(has_digit, self.keys[self.first : self.last + 1])):
            return False
        for at, word in enumerate(self.behind[:4]):
            for phrase, kind in self.turns.starts.get(self.keys[word], ()):
                if kind == "excluded" and stands_at(self.index, word, phrase):
                    # `исключён` needs no `was`, `excluded from` speaks of something else
                    return at > 0 or self.language == "ru"
            if not self.turns.has("links", self.keys[word]) and bare(self.index, word) not in self.verbs:
                return False
        return False

    def _is_unsettled(self, at: int, word: int) -> bool:
        """Tell whether a clause is itself what is disputed: `is disputed` right behind it."""
        if not 0 < at <= 2 or not self.turns.has("unsettled", self.keys[word]):
            return False
        return all(bare(self.index, each) in self.verbs for each in self.behind[:at])

    def _is_tagged(self) -> bool:
        """Tell whether who alleges a clause is named behind it: `, the owner claimed.`"""
        near = self.behind[:_TAG]
        end = next(
            (at for at, word in enumerate(near) if not self.texts[word][-1:].isalnum()), len(self.behind)
        )
        return any(
            (self.turns.has("doubt", self.keys[word]) or self.turns.has("deny", self.keys[word]))
            and bare(self.index, word - 1) != "as"
            for word in near[: end + 1]
            if end < len(near) and word > near[0]
        )

    # questions

    def _is_asked(self) -> bool:
        """Tell whether the sentence ends with a question mark."""
        end = self.behind[-1] if self.behind else self.last
        return (
            self.texts[end].rstrip(CLOSING).endswith(_QUESTIONS)
            or self.texts[min(end + 1, len(self.texts) - 1)] in _QUESTIONS
        )

    def is_question(self) -> bool:
        """Tell whether a part of a question is quoted that reads as a statement."""
        if (
            self._tail() != self.first
            or not self._is_asked()
            or bare(self.index, self.first) in _QUESTION_WORDS
        ):
            return False
        if not self.before:
            return self._is_told_alike() and self._is_told()
        if (
            len([word for word in self.before if len(self.keys[word]) > 1]) <= _OPENERS
            and self._is_clause_like()
        ):
            return True
        return self._is_told()

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

    # scripts without spaces

    def is_turned_unspaced(self, lead: str, tail: str) -> bool:
        """Tell whether what is around a clause of a script without spaces turns it.

        `lead` and `tail` are left out of its first and last word.
        """
        if sum(len(spell(self.texts[word])) for word in range(self.first, self.last + 1)) < _LEAST_UNSPACED:
            return False
        before = "".join(self.texts[word] for word in reversed(self.before)) + lead
        behind = tail + "".join(self.texts[word] for word in self.behind)
        if self.before and self.texts[self.before[0]].rstrip(",").endswith(condition_endings()):
            return True
        return turns_unspaced(before, behind)


def _is_arabic(text: str) -> bool:
    return "\u0600" <= text[:1] <= "\u06ff"


def hides_teller(index: DocumentIndex, head: Sequence[int], gap: Sequence[int], tail: Sequence[int]) -> bool:
    """Tell whether an ellipsis leaves out who says what is quoted behind it.

    `The cook told the maid that the soup is hot` does not say what `the maid ... the soup is hot` says.
    """
    if not head or not tail or not gap:
        return False
    clause = _Clause(index, head[0], tail[-1])
    if clause.language == "ar" and any(
        clause.turns.has(kind, index.keys[word]) for word in gap for kind in ("condition", "limit")
    ):
        return True
    is_begun = clause.turns.has("that", index.keys[gap[-1]]) or clause.turns.has("asked", index.keys[gap[-1]])
    return is_begun and not clause.states(head[0], head[-1]) and clause.states(tail[0], tail[-1])


def turns_unspaced(before: str, behind: str) -> bool:
    """Tell whether what a sentence of a script without spaces has before or behind a clause turns it."""
    cut = max(before.rfind(mark) for mark in _TURNED_STOPS)
    lead = before[cut + 1 :]
    for source in _SOURCES:
        lead = lead.replace(source, "")
    # a condition reaches over a comma, a saying does not, but for one of its own
    own = lead.rstrip("，、")[max(lead.rstrip("，、").rfind(mark) for mark in "，") + 1 :]
    own = own if lead[-1:] not in ("，", "") or own.endswith(parts()["beside"]) else ""
    if any(part in lead for part in parts()["left"]) or any(part in own for part in parts()["beside"]):
        return True
    if behind.startswith(parts()["next"]):
        return True
    end = min((at for mark in "。！；;\n" if (at := behind.find(mark)) >= 0), default=len(behind))
    return any(part in behind[: min(end, _UNSPACED_REACH)] for part in parts()["right"])
