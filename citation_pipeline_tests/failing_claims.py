"""Twenty claims of which some fail at each stage: how, how they are mended, and what was made of them."""

import json
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from citation_pipeline.adapters.claim_folders import claim_of_folder
from citation_pipeline.adapters.tables.citation_rows import citation_table, read_citations
from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.defs.resources import read_settings
from citation_pipeline.defs.runs.held_sets import accept_held
from citation_pipeline_tests.scenario import ANSWER, write_claim
from citation_pipeline_tests.stored_claims import store_claim

CLAIMS = [f"claim-{number:02d}" for number in (*range(12), *range(32, 40))]
FAILING = {
    "source_documents": {"claim-39"},  # its folder is gone
    "parsed_documents": {"claim-37", "claim-38"},  # a document makes the parser fail
    "raw_extraction": {"claim-35", "claim-36"},  # there is no recorded answer
    "extracted_fields": {"claim-34"},  # a folder stands where its table should
    "resolved_citations": {"claim-33"},
    "viewer_dataset": {"claim-32"},  # a citation that a person verified would be lost
}
BAD = set().union(*FAILING.values())
GOOD = set(CLAIMS) - BAD
BLOCKED = ("fields/claim-34.parquet", "citations/claim-33.parquet")
RETRIED = {  # from the stage that failed onwards; for a parse, from the documents that were mended
    "source_documents": {"claim-37", "claim-38"},
    "parsed_documents": {"claim-37", "claim-38"},
    "raw_extraction": {"claim-35", "claim-36", "claim-37", "claim-38"},
    "extracted_fields": {"claim-34", "claim-35", "claim-36", "claim-37", "claim-38"},
    "resolved_citations": {"claim-33", "claim-34", "claim-35", "claim-36", "claim-37", "claim-38"},
    "viewer_dataset": BAD - {"claim-39"},
    "search_index": {"claim-33", "claim-34", "claim-35", "claim-36", "claim-37", "claim-38"},
}


def register_claims(home: Path) -> ClaimStore:
    """Write the twenty folders with their faults, and register them in a new store."""
    store = ClaimStore(home / "store")
    for claim_id in CLAIMS:
        folder = write_claim(home / "inbox" / claim_id)
        store.register(claim_of_folder(folder, schema="workers_comp", parser="local", extractor="replay"))
        if claim_id in FAILING["source_documents"]:
            folder.rename(folder.with_name(f"{claim_id}.away"))
        if claim_id in FAILING["parsed_documents"]:
            (folder / "documents" / "bad.txt").write_text("CRASH")
        if claim_id in FAILING["raw_extraction"]:
            (folder / "extraction_raw.json").unlink()
    for place in BLOCKED:
        (Path(store.root) / place / "in the way").mkdir(parents=True)
    (unshown,) = FAILING["viewer_dataset"]
    _verify_what_will_be_lost(store, unshown, home)
    return store


def _verify_what_will_be_lost(store: ClaimStore, claim_id: str, home: Path) -> None:
    """Let the claim be shown with a verified citation that its answer's snippet will not be found for."""
    other = ClaimStore(home / "other")
    store_claim(other, write_claim(home / "before" / claim_id))
    citations = read_citations(other, claim_id)
    found = next(citation for citation in citations if citation.snippet)
    shown = [
        citation if citation.snippet else replace(citation, snippet=found.snippet, method="verified")
        for citation in citations
    ]
    store.write_side_table("shown_citations", claim_id, citation_table(claim_id, shown))


def mend_claims(store: ClaimStore, inbox: Path) -> None:
    """Take away what made the claims fail, but for the folder that is gone."""
    for claim_id in FAILING["parsed_documents"]:
        (inbox / claim_id / "documents" / "bad.txt").write_text("A third letter, readable now.")
    for claim_id in FAILING["raw_extraction"]:
        (inbox / claim_id / "extraction_raw.json").write_text(json.dumps(ANSWER))
    for place in BLOCKED:
        (Path(store.root) / place / "in the way").rmdir()
        (Path(store.root) / place).rmdir()
    for claim_id in FAILING["viewer_dataset"]:  # somebody looked, and lets the new set be shown
        accept_held(store, read_settings(store.root), claim_id, by="Ada", why="the new set is right")


def made_of(store: ClaimStore, claim_id: str) -> dict[str, bytes]:
    """Every table of a claim and its viewer dataset, byte for byte."""
    root = Path(store.root)
    found = {path.parent.name: path.read_bytes() for path in root.rglob(f"{claim_id}.parquet")}
    found["data.json"] = (root / "viewer_dataset" / claim_id / "data.json").read_bytes()
    del found["field_history"]  # it tells when something was recorded
    return found


def made_but_for_ids(store: ClaimStore, claim_id: str) -> dict[str, object]:
    """The same as values, with the claim's id and what is derived from it taken out."""
    tables = {
        name: pq.read_table(pa.BufferReader(content)).to_pylist()
        for name, content in made_of(store, claim_id).items()
        if name != "data.json"
    }
    for promotion in tables["promotions"]:
        del promotion["version"]  # of the citations, their claim's id included
    data = store.read_viewer_dataset(claim_id)
    del data["pipeline"]  # fingerprints of the tables, ids included
    return json.loads(json.dumps({**tables, "data": data}, default=str).replace(claim_id, "claim"))
