// What is lit on a page: boxes, or corners where text is not upright, in different strengths.

import { el } from "./dom.js";
import { unionOf } from "./geometry.js";

const percent = (n) => `${(n * 100).toFixed(4)}%`;

export function makeMark(box, strength) {
  return el("div", {
    class: `mark ${strength}`,
    style: { left: percent(box.left), top: percent(box.top), width: percent(box.width), height: percent(box.height) },
  });
}

function makePolygonMark(corners, strength) {
  const around = unionOf(corners.map(([left, top]) => ({ left, top, width: 0, height: 0 })));
  const mark = makeMark(around, strength);
  const inside = corners.map(([x, y]) =>
    `${percent((x - around.left) / (around.width || 1))} ${percent((y - around.top) / (around.height || 1))}`);
  mark.style.clipPath = `polygon(${inside.join(", ")})`;
  return mark;
}

// A word that was recognized twice with different letters: underlined, the other letters below it.
export function makeSecondReading({ bbox, second }) {
  return el("div", {
    class: "second-reading",
    style: { left: percent(bbox.left), top: percent(bbox.top), width: percent(bbox.width), height: percent(bbox.height) },
  }, el("bdi", { class: "second-text", text: second || "nothing" }));
}

// Regions {block, snippet, value} of one place, as the marks of one page.
export function marksOf(regions, page) {
  const marks = [];
  for (const strength of ["block", "snippet", "value", "before", "after"]) {
    for (const region of regions[strength] ?? []) {
      if (region.page !== page) continue;
      const polygons = strength === "block" ? [] : region.polygons ?? [];
      if (polygons.length) marks.push(...polygons.map((corners) => makePolygonMark(corners, strength)));
      else marks.push(...region.boxes.map((box) => makeMark(box, strength)));
    }
  }
  return marks;
}
