"""Every command on a store that is not there or not whole: it says so, and leaves nothing behind."""

import re
import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import click
import pytest
from click.testing import Result

from citation_pipeline.adapters.local_parser.parser import LocalParser
from citation_pipeline.adapters.reader_settings import ReaderSettings
from citation_pipeline.cli.main import main
from citation_pipeline_tests.commands import command
from citation_pipeline_tests.scenario import write_claim

Arguments = tuple[str, ...]

NEEDS_NO_STORE: Mapping[str, str] = {
    "config": "says what is set",
    "dev": "sets an instance up",
    "fleet init": "writes an instance's settings",
    "fleet pools": "of an instance: says which file is missing",
    "fleet worker": "of an instance: says which file is missing",
    "parse": "reads files",
    "resolve": "reads files",
    "run": "begins a store",
    "serve": "uploads may begin a store: says that there is none yet",
}

OF_CLAIMS: Mapping[str, Arguments] = {
    "archive": ("CLAIM",),
    "artifacts": ("CLAIM", "--out", "OUT"),
    "ask": ("CLAIM", "Which clinic?", "--extractive"),
    "audit export": ("--claim", "CLAIM"),
    "compare": ("CLAIM", "--extractors", "rules,replay"),
    "erase": ("CLAIM", "--dry-run"),
    "evaluate": ("CLAIM",),
    "export": ("CLAIM", "--out", "OUT"),
    "highlight": ("CLAIM",),
    "plan": ("CLAIM",),
    "promotions accept": ("CLAIM", "--why", "it is better"),
    "promotions refuse": ("CLAIM", "--why", "it is worse"),
    "promotions show": ("CLAIM",),
    "rematch": ("CLAIM",),
    "show": ("CLAIM",),
}

OF_STORES: Mapping[str, Arguments] = {
    "audit verify": (),
    "doctor": (),
    "mcp": ("--config",),
    "metrics": (),
    "promotions list": (),
    "search": ("clinic",),
    "tune": ("workers_comp", "--apply"),
}

WITHOUT_CLAIMS: Mapping[str, Arguments] = {
    "erase": ("--archived-before", "0"),
    "evaluate": ("--verified",),
    "plan": (),
    "rematch": (),
    "audit export": (),
}


def leaves(group: click.Group, before: str = "") -> Iterator[str]:
    """Yield the names of a group's commands, those of its groups too."""
    for name, found in group.commands.items():
        if isinstance(found, click.Group):
            yield from leaves(found, f"{before}{name} ")
        else:
            yield f"{before}{name}"


