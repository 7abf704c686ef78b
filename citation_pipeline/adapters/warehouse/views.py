"""What the warehouse makes of its tables: the counts of each claim, and the views."""

from collections.abc import Mapping

_CLAIM_ROWS = """
    SELECT r.claim_id, r.schema, r.parser, r.extractor, r.is_archived,
        coalesce(s.documents, 0) AS documents,
        coalesce(d.documents_read, 0) AS documents_read,
        coalesce(u.documents_unread, 0) AS documents_unread,
        coalesce(u.documents_unread, 0) > 0 AS is_partial,
        coalesce(d.pages, 0) AS pages,
        coalesce(f.fields_answered, 0) AS fields_answered,
        coalesce(f.fields_found, 0) AS fields_found,
        coalesce(v.fields_reviewed, 0) AS fields_reviewed,
        coalesce(v.fields_needing_review, 0) AS fields_needing_review,
        coalesce(c.citations, 0) AS citations,
        coalesce(c.resolved, 0) AS resolved,
        coalesce(c.flagged, 0) AS flagged,
        coalesce(c.unresolved, 0) AS unresolved,
        c.mean_confidence,
        coalesce(x.replies, 0) AS replies,
        coalesce(x.tokens, 0) AS tokens,
        coalesce(x.cost_usd, 0) AS cost_usd
    FROM registrations r
    LEFT JOIN (
        SELECT claim_id, count(*) AS documents FROM source_documents WHERE {touched} GROUP BY ALL
    ) s USING (claim_id)
    LEFT JOIN (
        SELECT claim_id, count(*) FILTER (status IN ('parsed', 'duplicate')) AS documents_read,
            sum(page_count)::BIGINT AS pages
        FROM documents WHERE {touched} GROUP BY ALL
    ) d USING (claim_id)
    LEFT JOIN (
        SELECT claim_id, count(DISTINCT source_id) AS documents_unread
        FROM unread_pages WHERE {touched} GROUP BY ALL
    ) u USING (claim_id)
    LEFT JOIN (
        SELECT claim_id, count(*) AS fields_answered, count(*) FILTER (value <> 'null') AS fields_found
        FROM fields WHERE {touched} GROUP BY ALL
    ) f USING (claim_id)
    LEFT JOIN (
        SELECT claim_id,
            count(*) FILTER (state IN ('confirmed', 'corrected', 'absent')) AS fields_reviewed,
            count(*) FILTER (state = 'needs_review') AS fields_needing_review
        FROM field_reviews WHERE {touched} GROUP BY ALL
    ) v USING (claim_id)
    LEFT JOIN (
        SELECT claim_id, count(*) AS citations,
            count(*) FILTER (status = 'resolved') AS resolved,
            count(*) FILTER (status = 'flagged') AS flagged,
            count(*) FILTER (status = 'unresolved') AS unresolved,
            avg(confidence) AS mean_confidence
        FROM citations WHERE {touched} GROUP BY ALL
    ) c USING (claim_id)
    LEFT JOIN (
        SELECT claim_id, count(*) AS replies, sum(input_tokens + output_tokens)::BIGINT AS tokens,
            sum(cost_usd) AS cost_usd
        FROM raw_extraction WHERE {touched} GROUP BY ALL
    ) x USING (claim_id)
    WHERE {touched}
"""

_CHANGE_COUNTS = ", ".join(
    f"count(*) FILTER (change = '{change}') AS {change}"
    for change in ("moved", "gained", "lost", "downgraded", "upgraded", "new", "gone")
)


def claim_rows(touched: str) -> str:
    """Return the query for one row per claim, counted from its rows, of the claims that a condition names."""
    return _CLAIM_ROWS.replace("{touched}", touched)


def verified_rows(touched: str) -> str:
    """Return the query for the fields that have a verdict, beside what the pipeline says of them."""
    return f"""
        SELECT v.claim_id, v.field_key, v.state, v.verdict, v.value AS verified_value,
            f.value AS pipeline_value,
            v.state NOT IN ('needs_review', 'awaiting_second') AND coalesce(
                -- a field without a value may have no row; 400 and 400.0 are one number
                v.value = coalesce(f.value, 'null')
                    OR TRY_CAST(v.value AS DOUBLE) = TRY_CAST(f.value AS DOUBLE),
                false
            ) AS agrees,
            v.reviewer, v.made_at
        FROM (SELECT * FROM field_reviews WHERE state <> 'unreviewed' AND {touched}) v
        LEFT JOIN (SELECT * FROM fields WHERE {touched}) f USING (claim_id, field_key)
    """


