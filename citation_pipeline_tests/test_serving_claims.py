"""The API over one finished claim: pages, words, finding, reviewing; and what it refuses."""

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from starlette.testclient import TestClient

from benchmarks.viewer import make_claim
from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.adapters.tables.page_words import read_words
from citation_pipeline.serving.settings import ServingSettings
from citation_pipeline_tests.viewer_claim import papers
from citation_pipeline_tests.viewer_claim.serving import client_of, decide
from citation_pipeline_tests.viewer_claim.store import (
    CLAIM_ID,
    answers,
    build_store,
    documents,
    write_dataset,
)

PATH = f"/api/claims/{CLAIM_ID}"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    build_store(tmp_path)
    return tmp_path


@pytest.fixture
def client(root: Path) -> Iterator[TestClient]:
    with client_of(ServingSettings(str(root / "store"), render_workers=1)) as client:
        yield client


@pytest.mark.parametrize(
    ("source_id", "drawn"),
    [("adjuster-letter", papers.letter), ("payment-ledger", papers.ledger), ("employer-fax", papers.fax)],
)
def test_ink_lies_inside_the_words_boxes_on_text_rotated_and_scanned_pages(
    client: TestClient, source_id: str, drawn
) -> None:
    answer = client.get(f"{PATH}/sources/{source_id}/pages/1/image?w=1190")
    pixels = np.asarray(Image.open(io.BytesIO(answer.content)).convert("L"))
    height, width = pixels.shape
    page = drawn()[1][0]
    assert abs(width / height - page.width / page.height) < 0.01
    outside = pixels < 128
    for line in page.lines:
        for word in line:
            box = word.box
            area = np.s_[
                int(box.top * height) - 1 : int(box.bottom * height) + 3,
                int(box.left * width) - 1 : int(box.right * width) + 2,
            ]
            assert (pixels[area] < 128).any(), word.text
            outside[area] = False
    assert not outside.any()


def test_words_come_in_reading_order_with_boxes(client: TestClient) -> None:
    words = client.get(f"{PATH}/sources/adjuster-letter/pages/2/words").json()["words"]
    assert [word[1] for word in words[:5]] == ["Page", "two", "of", "the", "letter"]
    assert [word[0] for word in words] == list(range(words[0][0], words[0][0] + len(words)))


def test_finding_lights_the_words_on_every_page_and_completes_the_last(client: TestClient) -> None:
    found = client.post(
        f"{PATH}/find", json={"sourceId": "adjuster-letter", "text": "claim NUMBER: hf-20"}
    ).json()
    assert [hit["page"] for hit in found["hits"]] == [1, 2]


def test_an_unchanged_claim_is_not_sent_twice_and_a_review_changes_it(client: TestClient) -> None:
    etag = client.get(PATH).headers["etag"]
    assert client.get(PATH, headers={"If-None-Match": etag}).status_code == 304
    decide(client, CLAIM_ID, "claimant.name", "confirm")
    assert client.get(PATH, headers={"If-None-Match": etag}).status_code == 200


def test_a_correction_is_read_as_the_fields_type(client: TestClient) -> None:
    field = decide(client, CLAIM_ID, "financials.td_paid", "correct", value="$12,804.12").json()["field"]
    assert (field["rawValue"], field["provenance"]) == (12804.12, "user-provided")
    refused = decide(client, CLAIM_ID, "metadata.date_of_injury", "correct", value="soon")
    assert (refused.status_code, refused.json()["error"]["code"]) == (422, "wrong_form")
    given = decide(client, CLAIM_ID, "metadata.claim_status", "correct", value="Reopened")
    assert given.json()["field"]["value"] == "reopened"


def test_confirming_a_corrected_field_signs_for_the_persons_value(client: TestClient) -> None:
    decide(client, CLAIM_ID, "financials.td_paid", "correct", value="12804.12")
    field = decide(client, CLAIM_ID, "financials.td_paid", "confirm").json()["field"]
    assert (field["value"], field["review"]["state"]) == ("12804.12", "corrected")
    taken = decide(client, CLAIM_ID, "financials.td_paid", "confirm", acceptPipeline=True).json()["field"]
    assert (taken["value"], taken["provenance"]) == ("12840.12", "extracted")


