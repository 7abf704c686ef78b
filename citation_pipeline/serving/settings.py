"""What a deployment can choose about serving, checked before anything listens.

Values only; reading them from the environment is `entry`'s work.
"""

import hashlib
import hmac
import ipaddress
import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from citation_pipeline.adapters.object_storage.addresses import is_remote
from citation_pipeline.adapters.oidc.provider import OidcAccess
from citation_pipeline.adapters.page_prices import page_prices
from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.adapters.tables.stored_files import Copies
from citation_pipeline.core.review.people import People
from citation_pipeline.core.review.second_eyes import SecondEyes
from citation_pipeline.serving.api.agent_settings import AgentSettings
from citation_pipeline.serving.oauth import OAuthAccess

SHORTEST_SECRET = 16  # characters


class Role(StrEnum):
    """What a person may do; each role may also do what the ones before it may."""

    VIEWER = "viewer"  # read and download
    REVIEWER = "reviewer"  # decide on fields
    LEAD = "lead"  # assign claims, decide on held sets, see everybody's figures
    ADMINISTRATOR = "administrator"  # give and withdraw tokens, erase claims

    def may(self, needed: "Role") -> bool:
        """Tell whether this role includes another."""
        ranks = list(Role)
        return ranks.index(self) >= ranks.index(needed)


class ServingSettingsError(ValueError):
    """Settings that must not serve; says which, and what to set."""


@dataclass(frozen=True, slots=True)
class AccessToken:
    """One person's token, kept as its SHA-256 only; `claims` are patterns of claim ids, none for all."""

    name: str
    role: Role
    sha256: str
    claims: Sequence[str] = ()

    @classmethod
    def of(cls, secret: str, *, name: str, role: Role, claims: Sequence[str] = ()) -> "AccessToken":
        """Return the record of a secret; raises ServingSettingsError for one that can be guessed."""
        if len(secret) < SHORTEST_SECRET:
            raise ServingSettingsError(
                f"the token of {name!r} is shorter than {SHORTEST_SECRET} characters: make one with "
                "`openssl rand -hex 24`"
            )
        return cls(name, role, hashlib.sha256(secret.encode()).hexdigest(), tuple(claims))

    def matches(self, secret: str) -> bool:
        """Compare in constant time."""
        return hmac.compare_digest(hashlib.sha256(secret.encode()).hexdigest(), self.sha256)


@dataclass(frozen=True, slots=True)
class RoleGroups:
    """Which groups of an organization give which role; the others read."""

    reviewer_groups: Sequence[str] = ("reviewers",)
    lead_groups: Sequence[str] = ("leads",)
    administrator_groups: Sequence[str] = ("administrators",)

    def role_of(self, groups: Set[str]) -> Role:
        """Return the highest role that somebody's groups give."""
        given = {
            Role.ADMINISTRATOR: self.administrator_groups,
            Role.LEAD: self.lead_groups,
            Role.REVIEWER: self.reviewer_groups,
        }
        return next((role for role, names in given.items() if groups & set(names)), Role.VIEWER)


@dataclass(frozen=True, slots=True)
class ProxyAccess:
    """A reverse proxy (oauth2-proxy and its like) that has authenticated people against an OIDC provider.

    Its headers count only when the connection comes from one of `peers` (CIDR networks).
    """

    peers: Sequence[str]
    user_header: str = "x-forwarded-user"
    groups_header: str = "x-forwarded-groups"
    roles: RoleGroups = RoleGroups()


