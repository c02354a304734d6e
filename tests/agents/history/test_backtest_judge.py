"""A rule on the past: the newest of what a backtest lists is judged, and what it cost is said."""

from dataclasses import replace

from schemas.codec.backtests import ListedNotification, past_notification_json
from schemas.records.subscriptions import Options
from streams.agents.history.backtest_judge import MAX_JUDGED, PastJudge
from streams.agents.judge.asking import NO_MODEL, Model
from streams.agents.judge.budgets import ModelLimits
from tests.agents.judge.world import PASS, SUMMARY, SUPPRESS, FakeModel, news
from tests.fakes.subscriptions import subscription

LIMITS = ModelLimits(1_000, 1_000_000)
RULE = subscription(options=Options(rule="only lamps"))


def listed(count: int) -> list[ListedNotification]:
    return [ListedNotification(news(f"text {n}", f"n{n}"), 0) for n in range(count)]


def judge(model: FakeModel, limits: ModelLimits = LIMITS) -> PastJudge:
    return PastJudge(Model("m", model.ask), limits, lambda: 0)


async def test_the_newest_have_verdicts_and_what_they_cost() -> None:
    model = FakeModel([PASS, SUPPRESS])
    past = await judge(model).judge(RULE, listed(MAX_JUDGED + 2))

    verdicts = [each.notification.verdict for each in past.listed]
    assert sorted(verdicts) == ["", "", "pass", *["suppress"] * (MAX_JUDGED - 1)]
    assert verdicts[-2:] == ["", ""]
    assert (past.judged, past.tokens) == (MAX_JUDGED, 100 * MAX_JUDGED)
    assert len(model.asked) == MAX_JUDGED
    shown = past_notification_json(past.listed[0])
    assert (shown["verdict"], shown["because"]) == ("pass", "It says so.")


async def test_a_second_look_costs_nothing() -> None:
    model = FakeModel([PASS])
    judging = judge(model)
    first = await judging.judge(RULE, listed(2))
    second = await judging.judge(RULE, listed(2))

    assert second.listed == first.listed
    assert (first.tokens, second.tokens) == (200, 0)


async def test_a_summary_alone_is_written_too() -> None:
    summary = subscription(options=Options(summary=True))
    past = await judge(FakeModel([SUMMARY])).judge(summary, listed(1))

    assert past.listed[0].notification.summary == "The lamp costs less."


async def test_without_a_rule_nobody_is_asked() -> None:
    model = FakeModel()
    past = await judge(model).judge(subscription(), listed(2))

    assert past.listed == tuple(listed(2))
    assert (past.judged, past.tokens, model.asked) == (0, 0, [])


async def test_without_a_model_or_a_budget_it_says_so() -> None:
    no_model = await PastJudge(Model(), LIMITS, lambda: 0).judge(RULE, listed(1))
    used = await judge(FakeModel(), replace(LIMITS, calls=0)).judge(RULE, listed(1))

    assert no_model.listed[0].notification.verdict == f"not judged: {NO_MODEL}"
    assert used.listed[0].notification.verdict == (
        "not judged: the calls of the day are used up (VOKTER_MODEL_CALLS)"
    )
