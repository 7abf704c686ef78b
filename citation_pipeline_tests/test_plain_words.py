"""The words that an outsider would not know stay out of the package and its docs (docs/glossary.md)."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
_WORDS = ("affair", "borne out", "crew", "the one door", "calls nobody", "asks nobody", "feet of")


@pytest.mark.parametrize("word", _WORDS)
def test_neither_code_nor_docs_use_a_word_that_the_glossary_replaces(word: str) -> None:
    texts = [*ROOT.glob("citation_pipeline/**/*.py"), *ROOT.glob("docs/**/*.md"), ROOT / "README.md"]
    assert len(texts) > 400  # the whole package and its docs were looked at

    used = [
        f"{path.relative_to(ROOT)}:{number}"
        for path in texts
        if path.name != "glossary.md"
        for number, line in enumerate(path.read_text().split("\n"), start=1)
        if re.search(rf"\b{word}\b", line, re.IGNORECASE)
    ]

    assert used == []
