// The few line drawings of the interface, 16 by 16.

const PATHS = {
  absent: "M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11M4.2 4.2l7.6 7.6",
  alert: "M8 2.5 14 13H2zM8 6.5v3M8 11.2v.1",
  check: "M3 8.5l3.2 3.2L13 4.8",
  beside: "M2.5 3h4.7v10H2.5zM8.8 3h4.7v10H8.8z",
  chevron: "M6 4l4 4-4 4",
  close: "M4 4l8 8M12 4l-8 8",
  comment: "M2.5 3.5h11v7.5H7l-3 2.5V11H2.5z",
  differences: "M2.5 4.5h4M2.5 8h3M2.5 11.5h4M9.5 4.5h4M9.5 11.5h4M9.2 6.6l3.6 2.8M12.8 6.6l-3.6 2.8",
  documents: "M5 2.5h5l3 3v8H5zM10 2.5v3h3M3 5v10.2h7.5",
  download: "M8 2.5v7.5M4.8 7 8 10.2 11.2 7M3 13.2h10",
  edit: "M3 13l.6-2.8 7-7 2.2 2.2-7 7zM9.4 4.4l2.2 2.2",
  empty: "M8 3a5 5 0 1 0 0 10A5 5 0 0 0 8 3",
  fit_page: "M3 2.5h10v11H3zM8 4.8v6.4M6.6 6.2 8 4.8l1.4 1.4M6.6 9.8 8 11.2l1.4-1.4",
  fit_width: "M2.5 3v10M13.5 3v10M4.5 8h7M6 6.5 4.5 8 6 9.5M10 6.5 11.5 8 10 9.5",
  history: "M3 8a5 5 0 1 0 1.6-3.7M3 2.8v2.4h2.4M8 5.2V8l2 1.4",
  keyboard: "M1.8 4h12.4v8H1.8zM4 6.5h.1M6.5 6.5h.1M9 6.5h.1M11.5 6.5h.1M5 9.5h6",
  link: "M6.8 9.2 9.2 6.8M7.5 4.8l1.3-1.3a2.6 2.6 0 0 1 3.7 3.7l-1.3 1.3M8.5 11.2l-1.3 1.3a2.6 2.6 0 0 1-3.7-3.7l1.3-1.3",
  marks: "M3 12.8h10M5 9.5 10.5 4l1.9 1.9L6.9 11.4 4.5 12z",
  more: "M3.5 8h.1M8 8h.1M12.5 8h.1",
  upload: "M8 10.5V3M4.8 6 8 2.8 11.2 6M3 13.2h10",
  person: "M8 2.8a2.6 2.6 0 1 0 0 5.2 2.6 2.6 0 0 0 0-5.2M3 13.5c.4-2.8 2.4-4 5-4s4.6 1.2 5 4",
  menu: "M2.5 4h11M2.5 8h11M2.5 12h11",
  minus: "M3.5 8h9",
  moon: "M12.8 9.6A5.3 5.3 0 0 1 6.4 3.2a5.3 5.3 0 1 0 6.4 6.4z",
  next: "M6 3.5 10.5 8 6 12.5",
  pin: "M8 14s4.3-4.1 4.3-7.2a4.3 4.3 0 0 0-8.6 0C3.7 9.9 8 14 8 14zM8 5.4v2.8M6.6 6.8h2.8",
  plus: "M3.5 8h9M8 3.5v9",
  previous: "M10 3.5 5.5 8l4.5 4.5",
  redact: "M2.5 4h11M2.5 12h11M3.5 6.5h9v3h-9z",
  rotate: "M12.8 8A4.8 4.8 0 1 1 11 4.2M11.4 1.8v2.8H8.6",
  search: "M7 2.8a4.2 4.2 0 1 0 0 8.4 4.2 4.2 0 0 0 0-8.4M10.2 10.2l3.3 3.3",
  sun: "M8 5.2a2.8 2.8 0 1 0 0 5.6 2.8 2.8 0 0 0 0-5.6M8 1.5v1.2M8 13.3v1.2M1.5 8h1.2M13.3 8h1.2M3.4 3.4l.9.9M11.7 11.7l.9.9M12.6 3.4l-.9.9M4.3 11.7l-.9.9",
  thumbnails: "M2.5 3h4v4.2h-4zM2.5 9h4v4.2h-4zM9 4h4.5M9 6h3M9 10h4.5M9 12h3",
  undo: "M3 6.5h6.3a3.4 3.4 0 0 1 0 6.8H6M5.6 3.8 3 6.5l2.6 2.7",
};

const SVG = "http://www.w3.org/2000/svg";

export function icon(name) {
  const drawing = document.createElementNS(SVG, "svg");
  drawing.setAttribute("viewBox", "0 0 16 16");
  drawing.setAttribute("class", "icon");
  drawing.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", PATHS[name]);
  drawing.append(path);
  return drawing;
}
