"""The deployment's settings as a plain object. `resources` fills it from the environment; nobody else may."""

from dataclasses import dataclass, field
from pathlib import Path

from citation_pipeline.adapters.verifications.store import default_url
from citation_pipeline.core.resolution.changes import PromotionRules
from citation_pipeline.defs.automation.night_settings import NightSettings


@dataclass(frozen=True, slots=True)
class Settings:
    """What a deployment chooses.

    `store` is the store's root; `work_dir` a folder on this machine for what must be local: the parse cache,
    journals, archived replies, the outbound ledger. Keys never show in `repr`.
    """

    store: str
    work_dir: Path
    parse_cache: Path | None
    verifications_url: str
    workers: int = 1
    pdf_passwords: tuple[str, ...] = field(default=(), repr=False)
    anthropic_key: str | None = field(default=None, repr=False)
    anthropic_url: str | None = None
    model: str | None = None
    reducto_key: str = field(default="", repr=False)
    reducto_url: str | None = None
    reducto_requests_per_second: float = 1.0
    reducto_results: Path | None = None  # results of earlier parses, to import instead of calling anyone
    promotion: PromotionRules = PromotionRules()
    night: NightSettings = NightSettings()
    verbatim_share: float = 0.8  # of citations quoted as printed; models shorten one in ten
    located_share: float = 0.9  # of citations found without a warning
    value_share: float = 0.7  # of resolved citations whose value was found inside; free text is paraphrased
    error_share: float = 0.5  # below this, each of the three is an error and not a warning

    @property
    def ledger_dir(self) -> Path:
        """Where the outbound ledger is kept."""
        return self.work_dir / "ledger"

    @property
    def pauses_dir(self) -> Path:
        """Where it is noted which provider wants no calls, and until when."""
        return self.work_dir / "pauses"


def settings_over(store: str, **chosen: object) -> Settings:
    """Return settings over a store, with everything else at its default unless chosen."""
    work_dir = Path(str(chosen.pop("work_dir", None) or ("data/work" if "://" in store else store)))
    cache = chosen.pop("parse_cache", None)
    url = chosen.pop("verifications_url", None)
    return Settings(
        store=store,
        work_dir=work_dir,
        parse_cache=Path(str(cache)) if cache else work_dir / "parse_cache",
        verifications_url=str(url) if url else default_url(work_dir),
        **chosen,  # type: ignore[arg-type]
    )
