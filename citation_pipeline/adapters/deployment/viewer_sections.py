"""The settings of what is served: the viewer, who may use it, and what agents ask.

`Deployment` joins them with those of the pipeline (`sections`).
"""

from pathlib import Path
from typing import Literal

from pydantic import BaseModel

from citation_pipeline.adapters.deployment.setting import setting
from citation_pipeline.core.retrieval.thresholds import EVIDENCE_THRESHOLD


class Viewer(BaseModel):
    """The viewer, and who may use it."""

    tokens_file: Path | None = setting(
        "CITATION_VIEWER_TOKENS_FILE",
        None,
        'JSON list of `{"name", "role": "viewer"|"reviewer"|"lead"|"administrator", '
        '"token" or "sha256", "claims": [patterns]}`',
    )
    people_file: Path | None = setting(
        "CITATION_VIEWER_PEOPLE_FILE",
        None,
        'JSON object of the names under which one person signs in: `{"Ann Lee": ["ann.lee@example.com"]}`; '
        "decisions are kept under the first",
    )
    oauth_issuer: str = setting(
        "CITATION_VIEWER_OAUTH_ISSUER", "", "an OAuth 2.1 authorization server whose tokens are accepted"
    )
    oauth_audience: str = setting(
        "CITATION_VIEWER_OAUTH_AUDIENCE",
        "",
        "this server in those tokens: its address with `/mcp`, such as `https://claims.example/mcp`",
    )
    oauth_keys: str = setting(
        "CITATION_VIEWER_OAUTH_KEYS", "", "the issuer's keys (JWKS): a file, or an `https://` address"
    )
    proxy_peers: str = setting(
        "CITATION_VIEWER_PROXY_PEERS",
        "",
        "networks of a reverse proxy whose headers say who somebody is, comma-separated",
    )
    proxy_user_header: str = setting(
        "CITATION_VIEWER_PROXY_USER_HEADER", "x-forwarded-user", "its header with the person's name"
    )
    proxy_groups_header: str = setting(
        "CITATION_VIEWER_PROXY_GROUPS_HEADER", "x-forwarded-groups", "its header with the groups"
    )
    proxy_reviewer_groups: str = setting(
        "CITATION_VIEWER_PROXY_REVIEWER_GROUPS",
        "reviewers",
        "groups of proxy or OIDC provider that review, comma-separated",
    )
    proxy_lead_groups: str = setting(
        "CITATION_VIEWER_PROXY_LEAD_GROUPS", "leads", "groups that lead, comma-separated"
    )
    proxy_administrator_groups: str = setting(
        "CITATION_VIEWER_PROXY_ADMINISTRATOR_GROUPS",
        "administrators",
        "groups that administer, comma-separated",
    )
    oidc_issuer: str = setting(
        "CITATION_VIEWER_OIDC_ISSUER", "", "an OpenID Connect provider where people sign in (extra `oidc`)"
    )
    oidc_client_id: str = setting("CITATION_VIEWER_OIDC_CLIENT_ID", "", "this server's client id there")
    oidc_client_secret: str = setting(
        "CITATION_VIEWER_OIDC_CLIENT_SECRET", "", "its secret; none for a public client", secret=True
    )
    oidc_scopes: str = setting(
        "CITATION_VIEWER_OIDC_SCOPES", "openid profile email", "what is asked for there"
    )
    oidc_name_claim: str = setting(
        "CITATION_VIEWER_OIDC_NAME_CLAIM", "email", "claim of the ID token that names the person"
    )
    oidc_groups_claim: str = setting(
        "CITATION_VIEWER_OIDC_GROUPS_CLAIM",
        "groups",
        "claim with their groups; one called `claims:N-2025-*` bounds the claims that they see",
    )
    second_fields: str = setting(
        "CITATION_VIEWER_SECOND_FIELDS",
        "",
        "fields that two people have to sign for: patterns of field keys such as `settlement.*`, "
        "comma-separated",
    )
    second_amount: float | None = setting(
        "CITATION_VIEWER_SECOND_AMOUNT", None, "two people have to sign for larger numbers than this", ge=0
    )
    lease_seconds: float = setting(
        "CITATION_VIEWER_LEASE_SECONDS",
        1800.0,
        "how long a reviewer keeps a claim that they took, from their last decision on",
        ge=10,
    )
    hosts: str = setting(
        "CITATION_VIEWER_HOSTS",
        "",
        "host names that people use, comma-separated; others are refused",
    )
    cache_dir: str | None = setting(
        "CITATION_VIEWER_CACHE_DIR", None, "where page images are kept; default: in the store"
    )
    cache_bytes: int = setting(
        "CITATION_VIEWER_CACHE_BYTES", 2_000_000_000, "how much; least asked for go first", ge=0
    )
    stale_seconds: float = setting(
        "CITATION_VIEWER_STALE_SECONDS",
        5.0,
        "of a store in object storage: for how long lists, search and pages may show what was there before; "
        "a claim that is opened is at most a second old, one that is decided on is always looked up",
        ge=0,
    )
    fade_seconds: float = setting(
        "CITATION_VIEWER_FADE_SECONDS", 15.0, "how long a place stays highlighted", ge=0
    )
    highlight: Literal["words", "rectangle"] = setting(
        "CITATION_VIEWER_HIGHLIGHT",
        "words",
        "what is shown of a citation on its page: `words` (quotation and value, in two colours), or "
        "`rectangle` (a blue rectangle around the block, as in the published design)",
    )
    secure_cookies: bool = setting("CITATION_VIEWER_SECURE_COOKIES", False, "behind a proxy that ends TLS")
    reviewer: str = setting(
        "CITATION_VIEWER_REVIEWER",
        "",
        "the name that local reviews are signed with; default: login name",
    )


