"""The loopback Reducto keeps the contract: what is proven against it holds for more than our own client."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import httpx
import pytest

from citation_pipeline_tests.fake_reducto.desk import KEY
from citation_pipeline_tests.fake_reducto.drawn_documents import draw
from citation_pipeline_tests.fake_reducto.faults import FaultSpecError
from citation_pipeline_tests.fake_reducto.process import FakeReductoHandle

pytest_plugins = ["citation_pipeline_tests.fake_reducto.fixtures"]

PDF = ("a.pdf", draw().data, "application/pdf")


@pytest.fixture
def api(fake: FakeReductoHandle) -> Iterator[httpx.Client]:
    with httpx.Client(
        base_url=fake.base_url, headers={"Authorization": f"Bearer {KEY}"}, timeout=60
    ) as client:
        yield client


def upload(api: httpx.Client) -> str:
    answer = api.post("/upload", files={"file": PDF}).json()
    assert answer["presigned_url"] is None
    return str(answer["file_id"])


def start(api: httpx.Client, **body: Any) -> str:
    return str(api.post("/parse_async", json={"input": upload(api)} | body).json()["job_id"])


def finish(api: httpx.Client, job_id: str) -> Any:
    while (job := api.get(f"/job/{job_id}").json())["status"] not in ("Completed", "Failed"):
        assert job["result"] is None
    return job


def test_no_key_and_a_wrong_key_are_401_with_the_documented_body(fake: FakeReductoHandle) -> None:
    for headers in ({}, {"Authorization": "Bearer wrong"}):
        answer = httpx.get(f"{fake.base_url}/jobs", headers=headers, timeout=60)
        assert answer.status_code == 401
        assert set(answer.json()["error"]) == {"message", "type", "code"}


def test_the_part_of_an_upload_must_be_called_file(api: httpx.Client) -> None:
    assert api.post("/upload", files={"document": PDF}).status_code == 422
    assert upload(api).startswith("reducto://")
    assert upload(api).endswith(".pdf")


def test_an_unknown_input_is_404(api: httpx.Client) -> None:
    assert api.post("/parse_async", json={"input": "reducto://nobody.pdf"}).status_code == 404


@pytest.mark.parametrize(
    "body",
    [
        {"document_url": "reducto://x.pdf"},
        {"input": "x", "options": {}},
        {"input": "x", "settings": {"ocr_mode": "agentic"}},
        {"input": "x", "formatting": {"table_output_format": "latex"}},
        {"input": "x", "settings": {"return_citations": True}},
        {"input": "x", "settings": {"model": "r-1"}, "enhance": {"agentic": [{"scope": "table"}]}},
        {"input": "x", "enhance": {"agentic": [{"scope": "figure"}], "summarize_figures": False}},
        ["x"],
    ],
)
def test_a_body_of_another_shape_is_422_with_places(api: httpx.Client, body: Any) -> None:
    answer = api.post("/parse_async", json=body)
    assert answer.status_code == 422
    assert all(detail["loc"][0] == "body" for detail in answer.json()["detail"])


def test_a_job_runs_through_the_default_statuses(api: httpx.Client, fake: FakeReductoHandle) -> None:
    fake.configure(statuses=["Pending", "Pending:0.4", "InProgress", "Completed"])
    job_id = start(api)
    seen = [api.get(f"/job/{job_id}").json() for _ in range(4)]
    assert [job["status"] for job in seen] == ["Pending", "Pending", "InProgress", "Completed"]
    assert seen[1]["progress"] == 0.4


def test_the_same_document_comes_inline_and_by_url(api: httpx.Client) -> None:
    inline = finish(api, start(api))["result"]["result"]
    by_url = finish(api, start(api, settings={"force_url_result": True}))["result"]["result"]
    assert by_url["type"] == "url"
    assert httpx.get(by_url["url"], timeout=60).json() == inline
    assert httpx.URL(by_url["url"]).port != api.base_url.port


def test_the_storage_refuses_a_key_and_expires(api: httpx.Client, fake: FakeReductoHandle) -> None:
    job_id = start(api, settings={"force_url_result": True})
    url = finish(api, job_id)["result"]["result"]["url"]
    assert httpx.get(url, headers={"Authorization": f"Bearer {KEY}"}, timeout=60).status_code == 400
    fake.configure(result_ttl=-1)
    expired = httpx.get(api.get(f"/job/{job_id}").json()["result"]["result"]["url"], timeout=60)
    assert (expired.status_code, expired.headers["content-type"]) == (403, "application/xml")


def test_a_deleted_job_answers_409_and_then_410(api: httpx.Client) -> None:
    job_id = start(api)
    assert api.delete(f"/job/{job_id}").json() == {"job_id": job_id}
    assert [api.get(f"/job/{job_id}").status_code for _ in range(3)] == [409, 410, 410]


@pytest.mark.parametrize("form", ["reducto:%2F%2F{id}", "{id}"])
def test_an_upload_is_deleted_by_either_form_of_its_id(api: httpx.Client, form: str) -> None:
    name = upload(api).removeprefix("reducto://")
    assert api.delete("/upload/" + form.format(id=name)).status_code == 200
    assert api.post("/parse_async", json={"input": f"reducto://{name}"}).status_code == 404


def test_jobs_are_listed_page_by_page(api: httpx.Client) -> None:
    started = {start(api) for _ in range(3)}
    first = api.get("/jobs", params={"limit": 2}).json()
    second = api.get("/jobs", params={"limit": 2, "cursor": first["next_cursor"]}).json()
    assert {job["job_id"] for job in first["jobs"] + second["jobs"]} == started
    assert second["next_cursor"] is None
    assert api.get("/jobs", params={"limit": 501}).status_code == 422


def test_a_cancelled_job_says_so(api: httpx.Client) -> None:
    job_id = start(api)
    assert api.post(f"/cancel/{job_id}").status_code == 200
    assert api.get(f"/job/{job_id}").json()["status"] == "Cancelled"


def test_more_requests_than_the_rate_allows_are_429(api: httpx.Client, fake: FakeReductoHandle) -> None:
    fake.configure(rate=1.0)
    answers = [api.get("/version") for _ in range(3)]
    assert answers[-1].status_code == 429
    assert answers[-1].headers["retry-after"] == "1"


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (b"", "DOCUMENT_EMPTY"),
        (b"%PDF-1.7 torn", "DOCUMENT_CORRUPT"),
        (b"\xff\xfe\x00", "DOCUMENT_UNSUPPORTED"),
    ],
)
def test_bytes_that_are_no_document_fail_by_name(api: httpx.Client, data: bytes, name: str) -> None:
    file_id = api.post("/upload", files={"file": ("a.pdf", data, "application/pdf")}).json()["file_id"]
    job_id = api.post("/parse_async", json={"input": {"file_id": file_id}}).json()["job_id"]
    job = finish(api, job_id)
    assert (job["status"], job["error"]["name"]) == ("Failed", name)


def test_the_blocking_parse_answers_with_the_response(api: httpx.Client) -> None:
    response = api.post("/parse", json={"input": upload(api)}).json()
    assert response["response_type"] == "parse"
    assert response["result"]["chunks"]


def test_a_direct_webhook_is_delivered_without_the_result(api: httpx.Client) -> None:
    received: list[dict[str, Any]] = []
    arrived = threading.Event()

    class Hook(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            received.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(204)
            self.end_headers()
            arrived.set()

        def log_message(self, format: str, *args: Any) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Hook) as server:
        thread = threading.Thread(target=server.handle_request)
        thread.start()
        hook = {"mode": "direct", "url": f"http://127.0.0.1:{server.server_port}/"}
        job_id = start(api, **{"async": {"webhook": hook, "metadata": {"run": "7"}}})
        assert arrived.wait(60)
        thread.join()
    assert received == [{"status": "Completed", "job_id": job_id, "metadata": {"run": "7"}}]


def test_a_misspelt_fault_cannot_pass_a_test(fake: FakeReductoHandle) -> None:
    with pytest.raises(FaultSpecError):
        fake.script("parse", "explode")
