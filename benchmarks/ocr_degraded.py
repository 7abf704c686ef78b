"""Recognition of bad pages (noise, 150-dpi faxes, dim photographs, skew, quarter turns): is confidence true?

    python benchmarks/ocr_degraded.py [--split dev|held] [--pages N] [--engine rapidocr]

Pages come from the PDFs of ../shared as in `ocr.py`; `held` has other source files (by the hash of their
name), other seeds and other parameters than `dev`, on which the weights of the confidence were fitted
(`--fit` prints them). Printed: recall, precision, the share of words at 0.9 and more, and how many of those
are right; a page's own share of sure words decides about its warning. `--engine rapidocr` reads the same
pages with RapidOCR's own pipeline as installed (the same networks, no preprocessing, no second reading).
"""

import argparse
import collections
import hashlib
import io
import json
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import pypdfium2 as pdfium
from ocr import Edges, Printed, Tally, _is_fill, _turned, chosen_pages, score
from PIL import Image, ImageFilter

if TYPE_CHECKING:
    from citation_pipeline.adapters.ocr.pages import PageWordsRead

Picture = tuple[str, np.ndarray, list[tuple[str, Edges, Edges]]]
SURE = 0.9


@dataclass
class Words:
    """The words read under one kind of damage: their confidence and whether each is right."""

    tally: Tally = field(default_factory=Tally)
    confidences: list[float] = field(default_factory=list)
    right: list[bool] = field(default_factory=list)
    recalls: list[float] = field(default_factory=list)

    def row(self) -> dict[str, float]:
        sure = np.array(self.confidences) >= SURE
        right = np.array(self.right, bool)
        return {
            "pages": len(self.recalls),
            "recall": round(self.tally.hit / max(1, self.tally.printed), 3),
            "median_recall": round(float(np.median(self.recalls)), 3),
            "precision": round(self.tally.hit / max(1, self.tally.read), 3),
            "sure_share": round(float(sure.mean()), 3) if len(sure) else 0.0,
            "right_when_sure": round(float(right[sure].mean()), 4) if sure.any() else 0.0,
            "cpu_seconds_a_page": round(float(np.mean(self.tally.seconds)), 2),
        }


def damaged(page: Printed, seed: int, *, held: bool) -> Iterator[Picture]:
    """Yield a page under each kind of damage, with where its words then are."""
    chance = np.random.default_rng((seed, held, 77))
    document = pdfium.PdfDocument(page.path)

    def rendered(dpi: int) -> Image.Image:
        return document[page.number].render(scale=dpi / 72).to_pil().convert("L")

    def words(image: Image.Image, degrees: float = 0.0) -> list[tuple[str, Edges, Edges]]:
        scale = (image.width / page.width, image.height / page.height)
        return [
            (text, *(_turned(box, scale, degrees, image.size) for box in boxes))
            for text, *boxes in page.words
        ]

    image = rendered(200)
    spread = chance.uniform(22, 34) if held else chance.uniform(18, 38)
    values = np.asarray(image, np.float64) * 0.85 + 20 + chance.normal(0, spread, image.size[::-1])
    yield "noise", _grey(values), words(image)

    image = rendered(150)
    degrees = float(chance.uniform(-1.2, 1.2))
    soft = image.filter(
        ImageFilter.GaussianBlur(chance.uniform(0.5, 0.9) if held else chance.uniform(0.4, 1.0))
    )
    soft = soft.rotate(degrees, resample=Image.Resampling.BICUBIC, fillcolor=255)
    values = np.asarray(soft, np.float64) + chance.normal(0, chance.uniform(15, 40), soft.size[::-1])
    bilevel = np.where(values < chance.uniform(130, 200), 0.0, 255.0)
    specks = chance.random(bilevel.shape)
    rate = chance.uniform(0.001, 0.006)
    bilevel[specks < rate], bilevel[specks > 1 - 2 * rate] = 0, 255
    for row in chance.integers(0, bilevel.shape[0], size=int(chance.integers(0, 6))):  # lost scan lines
        bilevel[row] = 255
    yield "fax", _grey(bilevel), words(image, degrees)

    image = rendered(200)
    down, across = np.mgrid[0 : 1 : complex(image.height), 0 : 1 : complex(image.width)]
    tilt = chance.uniform(-1, 1, size=2)
    light = np.clip(0.62 + 0.3 * (tilt[0] * (across - 0.5) + tilt[1] * (down - 0.5)), 0.25, 1.0)
    soft = image.filter(
        ImageFilter.GaussianBlur(chance.uniform(0.9, 1.5) if held else chance.uniform(0.7, 1.7))
    )
    values = (np.asarray(soft, np.float64) * 0.8 + 45) * light + chance.normal(0, 5, image.size[::-1])
    buffer = io.BytesIO()
    Image.fromarray(_grey(values)).save(buffer, "JPEG", quality=int(chance.integers(25, 60)))
    yield "photo", np.asarray(Image.open(buffer).convert("L")), words(image)

    degrees = float(chance.uniform(2, 5) * chance.choice([-1, 1]))
    soft = image.rotate(degrees, resample=Image.Resampling.BICUBIC, fillcolor=255)
    values = np.asarray(soft, np.float64) + chance.normal(0, 14, soft.size[::-1])
    yield "skew", _grey(values), words(image, degrees)

    quarters = int(chance.integers(1, 4))
    values = np.asarray(image, np.float64) + chance.normal(0, 14, image.size[::-1])
    turned = np.ascontiguousarray(np.rot90(_grey(values), -quarters))
    yield (
        "turned",
        turned,
        [(text, *(_quarter(box, quarters, image.size) for box in boxes)) for text, *boxes in words(image)],
    )


