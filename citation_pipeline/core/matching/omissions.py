"""What a quotation leaves out, at an ellipsis or in silence: whether it denies, limits, or hardly matters."""

import re
from collections.abc import Sequence

from citation_pipeline.core.matching.clauses import hides_clause, misjoins, parts_figures
from citation_pipeline.core.matching.folding import fold, spell
from citation_pipeline.core.matching.index import DocumentIndex
from citation_pipeline.core.matching.numerals import has_digit
from citation_pipeline.core.matching.stated_values import states_a_value, values_of
from citation_pipeline.core.matching.vocabulary import (
    HEDGE_PARTS,
    HEDGES,
    NEGATION_PARTS,
    NEGATIONS,
    light_words,
)
from citation_pipeline.core.matching.written_words import CLAUSE_ENDS, OPENING, SENTENCE_ENDS

_WHOLE = 12  # words left out that are one clause with what is quoted
_BESIDE = 6  # of a longer gap: words that may belong to the part beside them
_FEW = 3  # words left out among which a modal or a hedge is what was meant to go
_SPECK = 2  # letters of a word that a badly recognized page may have made of dirt
_TURNING = """
fail fails failed failing failure decline declines declined refuse refusal reject rejects rejected
dismiss dismissed cease ceased stop stopped neglected omitted forgot waive waived avoid avoided
prevent prevents prevented prohibit prohibits prohibited forbid forbidden barred impossible unlikely
seldom rarely instead rather against false falsely untrue incorrect incorrectly wrongly disputes
disputed contests contested withdrew withdrawn revoked rescinded reversed vacated overturned
negative exempt ineligible
"""
_TURNS = frozenset(_TURNING.encode().split())
_CONTRASTING = """
but however although though yet sondern aber jedoch mais cependant pero sino ma però mas maar
"""
_CONTRASTS = frozenset(map(fold, _CONTRASTING.split()))
_MULTIPLES = frozenset(
    b"twice thrice half double triple quarter dozen hundred thousand million billion".split()
)
_ALTERNATES, _EACH = (
    frozenset(b"other second third fourth few several".split()),
    frozenset((b"every", b"each")),
)
_CONDITIONS = re.compile("if|whether|ob|wenn|falls|sofern|si|se|indien|mits|jeśli|jeżeli|pokud|если|якщо")
_CLAUSES = re.compile("that|dass|que|che|dat|że|что|що")
_DENIED_BEFORE = 5  # words before a clause among which is what denies it: `denied to the agent that`
_FIRST_WORDS = 4  # of a quotation, by which a title is told from a sentence
_LEAST_SENTENCE = 6  # words
_PLAIN_ENDS = (".", "!", "。")


def hides_meaning(index: DocumentIndex, words: Sequence[int]) -> bool:
    """Tell whether the words that an ellipsis replaces deny, except, limit or multiply what is beside it."""
    keyed = [word for word in words if index.keys[word]]
    is_apart = _are_sentences(index, keyed)
    # of a longer gap only the clauses beside the quoted parts can turn them; what lies between is other
    # text
    near = keyed if len(keyed) <= _WHOLE else [*_clause(index, keyed), *_clause_before(index, keyed)]
    if any(index.keys[word] in _TURNS or (not is_apart and denies(index, word)) for word in near):
        return True
    # two whole clauses say the same without the word that contrasts them: `may be paid; however, it is late`
    is_between = len(keyed) == 1 and words[0] > 0 and index.words.texts[words[0] - 1].endswith(CLAUSE_ENDS)
    is_contrast = not is_between and any(index.keys[word] in _CONTRASTS for word in keyed)
    if is_contrast and len(keyed) <= _WHOLE and (is_apart or not ends_sentence(index, keyed)):
        return True
    return len(keyed) <= _FEW and any(_limits(index, word) or _multiplies(index, word) for word in keyed)


