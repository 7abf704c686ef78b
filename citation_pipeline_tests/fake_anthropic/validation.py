"""What the API refuses with a 400, as far as the contract tells: parameters, formats, schemas, sizes."""

from collections.abc import Mapping
from typing import Any

from citation_pipeline_tests.fake_images import BadImageError, images_in

NO_FORCED_TOOLS = ("claude-opus-5-5", "claude-sonnet-5-5", "claude-fable-5-1", "claude-mythos-5-1")
NO_DISABLED_THINKING = ("claude-opus-5-5", "claude-sonnet-5-5")
NO_EFFORT = ("claude-sonnet-4-5", "claude-haiku-4-5")
MODELS = {
    # id: context tokens, output tokens
    "claude-opus-5-5": (1_000_000, 128_000),
    "claude-sonnet-5-5": (1_000_000, 128_000),
    "claude-haiku-5-5": (1_000_000, 128_000),
    "claude-fable-5-1": (1_000_000, 128_000),
    "claude-haiku-4-5": (200_000, 64_000),
    "claude-sonnet-4-5-20250929": (200_000, 64_000),
}


def fault_of(body: Any, *, counting: bool = False) -> str | None:
    """Return the message of the 400 that a body earns, or None."""
    if not isinstance(body, dict):
        return "The request body is not a JSON object"
    for name in ("model", "messages") if counting else ("model", "messages", "max_tokens"):
        if name not in body:
            return f"{name}: Field required"
    checks = (_parameters, _thinking, _tools, _messages, _formats)
    if body["model"] not in MODELS:
        return None  # a 404, not a 400
    if not counting and not 0 < body["max_tokens"] <= MODELS[body["model"]][1]:
        return (
            f"max_tokens: {body['max_tokens']} > {MODELS[body['model']][1]}, the maximum for {body['model']}"
        )
    return next((fault for check in checks if (fault := check(body)) is not None), None)


def _parameters(body: Mapping[str, Any]) -> str | None:
    for name in ("temperature", "top_p", "top_k"):
        if name in body:
            return f"{name}: Extra inputs are not permitted"
    if "effort" in body.get("output_config", {}) and body["model"].startswith(NO_EFFORT):
        return "output_config.effort: not supported by this model"
    return None


def _thinking(body: Mapping[str, Any]) -> str | None:
    kind = body.get("thinking", {}).get("type")
    if kind in ("disabled", "enabled") and body["model"] in NO_DISABLED_THINKING:
        return f'thinking: type "{kind}" is not supported for this model.'
    return None


def _tools(body: Mapping[str, Any]) -> str | None:
    if body.get("tool_choice", {}).get("type") in ("any", "tool") and body["model"] in NO_FORCED_TOOLS:
        return 'tool_choice: type "tool" and "any" are not supported for this model.'
    return None


def _messages(body: Mapping[str, Any]) -> str | None:
    messages = body["messages"]
    if not messages or messages[-1].get("role") == "assistant":
        return (
            "This model does not support assistant message prefill. "
            "The conversation must end with a user message."
        )
    cited = []
    for number, message in enumerate(messages):
        content = message.get("content")
        for block in content if isinstance(content, list) else ():
            if block.get("type") == "document":
                if message.get("role") == "assistant":
                    return f"messages.{number}: document blocks are not permitted in assistant messages"
                cited.append(bool(block.get("citations", {}).get("enabled")))
            if block.get("type") == "text" and block.get("citations"):
                return f"messages.{number}: citations are not permitted on text of user messages"
    try:
        images_in(body)
    except BadImageError as error:
        return f"messages.0.content: {error}"
    if any(cited) and not all(cited):
        return "citations must be enabled on all documents of a request or on none"
    if any(cited) and "format" in body.get("output_config", {}):
        return "citations cannot be used together with output_config.format"
    return None


def _formats(body: Mapping[str, Any]) -> str | None:
    form = body.get("output_config", {}).get("format")
    if form is None:
        return None
    if form.get("type") != "json_schema" or not isinstance(form.get("schema"), dict):
        return "output_config.format: a json_schema with a schema is required"
    counts = {"optional": 0, "unions": 0}
    fault = _schema(form["schema"], counts, depth=0)
    if fault is None and counts["optional"] > 24:
        fault = "Schema is too complex: more than 24 optional parameters"
    if fault is None and counts["unions"] > 16:
        fault = "Schema is too complex: more than 16 union-typed parameters"
    return fault


def _schema(node: Any, counts: dict[str, int], *, depth: int) -> str | None:
    if depth > 30 or (isinstance(node, dict) and str(node.get("$ref", "")).startswith("#/$defs")):
        return "output_config.format.schema: recursive schemas are not supported"
    if isinstance(node, list):
        return next((f for member in node if (f := _schema(member, counts, depth=depth + 1))), None)
    if not isinstance(node, dict):
        return None
    if node.get("type") == "object" and node.get("additionalProperties") is not False:
        return (
            "output_config.format.schema: For 'object' type, "
            "'additionalProperties' must be explicitly set to false"
        )
    if "properties" in node:
        counts["optional"] += len(set(node["properties"]) - set(node.get("required", ())))
    if "anyOf" in node or isinstance(node.get("type"), list):
        counts["unions"] += 1
    members = [
        member
        for name, member in node.items()
        if name not in ("enum", "required", "const") and name != "$defs"
    ]
    return next((f for member in members if (f := _schema(member, counts, depth=depth + 1))), None)