def test_a_pin_is_made_of_the_pages_own_words_whatever_the_client_says(client: TestClient) -> None:
    words = client.get(f"{PATH}/sources/adjuster-letter/pages/2/words").json()["words"]
    first = next(word[0] for word in words if word[1] == "Amelia")
    pin = {"sourceId": "adjuster-letter", "page": 2, "wordStart": first, "wordEnd": first + 3}
    field = decide(client, CLAIM_ID, "mmi_status.treating_physician", "repin", words=pin).json()["field"]
    (citation,) = field["citations"]
    assert (citation["snippet"], citation["pinned"]) == ("Amelia Prado, M.D.", True)
    assert field["unresolvedCitations"] == []
    for wrong in (
        {**pin, "wordEnd": first},
        {**pin, "page": 1},
        {**pin, "sourceId": "../../etc"},
        {**pin, "wordStart": 0, "wordEnd": 2_000_000_000, "page": 3},
    ):
        refused = decide(client, CLAIM_ID, "mmi_status.treating_physician", "repin", words=wrong)
        assert refused.status_code in (404, 422)


def test_a_pin_of_words_that_were_read_otherwise_meanwhile_is_refused(client: TestClient) -> None:
    words = client.get(f"{PATH}/sources/adjuster-letter/pages/2/words").json()["words"]
    first = next(word[0] for word in words if word[1] == "Amelia")
    pin = {"sourceId": "adjuster-letter", "page": 2, "wordStart": first, "wordEnd": first + 2}
    key = "mmi_status.treating_physician"
    refused = decide(client, CLAIM_ID, key, "repin", words={**pin, "text": "Amelia Pardo,"})
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "words_changed")
    assert decide(client, CLAIM_ID, key, "repin", words={**pin, "text": "Amelia Prado,"}).status_code == 201


@pytest.mark.parametrize("alter", [{"warnings": ["digits_differ"]}, {"itemPath": "[3].amount"}])
def test_a_warning_or_another_cell_that_came_after_the_value_was_shown_makes_it_another(
    client: TestClient, root: Path, alter: dict[str, Any]
) -> None:
    before = _field(client, "claimant.name")
    store = ClaimStore(root / "store")
    dataset = store.read_viewer_dataset(CLAIM_ID)
    next(f for f in dataset["fields"] if f["fieldKey"] == "claimant.name")["citations"][0] |= alter
    store.write_viewer_dataset(CLAIM_ID, dataset, inputs={})
    answer = decide(client, CLAIM_ID, "claimant.name", "confirm", seenDigest=before["seenDigest"])
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "changed_meanwhile")


def test_a_review_survives_another_run_and_a_disagreement_is_listed(root: Path) -> None:
    with client_of(ServingSettings(str(root / "store"), render_workers=1)) as client:
        decide(client, CLAIM_ID, "claimant.name", "confirm")
        read = documents(root / "folders" / CLAIM_ID)
        fields, citations = answers(read)
        changed = [f for f in fields if f.field_key != "claimant.name"]
        changed.append(_with_value(fields, "claimant.name", "Marisol Quintana"))
        write_dataset(client.app.state.store, read, changed, citations)
        field = _field(client, "claimant.name")
        assert field["value"] == "Marisol Quintanar"
        assert field["conflicts"][0]["pipeline"] == "Marisol Quintana"
        assert client.get(f"{PATH}/queue").json()["queue"][0]["fieldKey"] == "claimant.name"
        kept = decide(client, CLAIM_ID, "claimant.name", "confirm").json()["field"]
        assert (kept["conflicts"], kept["value"]) == ([], "Marisol Quintanar")


def _with_value(fields, key: str, value: str):
    found = next(field for field in fields if field.field_key == key)
    return type(found)(key, value, found.value_type, (), found.confidence, found.provenance)


def _field(client: TestClient, key: str):
    return next(field for field in client.get(PATH).json()["fields"] if field["fieldKey"] == key)


