"""Every day and number that a page writes out is found by its figures, and only by its own."""

import pytest

from citation_pipeline.core.citations import CitationStatus
from citation_pipeline.core.matching.index import DocumentIndex
from citation_pipeline.core.matching.restated import restatements
from citation_pipeline.core.matching.written_dates import find_written_dates
from citation_pipeline.core.matching.written_numbers import (
    chinese,
    chinese_forms,
    count_chinese,
    keys_in_words,
    numbers_of_words,
)
from citation_pipeline.core.resolution.hints import Hints
from citation_pipeline.core.resolution.places import search_places
from citation_pipeline_tests.drawn_documents import text_document

BEFORE, BEHIND = "The ledger of the mill was bound in calf.", "Nobody opened it for years."
MONTHS = {
    "en": "January February March April May June July August September October November December",
    "de": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
    "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "it": "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    "pt": "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
    "pl": "stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października "
    "listopada grudnia",
    "ru": "января февраля марта апреля мая июня июля августа сентября октября ноября декабря",
    "short": "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec",
}
JOINTS = {"es": " de ", "pt": " de "}


def told(printed: str, quoted: str) -> str:
    """Return the printed words that a quotation is found at as another form, "" where it is none."""
    index = DocumentIndex(text_document("a", BEFORE, printed, BEHIND))
    found = search_places(index, quoted, Hints())
    if found.best is None or found.best.judgement.reason != "rewritten":
        return ""
    assert found.status is CitationStatus.FLAGGED
    return " ".join(index.words.texts[word] for word in found.best.match.words)


@pytest.mark.parametrize("language", MONTHS)
def test_every_month_of_a_language_is_the_one_that_figures_say(language: str) -> None:
    joint = JOINTS.get(language, " ")
    for month, name in enumerate(MONTHS[language].split(), start=1):
        day = joint.join(("23", name, "2016"))
        (found,) = find_written_dates(f"oiled {day} again")
        assert (found.days, found.start, found.end) == (((2016, month, 23),), 6, 6 + len(day)), day
        page = f"The wheel was oiled {day} by Kemp"
        for year, own, number in (
            (2016, month, 23),
            (2016, month % 12 + 1, 23),
            (2016, month, 24),
            (2017, month, 23),
        ):
            is_same = (year, own, number) == (2016, month, 23)
            for quoted in (
                f"{year}-{own:02}-{number:02}",
                f"{number}.{own}.{year}",
                f"{own}/{number}/{year}",
            ):
                assert (told(page, f"was oiled {quoted} by") != "") == is_same, (day, quoted)


@pytest.mark.parametrize(
    ("printed", "quoted"),
    [
        ("March 9, 2017", "09/03/2017"),
        ("March 9, 2017", "03/09/2017"),
        ("March 9, 2017", "9.3.17"),
        ("March 9, 2017", "9 mars 2017"),
        ("09-Mar-17", "March 9, 2017"),
        ("9-Mar-2017", "March 9, 2017"),
        ("03/09/17", "March 9, 2017"),
        ("3/9/2017", "March 9th, 2017"),
        ("9.3.2017", "9. März 2017"),
        ("2017-03-09", "9 March 2017"),
        ("2017/3/9", "the 9th of March 2017"),
        ("2017. 3. 9.", "9 March 2017"),
        ("20170309", "9 March 2017"),
        ("9 de marzo del 2017", "2017-03-09"),
        ("9th of March 2017", "2017-03-09"),
        ("2017 March 9", "2017-03-09"),
        ("1er mars 2017", "2017-03-01"),
        ("1 May 1999", "1.5.99"),
        ("1 May 1940", "1.5.40"),
        ("1 May 2039", "1.5.39"),
        ("3 May", "3/5"),
        ("May 3rd", "3.5."),
    ],
)
def test_a_day_is_found_in_whatever_form_it_is_printed(printed: str, quoted: str) -> None:
    assert told(
        f"The wheel was oiled on {printed} by the carter.", f"wheel was oiled on {quoted} by the"
    ) == (f"wheel was oiled on {printed} by the")


