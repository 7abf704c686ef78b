"""Serving's entry point: the one place of serving that reads the environment.

| variable | means |
| --- | --- |
| CITATION_VIEWER_TOKENS_FILE | JSON list of {"name", "role", "token"} or {"name", "role", "sha256"} |
| CITATION_VIEWER_PROXY_PEERS | networks of the trusted reverse proxy, comma-separated |
| CITATION_VIEWER_PROXY_USER_HEADER, _GROUPS_HEADER, _REVIEWER_GROUPS | its headers, and who reviews |
| CITATION_VIEWER_HOSTS | host names that people use, comma-separated |
| CITATION_VIEWER_DATABASE_URL | SQLAlchemy URL of the verifications |
| CITATION_VIEWER_CACHE_DIR, _CACHE_BYTES | where page images are kept, and how much |
| CITATION_VIEWER_FADE_SECONDS | how long a place stays highlighted |
| CITATION_VIEWER_SECURE_COOKIES | "1" behind a proxy that ends TLS |
| CITATION_VIEWER_REVIEWER | the name that local reviews are signed with (default: the login name) |
| CITATION_PIPELINE_PDF_PASSWORDS | the pipeline's passwords for encrypted files, one a line |
"""

import getpass
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import uvicorn

from citation_pipeline.serving.agent_environment import read_agents
from citation_pipeline.serving.api.agent_settings import AgentSettings
from citation_pipeline.serving.app import create_app
from citation_pipeline.serving.settings import (
    AccessToken,
    ProxyAccess,
    Role,
    ServingSettings,
    ServingSettingsError,
)

_PREFIX = "CITATION_VIEWER_"


def read_settings(
    store: str, *, host: str = "127.0.0.1", port: int = 8321, environment: Mapping[str, str] | None = None
) -> ServingSettings:
    """Return the settings that the environment asks for; raises ServingSettingsError naming the variable."""
    found = os.environ if environment is None else environment

    def get(name: str, default: str = "") -> str:
        return found.get(_PREFIX + name, default).strip()

    def get_list(name: str, default: str = "") -> tuple[str, ...]:
        return tuple(part.strip() for part in get(name, default).split(",") if part.strip())

    def get_number(name: str, default: float) -> float:
        text = get(name) or str(default)
        try:
            return float(text)
        except ValueError as error:
            raise ServingSettingsError(f"{_PREFIX}{name} is not a number: {text!r}") from error

    peers = get_list("PROXY_PEERS")
    defaults = ServingSettings(store)
    return ServingSettings(
        store=store,
        host=host,
        port=port,
        verifications_url=get("DATABASE_URL") or found.get("CITATION_PIPELINE_VERIFICATIONS_URL") or None,
        cache_dir=get("CACHE_DIR") or None,
        cache_bytes=int(get_number("CACHE_BYTES", defaults.cache_bytes)),
        fade_seconds=get_number("FADE_SECONDS", defaults.fade_seconds),
        tokens=_read_tokens(get("TOKENS_FILE")),
        proxy=ProxyAccess(
            peers=peers,
            user_header=get("PROXY_USER_HEADER", "x-forwarded-user"),
            groups_header=get("PROXY_GROUPS_HEADER", "x-forwarded-groups"),
            reviewer_groups=get_list("PROXY_REVIEWER_GROUPS", "reviewers"),
        )
        if peers
        else None,
        hosts=get_list("HOSTS"),
        secure_cookies=get("SECURE_COOKIES") == "1",
        local_reviewer=get("REVIEWER") or _login_name(),
        pdf_passwords=tuple(filter(None, found.get("CITATION_PIPELINE_PDF_PASSWORDS", "").splitlines())),
        agents=_read_agents(found, store),
    )


def serve(settings: ServingSettings) -> None:
    """Serve until stopped. Requests are not logged: paths name claims and documents."""
    uvicorn.run(
        create_app(settings),
        host=settings.host,
        port=settings.port,
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,  # who connects is who connects; a proxy's word belongs to `access`
        timeout_keep_alive=30,
        h11_max_incomplete_event_size=64_000,
    )


def _read_agents(environment: Mapping[str, str], store: str) -> AgentSettings:
    try:
        return read_agents(environment, store=store)
    except ValueError as error:
        raise ServingSettingsError(str(error)) from error


def _read_tokens(path: str) -> tuple[AccessToken, ...]:
    if not path:
        return ()
    try:
        records: Any = json.loads(Path(path).read_text(encoding="utf-8"))
        return tuple(_token(record) for record in records)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ServingSettingsError(
            f"{_PREFIX}TOKENS_FILE cannot be read ({type(error).__name__}): give a JSON list of "
            '{"name", "role", "token"} or {"name", "role", "sha256"}'
        ) from error


def _token(record: Mapping[str, str]) -> AccessToken:
    role = Role(record["role"])
    if "sha256" in record:
        return AccessToken(record["name"], role, record["sha256"])
    return AccessToken.of(record["token"], name=record["name"], role=role)


def _login_name() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a container's user without a name
        return "local reviewer"
