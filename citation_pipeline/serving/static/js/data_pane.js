// The right side: what the claim says, by category; the review queue; the conflicts; the raw JSON.

import { cautions, disagreements, partialBanner } from "./claim_banners.js";
import { debounce, el, replace } from "./dom.js";
import { isDecided, isUnread, makeCard, pillsOf, waitsForOthers } from "./field_card.js";
import { icon } from "./icons.js";
import { plural, wordsOf } from "./messages.js";
import { citationsOf } from "./places.js";
import { getPreference, setPreference } from "./preferences.js";
import { sureOf } from "./values.js";

const FILTERS = {
  all: ["All", () => true],
  open: ["To review", (field) => !isDecided(field)],
  unresolved: ["Not found", (field) => field.value && (!field.citations.length || field.unresolvedCitations?.length)],
  flagged: ["Flagged", (field) => field.citations.some((citation) => citation.status === "flagged" && !citation.pinned)],
  low: ["Low confidence", (field) => sureOf(field) === "low"],
  second: ["For a second reviewer", (field) => field.review.state === "awaiting_second"],
  people: ["By people", (field) => field.review.state !== "unreviewed"],
  absent: ["Absent", (field) => !field.value && !isUnread(field)],
  doubted: ["Doubted", (field) => !field.value && field.status === "doubted"],
  unread: ["Unread", (field) => !field.value && isUnread(field) && field.status !== "doubted"],
};

export class DataPane {
  view = "fields";
  filter = "all";
  query = "";

  constructor(pane, viewer) {
    this.viewer = viewer;
    this.closed = new Set(getPreference("closedCategories", []));
    this.head = el("header", { class: "data-head" });
    this.people = el("p", { class: "people muted", hidden: true });
    this.views = el("div", { class: "views", role: "tablist", "aria-label": "Views of the data" });
    this.search = el("input", { class: "input", type: "search", placeholder: "Search fields", "aria-label": "Search fields", maxlength: "200" });
    this.filters = el("div", { class: "filters", role: "group", "aria-label": "Filter fields" });
    this.tools = el("div", { class: "data-tools" }, this.search, this.filters);
    this.list = el("div", { class: "data-list", id: "fields", role: "tabpanel", tabindex: "0", "aria-label": "Fields" });
    pane.replaceChildren(this.head, this.views, this.tools, this.list);
    const apply = () => {
      const query = this.search.value.toLowerCase().trim();
      if (query === this.query) return;
      this.query = query;
      this.render();
    };
    this.search.addEventListener("input", debounce(80, apply));
    this.search.addEventListener("keydown", (event) => {
      event.stopPropagation();
      if (event.key === "Escape") {
        this.search.value = this.query = "";
        this.render();
        this.list.focus({ preventScroll: true });
      }
      if (event.key === "Enter") {
        apply(); // quick fingers do not wait
        this.viewer.step(1, { fromStart: true });
      }
    });
  }

  show(view) {
    this.view = view;
    this.render();
    this.list.scrollTop = 0;
  }

  // --- what is listed -------------------------------------------------------------------------------

  get fields() { return this.viewer.claim?.fields ?? []; }
  get absent() { return [...(this.viewer.claim?.absentFields ?? []), ...(this.viewer.claim?.unreadFields ?? [])]; }

  matches(field) {
    const [, isWanted] = FILTERS[this.filter];
    if (!isWanted(field)) return false;
    if (!this.query) return true;
    const texts = [field.label, field.category, field.value, ...citationsOf(field).map((citation) => citation.snippet)];
    return texts.some((text) => String(text ?? "").toLowerCase().includes(this.query));
  }

  queue() {
    return this.fields
      .filter((field) => (!isDecided(field) && !waitsForOthers(field, this.viewer)) || field.conflicts.length)
      .sort((a, b) => b.risk.score - a.risk.score);
  }

  listed() {
    if (this.view === "queue") return this.queue();
    if (this.view === "conflicts") return this.fields.filter((field) => field.conflicts.length);
    if (this.view === "json" || this.view === "held") return [];
    const showsAbsent = ["absent", "unread", "doubted"].includes(this.filter) || this.filter === "people" || this.query;
    return [...this.fields, ...(showsAbsent ? this.absent : [])].filter((field) => this.matches(field));
  }

  keys() { return [...this.list.querySelectorAll(".card")].map((card) => card.dataset.key); }

  // --- drawing --------------------------------------------------------------------------------------

  render() {
    this.#renderHead();
    this.#renderViews();
    this.tools.hidden = this.view !== "fields";
    if (this.view === "fields") this.#renderFilters();
    if (this.view === "json") this.#renderJson();
    else if (this.view === "held") this.viewer.heldSet.render(this.list);
    else if (this.view === "fields") this.#renderCategories();
    else this.#renderFlat();
    this.#rove();
  }

