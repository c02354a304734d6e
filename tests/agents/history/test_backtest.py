"""What a backtest says of kept changes is what match notified of when they were new."""

from dataclasses import fields, replace
from itertools import pairwise
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from schemas.records.changes import DocumentChanged, Returned, Texts
from schemas.records.notifications import Notification
from schemas.records.numbers import Conditions, NumberOptions, NumberPoint
from schemas.records.requests import Subscribe
from schemas.records.subscription_facts import Subscribed
from schemas.records.subscriptions import Options, Receiver
from schemas.records.views import ViewOptions
from streams.agents.match.agent import MatchProcessor
from streams.agents.match.register.requests import Rules
from streams.diff.regions import changed_regions
from streams.matching.backtest import PastNotification, past_notification
from streams.matching.change_words import MAX_FORMS, MAX_KNOWN, KnownForms
from streams.text.keywords import valid_keywords
from streams.text.word_forms import WordForm
from streams.values.steps import completed
from tests.fakes.asked import asked_subscription
from tests.fakes.events import event

URL = "https://example.org/giants"
SENTENCES = (
    "Argus has a hundred eyes.",
    "Argus has 99 eyes.",
    "The giant sleeps.",
    "The giants sleep.",
    "Io pays 12 €.",
    "Io pays 13 €.",
    "Hera watches the ARGUS.",
)
TEXTS = st.lists(st.lists(st.sampled_from(SENTENCES), max_size=6), min_size=2, max_size=6)
KEYWORDS = st.lists(
    st.sampled_from(
        ("argus", "Argus", "giant", "the", "pays", "eyes hundred", '"giant sleeps"', "*")
    ),
    min_size=1,
    max_size=4,
)
FLAGS = [
    "ignore_added", "ignore_removed", "ignore_returns", "ignore_noise", "notify_moves",
    "notify_dropped", "enable_stemming", "filter_stopwords", "ignore_case",
]  # fmt: skip
OPTIONS = st.builds(
    Options,
    interval=st.just(60),
    scope=st.sampled_from(("sentence", "change", "block", "document")),
    snippet_offset=st.sampled_from((0, 50)),
    **{name: st.booleans() for name in FLAGS},
).filter(lambda options: not (options.ignore_added and options.ignore_removed))


def history(texts: list[list[str]], watch: str, *, has_texts: bool) -> list[DocumentChanged]:
    """The changes between texts; every third brings back what the page had before."""
    pages = ["\n\n".join(text) for text in texts]
    return [
        DocumentChanged(
            f"c{at}", URL, watch, at, 0, "text/html", "en",
            changed_regions(old, new, ()), 1_000 + at,
            title="Giants", returned=Returned(5, 1) if at % 3 == 2 else None,
            texts=Texts(old, new) if has_texts else None,
        )
        for at, (old, new) in enumerate(pairwise(pages))
    ]  # fmt: skip


def live(asked: Subscribe, texts: list[list[str]], **how: Any) -> list[Notification]:
    """What the agent notifies of that has the subscription from the beginning."""
    agent = MatchProcessor(partition_of=lambda _: 0, rules=Rules(60))
    agent.begin(0)
    (answer,) = (send.record for send in agent.decide(event(asked, timestamp=1)).sends)
    assert isinstance(answer, Subscribed)
    found: list[Any] = []
    for change in history(texts, answer.subscription.watch, **how):
        for outcome in agent.decide(event(change, topic="changes")).rest or ():
            found += [send.record for send in outcome.sends]
    return found


def backtested(
    asked: Subscribe, texts: list[list[str]], *, in_full: bool = True, **how: Any
) -> list[PastNotification]:
    subscription, forms = asked_subscription(asked), KnownForms()
    found = (
        completed(past_notification(subscription, change, forms, in_full=in_full))
        for change in history(texts, "", **how)
    )
    return [each for each in found if each is not None]