@pytest.mark.parametrize(
    ("printed", "quoted"),
    [
        ("9 March 2017", "3 September 2017"),
        ("10.3.2017", "3. Oktober 2017"),  # of English months alone the figures may go before
        ("9 mars 2017", "03/09/2016"),
        ("1 May 1939", "1.5.39"),
        ("1 May 2040", "1.5.40"),
        ("2 May", "3/5"),
        ("9 March 2017", "2017-03-19"),
        ("19 March 2017", "2017-03-09"),
    ],
)
def test_no_other_day_is_taken_for_the_one_that_is_quoted(printed: str, quoted: str) -> None:
    assert (
        told(f"The wheel was oiled on {printed} by the carter.", f"wheel was oiled on {quoted} by the") == ""
    )


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("令和元年五月三日", ((2019, 5, 3),)),
        ("平成31年4月3日", ((2019, 4, 3),)),
        ("昭和六十四年一月三日", ((1989, 1, 3),)),
        ("大正十年八月三日", ((1921, 8, 3),)),
        ("民國百零三年六月十日", ((2014, 6, 10),)),
        ("二〇一六年二月二十九日", ((2016, 2, 29),)),
        ("十一月三十日", ((0, 11, 30),)),
        ("2015년 4월 3일", ((2015, 4, 3),)),
        ("4월 31일", ()),
        ("29 February", ((0, 2, 29),)),
        ("5 on 12 May", ((0, 5, 12),)),
        ("12.13.2015", ((2015, 12, 13),)),
        ("13/14/2015", ()),
        ("3/4", ((0, 4, 3), (0, 3, 4))),
        ("3/4/15", ((2015, 4, 3), (2015, 3, 4))),
        ("page 3/4-5", ()),
        ("version 1.2.3.4", ()),
        ("room 3 maybe 2015", ()),
    ],
)
def test_only_days_of_the_calendar_are_read(text: str, days: tuple[tuple[int, int, int], ...]) -> None:
    assert tuple(day for found in find_written_dates(text) for day in found.days) == days


NUMBERS = (
    ("Die Mühle hat {} Stufen", "einundzwanzig", 21),
    ("Die Mühle hat {} Stufen", "hundert", 100),
    ("Die Mühle hat {} Stufen", "einhundert", 100),
    ("Die Mühle hat {} Stufen", "dreihundertfünf", 305),
    ("Die Mühle hat {} Stufen", "neunhundertneunundneunzig", 999),
    ("De molen heeft {} treden", "achtentachtig", 88),
    ("Kvarnen har {} trappsteg", "sextiofyra", 64),
    ("Le moulin a {} marches", "trente et une", 31),
    ("Le moulin a {} marches", "soixante et un", 61),
    ("Le moulin a {} marches", "soixante-dix", 70),
    ("Le moulin a {} marches", "soixante et onze", 71),
    ("Le moulin a {} marches", "soixante-douze", 72),
    ("Le moulin a {} marches", "soixante-dix-neuf", 79),
    ("Le moulin a {} marches", "quatre-vingts", 80),
    ("Le moulin a {} marches", "quatre-vingt-un", 81),
    ("Le moulin a {} marches", "quatre-vingt-onze", 91),
    ("Le moulin a {} marches", "quatre-vingt-dix-neuf", 99),
    ("El molino tiene {} gradas", "veintiuno", 21),
    ("El molino tiene {} gradas", "veintinueve", 29),
    ("El molino tiene {} gradas", "noventa y nueve", 99),
    ("O moinho tem {} degraus", "cinquenta e dois", 52),
    ("Il mulino ha {} gradini", "ventuno", 21),
    ("Il mulino ha {} gradini", "ventotto", 28),
    ("Il mulino ha {} gradini", "novantuno", 91),
    ("Il mulino ha {} gradini", "trentatré", 33),
    ("Il mulino ha {} gradini", "duecentocinque", 205),
    ("Młyn ma {} stopni", "dwadzieścia pięć", 25),
    ("Değirmenin {} basamağı var", "kırk iki", 42),
    ("The mill has {} stairs", "two", 2),
    ("The mill has {} stairs", "ninety-nine", 99),
)


@pytest.mark.parametrize(("sentence", "word", "number"), NUMBERS)
def test_a_number_in_words_is_found_by_its_figures_and_by_no_others(
    sentence: str, word: str, number: int
) -> None:
    printed, figures = sentence.format(word), sentence.format(number)
    assert told(f"{printed}.", figures) == f"{printed}."
    if number < 100:
        assert told(f"{figures}.", printed) == f"{figures}."
    for other in (number - 1, number + 1, number + 10):
        assert told(f"{printed}.", sentence.format(other)) == ""


def test_an_article_is_no_number() -> None:
    assert told("Le moulin a 1 étage.", "Le moulin a un étage") == ""
    assert told("El molino abre once horas.", "El molino abre 11 horas") != ""
    assert told("The bell rang 11 times.", "The bell rang once times") == ""


def test_every_number_is_said_in_words_of_its_own() -> None:
    shared = {b"tres"}  # Danish sixty, Spanish three
    for number in range(2, 100):
        assert {
            numbers_of_words().get(key, number) for _, key in keys_in_words(number) if key not in shared
        } == {number}
        assert len(keys_in_words(number)) > 15
    assert keys_in_words(1000) == ()
    assert all(whole.startswith(first) for first, whole in keys_in_words(471))


