"""Text of office files that a reader of the page does not see is emptied before anything reads it.

Word: hidden by a style, one or two half-points high, or white on bare paper (direct `vanish` and deleted
revisions are left out where runs are read). OpenDocument: hidden sections, paragraphs, texts and styles; what
a style of its strikes out is marked.
"""

from collections.abc import Iterator, Sequence

from lxml import etree

from citation_pipeline.adapters.office.struck_text import struck
from citation_pipeline.adapters.office.xml_names import attribute, child, children, is_on, name_of

_WHITE = "FFFFFF"
_LEAST_SIZE = 2  # half-points: print of one point is not read
_GROUNDS = ("tbl", "txbxContent")  # what may be dark below white letters


def hidden_word_styles(root: etree._Element | None) -> frozenset[str]:
    """Return the ids of a DOCX's styles whose text is hidden, by themselves or by what they are based on."""
    styles = {attribute(style, "styleId"): style for style in children(root, "style")}

    def is_hidden(style: etree._Element | None, depth: int = 0) -> bool:
        if style is None or depth > len(styles):
            return False
        mark = child(child(style, "rPr"), "vanish")
        if mark is not None:
            return is_on(mark)
        return is_hidden(styles.get(attribute(child(style, "basedOn"), "val")), depth + 1)

    return frozenset(name for name, style in styles.items() if is_hidden(style))


def empty_hidden_runs(root: etree._Element, styles: frozenset[str]) -> None:
    """Empty the runs of a DOCX's part that are not seen. `styles` are the hidden ones."""
    for run in [node for node in root.iter() if name_of(node) == "r"]:
        looks = child(run, "rPr")
        if child(looks, "vanish") is not None:
            continue  # says itself whether it is hidden
        paragraph = next((one for one in run.iterancestors() if name_of(one) == "p"), None)
        own = attribute(child(child(paragraph, "pPr"), "pStyle"), "val")
        is_hidden = attribute(child(looks, "rStyle"), "val") in styles or own in styles
        if is_hidden or _is_tiny(looks) or _is_white_on_paper(run, looks, paragraph):
            _empty(run)


def _is_tiny(looks: etree._Element | None) -> bool:
    size = attribute(child(looks, "sz"), "val")
    return size.isdigit() and int(size) <= _LEAST_SIZE


def _is_white_on_paper(
    run: etree._Element, looks: etree._Element | None, paragraph: etree._Element | None
) -> bool:
    if attribute(child(looks, "color"), "val").upper() != _WHITE:
        return False
    if any(child(looks, name) is not None for name in ("shd", "highlight", "bdr", "rStyle")):
        return False
    given = child(paragraph, "pPr")
    if child(given, "shd") is not None or child(given, "pStyle") is not None:
        return False
    above = list(run.iterancestors())
    names = {name_of(one) for one in above}
    return names.isdisjoint(_GROUNDS) and "document" in names and child(above[-1], "background") is None


def empty_hidden_texts(body: etree._Element, *others: etree._Element | None) -> None:
    """Empty what an OpenDocument body does not display; styles are in the body's part and the `others`."""
    hidden = _text_styles("display", ("none",), body.getparent(), *others)
    for node in list(_hidden_nodes(body, hidden)):
        _empty(node)


def mark_struck_texts(body: etree._Element, *others: etree._Element | None) -> None:
    """Mark what an OpenDocument body strikes out; styles are in the body's part and the `others`."""
    lines = ("solid", "dotted", "dash", "long-dash", "dot-dash", "dot-dot-dash", "wave")
    styles = _text_styles("text-line-through-style", lines, body.getparent(), *others)
    for node in [one for one in body.iter() if styles and attribute(one, "style-name") in styles]:
        if name_of(node) in ("p", "h", "span"):
            _strike(node)


def _strike(node: etree._Element) -> None:
    node.text = struck(node.text or "")
    for one in node:
        _strike(one)
        one.tail = struck(one.tail or "")


def _text_styles(name: str, values: Sequence[str], *roots: etree._Element | None) -> frozenset[str]:
    return frozenset(
        attribute(style, "name")
        for root in roots
        if root is not None
        for style in root.iter()
        if name_of(style) == "style" and attribute(child(style, "text-properties"), name) in values
    )


def _hidden_nodes(body: etree._Element, styles: frozenset[str]) -> Iterator[etree._Element]:
    for node in body.iter():
        kind = name_of(node)
        if kind == "section":
            if attribute(node, "display") == "none":
                yield node
        elif kind in ("hidden-text", "hidden-paragraph"):
            if attribute(node, "is-hidden") == "true":
                paragraph = node.getparent()
                yield paragraph if kind == "hidden-paragraph" and paragraph is not None else node
        elif kind in ("p", "h", "span") and styles and attribute(node, "style-name") in styles:
            yield node


def _empty(node: etree._Element) -> None:
    tail = node.tail
    node.clear()
    node.tail = tail
