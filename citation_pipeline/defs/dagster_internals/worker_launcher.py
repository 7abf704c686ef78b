"""The run launcher of a fleet: runs are messages to a Celery broker, taken by workers on any host.

Dagster's own launcher for Celery runs a claim inside the worker's pool, where it may have no processes; asks
a result backend how it is, which never hears of a host that is gone; and knows one queue. Here the broker
only delivers. Whether a run's worker lives, and that it is to stop, both sides read in Dagster's database.
"""

import time
from collections.abc import Mapping
from functools import cached_property
from typing import Any

import dagster as dg
from dagster._core.launcher.base import CheckRunHealthResult, LaunchRunContext, RunLauncher, WorkerStatus
from dagster._serdes import ConfigurableClass, ConfigurableClassData, pack_value

from citation_pipeline.core.planning.stages import STAGES
from citation_pipeline.defs.dagster_internals.worker_notes import WORKER_TAG, Watch, read_note

TASK_NAME = "citation_pipeline.execute_run"
DEFAULT_QUEUE = "dagster"
LOST_AFTER_S, BEAT_S = 45.0, 3.0
# as dagster-celery calls them, so that tags of runs mean the same
QUEUE_TAG, PRIORITY_TAG = "dagster-celery/queue", "dagster-celery/run_priority"
# a broker that is restarted is waited for, about a minute
_SENDING = {"max_retries": 30, "interval_start": 0.2, "interval_step": 0.3, "interval_max": 3.0}


