// One field: its value, a badge per citation, and, when selected, the evidence and what to do about it.

import { rivals, settledCandidates } from "./candidates.js";
import { el } from "./dom.js";
import { makeCommentEditor, makeValueEditor } from "./field_editor.js";
import { icon } from "./icons.js";
import { plural, whenOf, wordsOf } from "./messages.js";
import { samePerson } from "./people.js";
import { citationsOf, placesOf } from "./places.js";
import { doubtfulPages, pagesOf } from "./claim_banners.js";
import { draftOf } from "./drafts.js";
import { makeItemTable } from "./item_table.js";
import { isTable, percentOf, readable, sureOf } from "./values.js";
import { partOf, short } from "./document_tabs.js";

const REVIEWED = {
  confirmed: ["check", "Confirmed"],
  corrected: ["edit", "Corrected"],
  absent: ["absent", "Marked absent"],
  needs_review: ["alert", "Needs review"],
  awaiting_second: ["person", "Second reviewer"],
};

// What a person decided, and that holds.
export function isDecided(field) { return ["confirmed", "corrected", "absent"].includes(field.review.state); }

// A value that this person signed for, and that wants somebody else now.
export function waitsForOthers(field, viewer) {
  return field.review.state === "awaiting_second" && field.review.signers.some((name) => samePerson(name, viewer.session.name));
}

const SILENT = {
  absent: "Not found in the documents",
  unread: "Unread: not all documents were read",
  unreadable: "The extractor's answer could not be read",
  doubted: "Read, but not believed",
};

// Rules miss what is worded otherwise: that they found nothing does not make the documents silent.
function isRulesSilence(field) { return field.status === "absent" && (field.searchedBy ?? "").startsWith("rules-"); }

function silenceOf(field) {
  if (field.status === "doubted" && !field.candidates?.length) return "Not found, and perhaps in the documents";
  return isRulesSilence(field) ? "No value found by the rules" : SILENT[field.status] ?? SILENT.absent;
}

function silenceNote(field) {
  if (!isRulesSilence(field)) return `${silenceOf(field)}.`;
  const share = field.absenceConfidence;
  const missed = share === undefined ? "It was not measured how many such fields are in the documents all the same"
    : `As measured, of a hundred such fields ${Math.round(100 * (1 - share))} are in the documents all the same`;
  return `No value was found by the embedded rules. ${missed}: look before you mark it absent.`;
}

export function isUnread(field) { return ["unread", "unreadable", "doubted"].includes(field.status); }

export function makeCard(field, viewer) {
  const selected = viewer.selected?.fieldKey === field.fieldKey ? viewer.selected : null;
  const { state } = field.review;
  const { text, stored } = readable(field);
  const value = field.markedAbsent ? "Not in the documents" : text || silenceOf(field);
  return el("article", {
    class: `card${selected ? " is-selected" : ""}${field.value ? "" : " is-silent"}`, "aria-label": field.label,
    data: { key: field.fieldKey, review: state },
  },
  el("button", { class: "card-head", "aria-expanded": Boolean(selected), on: { click: () => viewer.select(field.fieldKey, 0) } },
    el("span", { class: "card-label", text: field.label }),
    el("bdi", { class: "card-value", text: selected ? value : short(value, 400), title: stored ? `Stored as ${stored}` : null }),
    stored && el("span", { class: "visually-hidden", text: `Stored as ${stored}` })),
  el("div", { class: "card-side" }, pillsOf(field, viewer)),
  badges(field, selected, viewer),
  selected && detail(field, selected, viewer));
}

