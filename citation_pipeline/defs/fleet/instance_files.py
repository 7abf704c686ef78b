"""`dagster.yaml` and `workspace.yaml` of a fleet: without a password or a path of one machine."""

import json
from enum import StrEnum
from typing import Any

from citation_pipeline.adapters.deployment.deployment import Deployment, DeploymentError
from citation_pipeline.adapters.deployment.fleet_section import BROKER_VARIABLE, DATABASE_VARIABLE
from citation_pipeline.adapters.object_storage.addresses import is_remote, read_address
from citation_pipeline.defs.automation.night_settings import night_settings_of
from citation_pipeline.defs.fleet.placement import queues_of
from citation_pipeline.defs.instances import QUIET, run_rules

_LOGS = """\
python_logs:
  dagster_handler_config:  # one JSON object a line on stderr: ids, stages, counts, no document text
    formatters:
      json_lines:
        (): citation_pipeline.defs.logs.JsonLines
    handlers:
      json_lines:
        class: logging.StreamHandler
        level: INFO
        formatter: json_lines

"""
_STORAGE = """\
storage:
  custom:
    module: citation_pipeline.defs.dagster_internals.postgres_storage
    class: FleetPostgresStorage
    config:
      postgres_url:
        env: {database}

"""
_CELERY = """\
run_launcher:
  module: citation_pipeline.defs.dagster_internals.worker_launcher
  class: WorkerRunLauncher
  config:
    broker:
      env: {broker}
    queues: {queues}
    lost_after_seconds: {lost_after_s}

"""
_KUBERNETES = """\
run_launcher:  # needs the package dagster-k8s; with the official Helm chart, the chart writes this section
  module: dagster_k8s
  class: K8sRunLauncher
  config:
    service_account_name: citation-pipeline
    instance_config_map: citation-pipeline-instance
    dagster_home: {{env: DAGSTER_HOME}}
    job_image: {{env: CITATION_PIPELINE_IMAGE}}
    job_namespace: {{env: CITATION_PIPELINE_KUBERNETES_NAMESPACE}}
    env_config_maps: [citation-pipeline-settings]
    env_secrets: [citation-pipeline-secrets]

"""
_NO_COMPUTE_LOGS = """\
compute_logs:  # what steps print is in the run's own output: the store is no bucket of S3
  module: dagster._core.storage.noop_compute_log_manager
  class: NoOpComputeLogManager

"""
# one name however the code is loaded: what was switched on in the UI is kept by it
_LOADED_BY_EACH = """\
load_from:
  - python_module:
      module_name: citation_pipeline.defs.definitions
      location_name: citation_pipeline.defs.definitions
"""
_CODE_SERVER = """\
load_from:
  - grpc_server:
      host: {host}
      port: {port}
      location_name: citation_pipeline.defs.definitions
"""
_POLL_S = 5  # a worker's silence is noticed so many seconds after its time
_START_TIMEOUT_S = 300  # waiting in the broker counts


class Launcher(StrEnum):
    """Who starts runs."""

    CELERY = "celery"
    KUBERNETES = "kubernetes"


def fleet_workspace(deployment: Deployment) -> str:
    """Return the text of `workspace.yaml`: where daemon and web find the code."""
    host, _, port = deployment.code_server.rpartition(":")
    return _CODE_SERVER.format(host=json.dumps(host), port=port) if host else _LOADED_BY_EACH


def fleet_settings(deployment: Deployment, launcher: Launcher) -> str:
    """Return the text of `dagster.yaml`. Raises DeploymentError for settings that no fleet can have."""
    if not is_remote(deployment.store):
        raise DeploymentError(
            "CITATION_PIPELINE_STORE is a folder of this machine: several hosts need a URL, such as "
            "s3://bucket/claims"
        )
    queues = queues_of(deployment.queues)
    launched = (
        _CELERY.format(
            broker=BROKER_VARIABLE,
            queues=json.dumps(queues),
            lost_after_s=float(deployment.lost_after_s),
        )
        if launcher is Launcher.CELERY
        else _KUBERNETES.format()
    )
    return (
        "# Written by `citation-pipeline fleet init`; the same on every host.\n"
        + QUIET
        + _LOGS
        + _STORAGE.format(database=DATABASE_VARIABLE)
        + launched
        + _compute_logs(deployment.store)
        + run_rules(night_settings_of(deployment).runs, poll_s=_POLL_S, start_timeout_s=_START_TIMEOUT_S)
    )


def _compute_logs(store: str) -> str:
    """Return where the output of steps goes: the store's own bucket, beside the claims."""
    address = read_address(store)
    if not address.bucket.startswith("s3://"):
        return _NO_COMPUTE_LOGS
    endpoint = address.config.get("endpoint", "")
    config: dict[str, Any] = {
        "bucket": address.bucket.removeprefix("s3://"),
        "prefix": "/".join(filter(None, (address.prefix, "compute-logs"))),
        "skip_empty_files": True,
    }
    if endpoint:
        config |= {"endpoint_url": endpoint, "use_ssl": endpoint.startswith("https://")}
    if "region" in address.config:
        config["region"] = address.config["region"]
    lines = "".join(f"    {name}: {json.dumps(value)}\n" for name, value in config.items())
    return (
        "compute_logs:  # credentials are the environment's, as the store's\n"
        "  module: dagster_aws.s3.compute_log_manager\n  class: S3ComputeLogManager\n  config:\n"
        f"{lines}\n"
    )
