"""Words that are known to be words: noise rarely turns one of them into another, a changed quotation does.

`words/common_words.txt` was counted from the Python standard library's prose (PSF licence) by
`benchmarks/build_common_words.py`; `words/domain_words.txt` was written by hand. A document's own vocabulary
is beside them (see `index.vocabulary`), so other languages are covered by their own pages.
"""

from functools import cache
from importlib import resources

from citation_pipeline.core.matching.folding import fold

# English; Spanish and French; German, Dutch and Italian; Portuguese and Polish
_NEGATIONS = """
no not never none nor neither without cannot can't nothing nobody nowhere isn't aren't wasn't weren't don't
doesn't didn't won't wouldn't shouldn't couldn't hasn't haven't hadn't mustn't needn't shan't unable non un
sin nunca ningún ninguna jamás ne pas sans aucun aucune jamais
nicht kein keine keinen keiner ohne nie niet geen zonder nooit senza mai nessun nessuna
não sem nem bez
"""
NEGATIONS = frozenset(fold(word) for word in _NEGATIONS.split())
"""Keys of words that turn a sentence round."""


_ENDINGS = (b"s", b"es", b"ed", b"ing", b"ly")
_LEAST_STEM = 4


@cache
def known_words() -> frozenset[bytes]:
    """Return the keys of common English words and of the domain's; read from the package once."""
    folder = resources.files("citation_pipeline.core.matching") / "words"
    texts = [(folder / name).read_text(encoding="utf-8") for name in ("common_words.txt", "domain_words.txt")]
    return frozenset(key for text in texts for word in text.split() if (key := fold(word)))


def is_known(key: bytes) -> bool:
    """Tell whether a key is a listed word, or one with a common English ending."""
    known = known_words()
    if key in known:
        return True
    return any(
        key.endswith(ending) and len(key) - len(ending) >= _LEAST_STEM and key[: -len(ending)] in known
        for ending in _ENDINGS
    )