export function pillsOf(field, viewer) {
  const pills = [];
  if (field.conflicts?.length && field.review.state !== "needs_review") pills.push(el("span", { class: "pill bad" }, icon("alert"), "Conflict"));
  const reviewed = REVIEWED[field.review.state];
  if (reviewed) pills.push(el("span", { class: `pill ${field.review.state}` }, icon(reviewed[0]), reviewed[1]));
  else if (sureOf(field) === "low") pills.push(el("span", { class: "pill warn" }, "Low", el("span", { class: "visually-hidden", text: " confidence" })));
  else if (sureOf(field) === "medium") pills.push(el("span", { class: "pill" }, "Medium", el("span", { class: "visually-hidden", text: " confidence" })));
  if (!field.value && field.candidates?.length) pills.push(el("span", { class: "pill", title: "Read, but not believed" }, plural(field.candidates.length, "candidate")));
  if (!isDecided(field) && citationsOf(field).some((citation) => citation.secondReadings?.some(({ inValue }) => inValue))) pills.push(el("span", { class: "pill warn", title: "The scan was read twice, and the readings of this value differ", text: "Read twice" }));
  if (field.provenance === "inferred") pills.push(el("span", { class: "pill", text: "Inferred" }));
  for (const name of viewer.watching.at(field.fieldKey)) pills.push(el("span", { class: "pill person", title: `${name} looks at this field` }, icon("person"), el("bdi", { text: short(name, 18) })));
  if (viewer.canReview && !(viewer.selected?.fieldKey === field.fieldKey && viewer.selected.editing)) {
    for (const [kind, key] of [["value", "e"], ["comment", "m"]]) {
      if (draftOf(viewer.session.name, viewer.claim.claimId, field.fieldKey, kind).text !== null) pills.push(el("span", { class: "pill", title: `Typed and not saved: press ${key}` }, icon("edit"), kind === "value" ? "Draft" : "Draft remark"));
    }
  }
  if (field.review.comments) pills.push(el("span", { class: "pill", title: plural(field.review.comments, "remark") }, icon("comment"), String(field.review.comments)));
  return pills;
}

const MOST_BADGES = 5;

// More than five fold; badges that would read the same are numbered.
function badges(field, selected, viewer) {
  const citations = citationsOf(field);
  const readings = citations.map((citation) => `${viewer.sources.get(citation.sourceId)?.name ?? ""} ${citation.page ?? ""}`);
  const made = citations.map((citation, index) => {
    const same = readings.flatMap((reading, at) => (reading === readings[index] ? [at] : []));
    return badge(field, citation, index, selected, viewer, same.length > 1 ? same.indexOf(index) + 1 : 0);
  });
  const isFolded = made.length > MOST_BADGES + 1 && !viewer.unfolded.has(field.fieldKey) && (selected?.citation ?? 0) < MOST_BADGES;
  return el("div", { class: "badges" }, isFolded ? [made.slice(0, MOST_BADGES), el("button", {
    class: "badge more-badges", tabindex: selected ? "0" : "-1", "aria-label": `Show all ${made.length} citations of ${field.label}`, text: `+${made.length - MOST_BADGES} more`,
    on: { click: () => { viewer.unfolded.add(field.fieldKey); viewer.pane.update(field.fieldKey); } },
  })] : made);
}

const STATUS = { resolved: "found", flagged: "found, look at it", unresolved: "not found" };

function badge(field, citation, index, selected, viewer, number) {
  const source = viewer.sources.get(citation.sourceId);
  const name = short(partOf(source, citation.page)?.title || (source?.name ?? "Unknown document"), 34);
  const status = citation.pinned ? "pinned" : citation.status;
  const isUnsigned = !citation.pinned && citation.page;
  const unsigned = isUnsigned && (field.review.state === "confirmed" ? "not seen" : field.review.state === "corrected" ? "not signed" : "");
  const where = citation.page ? `p.${citation.page}` : "not found";
  return el("button", {
    class: "badge", data: { status }, tabindex: selected ? "0" : "-1", "aria-pressed": selected?.citation === index,
    "aria-label": `Citation ${index + 1} of ${field.label}: ${name}${citation.page ? ` ${where}` : ""}, ${citation.pinned ? "signed by a person" : STATUS[citation.status] ?? citation.status}${unsigned ? `, ${unsigned} by the reviewer` : ""}`,
    on: { click: (event) => (event.shiftKey ? viewer.beside.show(citation) : viewer.select(field.fieldKey, index)) },
  }, el("span", { class: "badge-dot", "aria-hidden": "true" }), el("bdi", { class: "badge-name", text: name }), number > 0 && el("span", { class: "badge-number", text: `#${number}` }), el("span", { class: "badge-page", text: unsigned ? `${where}, ${unsigned}` : where }));
}

