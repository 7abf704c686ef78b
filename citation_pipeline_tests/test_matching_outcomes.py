"""What the parts of the matcher say of texts, words and places, as approved."""

import itertools
import random
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from citation_pipeline.core.documents.parsed import ParsedDocument
from citation_pipeline.core.matching.alignment import align, align_best, align_near_words
from citation_pipeline.core.matching.confusions import misreading_cost, readings_of
from citation_pipeline.core.matching.folding import fold, spell
from citation_pipeline.core.matching.index import DocumentIndex
from citation_pipeline.core.matching.marks import MARKED, compare_marks
from citation_pipeline.core.matching.numerals import (
    count_signs,
    is_digit_changed,
    is_look_alike,
    is_number_changed,
    is_unit,
    look,
    outline,
    plain,
    unit_signs,
)
from citation_pipeline.core.matching.snippets import prepare, undecorate
from citation_pipeline.core.matching.stated_values import is_part_of_a_value, states_a_value, values_of
from citation_pipeline.core.matching.streams import KeyStream
from citation_pipeline.core.matching.vocabulary import are_foreign, is_compound, is_inverted, is_listed
from citation_pipeline.core.matching.wording import (
    WordPair,
    are_both_words,
    compare_spellings,
    is_misread,
    side_of_slip,
    slips_between,
)
from citation_pipeline.core.matching.written_words import (
    are_identifiers,
    is_address,
    is_evenly_cased,
    is_name_like,
    is_roman,
    is_word,
    is_worse_spelt,
)
from citation_pipeline.core.resolution.hints import Hints, rank_places, value_positions
from citation_pipeline.core.resolution.places import search_places
from citation_pipeline.core.resolution.records import Contender, assign_in_order
from citation_pipeline.core.resolution.regions import block_regions, regions_of
from citation_pipeline.core.resolution.spans import TokenSpan, resolve_token_span
from citation_pipeline.core.resolution.value_places import find_value_alone, find_value_words, member_at
from citation_pipeline_tests.approvals import Approve
from citation_pipeline_tests.drawn_documents import text_document
from citation_pipeline_tests.matching_examples import MARKS, PHRASES, QUOTED, WORDS
from citation_pipeline_tests.test_matching_cut_clauses import BEFORE, BEHIND, statements
from citation_pipeline_tests.typeset import Line, typeset


def test_marks_of_two_texts_differ_as_approved(approve: Approve) -> None:
    told = [f"{a!r} {b!r}: {' '.join(compare_marks(a, b)) or 'same'}" for a, b in MARKS]
    told += [f"{text!r}: {bool(MARKED.search(text))} {outline(text)!r} {plain(text)!r}" for text, _ in MARKS]
    approve("matching/marks", told)


def test_numbers_of_two_words_differ_as_approved(approve: Approve) -> None:
    told = [
        f"{a!r} {b!r}: {is_number_changed(a, b)} {is_digit_changed(fold(a), fold(b))} "
        f"{is_look_alike(fold(a), fold(b))} {count_signs(a)} {unit_signs(a)}"
        for a, b in (*MARKS, *WORDS, ("- 5", "(-5)"), ("5 -6", "=-$5"), ("$ € 5%", "5°"), ("12.0", "120"))
    ]
    told += [f"{a!r}: {look(fold(a))!r}" for a, _ in WORDS]
    units = ("mg", "g/dL", "mg/kg/day", "µg", "(mg)", "x", "", "mg/x", "°C", "weeks.", "5")
    told += [f"{unit!r}: {is_unit(unit)}" for unit in units]
    approve("matching/numerals", told)


def test_values_of_words_are_read_as_approved(approve: Approve) -> None:
    told = []
    for text in PHRASES:
        first = text.partition(" ")[0]
        told.append(
            f"{text!r}: {values_of(tuple(text.split()))} {states_a_value(first)} {is_part_of_a_value(first)}"
        )
    approve("matching/values", told)


