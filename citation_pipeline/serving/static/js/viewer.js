// What is open and selected, and what follows from it: the one place where pages and data meet.

import { Beside } from "./beside.js";
import { documentRetry } from "./claim_banners.js";
import { ClaimsList } from "./claims_list.js";
import { listen, makeCommands, showHelp } from "./commands.js";
import { DataPane } from "./data_pane.js";
import { makeDivider } from "./divider.js";
import { caveatsOf, isDecided, isUnread } from "./field_card.js";
import { DocumentTabs } from "./document_tabs.js";
import { Deciding } from "./deciding.js";
import { announce, el, replace, toast } from "./dom.js";
import { forgetDrafts } from "./drafts.js";
import { FindBar } from "./find_bar.js";
import { Hands } from "./hands.js";
import { HeldSet } from "./held_sets.js";
import { linkOf, readLink } from "./links.js";
import { wordsOf } from "./messages.js";
import { Pinning } from "./pinning.js";
import { citationsOf, firstBox, placesOf } from "./places.js";
import { watchPrinting } from "./print_sheet.js";
import { Productions } from "./productions.js";
import { SeenPlaces } from "./seen_places.js";
import { Reader } from "./reader.js";
import { TeamPage } from "./team_page.js";
import { Thumbnails } from "./thumbnails.js";
import { Toolbar } from "./toolbar.js";
import { Upload } from "./uploading.js";
import { readable } from "./values.js";
import { Watching } from "./watching.js";

export class Viewer {
  claim = null;
  selected = null; // {fieldKey, citation, place, editing}
  sources = new Map();
  unfolded = new Set(); // fields whose citations are all shown

