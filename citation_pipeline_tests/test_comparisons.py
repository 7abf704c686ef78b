"""Extractors side by side: values, places, refusals, cost; as text, JSON and a page that loads nothing."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import sync_playwright

import citation_pipeline
from citation_pipeline.adapters.claim_folders import claim_of_folder
from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.core.comparison.comparing import compare_sides
from citation_pipeline.core.comparison.page import comparison_page
from citation_pipeline.core.comparison.sides import Cell, ClaimComparison, FieldRow, Figures, Side
from citation_pipeline.core.extraction import ExtractedField, Extraction, PagesRead
from citation_pipeline.core.schemas import Field, Schema
from citation_pipeline_tests.commands import command
from citation_pipeline_tests.fake_anthropic.answering import ReferenceAnswers
from citation_pipeline_tests.fake_anthropic.records import Settings
from citation_pipeline_tests.fake_anthropic.server import FakeAnthropic
from citation_pipeline_tests.scenario import ANSWER, write_claim
from citation_pipeline_tests.viewer_claim.browser import ARGUMENTS, CHROMIUM

KEY = "sk-planted-cmp"
TRUTH = {
    "claim_id": "tiny",
    "fields": {
        "metadata.claim_number": {"value": "ZX-2025-000417", "type": "string"},
        "mmi_status.mmi_date": {"value": "2025-03-12", "type": "date"},
        "temporary_disability.weekly_rate": {"value": 412.5, "type": "number"},
    },
    "absent_fields": ["treating_physician.facility"],
}


@pytest.fixture
def claude(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeAnthropic]:
    other = json.loads(json.dumps(ANSWER))
    other["extractions"][3]["value"] = 99.0
    monkeypatch.delenv("DAGSTER_HOME", raising=False)
    monkeypatch.setenv("CITATION_PIPELINE_WORKERS", "1")
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    with FakeAnthropic(ReferenceAnswers(other), settings=Settings(api_key=KEY)) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        yield server


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = write_claim(tmp_path / "tiny")
    (tmp_path / "truth.json").write_text(json.dumps(TRUTH))
    return folder


def compared(*arguments: object) -> tuple[int, list[dict[str, Any]], str]:
    result = command("compare", *arguments, "--json")
    return result.exit_code, [json.loads(line) for line in result.stdout.splitlines()], result.stderr


def test_a_comparison_is_frames_to_count_and_plot(
    tmp_path: Path, folder: Path, claude: FakeAnthropic
) -> None:
    arguments = (folder, "--extractors", "replay,claude", "--truth", tmp_path / "truth.json")
    told = command("compare", *arguments, "--store", tmp_path / "store", "--json").stdout
    (tmp_path / "compared.jsonl").write_text(told, encoding="utf-8")
    frames = citation_pipeline.open_comparison(tmp_path / "compared.jsonl")
    sides = frames.extractors.set_index("extractor")
    assert sides.loc["replay", "wrong"] < sides.loc["claude", "wrong"]
    assert str(sides["right"].dtype) == "Int64"
    rates = frames.fields.query("field_key == 'temporary_disability.weekly_rate'").set_index("extractor")
    assert rates["value"].to_dict() == {"replay": "412.5", "claude": "99.0"}
    assert rates["right"].to_dict() == {"replay": True, "claude": False}
    assert frames.disagreements().loc["temporary_disability.weekly_rate", "disagreed"] == 1
    assert set(frames.types["type"]) >= {"number", "date"}
    with pytest.raises(ValueError, match="compare … --json"):
        citation_pipeline.open_comparison(tmp_path / "truth.json")


def test_two_extractors_are_judged_field_by_field_and_nothing_of_the_claim_changes(
    tmp_path: Path, folder: Path, claude: FakeAnthropic
) -> None:
    store, truth = tmp_path / "store", tmp_path / "truth.json"
    arguments = (folder, "--extractors", "replay,claude", "--truth", truth, "--store", store)
    code, (claim, total), said = compared(*arguments, "--html", tmp_path / "report.html")
    assert code == 0
    assert "about 1 paid calls" in said
    rows = {row["field_key"]: row for row in claim["fields"]}
    rate = rows["temporary_disability.weekly_rate"]
    assert (rate["agree"], rate["truth"]) == (False, 412.5)
    assert {name: (one["value"], one["right"]) for name, one in rate["answers"].items()} == {
        "replay": (412.5, True),
        "claude": (99.0, False),
    }
    assert rate["answers"]["replay"]["page"] == 1
    assert rows["treating_physician.facility"]["answers"]["replay"]["right"] is False  # an absent field
    replay, asked = total["extractors"]
    assert (replay["right"], replay["wrong"], replay["calls"], replay["dollars"]) == (3, 1, 0, 0)
    assert (asked["right"], asked["calls"]) == (2, 1)
    assert asked["dollars"] == asked["paid_now"] > 0
    assert asked["seconds"] > 0
    by_type = total["by_type"]["number"]
    assert (by_type["replay"]["right"], by_type["claude"]["wrong"]) == (1, 1)
    assert sum(one["replay"]["right"] for one in total["by_document_type"].values()) == 3
    assert ClaimStore(store).claim_ids() == []
    assert not (store / "viewer_dataset").exists()
    calls = claude.records.counters["messages"]
    again = compared(*arguments)[1][1]["extractors"][1]
    assert claude.records.counters["messages"] == calls  # a stored reply is not paid for again
    assert (again["dollars"], again["paid_now"]) == (asked["dollars"], 0)
    text = command("compare", *arguments).stdout
    assert "x 99 [older-letter p.1]" in text
    assert text.index("fields differ in value:") < text.index("x 99 [") < text.index("from different places:")
    assert "1 claim together" in text
    assert "by type of document: right / wrong / missing" in text


def test_a_refusal_and_a_failure_are_named_and_keep_no_other_from_its_answer(
    tmp_path: Path, folder: Path, claude: FakeAnthropic
) -> None:
    claude.add("messages", "refusal", times=-1)
    arguments = (folder, "--store", tmp_path / "store", "--extractors")
    code, (claim, total), _ = compared(*arguments, "replay,claude")
    assert code == 0
    assert claim["extractors"][1]["unread"] == {"refusal": 3}  # pages
    assert {row["answers"]["claude"]["status"] for row in claim["fields"]} == {"unread"}
    (folder / "extraction_raw.json").unlink()
    code, (claim, total), said = compared(*arguments, "rules,replay")
    assert code == 1
    assert "replay gave no answer" in said
    assert [one["failures"] for one in total["extractors"]] == [0, 1]
    assert total["extractors"][0]["answered"] > 0


def test_what_cannot_be_compared_is_refused_before_anybody_is_asked(
    tmp_path: Path, folder: Path, claude: FakeAnthropic
) -> None:
    def refused(*arguments: object) -> str:
        result = command("compare", folder, "--store", tmp_path / "store", *arguments)
        assert result.exit_code == 2
        return result.stderr

    assert "two or more different" in refused("--extractors", "rules")
    assert "two or more different" in refused("--extractors", "rules,rules")
    assert "no extractor 'nobody'" in refused("--extractors", "rules,nobody")
    assert "exclude each other" in refused("--extractors", "rules,replay", "--verified", "--truth", folder)
    code, _, said = compared(folder, "--store", tmp_path / "store", "--extractors", "rules,replay:some-model")
    assert (code, "takes no model" in said) == (1, True)
    assert claude.records.counters["messages"] == 0


def test_one_providers_models_are_compared_by_name(
    tmp_path: Path, folder: Path, claude: FakeAnthropic
) -> None:
    labels = "claude:claude-haiku-5-5,claude:claude-sonnet-5-5"
    code, (claim, _), _ = compared(folder, "--store", tmp_path / "store", "--extractors", labels)
    assert code == 0
    small, large = claim["extractors"]
    assert (small["model"], large["model"]) == ("claude-haiku-5-5", "claude-sonnet-5-5")
    assert 0 < small["dollars"] < large["dollars"]


def test_what_people_signed_is_the_truth_where_it_is_asked_for(
    tmp_path: Path, folder: Path, claude: FakeAnthropic
) -> None:
    ClaimStore(tmp_path / "store").register(claim_of_folder(folder, extractor="replay"))
    code, (_, total), said = compared(
        "tiny", "--store", tmp_path / "store", "--extractors", "rules,replay", "--verified"
    )
    assert code == 0
    assert "nobody has signed" in said
    assert total["extractors"][1]["right"] == 0


WIDER = "[...document.querySelectorAll('.wide, body')].some(one => one.scrollWidth > one.clientWidth)"
EVIL = "</td><script src='http://127.0.0.1:9/x.js'></script><img src='http://127.0.0.1:9/x.png'>"


@pytest.mark.browser
def test_the_page_opens_in_a_browser_loads_nothing_and_shows_what_differs_first(tmp_path: Path) -> None:
    fields = tuple(Field(key, "string", key.title(), "all") for key in ("same", "other", "unread"))
    schema = Schema("own", "Own", "", fields, "0")

    def side(name: str, value: str, outcome: str) -> Side:
        said = (ExtractedField("same", "as one", "string"), ExtractedField("other", value, "string"))
        pages = (PagesRead("letter", 1, 1, ("unread",), outcome),)
        return Side(name, "m", Extraction("own", said, pages_read=pages))

    sides = (side("a", EVIL, "refusal"), side("b", "plain", "read"))
    page = tmp_path / "report.html"
    page.write_text(comparison_page([compare_sides("claim-1", sides, schema=schema, documents=())]))
    asked: list[str] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(ARGUMENTS))
        shown = browser.new_page()
        shown.on("request", lambda request: asked.append(request.url))
        shown.goto(page.as_uri())
        assert shown.locator("tr.differs:visible").count() == 1
        assert shown.locator("tr.same:visible").count() == 0
        assert EVIL in shown.locator("tr.differs").inner_text()
        shown.get_by_label("also the fields on which all agree (1)").check()
        assert shown.locator("tr.same:visible").count() == 1
        for width in (1280, 390):
            shown.set_viewport_size({"width": width, "height": 900})
            assert not shown.evaluate(WIDER), width
        assert EVIL in shown.locator("tr.differs td").first.inner_text()
        browser.close()
    assert asked == [page.as_uri()]


def test_the_same_value_from_another_place_is_told_apart_from_another_value() -> None:
    def row(*values: str, same_place: bool, right: bool | None = None) -> FieldRow:
        cells = [Cell(value, right=right) for value in values]
        return FieldRow("a.b", "B", "string", cells, len(set(values)) == 1, same_place)

    moved, other = row("x", "x", same_place=False), row("x", "y", same_place=True)
    wrong = row("x", "x", same_place=True, right=False)
    assert [one.differs for one in (moved, other, wrong)] == [True, True, True]
    assert [one.differs_in_value for one in (moved, other, wrong)] == [False, True, True]
    same = row("x", "x", same_place=True)
    assert not same.differs
    figures = [Figures(), Figures()]
    sides = [Side(name, "m", Extraction("own", ())) for name in "ab"]
    page = comparison_page([ClaimComparison("c", sides, [moved, other, same], figures, {}, {}, {})])
    assert "1 claim: 1 of 3 fields differ in value, 1 only in the place that is cited" in page
    assert [page.count(f'<tr class="{kind}">') for kind in ("differs", "moved", "same")] == [1, 1, 1]
