"""The settings of several hosts that share the work; one machine needs none of them."""

from typing import Literal

from pydantic import BaseModel

from citation_pipeline.adapters.deployment.setting import setting

DATABASE_VARIABLE = "CITATION_PIPELINE_DAGSTER_DATABASE_URL"
BROKER_VARIABLE = "CITATION_PIPELINE_BROKER_URL"
CODE_SERVER_VARIABLE = "CITATION_PIPELINE_CODE_SERVER"
QUEUES_VARIABLE = "CITATION_PIPELINE_QUEUES"
EXECUTOR_VARIABLE = "CITATION_PIPELINE_EXECUTOR"
RESOURCES_VARIABLE = "CITATION_PIPELINE_RESOURCES"


class Fleet(BaseModel):
    """Several hosts."""

    dagster_database_url: str = setting(
        DATABASE_VARIABLE,
        "",
        "PostgreSQL for Dagster's runs and events (`postgresql://…`), the same on every host; the "
        "`dagster.yaml` that `citation-pipeline fleet init` writes names this variable and no password",
        secret=True,
    )
    broker_url: str = setting(
        BROKER_VARIABLE,
        "",
        "the broker that carries runs to workers: `redis://…` or `rediss://…`",
        secret=True,
    )
    code_server: str = setting(
        CODE_SERVER_VARIABLE,
        "",
        "`host:port` of the process that has the code loaded for daemon and web (`dagster api grpc`); "
        "without it each starts one of its own, the daemon a new one every minute; written by `fleet init`",
        pattern=r"^$|^[^:\s]+:\d{1,5}$",
    )
    queues: str = setting(
        QUEUES_VARIABLE,
        "",
        "queues by stage, `parsed_documents=cpu,resolved_citations=cpu`: a run goes to the queue of its "
        "first stage that is named, else to `dagster`; written by `fleet init`",
    )
    executor: Literal["in_process", "multiprocess", "kubernetes"] = setting(
        EXECUTOR_VARIABLE,
        "in_process",
        "who works on the steps of a run: its own process, processes of its own, or a pod for each step "
        "(`kubernetes`, with the extra of that name)",
    )
    resources: str = setting(
        RESOURCES_VARIABLE,
        "",
        "CPU and memory by stage, `parsed_documents=cpu:4,memory:8Gi;raw_extraction=cpu:250m,memory:1Gi`: of "
        "the pods of its steps or, where steps share the run's process, of the pods of its jobs' runs",
    )
    slots: int = setting("CITATION_PIPELINE_SLOTS", 2, "runs that this host's worker works on at once", ge=1)
    lost_after_s: float = setting(
        "CITATION_PIPELINE_LOST_AFTER_S",
        45.0,
        "seconds without a sign of life after which a worker's runs are started elsewhere; the worker ends "
        "them itself after six tenths of it; written by `fleet init`",
        ge=5,
    )
    rematch_claims: int = setting(
        "CITATION_PIPELINE_REMATCH_CLAIMS",
        1000,
        "claims that share a run of a re-match: fewer spread a small one over several hosts",
        ge=1,
    )
