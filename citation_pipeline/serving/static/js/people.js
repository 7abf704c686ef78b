// When two names are one person's, as core/review/people.py has it: what the server refuses is not offered.

export function samePerson(one, other) {
  return keyOf(one) === keyOf(other);
}

function keyOf(name) {
  const plain = (name ?? "").normalize("NFKD");
  if (plain.includes("@")) return plain.trim().toLowerCase();
  const parts = plain.split(",");
  const turned = parts.length === 2 ? `${parts[1]} ${parts[0]}` : plain;
  return turned.replace(/[\u0300-\u036f\p{Cf}]/gu, "").replace(/[^\p{L}\p{M}\p{N}]+/gu, " ").trim().toLowerCase() || plain.trim();
}
