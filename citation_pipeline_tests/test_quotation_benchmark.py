"""The generator of quotations: what it draws is what it says it is."""

import functools
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from benchmarks.quotations.__main__ import drawn
from benchmarks.quotations.cases import Case, query_line, truth_line, write
from benchmarks.quotations.scoring import judge, read_lines, summary
from benchmarks.quotations.sheets import Sheet, occurrences, text_of, tokens
from benchmarks.quotations.wordings import FOLDER, lines, parse


@functools.cache
def read_record(folder: Path, document: str) -> dict[str, Any]:
    record: dict[str, Any] = json.loads((folder / "documents" / f"{document}.json").read_text())
    return record


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("quotations")
    write(out, drawn("dev", "dev", ()))
    return out


def test_a_draw_has_at_least_1500_quotations_of_every_kind(folder: Path) -> None:
    kinds = Counter(line["class"] for line in read_lines(folder / "truth.jsonl"))
    assert sum(kinds.values()) >= 1500
    assert {"medical", "affix", "unit", "code", "name", "comparator", "range", "checkbox_wrong"} <= set(kinds)
    assert {"hidden_negation", "noisy_page", "register_page", "stitched", "decorated"} <= set(kinds)
    assert {"qualifier_dropped", "hedge_dropped", "row_mixed", "row_cells", "other_form"} <= set(kinds)
    assert {"abbreviation_noisy", "column_read_on", "language_cut"} <= set(kinds)
    assert {"date_rewritten", "number_wrong", "language_negation", "long_altered"} <= set(kinds)


def test_the_same_seed_draws_the_same_files(folder: Path, tmp_path: Path) -> None:
    write(tmp_path, drawn("dev", "dev", ()))
    for name in ("queries.jsonl", "truth.jsonl"):
        assert (tmp_path / name).read_bytes() == (folder / name).read_bytes()


def test_the_splits_share_no_sentence() -> None:
    names = sorted(path.stem for path in (FOLDER / "dev").glob("*.txt"))
    assert names == sorted(path.stem for path in (FOLDER / "held").glob("*.txt"))
    for name in names:
        assert not set(lines("dev", name)) & set(lines("held", name))


def test_plain_honest_quotations_stand_where_the_truth_says(folder: Path) -> None:
    queries = {line["query_id"]: line for line in read_lines(folder / "queries.jsonl")}
    checked = 0
    for line in read_lines(folder / "truth.jsonl"):
        if line["class"] in ("honest", "long", "register_page", "register_value", "register_row"):
            record = read_record(folder, line["doc_id"])
            for place in line["alts"]:
                spans = " ".join(text_of(record, tuple(span)) for span in place["words"])
                assert tokens(spans) == tokens(queries[line["query_id"]]["text_snippet"])
                checked += 1
    assert checked > 500


def test_an_altered_statement_stands_nowhere_on_its_pages(folder: Path) -> None:
    queries = {line["query_id"]: line for line in read_lines(folder / "queries.jsonl")}
    altered = [
        line
        for line in read_lines(folder / "truth.jsonl")
        # cells that were read behind each other are words in a row, and nothing that is printed so
        if line["expect"] == "not_resolved" and not line["class"].startswith(("language", "column_read_on"))
    ]
    for line in altered:
        record = read_record(folder, line["doc_id"])
        assert not occurrences(record, queries[line["query_id"]]["text_snippet"])


def test_brackets_of_a_line_change_together() -> None:
    wording = parse("one [a|b] two [|not ]three")
    assert wording.variants == ("one a two three", "one b two not three")


def test_a_paragraph_that_does_not_fit_goes_on_upon_the_next_page() -> None:
    sheet = Sheet("long")
    sheet.top = 0.93
    first, last = sheet.write("several words of a sentence " * 12)
    assert {word[1] for word in sheet.words[first:last]} == {1, 2}
    assert [block["page"] for block in sheet.blocks] == [1, 2]


def test_a_quotation_is_right_at_nine_tenths_of_its_words_and_an_altered_one_unless_resolved(
    tmp_path: Path,
) -> None:
    sheet = Sheet("small")
    place = sheet.write("the quick brown fox jumps over the lazy dog today")
    record = sheet.record()
    honest = Case("small", "honest", "", "the quick brown fox", ((place,),), honest=True)
    altered = Case("small", "altered", "", "the quick red fox", ((place,),), honest=False)
    (tmp_path / "documents").mkdir()
    (tmp_path / "documents" / "small.json").write_text(json.dumps(record))
    with (tmp_path / "truth.jsonl").open("w") as out:
        for identity, case in (("a", honest), ("b", altered)):
            assert query_line(case, identity)["text_snippet"] == case.text
            out.write(json.dumps(truth_line(case, identity)) + "\n")
    whole = {"page": 1, "left": 0.0, "top": 0.0, "width": 1.0, "height": 0.5}
    part = {**whole, "width": 0.3}
    for box, status, wanted in (
        (whole, "resolved", [True, False]),
        (part, "resolved", [False, False]),
        (whole, "flagged", [False, True]),
    ):
        found = [
            {"query_id": identity, "status": status, "boxes": [box], "score": 0.9} for identity in ("a", "b")
        ]
        outcomes = judge(tmp_path, found)
        assert [outcome.right for outcome in outcomes] == wanted
    assert "AUROC of the score 0.5000" in summary(outcomes)
