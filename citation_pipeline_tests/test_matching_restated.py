"""Dates and numbers quoted in another form than a page of any language prints, and remarks about pages."""

import pytest

from citation_pipeline.core.citations import CitationStatus
from citation_pipeline.core.matching.index import DocumentIndex
from citation_pipeline.core.matching.restated import restatements
from citation_pipeline.core.matching.written_dates import find_written_dates
from citation_pipeline.core.matching.written_numbers import chinese, count_chinese, numbers_of_words
from citation_pipeline.core.resolution.hints import Hints
from citation_pipeline.core.resolution.places import PlaceSearch, search_places
from citation_pipeline_tests.drawn_documents import block_of, document_of, text_document

RESOLVED, FLAGGED = CitationStatus.RESOLVED, CitationStatus.FLAGGED
INDEX = DocumentIndex(
    text_document(
        "a",
        "Die Hefe wurde am 3. Oktober 2022 geliefert und wog siebzehn Kilogramm.",
        "Kadź oczyszczono 18 lipca 2021 r. przed świętem.",
        "La cuba fue vaciada el 5 de agosto de 2020 tras veintidós semanas.",
        "De brouwer vertrok op 24-02-2019 voor zesendertig dagen.",
        "Сусло слили 9 ноября 2023 года утром.",
        "The cooper signed on 07.11.2018 and again on 2 June 2019.",
        "당화는 2022년 8월 30일에 끝났다.",
        "麦芽は令和三年五月二十日に届き、二百四十袋でした。",
        "酒桶于2021年11月6日封存，共计一万二千升。",
        "The mash tun holds forty pounds of grain.",
        "המחסן נסגר ביום 16 בנובמבר 2020 בערב.",
        "蒸餾於民國一百零九年六月七日完成，稅額肆萬伍仟元。",
    )
)


def search(snippet: str) -> PlaceSearch:
    return search_places(INDEX, snippet, Hints())


@pytest.mark.parametrize(
    ("snippet", "printed"),
    [
        ("Die Hefe wurde am 03.10.2022 geliefert", "Die Hefe wurde am 3. Oktober 2022 geliefert"),
        ("am 2022-10-03 geliefert und wog 17 kg", "am 3. Oktober 2022 geliefert und wog siebzehn Kilogramm."),
        ("Kadź oczyszczono 18.07.2021", "Kadź oczyszczono 18 lipca 2021"),
        ("vaciada el 05/08/2020 tras 22 semanas", "vaciada el 5 de agosto de 2020 tras veintidós semanas."),
        ("vertrok op 24 februari 2019 voor 36 dagen", "vertrok op 24-02-2019 voor zesendertig dagen."),
        ("Сусло слили 09.11.2023", "Сусло слили 9 ноября 2023"),
        ("signed on 7 November 2018", "signed on 07.11.2018"),
        ("again on 02/06/2019", "again on 2 June 2019."),
        ("당화는 2022-08-30에 끝났다", "당화는 2022년 8월 30일에 끝났다."),
        ("麦芽は2021年5月20日に届き、240袋", "麦芽は令和三年五月二十日に届き、二百四十袋でした。"),
        ("酒桶于2021-11-06封存", "酒桶于2021年11月6日封存，共计一万二千升。"),
        ("共计12,000升", "酒桶于2021年11月6日封存，共计一万二千升。"),
        ("holds 40 lbs of grain", "holds forty pounds of grain."),
        ("המחסן נסגר ביום 16.11.2020", "המחסן נסגר ביום 16 בנובמבר 2020"),
        ("蒸餾於2020年6月7日完成", "蒸餾於民國一百零九年六月七日完成，稅額肆萬伍仟元。"),
        ("稅額45,000元", "蒸餾於民國一百零九年六月七日完成，稅額肆萬伍仟元。"),
        ("The cooper signed on the 7th day of November 2018", "The cooper signed on 07.11.2018"),
    ],
)
def test_a_value_in_the_form_of_another_language_is_found_and_flagged(snippet: str, printed: str) -> None:
    found = search(snippet)
    assert found.best is not None
    assert (found.status, found.best.judgement.reason) == (FLAGGED, "rewritten")
    assert " ".join(INDEX.words.texts[word] for word in found.best.match.words) == printed


