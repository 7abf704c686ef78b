"""Which items a list has: those of its latest reading, or of all; the same item read twice is one."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from rapidfuzz import fuzz

from citation_pipeline.core.rules.choices import Choice, confidence_of, ranked
from citation_pipeline.core.rules.lexicons.lexicon import FieldRules
from citation_pipeline.core.rules.readers.candidates import Candidate, Item
from citation_pipeline.core.rules.readers.lists import first_member
from citation_pipeline.core.values.spans import fold, fold_words

# Two items with this similarity of their first members are one.
_SAME_ITEM = 82.0
# A code's last letter says which visit it is, what is before it what is wrong: `S62.322D`, `S62.324D`.
_STEM = 7
_WORDS_OF_SIDES = frozenset({"left", "right", "bilateral"})


def choose_list(rules: FieldRules, pool: Sequence[Candidate]) -> Choice:
    """Return the list's items with what speaks for each; a later denial leaves none."""
    stated = [c for c in pool if c.items]
    denied = [c for c in pool if not c.items]
    newest_denial = max((c.as_of for c in denied), default="")
    newest_list = max((c.as_of for c in stated), default="")
    # what happened once is not undone by a later paper that has nothing to add
    has_happened = rules.lasting and bool(stated)
    if denied and not has_happened and (not stated or newest_denial > newest_list):
        support = ranked(denied)
        return Choice([], support, confidence_of(support, stated), others=stated)
    chosen = stated if rules.choice == "union" else _latest_list(stated)
    merged = _named_with_side(_merge(rules, chosen, stated), rules)
    items = [item for item, _ in merged]
    return Choice(
        value=items,
        support=ranked(chosen),
        confidence=confidence_of(ranked(chosen), denied),
        items=items,
        item_support=[support for _, support in merged],
        others=() if rules.lasting else denied,
    )


def _latest_list(stated: Sequence[Candidate]) -> list[Candidate]:
    """Return the readings of the newest day, the fullest first."""
    newest = max(c.as_of for c in stated)
    same_day = [c for c in stated if c.as_of == newest]
    # what a label's whole value says, a sentence pattern says again in parts
    labelled = {(c.source, word) for c in same_day if c.method != "sentence" for word in c.unit.words}
    apart = [
        c
        for c in same_day
        if c.method != "sentence" or not all((c.source, word) in labelled for word in c.unit.words)
    ]
    return sorted(apart, key=lambda c: (round(c.weight, 1), len(c.items)), reverse=True)


# What a form lists behind its label are names; a sentence tells more: `the right wrist (carpal tunnel)`.
_LISTED = frozenset({"grid", "field", "right", "inline"})
_JOINED = re.compile(r"\b(?:left|right) \w+(?: \w+)? and (?:left|right) \w", re.IGNORECASE)
_SHORT_SIDES = {"left": "L|Lt|left", "right": "R|Rt|right"}


def _named_with_side(
    merged: Sequence[tuple[Item, "_Support"]], rules: FieldRules
) -> list[tuple[Item, "_Support"]]:
    """Return items that are printed behind their side with it in their names: `L knee` is the left knee.

    Where a form picks all of a list from names of its own (`Left Ankle`), or joins them by a word
    (`left ankle and left knee`), the side, which is a member beside the name, stays out of it.
    """
    name = rules.field.items[0].name if rules.field.items else ""
    is_picked = bool(merged) and all(_is_picked(item, support, rules) for item, support in merged)
    named = []
    for item, support in merged:
        own = str(item.value.get("side") or "").casefold()
        told = first_member(item, rules)
        has_own = bool(own) and told.casefold().startswith(f"{own} ")
        if has_own and is_picked:
            told = told[len(own) + 1 :]
        elif own and not has_own and not is_picked and _printed_side(item, rules):
            told = f"{own} {told}"
        if told != first_member(item, rules):
            item = replace(item, value={**item.value, name: told})
        named.append((item, support))
    return named


def _is_picked(item: Item, support: Sequence[tuple[Candidate, Item]], rules: FieldRules) -> bool:
    """Tell whether a form lists an item with a capital, as from names of its own, or an item of no side."""
    if not item.value.get("side"):
        return True
    listed = [own for candidate, own in support if candidate.method in _LISTED]
    printed = [_printed_side(own, rules) for own in listed]
    is_named = any(side[:1].isupper() and len(side) > len("Rt") for side in printed)
    return is_named or any(_JOINED.search(own.unit.text) for own in listed)


def _printed_side(item: Item, rules: FieldRules) -> str:
    """Return the word for its side that is printed before a part, as printed; empty if there is none."""
    short = _SHORT_SIDES.get(str(item.value.get("side") or "").casefold())
    if short is None:
        return ""
    part = re.sub(rf"^(?:{short})\.?\s+", "", first_member(item, rules), flags=re.IGNORECASE)
    found = re.search(rf"\b({short})\.?\s+{re.escape(part)}\b", item.unit.text, re.IGNORECASE)
    return found[1] if found else ""


_Support = list[tuple[Candidate, Item]]


def _merge(
    rules: FieldRules, chosen: Sequence[Candidate], stated: Sequence[Candidate]
) -> list[tuple[Item, _Support]]:
    """Unite the items of the chosen readings; other readings of the same items lend members and citations."""
    merged: list[tuple[Item, _Support]] = []
    known = {id(candidate) for candidate in chosen}
    for candidate in chosen:
        for item in candidate.items:
            _add(rules, merged, candidate, item, is_new_allowed=True)
    for candidate in sorted(stated, key=lambda c: c.as_of, reverse=True):
        if id(candidate) in known:
            continue
        for item in candidate.items:
            _add(rules, merged, candidate, item, is_new_allowed=False)
    return merged


def _add(
    rules: FieldRules,
    merged: list[tuple[Item, _Support]],
    candidate: Candidate,
    item: Item,
    *,
    is_new_allowed: bool,
) -> None:
    for place, (known, support) in enumerate(merged):
        if _is_same_item(rules, known, item):
            name = rules.field.items[0].name if rules.field.items else ""
            if is_acronym(first_member(known, rules), first_member(item, rules)):
                known = replace(known, value={**known.value, name: item.value[name]})
            missing: Mapping[str, Any] = {
                name: value for name, value in item.value.items() if known.value.get(name) in (None, "")
            }
            if missing:
                known = replace(known, value={**known.value, **missing})
            merged[place] = (known, [*support, (candidate, item)])
            return
    if is_new_allowed:
        merged.append((item, [(candidate, item)]))


def _is_same_item(rules: FieldRules, a: Item, b: Item) -> bool:
    left, right = first_member(a, rules), first_member(b, rules)
    if is_acronym(left, right) or is_acronym(right, left):
        return True
    same = fuzz.token_set_ratio(" ".join(fold_words(left)), " ".join(fold_words(right))) >= _SAME_ITEM
    if not same:
        return False
    for name in set(a.value) & set(b.value):
        one, other = str(a.value[name]).casefold(), str(b.value[name]).casefold()
        if rules.coded is not None and name == rules.coded[1] and one[:_STEM] != other[:_STEM]:
            return False
        if one != other and ({one, other} <= _WORDS_OF_SIDES or name in rules.needs):
            return False
    return True


def is_acronym(short: str, full: str) -> bool:
    """Tell whether a name is the first letters of another: `EDD` of `Employment Development Department`."""
    words = [word for word in fold_words(full) if word not in ("of", "the", "and", "for")]
    letters = "".join(word[0] for word in words)
    return len(words) >= 2 and fold(short) == letters
