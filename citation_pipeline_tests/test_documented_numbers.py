"""Numbers that the documents give for what the code decides by: each is read from the code."""

import importlib
import re
from datetime import timedelta
from pathlib import Path

import pytest

import citation_pipeline
from citation_pipeline.adapters.claude.settings import MODELS, ClaudeSettings
from citation_pipeline.adapters.conversation.profile_files import shipped_profiles
from citation_pipeline.adapters.local_parser.limits import ParseLimits
from citation_pipeline.adapters.observability import traces
from citation_pipeline.adapters.ocr import pages, pictures, recognized_pages
from citation_pipeline.adapters.office import mail
from citation_pipeline.adapters.pdfium.pages import _FULL_PAGE_WORDS
from citation_pipeline.core.answers import scalars
from citation_pipeline.core.citations import CitationStatus
from citation_pipeline.core.evaluation import matching, places
from citation_pipeline.core.json_schemas import flattening
from citation_pipeline.core.layout import witnesses
from citation_pipeline.core.matching import index, search, snippets, streams, vocabulary, wording
from citation_pipeline.core.matching.matches import MOST_SKIPPED_WORDS
from citation_pipeline.core.planning.stages import NIGHTS_OF_THE_SAME
from citation_pipeline.core.resolution import better_pages, confidence, drafts, judgement, spans
from citation_pipeline.core.retrieval.confidence import REFUSED, answer_model
from citation_pipeline.core.retrieval.thresholds import EVIDENCE_THRESHOLD
from citation_pipeline.serving import connections
from citation_pipeline.serving.mcp import trimming
from citation_pipeline.serving.rendering import page_images
from citation_pipeline.serving.routes import metrics
from citation_pipeline.serving.settings import ServingSettings

STATIC = Path(citation_pipeline.__file__).parent / "serving" / "static" / "js"
WORDS = {
    0.75: "three quarters",
    4: "four",
    5: "five",
    6: "six",
    8: "eight",
    9: "nine",
    10: "ten",
    60.0: "minute",
    600.0: "ten minutes",
}


LIMITS = ParseLimits()
UNKNOWN_MODEL = shipped_profiles().defaults


def percent(share: float) -> str:
    return f"{share * 100:g} %"