function detail(field, selected, viewer) {
  const citations = citationsOf(field);
  const citation = citations[selected.citation];
  return el("div", { class: "detail" },
    viewer.deciding.changed.has(field.fieldKey) && changedBox(field, viewer),
    (field.conflicts ?? []).map((conflict) => conflictBox(field, conflict, viewer)),
    secondNote(field, viewer),
    sureness(field),
    (field.warnings ?? []).map((warning) => el("p", { class: "note warn" }, icon("alert"), wordsOf(warning))),
    isTable(field) && selected.editing !== "value" && makeItemTable(field, viewer),
    citation ? evidence(citation, selected, viewer) : field.value ? el("p", { class: "muted", text: "No place in the documents supports this value." }) : silence(field, viewer),
    rivals(field, viewer),
    field.machineValue !== undefined && field.machineValue !== field.value && !field.conflicts?.length
      && el("p", { class: "machine" }, el("span", { class: "muted", text: "The pipeline read " }), el("bdi", { text: field.machineValue || "nothing" })),
    selected.editing === "value" && makeValueEditor(field, editing(viewer, field, "value", (value) => viewer.decide("correct", { value }))),
    selected.editing === "comment" && makeCommentEditor(field, editing(viewer, field, "comment", (comment) => viewer.decide("comment", { comment }))),
    viewer.canReview && !selected.editing && reviewButtons(field, viewer),
    settledCandidates(field, viewer),
    reviewLine(field, viewer));
}

// Why one signature is not enough, and whose is missing.
function secondNote(field, viewer) {
  if (field.review.state !== "awaiting_second") return null;
  const [first] = field.review.signers;
  return el("p", { class: "note" }, icon("person"), waitsForOthers(field, viewer)
    ? "You signed first. A second, different person has to confirm before this counts as verified."
    : `${first} signed first. Your confirmation makes it verified.`);
}

const PARTS = { place: "place", evidence: "quoted words", type: "kind of value", agreement: "agreement of sources", extractor: "extractor's word" };

// How likely the value is right, and which parts speak for and against it.
function sureness(field) {
  const sure = field.fieldConfidence;
  if (!sure || !field.value || field.machineValue !== undefined) return null;
  const isDoubtful = sure.value < 0.95;
  const against = Object.entries(sure.parts).filter(([, weight]) => isDoubtful && weight < -0.2).sort((a, b) => a[1] - b[1]);
  return el("p", { class: `sureness ${isDoubtful ? "note warn" : "muted"}`, title: "How likely this value is right, judged by place, quoted words, kind of value, agreement and the extractor's word" },
    el("span", { text: `Confidence ${percentOf(sure.value)}%` }),
    against.length > 0 && el("span", { class: "muted", text: ` · doubt: ${against.map(([part]) => PARTS[part] ?? part).join(", ")}` }));
}

// Why a field has no value: which pages were searched, and which were not.
function silence(field, viewer) {
  const list = (heading, places) => places?.length > 0 && el("details", { class: "searched", open: heading !== SEARCHED },
    el("summary", { text: heading }),
    el("ul", {}, places.map(({ sourceId, pages, reason }) => el("li", {},
      el("bdi", { text: viewer.sources.get(sourceId)?.name ?? sourceId }),
      el("span", { class: "muted", text: [pagesOf(pages), reason && wordsOf(reason)].filter(Boolean).map((text) => `, ${text}`).join("") })))));
  return el("div", { class: "silence" },
    el("p", { class: field.status === "unread" ? "note warn" : "muted" }, field.status === "unread" && icon("alert"), silenceNote(field)),
    list("Not read", field.unread), doubtfulNote(field, viewer), list(SEARCHED, field.searched));
}

// Pages that were searched and may be misread: what is absent there may only be illegible.
function doubtfulNote(field, viewer) {
  const searched = new Set((field.searched ?? []).map(({ sourceId }) => sourceId));
  const doubtful = doubtfulPages(viewer.claim).filter(({ sourceId }) => searched.has(sourceId));
  return doubtful.length > 0 && el("p", { class: "note warn" }, icon("alert"), "Searched, but hard to read: ",
    el("bdi", { text: doubtful.map(({ sourceId, pages }) => `${viewer.sources.get(sourceId)?.name ?? sourceId}, ${pagesOf(pages)}`).join("; ") }), ".");
}

const SEARCHED = "Searched";

