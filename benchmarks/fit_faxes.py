"""Fits the network that redraws faxes (`adapters/ocr/faxes.py`): from black and white dots to grey print.

    OMP_NUM_THREADS=1 python benchmarks/fit_faxes.py --out FILE [--seconds N] [--pages N] [--start FILE]

Pages come from the PDFs of ../shared whose names fall to the development split of `ocr_degraded.py`, without
the files of the pages that it reads; each is drawn at 110 to 200 dpi, turned, blurred, made noisy, cut at a
threshold, strewn with specks, and a quarter of them enlarged as a PDF's picture is. What is wanted of a dot
is its darkness in the clean drawing. Plain gradient descent (Adam) on cross entropy; one core, some minutes.
"""

import argparse
import hashlib
import random
import time
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import pypdfium2 as pdfium
from ocr import SHARED
from ocr_degraded import pages_of
from PIL import Image, ImageFilter

DOTS = 8000  # of one drawing
DRAWINGS = 3  # of one page
BATCH, RATE = 1024, 2e-3
DEVELOPMENT_PAGES = 24  # whose files are left to `ocr_degraded.py`


def chosen_pages(count: int) -> Iterator[pdfium.PdfPage]:
    """Yield up to two pages with text of each file of the development split."""
    left = {page.path.name for page in pages_of("dev", DEVELOPMENT_PAGES)}
    chance = random.Random(5)
    files = sorted(path for name in ("corpus", "claims") for path in (SHARED / name).rglob("*.pdf"))
    chance.shuffle(files)
    for path in files:
        if path.name in left or hashlib.sha256(path.name.encode()).digest()[0] % 2 == 0:
            continue
        try:
            document = pdfium.PdfDocument(path)
            for number in chance.sample(range(len(document)), min(2, len(document))):
                page = document[number]
                width, height = page.get_size()
                is_letter = 400 <= width <= 900 and height <= 1000
                if is_letter and page.get_textpage().count_chars() >= 200:
                    yield page
                    count -= 1
                    if not count:
                        return
        except pdfium.PdfiumError:
            continue


