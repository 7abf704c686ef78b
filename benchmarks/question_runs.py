"""Labelled questions asked of claims: the claims are run where there is no store, the candidates are kept."""

import json
import math
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks.question_files import PUBLIC, Asked, has_place, is_right, public_claim, read_questions
from benchmarks.unheard import unheard_phrasings
from citation_pipeline.adapters.claim_folders import RECORDED_ANSWER
from citation_pipeline.adapters.read_model.model import ReadModel
from citation_pipeline.adapters.read_model.questions import retrieve
from citation_pipeline.adapters.schema_files import AUTO, load_schema
from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.adapters.verifications.database import default_url
from citation_pipeline.adapters.verifications.store import VerificationStore
from citation_pipeline.core.claims import slug_of
from citation_pipeline.core.retrieval.answering import MOST_SOURCES, Answer, answer_from
from citation_pipeline.core.retrieval.candidates import Candidates
from citation_pipeline.core.retrieval.confidence import AnswerModel
from citation_pipeline.core.retrieval.thresholds import EVIDENCE_THRESHOLD

PROJECT = Path(__file__).resolve().parent.parent
KEPT = 40
"""Candidates kept of each question: a fit reorders them."""
KEPT_PAGES = 20
SCHEMA = "workers_comp"
TRUTH = "truth"


@dataclass(frozen=True)
class Row:
    """A question, its candidates, and the names of the claim's files by source id."""

    asked: Asked
    candidates: Candidates
    files: dict[str, str]

    def answered(self, model: AnswerModel, *, threshold: float = EVIDENCE_THRESHOLD) -> Answer:
        """Return the answer that a model's weights give."""
        return answer_from(self.candidates, model, threshold=threshold)

    def is_right(self, answer: Answer) -> bool:
        """Tell whether an answer says what the label says; a refusal does not."""
        return (
            self.asked.is_answerable and answer.is_found and is_right(self.asked, answer.text, answer.value)
        )

    def has_label(self, place: tuple[str, int]) -> bool:
        """Tell whether a page, by source id, is one of the labelled ones."""
        source_id, page = place
        return has_place(self.asked, [(self.files.get(source_id, ""), page), place])

    def is_placed(self, answer: Answer) -> bool:
        """Tell whether a labelled page is among the first three that are shown."""
        shown = [*answer.support, *answer.misses][:MOST_SOURCES]
        names = [(self.files.get(e.statement.source_id, ""), e.statement.page) for e in shown]
        return has_place(self.asked, [*names, *((e.statement.source_id, e.statement.page) for e in shown)])


def open_model(store: Path) -> ReadModel:
    """Return the read model of a store, as the server builds it."""
    return ReadModel(ClaimStore(store), VerificationStore(default_url(store)), schemas=[load_schema(SCHEMA)])


def ask_unheard(model: ReadModel, asked: Sequence[Asked], *, folds: int = 5) -> list[Row]:
    """Ask questions with the phrasings that lie near to them taken out, a fold of claims at a time."""
    known = set(model.claims.ids())
    listed = [question for question in asked if question.claim in known]
    claims = sorted({question.claim for question in listed})
    rows: list[Row] = []
    for fold in range(folds):
        own = set(claims[fold::folds])
        questions = [question for question in listed if question.claim in own]
        model.hear(SCHEMA, unheard_phrasings(SCHEMA, [question.text for question in questions]))
        rows += ask_all(model, questions)
    return rows


def ask_all(model: ReadModel, asked: Iterable[Asked]) -> list[Row]:
    """Ask the questions of those claims that the store has."""
    rows, known = [], set(model.claims.ids())
    for question in asked:
        if question.claim not in known:
            continue
        found = retrieve(model, question.text, claim_id=question.claim).candidates
        state = model.claims.state(question.claim)
        files = {source["id"]: source["file"] for source in state.sources.values()}
        pages = sorted(found.pages, key=lambda page: -_promise(page.features))[:KEPT_PAGES]
        rows.append(Row(question, replace(found, ranked=found.ranked[:KEPT], pages=pages), files))
    return rows


