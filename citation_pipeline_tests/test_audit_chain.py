"""The audit chain: any change of what was decided is found, by the command line and without the database."""

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)

from citation_pipeline.adapters.verifications.database import default_url
from citation_pipeline.adapters.verifications.promotions import Decision, PromotionDecision, keep_decision
from citation_pipeline.adapters.verifications.signing import read_signer
from citation_pipeline.adapters.verifications.store import NewVerification, VerificationStore
from citation_pipeline.core.review.chain import digest_of
from citation_pipeline.core.review.verifications import Action
from citation_pipeline_tests.commands import command


def decide_thrice(folder: Path, *, key: Path | None = None, first: int = 1) -> None:
    store = VerificationStore(default_url(folder), signer=read_signer(key))
    for number in range(first, first + 3):
        store.append(
            NewVerification(
                f"claim-{number % 2}",
                f"field.{number}",
                Action.CORRECT,
                "Ada",
                0,
                f"request-{number}",
                value=f"value {number}",
            )
        )
    store.close()


def keys(folder: Path) -> tuple[Path, Path]:
    private, public = folder / "audit.pem", folder / "audit.pub.pem"
    key = Ed25519PrivateKey.generate()
    private.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    public.write_bytes(key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo))
    return private, public


def tamper(folder: Path, *statements: str) -> None:
    """What somebody with the database file can do: the triggers are theirs to drop."""
    connection = sqlite3.connect(folder / "verifications.sqlite")
    for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
        connection.execute(f"DROP TRIGGER {name}")
    for statement in statements:
        assert connection.execute(statement).rowcount > 0, statement
    connection.commit()
    connection.close()


def call(folder: Path, *arguments: str) -> Result:
    return command("audit", *arguments, "--store", str(folder))


def test_decisions_of_every_kind_are_linked_and_the_chain_is_intact(tmp_path: Path) -> None:
    decide_thrice(tmp_path)
    keep_decision(
        default_url(tmp_path), PromotionDecision("claim-1", "v", Decision.ACCEPT, "Ada", "looked at it")
    )

    result = call(tmp_path, "verify", "--json")

    told = json.loads(result.stdout)
    assert result.exit_code == 0
    assert (told["intact"], told["links"], told["events"], told["adopted"]) == (True, 4, 4, 0)


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("UPDATE verifications SET value = '\"other\"' WHERE verification_id = 2", "event was changed"),
        ("UPDATE verifications SET reviewer = 'Eve' WHERE verification_id = 1", "event was changed"),
        (
            "UPDATE verifications SET made_at = '2020-01-01T00:00:00+00:00' WHERE verification_id = 3",
            "changed",
        ),
        ("DELETE FROM verifications WHERE verification_id = 2", "event is gone"),
        ("DELETE FROM audit_chain WHERE link_id = 2", "does not follow"),
        ("UPDATE audit_chain SET nonce = '' WHERE link_id = 2", "event was changed"),
        ("UPDATE audit_chain SET linked_at = 'x' WHERE link_id = 2", "link was changed"),
        (
            "INSERT INTO verifications SELECT 99, claim_id, 'field.9', action, 'Eve', made_at, value, "
            "seen_value, places, comment, 0, 'forged-request', NULL, NULL FROM verifications "
            "WHERE verification_id = 1",
            "verifications 99 has no link",
        ),
    ],
)
def test_whatever_is_changed_in_the_database_is_found_and_named(
    tmp_path: Path, statement: str, said: str
) -> None:
    decide_thrice(tmp_path)
    tamper(tmp_path, statement)

    result = call(tmp_path, "verify")

    assert result.exit_code == 1
    assert said in result.stderr
    assert "NOT INTACT" in result.stdout


def test_links_that_were_cut_off_at_the_end_are_found_by_an_earlier_export_and_by_the_head(
    tmp_path: Path,
) -> None:
    decide_thrice(tmp_path)
    earlier = tmp_path / "earlier.json"
    assert call(tmp_path, "export", "--out", str(earlier)).exit_code == 0
    head = json.loads(earlier.read_text())["head"]
    tamper(
        tmp_path,
        "DELETE FROM audit_chain WHERE link_id = 3",
        "DELETE FROM verifications WHERE verification_id = 3",
        "DELETE FROM sqlite_sequence WHERE name = 'audit_chain'",
    )

    assert call(tmp_path, "verify").exit_code == 0  # by itself it cannot know
    assert "1 links of the earlier export" in call(tmp_path, "verify", "--against", str(earlier)).stderr
    assert call(tmp_path, "verify", "--head", head).exit_code == 1


