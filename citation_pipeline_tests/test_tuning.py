"""`tune`: verified fields become examples, measured on claims held back, applied by a second command."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from citation_pipeline.adapters.conversation.guide_files import read_guide, tuned_path
from citation_pipeline.adapters.schema_files import load_schema
from citation_pipeline.core.tuning.examples import VerifiedField, hold_out, propose
from citation_pipeline_tests.commands import command
from citation_pipeline_tests.fake_anthropic.prompts import ReadPrompt
from citation_pipeline_tests.fake_anthropic.server import FakeAnthropic
from citation_pipeline_tests.notebook_claims import CLAIMS, make_store

SCHEMA = load_schema("workers_comp")
NUMBER = "metadata.claim_number"
SIGNED = (CLAIMS[0], CLAIMS[2])  # the document of the one between them was exchanged since


class Pupil:
    """A model that knows how claim numbers are printed once it has seen an example of one."""

    def __init__(self) -> None:
        self.systems: list[str] = []

    def answer(self, prompt: ReadPrompt) -> list[dict[str, Any]]:
        text = " ".join(prompt.sources.values())
        source_id = next(iter(prompt.sources))
        number = text[text.index("WC-2025-") :][:10]
        has_seen = "# Examples from other cases" in self.systems[-1]
        records = []
        for key in prompt.asked:
            value = number if key == NUMBER and has_seen else None
            cited = {"source_id": source_id, "text_snippet": f"Claim Number: {number}", "page": 1}
            records.append(
                {
                    "field_key": key,
                    "value": value,
                    "confidence": "high",
                    "provenance": "extracted",
                    "citations": [cited] if value else [],
                }
            )
        return records


@pytest.fixture(scope="module")
def reviewed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_store(tmp_path_factory.mktemp("tuned"))


@pytest.fixture
def store(reviewed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CITATION_PIPELINE_PROMPTS", str(tmp_path / "prompts"))
    return reviewed


@pytest.fixture
def pupil(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[FakeAnthropic, Pupil]]:
    learner = Pupil()
    with FakeAnthropic(learner) as claude:  # type: ignore[arg-type]
        plain = claude.records._text

        def text(body: Any, fault: Any) -> str:
            learner.systems.append("".join(block["text"] for block in body["system"]))
            return plain(body, fault)

        monkeypatch.setattr(claude.records, "_text", text)
        monkeypatch.setenv("ANTHROPIC_API_KEY", "test-key")
        monkeypatch.setenv("ANTHROPIC_BASE_URL", claude.url)
        yield claude, learner


def test_a_proposal_is_measured_on_claims_that_its_examples_are_not_from_and_changes_nothing(
    store: Path, tmp_path: Path, pupil: tuple[FakeAnthropic, Pupil]
) -> None:
    claude, learner = pupil
    done = command("tune", "workers_comp", "--store", store, "--json")
    assert done.exit_code == 0, done.output
    said = json.loads(done.stdout.splitlines()[-1])
    [held] = said["claims"]
    assert held in SIGNED
    assert (said["right_before"], said["right_after"], said["better"]) == (0, 1, True)
    assert said["mended"] == [[held, NUMBER]]
    other = next(name for name in SIGNED if name != held)
    own, others = (f"WC-2025-0{name[-1]}" for name in (held, other))
    shown = next(text for text in learner.systems if "# Examples" in text)
    assert others in shown
    assert own not in shown
    assert read_guide(tmp_path / "prompts", SCHEMA).fingerprint == "", (
        "nothing is in force before it is applied"
    )
    paid = claude.records.counters["answers"]
    assert command("tune", "workers_comp", "--store", store).exit_code == 0
    assert claude.records.counters["answers"] == paid, "the same proposal is not paid for twice"
    assert "WC-2025" not in done.output
    assert "$" in done.stderr


def test_a_measured_proposal_is_applied_and_undone_by_a_person(
    store: Path, tmp_path: Path, pupil: tuple[FakeAnthropic, Pupil]
) -> None:
    folder = tmp_path / "prompts"
    assert command("tune", "workers_comp", "--store", store).exit_code == 0
    done = command("tune", "workers_comp", "--apply", "--store", store, "--json")
    assert done.exit_code == 0, done.output
    guide = read_guide(folder, SCHEMA)
    assert json.loads(done.stdout)["examples"] == len(guide.examples) > 0
    assert tuned_path(folder, "workers_comp").stat().st_mode & 0o077 == 0
    assert command("tune", "workers_comp", "--apply", "--store", store).exit_code == 1, "applied once"
    assert command("tune", "workers_comp", "--undo", "--store", store).exit_code == 0
    assert read_guide(folder, SCHEMA).fingerprint == ""
    assert command("tune", "workers_comp", "--undo", "--store", store).exit_code == 1


def test_a_proposal_that_mends_nothing_is_not_applied_unless_a_person_says_anyway(
    store: Path, tmp_path: Path
) -> None:
    done = command("tune", "workers_comp", "--extractor", "rules", "--store", store, "--json")
    assert done.exit_code == 0, done.output
    said = json.loads(done.stdout.splitlines()[-1])
    assert said["right_before"] == said["right_after"] == said["fields"], "rules read no examples"
    refused = command("tune", "workers_comp", "--apply", "--store", store)
    assert refused.exit_code == 1
    assert "--anyway" in refused.stderr
    assert command("tune", "workers_comp", "--apply", "--anyway", "--store", store).exit_code == 0
    assert read_guide(tmp_path / "prompts", SCHEMA).examples


def test_an_erased_claim_leaves_the_tuned_examples(store: Path, tmp_path: Path) -> None:
    from citation_pipeline.adapters.erasure.files import forget_in_json

    folder = tmp_path / "prompts"
    assert command("tune", "workers_comp", "--extractor", "rules", "--store", store).exit_code == 0
    assert command("tune", "workers_comp", "--apply", "--anyway", "--store", store).exit_code == 0
    source = read_guide(folder, SCHEMA).examples[0].claim_id
    forget_in_json(folder, source, others=frozenset())
    assert source not in tuned_path(folder, "workers_comp").read_text()
    assert all(one.claim_id != source for one in read_guide(folder, SCHEMA).examples)


@pytest.mark.parametrize(
    "arguments",
    [
        ("workers_comp", "--apply", "--undo"),
        ("workers_comp", "--anyway"),
        ("workers_comp", "--apply", "--extractor", "rules"),
        ("auto",),
        ("no_such_schema",),
    ],
)
def test_options_that_say_nothing_together_are_refused(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    assert command("tune", *arguments, "--store", tmp_path / "store").exit_code == 2


def test_without_two_verified_claims_nothing_is_proposed(tmp_path: Path) -> None:
    (tmp_path / "store" / "claims").mkdir(parents=True)
    done = command("tune", "workers_comp", "--extractor", "rules", "--store", tmp_path / "store")
    assert done.exit_code == 1
    assert "two claims or more" in done.stderr


def verified(claim_id: str, snippet: str, value: str, *, corrected: bool = False) -> VerifiedField:
    return VerifiedField(claim_id, NUMBER, "string", value, snippet, "", claim_id * 8, corrected)


def test_corrected_values_come_first_and_labels_of_two_claims_become_hints() -> None:
    guide = propose(
        [
            verified("a", "Our file: A-1", "A-1"),
            verified("b", "Our file: B-2", "B-2", corrected=True),
            verified("c", "Garcia C-3", "C-3"),
        ],
        per_field=1,
    )
    assert [one.value for one in guide.examples] == ["B-2"]
    assert guide.hints == {NUMBER: ('printed behind "Our file"',)}
    assert propose([], per_field=1).fingerprint == ""


def test_the_same_claims_are_held_back_every_time_and_never_all_of_them() -> None:
    names = [f"claim-{number}" for number in range(10)]
    chosen, held = hold_out(names, share=0.3)
    assert (chosen, held) == hold_out(names[::-1], share=0.3)
    assert len(held) == 3
    assert sorted([*chosen, *held]) == names
    assert [len(part) for part in hold_out(["a", "b"], share=0.9)] == [1, 1]
