"""Whatever is sent to the API, it answers; it never breaks (no 5xx)."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis import openapi
from schemathesis.specs.openapi.checks import positive_data_acceptance
from starlette.testclient import TestClient

from citation_pipeline.serving.app import create_app
from citation_pipeline.serving.settings import ServingSettings
from citation_pipeline_tests.properties import few_examples
from citation_pipeline_tests.viewer_claim.serving import INTENT, client_of, running
from citation_pipeline_tests.viewer_claim.store import CLAIM_ID, build_store

# the OpenAPI is the same for every store; only the requests of a test go to a real one
SCHEMA = openapi.from_dict(create_app(ServingSettings("unused", render_workers=0)).openapi())
LEAN = settings(
    few_examples(0.03),
    suppress_health_check=list(HealthCheck),
    phases=[Phase.explicit, Phase.generate],
)
FIELDS = ["claimant.name", "financials.td_paid", "mmi_status.mmi_date", "nothing"]


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    store = build_store(tmp_path_factory.mktemp("fuzz"))
    with running(ServingSettings(str(store.root), render_workers=1)) as address:
        yield address


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    store = build_store(tmp_path_factory.mktemp("fuzz"))
    with client_of(ServingSettings(str(store.root), render_workers=1)) as client:
        yield client


@SCHEMA.parametrize()
@LEAN
def test_no_request_breaks_the_server(case, address: str) -> None:
    for name, value in {"claim_id": CLAIM_ID, "source_id": "adjuster-letter"}.items():
        if name in case.path_parameters and len(str(case.path_parameters[name])) % 2:
            case.path_parameters[name] = value  # half of the requests reach a claim
    answer = case.call(base_url=address, headers=INTENT)
    assert answer.status_code < 500 or answer.status_code == 503, answer.text
    if answer.status_code != 503:
        # a schema cannot say which conditions the grammar takes, nor that two sides of a box fit the page
        case.validate_response(answer, excluded_checks=[positive_data_acceptance])


def test_every_route_describes_its_answer_and_how_to_sign_in() -> None:
    described = SCHEMA.raw_schema
    assert set(described["components"]["securitySchemes"]) == {"bearer", "session"}
    for path, operations in described["paths"].items():
        for method, operation in operations.items():
            answers = [operation["responses"].get(code) for code in ("200", "201", "204")]
            given = next(answer for answer in answers if answer is not None)
            for content in given.get("content", {}).values():
                assert content.get("schema", {"binary": True}), f"{method} {path} has no described answer"
            assert {"401", "404", "422"} <= set(operation["responses"]), f"{method} {path}"


texts = st.text(max_size=60) | st.sampled_from(
    ["<script>", "\u202e", "\x00", "../" * 20, "\ud800", "9" * 400]
)


@LEAN
@given(
    field=st.sampled_from(FIELDS) | texts,
    action=st.sampled_from(["confirm", "correct", "repin", "absent", "comment", "reopen"]),
    value=st.none() | texts,
    comment=texts,
    index=st.integers(0, 3),
    words=st.none()
    | st.fixed_dictionaries(
        {
            "sourceId": st.sampled_from(["adjuster-letter", "locked"]) | texts,
            "page": st.integers(1, 4),
            "wordStart": st.integers(0, 40),
            "wordEnd": st.integers(1, 60),
        }
    ),
)
def test_no_decision_breaks_the_server_or_the_claim(
    client: TestClient, field, action, value, comment, index, words
) -> None:
    claim = client.get(f"/api/claims/{CLAIM_ID}").json()
    fields = {f["fieldKey"]: f for f in (*claim["fields"], *claim["absentFields"], *claim["unreadFields"])}
    known = {key: f["review"]["lastId"] for key, f in fields.items()}
    decision = {
        "fieldKey": field,
        "action": action,
        "seenId": known.get(field, 0),
        "seenDigest": fields[field]["seenDigest"] if field in fields else "",
        "seenCitations": [index],
        "requestId": f"fuzz-{len(client.get(f'/api/claims/{CLAIM_ID}/verifications').json()['events']):08}",
        "value": value,
        "comment": comment,
        "citationIndex": index,
        "words": words,
    }
    answer = client.post(
        f"/api/claims/{CLAIM_ID}/verifications",
        content=json.dumps(decision).encode("utf-8"),
        headers={"Content-Type": "application/json"},
    )
    assert answer.status_code < 500, answer.text
    assert client.get(f"/api/claims/{CLAIM_ID}").status_code == 200


def test_a_store_that_is_not_there_is_an_empty_list(tmp_path: Path) -> None:
    with client_of(ServingSettings(str(tmp_path / "none"), render_workers=1)) as client:
        assert client.get("/api/claims").json()["claims"] == []
        assert client.get("/api/claims/some").status_code == 404
