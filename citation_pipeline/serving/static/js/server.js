// Where the data come from: the server over HTTP, or an export's folder opened from disk.

export class ServerError extends Error {
  constructor(status, error) {
    super(error?.message || `The server answered ${status}.`);
    this.status = status;
    this.code = error?.code ?? "";
    this.remedy = error?.remedy ?? "";
  }
}

async function ask(path, { method = "GET", body = null } = {}) {
  const answer = await fetch(path, {
    method,
    credentials: "same-origin",
    headers: {
      ...(body ? { "Content-Type": "application/json" } : {}),
      ...(method === "GET" ? {} : { "X-Citation-Viewer": "1" }),
    },
    body: body ? JSON.stringify(body) : null,
  }).catch(() => { throw new ServerError(0, { code: "offline", message: "The server does not answer." }); });
  if (answer.status === 204) return null;
  const isJson = (answer.headers.get("content-type") ?? "").includes("json");
  const content = isJson ? await answer.json() : null;
  if (!answer.ok) throw new ServerError(answer.status, content?.error);
  return content;
}

const part = encodeURIComponent;

export class HttpServer {
  isLive = true;
  #changes = 0; // of claims, by this tab, that the server has kept

  session() { return ask("/api/session"); }
  waysIn() { return ask("/api/sign-in"); }
  signIn(token) { return ask("/api/session", { method: "POST", body: { token } }); }
  signOut() { return ask("/api/session", { method: "DELETE" }); }
  claims({ q = "", offset = 0, show = "all", limit = 50 } = {}) { return ask(`/api/claims?limit=${limit}&offset=${offset}&show=${show}&q=${part(q)}`); }
  extract(wanted) { return ask("/extract", { method: "POST", body: wanted }); }

  // fetch tells nothing of how much has been sent
  upload(claimId, files, onProgress) {
    const body = new FormData();
    body.append("claim_id", claimId);
    for (const file of files) body.append("files", file, file.name);
    return new Promise((resolve, reject) => {
      const sent = new XMLHttpRequest();
      sent.open("POST", "/upload");
      sent.setRequestHeader("X-Citation-Viewer", "1");
      sent.responseType = "json";
      sent.upload.addEventListener("progress", ({ loaded, total }) => onProgress(total ? loaded / total : 0));
      sent.addEventListener("load", () => (sent.status < 300 ? resolve(sent.response) : reject(new ServerError(sent.status, sent.response?.error))));
      sent.addEventListener("error", () => reject(new ServerError(0, { code: "offline", message: "The upload was cut off." })));
      sent.send(body);
    });
  }