@pytest.mark.parametrize(
    "snippet",
    [
        "Die Hefe wurde am 10.03.2022 geliefert",
        "am 3. Oktober 2022 geliefert und wog 70 kg",
        "Kadź oczyszczono 18.08.2021",
        "vaciada el 05/08/2020 tras 23 semanas",
        "vertrok op 24 maart 2019",
        "signed on 17 November 2018",
        "麦芽は2022年5月20日に届き",
        "酒桶于2021-06-11封存",
        "共计1,200升",
        "holds 40 kg of grain",
        "蒸餾於2019年6月7日完成",
        "稅額54,000元",
    ],
)
def test_another_day_number_or_unit_is_no_other_form(snippet: str) -> None:
    found = search(snippet)
    assert found.status is not RESOLVED
    assert found.best is None or found.best.judgement.reason != "rewritten"


def test_a_quotation_as_printed_is_not_said_otherwise() -> None:
    assert list(restatements(INDEX, "The cooper signed on 07.11.2018")) == []


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("4/7/2021", ((2021, 7, 4), (2021, 4, 7))),
        ("4.7.2021", ((2021, 7, 4),)),
        ("7/24/2021", ((2021, 7, 24),)),
        ("2021. 7. 4.", ((2021, 7, 4),)),
        ("4 de julio de 2021", ((2021, 7, 4),)),
        ("July 4th", ((0, 7, 4),)),
        ("平成元年七月四日", ((1989, 7, 4),)),
        ("31.04.2021", ()),
        ("4 kegs in 2021", ()),
    ],
)
def test_days_are_read_in_every_order_that_they_may_be_meant_in(
    text: str, days: tuple[tuple[int, int, int], ...]
) -> None:
    assert tuple(day for found in find_written_dates(text) for day in found.days) == days


def test_numbers_in_characters_count_as_they_are_written() -> None:
    for number in (7, 10, 18, 60, 105, 110, 999, 3_040, 12_000, 870_500):
        assert count_chinese(chinese(number)) == number
        assert count_chinese(chinese(number, is_japanese=False)) == number
    assert [chinese(105), chinese(105, is_japanese=False), chinese(110, is_japanese=False)] == [
        "百五",
        "一百零五",
        "一百一十",
    ]
    assert count_chinese("二〇一九") == 2019


def test_numbers_in_words_are_those_of_their_language() -> None:
    words = numbers_of_words()
    assert [words[key] for key in (b"einundzwanzig", b"quatrevingtonze", b"ventotto", b"treintaycinco")] == [
        21,
        91,
        28,
        35,
    ]
    assert b"once" not in words  # eleven in Spanish


@pytest.mark.parametrize(
    "remark",
    [
        "(Blatt 2)", "[Seite 2 von 7]", "(str. 2)", "(blz. 2)", "(fl. 2)", "（第2页）", "(2頁)", "(2쪽)",
        "(sheet 2)", "[Item 9, p. 2]", "(page two)", "(second page)", "(overleaf)",
    ],
)  # fmt: skip
def test_a_remark_about_the_page_is_no_part_of_the_quotation(remark: str) -> None:
    found = search(f"The mash tun holds forty pounds of grain {remark}")
    assert found.status is RESOLVED


def test_a_page_named_between_two_lines_parts_them() -> None:
    index = DocumentIndex(
        document_of("b", [block_of(["The hops were dry."], page=1), block_of(["The malt was not."], page=2)])
    )
    found = search_places(index, "The hops were dry.\n--- Page 2 ---\nThe malt was not.", Hints())
    assert found.status is RESOLVED
    assert found.best is not None
    assert len(found.best.match.words) == 8


def test_what_is_printed_about_a_page_is_compared() -> None:
    index = DocumentIndex(text_document("c", "The kettle is drawn in the plan (sheet 4)"))
    assert search_places(index, "The kettle is drawn in the plan (sheet 5)", Hints()).status is not RESOLVED
