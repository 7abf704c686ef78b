"""The published designs, row by row: what works is named with its tests, what differs with its reason.

A row's number is that of the review of the designs (files 000 to 004 and the card). `works` rows name tests
of this folder, as `module::test`; `differs` rows name the line of `docs/differences.md` that says why and how
to get the published behaviour. A row without either fails, and so does a test or a line that is not there.
"""

import ast
from dataclasses import dataclass
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent


@dataclass(frozen=True)
class Row:
    """A row of the designs; one of `works` and `differs` is given, or both where a part differs."""

    number: int
    what: str
    works: tuple[str, ...] = ()
    differs: str = ""


ROWS = (
    # 000: extraction pipeline with citations
    Row(6, "page markers enabled", differs="page markers asked of the parser"),
    Row(10, "{slug}.md keeps tables", ("published_files::a_table_stays_a_table_in_the_text",)),
    Row(
        11,
        "sources_index.json",
        (
            "published_files::the_register_names_each_source_with_its_text_and_its_parse",
            "published_files::a_run_leaves_the_register_and_the_raw_extraction_in_the_store",
        ),
    ),
    Row(13, "two seconds between calls", differs="two seconds between calls"),
    Row(23, "one fixed model", differs="one fixed model"),
    Row(24, "a single answer", differs="one prompt, one answer"),
    Row(
        25,
        "extraction_raw.json",
        (
            "published_files::a_run_leaves_the_register_and_the_raw_extraction_in_the_store",
            "published_files::the_raw_extraction_can_be_replayed",
        ),
    ),
    Row(28, "substring beats fuzzy", differs="substring before fuzzy"),
    Row(
        33,
        "display values as people write them",
        (
            "published_files::the_data_reads_as_people_write_it_beside_the_typed_value",
            "published_files::values_are_written_as_their_documents_write_them",
            "published_files::dates_take_the_form_that_most_of_the_claims_dates_have",
        ),
    ),
    Row(
        35,
        "sources of data.json with a path that is served",
        ("published_files::the_data_reads_as_people_write_it_beside_the_typed_value",),
    ),
    Row(40, "a blue rectangle that fades", differs="a blue rectangle that fades"),
    Row(46, "a static site with pdf.js", differs="a static site with pdf.js"),
    Row(
        50,
        "documents known by the slug of their name",
        (
            "document_identities::a_renamed_file_keeps_its_id_its_citations_and_what_was_signed",
            "document_identities::a_claim_renamed_scanned_again_and_matched_again_keeps_every_verification",
        ),
        differs="blocks as `source_id` slugs",
    ),
    Row(
        52,
        "confidence",
        (
            "resolution_confidence::confidence_orders_quotations_by_how_far_they_can_be_believed",
            "field_confidence::the_parts_add_up_to_the_number",
        ),
    ),
    # 001: study protocol
    Row(56, "names of a snippet's offsets", differs="`field_name`, `startOffset`, `endOffset`"),
    Row(61, "Zod schemas", differs="Zod schemas in a shared package"),
    # 002: data model
    Row(62, "ade_chunks.json", ("published_files::chunks_words_and_sentences_fit_together",)),
    Row(63, "fine_geometry.json", ("published_files::chunks_words_and_sentences_fit_together",)),
    Row(64, "sentence_index.json", ("published_files::chunks_words_and_sentences_fit_together",)),
    Row(65, "highlights", ("published_files::a_highlight_has_polygons_the_files_hash_and_its_pass",)),
    Row(67, "a number before every token", differs="a number before every token"),
    Row(69, "resolve artifact", ("published_files::artifacts_explain_a_resolution_and_a_models_span",)),
    Row(70, "llm_resolve artifact", ("published_files::artifacts_explain_a_resolution_and_a_models_span",)),
    # 003: MCP
    Row(
        71,
        "citation object",
        (
            "agents_rest::a_citation_has_its_place_its_surroundings_and_its_links",
            "agents_rest::the_three_forms_read_as_agreed",
            "agents_rest::a_citation_is_in_points_of_the_page_where_that_is_asked_for",
        ),
    ),
    Row(
        74,
        "search result with summary and context for a model",
        ("agents_rest::the_published_search_maps_citations_by_field",),
    ),
    Row(
        75,
        "get_field_provenance(document_id, field_name)",
        ("mcp_tools::the_published_arguments_work_beside_ours",),
    ),
    Row(78, "aggregate(query, template)", ("mcp_tools::the_published_arguments_work_beside_ours",)),
    Row(
        79,
        "aggregation with sources and a summary",
        (
            "mcp_tools::the_published_arguments_work_beside_ours",
            "aggregate_answers::two_hundred_aggregates_equal_an_independent_computation",
        ),
    ),
    Row(
        80,
        "GET /api/search with citations by field",
        (
            "agents_rest::the_published_search_maps_citations_by_field",
            "agents_rest::get_and_post_search_alike_page_by_page_and_answer_unchanged_with_304",
        ),
    ),
    Row(82, "POST /api/mcp/search", ("agents_rest::the_published_search_maps_citations_by_field",)),
    Row(
        86,
        "verified of these words",
        (
            "changed_after_review::rest_calls_neither_value_verified",
            "changed_after_review::mcp_tools_call_neither_value_verified",
            "changed_after_review::aggregates_leave_it_out_and_show_both_values",
        ),
    ),
    Row(
        89,
        "ordering by value, quarters",
        (
            "conditions::an_order_is_understood",
            "conditions::a_condition_is_understood_word_by_word",
            "aggregate_answers::groups_come_in_the_order_asked_for",
        ),
    ),
    # 004: UltraDoc
    Row(
        90,
        "upload, in the page too",
        (
            "agents_rest::uploads_arrive_whole_under_clean_names_in_the_inbox",
            "viewer_upload::a_document_is_uploaded_into_a_claim_with_a_schema_and_read",
        ),
    ),
    Row(92, "names of the confidence's parts", differs="`confidence_details` names"),
    Row(93, "floor and boosts", differs="`confidence_details` names"),
    Row(
        94,
        "Not found in document.",
        (
            "mcp_tools::what_the_documents_do_not_say_is_refused_in_exactly_these_words",
            "questions_labelled::an_answer_that_is_shown_as_sure_is_hardly_ever_wrong",
        ),
    ),
    Row(95, "MIN_SIMILARITY", ("answer_threshold::the_setting_reaches_the_answers",)),
    Row(
        97,
        "metadata of documents",
        (
            "document_types::a_document_is_known_by_its_title_and_dated_by_its_own_day",
            "search_index::identifiers_are_known_by_their_form",
        ),
    ),
    Row(
        98,
        "hybrid retrieval",
        (
            "search_index::vectors_join_the_ranking_when_there_is_a_provider",
            "search_bert::the_local_provider_runs_it_and_names_it",
        ),
        differs="hybrid retrieval always on",
    ),
    Row(
        99,
        "schema by document type in /extract",
        ("agents_rest::an_extraction_may_name_schema_and_extractor_but_no_path",),
    ),
    Row(
        100,
        "schema by document type on the command line",
        (
            "mixed_folders::a_lone_document_is_read_by_the_schema_of_its_kind",
            "mixed_folders::documents_of_several_kinds_have_fields_of_their_own",
            "mixed_folders::a_compensation_claim_stays_one_claim_with_a_strange_invoice_beside_it",
        ),
    ),
    # card
    Row(
        107,
        "pandas",
        (
            "frames::fields_agree_with_what_the_viewer_shows",
            "frames::types_are_nullable_and_repeated_words_are_categories",
            "notebooks::the_quality_of_a_batch_is_counted_from_the_store",
            "notebooks::what_a_rematch_changed_names_what_was_followed_into_the_new_scan",
        ),
    ),
    Row(
        109,
        "a partition per PDF",
        ("document_runs::one_document_is_parsed_again_alone_and_what_says_the_same_runs_nothing_else",),
        differs="a partition per PDF",
    ),
    Row(
        111,
        "DuckDB over a store in object storage",
        ("warehouse::every_query_of_the_documentation_runs",),
        differs="the warehouse in object storage",
    ),
    Row(
        114,
        "nightly batches",
        ("nightly::a_changed_document_starts_that_claim_once_with_its_stages_and_the_reason",),
        differs="nightly batches from the start",
    ),
    Row(
        115,
        "extractor, parser and schema of nights are settings",
        ("documentation::the_page_of_settings_is_the_one_that_the_settings_generate",),
    ),
)
NUMBERS = {
    *(
        6,
        10,
        11,
        13,
        23,
        24,
        25,
        28,
        33,
        35,
        40,
        46,
        50,
        52,
        56,
        61,
        62,
        63,
        64,
        65,
        67,
        69,
        70,
        71,
        74,
        75,
        78,
    ),
    *(79, 80, 82, 86, 89, 90, 92, 93, 94, 95, 97, 98, 99, 100, 107, 109, 111, 114, 115),
}
"""The rows that the review found missing, partly there, or different."""


def test_every_row_of_the_review_is_here_once() -> None:
    numbers = [row.number for row in ROWS]
    assert sorted(numbers) == sorted(NUMBERS)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.number} {row.what}")
def test_a_row_works_by_its_tests_or_differs_by_a_reason(row: Row, differences: dict[str, str]) -> None:
    assert row.works or row.differs, "neither a test nor a reason"
    for name in row.works:
        module, _, test = name.partition("::")
        assert test in _tests_of(module), name
    if row.differs:
        reason = next((why for what, why in differences.items() if what.startswith(row.differs)), "")
        assert len(reason) > 20, f"docs/differences.md has no line of {row.differs!r}"


@pytest.fixture(scope="module")
def differences() -> dict[str, str]:
    """The first two cells of each line of the tables in docs/differences.md."""
    text = (HERE.parent / "docs" / "differences.md").read_text(encoding="utf-8")
    cells = [line.strip().strip("|").split(" | ") for line in text.splitlines() if line.startswith("| ")]
    return {line[0].strip(): line[1].strip() for line in cells if len(line) > 1}


def _tests_of(module: str) -> set[str]:
    path = HERE / f"test_{module}.py"
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {
        node.name.removeprefix("test_")
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_")
    }
