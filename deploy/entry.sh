#!/bin/sh
# Starts one role in a container: the instance's file is made of the settings each time, so that every host
# has the same; the pools' limits are set by the daemon alone.
set -eu
role="${1:?web, daemon, worker or viewer}"; shift
# a plan of all claims takes longer than the minute that Dagster's daemon would wait
export DAGSTER_SCHEDULE_GRPC_TIMEOUT_SECONDS="${DAGSTER_SCHEDULE_GRPC_TIMEOUT_SECONDS:-3600}"
export DAGSTER_SENSOR_GRPC_TIMEOUT_SECONDS="${DAGSTER_SENSOR_GRPC_TIMEOUT_SECONDS:-3600}"
citation-pipeline fleet init --force
case "$role" in
    daemon)
        citation-pipeline fleet pools
        exec dagster-daemon run -m citation_pipeline.defs.definitions "$@" ;;
    web) exec dagster-webserver -h 0.0.0.0 -p 3000 --path-prefix /dagster -m citation_pipeline.defs.definitions "$@" ;;
    worker) exec citation-pipeline fleet worker "$@" ;;
    viewer) exec citation-pipeline serve --host 0.0.0.0 --port 8321 "$@" ;;
    *) echo "unknown role $role" >&2; exit 2 ;;
esac
