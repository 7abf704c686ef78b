"""Who is who among reviewers: when two names are one person's, and which names somebody signs in under.

Decisions are kept under names, while one person may have several tokens, a token and an account of the
company's, or a name that is spelled differently in each. Two people have to be two people.
"""

import unicodedata
from collections.abc import Iterable, Mapping, Sequence

# combining marks of Latin, Greek and Cyrillic; those of other scripts are vowels
_ACCENTS = range(0x300, 0x370)


def same_person(one: str, other: str) -> bool:
    """Tell whether two names are one person's: capitals, blanks, accents, punctuation, `Lee, Ann` aside.

    Namesakes who are spelled alike count as one: to give them different names is better than to take one
    person's two signatures for two people's.
    """
    return person_key(one) == person_key(other)


def person_key(name: str) -> str:
    """Return what names are compared by; of a mail address every sign counts, in whatever capitals."""
    name = unicodedata.normalize("NFKD", name)
    if "@" in name:
        return name.strip().casefold()
    last, comma, first = name.partition(",")
    if comma and "," not in first:
        name = f"{first} {last}"
    kept = "".join(_letter(character) for character in name).casefold().split()
    return " ".join(kept) or name.strip()


def _letter(character: str) -> str:
    kind = unicodedata.category(character)
    if ord(character) in _ACCENTS or kind == "Cf":  # `Cf`: joiners and the like, which nobody sees
        return ""
    return character if kind[0] in "LMN" else " "


class People:
    """The names under which each person signs in, of which one is written below their decisions."""

    def __init__(self, names: Mapping[str, Sequence[str]] | None = None) -> None:
        """Take each person's name with their others; raises ValueError where a name is two people's."""
        self._known: dict[str, str] = {}
        for name, others in (names or {}).items():
            for one in (name, *others):
                holder = self._known.setdefault(person_key(one), name)
                if holder != name:
                    raise ValueError(f"{one!r} is given to two people, {holder!r} and {name!r}")

    def known_as(self, name: str) -> str:
        """Return the name that somebody's decisions are kept under."""
        return self._known.get(person_key(name), name)

    def find(self, name: str, *, among: Iterable[str]) -> str | None:
        """Return the name by which somebody of this name is known already, or None: they are new."""
        if person_key(name) in self._known:
            return self.known_as(name)
        return next((other for other in among if same_person(other, name)), None)
