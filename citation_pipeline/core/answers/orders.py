"""Text in a document that gives orders to a model that reads it.

Prompts tell a model that documents are data, and replies are checked whatever it did. Beyond that, a document
that was written to steer its reader is no evidence by itself: what only such documents state is in doubt.
"""

import re

WARNING = "order_in_document"
"""Of a field that only documents with such text state; also the issue's code, with the document."""

_RULES = r"(?:instructions?|rules?|prompts?|directions|guidelines|guardrails)"
_ORDERS = re.compile(
    "|".join(
        (
            rf"\b(?:ignore|disregard|forget|override|bypass)\b[^.\n]{{0,40}}\b{_RULES}\b",
            r"\b(?:mark|report|return|answer|set|treat|output|label|flag|confirm|verify)\b[^.\n]{0,30}"
            r"\b(?:every|all|each|any)\b[^.\n]{0,30}\b(?:fields?|values?|answers?|extractions?|citations?)\b",
            r"\bconfidence\b[^.\n]{0,15}\b(?:high|1\.0|100 ?%)[^.\n]{0,40}\b(?:fields?|values?|every|all)\b",
            r"\byou are (?:now )?(?:an? |the )?(?:ai|assistant|language model|llm|chat ?bot)\b",
            r"\b(?:as|dear|attention|note to(?: the)?) (?:an? )?(?:ai|llm|language model)s?\b",
            r"\b(?:field_key|text_snippet|source_id)\b|\"extractions\"\s*:",
            r"<\|?(?:im_start|im_end|system|endoftext)\|?>|\[/?INST\]|<<SYS>>",
            r"<{3}(?:BEGIN|END) DOCUMENT",
        )
    ),
    re.IGNORECASE,
)


def gives_orders(text: str) -> bool:
    """Tell whether a text addresses a model, names its answer's format, or forges the marks of a prompt."""
    return _ORDERS.search(text) is not None
