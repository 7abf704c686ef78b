"""The deployment in numbers, for Prometheus."""

from fastapi import APIRouter, Request, Response

from citation_pipeline.adapters.observability.exposition import CONTENT_TYPE, metrics_text
from citation_pipeline.serving.access import Scraper

_AS_OLD_AS_S = 10.0  # several scrapers ask at once; none needs what happened a moment ago

# Prometheus' own format, which no caller of the API reads
router = APIRouter(include_in_schema=False)


@router.get("/metrics", dependencies=[Scraper])
def read_metrics(request: Request) -> Response:
    """Return counts, rates, times and costs over all claims, in Prometheus' text format."""
    figures = request.app.state.figures.read(max_age_s=_AS_OLD_AS_S)
    return Response(metrics_text(figures), media_type=CONTENT_TYPE)
