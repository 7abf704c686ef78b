// Finding text in the open document, pages that are not loaded included.

import { announce, debounce, el } from "./dom.js";
import { icon } from "./icons.js";
import { plural } from "./messages.js";

export class FindBar {
  constructor(reader) {
    this.reader = reader;
    this.input = el("input", { type: "search", class: "input", placeholder: "Find in document", "aria-label": "Find in document", maxlength: "300" });
    this.count = el("span", { class: "muted find-count" });
    this.bar = el("div", { class: "find-bar", role: "search", hidden: true }, this.input, this.count,
      el("button", { class: "icon-button", "aria-label": "Previous place", on: { click: () => this.step(-1) } }, icon("previous")),
      el("button", { class: "icon-button", "aria-label": "Next place", on: { click: () => this.step(1) } }, icon("next")),
      el("button", { class: "icon-button", "aria-label": "Close find", on: { click: () => this.close() } }, icon("close")));
    const search = debounce(180, () => this.#search());
    this.input.addEventListener("input", search);
    this.input.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && this.searched === this.input.value.trim()) this.step(event.shiftKey ? -1 : 1);
      if (event.key === "Escape") this.close();
    });
    reader.addEventListener("opened", () => { if (!this.bar.hidden) this.#search(); });
  }

  open() {
    this.bar.hidden = false;
    this.input.focus();
    this.input.select();
    if (this.input.value) this.#search();
  }

  close() {
    this.bar.hidden = true;
    Object.assign(this.reader, { hits: [], hitIndex: -1 });
    this.reader.redraw();
    this.reader.scroller.focus({ preventScroll: true });
  }

  async #search() {
    const { reader } = this;
    const text = this.input.value.trim();
    const asked = (this.asked = Symbol("search"));
    let found = { hits: [], isComplete: true };
    if (text && reader.source) found = await reader.server.find(reader.claimId, reader.source.id, text).catch(() => found);
    if (asked !== this.asked) return; // a newer search is under way
    this.searched = text;
    reader.hits = found.hits;
    this.isComplete = found.isComplete;
    reader.hitIndex = found.hits.findIndex((hit) => hit.page >= reader.page);
    if (reader.hitIndex < 0 && found.hits.length) reader.hitIndex = 0;
    this.#show(text);
  }

  step(by) {
    const { reader } = this;
    if (!reader.hits.length) return;
    reader.hitIndex = (reader.hitIndex + by + reader.hits.length) % reader.hits.length;
    this.#show(this.input.value);
  }

  #show(text) {
    const { reader } = this;
    const total = `${reader.hits.length}${this.isComplete ? "" : "+"}`;
    this.count.textContent = text ? (reader.hits.length ? `${reader.hitIndex + 1} of ${total}` : "None") : "";
    if (text) announce(reader.hits.length ? plural(reader.hits.length, "place") : "Not in this document");
    const hit = reader.hits[reader.hitIndex];
    if (hit) reader.goTo(hit.page, hit.boxes[0]);
    reader.redraw();
  }
}
