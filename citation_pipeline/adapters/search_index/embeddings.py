"""Vectors of texts: the port, an HTTP provider, and a sentence-transformers model from a folder.

Nothing is embedded unless somebody configures a provider. The HTTP one sends document text to the address
that it is given: every request is told to the ledger as counts.
"""

import hashlib
import importlib
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol

import httpx
import numpy as np
from numpy.typing import NDArray

from citation_pipeline.adapters.outbound_ledger import Ledger, OutboundRequest, keep_no_ledger
from citation_pipeline.adapters.search_index.bert import BertEncoder, holds_bert
from citation_pipeline.core.failures import PipelineError

Vectors = NDArray[np.float32]
"""Shape (n, dimensions); every row has length 1."""

_TEXTS_A_REQUEST = 64  # what hosted embedding endpoints commonly take at once, with room


class EmbeddingError(PipelineError):
    """A provider that cannot be used or did not answer as it should."""


class EmbeddingProvider(Protocol):
    """Someone who turns texts into vectors; `name` changes whenever the vectors would."""

    name: str

    def embed(self, texts: Sequence[str], *, claim_id: str = "") -> Vectors:
        """Return one unit vector per text; raises EmbeddingError."""
        ...


class HttpEmbeddings:
    """An endpoint that takes `{"model", "input": [texts]}` and answers `{"data": [{"index",
    "embedding"}]}`."""

    def __init__(
        self,
        url: str,
        *,
        model: str,
        api_key: str = "",
        timeout_s: float = 30.0,
        ledger: Ledger = keep_no_ledger,
    ) -> None:
        self.name = f"http:{hashlib.sha256(url.encode()).hexdigest()[:8]}:{model}"
        self._url, self._model, self._timeout = url, model, timeout_s
        self._headers = {"authorization": f"Bearer {api_key}"} if api_key else {}
        self._ledger = ledger

    def embed(self, texts: Sequence[str], *, claim_id: str = "") -> Vectors:
        if not texts:
            return np.zeros((0, 0), np.float32)
        rows: list[Sequence[float]] = []
        for first in range(0, len(texts), _TEXTS_A_REQUEST):
            rows += self._ask(list(texts[first : first + _TEXTS_A_REQUEST]), claim_id)
        return _unit(np.asarray(rows, np.float32))

    def _ask(self, texts: list[str], claim_id: str) -> list[Sequence[float]]:
        status: int | None = None
        try:
            answer = httpx.post(
                self._url,
                json={"model": self._model, "input": texts},
                headers=self._headers,
                timeout=self._timeout,
            )
            status = answer.status_code
            answer.raise_for_status()
            data = sorted(answer.json()["data"], key=lambda row: row["index"])
            found = [row["embedding"] for row in data]
        except (httpx.HTTPError, ValueError, KeyError, TypeError) as error:
            raise EmbeddingError(
                f"the embedding endpoint did not answer with vectors ({type(error).__name__}, status "
                f"{status}): "
                "check its address and key, or search without vectors"
            ) from error
        finally:
            self._ledger(
                OutboundRequest(
                    claim_id=claim_id,
                    vendor="embeddings",
                    endpoint="embeddings",
                    code="ok" if status == 200 else "failed",
                    model=self._model,
                    text_count=len(texts),
                    character_count=sum(map(len, texts)),
                    at=datetime.now(UTC),
                    status=status,
                )
            )
        if len(found) != len(texts) or len({len(vector) for vector in found}) != 1:
            raise EmbeddingError(
                f"{len(texts)} texts were sent and {len(found)} vectors came back: use another model"
            )
        return found


class LocalEmbeddings:
    """A sentence-transformers model in a folder that the user names; nothing is downloaded.

    A MiniLM model (BERT with plain weights) is run by `bert` in numpy; any other needs the package
    sentence-transformers.
    """

    def __init__(self, folder: Path) -> None:
        if not folder.is_dir():
            raise EmbeddingError(
                f"{folder} is not a folder: name one that holds a sentence-transformers model"
            )
        self.name = f"local:{folder.name}:{_fingerprint(folder)}"
        self._folder = folder
        self._model: Any = None

    def embed(self, texts: Sequence[str], *, claim_id: str = "") -> Vectors:
        if self._model is None:
            self._model = BertEncoder(self._folder) if holds_bert(self._folder) else self._load()
        if isinstance(self._model, BertEncoder):
            return self._model.encode(list(texts))
        return _unit(np.asarray(self._model.encode(list(texts), show_progress_bar=False), np.float32))

    def _load(self) -> Any:
        try:
            module = importlib.import_module("sentence_transformers")
        except ImportError as error:
            raise EmbeddingError(
                "this embedding model needs the package sentence-transformers: install it, name a folder "
                "of a MiniLM model, or search without vectors"
            ) from error
        return module.SentenceTransformer(str(self._folder), local_files_only=True)


def _unit(vectors: Vectors) -> Vectors:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit: Vectors = (vectors / np.maximum(lengths, 1e-12)).astype(np.float32)
    return unit


def _fingerprint(folder: Path) -> str:
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            digest.update(f"{path.relative_to(folder)} {path.stat().st_size}".encode())
    return digest.hexdigest()[:8]
