"""Every verification is a test: `evaluate --verified` against a committed baseline."""

import json
import shutil
from pathlib import Path

import pytest

from citation_pipeline.core.evaluation.verified_baseline import (
    BaselineError,
    Outcome,
    compare_with_baseline,
    read_baseline,
)
from citation_pipeline_tests.commands import command
from citation_pipeline_tests.notebook_claims import CLAIMS, CONFIRMED, CORRECTED, make_store

BASELINE = Path(__file__).parent / "approved" / "verified_baseline.json"


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_store(tmp_path_factory.mktemp("verified"))


def evaluate(store: Path, *arguments: object):
    return command("evaluate", "--verified", "--store", store, *arguments)


def test_what_people_signed_is_still_found_as_the_committed_baseline_says(store: Path) -> None:
    done = evaluate(store, "--baseline", BASELINE)
    assert done.exit_code == 0, done.output
    committed = json.loads(BASELINE.read_text(encoding="utf-8"))["claims"]
    assert committed[CLAIMS[0]] == {**dict.fromkeys(CONFIRMED, "right"), CORRECTED: "wrong"}
    # signed in a document that was scanned again since
    assert committed[CLAIMS[1]] == dict.fromkeys(CONFIRMED, "right")
    assert f"{CLAIMS[0]}: 3 verified fields: 2 right, 0 misplaced, 1 wrong" in done.output


def test_a_field_that_got_worse_is_named_and_ends_with_one(store: Path, tmp_path: Path) -> None:
    baseline = tmp_path / "verified.json"
    better = json.loads(BASELINE.read_text(encoding="utf-8"))
    better["claims"][CLAIMS[0]][CORRECTED] = "right"
    baseline.write_text(json.dumps(better))
    done = evaluate(store, "--baseline", baseline)
    assert done.exit_code == 1
    assert f"{CLAIMS[0]} {CORRECTED}: was right, is wrong" in done.stderr
    assert (
        evaluate(store, CLAIMS[2], "--baseline", baseline).exit_code == 0
    )  # of the others nothing was asked


def test_a_baseline_is_written_once_and_names_no_word_of_a_document(store: Path, tmp_path: Path) -> None:
    baseline = tmp_path / "verified.json"
    assert evaluate(store, "--baseline", baseline).exit_code == 1  # there is none yet
    assert evaluate(store, "--baseline", baseline, "--write-baseline").exit_code == 0
    assert baseline.read_text() == BASELINE.read_text()
    assert "Bright Harbor" not in baseline.read_text()


def test_a_claim_that_is_not_in_the_store_is_not_passed_over(store: Path, tmp_path: Path) -> None:
    more = json.loads(BASELINE.read_text(encoding="utf-8"))
    more["claims"]["WC-99"] = {CONFIRMED[0]: "right"}
    baseline = tmp_path / "verified.json"
    baseline.write_text(json.dumps(more))
    done = evaluate(store, "--baseline", baseline)
    assert (done.exit_code, "WC-99" in done.stderr) == (1, True)
    # written anew for one claim, the others stay
    assert evaluate(store, CLAIMS[0], "--baseline", baseline, "--write-baseline").exit_code == 0
    assert json.loads(baseline.read_text()) == more


def test_json_has_one_object_a_claim(store: Path) -> None:
    lines = [json.loads(line) for line in evaluate(store, "--json").output.splitlines() if line]
    assert [line["claim_id"] for line in lines] == list(CLAIMS[:3])
    assert lines[0]["fields"][CORRECTED] == "wrong"


def test_a_page_is_written_beside_the_report(store: Path, tmp_path: Path) -> None:
    done = evaluate(store, "--html", tmp_path / "report.html")
    assert done.exit_code == 0, done.output
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert page.count("<svg") == 4  # two charts, each in both colour schemes
    assert CORRECTED in page


@pytest.mark.parametrize(
    "arguments",
    [
        ("evaluate",),
        ("evaluate", "a", "--verified", "--truth", "."),
        ("evaluate", "a", "--baseline", "x.json"),
        ("evaluate", "--verified", "--write-baseline"),
    ],
)
def test_options_that_do_not_belong_together_are_refused(arguments: tuple[str, ...]) -> None:
    assert command(*arguments).exit_code == 2


def test_fields_compare_one_by_one() -> None:
    right, wrong, misplaced = Outcome.RIGHT, Outcome.WRONG, Outcome.MISPLACED
    before = {"one": {"a": right, "b": misplaced, "c": right, "d": wrong}}
    now = {"one": {"a": misplaced, "b": right, "d": wrong, "e": right}}
    compared = compare_with_baseline(before, now)
    assert compared.worse == [("one", "a")]
    assert compared.better == [("one", "b")]
    assert compared.gone == [("one", "c")]
    assert compared.new == [("one", "e")]


@pytest.mark.parametrize(
    "value", [[], {"claims": []}, {"claims": {"a": 1}}, {"claims": {"a": {"f": "fine"}}}]
)
def test_a_file_that_is_no_baseline_is_refused(value: object) -> None:
    with pytest.raises(BaselineError):
        read_baseline(value)


def test_nobody_signed_yet_is_said(store: Path, tmp_path: Path) -> None:
    unsigned = tmp_path / "store"
    shutil.copytree(store, unsigned, ignore=shutil.ignore_patterns("*.sqlite*", "*.db*", "verifications*"))
    done = evaluate(unsigned)
    assert done.exit_code == 0
    assert "nobody has signed" in done.output