class WorkerRunLauncher(RunLauncher, ConfigurableClass):
    """Sends runs to workers, sees which of them are gone and stops what is to be stopped."""

    def __init__(
        self,
        broker: str,
        default_queue: str = DEFAULT_QUEUE,
        queues: Mapping[str, str] | None = None,
        lost_after_seconds: float = LOST_AFTER_S,
        beat_seconds: float = BEAT_S,
        inst_data: ConfigurableClassData | None = None,
    ) -> None:
        self._inst_data = inst_data
        self.broker, self.default_queue = broker, default_queue
        self.queues = dict(queues or {})
        self.lost_after_s, self.beat_s = lost_after_seconds, beat_seconds
        self._watch = Watch(lost_after_seconds)
        self._looked_at_starts = -beat_seconds
        super().__init__()  # type: ignore[no-untyped-call]

    @property
    def inst_data(self) -> ConfigurableClassData | None:
        """Return what `dagster.yaml` says of the launcher."""
        return self._inst_data

    @classmethod
    def config_type(cls) -> Any:
        """Return what `dagster.yaml` may say."""
        return {
            "broker": dg.Field(dg.StringSource, description="The broker's URL, such as redis://host:6379/0."),
            "default_queue": dg.Field(dg.StringSource, is_required=False, default_value=DEFAULT_QUEUE),
            "queues": dg.Field(
                dg.Map(str, str),  # type: ignore[no-untyped-call]
                is_required=False,
                description="The queue of a run by the first of its stages that is named here.",
            ),
            "lost_after_seconds": dg.Field(
                float,
                is_required=False,
                default_value=LOST_AFTER_S,
                description="How long a worker may give no sign of life before its run is failed.",
            ),
            "beat_seconds": dg.Field(float, is_required=False, default_value=BEAT_S),
        }

    @classmethod
    def from_config_value(cls, inst_data: ConfigurableClassData, config_value: Any) -> "WorkerRunLauncher":
        """Return the launcher that `dagster.yaml` describes."""
        return cls(inst_data=inst_data, **config_value)

    @cached_property
    def celery(self) -> Any:
        """The Celery app, imported when first needed: a run's own process sends nothing."""
        from dagster_celery.make_app import make_app

        return make_app(  # type: ignore[no-untyped-call]
            app_args={
                "broker": self.broker,
                "set_as_current": False,
                "task_default_queue": self.default_queue,
                "config_source": {
                    "worker_prefetch_multiplier": 1,
                    "worker_disable_prefetch": True,  # no run waits at a busy worker while another is idle
                    "broker_connection_retry_on_startup": True,
                    "broker_connection_max_retries": None,  # a worker waits for its broker, however long
                    "broker_transport_options": {
                        "socket_connect_timeout": 5,
                        "socket_timeout": 15,
                        "socket_keepalive": True,
                    },
                    "task_ignore_result": True,  # how a run ended is in Dagster's database
                    "worker_hijack_root_logger": False,
                    "worker_send_task_events": False,
                },
            }
        )

    def launch_run(self, context: LaunchRunContext) -> None:
        """Send the run to its queue. Raises when the broker cannot be reached for a minute."""
        run, origin = context.dagster_run, context.job_code_origin
        if origin is None:
            raise dg.DagsterInvariantViolationError(f"the run {run.run_id} does not say where its code is")
        queue = self.queue_of(run)
        self.celery.send_task(
            TASK_NAME,
            kwargs={"run_id": run.run_id, "origin": pack_value(origin)},
            task_id=run.run_id,
            queue=queue,
            routing_key=f"{queue}.{TASK_NAME}",
            priority=_priority_of(run),
            ignore_result=True,
            retry=True,
            retry_policy=_SENDING,
        )
        self._instance.report_engine_event(f"Sent to the queue {queue}.", run, cls=self.__class__)
        self._fail_lost_starts()

    def queue_of(self, run: dg.DagsterRun) -> str:
        """Return the run's queue: what its tag says, else that of the first of its stages that has one."""
        if QUEUE_TAG in run.tags:
            return str(run.tags[QUEUE_TAG])
        if run.asset_selection:
            chosen = {key.path[-1] for key in run.asset_selection}
        else:
            chosen = set(STAGES) if run.job_name.endswith("process_claims") else set()
        named = (self.queues[stage] for stage in STAGES if stage in chosen and stage in self.queues)
        return next(named, self.default_queue)

    def terminate(self, run_id: str) -> bool:
        """Have a run stopped by whoever works on it; tell whether there was anything to stop."""
        run = self._instance.get_run_by_id(run_id)
        if run is None or run.is_finished:
            return False
        self._instance.report_run_canceling(run)
        if WORKER_TAG not in run.tags:  # no worker has it; one that takes it now finds it canceled
            self._instance.report_run_canceled(run)
        return True

    @property
    def supports_check_run_worker_health(self) -> bool:
        """Whether run monitoring may ask: it may."""
        return True

    def check_run_worker_health(self, run: dg.DagsterRun) -> CheckRunHealthResult:
        """Tell whether the run's worker gives signs of life; a run of no worker of ours is left alone."""
        self._fail_lost_starts()
        reason = self._watch.reason_lost(self._instance, run)
        if reason is None:
            return CheckRunHealthResult(WorkerStatus.RUNNING)
        self._watch.forget(run.run_id)
        return CheckRunHealthResult(WorkerStatus.FAILED, reason)

    def get_run_worker_debug_info(
        self, run: dg.DagsterRun, include_container_logs: bool | None = True
    ) -> str:
        """Return where the run was."""
        place = run.tags.get(WORKER_TAG)
        if place is None:
            return (
                f"No worker took it from the queue {self.queue_of(run)}: look at `citation-pipeline doctor`."
            )
        note = read_note(self._instance, place)
        return f"Worker {place}, process {note.process if note and note.run_id == run.run_id else 'unknown'}."

    def _fail_lost_starts(self) -> None:
        """Fail runs whose worker disappeared before they started.

        Monitoring looks at no run before its start timeout, so whatever brings it here looks at all of them.
        """
        now = time.monotonic()
        if now - self._looked_at_starts < self.beat_s:
            return
        self._looked_at_starts = now
        starting = dg.RunsFilter(statuses=[dg.DagsterRunStatus.STARTING])
        for run in self._instance.get_runs(filters=starting):
            reason = self._watch.reason_lost(self._instance, run)
            if reason is not None:
                self._watch.forget(run.run_id)
                self._instance.report_run_failed(run, reason)


def _priority_of(run: dg.DagsterRun) -> int:
    written = run.tags.get(PRIORITY_TAG, "0")
    return int(written) if written.lstrip("-").isdigit() else 0
