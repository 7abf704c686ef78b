// Who may sign in: for a lead to see, for an administrator to give and withdraw tokens.

import { el, toast } from "./dom.js";

const ROLES = ["viewer", "reviewer", "lead", "administrator"];

export async function peopleView(page) {
  const { server, session } = page.viewer;
  const { people } = await server.people();
  return [
    el("div", { class: "team-scroll", role: "region", "aria-label": "People", tabindex: "0" }, el("table", { class: "team-table" },
      el("thead", {}, el("tr", {}, ["Name", "Role", "Claims"].map((text) => el("th", { scope: "col", text })), session.canAdminister && el("th", { scope: "col" }, el("span", { class: "visually-hidden", text: "Actions" })))),
      el("tbody", {}, people.map((one) => el("tr", {},
        el("th", { scope: "row" }, el("bdi", { text: one.name })),
        el("td", { text: one.role ?? "by another sign-in", data: { head: "Role" } }),
        el("td", { text: one.claims.length ? one.claims.join(", ") : one.role ? "all" : "—", data: { head: "Claims" } }),
        session.canAdminister && el("td", { class: "team-actions" }, one.tokenId !== null && el("button", {
          class: "button", text: "Withdraw", "aria-label": `Withdraw the token of ${one.name}`,
          on: { click: async () => { await server.withdrawToken(one.tokenId).catch((error) => toast(error.message, { kind: "error" })); page.load(); } },
        }))))))),
    session.canAdminister && session.hasTeam && tokenForm(page),
  ];
}

function tokenForm(page) {
  const name = el("input", { class: "input", required: true, maxlength: "200", "aria-label": "Name", placeholder: "Name", autocomplete: "off" });
  const role = el("select", { class: "input", "aria-label": "Role" }, ROLES.map((value) => el("option", { value, text: value, selected: value === "reviewer" })));
  const claims = el("input", { class: "input", maxlength: "500", "aria-label": "Claims", placeholder: "Claims: all, or patterns such as N-2025-*", autocomplete: "off" });
  const made = el("div", { class: "token-made", role: "status" });
  const give = async (wanted) => {
    const given = await page.viewer.server.giveToken(wanted).catch((error) => {
      if (error.code !== "name_taken") throw error;
      made.replaceChildren(el("p", { text: `${error.message} Two people need two names.` }), el("button", {
        class: "button", type: "button", text: "It is the same person",
        on: { click: () => give({ ...wanted, samePerson: true }).catch((other) => toast(other.message, { kind: "error" })) },
      }));
    });
    if (!given) return;
    made.replaceChildren(el("p", { text: `The token of ${given.name}, shown this once:` }), el("code", { text: given.secret }));
    name.value = claims.value = "";
  };
  return el("form", { class: "token-form", "aria-label": "Give a token", on: { submit: async (event) => {
    event.preventDefault();
    try {
      const patterns = claims.value.split(/[\s,]+/).filter((part) => part && part !== "all");
      await give({ name: name.value, role: role.value, claims: patterns });
    } catch (error) {
      toast([error.message, error.remedy].filter(Boolean).join(" "), { kind: "error" });
    }
  } } }, el("h2", { text: "Give a token" }), el("div", { class: "token-fields" }, name, role, claims, el("button", { class: "button primary", text: "Give" })), made);
}
