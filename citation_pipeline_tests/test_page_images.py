"""Pictures of scans and tables beside their text: to every provider, where allowed, and nowhere else."""

import base64
import json
import logging
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from citation_pipeline.adapters.conversation.extractor import ModelExtractor
from citation_pipeline.adapters.extractors.by_document import read_and_check
from citation_pipeline.adapters.installed_readers import EXTRACTORS, InstalledReaders
from citation_pipeline.adapters.outbound_ledger import SentRequests
from citation_pipeline.adapters.page_drawing.drawer import PageDrawer
from citation_pipeline.adapters.reader_settings import ReaderSettings
from citation_pipeline.core.citations import CitationStatus
from citation_pipeline.core.documents.parsed import ParsedDocument
from citation_pipeline.core.failures import PipelineError
from citation_pipeline.core.planning.workloads import Workload
from citation_pipeline.core.prompts.page_images import PageImage, choose_images
from citation_pipeline.core.resolution.claims import resolve_claim
from citation_pipeline.core.resolution.field_confidence import confidences_of
from citation_pipeline_tests.claude_scenes import answers_of, document_of, workers_comp
from citation_pipeline_tests.fake_anthropic.answering import ReferenceAnswers
from citation_pipeline_tests.fake_images import images_in
from citation_pipeline_tests.image_scenes import LIMITS, UNREAD, ScannedClaim, looks_like, scanned_claim
from citation_pipeline_tests.provider_scenes import NAMES, Provider, provider_on_loopback

SCHEMA = workers_comp()
CLAIM_NUMBER = "metadata.claim_number"
ANSWERS = answers_of({CLAIM_NUMBER: ("ZX-4471", "scan", "Claim number: ZX-4471")})
SEES = {"edge": 1568, "pixels": 1_150_000, "per_request": 20, "pixels_per_token": 750}


@pytest.fixture(scope="module")
def scanned(tmp_path_factory: pytest.TempPathFactory) -> ScannedClaim:
    return scanned_claim(tmp_path_factory.mktemp("scanned") / "claim-1")


OWN_PROCESS = (
    "test_pages_are_drawn_in_a_process_of_their_own_without_this_ones_keys",
    "test_a_page_that_ends_its_process_or_hangs_is_asked_about_by_its_text",
)


@pytest.fixture(scope="module")
def drawing() -> Iterator[Callable[[Path, PageImage], bytes | None]]:
    """What draws pages, in one process for all tests, each picture once."""
    drawer = PageDrawer()
    yield cache(drawer.draw)
    drawer.close()


@pytest.fixture(autouse=True)
def shared_process(
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
    drawing: Callable[[Path, PageImage], bytes | None],
) -> None:
    """Draw in the tests' one process, but where the process is what is tested."""

    def draw(_: PageDrawer, path: Path, image: PageImage) -> bytes | None:
        return drawing(path, replace(image, source_id=""))

    if request.node.name not in OWN_PROCESS:
        monkeypatch.setattr(PageDrawer, "draw", draw)


@pytest.fixture(params=NAMES)
def provider(request: pytest.FixtureRequest) -> Iterator[Provider]:
    with provider_on_loopback(request.param, ReferenceAnswers(ANSWERS)) as provider:
        yield provider


@pytest.fixture
def openai() -> Iterator[Provider]:
    with provider_on_loopback("openai", ReferenceAnswers(ANSWERS)) as provider:
        yield provider


def settings_of(root: Path, provider: Provider, *, sees: bool = True, **variables: str) -> ReaderSettings:
    """The deployment's settings; azure's deployment has a profile of its own, as any unknown model."""
    profile = root / "models.toml"
    images = ", ".join(f"{key} = {value}" for key, value in SEES.items())
    root.mkdir(parents=True, exist_ok=True)
    profile.write_text(
        "[models.extractor]\ncontext = 200_000\noutput = 32_000\n"
        + (f"images = {{ {images} }}\n" if sees else "")
        + "prices = [{ input = 2, output = 10 }]\n"
    )
    allowed = {"CITATION_PIPELINE_PAGE_IMAGES": "1", "CITATION_PIPELINE_MODELS": str(profile)}
    return ReaderSettings(work_dir=root, variables={**allowed, **provider.variables, **variables})


def extractor_of(root: Path, provider: Provider, **variables: Any) -> ModelExtractor:
    settings = settings_of(root, provider, **variables)
    built = InstalledReaders(EXTRACTORS, settings)[provider.name]()
    assert isinstance(built, ModelExtractor)
    return built


