"""A code location with the project's own assets and readers that cost nothing, for daemons in tests."""

import dagster as dg

from citation_pipeline.adapters.extractors.replay import ReplayExtractor
from citation_pipeline.adapters.readers import Readers
from citation_pipeline.defs.definitions import build_definitions
from citation_pipeline.defs.resources import store_root
from citation_pipeline_tests.scenario import LineParser

defs: dg.Definitions = build_definitions(
    store=store_root(),
    readers={
        "parsers": Readers("parser", {"local": LineParser}),
        "extractors": Readers("extractor", {"replay": ReplayExtractor}),
    },
)
