"""Words of questions and documents as terms that can be compared: folded, stemmed, phrases and synonyms
joined.

A concept is a phrase or abbreviation of the field under one name (`@injury_date`). Nothing here ranks
anything.
"""

import re
import unicodedata
from functools import cache, lru_cache

from citation_pipeline.core.retrieval.vocabulary import vocabulary
from citation_pipeline.core.values.dates import MONTHS, find_dates

_WORD = re.compile(r"[a-z0-9]+(?:['’][a-z]+)?")
_HAS_DIGIT = re.compile(r"\d")
# the long name comes first among a month's names, so it is the one that stays
_MONTH_OF = {number: name for name, number in reversed(MONTHS.items())}
_SPACES = re.compile(r"\s+")


def fold_text(text: str) -> str:
    """Return the text in lower case without accents; curly quotes become plain, spaces single."""
    if text.isascii():
        return _SPACES.sub(" ", text).lower()
    plain = unicodedata.normalize("NFKD", text.replace("’", "'").replace("‘", "'"))
    kept = "".join(c for c in plain if not unicodedata.combining(c))
    return _SPACES.sub(" ", kept).lower()


def words_of(text: str) -> list[str]:
    """Return the words of a text, folded; possessives lose their `'s`."""
    return [word.removesuffix("'s").replace("'", "") for word in _WORD.findall(fold_text(text))]


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """Return a word without its commonest English endings; short words and numbers stay."""
    if len(word) <= 3 or not word.isalpha():
        return word
    for ending, replacement in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= (4 if ending.startswith("al") else 3):
            return _single(word[: -len(ending)] + replacement)
    return word


def _single(stemmed: str) -> str:
    """Undouble the consonant that an ending doubled: `transferr` is `transfer`."""
    if len(stemmed) > 4 and stemmed[-1] == stemmed[-2] and stemmed[-1] in "bdgmnprt":
        return stemmed[:-1]
    return stemmed


_ENDINGS = (
    ("ations", "at"),
    ("ation", "at"),
    ("als", ""),
    ("al", ""),
    ("ments", "ment"),
    ("ities", "ity"),
    ("ings", ""),
    ("ies", "y"),
    ("ied", "y"),
    ("ing", ""),
    ("sses", "ss"),
    ("ches", "ch"),
    ("ss", "ss"),
    ("us", "us"),
    ("is", "is"),
    ("ers", "er"),
    ("ed", ""),
    ("ly", ""),
    ("es", ""),
    ("e", ""),
    ("s", ""),
)


_MARKED = re.compile(r"@[a-z_]+|[a-z0-9]+(?:'[a-z]+)?")


@cache
def _concept_of() -> dict[str, str]:
    return {phrase: concept for concept, listed in vocabulary().concepts.items() for phrase in listed}


@cache
def _phrase() -> re.Pattern[str]:
    # the longest phrase first: "panel qme" before "qme"
    listed = "|".join(re.escape(p) for p in sorted(_concept_of(), key=len, reverse=True))
    return re.compile(rf"(?<![a-z0-9])(?:{listed})(?![a-z0-9])")


@cache
def _group_of() -> dict[str, str]:
    return {stem(word): f"~{group[0]}" for group in vocabulary().synonyms for word in group}


def term_of(word: str) -> str:
    """Return the term of one folded word: its synonym group or its stem."""
    stemmed = stem(word)
    return _group_of().get(stemmed, stemmed)


def mark_concepts(text: str) -> str:
    """Return the folded text with every known phrase replaced by its concept."""
    return _phrase().sub(lambda match: f" @{_concept_of()[match[0]]} ", fold_text(text))


def terms_of(text: str) -> list[str]:
    """Return a text's terms in order: concepts, synonym groups and stems; stop words are left out."""
    terms, stops = [], vocabulary().stop_words
    for token in _MARKED.findall(mark_concepts(text)):
        if token.startswith("@"):
            terms.append(token)
            continue
        word = token.removesuffix("'s").replace("'", "")
        if word not in stops:
            terms.append(term_of(word))
    return terms


@cache
def light_terms() -> frozenset[str]:
    """Return the terms of words that say little about what is asked."""
    return frozenset(term for word in vocabulary().light_words for term in (stem(word), term_of(word)))


@cache
def _related() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for head, *others in vocabulary().related:
        found.setdefault(term_of(head), set()).update(term_of(word) for word in others)
    return {term: frozenset(others - {term}) for term, others in found.items()}


def related_terms(term: str) -> frozenset[str]:
    """Return the terms that hint at the same thing as a question's term, without meaning it."""
    return _related().get(term, frozenset())


def term_set(text: str) -> frozenset[str]:
    """Return a text's terms as a set, the words inside concepts too, so that a part still counts."""
    terms, stops = set(terms_of(text)), vocabulary().stop_words
    for word in words_of(text):
        if word not in stops:
            terms.add(term_of(word))
    if _HAS_DIGIT.search(text):
        for span in find_dates(text):  # whoever asks says "in December", a form says 12/04/2025
            year, month, _ = str(span.value).split("-")
            terms |= {year, stem(_MONTH_OF[int(month)])}
    return frozenset(terms)


def index_terms(text: str) -> list[str]:
    """Return a text's terms for an index: those of `terms_of`, and the words inside its phrases too."""
    terms = terms_of(text)
    return [*terms, *sorted(term_set(text) - set(terms))]


def term_places(text: str) -> list[tuple[int, str]]:
    """Return the text's terms with about where each begins (folding may shift a place by a few letters)."""
    folded, stops = fold_text(text), vocabulary().stop_words
    found = [(match.start(), f"@{_concept_of()[match[0]]}") for match in _phrase().finditer(folded)]
    found += [
        (match.start(), term_of(word))
        for match in _WORD.finditer(folded)
        if (word := match[0].removesuffix("'s").replace("'", "")) not in stops
    ]
    return sorted(found)
