// What a person has had on the screen: a confirmation signs for this and for nothing else.

import { firstBox } from "./places.js";
import { columnsOf, isTable } from "./values.js";

export const DWELL_MS = 300; // what was in view for less, nobody has read
export const NEXT_MS = 600; // on a field that opened by itself, a key was meant for the one before
const LOOK_MS = 60;
const LEGIBLE_PX = 4; // print that is lower than this cannot be read
const SHARE = 0.6; // of a box or cell that has to be inside the window
const PIECE_PX = 120; // a long text is seen piece by piece

export class SeenPlaces {
  #byField = new Map(); // fieldKey -> {digest, names: Set}
  #since = new Map(); // what is in view now -> since when
  #cells = new Map(); // cells of the open list -> their name, where they are in view

  constructor(viewer) {
    this.viewer = viewer;
    this.observer = new IntersectionObserver((entries) => entries.forEach((entry) => {
      const { target, intersectionRatio, intersectionRect, rootBounds } = entry;
      const isIn = intersectionRatio >= SHARE || intersectionRect.height > (rootBounds?.height ?? innerHeight) / 3;
      if (isIn) this.#cells.set(target, target.dataset.cell);
      else this.#cells.delete(target);
    }), { threshold: [0, 0.2, 0.4, SHARE, 1] });
    setInterval(() => this.look(), LOOK_MS);
  }

  // What the page pane was asked to show: a citation's chosen place, or the pipeline's place of a conflict.
  show(field, name, place) {
    this.shown = { fieldKey: field.fieldKey, digest: field.seenDigest, name, place };
  }

  // Positions of the field's citations that were seen as they are now.
  citations(field) { return this.#numbers(field, "@"); }

  // Citation indexes whose place by the pipeline was seen beside a person's.
  pipelinePlaces(field) { return this.#numbers(field, ">"); }

  look() {
    const { viewer } = this;
    const field = viewer.selected && viewer.field(viewer.selected.fieldKey);
    const card = field && viewer.pane.card(field.fieldKey);
    const names = field && !document.hidden ? this.#inView(field, card) : [];
    const now = performance.now();
    const keys = names.map((name) => `${field.fieldKey} ${field.seenDigest} ${name}`);
    for (const key of this.#since.keys()) if (!keys.includes(key)) this.#since.delete(key);
    keys.forEach((key, at) => {
      const since = this.#since.get(key) ?? now;
      this.#since.set(key, since);
      if (now - since >= DWELL_MS) this.#note(field, names[at]);
    });
    if (card) this.#show(field, card, now);
  }

  // On the card: whether a confirmation would be taken now, and the places that it would sign for.
  #show(field, card, now) {
    const { selected, deciding } = this.viewer;
    const isReady = this.missing(field) === null && now - (selected.cameByItselfAt ?? -Infinity) >= NEXT_MS && !deciding.isTouched(field.fieldKey);
    const shown = { seen: String(isReady), places: [...this.#namesOf(field)].filter((name) => /^[@>]/.test(name)).join(" ") };
    for (const [name, said] of Object.entries(shown)) if (card.dataset[name] !== said) card.dataset[name] = said;
    for (const [cell, name] of this.#cells) if (this.#namesOf(field).has(name)) cell.dataset.seen = "true";
  }

  // Why a confirmation of the open field would sign for something unseen, or null; `isDue`: it is in view by now.
  missing(field) {
    const { viewer } = this;
    const seen = this.#namesOf(field);
    const isDue = (name) => this.#since.has(`${field.fieldKey} ${field.seenDigest} ${name}`);
    if (!seen.has("value")) return { of: "value", isDue: isDue("value"), say: "The field was out of view: look at it, then decide." };
    const unseen = this.#valueNames(field).filter((name) => !seen.has(name));
    if (unseen.length) return { of: "value", isDue: unseen.every(isDue), next: unseen.find((name) => !isDue(name)), say: isTable(field) ? `${unseen.length} cells of the list have not been on the screen: look at them, then confirm.` : "The value's end has not been on the screen: scroll through it, then confirm." };
    if (!field.citations.length || this.citations(field).length) return null;
    const at = `@${viewer.selected.citation}`;
    return { of: "place", isDue: isDue(at), say: this.#whyUnseen() };
  }

  // Whether the field's card is in the window, its value uncovered.
  isInView(fieldKey) {
    const value = this.viewer.pane.card(fieldKey)?.querySelector(".card-value");
    return Boolean(value) && this.#headIsInView(value);
  }

  #numbers(field, sign) {
    return [...this.#namesOf(field)].filter((name) => name.startsWith(sign)).map((name) => Number(name.slice(1))).sort((a, b) => a - b);
  }

  #namesOf(field) {
    const known = this.#byField.get(field.fieldKey);
    return known?.digest === field.seenDigest ? known.names : new Set();
  }

  #note(field, name) {
    const names = this.#namesOf(field);
    this.#byField.set(field.fieldKey, { digest: field.seenDigest, names: names.add(name) });
  }

  #inView(field, card) {
    const names = [];
    const value = card?.querySelector(".card-value");
    if (value && this.#headIsInView(value)) names.push("value");
    if (value && isUncovered(...middleOf(this.viewer.pane.list), this.viewer.pane.list)) names.push(...this.#piecesInView(field, card, value));
    if (this.shown?.fieldKey === field.fieldKey && this.shown.digest === field.seenDigest && this.#placeIsInView()) names.push(this.shown.name);
    return names;
  }

  // --- the value ------------------------------------------------------------------------------------

  // Every cell of a list, or every piece of a text that is too long for its box.
  #valueNames(field) {
    if (isTable(field)) {
      const columns = columnsOf(field.rawValue);
      return field.rawValue.flatMap((row, at) => columns.map((_, column) => `cell ${at} ${column}`));
    }
    const value = this.viewer.pane.card(field.fieldKey)?.querySelector(".card-value");
    const isLong = value && value.scrollHeight > value.clientHeight + 4;
    return isLong ? Array.from({ length: Math.ceil(value.scrollHeight / PIECE_PX) }, (_, at) => `piece ${at}`) : [];
  }

  #piecesInView(field, card, value) {
    if (isTable(field)) {
      this.#watchCells(card);
      return [...this.#cells].filter(([cell]) => cell.isConnected).map(([, name]) => name);
    }
    const top = value.getBoundingClientRect().top - value.scrollTop;
    const [above, below] = this.#inside(value.getBoundingClientRect());
    return this.#valueNames(field).filter((_, at) => {
      const [from, to] = [top + at * PIECE_PX, Math.min(top + (at + 1) * PIECE_PX, top + value.scrollHeight)];
      return Math.min(to, below) - Math.max(from, above) >= SHARE * (to - from);
    });
  }

  // A card that was drawn anew has other cells.
  #watchCells(card) {
    const table = card.querySelector(".item-table:not(.is-editor)");
    if (table === this.table) return;
    this.table = table;
    this.observer.disconnect();
    this.#cells.clear();
    table?.querySelectorAll("tbody tr").forEach((row, at) => [...row.children].forEach((cell, column) => {
      cell.dataset.cell = `cell ${at} ${column}`;
      this.observer.observe(cell);
    }));
  }

  // The first line is enough here: the rest of a long value is counted in pieces.
  #headIsInView(value) {
    const box = value.getBoundingClientRect();
    const line = Math.min(box.height, 20);
    const [above, below] = this.#inside(box);
    if (!box.width || below - above < SHARE * line || above > box.top + line) return false;
    return isUncovered(box.left + Math.min(box.width / 2, 40), above + Math.min(line, below - above) / 2, value.closest(".card"));
  }

  #inside(box) {
    const list = this.viewer.pane.list.getBoundingClientRect();
    return [Math.max(box.top, list.top, 0), Math.min(box.bottom, list.bottom, innerHeight)];
  }