def faxed(page: pdfium.PdfPage, chance: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return a page's fax and its clean drawing, both grey and of the same size."""
    dpi = int(chance.choice([110, 130, 150, 150, 150, 150, 170, 200]))
    image = page.render(scale=dpi / 72).to_pil().convert("L")
    degrees = float(chance.uniform(-1.5, 1.5))
    clean = image.rotate(degrees, resample=Image.Resampling.BICUBIC, fillcolor=255)
    soft = clean.filter(ImageFilter.GaussianBlur(float(chance.uniform(0.3, 1.15))))
    values = np.asarray(soft, np.float64) + chance.normal(0, chance.uniform(5, 42), soft.size[::-1])
    dots = np.where(values < chance.uniform(120, 210), 0, 255).astype(np.uint8)
    specks, rate = chance.random(dots.shape), chance.uniform(0, 0.007)
    dots[specks < rate], dots[specks > 1 - 2 * rate] = 0, 255
    for row in chance.integers(0, len(dots), size=int(chance.integers(0, 6))):  # lost scan lines
        dots[row] = 255
    grey = np.asarray(clean)
    if chance.random() < 0.25:  # as a PDF's picture of few dots is drawn
        factor = float(chance.choice([200 / dpi, 1.15, 4 / 3])) if dpi < 200 else 1.0
        dots = cv2.resize(dots, None, fx=factor, fy=factor, interpolation=cv2.INTER_LINEAR)
        grey = cv2.resize(grey, None, fx=factor, fy=factor, interpolation=cv2.INTER_LINEAR)
    return dots, grey


def squares_of(
    dots: np.ndarray, grey: np.ndarray, chance: np.random.Generator, side: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return squares of a fax and the wanted grey of their middles: two in three near print, some on dust."""
    near = cv2.dilate((grey < 200).astype(np.uint8), np.ones((5, 5), np.uint8)) > 0
    chosen = [
        _some(np.flatnonzero(near), round(0.65 * DOTS), chance),
        _some(np.flatnonzero((dots < 128) & ~near), round(0.2 * DOTS), chance),
        chance.integers(0, dots.size, round(0.15 * DOTS)),
    ]
    rows, columns = np.unravel_index(np.concatenate(chosen), dots.shape)
    padded = np.pad(dots, side // 2, constant_values=255)
    squares = np.lib.stride_tricks.sliding_window_view(padded, (side, side))[rows, columns]
    return squares.reshape(len(rows), -1), grey[rows, columns]


def _some(places: np.ndarray, count: int, chance: np.random.Generator) -> np.ndarray:
    return chance.choice(places, min(len(places), count), replace=False) if len(places) else places


def fitted(
    squares: np.ndarray,
    wanted: np.ndarray,
    chance: np.random.Generator,
    *,
    seconds: float,
    start: Path | None = None,
) -> dict[str, np.ndarray]:
    """Return the weights and biases of a network with two hidden layers, 64 and 32 wide."""
    sizes = (squares.shape[1], 64, 32, 1)
    layers = list(zip(sizes[:-1], sizes[1:], strict=True))
    names = [f"weights{at}" for at in range(3)] + [f"bias{at}" for at in range(3)]
    if start:
        with np.load(start) as known:
            values = [known[name].astype(np.float32) for name in names]
    else:
        values = [(chance.standard_normal(size) * np.sqrt(2 / size[0])).astype(np.float32) for size in layers]
        values += [np.zeros(size[1], np.float32) for size in layers]
    first, second = ([np.zeros_like(value) for value in values] for _ in range(2))
    started, step, done = time.monotonic(), 0, 0.0
    while done < 1:
        at = chance.integers(0, len(squares), BATCH)
        slopes = _slopes(values, _dark(squares[at]), _dark(wanted[at])[:, None])
        step += 1
        rate = RATE * max(0.02, 1 - done)
        for value, mean, spread, slope in zip(values, first, second, slopes, strict=True):
            mean += 0.1 * (slope - mean)
            spread += 0.001 * (slope * slope - spread)
            value -= rate * (mean / (1 - 0.9**step)) / (np.sqrt(spread / (1 - 0.999**step)) + 1e-8)
        done = (time.monotonic() - started) / seconds
    return dict(zip(names, values, strict=True))


def _slopes(values: list[np.ndarray], dark: np.ndarray, wanted: np.ndarray) -> list[np.ndarray]:
    """Return the gradient of the mean cross entropy by every weight and bias."""
    weights, biases = values[:3], values[3:]
    one = np.maximum(dark @ weights[0] + biases[0], 0)
    two = np.maximum(one @ weights[1] + biases[1], 0)
    last = (1 / (1 + np.exp(-(two @ weights[2] + biases[2]))) - wanted) / len(dark)
    middle = (last @ weights[2].T) * (two > 0)
    begin = (middle @ weights[1].T) * (one > 0)
    return [dark.T @ begin, one.T @ middle, two.T @ last, begin.sum(0), middle.sum(0), last.sum(0)]


def _dark(grey: np.ndarray) -> np.ndarray:
    return (255 - grey.astype(np.float32)) / 255


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seconds", type=float, default=200)
    parser.add_argument("--pages", type=int, default=90)
    parser.add_argument("--side", type=int, default=19, help="dots of the square's side, odd")
    parser.add_argument("--start", type=Path, help="weights to go on from")
    parser.add_argument("--seed", type=int, default=3)
    options = parser.parse_args()
    chance = np.random.default_rng(options.seed)
    drawn = [
        squares_of(*faxed(page, chance), chance, options.side)
        for page in chosen_pages(options.pages)
        for _ in range(DRAWINGS)
    ]
    squares, wanted = (np.concatenate(parts) for parts in zip(*drawn, strict=True))
    held = chance.random(len(squares)) < 0.02
    found = fitted(squares[~held], wanted[~held], chance, seconds=options.seconds, start=options.start)
    stored = {name: value.astype(np.float16) for name, value in found.items()}
    np.savez_compressed(options.out, **stored)

    from citation_pipeline.adapters.ocr.faxes import redrawer_from

    error = redrawer_from(stored).darkness(_dark(squares[held])) - _dark(wanted[held])
    print(f"{len(squares)} dots; error {np.sqrt(np.mean(error**2)):.4f} on 2 % that were left out")


if __name__ == "__main__":
    main()
