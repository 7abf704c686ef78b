// The border between pages and data: dragged, or moved with the arrow keys.

import { getPreference, setPreference } from "./preferences.js";

const STEP = 24;

export function makeDivider(divider, app) {
  const limits = () => [300, Math.max(320, Math.min(900, innerWidth - 420))];
  const set = (wanted) => {
    const [least, most] = limits();
    const width = Math.round(Math.min(Math.max(wanted, least), most));
    app.style.setProperty("--data", `${width}px`);
    divider.setAttribute("aria-valuenow", width);
    divider.setAttribute("aria-valuemax", most);
    return width;
  };
  let width = set(getPreference("dataWidth", innerWidth > 1500 ? 500 : 430));
  divider.addEventListener("pointerdown", (event) => {
    divider.setPointerCapture(event.pointerId);
    divider.classList.add("is-moving");
    event.preventDefault();
  });
  divider.addEventListener("pointermove", (event) => {
    if (divider.hasPointerCapture(event.pointerId)) width = set(innerWidth - event.clientX - divider.offsetWidth / 2);
  });
  divider.addEventListener("lostpointercapture", () => {
    divider.classList.remove("is-moving");
    setPreference("dataWidth", width);
  });
  divider.addEventListener("dblclick", () => setPreference("dataWidth", (width = set(430))));
  divider.addEventListener("keydown", (event) => {
    const [least, most] = limits();
    const by = event.shiftKey ? STEP * 4 : STEP;
    const wanted = { ArrowLeft: width + by, ArrowRight: width - by, Home: most, End: least }[event.key];
    if (wanted === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    setPreference("dataWidth", (width = set(wanted)));
  });
  addEventListener("resize", () => { width = set(width); });
}
