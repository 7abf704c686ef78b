"""What people's events add up to, and how they lie over a dataset. Pure: no database, no server."""

from dataclasses import replace
from typing import Any

from citation_pipeline.core.boxes import Box
from citation_pipeline.core.review.overlay import settled, with_reviews
from citation_pipeline.core.review.verifications import Action, Place, ReviewState, Verification, fold

PLACE = Place("letter", "aa", 1, "March 14, 2023", (Box(0.1, 0.2, 0.3, 0.02),))


def event(number: int, action: Action, **given: Any) -> Verification:
    return Verification(number, "c", "injury.date", action, "ada", f"2026-01-0{number}", **given)


def dataset(value: str = "2023-03-14", *, left: float = 0.1, sha: str = "aa") -> dict[str, Any]:
    box = {"left": left, "top": 0.2, "width": 0.3, "height": 0.02}
    region = [{"page": 1, "boxes": [box]}]
    citation = {
        "sourceId": "letter",
        "page": 1,
        "bbox": box,
        "citationId": "x",
        "citationIndex": 0,
        "status": "resolved",
        "method": "exact",
        "confidence": 0.9,
        "regions": {"block": region, "snippet": region, "value": region},
    }
    return {
        "sources": [{"id": "letter", "sha256": sha}],
        "fields": [
            {
                "id": "f1",
                "fieldKey": "injury.date",
                "label": "Date",
                "category": "Injury",
                "value": value,
                "rawValue": value,
                "provenance": "extracted",
                "confidence": "high",
                "citations": [citation],
                "unresolvedCitations": [],
            }
        ],
        "absentFields": [
            {
                "id": "f2",
                "fieldKey": "injury.place",
                "label": "Place",
                "category": "Injury",
                "valueType": "string",
            }
        ],
    }


def field_of(data: dict[str, Any], *events: Verification) -> dict[str, Any]:
    return with_reviews(data, fold(events))["fields"][0]


def test_a_correction_replaces_the_value_and_says_who_gave_it() -> None:
    shown = field_of(dataset(), event(1, Action.CORRECT, value="2023-03-15", seen_value="2023-03-14"))
    assert shown["value"] == "2023-03-15"
    assert shown["machineValue"] == "2023-03-14"
    assert shown["provenance"] == "user-provided"
    assert shown["conflicts"] == []


def test_a_new_pipeline_value_is_shown_as_a_conflict_and_overwrites_nothing() -> None:
    confirmed = event(1, Action.CONFIRM, seen_value="2023-03-14", places=(PLACE,))
    shown = field_of(dataset("2024-01-01"), confirmed)
    assert shown["value"] == "2023-03-14"
    assert [conflict["code"] for conflict in shown["conflicts"]] == ["value_changed"]
    assert shown["risk"]["reasons"] == ["conflict"]


def test_a_disagreement_that_a_person_settled_is_not_asked_again() -> None:
    events = (
        event(1, Action.CONFIRM, seen_value="2023-03-14"),
        event(2, Action.CORRECT, value="2023-03-14", seen_value="2024-01-01"),
    )
    assert field_of(dataset("2024-01-01"), *events)["conflicts"] == []
    assert field_of(dataset("2025-05-05"), *events)["conflicts"][0]["pipeline"] == "2025-05-05"


def test_a_signed_place_holds_when_the_pipeline_finds_another() -> None:
    confirmed = event(1, Action.CONFIRM, seen_value="2023-03-14", places=(PLACE,))
    shown = field_of(dataset(left=0.6), confirmed)
    assert shown["citations"][0]["bbox"]["left"] == 0.1
    assert shown["conflicts"][0]["code"] == "place_changed"


def test_a_place_that_moved_by_less_than_a_line_is_the_same_place() -> None:
    confirmed = event(1, Action.CONFIRM, seen_value="2023-03-14", places=(PLACE,))
    shown = field_of(dataset(left=0.11), confirmed)
    assert shown["conflicts"] == []
    assert shown["citations"][0]["pinned"]