@pytest.mark.parametrize("kept", [0, 2])
def test_decisions_that_were_deleted_with_their_links_are_missed_by_their_numbers(
    tmp_path: Path, kept: int
) -> None:
    decide_thrice(tmp_path)
    tamper(
        tmp_path,
        f"DELETE FROM audit_chain WHERE link_id > {kept}",
        f"DELETE FROM verifications WHERE verification_id > {kept}",
    )

    told = call(tmp_path, "verify")

    assert (told.exit_code, f"links {kept + 1} to 3 are gone" in told.stderr) == (1, True)


def test_signed_links_hold_only_by_the_key_that_is_trusted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    private, public = keys(tmp_path)
    decide_thrice(tmp_path, key=private)

    result = call(tmp_path, "verify", "--public-key", str(public))
    assert (result.exit_code, "3 signatures checked" in result.stdout) == (0, True)
    assert "not checked" in call(tmp_path, "verify").stdout
    monkeypatch.setenv("CITATION_PIPELINE_AUDIT_KEY", str(private))
    assert "3 signatures checked" in call(tmp_path, "verify").stdout
    (tmp_path / "eve").mkdir()
    _, other = keys(tmp_path / "eve")
    assert call(tmp_path, "verify", "--public-key", str(other)).exit_code == 1  # though the own key fits
    monkeypatch.delenv("CITATION_PIPELINE_AUDIT_KEY")
    assert call(tmp_path, "verify", "--public-key", str(other)).exit_code == 1
    decide_thrice(tmp_path, first=7)  # without the key
    assert "is not signed, though earlier ones are" in call(tmp_path, "verify").stderr


def test_an_export_is_checked_without_the_database_and_holds_of_other_claims_only_links(
    tmp_path: Path,
) -> None:
    decide_thrice(tmp_path)
    file = tmp_path / "claim.json"
    call(tmp_path, "export", "--claim", "claim-1", "--out", str(file))

    empty = tmp_path / "elsewhere"
    result = call(empty, "verify", "--file", str(file), "--json")
    told = json.loads(result.stdout)
    assert (told["intact"], told["events"], told["other_claims"]) == (True, 2, 1)
    assert "value 2" not in file.read_text()
    assert "What it does not show" in file.read_text()

    file.write_text(file.read_text().replace("value 3", "value 4"))
    assert call(empty, "verify", "--file", str(file)).exit_code == 1
    assert not (empty / "verifications.sqlite").exists()


def exported(folder: Path, *arguments: str) -> tuple[Path, dict[str, Any]]:
    file = folder / "export.json"
    assert call(folder, "export", *arguments, "--out", str(file)).exit_code == 0
    return file, json.loads(file.read_text())


def hide(kept: dict[str, Any], number: int) -> None:
    """Make a link look as if its event were another claim's: nothing but the nonce tells them apart."""
    kept["links"][number] |= {"event": None, "is_foreign": True, "nonce": ""}


def test_with_the_key_a_chain_that_somebody_made_anew_without_signatures_is_refused(tmp_path: Path) -> None:
    private, public = keys(tmp_path)
    decide_thrice(tmp_path, key=private)
    tamper(tmp_path, "UPDATE audit_chain SET signature = '', key_id = ''")

    result = call(tmp_path, "verify", "--public-key", str(public))

    assert (result.exit_code, "no link is signed" in result.stderr) == (1, True)


def test_an_export_of_everything_leaves_no_event_out(tmp_path: Path) -> None:
    decide_thrice(tmp_path)
    file, kept = exported(tmp_path)
    hide(kept, 1)
    file.write_text(json.dumps(kept))

    result = call(tmp_path, "verify", "--file", str(file))

    assert (result.exit_code, "left out of an export of all claims" in result.stderr) == (1, True)
    file.write_text(json.dumps({**kept, "claim_id": "claim-0"}))  # an excerpt leaves out others' events alone
    assert "is of another claim than the export" in call(tmp_path, "verify", "--file", str(file)).stderr


def test_a_decision_that_another_one_follows_cannot_be_hidden_in_a_claims_excerpt(tmp_path: Path) -> None:
    store = VerificationStore(default_url(tmp_path))
    last = 0
    for number, value in enumerate(("right", "wrong", "last")):
        made = NewVerification(
            "claim-1", "field.1", Action.CORRECT, "Ada", last, f"request-{number}", value=value
        )
        last = store.append(made).verification_id
    store.close()
    file, kept = exported(tmp_path, "--claim", "claim-1")
    assert call(tmp_path, "verify", "--file", str(file)).exit_code == 0
    hide(kept, 1)
    file.write_text(json.dumps(kept))

    result = call(tmp_path, "verify", "--file", str(file))

    assert (result.exit_code, "which is not in the export" in result.stderr) == (1, True)


