"""A quoted snippet made ready for matching: markup taken off, cut into tokens and parts, each with its key.

Nothing here knows a document.
"""

import html
import re
from dataclasses import dataclass
from functools import cached_property

from citation_pipeline.core.matching.box_signs import drawn_alike
from citation_pipeline.core.matching.folding import fold, fold_pieces
from citation_pipeline.core.matching.formulas import draw_formulas
from citation_pipeline.core.matching.numerals import has_digit, plain
from citation_pipeline.core.matching.page_remarks import PAGE_REMARKS
from citation_pipeline.core.matching.vocabulary import NEGATIONS, are_foreign

MAX_SNIPPET_CHARACTERS = 20_000
"""What of a longer snippet is looked at: five dense pages, far beyond any quotation."""

# known element names only: "x <y and z>" is text
_TAG = re.compile(
    r"</?(?:a|b|i|u|s|p|em|strong|span|div|br|hr|td|tr|th|table|thead|tbody|tfoot|caption|col|colgroup|li|ul|ol|dl"
    r"|dt|dd|h[1-6]|sup|sub|code|pre|font|mark|small|big|blockquote|cite|q|label|section|article|img|input|del|ins"
    r")(?:\s[^<>]{0,300})?/?>",
    re.IGNORECASE,
)
# struck out or put into a comment: a reader does not read it as said
_STRUCK = re.compile(
    r"<(del|s|strike)\b[^<>]*>(.{1,80}?)</\1>|<!--(.{1,200}?)-->|~~(.{1,80}?)~~|\[\^([\w-]{1,20})\]",
    re.IGNORECASE,
)
_MOST_STRUCK = 3  # words of what is struck out so that it denies; a whole sentence is marked, not taken back
_TURNED = re.compile("\u202e([^\u202c\n]*)\u202c?")  # shown from right to left, whatever it is
_RAISED = re.compile(r"(?<=\d)<sup>\s*([+-]?\d{1,3})\s*</sup>", re.IGNORECASE)  # 10<sup>2</sup>
_BLOCK_QUOTE = re.compile(r"^[ \t]*(?:>[ \t]?)+(?=\S)", re.MULTILINE)
_COMPARED_NUMBER = re.compile(r"\s*>\s*[$€£]?\d+(?:[.,]\d+)*%?(?:\s|$)")
_TASK = re.compile(r"^\s*(?:[-*+•]\s*)?(?=\[[ xX✓✔]?\]\s+)")
_LINK = re.compile(r"!?\[([^\[\]]{1,300})\]\((?:https?:|mailto:|#|/|\.)[^()\s]{0,500}\)")
_LATEX = re.compile(r"\\(?:text(?:bf|it|rm|sf|tt)?|mathrm|mathbf|mathit|emph|underline|boxed)\s*\{")
_ENTITY = re.compile(r"&(?:#\d{1,7}|#x[0-9a-fA-F]{1,6}|[a-zA-Z]{2,10});")
_LIST_NUMBER = re.compile(r"^\s*\(?(?:\d{1,3}|[a-zA-Z])[.)]\s+(?=\S)")
_BOX = re.compile(r"[☐□☑☒■✓✔✗✘]|[\[(]\s?[xX✓✔]?\s?[\])]")
_BOX_BEHIND = re.compile(
    rf"\b([^\W\d_]+)[ \xa0]?({_BOX.pattern})(?=\s*$|[\s,;]+[^\W\d_]+[ \xa0]?(?:{_BOX.pattern}))"
)
_OWN_WORDS = re.compile(r"\[([^\W\d_][^\[\]\d]{1,40})\](?!\()")
_ELLIPSIS = re.compile(
    r"\[\s*(?:\.{2,}|…)\s*\]|\(\s*(?:\.{3,}|…)\s*\)|(?<!\.)\.{3,4}(?!\.)|…|(?:\. ){2,}\."
    r"|[⋯‥]|(?<=\w)\s?(?<!\.)\.\.\s(?=\w)|\[?(?:\*[ \xa0]){2,}\*\]?"
)
# said in words: `[snip]`, `(text omitted)`
_GAP_IN_WORDS = re.compile(
    r"[\[(<]\s*(?:snip(?:ped)?|gap|cut|ellipsis|(?:(?:some|more|other|intervening)\s+)?(?:text|words|lines?|rows?)"
    r"\s+(?:omitted|skipped|removed|cut)|(?:page|line|column)\s+break|omitted|skipped|abridged|truncated|gekürzt|auslassung|coupé|omissis)"
    r"\.?\s*[\])>]",
    re.IGNORECASE,
)

