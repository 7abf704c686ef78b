"""A comparison as one HTML file: no script from elsewhere, no network, in the reader's colour scheme.

Everything that a document or a model said is escaped; the file refuses to load anything by its own policy.
"""

from collections.abc import Iterator, Mapping, Sequence
from html import escape

from citation_pipeline.core.comparison.reports import add_up, claims_of, sum_up
from citation_pipeline.core.comparison.sides import Cell, ClaimComparison, FieldRow, Figures, Usage
from citation_pipeline.core.evaluation.scores import Counts, share_text
from citation_pipeline.core.published.display import written
from citation_pipeline.core.viewer.sureness import confidence_text

_STYLE = """
:root{color-scheme:light dark;--line:#d5d8dd;--soft:#f4f5f7;--good:#116b3a;--bad:#a31621;--doubt:#7a5200;
--dim:#5b6470}
@media (prefers-color-scheme:dark){:root{--line:#3a404a;--soft:#22262d;--good:#6fd39b;--bad:#ff9a9a;
--doubt:#f0c36b;--dim:#a4adba}}
body{font:15px/1.45 system-ui,sans-serif;margin:0 auto;max-width:1280px;padding:1.5rem}
h1{font-size:1.4rem;margin:0 0 .3rem}h2{font-size:1.1rem;margin:2rem 0 .5rem}
p{margin:.3rem 0 1rem;color:var(--dim)}
.wide{overflow-x:auto}
table{border-collapse:collapse;width:100%}
table.figures{width:auto;min-width:min(100%,36rem)}
th,td{border-bottom:1px solid var(--line);padding:.4rem .6rem;text-align:left;vertical-align:top}
th{background:var(--soft);font-weight:600}
td.figure,th.figure{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
.place{display:block;color:var(--dim);font-size:.85em;overflow-wrap:anywhere}
.value{overflow-wrap:anywhere}
.good{color:var(--good)}.bad{color:var(--bad)}.doubt{color:var(--doubt)}.dim{color:var(--dim)}
.key{font-family:ui-monospace,monospace;font-size:.8em;font-weight:400;overflow-wrap:break-word}
#all:not(:checked)~section tr.same,#places:not(:checked)~section tr.moved{display:none}
label{cursor:pointer;margin-right:1rem}
section th[scope=row]{width:22%}section td{width:26%}
@media (max-width:700px){body{padding:1rem}
section thead{display:none}
section table,section tbody,section tr,section th[scope=row],section td{display:block;width:auto}
section tr{border-bottom:2px solid var(--line);padding-bottom:.3rem}section td{border-bottom:0}
section td::before{content:attr(data-side);display:block;color:var(--dim);font-size:.85em;font-weight:600}
}
"""
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def comparison_page(comparisons: Sequence[ClaimComparison]) -> str:
    """Return the report of all claims: figures first, then each claim's fields side by side."""
    names = [side.extractor for side in comparisons[0].sides] if comparisons else []
    has_truth = any(one.has_truth for one in comparisons)
    rows = [row for one in comparisons for row in one.rows]
    by_value = sum(row.differs_in_value for row in rows)
    by_place = sum(row.differs for row in rows) - by_value
    title = f"Extractors side by side: {' · '.join(names)}"
    against = "judged by the truth" if has_truth else "no truth given: agreement only"
    parts = [
        "<!doctype html>",
        f'<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>',
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<style>{_STYLE}</style></head><body>",
        f"<h1>{escape(title)}</h1>",
        f"<p>{claims_of(comparisons)}: {by_value} of {len(rows)} fields differ in value, {by_place} only in "
        f"the place that is cited; {against}.</p>",
        *_totals(comparisons, names, has_truth=has_truth),
        *_groups("By type of value", add_up(comparisons, "by_type"), names, has_truth=has_truth),
        *_groups("By type of document", add_up(comparisons, "by_kind"), names, has_truth=has_truth),
        "<h2>Field by field</h2>",
        f'<input type="checkbox" id="places"> <label for="places">also the same value from different places '
        f"({by_place})</label><br>",
        f'<input type="checkbox" id="all"> <label for="all">also the fields on which all agree '
        f"({len(rows) - by_value - by_place})</label>",
        *(part for one in comparisons for part in _claim(one)),
        "</body></html>",
    ]
    return "\n".join(parts) + "\n"


def _totals(
    comparisons: Sequence[ClaimComparison], names: Sequence[str], *, has_truth: bool
) -> Iterator[str]:
    yield "<h2>All claims</h2>"
    if has_truth:
        yield "<p>Fields, but right, wrong and missing count each item of a list.</p>"
    head = ["answered", "placed", "resolved", "sure"]
    head += ["right", "wrong", "missing", "precision", "recall", "F1"] if has_truth else []
    head += ["calls", "tokens", "cost", "paid now", "seconds", "unread pages", "failed claims"]
    sums = sum_up(comparisons)
    columns = []
    for name in names:
        figures, usage, unread, failures = sums[name]
        cells = [*_figures(figures, has_truth=has_truth), *_usage(usage)]
        told = ", ".join(f"{count} {why}" for why, count in unread.items()) or "none"
        columns.append([*cells, told, str(failures)])
    yield _table(["", *names], list(zip(head, *columns, strict=True)))


