"""A claim of one mail, from the folder to the viewer: the letter that it carries is read, cited and shown."""

import json
from email.message import EmailMessage
from pathlib import Path

import pytest

from citation_pipeline.serving.settings import ServingSettings
from citation_pipeline_tests.commands import command
from citation_pipeline_tests.parser_files import letter_pdf
from citation_pipeline_tests.viewer_claim.serving import client_of

LETTER = "mail-eml-letter"


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("attached") / "claim-7"
    folder.mkdir()
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Subject"] = "Ana <a@example.com>", "b@example.com", "Work status"
    mail["Date"] = "Tue, 14 Mar 2023 10:00:00 -0700"
    mail.set_content("Please see attached.")
    lines = ("WORK STATUS REPORT", "Claim Number: WC-2023-00417", "Date of Injury: 03/01/2023")
    mail.add_attachment(letter_pdf(lines), maintype="application", subtype="pdf", filename="letter.pdf")
    mail.add_attachment(b"%PDF-1.4 torn", maintype="application", subtype="pdf", filename="torn.pdf")
    (folder / "mail.eml").write_bytes(mail.as_bytes())
    ended = command("run", folder, "--store", folder.parent / "store")
    assert ended.exit_code == 1, ended.output  # the torn one was not read: the claim is partial
    assert "torn" in ended.output
    return folder


def _dataset(folder: Path) -> dict:
    return json.loads((folder.parent / "store/viewer_dataset/claim-7/data.json").read_text())


def test_a_value_read_from_an_attachment_cites_the_attachment(folder):
    data = _dataset(folder)
    assert [(one["id"], one["file"], one["status"]) for one in data["sources"]] == [
        ("mail", "mail.eml", "parsed"),
        (LETTER, "mail.eml/letter.pdf", "parsed"),
        ("mail-eml-torn", "mail.eml/torn.pdf", "corrupt"),
    ]
    assert [one.get("attachedTo") for one in data["sources"]] == [None, "mail", "mail"]
    cited = [c["sourceId"] for f in data["fields"] for c in f["citations"] if "00417" in str(f["value"])]
    assert cited
    assert set(cited) == {LETTER}


def test_an_attachments_pages_are_drawn_and_its_file_downloaded(folder):
    with client_of(ServingSettings(str(folder.parent / "store"), render_workers=1)) as client:
        path = f"/api/claims/claim-7/sources/{LETTER}"
        image = client.get(f"{path}/pages/1/image?w=600")
        assert (image.status_code, image.headers["content-type"]) == (200, "image/png")
        original = client.get(f"{path}/original")
        assert original.content.startswith(b"%PDF")
        assert 'filename="letter.pdf"' in original.headers["content-disposition"]
        pack = client.get("/api/claims/claim-7/evidence.zip")
        assert pack.status_code == 200
        (folder / "mail.eml").rename(folder / "kept")
        try:
            assert client.get(f"{path}/original").json()["error"]["code"] == "original_missing"
        finally:
            (folder / "kept").rename(folder / "mail.eml")


def test_an_attachment_is_parsed_again_alone(folder):
    ended = command("run", "claim-7", "--document", LETTER, "--store", folder.parent / "store")
    assert ended.exit_code == 0, ended.output
    assert f"{LETTER} parsed again" in ended.output
    assert _dataset(folder)["sources"][1]["status"] == "parsed"


def test_parse_writes_a_mails_attachments_beside_it(folder, tmp_path):
    ended = command("parse", folder / "mail.eml", "--out", tmp_path)
    assert ended.exit_code == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "mail-eml-letter.json", "mail-eml-torn.json", "mail.json"
    ]  # fmt: skip
    assert "WC-2023-00417" in json.loads((tmp_path / "mail-eml-letter.json").read_text())["text"]
    assert "WC-2023-00417" not in json.loads((tmp_path / "mail.json").read_text())["text"]
