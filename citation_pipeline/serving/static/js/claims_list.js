// The sidebar: the store's claims with their state, a page at a time.

import { debounce, el, replace } from "./dom.js";
import { forgetDrafts } from "./drafts.js";
import { icon } from "./icons.js";
import { plural } from "./messages.js";
import { getPreference, setPreference, toggleTheme } from "./preferences.js";

const STATES = {
  registered: "Registered",
  source_documents: "Documents listed",
  parsed_documents: "Parsed",
  raw_extraction: "Extracted",
  extracted_fields: "Extracted",
  resolved_citations: "Resolved",
  damaged: "Damaged: run it again",
};

const SHOWN = { all: "All claims", open: "To review", conflict: "With conflicts", held: "Held", partial: "Not all read", unreadable: "Unreadable documents", unresolved: "Values not found" };
const NARROW = matchMedia("(max-width: 1000px)");

export class ClaimsList {
  claims = [];
  total = 0;

  constructor(sidebar, { server, app, onOpen, onHelp, session }) {
    Object.assign(this, { server, app, onOpen });
    this.search = el("input", { class: "input", type: "search", placeholder: "Find a claim", "aria-label": "Find a claim", maxlength: "100" });
    this.list = el("ul", { class: "claims" });
    this.kind = el("select", { class: "input", "aria-label": "Which claims", on: { change: () => this.load() } },
      Object.entries(SHOWN).map(([value, text]) => el("option", { value, text })));
    this.more = el("button", { class: "quiet-button", text: "Show more", hidden: true, on: { click: () => this.load({ more: true }) } });
    const themeButton = el("button", { class: "icon-button", "aria-label": "Light or dark", title: "Light or dark (d)", on: { click: () => this.switchTheme() } });
    this.themeButton = themeButton;
    this.who = el("span", { class: "who muted" });
    replace(sidebar,
      el("div", { class: "brand" }, el("img", { src: document.querySelector("link[rel=icon]").href, alt: "", width: "24", height: "24" }), el("strong", { text: "Claims" }),
        el("button", { class: "icon-button", "aria-label": "Hide the list of claims", title: "Hide the list of claims (b)", on: { click: () => this.toggle() } }, icon("menu"))),
      el("div", { class: "claim-search" }, this.search, server.isLive && this.kind), this.list, this.more, this.tools = el("div", { class: "claim-tools" }),
      el("div", { class: "sidebar-foot" }, this.who, session.canSignOut && el("button", { class: "quiet-button", text: "Sign out", on: { click: async () => { await server.signOut(); forgetDrafts({ all: true }); location.reload(); } } }),
        themeButton, el("button", { class: "icon-button", "aria-label": "Keyboard shortcuts", title: "Keyboard shortcuts (?)", on: { click: onHelp } }, icon("keyboard"))));
    this.who.textContent = session.name;
    this.opener = el("button", { class: "icon-button open-sidebar", "aria-label": "Show the list of claims", title: "Show the list of claims (b)", on: { click: () => this.toggle() } }, icon("menu"));
    this.search.addEventListener("input", debounce(150, () => this.load()));
    this.search.addEventListener("keydown", (event) => { if (event.key !== "Escape") event.stopPropagation(); });
    const close = () => { if (app.classList.contains("drawer-open")) this.toggle(false); };
    sidebar.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || !app.classList.contains("drawer-open")) return;
      event.stopPropagation();
      close();
    });
    document.getElementById("scrim").addEventListener("click", close);
    NARROW.addEventListener("change", () => app.classList.remove("drawer-open"));
    app.classList.toggle("no-sidebar", getPreference("noSidebar", false));
    this.#showTheme();
  }

  // In a narrow window the list is a drawer over the pages.
  toggle(isOpen = !this.app.classList.contains("drawer-open")) {
    if (NARROW.matches) {
      this.app.classList.toggle("drawer-open", isOpen);
      this.opener.setAttribute("aria-expanded", String(isOpen));
      (isOpen ? this.search : this.opener).focus();
      return;
    }
    const isHidden = this.app.classList.toggle("no-sidebar");
    setPreference("noSidebar", isHidden);
  }

  switchTheme() {
    toggleTheme();
    this.#showTheme();
  }

  #showTheme() {
    replace(this.themeButton, icon(document.documentElement.dataset.theme === "dark" ? "sun" : "moon"));
  }

  async load({ more = false } = {}) {
    const asked = (this.asked = Symbol("load"));
    const found = await this.server.claims({ q: this.search.value.trim(), show: this.kind.value, offset: more ? this.claims.length : 0 });
    if (asked !== this.asked) return;
    this.claims = more ? [...this.claims, ...found.claims] : found.claims;
    this.total = found.total;
    this.render();
  }

  show(claimId) {
    this.openId = claimId;
    this.render();
  }

  // The open claim's counts after a review, without asking again.
  note(claimId, counts) {
    const claim = this.claims.find((known) => known.claimId === claimId);
    if (claim) Object.assign(claim, counts);
    this.render();
  }

  render() {
    this.more.hidden = this.claims.length >= this.total;
    this.list.replaceChildren(...this.claims.map((claim) => {
      const isReady = claim.state === "ready";
      const isDone = isReady && claim.fields > 0 && claim.reviewed >= claim.fields;
      return el("li", {}, el("a", {
        class: "claim", href: isReady ? `/claims/${encodeURIComponent(claim.claimId)}` : null, "aria-current": claim.claimId === this.openId ? "page" : null,
        "aria-disabled": isReady ? null : "true", role: isReady ? null : "link",
        on: { click: (event) => {
          if (event.metaKey || event.ctrlKey) return;
          event.preventDefault();
          if (!isReady) return;
          if (this.app.classList.contains("drawer-open")) this.toggle(false);
          this.onOpen(claim.claimId);
        } },
      }, el("span", { class: "claim-id", text: claim.claimId }),
      isReady ? el("span", { class: "claim-counts" },
        el("span", { text: `${plural(claim.documents, "document")} · ${plural(claim.fields, "field")}` }),
        claim.isPartial && el("span", { class: "pill warn", title: `${plural(claim.unread, "document")} not read` }, icon("alert"), "Partial"),
        claim.isHeld && el("span", { class: "pill warn", title: "A newer result waits for a decision" }, "Held"),
        claim.awaitingSecond > 0 && el("span", { class: "pill awaiting_second", title: `${plural(claim.awaitingSecond, "value")} signed by one of two reviewers` }, `${claim.awaitingSecond} for a second reviewer`),
        claim.unreadable > 0 && el("span", { class: "pill warn", title: `${plural(claim.unreadable, "document")} could not be read` }, `${claim.unreadable} unreadable`),
        claim.unresolved > 0 && el("span", { class: "pill", title: `${plural(claim.unresolved, "value")} without a place on a page` }, `${claim.unresolved} not found`),
        claim.conflicts > 0 && el("span", { class: "pill bad", text: plural(claim.conflicts, "conflict") }),
        !claim.conflicts && isDone && el("span", { class: "pill confirmed" }, icon("check"), "Reviewed"))
        : el("span", { class: "claim-counts", text: STATES[claim.state] ?? "In the pipeline" }),
      isReady && claim.reviewed > 0 && !isDone && el("progress", { max: Math.max(claim.fields, 1), value: claim.reviewed, "aria-label": `${claim.reviewed} of ${claim.fields} reviewed` })));
    }));
    if (!this.claims.length) this.list.append(el("li", { class: "muted empty", text: this.search.value || this.kind.value !== "all" ? "No claim of that kind." : "No claims yet." }));
  }
}