  constructor(server, session) {
    this.server = server;
    this.session = session;
    const app = document.getElementById("app");
    this.reader = new Reader(server, { fadeSeconds: session.fadeSeconds, highlight: session.highlight });
    this.reader.retryOf = (source) => documentRetry(source, this);
    this.thumbnails = new Thumbnails(this.reader);
    this.find = new FindBar(this.reader);
    this.tabs = new DocumentTabs({ onOpen: (sourceId, page) => this.openSource(sourceId, page ? { page } : {}) });
    this.pinning = new Pinning(this.reader, { onPin: (field, citationIndex, words) => this.#pin(field, citationIndex, words) });
    this.toolbar = new Toolbar(this.reader, {
      thumbnails: this.thumbnails, find: this.find, server,
      showLink: () => this.copyLink(), onMarks: () => this.toggleMarks(), onBeside: () => this.beside.toggle(),
    });
    this.beside = new Beside(this);
    this.seen = new SeenPlaces(this);
    this.deciding = new Deciding(this);
    this.productions = new Productions(this);
    this.heldSet = new HeldSet(this);
    this.hands = new Hands(this);
    this.watching = new Watching(this);
    this.pane = new DataPane(document.getElementById("data"), this);
    this.claimsList = new ClaimsList(document.getElementById("sidebar"), {
      server, app, session, onOpen: (id) => this.openClaim(id), onHelp: () => this.help(),
    });
    this.tabs.bar.prepend(this.claimsList.opener);
    this.team = new TeamPage(this);
    if (server.isLive) this.claimsList.tools.append(this.team.opener);
    this.upload = new Upload(this);
    if (server.isLive && session.canReview) this.claimsList.tools.append(this.upload.opener);
    const stage = el("div", { class: "stage", id: "stage", role: "tabpanel", "aria-label": "Document" },
      this.thumbnails.strip, this.reader.scroller, this.beside.pane, this.find.bar, this.pinning.bar, this.productions.bar);
    replace(document.getElementById("reader"), this.tabs.bar, this.toolbar.bar, stage);
    makeDivider(document.getElementById("divider"), app);
    this.commands = makeCommands(this);
    listen(this);
    watchPrinting(this);
    forgetDrafts();
    this.reader.names = (sourceId) => this.sources?.get(sourceId)?.name;
    this.reader.addEventListener("copy", ({ detail }) => (detail.isBeside ? this.beside.showPage(detail.sourceId, detail.page) : this.openSource(detail.sourceId, { page: detail.page })));
    this.reader.addEventListener("moved", () => this.tabs.show(this.reader.source.id, this.reader.page)); // the part that is read
    this.reader.addEventListener("picked", ({ detail }) => this.select(detail.fieldKey, detail.citation, { stays: true }));
    addEventListener("popstate", () => this.follow(readLink()));
  }

  get canReview() { return this.session.canReview; }

  field(fieldKey) { return this.byKey?.get(fieldKey); }

  // --- opening --------------------------------------------------------------------------------------

  async openClaim(claimId, { link = null, loading = null, keepsUrl = false } = {}) {
    let claim;
    try {
      claim = await (loading ?? this.server.claim(claimId));
    } catch (error) {
      if (error.status === 404) forgetDrafts({ claimId }); // erased: this browser keeps nothing of it either
      toast([error.message, error.remedy].filter(Boolean).join(" "), { kind: "error" });
      return;
    }
    this.pinning.stop();
    this.productions.stop();
    this.team.close({ keepsUrl: true });
    this.selected = null;
    this.take(claim);
    this.deciding.clear();
    this.heldSet.held = null;
    this.hands.clear();
    this.watching.open(claim.claimId);
    document.title = `${claim.claimId} · Claims`;
    this.claimsList.show(claim.claimId);
    const counts = new Map();
    for (const field of claim.fields) {
      for (const { sourceId } of field.citations) counts.set(sourceId, (counts.get(sourceId) ?? 0) + 1);
    }
    this.tabs.fill(claim.sources, counts);
    this.beside.refresh();
    this.pane.view = "fields";
    if (!keepsUrl) history.pushState(null, "", linkOf({ claimId: claim.claimId }));
    this.follow(link ?? { claimId: claim.claimId }, { isFresh: true });
    this.pane.render();
    if (this.selected) this.pane.reveal(this.selected.fieldKey);
    await Promise.all([this.heldSet.load(), this.hands.load()]);
  }

  follow(link, { isFresh = false } = {}) {
    if (link.teamView) {
      this.team.open(link.teamView, { keepsUrl: true });
      return;
    }
    this.team.close({ keepsUrl: true });
    if (link.claimId && link.claimId !== this.claim?.claimId) {
      this.openClaim(link.claimId, { link, keepsUrl: true });
      return;
    }
    const first = this.claim.sources.find((source) => source.pages.length) ?? this.claim.sources[0];
    if (link.fieldKey && this.field(link.fieldKey)) {
      const { citation } = link;
      const hasPlace = placesOf(citationsOf(this.field(link.fieldKey))[citation ?? 0]).length > 0;
      if (isFresh && !hasPlace && first) this.openSource(first.id, { keepsUrl: true }); // a field without a place
      this.select(link.fieldKey, citation, { keepsUrl: true });
    } else if (link.sourceId && this.sources.has(link.sourceId)) {
      this.openSource(link.sourceId, { page: link.page, box: link.box, keepsUrl: true });
      if (link.box) this.reader.light({ page: link.page, regions: { snippet: [{ page: link.page, boxes: [link.box] }] } });
    } else if (isFresh && first) {
      this.openSource(first.id, { keepsUrl: true });
    }
  }

  openSource(sourceId, { page = 1, box = null, keepsUrl = false } = {}) {
    const source = this.sources.get(sourceId);
    if (!source) return;
    const isOther = this.reader.source?.id !== sourceId || this.reader.claimId !== this.claim.claimId;
    this.reader.open(this.claim.claimId, source, { page, box });
    if (isOther) this.cite(sourceId);
    this.tabs.show(sourceId, page);
    document.getElementById("stage").setAttribute("aria-labelledby", `tab-${sourceId}`);
    if (!keepsUrl) history.replaceState(null, "", linkOf({ claimId: this.claim.claimId, sourceId, page }));
  }

  take(claim) {
    this.claim = claim;
    this.sources = new Map(claim.sources.map((source) => [source.id, source]));
    this.byKey = new Map([...claim.absentFields, ...(claim.unreadFields ?? []), ...claim.fields].map((field) => [field.fieldKey, field]));
  }

  // Other documents, or another version of the open one: what is on the screen is drawn from it.
  noteSources() {
    const { source, page } = this.reader;
    const now = this.sources.get(source?.id);
    if (this.tabs.sources && JSON.stringify(this.tabs.sources.map(keyOf)) !== JSON.stringify(this.tabs.sorted(this.claim.sources).map(keyOf))) {
      this.tabs.fill(this.claim.sources, this.tabs.counts);
      if (source) this.tabs.show(source.id, page);
    }
    this.beside.refresh();
    if (now && keyOf(now) !== keyOf(source)) this.openSource(now.id, { page, keepsUrl: true });
    else if (now) this.reader.source = now;
  }

  // Where the pipeline finds a citation that a person signed elsewhere, beside the signed place.
  showPipelinePlace(field, conflict) {
    const { pipelineSourceId: sourceId, pipelinePage: page, pipelineRegions: after } = conflict;
    if (!this.sources.has(sourceId) || !after?.length) return;
    const place = { sourceId, page, regions: { after } };
    this.openSource(sourceId, { page, box: after[0].boxes[0], keepsUrl: true });
    this.reader.light(place);
    this.seen.show(field, `>${conflict.citationIndex}`, place);
    announce(`The pipeline's place: page ${page}.`);
  }

  // Where a value was read that is not believed: shown, and taken for no citation of the field.
  showPlaceOf(citation) {
    const [place] = placesOf(citation);
    if (!place || !this.sources.has(place.sourceId)) return;
    const { page, box } = firstBox(place);
    this.seen.shown = null;
    this.openSource(place.sourceId, { page, box, keepsUrl: true });
    this.reader.light(place);
    announce(`${this.sources.get(place.sourceId).name}, page ${page}.`);
  }

  // What hovering over the open document can meet.
  cite(sourceId = this.reader.source?.id) {
    this.reader.cited = this.claim.fields.flatMap((field) => field.citations.flatMap((citation, index) => {
      if (citation.sourceId !== sourceId) return [];
      const regions = citation.regions?.snippet?.length ? citation.regions.snippet : [{ page: citation.page, boxes: [citation.bbox] }];
      return regions.map(({ page, boxes }) => ({ page, boxes, fieldKey: field.fieldKey, citation: index, label: field.label, value: String(field.value).slice(0, 300) }));
    }));
    this.reader.redraw();
  }

  // --- selecting ------------------------------------------------------------------------------------

  select(fieldKey, citation = 0, { place = 0, stays = false, keepsUrl = false, editing = null, comesByItself = false } = {}) {
    const field = this.field(fieldKey);
    if (!field) return;
    const before = this.selected?.fieldKey;
    const count = citationsOf(field).length;
    this.selected = { fieldKey, citation: Math.min(Math.max(citation, 0), Math.max(count - 1, 0)), place, editing, cameByItselfAt: comesByItself ? performance.now() : null };
    this.#light({ stays });
    if (!keepsUrl) history.replaceState(null, "", linkOf({ claimId: this.claim.claimId, fieldKey, citation: this.selected.citation }));
    if (before && before !== fieldKey) this.pane.update(before);
    this.pane.update(fieldKey);
    this.pane.reveal(fieldKey);
    this.#prefetch(fieldKey);
    this.watching.look(fieldKey);
  }

  // The page that the next key will ask for.
  #prefetch(fieldKey) {
    const keys = this.pane.keys();
    const next = this.field(keys[keys.indexOf(fieldKey) + 1] ?? "");
    const [place] = next ? placesOf(citationsOf(next)[0]) : [];
    if (place && place.sourceId !== this.reader.source?.id) this.reader.prefetch(this.sources.get(place.sourceId), place.page);
  }

  deselect() {
    const before = this.selected?.fieldKey;
    this.selected = null;
    this.reader.light(null);
    this.watching.look(null);
    if (before) this.pane.update(before);
  }

  #light({ stays = false } = {}) {
    const { fieldKey, citation, place } = this.selected;
    const field = this.field(fieldKey);
    const cited = citationsOf(field)[citation];
    const found = placesOf(cited)[place];
    this.seen.shown = null;
    if (!found) {
      this.reader.light(null);
      // the document that was named is the one to search by eye
      if (cited && this.sources.has(cited.sourceId)) this.openSource(cited.sourceId, { page: cited.page ?? 1, keepsUrl: true });
      announce(`${sentence(`${field.label}: ${readable(field).text || "absent"}`)} ${cited ? `Not found: ${wordsOf(cited.reason || "not_found")}` : "No citation."}`);
      return;
    }
    const { page, box } = firstBox(found);
    if (stays && this.reader.source?.id === found.sourceId) this.tabs.show(found.sourceId, page);
    else this.openSource(found.sourceId, { page, box, keepsUrl: true });
    this.reader.light(found);
    if (found.isChosen) this.seen.show(field, `@${citation}`, found);
    announce([sentence(`${field.label}: ${readable(field).text || "absent"}`), `${this.sources.get(found.sourceId)?.name ?? ""}, page ${page}.`, ...caveatsOf(cited)].join(" "));
  }

