"""What the environment says about agents. It is handed in: only the entry point reads it.

| variable | means |
| --- | --- |
| CITATION_PIPELINE_INBOX | where uploads go and the intake looks (default `<store>/inbox`) |
| CITATION_VIEWER_PUBLIC_URL | what is put before links, such as https://claims.example |
| CITATION_VIEWER_INDEX | where the search index lies (default in the store) |
| CITATION_VIEWER_SCHEMAS | schemas whose names conditions may use, comma-separated |
| CITATION_VIEWER_EMBEDDINGS_URL, _EMBEDDINGS_MODEL, _EMBEDDINGS_KEY | an endpoint for vectors: document
text goes there |
| CITATION_VIEWER_EMBEDDINGS_DIR | a folder with a sentence-transformers model instead |
| ANTHROPIC_API_KEY, ANTHROPIC_BASE_URL, CITATION_PIPELINE_MODEL | Claude as the writer of answers |
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from citation_pipeline.adapters.outbound_ledger import append_to
from citation_pipeline.adapters.read_model.grounded_answers import Answerer
from citation_pipeline.adapters.search_index.embeddings import (
    EmbeddingError,
    EmbeddingProvider,
    HttpEmbeddings,
    LocalEmbeddings,
)
from citation_pipeline.serving.api.agent_settings import AgentSettings


def read_agents(environment: Mapping[str, str], *, store: str) -> AgentSettings:
    """Return the settings; raises ValueError naming the variable that cannot be used."""

    def get(name: str, default: str = "") -> str:
        return environment.get(name, default).strip()

    schemas = tuple(
        part.strip() for part in get("CITATION_VIEWER_SCHEMAS", "workers_comp").split(",") if part.strip()
    )
    return AgentSettings(
        inbox=get("CITATION_PIPELINE_INBOX") or None,
        public_url=get("CITATION_VIEWER_PUBLIC_URL"),
        index_path=get("CITATION_VIEWER_INDEX") or None,
        schemas=schemas,
        embeddings=_embeddings(get, store),
        answerer=_answerer(get, store),
    )


def _embeddings(get: Callable[..., str], store: str) -> EmbeddingProvider | None:
    folder, url = get("CITATION_VIEWER_EMBEDDINGS_DIR"), get("CITATION_VIEWER_EMBEDDINGS_URL")
    if folder and url:
        raise ValueError("set one of CITATION_VIEWER_EMBEDDINGS_DIR and CITATION_VIEWER_EMBEDDINGS_URL")
    if folder:
        try:
            return LocalEmbeddings(Path(folder))
        except EmbeddingError as error:
            raise ValueError(f"CITATION_VIEWER_EMBEDDINGS_DIR: {error}") from error
    if not url:
        return None
    model = get("CITATION_VIEWER_EMBEDDINGS_MODEL")
    if not model:
        raise ValueError("CITATION_VIEWER_EMBEDDINGS_URL needs CITATION_VIEWER_EMBEDDINGS_MODEL")
    return HttpEmbeddings(
        url, model=model, api_key=get("CITATION_VIEWER_EMBEDDINGS_KEY"), ledger=append_to(_ledger_dir(store))
    )


def _answerer(get: Callable[..., str], store: str) -> Answerer | None:
    key = get("ANTHROPIC_API_KEY")
    if not key:
        return None
    from citation_pipeline.adapters.claude.client import ClaudeClient
    from citation_pipeline.adapters.claude.settings import ClaudeSettings
    from citation_pipeline.adapters.read_model.claude_answers import ClaudeAnswerer

    chosen: dict[str, Any] = {}
    if get("ANTHROPIC_BASE_URL"):
        chosen["base_url"] = get("ANTHROPIC_BASE_URL")
    if get("CITATION_PIPELINE_MODEL"):
        chosen["model"] = get("CITATION_PIPELINE_MODEL")
    # a person waits for the answer: fewer and shorter waits than a nightly batch takes
    settings = ClaudeSettings(attempts=2, longest_wait_s=10.0, call_timeout_s=120.0, **chosen)
    return ClaudeAnswerer(ClaudeClient(key, settings, ledger=append_to(_ledger_dir(store))))


def _ledger_dir(store: str) -> Path:
    """Return where the pipeline keeps its ledger too: beside a local store's tables."""
    return Path("data/work" if "://" in store else store) / "ledger"