# a text taken out of JSON, Markdown or LaTeX without undoing the escapes; `\textbf{` is markup of its own
_ESCAPED_BREAK = re.compile(r"\\r\\n|\\[nrtf](?!ext[a-z]{0,2}\s*\{)")
_ESCAPED_UNITS = re.compile(r"(?:\\u[0-9a-fA-F]{4})+")
_ESCAPED_SIGN = re.compile(r"\\(?=[^\w\s])")

_TRANSCRIPTS = (
    r"(?:depo|depos|deposition|dep|tr|trans|transcript|hearing|hrg)\b\.?\s*(?:tr\b\.?\s*)?(?:at\s+)?"
)
_RECORDS = (
    r"(?:order|opinion|op|brief|br|motion|mot|decl|declaration|aff|affidavit|compl|complaint|ex|exh|exhibit|report"
    r"|record|id|ibid|memo|dkt|ecf|doc)"
)
_LINES = r"\d{1,4}:\d{1,2}(?:\s?[-–—]\s?(?:\d{1,4}:)?\d{1,2})?"

# numbers of sources, labels and wrappers that models put into and around what they quote,
# each with the characters of which it holds at least one: most quotations hold none of them
_DECORATIONS = tuple(
    (signs, re.compile(pattern, re.IGNORECASE | re.MULTILINE))
    for signs, pattern in (
        ("<", r"<!--.{0,500}?-->"),
        ("`", r"^\s*```[a-z]*\s*$|```"),
        (
            "<",
            r"<(page|page_?n(?:o|um(?:ber)?)|source|doc|ref|cite|citation|line)\b[^<>]{0,80}>\s*[\w.-]{1,6}\s*</\1\s*>",
        ),
        ("<", r"<sup>\s*\[?\d{1,3}(?:\s?[,–-]\s?\d{1,3})*\]?\s*</sup>"),
        (
            "<",
            r"</?[a-z][a-z0-9_:-]*(?:\s+[a-z_:-]+\s*=\s*(?:\"[^\"<>]{0,200}\"|'[^'<>]{0,200}'|[^\s\"'<>]{1,80}))*\s*/?>",
        ),
        ("[", r"!\[[^\[\]]{0,300}\]\([^()\s]{0,500}\)"),
        ("【〔", r"【[^【】]{0,80}】|〔\d{1,3}〕"),
        ("[", r":contentReference\[[^\[\]]{0,60}\](?:\{[^{}]{0,40}\})?"),
        ("[^", r"\[\^[\w-]{1,20}\]:?|\^\d{1,3}\^"),
        ("[", r"\[\s?\d{1,3}(?:\s?[,;–-]\s?\d{1,3})*\s?\](?!\()"),
        (
            "[",
            r"\[(?:sources?|refs?|cites?|citations?|docs?|documents?|see|note|fn|footnote)\b[^\[\]]{0,60}\](?!\()",
        ),
        *PAGE_REMARKS,
        # (see Order, at 1), (Smith Decl. ¶ 4) behind a quotation
        (
            "(",
            rf"\((?:see\s+[^()\n]{{0,60}}?|[^()\n]{{0,40}}?\b{_RECORDS}\.?(?:\s+\w{{1,3}})?,?\s+)"
            r"(?:at|¶+|no\.?)\s*\d{1,4}\)\W{0,3}\Z",
        ),
        ("§", r"\((?:see\s+)?§+\s?[\w.:-]{1,20}\)\W{0,3}\Z"),
        # [D2] before or behind a quotation
        ("[", r"\A\W{0,3}\[[A-Za-z]{1,4}[-_]?\d{1,4}\](?!\()|\[[A-Za-z]{1,4}[-_]?\d{1,4}\]\W{0,3}\Z"),
        ("[", r"\[\s?sic\.?\s?!?\]"),
        # [emphasis added], (citations omitted): what the quoter says of the quotation
        (
            "[(",
            r"[\[(]\s?(?:(?:my|our)\s+)?(?:emphasis|italics?|bold(?:face)?|underlin(?:e|ing)|highlight(?:s|ing)?"
            r"|footnotes?|citations?|references?|translation|alterations?|brackets"
            r"|(?:internal\s+)?quotation\s+marks(?:\s+and\s+citations?)?)"
            r"\s+(?:is\s+|are\s+)?(?:added|omitted|mine|ours|supplied|removed|in\s+(?:the\s+)?original)\s?[\])]",
        ),
        ("[(", r"[\[(]source\b[^()\[\]]{0,80}[\])]"),
        # (Ruiz Depo. 14:10-15:3): page and lines of a transcript, at an end of the quotation
        (":", rf"[\[(](?:[\w.,'’ -]{{1,40}}\s)?{_TRANSCRIPTS}{_LINES}[\])]\W{{0,3}}\Z"),
        (":", rf"\A\W{{0,3}}[\[(](?:[\w.,'’ -]{{1,40}}\s)?{_TRANSCRIPTS}{_LINES}[\])]"),
        (
            ":—–=",
            r"^\W{0,4}(?:direct\s+|exact\s+|verbatim\s+)?(?:quotes?|quoted|quotation|excerpt|snippet|citation|evidence"
            r"|extract|passage|verbatim|zitat|cita|source text|text)\W{0,3}(?:[:—–]\s+|=\s*(?=[\"“']))",
        ),
        (">", r"^[ \t]*(?:>[ \t]?)+(?=\S)"),
    )
)


