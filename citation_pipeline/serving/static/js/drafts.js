// What a person has typed and not saved, per field, for as long as the tab is open.

export function draftOf(person, claimId, fieldKey, kind) {
  const key = `draft:${JSON.stringify([person, claimId, fieldKey, kind])}`;
  return {
    get text() { return sessionStorage.getItem(key); },
    keep(text) { sessionStorage.setItem(key, text); },
    clear() { sessionStorage.removeItem(key); },
  };
}
