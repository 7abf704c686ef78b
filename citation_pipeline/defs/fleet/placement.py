"""Where the steps of a stage run and what they are given: queues, executor, CPU and memory by the settings.

Kubernetes and Celery read them from tags. A run whose steps share its process is given what the most
demanding of its stages is given.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

import dagster as dg

from citation_pipeline.adapters.deployment.deployment import DeploymentError
from citation_pipeline.adapters.deployment.fleet_section import (
    EXECUTOR_VARIABLE,
    QUEUES_VARIABLE,
    RESOURCES_VARIABLE,
)
from citation_pipeline.core.planning.stages import STAGES

IN_PROCESS, MULTIPROCESS, KUBERNETES = "in_process", "multiprocess", "kubernetes"
QUEUE_TAG, POD_TAG = "dagster-celery/queue", "dagster-k8s/config"
_KINDS = ("cpu", "memory")
_QUANTITY = re.compile(r"(\d+(?:\.\d+)?)(m|[KMGT]i?)?")
_FACTORS = {
    "": Decimal(1),
    "m": Decimal("0.001"),
    **{f"{prefix}": Decimal(1000) ** power for power, prefix in enumerate("KMGT", start=1)},
    **{f"{prefix}i": Decimal(1024) ** power for power, prefix in enumerate("KMGT", start=1)},
}


@dataclass(frozen=True, slots=True)
class Placement:
    """Who works on steps, and, by stage, the queue of its runs and the CPU and memory of its steps."""

    executor: str = IN_PROCESS
    queues: Mapping[str, str] = field(default_factory=dict)
    resources: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def step_tags(self, stage: str) -> dict[str, Any]:
        """Return the tags of a stage's steps."""
        queue = {QUEUE_TAG: self.queues[stage]} if stage in self.queues else {}
        return queue | _pod(self.resources.get(stage, {}))

    def run_tags(self, stages: Iterable[str]) -> dict[str, Any]:
        """Return the tags of a job's runs: what their steps need, unless each is a pod of its own."""
        if self.executor == KUBERNETES:
            return {}
        given = [self.resources[stage] for stage in stages if stage in self.resources]
        most = {
            kind: max((one[kind] for one in given if kind in one), key=_amount)
            for kind in _KINDS
            if any(kind in one for one in given)
        }
        return _pod(most)

    def executor_definition(self) -> dg.ExecutorDefinition:
        """Return what works on the steps of a run. Raises DeploymentError where it is not installed."""
        if self.executor == MULTIPROCESS:
            return dg.multiprocess_executor
        if self.executor == KUBERNETES:
            try:
                from dagster_k8s import k8s_job_executor
            except ImportError as error:
                raise DeploymentError(
                    f"{EXECUTOR_VARIABLE}=kubernetes needs the extra of that name: "
                    "pip install 'citation-pipeline[kubernetes]'"
                ) from error
            return k8s_job_executor
        return dg.in_process_executor


def queues_of(text: str) -> dict[str, str]:
    """Return queues by stage, as CITATION_PIPELINE_QUEUES says them. Raises DeploymentError."""
    queues = {}
    for pair in filter(None, (part.strip() for part in text.split(","))):
        stage, separator, queue = (piece.strip() for piece in pair.partition("="))
        if stage not in STAGES or not separator or not queue.replace("-", "").replace("_", "").isalnum():
            raise DeploymentError(
                f"{QUEUES_VARIABLE}: {pair!r} is not stage=queue; stages are {', '.join(STAGES)}"
            )
        queues[stage] = queue
    return queues


def resources_of(text: str) -> dict[str, dict[str, str]]:
    """Return CPU and memory by stage, as CITATION_PIPELINE_RESOURCES says them. Raises DeploymentError."""
    found: dict[str, dict[str, str]] = {}
    for part in filter(None, (part.strip() for part in text.split(";"))):
        stage, _, said = (piece.strip() for piece in part.partition("="))
        amounts = {}
        for pair in said.split(","):
            kind, _, amount = (piece.strip() for piece in pair.partition(":"))
            if stage not in STAGES or kind not in _KINDS or not _QUANTITY.fullmatch(amount):
                raise DeploymentError(
                    f"{RESOURCES_VARIABLE}: {part!r} is not stage=cpu:AMOUNT,memory:AMOUNT (such as "
                    f"cpu:250m,memory:4Gi); stages are {', '.join(STAGES)}"
                )
            amounts[kind] = amount
        found[stage] = amounts
    return found


def _pod(amounts: Mapping[str, str]) -> dict[str, Any]:
    """Return the tag that gives a pod so much; memory is a limit too, CPU only what is reserved."""
    if not amounts:
        return {}
    resources: dict[str, Any] = {"requests": dict(amounts)}
    if "memory" in amounts:  # a step beyond it would take its neighbours' memory
        resources["limits"] = {"memory": amounts["memory"]}
    return {POD_TAG: {"container_config": {"resources": resources}}}


def _amount(text: str) -> Decimal:
    found = _QUANTITY.fullmatch(text)
    assert found is not None  # checked when it was read
    return Decimal(found[1]) * _FACTORS[found[2] or ""]