@dataclass(frozen=True, slots=True)
class Token:
    """One blank-separated piece of a snippet and the half-open range of the snippet's key that it makes."""

    text: str
    start: int
    end: int


@dataclass(frozen=True)
class PreparedSnippet:
    """A snippet's tokens, their joined key, and `parts`: key offsets where an ellipsis cuts it.

    What only a
    quotation that is not verbatim needs is made when it is asked for.
    """

    text: str
    pieces: tuple[str, ...]
    key: bytes
    parts: tuple[int, ...] = ()

    @cached_property
    def tokens(self) -> tuple[Token, ...]:
        """The blank-separated pieces, each with its part of the key."""
        found: list[Token] = []
        length = 0
        for piece in self.pieces:
            end = length + len(fold(piece))
            found.append(Token(piece, length, end))
            length = end
        return tuple(found)

    @cached_property
    def markers(self) -> int:
        """How many leading tokens may be a list marker."""
        marker = _LIST_NUMBER.match(self.text)
        return len(marker.group().split()) if marker else 0

    @cached_property
    def has_numbers(self) -> bool:
        """Whether the key holds a digit."""
        return has_digit(self.key)

    @cached_property
    def is_foreign(self) -> bool:
        """Whether hardly any of the words is common English."""
        return are_foreign(self.key[token.start : token.end] for token in self.tokens)

    @cached_property
    def bare(self) -> str:
        """The text without spaces."""
        return "".join(self.pieces)

    @cached_property
    def plain(self) -> str:
        """The text without spaces, with one kind of dash and quote."""
        return plain(self.text)


def strip_markup(text: str) -> str:
    """Return the text without HTML, entities, links, block quotes and LaTeX wrappers, boxes as signs."""
    text = _as_shown(text)
    if ">" in text and _is_block_quote(text):
        text = _BLOCK_QUOTE.sub("", text)
    if "<" in text:
        text = _TAG.sub(" ", _RAISED.sub(r"^\1", text))
    # entities may spell tags, so tags are taken off once more
    if "&" in text and _ENTITY.search(text):
        text = html.unescape(text)
        if "<" in text:
            text = _TAG.sub(" ", text)
    if "[" in text:
        text = drawn_alike(_TASK.sub("", text))
        text = _LINK.sub(r"\1", text)
    if "\\" in text:
        text = _LATEX.sub(" ", text)
    return text


def _as_shown(text: str) -> str:
    """Return the text in the direction in which it is shown, without denials that are struck out."""
    if "\u202e" in text:
        text = _TURNED.sub(lambda m: m.group(1)[::-1], text)
    if "<" in text or "~~" in text or "[^" in text:
        text = _STRUCK.sub(_without_denial, text)
    return text


