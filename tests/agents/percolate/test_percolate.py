# ruff: noqa: RUF001 - characters of many scripts are what is tested here
"""Subscriptions for several pages, through match and percolate, as a naive model has them."""

from collections import Counter
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.codec import wire
from schemas.records.changes import DocumentChanged
from schemas.records.crawls import CrawlOptions
from schemas.records.numbers import Conditions, NumberOptions
from schemas.records.pages import covers, request_key
from schemas.records.percolations import Interest, Percolate, StoreQuery, TermFilter
from schemas.records.requests import Backfill, Cancel, Expire, Pause, Rename, Resume, Subscribe
from schemas.records.subscription_facts import Expired, Rejected, Subscribed
from schemas.records.subscriptions import Options, Receiver, Subscription
from schemas.records.views import ViewOptions
from streams.agents.percolate import manager_terms, queries
from streams.matching.matcher import Matcher
from streams.text.stemming import PluginLanguage
from streams.values.partitions import partition_of
from tests.fakes.regions import added, changed
from tests.harness.examples import examples
from tests.harness.percolation import PARTITIONS, Percolation

A, B = "https://a.example.org/", "https://b.example.org/x"
ANNA, BERT = "anna", "bert"
LATER = 10_000_000
"""When pages change (epoch ms), long after all requests."""
HOOK = Receiver("https://client.example/hook")
WORDS = [
    *("god", "Gods", "GOD", "house", "Houses", "the", "of", "who", "die", "Häuser", "Haus"),
    *("casas", "casa", "книга", "книги", "東京", "don't", "3.14", "KADIN", "kadın", "ve", "I"),
]
LANGUAGES = ["en", "de", "ru", "ja", "tr", "und"]
_numbers = count(1)


def wide(
    *keywords: str,
    pages: str = "pages:*",
    manager: str = ANNA,
    receiver: Receiver = HOOK,
    **options: Any,
) -> Subscribe:
    return Subscribe(
        pages,
        receiver,
        f"r{next(_numbers)}",
        manager,
        keywords=keywords,
        options=Options(**options),
    )


def watching(url: str, manager: str = ANNA, tags: tuple[str, ...] = ()) -> Subscribe:
    """A subscription that fetches a page, and is notified of nothing that the tests change."""
    return Subscribe(
        url,
        Receiver(session=f"{manager}-reader"),
        f"r{next(_numbers)}",
        manager,
        keywords=("qqq",),
        options=Options(tags=tags),
        replace=True,
    )


def change_of(
    asked: Percolation, url: str, *texts: str, language: str = "en", view: str = ""
) -> DocumentChanged:
    watch = next(
        each.watch.id
        for each in reversed(asked.answers)
        if each.url == url and each.watch is not None
    )
    regions = tuple(map(added, texts))
    name = f"change{next(_numbers)}"
    return DocumentChanged(name, url, watch, 5, 0, "text/html", language, regions, LATER, view)


@pytest.fixture
def deployment() -> Percolation:
    return Percolation()


def test_any_watched_page_that_says_a_word_notifies_of_that_page(deployment: Percolation) -> None:
    begun = deployment.ask(wide("zeus", ignore_case=True))
    for url in (A, B):
        deployment.ask(watching(url))

    (one,) = deployment.change(change_of(deployment, A, "Zeus sleeps.", "Hera wakes."))
    (two,) = deployment.change(change_of(deployment, B, "Where is Zeus?"))

    assert (one.url, two.url) == (A, B)
    assert {one.pages, two.pages} == {"pages:*"}
    assert {one.subscription, two.subscription} == {begun.subscription.id}
    assert [each.text for each in one.diffs] == ["Zeus sleeps."]
    assert deployment.change(change_of(deployment, A, "Hera sleeps.")) == []


def test_nobody_hears_of_a_page_that_another_manager_alone_watches(
    deployment: Percolation,
) -> None:
    deployment.ask(wide("zeus", manager=ANNA))
    deployment.ask(wide("zeus", manager=BERT))
    deployment.ask(watching(A, ANNA))
    deployment.ask(watching(B, BERT))

    assert [each.manager for each in deployment.change(change_of(deployment, A, "zeus"))] == [ANNA]
    assert [each.manager for each in deployment.change(change_of(deployment, B, "zeus"))] == [BERT]
    for send in deployment.sent:
        if isinstance(send.record, Percolate):
            (watcher,) = send.record.watchers
            assert watcher.manager == (ANNA if send.record.change.url == A else BERT)


