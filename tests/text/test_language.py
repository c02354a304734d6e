# ruff: noqa: RUF001 - characters of many scripts are what is tested here
"""In which language a text is written: what langdetect says of all of it."""

import json
from pathlib import Path

import langdetect
import pytest

from streams.text.detector import ArrayDetector
from streams.text.language import RELIABLE, UNDETERMINED, detect_language
from streams.text.letter_profiles import load_profiles

TEXTS: dict[str, str] = json.loads(Path(__file__).with_name("languages.json").read_text("utf-8"))


@pytest.fixture(autouse=True)
def _seed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(langdetect.DetectorFactory, "seed", 0)


@pytest.fixture(scope="module")
def factory() -> langdetect.DetectorFactory:
    factory, profiles = langdetect.DetectorFactory(), load_profiles()
    factory.langlist, factory.word_lang_prob_map = profiles.languages, profiles
    return factory


def of_all(text: str) -> str:
    """What langdetect says of a whole text."""
    code: str = langdetect.detect(text)
    return code.partition("-")[0]


def test_the_labelled_languages_are_many() -> None:
    assert len(TEXTS) >= 40


@pytest.mark.parametrize(
    ("code", "declared", "text"),
    [
        ("sr", "", "Ђоковић је победио у финалу турнира и освојио још једну титулу ове године."),
        (
            "sr",
            "sr",
            "Полиција је ухапсила двојицу осумњичених због пљачке банке у граду, саопштено је.",
        ),
        ("mk", "", "Скопје ќе биде домаќин на големиот меѓународен саем на книгата во недела."),
        ("be", "", "Урад прыняў новы закон аб дзяржаўных закупках, які набудзе моц у студзені."),
        ("tg", "", "Ҳукумат буҷети нави соли ояндаро тасдиқ кард, хабар медиҳад хадамот."),
        ("kk", "", "Үкімет келесі жылға арналған жаңа бюджетті бекітті, деп хабарлайды."),
        ("ky", "", "Өкмөт келерки жылдын жаңы бюджетин бекитти, деп билдирет басма сөз."),
        ("mn", "", "Засгийн газар ирэх оны төсвийг баталлаа гэж хэвлэлийн албанаас мэдээлэв."),
        ("ps", "", "حکومت د راتلونکي کال نوې بودیجه تصویب کړه، د مطبوعاتي دفتر په وینا"),
        ("ku", "", "حکومەت بودجەی نوێی ساڵی داهاتووی پەسەند کرد، نووسینگەی ڕاگەیاندن"),
        ("ug", "", "ھۆكۈمەت كېلەر يىللىق يېڭى خامچوتنى تەستىقلىدى"),
        ("ru", "", "Їжакевич, " + "министр, встретился с послом и обсудил с ним новый закон. " * 9),
    ],
)
def test_letters_of_a_single_language_say_which_one_it_is(
    code: str, declared: str, text: str
) -> None:
    assert detect_language(text, declared) == code


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("sr", "Нови музеј отворен је у центру града и ради сваког дана осим понедељка."),
        ("sr", "Карте за воз у осам сати могу се купити на станици са првог колосека."),
        ("sr", "Школа почиње у уторак"),
        ("sr", "Радно време: понедељак - петак"),
        ("mk", "Новиот музеј е отворен во центарот на градот и работи секој ден."),
        ("mk", "Членарината за студентите е бесплатна во септември, велат од библиотеката."),
    ],
)
def test_words_tell_serbian_and_macedonian_apart_where_letters_do_not(code: str, text: str) -> None:
    assert detect_language(text) == code


@pytest.mark.parametrize(("code", "text"), TEXTS.items())
def test_two_sentences_are_enough_to_detect_their_language(code: str, text: str) -> None:
    assert (detect_language(text), of_all(text)) == (code, code)


@pytest.mark.parametrize(("code", "text"), TEXTS.items())
def test_a_long_text_has_the_language_that_all_of_it_has(code: str, text: str) -> None:
    page = "\n".join([text] * 60)
    assert (detect_language(page), of_all(page)) == (code, code)


@pytest.mark.parametrize("text", [*TEXTS.values(), " ".join(TEXTS.values()), "Zeus 12 \u00e9"])
def test_a_language_is_as_likely_as_langdetect_says_to_the_last_bit(
    factory: langdetect.DetectorFactory, text: str
) -> None:
    detectors = (langdetect.detector.Detector(factory), ArrayDetector(factory))
    for detector in detectors:
        detector.append(text)
        detector.get_probabilities()
    theirs, ours = (list(map(float, each.langprob)) for each in detectors)
    assert ours == theirs


@pytest.mark.parametrize("text", ["", " \n", "12345 67.89 €", "\U0001f44d"])
def test_a_text_without_letters_has_no_language(text: str) -> None:
    assert detect_language(text) == UNDETERMINED


