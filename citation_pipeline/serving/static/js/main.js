// Starts the viewer: who is asking, which claim, which place.

import { askToken } from "./dialogs.js";
import { el, toast } from "./dom.js";
import { readLink } from "./links.js";
import { applyTheme } from "./preferences.js";
import { connect } from "./server.js";
import { Viewer } from "./viewer.js";

async function start() {
  applyTheme();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => applyTheme());
  const server = connect();
  const link = readLink();
  // the claim is on its way while we learn who asks
  const early = () => (link.claimId || !server.isLive ? server.claim(link.claimId) : null);
  let loading = early();
  loading?.catch(() => {});
  let session;
  try {
    session = await server.session();
  } catch (error) {
    if (error.status !== 401) {
      document.getElementById("reader").append(el("p", { class: "unreadable", text: error.message }));
      return;
    }
    await askToken(server);
    session = await server.session();
    loading = early();
  }
  const viewer = new Viewer(server, session);
  const listed = viewer.claimsList.load().catch((error) => toast(error.message, { kind: "error" }));
  if (link.teamView && server.isLive) await viewer.team.open(link.teamView, { keepsUrl: true });
  if (!loading) {
    await listed;
    if (viewer.team.isOpen) return;
    const first = viewer.claimsList.claims.find((claim) => claim.state === "ready");
    if (first) await viewer.openClaim(first.claimId);
    return;
  }
  await viewer.openClaim(link.claimId, { link, loading, keepsUrl: true });
}

start();
