"""The charts of viewer, reports and notebooks as SVG, drawn by matplotlib: no network, browser or JavaScript.

Text stays text (so it can be read out and searched), colours come from a theme, and a chart without data says
so. matplotlib is an extra and slow to load: this module is imported when a picture is asked for.
"""

import io
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import matplotlib
from matplotlib.axes import Axes
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, PercentFormatter

from citation_pipeline.adapters.pictures.series import ClaimCost, Disagreement, LocatedDay
from citation_pipeline.core.evaluation.scores import Bin

_SIZE = (6.4, 3.4)  # inches: two beside each other on a wide screen, one on a phone
_EMPTY_HEIGHT = 0.9  # inches: a title and a sentence; an empty chart takes no room of a full one
_FEWEST_ROWS = 5  # room for so many bars: one alone would fill the chart
_MOST_BARS = 20  # names below bars can be read up to here
_DRAWING = threading.Lock()  # matplotlib's settings are the process's, and it is not thread-safe


@dataclass(frozen=True, slots=True)
class Theme:
    """The colours of a picture; they are the viewer's own."""

    ground: str
    text: str
    muted: str
    line: str
    accent: str
    good: str
    warn: str
    bad: str


THEMES = {
    "light": Theme("#ffffff", "#1a1e26", "#59616e", "#dfe2e8", "#2a55c4", "#17693f", "#b87400", "#b3261e"),
    "dark": Theme("#1a1e25", "#e6e9ef", "#9ca5b3", "#2a303a", "#8eb0ff", "#7ed6a5", "#f2c166", "#ff9d94"),
}


