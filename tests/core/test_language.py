import pytest

from streams.core.language import UNDETERMINED, detect

TEXTS = {
    "en": "Argus Panoptes is the name of the 100-eyed giant in Norse mythology.",
    "de": "Der schnelle braune Fuchs springt über den faulen Hund und läuft davon.",
    "pt": "A rápida raposa marrom salta sobre o cão preguiçoso e não olha para trás.",
    "ru": "Быстрая коричневая лиса перепрыгивает через ленивую собаку.",
    "ar": "الثعلب البني السريع يقفز فوق الكلب الكسول",
    "ja": "素早い茶色の狐がのろまな犬を飛び越えました。",
    "th": "สุนัขจิ้งจอกสีน้ำตาลกระโดดข้ามสุนัขขี้เกียจ",
    "zh": "敏捷的棕色狐狸跳过了那只懒惰的狗。",
}


@pytest.mark.parametrize(("code", "text"), TEXTS.items())
def test_a_sentence_tells_its_language(code: str, text: str) -> None:
    assert detect(text) == code


@pytest.mark.parametrize("text", ["", " \n", "12345 67.89 €", "\U0001f44d"])
def test_a_text_without_letters_has_no_language(text: str) -> None:
    assert detect(text) == UNDETERMINED


def test_the_same_text_always_has_the_same_language() -> None:
    assert {detect("la casa la table") for _ in range(20)} == {detect("la casa la table")}


def test_a_long_text_is_looked_at_all_over() -> None:
    menu = "1 2 3 " * 500
    assert detect(menu + TEXTS["en"] * 100) == "en"
