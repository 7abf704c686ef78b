// The page pane: one document's pages in a continuous scroll, its zoom and turn, and what is highlighted.

import { debounce, el } from "./dom.js";
import { holds, unturned } from "./geometry.js";
import { imageWidth, PageSheet } from "./page_sheet.js";
import { DWELL_MS } from "./seen_places.js";

const PX_PER_PT = 96 / 72; // 100 % is the size on paper
const MIN_SCALE = 0.15 * PX_PER_PT;
const MAX_SCALE = 6 * PX_PER_PT;
const MARGIN = 28;

export class Reader extends EventTarget {
  claimId = null;
  source = null;
  sheets = [];
  scale = PX_PER_PT;
  fit = "width";
  turn = 0;
  page = 1;
  lit = null;
  hits = [];
  hitIndex = -1;
  hovered = null;
  pinned = null;
  differing = []; // words that the page beside it has not: {page, boxes}
  redactions = []; // boxes drawn over this document: {page, boxes}
  cited = []; // of this document: {page, boxes, fieldKey, citation, label, value}
  showsAll = false;

  constructor(server, { fadeSeconds = 15, highlight = "words", label = "Pages" } = {}) {
    super();
    this.server = server;
    this.fadeSeconds = fadeSeconds;
    this.pages = el("div", { class: "pages", data: { highlight } });
    this.tip = el("div", { class: "tip", hidden: true, "aria-hidden": "true" });
    this.scroller = el("div", { class: "scroller", tabindex: "0", role: "region", "aria-label": label }, this.pages, this.tip);
    this.observer = new IntersectionObserver((entries) => this.#look(entries), { root: this.scroller, rootMargin: "80% 0px" });
    this.scroller.addEventListener("scroll", () => this.#scrolled(), { passive: true });
    this.pages.addEventListener("pointermove", (event) => this.#hover(event));
    this.pages.addEventListener("pointerleave", () => this.#setHovered(null));
    this.pages.addEventListener("click", (event) => this.#click(event));
    new ResizeObserver(debounce(60, () => this.fit && this.setZoom(this.fit))).observe(this.scroller);
    this.sharpen = debounce(160, () => this.sheets.forEach((sheet) => sheet.isNear && sheet.loadImage()));
  }

  // Whether a page's image is on the screen, so that what is highlighted on it can be read.
  isDrawn(page) { return this.sheets[page - 1]?.frame.dataset.drawn === "true"; }

  // A page that comes late shows its highlight for as long as any other.
  noteDrawn(page) {
    if (Object.values(this.lit?.regions ?? {}).some((regions) => regions.some((region) => region.page === page))) this.#fade();
  }

  open(claimId, source, { page = 1, box = null } = {}) {
    // another version of a file is another document: its pages are drawn anew
    if (this.claimId === claimId && this.source?.id === source?.id && this.source?.sha256 === source?.sha256 && this.sheets.length === (source?.pages.length ?? 0)) {
      if (source) this.goTo(page, box);
      return;
    }
    Object.assign(this, { claimId, source, hits: [], hitIndex: -1, hovered: null, pinned: null, lit: null, redactions: [], differing: [] });
    this.observer.disconnect();
    this.sheets = (source?.pages ?? []).map((shape) => new PageSheet(this, shape));
    this.tip.hidden = true;
    this.pages.replaceChildren(...this.sheets.map((sheet) => sheet.frame));
    if (source && !this.sheets.length) this.pages.append(unreadable(source, this.retryOf?.(source)));
    this.page = 1;
    this.setTurn(0);
    this.dispatchEvent(new Event("opened"));
    this.goTo(page, box);
    this.sheets.forEach((sheet) => this.observer.observe(sheet.frame));
  }

  // --- moving ---------------------------------------------------------------------------------------

  goTo(page, box = null) {
    const sheet = this.sheets[Math.min(Math.max(page, 1), this.sheets.length) - 1];
    if (!sheet) return;
    const { frame } = sheet;
    sheet.enter(); // before the observer notices: the page is wanted now
    if (!box) {
      this.scroller.scrollTop = frame.offsetTop - 12;
    } else {
      const [x, y] = this.#shown(box.left + box.width / 2, box.top + box.height / 2);
      const top = frame.offsetTop + y * frame.offsetHeight;
      const left = frame.offsetLeft + x * frame.offsetWidth;
      const { scrollTop, scrollLeft, clientHeight, clientWidth } = this.scroller;
      const isSeen = top > scrollTop + clientHeight * 0.15 && top < scrollTop + clientHeight * 0.8;
      if (!isSeen) this.scroller.scrollTop = top - clientHeight * 0.38;
      if (left < scrollLeft + 40 || left > scrollLeft + clientWidth - 40) this.scroller.scrollLeft = left - clientWidth / 2;
    }
    this.#notePage(page);
  }

  #shown(x, y) {
    return unturned(x, y, (360 - this.turn) % 360);
  }

  #scrolled() {
    this.scrolling ??= requestAnimationFrame(() => {
      this.scrolling = null;
      const line = this.scroller.scrollTop + this.scroller.clientHeight * 0.4;
      let low = 0;
      let high = this.sheets.length - 1;
      while (low < high) {
        const middle = (low + high + 1) >> 1;
        if (this.sheets[middle].frame.offsetTop <= line) low = middle;
        else high = middle - 1;
      }
      this.#notePage(low + 1);
    });
  }

  #notePage(page) {
    if (page === this.page || !this.sheets.length) return;
    this.page = page;
    this.dispatchEvent(new Event("moved"));
  }

  #look(entries) {
    for (const entry of entries) {
      const sheet = this.sheets[Number(entry.target.dataset.page) - 1];
      if (sheet?.frame !== entry.target) continue;
      if (entry.isIntersecting) sheet.enter();
      else sheet.leave();
    }
  }

  // --- size and turn --------------------------------------------------------------------------------

  setZoom(wanted) {
    const { clientWidth, clientHeight } = this.scroller;
    const isTurned = this.turn % 180 === 90;
    const widest = Math.max(1, ...this.sheets.map(({ shape }) => (isTurned ? shape.height : shape.width)));
    const here = this.sheets[this.page - 1]?.shape;
    const tall = here ? (isTurned ? here.width : here.height) : 792;
    const fitting = (clientWidth - 2 * MARGIN) / widest;
    this.fit = typeof wanted === "string" ? wanted : null;
    let scale = wanted;
    if (wanted === "width") scale = Math.min(fitting, 1.6 * PX_PER_PT);
    if (wanted === "page") scale = Math.min(fitting, (clientHeight - 24) / tall);
    const before = this.scale;
    const anchor = this.scroller.scrollTop + clientHeight * 0.38;
    this.scale = Math.min(Math.max(scale, MIN_SCALE), MAX_SCALE);
    this.pages.style.setProperty("--scale", this.scale);
    if (before !== this.scale && this.scroller.scrollTop > 0) {
      this.scroller.scrollTop = anchor * (this.scale / before) - clientHeight * 0.38;
    }
    this.sharpen();
    this.dispatchEvent(new Event("zoomed"));
  }

  zoomBy(factor) { this.setZoom(this.scale * factor); }

  get percent() { return Math.round((this.scale / PX_PER_PT) * 100); }

  setTurn(turn) {
    const page = this.page;
    this.turn = ((turn % 360) + 360) % 360;
    this.pages.dataset.turn = this.turn;
    this.setZoom(this.fit ?? this.scale);
    if (this.sheets.length && page > 1) this.goTo(page);
  }

  // Ask for a page's image before it is needed, as wide as it will be shown.
  prefetch(source, page) {
    const shape = source?.pages[page - 1];
    if (!shape) return;
    const width = imageWidth(shape.width * this.scale * (globalThis.devicePixelRatio || 1));
    this.prefetched = new Image();
    this.prefetched.src = this.server.pageImage(this.claimId, source, page, width);
  }

  // --- light ----------------------------------------------------------------------------------------

  light(place) {
    this.lit = place;
    this.#fade();
    this.redraw();
  }

  #fade() {
    clearTimeout(this.fading);
    delete this.pages.dataset.faded;
    if (this.lit && this.fadeSeconds > 0) {
      this.fading = setTimeout(() => { this.pages.dataset.faded = "true"; }, Math.max(this.fadeSeconds * 1000, 2 * DWELL_MS)); // as long as it has to be seen
    }
  }

