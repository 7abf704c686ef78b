"""Numbers that the documents give for what the code decides by: each is read from the code."""

import re
from pathlib import Path

import pytest

from citation_pipeline.adapters.claude.settings import MODELS, ClaudeSettings
from citation_pipeline.adapters.ocr import pages, recognized_pages
from citation_pipeline.core.evaluation import matching, places
from citation_pipeline.core.matching import vocabulary
from citation_pipeline.core.matching.matches import MOST_SKIPPED_WORDS
from citation_pipeline.core.planning.stages import NIGHTS_OF_THE_SAME
from citation_pipeline.core.resolution import drafts, judgement

WORDS = {
    0.75: "three quarters",
    4: "four",
    5: "five",
    6: "six",
    8: "eight",
    9: "nine",
    10: "ten",
}


def percent(share: float) -> str:
    return f"{share * 100:g} %"


# (page, what it says with the number left open, the number as the code has it)
SAID = [
    ("resolution.md", r"Less than (\d+ %) of the key found", percent(judgement._LEAST_COVERAGE)),
    ("resolution.md", r"\((\d+ %) under \d+ characters\)", percent(judgement._LEAST_SHORT_COVERAGE)),
    ("resolution.md", r"% under (\d+) characters\)", str(judgement._SHORT_KEY)),
    ("resolution.md", r"`words_skipped` \(up to (\w+),", WORDS[MOST_SKIPPED_WORDS]),
    ("resolution.md", r"and one in (\w+) tokens, stay", WORDS[judgement._TOKENS_PER_SKIP]),
    ("resolution.md", r"`candidates` keeps the (\w+) best places", WORDS[drafts.MOST_CANDIDATES]),
    (
        "resolution.md",
        r"(\d[\d,]*) English words \(SCOWL\)",
        f"{len(vocabulary._packed('english.txt.gz')):,}",
    ),
    ("resolution.md", r"(\d[\d,]*) names", f"{len(vocabulary._packed('names.txt.gz')):,}"),
    ("evaluation.md", r"F1 of the words ([\d.]+), from", str(matching._SAME_SHORT)),
    ("evaluation.md", r"from (\w+) words on", WORDS[matching._LONG + 1]),
    ("evaluation.md", r"words on ([\d.]+) \|", str(matching._SAME_LONG)),
    ("evaluation.md", r"boxes overlap by IoU ([\d.]+);", str(places._SAME_WORD)),
    ("ocr.md", r"Words under ([\d.]+) by the network", str(pages._LEAST_CONFIDENCE)),
    ("ocr.md", r"when (\w+) sampled lines agree", WORDS[recognized_pages._SAMPLED_LINES]),
    ("ocr.md", r"agree with the picture in (\d+ %)", percent(recognized_pages._SAME)),
    ("ocr.md", r"and (three quarters) of the picture's lines", WORDS[recognized_pages._COVERED]),
    ("operations.md", r"then by the next nights, (\w+) at most", WORDS[NIGHTS_OF_THE_SAME]),
    ("extraction-claude.md", r"`([\w-]+)` \(default\)", ClaudeSettings().model),
    ("extraction-claude.md", r"`([\w-]+)` \(fallback\)", str(ClaudeSettings().fallback_model)),
]


@pytest.mark.parametrize(("page", "sentence", "number"), SAID)
def test_a_documented_number_is_the_codes(project: Path, page: str, sentence: str, number: str) -> None:
    text = " ".join((project / "docs" / page).read_text().split())
    assert re.findall(sentence, text) == [number]


def test_the_documented_prices_are_those_that_estimates_use(project: Path) -> None:
    text = (project / "docs/extraction-claude.md").read_text()
    for model, profile in MODELS.items():
        (row,) = re.findall(rf"^\| `{model}`[^\n]*", text, flags=re.MULTILINE)
        said = {float(number) for number in re.findall(r"(?<![\w.-])\d+(?:\.\d+)?(?![\w.-])", row)}
        for price in profile.prices:
            assert {price.input, price.output, price.cache_write, price.cache_read} <= said, model
