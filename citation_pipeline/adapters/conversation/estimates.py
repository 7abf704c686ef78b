"""What asking for a claim is likely to cost, before anybody is asked: by its documents, or by its pages."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from citation_pipeline.adapters.conversation.asks import Ask, Request
from citation_pipeline.adapters.conversation.measured_usage import (
    MeasuredUsage,
    RequestMeasures,
    Size,
)
from citation_pipeline.adapters.conversation.plans import (
    OVERHEAD,
    Counter,
    field_groups,
    plan_asks,
    readable_sources,
)
from citation_pipeline.adapters.conversation.settings import ConversationSettings
from citation_pipeline.adapters.conversation.shown_images import ShownImages
from citation_pipeline.adapters.conversation.windows import windows_at_once
from citation_pipeline.core.answers.long_lists import is_likely_list, long_tables
from citation_pipeline.core.documents.parsed import ParsedDocument
from citation_pipeline.core.documents.part_documents import dates_by_part
from citation_pipeline.core.planning.nights import PredictedCost
from citation_pipeline.core.planning.workloads import Workload
from citation_pipeline.core.prompts.guides import NO_GUIDE, Guide
from citation_pipeline.core.prompts.instructions import render_instructions
from citation_pipeline.core.prompts.lengths import sum_of, text_shape
from citation_pipeline.core.prompts.sources import in_order_of_date, plain_text
from citation_pipeline.core.schemas import Schema

Builder = Callable[[Ask], Request]
"""Gives the request of an ask as it would go out, but for what is drawn."""

_CHARACTERS_PER_PAGE = 2_500  # a full page of a medical report
_ANSWER_TOKENS = 10_000  # 84 fields with their citations
_OUTPUT_TOKENS_PER_SECOND = 60.0
_TOKENS_PER_LISTED_ROW = 90  # an item of five members with its citation
_TOKENS_PER_FIELD = 110  # a record with its citations
# before a model's first answer, a guess: every other question has a field of low confidence, whose second
# look shows a third of the documents; every question has two quotations on no page, of one document
_LOOKED_AT, _LOOK_SHARE, _REQUOTED_FIELDS = 0.5, 1 / 3, 2


@dataclass(frozen=True, slots=True)
class Estimate:
    """What asking for a claim is likely to cost; tokens by the settings' characters per token."""

    calls: int
    input_tokens: int
    output_tokens: int
    cost_usd: float


@dataclass(frozen=True, slots=True)
class Repeats:
    """Later requests about what was asked: their number, tokens and dollars."""

    calls: float
    input_tokens: float
    output_tokens: float
    dollars: float


def estimate(
    documents: Sequence[ParsedDocument],
    schema: Schema,
    settings: ConversationSettings,
    measured: MeasuredUsage | None = None,
    guide: Guide = NO_GUIDE,
    *,
    images: ShownImages | None = None,
    count: Counter | None = None,
    build: Builder | None = None,
) -> Estimate:
    """Return what a claim would cost, without a word to anyone: by what the model's requests took so far,
    before its first answer a guess from the text.

    A claim is cut as it will be when it is asked; `count` gives a prompt's likely tokens, `build` the request
    of an ask where the model's are measured.
    """
    sources = readable_sources(documents)
    if not sources:
        return Estimate(0, 0, 0, 0.0)
    instructions = render_instructions(schema, guide)
    count_images = images.tokens if images is not None else _no_images
    asks = plan_asks(
        in_order_of_date(sources, documents, dates_by_part(documents)) if count else sources,
        documents,
        schema,
        settings,
        count=count or _counter(settings, len(instructions)),
        count_images=count_images,
        guide=guide,
    )
    size = Size(0, 0)
    if measured is None or build is None:
        pictures = sum(map(count_images, asks))
        characters = sum(len(source) + OVERHEAD for ask in asks for source in ask.sources)
        asked = _guessed(characters, len(instructions), pictures, len(asks), schema, settings)
    else:
        size = size_of([build(ask) for ask in asks], measured)
        asked = _by_measure(measured.questions, size, len(asks))
    windows = _windows(documents, schema, settings, instructions, measured)
    again = _repeats(len(sources), asked, size, settings, measured)
    return Estimate(
        calls=asked.calls + windows.calls + round(again.calls),
        input_tokens=asked.input_tokens + windows.input_tokens + round(again.input_tokens),
        output_tokens=asked.output_tokens + windows.output_tokens + round(again.output_tokens),
        cost_usd=round(asked.cost_usd + windows.cost_usd + again.dollars, 4),
    )


def _no_images(ask: Ask) -> int:
    return 0


def _counter(settings: ConversationSettings, instructions: int) -> Counter:
    """Return what counts the likely tokens of a prompt by its characters."""

    def count(ask: Ask) -> int:
        shown = ask.character_count + OVERHEAD * len(ask.sources)
        return math.ceil((instructions + shown) / settings.characters_per_token)

    return count


def size_of(requests: Sequence[Request], measured: MeasuredUsage) -> Size:
    """Return the size of requests together."""
    shape = sum_of(*(request.text_shape for request in requests))
    tokens = measured.rates.of(shape, prompts=len(requests))
    return Size(tokens, sum(len(request.ask.sources) for request in requests), len(requests))


