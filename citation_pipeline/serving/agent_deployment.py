"""How agents are served, made of the deployment's settings."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

from citation_pipeline.adapters.deployment.deployment import Deployment
from citation_pipeline.adapters.extractors.port import WritingExtractor
from citation_pipeline.adapters.object_storage.addresses import is_remote
from citation_pipeline.adapters.read_model.grounded_answers import Answerer
from citation_pipeline.adapters.read_model.published_confidence import ConfidenceRules
from citation_pipeline.adapters.reader_settings import ReaderSettings
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
        inbox=deployment.inbox
        or (str(deployment.work_dir / "uploads") if is_remote(deployment.store) else deployment.inbox),
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
        url, model=model, api_key=deployment.embeddings_key, ledger=_readers_of(deployment).ledger
    )


def _answerer(deployment: Deployment) -> Answerer | None:
    """Return who writes answers: the named extractor's provider, else Claude where there is a key."""
    name = deployment.answers or ("claude" if deployment.anthropic_key else "none")
    if name == "none":
        return None
    from citation_pipeline.adapters.installed_readers import EXTRACTORS, InstalledReaders
    from citation_pipeline.adapters.read_model.model_answers import ModelAnswerer

    variables = deployment.variables
    if not deployment.answers and not (deployment.model or "").startswith("claude-"):
        # any other model is an extractor's at another provider
        variables.pop("CITATION_PIPELINE_MODEL", None)
    readers = InstalledReaders(EXTRACTORS, replace(_readers_of(deployment), variables=variables))
    if name not in readers:
        raise ValueError(f"CITATION_VIEWER_ANSWERS: there is no extractor {name!r}: {_writers(readers)}")
    if not getattr(readers[name], "writes_answers", False):
        raise ValueError(f"CITATION_VIEWER_ANSWERS: {name!r} writes no answers: {_writers(readers)}")
    return ModelAnswerer(cast(WritingExtractor, readers[name]()))


def _writers(readers: Mapping[str, Any]) -> str:
    known = [name for name in sorted(readers) if getattr(readers[name], "writes_answers", False)]
    return f"choose one of {', '.join(known)}, or none"


def _readers_of(deployment: Deployment) -> ReaderSettings:
    return ReaderSettings(
        work_dir=deployment.work_dir,
        store=deployment.store,
        coordination_url=deployment.coordination_url,
    )