def test_a_view_of_a_page_is_heard_of_by_those_who_watch_that_view(
    deployment: Percolation,
) -> None:
    deployment.ask(wide("zeus"))
    deployment.ask(watching(A))
    assert deployment.change(change_of(deployment, A, "zeus", view="private")) == []


def test_a_page_that_is_paused_or_cancelled_is_watched_no_more(deployment: Percolation) -> None:
    deployment.ask(wide("zeus"))
    begun = deployment.ask(watching(A))
    who = A, Receiver(session="anna-reader")
    change = change_of(deployment, A, "zeus")
    deployment.ask(Pause(*who, "p", ANNA))
    assert deployment.change(replace(change, id="2")) == []
    deployment.ask(Resume(*who, "q", ANNA))
    assert len(deployment.change(replace(change, id="3"))) == 1
    deployment.ask(Cancel(*who, "c", ANNA))
    assert deployment.change(replace(change, id="4")) == []
    assert isinstance(begun, Subscribed)


def test_a_subscription_for_several_pages_can_be_paused_changed_expired_and_ended(
    deployment: Percolation,
) -> None:
    begun = deployment.ask(wide("zeus"))
    deployment.ask(watching(A))

    def says(*texts: str) -> int:
        return len(deployment.change(change_of(deployment, A, *texts)))

    assert begun.watch is None
    assert says("zeus") == 1
    deployment.ask(Pause("pages:*", HOOK, "p", ANNA))
    assert says("zeus") == 0
    deployment.ask(Resume("pages:*", HOOK, "q", ANNA))
    deployment.ask(replace(wide("hera"), replace=True))
    assert (says("zeus"), says("hera")) == (0, 1)
    expire = Expire("pages:*", begun.subscription.id, "gone", ANNA, HOOK)
    key = request_key("pages:*", ANNA, HOOK)
    deployment.put("subscription-requests", expire, partition_of(key, PARTITIONS))
    deployment.run()
    assert isinstance(deployment.answers[-1], Expired)
    assert says("hera") == 0
    assert all(not rows for (name, _), rows in deployment.rows.items() if name == "percolate")


def test_a_receiver_has_several_for_the_same_pages_by_their_names(deployment: Percolation) -> None:
    deployment.ask(watching(A))
    plain = deployment.ask(wide("zeus")).subscription
    named = deployment.ask(replace(wide("zeus"), name="gods")).subscription

    def notified() -> list[tuple[str, str]]:
        found = deployment.change(change_of(deployment, A, "zeus"))
        return sorted((each.name, each.subscription) for each in found)

    assert notified() == [("", plain.id), ("gods", named.id)]
    deployment.ask(Rename("pages:*", HOOK, "n", ANNA, "gods", new_name="all gods"))
    deployment.restart()
    assert notified() == [("", plain.id), ("all gods", named.id)]
    deployment.ask(Cancel("pages:*", HOOK, "c", ANNA))
    assert notified() == [("all gods", named.id)]
    deployment.ask(Cancel("pages:*", HOOK, "d", ANNA, "all gods"))
    assert notified() == []


def test_only_changes_with_a_term_that_somebody_has_are_sent(deployment: Percolation) -> None:
    deployment.ask(watching(A))
    assert _percolated(deployment, "zeus") == 0
    deployment.ask(wide("zeus"))
    assert _percolated(deployment, "hera", "argus", "io") == 0
    assert _percolated(deployment, "zeus") == 1
    deployment.ask(Cancel("pages:*", HOOK, "c", ANNA))
    assert _percolated(deployment, "zeus") == 0


def test_of_many_terms_match_has_a_filter(deployment: Percolation) -> None:
    deployment.ask(watching(A))
    before = len(deployment.sent)
    for number in range(3):
        words = [f"word{number}x{each}" for each in range(100)]
        deployment.ask(wide(*words, receiver=Receiver(session=f"s{number}")))
    rows = [
        row
        for (name, _), several in deployment.rows.items()
        if name == "match"
        for row in several.values()
        if isinstance(row, Interest)
    ]
    assert len(rows) == PARTITIONS**2
    assert all(row.filter_made and not row.many for row in rows)
    assert {wire.decode(wire.encode(each), Interest) for each in rows} == {*rows}
    filters = [each for each in deployment.sent[before:] if isinstance(each.record, TermFilter)]
    assert Counter(each.partition for each in filters) == dict.fromkeys(range(PARTITIONS), 3)
    for number in range(3):
        assert len(deployment.change(change_of(deployment, A, f"word{number}x50"))) == 1
    assert _percolated(deployment, " ".join(f"other{number}" for number in range(200))) == 0


