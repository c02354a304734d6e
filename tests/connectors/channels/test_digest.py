"""The message of a digest: every page has its share of it, and nothing is left out unsaid."""

from dataclasses import replace
from html import escape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connectors.channels.digest import digest_message
from connectors.channels.hints import Hints
from connectors.channels.message import Message, message
from connectors.channels.templates import TemplateFailed
from connectors.channels.work import Dated, Links
from connectors.languages.texts import LANGUAGES, spoken
from schemas.records.changes import Diff
from schemas.records.delivery_times import Held
from tests.fakes.outgoing import notification


def news(text: str = "Argus sleeps.", page: str = "a", title: str = "") -> Dated:
    fact = notification(text, url=f"http://{page}.test/")
    diff = Diff("added", "argus", text, text)
    return Dated(replace(fact, title=title, diffs=(diff,)), "Monday")


def written(
    *digest: Dated, title: str = "", text: str = "", most: int = 9_000, is_html: bool = False
) -> Message:
    return digest_message(digest, title, text, most=most, is_html=is_html)


def test_what_is_new_is_grouped_by_page_with_the_newest_first() -> None:
    made = written(news("one"), news("two", "b", "Io"), news("three"))
    assert made == Message(
        "three: http://a.test/, and 2 more",
        "http://a.test/\nhttp://a.test/\nMonday\nadded: three\nMonday\nadded: one\n\n"
        "Io\nhttp://b.test/\nMonday\nadded: two",
        None,
        Hints("http://a.test/"),
    )


def test_its_title_is_the_newest_change_however_many_notices_came_after_it() -> None:
    lost = replace(news("gone", title="Io").notification, status="lost", diffs=())
    change = news("one", title="Io")
    assert written(change).title == "one: Io"
    assert written(news("zero"), change, Dated(lost, "Monday")).title == "one: Io, and 2 more"
    assert written(Dated(lost, "Monday")).title == "Not found any more: Io"


def test_as_html_it_has_links_and_what_pages_say_is_escaped() -> None:
    made = written(news("<i> & @everyone", title="<b>"), is_html=True)
    assert made.html == (
        '<h2 dir="auto"><a href="http://a.test/">&lt;b&gt;</a></h2><p><em>Monday</em></p>'
        '<p dir="auto"><span dir="ltr">added</span>: '
        "&lt;i&gt; &amp; @\u200beveryone</p>"
    )


LINKS = Links("https://v.test/n", (("Compare", "https://v.test/c"),), "https://v.test/link/t")


def test_as_html_each_notification_links_to_its_change() -> None:
    html = written(replace(news(title="Io"), links=LINKS), is_html=True).html
    assert html is not None
    assert '<p><em>Monday</em> · <a href="https://v.test/c">Compare</a></p>' in html


def test_a_mail_program_can_stop_the_watch_of_a_digest_but_not_one_of_several() -> None:
    one, other = (replace(news(text), links=LINKS) for text in ("one", "two"))
    assert one.notification.subscription != other.notification.subscription
    assert written(one, one).hints.stop == "https://v.test/link/t"
    assert written(one, other).hints.stop == ""
    assert written(one, other).hints.link == "https://v.test/n"


def test_why_notifications_waited_is_said_once_for_all() -> None:
    held = Held(0, 1_000, "its hours are <8-18> (UTC)")
    some = [replace(news(text).notification, held=held) for text in ("one", "two")]
    digest = (*(Dated(each, "Monday") for each in some), news("three", "b"))
    made = written(*digest)
    assert made.text.startswith("2 waited: its hours are <8-18> (UTC).\n\n")
    assert made.text.count("waited") == 1
    html = written(*digest, is_html=True).html
    assert html is not None
    assert html.startswith("<p>2 waited: its hours are &lt;8-18&gt; (UTC).</p>")
    alone = message(some[0], "", "")
    assert "This waited since 1970-01-01 00:00 UTC: its hours are <8-18> (UTC)." in alone.text


def test_a_busy_page_leaves_room_for_the_others_and_what_is_left_out_is_counted() -> None:
    busy = [news(f"{number} {'so much ' * 30}", "busy") for number in range(100)]
    made = written(*busy, news(page="quiet"), most=2_000).text
    assert "added: Argus sleeps." in made
    assert "added: 99 so much" in made
    shown = made.count("added: ") - 1
    assert f"… and {100 - shown} more notifications of this page" in made
    assert 1 <= shown <= 12


def test_pages_for_which_there_is_no_room_are_counted() -> None:
    made = written(
        *(news(page=f"page-{number}", title="P") for number in range(100)), most=1_000
    ).text
    shown = made.count("http://")
    assert made.endswith(f"… and {100 - shown} more notifications of other pages")
    assert written(news(), news(page="b"), most=0).text == "… and 2 more notifications"


def test_a_digest_speaks_one_language() -> None:
    held = Held(0, 1_000, "its hours are 8-18 (UTC)")
    waited = replace(news("one", title="Io").notification, held=held)
    many = [
        Dated(waited, "Montag"),
        *(news(f"{n} {'so viel ' * 30}", title="Io") for n in range(9)),
    ]
    with spoken(LANGUAGES["de"]):
        made = written(*many, news(page="b"), most=700)
    assert made.title == "Argus sleeps: http://b.test/, und 10 weitere"
    assert made.text.startswith("1 hat gewartet: ihre Stunden sind 8-18 (UTC).\n\n")
    assert "neu: Argus sleeps." in made.text
    assert made.text.endswith("weitere Benachrichtigungen zu dieser Seite")


PIECES = st.builds(
    news,
    st.text("a<&\u200b é", min_size=1, max_size=400),
    st.sampled_from("abc"),
    st.text("T<&", max_size=50),
)


@given(st.lists(PIECES, min_size=1, max_size=12), st.integers(100, 3_000), st.booleans())
def test_a_digest_is_never_longer_than_it_may_be(
    digest: list[Dated], most: int, is_html: bool
) -> None:
    made = written(*digest, most=most, is_html=is_html)
    size = len(made.html) if made.html is not None else len(escape(made.text))
    assert size <= most


def test_the_templates_make_the_title_of_all_and_the_text_of_each() -> None:
    digest = news("one"), news("two", "b")
    made = written(*digest, title="{{ heading }}: {{ digest }}", text="<{{ text }}>", is_html=True)
    assert made.title == "two: http://b.test/, and 1 more: 2"
    assert "Monday\n<added: one>" in made.text
    assert made.html is None
    with pytest.raises(TemplateFailed, match="the template of its body makes no text"):
        written(*digest, text="{{ '' }}")