def test_quotations_are_prepared_as_approved(approve: Approve) -> None:
    told = []
    for text in QUOTED:
        made = prepare(text, split_ellipsis=True)
        tokens = " ".join(f"{token.text}:{token.start}-{token.end}" for token in made.tokens)
        told.append(f"{text!r}: {made.key!r} {tokens} parts {made.parts} markers {made.markers}")
        told.append(f"    {undecorate(text)!r} {spell(text)!r} {made.has_numbers} {made.is_foreign}")
    approve("matching/prepared", told)


CONTEXTS: Sequence[dict[str, Any]] = (
    {},
    {"noisy": 1},
    {"noisy": 1, "misquoted": 1},
    {"noisy": 2},
    {"noisy": 2, "misquoted": 2},
    {"noisy": 3},
    {"noisy": 3, "misquoted": 3},
    {"is_doubted": True},
    {"is_noisy_page": True, "is_misread_page": True},
    {"is_noisy_page": True, "is_misread_page": True, "noisy": 2},
    {"is_foreign": True},
    {"is_foreign": True, "is_noisy_page": True, "is_misread_page": True, "noisy": 1},
)
PRINTED = (
    "The modern clinic left the lumbar unit and Okafor did not accept the treatment of inflammation. "
    "Petrenko paracetamol Petrenko receive Petrenko derk derk derk kneel kneel Smyth modem lumber"
)


@pytest.fixture(scope="module")
def index() -> DocumentIndex:
    lines = [PRINTED[at : at + 60] for at in range(0, len(PRINTED), 60)]
    return DocumentIndex(typeset("printed", [Line(72, 72 + 18 * n, text) for n, text in enumerate(lines)]))


def test_words_are_one_misread_or_two_as_approved(index: DocumentIndex, approve: Approve) -> None:
    told = []
    for a, b in (*WORDS, *((b, a) for a, b in WORDS)):
        pairs = [WordPair(fold(a), fold(b), a, b, **context) for context in CONTEXTS]
        bits = "".join("x" if is_misread(pair, index) else "." for pair in pairs)
        sides = "".join((side_of_slip(pair, index) or "-")[0] for pair in pairs)
        both = "".join("x" if are_both_words(pair, index) else "." for pair in pairs)
        told.append(f"{a} {b}: {bits} {sides} {both} {slips_between(fold(a), fold(b))}")
    approve("matching/misread", told)


def test_words_are_known_as_approved(index: DocumentIndex, approve: Approve) -> None:
    told = []
    for a, b in WORDS:
        ours, theirs = fold(a), fold(b)
        told.append(
            f"{a} {b}: cost {misreading_cost(ours, theirs)} {misreading_cost(theirs, ours)} "
            f"inverted {is_inverted(ours, theirs)} identifiers {are_identifiers(a, b, (ours, theirs))} "
            f"worse {is_worse_spelt(ours, theirs)} {is_worse_spelt(theirs, ours)} {compare_spellings(a, b)}"
        )
    for word in sorted(
        set(itertools.chain(*WORDS, ("Oakland", "sunflower", "McDonald", "aBc", "XIV", "www.x.org")))
    ):
        key = fold(word)
        told.append(
            f"{word}: listed {is_listed(key)} word {is_word(key, word, index)} "
            f"name {is_name_like(word, key)} compound {is_compound(key)} address {is_address(word)} "
            f"roman {is_roman(key)} even {is_evenly_cased(word)} readings {len(readings_of(key))}"
        )
    for text in (
        "le patient est malade",
        "the patient is ill today",
        "le chat",
        "a b c d e f",
        "Patienten haben es",
    ):
        told.append(f"{text}: foreign {are_foreign([fold(word) for word in text.split()])}")
    approve("matching/words", told)


def damaged(key: bytes, chance: random.Random, times: int) -> bytes:
    for _ in range(times):
        at = chance.randrange(len(key))
        kind = chance.random()
        letter = bytes([chance.choice(b"abcdefgh")])
        key = key[:at] + (letter if kind < 0.7 else b"") + key[at + (kind < 0.35 or kind >= 0.7) :]
    return key


