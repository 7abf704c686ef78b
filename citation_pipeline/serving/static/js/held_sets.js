// A set that the promotion gate holds back: every change with both sides, on the page, and the decision.

import { el, replace, toast } from "./dom.js";
import { icon } from "./icons.js";
import { plural, wordsOf } from "./messages.js";
import { short } from "./document_tabs.js";

const CHANGES = {
  changed: "Another value", moved: "Moved", gained: "Found now", lost: "Lost", downgraded: "Flagged now", upgraded: "No longer flagged",
  new: "New citation", gone: "No longer quoted", misplaced: "Boxes hold other words", same: "Same place",
};

export class HeldSet {
  held = null;

  constructor(viewer) { this.viewer = viewer; }

  async load() {
    const { claim, server } = this.viewer;
    if (!server.isLive) return;
    const { held } = await server.held(claim.claimId).catch(() => ({ held: null }));
    if (this.viewer.claim !== claim && this.viewer.claim.claimId !== claim.claimId) return;
    this.held = held;
    if (held) this.viewer.pane.render();
  }

  get count() { return this.held?.changes.length ?? 0; }

  banner() {
    return this.held && el("div", { class: "partial held-banner", role: "status" },
      el("p", {}, icon("alert"), el("strong", { text: "A newer result is held back" }), ` ${this.held.reasons.join("; ")}. What you see is the earlier one.`),
      el("button", { class: "button", text: "Compare", on: { click: () => this.viewer.pane.show("held") } }));
  }

  render(list) {
    if (!this.held) {
      replace(list, el("p", { class: "muted empty", text: "Nothing is held back." }));
      return;
    }
    replace(list, el("p", { class: "held-why" }, `Held because ${this.held.reasons.join("; ")}.`),
      this.held.changes.map((change) => this.#card(change)), this.viewer.session.canLead && this.#decision());
  }

  #card(change) {
    const isPlace = change.kind === "place";
    const both = isPlace && change.before?.page && change.after?.page && change.before.sourceId === change.after.sourceId && change.before.page === change.after.page;
    return el("article", { class: "held-change", "aria-label": `${change.label || change.fieldKey}: ${CHANGES[change.change] ?? change.change}` },
      el("header", {}, el("strong", { text: change.label || change.fieldKey }), el("span", { class: `pill ${["lost", "changed", "misplaced"].includes(change.change) ? "bad" : "warn"}`, text: CHANGES[change.change] ?? wordsOf(change.change) }),
        change.isMisplaced && change.change !== "misplaced" && el("span", { class: "pill bad", text: CHANGES.misplaced }),
        change.isVerified && el("span", { class: "pill confirmed" }, icon("check"), "Signed by a person")),
      el("div", { class: "held-sides" }, this.#side("Shown now", "before", change), this.#side("New result", "after", change)),
      both && el("button", { class: "button", text: "Both on the page", on: { click: () => this.#show(change, ["before", "after"]) } }));
  }

  #side(heading, side, change) {
    const found = change[side];
    const source = found?.sourceId && this.viewer.sources.get(found.sourceId);
    return el("section", { class: `held-side ${side}` }, el("h3", { text: heading }),
      change.kind === "value" ? el("bdi", { class: "held-value", text: found.value || "nothing" })
        : !found ? el("p", { class: "muted", text: "Not quoted." })
          : [el("blockquote", { class: "quote" }, el("bdi", { text: short(found.snippet || "—", 400) })),
            el("p", { class: "muted" }, el("bdi", { text: short(source?.name ?? "Unknown document", 40) }), found.page ? `, page ${found.page}` : ", not found"),
            found.page > 0 && el("button", { class: "button", text: "On the page", "aria-label": `${heading}: ${change.label} on the page`, on: { click: () => this.#show(change, [side]) } })]);
  }

  #show(change, sides) {
    const { viewer } = this;
    const found = change[sides.at(-1)];
    const regions = Object.fromEntries(sides.map((side) => [side, change[side].regions.snippet]));
    viewer.openSource(found.sourceId, { page: found.page, box: found.regions.snippet[0]?.boxes[0] ?? null, keepsUrl: true });
    viewer.reader.light({ page: found.page, regions });
  }

  #decision() {
    const why = el("input", { class: "input", type: "text", maxlength: "2000", placeholder: "Why?", "aria-label": "Why you accept or refuse the new result" });
    why.addEventListener("keydown", (event) => event.stopPropagation());
    const problem = el("p", { class: "problem", role: "alert", hidden: true });
    const buttons = [["accept", "Accept the new result", " primary"], ["refuse", "Keep what is shown", ""]].map(([decision, text, kind]) =>
      el("button", { class: `button${kind}`, text, on: { click: async () => {
        problem.hidden = Boolean(why.value.trim());
        if (!problem.hidden) {
          problem.textContent = "Say why in a few words.";
          why.focus();
          return;
        }
        buttons.forEach((button) => { button.disabled = true; });
        try {
          await this.viewer.server.decideHeld(this.viewer.claim.claimId, { version: this.held.version, decision, why: why.value });
          toast(decision === "accept" ? "The new result is shown from now on." : "What is shown stays.");
          await this.viewer.openClaim(this.viewer.claim.claimId, { keepsUrl: true });
          this.viewer.claimsList.note(this.viewer.claim.claimId, { isHeld: false });
        } catch (error) {
          problem.textContent = [error.message, error.remedy].filter(Boolean).join(" ");
          problem.hidden = false;
          if (error.status === 409) await this.load();
        }
        buttons.forEach((button) => { button.disabled = false; });
      } } }));
    return el("footer", { class: "held-decision", role: "group", "aria-label": "Decide on the new result" }, why, problem,
      el("div", { class: "editor-buttons" }, buttons, el("span", { class: "muted", text: plural(this.count, "change") })));
  }
}
