// What others do on the open claim: their decisions and where they are, for as long as the tab is visible.

import { announce, debounce } from "./dom.js";
import { makeRequestId } from "./deciding.js";
import { wordsOf } from "./messages.js";
import { reloadClaim } from "./redrawing.js";

export class Watching {
  people = []; // {name, fieldKey}
  #tab = makeRequestId();
  #source = null;

  constructor(viewer) {
    this.viewer = viewer;
    this.note = debounce(250, (fieldKey) => this.#note(fieldKey));
    this.refresh = debounce(120, () => this.#refresh());
    // a hidden tab holds no connection: browsers give a server six for all tabs together
    document.addEventListener("visibilitychange", () => (document.hidden ? this.#close() : this.#connect()));
    addEventListener("pagehide", () => this.#close());
  }

  open(claimId) {
    if (this.claimId === claimId && this.#source) return;
    this.claimId = claimId;
    this.#close();
    this.#connect();
  }

  look(fieldKey) {
    this.fieldKey = fieldKey;
    if (this.#source) this.note(fieldKey);
  }

  at(fieldKey) { return this.people.filter((person) => person.fieldKey === fieldKey).map((person) => person.name); }

  #connect() {
    const { server } = this.viewer;
    if (!server.isLive || !this.claimId || this.#source || document.hidden) return;
    const source = new EventSource(server.events(this.claimId, this.#tab));
    this.#source = source;
    source.addEventListener("open", () => {
      this.refresh(); // whatever happened before the connection was there
      if (this.fieldKey) this.note(this.fieldKey);
    });
    source.addEventListener("changed", (event) => {
      const { fields, isNewDataset } = JSON.parse(event.data);
      const isKnown = !isNewDataset && fields.every(({ fieldKey, lastId }) => (this.viewer.field(fieldKey)?.review.lastId ?? -1) >= lastId);
      if (!isKnown) {
        this.news = fields;
        this.refresh();
      }
    });
    source.addEventListener("people", (event) => {
      this.people = JSON.parse(event.data).people;
      this.viewer.pane.showPeople();
    });
    source.addEventListener("hands", () => this.viewer.hands.note());
    source.addEventListener("closing", () => { // the server stops; perhaps another one starts
      this.#close();
      setTimeout(() => this.#connect(), 30_000);
    });
    source.addEventListener("error", () => {
      if (source.readyState !== EventSource.CLOSED) return; // it tries again by itself
      this.#close();
      setTimeout(() => this.#connect(), 5000);
    });
  }

  #close() {
    this.#source?.close();
    this.#source = null;
    if (!this.people.length) return;
    this.people = [];
    this.viewer.pane.showPeople();
  }

  async #refresh() {
    const { viewer } = this;
    if (!viewer.claim || viewer.claim.claimId !== this.claimId) return;
    const news = (this.news ?? []).filter(({ reviewer }) => reviewer !== viewer.session.name);
    this.news = null;
    const changed = await reloadClaim(viewer).catch(() => []);
    if (!changed.length || !news.length) return;
    const { fieldKey, action, reviewer } = news.at(-1);
    announce(`${reviewer} ${wordsOf(action)}: ${viewer.field(fieldKey)?.label ?? ""}`);
  }

  #note(fieldKey) {
    if (this.#source) this.viewer.server.notePresence(this.claimId, { tab: this.#tab, fieldKey }).catch(() => {});
  }
}
