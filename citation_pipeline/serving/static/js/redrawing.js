// Drawing the data anew under somebody's hands: what is typed, where the caret is and what is in view stay.

import { toast } from "./dom.js";

const INPUTS = ".editor input, .editor textarea, .editor select";

// Run what draws cards anew, and put focus, caret and scroll position back.
export function keepingPlace(viewer, draw) {
  const { pane } = viewer;
  const active = document.activeElement;
  const card = active?.closest?.(".card");
  const inputAt = card && active.closest(".editor") ? [...card.querySelectorAll(INPUTS)].indexOf(active) : -1;
  const { selectionStart, selectionEnd } = inputAt >= 0 ? active : {};
  const top = pane.list.scrollTop;
  draw();
  pane.list.scrollTop = top;
  const now = card && pane.card(card.dataset.key);
  const input = inputAt >= 0 ? now?.querySelectorAll(INPUTS)[inputAt] : null; // what was typed is a draft by now
  if (input) {
    input.focus({ preventScroll: true });
    if (typeof selectionStart === "number") input.setSelectionRange(selectionStart, selectionEnd);
  } else {
    now?.querySelector(".card-head").focus({ preventScroll: true });
  }
}

// Of a list of what waits: when the open field waits no more (somebody else decided, or the pipeline agrees again),
// the next one comes; else showing it would take the reviewer out of the list, to a key that only repeats itself.
function leaveSettled(viewer) {
  const { pane, selected } = viewer;
  const isList = pane.view === "queue" || pane.view === "conflicts";
  if (!isList || !selected || selected.editing || pane.listed().some((field) => field.fieldKey === selected.fieldKey)) return false;
  const keys = pane.keys();
  const label = viewer.field(selected.fieldKey)?.label;
  keepingPlace(viewer, () => pane.render());
  const left = new Set(pane.keys());
  const next = keys.slice(keys.indexOf(selected.fieldKey) + 1).concat(keys).find((key) => left.has(key));
  if (next) viewer.select(next, 0, { comesByItself: true });
  else viewer.deselect();
  toast(`${label} waits no more: it changed meanwhile.`);
  return true;
}

// The claim as the server has it now; gives the fields that changed.
export async function reloadClaim(viewer, { reveal = null } = {}) {
  const { claimId } = viewer.claim;
  const claim = await viewer.server.claim(claimId);
  if (viewer.claim.claimId !== claimId) return [];
  const before = viewer.byKey;
  viewer.take(claim);
  const changed = [...viewer.byKey.values()].filter((field) => before.get(field.fieldKey)?.seenDigest !== field.seenDigest
    || before.get(field.fieldKey)?.review.lastId !== field.review.lastId);
  viewer.noteSources();
  if (!changed.length && !reveal) return [];
  viewer.deciding.noteChanges(changed, before);
  viewer.cite();
  viewer.noteCounts();
  if (viewer.selected && !viewer.field(viewer.selected.fieldKey)) viewer.deselect();
  if (leaveSettled(viewer)) return changed;
  const { selected } = viewer;
  const isTouched = selected && (reveal || changed.some((field) => field.fieldKey === selected.fieldKey));
  const wasInView = selected && viewer.seen.isInView(selected.fieldKey);
  keepingPlace(viewer, () => {
    viewer.pane.render();
    if (isTouched) viewer.select(selected.fieldKey, selected.citation, { keepsUrl: true, editing: selected.editing });
  });
  // the queue is in another order perhaps: the open field stays in view
  if (isTouched || wasInView) viewer.pane.reveal(viewer.selected?.fieldKey ?? "");
  if (reveal) viewer.pane.reveal(reveal);
  return changed;
}
