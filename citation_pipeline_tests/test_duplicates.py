"""Re-scanned and re-faxed pages are linked; two fillings of one form are not."""

import random

import numpy as np
import pytest

from citation_pipeline.core.boxes import Box
from citation_pipeline.core.documents.composition import BlockDraft, PageDraft, compose_document
from citation_pipeline.core.documents.duplicates import _signature, find_similar_documents, find_similar_pages
from citation_pipeline.core.documents.parsed import SourceDocument

_BOX = Box(0.1, 0.1, 0.1, 0.02)
_VOCABULARY = (
    "the applicant reports pain in left ankle after shifts and was seen by physician who recommends therapy "
    "work status modified duty lifting pushing standing medication follow authorization request denied paid"
)
_WORDS = _VOCABULARY.split()


def _document(source_id, *texts):
    return compose_document(
        SourceDocument(source_id, source_id, f"{source_id}.pdf", "0" * 64, "application/pdf", 1),
        pages=[PageDraft(612, 792)] * len(texts),
        blocks=[
            BlockDraft(page, "Text", [[(word, _BOX) for word in text.split()]])
            for page, text in enumerate(texts, start=1)
            if text
        ],
        parser="local",
        parser_version="1",
    )


def _page(seed, words=150):
    chosen = random.Random(seed)
    text = [chosen.choice(_WORDS) for _ in range(words)]
    for at in range(0, words, 15):
        text[at] = f"{chosen.randrange(1, 13):02}/{chosen.randrange(1, 29):02}/2023"
    return " ".join(text)


def _misread(text, share, seed=3):
    chosen = random.Random(seed)
    words = text.split()
    for at in chosen.sample(range(len(words)), int(share * len(words))):
        words[at] = words[at].replace("e", "c").replace("a", "o").replace("0", "O").upper() + "'"
    return " ".join(words)


@pytest.mark.parametrize("share", [0.0, 0.03, 0.08])
def test_a_page_scanned_again_is_linked_to_the_first_despite_misread_words(share):
    original = _document("letter", _page(1), _page(2))
    scan = _document("scan0041", "", _misread(_page(2), share))
    (link,) = find_similar_pages([original, _document("other", _page(9)), scan])
    assert (link.source_id, link.page, link.similar_source_id, link.similar_page) == (
        "scan0041",
        2,
        "letter",
        2,
    )
    assert link.similarity > 0.5


def test_a_form_filled_in_twice_is_not_a_duplicate():
    page = _page(1)
    next_week = " ".join(f"{n:02}/09/2024" if "/" in word else word for n, word in enumerate(page.split()))
    assert find_similar_pages([_document("week-1", page), _document("week-2", next_week)]) == []


def test_short_pages_and_pages_of_one_document_are_not_compared():
    assert find_similar_pages([_document("a", "see attached"), _document("b", "see attached")]) == []
    assert find_similar_pages([_document("a", _page(1), _page(1))]) == []


def test_a_document_is_linked_when_half_of_its_pages_are():
    original = _document("packet", _page(1), _page(2), _page(3))
    half = _document("half", _page(2), _page(7))
    third = _document("third", _page(3), _page(5), _page(6))
    documents = [original, half, third]
    links = find_similar_documents(documents, find_similar_pages(documents))
    assert [(link.source_id, link.similar_source_id, link.page_share) for link in links] == [
        ("half", "packet", 0.5)
    ]


def test_minhash_estimates_the_jaccard_index():
    chosen = np.random.default_rng(1)
    a = frozenset(chosen.integers(0, 2**63, 600).tolist())
    b = frozenset([*list(a)[:400], *chosen.integers(0, 2**63, 200).tolist()])
    exact = len(a & b) / len(a | b)
    assert float((_signature(a) == _signature(b)).mean()) == pytest.approx(exact, abs=0.2)
