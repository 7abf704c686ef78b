"""The fixtures of all Reducto tests; a test module asks for them with `pytest_plugins`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from citation_pipeline_tests.fake_reducto.desk import Desk, FakeClock
from citation_pipeline_tests.fake_reducto.drawn_documents import DrawnDocument, draw
from citation_pipeline_tests.fake_reducto.process import FakeReductoHandle, spawn_fake_reducto


@pytest.fixture(scope="session")
def fake_process() -> Iterator[FakeReductoHandle]:
    with spawn_fake_reducto() as handle:
        yield handle


@pytest.fixture
def fake(fake_process: FakeReductoHandle) -> FakeReductoHandle:
    fake_process.reset()
    return fake_process


@pytest.fixture
def desk_for(fake: FakeReductoHandle, tmp_path: Path) -> Iterator[Callable[[DrawnDocument], Desk]]:
    with ExitStack() as stack:
        yield lambda document: Desk(fake, tmp_path, document, FakeClock(), stack)


@pytest.fixture
def desk(desk_for: Callable[[DrawnDocument], Desk]) -> Desk:
    return desk_for(draw())
