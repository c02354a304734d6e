"""Each text of the page is in each catalogue, with the same placeholders and tags."""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract_from_file
from babel.messages.frontend import parse_mapping_cfg
from babel.messages.pofile import read_po
from babel.util import pathmatch

from connectors.languages.texts import ENGLISH, LANGUAGES, Language
from tests.harness.template import ROOT

HERE = ROOT / "connectors" / "languages"
TEMPLATES = sorted((ROOT / "connectors" / "page" / "templates").glob("*.html"))
KEYWORDS = {
    "gettext": None,
    "_": None,
    "msgid": None,
    "ngettext": (1, 2),
    "msgids": (1, 2),
    "pgettext": ((1, "c"), 2),
    "Agent": (2,),
}
"""As ``make texts`` has them."""
TRANSLATED = [each for each in LANGUAGES.values() if each != ENGLISH]


@cache
def sources() -> Catalog:
    """Return all texts, as ``make texts`` extracts them."""
    with (HERE / "sources.cfg").open(encoding="utf-8") as file:
        methods, options = parse_mapping_cfg(file)  # type: ignore[no-untyped-call]
    found = Catalog()
    for path in sorted([*(ROOT / "connectors").rglob("*"), ROOT / "streams" / "app.py"]):
        name = str(path.relative_to(ROOT))
        method, pattern = next(
            ((how, each) for each, how in methods if pathmatch(each, name)), (None, "")
        )
        if method is None:
            continue
        texts = extract_from_file(method, path, KEYWORDS, options=options[pattern])
        for _, text, _, context in texts:
            found.add(text, context=context)
    return found


@cache
def catalogue(language: Language) -> Catalog:
    folder = HERE / "locale" / language.locale / "LC_MESSAGES"
    with (folder / "vokter.po").open("rb") as file:
        return read_po(file, locale=language.locale, abort_invalid=True)


def messages(catalog: Catalog) -> dict[tuple[str | None, str], Message]:
    return {(each.context, forms(each.id)[0]): each for each in catalog if each.id}


def forms(text: object) -> tuple[str, ...]:
    return tuple(text) if isinstance(text, tuple | list) else (str(text or ""),)


PLACEHOLDER, TAG = re.compile(r"%\(\w+\)s|%%|%(?!\()"), re.compile(r"<code>[^<]*</code>|<[^>]*>")


def pairs(language: Language) -> Iterator[tuple[str, str]]:
    """Yield each translation with the text that it must have the placeholders of."""
    for message in messages(catalogue(language)).values():
        ids, texts = forms(message.id), forms(message.string)
        for at, text in enumerate(texts):
            is_one = at == 0 and len(texts) > 1
            yield ids[0 if is_one else -1], text


@pytest.mark.parametrize("language", TRANSLATED, ids=lambda each: each.tag)
def test_a_catalogue_has_each_text_and_no_other(language: Language) -> None:
    known, wanted = messages(catalogue(language)), messages(sources())
    assert len(wanted) > 500
    assert set(wanted) - set(known) == set(), "run `make texts`, then translate"
    assert set(known) - set(wanted) == set(), "run `make texts`"
    unfinished = [key for key, each in known.items() if each.fuzzy or not all(forms(each.string))]
    assert unfinished == []
    count = catalogue(language).num_plurals
    plural = [each for each in known.values() if isinstance(each.id, tuple)]
    assert {len(forms(each.string)) for each in plural} == {count}
    assert all(forms(wanted[key].id) == forms(each.id) for key, each in known.items())


@pytest.mark.parametrize("language", TRANSLATED, ids=lambda each: each.tag)
def test_translations_have_the_placeholders_and_the_tags_of_their_text(language: Language) -> None:
    for text, translated in pairs(language):
        for pattern in (PLACEHOLDER, TAG):
            assert sorted(set(pattern.findall(translated))) == sorted(set(pattern.findall(text))), (
                translated
            )


@pytest.mark.parametrize("language", TRANSLATED, ids=lambda each: each.tag)
def test_a_catalogue_begins_with_its_glossary(language: Language) -> None:
    words = ("watch", "change", "notification", "receiver", "channel", "tag", "crawl", "key")
    head = catalogue(language).header_comment
    assert [word for word in words if f"# {word}: " not in head] == []


JINJA = re.compile(
    r"\{#.*?#\}|\{%-? *trans\b.*?endtrans *-?%\}|\{%.*?%\}|\{\{(?:\"[^\"]*\"|[^\"}]|\}(?!\}))*\}\}",
    re.DOTALL,
)
ATTRIBUTE = re.compile(r'\b(?:aria-label|alt|title|placeholder|data-(?:label|text))="([^"]*)"')
CODE = re.compile(r"<(code|kbd)\b[^>]*>[^<]*</\1>|<!doctype html>", re.IGNORECASE)
WORD = re.compile(r"[^\W\d_]{2}")
NAMES = {"Vokter", "Kafka", "SHA-256", "UTC", "URL"}
EXAMPLE = re.compile(r"[a-z]+://\S*|[#*.\w]*\.\w+|#\w+|team")


def bare_texts(template: str) -> list[str]:
    """Return the words of a template that are in no catalogue.

    >>> bare_texts('<p title="More">{{ _("A") }} or {% if x %}B, too{% endif %}</p><code>x</code>')
    ['or', 'B, too', 'More']
    """
    # What writes attributes or addresses is no text.
    body = re.sub(
        r"\{% (?:macro (describe|spoken)|set \w+ %).*?end(?:macro|set) %\}",
        "",
        template,
        flags=re.DOTALL,
    )
    body = CODE.sub("", JINJA.sub("\0", body))
    texts = re.split("[\0\n]", re.sub(r"<[^>]*>", "\n", body))
    texts += [part for each in ATTRIBUTE.findall(body) for part in each.split("\0")]
    stripped = [each.strip(" ·:.,\u2026") for each in texts]
    return [
        each
        for each in stripped
        if WORD.search(each) and each not in NAMES and not EXAMPLE.fullmatch(each)
    ]


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.stem)
def test_no_text_of_a_template_stands_outside_of_the_catalogues(path: Path) -> None:
    assert bare_texts(path.read_text(encoding="utf-8")) == []


def test_a_bare_text_of_a_template_is_found() -> None:
    assert len(TEMPLATES) > 30
    found = bare_texts('<p title="More">{{ _("A") }} or {% if x %}B, too{% endif %}</p>')
    assert found == ["or", "B, too", "More"]


def test_no_script_has_a_sentence() -> None:
    scripts = (ROOT / "connectors" / "page" / "static").glob("*.js")
    strings = re.compile(r"""(?<!//)["'`]([A-Z][a-z]+ [^"'`]*)["'`]""")
    found = {each.name: strings.findall(each.read_text(encoding="utf-8")) for each in scripts}
    assert {name: texts for name, texts in found.items() if texts} == {}