def ask(extractor: ModelExtractor, scanned: ScannedClaim) -> list[Any]:
    try:
        return extractor.ask(scanned.claim, scanned.documents, SCHEMA)
    finally:
        extractor.close()


def ledger_rows(root: Path) -> list[dict[str, Any]]:
    sent = SentRequests(root / "ledger")
    return [row for name in sent.marks() for row in sent.lines(name)]


def labels_in(body: Mapping[str, Any]) -> list[str]:
    parts = body["messages"][-1]["content"]
    texts: Sequence[str] = [part.get("text", "") for part in parts] if isinstance(parts, list) else []
    return [text.partition("### Source: ")[2] for text in texts if text.startswith("<<<PICTURE ")]


def test_scans_and_tables_are_shown_to_every_provider_behind_a_line_that_names_them(
    provider: Provider, scanned: ScannedClaim, tmp_path: Path
) -> None:
    (reply,) = ask(extractor_of(tmp_path, provider), scanned)
    (body,) = provider.bodies()
    shown = dict(zip(labels_in(body), images_in(body), strict=True))
    assert sorted(shown) == ["ledger, page 1", "scan, page 1"]
    for label, image in shown.items():
        assert looks_like(image, scanned.files[0].parent / f"{label.partition(',')[0]}.pdf")
        assert image.width * image.height <= LIMITS.pixels
        assert max(image.size) <= LIMITS.edge
    assert not looks_like(shown["scan, page 1"], scanned.files[1])
    (row,) = [row for row in ledger_rows(tmp_path) if row.get("cost_usd")]
    assert row["image_count"] == 2
    assert row["byte_count"] > 10_000
    tokens = reply.input_tokens + reply.cache_read_tokens + reply.cache_write_tokens
    assert tokens > 2 * LIMITS.pixels / 750 * 0.9


@pytest.mark.parametrize("chosen", [{"CITATION_PIPELINE_PAGE_IMAGES": ""}, {"sees": False}])
def test_nothing_is_shown_unless_the_user_allows_it_and_the_model_sees(
    chosen: dict[str, Any], scanned: ScannedClaim, tmp_path: Path
) -> None:
    with provider_on_loopback("azure-openai", ReferenceAnswers(ANSWERS)) as provider:
        ask(extractor_of(tmp_path, provider, **chosen), scanned)
        (body,) = provider.bodies()
        assert not images_in(body)
        assert "PICTURE" not in json.dumps(body)


def test_without_pictures_a_request_is_the_one_that_was_paid_for_before_they_were_allowed(
    openai: Provider, scanned: ScannedClaim, tmp_path: Path
) -> None:
    off = {"CITATION_PIPELINE_PAGE_IMAGES": ""}
    ask(extractor_of(tmp_path, openai, **off), scanned)
    letters = replace(scanned, documents=scanned.documents[2:])
    ask(extractor_of(tmp_path, openai, **off), letters)
    assert openai.answers() == 2
    ask(extractor_of(tmp_path, openai), letters)  # no page of it is worth a picture
    assert openai.answers() == 2
    ask(extractor_of(tmp_path, openai), scanned)
    assert openai.answers() == 3


