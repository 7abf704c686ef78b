// A second document beside the pages: to compare two places, or two versions of a page word by word. What is shown
// here is for looking: a signature is of the places in the first pane alone.

import { debounce, el, replace } from "./dom.js";
import { short } from "./document_tabs.js";
import { icon } from "./icons.js";
import { plural } from "./messages.js";
import { firstBox, placesOf } from "./places.js";
import { Reader } from "./reader.js";
import { differingWords } from "./word_differences.js";

export class Beside {
  isTogether = false;
  compares = false;

  constructor(viewer) {
    this.viewer = viewer;
    this.pane = el("div", { class: "beside", role: "region", "aria-label": "Second document", hidden: true });
  }

  // Made when it is first wanted: most people read one document at a time.
  #make() {
    if (this.reader) return;
    const { viewer } = this;
    const { session, server } = viewer;
    this.reader = new Reader(server, { fadeSeconds: session.fadeSeconds, highlight: session.highlight, label: "Pages of the second document" });
    this.reader.names = (sourceId) => viewer.sources.get(sourceId)?.name;
    this.reader.addEventListener("copy", ({ detail }) => this.#open(detail.sourceId, detail.page));
    this.documents = el("select", { class: "input", "aria-label": "Second document", on: { change: () => this.#open(this.documents.value, 1) } });
    this.number = el("input", { class: "input beside-number", inputmode: "numeric", "aria-label": "Page of the second document" });
    this.total = el("span", { class: "muted" });
    this.together = this.#toggle("link", "Scroll together", () => { this.isTogether = !this.isTogether; });
    this.differences = this.#toggle("differences", "Mark the words that differ", () => { this.compares = !this.compares; this.#compare(); });
    this.said = el("p", { class: "beside-said", role: "status", hidden: true });
    replace(this.pane,
      el("div", { class: "beside-head" }, this.documents, this.number, this.total, this.differences, this.together,
        el("button", { class: "icon-button", "aria-label": "Close the second document", title: "Close (v)", on: { click: () => this.close() } }, icon("close"))),
      this.said, this.reader.scroller);
    this.pane.addEventListener("keydown", (event) => this.#key(event));
    this.number.addEventListener("change", () => this.reader.goTo(Number.parseInt(this.number.value, 10) || this.reader.page));
    const compare = debounce(150, () => this.#compare());
    for (const reader of [this.reader, viewer.reader]) for (const type of ["opened", "moved"]) reader.addEventListener(type, compare);
    for (const type of ["opened", "moved"]) this.reader.addEventListener(type, () => this.#sync());
    this.#scroll(viewer.reader, this.reader);
    this.#scroll(this.reader, viewer.reader);
  }

  get isOpen() { return !this.pane.hidden; }

  toggle() {
    if (this.isOpen) this.close();
    else this.#open(this.viewer.reader.source?.id, this.viewer.reader.page);
  }

  // A citation's place, which stays here while others are looked at.
  show(citation) {
    const [place] = placesOf(citation);
    if (!place) return;
    const { page, box } = firstBox(place);
    this.#open(place.sourceId, page, box);
    this.#light(place);
  }

  #light(place) {
    this.place = place;
    this.reader.light(place);
  }

  showPage(sourceId, page) { this.#open(sourceId, page); }

  close() {
    if (!this.isOpen) return;
    const hadFocus = this.pane.contains(document.activeElement);
    this.pane.hidden = true;
    this.compares = this.isTogether = false;
    this.#compare();
    this.viewer.toolbar.noteBeside(false);
    if (hadFocus) this.viewer.reader.scroller.focus({ preventScroll: true });
  }

  // Another claim, or other versions of its documents.
  refresh() {
    if (!this.isOpen) return;
    const { viewer, reader } = this;
    const { place } = this;
    const before = reader.source;
    const source = viewer.sources.get(before?.id);
    if (reader.claimId !== viewer.claim.claimId || !source) {
      this.close();
      return;
    }
    this.#open(source.id, reader.page);
    if (place && source.sha256 === before.sha256) this.#light(place); // of the same bytes the same place
  }

  #open(sourceId, page, box = null) {
    const { claim, sources } = this.viewer;
    const source = sources.get(sourceId);
    if (!source) return;
    this.#make();
    replace(this.documents, claim.sources.map((one) => el("option", { value: one.id, text: short(one.name, 60), selected: one.id === sourceId })));
    this.pane.hidden = false;
    this.viewer.toolbar.noteBeside(true);
    this.#light(null);
    this.reader.open(claim.claimId, source, { page, box });
    this.#sync();
  }

  #toggle(drawing, label, click) {
    const button = el("button", { class: "icon-button", "aria-label": label, title: label, "aria-pressed": "false", on: { click: () => { click(); button.setAttribute("aria-pressed", button === this.together ? this.isTogether : this.compares); } } }, icon(drawing));
    return button;
  }

  #sync() {
    if (document.activeElement !== this.number) this.number.value = this.reader.page;
    this.total.textContent = `of ${this.reader.sheets.length}`;
  }

  #key(event) {
    const { reader } = this;
    if (event.key === "Escape") this.close();
    else if (event.key === "PageDown") reader.goTo(reader.page + 1);
    else if (event.key === "PageUp") reader.goTo(reader.page - 1);
    else if (event.key.startsWith("Arrow")) return event.stopPropagation(); // it scrolls
    else return undefined;
    event.preventDefault();
    return event.stopPropagation();
  }

  // What one pane scrolls by, the other does, in its own size.
  #scroll(one, other) {
    let last = one.scroller.scrollTop;
    one.scroller.addEventListener("scroll", () => {
      const by = one.scroller.scrollTop - last;
      last = one.scroller.scrollTop;
      if (this.follower === one) this.follower = null;
      else if (this.isTogether && this.isOpen && by) {
        const before = other.scroller.scrollTop;
        other.scroller.scrollTop += by * (other.scale / one.scale);
        if (other.scroller.scrollTop !== before) this.follower = other;
      }
    }, { passive: true });
  }

  async #compare() {
    const first = this.viewer.reader;
    const second = this.reader;
    const asked = (this.asked = Symbol("compare"));
    if (!this.compares && !first.differing.length && !second.differing.length) {
      this.said.hidden = true;
      this.together.setAttribute("aria-pressed", this.isTogether);
      return; // nothing to draw: what is highlighted is not drawn anew
    }
    let found = [[], []];
    this.said.hidden = !(this.compares && this.isOpen);
    if (!this.said.hidden && first.source && second.source) {
      const pages = [first.page, second.page];
      const words = await Promise.all([first, second].map(wordsShown)).catch(() => null);
      if (asked !== this.asked) return;
      const differing = words?.every((list) => list.length) ? differingWords(...words) : null;
      if (differing) found = differing;
      const count = found[0].length + found[1].length;
      this.said.textContent = !differing ? "These two pages cannot be compared word by word."
        : count ? `${plural(count, "word")} of page ${pages[0]} and page ${pages[1]} beside it ${count === 1 ? "differs" : "differ"}, as they were read.`
          : `Page ${pages[0]} and page ${pages[1]} beside it have the same words, as they were read.`;
    }
    first.differing = found[0].map((box) => ({ page: first.page, boxes: [box] }));
    second.differing = found[1].map((box) => ({ page: second.page, boxes: [box] }));
    first.redraw();
    second.redraw();
    this.differences.setAttribute("aria-pressed", this.compares);
    this.together.setAttribute("aria-pressed", this.isTogether);
  }
}

async function wordsShown(reader) {
  if (!reader.sheets.length) return [];
  return reader.sheets[reader.page - 1]?.words ?? reader.server.words(reader.claimId, reader.source, reader.page);
}
