// Typing a field's value, or a remark about it.

import { el } from "./dom.js";
import { makeItemEditor } from "./item_table.js";
import { isTable } from "./values.js";

function form({ label, input, save, onSave, onCancel, isLong, draft, table = null, restore = () => {} }) {
  if (draft.text !== null) input.value = draft.text;
  restore();
  input.addEventListener("input", () => draft.keep(input.value));
  const problem = el("p", { class: "problem", role: "alert", hidden: true });
  const submit = async () => {
    problem.hidden = true;
    try {
      await onSave(input.value);
    } catch (error) {
      problem.textContent = [error.message, error.remedy].filter(Boolean).join(" ");
      problem.hidden = false;
      input.focus();
    }
  };
  (table ?? input).addEventListener("keydown", (event) => {
    event.stopPropagation();
    if (event.key === "Escape") onCancel();
    if (event.key === "Enter" && (!isLong || event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      submit();
    }
  });
  return el("div", { class: "editor" },
    table ? [el("span", { class: "editor-label", text: label }), table, input] : el("label", {}, el("span", { class: "editor-label", text: label }), input),
    problem,
    el("div", { class: "editor-buttons" },
      el("button", { class: "button primary", text: save, on: { click: submit } }),
      el("button", { class: "button", text: "Cancel", on: { click: onCancel } }),
      el("span", { class: "muted", text: isLong ? "Ctrl Enter saves" : "Enter saves" })));
}

export function makeValueEditor(field, actions) {
  const options = field.enum ?? (field.valueType === "boolean" ? ["Yes", "No"] : null);
  const isLong = field.valueType === "array" || String(field.value).length > 70;
  if (isTable(field)) {
    return form({ label: `Rows of ${field.label}`, save: "Save rows", isLong: true, ...makeItemEditor(field), ...actions });
  }
  let input;
  if (options) {
    input = el("select", { class: "input" }, options.map((option) =>
      el("option", { value: option, text: option, selected: option === field.value })));
  } else if (isLong) {
    input = el("textarea", { class: "input", rows: "5", maxlength: "20000" });
    input.value = linesOf(field);
  } else {
    input = el("input", { class: "input", type: "text", maxlength: "20000", placeholder: field.valueType === "date" ? "2024-03-14" : "" });
    input.value = field.value;
  }
  return form({ label: `Value of ${field.label}`, input, save: "Save value", isLong, ...actions });
}

export function makeCommentEditor(field, actions) {
  const input = el("textarea", { class: "input", rows: "3", maxlength: "5000" });
  return form({ label: `Remark on ${field.label}`, input, save: "Add remark", isLong: true, ...actions });
}

function linesOf(field) {
  if (!Array.isArray(field.rawValue)) return field.value;
  return field.rawValue.every((item) => typeof item === "string")
    ? field.rawValue.join("\n") : JSON.stringify(field.rawValue, null, 1);
}