def test_replies_are_found_again_and_nothing_is_drawn_for_them(
    provider: Provider, scanned: ScannedClaim, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = ask(extractor_of(tmp_path, provider), scanned)

    def draw(*arguments: Any) -> bytes:
        raise AssertionError("drawn though nothing is sent")

    monkeypatch.setattr(PageDrawer, "draw", draw)
    again = extractor_of(tmp_path, provider)
    assert ask(again, scanned) == first
    assert provider.answers() == 1
    read, _ = read_and_check(again, first, scanned.documents, SCHEMA)
    assert next(field.value for field in read.fields if field.field_key == CLAIM_NUMBER) == "ZX-4471"
    digests = json.loads(first[0].scope)["images"]
    chosen = choose_images(scanned.documents, LIMITS, most=40)
    if provider.name != "openai":  # its pictures are of another size
        assert sorted(digests) == sorted(image.digest for image in chosen)


def test_a_claims_fingerprint_changes_with_the_setting_and_not_with_a_refusal(
    openai: Provider, scanned: ScannedClaim, tmp_path: Path
) -> None:
    def fingerprint(**variables: str) -> str:
        return extractor_of(tmp_path, openai, **variables).fingerprint(scanned.claim, SCHEMA)

    with_images = fingerprint()
    assert fingerprint(CITATION_PIPELINE_PAGE_IMAGES="") != with_images
    assert fingerprint(CITATION_PIPELINE_PAGE_IMAGES_MOST="3") != with_images
    openai.refuse_images("image input is not supported")
    ask(extractor_of(tmp_path, openai), scanned)
    assert fingerprint() == with_images


REFUSALS = {
    "claude": "messages.0.content.2: image input is not supported by this model",
    "claude-bedrock": "messages.0.content.2: Input tag 'image' found using 'type' does not match",
    "claude-vertex": "images are not supported for this model",
    "openai": "Invalid content type. image_url is only supported by certain models.",
    "azure-openai": "The chat model does not support image inputs. Unsupported content part type: image_url",
}


def test_a_server_that_refuses_pictures_is_asked_without_them_once_and_from_then_on(
    provider: Provider, scanned: ScannedClaim, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    provider.refuse_images(REFUSALS[provider.name])
    (reply,) = ask(extractor_of(tmp_path, provider), scanned)
    (body,) = provider.bodies()
    assert not images_in(body)
    assert "images" not in json.loads(reply.scope)
    rows = [row for row in ledger_rows(tmp_path) if "count" not in row["endpoint"]]
    rows = [row for row in rows if row["code"] not in ("max_tokens", "stream_options")]
    assert [row["code"] for row in rows] == ["images_refused", "ok"]
    assert [row.get("image_count") for row in rows] == [2, None]
    assert [row["cost_usd"] > 0 for row in rows] == [False, True]
    assert "takes no pictures" in caplog.text

    other = replace(scanned, documents=scanned.documents[:2])
    caplog.clear()
    ask(extractor_of(tmp_path, provider), other)
    assert len([row for row in ledger_rows(tmp_path) if row["code"] == "images_refused"]) == 1
    assert "takes no pictures" not in caplog.text
    ask(extractor_of(tmp_path, provider), scanned)
    assert provider.answers() == 2


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (500, "image input is not supported - hint: if this is unexpected, provide the mmproj"),
        (400, "m is not a multimodal model"),
        (404, "No endpoints found that support image input"),
        (422, "messages.1.content: Input should be a valid string"),
        (400, "this model does not support image input"),
        (400, "bad request"),
    ],
    ids=["llama.cpp", "vllm", "openrouter", "text-only", "ollama", "unexplained"],
)
def test_refusals_of_many_servers_are_understood(
    status: int, said: str, scanned: ScannedClaim, tmp_path: Path
) -> None:
    from citation_pipeline_tests.chat_scenes import PROFILE, ChatDesk
    from citation_pipeline_tests.fake_openai import DIALECTS, FakeChat

    dialect = replace(DIALECTS["vllm"], says_of_images=(status, said))
    with FakeChat(dialect, ReferenceAnswers(ANSWERS)) as chat:
        desk = ChatDesk(chat, tmp_path, profile=replace(PROFILE, images=LIMITS))
        for _ in range(2):
            extractor = desk.extractor(page_images=True)
            replies = extractor.ask(scanned.claim, scanned.documents, SCHEMA)
            extractor.close()
            assert len(replies) == 1
    assert chat.counters["answers"] == 1
    assert not desk.time.waits  # a refusal is not waited for
    assert len(desk.rows) <= 4
    # the form of the answer was not what was refused
    assert (
        json.loads(next((tmp_path / "model_servers").glob("*[0-9a-f].json")).read_text())["answer_format"]
        == "json_schema"
    )


def test_one_picture_that_is_not_taken_says_nothing_of_the_others(
    scanned: ScannedClaim, tmp_path: Path
) -> None:
    with provider_on_loopback("claude", ReferenceAnswers(ANSWERS)) as claude:
        ask(extractor_of(tmp_path, claude), replace(scanned, documents=scanned.documents[:1]))
        claude.refuse_images("Could not process image")
        ask(extractor_of(tmp_path, claude), scanned)
        claude.refuse_images("")
        ask(extractor_of(tmp_path, claude), replace(scanned, documents=scanned.documents[:2]))
        assert [len(images_in(body)) for body in claude.bodies()] == [1, 0, 2]


def test_a_request_that_is_too_large_for_a_gateway_goes_out_without_pictures(
    scanned: ScannedClaim, tmp_path: Path
) -> None:
    from citation_pipeline_tests.claude_scenes import Desk
    from citation_pipeline_tests.fake_anthropic.records import Settings
    from citation_pipeline_tests.fake_anthropic.server import FakeAnthropic

    with FakeAnthropic(ReferenceAnswers(ANSWERS), settings=Settings(longest_body=80_000)) as claude:
        desk = Desk(claude, tmp_path / "replies")
        extractor = desk.extractor(page_images=True)
        (reply,) = extractor.ask(scanned.claim, scanned.documents, SCHEMA)
        extractor.close()
    assert "images" not in json.loads(reply.scope)
    assert not (tmp_path / "model_servers").exists() or not list(tmp_path.glob("model_servers/*.images.json"))


