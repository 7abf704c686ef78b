"""Write the words of like meaning that questions and documents may say for one another.

    python -m benchmarks.build_word_kin MODEL_DIR

MODEL_DIR holds all-MiniLM-L6-v2 (`config.json`, `vocab.txt`, `model.safetensors`). Every plain English word
of its vocabulary that is in the large word list is encoded alone, and kept with its nearest others: a line is
a word and its kin, each with its cosine in hundredths. The model is not needed to answer questions.
"""

import argparse
import gzip
from pathlib import Path

import numpy as np

from citation_pipeline.adapters.search_index.bert import BertEncoder
from citation_pipeline.core.matching.vocabulary import is_listed
from citation_pipeline.core.retrieval.vocabulary import vocabulary

KIN = (
    Path(__file__).resolve().parent.parent / "citation_pipeline" / "schemas" / "questions" / "word_kin.txt.gz"
)
_LEAST = 0.58  # a cosine below which words of one field of life are as near as words of one meaning
_MOST = 10
_SHORTEST = 3  # letters
_BLOCK = 512


def words_of_model(folder: Path) -> list[str]:
    """Return the model's whole words that are English words and say something."""
    tokens = (folder / "vocab.txt").read_text(encoding="utf-8").splitlines()
    stops = vocabulary().stop_words
    return [
        token
        for token in tokens
        if len(token) >= _SHORTEST
        and token.isascii()
        and token.isalpha()
        and token not in stops
        and is_listed(token.encode())
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    words = words_of_model(folder)
    vectors = BertEncoder(folder).encode(words)
    lines = []
    for start in range(0, len(words), _BLOCK):
        block = vectors[start : start + _BLOCK] @ vectors.T
        nearest = np.argpartition(-block, _MOST + 1, axis=1)[:, : _MOST + 1]
        for number, (likeness, found) in enumerate(zip(block, nearest, strict=True), start=start):
            others = [(round(100 * float(likeness[n])), words[n]) for n in map(int, found) if n != number]
            kept = [f"{word}:{near}" for near, word in sorted(others, reverse=True) if near >= 100 * _LEAST]
            if kept:
                lines.append(" ".join([words[number], *kept]))
    KIN.write_bytes(gzip.compress("\n".join(lines).encode(), mtime=0))
    print(f"{len(lines)} of {len(words)} words, {KIN.stat().st_size} bytes")


if __name__ == "__main__":
    main()
