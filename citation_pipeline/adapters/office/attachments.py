"""A file inside a mail or an archive: a name that is safe in a path, and content that is read when needed."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

LEFT_OUT = "(further files)"
"""The name of the row for what lies beyond the limits on attachments; no attachment bears it."""

_LONGEST_NAME = 120  # letters of one part of a path


@dataclass(frozen=True, slots=True)
class Attachment:
    """One file: its name, folders of an archive included, and how to get its content.

    `read` raises RefusedDocumentError for what is encrypted or damaged.
    """

    name: str
    read: Callable[[], bytes]


def named_apart(attachments: Iterable[Attachment]) -> list[Attachment]:
    """Return attachments under names that are relative paths and differ: a repeated one gets " (2)", …"""
    taken = {LEFT_OUT}
    named = []
    for number, attachment in enumerate(attachments, start=1):
        name = _plain(attachment.name) or f"part {number}"
        folder, slash, last = name.rpartition("/")
        stem, dot, suffix = last.rpartition(".") if "." in last[1:] else (last, "", "")
        again = 1
        while name.casefold() in taken:
            again += 1
            name = f"{folder}{slash}{stem} ({again}){dot}{suffix}"
        taken.add(name.casefold())
        named.append(replace(attachment, name=name))
    return named


def _plain(name: str) -> str:
    """Return a name without steps out of its folder, marks that print nothing, and overlong parts."""
    printable = "".join(letter if letter.isprintable() else " " for letter in name.replace("\\", "/"))
    parts = (" ".join(part.split()) for part in printable.split("/"))
    return "/".join(_shortened(part) for part in parts if part.strip(". "))


def _shortened(part: str) -> str:
    if len(part) <= _LONGEST_NAME:
        return part
    stem, dot, suffix = part.rpartition(".")
    return f"{stem[: _LONGEST_NAME - 10]}{dot}{suffix}" if len(suffix) < 9 else part[:_LONGEST_NAME]
