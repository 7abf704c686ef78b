"""Charts where people look: their numbers, both colour schemes, and who sees whose."""

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest
from starlette.testclient import TestClient

import citation_pipeline
from citation_pipeline.adapters.pictures import drawing, series
from citation_pipeline.adapters.pictures.series import ClaimCost, Disagreement, LocatedDay
from citation_pipeline.adapters.tables.chunk_rows import HistoryEntry, history_table
from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.core.evaluation.scores import Bin
from citation_pipeline.core.review.verifications import FieldReview, ReviewState
from citation_pipeline.serving.settings import ServingSettings
from citation_pipeline_tests.commands import command
from citation_pipeline_tests.drawn_pdfs import draw
from citation_pipeline_tests.viewer_claim.serving import client_of, decide

NAMES = ("locate_rate", "reliability", "disagreements", "costs")


def texts(svg: str) -> list[str]:
    root = ElementTree.fromstring(svg)
    return [(node.text or "").strip() for node in root.iter("{http://www.w3.org/2000/svg}text")]


def entry(key: str, status: str, at: str) -> HistoryEntry:
    return HistoryEntry(key, "1", "rules", "p", status, "a", 1, "e", "c", at)


def test_a_day_counts_every_field_as_it_was_at_its_end(tmp_path: Path) -> None:
    store = ClaimStore(tmp_path)
    entries = [
        entry("a", "unresolved", "2026-03-01T10:00:00Z"),
        entry("b", "resolved", "2026-03-01T10:00:00Z"),
        entry("a", "flagged", "2026-03-01T12:00:00Z"),
        entry("b", "unresolved", "2026-03-04T10:00:00Z"),
        entry("c", "", "2026-03-04T10:00:00Z"),  # a value that nobody cited
    ]
    store.write_side_table("field_history", "one", history_table("one", entries))
    other = [entry("a", "resolved", "2026-03-03T10:00:00Z")]
    store.write_side_table("field_history", "two", history_table("two", other))
    assert series.locate_days(store, ["one", "two"]) == [
        LocatedDay("2026-03-01", 1, 1, 0),
        LocatedDay("2026-03-03", 2, 1, 0),
        LocatedDay("2026-03-04", 1, 1, 1),
    ]
    assert LocatedDay("2026-03-04", 1, 1, 1).share == pytest.approx(2 / 3)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_charts_say_their_numbers_as_text_in_the_themes_colours(theme: str) -> None:
    drawn = {
        "Quotations found, by day": drawing.draw_locate_rate(
            [LocatedDay("2026-03-01", 3, 1, 1)], theme=theme
        ),
        "n=7": drawing.draw_reliability([Bin(0.8, 0.9, 7, 0.85, 6 / 7)], theme=theme),
        "wages.$rate_$": drawing.draw_disagreements([Disagreement("wages.$rate_$", 4, 2, 1)], theme=theme),
        "LOAD-1": drawing.draw_costs([ClaimCost("LOAD-1", 0.16, 0.05)], theme=theme),
    }
    for text, svg in drawn.items():
        assert text in texts(svg)
        assert drawing.THEMES[theme].ground in svg
        assert not re.search(r"(href|src)=\"https?:", svg)  # nothing is loaded
    many = [ClaimCost(f"claim-{number}", number / 10, 0.0) for number in range(60)]
    assert "US dollars per claim" in texts(drawing.draw_costs(many, theme=theme))


def test_a_chart_without_data_says_so() -> None:
    assert "Nothing was run yet" in texts(drawing.draw_locate_rate([]))
    assert "No verdicts yet" in texts(drawing.draw_reliability([]))
    assert "No disagreement" in texts(drawing.draw_disagreements([Disagreement("a", 3, 0, 0)]))
    assert "Nothing was paid for" in texts(drawing.draw_costs([ClaimCost("a", 0.0, 0.0)]))


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    folder = tmp_path_factory.mktemp("pictures")
    lines = ("Claim Number: WC-2025-0417", "Average weekly wage: $1,214.70")
    documents = folder / "claim" / "documents"
    documents.mkdir(parents=True)
    sheet = draw(lambda page: [page.text(60, 60 + 30 * n, line) for n, line in enumerate(lines)])
    (documents / "letter.pdf").write_bytes(sheet)
    command("run", documents.parent, "--store", folder / "store")
    with client_of(ServingSettings(str(folder / "store"), render_workers=1)) as client:
        decide(client, "claim", "metadata.claim_number", "confirm")
        decide(client, "claim", "wages.average_weekly_wage", "correct", value="1,300.00")
        yield client


