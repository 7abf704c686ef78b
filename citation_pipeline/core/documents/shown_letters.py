"""Letters as a page shows them: without signs that nobody sees, composed, and in one script a word.

A word that mixes Latin letters with Cyrillic or Greek ones of the same shape looks like a Latin one and is
not found as one. It is read as it looks, and as a guess: whoever typed it may have meant to mislead.
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import replace

from citation_pipeline.core.documents.composition import BlockDraft

DOUBTFUL = 0.5
LOOK_ALIKE = "look_alike_letters"
"""Warning of a page with such words."""

_UNSEEN = re.compile("[\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]")
_JOINERS = "\u200c\u200d"  # of scripts whose letters they shape
_SHAPED = re.compile("[\u0600-\u1fff\u2190-\u2bff\U0001f000-\U0001faff]")
_TURNED = re.compile("\u202e([^\u202c\u202e\n]*)\u202c?")
_ALIKE = str.maketrans(
    "АВЕКМНОРСТХУЅІЈԌԚԜаеосрхуѕіјһԁԛԝӏΑΒΕΖΗΙΚΜΝΟΡΤΥΧο",
    "ABEKMHOPCTXYSIJGQWaeocpxysijhdqwlABEZHIKMNOPTYXo",
)
_FOREIGN = re.compile("[\u0370-\u03ff\u0400-\u052f]")
_LATIN = re.compile("[A-Za-z\u00c0-\u024f]")


def as_displayed(text: str) -> str:
    """Return a text whose letters, where it orders them to be turned round, stand as they are displayed."""
    return _TURNED.sub(lambda turned: turned[1][::-1], text) if "\u202e" in text else text


def shown_word(text: str) -> tuple[str, bool]:
    """Return a word as it looks, and whether it mixes scripts so that it looks like another one."""
    if text.isascii():
        return text, False
    joined = _SHAPED.search(text) is not None
    kept = _UNSEEN.sub(lambda sign: sign[0] if joined and sign[0] in _JOINERS else "", text)
    # what a letter's shape is made of elsewhere (Hangul, Indic) is composed too, and looks the same
    kept = unicodedata.normalize("NFC", kept) or text
    if not _FOREIGN.search(kept) or not _LATIN.search(kept):
        return kept, False
    alike = kept.translate(_ALIKE)
    return (kept, False) if _FOREIGN.search(alike) else (alike, True)


def shown_blocks(blocks: Sequence[BlockDraft]) -> tuple[list[BlockDraft], list[int]]:
    """Return blocks with their words as they look, and the pages with words of mixed scripts."""
    shown, pages = [], set()
    for block in blocks:
        texts = [text for line in block.lines for text, _ in line]
        if "".join(texts).isascii():
            shown.append(block)
            continue
        read = {text: shown_word(text) for text in texts}
        changed = {text: word for text, (word, _) in read.items() if word != text}
        doubted = {text for text, (_, is_mixed) in read.items() if is_mixed}
        if doubted:
            pages.add(block.page)
        shown.append(_reworded(block, changed, doubted) if changed else block)
    return shown, sorted(pages)


def doubted(block: BlockDraft) -> BlockDraft:
    """Return a block whose words are no surer than a guess: no screen shows them."""
    return replace(block, confidences=[[DOUBTFUL] * len(line) for line in block.lines])


def _reworded(block: BlockDraft, changed: dict[str, str], doubted: set[str]) -> BlockDraft:
    content = block.content
    for text, word in changed.items() if content is not None else ():
        content = content.replace(text, word) if content is not None else None
    known = block.confidences or [[float("nan")] * len(line) for line in block.lines]
    return replace(
        block,
        lines=[[(changed.get(text, text), box) for text, box in line] for line in block.lines],
        content=content,
        confidences=[
            [DOUBTFUL if text in doubted else sure for (text, _), sure in zip(line, sures, strict=True)]
            for line, sures in zip(block.lines, known, strict=True)
        ]
        if doubted
        else block.confidences,
    )
