"""Question files as `benchmarks.questions` reads them: one JSON object a line.

    {"id", "kind": "field" | "free" | "none", "question", "answers": [...], "field"?, "parts"?, "places"?}

A file is of the claim that its folder is named after, or that its own name names; a line may name a claim
(`claim`) or one public document (`document`) instead. Of `parts` each group has to be said.
"""

import hashlib
import json
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from citation_pipeline.core.values.dates import find_dates
from citation_pipeline.core.values.numbers import find_numbers

PUBLIC = "public-"


@dataclass(frozen=True)
class Asked:
    """One labelled question; `author` is the file it came from, `places` are (document, page)."""

    author: str
    claim: str
    kind: str
    text: str
    answers: tuple[str, ...]
    field: str
    parts: tuple[tuple[str, ...], ...]
    places: tuple[tuple[str, int], ...]
    document: str

    @property
    def is_answerable(self) -> bool:
        """Tell whether the documents answer it."""
        return self.kind != "none"


def read_questions(path: Path) -> list[Asked]:
    """Return a file's questions."""
    own = path.parent.name if path.stem == "questions" else path.stem
    author = f"{path.parent.name}/{path.stem}"
    return [
        _asked(json.loads(line), own, author)
        for line in path.read_text(encoding="utf-8").split("\n")
        if line.strip()
    ]


def _asked(row: Mapping[str, Any], own: str, author: str) -> Asked:
    document = row.get("document") or ""
    claim = row.get("claim") or (public_claim(document) if document else own)
    answers = tuple(row.get("answers") or ())
    return Asked(
        author=author,
        claim=claim,
        kind=row.get("kind") or ("free" if answers else "none"),
        text=row["question"],
        answers=answers,
        field=row.get("field") or "",
        parts=tuple(tuple(group) for group in row.get("parts") or ()),
        places=tuple(
            (place["file"], int(place["page"])) if isinstance(place, Mapping) else (place[0], int(place[1]))
            for place in row.get("places") or ()
        ),
        document=document,
    )


def public_claim(document: str) -> str:
    """Return the claim id under which a public document is run alone."""
    return PUBLIC + hashlib.sha1(Path(document).name.encode()).hexdigest()[:10]


def is_right(asked: Asked, answer: str, value: Any) -> bool:
    """Tell whether an answer says what the label says: all of its parts, or one of its wordings."""
    if asked.parts:
        return all(any(_says(answer, value, word) for word in group) for group in asked.parts)
    return any(_says(answer, value, label) for label in asked.answers)


def _says(answer: str, value: Any, label: str) -> bool:
    if label.lower() in ("yes", "no"):
        if isinstance(value, bool):
            return value == (label.lower() == "yes")
        return bool(re.match(rf"{label}\b", answer, re.IGNORECASE))
    number = _number(label)
    if number is not None:
        if isinstance(value, int | float) and not isinstance(value, bool):
            return abs(value - number) < 0.005
        return any(abs(float(span.value) - number) < 0.005 for span in find_numbers(answer))
    dates = {str(span.value) for span in find_dates(label)}
    if dates and len(label) < 20:
        return str(value) in dates or bool(dates & {str(span.value) for span in find_dates(answer)})
    wanted, said = fold(label), fold(f"{answer} {value if isinstance(value, str) else ''}")
    return re.search(rf"(?<!\w){re.escape(wanted)}(?!\w)", said) is not None


def _number(label: str) -> float | None:
    try:
        return float(label.strip().lstrip("$").rstrip("%").replace(",", ""))
    except ValueError:
        return None


def fold(text: str) -> str:
    """Return text as labels are compared: lower case, plain quotes and dashes, no accents, single spaces."""
    for marks, plain in (("’‘`", "'"), ("“”", '"'), ("–—‑", "-")):
        text = re.sub(f"[{marks}]", plain, text)
    text = "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))
    return " ".join(text.lower().split())


def has_place(asked: Asked, cited: Sequence[tuple[str, int]]) -> bool:
    """Tell whether one of the labelled places is among the cited ones, (file name or source id, page)."""
    return any(
        page == at and (_slug(name).startswith(_slug(file)) or _slug(file).startswith(_slug(name)))
        for name, page in cited
        for file, at in asked.places
    )


def _slug(name: str) -> str:
    stem = re.sub(r"\.(pdf|docx|eml|txt|xlsx|tiff?|png|jpe?g|msg|html?)$", "", name.lower())
    return re.sub(r"[^a-z0-9]+", "-", stem).strip("-")


def auroc(scores: Sequence[float], right: Sequence[bool]) -> float:
    """The share of pairs of a right and a wrong one that the score orders."""
    good = [s for s, r in zip(scores, right, strict=True) if r]
    bad = [s for s, r in zip(scores, right, strict=True) if not r]
    won = sum((g > b) + 0.5 * (g == b) for g in good for b in bad)
    return won / (len(good) * len(bad)) if good and bad else float("nan")
