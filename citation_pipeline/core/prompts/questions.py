"""What is asked of the documents: all fields, a group of them, or once more what was left open.

The question is behind the documents, so that several questions share one cached prefix. It names
fields and counts only; nothing a document or a reply said is quoted.
"""

from collections.abc import Mapping, Sequence


def render_question(
    field_keys: Sequence[str] | None, *, is_again: bool = False, row_counts: Mapping[str, int] | None = None
) -> str:
    """Return the question for these fields, None meaning all.

    `is_again` marks fields that an earlier answer left open; `row_counts` tells how many rows the
    documents seem to have for a list that came out shorter.
    """
    if field_keys is None:
        return "Answer every field of the list above from the documents of this case."
    lines = [
        "An earlier answer left these fields open or incomplete. Answer exactly these, null where the "
        "documents are silent, and no others:"
        if is_again
        else "Answer exactly these fields, null where the documents are silent, and no others:"
    ]
    for key in field_keys:
        rows = (row_counts or {}).get(key)
        lines.append(f"- {key}" + (f" (the documents seem to list {rows} of them: give all)" if rows else ""))
    return "\n".join(lines)


def render_second_look(field_keys: Sequence[str]) -> str:
    """Return the question for fields that an earlier answer was not sure of."""
    lines = [
        "An earlier answer was not sure of these fields. Look again, at each by itself: first quote the "
        "exact words that state it, as its citations, and write them before anything else of the record; "
        "then give the value that these words state, null if there are none. Do not choose what is merely "
        "likely. Answer exactly these fields and no others:",
        *(f"- {key}" for key in field_keys),
    ]
    return "\n".join(lines)


def render_requote(field_keys: Sequence[str]) -> str:
    """Return the question for other quotations: what an earlier answer quoted is not in the documents."""
    lines = (
        "The text_snippet that an earlier answer gave for these fields is not in the documents above. Answer "
        "exactly these fields again from them, null where they are silent, and copy each text_snippet "
        "character for character from one line that states the value:"
    )
    return "\n".join((lines, *(f"- {key}" for key in field_keys)))


def render_beginnings(longest: int) -> str:
    """Return what is added to a question about documents that hold a table of more rows than `longest`."""
    return (
        f"Some tables here are longer than {longest} rows. Of a list with more than {longest} items give the "
        "first 10 only: the others are asked for afterwards, by parts of their table."
    )


def render_rows_question(field_key: str, *, count: int, total: int) -> str:
    """Return the question for the items of one list that some rows of its table are: `count` of `total`."""
    return (
        f"The document above shows {count} rows of a table of {total} rows. Answer exactly this field with "
        "one item for each of these rows that is an item of the list, in the order of the rows: none left "
        "out, none put together, and give one citation for each item, in the same order, quoted from its row."
        f"\n- {field_key} (these rows seem to be {count} of them: give all)"
    )
