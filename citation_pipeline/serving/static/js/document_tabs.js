// The claim's source documents: a strip of tabs, and a searchable list when there are many.

import { el, replace } from "./dom.js";
import { icon } from "./icons.js";
import { plural } from "./messages.js";

export class DocumentTabs {
  constructor({ onOpen }) {
    this.onOpen = onOpen;
    this.list = el("div", { class: "tabs", role: "tablist", "aria-label": "Source documents" });
    this.all = el("button", { class: "quiet-button all-documents", title: "All documents (g)", on: { click: () => this.pick() } });
    this.bar = el("div", { class: "tab-bar" }, this.all, this.list);
    this.list.addEventListener("keydown", (event) => this.#keys(event));
    this.list.addEventListener("wheel", (event) => {
      if (Math.abs(event.deltaY) > Math.abs(event.deltaX)) this.list.scrollLeft += event.deltaY;
    }, { passive: true });
  }

  // What could not be read comes first: somebody has to do something about it.
  sorted(sources) { return [...sources].sort((a, b) => Boolean(a.pages.length) - Boolean(b.pages.length)); }

  fill(sources, counts) {
    this.sources = this.sorted(sources);
    this.counts = counts;
    replace(this.all, icon("documents"), el("span", { text: String(sources.length) }));
    this.all.setAttribute("aria-label", `All ${plural(sources.length, "document")}`);
    // the documents inside a file have tabs of their own, behind the file's
    this.tabs = new Map(this.sources.flatMap((source) => [[source.id, el("button", {
      class: `tab${source.pages.length ? "" : " is-unread"}`, role: "tab", id: `tab-${source.id}`, tabindex: "-1", "aria-selected": "false",
      "aria-controls": "stage", title: titleOf(source), data: { source: source.id }, on: { click: () => this.onOpen(source.id) },
    }, !source.pages.length && icon("alert"), el("bdi", { class: "tab-name", text: short(source.name) }), !source.pages.length && el("span", { class: "visually-hidden", text: "(could not be read)" }))],
    ...(source.parts ?? []).map((part) => [keyOf(source, part), el("button", {
      class: "tab is-part", role: "tab", tabindex: "-1", "aria-selected": "false", "aria-controls": "stage",
      title: `${short(part.title, 200)} — ${pagesOf(part)} of ${short(source.file, 200)}`, data: { source: keyOf(source, part) },
      on: { click: () => this.onOpen(source.id, part.pages[0]) },
    }, el("bdi", { class: "tab-name", text: short(part.title || pagesOf(part), 40) }))])]));
    this.list.replaceChildren(...this.tabs.values());
  }

  show(sourceId, page) {
    const source = this.sources?.find((one) => one.id === sourceId);
    const part = partOf(source, page);
    const open = part ? keyOf(source, part) : sourceId;
    for (const [id, tab] of this.tabs ?? []) {
      const isOpen = id === open;
      tab.setAttribute("aria-selected", isOpen);
      tab.tabIndex = isOpen ? 0 : -1;
      if (isOpen) {
        const left = tab.offsetLeft - this.list.offsetLeft;
        const isSeen = left >= this.list.scrollLeft && left + tab.offsetWidth <= this.list.scrollLeft + this.list.clientWidth;
        if (!isSeen) this.list.scrollLeft = left - 60;
      }
    }
  }

  #keys(event) {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const ids = [...this.tabs.keys()];
    const at = ids.indexOf(document.activeElement?.dataset.source);
    let next = step ? at + step : -1;
    if (event.key === "Home") next = 0;
    if (event.key === "End") next = ids.length - 1;
    if (at < 0 || next < 0 || next >= ids.length) return;
    event.preventDefault();
    event.stopPropagation();
    this.tabs.get(ids[next]).click();
    this.tabs.get(ids[next]).focus();
  }

  describe({ source, part }) {
    if (part) {
      return el("span", { class: "muted picker-meta" }, pagesOf(part), part.date ? ` · ${part.date}` : "");
    }
    return el("span", { class: "muted picker-meta" },
      source.pages.length ? plural(source.pages.length, "page") : "could not be read",
      source.attachedTo ? ` · in ${short(this.sources.find((one) => one.id === source.attachedTo)?.name ?? source.attachedTo, 40)}` : "",
      source.parts ? ` · ${plural(source.parts.length, "document")} in it` : "",
      this.counts.get(source.id) ? ` · ${plural(this.counts.get(source.id), "citation")}` : "");
  }

  pick() {
    const input = el("input", { class: "input", type: "search", placeholder: "Search documents", "aria-label": "Search documents", autofocus: true });
    const list = el("div", { class: "picker-list", role: "listbox", "aria-label": "Documents" });
    const dialog = el("dialog", { class: "dialog picker", "aria-label": "Documents" }, input, list);
    let chosen = 0;
    let found = [];
    const fill = () => {
      const wanted = input.value.toLowerCase().trim();
      found = this.sources.flatMap((source) => [{ source }, ...(source.parts ?? []).map((part) => ({ source, part }))])
        .filter(({ source, part }) => (part ? part.title : `${source.name} ${source.file}`).toLowerCase().includes(wanted));
      chosen = 0;
      list.replaceChildren(...found.map((one, i) => el("div", {
        class: "picker-item", role: "option", "aria-selected": i === 0, on: { click: () => choose(i) },
      }, el("bdi", { class: "picker-name", text: short(one.part ? `↳ ${one.part.title}` : one.source.name, 120) }), this.describe(one))));
      if (!found.length) list.append(el("p", { class: "muted empty", text: "No document of that name." }));
    };
    const choose = (i) => {
      dialog.close();
      if (found[i]) this.onOpen(found[i].source.id, found[i].part?.pages[0]);
    };
    input.addEventListener("input", fill);
    dialog.addEventListener("keydown", (event) => {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (step && found.length) {
        event.preventDefault();
        list.children[chosen].setAttribute("aria-selected", "false");
        chosen = (chosen + step + found.length) % found.length;
        list.children[chosen].setAttribute("aria-selected", "true");
        list.children[chosen].scrollIntoView({ block: "nearest" });
      }
      if (event.key === "Enter") choose(chosen);
      event.stopPropagation();
    });
    dialog.addEventListener("close", () => dialog.remove());
    dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
    document.body.append(dialog);
    fill();
    dialog.showModal();
  }
}

export function short(name, length = 60) {
  return name.length > length ? `${name.slice(0, length - 1)}…` : name;
}

// The document inside a file of several that a page belongs to.
export function partOf(source, page) {
  return page ? source?.parts?.find(({ pages }) => pages[0] <= page && page <= pages[1]) : undefined;
}

function keyOf(source, part) {
  return `${source.id}#${part.pages[0]}`;
}

function pagesOf({ pages: [first, last] }) {
  return first === last ? `page ${first}` : `pages ${first}–${last}`;
}

function titleOf(source) {
  return source.name === source.file ? short(source.name, 200) : `${short(source.name, 200)} — ${short(source.file, 200)}`;
}
