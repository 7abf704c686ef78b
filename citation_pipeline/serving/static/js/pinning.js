// Choosing words on a page for a citation: with the pointer, or with the arrow keys.

import { announce, append, el, replace } from "./dom.js";
import { lineBoxes, wordsInside } from "./geometry.js";
import { icon } from "./icons.js";
import { selectedWords } from "./text_layer.js";

export class Pinning {
  constructor(reader, { onPin }) {
    this.reader = reader;
    this.onPin = onPin;
    this.field = null;
    this.bar = el("div", { class: "pin-bar", role: "status", hidden: true });
    reader.pages.addEventListener("pointerdown", (event) => this.#press(event));
    reader.pages.addEventListener("pointermove", (event) => this.#drag(event));
    reader.pages.addEventListener("pointerup", () => { this.anchor = null; });
    reader.addEventListener("opened", () => { if (this.field) this.#select(null); });
  }

  get isActive() { return Boolean(this.field); }

  async start(field, citationIndex) {
    const { reader } = this;
    Object.assign(this, { field, citationIndex, sheet: null, first: 0, last: 0 });
    const sheet = reader.sheets[(reader.lit?.page ?? reader.page) - 1] ?? null;
    reader.isPinning = true;
    reader.pages.classList.add("is-pinning");
    this.bar.hidden = false;
    this.#tell();
    reader.scroller.focus({ preventScroll: true });
    if (!sheet) return;
    const native = selectedWords(sheet.layer);
    await sheet.loadWords();
    // meanwhile another document may have been opened, or words been chosen: those are meant
    if (!sheet.words?.length || this.field !== field || this.sheet || !reader.sheets.includes(sheet)) return;
    document.getSelection().removeAllRanges();
    const ids = sheet.words.map((word) => word[0]);
    const boxes = (reader.lit?.regions.snippet ?? []).filter((r) => r.page === sheet.page).flatMap((r) => r.boxes);
    const lit = wordsInside(sheet.words, boxes).map((word) => ids.indexOf(word[0]));
    if (native) this.#select(sheet, ids.indexOf(native[0]), ids.indexOf(native[1]));
    else if (lit.length) this.#select(sheet, Math.min(...lit), Math.max(...lit));
    else this.#select(sheet, 0, 0);
  }

  stop() {
    this.field = null;
    this.reader.isPinning = false;
    this.reader.pages.classList.remove("is-pinning");
    this.bar.hidden = true;
    this.#select(null);
  }

  // Returns whether the key was for us.
  key(event) {
    if (event.key === "Escape") {
      this.stop();
      return true;
    }
    if (event.key === "Enter") {
      this.#finish();
      return true;
    }
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const lines = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!this.sheet || (!step && !lines)) return Boolean(step || lines);
    const at = event.shiftKey ? this.last : (step === -1 || lines === -1 ? this.first : this.last);
    const to = step ? at + step : this.#besides(at, lines);
    if (to < 0 || to >= this.sheet.words.length) return true;
    this.#select(this.sheet, event.shiftKey ? Math.min(this.first, to) : to, to);
    return true;
  }

  // The word of the next or previous line that stands nearest.
  #besides(at, by) {
    const { words } = this.sheet;
    const [, , left, , width, , line] = words[at];
    const others = words.filter((word) => (by > 0 ? word[6] > line : word[6] < line));
    if (!others.length) return at;
    const target = by > 0 ? Math.min(...others.map((w) => w[6])) : Math.max(...others.map((w) => w[6]));
    const middle = left + width / 2;
    const near = others.filter((w) => w[6] === target)
      .sort((a, b) => Math.abs(a[2] + a[4] / 2 - middle) - Math.abs(b[2] + b[4] / 2 - middle))[0];
    return words.indexOf(near);
  }

  #wordAt(sheet, event) {
    if (!sheet?.words) return -1;
    const [x, y] = this.reader.pointOn(sheet, event);
    const distance = ([, , left, top, width, height]) => {
      const dx = Math.max(left - x, 0, x - left - width);
      const dy = Math.max(top - y, 0, y - top - height);
      return dx * dx + 4 * dy * dy; // the same line before the same column
    };
    let best = -1;
    let least = 0.01;
    sheet.words.forEach((word, i) => {
      const found = distance(word);
      if (found < least) [best, least] = [i, found];
    });
    return best;
  }

  #press(event) {
    if (!this.isActive || event.button !== 0) return;
    const sheet = this.reader.sheetAt(event);
    const at = this.#wordAt(sheet, event);
    if (at < 0) return;
    event.preventDefault();
    this.anchor = { sheet, at };
    this.#select(sheet, at, at);
  }

  #drag(event) {
    if (!this.anchor || !event.buttons) return;
    const at = this.#wordAt(this.anchor.sheet, event);
    if (at >= 0) this.#select(this.anchor.sheet, Math.min(this.anchor.at, at), Math.max(this.anchor.at, at));
  }

  #select(sheet, first = 0, last = 0) {
    Object.assign(this, { sheet, first: Math.max(0, Math.min(first, last)), last: Math.max(first, last) });
    const chosen = sheet?.words?.slice(this.first, this.last + 1) ?? [];
    this.reader.pinned = chosen.length ? { page: sheet.page, boxes: lineBoxes(chosen) } : null;
    this.reader.redraw();
    if (chosen.length) {
      const box = this.reader.pinned.boxes[this.reader.pinned.boxes.length - 1];
      this.reader.goTo(sheet.page, box);
      announce(chosen.map((word) => word[1]).join(" ").slice(0, 200));
    }
    if (this.field) this.#tell(chosen.length);
  }

  #tell(count = 0) {
    replace(this.bar, icon("pin"),
      el("span", {}, "Select the words that say ", el("strong", { text: this.field.label })),
      el("span", { class: "pin-keys" }, el("kbd", { text: "←→↑↓" }), " move ", el("kbd", { text: "Shift" }), " extend"));
    append(this.bar, [
      el("button", { class: "button primary", text: "Pin here", disabled: count === 0, on: { click: () => this.#finish() } }),
      el("button", { class: "button", text: "Cancel", on: { click: () => this.stop() } })]);
  }

  #finish() {
    if (!this.sheet?.words?.length || !this.reader.isDrawn(this.sheet.page)) return; // words without their page are none
    const { field, citationIndex, sheet } = this;
    const words = {
      sourceId: this.reader.source.id,
      page: sheet.page,
      wordStart: sheet.words[this.first][0],
      wordEnd: sheet.words[this.last][0] + 1,
      text: sheet.words.slice(this.first, this.last + 1).map((word) => word[1]).join(" "),
    };
    this.stop();
    this.onPin(field, citationIndex, words);
  }
}
