"""The words and phrases that turn a clause which stands in one sentence with them (`words/turns.txt`)."""

import re
from dataclasses import dataclass, field
from functools import cache

from citation_pipeline.core.matching.clauses import closed_words
from citation_pipeline.core.matching.folding import fold
from citation_pipeline.core.matching.index import DocumentIndex
from citation_pipeline.core.matching.vocabulary import NEGATIONS, everyday_words, light_words, lines_of

_UNSPACED = frozenset(("zh", "ja", "ko"))
"""Languages whose lists hold parts of texts, not words."""
_LISTED = frozenset(
    ("interrogative", "future", "present", "document", "early", "texts")
)  # kinds that are no phrases
_GRAMMATICAL = frozenset(
    (
        "condition",
        "that",
        "deny",
        "doubt",
        "asked",
        "adverb",
        "limit",
        "except",
        "links",
        "breaks",
        "undone",
        "nor",
    )
)
"""Kinds whose words tell which language a sentence is in."""
_JOINED = {"ar": "و"}  # written before a word as one with it: `and`

Phrase = tuple[bytes, ...]


@dataclass(slots=True)
class Turns:
    """The phrases of one language: by kind, by their last word and by their first one."""

    kinds: dict[str, set[Phrase]] = field(default_factory=dict)
    ends: dict[bytes, list[tuple[Phrase, str]]] = field(default_factory=dict)
    starts: dict[bytes, list[tuple[Phrase, str]]] = field(default_factory=dict)

    def add(self, kind: str, phrase: Phrase) -> None:
        """Add a phrase."""
        self.kinds.setdefault(kind, set()).add(phrase)
        self.ends.setdefault(phrase[-1], []).append((phrase, kind))
        self.starts.setdefault(phrase[0], []).append((phrase, kind))

    def has(self, kind: str, key: bytes) -> bool:
        """Tell whether a word by itself is one of a kind."""
        return (key,) in self.kinds.get(kind, ())


@cache
def turns() -> dict[str, Turns]:
    """Return the phrases of all languages; read from the package once."""
    found: dict[str, Turns] = {}
    for language, kind, words in _lines():
        if (
            (language in _UNSPACED and kind != "lists")
            or kind in _LISTED
            or (language, kind) == ("en", "verbs")
        ):
            continue
        for phrase in words.split(","):
            each = found.setdefault(language, Turns())
            each.add(kind, tuple(map(fold, phrase.split())))
            if language in _JOINED:
                each.add(kind, tuple(map(fold, (_JOINED[language] + phrase.strip()).split())))
    return found


@cache
def parts_of(language: str, kind: str) -> tuple[str, ...]:
    """Return the parts of texts of a kind in Chinese, Japanese or Korean."""
    return tuple(sorted(_words_of(language, kind)))


@cache
def names_source(language: str) -> re.Pattern[str]:
    """Return the pattern of what names whose view a clause of Chinese, Japanese or Korean is."""
    return _pattern_of(language, "source")


@cache
def names_document(language: str) -> re.Pattern[str]:
    """Return the pattern of the documents that are no person's view."""
    return _pattern_of(language, "document")


def _pattern_of(language: str, wanted: str) -> re.Pattern[str]:
    return re.compile(
        "|".join(words.strip() for each, kind, words in _lines() if (each, kind) == (language, wanted))
    )


@dataclass(frozen=True, slots=True)
class Triggers:
    """The keys of which one is near whatever is turned: far or right before it, behind it, ..."""

    every: frozenset[bytes]
    far: frozenset[bytes]
    near: frozenset[bytes]
    behind: frozenset[bytes]
    that: frozenset[bytes]
    tellers: frozenset[bytes]
    parties: frozenset[bytes]
    inverted: frozenset[bytes]


@cache
def triggers() -> Triggers:
    """Return the keys that tell that a clause may be turned.

    What is a closed or a light word of English (`of`, `die`) does not tell it in other languages.
    """

    def of(*kinds: str) -> frozenset[bytes]:
        return frozenset(
            key
            for language, each in turns().items()
            for key in {_told_by(phrase) for kind in kinds for phrase in each.kinds.get(kind, ())}
            if language == "en" or key not in telling_words_of("en") | light_words()
        )

    far = of("condition", "opening", "asked", "source", "formerly", "prior", "pending", "bygone")
    near = of(
        "limit", "except", "ended", "adverb", "deny", "doubt", "nor", "hedge", "report", "kin", "view", "when"
    )
    behind = of(
        "condition",
        "behind",
        "limit",
        "except",
        "undone",
        "unsettled",
        "excluded",
        "source",
        "pending",
        "refused",
    )
    that, tellers, inverted = of("that"), of("deny", "doubt") | NEGATIONS, of("inverted")
    every = far | near | behind | that | inverted
    return Triggers(every, far, near, behind, that, tellers, of("party"), inverted)


@cache
def _languages() -> dict[bytes, tuple[str, ...]]:
    found: dict[bytes, tuple[str, ...]] = {}
    for language, each in turns().items():
        # once, of however many kinds it is: a word of one language alone tells that
        for key in {key for phrases in each.kinds.values() for phrase in phrases for key in phrase}:
            found[key] = (*found.get(key, ()), language)
    return found


