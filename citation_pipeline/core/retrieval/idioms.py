"""Turns of speech in questions, read as the plain words that documents and fields are called by.

They are data, `schemas/questions/idioms.txt`: "gone out the door" is paid, "whose desk is it on" asks for the
adjuster. Only questions are read so: what a document says stays as it is.
"""

import re
from functools import cache, lru_cache
from importlib import resources

from citation_pipeline.core.retrieval.spelling import spelled
from citation_pipeline.core.retrieval.terms import fold_text

# what is said not to be meant asks for nothing: "our number - not the one on the notice", "as opposed to ..."
_CONTRAST = re.compile(
    r"(?i)(?:[,;(–—-]\s*|\b)(?:and |but )?(?:as opposed to|rather than|instead of)\s[^?;)]{4,}(?=[?;)]|$)"
    r"|(?:[,;(–—-]\s*|\b(?:and|but) )(?:and |but )?not "
    r"(?:the|who|what|when|where|which|his|her|our|their|just)\s[^?;)]{2,}(?=[?;)]|$)"
    r"|\bnot (?:the|an?|any) (?:[\w'-]+ ){0,3}ones?\b[^?;)]*(?=[?;)]|$)"
)


@cache
def _idioms() -> tuple[tuple[re.Pattern[str], str], ...]:
    path = resources.files("citation_pipeline.schemas") / "questions" / "idioms.txt"
    found = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            said, _, meant = line.partition(" => ")
            # an expression that looks ahead ends behind a space, at the beginning of a word
            found.append((re.compile(rf"(?<!\w)(?:{said})(?:(?<=\s)|(?!\w))"), meant.replace(r"\x20", " ")))
    return tuple(found)


def without_contrast(text: str) -> str:
    """Return a question without what it says not to mean."""
    return _CONTRAST.sub("", text)


@lru_cache(maxsize=1000)
def plain_wording(text: str) -> str:
    """Return a question folded, its slips mended and its turns of speech replaced by plain words."""
    told = fold_text(spelled(without_contrast(text.replace("_", " "))))
    for said, meant in _idioms():
        told = said.sub(meant, told)
    return " ".join(told.split()).rstrip(" ,;")