def test_a_sealed_excerpt_is_refused_once_anything_in_it_was_hidden_or_its_seal_taken_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    private, public = keys(tmp_path)
    decide_thrice(tmp_path, key=private)
    monkeypatch.setenv("CITATION_PIPELINE_AUDIT_KEY", str(private))
    file, kept = exported(tmp_path, "--claim", "claim-1")
    monkeypatch.delenv("CITATION_PIPELINE_AUDIT_KEY")
    verify = ("verify", "--file", str(file), "--public-key", str(public))
    assert call(tmp_path, *verify).exit_code == 0
    file.write_text(json.dumps(kept))  # another layout of the same content
    assert call(tmp_path, *verify).exit_code == 0

    hide(kept, 2)
    file.write_text(json.dumps(kept))
    assert "its seal does not hold" in call(tmp_path, *verify).stderr
    file.write_text(json.dumps({**kept, "seal": None}))
    result = call(tmp_path, *verify)
    assert (result.exit_code, "is not sealed" in result.stderr) == (1, True)
    del kept["links"][2]
    file.write_text(json.dumps({**kept, "seal": {"signature": "00" * 64, "key_id": "0" * 16}}))
    assert call(tmp_path, *verify).exit_code == 1


def test_an_event_that_is_played_twice_in_an_export_is_named(tmp_path: Path) -> None:
    decide_thrice(tmp_path)
    file, kept = exported(tmp_path)
    last = kept["links"][-1]
    again = {**last, "previous": last["digest"], "event_id": last["event_id"]}
    again["digest"] = digest_of(
        kind=again["kind"],
        event_id=again["event_id"],
        linked_at=again["linked_at"],
        commitment=again["commitment"],
        previous=again["previous"],
    )
    kept["links"].append(again)
    file.write_text(json.dumps(kept))

    assert "another link names the same event" in call(tmp_path, "verify", "--file", str(file)).stderr


@pytest.mark.parametrize("how", ["reordered", "front cut off", "middle cut out", "one link twice"])
def test_links_of_an_export_that_were_moved_or_removed_are_found(tmp_path: Path, how: str) -> None:
    decide_thrice(tmp_path)
    file, kept = exported(tmp_path)
    links = kept["links"]
    kept["links"] = {
        "reordered": [links[1], links[0], links[2]],
        "front cut off": links[1:],
        "middle cut out": [links[0], links[2]],
        "one link twice": [*links, links[2]],
    }[how]
    file.write_text(json.dumps(kept))

    result = call(tmp_path, "verify", "--file", str(file))

    assert (result.exit_code, "does not follow the link before it" in result.stderr) == (1, True)


def test_a_database_of_an_earlier_version_gets_a_chain_that_says_what_it_adopted(tmp_path: Path) -> None:
    decide_thrice(tmp_path)
    connection = sqlite3.connect(tmp_path / "verifications.sqlite")
    connection.executescript("DROP TABLE audit_chain; DROP TABLE erasures;")
    connection.close()

    decide_thrice(tmp_path, first=4)

    result = call(tmp_path, "verify", "--json")
    told = json.loads(result.stdout)
    assert (told["intact"], told["links"], told["adopted"]) == (True, 6, 3)
    assert "3 adopted" in call(tmp_path, "verify").stdout
    tamper(tmp_path, "UPDATE verifications SET comment = 'x' WHERE verification_id = 1")
    assert call(tmp_path, "verify").exit_code == 1


def test_a_chain_that_was_taken_away_is_not_made_anew(tmp_path: Path) -> None:
    decide_thrice(tmp_path)
    connection = sqlite3.connect(tmp_path / "verifications.sqlite")
    connection.executescript("DROP TABLE audit_chain; DROP TRIGGER verifications_keep_update;")
    connection.execute("UPDATE verifications SET reviewer = 'Eve'")
    connection.commit()
    connection.close()

    result = call(tmp_path, "verify")

    assert (result.exit_code, "restore it from a backup" in result.stderr) == (1, True)


def test_a_key_that_is_none_is_refused_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "no.pem").write_text("nothing")
    monkeypatch.setenv("CITATION_PIPELINE_AUDIT_KEY", str(tmp_path / "no.pem"))
    result = call(tmp_path, "verify")
    assert (result.exit_code, "openssl genpkey" in result.stderr) == (1, True)


def test_a_chain_without_decisions_is_not_called_intact_and_makes_no_file(tmp_path: Path) -> None:
    (tmp_path / "claims").mkdir()
    told = call(tmp_path, "verify")
    assert (told.exit_code, told.stdout.startswith("NOTHING TO CHECK")) == (0, True)
    assert list(tmp_path.iterdir()) == [tmp_path / "claims"]


def test_reviews_that_are_not_there_are_a_failure_and_no_intact_chain(tmp_path: Path) -> None:
    told = call(tmp_path / "mistyped", "verify")
    assert (told.exit_code, told.stdout) == (1, "")
    assert "no store is here" in told.stderr
