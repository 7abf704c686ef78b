// The Questions panel: ask the open claim, see the sources, click one, the page lights up. With ?debug in the
// address, also what retrieval found before and after it was ranked again. It stands beside the viewer and talks
// to it by addresses alone.

const INTENT = { "content-type": "application/json", "x-citation-viewer": "1" };

function make(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined) node.setAttribute(name, value);
  }
  node.append(...children.filter((child) => child !== null));
  return node;
}

const claimId = () => {
  const match = /\/claims\/([^/?#]+)/.exec(location.pathname);
  return match ? decodeURIComponent(match[1]) : null;
};

class Questions {
  constructor() {
    this.isDebug = new URLSearchParams(location.search).has("debug");
    this.input = make("input", {
      type: "text", id: "question", maxlength: "1000", autocomplete: "off", placeholder: "Ask this claim…", "aria-label": "Question",
    });
    this.button = make("button", { type: "submit" }, "Ask");
    this.answer = make("div", { class: "q-answer", role: "status", "aria-live": "polite" });
    this.panel = make("section", { class: "questions", id: "questions", "aria-label": "Questions", hidden: "" },
      make("header", {},
        make("h2", {}, "Questions"),
        make("button", { type: "button", class: "q-close", "aria-label": "Close questions", onclick: () => this.toggle(false) }, "×")),
      make("form", { onsubmit: (event) => this.ask(event) }, this.input, this.button),
      this.answer);
    this.opener = make("button", {
      type: "button", class: "q-open", id: "open-questions", "aria-controls": "questions", "aria-expanded": "false",
      onclick: () => this.toggle(this.panel.hidden),
    }, "Ask");
    document.body.append(this.panel);
    this.place();
    this.panel.addEventListener("keydown", (event) => {
      event.stopPropagation(); // the viewer's single-letter commands are not for who types a question
      if (event.key === "Escape") this.toggle(false);
    });
  }

  // The viewer leaves a place for the button among its tools; it appears once somebody is signed in.
  place() {
    const slot = document.querySelector(".ask-slot");
    if (slot) {
      slot.append(this.opener);
      return;
    }
    const watcher = new MutationObserver(() => {
      const found = document.querySelector(".ask-slot");
      if (!found) return;
      watcher.disconnect();
      found.append(this.opener);
    });
    watcher.observe(document.getElementById("reader"), { childList: true, subtree: true });
  }

  toggle(isOpen) {
    this.panel.hidden = !isOpen;
    this.opener.setAttribute("aria-expanded", String(isOpen));
    (isOpen ? this.input : this.opener).focus();
  }

  async post(path, body) {
    const reply = await fetch(path, { method: "POST", headers: INTENT, body: JSON.stringify(body), credentials: "same-origin" });
    const answer = await reply.json();
    if (!reply.ok) throw new Error([answer.error?.message, answer.error?.remedy].filter(Boolean).join(" "));
    return answer;
  }

  async ask(event) {
    event.preventDefault();
    const question = this.input.value.trim();
    const claim = claimId();
    if (!question) return;
    if (!claim) { this.say("Open a claim first."); return; }
    this.button.disabled = true;
    this.say("Looking…");
    try {
      const body = { question, claim_id: claim };
      const answer = await this.post("/ask", body);
      this.show(claim, answer, this.isDebug ? await this.post("/api/ask/debug", body) : null);
    } catch (error) {
      this.say(error.message || "The server did not answer.");
    } finally {
      this.button.disabled = false;
    }
  }

  say(text) { this.answer.replaceChildren(make("p", { class: "q-note" }, text)); }

  show(claim, answer, debug) {
    const parts = answer.confidence;
    const breakdown = ["top_match", "agreement", "coverage", "keyword_signal"]
      .map((name) => `${name.replaceAll("_", " ")} ${Math.round(parts[name] * 100)} %`).join(", ");
    this.answer.replaceChildren(
      make("p", { class: answer.found ? "q-text" : "q-text q-missing" }, answer.answer),
      make("p", { class: "q-note", title: breakdown }, answer.found
        ? `Confidence ${Math.min(99, Math.floor(parts.value * 100 + 1e-9))} %: ${breakdown}`
        : `Searched ${answer.searched}.`),
      ...(STATES[answer.state] ? [make("p", { class: "q-state" }, STATES[answer.state])] : []),
      ...answer.sentences.filter((sentence) => !sentence.supported)
        .map((sentence) => make("p", { class: "q-unsupported" }, `Left out, no source: ${sentence.text}`)),
      this.list(answer.found ? "Sources" : "Nearest", claim, answer.found ? answer.sources : answer.near_misses),
      ...(debug ? [this.ranking("Retrieved", debug.retrieved), this.ranking("Ranked again", debug.reranked)] : []));
  }

  list(title, claim, sources) {
    if (!sources.length) return make("p", { class: "q-note" }, "No places.");
    return make("div", {}, make("h3", {}, title), make("ol", { class: "q-sources" }, ...sources.map((source) =>
      make("li", {}, make("button", { type: "button", onclick: () => this.open(claim, source) },
        make("span", { class: "q-place" }, `${source.filename}, page ${source.page}`),
        make("span", { class: "q-quote" }, source.quote))))));
  }

  ranking(title, rows) {
    return make("details", { class: "q-debug" }, make("summary", {}, `${title} (${rows.length})`),
      make("ol", {}, ...rows.map((row) => make("li", {},
        `${row.score} ${row.kind} ${row.sourceId} p${row.page} ${row.places ? JSON.stringify(row.places) : ""} ${row.text.slice(0, 160)}`))));
  }

  open(claim, source) {
    const sourceId = source.document_id.slice(source.document_id.indexOf(":") + 1);
    const box = source.citation.source.bbox;
    const asked = new URLSearchParams({ source: sourceId, page: String(source.page) });
    if (box) asked.set("box", [box.left, box.top, box.width, box.height].map((edge) => edge.toFixed(4)).join(","));
    if (this.isDebug) asked.set("debug", "");
    history.pushState(null, "", `/claims/${encodeURIComponent(claim)}?${asked}`);
    dispatchEvent(new PopStateEvent("popstate")); // the viewer follows its address
  }
}

// What has to be known of an answer beside its confidence.
const STATES = {
  conflicting: "The documents, or a review, say something else too: look at the places.",
  superseded: "A later document says otherwise.",
  doubted: "Read in the documents, but not believed enough to be the field's value.",
  verified: "A person signed for this value.",
};

new Questions();
