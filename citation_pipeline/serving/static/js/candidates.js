// What was read for a field and is not believed: shown as such, taken by a person only.

import { el, toast } from "./dom.js";
import { plural, wordsOf } from "./messages.js";
import { short } from "./document_tabs.js";

// What speaks against the shown value, or stands in its place: read before anything is signed.
export function rivals(field, viewer) {
  return candidatesOf(field).filter((candidate) => !isSettled(field, candidate)).map((candidate) => candidateBox(candidate, viewer));
}

// What a later document settled: at hand, behind one line, after what there is to decide.
export function settledCandidates(field, viewer) {
  const settled = candidatesOf(field).filter((candidate) => isSettled(field, candidate));
  return settled.length > 0 && el("details", { class: "searched settled" },
    el("summary", { text: plural(settled.length, "earlier reading") }),
    settled.map((candidate) => candidateBox(candidate, viewer)));
}

function candidatesOf(field) { return field.candidates ?? []; }

function isSettled(field, candidate) { return Boolean(field.value) && candidate.reason === "superseded"; }

function candidateBox(candidate, viewer) {
  const [place] = [...candidate.citations, ...candidate.unresolvedCitations];
  const source = place && viewer.sources.get(place.sourceId);
  return el("div", { class: "conflict candidate" },
    el("p", {}, el("span", { class: "muted", text: "Not believed:" }), el("bdi", { text: candidate.value })),
    el("p", { class: "muted", text: wordsOf(candidate.reason) }),
    place && el("blockquote", { class: "quote" }, el("bdi", { text: place.snippet || "—" })),
    source && el("p", { class: "muted" }, el("span", {}, el("bdi", { text: short(source.name, 60) }), place.page ? `, page ${place.page}` : "")),
    el("div", { class: "editor-buttons" },
      place?.page && el("button", { class: "button", text: "Show the place", on: { click: () => viewer.showPlaceOf(place) } }),
      viewer.canReview && el("button", { class: "button", text: "Take this value", on: { click: () => takeCandidate(candidate, viewer) } })));
}

// What a person types and what the pipeline read take the same way: as text, read as the field's type.
async function takeCandidate({ rawValue }, viewer) {
  const value = typeof rawValue === "string" ? rawValue : typeof rawValue === "boolean" ? (rawValue ? "Yes" : "No") : JSON.stringify(rawValue);
  try {
    await viewer.decide("correct", { value });
  } catch (error) {
    toast([error.message, error.remedy].filter(Boolean).join(" "), { kind: "error" });
  }
}