  // --- the place ------------------------------------------------------------------------------------

  #sheet() {
    const { reader, sources } = this.viewer;
    const { place } = this.shown;
    const { page, box } = firstBox(place);
    const isOpen = reader.lit === place && reader.source?.id === place.sourceId && reader.source.sha256 === sources.get(place.sourceId)?.sha256;
    return { sheet: isOpen ? reader.sheets[page - 1] : null, box };
  }

  #placeIsInView() {
    const { reader } = this.viewer;
    const { sheet, box } = this.#sheet();
    if (!sheet || sheet.frame.dataset.drawn !== "true" || "faded" in reader.pages.dataset || isTooSmall(sheet, box, reader.scale)) return false;
    const clip = reader.scroller.getBoundingClientRect();
    const marks = ["value", "snippet", "block", "after"].map((strength) => [...sheet.marks.querySelectorAll(`.mark.${strength}`)]).find((found) => found.length) ?? [];
    return marks.length > 0 && marks.every((mark) => {
      const inner = within(mark.getBoundingClientRect(), clip);
      return inner.share >= SHARE && isUncovered(inner.x, inner.y, sheet.frame);
    });
  }

  #whyUnseen() {
    const { sheet, box } = this.shown ? this.#sheet() : {};
    if (!sheet) return "Its place is not on the screen: open the citation, then confirm.";
    if (sheet.frame.dataset.drawn !== "true") return "The page is still loading: confirm when its place is shown.";
    if (isTooSmall(sheet, box, this.viewer.reader.scale)) return "The page is too small to be read: enlarge it (+), then confirm.";
    return "Its place was out of view: look at it, then confirm.";
  }
}

// A page that is drawn small, or with a picture that was made for a smaller size.
function isTooSmall(sheet, box, scale) {
  const points = box.height * sheet.shape.height;
  return points * Math.min(scale, sheet.loadedWidth / sheet.shape.width) < LEGIBLE_PX;
}

function within(box, clip) {
  const [left, right] = [Math.max(box.left, clip.left, 0), Math.min(box.right, clip.right, innerWidth)];
  const [top, bottom] = [Math.max(box.top, clip.top, 0), Math.min(box.bottom, clip.bottom, innerHeight)];
  const area = Math.max(right - left, 0) * Math.max(bottom - top, 0);
  // what is larger than the window is seen when it fills most of it
  const most = Math.min(box.width, clip.width) * Math.min(box.height, clip.height);
  return { share: most > 0 ? area / most : 0, x: (left + right) / 2, y: (top + bottom) / 2 };
}

function middleOf(element) {
  const { left, top, width, height } = element.getBoundingClientRect();
  return [left + width / 2, top + height / 2];
}

function isUncovered(x, y, owner) {
  const found = document.elementFromPoint(x, y);
  return Boolean(found) && owner.contains(found);
}