def languages_of(key: bytes) -> tuple[str, ...]:
    """Return the languages in which a word turns, be it with others, in the order of the table."""
    return _languages().get(key, ())


@cache
def language_of(key: bytes) -> str:
    """Return the only language in which a word turns; nothing where it is a common word of English too."""
    (first, *others) = languages_of(key) or ("",)
    return "" if others or (first != "en" and key in everyday_words()) else first


@cache
def phrases_told() -> dict[bytes, tuple[tuple[int, Phrase], ...]]:
    """Return the phrases that a word stands for, with its place in each.

    The shortest is first: a word by itself stands wherever it is printed.
    """
    every = {phrase for each in turns().values() for phrases in each.kinds.values() for phrase in phrases}
    found: dict[bytes, list[tuple[int, Phrase]]] = {}
    for phrase in sorted(every, key=lambda each: (len(each), each)):
        key = _told_by(phrase)
        found.setdefault(key, []).append((phrase.index(key), phrase))
    return {key: tuple(phrases) for key, phrases in found.items()}


def _told_by(phrase: Phrase) -> bytes:
    """Return the word of a phrase that stands for it: `of` would stop the search at every other quotation."""
    return max(reversed(phrase), key=lambda key: (key not in telling_words_of("en"), len(key)))


@cache
def telling_words_of(language: str) -> frozenset[bytes]:
    """Return the keys of the closed words of a language."""
    return frozenset(map(fold, closed_words().get(language, ())))


@cache
def telling_words() -> dict[bytes, tuple[str, ...]]:
    """Return the languages of which a word is a closed one, or one that turns."""
    found: dict[bytes, tuple[str, ...]] = {}
    for language in dict.fromkeys((*closed_words(), *turns())):  # of equal counts the first one decides
        known = turns()[language].kinds if language in turns() else {}
        kinds = [phrases for kind, phrases in known.items() if kind in _GRAMMATICAL]
        single = {phrase[0] for phrases in kinds for phrase in phrases if len(phrase) == 1}
        for key in telling_words_of(language) | single:
            found[key] = (*found.get(key, ()), language)
    return found


@cache
def breaks_of(language: str) -> frozenset[str]:
    """Return the words of a language that end what a word before them reaches."""
    return _words_of(language, "breaks")


@cache
def words_of(kind: str) -> frozenset[bytes]:
    """Return the first words of the phrases of a kind, in all languages."""
    return frozenset(phrase[0] for each in turns().values() for phrase in each.kinds.get(kind, ()))


@cache
def interrogatives_of(language: str) -> frozenset[str]:
    """Return the words of a language that begin a question."""
    return _words_of(language, "interrogative")


@cache
def nouns_of_texts() -> frozenset[bytes]:
    """Return the keys of the nouns, in all languages, that name a text of the page: `clause`, `draft`."""
    return frozenset(
        fold(word) for _, kind, words in _lines() if kind == "texts" for word in words.split(",")
    )


@cache
def condition_endings() -> tuple[str, ...]:
    """Return the ends of Korean words of a condition."""
    return parts_of("ko", "ending")


@cache
def _told_of(language: str, kind: str) -> tuple[frozenset[str], tuple[str, ...]]:
    """Return the words of a kind and the endings of others."""
    listed = {word.casefold() for word in _words_of(language, kind)}
    endings = tuple(sorted(word[1:] for word in listed if word.startswith("~")))
    return frozenset(word for word in listed if not word.startswith("~")), endings


def is_told(language: str, kind: str, word: str) -> bool:
    """Tell whether a bare word is one of a kind, or ends as one does."""
    words, endings = _told_of(language, kind)
    return word in words or (len(word) > 4 and word.endswith(endings))


def _words_of(language: str, wanted: str) -> frozenset[str]:
    return frozenset(
        word.strip()
        for each, kind, words in _lines()
        if (each, kind) == (language, wanted)
        for word in words.split(",")
    )


@cache
def english_verbs() -> frozenset[str]:
    """Return the forms in -s and the irregular pasts of English verbs."""
    bases = [
        word
        for language, kind, words in _lines()
        if (language, kind) == ("en", "verbs")
        for word in words.split()
    ]
    return frozenset(form for base in bases for form in (_third_person(base), base))


def _third_person(verb: str) -> str:
    if verb.endswith(("s", "sh", "ch", "x", "z", "o")):
        return verb + "es"
    if verb.endswith("y") and verb[-2:-1] not in tuple("aeiou"):
        return verb[:-1] + "ies"
    return verb + "s"


def stands_at(index: DocumentIndex, first: int, phrase: Phrase) -> bool:
    """Tell whether a phrase is printed from a word on, without a stop or a comma inside."""
    if first < 0 or tuple(index.keys[first : first + len(phrase)]) != phrase:
        return False
    texts = index.words.texts[first : first + len(phrase)]
    return all(text[-1:].isalnum() or text[-1:] in "'’" for text in texts[:-1])


@cache
def _lines() -> tuple[tuple[str, str, str], ...]:
    found = []
    for line in lines_of("turns.txt"):
        head, _, words = line.partition(":")
        language, kind = head.split()
        found.append((language, kind, words))
    return tuple(found)