@given(TEXTS, KEYWORDS, OPTIONS, st.booleans())
@example([["Argus has a hundred eyes."], ["The giant sleeps."]], ["argus"], Options(), False)
def test_a_backtest_says_what_match_notified_of(
    texts: list[list[str]], keywords: list[str], options: Options, has_texts: bool
) -> None:
    asked = Subscribe(URL, Receiver(session="me"), "1", keywords=tuple(keywords), options=options)
    notified = live(asked, texts, has_texts=has_texts)
    found = backtested(asked, texts, has_texts=has_texts)
    assert [_content(each.notification) for each in found] == list(map(_content, notified))
    shown = [set(each.keywords) for each in found]
    assert shown == [{diff.keyword for diff in each.diffs} for each in notified]
    counted = backtested(asked, texts, in_full=False, has_texts=has_texts)
    assert [each.keywords for each in counted] == [each.keywords for each in found]


def _content(notification: Notification | None) -> Notification:
    """A notification without the ids that say whose it is."""
    assert notification is not None
    return replace(notification, id="", subscription="", watch="")


def test_a_request_becomes_the_subscription_that_match_would_register() -> None:
    options = Options(interval=60, content_type=" Text/Plain", ignore_case=True)
    asked = Subscribe(
        "HTTPS://example.org/giants#top", Receiver(session="me"), "1",
        keywords=("argus", "?!"), options=options,
    )  # fmt: skip
    agent = MatchProcessor(partition_of=lambda _: 0, rules=Rules(60))
    agent.begin(0)
    (answer,) = (send.record for send in agent.decide(event(asked)).sends)
    assert isinstance(answer, Subscribed)
    registered = replace(answer.subscription, id="", watch="", created=0)
    assert asked_subscription(asked) == registered
    assert {field.name for field in fields(registered)} >= {"view_id", "keywords"}
    assert registered.keywords == valid_keywords(asked.keywords)


PRICES = st.lists(st.integers(1, 40).map(str), min_size=2, max_size=12)


@given(PRICES, st.integers(5, 30).map(str))
def test_a_price_is_notified_live_as_a_backtest_says(prices: list[str], limit: str) -> None:
    options = Options(
        interval=60, view=ViewOptions(number=NumberOptions()), when=Conditions(below=limit)
    )
    asked = Subscribe(URL, Receiver(session="me"), keywords=(), options=options)
    agent = MatchProcessor(partition_of=lambda _: 0, rules=Rules(60))
    agent.begin(0)
    (answer,) = (send.record for send in agent.decide(event(asked, timestamp=1)).sends)
    assert isinstance(answer, Subscribed)
    assert answer.subscription.keywords == ("*",)
    subscription = answer.subscription
    series = [NumberPoint(1_000 + at, price, "EUR") for at, price in enumerate(prices)]
    found: list[Any] = []
    for at in range(1, len(series)):
        change = DocumentChanged(
            f"c{at}", URL, subscription.watch, at, 0, "text/html", "en",
            changed_regions(str(series[at - 1]), str(series[at]), ()), series[at].at,
            view=subscription.view_id, numbers=tuple(series[: at + 1]),
        )  # fmt: skip
        sent = [
            send.record
            for outcome in agent.decide(event(change, topic="changes")).rest or ()
            for send in outcome.sends
        ]
        past = completed(past_notification(subscription, change, KnownForms(), in_full=True))
        assert sent == ([] if past is None else [past.notification])
        found += sent
    assert all(int(each.number.after) < int(limit) and each.number.why for each in found)
    crosses = any(int(b) >= int(limit) > int(a) for b, a in pairwise(prices))
    assert bool(found) == crosses


def test_the_words_that_are_remembered_have_a_bound() -> None:
    forms = KnownForms()
    plain = [WordForm(f"x{number}", stemming=False, ignore_case=True) for number in range(40)]
    for number, form in enumerate(plain):
        assert forms.of({"Argus", f"W{number}"}, form) == {"argus", f"w{number}"}
        assert len(forms._known) <= MAX_FORMS
    for start in range(0, 3 * MAX_KNOWN, 60_000):
        forms.of({f"w{number}" for number in range(start, start + 60_000)}, plain[0])
        assert len(forms._known[plain[0]]) <= MAX_KNOWN
