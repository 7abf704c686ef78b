"""Who wrote each document: the names that sign it, or stand beside From, Examiner, Prepared by.

What a document says is said by whoever wrote it: "What did Dr. Okafor find?" is answered by a sentence that
names nobody. Which statement answers is judged in `evidence`.
"""

from collections.abc import Iterable, Mapping

from citation_pipeline.core.retrieval.party_names import find_persons
from citation_pipeline.core.retrieval.statements.statement import Statement
from citation_pipeline.core.retrieval.terms import fold_text, words_of

_BESIDE = frozenset(
    """
from|author|written by|examiner|examining physician|evaluator|provider|rendering provider|reviewer|reviewed by
signed|signed by|electronically signed|electronically signed by|prepared by|report by|reported by|reporter
dictated by
interpreted by|read by|radiologist|therapist|counselor|vocational counselor|investigator|treating physician
attending physician|physician|attending doctor|submitted by|completed by|issued by|by
""".replace("\n", "|").split("|")
) - {""}
_LEAST_LETTERS = 3  # initials and "Dr" tell nobody apart


def authors_of(statements: Iterable[Statement]) -> Mapping[str, frozenset[str]]:
    """Return the folded words of the names of whoever wrote each document, by source id."""
    found: dict[str, set[str]] = {}
    for statement in statements:
        if statement.kind == "signature" or _says_who_wrote(statement):
            words = found.setdefault(statement.source_id, set())
            for name in find_persons(statement.text)[:1]:
                words.update(word for word in words_of(name.text) if len(word) >= _LEAST_LETTERS)
    return {source: frozenset(words) for source, words in found.items()}


def _says_who_wrote(statement: Statement) -> bool:
    return statement.kind == "pair" and fold_text(statement.label).strip(" .:#0123456789") in _BESIDE
