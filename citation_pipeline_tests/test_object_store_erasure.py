"""`erase` and retention over object storage: no object or copy holds the claim, others are whole."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import boto3
import pytest
from click.testing import Result

from citation_pipeline.adapters.deployment.deployment import read_deployment
from citation_pipeline.adapters.read_model.model import ReadModel
from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.adapters.tables.stored_files import Copies
from citation_pipeline.adapters.verifications.database import default_url
from citation_pipeline.adapters.verifications.store import VerificationStore
from citation_pipeline.adapters.warehouse.places import warehouse_file
from citation_pipeline.adapters.warehouse.publishing import open_warehouse
from citation_pipeline.defs.runs.retention import ClaimState, claims_untouched_for
from citation_pipeline_tests.commands import command
from citation_pipeline_tests.object_servers import BUCKET, CREDENTIALS, s3_server, url_of
from citation_pipeline_tests.test_erasure import contents

GONE, KEPT = "Gone-0417", "Gone-04"  # one id begins with the other
PLANTED = ("Quillfeather Zandra", "QX-7741-ZULU", "Zanzibar-Note")


@pytest.fixture(scope="module")
def erased(
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[tuple[ClaimStore, ReadModel, Path, Result, str]]:
    """A store of two claims of which one was erased, as another host's viewer had copied both."""
    root = tmp_path_factory.mktemp("erasure")
    with s3_server() as endpoint, pytest.MonkeyPatch.context() as patch:
        for name, value in CREDENTIALS.items():
            patch.setenv(name, value)
        patch.setenv("CITATION_PIPELINE_WORK_DIR", str(root / "work"))
        url = url_of(endpoint, "store")
        for claim_id, name, number in (
            (GONE, PLANTED[0], PLANTED[1]),
            (KEPT, "Other Person", "KK-1122-KEPT"),
        ):
            folder = root / "in" / claim_id
            folder.mkdir(parents=True)
            (folder / f"{PLANTED[2] if claim_id == GONE else 'note'}.txt").write_text(
                f"Claimant: {name}\nClaim number: {number}\nDate of injury: 03/14/2023\n"
            )
            assert command("run", str(folder), "--store", url).exit_code == 0
        assert command("search", PLANTED[1], "--store", url).exit_code == 0  # fills the index
        other = ClaimStore(url, copies=Copies(root / "other"))
        other.write_json({GONE: ["2026-11-21"], KEPT: ["2026-11-21"]}, "nights", "waits.json")
        model = ReadModel(other, VerificationStore(default_url(root / "other")), refresh_seconds=0)
        model.refresh()
        for claim_id in (GONE, KEPT):
            other.read_rows("words", claim_id)
        warehouse_file(other)
        result = command("erase", GONE, "--store", url, "--json", "--by", "Root")
        yield other, model, root, result, endpoint


def test_no_object_and_no_file_of_the_erasing_host_holds_the_claim(
    erased: tuple[ClaimStore, ReadModel, Path, Result, str],
) -> None:
    store, _, root, result, endpoint = erased
    told = json.loads(result.stdout)
    assert (result.exit_code, told["status"], told["remains"]) == (0, "erased", []), result.stderr
    # fetched by other means than the command's own search
    client = boto3.client("s3", endpoint_url=endpoint, region_name="us-east-1")
    keys = [found["Key"] for found in client.list_objects_v2(Bucket=BUCKET)["Contents"]]
    assert len(keys) > 20
    (root / "fetched").mkdir()
    files = [path for path in (root / "work").rglob("*") if path.is_file()]
    for number, key in enumerate(keys):
        assert GONE not in key
        path = root / "fetched" / f"{number}-{key.rpartition('/')[2]}"
        path.write_bytes(client.get_object(Bucket=BUCKET, Key=key)["Body"].read())
        files.append(path)
    for path in files:
        text = contents(path)
        for planted in (*PLANTED, GONE):
            assert planted not in text, path


def test_the_other_claim_is_whole_and_its_lists_keep_it(
    erased: tuple[ClaimStore, ReadModel, Path, Result, str],
) -> None:
    store, *_ = erased
    assert store.claim_ids() == [KEPT]
    assert store.read_viewer_dataset(KEPT)["claimId"] == KEPT
    assert json.loads(store.read_bytes("nights", "waits.json")) == {KEPT: ["2026-11-21"]}
    assert len(store.place.files("originals")) == 1
    with open_warehouse(warehouse_file(store)) as opened:
        assert opened.execute("SELECT claim_id FROM claims").fetchall() == [(KEPT,)]


def test_copies_of_another_host_are_gone_with_its_next_look(
    erased: tuple[ClaimStore, ReadModel, Path, Result, str],
) -> None:
    store, model, root, _, _ = erased
    model.refresh()
    warehouse_file(store)
    files = [path for path in (root / "other").rglob("*") if path.is_file()]
    assert any("words" in str(path) for path in files)
    for path in files:
        text = contents(path)
        assert GONE not in str(path)
        for planted in (*PLANTED, GONE):
            assert planted not in text, path


def test_claims_that_nothing_happened_to_are_found_by_the_time_of_their_objects(
    erased: tuple[ClaimStore, ReadModel, Path, Result, str],
) -> None:
    store, *_ = erased
    deployment = read_deployment(store.root)
    later = datetime.now(UTC) + timedelta(days=31)
    assert claims_untouched_for(deployment, days=30, state=ClaimState.UNFINISHED, now=later) == [KEPT]
    assert claims_untouched_for(deployment, days=32, state=ClaimState.ANY, now=later) == []
    assert claims_untouched_for(deployment, days=30, state=ClaimState.REVIEWED, now=later) == []
