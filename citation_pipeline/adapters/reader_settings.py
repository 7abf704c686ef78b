"""What a deployment gives to the parsers and extractors that it builds."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from citation_pipeline.adapters.outbound_ledger import Ledger, append_to


@dataclass(frozen=True, slots=True)
class ReaderSettings:
    """Folders of this machine, and every environment variable by its name; keys never show in `repr`.

    `variables` holds the deployment's settings under their variables' names and the rest of the environment
    beside them, so that a provider reads its own. `work_dir` is for what must survive: archived replies,
    journals, stored results.
    """

    work_dir: Path
    parse_cache: Path | None = None
    workers: int = 1
    pdf_passwords: tuple[str, ...] = field(default=(), repr=False)
    variables: Mapping[str, str] = field(default_factory=dict, repr=False)

    @property
    def ledger(self) -> Ledger:
        """Where each request that leaves the machine is written down."""
        return append_to(self.work_dir / "ledger")

    def variable(self, name: str) -> str:
        """Return a variable's value; "" where it is not set."""
        return self.variables.get(name, "").strip()

    def model_for(self, reader: str) -> str:
        """Return the model that a reader is to ask; "" where none is named.

        `CITATION_PIPELINE_MODEL_<NAME>` names one for this reader alone: two may be compared in one run.
        """
        own = f"CITATION_PIPELINE_MODEL_{reader.upper().replace('-', '_')}"
        return self.variable(own) or self.variable("CITATION_PIPELINE_MODEL")