  step(by, { fromStart = false } = {}) {
    const keys = this.pane.keys();
    if (!keys.length) return;
    const at = fromStart ? -1 : keys.indexOf(this.selected?.fieldKey);
    const next = at < 0 ? (by > 0 ? 0 : keys.length - 1) : Math.min(Math.max(at + by, 0), keys.length - 1);
    this.select(keys[next]);
    this.pane.card(keys[next])?.querySelector(".card-head").focus({ preventScroll: true });
  }

  stepCitation(by) {
    const count = citationsOf(this.field(this.selected.fieldKey)).length;
    if (count) this.select(this.selected.fieldKey, (this.selected.citation + by + count) % count);
  }

  cycle(by) {
    const { fieldKey, citation, place } = this.selected;
    const count = placesOf(citationsOf(this.field(fieldKey))[citation]).length;
    if (count > 1) this.select(fieldKey, citation, { place: (place + by + count) % count });
    else toast("The text occurs in one place only.");
  }

  toggleMarks() {
    this.reader.showsAll = !this.reader.showsAll;
    this.reader.redraw();
  }

  async copyLink() {
    const { reader, selected, claim } = this;
    const link = selected ? linkOf({ claimId: claim.claimId, fieldKey: selected.fieldKey, citation: selected.citation })
      : linkOf({ claimId: claim.claimId, sourceId: reader.source?.id, page: reader.page });
    history.replaceState(null, "", link);
    try {
      await navigator.clipboard.writeText(new URL(link, location.href).href);
      toast("Link copied.");
    } catch {
      toast("The link is in the address bar.");
    }
  }