def files_in(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


def called(name: str, arguments: Arguments, *, store: Path, claim: str = "tiny") -> Result:
    given = {"CLAIM": claim, "OUT": str(store.parent / "out")}
    return command(*name.split(), *(given.get(one, one) for one in arguments), "--store", store)


def assert_fails(result: Result, *, naming: str) -> None:
    assert result.exception is None or isinstance(result.exception, SystemExit), repr(result.exception)
    assert result.exit_code == 1, result.output
    assert naming in result.output, result.output


@pytest.fixture(autouse=True)
def surroundings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CITATION_PIPELINE_WORKERS", "1")
    monkeypatch.delenv("DAGSTER_HOME", raising=False)
    monkeypatch.chdir(tmp_path)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with one small claim; tests work on copies."""
    place = tmp_path_factory.mktemp("whole")
    claim = write_claim(place / "inbox" / "tiny")
    (claim / "truth.json").write_text('{"fields": {}, "absent_fields": []}')
    built: list[LocalParser] = []
    build = LocalParser.build

    def remember(settings: ReaderSettings) -> LocalParser:
        built.append(build(settings))
        return built[-1]

    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("CITATION_PIPELINE_WORKERS", "1")
        patched.delenv("DAGSTER_HOME", raising=False)
        patched.setattr(LocalParser, "build", remember)
        assert command("run", claim, "--store", place / "store", "--extractor", "replay").exit_code == 0
    for parser in built:
        parser.close()
    return place / "store"


@pytest.fixture
def store(whole: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(whole, tmp_path / "place" / "store"))


def test_every_command_is_in_the_tables_of_this_file() -> None:
    tables = (NEEDS_NO_STORE, OF_CLAIMS, OF_STORES)
    assert sorted(name for table in tables for name in table) == sorted(leaves(main))
    assert set(WITHOUT_CLAIMS) <= set(OF_CLAIMS)


@pytest.mark.parametrize(
    ("name", "arguments"), [*OF_CLAIMS.items(), *OF_STORES.items(), *WITHOUT_CLAIMS.items()]
)
def test_a_command_on_what_is_no_store_names_the_place_and_the_remedy_and_makes_nothing(
    name: str, arguments: Arguments, tmp_path: Path
) -> None:
    places = tmp_path / "place"
    places.mkdir()
    (places / "empty").mkdir()
    (places / "others").mkdir()
    (places / "others" / "letter.txt").write_text("nothing of a store")
    (places / "file").write_text("nothing of a store")
    before = files_in(places)
    for kind in ("missing", "empty", "others", "file"):
        result = called(name, arguments, store=places / kind)
        if name == "doctor" and kind != "missing":  # it looks at any folder that could become one
            assert result.exit_code == 1
            continue
        assert_fails(result, naming=str(places / kind))
        assert "run a claim first" in result.stderr
    assert files_in(places) == before


@pytest.mark.parametrize(("name", "arguments"), OF_CLAIMS.items())
def test_a_command_on_a_claim_that_is_not_there_names_it(
    name: str, arguments: Arguments, store: Path
) -> None:
    before = files_in(store / "claims")
    assert_fails(called(name, arguments, store=store, claim="nobody"), naming="nobody")
    assert files_in(store / "claims") == before
    assert not (store.parent / "out").exists()


def cut(path: Path) -> None:
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])


def overwritten(path: Path) -> None:
    for beside in path.parent.glob(f"{path.name}-*"):  # a whole log would mend it
        beside.unlink()
    path.write_bytes(b"nothing of a table " * 500)


TABLES = ("documents", "words", "fields", "citations", "chunks", "promotions", "source_documents")

DAMAGES: Mapping[str, tuple[Callable[[Path], None], Arguments, Arguments]] = {
    # what is done to which files, and the commands that need none of them
    "tables cut short": (
        cut,
        tuple(f"{table}/tiny.parquet" for table in TABLES),
        ("archive", "audit verify", "compare", "doctor", "erase", "mcp", "metrics", "plan", "show"),
    ),
    "the registration": (
        cut,
        ("claims/tiny.json",),
        ("ask", "audit verify", "doctor", "erase", "highlight", "mcp", "metrics", "promotions list", "search",
         "show"),
    ),
    "the viewer dataset": (
        cut,
        ("viewer_dataset/tiny/data.json",),
        # a run and a re-match make it anew
        ("archive", "audit verify", "compare", "doctor", "erase", "evaluate", "mcp", "metrics", "plan",
         "promotions list", "promotions show", "rematch"),
    ),
    "the reviews": (
        overwritten,
        ("verifications.sqlite",),
        ("archive", "artifacts", "compare", "erase", "evaluate", "mcp", "promotions list", "show"),
    ),
    "what is decided once": (
        overwritten,
        ("coordination.sqlite",),
        ("archive", "artifacts", "ask", "audit verify", "erase", "evaluate", "export", "highlight", "mcp",
         "plan", "promotions list", "promotions show", "search", "show"),
    ),
    "the history of runs": (
        overwritten,
        ("dagster_home/history/runs.db",),
        ("artifacts", "ask", "audit verify", "compare", "erase", "evaluate", "export", "highlight", "mcp",
         "plan", "promotions list", "promotions show", "search", "show"),
    ),
}  # fmt: skip

FAIL_ANYWAY = {
    "audit export",
    "promotions accept",
    "promotions refuse",
    "tune",
}  # nothing is decided or held here


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_command_that_needs_what_is_damaged_names_it_and_another_does_its_work(
    damage: str, store: Path
) -> None:
    spoil, files, unaffected = DAMAGES[damage]
    for file in files:
        (store / file).touch()
        spoil(store / file)
    kept = store.with_name("kept")
    store.rename(kept)
    wrong = []
    for name, arguments in (OF_CLAIMS | OF_STORES).items():
        shutil.copytree(kept, store)
        result = called(name, arguments, store=store)
        shutil.rmtree(store)
        shutil.rmtree(store.parent / "out", ignore_errors=True)
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            wrong.append(f"{name}: {result.exception!r}")
        elif name not in FAIL_ANYWAY and result.exit_code != (0 if name in unaffected else 1):
            wrong.append(f"{name} ended with {result.exit_code}: {result.output[-300:]}")
        elif name not in FAIL_ANYWAY | set(unaffected) and not re.search(
            r"damaged|cannot be opened|FAILED", result.stderr + result.stdout
        ):
            wrong.append(f"{name} does not say what is damaged: {result.stderr}")
    assert not wrong, "\n".join(wrong)


def test_an_export_says_which_document_was_exchanged_and_has_no_page_of_the_new_one(
    store: Path, whole: Path, tmp_path: Path
) -> None:
    letter = whole.parent / "inbox" / "tiny" / "documents" / "Older Letter.txt"
    before = letter.read_bytes()
    letter.write_bytes(before.replace(b"permanent", b"temporary"))
    try:
        ended = called("export", ("CLAIM", "--out", "OUT"), store=store)
    finally:
        letter.write_bytes(before)
    assert_fails(ended, naming="tiny: the export has no picture of older-letter")
    assert "not the one that was parsed. Run the claim again" in ended.stderr
    drawn = sorted(path.parent.name for path in (store.parent / "out" / "pages").rglob("*.png"))
    assert drawn == ["2", "2", "3", "3"]  # the newer letter and its copy
