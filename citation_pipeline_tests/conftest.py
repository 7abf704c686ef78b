"""Fixtures that several test modules share."""

from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def project() -> Path:
    return PROJECT


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of claims, corpus and contracts beside the project's root; its absence is a failure."""
    folder = PROJECT.parent / "shared"
    if not (folder / "claims").is_dir():
        pytest.fail(f"{folder} is missing: put the shared folder beside the project's root", pytrace=False)
    return folder


@pytest.fixture(scope="session")
def claims(shared: Path) -> Path:
    return shared / "claims"
