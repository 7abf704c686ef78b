// The team's page over the whole window: the queue of claims, the figures, and who may sign in.

import { el, replace, toast } from "./dom.js";
import { icon } from "./icons.js";
import { plural } from "./messages.js";
import { figuresView } from "./team_figures.js";
import { peopleView } from "./team_people.js";
import { untilOf } from "./hands.js";

const QUEUES = {
  open: "To review", mine: "Mine", second: "Second reviewer", conflict: "Conflicts", low: "Low confidence", held: "Held", oldest: "Oldest first",
};
const DAY = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });

export class TeamPage {
  show = "open";

  constructor(viewer) {
    this.viewer = viewer;
    this.body = el("div", { class: "team-body" });
    this.tabs = el("div", { class: "views", role: "tablist", "aria-label": "The team" });
    this.page = el("section", { class: "team", hidden: true, "aria-label": "The team" },
      el("header", { class: "team-head" }, el("h1", { text: "The team" }), this.tabs,
        el("button", { class: "icon-button", "aria-label": "Back to the claim", title: "Back to the claim (Esc)", on: { click: () => this.close() } }, icon("close"))), this.body);
    this.page.addEventListener("keydown", (event) => {
      event.stopPropagation(); // the keys of the fields below it mean nothing here
      if (event.key === "Escape") this.close();
    });
    document.getElementById("app").after(this.page);
    this.opener = el("button", { class: "quiet-button", title: "Queue and figures", on: { click: () => this.open("queue") } }, icon("documents"), "Queue");
  }

  get isOpen() { return !this.page.hidden; }

  get views() {
    const { canReview, canLead } = this.viewer.session;
    return [["queue", "Queue"], ...(canReview ? [["figures", "Figures"]] : []), ...(canLead ? [["people", "People"]] : [])];
  }

  async open(view, { keepsUrl = false } = {}) {
    this.view = this.views.some(([id]) => id === view) ? view : "queue";
    this.page.hidden = false;
    document.getElementById("app").inert = true;
    document.title = `${this.view === "queue" ? "Queue" : this.view === "figures" ? "Figures" : "People"} · Claims`;
    if (!keepsUrl) history.pushState(null, "", `/${this.view}`);
    replace(this.tabs, this.views.map(([id, label]) => el("button", {
      class: "view", role: "tab", "aria-selected": id === this.view, tabindex: id === this.view ? "0" : "-1", text: label,
      on: {
        click: () => this.open(id),
        keydown: (event) => {
          const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
          const at = this.views.findIndex(([known]) => known === id);
          if (step) this.open(this.views[(at + step + this.views.length) % this.views.length][0]);
        },
      },
    })));
    this.tabs.querySelector("[aria-selected=true]").focus();
    await this.load();
  }

  close({ keepsUrl = false } = {}) {
    if (!this.isOpen) return;
    this.page.hidden = true;
    document.getElementById("app").inert = false;
    const { claim } = this.viewer;
    if (claim && !keepsUrl) history.pushState(null, "", `/claims/${encodeURIComponent(claim.claimId)}`);
    if (claim) document.title = `${claim.claimId} · Claims`;
  }

  async load() {
    const asked = (this.asked = Symbol("load"));
    try {
      const made = this.view === "figures" ? await figuresView(this) : this.view === "people" ? await peopleView(this) : await this.#queue();
      if (asked === this.asked) replace(this.body, made);
    } catch (error) {
      if (asked === this.asked) replace(this.body, el("p", { class: "empty", role: "alert", text: [error.message, error.remedy].filter(Boolean).join(" ") }));
    }
  }

  // --- the queue ------------------------------------------------------------------------------------

