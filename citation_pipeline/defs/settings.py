"""The pipeline's settings as a plain object, made of the deployment's (`adapters.deployment` reads those)."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from citation_pipeline.adapters.coordination.database import Coordination, default_url, open_at
from citation_pipeline.adapters.deployment.deployment import Deployment, DeploymentError
from citation_pipeline.adapters.observability.traces import ENDPOINT_VARIABLE, Collector
from citation_pipeline.adapters.outbound_ledger import SentRequests
from citation_pipeline.adapters.reader_settings import ReaderSettings
from citation_pipeline.adapters.tables.claim_store import AUTO_ORIGINALS, ClaimStore
from citation_pipeline.adapters.tables.stored_files import Copies
from citation_pipeline.adapters.webhooks import is_encrypted
from citation_pipeline.core.resolution.promotion import PromotionRules
from citation_pipeline.defs.automation.night_settings import NightSettings, night_settings_of
from citation_pipeline.defs.fleet.placement import Placement, queues_of, resources_of


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
    copies: Copies = Copies()  # of a store in object storage
    coordination_url: str = field(default="", repr=False)  # of what is decided once; default: one's own file
    originals: str = AUTO_ORIGINALS  # where claims' files are read from
    audit_key: Path | None = None  # signs the links of decisions
    workers: int = 1
    rematch_claims: int = 1000  # that share a run of a re-match's backfill
    placement: Placement = Placement()
    pdf_passwords: tuple[str, ...] = field(default=(), repr=False)
    variables: Mapping[str, str] = field(default_factory=dict, repr=False)  # for parsers and extractors
    owners: tuple[str, ...] = ("team:claims-data",)
    asset_tags: Mapping[str, str] = field(default_factory=dict)
    promotion: PromotionRules = PromotionRules()
    night: NightSettings = NightSettings()
    verbatim_share: float = 0.8  # of citations quoted as printed; models shorten one in ten
    located_share: float = 0.9  # of citations found without a warning
    value_share: float = 0.7  # of resolved citations whose value was found inside; free text is paraphrased
    collector: Collector | None = None  # of traces
    error_share: float = 0.5  # below this, each of the three is an error and not a warning

    def open_store(self) -> ClaimStore:
        """Return the store."""
        return ClaimStore(
            self.store,
            copies=self.copies,
            coordination_url=self.coordination_url,
            originals=self.originals,
        )

    @property
    def coordination(self) -> Coordination:
        """What is decided once."""
        return open_at(self.coordination_url or default_url(self.store, self.work_dir))

    @property
    def ledger_dir(self) -> Path:
        """Where earlier versions kept the outbound ledger."""
        return self.work_dir / "ledger"

    @property
    def sent_requests(self) -> SentRequests:
        """The outbound ledger."""
        return SentRequests(self.ledger_dir, self.coordination)

    @property
    def readers(self) -> ReaderSettings:
        """What parsers and extractors are built from."""
        return ReaderSettings(
            work_dir=self.work_dir,
            parse_cache=self.parse_cache,
            workers=self.workers,
            pdf_passwords=self.pdf_passwords,
            variables=self.variables,
            store=self.store,
            copies=self.copies,
            coordination_url=self.coordination_url,
        )


def settings_of(deployment: Deployment) -> Settings:
    """Return the pipeline's settings of a deployment. Raises DeploymentError."""
    return Settings(
        store=deployment.store,
        copies=deployment.copies,
        originals=deployment.originals,
        work_dir=deployment.work_dir,
        parse_cache=deployment.parse_cache,
        verifications_url=deployment.verifications_url,
        coordination_url=deployment.coordination_url,
        audit_key=deployment.audit_key,
        workers=deployment.workers or os.cpu_count() or 1,
        rematch_claims=deployment.rematch_claims,
        placement=Placement(
            deployment.executor, queues_of(deployment.queues), resources_of(deployment.resources)
        ),
        pdf_passwords=tuple(filter(None, deployment.pdf_passwords.splitlines())),
        variables=deployment.variables,
        owners=tuple(owner.strip() for owner in deployment.owners.split(",") if owner.strip()),
        asset_tags=_tags_of(deployment.asset_tags),
        promotion=PromotionRules(
            lost_share=deployment.lost_share,
            moved_share=deployment.moved_share,
            downgraded_share=deployment.downgraded_share,
            misplaced_share=deployment.misplaced_share,
            changed_values_share=deployment.changed_values_share,
            swapped_values_share=deployment.swapped_values_share,
        ),
        night=night_settings_of(deployment),
        verbatim_share=deployment.verbatim_share,
        located_share=deployment.located_share,
        value_share=deployment.value_share,
        error_share=deployment.error_share,
        collector=_collector_of(deployment),
    )


def _collector_of(deployment: Deployment) -> Collector | None:
    endpoint = deployment.otlp_endpoint
    if not endpoint:
        return None
    if not is_encrypted(endpoint):
        raise DeploymentError(f"{ENDPOINT_VARIABLE} is neither https nor an address of this machine")
    return Collector(endpoint, _tags_of(deployment.otlp_headers))


def _tags_of(text: str) -> dict[str, str]:
    pairs = (pair.partition("=") for pair in text.split(",") if pair.strip())
    return {name.strip(): value.strip() for name, _, value in pairs}
