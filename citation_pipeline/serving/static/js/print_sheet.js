// What is printed: the open field with its places, or the whole claim as a table.

import { el, replace } from "./dom.js";
import { whenOf, wordsOf } from "./messages.js";
import { citationsOf } from "./places.js";
import { readable } from "./values.js";

export function watchPrinting(viewer) {
  const sheet = el("section", { class: "print-sheet", "aria-hidden": "true" });
  document.body.append(sheet);
  addEventListener("beforeprint", () => {
    if (!viewer.claim) return;
    const field = viewer.selected && viewer.field(viewer.selected.fieldKey);
    document.body.classList.toggle("prints-field", Boolean(field));
    const fields = field ? [field] : viewer.claim.fields;
    replace(sheet,
      el("h1", { text: `${viewer.claim.claimId}${field ? `: ${field.label}` : ""}` }),
      el("p", { text: `Printed ${whenOf(new Date().toISOString())}${viewer.session.name ? ` by ${viewer.session.name}` : ""}. Values without a reviewer are the software's.${viewer.claim.status === "partial" ? " Not all documents of this claim were read." : ""}` }),
      el("table", {}, el("thead", {}, el("tr", {}, ["Field", "Value", "Where", "Quoted text", "Review"].map((text) => el("th", { text })))),
        el("tbody", {}, fields.map((one) => row(one, viewer)))));
  });
}

function row(field, viewer) {
  const citations = citationsOf(field);
  const { state, reviewer, madeAt } = field.review;
  const lines = (texts) => texts.map((text) => el("div", {}, el("bdi", { text })));
  return el("tr", {},
    el("td", { text: field.label }), el("td", {}, el("bdi", { text: field.markedAbsent ? "Not in the documents" : readable(field).text || "none" })),
    el("td", {}, lines(citations.map((citation) => whereOf(citation, field, viewer)))),
    el("td", {}, lines(citations.map(({ snippet }) => snippet || "—"))),
    el("td", { text: state === "unreviewed" ? "Nobody" : `${wordsOf(state)}${reviewer ? `, ${reviewer}, ${whenOf(madeAt)}` : ""}` }));
}

// On paper there is no card to open: what nobody signed for says so beside what somebody did.
function whereOf({ sourceId, page, status, pinned }, field, viewer) {
  const notes = [status === "flagged" && !pinned && "found, look at it", page && !pinned && ["confirmed", "corrected"].includes(field.review.state) && "place not reviewed"].filter(Boolean);
  return `${viewer.sources.get(sourceId)?.name ?? sourceId}, ${page ? `page ${page}` : "not found"}${notes.length ? ` (${notes.join("; ")})` : ""}`;
}
