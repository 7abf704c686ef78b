"""What a deployment chose for every model: the same settings, whichever provider is asked."""

from pathlib import Path
from typing import Any

from citation_pipeline.adapters.conversation.guide_files import VARIABLE
from citation_pipeline.adapters.conversation.settings import ConversationSettings
from citation_pipeline.adapters.reader_settings import ReaderSettings

_MOST_IMAGES = ConversationSettings.images_per_claim


def choices_of(settings: ReaderSettings) -> dict[str, Any]:
    """Return the `ConversationSettings` that a deployment's variables name."""
    return {
        "prompts_dir": prompts_dir(settings),
        "requotes": _is_on(settings, "CITATION_PIPELINE_REQUOTES"),
        "page_images": _is_on(settings, "CITATION_PIPELINE_PAGE_IMAGES"),
        "images_per_claim": int(settings.variable("CITATION_PIPELINE_PAGE_IMAGES_MOST") or _MOST_IMAGES),
        "pdf_passwords": settings.pdf_passwords,
        "batches_allowed": _is_on(settings, "CITATION_PIPELINE_CLAUDE_BATCHES"),  # of any provider
    }


def _is_on(settings: ReaderSettings, name: str) -> bool:
    return settings.variable(name).lower() in ("1", "true", "yes", "on")


def prompts_dir(settings: ReaderSettings) -> Path:
    """Return the folder of what people add to prompts."""
    named = settings.variable(VARIABLE)
    return Path(named) if named else settings.work_dir / "prompts"