def _promise(features: Mapping[str, float]) -> float:
    return math.fsum(features[name] for name in ("best", "together", "bm25", "hit", "field", "covered"))


def run_claims(
    paths: Sequence[Path], store: Path, *, folders: Sequence[Path], extractor: str, scratch: Path
) -> None:
    """Run the claims that question files are about; a public document is a claim by itself.

    With the extractor `truth` each claim's dataset holds what its truth.json says: what is then answered
    wrong was read right, and only the question was not understood.
    """
    wanted: dict[str, Path] = {}
    skipped: set[str] = set()
    for path in paths:
        for question in read_questions(path):
            if question.document:
                wanted.setdefault(question.claim, _alone(Path(question.document), scratch))
            elif question.claim not in wanted:
                folder = _folder_of(question.claim, [path.parent.parent, *folders])
                if folder is None:
                    skipped.add(question.claim)
                else:
                    wanted[question.claim] = _under_name(folder, question.claim, scratch)
    if skipped:
        print(f"{len(skipped)} claims have no folder: name the folder of their claims with --claims")
    if extractor == TRUTH:
        told = {claim: folder for claim, folder in wanted.items() if (folder / "truth.json").exists()}
        wanted = {claim: with_truth_as_answer(folder, claim, scratch) for claim, folder in told.items()}
        extractor = "replay"
    alone = {claim: folder for claim, folder in wanted.items() if claim.startswith(PUBLIC)}
    claims = {claim: folder for claim, folder in wanted.items() if claim not in alone}
    for folders_run, schema in ((claims, SCHEMA), (alone, AUTO)):
        # a document by itself is read by the schema that it calls for, as an upload is
        command = [sys.executable, "-m", "citation_pipeline", "run", *map(str, folders_run.values())]
        command += ["--schema", schema, "--extractor", extractor, "--store", str(store)]
        if folders_run:
            subprocess.run(command, check=False, stdout=subprocess.DEVNULL)


def _folder_of(claim: str, roots: Sequence[Path]) -> Path | None:
    """Return a claim's folder: of its name, with it in its truth, or of a name that ends alike."""
    every = (*roots, PROJECT / "data" / "samples", PROJECT.parent / "shared" / "claims")
    for root in every:
        if (root / claim).is_dir() and not (root / claim / "__init__.py").exists():  # a package of tests
            return root / claim
    folders = sorted(
        folder for root in roots if root.is_dir() for folder in root.iterdir() if folder.is_dir()
    )
    for folder in folders:
        truth = folder / "truth.json"
        if truth.exists() and json.loads(truth.read_text(encoding="utf-8")).get("claim_id") == claim:
            return folder
    return next((folder for folder in folders if _last_part(folder.name) == _last_part(claim)), None)


def _last_part(name: str) -> str:
    return re.split(r"[-_]", name)[-1]


def _under_name(folder: Path, claim: str, scratch: Path) -> Path:
    """Return a claim's folder under the name that its questions use."""
    if folder.name == claim:
        return folder
    shutil.copytree(folder, scratch / claim, dirs_exist_ok=True)
    return scratch / claim


def with_truth_as_answer(folder: Path, claim: str, scratch: Path) -> Path:
    """Return a copy of a claim's folder whose truth is its recorded answer."""
    copy = scratch / TRUTH / claim
    shutil.copytree(folder, copy, dirs_exist_ok=True)
    truth = json.loads((folder / "truth.json").read_text(encoding="utf-8"))
    records = [
        {
            "field_key": key,
            "value": field["value"],
            "citations": [
                {"source_id": slug_of(cited["file"]), "text_snippet": cited["text"]}
                for cited in field.get("citations", ())
            ],
        }
        for key, field in truth["fields"].items()
    ]
    (copy / RECORDED_ANSWER).write_text(json.dumps({"extractions": records}), encoding="utf-8")
    return copy


def _alone(document: Path, scratch: Path) -> Path:
    folder = scratch / public_claim(str(document))
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / document.name).exists():
        shutil.copy(document, folder / document.name)
    return folder
