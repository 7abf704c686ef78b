"""Whether what a sentence has before a quoted part turns it: a condition, who denies it, `only`."""

from citation_pipeline.core.matching.clauses import bare, closed_words
from citation_pipeline.core.matching.sentence_parts import SentencePart
from citation_pipeline.core.matching.turn_places import SAYING, TITLES
from citation_pipeline.core.matching.turns import english_verbs, is_told, stands_at
from citation_pipeline.core.matching.vocabulary import NEGATIONS
from citation_pipeline.core.matching.written_words import OPENING

_AND = frozenset(("and", "und", "et", "y", "e", "i", "en"))
_LINKS = frozenset(("and", "or", "und", "et", "y"))
_BEING = frozenset(("am", "is", "are", "was", "were"))
_COMMAS = (",", "،")
_LONGEST_SOURCE = 9  # words between `according to` and the clause
_PARTY_REACH = 3  # words before `states that` among which is who states it
_LONGEST_KIN_LEAD = 7  # words from `The mother` to its predicate
_NORM_REACH = 3  # words before `old`, and behind it to what it is said of
_SAID_EARLY = ("could", "able", "would", "used")  # words of a clause of what was so once
_VERB_FIRST = frozenset(("de", "nl", "pl", "ru"))
"""Languages in which no comma ends what begins a sentence."""
_OWNERS = frozenset(("his", "her", "their", "my", "our", "your"))
_VIEWED = frozenset(("in", "to", "by", "from", "on"))
"""What begins `In the miller's opinion,`."""
_UMLAUTED = frozenset(b"konnte konnten durfte durften wurde wurden hatte hatten".split())
"""Keys of German subjunctives that another tense has too."""
_SELVES = frozenset(("my", "our", "i", "we"))
_WRITERS = frozenset(("i", "we", "ich", "wir", "je", "nous", "j'ai"))