def _without_denial(struck: re.Match[str]) -> str:
    """Return what is struck out, or nothing where it denies."""
    said = " ".join(filter(None, struck.groups()[1:]))
    words = said.split()
    is_denial = len(words) <= _MOST_STRUCK and any(fold(word) in NEGATIONS for word in words)
    return " " if is_denial else struck.group()


def _is_block_quote(text: str) -> bool:
    """Tell whether a text begins with Markdown's mark of a block quote; before a number alone it compares."""
    lines = [line for line in text.splitlines() if line.strip()]
    if not lines or not _BLOCK_QUOTE.match(lines[0]):
        return False
    is_block = len(lines) > 1 and all(_BLOCK_QUOTE.match(line) for line in lines)
    return is_block or not _COMPARED_NUMBER.match(lines[0])


def prepare(text: str, *, split_ellipsis: bool = False) -> PreparedSnippet:
    """Fold a snippet into tokens and one key; with `split_ellipsis` its ellipses part it.

    Any string is taken: control characters, lone surrogates and text of any direction fold away or to a
    key; of an overlong snippet only the first MAX_SNIPPET_CHARACTERS count.
    """
    plain = strip_markup(text[:MAX_SNIPPET_CHARACTERS])
    if not split_ellipsis:
        pieces = plain.split()
        return PreparedSnippet(text=plain, pieces=tuple(pieces), key=fold_pieces(pieces))
    found: list[str] = []
    keys: list[bytes] = []
    parts: dict[int, None] = {}
    length = 0
    for chunk in _ELLIPSIS.split(plain):
        parts[length] = None
        pieces = chunk.split()
        found += pieces
        keys.append(fold_pieces(pieces))
        length += len(keys[-1])
    return PreparedSnippet(
        text=plain,
        pieces=tuple(found),
        key=b"".join(keys),
        parts=tuple(part for part in parts if 0 < part < length),
    )


def split_at_ellipses(text: str) -> list[str]:
    """Return the parts of a text between its ellipses, markup taken off."""
    return _ELLIPSIS.split(strip_markup(text[:MAX_SNIPPET_CHARACTERS]))


def undecorate(text: str) -> str:
    """Return the text without what is put around a quotation and into it: source marks, page references,
    labels, escapes.

    All of these may be text of a page as well, so a caller looks for the text as it is too.
    """
    plain = unescape(_as_shown(text))
    if any(sign in plain for sign in "[(<"):
        plain = _GAP_IN_WORDS.sub(" … ", plain)
    for signs, decoration in _DECORATIONS:
        if any(sign in plain for sign in signs):
            plain = decoration.sub(" ", plain)
    return plain if fold(plain) else text


def bracketed_words(text: str) -> list[str]:
    """Return what a quotation has in square brackets as the quoter's own words: `[the driver] saw it`."""
    return _OWN_WORDS.findall(text) if "[" in text else []


def without_bracketed(text: str) -> str:
    """Return a quotation with an ellipsis for every word of the quoter's own."""
    return _OWN_WORDS.sub(" … ", text).strip(" …\"'“”")


def turn_boxes(text: str) -> str:
    """Return a text that ends in a box, and has boxes behind its options only, with each before its option:
    `Yes [x] No [ ]` as `[x] Yes [ ] No`."""
    text = text.rstrip()
    if text[-1:].isalnum() or len(_BOX_BEHIND.findall(text)) != len(_BOX.findall(text)):
        return text
    return _BOX_BEHIND.sub(r"\2 \1", text)


def unescape(text: str) -> str:
    """Return the text with the characters that JSON, Markdown or LaTeX escapes and formulas stand for."""
    text = text[:MAX_SNIPPET_CHARACTERS]
    if "\\" not in text and "{" not in text:
        return text
    text = _ESCAPED_UNITS.sub(lambda m: _characters_of(m.group()), draw_formulas(text))
    return _ESCAPED_SIGN.sub("", _ESCAPED_BREAK.sub(" ", text))


def _characters_of(units: str) -> str:
    """Return the characters of JSON's UTF-16 units, of which two may make one character."""
    raw = bytes.fromhex(units.replace("\\u", ""))
    return raw.decode("utf-16-be", "replace")


def has_ellipsis(text: str) -> bool:
    """Tell whether the text shows a gap of its own."""
    return _ELLIPSIS.search(text) is not None
