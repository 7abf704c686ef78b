// A production: what is numbered and blackened in copies for the other side, and boxes drawn for it.

import { announce, el, replace, toast } from "./dom.js";
import { icon } from "./icons.js";
import { plural } from "./messages.js";
import { readable } from "./values.js";

const LEAST = 0.003; // of a page: a click is no box

export class Productions {
  boxes = [];
  isActive = false;

  constructor(viewer) {
    this.viewer = viewer;
    const { reader } = viewer;
    this.bar = el("div", { class: "pin-bar", role: "status", hidden: true });
    reader.pages.addEventListener("pointerdown", (event) => this.#press(event));
    reader.pages.addEventListener("pointermove", (event) => this.#drag(event));
    reader.pages.addEventListener("pointerup", () => this.#drop());
    reader.addEventListener("opened", () => this.#show());
  }

  async load() {
    const { claim, server } = this.viewer;
    const { redactions } = await server.redactions(claim.claimId);
    if (this.viewer.claim.claimId === claim.claimId) this.boxes = redactions;
    this.#show();
  }

  // --- drawing --------------------------------------------------------------------------------------

  async start() {
    this.isActive = this.viewer.reader.isPinning = true; // a click on a cited place opens no field now
    this.viewer.reader.pages.classList.add("is-drawing");
    this.bar.hidden = false;
    await this.load();
    this.viewer.reader.scroller.focus({ preventScroll: true });
    announce("Drag over what must not be read.");
  }

  stop() {
    if (!this.isActive) return;
    this.isActive = this.viewer.reader.isPinning = false;
    this.anchor = null;
    this.viewer.reader.pages.classList.remove("is-drawing");
    this.bar.hidden = true;
    this.boxes = [];
    this.#show();
  }

  #show() {
    const { reader } = this.viewer;
    reader.redactions = this.isActive ? this.boxes.filter(({ sourceId }) => sourceId === reader.source?.id).map(({ page, box }) => ({ page, boxes: [box] })) : [];
    reader.redraw();
    if (!this.isActive) return;
    replace(this.bar, icon("redact"), el("span", { text: `Drag over what must not be read. ${plural(this.boxes.length, "box", "boxes")} drawn; a click on one removes it.` }),
      el("button", { class: "button", text: "Cover what is highlighted", disabled: !reader.lit, on: { click: () => this.#coverLit() } }),
      el("button", { class: "button primary", text: "Done", on: { click: () => { this.stop(); this.open(); } } }));
  }

  #press(event) {
    if (!this.isActive || event.button !== 0) return;
    const { reader } = this.viewer;
    const sheet = reader.sheetAt(event);
    if (!sheet) return;
    event.preventDefault();
    const [x, y] = reader.pointOn(sheet, event);
    const hit = this.boxes.find(({ sourceId, page, box }) => sourceId === reader.source.id && page === sheet.page
      && x >= box.left && x <= box.left + box.width && y >= box.top && y <= box.top + box.height);
    if (hit) this.#remove(hit);
    else this.anchor = { sheet, x, y, box: null };
  }

  #drag(event) {
    if (!this.anchor || !event.buttons) return;
    const { sheet, x, y } = this.anchor;
    const [x2, y2] = this.viewer.reader.pointOn(sheet, event).map((n) => Math.min(Math.max(n, 0), 1));
    this.anchor.box = { left: Math.min(x, x2), top: Math.min(y, y2), width: Math.abs(x - x2), height: Math.abs(y - y2) };
    this.viewer.reader.redactions = [...this.boxes.filter(({ sourceId }) => sourceId === this.viewer.reader.source.id).map(({ page, box }) => ({ page, boxes: [box] })), { page: sheet.page, boxes: [this.anchor.box] }];
    this.viewer.reader.redraw();
  }

  #drop() {
    const { box, sheet } = this.anchor ?? {};
    this.anchor = null;
    if (box && box.width > LEAST && box.height > LEAST) this.#keep(sheet.page, box);
    else if (this.isActive) this.#show();
  }

  async #coverLit() {
    const { reader } = this.viewer;
    const regions = reader.lit?.regions.value?.length ? reader.lit.regions.value : reader.lit?.regions.snippet ?? [];
    for (const { page, boxes } of regions) for (const box of boxes) await this.#keep(page, box);
  }

  async #keep(page, { left, top, width, height }) {
    const { claim, server, reader } = this.viewer;
    try {
      this.boxes = [...this.boxes, await server.drawRedaction(claim.claimId, { sourceId: reader.source.id, page, left, top, width, height })];
    } catch (error) {
      toast([error.message, error.remedy].filter(Boolean).join(" "), { kind: "error" });
    }
    this.#show();
  }

  async #remove(hit) {
    await this.viewer.server.removeRedaction(this.viewer.claim.claimId, hit.id).catch((error) => toast(error.message, { kind: "error" }));
    this.boxes = this.boxes.filter((box) => box !== hit);
    this.#show();
  }

