// In whose hands the open claim is: a lease that a reviewer took, and whose work a lead made it.

import { announce, el, replace, toast } from "./dom.js";
import { icon } from "./icons.js";
import { samePerson } from "./people.js";

const TIME = new Intl.DateTimeFormat(undefined, { timeStyle: "short" });

export function untilOf(lease) { return TIME.format(new Date(lease.expiresAt * 1000)); }

export class Hands {
  state = null; // {lease, assignment, log}

  constructor(viewer) {
    this.viewer = viewer;
    this.line = el("div", { class: "hands", hidden: true });
  }

  // Whether decisions of this person would be refused.
  get isTaken() { return Boolean(this.state?.lease && !this.state.lease.isMine); }

  async load() {
    const { claim, server, session } = this.viewer;
    if (!server.isLive || !session.hasTeam) return;
    const state = await server.hands(claim.claimId).catch(() => null);
    if (this.viewer.claim?.claimId === claim.claimId) this.#show(state);
  }

  // Somebody took the claim, gave it back, or was given it.
  async note() {
    const before = this.state?.lease;
    await this.load();
    const now = this.state?.lease; // who is told of may have been one's own taking, told late
    if (before?.isMine && now && !now.isMine) toast(`${now.holder} has taken this claim over.`, { kind: "error" });
  }

  async take({ takeOver = false } = {}) {
    const { claim, server } = this.viewer;
    try {
      this.#show(await server.take(claim.claimId, { takeOver }));
      announce("The claim is in your hands.");
    } catch (error) {
      toast([error.message, error.remedy].filter(Boolean).join(" "), { kind: "error" });
      await this.load();
    }
  }

  async giveBack() {
    const { claim, server } = this.viewer;
    await server.giveBack(claim.claimId).catch((error) => toast(error.message, { kind: "error" }));
    await this.load();
  }

  clear() { this.#show(null); }

  #show(state) {
    this.state = state;
    const { lease, assignment } = state ?? {};
    const { canReview, session } = { canReview: this.viewer.canReview, session: this.viewer.session };
    const isOthers = assignment && !samePerson(assignment.person, session.name);
    this.line.hidden = !state || (!lease && !assignment && !canReview);
    this.line.classList.toggle("is-taken", this.isTaken);
    const text = lease ? (lease.isMine ? `Yours until ${untilOf(lease)}` : `${lease.holder} is reviewing until ${untilOf(lease)}`)
      : assignment ? (isOthers ? `Assigned to ${assignment.person}` : "Assigned to you") : "";
    replace(this.line, text && [icon("person"), el("bdi", { text })],
      canReview && (lease?.isMine ? el("button", { class: "link", text: "Give back", on: { click: () => this.giveBack() } })
        : lease ? el("button", { class: "link", text: "Take over", on: { click: () => this.take({ takeOver: true }) } })
          : el("button", { class: "link", text: "Take this claim", on: { click: () => this.take() } })));
  }
}
