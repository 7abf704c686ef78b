// Which places a person has had on the screen: a confirmation signs for these and for no others.

export class SeenPlaces {
  #byField = new Map(); // fieldKey -> {digest, citations: Set}

  constructor(reader) {
    this.reader = reader;
    reader.addEventListener("drawn", () => this.#settle());
  }

  // A citation's own place is highlighted; it counts once its page is drawn.
  show(field, citation, place, placeIndex) {
    this.waiting = placeIndex === 0 ? { field, citation, page: place.page, sourceId: place.sourceId } : null;
    this.#settle();
  }

  // Positions of the field's citations that were seen as they are now.
  of(field) {
    const known = this.#byField.get(field.fieldKey);
    if (known?.digest !== field.seenDigest) return [];
    return [...known.citations].filter((position) => position < field.citations.length).sort((a, b) => a - b);
  }

  #settle() {
    if (!this.waiting) return;
    const { field, citation, page, sourceId } = this.waiting;
    if (this.reader.source?.id !== sourceId || !this.reader.isDrawn(page)) return;
    const known = this.#byField.get(field.fieldKey);
    const entry = known?.digest === field.seenDigest ? known : { digest: field.seenDigest, citations: new Set() };
    entry.citations.add(citation);
    this.#byField.set(field.fieldKey, entry);
    this.waiting = null;
  }
}