def test_the_riskiest_fields_come_first(client: TestClient) -> None:
    queue = client.get(f"{PATH}/queue").json()["queue"]
    assert queue[0]["risk"]["reasons"][:2] == ["flagged", "low_confidence"]
    assert queue[1]["fieldKey"] == "mmi_status.treating_physician"


def test_a_decision_on_something_that_changed_meanwhile_is_refused(client: TestClient) -> None:
    decide(client, CLAIM_ID, "claimant.name", "confirm")
    late = {"fieldKey": "claimant.name", "action": "absent", "seenId": 0, "requestId": "request-late"}
    answer = client.post(f"{PATH}/verifications", json=late)
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "decided_meanwhile")


def test_a_decision_is_of_the_value_and_places_that_were_on_the_screen(
    client: TestClient, root: Path
) -> None:
    before = _field(client, "claimant.date_of_birth")
    store = ClaimStore(root / "store")
    dataset = store.read_viewer_dataset(CLAIM_ID)
    changed = next(f for f in dataset["fields"] if f["fieldKey"] == "claimant.date_of_birth")
    changed["value"] = changed["rawValue"] = "another day"
    store.write_viewer_dataset(CLAIM_ID, dataset, inputs={})

    answer = decide(client, CLAIM_ID, "claimant.date_of_birth", "confirm", seenDigest=before["seenDigest"])

    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "changed_meanwhile")
    assert answer.json()["current"]["value"] == "another day"
    assert client.get(f"{PATH}/verifications").json()["events"] == []


def test_a_verdict_that_does_not_say_what_was_seen_is_refused(client: TestClient) -> None:
    blind = decide(client, CLAIM_ID, "claimant.name", "confirm", seenDigest="")
    unseen = decide(client, CLAIM_ID, "claimant.name", "confirm", seenCitations=[])
    assert (blind.status_code, blind.json()["error"]["code"]) == (422, "no_seen_digest")
    assert (unseen.status_code, unseen.json()["error"]["code"]) == (422, "nothing_seen")


def test_only_the_places_that_were_on_the_screen_are_signed(client: TestClient, root: Path) -> None:
    store = ClaimStore(root / "store")
    dataset = store.read_viewer_dataset(CLAIM_ID)
    cited = next(f for f in dataset["fields"] if f["fieldKey"] == "claimant.name")
    cited["citations"].append({**cited["citations"][0], "citationIndex": 1})
    store.write_viewer_dataset(CLAIM_ID, dataset, inputs={})

    answer = decide(client, CLAIM_ID, "claimant.name", "confirm", seenCitations=[1])

    assert answer.status_code == 201
    assert [bool(c.get("pinned")) for c in answer.json()["field"]["citations"]] == [False, True]


def test_a_decision_that_is_sent_twice_is_kept_once(client: TestClient) -> None:
    before = _field(client, "claimant.name")
    seen = {
        "seenDigest": before["seenDigest"],
        "seenId": before["review"]["lastId"],
        "requestId": "twice-twice",
    }
    codes = [decide(client, CLAIM_ID, "claimant.name", "confirm", **seen).status_code for _ in range(2)]
    after = _field(client, "claimant.name")
    assert codes == [201, 201]
    assert after["review"]["events"] == before["review"]["events"] + 1


@pytest.mark.parametrize(
    "path",
    [
        "/api/claims/..%2f..%2fetc",
        "/api/claims/.hidden",
        "/api/claims/nobody",
        f"{PATH}/sources/..%2F..%2Fclaims/pages/1/image",
        f"{PATH}/sources/adjuster-letter/pages/3/image",
        f"{PATH}/sources/adjuster-letter/pages/0/image",
        f"{PATH}/sources/locked/pages/1/image",
        f"{PATH}/sources/nothing/original",
        "/static/..%2fapp.py",
        "/static/%2e%2e/settings.py",
    ],
)
def test_what_is_not_of_a_claim_is_not_found_and_says_so_in_one_shape(client: TestClient, path: str) -> None:
    answer = client.get(path)
    assert answer.status_code == 404
    assert set(answer.json()["error"]) == {"code", "message", "remedy"}


