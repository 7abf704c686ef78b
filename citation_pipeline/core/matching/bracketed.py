"""Words of the quoter's own, in square brackets: they explain a pronoun of the page, or stand for it.

`[The driver] saw it` of `He saw it`, `she [the tenant] left` of `she left`. Brackets that stand for anything
else, or that deny, change what is said.
"""

from collections.abc import Sequence
from itertools import pairwise

from citation_pipeline.core.matching.folding import fold
from citation_pipeline.core.matching.index import DocumentIndex
from citation_pipeline.core.matching.omissions import ends_sentence
from citation_pipeline.core.matching.snippets import bracketed_words
from citation_pipeline.core.matching.vocabulary import NEGATIONS

_MOST_REPLACED = 2  # words of the page for one bracket
_OPENING = "\"'“‘*_ "
_STANDING_FOR_NAMES = """
i he she it we you they me him her us them my mine his hers its our ours your yours their theirs this that
these those the a an who which er sie es wir ihr ihm ihn ihnen sein seine ihre unser mein il elle ils elles
lui leur son sa ses notre él ella ellos su sus nuestro le les ele ela eles seu sua lei loro suo
"""
_PRONOUNS = frozenset(map(fold, _STANDING_FOR_NAMES.split()))


def adds_words(text: str) -> bool:
    """Tell whether a quotation has words of the quoter's own, none of which denies."""
    own = bracketed_words(text)
    return bool(own) and not any(fold(word) in NEGATIONS for each in own for word in each.split())


def stand_for_pronouns(index: DocumentIndex, text: str, words: Sequence[int]) -> bool:
    """Tell whether the words of a place leave out only what brackets in a quotation of it may stand for."""
    own = {fold(word) for each in bracketed_words(text) for word in each.split()}
    texts, keys = index.words.texts, index.keys
    if any("[" in text for text in texts[max(0, words[0] - 1) : words[-1] + 2]):
        return False  # the page's brackets may be those that are quoted
    for before, word in pairwise(words):
        left_out = [at for at in range(before + 1, word) if keys[at]]
        if len(left_out) > _MOST_REPLACED or any(keys[at] not in _PRONOUNS | own for at in left_out):
            return False
    if not text.lstrip(_OPENING).startswith("[") or not words[0]:
        return True
    first = words[0] - 1
    return keys[first] in _PRONOUNS | own or ends_sentence(index, [first])
