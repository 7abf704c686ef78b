// What a person has typed and not saved, per person, claim and field: of this tab, and of this browser, so that a tab
// that crashed or was closed loses nothing. Two tabs keep their own. Kept for a fortnight, gone when signing out.

const PREFIX = "draft:";
const KEPT_MS = 14 * 86_400_000;

function read(storage, key) {
  try {
    const { text, at } = JSON.parse(storage.getItem(key));
    return Date.now() - at < KEPT_MS ? text : null;
  } catch {
    return null; // nothing, or storage that a private window refuses
  }
}

export function draftOf(person, claimId, fieldKey, kind) {
  const key = PREFIX + JSON.stringify([person, claimId, fieldKey, kind]);
  return {
    get text() { return read(sessionStorage, key) ?? read(localStorage, key); },
    keep(text) {
      const kept = JSON.stringify({ text, at: Date.now() });
      for (const storage of [sessionStorage, localStorage]) {
        try {
          storage.setItem(key, kept);
        } catch {
          // full or refused: the editor itself still holds it
        }
      }
    },
    clear() { for (const storage of [sessionStorage, localStorage]) storage.removeItem(key); },
  };
}

// Forget drafts: all when somebody signs out, one claim's when it is not there any more, and those that are too old.
export function forgetDrafts({ all = false, claimId = null } = {}) {
  for (const storage of [sessionStorage, localStorage]) {
    for (const key of Object.keys(storage).filter((name) => name.startsWith(PREFIX))) {
      const [, draftsClaim] = JSON.parse(key.slice(PREFIX.length));
      if (all || draftsClaim === claimId || read(storage, key) === null) storage.removeItem(key);
    }
  }
}
