"""What was asked of vendors, and what it cost, as the outbound ledger has it."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from citation_pipeline.adapters.coordination.database import CoordinationError
from citation_pipeline.adapters.observability.tallies import Tallies, Tally, sum_of
from citation_pipeline.adapters.outbound_ledger import SentRequests, sent_requests

_STAGES_OF_VENDORS = {"anthropic": "raw_extraction", "embeddings": "search"}


@dataclass(frozen=True, slots=True)
class Spend:
    """Requests to one vendor for one stage, as the outbound ledger has them."""

    stage: str
    vendor: str
    requests: float = 0
    failed: float = 0
    dollars: float = 0.0
    tokens: float = 0
    pages: float = 0


class SpendReader:
    """Reads the ledger's days; of each again only what was written since the last look."""

    def __init__(self, ledger: SentRequests | Path, *, page_dollars: Mapping[str, float]) -> None:
        """Name the ledger, and what parsers charge for a page, by vendor."""
        self._sent, self._page_dollars = sent_requests(ledger), page_dollars
        self._days = Tallies()

    def read(self, unreadable: list[str]) -> list[Spend]:
        """Return the spends by stage and vendor; `unreadable` gets "ledger" where a day cannot be read."""
        try:
            marks = self._sent.marks()
        except CoordinationError:
            unreadable.append("ledger")
            return []

        def read(names: list[str]) -> dict[str, Tally]:
            found: dict[str, Tally] = {}
            for name in names:
                try:
                    found[name] = _spent(self._sent.lines(name), page_dollars=self._page_dollars)
                except (OSError, UnicodeError, CoordinationError):
                    unreadable.append("ledger")
            return found

        days = self._days.update(marks, read)
        found: dict[tuple[str, str], dict[str, float]] = {}
        for name, number in sum_of(days, days).items():
            stage, vendor, what = name.split("/")
            found.setdefault((stage, vendor), {})[what] = number
        return [Spend(stage, vendor, **parts) for (stage, vendor), parts in sorted(found.items())]


def _spent(rows: Iterable[Mapping[str, Any]], *, page_dollars: Mapping[str, float]) -> dict[str, float]:
    """Return one day's requests, failures, dollars, tokens and pages by `stage/vendor/what`.

    Parsers that charge by the page say pages and no dollars: the dollars are those of the configured prices.
    """
    found: dict[str, float] = defaultdict(float)
    for row in rows:
        if "vendor" not in row:
            continue
        vendor = str(row["vendor"])
        by_model = "raw_extraction" if row.get("model") else "parsed_documents"
        stage = "questions" if row.get("purpose") == "question" else _STAGES_OF_VENDORS.get(vendor, by_model)
        # a model is shown pages, a parser is paid for them
        pages = 0 if row.get("model") else row.get("page_count") or 0
        key = f"{stage}/{vendor}"
        found[f"{key}/requests"] += 1
        found[f"{key}/failed"] += row.get("code", "ok") != "ok"
        found[f"{key}/dollars"] += row.get("cost_usd") or pages * page_dollars.get(vendor, 0.0)
        found[f"{key}/tokens"] += (row.get("input_tokens") or 0) + (row.get("output_tokens") or 0)
        found[f"{key}/pages"] += pages
    return dict(found)