  help() { showHelp(this); }

  // --- reviewing ------------------------------------------------------------------------------------

  startEditing(editing) {
    this.selected.editing = editing;
    this.pane.update(this.selected.fieldKey);
    this.pane.reveal(this.selected.fieldKey);
    const input = this.pane.card(this.selected.fieldKey)?.querySelector(".editor .input");
    input?.focus(); // at once: the next key is already typed
    const { label } = this.field(this.selected.fieldKey);
    announce(`${editing === "value" ? "Value of" : "Remark on"} ${label}, editing. Escape leaves it.`); // screen readers miss the focus
    input?.select?.();
  }

  stopEditing() {
    this.selected.editing = null;
    this.pane.update(this.selected.fieldKey);
    this.pane.card(this.selected.fieldKey)?.querySelector(".card-head").focus({ preventScroll: true });
  }

  repin() {
    const field = this.field(this.selected.fieldKey);
    const citation = citationsOf(field)[this.selected.citation];
    this.pinning.start(field, citation?.citationIndex ?? this.selected.citation);
  }

  async #pin(field, citationIndex, words) {
    await this.decide("repin", { words, citationIndex, fieldKey: field.fieldKey }).catch(() => {});
  }

  keepReviewed(field) {
    return field.markedAbsent ? this.decide("absent") : this.decide("confirm");
  }

  // The next claim that is nobody else's work, taken for this person, at its riskiest field.
  async nextClaim({ show = this.team.show } = {}) {
    try {
      const { claimId } = await this.server.nextClaim({ show, after: this.claim?.claimId ?? "" });
      if (claimId && (claimId !== this.claim?.claimId || this.team.isOpen)) await this.startReviewing(claimId);
      else toast(show === "open" ? "Nothing else waits for you." : "Nothing else waits for you in this queue.");
    } catch (error) {
      toast([error.message, error.remedy].filter(Boolean).join(" "), { kind: "error" });
    }
  }

  async startReviewing(claimId) {
    await this.openClaim(claimId);
    this.pane.show("queue");
    this.step(1, { fromStart: true });
  }

  history(fieldKey) { return this.server.history(this.claim.claimId, fieldKey); }

  decide(action, given = {}) { return this.deciding.decide(action, given); }

  undo() { return this.deciding.undo(); }

  // A field as it is after a decision, put where it belongs now.
  replaceField(after) {
    const { claim } = this;
    const without = (fields) => fields.filter((field) => field.fieldKey !== after.fieldKey);
    const isPresent = after.value !== "" || after.markedAbsent;
    const place = (field) => Number(String(field.id).slice(1));
    const silent = isUnread(after) ? "unreadFields" : "absentFields";
    for (const name of ["absentFields", "unreadFields"]) claim[name] = without(claim[name] ?? []);
    if (!isPresent) claim[silent] = [...claim[silent], after];
    claim.fields = isPresent ? [...without(claim.fields), after] : without(claim.fields);
    claim.fields.sort((a, b) => place(a) - place(b));
    claim[silent].sort((a, b) => place(a) - place(b));
    this.take(claim);
    this.cite();
    this.noteCounts();
  }

  noteCounts() {
    const { claim } = this;
    this.claimsList.note(claim.claimId, {
      fields: claim.fields.length,
      reviewed: claim.fields.filter(isDecided).length,
      conflicts: claim.fields.filter((field) => field.conflicts.length).length,
    });
  }

  // A person says where the documents inside a file begin; values are read anew at the claim's next run.
  async moveBoundary() {
    const { source, page } = this.reader;
    if (!source?.pages.length) return;
    if (page === 1) {
      announce("The first page of a file always begins a document.");
      return;
    }
    const starts = new Set([1, ...(source.parts ?? []).map(({ pages }) => pages[0])]);
    if (!starts.delete(page)) starts.add(page);
    try {
      const { parts } = await this.server.divide(this.claim.claimId, source.id, [...starts]);
      source.parts = parts.length ? parts : undefined;
      this.tabs.fill(this.claim.sources, this.tabs.counts);
      this.tabs.show(source.id, page);
      announce(starts.has(page) ? `A document begins on page ${page}.` : `No document begins on page ${page} any more.`);
    } catch (error) {
      toast([error.message, error.remedy].filter(Boolean).join(" "), { kind: "error" });
    }
  }
}

// "M.D." ends a sentence by itself.
function sentence(text) { return text.endsWith(".") ? text : `${text}.`; }

// What a document's tab and pages are drawn from.
function keyOf(source) { return JSON.stringify([source.id, source.name, source.sha256, source.pages.length, source.parts ?? null]); }