class PartBehindTurns(SentencePart):
    """A quoted part of a sentence, looked at for what is left out before it."""

    def is_turned(self) -> bool:
        """Tell whether what is left out before a clause turns it."""
        if not self.before or bare(self.index, self.first) in self.breaks or self.is_joined_on(self.first):
            return False
        if self._is_ended() or self._is_of_kin():
            return True
        if not self.is_said():
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
            if is_said and bare(self.index, word) in _AND:
                return False
        return self._is_inverted()

    def _is_verbless(self) -> bool:
        """Tell whether two words right behind an Arabic `that` state something: its `is` is not written."""
        return (
            self.language == "ar"
            and self.turns.has("that", self.keys[self.before[0]])
            and self.head() > self.first
        )

    def _is_elided_that(self, word: int) -> bool:
        return self.language == "fr" and self.texts[word].casefold().startswith(("qu'", "qu’"))

    def _is_ended(self) -> bool:
        """Tell whether what is right before denies: `failed to`, `instead of`."""
        printed = self.texts[self.first].lstrip(OPENING)[:1]
        if not printed.isalpha() or (printed.isupper() and not self.is_said()):
            return False
        for at, word in enumerate(self.before[:2]):
            between = self.before[:at]
            if any(not self._is_light(each) for each in between) or not self.texts[word][-1:].isalnum():
                return False
            for phrase, kind in self.turns.ends.get(self.keys[word], ()):
                if kind in ("ended", "hedge") and stands_at(self.index, word - len(phrase) + 1, phrase):
                    if kind == "hedge" and not self._is_hedged(word):
                        continue
                    # `tools used to measure` are no habit of the past
                    beside = [*self.before[at + len(phrase) :], *self.behind[:1]]
                    verbs = (self.is_verb(each, each - 1, each) for each in beside)
                    return phrase != (b"used", b"to") or not any(verbs)
        return False

    def _is_hedged(self, word: int) -> bool:
        """Tell whether more than a word is left open, and not by the name of a month."""
        is_month = self.texts[word][:1].isupper() and word != self.before[-1]
        # `konnte` was able to, `könnte` may be
        is_plain = self.keys[word] in _UMLAUTED and self.texts[word].isascii()
        return not is_month and not is_plain and sum(map(bool, self.keys[self.first : self.last + 1])) > 1

    def _is_of_kin(self) -> bool:
        """Tell whether the verb right before is of another person: `Her mother had`."""
        if self._begins_with_kin():
            return True
        for at in (1, 2):
            if at + 1 >= len(self.before) or not all(map(self._may_be_verb, self.before[:at])):
                return False
            kin = self.before[at]
            if self.turns.has("kin", self.keys[kin]) and (self.texts[kin].islower() or self.language == "de"):
                owner = bare(self.index, self.before[at + 1])
                is_owned = not self.is_english or owner in _OWNERS or owner.endswith("'s")
                return is_owned and self.texts[self.first][:1].islower()
        return False

    def _begins_with_kin(self) -> bool:
        """Tell whether another person is the subject: `La madre del herrero padece`."""
        if self.is_english or not 1 < len(self.before) <= _LONGEST_KIN_LEAD:
            return False
        if not self.texts[self.first][:1].islower() or any(
            not self.texts[word][-1:].isalnum() for word in self.before
        ):
            return False
        return any(
            self.turns.has("kin", self.keys[word]) for word in self.before[-2:] if word != self.before[0]
        )

    def _may_be_verb(self, word: int) -> bool:
        said = bare(self.index, word)
        if self.is_english:
            return said in self.verbs or said in english_verbs()
        is_closed = said in closed_words().get(self.language, frozenset()) and said not in self.verbs
        return said.isalpha() and self.texts[word].islower() and not is_closed

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
            return not self._is_vague(begin, gap) and (is_led or not self.is_reflexive(begin))
        if kind == "opening":
            return is_led
        if kind == "formerly":
            return is_led and gap == 0
        if kind == "source":
            return is_led and self._is_parted() and self._is_person(between)
        if kind == "pending":
            return is_led and self._is_parted() and self.is_future() and self._is_awaited(begin, between)
        if kind == "bygone":
            return self._is_of_old_norm(begin)
        if kind == "when":
            return gap == 0 and self.turns.has("order", self.keys[self.before[-1]])
        if kind == "prior":
            early = [bare(self.index, word) for word in range(self.first, min(self.first + 6, self.last + 1))]
            is_parted = self._is_parted() or gap <= SAYING
            return (
                is_led
                and is_parted
                and any(word in _SAID_EARLY or is_told(self.language, "early", word) for word in early)
            )
        if kind == "view":
            is_begun = bare(self.index, self.before[-1]) in _VIEWED and self._is_parted()
            return is_begun and gap == 0 and not any(bare(self.index, w) in _SELVES for w in self.before)
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
            return gap <= SAYING and bare(self.index, between[-1] if between else self.first) != "as"
        # `alleges the landlord entered`, with no word for that
        if kind == "report" and not self._is_of_party(begin):
            return False
        if kind not in ("deny", "doubt", "report") or gap or self._is_own(begin):
            return False
        # `When asked, the porter opened` is no question of the porter's; `behauptet, die Pumpe` has its comma
        is_joined = self.texts[self.first - 1][-1:].isalnum() or not self.is_english
        return is_joined and self._begins_clause()

    def _is_of_old_norm(self, begin: int) -> bool:
        """Tell whether a sentence begins with what is no longer in force: `Under the old tariff`."""
        near = self.keys[begin + 1 : begin + 1 + _NORM_REACH]
        return begin - self.before[-1] < _NORM_REACH and any(self.turns.has("norm", key) for key in near)

    def _is_parted(self) -> bool:
        """Tell whether what begins a sentence is over right before what is quoted."""
        return self.language in _VERB_FIRST or self.texts[self.first - 1].endswith(_COMMAS)

    def _is_person(self, between: list[int]) -> bool:
        """Tell whether somebody's view is given: no report, law or record is named."""
        if not between or len(between) > _LONGEST_SOURCE:
            return False
        return not any(is_told(self.language, "document", bare(self.index, word)) for word in between)

    def _is_awaited(self, begin: int, between: list[int]) -> bool:
        """Tell whether something has to happen: `after the roof has been mended`, not `after lunch`."""
        if not self.is_english or self.keys[begin] not in (b"after", b"by"):
            return bool(between)
        return any(bare(self.index, word) in self.verbs for word in between)

    def _is_of_party(self, begin: int) -> bool:
        """Tell whether one whose own case it is says it."""
        return any(
            self.turns.has("party", self.keys[word]) for word in range(max(0, begin - _PARTY_REACH), begin)
        )

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
            return not self.is_verb(self.first + 1, self.first, self.first + 1)
        said = bare(self.index, self.first)
        closed = closed_words().get(self.language, frozenset())
        return (said in closed and said not in self.verbs) or self.keys[self.first] in TITLES

    def _begins_with_that(self) -> bool:
        return self.turns.has("that", self.keys[self.first]) and self.first < self.last

    def _is_unsaid(self, at: int) -> bool:
        """Tell whether nobody asserts what a `that` begins: the words right before it deny or doubt."""
        # `claims that were denied` is a relative clause
        behind = self.before[at - 1] if at else self.first
        if self.is_english and self.is_verb(behind, behind - 1, behind):
            return False
        denied = doubted = negated = told = False
        self._told_at = -1
        for step, word in enumerate(self.before[at + 1 : at + 1 + SAYING]):
            # `bestreitet, dass` has a comma of its own
            if (step and self.texts[word].endswith(",")) or bare(self.index, word) in _LINKS:
                break
            if self.keys[word] in NEGATIONS or self._is_elided_not(word):
                negated = negated or self._is_doubted_by_not(word, at)
                continue
            for phrase, kind in self.turns.ends.get(self.keys[word], ()):
                begin = word - len(phrase) + 1
                # `It was wrongly stated that`
                is_told_so = told and word == self._told_at - 1 and self.texts[word].endswith("ly")
                if (
                    (not told or is_told_so)
                    and kind in ("deny", "doubt")
                    and stands_at(self.index, begin, phrase)
                ):
                    denied = denied or kind == "deny"
                    doubted = doubted or (kind == "doubt" and not self._is_own(begin))
                if not told and kind == "report" and stands_at(self.index, begin, phrase):
                    doubted = doubted or self._is_of_party(begin)
            if not (denied or doubted) and self._is_participle(word, at):
                break
            # `the claims office confirmed that`: of two verbs the nearer one tells
            if not told and self.is_english and not (denied or doubted) and self._is_past(word):
                told, self._told_at = True, word
        if self.keys[self.before[at]] in NEGATIONS:
            return False
        return doubted or denied != negated

    def _is_elided_not(self, word: int) -> bool:
        return self.language == "fr" and self.texts[word].casefold().startswith(("n'", "n’"))

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
        if self.keys[word - 1] in NEGATIONS or bare(self.index, word - 1) in _BEING:
            return False
        return is_beside and self.texts[word].endswith("ing") and bool({stem, stem + "e"} & english_verbs())

    def _is_past(self, word: int) -> bool:
        said = bare(self.index, word)
        return len(said) > 4 and said.endswith("ed") and said.isalpha()

    def _is_own(self, begin: int) -> bool:
        """Tell whether a writer speaks of himself: `I believe that` states."""
        near = [bare(self.index, word) for word in range(max(0, begin - 2), begin)]
        return any(word in _WRITERS for word in near)

    def _is_inverted(self) -> bool:
        """Tell whether a sentence begins as a condition without a word for it: `Had the anchor held, ...`."""
        begin = self.before[-1]
        if not self.turns.has("inverted", self.keys[begin]) or not self.texts[begin][:1].isupper():
            return False
        if self.is_asked():
            return False
        # what is quoted is the condition itself, or stands behind its comma
        is_condition = self.before[0] == begin and self.behind
        return bool(is_condition) or any(self.texts[word].endswith(",") for word in self.before)
