// Values in a reader's form; the stored form stays at hand as a title.

import { citationsOf } from "./places.js";

const DAY = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeZone: "UTC" });

// {text, stored}: `stored` is empty where the two are the same.
export function readable(field) {
  const stored = String(field.value ?? "");
  const text = formOf(field, stored);
  return { text, stored: text === stored ? "" : stored };
}

function formOf(field, stored) {
  if (field.valueType === "date" && /^\d{4}-\d{2}-\d{2}$/.test(stored)) {
    const day = new Date(`${stored}T00:00:00Z`);
    return Number.isNaN(day.getTime()) ? stored : DAY.format(day);
  }
  // an amount is one whose documents write it as one: a year or a count keeps its digits
  if (field.valueType === "number" && typeof field.rawValue === "number" && citationsOf(field).some(({ snippet }) => /\$\s?\d|\d,\d{3}|\d\.\d{2}\b/.test(snippet ?? ""))) {
    return amountOf(field.rawValue);
  }
  return stored;
}

// How sure a value is in a word, as `core/viewer/sureness.py` has it: never surer than its fitted confidence.
export function sureOf({ confidence, fieldConfidence }) {
  const fitted = fieldConfidence?.value;
  const words = [confidence, fitted === undefined ? null : fitted <= 0.5 ? "low" : fitted < 0.8 ? "medium" : "high"];
  return ["low", "medium", "high"].find((word) => words.includes(word)) ?? null;
}

// A likelihood in percent, never rounded up: nothing that is judged is certain.
export function percentOf(share) { return Math.min(99, Math.floor(share * 100 + 1e-9)); }

export function amountOf(number) {
  return number.toLocaleString(undefined, { minimumFractionDigits: Number.isInteger(number) ? 0 : 2, maximumFractionDigits: 4 });
}

export function isTable(field) {
  return Array.isArray(field.rawValue) && field.rawValue.length > 0 && field.rawValue.every((item) => item && typeof item === "object" && !Array.isArray(item));
}

// The columns of a list: every key of its rows, in the order they are first seen.
export function columnsOf(rows) {
  return [...new Set(rows.flatMap((row) => Object.keys(row)))];
}

export function headingOf(key) {
  const words = key.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}
