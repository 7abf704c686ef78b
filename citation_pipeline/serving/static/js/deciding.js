// Decisions, one after another: what was on the screen when the key was pressed, what comes back, what can be undone.

import { announce, toast } from "./dom.js";
import { samePerson } from "./people.js";
import { keepingPlace, reloadClaim } from "./redrawing.js";
import { DWELL_MS, NEXT_MS } from "./seen_places.js";

const SAID = {
  confirm: "Confirmed", correct: "Corrected", repin: "Pinned", absent: "Marked absent", comment: "Remark added", reopen: "Reopened", undo: "Taken back",
};
const VERDICTS = ["confirm", "absent", "reopen"]; // one key, and it is done
const MOST_UNDONE = 20;
const TOUCHED_MS = 1500; // who was about to decide sees first what has changed under the key
const RETRY_MS = [500, 2000];

export class Deciding {
  changed = new Map(); // fieldKey -> {value}: what it said before it changed under the reviewer
  #touched = new Map(); // fieldKey -> when somebody else changed it
  #done = []; // fields decided on here, the last one last
  #waiting = new Map(); // fieldKey -> decisions that are not answered yet

  constructor(viewer) { this.viewer = viewer; }

  clear() {
    this.changed.clear();
    this.#touched.clear();
    this.#done = [];
  }

