#!/bin/sh
# Starts one role in a container: the instance's file is made of the settings each time, so that every host
# has the same; the pools' limits are set by the daemon alone.
set -eu
role="${1:?code, web, daemon, worker or viewer}"; shift
# a plan of all claims takes longer than the minute that Dagster's daemon would wait
export DAGSTER_SCHEDULE_GRPC_TIMEOUT_SECONDS="${DAGSTER_SCHEDULE_GRPC_TIMEOUT_SECONDS:-3600}"
export DAGSTER_SENSOR_GRPC_TIMEOUT_SECONDS="${DAGSTER_SENSOR_GRPC_TIMEOUT_SECONDS:-3600}"
citation-pipeline fleet init --force
case "$role" in
    code) exec dagster api grpc -h 0.0.0.0 -p 4000 -m citation_pipeline.defs.definitions "$@" ;;
    daemon)
        citation-pipeline fleet pools
        exec dagster-daemon run -w "$DAGSTER_HOME/workspace.yaml" "$@" ;;
    web) exec dagster-webserver -h 0.0.0.0 -p 3000 --path-prefix /dagster -w "$DAGSTER_HOME/workspace.yaml" "$@" ;;
    worker) exec citation-pipeline fleet worker "$@" ;;
    viewer) exec citation-pipeline serve --host 0.0.0.0 --port 8321 "$@" ;;
    *) echo "unknown role $role" >&2; exit 2 ;;
esac