def secrets_of(body: Mapping[str, Any]) -> list[bytes]:
    """Pieces of the pictures, as they are sent and as they are."""
    found = []
    for part in body["messages"][-1]["content"]:
        url = part["image_url"]["url"] if part["type"] == "image_url" else ""
        text = url.partition("base64,")[2] or part.get("source", {}).get("data", "")
        if text:
            middle = len(text) // 8 * 4
            found += [text[middle : middle + 40].encode(), base64.b64decode(text[middle : middle + 40])]
    return found


def test_no_picture_is_in_logs_files_or_errors(
    provider: Provider, scanned: ScannedClaim, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    ask(extractor_of(tmp_path, provider), scanned)
    (body,) = provider.bodies()
    provider.fail()
    failing = extractor_of(tmp_path, provider)
    with pytest.raises(PipelineError) as raised:
        ask(failing, replace(scanned, documents=scanned.documents[:2]))
    chain: list[BaseException | None] = [raised.value, raised.value.__cause__, raised.value.__context__]
    kept = {"log": caplog.text.encode(), "errors": repr(chain).encode(), "repr": repr(failing).encode()}
    for path in tmp_path.rglob("*"):
        if path.is_file():
            kept[path.name] = path.read_bytes()
    secrets = secrets_of(body)
    assert len(secrets) == 4
    for name, data in kept.items():
        assert not any(secret in data for secret in secrets), name


def test_a_value_that_only_the_picture_shows_has_no_citation_and_is_never_sure(
    openai: Provider, scanned: ScannedClaim, tmp_path: Path
) -> None:
    claimed = {
        "field_key": CLAIM_NUMBER,
        "value": UNREAD,
        "confidence": "high",
        "citations": [{"source_id": "scan", "text_snippet": f"Amount {UNREAD}", "page": 1}],
    }
    openai.say(json.dumps({"extractions": [claimed]}))
    extractor = extractor_of(tmp_path, openai)
    replies = ask(extractor, scanned)
    assert images_in(openai.bodies()[0])
    _, read = read_and_check(extractor, replies, scanned.documents, SCHEMA)
    fields = [field for field in read.fields if field.field_key == CLAIM_NUMBER]
    citations = resolve_claim(scanned.documents, fields, schema=SCHEMA)
    assert [one.status for one in citations] == [CitationStatus.UNRESOLVED]
    assert confidences_of(fields, citations)[CLAIM_NUMBER].confidence <= 0.5


def test_pages_are_drawn_in_a_process_of_their_own_without_this_ones_keys(
    scanned: ScannedClaim, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "planted")
    drawer = PageDrawer()
    image = choose_images(scanned.documents, LIMITS, most=1)[0]
    assert drawer.draw(scanned.files[0], image) is not None
    assert drawer._process is not None
    pid = drawer._process._process.pid
    assert pid != os.getpid()
    assert b"planted" not in Path(f"/proc/{pid}/environ").read_bytes()
    drawer.close()
    assert drawer._process is None


def test_a_page_that_ends_its_process_or_hangs_is_asked_about_by_its_text(
    openai: Provider, scanned: ScannedClaim, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    extractor = extractor_of(tmp_path, openai)
    extractor._drawer._page_seconds = 0.0  # nothing is drawn in time
    (reply,) = ask(extractor, scanned)
    (body,) = openai.bodies()
    assert not images_in(body)
    assert json.loads(reply.scope).get("images") is None
    assert "2 of 2 pictures" in caplog.text
    drawer = PageDrawer()
    image = choose_images(scanned.documents, LIMITS, most=1)[0]
    assert drawer.draw(scanned.files[1], image) is None  # another file than was parsed
    assert drawer.draw(tmp_path / "gone.pdf", image) is None
    assert drawer._process is not None
    drawer._process._process.kill()
    assert drawer.draw(scanned.files[0], image) is None
    assert drawer.draw(scanned.files[0], image) is not None  # by a new one
    drawer.close()


def test_scans_come_before_tables_and_the_least_sure_scan_first(scanned: ScannedClaim) -> None:
    def first(most: int, **changed: Any) -> list[str]:
        limits = replace(LIMITS, **changed)
        return [image.source_id for image in choose_images(scanned.documents, limits, most=most)]

    assert first(9) == ["scan", "ledger"]
    assert first(1) == ["scan"]
    assert first(0) == []
    unsure = scanned.documents[0]
    doubtful = replace(
        unsure,
        source=replace(unsure.source, source_id="worse"),
        words=replace(unsure.words, confidence=unsure.words.confidence * 0.5),
    )
    chosen = choose_images([*scanned.documents, doubtful], LIMITS, most=9)
    assert [image.source_id for image in chosen] == ["worse", "scan", "ledger"]
    memo = document_of("memo", ["a note"], tables=["<table><tr><td>a</td></tr></table>"])
    typed = replace(memo, source=replace(memo.source, media_type="application/msword"))
    assert choose_images([typed], LIMITS, most=9) == []


def test_a_request_shows_no_more_pictures_than_its_model_takes(
    openai: Provider, scanned: ScannedClaim, tmp_path: Path
) -> None:
    many = [
        replace(one, source=replace(one.source, source_id=f"{one.source.source_id}-{number}"))
        for one in scanned.documents[:1]
        for number in range(25)
    ]
    ask(extractor_of(tmp_path, openai), replace(scanned, documents=many))
    assert [len(images_in(body)) for body in openai.bodies()] == [20]
    other = tmp_path / "other"
    ask(extractor_of(other, openai, CITATION_PIPELINE_PAGE_IMAGES_MOST="3"), replace(scanned, documents=many))
    assert len(images_in(openai.bodies()[-1])) == 3


def work_of(documents: Sequence[ParsedDocument]) -> Workload:
    return Workload(len(documents), sum(len(one.pages) for one in documents), list(documents))


def test_a_plan_prices_pictures_before_and_after_the_models_first_answers(
    provider: Provider, scanned: ScannedClaim, tmp_path: Path
) -> None:
    pictures = 2 * LIMITS.pixels / 750
    on, off = (
        extractor_of(tmp_path, provider),
        extractor_of(tmp_path, provider, CITATION_PIPELINE_PAGE_IMAGES=""),
    )
    work = work_of(scanned.documents)
    more = on.price(work, SCHEMA).input_tokens - off.price(work, SCHEMA).input_tokens
    assert 0.6 * pictures < more < 1.4 * pictures
    (reply,) = ask(on, scanned)
    priced = extractor_of(tmp_path, provider).price(work, SCHEMA)
    read = reply.input_tokens + reply.cache_read_tokens + reply.cache_write_tokens
    assert priced.input_tokens == pytest.approx(read, rel=0.1)


@pytest.mark.parametrize("name", ["claude", "openai", "azure-openai"])
def test_batches_show_the_same_pictures_and_their_replies_are_found(
    name: str, scanned: ScannedClaim, tmp_path: Path
) -> None:
    with provider_on_loopback(name, ReferenceAnswers(ANSWERS)) as provider:
        allowed = {"CITATION_PIPELINE_CLAUDE_BATCHES": "1"}
        extractor: Any = extractor_of(tmp_path, provider, **allowed)
        ask(extractor, replace(scanned, documents=scanned.documents[2:]))  # what the server takes is known
        (entry,) = extractor.batches().submit([(scanned.claim, scanned.documents)], SCHEMA)
        assert len(json.loads(entry.requests[0].scope)["images"]) == 2
        collected: list[Any] = []
        while not collected:
            collected = extractor.batches().collect()
        assert collected[0].complete_claims == ("claim-1",)
        *_, body = provider.bodies()
        assert len(images_in(body)) == 2
        assert not extractor.batches().submit([(scanned.claim, scanned.documents)], SCHEMA)
        ask(extractor, scanned)
        assert provider.answers() == 2
        assert [row.get("image_count") for row in ledger_rows(tmp_path) if row.get("image_count")] == [2]
        for path in tmp_path.rglob("*"):
            if path.is_file():
                assert not any(secret in path.read_bytes() for secret in secrets_of(body)), path.name


@pytest.mark.parametrize("name", ["claude", "openai"])
def test_a_batch_whose_pictures_are_refused_is_asked_again_without_them(
    name: str, scanned: ScannedClaim, tmp_path: Path
) -> None:
    with provider_on_loopback(name, ReferenceAnswers(ANSWERS)) as provider:
        provider.refuse_images(REFUSALS[name])
        extractor: Any = extractor_of(tmp_path, provider, CITATION_PIPELINE_CLAUDE_BATCHES="1")
        extractor.batches().submit([(scanned.claim, scanned.documents)], SCHEMA)
        collected: list[Any] = []
        while not collected:
            collected = extractor.batches().collect()
        if name == "claude":  # the fake's rows are not looked at for pictures
            return
        assert collected[0].incomplete_claims == ("claim-1",)
        (reply,) = ask(extractor, scanned)
        assert "images" not in json.loads(reply.scope)
        assert provider.answers() == 1