@dataclass(frozen=True, slots=True)
class ServingSettings:
    """How the viewer serves one store.

    `verifications_url` is a SQLAlchemy URL (default: SQLite beside the store); `hosts` further names that a
    browser may ask for (a name not listed is refused: DNS rebinding). Sizes are bytes, times seconds.
    """

    store: str
    host: str = "127.0.0.1"
    port: int = 8321
    copies: Copies = Copies()  # of a store in object storage, with how old they may be
    verifications_url: str | None = None
    audit_key: Path | None = None  # signs the audit links of decisions
    second_eyes: SecondEyes = SecondEyes()  # what two people have to sign for
    people: People = People()  # under which names each of them signs in
    lease_seconds: float = 1800.0  # a coffee break; every decision begins it anew
    webhook_url: str = field(default="", repr=False)  # is told of assigned and held claims
    cache_dir: str | None = None
    cache_bytes: int = 2_000_000_000
    memory_cache_bytes: int = 64_000_000
    render_workers: int = 2
    render_timeout_s: float = 20.0
    renders_per_second: float = 25.0  # per person; a fast scroll asks for some 15 pages a second
    render_burst: int = 150
    fade_seconds: float = 15.0
    highlight: str = "words"
    tokens: Sequence[AccessToken] = ()
    proxy: ProxyAccess | None = None
    oauth: OAuthAccess | None = None
    oidc: OidcAccess | None = None
    oidc_roles: RoleGroups = RoleGroups()
    hosts: Sequence[str] = ()
    secure_cookies: bool = False
    local_reviewer: str = "local reviewer"
    pdf_passwords: Sequence[str] = field(default=(), repr=False)
    work_dir: Path | None = None  # where counters and ledger lie; default: the store
    coordination_url: str = field(default="", repr=False)  # of the ledger; default: in the store
    metrics_token: str = field(default="", repr=False)  # reads `/metrics` alone
    page_dollars: Mapping[str, float] = field(default_factory=lambda: page_prices({}))  # by parser
    agents: AgentSettings = field(default_factory=AgentSettings)

    @property
    def is_loopback(self) -> bool:
        """Tell whether only this machine can connect."""
        if self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False

    @property
    def needs_login(self) -> bool:
        """Tell whether people must say who they are."""
        return bool(self.tokens) or any(access is not None for access in (self.proxy, self.oauth, self.oidc))

    @property
    def allowed_hosts(self) -> frozenset[str]:
        """The Host names (without port) that are answered."""
        own = {"127.0.0.1", "localhost", "[::1]"} if self.is_loopback else {self.host}
        return frozenset({*own, *(host.lower() for host in self.hosts)})

    @property
    def page_cache(self) -> Path:
        """Where page images are kept, on this machine."""
        if self.cache_dir is not None:
            return Path(self.cache_dir)
        if not is_remote(self.store):
            return Path(self.store) / ".page_images"
        return self.open_store().host_path(".page_images")

    def open_store(self) -> ClaimStore:
        """Return the store that is served."""
        return ClaimStore(self.store, copies=self.copies)

    def check(self) -> None:
        """Raise ServingSettingsError for settings under which claims would lie open."""
        if not self.is_loopback and not self.needs_login:
            raise ServingSettingsError(
                f"{self.host} can be reached from other machines: give at least one token or a proxy's "
                "headers, or serve on 127.0.0.1"
            )
        if self.metrics_token and len(self.metrics_token) < SHORTEST_SECRET:
            raise ServingSettingsError(
                f"CITATION_VIEWER_METRICS_TOKEN is shorter than {SHORTEST_SECRET} characters: make one with "
                "`openssl rand -hex 24`"
            )
        if not self.is_loopback and not self.hosts and self.host in ("0.0.0.0", "::"):
            raise ServingSettingsError(
                f"serving on every address ({self.host}) needs the host names that people use: set `hosts`"
            )
        if self.oidc is not None:
            try:
                self.oidc.check()
            except ValueError as error:
                raise ServingSettingsError(str(error)) from error
        for network in self.proxy.peers if self.proxy else ():
            try:
                ipaddress.ip_network(network)
            except ValueError as error:
                raise ServingSettingsError(f"{network!r} is not a network of the proxy: {error}") from error
        if self.oauth is not None and not self.oauth.audience.startswith(
            ("https://", "http://127.0.0.1", "http://localhost")
        ):
            raise ServingSettingsError(
                "the OAuth audience is this server's address as clients write it, such as "
                "https://claims.example/mcp: set CITATION_VIEWER_OAUTH_AUDIENCE"
            )
        for token in self.tokens:
            if not re.fullmatch(r"[0-9a-f]{64}", token.sha256):
                raise ServingSettingsError(
                    f"the token of {token.name!r} is not a SHA-256: use AccessToken.of"
                )