def joins_clauses(index: DocumentIndex, words: Sequence[int]) -> bool:
    """Tell whether an ellipsis may join what one clause begins and another one ends.

    `He agreed; she` is left out of `The buyer ... did not sign`, `and 20 % to wear` of `80 % is due to ...
    and age`: what is said of whom, and which figure belongs to what, the quotation alone decides.
    """
    texts, low, high = index.words.texts, words[0], words[-1] + 1
    if not low or high >= len(texts) or not texts[high].lstrip(OPENING)[:1].islower():
        return False
    if any(texts[word].endswith(CLAUSE_ENDS) for word in words):
        return True
    is_figured = any(has_digit(index.keys[word]) for word in words)
    return is_figured and any(has_digit(index.keys[word]) for word in _clause_before(index, range(0, low)))


def code_of_joint(index: DocumentIndex, words: Sequence[int], tail: Sequence[int]) -> str:
    """Return what an ellipsis over words of the page makes of what it joins: `ellipsis_hides` where it leaves
    out whom or what the `tail` quoted behind it speaks of, `ellipsis_joins` where it may, or nothing."""
    if misjoins(index, words, tail):
        return "ellipsis_hides"
    may_join = joins_clauses(index, words) or hides_clause(index, words) or parts_figures(index, words)
    return "ellipsis_joins" if may_join else ""


def cuts_denial(index: DocumentIndex, quoted: str, first: int, *, is_parted: bool = False) -> bool:
    """Tell whether a quotation is made to begin where the page denies: `Fever since May` of `No fever since
    May`.

    What is cut out of a sentence keeps its small letter; a capital says that the sentence begins there, under
    no condition. Where
    an ellipsis goes on to another sentence (`is_parted`), what was denied is joined to that, whatever its
    letters.
    """
    texts = index.words.texts
    if not first or index.words.page[first - 1] != index.words.page[first]:
        return False
    if is_parted:
        return texts[first - 1][-1:].isalnum() and denies(index, first - 1)
    if not _begins_large(quoted):
        return False
    before, printed = texts[first - 1], texts[first].lstrip(OPENING)
    if not before[-1:].isalnum():
        return False
    if printed[:1].islower():
        return denies(index, first - 1) or _is_conditional(index, first - 1)
    if not denies(index, first - 1):
        return False
    # in capitals nothing shows where a sentence begins but what is before it; `Surgery: NO` is an answer
    if not (printed.isupper() and before.isupper()) or quoted.isupper():
        return False
    row = index.rows.row
    is_led = first < 2 or row[first - 2] != row[first - 1] or texts[first - 2].endswith(SENTENCE_ENDS)
    return is_led and bool(row[first - 1] == row[first])


def _is_conditional(index: DocumentIndex, word: int) -> bool:
    """Tell whether what follows a word is said under a condition, or denied: `if`, `denied that`."""
    said = index.words.texts[word].casefold()
    if _CONDITIONS.fullmatch(said):
        return True
    return _CLAUSES.fullmatch(said) is not None and any(
        denies(index, before) or index.keys[before] in _TURNS
        for before in _clause_before(index, range(max(0, word - _DENIED_BEFORE), word))
    )


def _are_sentences(index: DocumentIndex, words: Sequence[int]) -> bool:
    """Tell whether words are whole sentences of their own: what they deny is not what is said before and
    behind them, unless they are as short as an answer or begin with a denial (`No. That is false.`)."""
    if len(words) < _LEAST_SENTENCE or not words[0] or denies(index, words[0]):
        return False
    texts = index.words.texts
    is_led = texts[words[0] - 1].endswith(_PLAIN_ENDS) and texts[words[0]][:1].isupper()
    return is_led and texts[words[-1]].endswith(_PLAIN_ENDS) and len(texts[words[-1]]) > _SPECK


def ends_sentence(index: DocumentIndex, words: Sequence[int]) -> bool:
    """Tell whether a sentence ends among words of the page."""
    return any(index.words.texts[word].endswith(SENTENCE_ENDS) for word in words)


def _begins_large(text: str) -> bool:
    """Tell whether a text begins with a capital as sentences do: the words behind it have small letters."""
    first, *others = text.split()[:_FIRST_WORDS] or [""]
    letters = [character for character in first if character.isalpha()]
    if len(letters) < 2 or not letters[0].isupper() or not letters[1].islower():
        return False
    told = [word.lstrip(OPENING)[:1].islower() for word in others if word.lstrip(OPENING)[:1].isalpha()]
    return bool(told) and told[0]


