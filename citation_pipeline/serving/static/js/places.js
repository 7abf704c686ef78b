// The places of a citation: the chosen one first, then the others that hold the same text.

import { overlap } from "./geometry.js";

export function placesOf(citation) {
  if (!citation || !citation.page) {
    return (citation?.candidates ?? []).filter((c) => c.boxes?.length).map(candidatePlace);
  }
  const chosen = {
    sourceId: citation.sourceId,
    page: citation.page,
    regions: citation.regions ?? { block: [{ page: citation.page, boxes: [citation.bbox] }], snippet: [], value: [] },
    reason: "",
    isChosen: true,
    secondReadings: citation.secondReadings ?? [],
  };
  const own = (chosen.regions.snippet ?? []).flatMap((region) => region.boxes.map((box) => [region.page, box]));
  const others = (citation.candidates ?? []).filter((candidate) => candidate.boxes?.length && !(
    candidate.sourceId === citation.sourceId
    && own.some(([page, box]) => page === candidate.page && overlap(box, candidate.boxes[0]) > 0.5)));
  return [chosen, ...others.map(candidatePlace)];
}

function candidatePlace(candidate) {
  return {
    sourceId: candidate.sourceId,
    page: candidate.page,
    regions: { block: [], snippet: [{ page: candidate.page, boxes: candidate.boxes }], value: [] },
    reason: candidate.reason ?? "",
    isChosen: false,
  };
}

export function firstBox(place) {
  for (const strength of ["value", "snippet", "block", "after"]) {
    const region = place.regions[strength]?.[0];
    if (region?.boxes?.length) return { page: region.page, box: region.boxes[0] };
  }
  return { page: place.page, box: { left: 0, top: 0, width: 0, height: 0 } };
}

// Citations as a reader counts them: those with a place, then those without.
export function citationsOf(field) {
  return [...(field.citations ?? []), ...(field.unresolvedCitations ?? [])];
}
