"""How agents are served, made of the deployment's settings."""

from typing import Any

from citation_pipeline.adapters.deployment.deployment import Deployment
from citation_pipeline.adapters.outbound_ledger import append_to
from citation_pipeline.adapters.read_model.grounded_answers import Answerer
from citation_pipeline.adapters.read_model.published_confidence import ConfidenceRules
from citation_pipeline.adapters.search_index.embeddings import (
    EmbeddingError,
    EmbeddingProvider,
    HttpEmbeddings,
    LocalEmbeddings,
)
from citation_pipeline.serving.api.agent_settings import AgentSettings


def agents_of(deployment: Deployment) -> AgentSettings:
    """Return the settings; raises ValueError naming the variable that cannot be used."""
    return AgentSettings(
        inbox=deployment.inbox,
        public_url=deployment.public_url,
        index_path=deployment.index_path,
        schemas=tuple(part.strip() for part in deployment.schemas.split(",") if part.strip()),
        min_similarity=deployment.min_similarity,
        confidence_rules=ConfidenceRules(deployment.confidence_floor, deployment.keyword_boost),
        embeddings=_embeddings(deployment),
        answerer=_answerer(deployment),
    )


def _embeddings(deployment: Deployment) -> EmbeddingProvider | None:
    folder, url, model = deployment.embeddings_dir, deployment.embeddings_url, deployment.embeddings_model
    if folder and url:
        raise ValueError("set one of CITATION_VIEWER_EMBEDDINGS_DIR and CITATION_VIEWER_EMBEDDINGS_URL")
    if folder:
        try:
            return LocalEmbeddings(folder)
        except EmbeddingError as error:
            raise ValueError(f"CITATION_VIEWER_EMBEDDINGS_DIR: {error}") from error
    if not url:
        return None
    if not model:
        raise ValueError("CITATION_VIEWER_EMBEDDINGS_URL needs CITATION_VIEWER_EMBEDDINGS_MODEL")
    return HttpEmbeddings(
        url, model=model, api_key=deployment.embeddings_key, ledger=append_to(deployment.ledger_dir)
    )


def _answerer(deployment: Deployment) -> Answerer | None:
    if not deployment.anthropic_key:
        return None
    from citation_pipeline.adapters.claude.client import ClaudeClient
    from citation_pipeline.adapters.claude.settings import ClaudeSettings
    from citation_pipeline.adapters.conversation.profile_files import VARIABLE, read_profiles
    from citation_pipeline.adapters.read_model.claude_answers import ClaudeAnswerer

    chosen: dict[str, Any] = {}
    if deployment.anthropic_url:
        chosen["base_url"] = deployment.anthropic_url
    model = deployment.variables.get("CITATION_PIPELINE_MODEL_CLAUDE") or deployment.model or ""
    if model.startswith("claude-"):  # any other is an extractor's at another provider
        profiles = read_profiles(deployment.variables.get(VARIABLE, ""))
        chosen |= {"model": model, "models": profiles.covering(model)}
    # a person waits for the answer: fewer and shorter waits than a nightly batch takes
    settings = ClaudeSettings(attempts=2, longest_wait_s=10.0, call_timeout_s=120.0, **chosen)
    client = ClaudeClient(deployment.anthropic_key, settings, ledger=append_to(deployment.ledger_dir))
    return ClaudeAnswerer(client)
