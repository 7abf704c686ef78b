// Signing in, and the list of keys.

import { el } from "./dom.js";

export async function askToken(server) {
  const { byToken, byProvider } = await server.waysIn().catch(() => ({ byToken: true, byProvider: false }));
  const here = location.pathname + location.search;
  const provider = byProvider && el("a", { class: "button primary", href: `/api/oidc/login?to=${encodeURIComponent(here)}`, text: "Sign in with your organization" });
  if (provider && !byToken) {
    const dialog = el("dialog", { class: "dialog", "aria-label": "Sign in" }, el("div", { class: "sign-in" }, el("h1", { text: "Sign in" }), el("p", { class: "muted", text: "This claim store asks who you are." }), provider));
    dialog.addEventListener("cancel", (event) => event.preventDefault());
    document.body.append(dialog);
    dialog.showModal();
    return new Promise(() => {}); // the page is left
  }
  return new Promise((resolve) => {
    const input = el("input", { class: "input", type: "password", autocomplete: "current-password", "aria-label": "Access token", maxlength: "500", autofocus: true });
    const problem = el("p", { class: "problem", role: "alert", hidden: true });
    const form = el("form", { class: "sign-in", method: "dialog" },
      el("h1", { text: "Sign in" }), el("p", { class: "muted", text: "This claim store asks who you are. Enter the access token you were given." }),
      input, problem, el("button", { class: `button${provider ? "" : " primary"}`, text: "Sign in" }), provider);
    const dialog = el("dialog", { class: "dialog", "aria-label": "Sign in" }, form);
    dialog.addEventListener("cancel", (event) => event.preventDefault());
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      try {
        await server.signIn(input.value);
        dialog.remove();
        resolve();
      } catch (error) {
        problem.textContent = [error.message, error.remedy].filter(Boolean).join(" ");
        problem.hidden = false;
        input.select();
      }
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}

export function showKeys(commands, { areOn, setOn }) {
  const groups = new Map();
  for (const command of commands) {
    if (!command.label) continue;
    if (!groups.has(command.group)) groups.set(command.group, []);
    groups.get(command.group).push(command);
  }
  const toggle = el("input", { type: "checkbox", checked: areOn, on: { change: () => setOn(toggle.checked) } });
  const dialog = el("dialog", { class: "dialog keys", "aria-label": "Keyboard shortcuts" },
    el("h1", { text: "Keyboard shortcuts" }),
    el("div", { class: "key-groups" }, [...groups].map(([group, members]) => el("section", {}, el("h2", { text: group }),
      el("dl", {}, members.map(({ keys, label }) => [el("dt", {}, keys.map((key) => el("kbd", { text: NAMES[key] ?? key }))), el("dd", { text: label })]))))),
    el("footer", {}, el("label", { class: "muted" }, toggle, " Single-key shortcuts"),
      el("button", { class: "button", text: "Close", autofocus: true, on: { click: () => dialog.close() } })));
  dialog.addEventListener("close", () => dialog.remove());
  dialog.addEventListener("keydown", (event) => event.stopPropagation());
  dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
  document.body.append(dialog);
  dialog.showModal();
}

const NAMES = { ArrowDown: "↓", ArrowUp: "↑", Escape: "Esc", "-": "−" };
