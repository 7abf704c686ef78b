// The strip above the pages: page number, size, turn, and what can be done with the document.

import { el } from "./dom.js";
import { icon } from "./icons.js";

function button(name, label, click, key = "") {
  return el("button", { class: "icon-button", "aria-label": label, title: key ? `${label} (${key})` : label, on: { click } }, icon(name));
}

export class Toolbar {
  constructor(reader, { thumbnails, find, showLink, server, onMarks, onBeside }) {
    this.reader = reader;
    this.number = el("input", { class: "input page-number", inputmode: "numeric", "aria-label": "Page", value: "1" });
    this.total = el("span", { class: "muted" });
    this.percent = el("button", { class: "quiet-button percent", title: "Size on paper", "aria-label": "Zoom to 100 %", on: { click: () => reader.setZoom(96 / 72) } });
    this.download = el("a", { class: "icon-button", "aria-label": "Download the original", title: "Download the original" }, icon("download"));
    this.thumbs = button("thumbnails", "Thumbnails", () => { thumbnails.toggle(); this.#sync(); }, "t");
    this.marks = button("marks", "Show every citation on the page", () => { onMarks(); this.#sync(); }, "h");
    this.widthFit = button("fit_width", "Fit width", () => reader.setZoom("width"), "w");
    this.pageFit = button("fit_page", "Fit page", () => reader.setZoom("page"), "f");
    this.thumbnails = thumbnails;
    this.beside = button("beside", "A second document beside", onBeside, "v");
    this.beside.classList.add("open-beside");
    this.beside.setAttribute("aria-pressed", "false");
    // what a narrow window has no room for is behind one button
    this.extra = el("span", { class: "bar-extra", id: "bar-extra" }, this.thumbs, this.beside, this.pageFit,
      button("rotate", "Rotate", () => reader.setTurn(reader.turn + 90), "o"), this.marks,
      button("link", "Copy a link to this place", showLink, "l"), server.isLive && this.download);
    this.more = el("button", { class: "icon-button more-tools", "aria-label": "More tools", title: "More tools", "aria-expanded": "false", "aria-controls": "bar-extra", on: { click: () => this.#open(!this.extra.classList.contains("is-open")) } }, icon("more"));
    this.extra.addEventListener("click", () => this.#open(false));
    this.extra.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || !this.extra.classList.contains("is-open")) return;
      event.stopPropagation();
      this.#open(false);
      this.more.focus();
    });
    document.addEventListener("pointerdown", (event) => { if (!this.bar.contains(event.target)) this.#open(false); });
    this.bar = el("div", { class: "toolbar", role: "toolbar", "aria-label": "Page" },
      el("span", { class: "bar-group is-first" },
        button("previous", "Previous page", () => reader.goTo(reader.page - 1)),
        this.number, this.total,
        button("next", "Next page", () => reader.goTo(reader.page + 1))),
      el("span", { class: "bar-group" },
        button("minus", "Smaller", () => reader.zoomBy(1 / 1.2), "−"), this.percent, button("plus", "Larger", () => reader.zoomBy(1.2), "+"),
        this.widthFit),
      el("span", { class: "bar-space" }),
      button("search", "Find in document", () => find.open(), "Ctrl F"),
      el("span", { class: "ask-slot" }), this.more, this.extra);
    this.number.addEventListener("keydown", (event) => {
      if (event.key === "Enter") {
        reader.goTo(Number.parseInt(this.number.value, 10) || reader.page);
        this.#sync();
      }
    });
    this.number.addEventListener("focus", () => this.number.select());
    this.number.addEventListener("blur", () => this.#sync());
    for (const type of ["opened", "moved", "zoomed"]) reader.addEventListener(type, () => this.#sync());
  }

  noteBeside(isOpen) { this.beside.setAttribute("aria-pressed", isOpen); }

  #open(isOpen) {
    this.extra.classList.toggle("is-open", isOpen);
    this.more.setAttribute("aria-expanded", String(isOpen));
  }

  #sync() {
    const { reader } = this;
    if (document.activeElement !== this.number || this.number.value === "") this.number.value = reader.page;
    this.total.textContent = `of ${reader.sheets.length}`;
    this.percent.textContent = `${reader.percent}%`;
    this.widthFit.setAttribute("aria-pressed", reader.fit === "width");
    this.pageFit.setAttribute("aria-pressed", reader.fit === "page");
    this.thumbs.setAttribute("aria-pressed", this.thumbnails.isShown);
    this.marks.setAttribute("aria-pressed", reader.showsAll);
    if (reader.source && reader.server.isLive) this.download.href = reader.server.original(reader.claimId, reader.source);
  }
}
