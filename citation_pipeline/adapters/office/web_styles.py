"""What styles make of a web page's text: they hide some, turn some round, and add some of their own.

Only rules for a name, a class or an id are followed: those are what pages and mails do it with.
"""

import re
from collections.abc import Iterator

from lxml import html

_Kind = tuple[str, frozenset[str], str]  # an element's name or *, classes and id

_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_RULE = re.compile(r"([^{}@;]+)\{([^{}]*)\}")
_CONDITIONAL = re.compile(r"@[^{;]*\{(?:[^{}]*\{[^{}]*\})*[^{}]*\}")  # @media and its like: another paper
_SELECTOR = re.compile(r"([a-z][a-z0-9]*|\*)?((?:[.#][\w-]+)*)", re.IGNORECASE)
_CONTENT = re.compile(r"""(?:^|;)\s*content\s*:\s*(["'])((?:(?!\1)[^\n])*)\1""")
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


def add_generated_text(root: html.HtmlElement) -> None:
    """Write into elements what simple rules of the page's style sheets put before or behind their text."""
    rules = [(kind, place, text) for declared in _sheets(root) for kind, place, text in _generated(declared)]
    if not rules:
        return
    for node in root.iter():
        if isinstance(node.tag, str):
            for kind, place, text in rules:
                if _matches(node, *kind):
                    _put(node, place, text)


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


def _hiding_rules(root: html.HtmlElement) -> Iterator[_Kind]:
    """Yield the elements of each rule that hides."""
    for sheet in _sheets(root):
        for selectors, declarations in _RULE.findall(sheet):
            if _is_hiding(declarations):
                for selector in selectors.split(","):
                    yield from _kind_of(selector)


def _sheets(root: html.HtmlElement) -> Iterator[str]:
    for sheet in root.iter("style"):
        yield _CONDITIONAL.sub(" ", _COMMENT.sub(" ", (sheet.text or "")[:_LONGEST_SHEET]))


def _generated(sheet: str) -> Iterator[tuple[_Kind, str, str]]:
    """Yield the elements of each rule that adds text, before or after, and the text."""
    for selectors, declarations in _RULE.findall(sheet):
        content = _CONTENT.search(declarations)
        if content is None:
            continue
        text = content[2].replace("\\A", " ").replace("\\", "")
        for selector in selectors.split(","):
            element, _, place = selector.strip().lower().replace("::", ":").rpartition(":")
            if place in ("before", "after"):
                name = selector.strip()[: len(element)]
                yield from ((kind, place, text) for kind in _kind_of(name or "*"))


def _put(node: html.HtmlElement, place: str, text: str) -> None:
    if place == "before":
        node.text = f"{text}{node.text or ''}"
    elif len(node):
        node[-1].tail = f"{node[-1].tail or ''}{text}"
    else:
        node.text = f"{node.text or ''}{text}"


def _kind_of(selector: str) -> Iterator[_Kind]:
    """Yield element name, classes and id of a simple selector, nothing of others."""
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
