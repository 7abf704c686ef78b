"""What asking for a claim is likely to cost, before anybody is asked: by its documents, or by its pages."""

from collections.abc import Sequence
from dataclasses import dataclass

from citation_pipeline.adapters.conversation.measured_usage import MeasuredUsage, Repeats
from citation_pipeline.adapters.conversation.plans import MARGIN, OVERHEAD, field_groups, readable_sources
from citation_pipeline.adapters.conversation.settings import ConversationSettings
from citation_pipeline.adapters.conversation.windows import windows_at_once
from citation_pipeline.core.answers.long_lists import is_likely_list, long_tables
from citation_pipeline.core.documents.parsed import ParsedDocument
from citation_pipeline.core.planning.nights import PredictedCost
from citation_pipeline.core.planning.workloads import Workload
from citation_pipeline.core.prompts.guides import NO_GUIDE, Guide
from citation_pipeline.core.prompts.instructions import render_instructions
from citation_pipeline.core.schemas import Schema

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


def estimate(
    documents: Sequence[ParsedDocument],
    schema: Schema,
    settings: ConversationSettings,
    measured: MeasuredUsage | None = None,
    guide: Guide = NO_GUIDE,
) -> Estimate:
    """Return what a claim would cost, without a word to anyone: by what the model's requests took so far,
    before its first answer a guess from characters."""
    sources = readable_sources(documents)
    groups = len(field_groups(schema, settings))
    per_token = settings.characters_per_token
    instructions = len(render_instructions(schema, guide))
    fixed = instructions / per_token
    room = (settings.prompt_limit() - fixed) * per_token * MARGIN
    characters = sum(len(source) + OVERHEAD for source in sources)
    parts = 0 if not sources else max(1, -(-characters // max(1, int(room))))
    profile = settings.profile()
    # a record with its citations takes some 110 tokens, a null one 40; thinking comes on top
    answer = min(settings.answer_limit(), 90 * len(schema.fields) // groups + 2_000)
    calls = parts * groups
    read = int(characters / per_token * groups + fixed * calls)
    price = profile.price_of(int(read / max(1, calls)))
    if measured is not None and calls:
        asked = instructions + characters / parts
        answer = min(settings.answer_limit(), round(measured.answer_tokens.within(asked)))
        read = round(measured.prompt_tokens.at(asked) * calls)
        prompts = measured.prompt_dollars.at(asked) * calls
        price = profile.price_of(read // calls)
    else:
        prompts = read * price.input / 1e6
    dollars = prompts + answer * calls * price.output / 1e6
    windows = _windows(documents, schema, settings, fixed)
    again = _repeats(len(sources), calls, read, settings, measured)
    return Estimate(
        calls=calls + windows.calls + round(again.calls),
        input_tokens=read + windows.input_tokens + round(again.input_tokens),
        output_tokens=answer * calls + windows.output_tokens + round(again.output_tokens),
        cost_usd=round(dollars + windows.cost_usd + again.dollars, 4),
    )


def _repeats(
    sources: int, calls: int, read: int, settings: ConversationSettings, measured: MeasuredUsage | None
) -> Repeats:
    """Return what second looks and questions for other quotations take, where the settings have them."""
    kinds: list[Repeats] = []
    price = settings.profile().price_of(int(read / max(1, calls)))

    def guessed(asked: float, shown: float, fields: int) -> Repeats:
        written = asked * fields * _TOKENS_PER_FIELD
        return Repeats(asked, shown, written, (shown * price.input + written * price.output) / 1e6)

    if settings.second_look_fields:
        looks = measured.looks if measured is not None else None
        share = _LOOKED_AT if measured is None else 0.0  # who answered without a second look needs none
        kinds.append(
            _times(looks, calls)
            if looks is not None
            else guessed(share * calls, share * read * _LOOK_SHARE, settings.second_look_fields)
        )
    if settings.requotes and calls:
        requotes = measured.requotes if measured is not None else None
        kinds.append(
            _times(requotes, calls)
            if requotes is not None
            else guessed(calls, read / max(1, sources), _REQUOTED_FIELDS)
        )
    return Repeats(
        sum(one.calls for one in kinds),
        sum(one.input_tokens for one in kinds),
        sum(one.output_tokens for one in kinds),
        sum(one.dollars for one in kinds),
    )


def _times(each: Repeats, calls: int) -> Repeats:
    return Repeats(
        each.calls * calls, each.input_tokens * calls, each.output_tokens * calls, each.dollars * calls
    )


def _windows(
    documents: Sequence[ParsedDocument], schema: Schema, settings: ConversationSettings, fixed: float
) -> Estimate:
    """Return what the windows of long lists take: of tables that are headed like a list of the schema."""
    at_once = windows_at_once(settings.answer_limit())
    calls = read = written = 0
    for table in long_tables(one for one in documents if one.is_readable):
        if not is_likely_list(table, schema):
            continue
        asked = min(-(-len(table.data) // at_once), settings.window_requests - calls)
        rows = min(len(table.data), asked * at_once)
        calls += asked
        size = sum(len(row.row.html) for row in table.rows) * rows / len(table.data)
        read += round(asked * fixed + size / settings.characters_per_token)
        written += rows * _TOKENS_PER_LISTED_ROW
    price = settings.profile().price_of(read // max(1, calls))
    cached = round(calls * fixed)  # the instructions, which the first question has written to the cache
    dollars = ((read - cached) * price.input + cached * price.cache_read + written * price.output) / 1e6
    return Estimate(calls, read, written, dollars)


def price_of_work(
    work: Workload,
    schema: Schema | None,
    settings: ConversationSettings,
    measured: MeasuredUsage | None = None,
    guide: Guide = NO_GUIDE,
) -> PredictedCost:
    """Return what asking for a claim is likely to take: by its documents, or by its pages before they are."""
    if work.documents is not None and schema is not None:
        found = estimate(work.documents, schema, settings, measured, guide)
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
