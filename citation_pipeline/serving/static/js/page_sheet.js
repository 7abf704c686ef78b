// One page on the screen: its image, its words, and what is highlighted on it. Loaded when near, dropped when far.

import { el } from "./dom.js";
import { makeMark, makeSecondReading, marksOf } from "./marks.js";
import { makeTextLayer } from "./text_layer.js";

// the server's kept widths, an eighth apart: sharp on the screen, and few enough to be in its cache
const WIDTHS = [
  160, 480, 540, 600, 680, 760, 850, 950, 1060, 1190, 1330, 1490, 1670, 1870, 2100, 2350, 2630, 3000,
];
const RETRY_MS = [400, 1200, 3000, 6000]; // a server that asks for patience (429, 503) gets it

export function imageWidth(wanted) {
  return WIDTHS.find((width) => width >= wanted) ?? WIDTHS[WIDTHS.length - 1];
}

export class PageSheet {
  constructor(reader, shape) {
    this.reader = reader;
    this.shape = shape; // {page, width, height} in points, as displayed
    this.page = shape.page;
    this.words = null;
    this.isNear = false;
    this.loadedWidth = 0;
    this.marks = el("div", { class: "marks", "aria-hidden": "true" });
    this.seconds = el("div", { class: "second-readings", "aria-hidden": "true" }); // said in words beside the value
    this.sheet = el("div", { class: "sheet" }, this.marks, this.seconds);
    this.frame = el("div", {
      class: "frame", role: "group", "aria-label": `Page ${shape.page}`, data: { page: shape.page },
      style: { "--w": shape.width, "--h": shape.height },
    }, this.sheet, this.#copies());
  }

  // Where else the page was filed: as a fax, a second scan, or as a version that bears more or less.
  #copies() {
    return this.shape.copies?.length > 0 && el("div", { class: "page-copies" }, this.shape.copies.slice(0, 3).map((copy) => el("button", {
      class: "pill",
      title: `${copy.isVersion
        ? "Nearly the same page: one of the two bears a signature, a stamp, a note or a line that the other has not"
        : `This page says the same, ${Math.floor(copy.similarity * 100)}% of its words in common`}. With Shift it opens beside this one.`,
      on: { click: (event) => { event.stopPropagation(); this.reader.openCopy(copy, { isBeside: event.shiftKey }); } },
    }, copy.isVersion ? "Another version in " : "Also in ", el("bdi", { text: this.reader.nameOf(copy.sourceId) }), `, p. ${copy.page}`)));
  }

  enter() {
    if (this.isNear) return;
    this.isNear = true;
    this.loadImage();
    this.loadWords();
    this.draw();
  }

  leave() {
    this.isNear = false;
    this.dropLoading();
    this.image?.remove();
    this.layer?.remove();
    this.problem?.remove();
    this.image = this.layer = this.problem = null;
    this.loadedWidth = 0;
    delete this.frame.dataset.drawn;
    this.marks.replaceChildren();
    this.seconds.replaceChildren();
  }

  loadImage(attempt = 0) {
    const { server, claimId, source, scale } = this.reader;
    const width = imageWidth(this.shape.width * scale * (globalThis.devicePixelRatio || 1));
    if (!this.isNear || width <= this.loadedWidth) return;
    this.dropLoading();
    const image = el("img", { class: "page-image", alt: "", draggable: "false" });
    this.loading = image;
    image.addEventListener("load", async () => {
      if (this.loading === image) this.loading = null;
      await image.decode().catch(() => {}); // what is put on the page is seen at once
      if (!this.isNear || width < this.loadedWidth || !image.naturalWidth) return;
      this.image?.remove();
      this.problem?.remove();
      this.image = image;
      this.loadedWidth = width;
      this.sheet.prepend(image);
      this.frame.dataset.drawn = "true";
      this.reader.noteDrawn(this.page);
    });
    image.addEventListener("error", () => {
      if (!this.isNear || this.loading !== image) return;
      this.loading = null;
      if (attempt < RETRY_MS.length) setTimeout(() => this.loadImage(attempt + 1), RETRY_MS[attempt]);
      else this.showProblem();
    });
    image.src = server.pageImage(claimId, source, this.page, width);
  }

  // a request that nobody waits for any more is given up: the server draws what is looked at instead
  dropLoading() {
    const image = this.loading;
    this.loading = null;
    image?.removeAttribute("src");
  }

  showProblem() {
    this.problem?.remove();
    this.problem = el("div", { class: "page-problem" }, el("p", { text: "This page cannot be drawn." }),
      el("button", { class: "button", text: "Try again", on: { click: () => { this.problem.remove(); this.loadImage(); } } }));
    this.sheet.append(this.problem);
  }

  async loadWords() {
    const { server, claimId, source } = this.reader;
    if (!this.words) {
      this.wordsLoading ??= server.words(claimId, source, this.page);
      try {
        this.words = await this.wordsLoading;
      } catch {
        this.wordsLoading = null; // the next time the page comes near
        return;
      }
    }
    if (!this.isNear || this.layer) return;
    this.layer = makeTextLayer(this.words, this.shape);
    this.sheet.append(this.layer);
    this.frame.dataset.readable = "true";
  }

  draw() {
    if (!this.isNear) return;
    const { lit, hits, hitIndex, hovered, pinned, cited, showsAll, redactions, differing } = this.reader;
    const on = (mark) => mark.page === this.page;
    this.marks.replaceChildren(
      ...(showsAll ? cited.filter(on).flatMap((c) => c.boxes.map((box) => makeMark(box, "cited"))) : []),
      ...hits.flatMap((hit, i) => (on(hit) ? hit.boxes.map((box) => makeMark(box, i === hitIndex ? "hit now" : "hit")) : [])),
      ...(lit ? marksOf(lit.regions, this.page) : []),
      ...(hovered && on(hovered) ? hovered.boxes.map((box) => makeMark(box, "hovered")) : []),
      ...(pinned && on(pinned) ? pinned.boxes.map((box) => makeMark(box, "pinned")) : []),
      ...differing.filter(on).flatMap(({ boxes }) => boxes.map((box) => makeMark(box, "differs"))),
      ...redactions.filter(on).flatMap(({ boxes }) => boxes.map((box) => makeMark(box, "redacted"))),
    );
    this.seconds.replaceChildren(...(lit?.secondReadings ?? []).filter(on).map(makeSecondReading));
  }
}
