// Decisions, one after another: what is sent, what comes back, what can be taken back.

import { toast } from "./dom.js";
import { samePerson } from "./people.js";

const SAID = {
  confirm: "Confirmed", correct: "Corrected", repin: "Pinned", absent: "Marked absent", comment: "Remark added", reopen: "Reopened", undo: "Taken back",
};
const MOST_UNDONE = 20;
const TOUCHED_MS = 1500; // who was about to decide sees first what has changed under the key

export class Deciding {
  changed = new Map(); // fieldKey -> {value, by}: what it said before it changed under the reviewer
  #touched = new Map(); // fieldKey -> when somebody else changed it
  #done = []; // fields decided on here, the last one last

  constructor(viewer) { this.viewer = viewer; }

  clear() {
    this.changed.clear();
    this.#touched.clear();
    this.#done = [];
  }

  // One after another: who presses "c" twice in the queue confirms two fields.
  decide(action, given = {}) {
    const before = this.queue ?? Promise.resolve();
    const decided = before.then(() => this.#decide(action, given));
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

  async #decide(action, { fieldKey = this.viewer.selected?.fieldKey, ...given }) {
    const { viewer } = this;
    const field = viewer.field(fieldKey);
    if (!field || !viewer.canReview) return false;
    const isTyped = action === "correct" || action === "comment";
    const queue = viewer.pane.view === "queue" ? viewer.pane.keys() : null;
    const seenCitations = viewer.seen.of(field);
    if (performance.now() - (this.#touched.get(fieldKey) ?? -Infinity) < TOUCHED_MS) {
      toast("This field changed a moment ago: look at it, then decide.");
      return false;
    }
    if (action === "confirm" && field.citations.length && !seenCitations.length) {
      toast("The page is still loading: confirm when its place is shown.");
      return false;
    }
    try {
      const { field: after } = await viewer.server.decide(viewer.claim.claimId, {
        fieldKey, action, seenId: field.review.lastId, seenDigest: field.seenDigest, seenCitations, requestId: makeRequestId(), ...given,
      });
      this.changed.delete(fieldKey);
      if (action !== "comment" && action !== "undo") this.#done = [...this.#done, fieldKey].slice(-MOST_UNDONE);
      viewer.replaceField(after);
      this.#tell(action, after);
      this.#moveOn(action, fieldKey, queue);
      return true;
    } catch (error) {
      if (error.code === "in_other_hands") await viewer.hands.load();
      else if (error.status === 409) {
        this.changed.set(fieldKey, { value: field.markedAbsent ? "absent" : field.value });
        await viewer.reload({ reveal: fieldKey });
        this.#touched.delete(fieldKey); // the answer itself has just said so
      }
      if (isTyped && error.status === 422) throw error; // the editor shows it where it was typed
      toast([error.message, error.remedy].filter(Boolean).join(" "), { kind: "error" });
    }
    return false;
  }

  #tell(action, field) {
    const canUndo = action !== "comment" && action !== "undo";
    const isFirst = field.review.state === "awaiting_second" && ["confirm", "correct", "absent"].includes(action);
    toast(isFirst ? `${SAID[action]}: ${field.label}. A second reviewer has to confirm.` : `${SAID[action]}: ${field.label}`, canUndo ? { label: "Undo", action: () => this.undo() } : {});
  }

  #moveOn(action, fieldKey, queue) {
    const { viewer } = this;
    const { pane } = viewer;
    const isDone = ["confirm", "correct", "absent"].includes(action);
    const top = pane.list.scrollTop;
    if (queue && isDone) {
      pane.render();
      const left = new Set(pane.keys());
      const rest = queue.slice(queue.indexOf(fieldKey) + 1).concat(queue).find((key) => left.has(key));
      if (rest) viewer.select(rest);
      else viewer.deselect();
    } else {
      if (viewer.selected?.fieldKey === fieldKey) {
        viewer.selected = { ...viewer.selected, editing: null, place: action === "repin" ? 0 : viewer.selected.place };
      }
      pane.render();
      pane.list.scrollTop = top;
      if (["repin", "undo", "reopen"].includes(action) && viewer.selected?.fieldKey === fieldKey) viewer.select(fieldKey, viewer.selected.citation);
    }
    pane.card(viewer.selected?.fieldKey ?? "")?.querySelector(".card-head").focus({ preventScroll: true });
  }
}

// randomUUID exists on secure origins only; getRandomValues everywhere
export function makeRequestId() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
