// What people decided: by reviewer and by field, each share with what it was counted from.

import { el } from "./dom.js";
import { plural } from "./messages.js";

const SPANS = { 7: "7 days", 30: "30 days", 90: "90 days", 365: "A year" };

// what a chart shows, for those who do not see it; its numbers are in the frames of the Python API
const PICTURES = {
  locate_rate: "Share of cited fields whose quotation was found in the documents, day by day.",
  reliability: "How often fields were right, by the confidence they had: on the diagonal a confidence means what it says.",
  disagreements: "The fields that reviewers corrected, or that the documents do not state, most often.",
  costs: "US dollars per claim, for extraction and for parsing.",
};

// one in each theme's colours, of which the other is hidden and so not loaded
function picture(name, text) {
  const figure = el("figure", { class: "picture" }, ["light", "dark"].map((theme) => el("img", {
    class: `only-${theme}`, src: `/api/pictures/${name}.svg?theme=${theme}`, alt: text, loading: "lazy", decoding: "async",
    on: { error: () => { figure.hidden = true; } },
  })));
  return figure;
}

export async function figuresView(page) {
  const days = page.days ?? 30;
  const { reviewers, fields } = await page.viewer.server.figures(days);
  const choose = el("select", { class: "input", "aria-label": "Of how many days", on: { change: () => { page.days = Number(choose.value); page.load(); } } },
    Object.entries(SPANS).map(([value, text]) => el("option", { value, text, selected: Number(value) === days })));
  const most = fields.slice(0, 200);
  return [
    el("div", { class: "team-tools" }, choose, el("p", { class: "muted", text: "A verdict is a confirmed, corrected or absent field; what was undone is left out. Time at work has no pauses over ten minutes in it." })),
    el("div", { class: "pictures" }, Object.entries(PICTURES).map(([name, text]) => picture(name, text))),
    el("h2", { text: "Reviewers" }),
    reviewers.length ? table("Reviewers", ["Reviewer", "Verdicts", "Claims", "Days", "Per hour at work", "Median time", "Looked at by others", "Changed by others", "Taken back"],
      reviewers.map((one) => [one.reviewer, one.verdicts, one.claims, one.days, one.perHour || "—", one.medianSeconds ? `${one.medianSeconds} s` : "—", one.judged, shareOf(one.overturned, one.judged), one.undone]))
      : el("p", { class: "muted empty", text: "Nobody decided anything in these days." }),
    most.length > 0 && el("h2", { text: "Fields" }),
    most.length > 0 && table("Fields", ["Field", "Verdicts", "Pipeline was right", "Corrected", "Marked absent", "Reviewers agreed"],
      most.map((one) => [one.fieldKey, one.verdicts, shareOf(one.confirmed, one.verdicts), one.corrected, one.markedAbsent, shareOf(one.agreed, one.judged)])),
    fields.length > most.length && el("p", { class: "muted", text: `The ${most.length} that were wrong most often, of ${plural(fields.length, "field")}.` }),
  ];
}

function shareOf(count, total) {
  return total ? `${Math.round((count / total) * 100)}% (${count} of ${total})` : "—";
}

function table(name, heads, rows) {
  return el("div", { class: "team-scroll", role: "region", "aria-label": name, tabindex: "0" }, el("table", { class: "team-table figures" },
    el("thead", {}, el("tr", {}, heads.map((text) => el("th", { scope: "col", text })))),
    el("tbody", {}, rows.map(([first, ...cells]) => el("tr", {}, el("th", { scope: "row" }, el("bdi", { text: first })), cells.map((text, index) => el("td", { text: String(text), data: { head: heads[index + 1] } })))))));
}
