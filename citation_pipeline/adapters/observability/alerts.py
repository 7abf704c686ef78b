"""Alerts to people: Slack, Teams, mail and what else apprise (extra `alerts`) has an address for.

What an alert says is its caller's; here it is sent, bounded in time, in the clear to this machine only.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from citation_pipeline.adapters.clocks import Clock
from citation_pipeline.adapters.repeating import repeat
from citation_pipeline.core.failures import PipelineError
from citation_pipeline.core.planning.retries import RetryRules

VARIABLE = "CITATION_PIPELINE_ALERT_URLS"
# apprise gives each try 4 s to connect and 4 s to answer; a sensor's tick has a minute
_RETRIES = RetryRules(tries=2, first_wait_s=2.0, longest_wait_s=5.0)
_LOOPBACK = ("localhost", "127.0.0.1", "::1")


class AlertError(PipelineError):
    """An alert that somebody did not get: which of the addresses, by number and kind; they hold secrets."""


@dataclass(frozen=True, slots=True)
class Alert:
    """What people are told: a line, and what is below it."""

    title: str
    body: str


def send_alert(urls: Sequence[str], alert: Alert, *, clock: Clock | None = None) -> None:
    """Send an alert to every address, twice where the first try fails.

    Raises AlertError naming those that did not take it, after all others got it.
    """
    failed = []
    for number, url in enumerate(urls, start=1):
        try:
            service = _service(url, number)
            repeat(
                lambda service=service, number=number: _notify(service, alert, number),  # type: ignore[misc]
                rules=_RETRIES,
                may_pass=lambda error: isinstance(error, _NotTakenError),
                clock=clock or Clock(),
            )
        except AlertError as error:
            failed.append(str(error))
    if failed:
        raise AlertError("; ".join(failed))


def check_addresses(urls: Sequence[str]) -> None:
    """Raise AlertError for an address that nothing could be sent to, without sending anything."""
    for number, url in enumerate(urls, start=1):
        _service(url, number)


class _NotTakenError(AlertError):
    """A service that did not take the alert; apprise does not say why."""


def _service(url: str, number: int) -> Any:
    try:
        import apprise  # an extra, and half a second
    except ImportError as error:
        raise AlertError(
            f"{VARIABLE} is set, but alerts need apprise: pip install 'citation-pipeline[alerts]'"
        ) from error
    # nothing is kept on disk, and nobody sends the alert elsewhere
    asset = apprise.AppriseAsset(storage_mode=apprise.PersistentStoreMode.MEMORY, http_redirects=False)
    try:
        service = apprise.Apprise.instantiate(url, asset=asset, suppress_exceptions=True)
    except Exception:  # noqa: BLE001 - a plugin's own, which may quote the address
        service = None
    if service is None:
        raise AlertError(
            f"address {number} in {VARIABLE} is not one that apprise knows: see its list of services"
        )
    plain = service.protocol or ()
    is_plain = service.schema in ((plain,) if isinstance(plain, str) else plain) and not service.secure
    if is_plain and service.host not in _LOOPBACK:
        raise AlertError(
            f"address {number} in {VARIABLE} ({service.service_name}) is not encrypted: use its secure form, "
            "such as mailtos:// or jsons://"
        )
    return service


def _notify(service: Any, alert: Alert, number: int) -> None:
    try:
        taken = service.notify(title=alert.title, body=alert.body, body_format="text")
    except Exception:  # noqa: BLE001 - whatever a plugin raises may quote the address
        taken = False
    if not taken:
        raise _NotTakenError(
            f"address {number} in {VARIABLE} ({service.service_name}) did not take the alert"
        )