def test_a_pin_in_another_version_of_the_file_lights_nothing_there_but_asks() -> None:
    moved = event(1, Action.REPIN, places=(Place(**{**_as_dict(PLACE), "moved": True}),))
    shown = field_of(dataset(left=0.6, sha="bb"), moved)
    assert shown["citations"][0]["bbox"]["left"] == 0.6
    assert [conflict["code"] for conflict in shown["conflicts"]] == ["document_changed"]


def _as_dict(place: Place) -> dict[str, Any]:
    return {name: getattr(place, name) for name in place.__slots__}


def test_a_field_marked_absent_stays_visible_and_leaves_the_published_fields() -> None:
    data = with_reviews(dataset(), fold([event(1, Action.ABSENT, seen_value="2023-03-14")]))
    assert data["fields"][0]["markedAbsent"]
    assert settled(data)["fields"] == []
    assert [entry["fieldKey"] for entry in settled(data)["absentFields"]] == ["injury.place", "injury.date"]


def test_a_person_can_give_a_value_the_pipeline_did_not_find() -> None:
    given = Verification(
        1, "c", "injury.place", Action.CORRECT, "ada", "2026-01-01", value="Plant B", places=(PLACE,)
    )
    data = with_reviews(dataset(), fold([given]))
    field = data["fields"][1]
    assert (field["value"], field["provenance"], len(field["citations"])) == ("Plant B", "user-provided", 1)
    assert data["absentFields"] == []


def test_reopening_takes_verdict_and_pins_back() -> None:
    reviews = fold([event(1, Action.CONFIRM, seen_value="x", places=(PLACE,)), event(2, Action.REOPEN)])
    review = reviews["injury.date"]
    assert (review.state, review.places, review.events) == (ReviewState.UNREVIEWED, {}, 2)


def test_a_remark_is_nobodys_verdict() -> None:
    review = fold([event(1, Action.COMMENT, comment="see page 2")])["injury.date"]
    assert (review.state, review.comments, review.reviewer) == (ReviewState.UNREVIEWED, 1, "")


def test_who_gives_another_value_does_not_keep_the_places_that_were_confirmed_of_the_first() -> None:
    confirmed = event(1, Action.CONFIRM, seen_value="2023-03-14", places=(PLACE,))
    shown = field_of(
        dataset(), confirmed, event(2, Action.CORRECT, value="2023-03-15", seen_value="2023-03-14")
    )
    assert "pinned" not in shown["citations"][0]
    again = field_of(
        dataset(), confirmed, event(2, Action.CORRECT, value="2023-03-14", seen_value="2023-03-14")
    )
    assert again["citations"][0]["pinned"] is True
    chosen = replace(PLACE, moved=True)
    moved = field_of(
        dataset(),
        event(1, Action.REPIN, places=(chosen,)),
        event(2, Action.CORRECT, value="2023-03-15", seen_value="2023-03-14"),
    )
    assert moved["citations"][0]["pinned"] is True


def test_a_place_whose_signature_was_taken_back_is_in_doubt_until_it_is_looked_for_anew() -> None:
    """The last resolution took the person's place as certain, before the verdict was withdrawn."""
    signed = dataset()
    signed["fields"][0]["citations"][0] |= {"method": "verified", "confidence": 1.0}
    confirmed = event(1, Action.CONFIRM, seen_value="2023-03-14", places=(PLACE,))
    held = field_of(signed, confirmed)["citations"][0]
    assert (held["pinned"], held["status"], held["confidence"]) == (True, "resolved", 1.0)
    for events in ((confirmed, event(2, Action.REOPEN)), (confirmed, event(2, Action.UNDO))):
        shown = field_of(signed, *events)
        (citation,) = shown["citations"]
        assert "pinned" not in citation
        assert (citation["status"], citation["confidence"]) == ("flagged", 0.5)
        assert citation["warnings"] == ["verification_withdrawn"]
        assert "flagged" in shown["risk"]["reasons"]
