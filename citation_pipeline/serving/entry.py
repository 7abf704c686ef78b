"""Serving's entry point: the viewer's settings made of the deployment's, and the server itself."""

import contextlib
import getpass
import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import uvicorn

from citation_pipeline.adapters.deployment.deployment import Deployment, DeploymentError, read_deployment
from citation_pipeline.adapters.oidc.provider import OidcAccess
from citation_pipeline.core.review.people import People
from citation_pipeline.core.review.second_eyes import SecondEyes
from citation_pipeline.serving.agent_deployment import agents_of
from citation_pipeline.serving.api.agent_settings import AgentSettings
from citation_pipeline.serving.app import create_app
from citation_pipeline.serving.connections import BoundedProtocol
from citation_pipeline.serving.oauth import OAuthAccess
from citation_pipeline.serving.settings import (
    AccessToken,
    ProxyAccess,
    Role,
    RoleGroups,
    ServingSettings,
    ServingSettingsError,
)

_STARTUP_FAILURE = 3  # uvicorn's own exit code for it


def read_settings(store: str, *, host: str = "127.0.0.1", port: int = 8321) -> ServingSettings:
    """Return the settings that the environment asks for; raises ServingSettingsError naming the variable."""
    try:
        return _settings_of(read_deployment(store), host=host, port=port)
    except DeploymentError as error:
        raise ServingSettingsError(str(error)) from error


def _settings_of(deployment: Deployment, *, host: str, port: int) -> ServingSettings:
    peers = _listed(deployment.proxy_peers)
    roles = RoleGroups(
        _listed(deployment.proxy_reviewer_groups),
        _listed(deployment.proxy_lead_groups),
        _listed(deployment.proxy_administrator_groups),
    )
    return ServingSettings(
        store=deployment.store,
        copies=replace(deployment.copies, max_age=deployment.stale_seconds),
        host=host,
        port=port,
        verifications_url=deployment.verifications_url,
        audit_key=deployment.audit_key,
        second_eyes=SecondEyes(_listed(deployment.second_fields), deployment.second_amount),
        people=_read_people(deployment.people_file),
        lease_seconds=deployment.lease_seconds,
        webhook_url=deployment.webhook_url,
        cache_dir=deployment.cache_dir,
        cache_bytes=deployment.cache_bytes,
        fade_seconds=deployment.fade_seconds,
        highlight=deployment.highlight,
        tokens=_read_tokens(deployment.tokens_file),
        proxy=ProxyAccess(
            peers=peers,
            user_header=deployment.proxy_user_header,
            groups_header=deployment.proxy_groups_header,
            roles=roles,
        )
        if peers
        else None,
        oauth=_oauth_of(deployment),
        oidc=_oidc_of(deployment),
        oidc_roles=roles,
        hosts=_listed(deployment.hosts),
        secure_cookies=deployment.secure_cookies,
        local_reviewer=deployment.reviewer or _login_name(),
        pdf_passwords=tuple(filter(None, deployment.pdf_passwords.splitlines())),
        agents=_agents_of(deployment),
        work_dir=deployment.work_dir,
        coordination_url=deployment.coordination_url,
        metrics_token=deployment.metrics_token,
        page_dollars=deployment.page_dollars,
    )


def _oauth_of(deployment: Deployment) -> OAuthAccess | None:
    parts = {
        "ISSUER": deployment.oauth_issuer,
        "AUDIENCE": deployment.oauth_audience,
        "KEYS": deployment.oauth_keys,
    }
    if not any(parts.values()):
        return None
    missing = [f"CITATION_VIEWER_OAUTH_{name}" for name, value in parts.items() if not value]
    if missing:
        raise ServingSettingsError(f"OAuth needs {', '.join(missing)} as well")
    return OAuthAccess(parts["ISSUER"], parts["AUDIENCE"], parts["KEYS"])


def _oidc_of(deployment: Deployment) -> OidcAccess | None:
    if not deployment.oidc_issuer and not deployment.oidc_client_id:
        return None
    if not deployment.oidc_issuer or not deployment.oidc_client_id:
        raise ServingSettingsError(
            "OpenID Connect needs both CITATION_VIEWER_OIDC_ISSUER and CITATION_VIEWER_OIDC_CLIENT_ID"
        )
    return OidcAccess(
        deployment.oidc_issuer,
        deployment.oidc_client_id,
        deployment.oidc_client_secret,
        deployment.oidc_scopes,
        deployment.oidc_name_claim,
        deployment.oidc_groups_claim,
    )


def _listed(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())


def serve(settings: ServingSettings) -> None:
    """Serve until stopped."""
    server = uvicorn.Server(server_config(settings))
    with contextlib.suppress(KeyboardInterrupt):
        server.run()
    if not server.started:  # the port is taken, or the application did not start: uvicorn has said which
        raise SystemExit(_STARTUP_FAILURE)


def server_config(settings: ServingSettings) -> uvicorn.Config:
    """Return how the application is served. Requests are not logged: paths name claims and documents."""
    return uvicorn.Config(
        create_app(settings),
        host=settings.host,
        port=settings.port,
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,  # who connects is who connects; a proxy's word belongs to `access`
        timeout_keep_alive=30,
        http=BoundedProtocol,
        ws="none",  # nothing here speaks it
    )


def _agents_of(deployment: Deployment) -> AgentSettings:
    try:
        return agents_of(deployment)
    except ValueError as error:
        raise ServingSettingsError(str(error)) from error


def _read_tokens(path: Path | None) -> tuple[AccessToken, ...]:
    if path is None:
        return ()
    try:
        records: Any = json.loads(path.read_text(encoding="utf-8"))
        return tuple(_token(record) for record in records)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ServingSettingsError(
            f"CITATION_VIEWER_TOKENS_FILE cannot be read ({type(error).__name__}): give a JSON list of "
            '{"name", "role", "token"} or {"name", "role", "sha256"}'
        ) from error


def _read_people(path: Path | None) -> People:
    if path is None:
        return People()
    try:
        names: Any = json.loads(path.read_text(encoding="utf-8"))
        return People({name: [str(other) for other in others] for name, others in names.items()})
    except (OSError, ValueError, AttributeError, TypeError) as error:
        reason = str(error) if type(error) is ValueError else type(error).__name__
        raise ServingSettingsError(
            f"CITATION_VIEWER_PEOPLE_FILE cannot be read ({reason}): give a JSON object of names, "
            '{"Ann Lee": ["ann.lee@example.com"]}, each name once'
        ) from error


def _token(record: Mapping[str, Any]) -> AccessToken:
    role, claims = Role(record["role"]), tuple(record.get("claims", ()))
    if "sha256" in record:
        return AccessToken(record["name"], role, record["sha256"], claims)
    return AccessToken.of(record["token"], name=record["name"], role=role, claims=claims)


def _login_name() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a container's user without a name
        return "local reviewer"
