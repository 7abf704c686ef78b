"""What of a web page is not displayed, or otherwise than it is written: by an element's own style, or by the
page's style sheets.

Only rules for a name, a class or an id are followed: those are what pages and mails hide text with.
"""

import re
from collections.abc import Iterator

from lxml import html

_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_RULE = re.compile(r"([^{}@;]+)\{([^{}]*)\}")
_CONDITIONAL = re.compile(r"@[^{;]*\{(?:[^{}]*\{[^{}]*\})*[^{}]*\}")  # @media and its like: another paper
_SELECTOR = re.compile(r"([a-z][a-z0-9]*|\*)?((?:[.#][\w-]+)*)", re.IGNORECASE)
_HIDES = re.compile(
    r"display:none|visibility:(?:hidden|collapse)|font-size:0(?:px|pt|em|rem|%)?(?:!|;|$)|opacity:0(?:\.0+)?(?:!|;|$)"
    r"|(?:text-indent|left|top|margin-left|margin-top):-\d{4,}"
)
_FLAT = re.compile(r"(?:^|;)(?:max-)?(?:height|width):0(?:px|pt|em)?(?:!|;|$)")
_BACKWARDS, _ENDS = "\u202e", "\u202c"  # signs of Unicode
_LONGEST_SHEET = 1_000_000  # characters; more is an attack or a framework, whose rules are for screens


def hide_by_style_sheets(root: html.HtmlElement) -> None:
    """Mark as hidden each element that a simple rule of the page's style sheets does not display."""
    rules = list(_hiding_rules(root))
    if not rules:
        return
    for node in root.iter():
        if not isinstance(node.tag, str) or _displays(node.get("style")):
            continue
        if any(_matches(node, *rule) for rule in rules):
            node.set("hidden", "")


def is_hidden(node: html.HtmlElement) -> bool:
    """Tell whether an element is not displayed: by its style, as marked, or as a choice not taken."""
    if node.get("hidden") is not None or _is_hiding(node.get("style")):
        return True
    return node.tag == "option" and not _is_chosen(node)


def is_struck(node: html.HtmlElement) -> bool:
    """Tell whether an element strikes out what is in it, by its name or its own style."""
    return node.tag in ("s", "strike", "del") or "line-through" in (node.get("style") or "").lower()


def order_turned_text(root: html.HtmlElement) -> None:
    """Put the signs that order a text to run backwards around what an element orders so."""
    for node in root.iter():
        if isinstance(node.tag, str) and _is_turned(node):
            node.text = f"{_BACKWARDS}{node.text or ''}"
            if len(node):
                node[-1].tail = f"{node[-1].tail or ''}{_ENDS}"
            else:
                node.text += _ENDS


def _is_turned(node: html.HtmlElement) -> bool:
    plain = "".join((node.get("style") or "").lower().split())
    if node.tag == "bdo" and (node.get("dir") or "").strip().lower() == "rtl":
        return "direction:ltr" not in plain
    return "bidi-override" in plain and "direction:rtl" in plain


def _hiding_rules(root: html.HtmlElement) -> Iterator[tuple[str, frozenset[str], str]]:
    """Yield element name, classes and id of each rule that hides."""
    for sheet in root.iter("style"):
        text = _CONDITIONAL.sub(" ", _COMMENT.sub(" ", (sheet.text or "")[:_LONGEST_SHEET]))
        for selectors, declarations in _RULE.findall(text):
            if not _is_hiding(declarations):
                continue
            for selector in selectors.split(","):
                found = _SELECTOR.fullmatch(selector.strip())
                if found and any(found.groups()):
                    marks = re.findall(r"[.#][\w-]+", found.group(2))
                    names = frozenset(mark[1:] for mark in marks if mark[0] == ".")
                    ids = [mark[1:] for mark in marks if mark[0] == "#"]
                    yield (found.group(1) or "*").lower(), names, ids[0] if ids else ""


def _matches(node: html.HtmlElement, name: str, classes: frozenset[str], ident: str) -> bool:
    return (
        name in ("*", node.tag)
        and (not ident or node.get("id") == ident)
        and (not classes or classes <= set((node.get("class") or "").split()))
    )


def _is_hiding(style: str | None) -> bool:
    plain = "".join((style or "").lower().split())
    return bool(plain) and (
        _HIDES.search(plain) is not None or ("overflow:hidden" in plain and _FLAT.search(plain) is not None)
    )


def _displays(style: str | None) -> bool:
    plain = "".join((style or "").lower().split())
    return re.search(r"display:(?!none)|visibility:visible", plain) is not None


def _is_chosen(option: html.HtmlElement) -> bool:
    """Tell whether a list shows this entry: a closed one shows the chosen entry alone, else its first."""
    select = next(option.iterancestors("select"), None)
    if select is None or select.get("multiple") is not None or (select.get("size") or "1") != "1":
        return True
    options = list(select.iter("option"))
    chosen = [one for one in options if one.get("selected") is not None] or options[:1]
    return option is chosen[-1]
