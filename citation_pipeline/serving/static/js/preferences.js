// What a person set for this browser. A browser that keeps nothing works as well.

const PREFIX = "citation-viewer.";

export function getPreference(name, fallback) {
  try {
    const kept = localStorage.getItem(PREFIX + name);
    return kept === null ? fallback : JSON.parse(kept);
  } catch {
    return fallback;
  }
}

export function setPreference(name, value) {
  try {
    localStorage.setItem(PREFIX + name, JSON.stringify(value));
  } catch {
    // private windows and exports opened from disk may refuse
  }
}

export function applyTheme(theme = getPreference("theme", "auto")) {
  const isDark = theme === "dark" || (theme === "auto" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.dataset.theme = isDark ? "dark" : "light";
  return isDark;
}

export function toggleTheme() {
  const isDark = document.documentElement.dataset.theme === "dark";
  setPreference("theme", isDark ? "light" : "dark");
  return applyTheme();
}