def script(name: str, constant: str) -> float:
    """A number of the viewer's scripts."""
    text = (STATIC / name).read_text()
    (number,) = re.findall(rf"^(?:export )?const {constant} = ([\d_]+)", text, flags=re.MULTILINE)
    return float(number)


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
    ("resolution.md", r"keys up to (\d+) characters", str(search.MOST_SHORT_KEY)),
    ("resolution.md", r"In streams over (\d+) KB", str(streams._SCAN_BELOW // 1024)),
    ("resolution.md", r"\(([\d,]+) characters\) are bounded", f"{snippets.MAX_SNIPPET_CHARACTERS:,}"),
    ("resolution.md", r"page \((\d+ %) or more of the words", percent(index._LEAST_UNKNOWN)),
    ("resolution.md", r"recognized with a confidence below ([\d.]+)", str(index._LOW_CONFIDENCE)),
    ("resolution.md", r"abbreviations up to (\w+) letters", WORDS[wording._SHORT_TERM]),
    ("resolution.md", r"a confidence of ([\d.]+) at most", str(confidence.DOUBTFUL_CEILING)),
    ("resolution.md", r"less sure by ([\d.]+) in the mean", str(better_pages._CLEARLY_BETTER)),
    ("resolution.md", r"moved up to (\d+) tokens", str(spans.NEARBY)),
    ("resolution.md", r"never says more than ([\d.]+), a", str(confidence.CEILINGS[CitationStatus.FLAGGED])),
    (
        "resolution.md",
        r"a resolved one never more than ([\d.]+),",
        str(confidence.CEILINGS[CitationStatus.RESOLVED]),
    ),
    ("resolution.md", r"`word_misread` never more than ([\d.]+);", str(confidence.DOUBTFUL_CEILING)),
    ("evaluation.md", r"F1 of the words ([\d.]+), from", str(matching._SAME_SHORT)),
    ("evaluation.md", r"from (\w+) words on", WORDS[matching._LONG + 1]),
    ("evaluation.md", r"words on ([\d.]+) \|", str(matching._SAME_LONG)),
    ("evaluation.md", r"boxes overlap by IoU ([\d.]+);", str(places._SAME_WORD)),
    ("ocr.md", r"Words under ([\d.]+) by the network", str(pages._LEAST_CONFIDENCE)),
    ("ocr.md", r"when (\w+) sampled lines agree", WORDS[recognized_pages._SAMPLED_LINES]),
    ("ocr.md", r"agree with the picture in (\d+ %)", percent(recognized_pages._SAME)),
    ("ocr.md", r"and (three quarters) of the picture's lines", WORDS[recognized_pages._COVERED]),
    ("ocr.md", r"Bounds \(`ParseLimits`\): (\d+) files of one", str(LIMITS.attachments)),
    ("ocr.md", r"mail or archive, ([\d,]+) and 1 GB", f"{LIMITS.attached_files:,}"),
    ("ocr.md", r"and (\d+) GB over all levels", str(LIMITS.attached_bytes >> 30)),
    ("ocr.md", r"over all levels, (\d+) levels;", str(LIMITS.attached_levels)),
    ("ocr.md", r"levels; (\d+) MB of one archive", str(LIMITS.file_bytes >> 20)),
    ("ocr.md", r"inline pictures below (\d+) KB", str(mail._SMALLEST_PICTURE // 1024)),
    ("ocr.md", r"the baselines of the letters \(±(\d+)°\)", f"{pictures._MOST_SKEW:g}"),
    ("ocr.md", r"shrunk to (\d+) pixels", str(pages.DETECTOR_SIDE)),
    ("ocr.md", r"A line with a letter below ([\d.]+) is read a second time", str(pages._DOUBTFUL)),
    ("parsing.md", r"and fewer than (\d+) words \(a stamp", str(_FULL_PAGE_WORDS)),
    ("parsing.md", r"fewer than ([\d.]+) of its words", str(witnesses.LEAST_WORDS)),
    ("parsing.md", r"or ([\d.]+) of its neighbours", str(witnesses.LEAST_ORDER)),
    ("agents.md", r"JSON stays below ([\d,]+) characters", f"{trimming.MOST_CHARACTERS:,}"),
    ("agents.md", r"`MIN_SIMILARITY` \(([\d.]+) of the confidence", str(EVIDENCE_THRESHOLD)),
    ("agents.md", r"([\d.]+) lies at a probability of", str(REFUSED)),
    ("agents.md", r"lies at a probability of ([\d.]+):", f"{answer_model().threshold:g}"),
    ("agents.md", r"of a document by itself at ([\d.]+),", f"{answer_model().threshold_alone:g}"),
    ("agents.md", r"given only above a probability of ([\d.]+)\.", f"{answer_model().sure:g}"),
    ("viewer.md", r"in a visible tab, for ([\d.]+) s", f"{script('seen_places.js', 'DWELL_MS') / 1000:g}"),
    ("viewer.md", r"a decision takes none for ([\d.]+) s", f"{script('seen_places.js', 'NEXT_MS') / 1000:g}"),
    (
        "viewer.md",
        r"`CITATION_VIEWER_LEASE_SECONDS` \((\d+) minutes\)",
        f"{ServingSettings('store').lease_seconds / 60:g}",
    ),
    ("viewer.md", r"given up is answered at once for (\w+ minutes)", WORDS[page_images._FAILURE_SECONDS]),
    ("viewer.md", r"head may have (\d+) kB", str(connections.MAX_HEAD_BYTES // 1000)),
    ("viewer.md", r"kB and (\d+) headers", str(connections.MAX_HEADERS)),
    ("viewer.md", r"headers, and has (\d+) s to arrive", f"{connections.HEAD_SECONDS:g}"),
    ("viewer.md", r"at most (\d+) connections", str(connections.MAX_PER_ADDRESS)),
    ("observability.md", r"Figures are at most (\d+) s old", f"{metrics._AS_OLD_AS_S:g}"),
    ("observability.md", r"a span below \((\d+) of a step at most\)", str(traces.MOST_CLAIM_SPANS)),
    ("observability.md", r"does not answer costs the step (\d+) s", f"{traces._TIMEOUT_S:g}"),
    ("observability.md", r"left alone for a (\w+);", WORDS[traces._PAUSE_S]),
    ("schemas.md", r"more than ([\d,]+) fields", f"{flattening._MOST_FIELDS:,}"),
    ("providers.md", r"\(a context of ([\d,]+) tokens", f"{UNKNOWN_MODEL.context_tokens:,}"),
    ("providers.md", r"tokens, answers of ([\d,]+), priced", f"{UNKNOWN_MODEL.output_tokens:,}"),
    ("providers.md", r"priced at \$([\d.]+) and", f"{UNKNOWN_MODEL.prices[0].input:g}"),
    ("providers.md", r"priced at \$[\d.]+ and \$([\d.]+) per", f"{UNKNOWN_MODEL.prices[0].output:g}"),
    ("extraction-claude.md", r"a text of up to ([\d,]+) characters", f"{scalars._LONGEST_TEXT:,}"),
    ("operations.md", r"then by the next nights, (\w+) at most", WORDS[NIGHTS_OF_THE_SAME]),
    ("extraction-claude.md", r"`([\w-]+)` \(default\)", ClaudeSettings().model),
    ("extraction-claude.md", r"`([\w-]+)` \(fallback\)", str(ClaudeSettings().fallback_model)),
]


# named by what the pages say: a name with the code's number in it would be another test for another number
@pytest.mark.parametrize(("page", "sentence", "number"), SAID, ids=[f"{said[0]}: {said[1]}" for said in SAID])
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


LIMITS_PAGE = Path(__file__).resolve().parent.parent / "docs" / "limits.md"
LIMIT = re.compile(r"^\| ([\d.,]+(?: %)?) \| ([^|]+) \| `([\w.]+)\.(\w+)` \|$")


def limits() -> list[tuple[str, str, str]]:
    """Number, module and constant of every row of the page of limits."""
    rows = [line for line in LIMITS_PAGE.read_text().splitlines() if line.startswith("| ")]
    found = [LIMIT.match(row) for row in rows if not row.startswith(("| number", "| ---"))]
    assert all(found), "a row without a number or without its place in the code"
    return [(row[1], row[3], row[4]) for row in found if row]


@pytest.mark.parametrize(
    ("number", "module", "constant"), limits(), ids=[".".join(row[1:]) for row in limits()]
)
def test_a_documented_limit_is_the_codes(number: str, module: str, constant: str) -> None:
    code = getattr(importlib.import_module(f"citation_pipeline.{module}"), constant)
    if isinstance(code, timedelta):
        code = code / timedelta(minutes=1)
    documented = float(number.removesuffix(" %").replace(",", ""))
    assert code == pytest.approx(documented / 100 if number.endswith("%") else documented, rel=1e-12)


def test_the_page_of_limits_names_none_twice() -> None:
    named = [row[1:] for row in limits()]
    assert len(set(named)) == len(named) > 60
