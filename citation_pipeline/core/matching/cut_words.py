"""A quotation cut inside a word of a script without spaces: what the cut leaves out may turn the rest round.

`申请人` of `被申请人` is the other party, `业务上` of `非业务上` the opposite, `五天` of `十五天`
another number.
"""

import re
import unicodedata

from citation_pipeline.core.matching.box_signs import BOX
from citation_pipeline.core.matching.folding import spell
from citation_pipeline.core.matching.marks import compare_marks
from citation_pipeline.core.matching.numerals import is_number_changed, plain
from citation_pipeline.core.matching.vocabulary import NEGATION_PARTS

_CLAUSE = re.compile(r"[\s,.;:!?，。；：、！？「」『』（）()“”\"|]")
_JOINED = re.compile(r"[-.,:/]")
_CHARACTER = re.compile(r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_REACH = 3  # characters before a cut in which a denial still speaks of what follows: 没有, 不应, 未能
# syllables that make a word its opposite, the other party, or a former or lesser one
_INNER = ("被", "副", "非")
_LEADING = ("反", "再", "前", "元", "旧", "代", "准", "準", "亚", "ex")
_SYLLABLES = ("비", "불", "부", "미", "무", "몰", "반", "역", "탈", "피", "전")
_WHOLE = tuple(part for part in NEGATION_PARTS if "\u3400" <= part <= "\u9fff" and len(part) == 1)
_NUMERALS = frozenset("0123456789零〇一二三四五六七八九十百千万萬亿億兆两壹贰叁肆伍陆柒捌玖拾佰仟")


def code_of_cut(printed: str, at: int, length: int, wanted: str) -> str:
    """Return what a cut inside the printed words changes: a code, or nothing.

    `at` and `length` count the letters and digits of `printed` as `spell` has them.
    """
    before, behind = around_cut(printed, at, length)
    if _names_unticked(printed[len(before) : len(printed) - len(behind)], behind):
        return "mark_differs"
    lead, tail = _CLAUSE.split(before)[-1], _CLAUSE.split(behind)[0]
    if _is_number_cut(before, wanted) or _is_number_cut(wanted, behind):
        return "digits_differ"
    if tail and wanted.endswith(_WHOLE):
        return "word_replaced"  # 协议无 of 协议无效: what follows the denial belongs to it
    near = spell(lead[-_REACH:])
    if any(part in near for part in NEGATION_PARTS) or spell(tail).startswith(NEGATION_PARTS):
        return "negation_differs"
    if lead.endswith(_INNER) or lead in _LEADING or lead in _SYLLABLES:
        return "word_replaced"
    return ""


def codes_of_marks(printed: str, at: int, length: int, quoted: str) -> list[str]:
    """Return what the marks of a part of printed words say otherwise than the quotation's: 1,24.0 and 12,40.

    Signs at its ends are its own where they are quoted.
    """
    before, behind = around_cut(printed, at, length)
    first, last = len(before), len(printed) - len(behind)
    while first and printed[first - 1] in quoted and not spell(printed[first - 1]):
        first -= 1
    while last < len(printed) and printed[last] in quoted and not spell(printed[last]):
        last += 1
    if plain(printed[first:last]) == plain(quoted):
        return []
    ours, theirs = _set_apart(quoted), _set_apart(printed[first:last])
    return ["number_differs"] * is_number_changed(ours, theirs) + compare_marks(ours, theirs)


def _set_apart(text: str) -> str:
    """Return a text with blanks around the characters of scripts without spaces: figures are words of their
    own."""
    return _CHARACTER.sub(r" \g<0> ", unicodedata.normalize("NFKC", text))


def _names_unticked(inner: str, behind: str) -> bool:
    """Tell whether the cut ends in an option whose box is empty, before another: 吸烟：☐是☒否."""
    boxes = list(BOX.finditer(inner))
    is_question_quoted = len(boxes) == 1 and bool(spell(inner[: boxes[0].start()]))
    return is_question_quoted and boxes[0].group("empty") is not None and BOX.search(behind) is not None


def around_cut(printed: str, at: int, length: int) -> tuple[str, str]:
    """Return what is printed before and behind a stretch of letters and digits."""
    told, first, last = 0, len(printed), len(printed)
    for place, character in enumerate(printed):
        if told == at and first == len(printed) and spell(character):
            first = place
        told += len(spell(character))
        if told >= at + length:
            last = place + 1
            break
    return printed[:first], printed[last:]


def _is_number_cut(left: str, right: str) -> bool:
    """Tell whether a number goes on over the cut, be it over a mark inside it: `1,` and `200`."""
    ends, begins = _JOINED.sub("", left[-2:])[-1:], _JOINED.sub("", right[:2])[:1]
    return ends in _NUMERALS and begins in _NUMERALS
