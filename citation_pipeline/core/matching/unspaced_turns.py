"""What turns a clause of Chinese, Japanese or Korean: parts of the text before it and behind it."""

import re

from citation_pipeline.core.matching.turns import names_document, names_source, parts_of

_REACH = 10  # characters behind a clause
_FAR_REACH = 24  # over a comma
_LONGEST_RETRACTION = 30  # characters of a sentence that takes another back
_LEAST_TOLD = 5  # characters behind a label of another person that are no name
_STOPS = "。！？?!；;\n"
_COMMAS = "，、,"
_KOREAN_SUBJECTS = ("은", "는", "이", "가", "께서는", "께서")
_CITED = {"ja": ("によれば、", "例えば、", "たとえば、"), "zh": ("例如，",)}
"""What looks like a condition: who says so, an example."""


def language_of_unspaced(text: str) -> str:
    """Return which of the three languages a text is."""
    if any("\u3040" <= character <= "\u30ff" for character in text):
        return "ja"
    return "ko" if any("\uac00" <= character <= "\ud7af" for character in text) else "zh"


def turns_unspaced(before: str, quoted: str, behind: str) -> bool:
    """Tell whether what a sentence has before or behind a clause turns it."""
    language = language_of_unspaced(before + quoted + behind)
    lead = before[max(before.rfind(mark) for mark in _STOPS) + 1 :]
    return (
        _is_labelled(lead, quoted) or _turns_before(language, lead) or _turns_behind(language, quoted, behind)
    )


def _is_labelled(lead: str, quoted: str) -> bool:
    """Tell whether a label right before denies what is quoted or is of another person: `例如：`, `母：`."""
    if lead[-1:] not in ("：", ":"):
        return False
    label = re.split("[,，、 ]", lead[:-1])[-1]
    return (heads_kin(label) and len(quoted) >= _LEAST_TOLD) or denies_label(label)


def _turns_before(language: str, lead: str) -> bool:
    if not lead:
        return False
    source = names_source(language).search(lead)
    if source and lead.endswith(source.group().rstrip(_COMMAS)) | lead.endswith((*_COMMAS,)):
        return not names_document(language).search(lead)
    if lead.startswith(parts_of(language, "formerly")):
        return True
    if language == "ko" and any(
        lead.endswith(kin + particle) for kin in parts_of("ko", "kin") for particle in _KOREAN_SUBJECTS
    ):
        return True
    for cited in _CITED.get(language, ()):
        lead = lead.replace(cited, "")
    beside = parts_of(language, "beside")
    # a condition reaches over a comma, a saying does not, but for one of its own
    bared = lead.rstrip(_COMMAS)
    own = bared[max(bared.rfind(mark) for mark in "，,") + 1 :]
    own = own if lead[-1:] not in ("，", ",", "") or own.endswith(beside) else ""
    return any(part in lead for part in parts_of(language, "left")) or any(part in own for part in beside)


def _turns_behind(language: str, quoted: str, behind: str) -> bool:
    if quoted.endswith(tuple("。！；;\n")):
        return False
    if behind.startswith(parts_of(language, "next")):
        return True
    end = min((at for mark in "。！；;\n" if (at := behind.find(mark)) >= 0), default=len(behind))
    said = behind[:end]
    near = said[: max(_REACH, 0)]
    comma = min((at for mark in "，," if (at := near.find(mark, 1)) >= 0), default=len(near))
    return any(part in near[:comma] for part in parts_of(language, "right")) or any(
        part in said[:_FAR_REACH] for part in parts_of(language, "over")
    )


def heads_kin(label: str) -> bool:
    """Tell whether a label of one of the three languages names another person."""
    bared = label.strip("：: ")
    return bared in parts_of(language_of_unspaced(bared), "kin") or any(
        bared in parts_of(language, "kin") for language in ("ja", "zh")
    )


def denies_label(label: str) -> bool:
    """Tell whether a label of one of the three languages denies what it heads, or heads what is made up."""
    bared = re.split("[,，、。；]", label.strip("：:。 "))[-1]
    language = language_of_unspaced(bared)
    languages = ("ja", "zh") if language == "zh" else (language,)
    if any(part in bared for each in languages for part in parts_of(each, "asks")):
        return False
    if any(bared in parts_of(each, "example") for each in languages):
        return True
    return any(part in bared for each in languages for part in parts_of(each, "heading"))


def takes_back(language: str, behind: str) -> bool:
    """Tell whether the sentence that a text begins with takes the one before it back."""
    sentence = re.split("[。！？?!；;.\n]", behind.lstrip(" "))[0]
    if len(sentence) > _LONGEST_RETRACTION or behind[len(sentence) : len(sentence) + 1] in ("？", "?"):
        return False
    if sentence.startswith(parts_of(language, "marker")):
        return True  # `更正：`
    points = sentence.startswith(parts_of(language, "pointer")) or any(
        part in sentence for part in parts_of(language, "object")
    )
    return points and any(part in sentence for part in parts_of(language, "untrue"))
