// What a reader has to know of the whole claim first: what nobody read, and what contradicts itself.

import { el, toast } from "./dom.js";
import { icon } from "./icons.js";
import { plural } from "./messages.js";

// What contradicts itself: rules between fields, documents about somebody else, tables and totals.
export function disagreements(claim, viewer) {
  const found = (claim.issues ?? []).filter((issue) => issue.citations?.length);
  return found.length > 0 && el("details", { class: "partial" },
    el("summary", {}, icon("alert"), el("strong", { text: plural(found.length, "disagreement") })),
    el("ul", {}, found.map((issue) => el("li", {}, issue.message,
      el("span", { class: "muted", text: ` ${placesOfIssue(issue, viewer)}` })))));
}

// What may have been misread, or was not taken as it came; neither unread nor a contradiction.
export function cautions(claim, viewer) {
  const found = (claim.issues ?? []).filter((issue) => !issue.citations?.length && !UNREAD_CODES.includes(issue.code));
  const where = ({ sourceId, fieldKey, pages }) => [fieldKey && (viewer.field(fieldKey)?.label ?? fieldKey), sourceId && (viewer.sources.get(sourceId)?.name ?? sourceId), pagesOf(pages)].filter(Boolean).join(", ");
  return found.length > 0 && el("details", { class: "cautions" },
    el("summary", {}, icon("alert"), el("strong", { text: plural(found.length, "caution") }), found.some(({ code }) => code === "pages_doubtful") && el("span", { text: "Some pages are hard to read." })),
    el("ul", {}, found.slice(0, MOST_CAUTIONS).map((issue) => el("li", {}, issue.message, el("bdi", { class: "muted", text: ` ${where(issue)}` }))),
      found.length > MOST_CAUTIONS && el("li", { class: "muted", text: `and ${found.length - MOST_CAUTIONS} more` })));
}

const MOST_CAUTIONS = 100;

// Pages that were read, and perhaps not as they are, by document.
export function doubtfulPages(claim) {
  return (claim.issues ?? []).filter(({ code }) => code === "pages_doubtful");
}

export function pagesOf(ranges) {
  const texts = (ranges ?? []).map(([first, last]) => (first === last ? String(first) : `${first}–${last}`));
  return texts.length ? `p. ${texts.join(", ")}` : "";
}

function placesOfIssue(issue, viewer) {
  const places = issue.citations.map((place) => {
    const name = viewer.sources.get(place.sourceId)?.name ?? place.sourceId;
    return [viewer.field(place.fieldKey)?.label, place.page ? `${name}, page ${place.page}` : name].filter(Boolean).join(": ");
  });
  return [...new Set(places)].join("; ");
}

const UNREAD_CODES = ["document_not_read", "document_unreadable", "pages_not_read", "field_not_read"];

// What nobody read: it may hold what looks absent, or contradict what is shown.
export function partialBanner(claim, viewer) {
  const { sources } = viewer;
  const unread = new Map();
  for (const issue of claim.issues ?? []) {
    if (UNREAD_CODES.includes(issue.code) && !unread.has(issue.sourceId)) unread.set(issue.sourceId, issue);
  }
  return el("details", { class: "partial" },
    el("summary", {}, icon("alert"), el("strong", { text: "Partial claim" }),
      el("span", { text: `${plural(unread.size, "document")} not, or not all, read. What is missing here may stand there.` })),
    el("ul", {}, [...unread.values()].map((issue) => el("li", {},
      el("bdi", { text: sources.get(issue.sourceId)?.name ?? issue.sourceId }), el("span", { class: "muted", text: ` ${issue.message}` }), remedyOf(sources.get(issue.sourceId)), documentRetry(sources.get(issue.sourceId), viewer)))),
    viewer.session.canExtract && retryButton(claim, viewer));
}

// What would help a document that could not be read, in the parser's words.
function remedyOf(source) {
  const text = String(source?.error ?? "").split(": ").slice(1).join(": ");
  return text && el("span", { class: "remedy", text: ` ${text}` });
}

// One document again, without the others: it was exchanged, or its password is known now.
export function documentRetry(source, viewer) {
  if (!source || source.pages.length || !viewer.session.canExtract) return null;
  const button = el("button", { class: "button", text: "Read this document again", on: { click: async () => {
    button.disabled = true;
    button.textContent = "Reading …";
    const { claimId } = viewer.claim;
    try {
      await viewer.server.extract({ claim_id: claimId, documents: [source.id] });
      await viewer.openClaim(claimId, { keepsUrl: true });
      const after = viewer.sources.get(source.id);
      viewer.openSource(source.id);
      toast(after?.pages.length ? "The document was read." : "The document still cannot be read.", after?.pages.length ? {} : { kind: "error" });
    } catch (error) {
      toast([error.message, error.remedy].filter(Boolean).join(" "), { kind: "error" });
      button.disabled = false;
      button.textContent = "Read this document again";
    }
  } } });
  return button;
}

function retryButton(claim, viewer) {
  const button = el("button", { class: "button", text: "Read again", on: { click: async () => {
    button.disabled = true;
    try {
      await viewer.server.extract({ claim_id: claim.claimId, force: true });
      await viewer.openClaim(claim.claimId, { keepsUrl: true });
      toast("The claim was read again.");
    } catch (error) {
      toast([error.message, error.remedy].filter(Boolean).join(" "), { kind: "error" });
      button.disabled = false;
    }
  } } });
  return button;
}