def test_damaged_keys_are_aligned_as_approved(approve: Approve) -> None:
    told = []
    for seed in range(120):
        chance = random.Random(seed)
        text = bytes(chance.choice(b"abcdefgh") for _ in range(chance.choice([30, 200, 900])))
        begin = chance.randrange(len(text) - 20)
        key = damaged(
            text[begin : begin + chance.choice([8, 20, 60, 700])], chance, chance.choice([0, 1, 3, 9])
        )
        words = [text[at : at + 5] for at in range(0, len(text), 5)]
        best = align_best(key, KeyStream(words))
        here = align(
            key, text, begin - chance.choice([0, 10, 60]), begin + len(key) + chance.choice([0, 9, 90])
        )
        strict = align(key, text, 0, len(text), most=chance.choice([0, 1, 4]))
        near = align_near_words(key, KeyStream(words), [begin, begin + 3])
        told.append(
            f"{seed}: {len(key)} of {len(text)} {[_told(one) for one in (*best[:4], here, strict, *near)]}"
        )
    approve("matching/aligned", told)


def _told(found: Any) -> str:
    if found is None:
        return "nowhere"
    ends = found.uncovered(found.end - found.start)
    return f"{found.start}-{found.end} {found.edits} {len(found.blocks)} {ends}"


def scattered(seed: int) -> ParsedDocument:
    """Words on lines that slant, part at gaps, and lie over two pages."""
    chance = random.Random(seed)
    lines = []
    for number in range(8):
        left, top = 60.0, 60.0 + 22 * number
        rise, gap = chance.choice([0, 0, 0.8, 2.5, -2]), chance.choice([3, 5, 12, 18.3, 18.5, 22, 40])
        group = []
        for word in range(chance.randint(1, 6)):
            text = "word" + "x" * chance.randint(0, 6)
            group.append(Line(left, top, text, size=chance.choice([8, 10, 10]), page=1 + (number > 5)))
            left += 5.0 * len(text) + gap * (1 + (word == 2))
            top += rise
        lines.append(group)
    return typeset("scattered", lines)


def test_cuts_of_statements_are_turned_as_approved(approve: Approve) -> None:
    told = []
    for language, kind, printed, quoted in statements():
        words = quoted.split()
        half = len(words) // 2
        cuts = [words, words[1:], words[:-1], words[:half], words[half:], words[-2:], words[1:-1], words[:2]]
        index = DocumentIndex(text_document("a", BEFORE, *printed, BEHIND))
        places = [search_places(index, " ".join(cut), Hints()).best for cut in cuts]
        codes = "".join(_turn_of(place.judgement.warnings) if place else "?" for place in places)
        told.append(f"{language} {kind} {quoted}: {codes}")
    approve("matching/cut statements", told)


def _turn_of(warnings: Sequence[str]) -> str:
    told = {"turn_left_out": "t", "negation_differs": "n", "denial_beside": "d"}
    return next((letter for code, letter in told.items() if code in warnings), ".")


def test_regions_of_words_are_approved(approve: Approve) -> None:
    told = []
    for seed in range(40):
        chance = random.Random(seed)
        document = scattered(seed)
        words = sorted(chance.sample(range(len(document.words)), chance.randint(1, len(document.words))))
        if seed % 2:
            words = list(range(words[0], words[-1] + 1))
        told.append(f"{seed}: words {words}")
        for kind, found in (
            ("line", regions_of(document.words, words)),
            ("block", block_regions(document, words)),
        ):
            for region in found:
                boxes = " ".join(
                    ",".join(f"{1000 * e:.0f}" for e in (b.left, b.top, b.right, b.bottom))
                    for b in region.boxes
                )
                corners = [
                    [f"{1000 * x:.0f},{1000 * y:.0f}" for x, y in polygon] for polygon in region.polygons
                ]
                told.append(f"    {kind} p{region.page} {boxes} {corners or ''}".rstrip())
    approve("matching/regions", told)


