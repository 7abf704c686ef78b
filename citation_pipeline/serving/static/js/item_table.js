// A list of items as a table: a row each, the citations of each cell, the sums of its amounts; and its editor.

import { el } from "./dom.js";
import { icon } from "./icons.js";
import { citationsOf } from "./places.js";
import { amountOf, columnsOf, headingOf } from "./values.js";

const cellText = (value) => (value === null || value === undefined ? "" : typeof value === "object" ? JSON.stringify(value) : typeof value === "boolean" ? (value ? "Yes" : "No") : String(value));

// Citations by the cell that they name ("[2].amount"), those of a whole row under its first column.
function citationsByCell(field, columns) {
  const cells = new Map();
  citationsOf(field).forEach((citation, index) => {
    const [, row, column] = /^\[(\d+)\](?:\.([\w-]+))?/.exec(citation.itemPath ?? "") ?? [];
    if (row === undefined) return;
    const key = `${row} ${columns.includes(column) ? column : columns[0]}`;
    cells.set(key, [...(cells.get(key) ?? []), index]);
  });
  return cells;
}

const isAmountColumn = (rows, column) => rows.some((row) => typeof row[column] === "number") && rows.every((row) => ["number", "undefined"].includes(typeof (row[column] ?? undefined)));

export function makeItemTable(field, viewer) {
  const rows = field.rawValue;
  const columns = columnsOf(rows);
  const cells = citationsByCell(field, columns);
  const amounts = columns.filter((column) => isAmountColumn(rows, column));
  const cite = (row, column) => (cells.get(`${row} ${column}`) ?? []).map((index) => el("button", {
    class: "cell-cite", data: { status: citationsOf(field)[index].status }, "aria-pressed": viewer.selected?.fieldKey === field.fieldKey && viewer.selected.citation === index,
    "aria-label": `Citation ${index + 1}, row ${row + 1}, ${headingOf(column)}`, title: "Show on the page", on: { click: () => viewer.select(field.fieldKey, index) },
  }, String(index + 1)));
  return el("div", { class: "item-table", tabindex: "0", role: "region", "aria-label": `${field.label} as a table` },
    el("table", {},
      el("thead", {}, el("tr", {}, columns.map((column) => el("th", { scope: "col", text: headingOf(column) })))),
      el("tbody", {}, rows.map((row, at) => el("tr", {}, columns.map((column) => el("td", { class: amounts.includes(column) ? "amount" : "" },
        el("bdi", { text: typeof row[column] === "number" ? amountOf(row[column]) : cellText(row[column]), title: typeof row[column] === "number" ? String(row[column]) : null }), cite(at, column)))))),
      amounts.length > 0 && rows.length > 1 && el("tfoot", {}, el("tr", {}, columns.map((column, at) => el("td", { class: amounts.includes(column) ? "amount" : "" },
        amounts.includes(column) ? amountOf(sumOf(rows, column)) : at === 0 ? `${rows.length} rows` : ""))))),
    sumCheck(field, rows, amounts, viewer));
}

export const sumOf = (rows, column) => Math.round(rows.reduce((sum, row) => sum + (Number(row[column]) || 0), 0) * 1e6) / 1e6;

// A total of the same category that the claim states itself, compared with the rows.
function sumCheck(field, rows, amounts, viewer) {
  if (rows.length < 2 || amounts.length !== 1) return null;
  const total = viewer.claim.fields.find((other) => other !== field && other.category === field.category && typeof other.rawValue === "number" && /(^|[._])total/.test(other.fieldKey));
  if (!total) return null;
  const sum = sumOf(rows, amounts[0]);
  const isSame = Math.abs(sum - total.rawValue) < 0.005;
  return el("p", { class: `note ${isSame ? "good" : "warn"}` }, icon(isSame ? "check" : "alert"),
    isSame ? `The rows add up to ${total.label}.` : `The rows add up to ${amountOf(sum)}, ${total.label} says ${amountOf(total.rawValue)}.`);
}

// A cell is heard with its row: "Amount, row 2".
function nameCells(row, number) {
  row.querySelectorAll("input").forEach((cell) => cell.setAttribute("aria-label", `${headingOf(cell.dataset.column)}, row ${number}`));
  row.querySelector("button").setAttribute("aria-label", `Remove row ${number}`);
}

// An editor whose value is the list as JSON: what the server takes.
export function makeItemEditor(field) {
  const columns = columnsOf(field.rawValue);
  const amounts = columns.filter((column) => isAmountColumn(field.rawValue, column));
  const input = el("textarea", { class: "input item-json", hidden: true, "aria-label": `${field.label} as JSON` });
  const body = el("tbody", {});
  const sums = el("p", { class: "muted item-sums", "aria-live": "polite" });
  const rowOf = (values) => {
    const cells = columns.map((column) => el("input", { class: "input", value: cellText(values[column]), "aria-label": headingOf(column), data: { column }, inputmode: amounts.includes(column) ? "decimal" : null }));
    const row = el("tr", {}, cells.map((cell) => el("td", {}, cell)), el("td", {}, el("button", { class: "icon-button", type: "button", "aria-label": "Remove this row", title: "Remove this row", on: { click: () => { row.remove(); [...body.children].forEach((left, at) => nameCells(left, at + 1)); collect(); } } }, icon("close"))));
    row.original = values;
    nameCells(row, body.children.length + 1);
    return row;
  };
  const read = (cell, original) => {
    const text = cell.value.trim();
    if (text === cellText(original)) return original; // untouched: its type stays
    if (!text) return null;
    const number = Number(text.replace(/[$,\s]/g, ""));
    return amounts.includes(cell.dataset.column) && !Number.isNaN(number) ? number : text;
  };
  const collect = () => {
    const rows = [...body.children].map((row) => Object.fromEntries([...row.querySelectorAll("input")]
      .map((cell) => [cell.dataset.column, read(cell, row.original[cell.dataset.column])]).filter(([, value]) => value !== undefined && value !== null)))
      .filter((row) => Object.keys(row).length);
    input.value = JSON.stringify(rows);
    sums.textContent = amounts.map((column) => `${headingOf(column)}: ${amountOf(sumOf(rows, column))}`).join(" · ");
    input.dispatchEvent(new Event("input"));
  };
  const fill = (rows) => {
    body.replaceChildren(...rows.map(rowOf));
    [...body.children].forEach((row, at) => nameCells(row, at + 1));
  };
  fill(field.rawValue);
  input.value = JSON.stringify(field.rawValue);
  body.addEventListener("input", collect);
  const add = el("button", { class: "button", type: "button", text: "Add a row", on: { click: () => { body.append(rowOf({})); body.lastElementChild.querySelector("input").focus(); } } });
  const table = el("div", { class: "item-table is-editor" }, el("table", {},
    el("thead", {}, el("tr", {}, columns.map((column) => el("th", { scope: "col", text: headingOf(column) })), el("th", {}, el("span", { class: "visually-hidden", text: "Remove" })))), body), sums, add);
  return { input, table, restore: () => { try { fill(JSON.parse(input.value)); } catch { fill(field.rawValue); } } };
}