class Agents(BaseModel):
    """Search, questions, and links for agents."""

    public_url: str = setting(
        "CITATION_VIEWER_PUBLIC_URL", "", "put before links, such as `https://claims.example`"
    )
    index_path: str | None = setting(
        "CITATION_VIEWER_INDEX", None, "where the search index lies; default: in the store"
    )
    schemas: str = setting(
        "CITATION_VIEWER_SCHEMAS",
        "workers_comp",
        "schemas whose names conditions may use, comma-separated",
    )
    min_similarity: float = setting(
        "MIN_SIMILARITY",
        EVIDENCE_THRESHOLD,
        "the least confidence, 0 to 1, of an answer without a model; below it the answer is `Not found in "
        "document.`",
        ge=0.0,
        le=1.0,
    )
    confidence_floor: float = setting(
        "CONFIDENCE_FLOOR",
        0.0,
        "the least `confidence_details.confidence` of an answer that was found; 0.55 in the published "
        "design. `confidence` itself is fitted and stays as it is",
        ge=0.0,
        le=1.0,
    )
    keyword_boost: float = setting(
        "KEYWORD_BOOST",
        0.0,
        "the most that the question's own words add to `confidence_details.confidence`; the published design "
        "has 0.12",
        ge=0.0,
        le=1.0,
    )
    answers: str = setting(
        "CITATION_VIEWER_ANSWERS",
        "",
        "the extractor whose provider writes answers to questions, with its own variables (`openai`, "
        "`claude-bedrock`, …), or `none`; default: `claude` where ANTHROPIC_API_KEY is set. Pages near the "
        "question go there",
    )
    embeddings_dir: Path | None = setting(
        "CITATION_VIEWER_EMBEDDINGS_DIR", None, "a folder with a sentence-transformers model"
    )
    embeddings_url: str | None = setting(
        "CITATION_VIEWER_EMBEDDINGS_URL",
        None,
        "an endpoint for vectors instead: document text goes there",
    )
    embeddings_model: str | None = setting("CITATION_VIEWER_EMBEDDINGS_MODEL", None, "its model")
    embeddings_key: str = setting("CITATION_VIEWER_EMBEDDINGS_KEY", "", "its key", secret=True)
