// Making elements without markup: text stays text, styles go through the CSSOM (the policy allows no inline).

export function el(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined) continue;
    if (name.startsWith("aria-")) node.setAttribute(name, String(value)); // "false" says something here
    else if (value === false) continue;
    else if (name === "on") for (const [type, listener] of Object.entries(value)) node.addEventListener(type, listener);
    else if (name === "style") for (const [property, given] of Object.entries(value)) node.style.setProperty(property, given);
    else if (name === "data") Object.assign(node.dataset, value);
    else if (name === "text") node.textContent = value;
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  append(node, children);
  return node;
}

export function append(node, children) {
  for (const child of children.flat(Infinity)) {
    if (child !== null && child !== undefined && child !== false) node.append(child);
  }
  return node;
}

export function replace(node, ...children) {
  node.replaceChildren();
  return append(node, children);
}

export function announce(text) {
  const region = document.getElementById("announcements");
  region.textContent = "";
  // a screen reader speaks a change, so the same sentence twice needs a moment without it
  requestAnimationFrame(() => { region.textContent = text; });
}

export function toast(text, { kind = "info", action = null, label = "" } = {}) {
  const close = () => note.remove();
  const note = el("div", { class: `toast ${kind}`, role: kind === "error" ? "alert" : "status" }, el("span", { text }),
    action && el("button", { class: "link", text: label, on: { click: () => { close(); action(); } } }));
  const shelf = document.getElementById("toasts");
  while (shelf.childElementCount > 2) shelf.firstElementChild.remove();
  shelf.append(note);
  setTimeout(close, kind === "error" ? 9000 : 5000);
}

export function debounce(wait, call) {
  let timer = 0;
  return (...given) => {
    clearTimeout(timer);
    timer = setTimeout(() => call(...given), wait);
  };
}

export function isTyping(target) {
  return target instanceof HTMLElement
    && (target.isContentEditable || ["INPUT", "TEXTAREA", "SELECT"].includes(target.tagName));
}
