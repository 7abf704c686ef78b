"""Claude as the writer of answers: one request a question, its reply validated, its snippets left to the
matcher."""

import json
from collections.abc import Sequence

import jsonschema

from citation_pipeline.adapters.claude.client import ClaudeClient
from citation_pipeline.adapters.claude.requests import fingerprint_of
from citation_pipeline.adapters.conversation.asks import Ask, Request
from citation_pipeline.adapters.read_model.grounded_answers import GroundedSentence, ShownEvidence
from citation_pipeline.core.failures import PipelineError
from citation_pipeline.core.prompts.grounded_questions import (
    GROUNDED_INSTRUCTIONS,
    GROUNDED_REPLY_SCHEMA,
    render_grounded_question,
)
from citation_pipeline.core.prompts.sources import render_sources

_ANSWER_TOKENS = 4_000  # four sentences with their snippets, thinking included
_MOST_SENTENCES = 12


class GroundedAnswerError(PipelineError):
    """A model's answer that cannot be read; the question can be asked again, or answered extractively."""


class ClaudeAnswerer:
    """Asks Claude for sentences with snippets."""

    def __init__(self, client: ClaudeClient) -> None:
        self._client = client
        self.name = f"claude:{client.settings.model}"

    def answer(self, question: str, shown: ShownEvidence, *, claim_id: str) -> Sequence[GroundedSentence]:
        """Return the model's sentences; raises GroundedAnswerError or a ClaudeError."""
        settings = self._client.settings
        budget = int(settings.prompt_limit() * settings.characters_per_token)
        sources, size = [], 0
        for source in shown.sources:
            if size + len(source) > budget:
                continue
            sources.append(source)
            size += len(source)
        asked, pages = render_grounded_question(question, shown.fields), render_sources(sources)
        config: dict[str, object] = {"format": {"type": "json_schema", "schema": GROUNDED_REPLY_SCHEMA}}
        if (effort := settings.effort_of(settings.model)) is not None:
            config["effort"] = effort
        body = {
            "model": settings.model,
            "max_tokens": min(_ANSWER_TOKENS, settings.answer_limit()),
            "system": [{"type": "text", "text": GROUNDED_INSTRUCTIONS}],
            "messages": [
                {
                    "role": "user",
                    "content": [{"type": "text", "text": pages}, {"type": "text", "text": asked}],
                }
            ],
            "output_config": config,
        }
        request = Request(
            ask=Ask(sources=tuple(sources), model=settings.model),
            body=body,
            fingerprint=fingerprint_of(body),
            character_count=len(GROUNDED_INSTRUCTIONS) + len(pages) + len(asked),
            purpose="question",
        )
        reply = self._client.ask(request, claim_id=claim_id).reply
        if not reply.is_complete:
            raise GroundedAnswerError(f"the model stopped early ({reply.stop_reason}): ask again")
        return read_sentences(reply.text)


def read_sentences(text: str) -> list[GroundedSentence]:
    """Read a reply's text; raises GroundedAnswerError for anything but the agreed form."""
    start, end = text.find("{"), text.rfind("}")
    try:
        answer = json.loads(text[start : end + 1])
        jsonschema.validate(answer, GROUNDED_REPLY_SCHEMA)
    except (ValueError, RecursionError, jsonschema.ValidationError) as error:
        raise GroundedAnswerError("the model's answer is not in the agreed form: ask again") from error
    return [
        GroundedSentence(
            sentence["text"], [(snippet["source_id"], snippet["text"]) for snippet in sentence["snippets"]]
        )
        for sentence in answer["sentences"][:_MOST_SENTENCES]
        if sentence["text"].strip()
    ]