  // One tab stop for all fields: arrow keys go through them.
  #rove() {
    const heads = [...this.list.querySelectorAll(".card-head")];
    const at = heads.findIndex((head) => head.getAttribute("aria-expanded") === "true");
    heads.forEach((head, index) => { head.tabIndex = index === Math.max(at, 0) ? 0 : -1; });
  }

  // Draw one field again without moving the others.
  update(fieldKey) {
    const card = this.card(fieldKey);
    const field = this.viewer.field(fieldKey);
    if (card && field) card.replaceWith(makeCard(field, this.viewer));
    this.#rove();
  }

  // Who else has the claim open, and at which field.
  showPeople() {
    const { people } = this.viewer.watching;
    const names = [...new Set(people.map(({ name }) => name))];
    replace(this.people, names.length > 0 && [icon("person"), el("bdi", { text: names.slice(0, 3).join(", ") }), names.length > 3 && ` and ${names.length - 3} more`, names.length > 1 ? " are here" : " is here"]);
    this.people.hidden = !names.length;
    const touched = new Set([...(this.peopleAt ?? []), ...people.map(({ fieldKey }) => fieldKey).filter(Boolean)]);
    this.peopleAt = people.map(({ fieldKey }) => fieldKey).filter(Boolean);
    for (const key of touched) this.updatePills(key);
  }

  // The rest of the card stays: an editor in it keeps its place.
  updatePills(fieldKey) {
    const side = this.card(fieldKey)?.querySelector(".card-side");
    const field = this.viewer.field(fieldKey);
    if (side && field) replace(side, pillsOf(field, this.viewer));
  }

  card(fieldKey) { return this.list.querySelector(`.card[data-key="${CSS.escape(fieldKey)}"]`); }

  reveal(fieldKey) {
    const field = this.viewer.field(fieldKey);
    if (!field) return;
    if (!this.card(fieldKey)) {
      if (this.view !== "fields") this.view = "fields";
      if (!this.listed().some((listed) => listed.fieldKey === fieldKey)) {
        this.search.value = this.query = "";
        this.filter = field.value ? "all" : field.status === "doubted" ? "doubted" : isUnread(field) ? "unread" : "absent";
      }
      this.closed.delete(field.category);
      this.render();
    }
    this.card(fieldKey)?.scrollIntoView({ block: "nearest" });
    this.card(fieldKey)?.querySelector(".card-head").scrollIntoView({ block: "nearest" }); // of a long card, its value
  }

  #renderHead() {
    const { claim, server } = this.viewer;
    const done = this.fields.filter(isDecided).length;
    const total = this.fields.length;
    replace(this.head,
      el("div", { class: "data-title" }, el("h1", { text: claim.claimId }), el("span", { class: "muted", text: claim.schema?.title ? `Schema: ${claim.schema.title}` : "" })),
      server.isLive && el("div", { class: "head-buttons" },
        el("a", { class: "button", href: server.evidence(claim.claimId), title: "Originals, highlighted PDFs, data, reviews and hashes in one archive" }, icon("download"), "Evidence pack"),
        el("button", { class: "button", title: "Numbered and redacted copies for the other side", on: { click: () => this.viewer.productions.open() } }, icon("redact"), "Production")),
      el("div", { class: "progress-line" },
        el("progress", { max: Math.max(total, 1), value: done, "aria-label": "Reviewed fields" }),
        el("span", { class: "muted", text: `${done} of ${plural(total, "field")} reviewed` }), this.#undoButton()),
      this.viewer.hands.line, this.people, this.viewer.heldSet.banner(), claim.status === "partial" && partialBanner(claim, this.viewer), disagreements(claim, this.viewer), cautions(claim, this.viewer));
  }

  // Stays until there is nothing to take back; the note after a decision does not.
  #undoButton() {
    const field = this.viewer.field(this.viewer.deciding.last ?? "");
    return Boolean(field) && el("button", { class: "quiet-button undo-last", title: `Take back the last decision: ${field.label} (z)`, on: { click: () => this.viewer.undo() } },
      icon("undo"), "Undo", el("span", { class: "visually-hidden", text: ` the decision on ${field.label}` }));
  }

  #updateViews(views) {
    views.forEach(([id, , count], at) => {
      const tab = this.views.children[at];
      const badge = tab.querySelector(".count");
      for (const [name, value] of [["aria-selected", String(this.view === id)], ["tabindex", this.view === id ? "0" : "-1"]]) {
        if (tab.getAttribute(name) !== value) tab.setAttribute(name, value);
      }
      if (badge && badge.textContent !== String(count)) badge.textContent = count;
      badge?.classList.toggle("bad", id === "conflicts" && count > 0);
    });
  }

  #renderViews() {
    const conflicts = this.fields.filter((field) => field.conflicts.length).length;
    const views = [["fields", "Fields", this.fields.length], ["queue", "Review", this.queue().length], ["conflicts", "Conflicts", conflicts], ["json", "JSON", null]];
    if (this.viewer.heldSet.held) views.splice(3, 0, ["held", "Held", this.viewer.heldSet.count]);
    if (views.map(([id]) => id).join() === [...this.views.children].map((tab) => tab.dataset.view).join()) {
      this.#updateViews(views); // drawn anew, a screen reader would read the tab out after every decision
      return;
    }
    this.views.replaceChildren(...views.map(([id, label, count]) => el("button", {
      class: "view", role: "tab", data: { view: id }, "aria-selected": this.view === id, "aria-controls": "fields", tabindex: this.view === id ? "0" : "-1",
      on: {
        click: () => this.show(id),
        keydown: (event) => {
          const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
          if (!step) return;
          event.stopPropagation();
          const at = views.findIndex(([view]) => view === id);
          this.show(views[(at + step + views.length) % views.length][0]);
          this.views.querySelector("[aria-selected=true]").focus();
        },
      },
    }, `${label} `, count !== null && el("span", { class: `count${id === "conflicts" && count ? " bad" : ""}`, text: count }))));
  }

  #renderFilters() {
    const everything = [...this.fields, ...this.absent];
    replace(this.filters, Object.entries(FILTERS).map(([id, [label, isWanted]]) => {
      const count = (id === "all" ? this.fields : everything).filter(isWanted).length;
      return (count > 0 || id === this.filter || id === "all") && el("button", {
        class: "chip", "aria-pressed": this.filter === id,
        on: { click: () => { this.filter = this.filter === id ? "all" : id; this.render(); } },
      }, `${label} `, el("span", { class: "count", text: id === "open" ? this.fields.filter(isWanted).length : count }));
    }));
  }

  #renderCategories() {
    const groups = new Map();
    for (const field of this.listed()) {
      if (!groups.has(field.category)) groups.set(field.category, []);
      groups.get(field.category).push(field);
    }
    if (!groups.size) {
      replace(this.list, el("p", { class: "muted empty", text: this.query ? "No field says that." : "No field of that kind." }));
      return;
    }
    const isFiltered = this.query || this.filter !== "all";
    this.list.replaceChildren(...[...groups].map(([category, fields]) => {
      const isOpen = isFiltered || !this.closed.has(category);
      const body = el("div", { class: "category-body", hidden: !isOpen }, isOpen && fields.map((field) => makeCard(field, this.viewer)));
      return el("section", { class: "category" },
        el("h2", {}, el("button", {
          class: "category-head", "aria-expanded": isOpen, on: { click: () => this.#toggle(category) },
        }, icon("chevron"), el("span", { text: category }), el("span", { class: "count", text: fields.length }))), body);
    }));
  }

  #toggle(category) {
    if (this.closed.has(category)) this.closed.delete(category);
    else this.closed.add(category);
    setPreference("closedCategories", [...this.closed]);
    this.render();
    [...this.list.querySelectorAll(".category-head")].find((head) => head.textContent.startsWith(category))?.focus();
  }

  // Nothing for this person may still be something for the next, and what has no value was not looked at.
  #queueDone() {
    const seconds = this.fields.filter((field) => waitsForOthers(field, this.viewer)).length;
    const silent = this.absent.filter((field) => isUnread(field) && !isDecided(field)).length;
    const none = this.fields.length ? "Every value is reviewed." : "No value was found.";
    return [
      seconds ? `Nothing is left for you: ${plural(seconds, "value")} for a second reviewer.` : none,
      silent ? `${plural(silent, "field")} without a value: unread or doubted.` : "",
    ].filter(Boolean).join(" ");
  }

  // Agreement takes two: where nobody has decided anything there is none.
  #noConflicts() {
    const decided = this.fields.filter(isDecided).length;
    return decided ? `No conflict among ${plural(decided, "reviewed field")}.` : "Nothing is reviewed yet: nobody can have disagreed.";
  }

  #renderFlat() {
    const fields = this.listed();
    if (!fields.length) {
      const isDone = this.view === "queue" ? this.fields.length > 0 : this.fields.some(isDecided);
      replace(this.list, el("div", { class: `empty ${isDone ? "all-done" : ""}` }, isDone && icon("check"),
        el("p", { text: this.view === "queue" ? this.#queueDone() : this.#noConflicts() }),
        this.view === "queue" && this.viewer.server.isLive && el("button", { class: "button primary", text: "Next claim to review", autofocus: true, on: { click: () => this.viewer.nextClaim() } })));
      return;
    }
    this.list.replaceChildren(...fields.map((field) => el("div", { class: "queued" },
      this.view === "queue" && el("p", { class: "reasons" }, el("span", { class: "muted", text: field.category }),
        field.risk.reasons.map((reason) => el("span", { class: "reason", text: reasonOf(reason, field) }))),
      makeCard(field, this.viewer))));
  }

  #renderJson() {
    const text = JSON.stringify(this.viewer.claim, null, 2);
    replace(this.list, el("div", { class: "json" },
      el("button", { class: "button", text: "Copy", on: { click: () => navigator.clipboard?.writeText(text) } }),
      el("pre", { tabindex: "0", "aria-label": "The claim's dataset as JSON", text })));
  }
}

// Why a field is in the queue; of a caveat, which one.
function reasonOf(reason, field) {
  const [caveat] = reason === "value_warning" ? field.warnings ?? [] : [];
  return wordsOf(caveat ?? reason).replace(/\.$/, "");
}
