"""What the differences between a snippet and the words it was paired with mean: findings with stable codes.

A contradiction says that the page states something else; a difference that it states it otherwise; noise
is what scanners and typists do. Whether a finding flags a citation is `resolution`'s decision.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from citation_pipeline.core.matching.confusions import slips_between
from citation_pipeline.core.matching.folding import fold, spell
from citation_pipeline.core.matching.index import DocumentIndex
from citation_pipeline.core.matching.margins import marks_mail, without_note_mark
from citation_pipeline.core.matching.marks import compare_marks
from citation_pipeline.core.matching.numerals import (
    CURRENCIES,
    UNITS,
    as_dollars,
    count_signs,
    ends_otherwise,
    has_digit,
    is_digit_changed,
    is_joined_number_added,
    is_look_alike,
    is_number_changed,
    is_unit,
    letter_signs,
    letters_of,
    look,
    plain,
    spell_as,
    unit_signs,
    write_umlauts,
)
from citation_pipeline.core.matching.omissions import codes_of_skipped, hides_meaning
from citation_pipeline.core.matching.pairing import Pair, PairKind
from citation_pipeline.core.matching.snippets import PreparedSnippet
from citation_pipeline.core.matching.vocabulary import (
    NEGATIONS,
    is_ampersand_word,
    is_other_form,
    light_words,
)
from citation_pipeline.core.matching.word_breaks import (
    joins_denial,
    moves_comma,
    turns_by_hyphen,
    turns_by_spaces,
)
from citation_pipeline.core.matching.word_signs import part_figures
from citation_pipeline.core.matching.wording import (
    Side,
    WordPair,
    compare_spellings,
    differing_parts,
    is_foreign_slip,
    is_left_of_ligature,
    is_ligature_lost,
    is_misread,
    is_unsure_slip,
    may_be_another,
    side_of_slip,
    unjoined,
)
from citation_pipeline.core.matching.written_words import is_address, is_word

_ALSO_WORDS = frozenset((b"in", b"a"))  # units that are words as well
_STROKES_FOR_FIGURES = frozenset((b"l", b"i", b"o"))
_LEAST_TOLD = 3  # words of a quotation of a page in another language that is no word with a slip
_MISREAD_BRACKET = re.compile(r"^[CGclI{<](?=[^()\s]+\))")
_CLOSING, _PERCENT_SIGNS = ").,;:]", ("%", "‰")
_MOST_SIGNS = 3  # words without letter or digit that may be between two words, or beside a quotation

CONTRADICTIONS = frozenset(
    {
        "digits_differ",
        "number_differs",
        "sign_differs",
        "range_differs",
        "comparator_differs",
        "mark_differs",
        "unit_sign_differs",
        "unit_differs",
        "number_added",
        "number_skipped",
        "code_differs",
        "negation_differs",
        "word_replaced",
        "ellipsis_hides",
        "column_differs",
        "row_differs",
        "part_missing",
        "parts_disordered",
    }
)

EXCUSED = frozenset(
    {"noise", "word_misread", "abbreviated", "ellipsis_joins", "denial_beside", "turn_left_out"}
)
"""What scanners and typists do: misread letters; a word that they made of another one, beside others; another
form of a word (vs. for v.)."""


@dataclass(frozen=True, slots=True)
class Findings:
    """The codes found, how many characters of the key match, are noise or added, and how many words were
    skipped."""

    codes: tuple[str, ...]
    matched: int
    noise: int
    added: int
    skipped_words: int

    @property
    def contradictions(self) -> tuple[str, ...]:
        """The codes that say that the page states something else."""
        return tuple(code for code in self.codes if code.partition(":")[0] in CONTRADICTIONS)

    def with_code(self, code: str) -> "Findings":
        """Return the findings with one more code."""
        return replace(self, codes=tuple(dict.fromkeys((*self.codes, code))))

    def without_code(self, code: str) -> "Findings":
        """Return the findings without a code."""
        return replace(self, codes=tuple(each for each in self.codes if each != code))


@dataclass(slots=True)
class _Tally:
    """The findings while they are gathered."""

    codes: dict[str, None] = field(default_factory=dict)
    matched: int = 0
    noise: int = 0
    added: int = 0
    skipped: int = 0


def examine(
    snippet: PreparedSnippet,
    index: DocumentIndex,
    pairs: Sequence[Pair],
    *,
    free_skips: frozenset[int] = frozenset(),
) -> Findings:
    """Judge every difference of the pairs; `free_skips` numbers the skips that the layout explains."""
    tally = _Tally()
    codes = tally.codes
    sides: dict[int, Side] | None = None
    differing: dict[int, WordPair] = {}
    respelt: dict[int, str] = {}
    for number, pair in enumerate(pairs):
        if pair.kind is PairKind.SAME:
            _tally_same(tally, snippet, index, pair)
        elif pair.kind is PairKind.REWRITTEN:
            codes["rewritten"] = None
            tally.matched += len(_token_key(snippet, pair))
        elif pair.kind is PairKind.LIKE:
            if sides is None:
                differing = {
                    at: _word_pair(snippet, index, each)
                    for at, each in enumerate(pairs)
                    if each.kind is PairKind.LIKE
                }
                respelt = {at: text for at, each in differing.items() if (text := _spelt_otherwise(each))}
                sides = _plain_slips(snippet, index, pairs, differing, respelt)
            if number in respelt:
                tally.matched += len(_token_key(snippet, pair))
                continue
            others = [side for at, side in sides.items() if at != number]
            misquoted = sum(side is Side.QUOTATION for side in others)
            code = _like(snippet, index, differing[number], noisy=len(others), misquoted=misquoted)
            _tally_like(tally, snippet, index, pair, code)
            if code == "noise" and (figures := _with_figures(differing[number])):
                respelt[number] = figures
        elif pair.kind is PairKind.ADDED:
            _tally_added(tally, snippet, index, pairs, number)
        elif number in free_skips:
            # the layout or an ellipsis explains the gap: it counts only if it takes away what turns the
            # meaning
            if hides_meaning(index, pair.words):
                codes["ellipsis_hides"] = None
        else:
            tally.skipped += len(pair.words)
            codes.update(dict.fromkeys(codes_of_skipped(index, pair.words)))
    for figures, words in ((each, differing[at]) for at, each in respelt.items()):
        if is_number_changed(words.quoted_text, figures):
            codes["number_differs"] = None
    for quoted, printed in _same_runs(snippet, index, pairs, respelt):
        codes.update(dict.fromkeys(compare_marks(quoted, printed)))
        if moves_comma(quoted.split(), printed.split()):
            codes["mark_differs"] = None
    return Findings(tuple(codes), tally.matched, tally.noise, tally.added, tally.skipped)


def _tally_same(tally: _Tally, snippet: PreparedSnippet, index: DocumentIndex, pair: Pair) -> None:
    """Add words of one key, and what the key does not show of them."""
    key = _token_key(snippet, pair)
    # plain letters hide no mark from their key: nothing else to compare
    found = [] if key.isascii() and key.isalpha() else _same(snippet, index, pair)
    is_joined = pair.tokens[1] - pair.tokens[0] != len(pair.words)
    if (is_joined or key.startswith(b"re")) and _turns(snippet, index, pair):
        found.append("negation_differs")
    tally.codes.update(dict.fromkeys(found))
    tally.matched += 0 if found else len(key)


def _tally_like(tally: _Tally, snippet: PreparedSnippet, index: DocumentIndex, pair: Pair, code: str) -> None:
    """Add a pair of words that differ and what the difference is."""
    key = _token_key(snippet, pair)
    if code == "abbreviated":
        tally.codes[code] = None
        tally.matched += len(key)
        return
    found = _same(snippet, index, pair)
    tally.codes.update(dict.fromkeys((code, *found)))
    is_excused = code in EXCUSED and not found
    if not is_excused and code != "word_replaced":
        return
    slips = slips_between(key, b"".join([index.keys[w] for w in pair.words]))
    if is_excused:
        tally.noise += slips
        tally.matched += max(0, len(key) - slips)
    # another word in one letter: the place is found, and says something else
    elif slips == 1 and len(snippet.tokens) > 1:
        tally.matched += len(key) - slips


def _tally_added(
    tally: _Tally, snippet: PreparedSnippet, index: DocumentIndex, pairs: Sequence[Pair], number: int
) -> None:
    """Add a token that the page does not have."""
    pair = pairs[number]
    # the number of a list is the quoter's as often as the page's
    if pair.tokens[1] <= snippet.markers:
        return
    key = _token_key(snippet, pair)
    sign = "×" if key == b"x" else "&" if is_ampersand_word(key) else ""
    if sign and _has_sign(index, pairs, number, sign):
        tally.codes["abbreviated"] = None
        tally.matched += len(key)
        return
    # a recognizer loses an `a`, or reads a sign for it
    if len(key) == 1 and key in light_words() and _is_noisy_at(index, pairs, number):
        tally.codes["noise"] = None
        tally.noise += 1
        return
    tally.added += len(key)
    tally.codes[_added(key)] = None


def _is_noisy_at(index: DocumentIndex, pairs: Sequence[Pair], number: int) -> bool:
    """Tell whether the page is badly recognized where a token inside a quotation is not found."""
    if not 0 < number < len(pairs) - 1 or not pairs[number - 1].words or not pairs[number + 1].words:
        return False
    return index.is_noisy_near(pairs[number - 1].words[-1])


def _same_runs(
    snippet: PreparedSnippet, index: DocumentIndex, pairs: Sequence[Pair], respelt: Mapping[int, str]
) -> list[tuple[str, str]]:
    """Return both sides, as written, of every run of words that are quoted as they are printed.

    `respelt` has, by number of the pair, what is printed with figures for the letters they were misread as.
    """
    runs: list[list[Pair]] = []
    texts: dict[int, str] = {}
    for number, (before, pair) in enumerate(zip((None, *pairs), pairs, strict=False)):
        if not pair.words or (pair.kind is not PairKind.SAME and number not in respelt):
            continue
        if number in respelt:
            texts.update(zip(pair.words, respelt[number].split(" "), strict=True))
        if before is not None and runs and runs[-1][-1] is before and _follows(snippet, index, before, pair):
            runs[-1].append(pair)
        else:
            runs.append([pair])
    return [_run_texts(snippet, index, run[0], run[-1], texts) for run in runs]


def _follows(snippet: PreparedSnippet, index: DocumentIndex, before: Pair, pair: Pair) -> bool:
    """Tell whether only signs are between two pairs, in the snippet and on the page."""
    if any(token.start < token.end for token in snippet.tokens[before.tokens[1] : pair.tokens[0]]):
        return False
    first, last = before.words[-1] + 1, pair.words[0]
    return 0 <= last - first <= _MOST_SIGNS and not any(index.keys[first:last])


def _run_texts(
    snippet: PreparedSnippet, index: DocumentIndex, first: Pair, last: Pair, respelt: Mapping[int, str]
) -> tuple[str, str]:
    tokens, keys = snippet.tokens, index.keys
    begin, end = first.tokens[0], last.tokens[1]
    while begin > 0 and tokens[begin - 1].start == tokens[begin - 1].end:
        begin -= 1
    while end < len(tokens) and tokens[end].start == tokens[end].end:
        end += 1
    low, high = first.words[0], last.words[-1] + 1
    if begin < first.tokens[0]:  # signs that are not quoted are outside the quotation
        while low > 0 and not keys[low - 1] and first.words[0] - low < _MOST_SIGNS:
            low -= 1
    is_percent = tokens[end - 1].text.rstrip(_CLOSING).endswith(_PERCENT_SIGNS)
    if end > last.tokens[1] or is_percent:  # `13%` of a page that prints `13 %`
        while high < len(keys) and not keys[high] and high - last.words[-1] <= _MOST_SIGNS:
            high += 1
    if high < len(keys) and index.words.texts[high] in CURRENCIES and not CURRENCIES.isdisjoint(snippet.bare):
        high += 1  # behind the amount, where the quotation may have another before it
    if low and not CURRENCIES.isdisjoint(tokens[begin].text) and index.words.texts[low - 1] in CURRENCIES:
        low -= 1  # `$ 500` in a ledger's column
    words = [word for word in range(low, high) if not marks_mail(index, word)]
    parted = part_figures(index, words)
    printed = (respelt.get(word) or text for word, text in zip(words, parted, strict=True))
    return " ".join(token.text for token in tokens[begin:end]), " ".join(printed)


def _turns(snippet: PreparedSnippet, index: DocumentIndex, pair: Pair) -> bool:
    quoted = [token.text for token in snippet.tokens[slice(*pair.tokens)]]
    printed = [index.words.texts[w] for w in pair.words]
    return turns_by_spaces(quoted, printed) or turns_by_hyphen(quoted, printed)


def _token_key(snippet: PreparedSnippet, pair: Pair) -> bytes:
    return snippet.key[snippet.tokens[pair.tokens[0]].start : snippet.tokens[pair.tokens[1] - 1].end]


def _added(key: bytes) -> str:
    if has_digit(key):
        return "number_added"
    return "negation_differs" if key in NEGATIONS else "words_added"


def _has_sign(index: DocumentIndex, pairs: Sequence[Pair], number: int, sign: str) -> bool:
    """Tell whether the page has a sign between the words of the pairs around one that it does not have."""
    if not 0 < number < len(pairs) - 1 or not pairs[number - 1].words or not pairs[number + 1].words:
        return False
    first, last = pairs[number - 1].words[-1], pairs[number + 1].words[0]
    return last - first <= _MOST_SIGNS and sign in index.words.texts[first + 1 : last]


def _texts(snippet: PreparedSnippet, index: DocumentIndex, pair: Pair) -> tuple[str, str]:
    """Both sides as written, each with the keyless signs that are before it."""
    first = pair.tokens[0]
    while first > 0 and snippet.tokens[first - 1].start == snippet.tokens[first - 1].end:
        first -= 1
    quoted = " ".join(token.text for token in snippet.tokens[first : pair.tokens[1]])
    words = list(pair.words)
    texts, keys = index.words.texts, index.keys
    before = words[0] - 1
    while before >= 0 and words[0] - before <= 3 and not keys[before]:
        words.insert(0, before)
        before -= 1
    return quoted, " ".join(texts[w] for w in words)


def _same(snippet: PreparedSnippet, index: DocumentIndex, pair: Pair) -> list[str]:
    """Look at what the key does not show: points, signs and currencies of numbers."""
    key = _token_key(snippet, pair)
    texts = index.words.texts
    if not key.isascii() and pair.kind is PairKind.SAME:
        words = _word_pair(snippet, index, pair)
        if spell(words.quoted_text) != spell(words.printed_text):
            return [compare_spellings(words.quoted_text, words.printed_text)]
    if not has_digit(key):
        return []
    own = "".join(token.text for token in snippet.tokens[pair.tokens[0] : pair.tokens[1]])
    printed_own = "".join(texts[w] for w in pair.words)
    if plain(own) == plain(printed_own):
        return []
    found: list[str] = []
    if pair.kind is PairKind.SAME and is_number_changed(own, printed_own):
        found.append("number_differs")
    quoted, printed = _texts(snippet, index, pair)
    if (count_signs(own) > 0) != (count_signs(printed_own) > 0) and not (
        count_signs(quoted) > 0 and count_signs(printed) > 0
    ):
        found.append("sign_differs")
    ours, theirs = unit_signs(quoted), unit_signs(printed)
    # a sign that only one side shows was left out, not exchanged
    if ours and theirs and not set(ours) & set(theirs):
        found.append("unit_sign_differs")
    return found


def _word_pair(snippet: PreparedSnippet, index: DocumentIndex, pair: Pair) -> WordPair:
    words = pair.words
    printed_text = " ".join(index.words.texts[w] for w in words)
    printed = b"".join(index.keys[w] for w in words)
    if "@" in printed_text and not is_address(printed_text):  # a recognizer's letter
        printed_text = printed_text.replace("@", "a")
        printed = fold(printed_text)
    return WordPair(
        quoted=_token_key(snippet, pair),
        printed=printed,
        quoted_text=" ".join(token.text for token in snippet.tokens[slice(*pair.tokens)]),
        printed_text=printed_text,
        is_doubted=any(index.is_doubted(w) for w in words),
        is_unsure=any(index.is_unsure(w) for w in words),
        is_noisy_page=bool(words) and index.is_noisy_near(words[0]),
        is_misread_page=bool(words) and index.is_misread_near(words[0]),
        words=words,
    )


def _spelt_otherwise(words: WordPair) -> str:
    """Return what is printed, without a footnote's mark or with letters for signs, where it is quoted so:
    `hours.²` as `hours`, `10×` as `10x`; empty where it is not."""
    noted = without_note_mark(words.printed_text)
    if noted != words.printed_text and fold(noted) == words.quoted:
        return noted
    # a recognizer reads a bracket as a letter: CLIB) for (LIB)
    bracketed = _MISREAD_BRACKET.sub("(", words.printed_text)
    if "(" in words.quoted_text and fold(bracketed) == words.quoted != words.printed:
        return bracketed
    lettered = letter_signs(words.printed_text)
    is_as_many = len(lettered.split(" ")) == len(words.words)
    if is_as_many and fold(lettered) == fold(letter_signs(words.quoted_text)):
        return lettered
    vowels = write_umlauts(words.printed_text)
    return vowels if vowels != words.printed_text and fold(vowels) == words.quoted else ""


def _with_figures(words: WordPair) -> str:
    """Return what is printed with the quoted figures for the letters that they were misread as (`l,250` as
    `1,250`), so that its marks can be compared; empty where most are letters, or not as many."""
    if all(2 * len(letters_of(key)) > len(key) for key in (words.quoted, words.printed)):
        return ""
    printed = as_dollars(words.quoted_text, words.printed_text)
    return spell_as(words.quoted_text, printed) if words.quoted.isascii() and printed.isascii() else ""


def _plain_slips(
    snippet: PreparedSnippet,
    index: DocumentIndex,
    pairs: Sequence[Pair],
    differing: Mapping[int, WordPair],
    respelt: Mapping[int, str],
) -> dict[int, Side]:
    """Return the numbers of the pairs that can only be noise, and the side that it is on; `differing` has the
    words of every pair that is alike, `respelt` those that only write a sign otherwise."""
    found: dict[int, Side] = {}
    for number, pair in enumerate(pairs):
        if pair.kind is PairKind.SAME and pair.tokens[1] - pair.tokens[0] > len(pair.words) == 1:
            torn = snippet.tokens[slice(*pair.tokens)]
            # two words that the page has as one (`on site`) are spelling; parts that are no words are noise
            if not all(is_word(snippet.key[t.start : t.end], t.text, index) for t in torn):
                found[number] = Side.QUOTATION  # "cen tre"
        elif pair.kind is PairKind.LIKE and number not in respelt:
            words = differing[number]
            side = None if is_digit_changed(words.quoted, words.printed) else side_of_slip(words, index)
            if side is not None:
                found[number] = side
    return found


def _are_units(index: DocumentIndex, words: WordPair) -> bool:
    """Tell whether both sides are units; `in` and `a` are only behind a figure."""
    if not (is_unit(words.quoted_text) and is_unit(words.printed_text)):
        return False
    before = words.words[0] - 1 if words.words else 0
    return words.quoted not in _ALSO_WORDS or has_digit(index.keys[max(0, before)])


def _like(
    snippet: PreparedSnippet, index: DocumentIndex, words: WordPair, *, noisy: int, misquoted: int
) -> str:
    """Tell noise from another word, code, unit or number."""
    quoted, printed = words.quoted, words.printed
    if is_other_form(quoted, printed):
        return "abbreviated"
    if joins_denial(words.quoted_text, words.printed_text):
        return "negation_differs"
    # nobody here knows which letters of other scripts are mistaken for which
    if not (quoted.isascii() and printed.isascii()):
        code = compare_spellings(words.quoted_text, words.printed_text)
        if code != "word_replaced":
            return code
        return "noise" if words.is_doubted else "word_misread" if is_unsure_slip(words, index) else code
    if len(part := unjoined(words)) == 1:
        return _like(snippet, index, part[0], noisy=noisy, misquoted=misquoted)
    if has_digit(quoted) or has_digit(printed):
        code = _like_figures(snippet, index, words, noisy=noisy, misquoted=misquoted)
        if code:
            return code
    elif quoted != printed and _are_units(index, words):
        return "unit_differs"
    if is_ligature_lost(quoted, printed):
        return "noise"
    if is_left_of_ligature(quoted, printed, index):
        return "word_misread"
    # of a few words nobody can tell the language: the page's is theirs
    is_foreign = snippet.is_foreign or (
        len(snippet.tokens) >= _LEAST_TOLD
        and bool(words.words)
        and not words.is_misread_page
        and index.is_foreign_near(words.words[0])
    )
    words = replace(words, noisy=noisy, misquoted=misquoted, is_foreign=is_foreign)
    if is_misread(words, index):
        return "word_misread" if may_be_another(words, index) else "noise"
    if is_foreign_slip(words, index):
        return "word_misread"
    if (quoted in NEGATIONS) != (printed in NEGATIONS):
        return "negation_differs"
    return "word_replaced"


def _like_figures(
    snippet: PreparedSnippet, index: DocumentIndex, words: WordPair, *, noisy: int, misquoted: int
) -> str:
    """Tell noise from another number, code or unit; "" where the letters decide."""
    quoted, printed = words.quoted, words.printed
    dollars = as_dollars(words.quoted_text, words.printed_text)
    if dollars != words.printed_text:
        printed = fold(dollars)
        if quoted == printed:
            return "noise"
    is_misprinted = words.is_noisy_page or words.is_doubted or noisy > 0
    is_stroke = printed in _STROKES_FOR_FIGURES and is_look_alike(quoted, printed) and is_misprinted
    is_added = not is_stroke and is_joined_number_added(words.quoted_text, printed)
    # digits first: no likeness of letters excuses another number
    if is_digit_changed(quoted, printed) or is_added:
        return "digits_differ"
    ours, theirs = letters_of(quoted), letters_of(printed)
    # O-77 and Q-77 are two codes of a clean page; a figure read as a letter is none
    is_other_letter = ours != theirs and len(ours) == len(theirs) and not is_misprinted
    # of `KR-8` and `KR-B` both may be codes of a clean page
    is_other_end = not is_misprinted and ends_otherwise(words.quoted_text, words.printed_text)
    if is_other_end:
        return "code_differs"
    if is_look_alike(quoted, printed) and not is_other_letter:
        return "noise"
    if ours != theirs and ours in UNITS and theirs in UNITS:
        return "unit_differs"
    if has_digit(quoted) and has_digit(printed) and ours != theirs:
        if look(quoted) == look(printed) and not is_other_letter:
            return "noise"
        # 45-year-old holds a number and two words
        parts = differing_parts(words)
        if not parts or any(has_digit(part.quoted) or has_digit(part.printed) for part in parts):
            return "code_differs"
        told = [
            _like(snippet, index, part, noisy=noisy + len(parts) - 1, misquoted=misquoted) for part in parts
        ]
        return next((code for code in told if code not in EXCUSED), max(told))
    return ""