function editing(viewer, field, kind, onSave) {
  const draft = draftOf(viewer.session.name, viewer.claim.claimId, field.fieldKey, kind);
  const save = async (text) => {
    if (!(await onSave(text))) return; // a refused decision leaves what was typed
    draft.clear();
    viewer.pane.updatePills(field.fieldKey);
  };
  return { draft, onSave: save, onCancel: () => { draft.clear(); viewer.stopEditing(); } };
}

function evidence(citation, selected, viewer) {
  const places = placesOf(citation);
  const notes = [];
  if (citation.pinned) notes.push(el("p", { class: "note good" }, icon("pin"), "A person signed for this place."));
  if (citation.status === "unresolved") notes.push(el("p", { class: "note bad" }, icon("alert"), `Not found. ${wordsOf(citation.reason || "not_found")}`));
  for (const warning of citation.warnings ?? []) notes.push(el("p", { class: "note warn" }, icon("alert"), wordsOf(warning)));
  notes.push(...secondReadings(citation));
  const source = viewer.sources.get(citation.sourceId);
  const part = partOf(source, citation.page);
  return el("div", { class: "evidence" },
    el("blockquote", { class: "quote" }, el("bdi", { text: citation.snippet || "—" })),
    citation.requoted && el("p", { class: "muted" }, "The page says: ", el("bdi", { text: citation.requoted })),
    notes,
    el("div", { class: "evidence-foot muted" },
      el("span", {}, el("bdi", { text: short(source?.name ?? "Unknown document", 60) }), part?.title && el("bdi", { text: ` › ${short(part.title, 60)}` }), citation.page ? `, page ${citation.page}` : ""),
      citation.page && !citation.pinned && el("span", { text: `match ${percentOf(citation.confidence ?? 0)}%`, title: "How sure it is that this is the right place" }),
      citation.page && el("button", { class: "link open-beside", title: "Keep this place beside the pages while you look at others (Shift and a click on a badge)", text: "Open beside", on: { click: () => viewer.beside.show(citation) } })),
    places.length > 1 && el("div", { class: "places" },
      el("button", { class: "icon-button", "aria-label": "Previous place", title: "Previous place (p)", on: { click: () => viewer.cycle(-1) } }, icon("previous")),
      el("span", { text: `Place ${selected.place + 1} of ${places.length}` }),
      el("button", { class: "icon-button", "aria-label": "Next place", title: "Next place (n)", on: { click: () => viewer.cycle(1) } }, icon("next")),
      el("span", { class: "muted", text: places[selected.place]?.isChosen ? "chosen" : "same text elsewhere" })));
}

const MOST_SECOND_READINGS = 4;

// What has to be known of a citation before it is believed, in a sentence each.
export function caveatsOf(citation) {
  const readings = (citation.secondReadings ?? []).filter(({ inValue }) => inValue).map(({ text, second }) => `Read twice: ${text}, the second time ${second || "nothing"}.`);
  return [...(citation.warnings ?? []).map(wordsOf), ...readings];
}

// Words of a scan that were recognized twice with different letters, those of the value first.
function secondReadings(citation) {
  const found = [...(citation.secondReadings ?? [])].sort((a, b) => Number(b.inValue) - Number(a.inValue));
  const notes = found.slice(0, MOST_SECOND_READINGS).map(({ text, second, inValue }) => el("p", { class: `note read-twice${inValue ? " warn" : ""}` },
    icon(inValue ? "alert" : "search"), el("span", {}, inValue ? "The value was read twice: " : "Read twice: ", el("bdi", { class: "reading", text }), ", the second time ",
      second ? el("bdi", { class: "reading", text: second }) : "nothing", ".")));
  const more = found.length - notes.length;
  return more > 0 ? [...notes, el("p", { class: "muted", text: `${plural(more, "more word")} of the quotation read differently the second time` })] : notes;
}

// A decision that came too late: what it was meant for, and what it would have signed.
function changedBox(field, viewer) {
  return el("div", { class: "conflict changed", role: "alert" },
    el("p", {}, icon("alert"), "This changed while you looked at it. Nothing was signed."),
    el("dl", {},
      el("dt", { text: "You saw" }), el("dd", {}, el("bdi", { text: viewer.deciding.changed.get(field.fieldKey).value || "nothing" })),
      el("dt", { text: "Now" }), el("dd", {}, el("bdi", { text: field.markedAbsent ? "absent" : field.value || "nothing" }))));
}

