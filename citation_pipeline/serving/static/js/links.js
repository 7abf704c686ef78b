// Addresses of places: /claims/ID?field=…&citation=… or ?source=…&page=…&box=left,top,width,height.

export function readLink(address = location) {
  const match = /\/claims\/([^/?#]+)/.exec(address.pathname);
  const asked = new URLSearchParams(address.search || address.hash.replace(/^#\??/, "?"));
  const numbers = (asked.get("box") ?? "").split(",").map(Number);
  const [left, top, width, height] = numbers;
  const isBox = numbers.length === 4 && numbers.every((n) => Number.isFinite(n) && n >= 0 && n <= 1);
  return {
    teamView: /^\/(queue|figures|people)$/.exec(address.pathname)?.[1] ?? null,
    claimId: match ? safeDecode(match[1]) : null,
    fieldKey: asked.get("field"),
    citation: wholeOf(asked.get("citation")) ?? 0,
    sourceId: asked.get("source"),
    page: wholeOf(asked.get("page")) ?? 1,
    box: isBox ? { left, top, width, height } : null,
  };
}

function safeDecode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function wholeOf(text) {
  return text !== null && /^\d{1,7}$/.test(text) ? Number(text) : null;
}

export function linkOf({ claimId, fieldKey = null, citation = 0, sourceId = null, page = null, box = null }) {
  const asked = new URLSearchParams();
  if (fieldKey) {
    asked.set("field", fieldKey);
    asked.set("citation", String(citation));
  } else if (sourceId) {
    asked.set("source", sourceId);
    asked.set("page", String(page ?? 1));
    if (box) asked.set("box", [box.left, box.top, box.width, box.height].map((n) => n.toFixed(4)).join(","));
  }
  const query = asked.toString();
  if (location.protocol === "file:") return `#?${query}`; // an export has one page, so only its fragment may change
  return `/claims/${encodeURIComponent(claimId)}${query ? `?${query}` : ""}`;
}
