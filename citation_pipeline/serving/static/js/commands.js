// Every key and what it does, in one table: the keyboard and its help read the same one.

import { isTyping } from "./dom.js";
import { getPreference, setPreference } from "./preferences.js";
import { showKeys } from "./dialogs.js";

export function makeCommands(viewer) {
  const { reader, pane } = viewer;
  const on = (group, keys, label, run, needs = () => true) => ({ group, keys, label, run, needs });
  const field = () => Boolean(viewer.selected);
  const reviewable = () => viewer.canReview && field();
  return [
    on("Fields", ["j", "ArrowDown"], "Next field", () => viewer.step(1)),
    on("Fields", ["k", "ArrowUp"], "Previous field", () => viewer.step(-1)),
    on("Fields", ["]"], "Next citation of the field", () => viewer.stepCitation(1), field),
    on("Fields", ["["], "Previous citation of the field", () => viewer.stepCitation(-1), field),
    on("Fields", ["n"], "Next place of the same text", () => viewer.cycle(1), field),
    on("Fields", ["p"], "Previous place of the same text", () => viewer.cycle(-1), field),
    on("Fields", ["/"], "Search fields", () => { pane.show("fields"); pane.search.focus(); }),
    on("Fields", ["Escape"], "Close the field", () => viewer.deselect()),
    on("Review", ["c"], "Confirm", () => viewer.decide("confirm"), reviewable),
    on("Review", ["e"], "Correct the value", () => viewer.startEditing("value"), reviewable),
    on("Review", ["r"], "Re-pin: select words, Enter", () => viewer.repin(), reviewable),
    on("Review", ["a"], "Mark absent", () => viewer.decide("absent"), reviewable),
    on("Review", ["m"], "Remark", () => viewer.startEditing("comment"), reviewable),
    on("Review", ["u"], "Reopen", () => viewer.decide("reopen"), reviewable),
    on("Review", ["z"], "Undo the last decision", () => viewer.undo(), () => viewer.canReview),
    on("Review", ["q"], "Review queue", () => { pane.show("queue"); viewer.step(1, { fromStart: true }); }),
    on("Pages", ["+", "="], "Larger", () => reader.zoomBy(1.2)),
    on("Pages", ["-"], "Smaller", () => reader.zoomBy(1 / 1.2)),
    on("Pages", ["w"], "Fit width", () => reader.setZoom("width")),
    on("Pages", ["f"], "Fit page", () => reader.setZoom("page")),
    on("Pages", ["o"], "Rotate", () => reader.setTurn(reader.turn + 90)),
    on("Pages", ["PageDown"], "Next page", () => reader.goTo(reader.page + 1)),
    on("Pages", ["PageUp"], "Previous page", () => reader.goTo(reader.page - 1)),
    on("Pages", ["s"], "Begin a document on this page, or no longer", () => viewer.moveBoundary(), () => viewer.canReview),
    on("Pages", ["t"], "Thumbnails", () => viewer.thumbnails.toggle()),
    on("Pages", ["v"], "A second document beside, or no longer", () => viewer.beside.toggle()),
    on("Pages", ["h"], "Show every citation", () => viewer.toggleMarks()),
    on("Window", ["g"], "All documents", () => viewer.tabs.pick()),
    on("Window", ["l"], "Copy a link to this place", () => viewer.copyLink()),
    on("Window", ["b"], "List of claims", () => viewer.claimsList.toggle()),
    on("Window", ["d"], "Light or dark", () => viewer.claimsList.switchTheme()),
    on("Window", ["?"], "This list", () => viewer.help()),
  ];
}

export function listen(viewer) {
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented) return;
    if ((event.ctrlKey || event.metaKey) && event.key === "f") {
      event.preventDefault(); // the browser's own search does not know pages that are not loaded
      viewer.find.open();
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target) || !viewer.claim) return;
    if (document.querySelector("dialog[open]") || viewer.team.isOpen) return; // the fields below are not seen
    if (viewer.productions.isActive && event.key === "Escape") {
      event.preventDefault();
      viewer.productions.stop();
      return;
    }
    if (viewer.pinning.isActive && viewer.pinning.key(event)) {
      event.preventDefault();
      return;
    }
    if (event.key.startsWith("Arrow") && event.target instanceof Element && event.target.classList.contains("scroller")) return; // it scrolls
    if (event.key.length === 1 && !getPreference("singleKeys", true) && event.key !== "?") return;
    const command = viewer.commands.find(({ keys, needs }) => keys.includes(event.key) && needs());
    if (!command) return;
    event.preventDefault();
    if (command.group === "Review" && (event.repeat || viewer.pinning.isActive || !isAtWork(event.target))) return;
    command.run();
  });
}

// Decisions are for who is at the pages or the fields: a letter typed over the list of claims is none. A key that is held
// down decides once, and none decides while words are chosen for a pin.
function isAtWork(target) { return target === document.body || Boolean(target.closest?.("#data, #reader, #toasts")); }

export function showHelp(viewer) {
  showKeys(viewer.commands, {
    areOn: getPreference("singleKeys", true),
    setOn: (areOn) => setPreference("singleKeys", areOn),
  });
}
