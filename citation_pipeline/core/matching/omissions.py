"""What a quotation leaves out at an ellipsis: whether the words left out deny or limit what is quoted."""

from collections.abc import Sequence

from citation_pipeline.core.matching.folding import spell
from citation_pipeline.core.matching.index import DocumentIndex
from citation_pipeline.core.matching.vocabulary import NEGATION_PARTS, NEGATIONS

_WHOLE = 12  # words left out that are one clause with what is quoted
_BESIDE = 6  # of a longer gap: words that may belong to the part beside them
_FEW = 3  # words left out among which a modal or a hedge is what was meant to go
_MODALS = frozenset(
    b"may might can could should must shall would will ought only if alleged allegedly".split()
)
_HEDGING = """
possible possibly potential potentially probable probably likely presumed presumably suspected apparent
apparently reportedly purported purportedly tentative tentatively provisional provisionally preliminary
proposed attempted pending estimated approximately approx about roughly nearly almost least up maximum
minimum less more fewer partial partially partly temporary temporarily former formerly previously equivocal
questionable some most few several sometimes occasional occasionally often usually generally mostly
ro rule ruled query differential hx history versus vs
"""
# what they leave behind claims more than the page: fracture for a possible one, 5 days for at least 5
_LIMITS = _MODALS | frozenset(_HEDGING.encode().split())
_TURNING = """
fail fails failed failing failure decline declines declined refuse refusal reject rejects rejected
dismiss dismissed cease ceased stop stopped neglected omitted forgot waive waived avoid avoided
prevent prevents prevented prohibit prohibits prohibited forbid forbidden barred impossible unlikely
seldom rarely instead rather against false falsely untrue incorrect incorrectly wrongly disputes
disputed contests contested withdrew withdrawn revoked rescinded reversed vacated overturned
negative exempt ineligible
"""
_TURNS = frozenset(_TURNING.encode().split())
_ENDS = (".", "?", "!", "。", "؟")


def hides_meaning(index: DocumentIndex, words: Sequence[int]) -> bool:
    """Tell whether the words that an ellipsis replaces deny, except or limit what is beside it."""
    keyed = [word for word in words if index.keys[word]]
    # of a longer gap only the clauses beside the quoted parts can turn them; what lies between is other
    # text
    near = keyed if len(keyed) <= _WHOLE else [*_clause(index, keyed), *_clause_before(index, keyed)]
    if any(denies(index, word) or index.keys[word] in _TURNS for word in near):
        return True
    return len(keyed) <= _FEW and any(index.keys[word] in _LIMITS for word in keyed)


def denies(index: DocumentIndex, word: int) -> bool:
    """Tell whether a word of the page denies or excepts, by itself or inside a script without spaces."""
    key = index.keys[word]
    if key in NEGATIONS:
        return True
    if key.isascii():
        return False
    text = spell(index.words.texts[word])
    return any(part in text for part in NEGATION_PARTS)


def _clause(index: DocumentIndex, words: Sequence[int]) -> list[int]:
    """Return the first few words, up to the end of their sentence."""
    found: list[int] = []
    for word in words[:_BESIDE]:
        found.append(word)
        if index.words.texts[word].endswith(_ENDS):
            break
    return found


def _clause_before(index: DocumentIndex, words: Sequence[int]) -> list[int]:
    """Return the last few words, from the end of the sentence before them."""
    found: list[int] = []
    for word in reversed(words[-_BESIDE:]):
        if index.words.texts[word].endswith(_ENDS):
            break
        found.append(word)
    return found
