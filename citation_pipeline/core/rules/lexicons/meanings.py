"""Labels told by their words in any order: `Employer first told`, `Day you knew`, `Job at manifestation`.

No list of labels is complete. A label that no list holds has a field's meaning when each of its words is one
that labels of this field use, and one of each group of words is among them. One word more, and it is another
label: `Worker counsel fee` names no counsel.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

MEANT = "~"
"""What the name of a label begins with that no list holds."""

_MOST_WORDS = 12
_MOST_KNOWN = 20_000
_FILLER_WORDS = (
    "the of a an this that is was are were be been did do does has have had his her their your my our its it "
    "he she they you we to for by at in on with and or if any please give state enter print"
)
_FILLERS = frozenset(_FILLER_WORDS.split())


def stem(word: str) -> str:
    """Return a folded word without the `s` of a plural or genitive."""
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


@dataclass(frozen=True)
class Meaning:
    """Groups of words of which a label holds one each, and words that it may hold besides."""

    groups: tuple[frozenset[str], ...]
    besides: frozenset[str] = frozenset()

    def is_of(self, words: Collection[str]) -> bool:
        """Tell whether a label of these words has the meaning."""
        known = self.besides.union(_FILLERS, *self.groups)
        return all(not group.isdisjoint(words) for group in self.groups) and all(w in known for w in words)


def meaning_of(groups: Iterable[str], besides: str) -> Meaning:
    """Return a meaning from texts of words."""
    return Meaning(
        tuple(frozenset(map(stem, group.split())) for group in groups),
        frozenset(map(stem, besides.split())),
    )


class Meanings:
    """The meanings of all fields of a lexicon."""

    def __init__(self) -> None:
        self._by_key: list[tuple[str, Meaning]] = []
        self._known: dict[frozenset[str], frozenset[str]] = {}

    def add(self, meaning: Meaning, key: str) -> None:
        """Add a meaning of the field `key`."""
        self._by_key.append((key, meaning))

    def fields_of(self, words: Sequence[str]) -> frozenset[str]:
        """Return the fields that a whole label of folded words means, none for most texts."""
        if not words or len(words) > _MOST_WORDS:
            return frozenset()
        own = frozenset(word if word in _FILLERS else stem(word) for word in words)
        found = self._known.get(own)
        if found is None:
            found = frozenset(key for key, meaning in self._by_key if meaning.is_of(own))
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()  # a night's documents have no end of texts
            self._known[own] = found
        return found
