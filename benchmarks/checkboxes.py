"""Checkboxes of scanned pages: are they found, is what is found one, and is its state right?

    python benchmarks/checkboxes.py [--split dev|held] [--pages N] [--read] [--show]

Pages are drawn by `checkbox_pages.py`. Without `--read` the squares of the picture are scored as found; with
it each page is read by the recognizer as in the product, and what its words and marks leave is scored.
`--keep DIR` stores what was read, for other states of the code. `--show DIR` writes what was wrong as PNG.
"""

import argparse
import collections
import pickle
from pathlib import Path

import cv2
from checkbox_pages import DPI, SIZE, BoxPage, TrueBox, draw_page

from citation_pipeline.adapters.office.images import content_of_picture
from citation_pipeline.core.layout.content import PagePicture, Tick
from citation_pipeline.core.layout.squares import find_squares
from citation_pipeline.core.layout.ticks import find_ticks

_SCALE = 72.0 / DPI


def ticks_of(page: BoxPage, recognized: list | None) -> list[Tick]:
    """Return the page's checkboxes; of what was recognized only when it is given."""
    picture = PagePicture(page.grey, float(DPI), 1, SIZE[0] * _SCALE, SIZE[1] * _SCALE)
    if recognized is None:
        return find_squares(picture)
    content = content_of_picture(picture, lambda *_, **__: recognized)
    found = find_ticks(content.words, content.drawings, recognized=True)
    printed = [Tick(state, tuple(content.words.edges[at].tolist())) for at, state in found.printed]
    return [*found.drawn, *printed]


def matched(box: TrueBox, ticks: list[Tick]) -> Tick | None:
    left, top, right, bottom = (value * _SCALE for value in box.edges)
    for tick in ticks:
        x, y = (tick.edges[0] + tick.edges[2]) / 2, (tick.edges[1] + tick.edges[3]) / 2
        if left < x < right and top < y < bottom:
            return tick
    return None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--split", choices=("dev", "held"), default="dev")
    parser.add_argument("--pages", type=int, default=120)
    parser.add_argument("--read", action="store_true")
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--show", type=Path)
    options = parser.parse_args()
    tally: collections.Counter[str] = collections.Counter()
    missed: collections.Counter[str] = collections.Counter()
    styles: collections.Counter[str] = collections.Counter()
    for seed in range(options.pages):
        page = draw_page(seed, options.split)
        ticks = ticks_of(page, read_words(page, options.keep) if options.read else None)
        pairs = [(box, matched(box, ticks)) for box in page.boxes]
        mine = {id(tick) for _, tick in pairs if tick is not None}
        false = [tick for tick in ticks if id(tick) not in mine]
        tally.update(
            true=len(pairs),
            found=len(ticks),
            right=len(mine),
            checked=sum(t.checked for t in ticks),
            rightly_checked=sum(t.checked and b.checked for b, t in pairs if t),
            state_right=sum(t.checked == b.checked for b, t in pairs if t),
            pages_with_false=bool(false),
        )
        for box, tick in pairs:
            styles[box.style] += 1
            if tick is None:
                missed[box.style] += 1
            elif tick.checked != box.checked:
                missed[f"{box.style} (state)"] += 1
        if options.show:
            shown(page, [b for b, t in pairs if not t or t.checked != b.checked], false, options.show)
    found, right = max(tally["found"], 1), tally["right"]
    print(f"{options.split}: {options.pages} pages, {tally['true']} checkboxes")
    print(f"  precision {right / found:.4f} ({found - right} false on {tally['pages_with_false']} pages)")
    print(f"  recall    {right / max(tally['true'], 1):.4f}")
    print(f"  state     {tally['state_right'] / max(right, 1):.4f} of those found")
    print(f"  checked   {tally['rightly_checked'] / max(tally['checked'], 1):.4f} of those shown as checked")
    for style, count in sorted(missed.items()):
        print(f"    {style:28s} {count} of {styles[style.removesuffix(' (state)')]}")


def read_words(page: BoxPage, keep: Path | None) -> list:
    """Return what the recognizer reads; kept on disk under the page's name."""
    kept = keep / f"{page.name}.pickle" if keep else None
    if kept and kept.exists():
        return pickle.loads(kept.read_bytes())
    from citation_pipeline.adapters.ocr.recognized_pages import PageRecognizer

    picture = PagePicture(page.grey, float(DPI), 1, SIZE[0] * _SCALE, SIZE[1] * _SCALE)
    words = list(PageRecognizer()(picture, known=()))
    if kept:
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_bytes(pickle.dumps(words))
    return words


def shown(page: BoxPage, missed: list[TrueBox], false: list[Tick], folder: Path) -> None:
    """Write the page with false boxes in dark frames and missed ones in grey."""
    if not missed and not false:
        return
    folder.mkdir(parents=True, exist_ok=True)
    for number, edges in enumerate(
        [tuple(v / _SCALE for v in tick.edges) for tick in false] + [box.edges for box in missed]
    ):
        left, top, right, bottom = (round(v) for v in edges)
        part = page.grey[max(0, top - 30) : bottom + 30, max(0, left - 90) : right + 90].copy()
        cv2.rectangle(
            part, (min(left, 90) - 3, min(top, 30) - 3), (part.shape[1] - 87, part.shape[0] - 27), 110, 1
        )
        kind = "false" if number < len(false) else "missed"
        cv2.imwrite(str(folder / f"{kind}-{page.name}-{number}.png"), part)


if __name__ == "__main__":
    main()
