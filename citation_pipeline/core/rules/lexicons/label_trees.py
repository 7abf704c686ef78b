"""Labels of a whole lexicon as a tree of words: the longest one at a place, and one with letters misread."""

from collections.abc import Sequence
from typing import Any

from rapidfuzz import fuzz, process

from citation_pipeline.core.rules.lexicons.meanings import MEANT, Meaning, Meanings
from citation_pipeline.core.values.spans import fold_words

# A label this long keeps its meaning with one letter in ten misread; of a short one another label may result.
_LEAST_FOR_MISREAD = 18
_MOST_FOR_MISREAD = 140
_MISREAD = 88.0


class LabelTree:
    """Labels as sequences of folded words, for the longest match at a place."""

    def __init__(self) -> None:
        self._root: dict[str, Any] = {}
        self._long: dict[str, frozenset[str]] = {}
        self._meanings = Meanings()

    def add(self, words: Sequence[str], key: str) -> None:
        """Add a label of the field `key`; the empty key belongs to no field."""
        node = self._root
        for word in words:
            node = node.setdefault(word, {})
        node.setdefault("", set()).add(key)
        whole = " ".join(words)
        if len(whole) >= _LEAST_FOR_MISREAD:
            self._long[whole] = self._long.get(whole, frozenset()) | {key}

    def add_meaning(self, meaning: Meaning, key: str) -> None:
        """Add a label of the field `key` that is told by its words in any order."""
        self._meanings.add(meaning, key)

    def meant(self, words: Sequence[str]) -> tuple[tuple[str, ...], frozenset[str]] | None:
        """Return the name and the fields of a whole label that no list holds, by what its words mean."""
        keys = self._meanings.fields_of(words)
        return ((MEANT, *words), keys) if keys else None

    def misread(self, words: Sequence[str]) -> tuple[tuple[str, ...], frozenset[str]] | None:
        """Return the long label that recognized words mean though a few letters were misread."""
        text = " ".join(words)
        if not _LEAST_FOR_MISREAD <= len(text) <= _MOST_FOR_MISREAD:
            return None
        found = process.extractOne(text, self._long.keys(), scorer=fuzz.ratio, score_cutoff=_MISREAD)
        return (tuple(found[0].split()), self._long[found[0]]) if found else None

    def longest(self, words: Sequence[str], begin: int) -> tuple[int, frozenset[str]] | None:
        """Return how many words the longest label at `begin` has, and the fields it names."""
        node: dict[str, Any] = self._root
        best: tuple[int, frozenset[str]] | None = None
        for length, word in enumerate(words[begin:], start=1):
            if not word or word not in node:
                break
            node = node[word]
            if "" in node:
                best = (length, frozenset(node[""]))
        return best


# How clerks shorten the words of labels; what means two things (`pd`, `res`, `emp`) is not among them.
_SHORT_FORMS = {
    "dt": "date",
    "dte": "date",
    "adj": "adjuster",
    "adjstr": "adjuster",
    "exmr": "examiner",
    "carr": "carrier",
    "ins": "insurance",
    "insd": "insured",
    "resv": "reserve",
    "rsv": "reserve",
    "reserves": "reserve",
    "thru": "through",
    "nbr": "number",
    "num": "number",
    "no": "number",
    "curr": "current",
    "cur": "current",
    "doc": "doctor",
    "dr": "doctor",
    "er": "employer",
    "empr": "employer",
    "emplr": "employer",
    "emplyr": "employer",
    "ee": "employee",
    "empe": "employee",
    "clm": "claim",
    "clmt": "claimant",
    "spec": "specialty",
    "desig": "designated",
    "avg": "average",
    "wkly": "weekly",
    "wk": "week",
    "hrly": "hourly",
    "hr": "hour",
    "occ": "occupation",
    "appt": "appointment",
    "atty": "attorney",
    "tx": "treatment",
    "dx": "diagnosis",
    "diagnoses": "diagnosis",
    "rx": "medications",
    "meds": "medications",
    "compens": "compensability",
    "loc": "location",
    "inj": "injury",
    "eff": "effective",
    "incur": "incurred",
    "tot": "total",
    "rpt": "report",
    "rptd": "reported",
    "amt": "amount",
    "restr": "restrictions",
    "stat": "status",
    "subro": "subrogation",
    "litig": "litigation",
    "ofc": "office",
    "pol": "policy",
    "med": "medical",
    "temp": "temporary",
    "perm": "permanent",
    "sched": "scheduled",
    "tgt": "target",
    "addr": "address",
    "descr": "description",
    "desc": "description",
    "determ": "determination",
    "det": "determination",
    "mech": "mechanism",
    "phys": "physician",
    "svc": "service",
    "os": "outstanding",
    "settl": "settlement",
    "settlmt": "settlement",
    "appvd": "approved",
    "nxt": "next",
    "ltd": "ltd",
}


def label_word(word: str) -> str:
    """Return a folded word of a label in full: `dt` is `date`."""
    return _SHORT_FORMS.get(word, word)


def label_words(label: str) -> tuple[str, ...]:
    """Return a label as it is compared: folded words in full, `#` read as a word of its own."""
    return tuple(label_word(word) for word in fold_words(label.replace("#", " number ")))
