"""Write the compact word lists that tell a word of English, or a name, from what a scanner left of one.

    # dpkg -x each into DICTIONARIES
    apt-get download wamerican-large wbritish-large wamerican-small wamerican-insane wbritish-insane
    pip download names==0.3.0 --no-deps                               # unpacked into NAMES
    python benchmarks/build_word_lists.py DICTIONARIES NAMES

`english.txt.gz` holds the keys of SCOWL's size 70 (American and British); of words of up to three letters
only the lower-case ones of size 35, because larger sizes list every abbreviation there. `rare_words.txt.gz`
holds what size 95 has beyond it, of six letters and more: shorter ones misreadings make. `names.txt.gz` holds
first names and the more frequent surnames of the 1990 census of the United States. Licences:
`words/SOURCES.md`.
The files hold one sorted key a line; their bytes do not depend on when or where they were written.
"""

import argparse
import gzip
import sys
from collections.abc import Iterable
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(PROJECT))

from citation_pipeline.core.matching.folding import fold  # noqa: E402

TARGET = PROJECT / "citation_pipeline/core/matching/words"
LONGEST_SHORT = 3
LEAST_RARE, MOST_RARE = 6, 24
SURNAMES = 30_000  # of 88,799: the rest stand for fewer than 1 in 100,000 persons each


def words_of(path: Path) -> list[str]:
    return [word for word in path.read_text(encoding="utf-8").split() if not word.endswith("'s")]


def write(name: str, keys: Iterable[bytes]) -> None:
    kept = sorted({key for key in keys if len(key) > 1 and key.isalpha() and key.isascii()})
    packed = gzip.compress(b"\n".join(kept) + b"\n", compresslevel=9, mtime=0)
    (TARGET / name).write_bytes(packed)
    print(f"{name}: {len(kept)} keys, {len(packed)} bytes")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("dictionaries", type=Path, help="folder with american-english-large and the others")
    parser.add_argument("names", type=Path, help="folder with dist.all.last, dist.female.first, …")
    arguments = parser.parse_args()
    large = [
        word
        for name in ("american-english-large", "british-english-large")
        for word in words_of(arguments.dictionaries / name)
    ]
    short = [w for w in words_of(arguments.dictionaries / "american-english-small") if w.islower()]
    english = [key for word in large if len(key := fold(word)) > LONGEST_SHORT]
    listed = set(english) | {key for word in short if len(key := fold(word)) <= LONGEST_SHORT}
    write("english.txt.gz", listed)
    insane = {
        key
        for name in ("american-english-insane", "british-english-insane")
        for word in words_of(arguments.dictionaries / name)
        if LEAST_RARE <= len(key := fold(word)) <= MOST_RARE
    }
    write("rare_words.txt.gz", insane - listed)
    surnames = (arguments.names / "dist.all.last").read_text().splitlines()[:SURNAMES]
    given = [
        line
        for name in ("dist.female.first", "dist.male.first")
        for line in (arguments.names / name).read_text().splitlines()
    ]
    write("names.txt.gz", (fold(line.split()[0]) for line in surnames + given))


if __name__ == "__main__":
    main()
