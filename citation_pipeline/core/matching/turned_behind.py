"""Whether what a sentence has behind a quoted part turns it: a limit, a retraction, who says so."""

from citation_pipeline.core.matching.clauses import bare, closed_words
from citation_pipeline.core.matching.numerals import has_digit
from citation_pipeline.core.matching.sentence_parts import SentencePart
from citation_pipeline.core.matching.turns import is_told, stands_at

_TAIL, _LINKED, _TAG = 8, 6, 5  # words behind within which a condition, a retraction, a speaker is near
_LEAST_PREDICATE = 3  # words of `trifft nicht zu`, which needs no `was` before it
_LEAST_PLAN, _PLANNED = 3, 4  # words of what is planned, and before it among which is the plan
_PLANNING = frozenset(
    ("to", "that", "which", "whereby", "de", "d'", "di", "para", "que", "che", "à", "a", "om", "aby")
)
_LEAST_SUBJECT = 4  # words of what a sentence begins with and says to be withdrawn
_TIMES = frozenset(
    ("a", "per", "in", "every", "daily", "weekly", "monthly", "again", "more", "or", "and", "during", "")
)
"""What is behind a `once` that counts."""
_COMMAS = (",", "،")
_JOINING = frozenset(("and", "or", "so", "who", "which", "und", "oder", "et", "ou", "y", "e", "o", "i", "en"))


class PartBeforeTurns(SentencePart):
    """A quoted part of a sentence, looked at for what is left out behind it."""

    def is_turned(self) -> bool:
        """Tell whether what is left out behind a clause limits it, takes it back, or says who says it."""
        if not self.behind or self._is_unfinished():
            return False
        if self._is_undone() or self._is_excluded() or self._is_refused():
            return True
        if not self.is_told():
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
        if self.texts[word].startswith("(") or self.texts[word].endswith(";") or self.is_joined_on(word):
            return True
        return said in _JOINING or said in self.breaks

    def _limits(self, kind: str, word: int, at: int, length: int) -> bool:
        if kind == "condition":
            before = self.keys[word - 1]
            if self.is_reflexive(word):
                return False
            return not (self.turns.has("asking", before) or self.turns.has("vague", before)) and not (
                self.turns.has("vague", self.keys[min(word + length, len(self.keys) - 1)])
            )
        if kind == "inverted":
            subjects = ("the", "he", "she", "it", "they", "we")
            begins = at == 0 and bare(self.index, word + length) in subjects
            return begins and any(
                bare(self.index, w) in ("would", "could", "might") for w in range(self.first, self.last)
            )
        if kind == "limit":
            is_parted = self.texts[self.last].endswith(",") or any(
                self.texts[each].endswith(",") for each in self.behind[:at]
            )
            return not is_parted and bare(self.index, word - 1) not in ("if", "not")
        if kind == "source":
            return at == 0 and self._is_sourced(word + length)
        if kind == "pending":
            return at == 0 and self._is_awaited(word, word + length)
        return kind == "behind" or (kind == "except" and self.is_english)

    def _is_sourced(self, word: int) -> bool:
        """Tell whether a comma and whose view it is follow: `, according to the owner`."""
        if not self.texts[self.last].endswith(_COMMAS) or not self.behind or word > self.behind[-1]:
            return False
        names = range(word, self.behind[-1] + 1)
        return not any(is_told(self.language, "document", bare(self.index, each)) for each in names)

    def _is_awaited(self, word: int, behind: int) -> bool:
        """Tell whether a clause of what is to come waits for what follows: `once the lien is cleared`."""
        said, ahead = bare(self.index, word), [bare(self.index, each) for each in self.behind[1:]]
        if self.is_english and said == "after" and not any(each in self.verbs for each in ahead):
            return False
        if self.is_english and said == "once" and (not ahead or ahead[0] in _TIMES):
            return False
        is_now = self.is_english and said in ("once", "upon", "on", "as") and self.is_told()
        return behind <= self.behind[-1] and (self.is_future() or (is_now and self._is_present()))

    def _is_present(self) -> bool:
        words = range(self.first, self.last + 1)
        return any(bare(self.index, word) in ("is", "are", "becomes", "become") for word in words)

    def _is_undone(self) -> bool:
        """Tell whether what is quoted was taken back: nothing but links is before the word that says so."""
        if self.texts[self.last].endswith(",") and bare(self.index, self.behind[0]) == "which":
            ahead = [self.keys[word] for word in self.behind[1:_LINKED]]
            if any(self.turns.has("deny", key) for key in ahead):
                return True  # `, which the owner disputes`
        for at, word in enumerate(self.behind[: _LINKED + 2]):
            for phrase, kind in self.turns.starts.get(self.keys[word], ()):
                if kind == "undone" and stands_at(self.index, word, phrase):
                    is_own = at > 0 and phrase in ((b"ruled", b"out"), (b"set", b"aside"), (b"disproved",))
                    is_behind = at > 0 or len(phrase) >= _LEAST_PREDICATE
                    return is_behind and (self.is_told() or is_own or self._is_whole_subject())
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

    def _is_refused(self) -> bool:
        """Tell whether a plan that came to nothing is quoted: `the rent rises` of a proposal voted down."""
        if not self.before or self.last - self.first + 1 < _LEAST_PLAN:
            return False
        planned = self.before[-_PLANNED:]
        if not any(self.turns.has("plan", self.keys[word]) for word in planned):
            return False
        is_begun = bare(self.index, self.before[0]) in _PLANNING or self.texts[self.before[0]].endswith(",")
        return is_begun and any(
            kind == "refused" and stands_at(self.index, word, phrase)
            for word in self.behind[:_TAIL]
            for phrase, kind in self.turns.starts.get(self.keys[word], ())
        )

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
