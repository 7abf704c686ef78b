"""Whole claims through parser and rules, judged by the claims' own scorer: the promise made for the rules."""

import importlib.util
import json
from functools import cache

import pytest

from citation_pipeline.adapters.claim_folders import claim_of_folder, describe_documents, file_of
from citation_pipeline.adapters.pdfium.documents import parse_pdf
from citation_pipeline.adapters.schema_files import load_lexicon, load_schema
from citation_pipeline.core.evaluation.evaluation import evaluate
from citation_pipeline.core.rules.extraction import extract

SCHEMA, LEXICON = load_schema("workers_comp"), load_lexicon("workers_comp")


@pytest.fixture(scope="module")
def scorer(claims):
    spec = importlib.util.spec_from_file_location("score_extraction", claims / "score_extraction.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@cache
def extracted(folder):
    """A claim's truth, documents (scans without words: no recognizer here) and extraction."""
    claim = claim_of_folder(folder, schema="workers_comp", parser="local", extractor="rules")
    documents = [
        parse_pdf(source, file_of(claim, source).read_bytes()) for source in describe_documents(claim)
    ]
    return json.loads((folder / "truth.json").read_text()), documents, extract(documents, SCHEMA, LEXICON)


@pytest.fixture
def sample_claim(project):
    return extracted(project / "data" / "samples" / "sample_claim")


def test_rules_reach_the_promised_value_f1_on_the_sample_claim(sample_claim):
    truth, documents, extraction = sample_claim
    assert evaluate(truth, extraction.fields, (), documents).values.f1 >= 0.9


@pytest.mark.parametrize("name", ["claim_05", "claim_06"])
def test_rules_reach_the_promised_value_f1(claims, scorer, name):
    truth, _, extraction = extracted(claims / name)
    by_type, _, _ = scorer.score(truth, {f.field_key: f.value for f in extraction.fields})
    total = [sum(counts[i] for counts in by_type.values()) for i in range(3)]
    assert scorer.prf(total)[2] >= 0.8


@pytest.mark.parametrize("name", ["claim_05", "claim_06", "sample_claim"])
def test_our_figures_are_the_scorers_figures(claims, scorer, project, name):
    folder = project / "data" / "samples" if name == "sample_claim" else claims
    truth, documents, extraction = extracted(folder / name)
    by_type, _, shares = scorer.score(truth, {f.field_key: f.value for f in extraction.fields})
    evaluation = evaluate(truth, extraction.fields, (), documents)
    ours = {k: [c.right, c.wrong, c.missing] for k, c in evaluation.by_type.items()}
    assert ours == {kind: list(counts) for kind, counts in by_type.items()}
    assert evaluation.item_members == pytest.approx(sum(shares) / len(shares))


def test_every_value_has_a_snippet_that_stands_in_its_document(sample_claim):
    every_snippet_is_in_its_document(*sample_claim[1:])


def test_every_value_of_an_outside_claim_has_a_snippet_that_stands_in_its_document(claims):
    every_snippet_is_in_its_document(*extracted(claims / "claim_06")[1:])


def every_snippet_is_in_its_document(documents, extraction):
    texts = {d.source.source_id: d for d in documents}
    for field in extraction.fields:
        assert (field.value is None) == (not field.snippets)
        for snippet in field.snippets:
            document = texts[snippet.source_id]
            assert set(snippet.text.split()) <= {w for text in document.words.texts for w in text.split()}
            if snippet.start_offset is not None:
                text = document.text[snippet.start_offset : snippet.end_offset]
                assert " ".join(text.split()) == snippet.text
