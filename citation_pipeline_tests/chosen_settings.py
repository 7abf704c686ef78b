"""Settings of a pipeline that ask no environment."""

from pathlib import Path
from typing import Any

from citation_pipeline.adapters.verifications.database import default_url
from citation_pipeline.defs.settings import Settings


def settings_over(store: str, **chosen: Any) -> Settings:
    """Return settings over a store that ask no environment: everything else at its default unless chosen."""
    work_dir = Path(chosen.pop("work_dir", None) or store)
    return Settings(
        store=store,
        work_dir=work_dir,
        parse_cache=work_dir / "parse_cache",
        verifications_url=default_url(work_dir),
        **chosen,
    )
