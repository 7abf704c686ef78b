"""Documents that speak of somebody else: each one's own claimant or number against the claim's.

A document disagrees when it labels a value of the field and the claim's own is nowhere in it. One that names
both, as a letter about two claims does, or neither, does not.
"""

from collections.abc import Iterator, Sequence

from citation_pipeline.core.consistency.functions import name_words, same_person
from citation_pipeline.core.consistency.violations import Statement, Violation
from citation_pipeline.core.documents.parsed import DocumentStatus, ParsedDocument
from citation_pipeline.core.extraction import ExtractedField
from citation_pipeline.core.resolution.regions import regions_of
from citation_pipeline.core.rules.documents import read_document
from citation_pipeline.core.rules.lexicons.lexicon import Lexicon
from citation_pipeline.core.rules.readers.all_readers import read_candidates
from citation_pipeline.core.rules.readers.candidates import Candidate
from citation_pipeline.core.schemas import Rule
from citation_pipeline.core.values.spans import fold, fold_words

OTHER_DOCUMENT = "other_in_document"
"""The code of a document that speaks of another claimant, claim or whatever the rule names."""

# what a label states outright; less is a name in passing
_STATED = 0.7
_PEOPLE = frozenset({"person", "physician"})


def judge_documents(
    rules: Sequence[Rule],
    fields: Sequence[ExtractedField],
    documents: Sequence[ParsedDocument],
    lexicon: Lexicon,
) -> list[Violation]:
    """Return the documents that contradict a field which all of them have to share."""
    by_key = {field.field_key: field for field in fields}
    wanted = [
        (rule, by_key[rule.document_key])
        for rule in rules
        if rule.document_key in by_key and by_key[rule.document_key].value is not None
    ]
    if not wanted:
        return []
    found: list[Violation] = []
    for number, document in enumerate(documents):
        if document.status is not DocumentStatus.PARSED:
            continue
        suspects = [(rule, field) for rule, field in wanted if not _names(document, field, lexicon)]
        if not suspects:
            continue
        candidates = read_candidates(read_document(document, number=number, lexicon=lexicon), lexicon)
        stated = [c for c in candidates if c.weight >= _STATED and c.unit.words]
        for rule, field in suspects:
            found.extend(_violations(rule, field, document, stated, lexicon))
    return found


def _names(document: ParsedDocument, field: ExtractedField, lexicon: Lexicon) -> bool:
    """Tell whether the claim's own value is anywhere in the document."""
    value = str(field.value)
    if lexicon.fields[field.field_key].kind not in _PEOPLE:
        return fold(value) in fold(document.text)
    words = set(fold_words(document.text))
    # any part of the name will do: a letter greets by the first name, a form prints the surname alone
    return any(len(word) > 2 and word in words for word in name_words(value))


def _violations(
    rule: Rule,
    field: ExtractedField,
    document: ParsedDocument,
    stated: Sequence[Candidate],
    lexicon: Lexicon,
) -> Iterator[Violation]:
    is_person = lexicon.fields[field.field_key].kind in _PEOPLE
    for candidate in stated:
        if candidate.key != field.field_key:
            continue
        value = str(candidate.value)
        if is_person and (len(name_words(value)) < 2 or same_person(value, str(field.value))):
            continue
        words = candidate.unit.words
        places = regions_of(document.words, words)
        yield Violation(
            code=OTHER_DOCUMENT,
            says=rule.says,
            severity=rule.severity,
            rule_id=rule.rule_id,
            field_keys=(field.field_key,),
            statements=(
                *(
                    Statement(s.source_id, field.field_key, s.citation_index, s.page)
                    for s in field.snippets[:1]
                ),
                Statement(
                    document.source.source_id,
                    field.field_key,
                    page=places[0].page,
                    boxes=tuple(places[0].boxes),
                ),
            ),
        )
        return
