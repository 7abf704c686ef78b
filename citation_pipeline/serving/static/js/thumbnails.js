// The strip of small pages beside the reader.

import { el } from "./dom.js";
import { getPreference, setPreference } from "./preferences.js";

const WIDTH = 160;

export class Thumbnails {
  constructor(reader) {
    this.reader = reader;
    this.strip = el("div", { class: "thumbnails", role: "list", "aria-label": "Page thumbnails", hidden: !getPreference("thumbnails", false) });
    this.observer = new IntersectionObserver((entries) => {
      for (const { isIntersecting, target } of entries) if (isIntersecting) this.#draw(target);
    }, { root: this.strip, rootMargin: "100% 0px" });
    reader.addEventListener("opened", () => this.#fill());
    reader.addEventListener("moved", () => this.#mark());
  }

  get isShown() { return !this.strip.hidden; }

  toggle() {
    this.strip.hidden = !this.strip.hidden;
    setPreference("thumbnails", this.isShown);
    this.#fill();
    requestAnimationFrame(() => this.reader.fit && this.reader.setZoom(this.reader.fit));
  }

  #fill() {
    this.observer.disconnect();
    this.strip.replaceChildren();
    if (!this.isShown) return;
    this.items = this.reader.sheets.map(({ page, shape }) => el("div", { role: "listitem" },
      el("button", {
        class: "thumbnail", "aria-label": `Page ${page}`, data: { page },
        on: { click: () => this.reader.goTo(page) },
      }, el("span", { class: "thumbnail-paper", style: { "aspect-ratio": `${shape.width} / ${shape.height}` } }),
      el("span", { class: "thumbnail-number", text: page }))));
    this.strip.append(...this.items);
    this.items.forEach((item) => this.observer.observe(item));
    this.#mark();
  }

  #draw(item) {
    const button = item.firstElementChild;
    const paper = button.firstElementChild;
    if (paper.childElementCount) return;
    const { server, claimId, source } = this.reader;
    paper.append(el("img", { alt: "", loading: "lazy", src: server.pageImage(claimId, source, Number(button.dataset.page), WIDTH) }));
  }

  #mark() {
    this.items?.forEach((item, index) => {
      const isHere = index + 1 === this.reader.page;
      if (isHere) item.firstElementChild.setAttribute("aria-current", "true");
      else item.firstElementChild.removeAttribute("aria-current");
      if (isHere && this.isShown) item.scrollIntoView({ block: "nearest" });
    });
  }
}
