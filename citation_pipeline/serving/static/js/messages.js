// Codes of the pipeline in a reader's words. A code that is not here is shown with its underscores as spaces.

const WORDS = {
  // why a citation was not found, or looks doubtful
  not_found: "This text is nowhere in the documents.",
  no_snippet: "Nothing was quoted for this value.",
  empty_snippet: "Nothing was quoted for this value.",
  empty_document: "The cited document has no text.",
  unknown_source: "The cited document is not part of the claim.",
  unreadable_source: "The cited document could not be read.",
  too_weak: "Only a weakly similar text was found.",
  repaired_by_model: "The extractor was asked again and quoted these words for the same value.",
  repaired: "The quoted words are not on the page: quoted anew from it, around the same value.",
  better_copy: "Quoted from a poorer copy of this page, which is kept among the candidates.",
  struck_out: "These words are struck out on the page.",
  verified_followed: "The reviewed words, found again in a new scan of the page.",
  verification_followed: "The document was scanned again; the reviewed words are the same.",
  copy: "on a copy of the page",
  wrong_source: "The text is in another document than the one named.",
  digits_differ: "Digits on the page differ from the quoted text.",
  number_differs: "A number on the page differs from the quoted text.",
  date_differs: "A date on the page differs from the quoted text.",
  negation_differs: "The page says the opposite, or the quote does.",
  word_replaced: "A word on the page differs from the quoted text.",
  sign_differs: "A plus, minus or bracketed amount on the page differs from the quoted text.",
  range_differs: "A range, fraction or ratio on the page differs from the quoted text.",
  comparator_differs: "A sign such as < or ≥ on the page differs from the quoted text.",
  mark_differs: "A checkbox on the page is not as quoted.",
  unit_differs: "A unit on the page differs from the quoted text.",
  unit_sign_differs: "A currency or percent sign on the page differs from the quoted text.",
  code_differs: "A code on the page differs from the quoted text in a letter.",
  ellipsis_hides: "The quote leaves out a word that denies or limits what it says.",
  part_missing: "A part of the quote is not in the document.",
  parts_disordered: "The parts of the quote are in another order in the document.",
  column_differs: "A value is quoted under another column's header.",
  row_differs: "The quote puts cells of several table rows together.",
  word_dropped: "The quote leaves out words that the page has.",
  abbreviated: "The page writes a word of the quote in another form, as v. for vs.",
  rewritten: "The page writes this date or number in another form.",
  value_not_in_snippet: "The value is not part of the quoted text.",
  value_not_found: "The value is not part of the quoted text.",
  ambiguous: "The same text occurs in several places.",
  low_confidence_words: "The words were hard to read on the scan.",
  several_places: "The same text occurs in several places.",
  word_misread: "A word of the quote reads as another word on the page; noise may have made it one.",
  words_skipped: "The quote leaves out words that the page has.",
  words_added: "The quote has words that the page lacks.",
  number_skipped: "The quote leaves out a number that the page has.",
  number_added: "The quote has a number that the page lacks.",
  several_changes: "The quote differs from the page in several words.",
  too_much_noise: "The quote differs from the page in too many letters.",
  parts_doubtful: "A part of the quote was found only roughly.",
  snippet_not_found: "The quoted text is not in the document as quoted.",
  snippet_not_in_source: "The quoted text is not in the document as quoted.",
  enum_not_in_snippet: "The choice is not among the quoted words.",
  other_meaning: "The quoted words give this as an authority, a demand, an offer or an estimate.",
  label_of_another_field: "The label before the quoted value is another field's.",
  label_unrelated: "The label before the quoted value has nothing to do with this field.",
  topic_not_quoted: "The quoted words do not speak of what the field asks.",
  item_not_in_snippet: "An item of the list is not in its quoted words.",
  order_in_document: "The document gives orders to the model that reads it: no evidence by itself.",
  negation_in_snippet: "The quoted words deny something, and the value says yes.",
  no_negation_in_snippet: "The value says no, and nothing in the quoted words denies it.",
  possible_duplicate_items: "Two items of the list may be the same one.",
  list_incomplete: "The table has more rows than the list has items.",
  items_without_row: "Some items of the list stand in no row of the table.",
  not_confirmed: "A second look at the documents did not confirm this value.",
  too_little_found: "Too little of the quoted text was found.",
  conflicting_values: "The documents say different things.",
  verification_withdrawn: "A signature for this place no longer holds: the next run looks for the words anew.",
  verification_moved: "The reviewed words, searched for in another version of the document.",
  verification_disagrees: "The software found the quotation elsewhere than the person who signed.",
  verification_conflict: "The reviewed place is not found any more.",
  verified_lost: "The reviewed place is not found any more.",
  verified_moved: "The reviewed place is found elsewhere now.",
  span_moved: "The model's span was moved to the words that it names.",
  // why a field is in the queue
  conflict: "Disagrees with a review",
  awaiting_second: "Wants a second reviewer",
  uncited: "No citation",
  unresolved: "Citation not found",
  partly_unresolved: "One citation not found",
  flagged: "Citation flagged",
  low_confidence: "Low confidence",
  medium_confidence: "Medium confidence",
  value_warning: "Value read with a caveat",
  inferred: "Inferred, not stated",
  read_twice: "Read twice, differently",
  weak_place: "Weak match",
  // why a candidate is not believed
  weak_evidence: "Too little in the documents speaks for it.",
  negated: "The cited words deny it or leave it open.",
  conflicting: "The documents disagree, and none is later than the others.",
  superseded: "A later document says otherwise.",
  doubted: "Read, but not believed enough to be the field's value: look at the place.",
  // conflicts
  value_changed: "The pipeline now reads another value than the one that was reviewed.",
  place_changed: "The pipeline now finds the citation elsewhere; the reviewed place is kept.",
  document_changed: "The reviewed document was replaced by another version.",
  document_missing: "The reviewed document is not part of the claim any more.",
  needs_review: "Needs review",
  confirmed: "Confirmed",
  corrected: "Corrected",
  // why pages were not read
  refusal: "the extractor refused",
  max_tokens: "the reply was cut",
  malformed_answer: "the reply is broken",
  unanswered: "the reply leaves it out",
  not_asked: "not asked for",
  // why a place was chosen or not
  record_order: "by the order of the records",
  value: "because the value is in it",
  page_hint: "by the page that was named",
  first: "being the first",
  // actions
  confirm: "confirmed",
  correct: "corrected the value",
  repin: "moved the citation",
  absent: "marked it absent",
  comment: "commented",
  reopen: "reopened it",
  undo: "took the last decision back",
};

export function wordsOf(code) {
  const [stem] = String(code).split(":");
  return WORDS[stem] ?? String(code).replaceAll("_", " ");
}

const WHEN = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

export function whenOf(iso) {
  const date = new Date(iso);
  return Number.isNaN(date.getTime()) ? "" : WHEN.format(date);
}

export function plural(count, one, many = `${one}s`) {
  return `${count.toLocaleString()} ${count === 1 ? one : many}`;
}
