"""How a model is asked: limits, and waiting times; the same for every provider."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from citation_pipeline.adapters.conversation.profiles import Effort, ModelProfile, UnknownModelError
from citation_pipeline.core.prompts.page_images import ImageLimits


@dataclass(frozen=True)
class ConversationSettings:
    """Tokens are the model's own, times are seconds.

    `prompt_tokens` is how much of a claim goes into one request: less than the context window, since recall
    falls in very long prompts. `follow_ups` is the number of further requests that one claim may cost to
    ask again for what came back missing, cut or refused. `window_requests` bounds those for lists
    that are longer than an answer. `fallback_model` is asked once when a document is refused.
    """

    model: str = ""
    effort: Effort | None = None  # None: the profile's
    fallback_model: str | None = None
    base_url: str = ""
    prompt_tokens: int = 180_000
    answer_tokens: int = 32_000  # thinking included; 84 fields take some 12,000
    characters_per_token: float = 2.8  # for estimates; dense forms and figures tokenize worse than prose
    fields_per_request: int = 120  # beyond it an answer may not fit `answer_tokens`
    follow_ups: int = 12
    structured: bool = True
    attempts: int = 6
    first_wait_s: float = 1.0
    longest_wait_s: float = 120.0  # when the provider asks for more, the claim is given back instead
    connect_timeout_s: float = 10.0
    silence_timeout_s: float = 180.0  # between two bytes; a thinking model sends pings
    call_timeout_s: float = 1800.0
    models: Mapping[str, ModelProfile] = field(default_factory=dict)
    requotes: bool = False  # ask once more for quotations that are on no page
    window_requests: int = 60  # of a claim's long lists: some 3,000 rows
    second_look_fields: int = 8  # of a claim, that an answer was not sure of; 0: none is looked at again
    batches_allowed: bool = False  # only for data that is no protected health information
    prompts_dir: Path | None = None  # of files that add to a schema's prompt
    page_images: bool = False  # show pictures of scans and tables: health data leaves as pictures
    images_per_claim: int = 40  # at most
    pdf_passwords: tuple[str, ...] = field(default=(), repr=False)  # of the files whose pages are drawn

    def profile(self, model: str | None = None) -> ModelProfile:
        """Return the limits and prices of a model, by default the configured one."""
        wanted = model or self.model
        if wanted not in self.models:
            raise UnknownModelError(wanted, self.models)
        return self.models[wanted]

    def effort_of(self, model: str) -> Effort | None:
        """Return the effort to ask a model for, None where it takes none."""
        profile = self.profile(model)
        return None if profile.effort is None else (self.effort or profile.effort)

    def images_of(self, model: str | None = None) -> ImageLimits | None:
        """Return what a model takes of pictures; None where it sees none, or they are not allowed."""
        return self.profile(model).images if self.page_images else None

    def prompt_limit(self, model: str | None = None) -> int:
        """Return the most tokens of one prompt."""
        profile = self.profile(model)
        return min(self.prompt_tokens, profile.context_tokens - self.answer_limit(model))

    def answer_limit(self, model: str | None = None) -> int:
        """Return the most tokens of one answer: never more than half of a small window."""
        profile = self.profile(model)
        return min(self.answer_tokens, profile.output_tokens, profile.context_tokens // 2)

    def fields_at_once(self, model: str | None = None) -> int:
        """Return how many fields one answer has room for."""
        return max(1, min(self.fields_per_request, self.answer_limit(model) // TOKENS_PER_FIELD))


TOKENS_PER_FIELD = 110  # a record with its citations; a null one takes 40