def _repeats(
    sources: int, asked: Estimate, size: Size, settings: ConversationSettings, measured: MeasuredUsage | None
) -> Repeats:
    """Return what is asked beyond the first questions, where the settings have it."""
    calls, read = asked.calls, asked.input_tokens
    kinds: list[Repeats] = []
    price = settings.profile().price_of(int(read / max(1, calls)))

    def guessed(asked: float, shown: float, fields: int) -> Repeats:
        written = asked * fields * _TOKENS_PER_FIELD
        return Repeats(asked, shown, written, (shown * price.input + written * price.output) / 1e6)

    if measured is None:
        if settings.second_look_fields:
            look = read * _LOOKED_AT * _LOOK_SHARE
            kinds.append(guessed(_LOOKED_AT * calls, look, settings.second_look_fields))
        if settings.requotes:
            kinds.append(guessed(calls, read / max(1, sources), _REQUOTED_FIELDS))
        return _sum(kinds)
    looks = measured.looks if settings.second_look_fields else None
    requotes = measured.requotes if settings.requotes else None
    for later in (measured.again, looks, requotes):
        if later is not None:
            found = _by_measure(later, size, 0)
            kinds.append(
                Repeats(later.calls.at(size), found.input_tokens, found.output_tokens, found.cost_usd)
            )
    if settings.requotes and requotes is None:
        kinds.append(guessed(calls, read / max(1, sources), _REQUOTED_FIELDS))
    return _sum(kinds)


def _sum(kinds: Sequence[Repeats]) -> Repeats:
    return Repeats(
        sum(one.calls for one in kinds),
        sum(one.input_tokens for one in kinds),
        sum(one.output_tokens for one in kinds),
        sum(one.dollars for one in kinds),
    )


def _guessed(
    characters: int,
    instructions: int,
    pictures: int,
    calls: int,
    schema: Schema,
    settings: ConversationSettings,
) -> Estimate:
    """Return the cost of `calls` first questions to a model that has not answered any yet."""
    groups = len(field_groups(schema, settings))
    per_token = settings.characters_per_token
    # a record with its citations takes some 110 tokens, a null one 40; thinking comes on top
    answer = min(settings.answer_limit(), 90 * len(schema.fields) // groups + 2_000)
    read = int(characters / per_token + instructions / per_token * calls) + pictures
    price = settings.profile().price_of(int(read / calls))
    dollars = (read * price.input + answer * calls * price.output) / 1e6
    return Estimate(calls, read, answer * calls, dollars)


def _by_measure(measures: RequestMeasures, size: Size, calls: int) -> Estimate:
    """Return the cost of requests of a size, by what such requests took."""
    return Estimate(
        calls,
        round(measures.input_tokens.at(size)),
        round(measures.output_tokens.at(size)),
        measures.dollars.at(size),
    )


def _windows(
    documents: Sequence[ParsedDocument],
    schema: Schema,
    settings: ConversationSettings,
    instructions: str,
    measured: MeasuredUsage | None,
) -> Estimate:
    """Return what the windows of long lists take: of tables that are headed like a list of the schema."""
    at_once = windows_at_once(settings.answer_limit())
    fixed = len(instructions) / settings.characters_per_token
    calls = read = written = 0
    dollars = 0.0
    for table in long_tables(one for one in documents if one.is_readable):
        if not is_likely_list(table, schema):
            continue
        asked = min(-(-len(table.data) // at_once), settings.window_requests - calls)
        if asked <= 0:
            break
        rows = min(len(table.data), asked * at_once)
        calls += asked
        shown = [plain_text(row.row.html) for row in table.rows]
        share = rows / len(table.data)
        if measured is not None and measured.windows is not None:
            rows_shape = sum_of(*map(text_shape, shown))
            each = tuple(round(count * share / asked) for count in rows_shape)
            size = Size(measured.rates.of(sum_of(text_shape(instructions), each)), 1.0)
            found = _by_measure(measured.windows, size, asked)
            read, written = read + found.input_tokens * asked, written + found.output_tokens * asked
            dollars += found.cost_usd * asked
            continue
        inside = round(asked * fixed + sum(map(len, shown)) * share / settings.characters_per_token)
        price = settings.profile().price_of(inside // asked)
        cached = round(asked * fixed)  # the instructions, which the first question has written to the cache
        output = rows * _TOKENS_PER_LISTED_ROW
        dollars += ((inside - cached) * price.input + cached * price.cache_read + output * price.output) / 1e6
        read, written = read + inside, written + output
    return Estimate(calls, read, written, dollars)


def price_of_work(
    work: Workload,
    schema: Schema | None,
    settings: ConversationSettings,
    measured: MeasuredUsage | None = None,
    guide: Guide = NO_GUIDE,
    *,
    images: ShownImages | None = None,
    count: Counter | None = None,
    build: Builder | None = None,
) -> PredictedCost:
    """Return what asking for a claim is likely to take: by its documents, or by its pages before they are."""
    if work.documents is not None and schema is not None:
        found = estimate(
            work.documents, schema, settings, measured, guide, images=images, count=count, build=build
        )
    else:
        limit = settings.prompt_limit()
        read = round(work.pages * _CHARACTERS_PER_PAGE / settings.characters_per_token)
        calls = -(-read // limit)
        written = calls * min(_ANSWER_TOKENS, settings.answer_limit())
        price = settings.profile().price_of(min(read, limit))
        dollars = round((read * price.input + written * price.output) / 1e6, 4)
        found = Estimate(calls, read, written, dollars)
    return PredictedCost(
        calls=found.calls,
        input_tokens=found.input_tokens,
        output_tokens=found.output_tokens,
        dollars=found.cost_usd,
        minutes=round(found.output_tokens / _OUTPUT_TOKENS_PER_SECOND / 60, 4),
    )
