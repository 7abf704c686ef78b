"""What the differences between a snippet and the words it was paired with mean: findings with stable codes.

A contradiction says that the page states something else; a difference that it states it otherwise; noise is what
scanners and typists do. Whether a finding flags a citation is `resolution`'s decision.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from citation_pipeline.core.matching.index import DocumentIndex
from citation_pipeline.core.matching.numerals import (
    UNITS,
    count_signs,
    currencies,
    has_digit,
    is_digit_changed,
    is_number_changed,
    letters_of,
    plain,
)
from citation_pipeline.core.matching.pairing import Pair, PairKind
from citation_pipeline.core.matching.snippets import PreparedSnippet
from citation_pipeline.core.matching.vocabulary import NEGATIONS, known_words

CONTRADICTIONS = frozenset(
    {
        "digits_differ",
        "number_differs",
        "sign_differs",
        "currency_differs",
        "unit_differs",
        "number_added",
        "negation_differs",
        "word_replaced",
    }
)

# share of a word's characters that noise may change before it is another word
_NOISE_SHARE = 0.5


@dataclass(frozen=True, slots=True)
class Findings:
    """The codes found, how many characters are noise, added and left out, and how many words were skipped."""

    codes: tuple[str, ...]
    noise: int
    added: int
    skipped_words: int

    @property
    def contradictions(self) -> tuple[str, ...]:
        """The codes that say that the page states something else."""
        return tuple(code for code in self.codes if code in CONTRADICTIONS)


def examine(
    snippet: PreparedSnippet,
    index: DocumentIndex,
    pairs: Sequence[Pair],
    *,
    free_skips: frozenset[int] = frozenset(),
) -> Findings:
    """Judge every difference of the pairs; `free_skips` numbers the skips that the layout explains."""
    codes: dict[str, None] = {}
    noise = added = skipped = 0
    for number, pair in enumerate(pairs):
        if pair.kind is PairKind.SAME:
            for code in _same(snippet, index, pair):
                codes[code] = None
        elif pair.kind is PairKind.LIKE:
            code = _like(snippet, index, pair)
            if code == "noise":
                noise += pair.edits
            codes[code] = None
            for code in _same(snippet, index, pair):
                codes[code] = None
        elif pair.kind is PairKind.ADDED:
            if pair.tokens[1] <= snippet.markers:
                continue
            key = _token_key(snippet, pair)
            added += len(key)
            codes[_added(key)] = None
        elif number not in free_skips:
            skipped += len(pair.words)
            negated = any(index.keys[w] in NEGATIONS for w in pair.words)
            codes["negation_differs" if negated else "words_skipped"] = None
    return Findings(tuple(codes), noise, added, skipped)


def _token_key(snippet: PreparedSnippet, pair: Pair) -> bytes:
    return snippet.key[snippet.tokens[pair.tokens[0]].start : snippet.tokens[pair.tokens[1] - 1].end]


def _added(key: bytes) -> str:
    if has_digit(key):
        return "number_added"
    return "negation_differs" if key in NEGATIONS else "words_added"


def _texts(snippet: PreparedSnippet, index: DocumentIndex, pair: Pair) -> tuple[str, str]:
    """Both sides as written, each with the keyless signs that stand before it."""
    first = pair.tokens[0]
    while first > 0 and snippet.tokens[first - 1].start == snippet.tokens[first - 1].end:
        first -= 1
    quoted = " ".join(token.text for token in snippet.tokens[first : pair.tokens[1]])
    words = list(pair.words)
    texts, keys = index.words.texts, index.keys
    before = words[0] - 1
    while before >= 0 and words[0] - before <= 3 and not keys[before]:
        words.insert(0, before)
        before -= 1
    return quoted, " ".join(texts[w] for w in words)


def _same(snippet: PreparedSnippet, index: DocumentIndex, pair: Pair) -> list[str]:
    """Look at what the key does not show: points, signs and currencies of numbers."""
    key = _token_key(snippet, pair)
    if not has_digit(key):
        return []
    texts = index.words.texts
    own = "".join(token.text for token in snippet.tokens[pair.tokens[0] : pair.tokens[1]])
    printed_own = "".join(texts[w] for w in pair.words)
    if plain(own) == plain(printed_own):
        return []
    found: list[str] = []
    if pair.kind is PairKind.SAME and is_number_changed(own, printed_own):
        found.append("number_differs")
    quoted, printed = _texts(snippet, index, pair)
    if (count_signs(own) > 0) != (count_signs(printed_own) > 0) and not (
        count_signs(quoted) > 0 and count_signs(printed) > 0
    ):
        found.append("sign_differs")
    ours, theirs = currencies(quoted), currencies(printed)
    if ours and theirs and ours[-1:] != theirs[-1:]:
        found.append("currency_differs")
    return found


def _like(snippet: PreparedSnippet, index: DocumentIndex, pair: Pair) -> str:
    """Tell noise from another word or number."""
    quoted = _token_key(snippet, pair)
    printed = b"".join(index.keys[w] for w in pair.words)
    if has_digit(quoted) or has_digit(printed):
        if is_digit_changed(quoted, printed):
            return "digits_differ"
        ours, theirs = letters_of(quoted), letters_of(printed)
        if ours != theirs and ours in UNITS and theirs in UNITS:
            return "unit_differs"
    if (quoted in NEGATIONS) != (printed in NEGATIONS):
        return "negation_differs"
    if pair.edits > _NOISE_SHARE * max(len(quoted), len(printed)):
        return "word_replaced"
    if is_real(quoted, index) and not has_digit(quoted):
        return "word_replaced"
    return "noise"


def is_real(key: bytes, index: DocumentIndex) -> bool:
    """Tell whether a key is a word in its own right: a common one, or one that the document prints."""
    return key in known_words() or key in index.vocabulary
