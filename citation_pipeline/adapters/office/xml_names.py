"""Elements and attributes of office files by their names without namespaces, which never collide there."""

from collections.abc import Iterator

from lxml import etree


def name_of(node: etree._Element) -> str:
    """Return an element's name without its namespace; "" for what is no element."""
    return node.tag.rpartition("}")[2] if isinstance(node.tag, str) else ""


def children(node: etree._Element | None, name: str) -> Iterator[etree._Element]:
    """Yield the children of a name."""
    if node is not None:
        for one in node:
            if name_of(one) == name:
                yield one


def child(node: etree._Element | None, name: str) -> etree._Element | None:
    """Return the first child of a name, or None."""
    return next(children(node, name), None)


def attribute(node: etree._Element | None, name: str) -> str:
    """Return an attribute whatever its namespace, "" where it is missing."""
    if node is None:
        return ""
    for key, value in node.attrib.items():
        if str(key).rpartition("}")[2] == name:
            return str(value)
    return ""


def integer(node: etree._Element | None, default: int) -> int:
    """Return an element's `val` as a number."""
    try:
        return int(attribute(node, "val"))
    except ValueError:
        return default


def is_on(node: etree._Element | None) -> bool:
    """Tell whether an on/off element is there and not switched off."""
    return node is not None and attribute(node, "val") not in ("0", "false", "off", "none")
