"""The prompt's fingerprint: it changes when anything changes that the model is told beside the documents."""

import hashlib
import json

from citation_pipeline.core.prompts.instructions import render_instructions
from citation_pipeline.core.prompts.questions import render_question
from citation_pipeline.core.prompts.reply_format import REPLY_SCHEMA
from citation_pipeline.core.prompts.sources import SourceText, render_sources
from citation_pipeline.core.schemas import Schema

_EXAMPLE = (SourceText(source_id="source", title="Title", text="Text", first_page=1, last_page=1),)


def prompt_fingerprint(schema: Schema) -> str:
    """Return 16 hexadecimal digits over instructions, question, document marks and reply format."""
    payload = json.dumps(
        [
            render_instructions(schema),
            render_sources(_EXAMPLE),
            render_question(None),
            render_question(["key"]),
            render_question(["key"], is_again=True, row_counts={"key": 2}),
            REPLY_SCHEMA,
        ],
        sort_keys=True,
        default=dict,
    )
    return hashlib.sha256(payload.encode()).hexdigest()[:16]
