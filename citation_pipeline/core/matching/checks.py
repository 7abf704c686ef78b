"""What the differences between a snippet and the words it was paired with mean: findings with stable codes.

A contradiction says that the page states something else; a difference that it states it otherwise; noise
is what scanners and typists do. Whether a finding flags a citation is `resolution`'s decision.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from rapidfuzz.distance import OSA

from citation_pipeline.core.matching.index import DocumentIndex
from citation_pipeline.core.matching.numerals import (
    UNITS,
    count_signs,
    has_digit,
    is_digit_changed,
    is_look_alike,
    is_number_changed,
    letters_of,
    look,
    plain,
    unit_signs,
)
from citation_pipeline.core.matching.pairing import Pair, PairKind
from citation_pipeline.core.matching.snippets import PreparedSnippet
from citation_pipeline.core.matching.vocabulary import NEGATIONS, is_known

CONTRADICTIONS = frozenset(
    {
        "digits_differ",
        "number_differs",
        "sign_differs",
        "unit_sign_differs",
        "unit_differs",
        "number_added",
        "number_skipped",
        "negation_differs",
        "word_replaced",
    }
)

# share of a word's characters that noise may change before it is another word
_NOISE_SHARE = 0.5
_LONE_NOISE = 4  # one character in so many, in a snippet that is clean otherwise
_NOISY_SHARE, _MANY_NOISY = 0.67, 3  # where as many other words are noisy


@dataclass(frozen=True, slots=True)
class Findings:
    """The codes found, how many characters of the key match, are noise or added, and how many words were
    skipped."""

    codes: tuple[str, ...]
    matched: int
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
    matched = noise = added = skipped = 0
    noisy = None
    for number, pair in enumerate(pairs):
        if pair.kind is PairKind.SAME:
            found = _same(snippet, index, pair)
            codes.update(dict.fromkeys(found))
            matched += 0 if found else len(_token_key(snippet, pair))
        elif pair.kind is PairKind.LIKE:
            if noisy is None:
                noisy = sum(p.kind is PairKind.LIKE and is_plain_noise(snippet, index, p) for p in pairs)
            code = _like(snippet, index, pair, noisy=noisy)
            found = _same(snippet, index, pair)
            codes.update(dict.fromkeys((code, *found)))
            if code == "noise" and not found:
                key = _token_key(snippet, pair)
                slips = slips_between(key, b"".join(index.keys[w] for w in pair.words))
                noise += slips
                matched += max(0, len(key) - slips)
        elif pair.kind is PairKind.ADDED:
            if pair.tokens[1] <= snippet.markers:
                continue
            key = _token_key(snippet, pair)
            added += len(key)
            codes[_added(key)] = None
        elif number not in free_skips:
            skipped += len(pair.words)
            keys = [index.keys[w] for w in pair.words]
            if any(has_digit(key) for key in keys):
                codes["number_skipped"] = None
            codes["negation_differs" if any(key in NEGATIONS for key in keys) else "words_skipped"] = None
    return Findings(tuple(codes), matched, noise, added, skipped)


def _token_key(snippet: PreparedSnippet, pair: Pair) -> bytes:
    return snippet.key[snippet.tokens[pair.tokens[0]].start : snippet.tokens[pair.tokens[1] - 1].end]


def _added(key: bytes) -> str:
    if has_digit(key):
        return "number_added"
    return "negation_differs" if key in NEGATIONS else "words_added"


def _texts(snippet: PreparedSnippet, index: DocumentIndex, pair: Pair) -> tuple[str, str]:
    """Both sides as written, each with the keyless signs that are before it."""
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
    ours, theirs = unit_signs(quoted), unit_signs(printed)
    if ours and theirs and not set(ours) & set(theirs):
        found.append("unit_sign_differs")
    return found


def is_plain_noise(snippet: PreparedSnippet, index: DocumentIndex, pair: Pair) -> bool:
    """Tell whether a pair can only be noise: a few characters off, and no word in its own right."""
    quoted = _token_key(snippet, pair)
    printed = b"".join(index.keys[w] for w in pair.words)
    if is_digit_changed(quoted, printed):
        return False
    if is_look_alike(quoted, printed):
        return True
    return slips_between(quoted, printed) <= max(1, len(printed) // 3) and not is_real(quoted, index)


def _like(snippet: PreparedSnippet, index: DocumentIndex, pair: Pair, *, noisy: int) -> str:
    """Tell noise from another word or number.

    A real word in the place of another is a change, unless the snippet is noisy elsewhere (in `noisy` places)
    and one character tells the two apart.
    """
    quoted = _token_key(snippet, pair)
    printed = b"".join(index.keys[w] for w in pair.words)
    has_digits = has_digit(quoted) or has_digit(printed)
    if has_digits and is_digit_changed(quoted, printed):
        return "digits_differ"
    if is_look_alike(quoted, printed):
        return "noise"
    if has_digits:
        ours, theirs = letters_of(quoted), letters_of(printed)
        if ours != theirs and ours in UNITS and theirs in UNITS:
            return "unit_differs"
    edits = slips_between(quoted, printed)
    real = is_real(quoted, index) and not has_digit(quoted)
    if (quoted in NEGATIONS) != (printed in NEGATIONS) and (real or edits > 1):
        return "negation_differs"
    share = _NOISE_SHARE if noisy < _MANY_NOISY or real else _NOISY_SHARE
    longest = max(len(quoted), len(printed))
    if edits > share * longest or (noisy == 0 and edits > max(1, longest // _LONE_NOISE)):
        return "word_replaced"
    if real and not (noisy and edits == 1):
        return "word_replaced"
    return "noise"


def slips_between(quoted: bytes, printed: bytes) -> int:
    """Return the least slips of a pen or a scanner between two keys; two letters changed over are one."""
    return min(OSA.distance(quoted, printed), OSA.distance(look(quoted), look(printed)))


def is_real(key: bytes, index: DocumentIndex) -> bool:
    """Tell whether a key is a word in its own right: a common one, or one that the document prints."""
    return key in index.vocabulary or is_known(key)