function conflictBox(field, conflict, viewer) {
  const isValue = conflict.code === "value_changed";
  return el("div", { class: "conflict" },
    el("p", {}, icon("alert"), wordsOf(conflict.code)),
    isValue && el("dl", {},
      el("dt", { text: "Reviewed" }), el("dd", {}, el("bdi", { text: conflict.person || "absent" })),
      el("dt", { text: "Pipeline" }), el("dd", {}, el("bdi", { text: conflict.pipeline || "nothing" }))),
    conflict.pipelineRegions?.length > 0 && el("button", { class: "button", text: "Show the pipeline's place", on: { click: () => viewer.showPipelinePlace(field, conflict) } }),
    viewer.canReview && el("div", { class: "editor-buttons" },
      el("button", { class: "button", text: isValue ? "Keep the reviewed value" : "Keep as reviewed", on: { click: () => viewer.keepReviewed(field) } }),
      el("button", { class: "button", text: "Take the pipeline's", on: { click: () => viewer.decide("confirm", { acceptPipeline: true }) } })));
}

function reviewButtons(field, viewer) {
  const button = (name, label, key, run, { isPrimary = false, isOff = false } = {}) =>
    el("button", { class: `button${isPrimary ? " primary" : ""}`, disabled: isOff, "aria-keyshortcuts": key, on: { click: run } },
      icon(name), label, el("kbd", { text: key }));
  const isReviewed = !["unreviewed", "awaiting_second"].includes(field.review.state);
  const isOwnFirst = waitsForOthers(field, viewer);
  return el("div", { class: "review-buttons", role: "group", "aria-label": `Review ${field.label}` },
    button("check", "Confirm", "c", () => viewer.decide("confirm"), { isPrimary: !isReviewed && !isOwnFirst, isOff: !field.value || isOwnFirst }),
    button("edit", "Correct", "e", () => viewer.startEditing("value")),
    button("pin", "Re-pin", "r", () => viewer.repin()),
    button("absent", "Absent", "a", () => viewer.decide("absent"), { isOff: (Boolean(field.markedAbsent) && (isOwnFirst || field.review.state !== "awaiting_second")) || (!field.value && !field.markedAbsent) }),
    button("comment", "Remark", "m", () => viewer.startEditing("comment")),
    field.review.state !== "unreviewed" && button("undo", "Reopen", "u", () => viewer.decide("reopen")));
}

function reviewLine(field, viewer) {
  const { review } = field;
  if (!review.events) return null;
  const list = el("ol", { class: "history-list" });
  const box = el("details", { class: "history" },
    el("summary", {}, icon("history"), el("span", { text: REVIEWED[review.verdict ?? review.state] && review.reviewer ? `${REVIEWED[review.verdict ?? review.state]?.[1] ?? "Reviewed"} by ${review.signers?.join(" and ") || review.reviewer}, ${whenOf(review.madeAt)}` : "History" }),
      el("span", { class: "muted", text: plural(review.events, "event") })), list);
  box.addEventListener("toggle", async () => {
    if (!box.open || list.childElementCount) return;
    const { events } = await viewer.history(field.fieldKey);
    list.replaceChildren(...events.map((event) => el("li", { data: { action: event.action } },
      el("time", { class: "muted", datetime: event.madeAt, text: whenOf(event.madeAt) }), el("strong", { text: event.reviewer }), ` ${wordsOf(event.action)} `,
      ["confirm", "absent"].includes(event.action) && event.seenValue && el("bdi", { text: event.seenValue }),
      event.places.length > 0 && event.action !== "correct" && el("span", { class: "muted", text: ` ${event.places.map(({ sourceId, page }) => `${short(viewer.sources.get(sourceId)?.name ?? sourceId, 30)}, page ${page}`).join("; ")}` }),
      event.action === "correct" && el("p", {}, el("bdi", { class: "was", text: event.seenValue || "nothing" }), " → ", el("bdi", { text: event.value })),
      event.comment && el("p", { class: "remark" }, el("bdi", { text: event.comment })))));
  });
  return box;
}
