"""Resolution measured: classes x our resolver, the published algorithm and rapidfuzz partial alignment, in
one run.

    python benchmarks/resolver.py [--bench DIR] [--quick] [--classes | --throughput]

The development half of the benchmark (`../shared/bench` by default) gives documents, queries, truth and
scorer; its README says what each class is. Throughput is measured on the same documents laid end to end.
"""

import argparse
import importlib.util
import json
import random
import resource
import sys
import time
import tracemalloc
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

PROJECT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(PROJECT))

from benchmarks.baselines import partial_alignment, published_blocks  # noqa: E402
from citation_pipeline.core.matching.index import DocumentIndex  # noqa: E402
from citation_pipeline.core.resolution.queries import read_words, resolve_queries  # noqa: E402

EXACT_LIKE = ("exact", "whitespace", "case", "typographic", "markup")
SIZES = (1, 10, 100, 1000)
WORDS_PER_PAGE = 440
EXACT_SHARE = 0.8
WANTED = {1: 10, 10: 100, 100: 400, 1000: 1000}

Record = Mapping[str, Any]


def load_lines(path: Path) -> list[Record]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line.strip()]


def load_scorer(bench: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("bench_score", bench / "score.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def predict_ours(documents: Mapping[str, Record], queries: Sequence[Record]) -> list[Record]:
    indexes = {name: DocumentIndex(read_words(document)) for name, document in documents.items()}
    return [resolve_queries(indexes[query["doc_id"]], [query])[0] for query in queries]


def predict_with(baseline: Any, documents: Mapping[str, Record], queries: Sequence[Record]) -> list[Record]:
    prepared = {name: baseline.prepare(document) for name, document in documents.items()}
    return [baseline.find(prepared[query["doc_id"]], query) for query in queries]


def print_classes(
    scorer: ModuleType, truth: Sequence[Record], predictions: Mapping[str, list[Record]]
) -> None:
    shared = scorer.Docs()
    scores = {
        name: scorer.summarize(scorer.score(found, truth, docs=shared)) for name, found in predictions.items()
    }
    print(f"\n{'class':16s} {'n':>5s}  " + "".join(f"{name:^23s}" for name in scores))
    print(f"{'':16s} {'':5s}  " + f"{'word F1':>10s}{'page':>9s}    " * len(scores))
    for name in scorer.POS:
        cells = [scores[matcher][name] for matcher in scores]
        row = "".join(f"{cell['acc_f1']:10.3f}{cell['page']:9.3f}    " for cell in cells)
        print(f"{name:16s} {cells[0]['n']:5d}  {row}")
    print(f"{'':16s} {'':5s}  " + f"{'right':>10s}{'accepted':>9s}    " * len(scores))
    for name in scorer.NEG:
        cells = [scores[matcher][name] for matcher in scores]
        row = "".join(f"{cell['right']:10.3f}{cell['false_accept']:9.3f}    " for cell in cells)
        print(f"{name:16s} {cells[0]['n']:5d}  {row}")
    for label, key in (
        ("macro word F1", "macro_acc_f1"),
        ("macro page", "macro_page"),
        ("negatives right", "macro_neg_right"),
        ("AUROC", "auroc"),
    ):
        print(f"{label:22s}  " + "".join(f"{scores[m]['ALL'][key]:10.4f}{'':13s}" for m in scores))


def print_calibration(scorer: ModuleType, truth: Sequence[Record], found: list[Record]) -> None:
    """Print how often a place is right (page and 90 % of the words) by its confidence."""
    records = [r for r in scorer.score(found, truth) if r["st"] != "unresolved"]
    print("\nconfidence   places   mean   right")
    error = 0.0
    for low in (0.0, 0.2, 0.4, 0.6, 0.8, 0.9, 0.95, 0.99):
        high = {0.0: 0.2, 0.2: 0.4, 0.4: 0.6, 0.6: 0.8, 0.8: 0.9, 0.9: 0.95, 0.95: 0.99}.get(low, 1.01)
        held = [r for r in records if low <= r["score"] < high]
        if held:
            mean = sum(r["score"] for r in held) / len(held)
            right = sum(r["expect"] == "resolve" and r["f1"] >= 0.9 and r["pg"] for r in held) / len(held)
            error += abs(mean - right) * len(held) / len(records)
            print(f"{low:4.2f}-{min(1.0, high):4.2f}  {len(held):7d}  {mean:5.3f}   {right:5.3f}")
    print(f"expected calibration error {error:.4f}")


def lay_end_to_end(documents: Mapping[str, Record], pages: int) -> tuple[Record, list[str]]:
    """Return one document of about `pages` dense pages, made of the benchmark's, and the ids that are in
    it."""
    words: list[Any] = []
    blocks: list[Any] = []
    lines: list[int] = []
    used: list[str] = []
    names = sorted(documents)  # the ids are hashes: any order, always the same
    if pages == 1:
        names = [n for n in names if len(documents[n]["pages"]) == 1]
    page = 0
    while len(words) < 0.9 * pages * WORDS_PER_PAGE:
        before = len(words)
        for name in names:
            document = documents[name]
            if len(words) + len(document["words"]) > 1.05 * pages * WORDS_PER_PAGE:
                continue
            base = len(words)
            words += [[w[0], w[1] + page, *w[2:]] for w in document["words"]]
            lines += [start + base for start in document["line_starts"]]
            for block in document["blocks"]:
                first, last = block["words"]
                bbox = {**block["bbox"], "page": block["bbox"]["page"] + page}
                blocks.append({**block, "words": [first + base, last + base], "bbox": bbox})
            page += len(document["pages"])
            used.append(name)
        if len(words) == before:
            break
    return {"words": words, "blocks": blocks, "line_starts": lines, "pages": page}, used


def mix(
    queries: Sequence[Record], classes: Mapping[str, str], names: Sequence[str], count: int
) -> list[Record]:
    """Draw queries of the documents used: 80 % exact-like, the rest of every other class."""
    random_numbers = random.Random(7)
    inside = [q for q in queries if q["doc_id"] in set(names)]
    alike = [q for q in inside if classes[q["query_id"]] in EXACT_LIKE]
    other = [q for q in inside if classes[q["query_id"]] not in EXACT_LIKE]
    if not alike or not other:
        return []
    exact_count = round(count * EXACT_SHARE)
    return random_numbers.choices(alike, k=exact_count) + random_numbers.choices(other, k=count - exact_count)


def seconds_per(call: Callable[[Record], Any], queries: Sequence[Record]) -> float:
    """CPU seconds per query: what others do on the machine does not count."""
    started = time.process_time()
    for query in queries:
        call(query)
    return (time.process_time() - started) / len(queries)


def seconds_of(call: Callable[[Record], Any], queries: Sequence[Record]) -> list[float]:
    """CPU seconds of each query."""
    found = []
    for query in queries:
        started = time.process_time()
        call(query)
        found.append(time.process_time() - started)
    return found


def print_throughput(
    documents: Mapping[str, Record],
    queries: Sequence[Record],
    classes: Mapping[str, str],
    sizes: Sequence[int],
) -> None:
    print("\nthroughput, index built, 80 % exact-like mix, one core (ms per query)")
    print(
        "published: blocks normalised again for each query, as published; once: normalised once, the fair one"
    )
    print(
        "pages    words   index s  index MB   ours     p99   published      once   rapidfuzz"
        "   x published   x once   wanted"
    )
    for size in sizes:
        laid = (
            one_page_documents(documents, queries, classes)
            if size == 1
            else [lay_end_to_end(documents, size)]
        )
        words = built = 0.0
        pairs = []
        tracemalloc.start()
        for document, names in laid:
            columns = read_words(document)
            before = tracemalloc.get_traced_memory()[0]
            index = DocumentIndex(columns)
            index.warm()
            grown = tracemalloc.get_traced_memory()[0] - before
            pairs.append((document, index, mix(queries, classes, names, 400 if size > 1 else 20)))
            words += len(columns) / len(laid)
        tracemalloc.stop()
        for document, _, _ in pairs:
            columns = read_words(document)
            started = time.process_time()
            DocumentIndex(columns).warm()
            built += (time.process_time() - started) / len(pairs)
        runs = [
            [
                seconds
                for _, index, drawn in pairs
                for seconds in seconds_of(lambda q, i=index: resolve_queries(i, [q]), drawn)
            ]
            for _ in range(3)
        ]
        best = sorted(min(runs, key=sum))
        ours, slowest = sum(best) / len(best), best[int(0.99 * len(best))]
        few = 20 if size < 100 else 10 if size <= 1000 else 3
        published = once = fuzzy = 0.0
        for document, _, drawn in pairs:
            sample = mix_of(drawn, classes, few)
            blocks = published_blocks.prepare(document)
            published += seconds_per(lambda q, b=blocks: published_blocks.find(b, q), sample) / len(pairs)
            normalised = published_blocks.normalise(document)
            once += seconds_per(lambda q, b=normalised: published_blocks.find_normalised(b, q), sample) / len(
                pairs
            )
            text = partial_alignment.prepare(document)
            fuzzy += seconds_per(lambda q, t=text: partial_alignment.find(t, q), sample) / len(pairs)
        print(
            f"{size:5d} {words:8.0f} {built:8.3f} {grown / 1e6:8.1f} {1e3 * ours:8.3f} {1e3 * slowest:7.2f}"
            f" {1e3 * published:10.2f} {1e3 * once:9.2f} {1e3 * fuzzy:11.2f}"
            f" {published / ours:12.0f}x {once / ours:7.0f}x {WANTED.get(size, 1000):7d}x"
        )
    print(f"peak memory of this process {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")
    ours_total = published_total = once_total = 0.0
    for name in sorted(documents):
        drawn = mix(queries, classes, [name], 20)
        if not drawn:
            continue
        words = read_words(documents[name])
        started = time.process_time()
        resolve_queries(DocumentIndex(words), drawn)
        ours_total += time.process_time() - started
        started = time.process_time()
        blocks = published_blocks.prepare(documents[name])
        for query in drawn:
            published_blocks.find(blocks, query)
        published_total += time.process_time() - started
        started = time.process_time()
        normalised = published_blocks.normalise(documents[name])
        for query in drawn:
            published_blocks.find_normalised(normalised, query)
        once_total += time.process_time() - started
    print(
        "20 citations a document, index included:"
        f" {published_total / ours_total:.0f}x the published algorithm (wanted 30x),"
        f" {once_total / ours_total:.0f}x with its blocks normalised once"
    )


def one_page_documents(
    documents: Mapping[str, Record], queries: Sequence[Record], classes: Mapping[str, str]
) -> list[tuple[Record, list[str]]]:
    """Return the documents of one page that have queries of both kinds."""
    found = []
    for name in sorted(documents):
        if len(documents[name]["pages"]) == 1 and mix(queries, classes, [name], 5):
            found.append((documents[name], [name]))
    return found


def mix_of(drawn: Sequence[Record], classes: Mapping[str, str], count: int) -> list[Record]:
    """Return `count` of the drawn queries in the same proportion."""
    alike = [q for q in drawn if classes[q["query_id"]] in EXACT_LIKE]
    other = [q for q in drawn if classes[q["query_id"]] not in EXACT_LIKE]
    exact_count = round(count * EXACT_SHARE)
    return alike[:exact_count] + other[: count - exact_count]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--bench", type=Path, default=PROJECT.parent / "shared" / "bench")
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, help="pages for throughput")
    parser.add_argument("--quick", action="store_true", help="ours only")
    parser.add_argument("--classes", action="store_true", help="no throughput")
    parser.add_argument("--throughput", action="store_true", help="no classes")
    arguments = parser.parse_args()
    bench: Path = arguments.bench
    scorer = load_scorer(bench)
    documents = {
        path.stem: json.loads(path.read_text()) for path in sorted((bench / "documents").glob("*.json"))
    }
    queries, truth = load_lines(bench / "queries.jsonl"), load_lines(bench / "truth.jsonl")
    classes = {line["query_id"]: line["class"] for line in truth}
    if not arguments.throughput:
        ours = predict_ours(documents, queries)
        predictions = {"ours": ours}
        if not arguments.quick:
            for baseline in (published_blocks, partial_alignment):
                predictions[baseline.NAME] = predict_with(baseline, documents, queries)
        print_classes(scorer, truth, predictions)
        print_calibration(scorer, truth, ours)
    if not arguments.classes:
        print_throughput(documents, queries, classes, arguments.sizes)


if __name__ == "__main__":
    main()