  nameOf(sourceId) { return this.names?.(sourceId) ?? sourceId; }

  openCopy({ sourceId, page }, { isBeside = false } = {}) { this.dispatchEvent(new CustomEvent("copy", { detail: { sourceId, page, isBeside } })); }

  redraw() { this.sheets.forEach((sheet) => sheet.draw()); }

  sheetAt(event) {
    const frame = event.target instanceof Element ? event.target.closest(".frame") : null;
    return frame ? this.sheets[Number(frame.dataset.page) - 1] : null;
  }

  // A pointer's place in the page frame.
  pointOn(sheet, event) {
    const box = sheet.frame.getBoundingClientRect();
    return unturned((event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height, this.turn);
  }

  #citedAt(event) {
    const sheet = this.sheetAt(event);
    if (!sheet || !this.cited.length) return null;
    const [x, y] = this.pointOn(sheet, event);
    const under = this.cited.filter((cited) => cited.page === sheet.page && cited.boxes.some((box) => holds(box, x, y, 0.002)));
    const area = (cited) => cited.boxes.reduce((sum, box) => sum + box.width * box.height, 0);
    return under.sort((a, b) => area(a) - area(b))[0] ?? null;
  }

  #hover(event) {
    if (event.buttons || this.isPinning) return;
    this.#setHovered(this.#citedAt(event), event);
  }

  #setHovered(cited, event = null) {
    if (cited !== this.hovered) {
      this.hovered = cited;
      this.redraw();
      this.tip.hidden = !cited;
      this.pages.classList.toggle("over-citation", Boolean(cited));
      if (cited) this.tip.replaceChildren(el("strong", { text: cited.label }), el("span", { text: cited.value }));
    }
    if (cited && event) {
      const box = this.scroller.getBoundingClientRect();
      this.tip.style.left = `${Math.min(event.clientX - box.left + 14, box.width - 280) + this.scroller.scrollLeft}px`;
      this.tip.style.top = `${event.clientY - box.top + 18 + this.scroller.scrollTop}px`;
    }
  }

  #click(event) {
    if (this.isPinning || !document.getSelection().isCollapsed) return;
    const cited = this.#citedAt(event);
    if (cited) this.dispatchEvent(new CustomEvent("picked", { detail: cited }));
  }
}

function unreadable(source, retry) {
  const [code, ...rest] = String(source.error ?? "").split(": ");
  return el("div", { class: "unreadable" },
    el("h2", { text: "This document could not be read" }),
    el("p", { text: rest.join(": ") || code || "It has no pages." }),
    el("p", { class: "muted" }, el("bdi", { text: source.file })), retry);
}
