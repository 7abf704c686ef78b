// Boxes in the page frame: left, top, width, height in 0-1 of the displayed page, origin top left.

export function holds(box, x, y, margin = 0) {
  return x >= box.left - margin && x <= box.left + box.width + margin
    && y >= box.top - margin && y <= box.top + box.height + margin;
}

export function unionOf(boxes) {
  const left = Math.min(...boxes.map((b) => b.left));
  const top = Math.min(...boxes.map((b) => b.top));
  return {
    left, top,
    width: Math.max(...boxes.map((b) => b.left + b.width)) - left,
    height: Math.max(...boxes.map((b) => b.top + b.height)) - top,
  };
}

export function overlap(one, other) {
  const width = Math.min(one.left + one.width, other.left + other.width) - Math.max(one.left, other.left);
  const height = Math.min(one.top + one.height, other.top + other.height) - Math.max(one.top, other.top);
  if (width <= 0 || height <= 0) return 0;
  return (width * height) / Math.min(one.width * one.height, other.width * other.height);
}

// A point of a sheet that is shown turned by 0, 90, 180 or 270 degrees, back in the page frame.
export function unturned(x, y, turn) {
  if (turn === 90) return [y, 1 - x];
  if (turn === 180) return [1 - x, 1 - y];
  if (turn === 270) return [1 - y, x];
  return [x, y];
}

export function turned(x, y, turn) {
  return unturned(x, y, (360 - turn) % 360);
}

// Words [id, text, left, top, width, height, line] as one box per line.
export function lineBoxes(words) {
  const lines = new Map();
  for (const [, , left, top, width, height, line] of words) {
    const box = { left, top, width, height };
    lines.set(line, lines.has(line) ? unionOf([lines.get(line), box]) : box);
  }
  return [...lines.values()];
}

export function wordsInside(words, boxes) {
  return words.filter(([, , left, top, width, height]) =>
    boxes.some((box) => holds(box, left + width / 2, top + height / 2, 0.0005)));
}