def _groups(
    title: str, groups: Mapping[str, Sequence[Figures]], names: Sequence[str], *, has_truth: bool
) -> Iterator[str]:
    yield f"<h2>{title}</h2>"
    yield f"<p>{'right / wrong / missing' if has_truth else 'answered / placed / resolved'}</p>"
    rows = []
    for key, figures in groups.items():
        counts = [
            (one.right, one.wrong, one.missing) if has_truth else (one.answered, one.placed, one.resolved)
            for one in figures
        ]
        rows.append([key, *(" / ".join(map(str, count)) for count in counts)])
    yield _table(["", *names], rows)


def _claim(comparison: ClaimComparison) -> Iterator[str]:
    kinds = (f"{kind} ({count})" for kind, count in comparison.documents.items())
    said = f"Documents: {', '.join(kinds)}" if comparison.documents else "No documents"
    yield f"<section><h2>{escape(comparison.claim_id)}</h2><p>{escape(said)}</p>"
    for side in comparison.sides:
        if side.failure:
            yield f'<p class="bad">{escape(side.extractor)} gave no answer: {escape(side.failure)}</p>'
    names = [side.extractor + (f" ({side.model})" if side.model else "") for side in comparison.sides]
    head = ["field", *names, *(["truth"] if comparison.has_truth else [])]
    yield '<div class="wide"><table><thead><tr>'
    yield "".join(f'<th scope="col">{escape(name)}</th>' for name in head)
    yield "</tr></thead><tbody>"
    for row in comparison.rows:
        yield _row(row, head[1:])
    yield "</tbody></table></div></section>"


def _row(row: FieldRow, columns: Sequence[str]) -> str:
    """Return a field's row; `columns` name its cells on a narrow screen, where they are one below another."""
    said = [*map(_cell, row.cells), *([_truth(row)] if len(columns) > len(row.cells) else [])]
    cells = "".join(
        f'<td data-side="{escape(name)}">{cell}</td>' for name, cell in zip(columns, said, strict=True)
    )
    key = escape(row.field_key).replace(".", ".<wbr>").replace("_", "_<wbr>")
    name = f'<th scope="row">{escape(row.label)}<span class="place key">{key}</span></th>'
    kind = "differs" if row.differs_in_value else "moved" if row.differs else "same"
    return f'<tr class="{kind}">{name}{cells}</tr>'


def _truth(row: FieldRow) -> str:
    if row.truth is not None:
        return escape(written(row.truth))
    return f'<span class="dim">{"not stated" if row.has_truth else "not judged"}</span>'


def _cell(cell: Cell) -> str:
    if cell.value is None:
        said = "not read" if cell.status == "unread" else "no value"
        mark = ' <span class="bad">missing</span>' if cell.right is False else ""
        return f'<span class="dim">{said}</span>{mark}'
    verdicts = {True: ' <span class="good">right</span>', False: ' <span class="bad">wrong</span>', None: ""}
    where = (
        f"{escape(cell.source_id)}, page {cell.page}{f' ({escape(cell.kind)})' if cell.kind else ''}"
        if cell.page is not None
        else "no place found"
    )
    doubt = ' <span class="doubt">flagged</span>' if cell.status == "flagged" else ""
    sure = f", confidence {confidence_text(cell.confidence)}" if cell.confidence is not None else ""
    quoted = f'<span class="place">“{escape(cell.snippet)}”</span>' if cell.snippet else ""
    return (
        f'<span class="value">{escape(written(cell.value))}</span>{verdicts[cell.right]}'
        f'<span class="place">{where}{sure}{doubt}</span>{quoted}'
    )


def _figures(figures: Figures, *, has_truth: bool) -> list[str]:
    counts = Counts(figures.right, figures.wrong, figures.missing)
    judged = [counts.right, counts.wrong, counts.missing]
    shares = [share_text(share) for share in (counts.precision, counts.recall, counts.f1)]
    plain = [figures.answered, figures.placed, figures.resolved, figures.sure]
    return [*map(str, plain), *(map(str, judged) if has_truth else ()), *(shares if has_truth else ())]


def _usage(usage: Usage) -> list[str]:
    tokens = usage.input_tokens + usage.output_tokens
    dollars = [f"${usage.dollars:,.4f}", f"${usage.paid_now:,.4f}"]
    return [str(usage.calls), f"{tokens:,}", *dollars, f"{usage.seconds:.1f}"]


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    cells = [
        f'<th class="{"figure" if place else ""}">{escape(name)}</th>' for place, name in enumerate(head)
    ]
    body = "".join(
        "<tr>"
        + "".join(
            f'<th scope="row">{escape(cell)}</th>' if not place else f'<td class="figure">{escape(cell)}</td>'
            for place, cell in enumerate(row)
        )
        + "</tr>"
        for row in rows
    )
    top = f"<thead><tr>{''.join(cells)}</tr></thead>"
    return f'<div class="wide"><table class="figures">{top}<tbody>{body}</tbody></table></div>'