def test_the_same_text_always_has_the_same_language() -> None:
    assert {detect_language("la casa la table") for _ in range(20)} == {
        detect_language("la casa la table")
    }


def test_the_whole_of_a_long_text_is_sampled() -> None:
    menu = "1 2 3 " * 500
    assert detect_language(menu + TEXTS["en"] * 100) == "en"


def test_the_packed_profiles_say_what_langdetect_s_own_say() -> None:
    own = langdetect.DetectorFactory()
    own.load_profile(langdetect.PROFILES_DIRECTORY)
    ours, place = load_profiles(), {name: n for n, name in enumerate(own.langlist)}
    assert sorted(ours.languages) == sorted(own.langlist)
    assert len(ours) == len(own.word_lang_prob_map)
    order = [place[name] for name in ours.languages]
    for letters, shares in own.word_lang_prob_map.items():
        assert ours[letters] == [shares[each] for each in order]


@pytest.mark.parametrize(
    ("text", "declared"),
    [
        ("Storm lantern", "en"),
        ("Rupture de stock", "fr"),
        ("Agotado", "es"),
        ("In stock", "en"),
    ],
)
def test_a_short_text_has_the_language_that_its_document_declares(text: str, declared: str) -> None:
    assert detect_language(text) != declared, "what a few words suggest"
    assert detect_language(text, declared) == declared


def test_a_text_that_is_long_enough_has_its_own_language_whatever_is_declared() -> None:
    long = next(text for text in (TEXTS["de"],) if sum(map(str.isalpha, text)) >= RELIABLE)
    assert detect_language(long, "en") == "de"


def test_a_text_in_which_no_language_is_likely_has_the_declared_one() -> None:
    assert detect_language("3.14 " * 1_000, "sv") == "sv"


PLACES = "\n".join(f"{n},札幌駅,サッポロ,北海道札幌市北区,43.06,141.35" for n in range(40))
CITIES = "code,pref,city\n" + "\n".join(f"{n},石川県,金沢市広坂" for n in range(40))
HOT = "\n".join(
    f"{n}. [华为发布新手机](https://d.test/weibo?q=topic&band_rank={n}) {n}00万" for n in range(40)
)
NEWS = json.dumps(
    [
        {"id": n, "title": title, "author": "editor", "url": f"https://d.test/article/{n}"}
        for title in ("Новости дня", "Погода в Москве", "Курс рубля вырос", "Матч отменили")
        for n in range(5)
    ],
    ensure_ascii=False,
)


@pytest.mark.parametrize("declared", ["", "en", "vi"])
@pytest.mark.parametrize(
    ("text", "language"),
    [
        (PLACES, "ja"),
        (CITIES, "ja"),
        (HOT, "zh"),
        ("中華民國總統府今日宣布", "zh"),
        (NEWS, "ru"),
        ("Самолёт", "ru"),
        ("삼성전자 주가 상승 KOSPI", "ko"),
        ("გამარჯობა", "ka"),
        ("Καλημέρα, https://d.test/a/long/path?of=latin&letters=1", "el"),
    ],
)
def test_the_script_decides_before_the_letters_and_the_declaration(
    text: str, language: str, declared: str
) -> None:
    assert detect_language(text, declared) == language


@pytest.mark.parametrize(
    ("declared", "earlier", "language"),
    [("ja", "", "ja"), ("", "ja", "ja"), ("zh", "ja", "zh"), ("en", "ja", "ja"), ("", "und", "zh")],
)
def test_characters_of_two_languages_are_of_the_declared_one_or_else_the_earlier_one(
    declared: str, earlier: str, language: str
) -> None:
    assert detect_language("東京都千代田区", declared, earlier) == language


def test_an_earlier_language_stays_while_it_is_likely() -> None:
    text = "Det er en god dag i dag, og vi skal ut og se på byen med vår nye bil og en hund."
    assert {detect_language(text, "", each) for each in ("no", "da")} <= {"no", "da"}
    assert detect_language("Rupture de stock", "", "fr") == "fr"
    assert detect_language(TEXTS["de"], "", "en") == "de"
    assert detect_language(TEXTS["ru"], "", "en") == "ru"


def test_a_language_is_not_another_one_of_its_script_that_most_texts_have() -> None:
    text = "सरकारने पुढील वर्षासाठी नवीन अर्थसंकल्प मंजूर केला आहे, असे प्रवक्त्याने सांगितले."
    assert detect_language(text) == "mr"


def test_keys_of_json_are_in_no_language() -> None:
    assert (
        detect_language("items.title: Новый закон принят\nitems.commentsCount: 12\na.isDone: true")
        == "ru"
    )


def test_a_few_words_of_another_script_decide_nothing() -> None:
    assert detect_language(f"{TEXTS['en']} Москва 東京 서울") == "en"
    assert detect_language(f"{TEXTS['ja']} Tokyo Station") == "ja"