def test_spans_of_tokens_are_resolved_as_approved(approve: Approve) -> None:
    text = "alpha beta gamma alpha beta delta epsilon (zeta) eta theta - iota alpha kappa lambda mu nu xi pi"
    document = typeset(
        "letter", [Line(72, 72, text), Line(72, 100, "rho " * 420), Line(72, 130, "sigma tau $412.50")]
    )
    words = text.split()
    told = []
    for seed in range(90):
        chance = random.Random(seed)
        first = chance.choice([-3, 0, 2, 5, 7, 10, 15, 438, 500])
        last = first + chance.choice([-2, 0, 1, 3, 4, 420])
        drift = chance.choice([0, 0, 1, -2, 11, 12, 13, 14])
        inside = [words[at] if 0 <= at < len(words) else "" for at in (first + drift, last + drift)]
        guards = chance.choice(
            [("", ""), (inside[0], inside[1]), (inside[0][:3], inside[1][-2:]), ("zzz", "")]
        )
        substr = chance.choice(["", "beta", "alpha beta", "412.50", "zeta eta", "nowhere"])
        span = TokenSpan("letter", first, last, *guards, substr)
        found = resolve_token_span(document, span, field_key="a.b", value=412.5, value_type="number")
        place = found.word_ranges, found.page, round(found.score, 3), len(found.value)
        told.append(f"{seed}: {span.start_token}-{span.end_token} {guards} {substr!r}")
        told.append(f"    {found.status} {found.method} {found.reason} {place} {' '.join(found.warnings)}")
    approve("matching/spans", told)


def test_records_take_their_places_as_approved(approve: Approve) -> None:
    rows = [
        [Line(60.0 + 90 * cell, 60 + 20 * row, f"w{row}x{cell}") for cell in range(4)] for row in range(9)
    ]
    index = DocumentIndex(typeset("table", rows))
    told = []
    for seed in range(60):
        chance = random.Random(seed)
        contenders = []
        for item in range(chance.randint(1, 4)):
            for _member in range(chance.randint(1, 3)):
                first = np.array(chance.sample(range(36), chance.randint(1, 8)), np.int64)
                contenders.append(Contender(f"[{item}]", first, first))
        picks = assign_in_order(index, contenders)
        told.append(
            f"{seed}: " + " ".join(f"{c.item}{c.first[at]}" for c, at in zip(contenders, picks, strict=True))
        )
        hints = Hints(
            page=chance.choice([None, 1, 2]),
            find_values=lambda chance=chance: value_positions(index, [f"w{chance.randrange(9)}x2"]),
            offset=chance.choice([None, 40]),
        )
        first = contenders[0].first
        ranks = rank_places(
            index, first, first, hints, is_spelled=first % 2 == 0, furniture=frozenset({1, 2})
        )
        told.append(f"    {ranks.tolist()}")
    approve("matching/records", told)


VALUES: Sequence[tuple[Any, str, str]] = (
    (412.5, "number", "paid at $412.50 per week"),
    ("2024-03-01", "date", "on March 1, 2024 and 03/01/2024"),
    ("2024-03-01", "date", "on March 2, 2024"),
    ("Ode Clinic", "string", "the Ode\nClinic of Oakland"),
    ([{"name": "Ode", "paid": 5.5}], "array", "Ode was paid 5.50"),
    (True, "boolean", "represented: Yes"),
    (12, "integer", "12 of 12"),
    (12345, "integer", "12345 of 12,345"),
    ("abcd", "string", "abcd abcd"),
    ("abcde", "string", "abcde abcde"),
    (None, "string", "nothing"),
    (["Ode", "Ann"], "array", "Ode and Ann"),
)


def test_values_are_found_among_words_as_approved(approve: Approve) -> None:
    told = []
    for value, kind, text in VALUES:
        document = typeset("letter", [Line(72, 72 + 20 * n, line) for n, line in enumerate(text.split("\n"))])
        index = DocumentIndex(document)
        words = range(len(document.words))
        told.append(
            f"{value!r} {kind} {text!r}: {find_value_words(index, words, value, kind)} "
            f"{find_value_words(index, words[1:], value, kind)} "
            f"{find_value_alone(document, index, value, kind)}"
        )
    value = [{"name": "Ode", "days": [1, {"a": 2}]}, "x"]
    paths = ("[0].name", "[0].days[1].a", "[1]", "[2]", "[0].days[2]", "name", "[1].name", "", "[0].other")
    told += [f"{path!r}: {member_at(value, path)!r}" for path in paths]  # type: ignore[arg-type]
    approve("matching/value places", told)
