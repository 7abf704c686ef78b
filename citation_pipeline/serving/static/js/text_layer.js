// A page's words as transparent text over its image: it selects, copies and is found by the browser's search.

const canvas = document.createElement("canvas").getContext("2d");
canvas.font = "100px sans-serif";
const widths = new Map(); // of a text at 100 px: words repeat a lot

function widthOf(text) {
  let width = widths.get(text);
  if (width === undefined) {
    if (widths.size > 20000) widths.clear();
    width = canvas.measureText(text).width || 1;
    widths.set(text, width);
  }
  return width;
}

export function makeTextLayer(words, { width, height }) {
  const layer = document.createElement("div");
  layer.className = "text-layer";
  let lineBefore = null;
  for (const [id, text, left, top, w, h, line] of words) {
    if (lineBefore !== null && line !== lineBefore) layer.append(document.createElement("br"));
    lineBefore = line;
    // a text of a megabyte selects as well as its first thousand characters
    const shown = text.length > 1000 ? text.slice(0, 1000) : text;
    const span = document.createElement("span");
    span.textContent = `${shown} `;
    span.dataset.word = id;
    const size = Math.max(h * height, 0.5);
    span.style.left = `${left * 100}%`;
    span.style.top = `${top * 100}%`;
    span.style.setProperty("--size", size.toFixed(3));
    span.style.setProperty("--stretch", ((w * width) / ((widthOf(shown) / 100) * size)).toFixed(4));
    layer.append(span);
  }
  return layer;
}

// Word ids [first, last] that the browser's selection covers on one sheet's text layer, or null.
export function selectedWords(layer) {
  const selection = document.getSelection();
  if (!layer || !selection || selection.isCollapsed || selection.rangeCount === 0) return null;
  const range = selection.getRangeAt(0);
  if (!range.intersectsNode(layer)) return null;
  const ids = [];
  for (const span of layer.children) {
    if (span.dataset.word === undefined || !range.intersectsNode(span)) continue;
    const text = span.firstChild;
    const isTouchedOnly = (range.startContainer === text && range.startOffset >= text.length - 1)
      || (range.endContainer === text && range.endOffset === 0);
    if (!isTouchedOnly) ids.push(Number(span.dataset.word));
  }
  return ids.length ? [ids[0], ids[ids.length - 1]] : null;
}