  // --- the dialog -----------------------------------------------------------------------------------

  async open() {
    const { claim, server, canReview } = this.viewer;
    const { redactions } = await server.redactions(claim.claimId).catch(() => ({ redactions: [] }));
    const prefix = el("input", { class: "input", maxlength: "20", pattern: "[A-Za-z0-9][A-Za-z0-9_\\-]*", placeholder: "such as HF-", autocomplete: "off" });
    const first = el("input", { class: "input", type: "number", min: "1", value: "1" });
    const texts = el("textarea", { class: "input", rows: "2", "aria-label": "Other words to redact, one a line", placeholder: "Other words to redact, one a line: a surname alone, a nickname, an address" });
    // what was read and is not believed is printed all the same
    const fields = [...claim.fields, ...[...(claim.unreadFields ?? []), ...claim.absentFields].filter((field) => field.candidates?.length)];
    const kinds = [...new Set(fields.map((field) => field.valueType))].sort();
    const kindBoxes = kinds.map((kind) => [kind, el("input", { type: "checkbox" })]);
    const groups = new Map();
    for (const field of fields) groups.set(field.category, [...(groups.get(field.category) ?? []), field]);
    const boxes = new Map(fields.map((field) => [field.fieldKey, el("input", { type: "checkbox" })]));
    const problem = el("p", { class: "problem", role: "alert", hidden: true });
    const go = el("button", { class: "button primary", text: "Make the production" });
    const form = el("form", { class: "production", method: "dialog" },
      el("h1", { text: "Production" }),
      el("p", { class: "muted", text: "Copies of every document as numbered pictures. What you choose is blackened wherever the documents say it; look at every page before you hand them out." }),
      el("div", { class: "upload-choices" }, numbering("Before each number", prefix), numbering("First number", first)),
      el("fieldset", {}, el("legend", { text: "Redact fields" }), el("div", { class: "production-fields" }, [...groups].map(([category, fields]) => categoryChoice(category, fields, boxes)))),
      el("fieldset", {}, el("legend", { text: "Redact every value that is a" }), el("div", { class: "production-kinds" }, kindBoxes.map(([kind, box]) => el("label", {}, box, ` ${KINDS[kind] ?? kind}`)))),
      texts,
      el("p", { class: "production-drawn" }, icon("redact"), `${plural(redactions.length, "drawn box", "drawn boxes")} `, canReview && el("button", { class: "link", type: "button", text: "Draw boxes on the pages", on: { click: () => { dialog.close(); this.start(); } } })),
      problem,
      el("footer", { class: "editor-buttons" }, go, el("button", { class: "button", type: "button", text: "Cancel", on: { click: () => dialog.close() } })));
    const dialog = el("dialog", { class: "dialog production-dialog", "aria-label": "Production" }, form);
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      go.disabled = true;
      go.textContent = "Drawing the pages …";
      try {
        await server.production(claim.claimId, {
          prefix: prefix.value, firstNumber: Number(first.value) || 1,
          fields: [...boxes].filter(([, box]) => box.checked).map(([key]) => key),
          kinds: kindBoxes.filter(([, box]) => box.checked).map(([kind]) => kind),
          texts: texts.value.split("\n").map((text) => text.trim()).filter(Boolean),
        });
        dialog.close();
        toast("The production is in your downloads. Look at every page before you hand it out.");
      } catch (error) {
        problem.textContent = [error.message, error.remedy].filter(Boolean).join(" ");
        problem.hidden = false;
        go.disabled = false;
        go.textContent = "Make the production";
      }
    });
    dialog.addEventListener("keydown", (event) => event.stopPropagation());
    dialog.addEventListener("close", () => dialog.remove());
    document.body.append(dialog);
    dialog.showModal();
  }
}

const KINDS = { date: "date", number: "number or amount", integer: "count", string: "text", boolean: "yes or no", array: "list", enum: "choice" };

const numbering = (label, input) => el("label", { class: "production-number" }, el("span", { class: "editor-label", text: label }), input);

// A category with one box for all of it, and one for each field.
function categoryChoice(category, fields, boxes) {
  const all = el("input", { type: "checkbox", on: { change: () => fields.forEach(({ fieldKey }) => { boxes.get(fieldKey).checked = all.checked; }) } });
  return el("div", { class: "production-category" }, el("label", {}, all, el("strong", { text: ` ${category}` })),
    el("ul", {}, fields.map((field) => el("li", {}, el("label", {}, boxes.get(field.fieldKey), el("span", { class: "production-label", text: field.label }), " ", el("bdi", { class: "muted", text: readable(field).text.slice(0, 60) }))))));
}