  async #change(path, request) {
    const answer = await ask(path, request);
    this.#changes += 1;
    return answer;
  }

  // A claim that was on its way while this tab changed something may be as it was before: it is read again.
  async claim(id) {
    const before = this.#changes;
    const claim = await ask(`/api/claims/${part(id)}`);
    return before === this.#changes ? claim : this.claim(id);
  }

  find(id, sourceId, text) { return ask(`/api/claims/${part(id)}/find`, { method: "POST", body: { sourceId, text } }); }
  decide(id, decision) { return this.#change(`/api/claims/${part(id)}/verifications`, { method: "POST", body: decision }); }
  history(id, fieldKey) { return ask(`/api/claims/${part(id)}/verifications?field=${part(fieldKey)}`); }

  events(id, tab) { return `/api/claims/${part(id)}/events?tab=${tab}`; }
  notePresence(id, presence) { return ask(`/api/claims/${part(id)}/presence`, { method: "POST", body: presence }); }

  queue({ show = "open", limit = 100 } = {}) { return ask(`/api/queue?show=${show}&limit=${limit}`); }
  nextClaim(wanted) { return ask("/api/queue/next", { method: "POST", body: wanted }); }
  hands(id) { return ask(`/api/claims/${part(id)}/lease`); }
  take(id, taking) { return ask(`/api/claims/${part(id)}/lease`, { method: "POST", body: taking }); }
  giveBack(id) { return ask(`/api/claims/${part(id)}/lease`, { method: "DELETE" }); }
  assign(id, person) { return ask(`/api/claims/${part(id)}/assignment`, { method: "PUT", body: { person } }); }
  figures(days) { return ask(`/api/figures?days=${days}`); }
  people() { return ask("/api/people"); }
  giveToken(wanted) { return ask("/api/tokens", { method: "POST", body: wanted }); }
  withdrawToken(id) { return ask(`/api/tokens/${id}`, { method: "DELETE" }); }

  redactions(id) { return ask(`/api/claims/${part(id)}/redactions`); }
  drawRedaction(id, box) { return ask(`/api/claims/${part(id)}/redactions`, { method: "POST", body: box }); }
  removeRedaction(id, redaction) { return ask(`/api/claims/${part(id)}/redactions/${redaction}`, { method: "DELETE" }); }

  // the archive comes as an answer to a request with a body, so that no text to redact is in an address
  async production(id, wanted) {
    const answer = await fetch(`/api/claims/${part(id)}/production`, {
      method: "POST", credentials: "same-origin", headers: { "Content-Type": "application/json", "X-Citation-Viewer": "1" }, body: JSON.stringify(wanted),
    }).catch(() => { throw new ServerError(0, { code: "offline", message: "The server does not answer." }); });
    if (!answer.ok) throw new ServerError(answer.status, (await answer.json().catch(() => null))?.error);
    const address = URL.createObjectURL(await answer.blob());
    Object.assign(document.createElement("a"), { href: address, download: `${id}-production.zip` }).click();
    setTimeout(() => URL.revokeObjectURL(address), 60_000);
  }

  divide(id, sourceId, starts) { return this.#change(`/api/claims/${part(id)}/sources/${part(sourceId)}/parts`, { method: "PUT", body: { starts } }); }

  held(id) { return ask(`/api/claims/${part(id)}/held`); }
  decideHeld(id, decision) { return ask(`/api/claims/${part(id)}/held`, { method: "POST", body: decision }); }

  async words(id, source, page) {
    return (await ask(`/api/claims/${part(id)}/sources/${part(source.id)}/pages/${page}/words`)).words;
  }

  pageImage(id, source, page, width) {
    const version = String(source.sha256 ?? "").slice(0, 16);
    return `/api/claims/${part(id)}/sources/${part(source.id)}/pages/${page}/image?w=${width}&v=${version}`;
  }

  original(id, source) { return `/api/claims/${part(id)}/sources/${part(source.id)}/original`; }
  evidence(id) { return `/api/claims/${part(id)}/evidence.zip`; }
}

export class ExportFolder {
  isLive = false;
  #words = new Map();

  constructor(exported) { this.exported = exported; }

  async session() { return { name: "", role: "viewer", canReview: false, canSignOut: false, fadeSeconds: this.exported.fadeSeconds, highlight: this.exported.highlight }; }
  async claims() { return { total: 1, offset: 0, claims: [this.exported.summary] }; }
  async claim() { return this.exported.dataset; }
  async history(_, fieldKey) { return { events: this.exported.history[fieldKey] ?? [] }; }
  async words(_, source, page) { return (await this.#document(source))[page] ?? []; }

  async find(_, source, text) {
    const wanted = text.toLowerCase().split(/\s+/).filter(Boolean);
    const pages = await this.#document({ id: source });
    const hits = [];
    for (const [page, words] of Object.entries(pages)) {
      for (let at = 0; at + wanted.length <= words.length; at += 1) {
        if (wanted.every((part, i) => words[at + i][1].toLowerCase().includes(part))) {
          const boxes = words.slice(at, at + wanted.length).map(([, , left, top, width, height]) => ({ left, top, width, height }));
          hits.push({ page: Number(page), boxes });
        }
      }
    }
    return { hits, isComplete: true };
  }

  pageImage(_, source, page) { return this.exported.images[source.id]?.[page - 1] ?? ""; }
  original() { return null; }
  evidence() { return null; }

  // a page opened from disk may not fetch, but it may load scripts of its own folder
  #document(source) {
    const path = this.exported.words[source.id];
    if (!path) return Promise.resolve({});
    if (!this.#words.has(source.id)) {
      this.#words.set(source.id, new Promise((resolve) => {
        const script = document.createElement("script");
        script.src = path;
        script.onload = () => resolve(this.exported.loaded[source.id] ?? {});
        script.onerror = () => resolve({});
        document.head.append(script);
      }));
    }
    return this.#words.get(source.id);
  }
}

export function connect() {
  return globalThis.CITATION_EXPORT ? new ExportFolder(globalThis.CITATION_EXPORT) : new HttpServer();
}
