"""Reports as one HTML file each: tables by pandas, charts as SVG, both colour schemes, nothing loaded.

Field keys, types and figures; nothing that a document says.
"""

from collections.abc import Callable, Sequence
from html import escape

import pandas as pd

from citation_pipeline.adapters.pictures.drawing import draw_disagreements, draw_reliability
from citation_pipeline.adapters.pictures.series import Disagreement
from citation_pipeline.core.evaluation.evaluation import ABSENT, Evaluation
from citation_pipeline.core.evaluation.scores import Bin

_STYLE = """
:root { color-scheme: light dark; --ground: #ffffff; --text: #1a1e26; --muted: #59616e; --line: #dfe2e8; }
.dark { display: none; }
@media (prefers-color-scheme: dark) {
  :root { --ground: #1a1e25; --text: #e6e9ef; --muted: #9ca5b3; --line: #2a303a; }
  .light { display: none; } .dark { display: block; }
}
body { margin: 2rem auto; max-width: 72rem; padding: 0 1rem; background: var(--ground); color: var(--text);
  font: 15px/1.5 system-ui, sans-serif; }
h1, h2 { line-height: 1.25; } p { color: var(--muted); }
.pictures { display: grid; grid-template-columns: repeat(auto-fit, minmax(20rem, 1fr)); gap: 1rem; }
.pictures svg { width: 100%; height: auto; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: 4px 12px 4px 0; border: 0; border-bottom: 1px solid var(--line); text-align: right; }
th:first-child, td:first-child, td:nth-child(2) { text-align: left; }
"""

Draw = Callable[[str], str]
"""Draws one chart in the theme that it is given the name of."""


def page_of(title: str, parts: Sequence[str]) -> str:
    """Return a whole HTML page; `parts` are HTML already."""
    body = "\n".join(parts)
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        f'<meta name="viewport" content="width=device-width"><style>{_STYLE}</style></head>\n'
        f"<body><h1>{escape(title)}</h1>\n{body}\n</body></html>\n"
    )


def pictures_of(draws: Sequence[Draw]) -> str:
    """Return charts beside each other, in the colours that the reader's system asks for."""
    drawn = [
        f'<figure class="{theme}" style="margin:0">{draw(theme)}</figure>'
        for draw in draws
        for theme in ("light", "dark")
    ]
    return f'<div class="pictures">{"".join(drawn)}</div>'


def table_of(frame: pd.DataFrame, *, index: bool = False) -> str:
    """Return a frame as an HTML table; figures with three digits, nothing for what is not known."""
    shown = frame.to_html(index=index, na_rep="–", border=0, float_format="{:.3f}".format, escape=True)
    return f'<div class="scroll">{shown}</div>'


def evaluation_page(
    evaluations: Sequence[Evaluation], *, claims: pd.DataFrame, types: pd.DataFrame, fields: pd.DataFrame
) -> str:
    """Return evaluations as a page: figures by claim and type, confidence, the fields that are not right.

    The frames are those of `EvaluationFrames`, of the same evaluations.
    """
    failed = fields[~fields["is_right"].fillna(value=True)]
    bins = _summed([bin for one in evaluations for bin in one.calibration])
    wrong = _wrong_fields(evaluations)
    return page_of(
        f"Evaluation of {len(evaluations)} claim{'' if len(evaluations) == 1 else 's'}",
        [
            pictures_of(
                [
                    lambda theme: draw_reliability(bins, theme=theme),
                    lambda theme: draw_disagreements(wrong, theme=theme),
                ]
            ),
            "<h2>Claims</h2>",
            table_of(claims, index=True),
            "<h2>Types of values</h2>",
            table_of(types),
            f"<h2>Fields that are not right ({len(failed)})</h2>",
            table_of(failed) if len(failed) else "<p>None.</p>",
        ],
    )


def _wrong_fields(evaluations: Sequence[Evaluation]) -> list[Disagreement]:
    """Return what is wrong by field: another value, or one where the truth has none."""
    counts: dict[str, list[int]] = {}
    for one in evaluations:
        for row in one.fields:
            found = counts.setdefault(row.field_key, [0, 0, 0])
            found[0] += 1
            if not row.is_right:
                found[2 if row.value_type == ABSENT else 1] += 1
    return [Disagreement(key, *found) for key, found in counts.items()]


def _summed(bins: Sequence[Bin]) -> list[Bin]:
    """Return the bins of several claims as one row of bins."""
    found: dict[tuple[float, float], list[Bin]] = {}
    for bin in bins:
        found.setdefault((bin.low, bin.high), []).append(bin)
    return [
        Bin(
            low,
            high,
            count := sum(one.count for one in group),
            sum(one.mean_confidence * one.count for one in group) / count,
            sum(one.share_right * one.count for one in group) / count,
        )
        for (low, high), group in sorted(found.items())
    ]
