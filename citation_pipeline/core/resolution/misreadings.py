"""Whether a document says what was quoted but for words that a scanner misread: then it is no wrong source,
even where another document has the text whole.

What a misread word may be excused for is `matching`'s decision; here is only decided where the text stands.
"""

from citation_pipeline.core.matching.confusions import misreading_cost, slips_between
from citation_pipeline.core.matching.folding import fold
from citation_pipeline.core.matching.index import DocumentIndex
from citation_pipeline.core.matching.matches import Match
from citation_pipeline.core.matching.numerals import has_digit, is_digit_changed, is_look_alike
from citation_pipeline.core.matching.pairing import Pair, PairKind
from citation_pipeline.core.matching.snippets import PreparedSnippet, prepare
from citation_pipeline.core.matching.vocabulary import NEGATIONS, is_inverted, is_listed, is_name

_LIKE_SHARE = 0.67  # of a word's characters that may be misread before it is another word
_SHORT = 3  # characters of a word of which a few blots leave nothing
_SPECK = 2  # characters of a word that may be dirt, or lost
_LEAST_SAME = 0.4  # share of the quotation that must be there letter by letter: a few words are in any text


def is_quoted_but_misread(index: DocumentIndex, text: str, match: Match) -> bool:
    """Tell whether every difference of a match may be a misreading, and at least one plainly is."""
    snippet = prepare(text)
    if not match.pairs or snippet.tokens[-1].end != match.key_length:
        return False
    differing = [pair for pair in match.pairs if pair.kind is not PairKind.SAME]
    same = sum(
        len(_quoted(snippet, pair)) for pair in match.pairs if pair.kind is PairKind.SAME and pair.words
    )
    if same < _LEAST_SAME * match.key_length:
        return False
    plain = [_is_plainly_misread(index, snippet, pair) for pair in differing]
    # one plain misreading shows that the page was misread: only then is a doubtful one believed
    return any(plain) and all(
        is_plain or _may_be_misread(index, snippet, pair)
        for is_plain, pair in zip(plain, differing, strict=True)
    )


def _is_plainly_misread(index: DocumentIndex, snippet: PreparedSnippet, pair: Pair) -> bool:
    """Tell whether a pair is alike and one of its sides is no word."""
    if pair.kind is not PairKind.LIKE:
        return False
    quoted, printed = _quoted(snippet, pair), _printed(index, pair)
    if is_look_alike(quoted, printed):
        return True
    if has_digit(quoted) and is_digit_changed(quoted, printed):
        return False
    if is_inverted(quoted, printed):
        return False
    longest = max(len(quoted), len(printed))
    if longest > _SHORT and slips_between(quoted, printed) > _LIKE_SHARE * longest:
        return False
    written = "".join(token.text for token in snippet.tokens[slice(*pair.tokens)])
    shown = "".join(index.words.texts[word] for word in pair.words)
    return not (_is_word(quoted, written) and _is_word(printed, shown))


def _may_be_misread(index: DocumentIndex, snippet: PreparedSnippet, pair: Pair) -> bool:
    """Tell whether a pair may be noise beside plainer noise: one likely slip, dirt, a lost short word."""
    quoted, printed = _quoted(snippet, pair), _printed(index, pair)
    if pair.kind is PairKind.LIKE:
        if is_digit_changed(quoted, printed) or (quoted in NEGATIONS) != (printed in NEGATIONS):
            return False
        return not is_inverted(quoted, printed) and misreading_cost(quoted, printed) <= 1
    lone = quoted or printed
    return len(lone) <= _SPECK and not has_digit(lone) and lone not in NEGATIONS


def _quoted(snippet: PreparedSnippet, pair: Pair) -> bytes:
    return b"".join(fold(token.text) for token in snippet.tokens[slice(*pair.tokens)])


def _printed(index: DocumentIndex, pair: Pair) -> bytes:
    return b"".join(index.keys[word] for word in pair.words)


def _is_word(key: bytes, text: str) -> bool:
    return is_listed(key) or (text[:1].isupper() and is_name(key))
