"""Quoted words that a page with a text layer prints otherwise: Payson for Payee is no slip of recognition.

The matcher forgives a letter or two, since a scan may have lost them; a page that was never recognized has
lost none. Where a quotation is found belongs to `checks`.
"""

import unicodedata
from collections.abc import Sequence
from difflib import SequenceMatcher

from citation_pipeline.core.documents.parsed import ParsedDocument

_LEAST = 4  # letters: shorter words are abbreviated too freely
_ABBREVIATED = 5  # letters of an abbreviation that is the beginning of its word: Sept, Attn


def says_other_word(document: ParsedDocument, words: Sequence[int], quoted: str) -> bool:
    """Tell whether a quotation has a word of letters where the page clearly prints another one."""
    printed = {page.page for page in document.pages if page.has_text_layer}
    clear = [word for word in sorted(words) if int(document.words.page[word]) in printed]
    if len(clear) < len(words):
        return False
    said = [kept for text in quoted.split() if (kept := _letters(text))]
    told = [kept for word in clear if (kept := _letters(document.words.texts[word]))]
    if "".join(said) == "".join(told):
        return False  # words that a line cuts in two are the same
    changes = SequenceMatcher(None, said, told, autojunk=False).get_opcodes()
    return any(
        _is_other("".join(said[a:b]), "".join(told[c:d])) for kind, a, b, c, d in changes if kind == "replace"
    )


def _is_other(said: str, told: str) -> bool:
    """Tell whether two runs of letters are different words, and none begins the other: Sept, September."""
    if not (said.isalpha() and told.isalpha()) or min(len(said), len(told)) < _LEAST:
        return False
    is_short = min(len(said), len(told)) <= _ABBREVIATED
    return not (is_short and (said.startswith(told) or told.startswith(said)))


def _letters(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text.casefold())
    return "".join(character for character in plain if character.isalnum())
