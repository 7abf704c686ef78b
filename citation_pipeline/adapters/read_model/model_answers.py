"""A model as the writer of answers: one request a question, by the provider of any extractor that has one.

Its reply is validated here, its snippets are left to the matcher (`grounded_answers`).
"""

import json
from collections.abc import Sequence
from functools import cache

from jsonschema_rs import Draft202012Validator, ValidationError

from citation_pipeline.adapters.extractors.port import UnwrittenAnswerError, WritingExtractor, WrittenForm
from citation_pipeline.adapters.read_model.grounded_answers import GroundedSentence, ShownEvidence
from citation_pipeline.core.prompts.grounded_questions import (
    GROUNDED_INSTRUCTIONS,
    GROUNDED_REPLY_SCHEMA,
    render_grounded_question,
)

_MOST_SENTENCES = 12
# four sentences with their snippets, thinking included
_FORM = WrittenForm(GROUNDED_INSTRUCTIONS, GROUNDED_REPLY_SCHEMA, answer_tokens=4_000)


class ModelAnswerer:
    """Asks an extractor's provider for sentences with snippets."""

    def __init__(self, writer: WritingExtractor) -> None:
        self._writer = writer
        self.name = f"{writer.name}:{writer.model}"

    def answer(self, question: str, shown: ShownEvidence, *, claim_id: str) -> Sequence[GroundedSentence]:
        """Return the model's sentences; raises a PipelineError."""
        asked = render_grounded_question(question, shown.fields)
        return read_sentences(self._writer.write(asked, shown.sources, _FORM, claim_id=claim_id))


@cache
def _validator() -> Draft202012Validator:
    return Draft202012Validator(dict(GROUNDED_REPLY_SCHEMA))


def read_sentences(text: str) -> list[GroundedSentence]:
    """Read a reply's text; raises UnwrittenAnswerError for anything but the agreed form."""
    start, end = text.find("{"), text.rfind("}")
    try:
        answer = json.loads(text[start : end + 1])
        _validator().validate(answer)
    except (ValueError, RecursionError, ValidationError):
        # what the model wrote may quote a document: the cause would show it
        raise UnwrittenAnswerError("the model's answer is not in the agreed form: ask again") from None
    return [
        GroundedSentence(
            sentence["text"], [(snippet["source_id"], snippet["text"]) for snippet in sentence["snippets"]]
        )
        for sentence in answer["sentences"][:_MOST_SENTENCES]
        if sentence["text"].strip()
    ]
