// Bringing documents in: dropped or chosen, into a new or an existing claim, read at once.

import { el, replace, toast } from "./dom.js";
import { icon } from "./icons.js";
import { plural } from "./messages.js";

const SIZE = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 });
const sizeOf = (bytes) => (bytes < 1e5 ? `${SIZE.format(Math.max(bytes / 1e3, 0.1))} kB` : `${SIZE.format(bytes / 1e6)} MB`);
const CLAIM_ID = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,99}$/;

export class Upload {
  constructor(viewer) {
    this.viewer = viewer;
    this.opener = el("button", { class: "quiet-button upload-opener", on: { click: () => this.open() } }, icon("upload"), "Add documents");
    const hasFiles = (event) => event.dataTransfer?.types.includes("Files");
    addEventListener("dragover", (event) => { if (hasFiles(event)) event.preventDefault(); });
    addEventListener("drop", (event) => {
      if (!hasFiles(event)) return;
      event.preventDefault(); // a browser would leave the viewer and show the file
      if (!document.querySelector("dialog[open]")) this.open([...event.dataTransfer.files]);
      else if (this.dialog?.open) this.#add([...event.dataTransfer.files]);
    });
  }

  open(files = []) {
    const { session, claim } = this.viewer;
    if (!session.canReview) return;
    this.files = [];
    this.isUploaded = false; // what is on the server is not sent again when reading it failed
    const id = el("input", { class: "input", type: "text", maxlength: "100", value: claim?.claimId ?? "", autocomplete: "off" });
    const choices = (names) => names.map((name) => el("option", { value: name, text: name || "as before" }));
    const schema = el("select", { class: "input" }, choices(["", "auto", ...session.schemas]));
    const extractor = el("select", { class: "input" }, choices(["", "rules", "claude"]));
    const chooser = el("input", { type: "file", multiple: true, class: "visually-hidden", tabindex: "-1", "aria-label": "Documents" });
    const zone = el("button", { class: "drop-zone", type: "button", on: { click: () => chooser.click() } }, icon("upload"), el("span", { text: "Drop documents here, or choose them" }));
    this.list = el("ul", { class: "upload-files" });
    this.bar = el("progress", { max: "1", hidden: true, "aria-label": "Reading" });
    this.status = el("p", { class: "muted", role: "status" });
    const problem = el("p", { class: "problem", role: "alert", hidden: true });
    const send = el("button", { class: "button primary", text: session.canExtract ? "Upload and read" : "Upload" });
    const form = el("form", { class: "upload" }, el("h1", { text: "Add documents" }),
      el("label", {}, el("span", { class: "editor-label", text: "Claim, new or existing" }), id),
      session.canExtract && el("div", { class: "upload-choices" }, el("label", {}, el("span", { class: "editor-label", text: "Schema" }), schema), el("label", {}, el("span", { class: "editor-label", text: "Read by" }), extractor)),
      zone, chooser, this.list, this.bar, this.status, problem,
      el("footer", { class: "editor-buttons" }, send, el("button", { class: "button", type: "button", text: "Close", on: { click: () => this.dialog.close() } })));
    this.dialog = el("dialog", { class: "dialog upload-dialog", "aria-label": "Add documents" }, form);
    chooser.addEventListener("change", () => this.#add([...chooser.files]));
    zone.addEventListener("dragover", () => zone.classList.add("is-over"));
    for (const type of ["dragleave", "drop"]) zone.addEventListener(type, () => zone.classList.remove("is-over"));
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      const claimId = id.value.trim();
      const say = (text) => { problem.textContent = text; problem.hidden = !text; };
      say(!CLAIM_ID.test(claimId) ? "A claim id takes letters, digits, '_', '.' and '-'." : this.files.length || this.isUploaded ? "" : "Choose at least one document.");
      if (!problem.hidden) return;
      send.disabled = true;
      try {
        await this.#send(claimId, { schema: schema.value, extractor: extractor.value });
      } catch (error) {
        say([this.isUploaded && "The documents are uploaded; reading them failed.", error.message, error.remedy].filter(Boolean).join(" "));
        this.status.textContent = "";
        if (this.isUploaded) send.textContent = "Read again";
        else this.#show();
      }
      send.disabled = false;
      this.bar.hidden = true;
    });
    this.dialog.addEventListener("keydown", (event) => event.stopPropagation());
    this.dialog.addEventListener("close", () => this.dialog.remove());
    document.body.append(this.dialog);
    this.dialog.showModal();
    this.#add(files);
  }

  #add(files) {
    this.files = [...this.files, ...files];
    this.#show();
  }

  #show() {
    replace(this.list, this.files.map((file, at) => el("li", {}, el("bdi", { text: file.name }), el("span", { class: "muted", text: sizeOf(file.size) }),
      el("button", { class: "icon-button", type: "button", "aria-label": `Leave out ${file.name}`, on: { click: () => { this.files.splice(at, 1); this.#show(); } } }, icon("close")))));
  }

  // One bar a document: they are sent one behind the other.
  async #upload(claimId) {
    const bars = this.files.map((file) => el("progress", { max: "1", value: "0", "aria-label": `Upload of ${file.name}` }));
    replace(this.list, this.files.map((file, at) => el("li", {}, el("bdi", { text: file.name }), el("span", { class: "muted", text: sizeOf(file.size) }), bars[at])));
    this.status.textContent = `Uploading ${plural(this.files.length, "document")}…`;
    const sizes = this.files.map((file) => Math.max(file.size, 1));
    const all = sizes.reduce((sum, size) => sum + size, 0);
    await this.viewer.server.upload(claimId, this.files, (share) => {
      let left = share * all;
      bars.forEach((bar, at) => { bar.value = Math.min(1, Math.max(0, left / sizes[at])); left -= sizes[at]; });
    });
    bars.forEach((bar) => { bar.value = 1; });
    this.files = [];
    this.isUploaded = true;
  }

  async #send(claimId, chosen) {
    const { viewer } = this;
    if (this.files.length) await this.#upload(claimId);
    if (viewer.session.canExtract) {
      this.bar.hidden = false;
      this.status.textContent = "Reading…";
      await viewer.server.extract({ claim_id: claimId, ...Object.fromEntries(Object.entries(chosen).filter(([, name]) => name)) });
    }
    this.dialog.close();
    toast(viewer.session.canExtract ? `${claimId} was read.` : "Uploaded: the next night reads it.");
    await viewer.claimsList.load();
    if (viewer.session.canExtract) await viewer.openClaim(claimId);
  }
}
