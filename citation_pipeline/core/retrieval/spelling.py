"""Slips in a question's words, read as the words of the trade that they nearly are.

Only words that no list of the language knows are looked at, written small: names, numbers and short words
stay as they are. Documents are never read so.
"""

import re
from collections.abc import Iterable, Mapping
from functools import cache

from citation_pipeline.core.matching.folding import fold
from citation_pipeline.core.matching.vocabulary import is_listed
from citation_pipeline.core.retrieval.subjects import is_near
from citation_pipeline.core.retrieval.vocabulary import vocabulary
from citation_pipeline.core.retrieval.word_kin import is_plain_word

_LEAST_LETTERS = 5  # a slip in a shorter word makes another word
_SMALL = re.compile(rf"(?<![\w@./#-])[a-z]{{{_LEAST_LETTERS},}}(?![\w@/#-])")


def spelled(text: str) -> str:
    """Return a text with the slips in its small words mended; most texts have none."""
    return _SMALL.sub(lambda match: _mended(match[0]), text)


def _mended(word: str) -> str:
    if is_plain_word(word) or is_listed(fold(word)):
        return word
    stems = (word, word.removesuffix("s")) if word.endswith("s") else (word,)
    for written in stems:
        near = [known for known in _trade_words().get(written[0], ()) if is_near(written, known)]
        if near:
            return min(near, key=lambda known: (abs(len(known) - len(written)), known)) + word[len(written) :]
    return word


@cache
def _trade_words() -> Mapping[str, tuple[str, ...]]:
    """Return the vocabulary's words that may be meant, by their first letter."""
    words = vocabulary()
    listed: Iterable[Iterable[str]] = (
        *words.concepts.values(), *words.synonyms, *words.related, *words.body_parts, *words.procedures,
        words.stop_words, words.light_words,
    )  # fmt: skip
    found: dict[str, set[str]] = {}
    for group in listed:
        for word in re.findall(rf"[a-z]{{{_LEAST_LETTERS},}}", " ".join(group)):
            found.setdefault(word[0], set()).add(word)
    return {letter: tuple(sorted(group)) for letter, group in found.items()}