def draw_locate_rate(days: Sequence[LocatedDay], *, theme: str = "light") -> str:
    """Return the share of cited fields whose quotation was found, day by day, as SVG."""

    def fill(axes: Axes, colours: Theme) -> None:
        names = [day.day for day in days]
        at = range(len(days))
        axes.plot(at, [day.share for day in days], "o-", color=colours.accent, label="found", linewidth=2)
        sure = [day.resolved / (day.resolved + day.flagged + day.unresolved) for day in days]
        axes.plot(at, sure, "s--", color=colours.good, label="found and not flagged", linewidth=1.5)
        step = max(1, -(-len(days) // 8))
        axes.set_xticks(list(at)[::step], names[::step], rotation=20, ha="right")
        axes.set_ylim(0, 1.04)
        axes.yaxis.set_major_formatter(PercentFormatter(1.0))
        axes.legend(frameon=False, labelcolor=colours.text, loc="lower left", fontsize=9)

    return _drawn("Quotations found, by day", fill, theme, is_empty=not days, empty="Nothing was run yet")


def draw_reliability(bins: Sequence[Bin], *, theme: str = "light") -> str:
    """Return confidence against outcome as SVG: on the diagonal a confidence means what it says."""

    def fill(axes: Axes, colours: Theme) -> None:
        axes.plot([0, 1], [0, 1], ":", color=colours.muted, linewidth=1)
        most = max(one.count for one in bins)
        axes.scatter(
            [one.mean_confidence for one in bins],
            [one.share_right for one in bins],
            s=[40 + 260 * one.count / most for one in bins],
            color=colours.accent,
            alpha=0.75,
        )
        for one in bins:
            axes.annotate(
                f"n={one.count}",
                (one.mean_confidence, one.share_right),
                textcoords="offset points",
                xytext=(0, -20),
                ha="center",
                color=colours.muted,
                fontsize=8,
            )
        axes.set_xlim(0, 1.04)
        axes.set_ylim(0, 1.08)
        axes.set_xlabel("confidence")
        axes.set_ylabel("share that was right")
        axes.yaxis.set_major_formatter(PercentFormatter(1.0))

    return _drawn("Confidence against outcome", fill, theme, is_empty=not bins, empty="No verdicts yet")


def draw_disagreements(fields: Sequence[Disagreement], *, theme: str = "light") -> str:
    """Return the fields that people corrected or marked absent most often, as SVG."""
    wrong = [one for one in fields if one.corrected or one.marked_absent]
    shown = sorted(wrong, key=lambda one: (one.corrected + one.marked_absent, one.share))[-_MOST_BARS:]

    def fill(axes: Axes, colours: Theme) -> None:
        names = [one.field_key for one in shown]
        corrected = [one.corrected for one in shown]
        absent = [one.marked_absent for one in shown]
        axes.barh(names, corrected, height=0.6, color=colours.warn, label="corrected")
        axes.barh(names, absent, height=0.6, left=corrected, color=colours.bad, label="not stated")
        axes.set_ylim(len(shown) - max(len(shown), _FEWEST_ROWS) - 0.4, len(shown) - 0.4)
        axes.set_xlabel("verdicts")
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.tick_params(axis="y", labelsize=8)
        _legend_below(axes, colours)

    title = "Where reviewers and pipeline disagree"
    height = max(_SIZE[1], 1.4 + 0.24 * len(shown))
    return _drawn(title, fill, theme, is_empty=not shown, empty="No disagreement", height=height)


def draw_costs(costs: Sequence[ClaimCost], *, theme: str = "light") -> str:
    """Return dollars per claim as SVG: a bar each, or of many claims how many cost how much."""

    def bars(axes: Axes, colours: Theme) -> None:
        shown = sorted(costs, key=lambda one: (-one.dollars, one.claim_id))
        at = range(len(shown))
        extraction = [one.extraction for one in shown]
        axes.bar(at, extraction, color=colours.accent, label="extraction")
        parsing = [one.parsing for one in shown]
        axes.bar(at, parsing, bottom=extraction, color=colours.good, label="parsing")
        axes.set_xticks(list(at), [one.claim_id for one in shown], rotation=30, ha="right", fontsize=8)
        axes.set_ylabel("US dollars")
        axes.set_xlim(-0.7, max(len(shown), _FEWEST_ROWS) - 0.3)
        _legend_below(axes, colours)

    def histogram(axes: Axes, colours: Theme) -> None:
        axes.hist([one.dollars for one in costs], bins=20, color=colours.accent)
        axes.set_xlabel("US dollars per claim")
        axes.set_ylabel("claims")
        axes.yaxis.set_major_locator(MaxNLocator(integer=True))

    free = not any(one.dollars for one in costs)
    many = len(costs) > _MOST_BARS
    empty = "Nothing was paid for" if costs else "No claims"
    return _drawn("Cost per claim", histogram if many else bars, theme, is_empty=free, empty=empty)


def _legend_below(axes: Axes, colours: Theme) -> None:
    """Put the legend under the chart, where no bar and no title can be."""
    figure = axes.get_figure(root=True)
    if figure is not None:
        figure.legend(loc="outside lower right", frameon=False, labelcolor=colours.text, ncols=2, fontsize=9)


def _drawn(
    title: str,
    fill: Callable[[Axes, Theme], None],
    theme: str,
    *,
    is_empty: bool,
    empty: str,
    height: float = _SIZE[1],
) -> str:
    colours = THEMES[theme]
    out = io.StringIO()
    with (
        _DRAWING,
        # text as text, a `$` in a name as itself; ids that do not differ from run to run
        matplotlib.rc_context(
            {
                "svg.fonttype": "none",
                "svg.hashsalt": title,
                "text.parse_math": False,
                "font.family": "sans-serif",
            }
        ),
    ):
        figure = Figure(
            figsize=(_SIZE[0], _EMPTY_HEIGHT if is_empty else height),
            layout="constrained",
            facecolor=colours.ground,
        )
        FigureCanvasSVG(figure)
        axes = figure.add_subplot(facecolor=colours.ground)
        axes.set_title(title, color=colours.text, loc="left", fontsize=11, fontweight="bold")
        for side in ("top", "right"):
            axes.spines[side].set_visible(False)
        for side in ("left", "bottom"):
            axes.spines[side].set_color(colours.line)
        axes.tick_params(colors=colours.muted, which="both")
        axes.xaxis.label.set_color(colours.muted)
        axes.yaxis.label.set_color(colours.muted)
        if is_empty:
            axes.set_axis_off()
            axes.text(0.5, 0.5, empty, ha="center", va="center", color=colours.muted, fontsize=11)
        else:
            axes.grid(visible=True, axis="y", color=colours.line, linewidth=0.6)
            axes.set_axisbelow(True)
            fill(axes, colours)
        figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None})
    svg = out.getvalue()
    return svg[svg.index("<svg") :]  # without the prolog: it is put into pages