  async #queue() {
    const { server, session } = this.viewer;
    const [{ claims, counts, total }, people] = await Promise.all([
      server.queue({ show: this.show }), session.canLead ? server.people().then((found) => found.people) : [],
    ]);
    const names = [...new Set(people.filter(({ role }) => role !== "viewer").map(({ name }) => name))];
    return [
      el("div", { class: "team-tools" },
        el("div", { class: "filters", role: "group", "aria-label": "Which claims" }, Object.entries(QUEUES).map(([id, label]) => el("button", {
          class: "chip", "aria-pressed": id === this.show, on: { click: () => { this.show = id; this.load(); } },
        }, `${label} `, el("span", { class: "count", text: counts[id] })))),
        session.canReview && el("button", { class: "button primary", disabled: !total, on: { click: () => this.viewer.nextClaim({ show: this.show }) } }, icon("next"), "Take the next claim")),
      claims.length ? this.#table(claims, names) : el("div", { class: "empty all-done" }, icon("check"), el("p", { text: EMPTY[this.show] ?? "Nothing waits here." })),
      total > claims.length && el("p", { class: "muted", text: `The first ${claims.length} of ${total}. They are worked off from the top.` }),
    ];
  }

  #table(claims, names) {
    const hasTeam = this.viewer.session.hasTeam;
    const heads = ["Claim", "Waiting", "Documents came", ...(hasTeam ? ["Assigned to", "In the hands of"] : []), ""];
    return el("table", { class: "team-table" },
      el("thead", {}, el("tr", {}, heads.map((text) => el("th", { scope: "col" }, text || el("span", { class: "visually-hidden", text: "Actions" }))))),
      el("tbody", {}, claims.map((claim) => el("tr", {},
        el("th", { scope: "row" }, el("a", {
          href: `/claims/${encodeURIComponent(claim.claimId)}`, text: claim.claimId,
          on: { click: (event) => { if (!event.metaKey && !event.ctrlKey) { event.preventDefault(); this.viewer.openClaim(claim.claimId); } } },
        })),
        el("td", { data: { head: "Waiting" } }, waiting(claim)),
        el("td", { data: { head: "Documents came" }, text: claim.arrivedAt ? DAY.format(new Date(claim.arrivedAt * 1000)) : "—" }),
        hasTeam && el("td", { data: { head: "Assigned to" } }, this.viewer.session.canLead ? this.#assigning(claim, names) : el("bdi", { text: claim.assignment?.person ?? "—" })),
        hasTeam && el("td", { data: { head: "In the hands of" } }, claim.lease ? el("bdi", { text: `${claim.lease.isMine ? "You" : claim.lease.holder} until ${untilOf(claim.lease)}` }) : "—"),
        el("td", { class: "team-actions" }, this.viewer.canReview && el("button", {
          class: "button", "aria-label": `${claim.lease && !claim.lease.isMine ? "Take over" : "Review"} ${claim.claimId}`,
          text: claim.lease && !claim.lease.isMine ? "Take over" : "Review", on: { click: () => this.#take(claim) },
        }))))));
  }

  #assigning(claim, names) {
    const known = [...new Set([...names, claim.assignment?.person].filter(Boolean))].sort();
    return el("select", {
      class: "input", "aria-label": `Who ${claim.claimId} is assigned to`,
      on: { change: async (event) => {
        try {
          await this.viewer.server.assign(claim.claimId, event.target.value);
          toast(event.target.value ? `${claim.claimId} is assigned to ${event.target.value}.` : `${claim.claimId} is nobody's now.`);
        } catch (error) {
          toast(error.message, { kind: "error" });
        }
        this.load();
      } },
    }, el("option", { value: "", text: "Nobody" }), known.map((name) => el("option", { value: name, text: name, selected: name === claim.assignment?.person })));
  }

  async #take(claim) {
    const { server, session } = this.viewer;
    try {
      if (session.hasTeam) await server.take(claim.claimId, { takeOver: Boolean(claim.lease && !claim.lease.isMine) });
      await this.viewer.startReviewing(claim.claimId);
    } catch (error) {
      toast([error.message, error.remedy].filter(Boolean).join(" "), { kind: "error" });
      this.load();
    }
  }
}

const EMPTY = {
  open: "No claim waits for you.", mine: "No claim is yours.", second: "No value waits for you as the second reviewer.",
  conflict: "No claim has a conflict.", low: "No open value is of low confidence.", held: "No result is held back.", oldest: "No claim waits for you.",
};

function waiting(claim) {
  return el("span", { class: "claim-counts" },
    claim.open > 0 ? el("span", { text: plural(claim.open, "field") }) : el("span", { text: "nothing for you" }),
    " ", claim.conflicts > 0 && el("span", { class: "pill bad", text: plural(claim.conflicts, "conflict") }),
    " ", claim.lowConfidence > 0 && el("span", { class: "pill warn", text: `${claim.lowConfidence} low` }),
    " ", claim.forSecond > 0 && el("span", { class: "pill awaiting_second", text: `${claim.forSecond} for a second reviewer` }),
    " ", claim.isHeld && el("span", { class: "pill warn", text: "Held" }));
}