@pytest.mark.parametrize("name", NAMES)
def test_the_viewer_serves_each_chart_once(client: TestClient, name: str) -> None:
    answer = client.get(f"/api/pictures/{name}.svg?theme=dark")
    assert (answer.status_code, answer.headers["content-type"]) == (200, "image/svg+xml")
    assert drawing.THEMES["dark"].ground in answer.text
    again = client.get(
        f"/api/pictures/{name}.svg?theme=dark", headers={"If-None-Match": answer.headers["etag"]}
    )
    assert again.status_code == 304
    assert "WC-2025-0417" not in answer.text


def test_what_people_decided_is_in_the_charts(client: TestClient) -> None:
    assert "wages.average_weekly_wage" in texts(client.get("/api/pictures/disagreements.svg").text)
    assert any(text.startswith("n=") for text in texts(client.get("/api/pictures/reliability.svg").text))


def test_an_unknown_chart_is_refused_and_a_missing_library_has_a_remedy(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert client.get("/api/pictures/nonsense.svg").status_code == 422
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setattr("citation_pipeline.serving.team.pictures_routes.find_spec", lambda name: None)
    refused = client.get("/api/pictures/costs.svg")
    assert refused.status_code == 503
    assert "citation-pipeline[pictures]" in refused.json()["error"]["remedy"]


def test_reliability_is_of_the_confidence_that_a_person_saw(tmp_path: Path) -> None:
    documents = tmp_path / "claim" / "documents"
    documents.mkdir(parents=True)
    lines = ["Claim Number: WC-2025-0417", "Average weekly wage: $1,214.70"]
    (documents / "letter.pdf").write_bytes(
        draw(lambda page: [page.text(60, 60 + 30 * n, line) for n, line in enumerate(lines)])
    )
    root = tmp_path / "store"
    command("run", documents.parent, "--store", root)
    key = "wages.average_weekly_wage"
    with client_of(ServingSettings(str(root), render_workers=1)) as client:
        shown = confidence_of(client, key)
        decide(client, "claim", key, "confirm")
    (documents / "later.pdf").write_bytes(
        draw(lambda page: page.text(60, 60, "Claim Number: WC-2025-0417 Average weekly wage: $1,300.00"))
    )
    command("run", documents.parent, "--store", root)
    with client_of(ServingSettings(str(root), render_workers=1)) as client:
        assert confidence_of(client, key) != shown  # documents disagree by now
    (judged,) = citation_pipeline.open_store(str(root)).reliability().to_dict("records")
    assert judged["count"] == 1
    assert judged["mean_confidence"] == pytest.approx(shown, abs=1e-4)
    (seen,) = citation_pipeline.open_store(str(root)).verifications()["seen_confidence"]
    assert seen == pytest.approx(shown, abs=1e-4)


def confidence_of(client: TestClient, key: str) -> float | None:
    fields = client.get("/api/claims/claim").json()["fields"]
    return next(field.get("fieldConfidence", {}).get("value") for field in fields if field["fieldKey"] == key)


def test_verdicts_that_kept_no_confidence_are_in_no_chart_of_it() -> None:
    reviews = {
        "claim": {
            "new": FieldReview("new", ReviewState.CONFIRMED, seen_confidence=0.95, signers=("ann",)),
            "old": FieldReview("old", ReviewState.CONFIRMED, signers=("ann",)),
            "wrong": FieldReview("wrong", ReviewState.CORRECTED, seen_confidence=0.92, signers=("ann",)),
            "open": FieldReview("open", seen_confidence=0.2),
            "half": FieldReview(
                "half", ReviewState.CONFIRMED, seen_confidence=0.2, signers=("ann",), needs_second=True
            ),
        }
    }
    (judged,) = series.reliability(reviews)
    assert (judged.count, judged.share_right) == (2, 0.5)