def test_a_subscription_is_in_the_partitions_of_its_words_alone(deployment: Percolation) -> None:
    for number in range(60):
        deployment.ask(wide(f"word{number}", receiver=Receiver(session=f"s{number}")))
    counts = [
        sum(isinstance(row, StoreQuery) for row in deployment.rows["percolate", number].values())
        for number in range(PARTITIONS)
    ]
    assert sum(counts) == 60
    assert max(counts) < 40


@pytest.mark.parametrize(
    ("pages", "options", "said"),
    [
        ("pages:", {}, "documentUrl"),
        ("pages:tag=", {}, "documentUrl"),
        ("pages:https://example.org/", {}, "documentUrl"),
        ("pages:*.*.*.*", {}, "documentUrl"),
        ("pages:*", {"scope": "document"}, "scope"),
        ("pages:*", {"max_failures": 3}, "maxFailures"),
        ("pages:*", {"notify_failures": True}, "notifyFailures"),
        ("pages:*", {"on_status": (404,)}, "onStatus"),
        ("pages:*", {"interval": 60}, "interval"),
        ("pages:*", {"max_interval": 86_400}, "maxInterval"),
        ("pages:*", {"patience": 3600}, "patience"),
        ("pages:*", {"failing_after": 3}, "failingAfter"),
        ("pages:*", {"crawl": CrawlOptions(depth=1)}, "crawl"),
        ("pages:*", {"patience_visits": 3}, "patienceVisits"),
        ("pages:*", {"when": Conditions(below="20")}, "when"),
        ("pages:*", {"view": ViewOptions(main=True)}, "view"),
        ("pages:*", {"view": ViewOptions(number=NumberOptions())}, "view"),
        ("pages:*", {"content_type": "text/plain"}, "documentContentType"),
    ],
)
def test_what_only_one_page_can_have_is_refused(
    deployment: Percolation, pages: str, options: dict[str, Any], said: str
) -> None:
    answer = deployment.ask(wide("zeus", pages=pages, **options))
    assert isinstance(answer, Rejected)
    (fault,) = answer.faults
    assert fault.field == said
    assert pages in fault.reason


def test_changes_of_several_pages_are_not_notified_afterwards(deployment: Percolation) -> None:
    deployment.ask(wide("zeus"))
    answer = deployment.ask(Backfill("pages:*", HOOK, "b", ANNA))
    assert isinstance(answer, Rejected)
    assert [each.field for each in answer.faults] == ["documentUrl"]


def test_a_plugged_in_stemmer_decides_where_a_subscription_is() -> None:
    def language(code: str) -> str:
        latin = PluginLanguage("la", "four letters", lambda word: word[:4])
        return latin if code == "la" else code

    deployment = Percolation(language=language)
    deployment.ask(wide("gigantes", enable_stemming=True))
    deployment.ask(watching(A))
    assert len(deployment.change(change_of(deployment, A, "gigas gigantum", language="la"))) == 1


def _percolated(deployment: Percolation, *texts: str) -> int:
    before = len(deployment.sent)
    deployment.change(change_of(deployment, A, *texts))
    return sum(isinstance(each.record, Percolate) for each in deployment.sent[before:])


@dataclass
class Naive:
    """Everything that is subscribed; each change is compared with all of it."""

    wide: dict[tuple[str, str, Receiver], Subscription] = field(default_factory=dict)
    watched: dict[tuple[str, str], tuple[str, ...]] = field(default_factory=dict)

    def notified(self, change: DocumentChanged) -> set[tuple[str, Any]]:
        matcher = Matcher(change.regions, change.language, page=change.url)
        return {
            (each.id, matcher.diffs(replace(each, document_url=change.url))[0])
            for each in self.wide.values()
            if (tags := self.watched.get((each.manager, change.url))) is not None
            and covers(each.url, change.url, tags)
            and matcher.concerns(each)
        }


texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=5).map(" ".join)
keywords = st.lists(texts | st.just("*"), min_size=1, max_size=3, unique=True)
options = st.fixed_dictionaries(
    {
        **{
            name: st.booleans()
            for name in ("enable_stemming", "filter_stopwords", "ignore_case", "ignore_removed")
        },
        "scope": st.sampled_from(("sentence", "change", "block")),
    }
)
managers = st.sampled_from((ANNA, BERT))
receivers = st.sampled_from([HOOK, Receiver(session="one"), Receiver(session="two")])
documents = st.sampled_from(
    ("pages:*", "pages:tag=gods", "pages:*.example.org", "pages:b.example.org")
)
steps = st.lists(
    st.one_of(
        st.tuples(st.just("wide"), keywords, options, documents, managers, receivers),
        st.tuples(st.just("end"), documents, managers, receivers),
        st.tuples(
            st.just("watch"),
            st.sampled_from((A, B)),
            managers,
            st.sampled_from(((), ("gods",), ("prices",))),
        ),
        st.tuples(st.just("restart")),
        st.tuples(
            st.just("change"),
            st.sampled_from((A, B)),
            st.lists(st.tuples(st.none() | texts, texts), min_size=1, max_size=3),
            st.sampled_from(LANGUAGES),
        ),
    ),
    max_size=25,
)


@pytest.fixture(params=[0, manager_terms.PAUSE_MS], ids=["a filter each time", "one filter"])
def _early(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything that happens to many subscriptions happens to a few."""
    monkeypatch.setattr(queries, "INDEXED", 2)
    monkeypatch.setattr(manager_terms, "MAX_TERMS", 2)
    monkeypatch.setattr(manager_terms, "MAX_ADDED", 2)
    monkeypatch.setattr(manager_terms, "PAUSE_MS", request.param)


@pytest.mark.usefixtures("_early")
@examples(100)
@given(steps)
def test_each_change_notifies_as_if_it_were_compared_with_every_subscription(
    taken: list[Any],
) -> None:
    deployment, naive = Percolation(), Naive()
    for url in (A, B):
        deployment.ask(watching(url, "the-first"))
    for step in taken:
        match step:
            case ("change", url, sides, language):
                change = change_of(deployment, url, language=language)
                change = replace(change, regions=tuple(changed(*each) for each in sides))
                found = deployment.change(change)
                assert len({each.id for each in found}) == len(found)
                assert {(each.subscription, each.diffs) for each in found} == naive.notified(change)
            case ("restart",):
                deployment.restart()
            case _:
                _ask(step, deployment, naive)


def _ask(step: Any, deployment: Percolation, naive: Naive) -> None:
    match step:
        case ("wide", words, chosen, pages, manager, receiver):
            request = wide(*words, pages=pages, manager=manager, receiver=receiver, **chosen)
            answer = deployment.ask(replace(request, replace=True))
            if isinstance(answer, Subscribed):
                naive.wide[pages, manager, receiver] = answer.subscription
        case ("end", pages, manager, receiver):
            deployment.ask(Cancel(pages, receiver, f"r{next(_numbers)}", manager))
            naive.wide.pop((pages, manager, receiver), None)
        case ("watch", url, manager, tags):
            deployment.ask(watching(url, manager, tags))
            naive.watched[manager, url] = tags


def test_a_crash_at_any_point_notifies_of_all_with_the_same_ids() -> None:
    plain = Percolation()
    _subscribed(plain)
    expected = {each.id for each in plain.change(_crash_change(plain))}
    assert len(expected) == 6
    for point in range(1, 20):
        crashed = Percolation()
        _subscribed(crashed)
        _crash_after(crashed, point, _crash_change(crashed))
        assert {each.id for each in crashed.notifications} == expected


def _subscribed(deployment: Percolation) -> None:
    for number in range(6):
        receiver = Receiver(session=f"s{number}")
        request = replace(wide(f"word{number}", "zeus", receiver=receiver), request_id=f"n{number}")
        deployment.ask(request)
    deployment.ask(replace(watching(A), request_id="w"))


def _crash_change(deployment: Percolation) -> DocumentChanged:
    return replace(change_of(deployment, A, "zeus and word3", "word1"), id="change")


def _crash_after(deployment: Percolation, point: int, change: DocumentChanged) -> None:
    """Publish a change; after so many outcomes all that was in hand is lost and read again."""
    deployment.put("changes", change, partition_of(change.url, PARTITIONS))
    left = point
    while deployment.waiting:
        agent, each = deployment.waiting[0]
        for outcome in deployment.outcomes(agent, each):
            left -= 1
            if left == 0:
                deployment.publish(outcome)  # and its rows are lost
                deployment.restart()
                break
            deployment.publish(outcome)
            deployment.store(agent, each.partition, outcome)
        else:
            deployment.waiting.popleft()