def codes_of_skipped(index: DocumentIndex, words: Sequence[int]) -> list[str]:
    """Tell what it means that words of the page are left out in silence."""
    if _is_stated_twice(index, words):
        return ["words_skipped"]
    # a number left out changes a sum or a dose
    is_number = any(has_digit(index.keys[word]) or _multiplies(index, word) for word in words)
    found = ["number_skipped"] if is_number else []
    if hides_meaning(index, words):
        return [*found, "negation_differs"]
    return [*found, "words_skipped" if all(_is_light(index, word) for word in words) else "word_dropped"]


def _multiplies(index: DocumentIndex, word: int) -> bool:
    """Tell whether a word makes a number or a frequency another one: `twice daily`, `every other day`."""
    if index.keys[word] in _MULTIPLES:
        return True
    return index.keys[word] in _ALTERNATES and index.keys[max(0, word - 1)] in _EACH


def _is_stated_twice(index: DocumentIndex, words: Sequence[int]) -> bool:
    """Tell whether what is left out only says a number once more, as in `twenty-one (21) days`."""
    texts = index.words.texts
    own = [texts[word] for word in words]
    if not any(states_a_value(text) for text in own):
        return False
    before, behind = texts[max(0, words[0] - 1) : words[0]], texts[words[-1] + 1 : words[-1] + 2]
    return any(
        (known := values_of(tuple(beside))) is not None and known == values_of((*first, *own, *last))
        for beside, first, last in ((before, before, ()), (behind, (), behind))
    )


def _is_light(index: DocumentIndex, word: int) -> bool:
    """Tell whether a word may be left out: an article, a speck, or a word that is printed twice."""
    key = index.keys[word]
    if key in light_words() or index.is_doubted(word):
        return True
    if len(key) <= _SPECK and index.is_odd(key) and index.is_noisy_near(word):
        return True
    return key in index.keys[max(0, word - 1) : word] or key in index.keys[word + 1 : word + 2]


def _limits(index: DocumentIndex, word: int) -> bool:
    """Tell whether a word hedges or bounds: `fracture` claims more than `possible fracture`."""
    key = index.keys[word]
    if key.isascii():
        return key in HEDGES and not _is_month(index, word)
    text = spell(index.words.texts[word])
    return key in HEDGES or any(part in text for part in HEDGE_PARTS)


def _is_month(index: DocumentIndex, word: int) -> bool:
    """Tell whether `May` is the month: it has a capital inside a sentence."""
    texts = index.words.texts
    return texts[word].startswith("May") and word > 0 and texts[word - 1][-1:].isalnum()


def denies(index: DocumentIndex, word: int) -> bool:
    """Tell whether a word of the page denies or excepts, by itself or inside a script without spaces."""
    key = index.keys[word]
    if key in NEGATIONS:
        return not _is_numero(index, word)
    if key.isascii():
        return False
    text = spell(index.words.texts[word])
    return any(part in text for part in NEGATION_PARTS)


def _is_numero(index: DocumentIndex, word: int) -> bool:
    """Tell whether a word is the sign of a number behind it: `Claim No. 12-7`, not an answer."""
    texts = index.words.texts
    if texts[word].casefold() != "no." or word + 1 >= len(texts):
        return False
    is_answer = word > 0 and texts[word - 1].endswith((*SENTENCE_ENDS, ":"))
    return has_digit(index.keys[word + 1]) and not is_answer


def _clause(index: DocumentIndex, words: Sequence[int]) -> list[int]:
    """Return the first few words, up to the end of their sentence."""
    found: list[int] = []
    for word in words[:_BESIDE]:
        found.append(word)
        if index.words.texts[word].endswith(SENTENCE_ENDS) and len(index.keys[word]) > 1:  # `A. No, sir.`
            break
    return found


def _clause_before(index: DocumentIndex, words: Sequence[int]) -> list[int]:
    """Return the last few words, from the end of the sentence before them."""
    found: list[int] = []
    for word in reversed(words[-_BESIDE:]):
        if index.words.texts[word].endswith(SENTENCE_ENDS):
            break
        found.append(word)
    return found