  // Decisions are sent one after another, each as of the moment of its key.
  async decide(action, given = {}) {
    const { viewer } = this;
    const fieldKey = given.fieldKey ?? viewer.selected?.fieldKey;
    if (!viewer.canReview || !viewer.field(fieldKey)) return false;
    const isVerdict = VERDICTS.includes(action);
    if (isVerdict && this.#waiting.get(fieldKey)) {
      toast("The decision before is still being saved.");
      return false;
    }
    if (isVerdict && !(await this.#isSeen(action, fieldKey, given))) return false;
    const field = viewer.field(fieldKey);
    const press = {
      action, fieldKey, given, claimId: viewer.claim.claimId, before: this.#waiting.get(fieldKey) ? null : asSeen(field),
      citations: { seenCitations: viewer.seen.citations(field), seenPipelinePlaces: viewer.seen.pipelinePlaces(field) },
      queue: viewer.pane.view === "queue" ? viewer.pane.keys() : null, value: field.markedAbsent ? "absent" : field.value,
    };
    this.#waiting.set(fieldKey, (this.#waiting.get(fieldKey) ?? 0) + 1);
    const decided = (this.queue ?? Promise.resolve()).then(() => this.#send(press)).finally(() => {
      const left = this.#waiting.get(fieldKey) - 1;
      if (left) this.#waiting.set(fieldKey, left);
      else this.#waiting.delete(fieldKey);
    });
    this.queue = decided.catch(() => {});
    return decided;
  }

  // What others changed: the open field says so, and takes no decision for a moment.
  noteChanges(fields, before) {
    const { selected, session } = this.viewer;
    for (const field of fields) {
      const was = before.get(field.fieldKey);
      if (!was || field.fieldKey !== selected?.fieldKey || was.seenDigest === field.seenDigest) continue;
      const isOwn = samePerson(field.review.undoableBy, session.name) && field.review.lastId !== was.review.lastId;
      if (isOwn) continue;
      this.#touched.set(field.fieldKey, performance.now());
      if (!this.changed.has(field.fieldKey)) this.changed.set(field.fieldKey, { value: was.markedAbsent ? "absent" : was.value });
    }
  }

  // The field of the last decision that can be taken back here, null where there is none.
  get last() { return this.#done.at(-1) ?? null; }

  async undo() {
    const { viewer } = this;
    const fieldKey = this.#done.pop();
    if (!fieldKey) {
      toast("Nothing to take back.");
      return;
    }
    if (!viewer.field(fieldKey)) return;
    await this.decide("undo", { fieldKey });
    if (viewer.field(fieldKey)) viewer.select(fieldKey);
  }

  // --- whether it was on the screen -----------------------------------------------------------------

  // A key that comes as the place appears waits until it has been in view for long enough; any other refusal is said.
  async #isSeen(action, fieldKey, given) {
    const { viewer } = this;
    const { selected, seen } = viewer;
    const refuse = (why) => {
      toast(why, { kind: "error" });
      return false;
    };
    if (this.isTouched(fieldKey)) return refuse("This field changed a moment ago: look at it, then decide.");
    if (selected?.fieldKey !== fieldKey) return refuse("Open the field first, then decide.");
    if (performance.now() - (selected.cameByItselfAt ?? -Infinity) < NEXT_MS) return refuse("This is the next field: look at it, then decide.");
    if (!seen.isInView(fieldKey)) {
      viewer.pane.reveal(fieldKey);
      return refuse("The field was out of view: look at it, then decide.");
    }
    if (action !== "confirm" || given.acceptPipeline) return true;
    if (selected.place > 0) return refuse("This is another place of the same text: go back to the chosen one (p), or pin this one (r).");
    const { seenDigest } = viewer.field(fieldKey);
    for (const began = performance.now(); ;) {
      seen.look();
      const missing = seen.missing(viewer.field(fieldKey));
      if (!missing) return true;
      if (!missing.isDue || performance.now() - began > 3 * DWELL_MS) {
        this.#show(missing);
        return refuse(missing.say);
      }
      await new Promise((done) => setTimeout(done, 30));
      if (viewer.selected !== selected || viewer.field(fieldKey)?.seenDigest !== seenDigest || this.isTouched(fieldKey)) {
        return refuse("Not confirmed: it was on the screen for a moment only.");
      }
    }
  }

  // Whether somebody else has changed it a moment ago.
  isTouched(fieldKey) { return performance.now() - (this.#touched.get(fieldKey) ?? -Infinity) < TOUCHED_MS; }

  #show({ of, next }) {
    const { selected, pane } = this.viewer;
    if (of === "place") this.viewer.select(selected.fieldKey, selected.citation, { keepsUrl: true });
    else if (next?.startsWith("cell")) pane.card(selected.fieldKey)?.querySelector(`[data-cell="${next}"]`)?.scrollIntoView({ block: "center", inline: "center" });
    else pane.reveal(selected.fieldKey);
  }

  // --- sending --------------------------------------------------------------------------------------

  async #send({ action, fieldKey, given, claimId, before, citations, queue, value }) {
    const { viewer } = this;
    const isOpen = () => viewer.claim?.claimId === claimId;
    const { fieldKey: _, ...rest } = given;
    // what was decided on this field just before was one's own: what follows it goes by its answer
    const seen = before ?? (isOpen() && viewer.field(fieldKey) ? asSeen(viewer.field(fieldKey)) : null);
    if (!seen) return false;
    try {
      const { field: after } = await this.#ask(claimId, { fieldKey, action, ...seen, ...citations, requestId: makeRequestId(), ...rest });
      if (!isOpen()) {
        toast(`${SAID[action]}: ${after.label}, ${claimId}`);
        return true;
      }
      this.changed.delete(fieldKey);
      if (action !== "comment" && action !== "undo") this.#done = [...this.#done, fieldKey].slice(-MOST_UNDONE);
      viewer.replaceField(after);
      this.#tell(action, after);
      this.#moveOn(action, fieldKey, queue);
      return true;
    } catch (error) {
      if (error.code === "in_other_hands") await viewer.hands.load();
      else if (error.status === 409 && isOpen()) {
        this.changed.set(fieldKey, { value });
        await reloadClaim(viewer, { reveal: fieldKey });
        if (viewer.selected) viewer.selected.cameByItselfAt = performance.now(); // nobody has read it yet
      }
      const isTyped = action === "correct" || action === "comment";
      if (isTyped && error.status === 422) throw error; // the editor shows it where it was typed
      toast([error.message, error.remedy].filter(Boolean).join(" "), { kind: "error" });
    }
    return false;
  }

  // An answer that was lost on the way is asked for again under the same id: the server keeps a decision once.
  async #ask(claimId, decision) {
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await this.viewer.server.decide(claimId, decision);
      } catch (error) {
        if (error.status !== 0 || attempt >= RETRY_MS.length) throw error;
        announce("The server does not answer: trying again.");
        await new Promise((done) => setTimeout(done, RETRY_MS[attempt]));
      }
    }
  }

  #tell(action, field) {
    const canUndo = action !== "comment" && action !== "undo";
    const isFirst = field.review.state === "awaiting_second" && ["confirm", "correct", "absent"].includes(action);
    toast(isFirst ? `${SAID[action]}: ${field.label}. A second reviewer has to confirm.` : `${SAID[action]}: ${field.label}`, canUndo ? { label: "Undo", action: () => this.undo() } : {});
  }

  #moveOn(action, fieldKey, queue) {
    const { viewer } = this;
    const { pane } = viewer;
    const isStillOpen = viewer.selected?.fieldKey === fieldKey; // else the person has gone on already
    if (isStillOpen) viewer.selected.editing = null;
    if (isStillOpen && action === "repin") viewer.selected.place = 0;
    keepingPlace(viewer, () => pane.render());
    if (!isStillOpen) return;
    const isDone = ["confirm", "correct", "absent"].includes(action);
    if (queue && isDone) {
      const left = new Set(pane.keys());
      const next = queue.slice(queue.indexOf(fieldKey) + 1).concat(queue).find((key) => left.has(key));
      if (next) viewer.select(next, 0, { comesByItself: true });
      else viewer.deselect();
    } else if (["repin", "undo", "reopen"].includes(action)) {
      viewer.select(fieldKey, viewer.selected.citation);
    }
    if (!pane.list.contains(document.activeElement) && document.activeElement !== document.body) return; // they are elsewhere
    pane.card(viewer.selected?.fieldKey ?? "")?.querySelector(".card-head").focus({ preventScroll: true });
  }
}

function asSeen(field) { return { seenId: field.review.lastId, seenDigest: field.seenDigest }; }

// randomUUID exists on secure origins only; getRandomValues everywhere
export function makeRequestId() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
