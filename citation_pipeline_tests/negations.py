"""Statements that deny a fact or leave it open, planted by frames: what must never be read as the fact.

Frames times facts; each case names the field, the value that would be the inversion, and the sentence.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Planted:
    """One planted statement; `inverted` is what a reader who overlooks its denial would say."""

    field_key: str
    inverted: Any
    sentence: str
    frame: str


FACTS = {
    "medicare.is_medicare_beneficiary": [
        ("She", "identified as a Medicare beneficiary"),
        ("The worker", "found to be a Medicare beneficiary"),
        ("The applicant", "enrolled in Medicare"),
    ],
    "fraud_siu.siu_referral": [
        ("The file", "sent to SIU"),
        ("The claim", "referred to the Special Investigations Unit"),
        ("This matter", "forwarded to SIU"),
    ],
    "work_status.sjdb_voucher_issued": [
        ("The SJDB voucher", "issued"),
        ("A supplemental job displacement voucher", "sent to the worker"),
    ],
    "mmi_status.is_mmi": [
        ("The patient", "declared permanent and stationary"),
        ("He", "found to be at maximum medical improvement"),
    ],
    "subrogation.has_subrogation_potential": [
        ("Subrogation potential", "identified"),
        ("Third-party liability", "established"),
    ],
    "litigation.is_litigated": [
        ("The claim", "litigated"),
        ("The worker", "represented by counsel"),
        ("An application for adjudication", "filed"),
    ],
    "future_medical.is_recommended": [("Future medical care", "recommended")],
}

DENIALS = {
    "not": "{s} was not {p}.",
    "has not": "{s} has not been {p}.",
    "never": "{s} was never {p}.",
    "capitals": "{s} was NOT {p}.",
    "contraction": "{s} wasn't {p}.",
    "inserted": "{s} was not, on the records that we have, {p}.",
    "neither": "{s} was neither {p} nor under review.",
    "denied that": "It is denied that {s} was {p}.",
    "no longer": "{s} is no longer {p}.",
    "without": "The year ended without {s} being {p}.",
}
OPEN = {
    "if": "If {s} is {p}, please let us know.",
    "whether": "The examiner asked whether {s} was {p}.",
    "question": "Was {s} {p}?",
    "should": "Should {s} be {p}, a notice will follow.",
    "unless": "Nothing changes unless {s} is {p}.",
}

PARTS = ["left knee", "neck", "right hip", "cervical spine"]
PARTS_DENIED = {
    "heading": "Parts of body not admitted: {x}",
    "we do not": "We do not accept the {x}.",
    "has not": "The {x} has not been accepted.",
    "not been": "Liability for the {x} has not been admitted.",
    "never": "We have never accepted injury to the {x}.",
    "refused": "We refuse to accept the {x}.",
}
LIENS_DENIED = {
    "has not": "{x} has not filed a lien for $900.00.",
    "never": "{x} never filed a lien for $900.00.",
    "no lien": "No lien of {x} for $900.00 has been filed.",
}
FIRMS = ["Corbel Imaging", "Delta Copy", "Harbor Therapy Group"]
DRUGS = ["Tramadol", "Naproxen", "Gabapentin"]
DRUGS_DENIED = {
    "no longer": "She no longer takes {x} 50 mg daily.",
    "not prescribed": "I have not prescribed {x} 50 mg daily.",
    "stopped": "She stopped {x} 50 mg in January.",
}
DECISIONS = [
    ("utilization_review.decision", "certified", "Determination: NOT CERTIFIED."),
    ("utilization_review.decision", "certified", "The request is not certified."),
    ("utilization_review.decision", "certified", "The requested MRI was not approved."),
    ("utilization_review.decision", "certified", "Decision: non-certified."),
    ("compensability.decision", "accepted", "The claim has not been accepted."),
    ("compensability.decision", "accepted", "Your claim is not accepted."),
    ("compensability.decision", "denied", "The claim has not been denied."),
    ("compensability.decision", "denied", "This letter is not a denial of your claim."),
]

# The languages that the rules read: letters of workers in Spanish, and those of invoices. `{x}` is what both
# languages call the thing.
FOREIGN = {
    "Spanish": [
        "El caso no fue enviado a {x}.",
        "El expediente nunca se remiti\u00f3 a {x}.",
        "No se ha enviado nunca nada a {x}.",
        "Cerraron el caso sin enviarlo a {x}.",
        "Tampoco lo mandaron a {x}.",
        "Ning\u00fan documento fue remitido a {x}.",
        "{x} nunca recibi\u00f3 el caso.",
    ],
    "German": [
        "Der Fall wurde nicht an {x} \u00fcbergeben.",
        "Die Akte ging niemals an {x}.",
        "Es gab keine Meldung an {x}.",
        "Der Fall wurde ohne Meldung an {x} geschlossen.",
        "Er wurde weder gepr\u00fcft noch an {x} gegeben.",
    ],
    "French": [
        "Le dossier n'a pas \u00e9t\u00e9 transmis \u00e0 {x}.",
        "On ne l'a pas envoy\u00e9 \u00e0 {x}.",
        "Le dossier n\u2019a jamais \u00e9t\u00e9 transmis \u00e0 {x}.",
        "Aucun dossier n'est parti chez {x}.",
    ],
    "Polish": [
        "Sprawy nie przekazano do {x}.",
        "Nigdy nie wys\u0142ano akt do {x}.",
        "Nie by\u0142o \u017cadnej sprawy dla {x}.",
        "Spraw\u0119 zamkni\u0119to bez zg\u0142oszenia do {x}.",
    ],
}
CALLED_SO = [
    ("fraud_siu.siu_referral", "SIU"),
    ("medicare.is_medicare_beneficiary", "Medicare"),
    ("subrogation.has_subrogation_potential", "Subrogation"),
]


def plant() -> Iterator[Planted]:
    """Yield all planted statements."""
    for key, facts in FACTS.items():
        for subject, predicate in facts:
            for name, frame in (DENIALS | OPEN).items():
                inner = subject if frame.startswith("{s}") else subject[0].lower() + subject[1:]
                yield Planted(key, True, frame.format(s=inner, p=predicate), name)
    for key, names, frames, member in (
        ("body_parts.accepted_body_parts", PARTS, PARTS_DENIED, "body_part"),
        ("liens.filed_liens", FIRMS, LIENS_DENIED, "lienholder"),
        ("treatment.medications", DRUGS, DRUGS_DENIED, "name"),
    ):
        for name in names:
            for frame_name, frame in frames.items():
                yield Planted(key, [{member: name}], frame.format(x=name), frame_name)
    for key, member, sentence in DECISIONS:
        yield Planted(key, member, sentence, "decision")
    for language, frames in FOREIGN.items():
        for key, thing in CALLED_SO:
            for frame in frames:
                yield Planted(key, True, frame.format(x=thing), language)


def is_inverted(planted: Planted, value: Any) -> bool:
    """Tell whether a value is the inversion of what the sentence says."""
    if isinstance(planted.inverted, list):
        wanted = next(iter(planted.inverted[0].values())).split()[-1].casefold()
        return any(wanted in str(next(iter(item.values()))).casefold() for item in value or [])
    return bool(value == planted.inverted)
