from citation_pipeline.adapters.known_sources import recall_sources

recall_sources()  # before the assets, which name the version of their code