QUALITY = """
    SELECT field_key, coalesce(c.citations, 0) AS citations, coalesce(c.claims, 0) AS claims,
        c.resolved_share, c.flagged_share, c.unresolved_share, c.mean_confidence,
        coalesce(v.confirmed, 0) AS confirmed, coalesce(v.corrected, 0) AS corrected
    FROM (
        SELECT field_key, count(*) AS citations, count(DISTINCT claim_id) AS claims,
            avg((status = 'resolved')::INT) AS resolved_share,
            avg((status = 'flagged')::INT) AS flagged_share,
            avg((status = 'unresolved')::INT) AS unresolved_share,
            avg(confidence) AS mean_confidence
        FROM citations GROUP BY ALL
    ) c FULL JOIN (
        -- who says that there is nothing confirms a pipeline that read nothing
        SELECT field_key,
            count(*) FILTER (state = 'confirmed' OR (state = 'absent' AND says_nothing)) AS confirmed,
            count(*) FILTER (state = 'corrected' OR (state = 'absent' AND NOT says_nothing)) AS corrected
        FROM (
            SELECT r.field_key, r.state, coalesce(f.value, 'null') = 'null' AS says_nothing
            FROM field_reviews r LEFT JOIN fields f USING (claim_id, field_key)
            WHERE r.state IN ('confirmed', 'corrected', 'absent')
        ) GROUP BY ALL
    ) v USING (field_key)
"""
"""One row per field over all claims: counted by each refresh, because counting takes longer than a look."""

VIEWS: Mapping[str, str] = {
    "claim_status": """
        SELECT c.*, t.stage AS failed_stage, t.reason AS failed_reason, t.is_transient,
            t.nights AS failed_nights, nullif(p.reasons_to_hold, []) AS reasons_to_hold,
            u.unreadable_tables
        FROM claims c
        LEFT JOIN (
            SELECT DISTINCT ON (claim_id) * FROM failed_tries ORDER BY claim_id, failed_at
        ) t USING (claim_id)
        LEFT JOIN promotions p USING (claim_id)
        LEFT JOIN (
            SELECT claim_id, list(table_name ORDER BY table_name) AS unreadable_tables
            FROM unreadable_tables GROUP BY ALL
        ) u USING (claim_id)
    """,
    "claim_changes": f"""
        SELECT claim_id, {_CHANGE_COUNTS},
            count(*) FILTER (change IN ('lost', 'gone') AND is_verified) AS verified_lost,
            min(overlap) AS least_overlap
        FROM citation_changes GROUP BY ALL
    """,
    "change_totals": """
        SELECT change, count(*) AS citations, count(DISTINCT claim_id) AS claims,
            count(*) FILTER (is_verified) AS verified, avg(overlap) AS mean_overlap
        FROM citation_changes GROUP BY ALL
    """,
    "costs": """
        SELECT claim_id, vendor, model, count(*) AS requests,
            count(*) FILTER (code <> 'ok') AS failed_requests,
            sum(input_tokens)::BIGINT AS input_tokens, sum(output_tokens)::BIGINT AS output_tokens,
            sum(cost_usd) AS cost_usd, sum(credits) AS credits,
            sum(page_count) FILTER (coalesce(model, '') = '')::BIGINT AS pages
        FROM outbound GROUP BY ALL
    """,
    "nights": """
        SELECT (TRY_CAST(sent_at AS TIMESTAMPTZ) AT TIME ZONE 'UTC' - INTERVAL 12 HOUR)::DATE AS night,
            count(DISTINCT claim_id) FILTER (claim_id <> '') AS claims, count(*) AS requests,
            count(*) FILTER (code <> 'ok') AS failed_requests,
            sum(input_tokens)::BIGINT AS input_tokens, sum(output_tokens)::BIGINT AS output_tokens,
            sum(cost_usd) AS cost_usd, sum(credits) AS credits,
            sum(page_count) FILTER (coalesce(model, '') = '')::BIGINT AS paid_pages,
            -- the former name, of one parser: for queries that were written for it
            sum(page_count) FILTER (vendor = 'reducto')::BIGINT AS reducto_pages
        FROM outbound GROUP BY ALL
    """,
}