def test_an_original_that_changed_or_moved_out_of_the_folder_is_not_given(
    client: TestClient, root: Path
) -> None:
    folder = root / "folders" / CLAIM_ID
    (folder / "ledger.pdf").write_bytes((folder / "Adjuster Letter.pdf").read_bytes())
    outside = root / "outside.pdf"
    outside.write_bytes((folder / "scan0041.pdf").read_bytes())
    (folder / "scan0041.pdf").unlink()
    (folder / "scan0041.pdf").symlink_to(outside)
    for source_id, code in (("payment-ledger", "original_changed"), ("employer-fax", "original_missing")):
        for path in ("original", "pages/1/image"):
            answer = client.get(f"{PATH}/sources/{source_id}/{path}")
            assert (answer.status_code, answer.json()["error"]["code"]) == (410, code)


def test_an_original_is_a_download_and_never_a_page_of_this_site(client: TestClient) -> None:
    answer = client.get(f"{PATH}/sources/hostile/original")
    assert answer.headers["content-disposition"].startswith("attachment;")
    assert "<" not in answer.headers["content-disposition"]
    assert answer.headers["content-type"] == "application/octet-stream"


def test_bodies_without_measure_are_refused(client: TestClient) -> None:
    answer = client.post(f"{PATH}/find", content=b"x" * 3_000_000)
    assert (answer.status_code, answer.json()["error"]["code"]) == (413, "too_large")
    long = decide(client, CLAIM_ID, "claimant.name", "correct", value="x" * 1_000_000)
    assert long.status_code == 422


def test_drawing_is_limited_per_person_and_cached_pages_are_not(root: Path) -> None:
    settings = ServingSettings(str(root / "store"), renders_per_second=0.001, render_burst=2)
    with client_of(settings) as client:
        image = f"{PATH}/sources/adjuster-letter/pages/1/image?w="
        assert [client.get(image + width).status_code for width in ("480", "800", "1600")] == [200, 200, 429]
        assert client.get(image + "480").status_code == 200


@pytest.mark.parametrize(
    ("accepted", "is_packed"),
    [
        ("gzip", True),
        ("br, gzip;q=0.5", True),
        ("*", True),
        ("identity", False),
        ("gzip;q=0", False),
        ("", False),
    ],
)
@pytest.mark.parametrize("path", [f"/api/claims/{CLAIM_ID}", "/static/js/main.js"])
def test_what_a_caller_does_not_unpack_is_not_packed(
    client: TestClient, path: str, accepted: str, is_packed: bool
) -> None:
    answer = client.get(path, headers={"Accept-Encoding": accepted})
    assert (answer.headers.get("content-encoding") == "gzip") is is_packed
    assert answer.text == client.get(path).text


def test_of_a_long_document_each_page_has_its_own_words(tmp_path: Path) -> None:
    make_claim(tmp_path, "long", documents=1, pages=70, field_count=12)
    store = ClaimStore(tmp_path / "store")
    whole = read_words(store, "long", source_id="document-000")
    with client_of(ServingSettings(store.root, render_workers=0)) as client:
        for page in (1, 16, 17, 33, 70):
            answer = client.get(f"/api/claims/long/sources/document-000/pages/{page}/words")
            expected = [(word.word_id, word.text, word.line) for word in whole if word.page == page]
            assert len(expected) > 50
            assert [(row[0], row[1], row[6]) for row in answer.json()["words"]] == expected
        assert client.get("/api/claims/long/sources/document-000/pages/71/words").status_code == 404


def test_a_claim_whose_dataset_is_damaged_is_listed_as_such_and_hides_no_other(
    client: TestClient, root: Path
) -> None:
    store = root / "store"
    (store / "claims" / "spoilt.json").write_bytes((store / "claims" / f"{CLAIM_ID}.json").read_bytes())
    (store / "viewer_dataset" / "spoilt").mkdir()
    (store / "viewer_dataset" / "spoilt" / "data.json").write_bytes(b"{ no dataset")

    answer = client.get("/api/claims")

    states = {line["claimId"]: line["state"] for line in answer.json()["claims"]}
    assert (answer.status_code, states["spoilt"], states[CLAIM_ID]) == (200, "damaged", "ready")