@pytest.mark.parametrize(
    ("number", "japanese", "chinese_text"),
    [
        (0, "〇", "〇"),
        (10, "十", "十"),
        (11, "十一", "十一"),
        (100, "百", "一百"),
        (101, "百一", "一百零一"),
        (110, "百十", "一百一十"),
        (1_000, "千", "一千"),
        (1_001, "千一", "一千零一"),
        (1_010, "千十", "一千零一十"),
        (2_030, "二千三十", "二千零三十"),
        (10_000, "一万", "一万"),
        (10_005, "一万五", "一万零五"),
        (10_999, "一万九百九十九", "一万零九百九十九"),
        (31_000, "三万千", "三万一千"),
        (250_000, "二十五万", "二十五万"),
        (1_060_700, "百六万七百", "一百零六万零七百"),
    ],
)
def test_a_number_in_characters_says_its_gaps_in_chinese_only(
    number: int, japanese: str, chinese_text: str
) -> None:
    assert (chinese(number), chinese(number, is_japanese=False)) == (japanese, chinese_text)


def test_all_ways_to_write_a_number_in_characters_count_it() -> None:
    for number in (*range(1, 2_000), *range(2_000, 2_000_000, 1_777)):
        forms = chinese_forms(number)
        assert {count_chinese(form) for form in forms} == {number}, number
    assert {"肆萬參仟貳佰", "肆万叁仟贰佰", "四万三千二百", "四萬三千二百"} <= set(chinese_forms(43_200))
    assert count_chinese("五亿二千万") == 520_000_000
    assert (count_chinese("万"), count_chinese(""), count_chinese("三x"), count_chinese("017")) == (
        10_000,
        None,
        None,
        17,
    )


@pytest.mark.parametrize(
    ("printed", "quoted"),
    [
        ("酒桶共计1,200升", "酒桶共计一千二百升"),
        ("酒桶共计一千二百升", "酒桶共计1200升"),
        ("酒桶售价1,200.00元", "酒桶售价1200元"),
        ("酒桶售价1200.50元", "酒桶售价1,200.5元"),
        ("酒桶售价壹仟贰佰元", "酒桶售价1,200元"),
        ("酒桶共计二桶", "酒桶共计2桶"),
    ],
)
def test_an_amount_of_a_line_without_spaces_is_found_as_it_is_written_there(
    printed: str, quoted: str
) -> None:
    index = DocumentIndex(text_document("a", "磨坊的账本用小牛皮装订。", f"{printed}。"))
    found = search_places(index, quoted, Hints())
    assert found.best is not None
    assert found.best.judgement.reason == "rewritten"


@pytest.mark.parametrize(
    ("printed", "quoted", "is_same"),
    [
        ("weighs twelve kilograms net", "weighs 12 kg net", True),
        ("weighs 12 kg net", "weighs 12 kilograms net", True),
        ("weighs 12 kg net", "weighs twelve kilos net", True),
        ("weighs 12 pounds net", "weighs 12 kg net", False),
        ("rose by 12 percent net", "rose by 12% net", True),
        ("ran for twelve hours straight", "ran for 12 hrs straight", True),
        ("ran for twelve minutes straight", "ran for 12 hrs straight", False),
        ("weighs twelve kg net", "weighs 13 kilograms net", False),
    ],
)
def test_a_unit_may_be_written_otherwise_with_its_number(printed: str, quoted: str, is_same: bool) -> None:
    assert (told(f"The bell {printed}.", f"The bell {quoted}") != "") == is_same


def test_several_values_of_one_quotation_are_said_as_printed_together() -> None:
    page = "On 4 June 2014 the carter sold twelve mules for 1 July 2014 and seven oxen."
    index = DocumentIndex(text_document("a", page))
    assert list(restatements(index, "On 2014-06-04 the carter sold 12 mules for 2014-07-01 and 7 oxen")) == [
        "On 4 June 2014 the carter sold twelve mules for 1 July 2014 and seven oxen"
    ]
    both = DocumentIndex(text_document("a", "Signed on 4 June 2014.", "Sealed on June 4, 2014."))
    assert list(restatements(both, "on 04.06.2014")) == ["on 4 June 2014", "on June 4, 2014"]


def test_a_value_that_is_printed_as_quoted_too_is_tried_so_last() -> None:
    index = DocumentIndex(text_document("a", "Signed on 4 June 2014.", "Sealed on 2014-06-04 with 12 seals."))
    assert list(restatements(index, "on 2014-06-04 with twelve seals")) == [
        "on 4 June 2014 with 12 seals",
        "on 2014-06-04 with 12 seals",
    ]


def test_a_figure_behind_another_number_in_words_is_a_value_of_its_own() -> None:
    assert told("The mill has eleven 12 pound stones.", "The mill has 11 12 pound stones") != ""
    assert told("The mill has eleven 12 pound stones.", "The mill has 11 11 pound stones") == ""