def _quarter(box: Edges, quarters: int, size: tuple[int, int]) -> Edges:
    left, top, right, bottom = box
    width, height = size
    for _ in range(quarters):
        left, top, right, bottom = height - bottom, left, height - top, right
        width, height = height, width
    return left, top, right, bottom


def _grey(values: np.ndarray) -> np.ndarray:
    return np.clip(values, 0, 255).astype(np.uint8)


def pages_of(split: str, count: int) -> list[Printed]:
    """Return pages of the split's own files."""
    held = split == "held"
    found = chosen_pages(3 * count + 4, 501 if held else 23)
    own = [page for page in found if (hashlib.sha256(page.path.name.encode()).digest()[0] % 2 == 0) == held]
    return own[:count]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--split", choices=("dev", "held"), default="dev")
    parser.add_argument("--pages", type=int, default=12)
    parser.add_argument("--kinds", default="noise,fax,photo,skew,turned")
    parser.add_argument("--json")
    parser.add_argument("--fit", action="store_true", help="print weights of the confidence")
    parser.add_argument("--engine", choices=("ours", "rapidocr"), default="ours")
    options = parser.parse_args()
    from citation_pipeline.adapters.ocr.confidence import features_of
    from citation_pipeline.adapters.ocr.pages import PageReader

    reader = PageReader() if options.engine == "ours" else RapidReader()
    found: dict[str, Words] = collections.defaultdict(Words)
    lines = []
    for seed, page in enumerate(pages_of(options.split, options.pages)):
        for kind, grey, printed in damaged(page, seed, held=options.split == "held"):
            if kind not in options.kinds:
                continue
            started = time.process_time()
            read = reader.read(grey)
            seconds = time.process_time() - started
            words = found[kind]
            words.tally.seconds.append(seconds)
            kept = [at for at, text in enumerate(read.texts) if not _is_fill(text)]
            pairs = [(read.texts[at], tuple(read.edges[at].tolist())) for at in kept]
            before = words.tally.hit
            score(printed, pairs, words.tally)
            words.recalls.append((words.tally.hit - before) / max(1, len(printed)))
            right = right_words(printed, pairs)
            words.right.extend(right)
            words.confidences.extend(float(read.confidences[at]) for at in kept)
            features = features_of(read.evidence) if read.evidence else np.zeros((len(read.texts), 1))
            for position, at in enumerate(kept):
                lines.append(
                    {
                        "kind": kind,
                        "page": seed,
                        "text": read.texts[at],
                        "confidence": float(read.confidences[at]),
                        "right": right[position],
                        "features": features[at].tolist(),
                    }
                )
    for kind, words in found.items():
        print(kind, json.dumps(words.row()))
    sure = [one for one in lines if one["confidence"] >= SURE]
    print("all: right when sure", round(np.mean([one["right"] for one in sure]), 4), "of", len(sure))
    if options.fit:
        print("WEIGHTS =", tuple(fitted(lines)))
    if options.json:
        with open(options.json, "w") as file:  # noqa: PTH123
            file.writelines(json.dumps(line) + "\n" for line in lines)


class RapidReader:
    """RapidOCR's own pipeline; a line's words share its box by their letters, where it gives none itself."""

    def __init__(self) -> None:
        from rapidocr import RapidOCR

        threads = {
            "EngineConfig.onnxruntime.intra_op_num_threads": 1,
            "EngineConfig.onnxruntime.inter_op_num_threads": 1,
        }
        self._engine = RapidOCR(params=threads | {"Global.log_level": "critical"})

    def read(self, grey: np.ndarray) -> "PageWordsRead":
        from citation_pipeline.adapters.ocr.pages import PageWordsRead

        found = self._engine(np.repeat(grey[..., None], 3, axis=2))
        texts, edges, chances = [], [], []
        lines = zip(found.boxes, found.txts, found.scores, strict=True) if found.boxes is not None else ()
        for box, text, chance in lines:
            (left, top), (right, bottom) = np.min(box, axis=0), np.max(box, axis=0)
            step = (right - left) / max(1, len(text))
            for word in re.finditer(r"\S+", text):
                texts.append(word[0])
                edges.append((left + step * word.start(), top, left + step * word.end(), bottom))
                chances.append(float(chance))
        return PageWordsRead(texts, np.array(edges).reshape(-1, 4), np.array(chances), 0)


def fitted(lines: list[dict]) -> list[float]:
    """Return the weights of a logistic regression (Newton's method, a little ridge)."""
    rows = np.array([line["features"] for line in lines])
    right = np.array([line["right"] for line in lines], np.float64)
    weights = np.zeros(rows.shape[1])
    for _ in range(40):
        chance = 1 / (1 + np.exp(-rows @ weights))
        slope = rows.T @ (right - chance) - 0.5 * weights
        curve = (rows * (chance * (1 - chance))[:, None]).T @ rows + 0.5 * np.eye(len(weights))
        weights += np.linalg.solve(curve, slope)
    return [round(float(weight), 3) for weight in weights]


def right_words(printed: list[tuple[str, Edges, Edges]], read: list[tuple[str, Edges]]) -> list[bool]:
    """Tell which read words are printed at their place."""
    right = []
    for pair in read:
        tally = Tally()
        near = [word for word in printed if _overlap(word[2], pair[1])]
        score(near, [pair], tally)
        right.append(tally.hit > 0)
    return right


def _overlap(a: Edges, b: Edges) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


if __name__ == "__main__":
    main()
