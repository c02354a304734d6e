# ruff: noqa: RUF001 - characters of many scripts are what is tested here
"""From an old text and a new one to the diffs of a subscription, in many languages.

The language is detected, and the subscriptions stem, filter stop words and ignore case.
"""

from typing import Any

from tests.fakes.watched import notified

ALL: dict[str, Any] = {"enable_stemming": True, "filter_stopwords": True, "ignore_case": True}


def test_english() -> None:
    old = "The giant sleeps in the house of Hera tonight."
    new = "The giant wakes in the houses of Hera tonight."
    assert notified(old, new, "sleeping", "wake", "house", "hera", **ALL) == [
        ("removed", "sleeping", "sleeps", "The giant sleeps in the house of ..."),
        ("added", "wake", "wakes", "The giant wakes in the houses of ..."),
    ]


def test_german() -> None:
    old = "Der Wächter schläft heute Nacht in seinem Haus am Fluss."
    new = "Der Wächter schläft heute Nacht in den Häusern der Götter am Fluss."
    shown = "den Häusern der Götter", "... heute Nacht in den Häusern der Götter am Fluss."
    assert notified(old, new, "haus", "Gott", "FLÜSSE", "haus der götter", **ALL) == [
        ("added", "Gott", *shown),
        ("added", "haus der götter", *shown),
    ]


def test_portuguese() -> None:
    old = "O guardião fechou as janelas da casa ontem à noite."
    new = "O guardião fechou as janelas das casas antigas ontem à noite."
    snippet = "... fechou as janelas das casas antigas ontem à noite."
    assert notified(old, new, "casa antiga", "Casa", "janela", **ALL) == [
        ("added", "casa antiga", "das casas antigas", snippet)
    ]


def test_russian() -> None:
    old = "Сторож читает старую книгу каждую ночь в саду."
    new = "Сторож читает новые книги каждую ночь в саду."
    assert notified(old, new, "новая книга", "СТАРЫЕ КНИГИ", "книга", **ALL) == [
        ("removed", "СТАРЫЕ КНИГИ", "старую книгу", old),
        ("added", "новая книга", "новые книги", new),
    ]


def test_arabic_is_shown_in_its_own_order() -> None:
    old = "يقرأ الحارس كتابا قديما في الليل."
    new = "يقرأ الحارس الكتب الجديدة في الليل."
    assert notified(old, new, "كتاب", "كتب جديدة", "ليل", **ALL) == [
        ("removed", "كتاب", "كتابا قديما", old),
        ("added", "كتب جديدة", "الكتب الجديدة", new),
    ]


def test_hebrew_between_marks_of_direction() -> None:
    old = "השומר ישן בלילה בבית ליד הים."
    new = "השומר קורא \u2067ספר חדש\u2069 בלילה בבית ליד הים."
    assert notified(old, new, '"ספר חדש"', "ישן", "בית", **ALL) == [
        ("removed", "ישן", "ישן", old),
        ("added", '"ספר חדש"', "קורא \u2067ספר חדש\u2069", new),
    ]


def test_japanese() -> None:
    old = "番人は夜に大阪へ行きました。"
    new = "番人は夜に東京タワーへ行きました。"
    assert notified(old, new, "東京タワー", "タワー東京", "東京", "大阪", "ﾀﾜｰ", **ALL) == [
        ("removed", "大阪", "大阪", old),
        ("added", "東京タワー", "東京タワー", new),
        ("added", "東京", "東京タワー", new),
        ("added", "ﾀﾜｰ", "東京タワー", new),
    ]


def test_chinese() -> None:
    old = "守卫昨天晚上在北京看书。"
    new = "守卫昨天晚上在上海看书。"
    assert notified(old, new, "上海", "海上", "北京", "看书", **ALL) == [
        ("removed", "北京", "北京", old),
        ("added", "上海", "上海", new),
    ]


def test_thai() -> None:
    old = "ยามนอนหลับในบ้านตอนกลางคืน"
    new = "ยามอ่านหนังสือในบ้านตอนกลางคืน"
    assert notified(old, new, "หนังสือ", "นอนหลับ", "บ้าน", "สือหนัง", **ALL) == [
        ("removed", "นอนหลับ", "นอนหลับ", old),
        ("added", "หนังสือ", "อ่านหนังสือ", new),
    ]


def test_korean_has_words_between_spaces() -> None:
    old = "경비원은 밤에 집에서 잔다."
    new = "경비원은 밤에 서울에서 책을 읽는다."
    assert notified(old, new, "책을", "서울", "읽", **ALL) == [
        ("added", "책을", new, new),
        ("added", "서울", new, new),
    ]


def test_hindi() -> None:
    old = "पहरेदार रात में घर में सोता है।"
    new = "पहरेदार रात में पुरानी किताबें पढ़ता है।"
    assert notified(old, new, "किताब", **ALL) == [("added", "किताब", new, new)]


def test_greek_and_its_two_forms_of_sigma() -> None:
    old = "Το σπίτι του φύλακα είναι κοντά στη θάλασσα."
    new = "Ο ΔΡΟΜΟΣ του φύλακα είναι κοντά στη θάλασσα."
    snippet = "Ο ΔΡΟΜΟΣ του φύλακα είναι ..."
    assert notified(old, new, "δρομος", ignore_case=True) == [
        ("added", "δρομος", "Ο ΔΡΟΜΟΣ", snippet)
    ]


def test_turkish_and_its_two_forms_of_i() -> None:
    old = "Bu akşam istasyonda kimse yoktu ve yollar çok sessizdi."
    new = "Bu akşam istasyonda KADIN ve İSTANBUL'DA yollar çok sessizdi."
    found = notified(old, new, "kadın", "istanbul", **ALL)
    assert [(event, keyword, text) for event, keyword, text, _ in found] == [
        ("added", "kadın", "KADIN ve İSTANBUL'DA"),
        ("added", "istanbul", "KADIN ve İSTANBUL'DA"),
    ]
