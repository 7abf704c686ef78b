"""What a deployment gives to the parsers and extractors that it builds."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from citation_pipeline.adapters.coordination.database import Coordination, default_url, open_at
from citation_pipeline.adapters.coordination.objects import KeptBytes
from citation_pipeline.adapters.object_storage.addresses import is_remote
from citation_pipeline.adapters.outbound_ledger import Ledger, append_rows
from citation_pipeline.adapters.tables.stored_files import Copies, StoredFiles


@dataclass(frozen=True, slots=True)
class ReaderSettings:
    """Folders of this machine, and every environment variable by its name; keys never show in `repr`.

    `variables` holds the deployment's settings under their variables' names and the rest of the environment
    beside them, so that a provider reads its own. `work_dir` is for what may vanish with this machine; what
    must survive goes to the `store_root` as bytes, and what is decided once to the `coordination`.
    """

    work_dir: Path
    parse_cache: Path | None = None
    workers: int = 1
    pdf_passwords: tuple[str, ...] = field(default=(), repr=False)
    variables: Mapping[str, str] = field(default_factory=dict, repr=False)
    store: str = ""
    copies: Copies | None = None  # of a store in object storage
    coordination_url: str = field(default="", repr=False)

    @property
    def store_root(self) -> str:
        """The store's root; the work dir where no store is named."""
        return self.store or str(self.work_dir)

    @property
    def coordination(self) -> Coordination:
        """What is decided once, for all processes and hosts of the deployment."""
        return open_at(self.coordination_url or default_url(self.store_root, self.work_dir))

    def kept_bytes(self, folder: str) -> KeptBytes:
        """Return a folder of the store for what costs something to get again."""
        copies = self.copies or Copies(folder=self.work_dir / "mirror")
        return KeptBytes(StoredFiles(self.store_root, copies=copies), folder)

    @property
    def shared_parses(self) -> KeptBytes | None:
        """The parses of all hosts; None where the store is a folder: hosts share `parse_cache` then."""
        return self.kept_bytes("parses") if is_remote(self.store_root) else None

    @property
    def ledger(self) -> Ledger:
        """Where each request that leaves the machine is written down."""
        return append_rows(self.coordination, self.work_dir / "ledger")

    def variable(self, name: str) -> str:
        """Return a variable's value; "" where it is not set."""
        return self.variables.get(name, "").strip()

    def model_for(self, reader: str) -> str:
        """Return the model that a reader is to ask; "" where none is named.

        `CITATION_PIPELINE_MODEL_<NAME>` names one for this reader alone: two may be compared in one run.
        """
        own = f"CITATION_PIPELINE_MODEL_{reader.upper().replace('-', '_')}"
        return self.variable(own) or self.variable("CITATION_PIPELINE_MODEL")
